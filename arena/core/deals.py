"""Deals and sets of deals: everything that is fixed before the first action.

A set is a CSV that people and pandas can read, one deal a row, and a JSON file
with the same stem (the sidecar), which records the game, how the set was made and
the SHA-256 of the CSV. A CSV that no longer has that hash is refused: results
are only comparable on the deals they name.

Columns: `id`, one per seat (`N`, `E`, `S`, `W`: cards in the order dealt), and,
where a game uses them, the other fields of `Deal`. The annotation of each field
defines its notation, which CSV, records, stored runs and exports share.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from arena.core.cards import (
    CARD_NAMES,
    SEATS,
    SUIT_SYMBOLS,
    SUITS,
    TRUMPS,
    CardError,
    card_name,
    parse_card,
    parse_cards,
    parse_seat,
    parse_trump,
    pretty,
    trump_name,
    write_cards,
)
from arena.core.errors import ArenaError, did_you_mean, located
from arena.core.files import read_bytes, read_json, write_atomically
from arena.core.printable import FORMULA

FORMAT = 1
MOST_BYTES = 1 << 30
"""The largest file that is read: some five million deals."""
_LONGEST_ID = 200
_LONGEST_OUTCOME = 18


class DealError(ArenaError):
    """A deal or a set of deals that cannot be used."""


# --- a deal and its fields ---------------------------------------------------------------


def _parse_suit(text: str) -> int:
    suit = parse_trump(text)
    if suit >= len(SUITS):
        raise CardError(f"unknown suit {text!r}: allowed: {', '.join(SUITS)}")
    return suit


def _parse_outcome(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_OUTCOME):
        raise CardError(f"unknown chance outcome {text!r}: expected a whole number")
    return int(text)


class Notation(NamedTuple):
    """Reads and writes one kind of number as a word."""

    words: str
    """Describes the words in errors, with an example."""
    read: Callable[[str], int]
    write: Callable[[int], str]
    show: Callable[[int], str]
    """Makes the word that people read."""


_SEAT = Notation("seats such as 'N'", parse_seat, SEATS.__getitem__, SEATS.__getitem__)
_TRUMP = Notation("trumps such as 'H'", parse_trump, TRUMPS.__getitem__, trump_name)
_SUIT = Notation("suits such as 'H'", _parse_suit, SUITS.__getitem__, SUIT_SYMBOLS.__getitem__)
_CARD = Notation("cards such as 'H7'", parse_card, card_name, pretty)
_OUTCOME = Notation("numbers such as '7'", _parse_outcome, str, str)


def _one(notation: Notation) -> Any:
    """A field that is one word, or absent."""
    return field(default=None, metadata={"notation": notation})


def _some(notation: Notation) -> Any:
    """A field that is any number of words."""
    return field(default=(), metadata={"notation": notation})


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards and all else that is fixed before the first decision.

    Seats are indices into `SEATS`, trumps into `TRUMPS`. What a game draws by
    itself (or does not have) is None or empty.
    """

    id: str
    hands: tuple[tuple[int, ...], ...]
    """Each seat's cards in the order dealt, those already played included."""
    trump: int | None = _one(_TRUMP)
    declarer: int | None = _one(_SEAT)
    leader: int | None = _one(_SEAT)
    dealer: int | None = _one(_SEAT)
    turn_ups: tuple[int, ...] = _some(_SUIT)
    """The suits that are offered in the auction."""
    played: tuple[int, ...] = _some(_CARD)
    """Cards already played, in order."""
    chance: tuple[int, ...] = _some(_OUTCOME)
    """The outcomes of chance, in games that deal by them instead of by hands."""

    @property
    def named(self) -> str:
        """The deal in an error message; a pasted one need not have an id."""
        return f"deal {self.id}" if self.id else "the deal"


class OptionalField(NamedTuple):
    """An optional field of a deal: any but its id and its hands."""

    name: str
    notation: Notation
    several: bool
    """Whether it is any number of words, and not one."""

    def values(self, deal: Deal) -> tuple[int, ...]:
        """The values of this field in a deal; empty if it lacks the field."""
        value = getattr(deal, self.name)
        if self.several:
            return tuple(value)
        return () if value is None else (value,)

    def words(self, deal: Deal) -> list[str]:
        """The values of this field in a deal, in notation."""
        return [self.notation.write(each) for each in self.values(deal)]

    def value(self, words: Sequence[str]) -> Any:
        """The value of the field for these words."""
        if self.several:
            return tuple(self.notation.read(word) for word in words)
        return self.notation.read(words[0]) if words else None


OPTIONAL_FIELDS: tuple[OptionalField, ...] = tuple(
    OptionalField(each.name, each.metadata["notation"], each.default == ())
    for each in fields(Deal)
    if "notation" in each.metadata
)
"""In the order in which they are written."""


def check_cards(deal: Deal, deck: int, players: int, hand_size: int) -> None:
    """Raise `DealError` unless the hands are a deal of `deck`: right sizes, nothing twice."""
    if len(deal.hands) != players:
        raise DealError(f"{deal.named}: {len(deal.hands)} hands, expected {players}")
    seen = 0
    for seat, hand in enumerate(deal.hands):
        if len(hand) != hand_size:
            raise DealError(
                f"{deal.named}: seat {SEATS[seat]} has {len(hand)} cards, expected {hand_size}"
            )
        for card in hand:
            if not deck >> card & 1:
                raise DealError(
                    f"{deal.named}: {CARD_NAMES[card]} (seat {SEATS[seat]}) is not in this game"
                )
            if seen >> card & 1:
                raise DealError(f"{deal.named}: {CARD_NAMES[card]} is dealt twice")
            seen |= 1 << card
    played = 0
    for card in deal.played:
        if not seen >> card & 1 or played >> card & 1:
            raise DealError(f"{deal.named}: {CARD_NAMES[card]} cannot have been played")
        played |= 1 << card


# --- sets of deals -----------------------------------------------------------------------


@dataclass(frozen=True)
class DealSet:
    """Deals in a fixed order, and where they come from."""

    name: str
    deals: tuple[Deal, ...]
    meta: dict[str, Any] = field(default_factory=dict)
    """`game`, `generator`, `seed`, `filter` and so on, as in the sidecar."""
    sha256: str = ""
    path: Path | None = None

    def __len__(self) -> int:
        return len(self.deals)

    def __iter__(self) -> Iterator[Deal]:
        return iter(self.deals)

    @property
    def game(self) -> str:
        """The game that the deals are for."""
        return str(self.meta["game"])

    def line_of(self, index: int) -> int:
        """The line of the CSV on which deal number `index` stands."""
        return index + 2

    def find(self, deal_id: str) -> Deal:
        """The deal with this id."""
        for deal in self.deals:
            if deal.id == deal_id:
                return deal
        near = did_you_mean(deal_id, (deal.id for deal in self.deals))
        raise DealError(f"{self.path or self.name}: no deal {deal_id!r}; {near}")

    def save(self, path: Path) -> DealSet:
        """Write CSV and sidecar; the set as it now is on disk."""
        text = _to_csv(self.deals)
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        meta = {"format": FORMAT, **self.meta, "count": len(self.deals), "sha256": sha256}
        # The CSV goes first: a CSV without its sidecar says what is missing,
        # a sidecar without its CSV would name a file that is not there.
        write_atomically(path, text)
        write_atomically(sidecar_of(path), json.dumps(meta, indent=2, ensure_ascii=False) + "\n")
        return DealSet(path.stem, self.deals, meta, sha256, path)

    @classmethod
    def load(cls, path: Path) -> DealSet:
        """Read a set and make sure that it is the one its sidecar describes."""
        data = read_bytes(path, MOST_BYTES)
        meta = _load_sidecar(path)
        sha256 = hashlib.sha256(data).hexdigest()
        if sha256 != meta["sha256"]:
            raise DealError(
                f"{path}: the file was changed: its sha256 is {sha256}, "
                f"{sidecar_of(path).name} says {meta['sha256']}"
            )
        return cls(path.stem, tuple(_from_csv(path, data)), meta, sha256, path)


def sidecar_of(path: Path) -> Path:
    """Where the description of the set in `path` is kept."""
    return path.with_suffix(".json")


def _load_sidecar(path: Path) -> dict[str, Any]:
    sidecar = sidecar_of(path)
    if not sidecar.exists():
        raise DealError(
            f"{path}: {sidecar.name} is missing from its folder (game, origin and sha256); "
            f"'arena deals import {path} --game GAME --out SET.csv' makes a set with one"
        )
    meta = read_json(sidecar)
    for key in ("game", "sha256"):
        if not isinstance(meta.get(key), str):
            raise DealError(f"{sidecar}: {key!r} is missing or no text")
    return meta


def _to_csv(deals: Sequence[Deal]) -> str:
    players = len(deals[0].hands) if deals else 4
    used = [each for each in OPTIONAL_FIELDS if any(each.words(deal) for deal in deals)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", *SEATS[:players], *(each.name for each in used)])
    for deal in deals:
        hands = (write_cards(hand) for hand in deal.hands)
        writer.writerow([deal.id, *hands, *(" ".join(each.words(deal)) for each in used)])
    return out.getvalue()


def read_csv(path: Path) -> list[Deal]:
    """The deals of a CSV in the format of a set, whether it has a sidecar or not."""
    return list(_from_csv(path, read_bytes(path, MOST_BYTES)))


def _from_csv(path: Path, data: bytes) -> Iterator[Deal]:
    try:
        reader = csv.reader(io.StringIO(data.decode(), newline=""))
        header = next(reader, None)
    except UnicodeDecodeError as error:
        raise DealError(f"{path}: not UTF-8 text: {error}") from error
    except csv.Error as error:
        raise DealError(located(path, 1, f"not CSV: {error}")) from error
    seats = [column for column in header or () if column in SEATS]
    if not header or "id" not in header or not (seats or "chance" in header):
        raise DealError(located(path, 1, "expected a header with id and the seats N, E, S, W"))
    columns = ("id", *SEATS, *(each.name for each in OPTIONAL_FIELDS))
    for column in header:
        if column not in columns:
            known = did_you_mean(column, columns)
            raise DealError(located(path, 1, f"unknown column {column!r}; {known}"))
    given = [each for each in OPTIONAL_FIELDS if each.name in header]
    ids: set[str] = set()
    for line, row in enumerate(_rows(path, reader), start=2):
        if len(row) != len(header):
            raise DealError(located(path, line, f"{len(row)} fields, expected {len(header)}"))
        try:
            deal = _deal_from_row(dict(zip(header, row, strict=True)), seats, given)
        except ArenaError as error:
            raise DealError(located(path, line, str(error))) from error
        if deal.id in ids:
            raise DealError(located(path, line, f"the id {deal.id!r} is used twice"))
        ids.add(deal.id)
        yield deal


def _rows(path: Path, reader: Any) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise DealError(located(path, reader.line_num, f"not CSV: {error}")) from error


def check_id(deal_id: str) -> str:
    """Check that an id is safe in tables, pages and terminals; else raise `DealError`."""
    if len(deal_id) > _LONGEST_ID or not deal_id.isprintable():
        raise DealError(
            f"the id {deal_id[:40]!r}: expected at most {_LONGEST_ID} printable characters"
        )
    if deal_id.startswith(FORMULA):
        raise DealError(f"the id {deal_id!r}: would be a formula in a spreadsheet; begin otherwise")
    return deal_id


def _deal_from_row(
    row: Mapping[str, str], seats: Sequence[str], given: Sequence[OptionalField]
) -> Deal:
    found = {each.name: each.value(_recorded(row, each)) for each in given}
    return Deal(check_id(row["id"]), tuple(parse_cards(row[seat]) for seat in seats), **found)


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


# --- JSONL -------------------------------------------------------------------------------


def read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file, plain or gzip, each with its line number."""
    try:
        data = read_bytes(path, MOST_BYTES)
        if data[:2] == b"\x1f\x8b":
            with gzip.open(io.BytesIO(data)) as unpacked:
                data = unpacked.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise DealError(f"{path}: unpacked it is larger than {MOST_BYTES:,} bytes; split it")
        text = data.decode()
    except OSError as error:
        raise DealError(f"{path}: {error.strerror or error}") from error
    except (EOFError, zlib.error) as error:
        raise DealError(f"{path}: the gzip file is cut short or damaged ({error})") from error
    except UnicodeDecodeError as error:
        raise DealError(f"{path}: not UTF-8 text: {error}") from error
    for line, content in enumerate(text.splitlines(), start=1):
        if not content.strip():
            continue
        try:
            record = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise DealError(located(path, line, f"not JSON: {error}")) from error
        if not isinstance(record, dict):
            raise DealError(located(path, line, "expected one JSON object a line"))
        yield line, record


def deal_from_record(record: dict[str, Any]) -> Deal:
    """The deal in a record with `hands` by seat letter, and trump, leader, ... where known.

    `hand_order_as_dealt` comes before `hands`: some records keep sorted hands there.
    """
    hands = record.get("hand_order_as_dealt", record.get("hands"))
    if not isinstance(hands, dict) or not (hands or "chance" in record):
        raise DealError("'hands' is missing: expected cards by seat letter")
    seats = [seat for seat in SEATS if seat in hands]
    if len(seats) != len(hands):
        unknown = next(key for key in hands if key not in seats)
        raise CardError(f"unknown seat {unknown!r} in 'hands': allowed: {', '.join(SEATS)}")

    found = {each.name: each.value(_recorded(record, each)) for each in OPTIONAL_FIELDS}
    dealt = (
        parse_cards(" ".join(_listed(hands[seat], f"hand of {seat}", _CARD))) for seat in seats
    )
    return Deal(check_id(str(record.get("id", ""))), tuple(dealt), **found)


def _recorded(record: Mapping[str, Any], of: OptionalField) -> Sequence[str]:
    value = record.get(of.name)
    if of.several:
        return _listed(value or [], of.name, of.notation)
    if value is not None and not isinstance(value, str):
        raise DealError(f"{of.name!r}: expected text, found {value!r}")
    return [value] if value else []


def _listed(value: object, what: str, notation: Notation) -> Sequence[str]:
    if isinstance(value, str):
        return _words(value)
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return value
    raise DealError(f"{what}: expected a list of {notation.words}")


def deal_record(deal: Deal) -> dict[str, Any]:
    """All of a deal but its id, as `deal_from_record` reads it; what it lacks is left out."""
    hands = {
        SEATS[seat]: [card_name(card) for card in hand] for seat, hand in enumerate(deal.hands)
    }
    return {"hands": hands, **_optional_words(deal)}


def _optional_words(deal: Deal) -> dict[str, Any]:
    found = ((each, each.words(deal)) for each in OPTIONAL_FIELDS)
    return {each.name: words if each.several else words[0] for each, words in found if words}


def write_deal(deal: Deal) -> str:
    """A deal without its id as one line of text, as a run keeps it."""
    hands = {SEATS[seat]: write_cards(hand) for seat, hand in enumerate(deal.hands)}
    return json.dumps({"hands": hands, **_optional_words(deal)})


def read_deal(deal_id: str, text: str) -> Deal:
    """The deal that `write_deal` wrote."""
    return deal_from_record({"id": deal_id, **json.loads(text)})

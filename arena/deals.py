"""Deals and sets of deals: what is fixed before anybody acts.

A set is a CSV that people and pandas can read, one deal a row, and beside it a
JSON file with the same stem that records the game, how the set was made and
the SHA-256 of the CSV. A CSV that no longer has that hash is refused: results
are only comparable on the deals they name.

Columns: `id`, one per seat (`N`, `E`, `S`, `W`: cards in the order dealt), and,
where a game uses them, `trump`, `declarer`, `leader`, `dealer`, `turn_ups`
(suits offered in the auction) and `played` (cards already played, in order).
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.cards import (
    CARD_NAMES,
    SEATS,
    SUITS,
    TRUMPS,
    CardError,
    parse_cards,
    parse_seat,
    parse_trump,
    write_cards,
)
from arena.errors import ArenaError, did_you_mean, located
from arena.files import write_atomically

__all__ = ["Deal", "DealError", "DealSet", "deal_from_record", "read_jsonl"]

COLUMNS = ("trump", "declarer", "leader", "dealer", "turn_ups", "played")
"""The optional columns, in the order in which they are written."""

FORMAT = 1


class DealError(ArenaError):
    """A deal or a set of deals that cannot be used."""


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards and all else that is fixed before the first decision.

    Seats are indices into `SEATS`, trumps into `TRUMPS`. What a game draws by
    itself (or does not have) is None or empty.
    """

    id: str
    hands: tuple[tuple[int, ...], ...]
    """Each seat's cards in the order dealt, those already played included."""
    trump: int | None = None
    declarer: int | None = None
    leader: int | None = None
    dealer: int | None = None
    turn_ups: tuple[int, ...] = ()
    played: tuple[int, ...] = ()


def check_cards(deal: Deal, deck: int, players: int, hand_size: int) -> None:
    """Raise `DealError` unless the hands are a deal of `deck`: right sizes, nothing twice."""
    if len(deal.hands) != players:
        raise DealError(f"deal {deal.id}: {len(deal.hands)} hands, expected {players}")
    seen = 0
    for seat, hand in enumerate(deal.hands):
        if len(hand) != hand_size:
            raise DealError(
                f"deal {deal.id}: seat {SEATS[seat]} has {len(hand)} cards, expected {hand_size}"
            )
        for card in hand:
            if not deck >> card & 1:
                raise DealError(
                    f"deal {deal.id}: {CARD_NAMES[card]} (seat {SEATS[seat]}) is not in this game"
                )
            if seen >> card & 1:
                raise DealError(f"deal {deal.id}: {CARD_NAMES[card]} is dealt twice")
            seen |= 1 << card
    played = 0
    for card in deal.played:
        if not seen >> card & 1 or played >> card & 1:
            raise DealError(f"deal {deal.id}: {CARD_NAMES[card]} cannot have been played")
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
        near = did_you_mean(deal_id, [deal.id for deal in self.deals[:12]])
        raise DealError(f"{self.path or self.name}: no deal {deal_id!r}; {near}, ...")

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
        data = _read_bytes(path)
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
            f"{path}: {sidecar.name} is missing beside it (game, origin and sha256); "
            f"'arena deals import {path} --game GAME --out SET.csv' makes a set with one"
        )
    try:
        meta = json.loads(_read_bytes(sidecar))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DealError(f"{sidecar}: not JSON: {error}") from error
    if not isinstance(meta, dict):
        raise DealError(f"{sidecar}: expected an object with game and sha256")
    for key in ("game", "sha256"):
        if not isinstance(meta.get(key), str):
            raise DealError(f"{sidecar}: {key!r} is missing or no text")
    return meta


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DealError(f"{path}: {error.strerror or error}") from error


def _to_csv(deals: Sequence[Deal]) -> str:
    players = len(deals[0].hands) if deals else 4
    used = [c for c in COLUMNS if any(getattr(d, c) not in (None, ()) for d in deals)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", *SEATS[:players], *used])
    for deal in deals:
        hands = (write_cards(hand) for hand in deal.hands)
        writer.writerow([deal.id, *hands, *(_write_field(deal, column) for column in used)])
    return out.getvalue()


def _write_field(deal: Deal, column: str) -> str:
    value = getattr(deal, column)
    if value is None:
        return ""
    if column == "trump":
        return TRUMPS[value]
    if column == "turn_ups":
        return " ".join(SUITS[suit] for suit in value)
    if column == "played":
        return write_cards(value)
    return SEATS[value]


def read_csv(path: Path) -> list[Deal]:
    """The deals of a CSV in the format of a set, whether it has a sidecar or not."""
    return list(_from_csv(path, _read_bytes(path)))


def _from_csv(path: Path, data: bytes) -> Iterator[Deal]:
    try:
        reader = csv.reader(io.StringIO(data.decode(), newline=""))
        header = next(reader, None)
    except UnicodeDecodeError as error:
        raise DealError(f"{path}: not UTF-8 text: {error}") from error
    seats = [column for column in header or () if column in SEATS]
    if not header or "id" not in header or not seats:
        raise DealError(located(path, 1, "expected a header with id and the seats N, E, S, W"))
    for column in header:
        if column not in ("id", *SEATS, *COLUMNS):
            known = did_you_mean(column, ("id", *SEATS, *COLUMNS))
            raise DealError(located(path, 1, f"unknown column {column!r}; {known}"))
    ids: set[str] = set()
    for line, row in enumerate(reader, start=2):
        if len(row) != len(header):
            raise DealError(located(path, line, f"{len(row)} fields, expected {len(header)}"))
        try:
            deal = _deal_from_row(dict(zip(header, row, strict=True)), seats)
        except ArenaError as error:
            raise DealError(located(path, line, str(error))) from error
        if deal.id in ids:
            raise DealError(located(path, line, f"the id {deal.id!r} is used twice"))
        ids.add(deal.id)
        yield deal


def _deal_from_row(row: dict[str, str], seats: list[str]) -> Deal:
    def optional(column: str) -> int | None:
        text = row.get(column, "")
        if not text:
            return None
        return parse_trump(text) if column == "trump" else parse_seat(text)

    return Deal(
        id=row["id"],
        hands=tuple(parse_cards(row[seat]) for seat in seats),
        trump=optional("trump"),
        declarer=optional("declarer"),
        leader=optional("leader"),
        dealer=optional("dealer"),
        turn_ups=tuple(_parse_suit(word) for word in row.get("turn_ups", "").split()),
        played=parse_cards(row.get("played", "")),
    )


def _parse_suit(text: str) -> int:
    suit = parse_trump(text)
    if suit >= len(SUITS):
        raise CardError(f"unknown suit {text!r}: allowed: {', '.join(SUITS)}")
    return suit


# --- JSONL -------------------------------------------------------------------------------


def read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file, plain or gzip, each with its line number."""
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
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
        except json.JSONDecodeError as error:
            raise DealError(located(path, line, f"not JSON: {error}")) from error
        if not isinstance(record, dict):
            raise DealError(located(path, line, "expected one JSON object a line"))
        yield line, record


def deal_from_record(record: dict[str, Any]) -> Deal:
    """The deal in a record with `hands` by seat letter, and trump, leader, ... where known.

    `hand_order_as_dealt` comes before `hands`: some records keep sorted hands there.
    """
    hands = record.get("hand_order_as_dealt", record.get("hands"))
    if not isinstance(hands, dict) or not hands:
        raise DealError("'hands' is missing: expected cards by seat letter")
    seats = [seat for seat in SEATS if seat in hands]
    if len(seats) != len(hands):
        unknown = next(key for key in hands if key not in SEATS)
        raise CardError(f"unknown seat {unknown!r} in 'hands': allowed: {', '.join(SEATS)}")

    def cards(value: object, what: str) -> tuple[int, ...]:
        if isinstance(value, str):
            return parse_cards(value)
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            return parse_cards(" ".join(value))
        raise DealError(f"{what}: expected a list of cards such as 'H7'")

    def text(key: str) -> str | None:
        value = record.get(key)
        if value is not None and not isinstance(value, str):
            raise DealError(f"{key!r}: expected text, found {value!r}")
        return value or None

    trump, declarer = text("trump"), text("declarer")
    leader, dealer = text("leader"), text("dealer")
    return Deal(
        id=str(record.get("id", "")),
        hands=tuple(cards(hands[seat], f"hand of {seat}") for seat in seats),
        trump=parse_trump(trump) if trump else None,
        declarer=parse_seat(declarer) if declarer else None,
        leader=parse_seat(leader) if leader else None,
        dealer=parse_seat(dealer) if dealer else None,
        turn_ups=tuple(_parse_suit(suit) for suit in record.get("turn_ups", ())),
        played=cards(record.get("played", []), "played"),
    )

"""Replaying recorded rounds through the rules, and comparing everything.

A record is a JSON object with the deal, the plays with their legal sets, and
what the round came to. Each is replayed under its own rule set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.cards import SEATS, TRUMPS, card_name, parse_card
from arena.deals import DealError, deal_from_record, read_jsonl
from arena.errors import ArenaError, located
from arena.registry import GAMES
from arena.rules import IllegalAction, parse_action

__all__ = ["Checked", "check_file", "check_record"]


@dataclass(frozen=True)
class Checked:
    """What came of one record."""

    place: str
    """File, line and id of the record."""
    plays: int
    mismatches: tuple[str, ...]


def check_file(path: Path) -> Iterator[Checked]:
    """Check every record of a JSONL file, plain or gzip."""
    empty = True
    for line, record in read_jsonl(path):
        empty = False
        name = str(record.get("id", "?"))
        try:
            plays, mismatches = check_record(record)
        except ArenaError as error:
            raise DealError(located(path, line, f"record {name}: {error}")) from error
        yield Checked(f"{path}:{line}: {name}", plays, tuple(mismatches))
    if empty:
        raise DealError(f"{path}: no records; expected one JSON object a line")


def check_record(record: dict[str, Any]) -> tuple[int, list[str]]:
    """How many plays of a recorded round were checked, and what does not agree."""
    rules = _rules_of(record)
    deal = deal_from_record(record)
    rules.check_deal(deal)
    state = rules.start(deal)
    for call in _entries(record, "bids", ("action",)):
        try:
            rules.apply(state, parse_action(call["action"]))
        except IllegalAction as error:
            return 0, [str(error)]
    entries = _entries(record, "plays", ("seat", "card"), needed=True)
    mismatches: list[str] = []
    for number, entry in enumerate(entries):
        where = f"play {number + 1} ({entry['seat']} {entry['card']})"
        if state.phase != "play":
            mismatches.append(f"{where}: no card can be played, the phase is {state.phase!r}")
            return number, mismatches
        _compare(mismatches, f"{where}: seat", entry["seat"], SEATS[state.turn])
        if "legal" in entry:
            legal = sorted(card_name(card) for card in state.legal)
            _compare(mismatches, f"{where}: legal", sorted(entry["legal"]), legal)
        card = parse_card(entry["card"])
        if card not in state.legal:
            mismatches.append(f"{where}: the card is not legal")
            return number, mismatches
        rules.apply(state, card)
    if state.turn is not None:
        raise DealError(f"the round is not over after its {len(entries)} plays")
    found = {
        "trump": None if state.trump is None else TRUMPS[state.trump],
        "declarer": None if state.declarer is None else SEATS[state.declarer],
        **rules.facts(state),
    }
    for key, value in found.items():
        if key in record:
            _compare(mismatches, key, record[key], value)
    return len(entries), mismatches


def _rules_of(record: dict[str, Any]) -> Any:
    for name in GAMES:
        try:
            rules = GAMES.get(name).from_record(record)
        except TypeError as error:
            raise DealError(f"options of {name}: {error}") from error
        if rules is not None:
            return rules
    raise DealError(
        "the record does not say its rules: expected 'game' and 'options', "
        "'variant' (Klaverjas) or 'rules' (Schieber, Hearts)"
    )


def _entries(
    record: dict[str, Any], key: str, fields: tuple[str, ...], needed: bool = False
) -> list[dict[str, Any]]:
    entries = record.get(key)
    if entries is None and not needed:
        return []
    ok = isinstance(entries, list) and all(
        isinstance(entry, dict) and all(isinstance(entry.get(field), str) for field in fields)
        for entry in entries
    )
    if not ok:
        raise DealError(f"{key!r}: expected a list of objects with {' and '.join(fields)}")
    assert isinstance(entries, list)  # checked above
    return entries


def _compare(mismatches: list[str], what: str, recorded: object, found: object) -> None:
    if recorded != found:
        mismatches.append(f"{what}: recorded {recorded}, by the rules {found}")

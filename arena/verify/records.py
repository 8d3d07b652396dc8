"""Replaying recorded rounds through the rules and the kernel, and comparing everything.

A record is a JSON object with the deal, the plays with their legal sets, and
what the round came to. Each is replayed under its own rule set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.cards import SEATS, TRUMPS, card_name, mask_of, parse_card
from arena.deals import Deal, DealError, deal_from_record, read_jsonl
from arena.errors import ArenaError, located
from arena.games.kernel.check import replay
from arena.registry import GAMES
from arena.rules import IllegalAction, Standing, parse_action

__all__ = ["Checked", "check_file", "check_record"]


@dataclass(frozen=True)
class Checked:
    """What came of one record, or of one unit of a run."""

    place: str
    """File, line and id of the record."""
    plays: int
    mismatches: tuple[str, ...]
    unchecked: tuple[str, ...] = ()
    """What is claimed and cannot be checked."""
    rounds: int = 1


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
    standing = _standing_of(record)
    state = rules.start(deal, standing)
    actions: list[int] = []
    legal_sets: list[int] = []
    for call in _entries(record, "bids", ("action",)):
        actions.append(parse_action(call["action"], rules.bids))
        try:
            rules.apply(state, actions[-1])
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
        actions.append(card)
        legal_sets.append(mask_of(state.legal))
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
    _compare_kernel(mismatches, rules, deal, actions, legal_sets, state)
    return len(entries), mismatches


def _compare_kernel(
    mismatches: list[str],
    rules: Any,
    deal: Deal,
    actions: list[int],
    legal_sets: list[int],
    state: Any,
) -> None:
    """Play the same cards in the compiled kernel, which must see what the rules see."""
    kernel = replay(rules, deal, actions, state.standing)
    if kernel is None:
        return
    outcome = rules.outcome(state)
    begun = len(rules.start(deal, state.standing).tricks)
    winners = [trick.winner for trick in state.tricks[begun:]]
    for what, by_rules, by_kernel in (
        ("legal cards", legal_sets, list(kernel.legal)),
        ("winners", winners, [trick.winner for trick in kernel.tricks]),
        ("points", outcome.points, kernel.points),
        ("bonus", outcome.bonus, kernel.bonus),
        ("tricks won", outcome.tricks, kernel.tricks_won),
        ("scores", outcome.scores, kernel.scores),
    ):
        if by_rules != by_kernel:
            mismatches.append(f"kernel: {what}: by the rules {by_rules}, by the kernel {by_kernel}")


def _rules_of(record: dict[str, Any]) -> Any:
    broken: list[str] = []
    for name, game in GAMES.loaded(broken.append).items():
        try:
            rules = game.from_record(record)
        except TypeError as error:
            raise DealError(f"options of {name}: {error}") from error
        if rules is not None:
            return rules
    raise DealError(
        "; ".join(
            [
                "the record does not say its rules: expected 'game' and 'options', "
                "'variant' (Klaverjas) or 'rules' (Schieber, Hearts)",
                *broken,
            ]
        )
    )


def _standing_of(record: dict[str, Any]) -> Standing:
    """Where the match stood before a round of one; a round by itself stands at the start."""
    found = record.get("standing")
    if found is None:
        return Standing()
    try:
        return Standing(int(found["round_number"]), tuple(map(int, found["scores"])))
    except (KeyError, TypeError, ValueError) as error:
        raise DealError("'standing': expected an object with round_number and scores") from error


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

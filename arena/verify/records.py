"""Replaying recorded rounds through the rules and the kernel, and comparing everything.

A record is a JSON object with the deal, the plays with their legal sets, and
what the round came to. Each is replayed under its own rule set. What else it claims, and
what it does not say although records of its game do, is named as not checked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from arena.core.cards import SEATS, TRUMPS, card_name, mask_of, parse_card
from arena.core.deals import OPTIONAL_FIELDS, Deal, DealError, deal_from_record, read_jsonl
from arena.core.errors import ArenaError, located
from arena.core.registry import GAMES
from arena.core.rules import Action, IllegalAction, Rules, Standing, parse_action
from arena.games.kernel.check import replay
from arena.games.schieber import jass_kit
from arena.games.trump import TrumpGame


@dataclass(frozen=True)
class Checked:
    """The result for one record, or for one unit of a run."""

    place: str
    """File, line and id of the record."""
    plays: int
    mismatches: tuple[str, ...]
    unchecked: tuple[str, ...] = ()
    """Claims that cannot be checked."""
    rounds: int = 1


def read_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a JSONL file, plain or gzip, with their lines. Logs of jass-kit, too."""
    for line, record in read_jsonl(path):
        if jass_kit.is_log(record):
            name = f"{path.name.partition('.')[0]}-{line}"
            try:
                record = jass_kit.read_log(record, name)
            except ArenaError as error:
                raise DealError(located(path, line, str(error))) from error
        yield line, record


def check_file(path: Path) -> Iterator[Checked]:
    """Check every record of a JSONL file, plain or gzip."""
    empty = True
    for line, record in read_records(path):
        empty = False
        name = str(record.get("id", "?"))
        try:
            plays, mismatches, unchecked = _check(record)
        except ArenaError as error:
            raise DealError(located(path, line, f"record {name}: {error}")) from error
        yield Checked(f"{path}:{line}: {name}", plays, tuple(mismatches), tuple(unchecked))
    if empty:
        raise DealError(f"{path}: no records; expected one JSON object a line")


def check_record(record: dict[str, Any]) -> tuple[int, list[str]]:
    """How many plays of a recorded round were checked, and what does not agree."""
    plays, mismatches, _ = _check(record)
    return plays, mismatches


class RecordedPosition(NamedTuple):
    """A position: a deal and what was done so far."""

    rules: Rules
    deal: Deal
    actions: Sequence[Action] = ()
    standing: Standing = Standing()
    """Of the match, before the round."""


def read_record(record: Mapping[str, Any] | str, rules: Rules | None = None) -> RecordedPosition:
    """A recorded round, which need not be over.

    `record` is a mapping or JSON text; without `rules` it says its own.
    """
    if isinstance(record, str):
        try:
            record = json.loads(record)
        except (ValueError, RecursionError) as error:
            raise DealError(f"the record is not JSON: {error}") from error
    if not isinstance(record, Mapping):
        raise DealError("the record: expected an object with 'hands'")
    record = dict(record)
    rules = rules_of_record(record) if rules is None else rules
    deal = deal_from_record(record)
    rules.check_deal(deal)
    key = "bids" if rules.has_tricks else "actions"
    bids = [parse_action(call["action"], rules.bids) for call in _entries(record, key, ("action",))]
    plays = [parse_card(entry["card"]) for entry in _entries(record, "plays", ("card",))]
    return RecordedPosition(rules, deal, bids + plays, Standing.of_record(dict(record)))


_PLAYED_BY = (
    *("id", "game", "options", "variant", "rules", "standing", "bids", "plays", "actions"),
    *("hands", "hand_order_as_dealt", *(each.name for each in OPTIONAL_FIELDS)),
)
"""What a round is replayed from: a mistake in it shows in the plays, or is reported."""


def _check(record: dict[str, Any]) -> tuple[int, list[str], list[str]]:
    """Plays that were checked, what does not agree, and what was not checked."""
    rules = rules_of_record(record)
    deal = deal_from_record(record)
    rules.check_deal(deal)
    standing = Standing.of_record(record)
    state = rules.start(deal, standing)
    actions: list[int] = []
    legal_sets: list[int] = []
    key, what = ("bids", "bid") if rules.has_tricks else ("actions", "action")
    calls = _entries(record, key, ("action",), needed=not rules.has_tricks)
    for number, call in enumerate(calls):
        if "seat" in call and state.turn is not None and call["seat"] != SEATS[state.turn]:
            said = f"{what} {number + 1}: seat: recorded {call['seat']}, by the rules "
            return 0, [said + SEATS[state.turn]], []
        actions.append(parse_action(call["action"], rules.bids))
        try:
            rules.apply(state, actions[-1])
        except IllegalAction as error:
            return 0, [str(error)], []
    entries = _entries(record, "plays", ("seat", "card"), needed=rules.has_tricks)
    mismatches = _contradictions(record)
    for number, entry in enumerate(entries):
        where = f"play {number + 1} ({entry['seat']} {entry['card']})"
        if state.phase != "play":
            mismatches.append(f"{where}: no card can be played, the phase is {state.phase!r}")
            return number, mismatches, []
        _compare(mismatches, f"{where}: seat", entry["seat"], SEATS[state.turn])
        if "legal" in entry:
            if not _are_words(entry["legal"]):
                raise DealError(f"{where}: 'legal': expected a list of cards")
            legal = sorted(card_name(card) for card in state.legal)
            _compare(mismatches, f"{where}: legal", sorted(entry["legal"]), legal)
        card = parse_card(entry["card"])
        if card not in state.legal:
            mismatches.append(f"{where}: the card is not legal")
            return number, mismatches, []
        actions.append(card)
        legal_sets.append(mask_of(state.legal))
        rules.apply(state, card)
    if state.turn is not None:
        count = len(entries) if rules.has_tricks else len(calls)
        raise DealError(f"the round is not over after its {count} plays")
    facts = rules.facts(state)
    found = {
        "trump": None if state.trump is None else TRUMPS[state.trump],
        "declarer": None if state.declarer is None else SEATS[state.declarer],
        "leader": None if state.leader is None else SEATS[state.leader],
        **facts,
    }
    if isinstance(rules, TrumpGame) and state.leader is not None:
        found["dealer"] = SEATS[rules.seat_after(state.leader, -1)]
    for key, value in found.items():
        if key in record:
            _compare(mismatches, key, record[key], value)
    _compare_kernel(mismatches, rules, deal, actions, legal_sets, state)
    unchecked = [f"{key!r}" for key in record if key not in found and key not in _PLAYED_BY]
    unchecked += [f"{key!r}, which is absent" for key in facts if key not in record]
    return len(entries) if rules.has_tricks else len(calls), mismatches, unchecked


def _contradictions(record: dict[str, Any]) -> list[str]:
    """Hands that are recorded twice have the same cards."""
    hands, dealt = record.get("hands"), record.get("hand_order_as_dealt")
    if hands is None or dealt is None:
        return []
    one, other = (deal_from_record({"hands": each}).hands for each in (hands, dealt))
    if list(map(sorted, one)) == list(map(sorted, other)):
        return []
    return ["hands: other cards than in hand_order_as_dealt"]


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


def rules_named(record: dict[str, Any], report: Callable[[str], None]) -> Any:
    """The rules that a record says it was played under, None if it does not."""
    for name, game in GAMES.loaded(report).items():
        try:
            rules = game.from_record(record)
        except (TypeError, ValueError, AttributeError) as error:
            raise DealError(f"options of {name}: {error}") from error
        if rules is not None:
            return rules
    return None


def rules_of_record(record: dict[str, Any]) -> Any:
    """The rules that a recorded round was played under."""
    broken: list[str] = []
    if (rules := rules_named(record, broken.append)) is not None:
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


def _are_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


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

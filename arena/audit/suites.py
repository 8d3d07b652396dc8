"""Suites: positions with the points that each card loses, as readable JSONL.

The first line says the game; each further line is a position: the deal, what was done so far, tags,
what each legal card loses as far as could be known (`lost`) and with the true cards open
(`hindsight`), and what should be played, if its author says so. The labels are in the file, so
agents are scored without solving anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.audit.knowable import knowable
from arena.audit.rounds import AuditSettings, check_auditable
from arena.config.parameters import plain, read_values
from arena.core.cards import SEATS, card_name, parse_card
from arena.core.deals import Deal, deal_from_record, read_jsonl, write_deal
from arena.core.errors import ArenaError, did_you_mean, located
from arena.core.files import find_shipped, write_atomically
from arena.core.registry import GAMES
from arena.core.rules import Action, Rules, Standing, action_name, parse_action
from arena.core.seeds import rng_for
from arena.games.likely_worlds import worlds_for
from arena.solver.solution import Solver
from arena.store import Replay

FORMAT = 1
SUFFIX = ".suite.jsonl"
LABEL_WORLDS = AuditSettings(128)
"""Worlds for the labels."""
_HEAD = ("suite", "format", "game", "options", "rules_version", "description", "agent", "at_most")
_MOST_POINTS = 1e6
_KEYS = ("id", "deal", "standing", "did", "tags", "lost", "hindsight", "should", "note", "source")


@dataclass(frozen=True)
class SuitePosition:
    """A position in which a card is to be played."""

    id: str
    deal: Deal
    did: tuple[Action, ...]
    """Bids and cards so far, after those that the deal prescribes."""
    tags: tuple[str, ...] = ()
    lost: Mapping[int, float] | None = None
    """The loss of each legal card as far as could be known; None if that was not computed."""
    hindsight: Mapping[int, int] | None = None
    """The loss of each legal card with the true cards open."""
    should: tuple[int, ...] = ()
    """The cards that should be played, if a person says so."""
    note: str = ""
    source: str = ""
    standing: Standing = Standing()
    """Of the match, before the round: in Hearts it says how cards are passed."""

    def state(self, rules: Rules) -> Any:
        """The round at this position; what cannot have happened is an error."""
        rules.check_deal(self.deal)
        if len(self.standing.scores) not in (0, len(rules.sides)):
            raise ArenaError(f"standing: expected the scores of {len(rules.sides)} sides")
        state = rules.start(self.deal, self.standing)
        for action in self.did:
            if state.turn is None:
                raise ArenaError("the round is over before the position")
            if action not in state.legal:
                legal = " ".join(action_name(each, rules.bids) for each in state.legal)
                said = action_name(action, rules.bids)
                raise ArenaError(f"{SEATS[state.turn]} cannot play {said}; legal: {legal}")
            rules.apply(state, action)
        if state.phase != "play" or len(state.legal) < 2:
            raise ArenaError("there is no choice of a card in this position")
        return state

    @property
    def labels(self) -> Mapping[int, float]:
        """The loss of each legal card: as far as could be known, else in hindsight."""
        return self.lost or self.hindsight or {}


def standing_before(replay: Replay) -> Standing:
    """The standing before a stored round; a first round has none to speak of."""
    return replay.standing if replay.standing.round_number else Standing()


@dataclass(frozen=True)
class Suite:
    """Positions of one game."""

    name: str
    rules: Rules
    positions: tuple[SuitePosition, ...]
    description: str = ""
    agent: Mapping[str, Any] | None = None
    """The agent that pytest lets play it, as an experiment says it."""
    at_most: float = 0.0
    """Points that this agent may lose in a position."""

    def tagged(self, tags: Sequence[str]) -> Suite:
        """The positions that have one of the tags; all without tags."""
        known = {tag for each in self.positions for tag in each.tags}
        for tag in tags:
            if tag not in known:
                raise ArenaError(f"no position has the tag {tag!r}; {did_you_mean(tag, known)}")
        wanted = set(tags)
        found = tuple(each for each in self.positions if not wanted or wanted & set(each.tags))
        return replace(self, positions=found)


# --- files -------------------------------------------------------------------------------


def find_suite(name: str) -> Path:
    """The file that a name means: a path, or a suite that comes with arena."""
    path = Path(name)
    return path if path.is_file() or path.suffix else find_shipped("deals/suites", name, SUFFIX)


def read_suite(path: Path) -> Suite:
    """A suite; whatever is wrong with it is an error with file and line."""
    lines = read_jsonl(path)
    line, head = next(lines, (1, {}))
    try:
        suite = _head(head)
    except ArenaError as error:
        raise ArenaError(located(path, line, str(error))) from error
    positions: dict[str, SuitePosition] = {}
    for line, record in lines:
        try:
            position = _position(suite.rules, record)
            if position.id in positions:
                raise ArenaError("there is another position of this id")
        except (ArenaError, AttributeError, TypeError, ValueError) as error:
            name = f"position {record.get('id', '?')}"
            raise ArenaError(located(path, line, f"{name}: {error}")) from error
        positions[position.id] = position
    if not positions:
        raise ArenaError(f"{path}: no positions")
    return replace(suite, positions=tuple(positions.values()))


def _head(head: Mapping[str, Any]) -> Suite:
    for key in ("suite", "game", "rules_version"):
        if key not in head:
            raise ArenaError(f"{key!r} is missing: the first line says what the suite is")
    _check_keys(head, _HEAD)
    if head.get("format") != FORMAT:
        raise ArenaError(f"format {head.get('format')!r}, expected {FORMAT}")
    game = GAMES.get(str(head["game"]))
    if head["rules_version"] != game.version:
        raise ArenaError(
            f"made for version {head['rules_version']} of the rules of {head['game']}, "
            f"these are version {game.version}: make it again"
        )
    rules: Rules = game(**read_values(game, head.get("options", {}), f"game {head['game']!r}"))
    agent = head.get("agent")
    if agent is not None and not (isinstance(agent, dict) and "family" in agent):
        raise ArenaError("agent: expected an object with its family")
    return Suite(
        str(head["suite"]),
        rules,
        (),
        str(head.get("description", "")),
        agent,
        _number(head, "at_most"),
    )


def _number(head: Mapping[str, Any], key: str) -> float:
    value = head.get(key, 0.0)
    if not _is_number(value):
        raise ArenaError(f"{key}: expected a number, found {value!r}")
    return float(value)


def _position(rules: Rules, record: Mapping[str, Any]) -> SuitePosition:
    _check_keys(record, _KEYS)
    name = str(record.get("id", ""))
    if not name:
        raise ArenaError("'id' is missing")
    did = tuple(parse_action(word, rules.bids) for word in str(record.get("did", "")).split())
    position = SuitePosition(
        id=name,
        deal=deal_from_record({"id": name, **record.get("deal", {})}),
        did=did,
        tags=tuple(map(str, record.get("tags", ()))),
        lost=_by_card(record.get("lost")),
        hindsight=_by_card(record.get("hindsight")),
        should=tuple(map(parse_card, record.get("should", ()))),
        note=str(record.get("note", "")),
        source=str(record.get("source", "")),
        standing=Standing.of_record(record),
    )
    legal = position.state(rules).legal
    for card in position.should:
        if card not in legal:
            raise ArenaError(f"should: {card_name(card)} is not legal")
    for labels in (position.lost, position.hindsight):
        if labels is not None and set(labels) != set(legal):
            raise ArenaError("lost, hindsight: expected a number for each legal card")
    if not position.labels:
        raise ArenaError("'lost' and 'hindsight' are missing: expected one of them")
    return position


def _check_keys(record: Mapping[str, Any], allowed: Sequence[str]) -> None:
    for key in record:
        if key not in allowed:
            raise ArenaError(f"unknown key {key!r}; {did_you_mean(key, allowed)}")


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -_MOST_POINTS < value < _MOST_POINTS


def _by_card(labels: Mapping[str, Any] | None) -> dict[int, Any] | None:
    if labels is None:
        return None
    for card, points in labels.items():
        if not _is_number(points):
            raise ArenaError(f"{card}: lost {points!r}: expected a number")
    return {parse_card(card): points for card, points in labels.items()}


def write_suite(suite: Suite, path: Path) -> None:
    """Write a suite: a line for what it is, and one for each position."""
    head = {
        "suite": suite.name,
        "format": FORMAT,
        "game": suite.rules.name,
        "options": plain(suite.rules),
        "rules_version": suite.rules.version,
        "description": suite.description,
        "agent": suite.agent,
        "at_most": suite.at_most,
    }
    lines = [{key: x for key, x in head.items() if x not in ("", None, 0.0)}]
    lines += [_written(suite.rules, each) for each in suite.positions]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text)


def _written(rules: Rules, position: SuitePosition) -> dict[str, Any]:
    labels = {
        name: None if of is None else {card_name(card): x for card, x in of.items()}
        for name, of in (("lost", position.lost), ("hindsight", position.hindsight))
    }
    record = {
        "id": position.id,
        "tags": list(position.tags),
        "deal": json.loads(write_deal(position.deal)),
        "standing": position.standing._asdict() if position.standing.round_number else None,
        "did": " ".join(action_name(each, rules.bids) for each in position.did),
        **labels,
        "should": list(map(card_name, position.should)),
        "note": position.note,
        "source": position.source,
    }
    return {key: x for key, x in record.items() if x not in ("", None, [])}


# --- labels ------------------------------------------------------------------------------


def label(rules: Rules, position: SuitePosition, solver: Solver) -> SuitePosition:
    """The position with what each card loses, by the solver, on worlds of its own."""
    check_auditable(rules)
    state = position.state(rules)
    lost = hindsight = None
    solution = solver.solve(rules, state)
    if solution.means is None:
        best = solution.value.low
        hindsight = {card: best - bounds.low for card, bounds in solution.cards.items()}
    count = LABEL_WORLDS.worlds_at(rules, rules.hand_size - len(state.tricks))
    if count:
        view = rules.view(state, state.turn)
        rng = rng_for(0, "suite", position.id)
        known = knowable(solver, view, state.legal[0], worlds_for(rules)[1], count, rng)
        if known is not None:
            most = max(known.values)
            losses = (round(most - value, 1) for value in known.values)
            lost = dict(zip(state.legal, losses, strict=True))
    deal = replace(position.deal, id=position.id)
    return replace(position, deal=deal, lost=lost, hindsight=hindsight)


def phases(rules: Rules) -> Iterator[tuple[str, range]]:
    """The parts of a round, by trick (from 0), that positions are tagged with."""
    third = -(-rules.hand_size // 3)
    for number, name in enumerate(("opening", "middle", "ending")):
        yield name, range(third * number, third * (number + 1))

"""Single agents and single rounds: `arena.agent` and `arena.play`."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from arena.config.entrants import AgentSpec, BidderSpec
from arena.config.games import check_parameters, make_rules
from arena.core.agent import Agent, Player
from arena.core.cards import SEATS
from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.generate import make_deals
from arena.core.registry import AGENTS, BIDDERS, GAMES
from arena.core.rules import Outcome, Rules
from arena.core.transcript import transcript
from arena.games.needs import why_not
from arena.tournament.referee import Fault, Lineup, Referee


def agent(
    family: str, *, bidder: str | Mapping[str, Any] | None = None, **parameters: Any
) -> Agent:
    """An agent of a registered family, such as `arena.agent("ismcts", simulations=400)`.

    `arena list agents` shows the families and their parameters. A `bidder` (a name, or a
    mapping with its `family`) makes the bids.
    """
    check_parameters(AGENTS.get(family), parameters, f"agent family {family!r}")
    spec = AgentSpec(family, parameters, None if bidder is None else _bidder(bidder))
    player = spec.build()
    return player.cards if player.bidder is None else player


def _bidder(bidder: str | Mapping[str, Any]) -> BidderSpec:
    written = {"family": bidder} if isinstance(bidder, str) else dict(bidder)
    if not isinstance(written.get("family"), str):
        raise ArenaError("bidder: expected a name, or a mapping with its family")
    family = written.pop("family")
    check_parameters(BIDDERS.get(family), written, f"bidder {family!r}")
    return BidderSpec(family, written)


@dataclass(frozen=True, repr=False)
class PlayedRound:
    """One round; prints as the deal, every trick and the score."""

    rules: Rules
    deal: Deal
    names: tuple[str, ...]
    """The names of the players in the seats N, E, S, W."""
    actions: tuple[int, ...]
    """Bids and cards, in the order in which they were made."""
    outcome: Outcome | None
    """Scores, points and tricks of each side; None if a fault ended the round."""
    fault: Fault | None
    """The agent that failed, and how; `fault.detail` is the traceback of a crash."""

    def __repr__(self) -> str:
        seats = ", ".join(f"{seat} {name}" for seat, name in zip(SEATS, self.names, strict=False))
        text = f"{seats}\n\n{transcript(self.rules, self.deal, self.actions)}"
        return text if self.fault is None else f"{text}\n\nfault: {self.fault}"

    def _repr_html_(self) -> str:
        text = escape(repr(self))
        for suit in "♥♦":
            text = text.replace(suit, f'<span style="color:#c00">{suit}</span>')
        return f"<pre>{text}</pre>"


def play(
    game: str | Mapping[str, Any] | Rules,
    agents: Sequence[Any],
    *,
    seed: int = 0,
    deal: Deal | None = None,
) -> PlayedRound:
    """Play one round; `agents` sit in the seats N, E, S, W, in this order.

        arena.play("klaverjas", [MyBot(), arena.agent("rule")] * 2, seed=1)

    An agent is an object with a method `act(view, rng)`, or the name of a family. An object that
    is given for several seats is copied: each seat gets its own instance. Without a `deal`, one
    is made from `seed`. The same arguments give the same round.
    """
    rules = rules_of(game)
    if len(agents) != rules.players:
        raise ArenaError(f"{rules.name} has {rules.players} seats; found {len(agents)} agents")
    players: list[Player] = []
    for each in agents:
        again = any(each is earlier for earlier in agents[: len(players)])
        players.append(seat_agent(each, rules, copied=again))
    if deal is None:
        (deal,) = make_deals(rules, rules.name, 1, seed)
    rules.check_deal(deal)
    played = Referee(rules, seed).play(deal, Lineup.of(players))
    names = tuple(map(_name, players))
    return PlayedRound(rules, deal, names, tuple(played.actions), played.outcome, played.fault)


def seat_agent(given: Any, rules: Rules, *, copied: bool) -> Player:
    """The player for one seat: an agent, its class or the name of a family; maybe copied."""
    if isinstance(given, str):
        found: Any = agent(given)
    elif isinstance(given, type):
        found = given()
    else:
        found = copy.deepcopy(given) if copied else given
    player = found if isinstance(found, Player) else Player(found)
    cards = player.cards
    if not callable(getattr(cards, "act", None)):
        name = type(cards).__name__
        raise ArenaError(
            f"expected agents or names of families, found {name}, which has no act(view, rng)"
        )
    if (why := why_not(cards, rules)) is not None:
        raise ArenaError(f"{_name(player)} {why}")
    return player


def _name(player: Player) -> str:
    cards = type(player.cards)
    return AGENTS.name_of(cards) or cards.__name__


def rules_of(game: str | Mapping[str, Any] | Rules) -> Rules:
    """The rules of a game: by its name, a mapping with its name and options, or rules."""
    if isinstance(game, str):
        game = {"name": game}
    if not isinstance(game, Mapping):
        if isinstance(game, type) or not callable(getattr(game, "start", None)):
            names = ", ".join(GAMES.names())
            raise ArenaError(f"game: expected a name ({names}), a mapping with it, or rules")
        return game
    options = dict(game)
    name = options.pop("name", None)
    if not isinstance(name, str):
        raise ArenaError(f"game: the name is missing (allowed: {', '.join(GAMES.names())})")
    return make_rules(name, options)

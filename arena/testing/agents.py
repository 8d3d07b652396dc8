"""The conformance suite for agents."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.core.agent import Player, Remembers, Setup, sees_all_cards
from arena.core.cards import SEATS
from arena.core.deals import Deal
from arena.core.registry import AGENTS
from arena.core.rules import Action, Rules, Standing, View, action_name
from arena.core.seeds import Rng, rng_for, seed_for
from arena.games.needs import games_of, why_not
from arena.testing.hidden import Decision, hidden_thing, permuted_deal, same_view_actions
from arena.testing.rounds import NotConformant, random_deal, rule_sets

PERMUTATIONS = 8
"""How often the hidden cards are dealt anew at one decision until the past allows it."""


def check_agent(
    agent: str | Callable[[], Any],
    *,
    game: str | Rules | None = None,
    deals: int = 2,
    seed: int = 0,
    other_process: bool = True,
) -> None:
    """Raise `NotConformant` unless an agent may take part in tournaments.

    `agent` is a registered family or something that makes an agent when called, such as
    its class. `game` is one choice of rules, or a name for all options of that game that the
    agent says it plays; by default those of all games. Checked are: that it
    answers with legal actions in every phase; that the same view and the same generator
    lead to the same action, also in another process; that nothing is remembered from one
    deal or seat to another; that it pickles; and that hidden cards change nothing and
    cannot be reached from it, unless it declares that it sees them.
    """
    make = AGENTS.get(agent) if isinstance(agent, str) else agent
    name = agent if isinstance(agent, str) else getattr(agent, "__name__", repr(agent))
    made = make()
    if not callable(getattr(made, "act", None)):
        raise NotConformant(f"{name}: has no method act(view, rng)")
    suite = _AgentSuite(name, make, seed)
    sets = _rules_to_try(made, game)
    if not sets:
        raise NotConformant(f"{name}: plays none of the rules of {game or 'any game'}")
    for rules in sets:
        suite.check(rules, [random_deal(rules, seed, number) for number in range(deals)])
    if other_process:
        suite.check_other_process(sets[0], random_deal(sets[0], seed, 0))


def _rules_to_try(agent: Any, game: str | Rules | None) -> list[Rules]:
    if game is not None and not isinstance(game, str):
        return [game]
    inner = agent.cards if isinstance(agent, Player) else agent
    names = [game] if game else games_of(inner)
    sets = [rules for name in names for rules in rule_sets(name)]
    return [rules for rules in sets if why_not(inner, rules) is None]


@dataclass(frozen=True)
class _AgentSuite:
    name: str
    make: Callable[[], Any]
    seed: int

    def check(self, rules: Rules, deals: Sequence[Deal]) -> None:
        used = self.make()
        rounds = []
        for number, deal in enumerate(deals):
            standing = Standing(number)
            first = self.play(rules, deal, standing, [self.make() for _ in SEATS])
            again = self.play(rules, deal, standing, [self.make() for _ in SEATS])
            self.compare(rules, deal, first, again, "is not deterministic: asked again it played")
            rounds.append((deal, standing, first))
            self.play(rules, deal, standing, [used] * len(SEATS))
        for deal, standing, first in rounds:
            after = self.play(rules, deal, standing, [used] * len(SEATS))
            self.compare(
                rules,
                deal,
                first,
                after,
                "remembers something from other deals or other seats (memory belongs into the "
                "object that take_seat returns): after them it played",
            )
            copies = [self.pickled(rules) for _ in SEATS]
            copied = self.play(rules, deal, standing, copies)
            self.compare(rules, deal, first, copied, "is not the same after pickling: it played")
            if not sees_all_cards(used):
                self.check_secrecy(rules, deal, standing, first)

    def play(
        self, rules: Rules, deal: Deal, standing: Standing, agents: Sequence[Any]
    ) -> list[Decision]:
        """A round, with every action checked and every agent searched for hidden cards."""
        state = rules.start(deal, standing)
        seated = [_seated(agents[seat], rules, seat) for seat in range(rules.players)]
        decisions: list[Decision] = []
        while state.turn is not None:
            seat = state.turn
            agent = seated[seat]
            view = rules.view(state, seat, all_hands=sees_all_cards(agent))
            seed = seed_for(self.seed, deal.id, seat, len(decisions))
            action = self.ask(rules, deal, agent, view, seed, state)
            decisions.append(Decision(seat, seed, view, action))
            if not sees_all_cards(agent):
                self.check_reach(rules, deal, decisions[-1], agent, state)
            rules.apply(state, action)
        return decisions

    def ask(
        self, rules: Rules, deal: Deal, agent: Any, view: View, seed: int, state: Any
    ) -> Action:
        """What the agent does; `state` is there for those who look where they must not."""
        where = f"seat {SEATS[view.seat]}, phase {view.phase}"
        try:
            action = agent.act(view, Rng(seed))
        except Exception as error:
            said = f"raised {type(error).__name__}: {error}"
            raise NotConformant(self.describe(rules, deal, where, said)) from error
        if isinstance(action, bool) or not hasattr(action, "__index__"):
            said = f"answered {action!r}, which is no action (a whole number)"
            raise NotConformant(self.describe(rules, deal, where, said))
        if action not in view.legal:
            legal = " ".join(action_name(choice, view.rules.bids) for choice in view.legal)
            said = f"played {action_name(action, view.rules.bids)}, legal: {legal}"
            raise NotConformant(self.describe(rules, deal, where, said))
        return int(action)

    def compare(
        self,
        rules: Rules,
        deal: Deal,
        first: Sequence[Decision],
        second: Sequence[Decision],
        fault: str,
    ) -> None:
        for one, other in zip(first, second, strict=False):
            if one.action != other.action:
                said = f"{fault} {action_name(other.action, rules.bids)} "
                said += f"instead of {action_name(one.action, rules.bids)}"
                raise NotConformant(self.describe(rules, deal, str(one), said))

    def pickled(self, rules: Rules) -> Any:
        try:
            return pickle.loads(pickle.dumps(self.make()))
        except Exception as error:
            raise NotConformant(
                f"{self.name}: cannot be pickled, so no worker can play it: {error}"
            ) from error

    # --- secrecy -------------------------------------------------------------------------

    def check_reach(
        self, rules: Rules, deal: Deal, decision: Decision, agent: Any, state: Any
    ) -> None:
        found = hidden_thing(agent, rules, deal, state, decision.seat)
        if found:
            said = f"{found} can be reached from the agent"
            raise NotConformant(self.describe(rules, deal, str(decision), said))

    def check_secrecy(
        self, rules: Rules, deal: Deal, standing: Standing, decisions: Sequence[Decision]
    ) -> None:
        """Deal the hidden cards anew so that a seat sees just the same: it must do the same."""
        rng = rng_for(self.seed, "secrecy", deal.id)
        for seat in range(rules.players):
            own = [i for i, decision in enumerate(decisions) if decision.seat == seat]
            for last in {own[0], own[rng.below(len(own))], own[len(own) // 2]} if own else ():
                self.check_permuted(rules, deal, standing, decisions[: last + 1], rng)

    def check_permuted(
        self, rules: Rules, deal: Deal, standing: Standing, decisions: Sequence[Decision], rng: Rng
    ) -> None:
        last = decisions[-1]
        for _ in range(PERMUTATIONS):
            other = permuted_deal(last.view, deal, rng)
            if other is None:
                return
            swap, permuted = other
            actions = same_view_actions(rules, permuted, standing, decisions, swap)
            if actions is None:
                continue
            agent = _seated(self.make(), rules, last.seat)
            state = rules.start(permuted, standing)
            for decision, action in zip(decisions, actions, strict=True):
                if decision.seat == last.seat:
                    view = rules.view(state, last.seat)
                    done = self.ask(rules, permuted, agent, view, decision.seed, state)
                    if done != decision.action:
                        said = (
                            f"knows hidden cards: with the same view and seed, but other cards in "
                            f"other hands, it played {action_name(done, rules.bids)} instead of "
                            f"{action_name(decision.action, rules.bids)}"
                        )
                        raise NotConformant(self.describe(rules, deal, str(decision), said))
                rules.apply(state, action)

    # --- another process -----------------------------------------------------------------

    def check_other_process(self, rules: Rules, deal: Deal) -> None:
        """Play the same round in a process that hashes text in another way."""
        agent = self.make()
        if type(agent).__module__ == "__main__":
            return  # another process could not import it
        here = self.play(rules, deal, Standing(), [self.make() for _ in SEATS])
        job = pickle.dumps((self.name, agent, rules, deal, self.seed))
        there = subprocess.run(
            [sys.executable, "-c", _OTHER_PROCESS, json.dumps(sys.path)],
            input=job,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": "12345"},
            check=False,
        )
        if there.returncode:
            error = there.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise NotConformant(f"{self.name}: does not play in another process: {error}")
        actions = json.loads(there.stdout)
        played = [replace(d, action=a) for d, a in zip(here, actions, strict=False)]
        self.compare(rules, deal, here, played, "is not deterministic: another process played")

    def describe(self, rules: Rules, deal: Deal, where: str, said: str) -> str:
        return f"{self.name}: {said} ({rules}, deal {deal.id}, {where})"


_OTHER_PROCESS = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from arena.testing.agents import _play_job
print(json.dumps(_play_job(sys.stdin.buffer.read())))
"""


def _play_job(job: bytes) -> list[Action]:
    name, agent, rules, deal, seed = pickle.loads(job)
    suite = _AgentSuite(name, lambda: agent, seed)
    decisions = suite.play(rules, deal, Standing(), [pickle.loads(pickle.dumps(agent))] * 4)
    return [decision.action for decision in decisions]


def _seated(agent: Any, rules: Rules, seat: int) -> Any:
    return agent.take_seat(Setup(rules, seat)) if isinstance(agent, Remembers) else agent

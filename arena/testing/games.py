"""The conformance suite for games."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, cast

from arena.core.cards import CARD_NAMES, DECK, SEATS, cards_of
from arena.core.deals import Deal
from arena.core.rules import (
    OWN_BIDS,
    PASS,
    Action,
    IllegalAction,
    Position,
    Rules,
    action_name,
    bid_names,
)
from arena.core.scoring import side_margins
from arena.core.seeds import Rng, rng_for
from arena.testing.hidden import hidden_thing
from arena.testing.rounds import NotConformant, random_deal, rule_sets

MOST_ACTIONS = 1000
"""No round of a card game is longer."""


def check_game(game: str | Rules, *, deals: int = 5, seed: int = 0) -> None:
    """Raise `NotConformant` unless a game keeps to the protocol `arena.core.rules.Rules`.

    Plays random rounds of one choice of rules, or of all options of a registered game.
    Checked are: what the rules say of themselves; that legal actions, turns, hands, views
    and the end of a round agree with each other; that illegal actions are refused; that
    rounds do not influence each other; and that a view holds no hidden card.
    """
    for rules in rule_sets(game) if isinstance(game, str) else [game]:
        suite = _GameSuite(rules)
        suite.check_description()
        for number in range(deals):
            suite.check_round(random_deal(rules, seed, number), rng_for(seed, "play", number))


@dataclass(frozen=True)
class _GameSuite:
    rules: Rules

    def require(self, condition: object, said: str) -> None:
        if not condition:
            raise NotConformant(f"{self.rules}: {said}")

    def check_description(self) -> None:
        rules = self.rules
        seats = range(rules.players)
        self.require(is_dataclass(rules), "must be a dataclass: its fields are its options")
        self.require(isinstance(rules.version, int), "version must be a whole number")
        for option in fields(cast(Any, rules)):  # a dataclass, as was just looked at
            self.require(option.name in rules.options_help, f"options_help lacks {option.name!r}")
        self.require(pickle.loads(pickle.dumps(rules)) == rules, "is not equal after pickling")
        self.require(hash(rules) == hash(pickle.loads(pickle.dumps(rules))), "hash is not its own")
        self.require(rules.deck & ~DECK == 0, "the deck has cards that do not exist")
        self.require(
            rules.deck.bit_count() >= rules.players * rules.hand_size,
            "players times hand_size is more than there are cards",
        )
        together = sorted(seat for side in rules.sides for seat in side)
        self.require(together == list(seats), f"sides {rules.sides} are not all seats once")
        for seat in seats:
            self.require(seat in rules.sides[rules.side_of(seat)], f"side_of({seat}) is wrong")
            turn = [rules.seat_after(seat, steps) for steps in seats]
            self.require(sorted(turn) == list(seats), f"seat_after({seat}, ...) leaves seats out")
            self.require(turn[0] == seat, f"seat_after({seat}, 0) is {turn[0]}")
        self.require(OWN_BIDS + len(rules.bids) <= 256, "an action must fit into one byte")
        shared = set(rules.bids) & {*CARD_NAMES, *bid_names()}
        self.require(not shared, f"bids {sorted(shared)} have names that are taken")
        self.require(len(set(rules.bids)) == len(rules.bids), "two bids have the same name")
        for what in ("labels", "flag_owners", "measures"):
            self.require(isinstance(getattr(rules, what), dict), f"{what} must be a dict")
        worst, best = rules.margin_bounds
        self.require(worst < best, f"margin_bounds {worst}, {best} are no interval")

    def check_round(self, deal: Deal, rng: Rng) -> None:
        rules = self.rules
        rules.check_deal(deal)
        state, untouched = rules.start(deal), rules.start(deal)
        before = [rules.view(untouched, seat) for seat in range(rules.players)]
        actions: list[Action] = []
        while state.turn is not None:
            self.require(len(actions) < MOST_ACTIONS, f"a round has no end (deal {deal.id})")
            self.check_turn(deal, state)
            action = rng.choice(state.legal)
            self.check_refusal(deal, state)
            rules.apply(state, action)
            actions.append(action)
        self.check_end(deal, state)
        after = [rules.view(untouched, seat) for seat in range(rules.players)]
        self.require(before == after, "rounds of one deal share their state")
        again = rules.start(deal)
        for action in actions:
            rules.apply(again, action)
        self.require(
            rules.outcome(again) == rules.outcome(state), "the same actions had another outcome"
        )

    def check_turn(self, deal: Deal, state: Any) -> None:
        rules, turn, legal = self.rules, state.turn, state.legal
        where = f"(deal {deal.id}, seat {SEATS[turn]}, phase {state.phase})"
        self.require(legal, f"nothing is legal {where}")
        self.require(list(legal) == sorted(set(legal)), f"legal is not ascending {where}")
        self.require(state.phase in ("bid", "pass", "play"), f"unknown phase {where}")
        for seat in range(rules.players):
            view = rules.view(state, seat)
            expected = legal if seat == turn else ()
            self.require(view.legal == expected, f"view of {SEATS[seat]}: wrong legal {where}")
            self.require(view.hand == state.hands[seat], f"view of {SEATS[seat]}: hand {where}")
            known = view.information is not None
            self.require(known != rules.has_tricks, f"view of {SEATS[seat]}: information {where}")
            self.require(view.all_hands is None, f"view of {SEATS[seat]} shows all hands {where}")
            found = hidden_thing(view, rules, deal, state, seat)
            self.require(
                not found, f"{found} can be reached from the view of {SEATS[seat]} {where}"
            )
        if state.phase == "play" and rules.has_tricks:
            view = rules.view(state, turn)
            position = Position(view.trump, state.table, len(state.tricks), view.opened)
            playable = tuple(cards_of(rules.playable(state.hands[turn], position)))
            self.require(playable == legal, f"playable is not what is legal {where}")
            held = [CARD_NAMES[card] for card in legal if not state.hands[turn] >> card & 1]
            self.require(not held, f"legal has cards that are not held: {held} {where}")

    def check_refusal(self, deal: Deal, state: Any) -> None:
        illegal = next(a for a in range(PASS + 1) if a not in state.legal)
        before = self.rules.view(state, state.turn)
        try:
            self.rules.apply(state, illegal)
        except IllegalAction:
            same = self.rules.view(state, state.turn) == before
            self.require(same, f"a refused action changed the round (deal {deal.id})")
            return
        raise NotConformant(f"{self.rules}: {action_name(illegal)} is illegal but was accepted")

    def check_end(self, deal: Deal, state: Any) -> None:
        rules = self.rules
        self.require(state.phase == "over", f"no seat has the turn, but the phase is {state.phase}")
        self.require(not state.legal, "something is legal after the end")
        outcome = rules.outcome(state)
        for what in ("scores", "points", "bonus", "tricks"):
            count = len(getattr(outcome, what))
            self.require(count == len(rules.sides), f"outcome: {count} {what}, not one per side")
        self.require(sum(outcome.tricks) == len(state.tricks), "outcome: tricks do not add up")
        worst, best = rules.margin_bounds
        for margin in side_margins(rules, outcome.scores):
            self.require(worst <= margin <= best, f"margin {margin} is outside of margin_bounds")

"""A position in which signs must not alternate, and searches for a test without the JIT."""

from __future__ import annotations

from agents.ismcts import Ismcts
from agents.mcts import Mcts
from arena.core.cards import parse_cards
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from helpers.endings import after, endings, margin
from helpers.rounds import deal


def flipped(rules, state, side, ours=True):
    """Minimax with the mistake: the sides take turns with every card."""
    if state.turn is None:
        return margin(rules, state, side)
    worths = [flipped(rules, after(rules, state, card), side, not ours) for card in state.legal]
    return max(worths) if ours else min(worths)


def perspective_position():
    """North is to lead to the last three tricks, and no trumps are left."""
    rules = Klaverjas()
    state = rules.start(
        deal(
            "N: CA SK DA D8 ST DT C8 CJ; E: C7 CK S7 CQ S8 CT DK SJ;"
            "S: HQ DQ C9 HK H7 HJ HA SQ; W: S9 D9 HT SA H9 DJ H8 D7",
            trump="D", leader="W", declarer="W",
        )
    )  # fmt: skip
    played = "D7 D8 DK DQ S7 SQ S9 ST CA CT C9 D9 DJ DA S8 HK H8 DT CK HQ"
    for card in parse_cards(played):
        rules.apply(state, card)
    return rules, state


def plain_decision():
    """What two searches find out, as text."""
    lines = []
    for rules in (Klaverjas(), Hearts()):
        state = next(endings(rules, tricks=5, count=1))
        view = rules.view(state, state.turn, all_hands=True)
        hidden = view._replace(all_hands=None)
        lines += [
            str(Ismcts(simulations=60, **options).explain(hidden, Rng(5)))
            for options in ({}, {"observers": "all"}, {"first_play": 10.0})
        ]
        lines.append(str(Mcts(simulations=60).explain(view, Rng(5))))
    return "\n".join(lines)

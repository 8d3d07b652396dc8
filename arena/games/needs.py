"""What an agent or a bidder needs of a game: agents that cannot play it are refused before a run.

A family says it in `needs`, a class variable or, where it depends on parameters, a property:

| need | the game must |
|---|---|
| `kernel` | have a compiled kernel |
| `semi-random` | say what semi-random play is |
| `rule-player` | have a rule player |
| `rule-playouts`, `light-playouts`, `heavy-playouts` | have compiled rules of this name |
| `two-sides` | be played between two sides |
| `open-score` | say how its score follows from the tricks, for the solver (`score_form`) |
| `four-players` | be played by four |
| `highest-takes` | give every trick to the seat that holds it: some published programs do not |
| `usual-bids` | be bid by the calls that games share (pass, play, push, a trump) |
| `possible-rounds` | draw rounds that look the same to a seat (`View.information`) |
| `own-actions` | have information states that say all that the seat has done itself |

Agents that know certain games only, and no capability would say so, list them in `games`, which
may be a property too; None is for all games.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from arena.core.errors import ArenaError
from arena.core.registry import GAMES
from arena.core.rules import Rules
from arena.games.parts import has_part


def why_not(family: Any, rules: Rules) -> str | None:
    """Why a family, or an agent made of it, cannot play by these rules; None if it can."""
    games = _asked(family, "games", None)
    if games is not None and rules.name not in games:
        return f"does not play {rules.name} (plays: {', '.join(games)})"
    for need in _asked(family, "needs", ()):
        if need not in _NEEDS:
            return f"needs {need!r} of a game, which is unknown (known: {', '.join(_NEEDS)})"
        if (why := _NEEDS[need](rules)) is not None:
            return f"does not play {rules.name}: {why}"
    return None


def _asked(family: Any, name: str, nothing: Any) -> Any:
    """What a family or an agent says under a name."""
    said = getattr(family, name, nothing)
    if isinstance(said, property):
        # The family itself is asked about, not an agent of it: its usual parameters count.
        try:
            said = getattr(family(), name)
        except (ArenaError, TypeError):
            said = nothing  # it has no usual parameters
    return said


def games_of(family: Any) -> list[str]:
    """The registered games that a family can play under their usual options."""
    found = []
    for name, game in GAMES.loaded(lambda _: None).items():
        with suppress(ArenaError):  # what the game itself needs is not installed
            if why_not(family, game()) is None:
                found.append(name)
    return found


def trick_games() -> list[str]:
    """The registered games that are described by hands and tricks."""
    games = GAMES.loaded(lambda _: None)
    return [name for name, game in games.items() if game.has_tricks]


def _kernel(rules: Rules) -> str | None:
    # Compiled code is imported only where it is needed.
    from arena.games.kernel.contract import complaint

    return complaint(rules)


def _semi_random(rules: Rules) -> str | None:
    return None if has_part(type(rules), "semi_random") else "it has no semi-random play"


def _rule_player(rules: Rules) -> str | None:
    return None if has_part(type(rules), "rule_player") else "it has no rule player"


def _has_rules(name: str, rules: Rules) -> str | None:
    from arena.games.rulebook import rules_of

    return None if name in rules_of(type(rules)) else f"it has no {name!r} playouts"


def _two_sides(rules: Rules) -> str | None:
    sides = len(rules.sides)
    return None if sides == 2 else f"it is played between {sides} sides, not two"


def _open_score(rules: Rules) -> str | None:
    from arena.games.score_form import is_solvable

    return None if is_solvable(rules) else "the solver does not know its score (open_score)"


def _four_players(rules: Rules) -> str | None:
    return None if rules.players == 4 else f"it is played by {rules.players}, not by four"


def _highest_takes(rules: Rules) -> str | None:
    if (why := _kernel(rules)) is not None:
        return why
    from arena.games.kernel.layout import BY_STEPS
    from arena.games.kernel.spec import example_game

    by_steps = example_game(rules).words[BY_STEPS]
    return "not every trick goes to the highest card" if by_steps else None


def _usual_bids(rules: Rules) -> str | None:
    return f"it has bids of its own ({', '.join(rules.bids)})" if rules.bids else None


def _possible_rounds(rules: Rules) -> str | None:
    if getattr(rules, "draws_possible_rounds", False):
        return None
    return "it cannot draw rounds that look the same to a seat and tell no secrets"


def _own_actions(rules: Rules) -> str | None:
    if getattr(rules, "recalls_own_actions", True):
        return None
    return "its information states do not say all that a seat has done itself"


_NEEDS: dict[str, Callable[[Rules], str | None]] = {
    "kernel": _kernel,
    "semi-random": _semi_random,
    "rule-player": _rule_player,
    **{f"{name}-playouts": partial(_has_rules, name) for name in ("rule", "light", "heavy")},
    "two-sides": _two_sides,
    "open-score": _open_score,
    "four-players": _four_players,
    "highest-takes": _highest_takes,
    "usual-bids": _usual_bids,
    "possible-rounds": _possible_rounds,
    "own-actions": _own_actions,
}

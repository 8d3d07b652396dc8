"""What the arena must know of each of OpenSpiel's trick games, and OpenSpiel does not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class GameFacts:
    """One of the games."""

    calls: tuple[str, ...]
    """OpenSpiel's names of the actions that are no cards."""
    partners: bool = False
    """Whether seats that face each other score together; else each seat is a side."""
    points: int = 1
    """What returns are multiplied by, so that scores are whole numbers."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Parameters that are set unless the user sets them."""
    samples: bool = True
    """Whether rounds that look the same to a player can be drawn."""
    seed: str = ""
    """The parameter that fixes the cards, in a game that deals behind one chance outcome."""


_STRAINS = "♣", "♦", "♥", "♠", "NT"

_CONTRACTS = (
    *("Pass", "Klop", "Three", "Two", "One", "Solo three", "Solo two", "Solo one", "Beggar"),
    *("Solo without", "Open beggar", "Colour valat without", "Valat without"),
)
_TALON_SETS = tuple(f"Talon set {number}" for number in range(1, 7))
_TAROKS = (
    *("Pagat", "II", "III", "IIII", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII"),
    *("XIV", "XV", "XVI", "XVII", "XVIII", "XIX", "XX", "Mond", "Skis"),
    *(f"{rank} of {suit}" for suit in ("Hearts", "Diamonds") for rank in "4321"),
    *(f"{rank} of {suit}" for suit in ("Spades", "Clubs") for rank in (7, 8, 9, 10)),
    *(
        f"{rank} of {suit}"
        for suit in ("Hearts", "Diamonds", "Spades", "Clubs")
        for rank in ("Jack", "Knight", "Queen", "King")
    ),
)
"""The 54 cards of tarok, which are no cards of the arena."""

GAME_FACTS: dict[str, GameFacts] = {
    "bridge": GameFacts(
        ("Pass", "Dbl", "RDbl", *(f"{n}{strain}" for n in range(1, 8) for strain in _STRAINS)),
        partners=True,
        # As it stands it ends after the auction, scored by the double-dummy solution.
        parameters={"use_double_dummy_result": False},
    ),
    "euchre": GameFacts(
        ("Pass", "Clubs", "Diamonds", "Hearts", "Spades", "Alone", "Partner"), partners=True
    ),
    "hearts": GameFacts(()),
    "oh_hell": GameFacts(tuple(map(str, range(27)))),
    "skat": GameFacts(
        ("unknown/pass", "diamonds", "hearts", "spades", "clubs", "grand", "null"),
        points=240,
        samples=False,
    ),
    "spades": GameFacts(("Nil", *map(str, range(1, 14))), partners=True),
    "tarok": GameFacts((*_CONTRACTS, *_TALON_SETS, *_TAROKS), samples=False, seed="rng_seed"),
}

"""The interfaces of agents and bidders.

An agent family is a frozen dataclass: its fields are its parameters, its
docstring says what it does and where it was published. It plays by one method:

    @dataclass(frozen=True)
    class Random:
        "Plays any legal card, all equally likely."

        def act(self, view: View, rng: Rng) -> Action:
            return rng.choice(view.legal)

The same view and the same generator state must always give the same action.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from arena.core.registry import Registry
from arena.core.rules import Action, Outcome, Rules, View
from arena.core.seeds import Rng


def parameter(
    default: Any = MISSING,
    *,
    help: str,
    at_least: float | None = None,
    at_most: float | None = None,
    kinds: Registry[Any] | None = None,
    affects_play: bool = True,
) -> Any:
    """A field of an agent or a bidder that says what it is for and what values make sense.

    Without a default an experiment must give the value. `arena list agents` and the
    JSON Schema show the help; experiments with values out of range are refused.

        playouts: int = parameter(1000, help="playouts per legal card", at_least=1)

    A part that comes in several kinds, each with parameters of its own, names the registry
    of its kinds: dataclasses with a class variable `kind`, their name. Experiments then say
    `beliefs: {kind: probabilities, m1: 1.2}`, or only `beliefs: certain`.

        beliefs: Believer = parameter(Certain(), help="what is believed", kinds=BELIEFS)

    With `affects_play=False` an agent stays the same agent, and keeps its results, whatever the
    value is: a limit of costs, for example.
    """
    given = {"at_least": at_least, "at_most": at_most, "kinds": kinds}
    metadata = {"help": help, **{name: x for name, x in given.items() if x is not None}}
    metadata |= {} if affects_play else {"affects_play": False}
    return field(default=default, metadata=metadata)


class Belief(NamedTuple):
    """What a player believes of the hidden cards."""

    holders: Mapping[int, tuple[float, ...]]
    """For each hidden card, how likely each seat is to hold it."""
    notes: tuple[str, ...] = ()
    """Further remarks, one line each."""


class Agent(Protocol):
    """Plays cards, and bids unless the configuration names a bidder for it.

    A class may also declare

    * `games: ClassVar[tuple[str, ...]]`: the games it can play (all, if it does not say);
    * `needs: ClassVar[tuple[str, ...]]` or a property: what a game must have for it, such as
      `kernel` or `two-sides` (see `arena.games.needs`);
    * `sees_all_cards: ClassVar[bool]` or a property of that name: whether it is given
      all hands in `view.all_hands`; such agents are marked in every report;
    * `reproducible`, likewise: False if what it plays depends on the clock, or on a server;
    * `asks_server: ClassVar[bool]`: whether a server decides. Such an agent makes no decisions
      that do not count, waits in a thread with others like it, and needs no process of its own;
    * `keep_in(folder)`: called before it plays, in a run with the folder of the run, so that it
      can keep what belongs to its decisions there. An `ArenaError` refuses the run;
    * `model_hash`: the hash of the model it plays with, part of its fingerprint;
    * `close()`: called once when the agent will not be asked again, so that it can let go of
      processes, files and threads. What it raises is ignored.

    Each seat gets its own instance, also if partners are the same agent; a worker builds it once.
    """

    def act(self, view: View, rng: Rng) -> Action:
        """One of `view.legal`."""


class Bidder(Protocol):
    """Makes the bids for a card player."""

    def bid(self, view: View, rng: Rng) -> Action:
        """One of `view.legal`, in the phase `bid`."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What an agent learns when it takes its seat."""

    rules: Rules
    seat: int


@runtime_checkable
class Remembers(Protocol):
    """An agent that keeps state from one decision to the next."""

    def take_seat(self, setup: Setup) -> Agent:
        """A fresh object that plays one round in one seat."""


@runtime_checkable
class Remote(Protocol):
    """A seated agent in another process: it measures its own time and receives the outcome."""

    nanoseconds: float
    """Duration of the last decision without communication; NaN if it was not measured."""

    def end_deal(self, outcome: Outcome | None) -> None:
        """Receive the outcome of the deal; None if a fault ended it."""


@dataclass(frozen=True, slots=True)
class Player:
    """A card player together with the bidder that bids for it."""

    cards: Agent
    bidder: Bidder | None = None

    @property
    def parts(self) -> tuple[Agent | Bidder, ...]:
        """The card player, and the bidder if there is one."""
        return (self.cards,) if self.bidder is None else (self.cards, self.bidder)

    def take_seat(self, setup: Setup) -> Player:
        """The player for one round; a card player that remembers gets a fresh instance."""
        if isinstance(self.cards, Remembers):
            return Player(self.cards.take_seat(setup), self.bidder)
        return self

    def keep_in(self, folder: Path) -> None:
        """Give the folder of the run to the parts that keep something there."""
        for part in self.parts:
            keep_in = getattr(part, "keep_in", None)
            if callable(keep_in):
                keep_in(folder)

    def close(self) -> None:
        """Close the card player and the bidder; errors in their `close` are ignored."""
        for part in self.parts:
            close = getattr(part, "close", None)
            if callable(close):
                with suppress(Exception):
                    close()

    def act(self, view: View, rng: Rng) -> Action:
        """The bidder's bid or the card player's card."""
        if self.bidder is not None and view.phase == "bid":
            return self.bidder.bid(view, rng)
        return self.cards.act(view, rng)


def is_reproducible(player: Player) -> bool:
    """Whether the same view and generator always give the same action."""
    return all(getattr(part, "reproducible", True) for part in player.parts)


def sees_all_cards(agent: Any) -> bool:
    """Whether an agent, or the card player inside, declares that it sees hidden cards."""
    inner = agent.cards if isinstance(agent, Player) else agent
    return bool(getattr(inner, "sees_all_cards", False))

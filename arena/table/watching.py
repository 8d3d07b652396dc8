"""Rounds to look at: those of a run as they were played, or those of an experiment, played now."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from arena.config.experiment import ResolvedExperiment
from arena.core.agent import Player, Setup
from arena.core.errors import ArenaError
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng
from arena.store import Replay, Run
from arena.table.score_sheet import ScoreSheet
from arena.table.session import Chair, TableSession
from arena.tournament.schedule import seat_members, seatings_of, seed_number


class WatchedRounds:
    """Rounds one after the other without people; what a table shows to those who watch."""

    people: tuple[int, ...] = ()
    training: bool = False

    def __init__(self, rules: Rules, rounds: Iterator[TableSession], *, from_disk: bool) -> None:
        """`from_disk` if the rounds are read from a run, which only one thread may do."""
        self.rules = rules
        self.sheet = ScoreSheet(rules, is_match=False)
        self.has_results = from_disk
        self._rounds = rounds

    def next_round(self) -> TableSession | None:
        """The next round; None after the last one."""
        return next(self._rounds, None)

    def finish(self, table: TableSession) -> None:
        """A round is over; players change seats between rounds, so nothing adds up."""
        table.close()


class Recorded:
    """Does again what a seat did in a stored round."""

    def __init__(self, actions: Iterator[Action]) -> None:
        self._actions = tuple(actions)
        self._done = 0

    def take_seat(self, setup: Setup) -> Recorded:
        """The same round from its beginning."""
        return Recorded(iter(self._actions))

    def act(self, view: View, rng: Rng) -> Action:
        """The next action."""
        self._done += 1
        return self._actions[self._done - 1]


def rounds_of_run(run: Run, pair: tuple[str, str] | None, deal: str | None) -> WatchedRounds:
    """The finished rounds of a run, or of a pairing or a deal of it."""
    pairings = [run.pairing(*pair)] if pair else run.pairings
    replays = (
        replay
        for pairing in pairings
        for replay in (run.replays(pairing) if deal is None else run.replays_with(pairing, deal))
        if replay.record.scores
    )
    first = next(replays, None)
    if first is None:
        raise ArenaError(f"{run.path}: no such round is stored and finished")

    def sessions() -> Iterator[TableSession]:
        yield _replayed(run.rules, first)
        for replay in replays:
            yield _replayed(run.rules, replay)

    return WatchedRounds(run.rules, sessions(), from_disk=True)


def _replayed(rules: Rules, replay: Replay) -> TableSession:
    record = replay.record
    steps = list(zip(record.actions, record.seats, strict=True))
    chairs = [
        Chair(name, Player(Recorded(action for action, turn in steps if turn == seat)))
        for seat, name in enumerate(replay.seats)
    ]
    return TableSession(rules, replay.deal, chairs, standing=replay.standing)


def rounds_of_experiment(
    experiment: ResolvedExperiment, pair: tuple[str, str] | None, deal: str | None
) -> WatchedRounds:
    """The rounds that a run of the experiment would have, deal by deal and action by action.

    Those of matches are played one by one, each from the beginning.
    """
    pairings = [each for each in experiment.pairings if pair is None or set(each) == set(pair)]
    if not pairings:
        names = ", ".join(" - ".join(each) for each in islice(experiment.pairings, 8))
        raise ArenaError(f"{experiment.name}: no such pair (pairs: {names})")
    deals = [each for each in experiment.deals if deal is None or each.id == deal]
    if not deals:
        raise ArenaError(f"{experiment.name}: no deal {deal!r}")

    def sessions() -> Iterator[TableSession]:
        rules, seatings = experiment.rules, seatings_of(experiment)
        for each in deals:
            for names in pairings:
                teams = [experiment.entrant(name).members for name in names]
                for number, seating in enumerate(seatings):
                    members = seat_members(seating, (len(teams[0]), len(teams[1])))
                    specs = [teams[e][m] for e, m in zip(seating, members, strict=True)]
                    chairs = [
                        Chair(names[entrant], spec.build(experiment.folder), spec.twin)
                        for entrant, spec in zip(seating, specs, strict=True)
                    ]
                    yield TableSession(
                        rules, each, chairs, seed=experiment.seed,
                        seed_number=seed_number(seatings, number),
                    )  # fmt: skip

    return WatchedRounds(experiment.rules, sessions(), from_disk=False)

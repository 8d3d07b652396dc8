"""Rounds to watch are those of the run: as they were stored, or played again by the experiment."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.experiments import play

from arena.cli import main
from arena.config.loader import load
from arena.core.errors import ArenaError
from arena.store import Run
from arena.table.session import TableSession
from arena.table.watching import WatchedRounds, rounds_of_experiment, rounds_of_run

CONFIG = """
name: watched
game: klaverjas
seed: 4
deals: {set: klaverjas-given-1000, limit: 2}
agents:
  any: {family: random}
  twin: {family: random}
  semi: {family: semi-random}
"""


def played_out(rounds: WatchedRounds) -> list[tuple[list[str], bytes]]:
    """The players and the actions of all rounds."""
    found = []
    while (table := rounds.next_round()) is not None:
        while not table.is_over:
            table.let_agent_act()
        rounds.finish(table)
        found.append(([chair.name for chair in table.chairs], bytes(table.actions)))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("watched")
    (here / "watched.yaml").write_text(CONFIG)
    play(load(here / "watched.yaml"), here / "run")
    return here


def test_an_experiment_is_watched_as_its_run_stores_it(folder: Path) -> None:
    with Run(folder / "run") as run:
        stored = {
            (replay.seats, replay.record.deal, replay.record.actions)
            for pairing in run.pairings
            for replay in run.replays(pairing)
        }
        replayed = played_out(rounds_of_run(run, None, None))
    live = played_out(rounds_of_experiment(load(folder / "watched.yaml"), None, None))
    assert len(live) == len(replayed) == len(stored) == 3 * 2 * 2
    actions = {(seats, actions) for seats, _, actions in stored}
    assert {(tuple(names), each) for names, each in live} == actions
    assert {(tuple(names), each) for names, each in replayed} == actions


def test_a_pair_and_a_deal_are_chosen(folder: Path) -> None:
    experiment = load(folder / "watched.yaml")
    deal = experiment.deals[1].id
    assert len(played_out(rounds_of_experiment(experiment, ("semi", "any"), deal))) == 2
    with Run(folder / "run") as run:
        assert len(played_out(rounds_of_run(run, ("any", "semi"), deal))) == 2
        with pytest.raises(ArenaError, match="no such round"):
            rounds_of_run(run, ("any", "semi"), "nothing")
    with pytest.raises(ArenaError, match=r"no such pair \(pairs: any - twin, "):
        rounds_of_experiment(experiment, ("semi", "semi"), None)
    with pytest.raises(ArenaError, match="no deal 'nothing'"):
        rounds_of_experiment(experiment, None, "nothing")


def test_a_table_can_be_built_for_each_round(folder: Path) -> None:
    rounds = rounds_of_experiment(load(folder / "watched.yaml"), None, None)
    first, second = rounds.next_round(), rounds.next_round()
    assert isinstance(first, TableSession) and isinstance(second, TableSession)
    assert [chair.name for chair in first.chairs] == ["any", "twin"] * 2
    assert [chair.name for chair in second.chairs] == ["twin", "any"] * 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("watch", "nothing.yaml"), "nothing.yaml"),
        (("watch", "{}/run", "--set", "seed=3"), "--set and --trust are for experiments"),
        (("watch", "{}/run", "--pair", "any", "nobody"), "nobody"),
        (("watch", "{}"), "no run here"),
        (("watch", "{}/watched.yaml", "--host", "nowhere.invalid"), "nowhere.invalid"),
        (("play", "klaverjas", "--people", "2"), "--people and --tables need --browser"),
        (("play", "klaverjas", "--browser", "--people", "5"), "klaverjas has 4 seats"),
        (("play", "klaverjas", "--browser", "--port", "99999"), "99999"),
    ],
)
def test_bad_arguments_are_one_line(
    words: tuple[str, ...], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format(folder) for word in words]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1

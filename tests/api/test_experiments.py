"""`arena.Experiment` and `arena.run`."""

from __future__ import annotations

import gc
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import pytest

import arena
from arena.cli import main
from arena.config.live_agents import LiveAgent, object_digest
from arena.core.generate import make_deals
from arena.games.klaverjas import Klaverjas
from arena.store import Run


def lowest(offset: int = 0):
    """An agent of a class that no worker can import."""

    @dataclass
    class Lowest:
        offset: int = 0

        def act(self, view, rng):
            return view.legal[self.offset % len(view.legal)]

    return Lowest(offset)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def experiment(**changes):
    given = {"game": "klaverjas", "agents": {"mine": lowest(), "random": "random"}, "deals": 6}
    return arena.Experiment(**{**given, **changes})


def test_an_object_plays_in_workers_as_in_this_process() -> None:
    frames = [arena.run(experiment(), jobs=jobs).rounds for jobs in (1, 2)]
    columns = ["deal", "seating", "score_first", "score_second", "actions"]
    assert frames[0][columns].equals(frames[1][columns]) and len(frames[0]) == 12


def test_results_without_a_name_are_kept_as_long_as_they_are_used() -> None:
    run = experiment().run()
    path = run.path
    assert path.is_dir() and not Path("reports").exists()
    del run
    gc.collect()
    assert not path.exists()


def test_a_named_experiment_goes_on_where_it_stopped() -> None:
    first = experiment(name="mine").run()
    assert first.path == Path("reports/mine") and len(first.deals) == 6
    again = experiment(name="mine", deals=9).run()
    assert again.deals[:6].equals(first.deals) and len(again.deals) == 9
    with pytest.raises(arena.ArenaError, match=r"deals\.limit: 9 there, 6 here"):
        experiment(name="mine", agents={"mine": lowest(1), "random": "random"}).run()
    changed = experiment(name="mine", agents={"mine": lowest(1), "random": "random"})
    assert len(changed.run(fresh=True).deals) == 6


def test_the_folder_of_a_run_is_complete(capsys) -> None:
    agents = {"a": "random", "b": arena.agent("semi-random")}
    run = experiment(name="mine", agents=agents).run()
    assert main(["run", str(run.path / "config.resolved.yaml"), "--out", "again", "--quiet"]) == 0
    with Run(run.path) as one, Run(Path("again")) as other:
        assert [row["actions"] for row in one.rows()] == [row["actions"] for row in other.rows()]
        assert one.manifest.entrants == other.manifest.entrants


def test_a_live_agent_of_another_process_is_named(capsys) -> None:
    run = experiment(name="mine").run()
    code = f"from arena.cli import main; raise SystemExit(main(['explain', {str(run.path)!r}, "
    code += "'0', '--pair', 'mine', 'random', '--at', '0']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "Traceback" not in done.stderr and done.returncode == 2, done.stderr
    assert "is an object of the Python process that played it" in done.stderr


def test_agents_are_added_to_a_file() -> None:
    Path("file.yaml").write_text(
        "name: file\ngame: klaverjas\ndeals: {set: klaverjas-given-1000}\n"
        "agents:\n  a: {family: random}\n"
    )
    run = arena.run("file.yaml", deals=3, agents={"mine": lowest()}, overrides={"seed": 4})
    assert sorted(run.agents["agent"]) == ["a", "mine"] and set(run.agents["deals"]) == {3}
    assert run.config["seed"] == 4


def test_deals_may_be_a_set_a_file_or_deals() -> None:
    made = make_deals(Klaverjas(), "own", 5, 3)
    saved = made.save(Path("own.csv"))
    for deals in (made, saved, list(made), "own.csv", Path("own.csv")):
        assert experiment(deals=deals).resolved.deals == made.deals
    assert len(experiment(deals={"set": "klaverjas-given-1000", "limit": 7}).resolved.deals) == 7
    assert len(experiment(deals="klaverjas-given-1000").resolved.deals) == 1000


def test_an_experiment_says_what_it_is() -> None:
    text = "<Experiment 'klaverjas': mine, random; 1 pair on 6 deals of klaverjas>"
    assert repr(experiment()) == text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "klaverjass"}, "did you mean 'klaverjas'"),
        ({"agents": {"a": "rndom", "b": "rule"}}, "agents.a.family: unknown .* 'random'"),
        ({"agents": {"a": 3, "b": "rule"}}, r"agents.a: .* class int has no method act\(view, rng"),
        ({"agents": ["rule", "random"]}, "agents: expected a mapping from names to agents"),
        ({"agents": {}}, "agents"),
        ({"deals": 0}, "deals: expected at least 1, found 0"),
        ({"deals": []}, "deals: expected at least 1, found 0"),
        ({"deals": 1.5}, "deals: expected a number, a name, a path or deals, found float"),
        ({"deals": "klaverjas-gven-1000"}, "did you mean 'klaverjas-given-1000'"),
        ({"on_falt": "stop"}, "on_falt: unknown key; did you mean 'on_fault'"),
        ({"schedule": object()}, "not JSON serializable"),
    ],
)
def test_mistakes(changes, message) -> None:
    with pytest.raises(arena.ArenaError, match=message):
        experiment(**changes)


def test_mistakes_of_a_run() -> None:
    with pytest.raises(arena.ArenaError, match="did you mean 'quickstart'"):
        arena.run("quickstrt")
    with pytest.raises(arena.ArenaError, match=r"expected a file, a name or an arena.Experiment"):
        arena.run(3)
    with pytest.raises(arena.ArenaError, match="belong to the Experiment itself"):
        arena.run(experiment(), deals=3)

    class Locked:
        def __init__(self) -> None:
            self.lock = Lock()

        def act(self, view, rng):
            return view.legal[0]

    with pytest.raises(arena.ArenaError, match=r"agents.mine: Locked cannot be sent to workers"):
        experiment(agents={"mine": Locked(), "random": "random"})

    class Wrong:
        def act(self, view, rng):
            return -1

    with pytest.raises(arena.ArenaError, match=r"mine .*played -1, legal:"):
        experiment(agents={"mine": Wrong(), "random": "random"}).run()


# --- the hash of a live agent ------------------------------------------------------------

BOT = """
from dataclasses import dataclass

def helper(view):
    return {choice}

@dataclass
class Bot:
    suits: frozenset = frozenset({{"hearts", "spades", "clubs"}})
    offset: int = 0
    def act(self, view, rng):
        if view.phase in {{"play", "pass"}}:
            return helper(view)
        return view.legal[self.offset]
"""


def digest(choice: str = "view.legal[0]", above: int = 0, offset: int = 0) -> str:
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile("\n" * above + BOT.format(choice=choice), f"cell-{above}", "exec"), names)
    return object_digest(names["Bot"](offset=offset))


def test_the_hash_of_a_live_agent_is_that_of_its_code_and_state() -> None:
    assert digest() == digest(above=7)
    assert (
        len({digest(), digest("view.legal[-1]"), digest("min(view.legal)"), digest(offset=1)}) == 4
    )


def test_the_hash_is_the_same_in_every_process() -> None:
    code = BOT.format(choice="view.legal[0]") + (
        "\nfrom arena.config.live_agents import object_digest\nprint(object_digest(Bot()))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": str(seed), "PATH": ""},
        ).stdout
        for seed in (1, 2)
    }
    assert len(found) == 1


def test_a_live_agent_gives_a_fresh_copy() -> None:
    live = LiveAgent.of(lowest(2))
    one, other = live(), live()
    assert one is not other and one.offset == other.offset == 2
    assert live.family == f"Lowest@{live.sha256[:12]}"

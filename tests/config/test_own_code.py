"""`family: ./bot.py:Greedy`: played like any other, and imported only where that was asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
import yaml

from arena.cli import main
from arena.config import own_code
from arena.config.loader import load
from arena.config.own_code import OwnCode
from arena.config.schema import json_schema
from arena.config.strict_yaml import ConfigError
from arena.core.errors import ArenaError
from arena.store import Run
from arena.tournament.run import RunOptions, run
from arena.tournament.watcher import NullWatcher

BOT = """\
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arena.core.agent import parameter
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from helper import pick

Path(__file__).with_name("imported").touch()


@dataclass(frozen=True)
class Greedy:
    "Plays what the helper picks."

    depth: int = parameter(1, help="how far it looks", at_least=1)

    def act(self, view: View, rng: Rng) -> Action:
        return pick(view.legal)
"""
CONFIG = """\
name: own
game: klaverjas
deals: {set: klaverjas-given-1000, limit: 6}
agents:
  random: {family: random}
  mine: {family: "./bot.py:Greedy", depth: 2}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(own_code, "_TRUSTED", set())
    monkeypatch.syspath_prepend(str(tmp_path / "nothing"))  # restores sys.path in the end
    home = tmp_path / "home"
    home.mkdir()
    (home / "bot.py").write_text(BOT)
    (home / "helper.py").write_text("pick = max\n")
    (home / "x.yaml").write_text(CONFIG)
    monkeypatch.chdir(home)
    yield home
    for name in own_code._IMPORTED:
        own_code.sys.modules.pop(Path(name).stem, None)
    own_code._IMPORTED.clear()


def played(jobs: int = 1, *overrides: str, out: str = "out") -> tuple[str, list[float]]:
    """The fingerprint of my agent, and its margins."""
    run(load("x.yaml", overrides), Path(out), RunOptions(jobs=jobs), NullWatcher())
    with Run(out) as results:
        margins = results.deals()["margin"].tolist()
        return results.manifest.entrants["mine"].fingerprint, margins


def test_it_plays_the_same_here_in_workers_and_in_a_process_of_its_own(folder: Path) -> None:
    here = played(out="one")
    assert here == played(2, out="two")
    as_module = "agents.mine={family: 'bot:Greedy', isolate: true}"
    assert here[1] == played(1, as_module, out="three")[1]


def test_an_edit_takes_effect_at_once_in_the_file_and_beside_it(folder: Path) -> None:
    fingerprint, margins = played()
    (folder / "helper.py").write_text("pick = min\n")
    other, lower = played()
    assert other != fingerprint and lower != margins
    (folder / "bot.py").write_text(BOT.replace("return pick(view.legal)", "return view.legal[0]"))
    third, _ = played()
    assert third not in (other, fingerprint)
    (folder / "bot.py").write_text(BOT)
    (folder / "helper.py").write_text("pick = max\n")
    assert played() == (fingerprint, margins), "and what was played before is found again"


def test_run_says_what_it_imports(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", "x.yaml", "--jobs", "1", "--no-report"]
    assert main(command) == 0
    message = [line for line in capsys.readouterr().err.splitlines() if "imports" in line]
    assert len(message) == 1 and str(folder / "bot.py") in message[0] and "sha256" in message[0]


def test_validate_schema_and_list_import_nothing_unasked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", "x.yaml"]) == 0
    assert "./bot.py:Greedy, not imported" in capsys.readouterr().out
    assert main(["schema"]) == 0
    assert main(["list", "agents"]) == 0
    assert not (folder / "imported").exists()
    assert main(["validate", "x.yaml", "--trust", "--set", "agents.mine.depth=0"]) == 2
    assert "agents.mine.depth: must be at least 1" in capsys.readouterr().err
    assert (folder / "imported").exists()


def test_an_experiment_from_elsewhere_needs_trust(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    command = ["run", str(folder / "x.yaml"), "--jobs", "1", "--quiet", "--no-report"]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert "x.yaml:6: agents.mine.family: ./bot.py:Greedy is code" in said and "--trust" in said
    assert not (folder / "imported").exists()
    assert main([*command, "--trust"]) == 0


def test_a_run_folder_gets_nothing_imported(folder: Path) -> None:
    played()
    own_code._TRUSTED.clear()
    (folder / "out" / "bot.py").write_text(BOT)
    (folder / "imported").unlink()
    with Run("out") as results, pytest.raises(ArenaError, match="is imported only by"):
        results.manifest.entrants["mine"].members[0].build(results.path)
    assert not (folder / "imported").exists()


@pytest.mark.parametrize(
    ("family", "message"),
    [
        ("./bto.py:Greedy", r"bto.py: No such file or directory; did you mean 'bot.py'"),
        ("./bot.py:Gredy", r"there is no class 'Gredy'; did you mean 'Greedy'"),
        ("../outside.py:Bot", "does not lie next to or below the experiment"),
        ("./link.py:Bot", "does not lie next to or below the experiment"),
        ("os:system", "os.py: No such file or directory .installed packages register"),
        ("helper:pick", "there is no class 'pick'; it has no classes"),
        ("./wrong.py:Bot", "wrong.py:2: SyntaxError"),
        ("./raises.py:Bot", r"raises.py:1: ZeroDivisionError"),
        ("./empty.py:Bot", r"the class Bot has no method act"),
        ("./bot.py:", "expected FILE.py:CLASS or MODULE:CLASS"),
    ],
)
def test_what_is_wrong_is_reported_in_one_line(family: str, message: str, folder: Path) -> None:
    (folder.parent / "outside.py").write_text("class Bot:\n    def act(self, view, rng): ...\n")
    (folder / "link.py").symlink_to(folder.parent / "outside.py")
    (folder / "wrong.py").write_text("class Bot:\n    def act(self\n")
    (folder / "raises.py").write_text("1 / 0\n")
    (folder / "empty.py").write_text("class Bot:\n    pass\n")
    with pytest.raises(ConfigError, match=message) as caught:
        load("x.yaml", [f"agents.mine.family={json.dumps(family)}"])
    assert "\n" not in str(caught.value)


def test_parameters_are_checked_like_any_others(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"agents.mine.dept: unknown key; did you mean 'depth'"):
        load("x.yaml", ["agents.mine={family: './bot.py:Greedy', dept: 2}"])


def test_a_module_of_a_package_may_import_relatively(folder: Path) -> None:
    (folder / "bots").mkdir()
    (folder / "bots" / "__init__.py").touch()
    (folder / "bots" / "low.py").write_text(
        "from .order import lowest\n\n\nclass Low:\n"
        "    def act(self, view, rng):\n        return lowest(view.legal)\n"
    )
    (folder / "bots" / "order.py").write_text("lowest = min\n")
    code = OwnCode.find("bots.low:Low", folder)
    beside = [Path(file).name for file, _ in code.helpers]
    assert sorted(beside) == ["__init__.py", "order.py"]
    assert code.load()().act.__name__ == "act"
    for name in ("bots", "bots.order"):
        own_code.sys.modules.pop(name, None)


def test_an_included_file_names_code_beside_itself(folder: Path) -> None:
    inner = folder / "inner"
    inner.mkdir()
    (inner / "agents.yaml").write_text("agents: {mine: {family: './low.py:Low'}}\n")
    (inner / "low.py").write_text("class Low:\n    def act(self, view, rng): ...\n")
    (folder / "y.yaml").write_text(
        "include: inner/agents.yaml\n" + CONFIG.rpartition("\n  mine")[0]
    )
    spec = load("y.yaml").entrant("mine").members[0]
    assert spec.family == "./inner/low.py:Low"


def test_editors_accept_it(folder: Path) -> None:
    jsonschema.validate(yaml.safe_load(CONFIG), json_schema())

"""The disk cache never serves old code, and nothing that happens to it does harm."""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
import typing
from pathlib import Path

import numpy as np
import pytest

import agents
import arena.games
from arena.core.cache_folder import cache_folder
from arena.games.kernel import by_steps, jit
from arena.games.kernel.contract import our_kernels

ROOT = Path(jit.__file__).parents[3]

WORK = """
import numpy as np
from arena.games.klaverjas import Klaverjas
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.tricks import pick
from arena.games.klaverjas.kernel import FOUR_JACKS, trick_value

game = kernel_game(Klaverjas(), 0)
four_tens = game.mask(sum(1 << 13 * suit + 8 for suit in range(4)))
print(int(pick(np.uint64(0b1111), np.uint64(0xC0000000))),
      int(trick_value(game.words, game.words[FOUR_JACKS], four_tens)) >> 16)
"""
"""Prints a card picked (8, the last of four) and the roem of four tens (100)."""


def run(
    cache: Path, package: Path = ROOT, code: str = WORK, **environment: str
) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "ARENA_CACHE_DIR": str(cache), "PYTHONPATH": str(package)}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**variables, **environment},
        cwd=package,
        capture_output=True,
        text=True,
        check=True,
    )


def answer(cache: Path, package: Path = ROOT) -> str:
    return run(cache, package).stdout.strip()


def files(cache: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in cache.rglob("*.nb?")}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package that may be edited."""
    shutil.copytree(ROOT / "arena", tmp_path / "copy" / "arena")
    return tmp_path / "copy"


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


def test_editing_a_helper_or_a_table_elsewhere_makes_new_code(copy: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert answer(cache, copy) == "8 100"

    helper = copy / "arena" / "games" / "kernel" / "rng.py"
    edit(helper, "return (half * n) >> _S32", "return (half * n) >> np.uint64(33)")
    assert answer(cache, copy) == "2 100"

    table = copy / "arena" / "games" / "klaverjas" / "tables.py"
    edit(table, "FOUR_ALIKE = 100", "FOUR_ALIKE = 120")
    assert answer(cache, copy) == "2 120"

    edit(helper, "return (half * n) >> np.uint64(33)", "return (half * n) >> _S32")
    edit(table, "FOUR_ALIKE = 120", "FOUR_ALIKE = 100")
    before = files(cache)
    assert answer(cache, copy) == "8 100"
    assert files(cache) == before  # the first code again, and not compiled again


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    answer(tmp_path)
    before = files(tmp_path)
    assert before
    assert answer(tmp_path) == "8 100"
    assert files(tmp_path) == before


COUNT = """
import numba.core.event as events
count = 0
class Counter(events.Listener):
    def on_start(self, event): pass
    def on_end(self, event):
        global count
        count += hasattr(event.data["dispatcher"]._cache, "cache_path")
events.register("numba:compile", Counter())
"""
"""Counts the functions that a process compiles itself, of those that are kept on disk."""


def test_processes_that_start_cold_at_once_share_the_work(tmp_path: Path) -> None:
    code = WORK + "print(int(pick(np.uint64(3), np.uint32(0))), int(pick(np.int64(2), 7)))"
    code = COUNT + code + "\nprint(count)"
    alone = int(run(tmp_path / "alone", code=code).stdout.split()[-1])
    cache = tmp_path / "together"
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", code],
            env={**os.environ, "ARENA_CACHE_DIR": str(cache)},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    compiled = 0
    for process in started:
        out, err = process.communicate()
        assert (out.split()[:-1], err) == (["8", "100", "1", "2"], "")
        compiled += int(out.split()[-1])
    assert compiled == alone > 3, "each function by one of them"
    before = files(cache)
    assert run(cache, code=code).stdout.split() == ["8", "100", "1", "2", "0"]
    assert files(cache) == before


def test_damaged_files_are_compiled_again(tmp_path: Path) -> None:
    answer(tmp_path)
    for path in files(tmp_path):
        path.write_bytes(path.read_bytes()[:20] if path.suffix == ".nbc" else b"")
    assert answer(tmp_path) == "8 100"
    assert answer(tmp_path) == "8 100"


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "kernels").write_text("a file where a folder should be")
    assert answer(tmp_path) == "8 100"


def test_a_function_that_cannot_be_compiled_is_no_obstacle_to_others(tmp_path: Path) -> None:
    """Its lock is given back: nobody waits for code that never comes."""
    (tmp_path / "broken.py").write_text(
        "from arena.games.kernel.jit import compiled\n\n"
        "@compiled\ndef f(x):\n    return x + 'a' if x else {}\n"
    )
    code = """
import sys; sys.path.insert(0, sys.argv[1] if len(sys.argv) > 1 else FOLDER)
import broken
try:
    broken.f(1)
except Exception as error:
    print(type(error).__name__, broken.f._cache._lock.is_locked)
""".replace("FOLDER", repr(str(tmp_path)))
    assert run(tmp_path / "cache", code=code).stdout == "TypingError False\n"


def test_the_cache_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    monkeypatch.delenv("ARENA_CACHE_DIR", raising=False)
    assert cache_folder() == Path("/x/arena/kernels")
    monkeypatch.setenv("ARENA_CACHE_DIR", "/y")
    assert cache_folder() == Path("/y/kernels")
    monkeypatch.delenv("ARENA_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "arena" / "kernels"


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ARENA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)  # as for a number that names no user
    with pytest.raises(OSError, match="Not a directory"):
        cache_folder().mkdir(parents=True)


def test_all_sources_behind_a_module_are_found() -> None:
    sources = jit.sources_of(by_steps.__name__, Path(by_steps.__file__))
    games = [kernel.module.__file__ for kernel in our_kernels()]
    assert {Path(game) for game in games} <= sources, "what the generated module imports"
    assert any(path.name == "dispatch_generated.py" for path in sources)
    found = {str(path.relative_to(ROOT)) for path in sources if path.is_relative_to(ROOT)}
    expected = {
        "arena/__init__.py",
        "arena/core/cards.py",
        "arena/core/seeds.py",
        "arena/games/kernel/__init__.py",
        *(
            f"arena/games/kernel/{name}.py"
            for name in ("bits", "by_steps", "layout", "rng", "step")
        ),
        *(
            f"arena/games/{game}/{name}.py"
            for game in ("klaverjas", "schieber", "hearts")
            for name in ("__init__", "kernel", "tables", "rules")
        ),
        "arena/games/schieber/weis.py",
    }
    assert expected <= found
    assert not any("cli" in name or "bench" in name for name in found)


def test_every_form_of_import_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_packages", {"p"})
    (tmp_path / "p" / "sub").mkdir(parents=True)
    (tmp_path / "p" / "__init__.py").write_text("from . import of_init")
    (tmp_path / "p" / "sub" / "__init__.py").write_text("")
    (tmp_path / "p" / "a.py").write_text(
        "import numpy, p.b as bb\nfrom p import (\n    c,\n    d as dd,\n)\nfrom .sub.e import X\n"
        "def f():\n    from p.g import Y\n"
    )
    for name in ("b", "c", "d", "sub/e", "g", "h", "of_init", "unused"):
        (tmp_path / "p" / f"{name}.py").write_text("from ..h import Z" if name == "sub/e" else "")
    found = {path.stem for path in jit.sources_of("p.a", tmp_path / "p" / "a.py")}
    assert found == {"__init__", "a", "b", "c", "d", "e", "g", "h", "of_init"}


def test_a_script_is_a_source_too(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from arena.games.kernel.jit import compiled\n\n"
        "@compiled\ndef f(x):\n    return x + 1\n\nprint(f(1))\n"
    )
    run_script = f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')"
    assert run(tmp_path, code=run_script).stdout == "2\n"
    edit(script, "x + 1", "x + 2")
    assert run(tmp_path, code=run_script).stdout == "3\n"


def test_folders_long_unused_are_swept(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
    os.utime(old, (0, 0))
    jit._sweep(tmp_path)
    assert [folder.name for folder in tmp_path.iterdir()] == ["new"]


def arrays_in(annotation: object) -> bool:
    """Whether something of this type is or has an array."""
    if typing.get_origin(annotation) is np.ndarray or annotation is np.ndarray:
        return True
    fields = getattr(annotation, "_fields", None)
    parts = typing.get_type_hints(annotation).values() if fields else typing.get_args(annotation)
    return any(arrays_in(part) for part in parts)


def test_what_does_not_count_references_gives_no_arrays_back() -> None:
    uncounted = 0
    for package in (agents, arena.games):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for thing in vars(importlib.import_module(module.name)).values():
                if getattr(thing, "targetoptions", {}).get("_nrt", True):
                    continue
                uncounted += 1
                given = typing.get_type_hints(thing.py_func).get("return")
                assert not arrays_in(given), f"{thing.py_func.__qualname__} gives back {given}"
    assert uncounted > 100

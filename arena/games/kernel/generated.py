"""Generated modules: real files, so that their compiled code is cached.

numba keeps machine code of module-level functions on disk, but not of functions passed as
arguments or made by closures. So what is made to measure for a game is written to files in the
cache folder, named by their content, and imported from there. Every process that finds the same
game writes the same text, and so shares the files and all that is compiled from them.

`import_generated` is for one such module; `loops_of` for the loops of playouts, which are
compiled for each game from the same sources, with the functions and constants of the game in
place of a choice between games.
"""

from __future__ import annotations

import atexit
import importlib
import importlib.util
import os
import re
import shutil
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType

from arena.core.cache_folder import cache_folder
from arena.core.source_code import code_digest
from arena.games.kernel import jit
from arena.games.kernel.contract import FUNCTIONS, Function, Kernel

_HEAD = "# Written by {owner}; changes will be lost.\nimport numpy as np\n"
_COPIED = ("step", "by_steps", "tricks", "lanes")
"""The modules that loops are made of. A copy of each uses the functions of one game."""
_OTHER_MODULES = re.compile(
    rf"^from arena\.games\.kernel(?: import (dispatch|lanes)|\.({'|'.join(_COPIED)}) import)", re.M
)
_LOOPS = """
from {package} import lanes
from {package}.by_steps import (
    playout_random_by_steps,
    playout_semi_by_steps,
    random_trick,
    semi_trick,
)
from {package}.step import final_scores
from {package}.tricks import tricks
from arena.games.kernel.jit import compiled, uncounted
from arena.games.kernel.layout import BY_STEPS, RULE, TABLE, ZERO

KIND = np.uint64({number})


@uncounted
def playout_random(state, game, rng):
    if game[BY_STEPS] != ZERO:
        playout_random_by_steps(state, game, rng)
        return
    seed, rule = rng[0], game[RULE]
    if state[TABLE] != ZERO:
        seed = random_trick(state, game, seed)
{random}
    rng[0] = seed


@uncounted
def playout_semi(state, game, rng, semi_random_flags):
    if game[BY_STEPS] != ZERO:
        playout_semi_by_steps(state, game, rng, semi_random_flags)
        return
    seed, rule = rng[0], game[RULE]
    if state[TABLE] != ZERO:
        seed = semi_trick(state, game, seed, semi_random_flags)
{semi}
    rng[0] = seed


@compiled
def playouts(state, game, worlds, seeds, scores):
    end = state.copy()
    if game[BY_STEPS] != ZERO:
        for row in range(len(seeds)):
            lanes.enter(state, worlds[row], end)
            playout_random_by_steps(end, game, seeds[row : row + 1])
            final_scores(end, game, scores[row])
        return
    rule = game[RULE]
    side_by_side = np.empty(lanes.SIZE, dtype=np.uint64)
    for start in range(0, len(seeds), lanes.LANES):
        count = min(lanes.LANES, len(seeds) - start)
        lanes.fill(side_by_side, count, state, game, worlds[start:], seeds[start:], end)
{bulk}
        for lane in range(count):
            seeds[start + lane] = lanes.read(side_by_side, lane, end)
            final_scores(end, game, scores[start + lane])
"""


@cache
def loops_of(kernel: Kernel) -> ModuleType:
    """`playout_random`, `playout_semi` and `playouts` for one game."""
    package = f"arena_loops_{re.sub(r'[^a-z0-9]', '_', kernel.game.lower())}"
    here = Path(__file__).parent
    sources = {
        "__init__": "",
        "dispatch": functions_of(kernel),
        "loops": _LOOPS.format(
            package=package,
            number=kernel.number,
            random=_for_each_rule(
                kernel, 1, "seed = tricks(KIND, RULE, False, state, game, seed, ZERO)"
            ),
            semi=_for_each_rule(
                kernel, 1, "seed = tricks(KIND, RULE, True, state, game, seed, semi_random_flags)"
            ),
            bulk=_for_each_rule(kernel, 2, "lanes.tricks(KIND, RULE, side_by_side, state, game)"),
        ),
    }
    for name in _COPIED:
        text = (here / f"{name}.py").read_text(encoding="utf-8")
        sources[name] = _OTHER_MODULES.sub(lambda found: _from_copy(package, found), text)
    folder = _written(package, {f"{package}/{name}.py": text for name, text in sources.items()})
    return _import(f"{package}.loops", folder / package)


def _from_copy(package: str, found: re.Match[str]) -> str:
    module, copied = found.groups()
    return f"from {package} import {module}" if module else f"from {package}.{copied} import"


def _for_each_rule(kernel: Kernel, depth: int, statement: str) -> str:
    """A statement for the rules that a game calls special, in which RULE is a constant."""
    lines: list[str] = []
    indent = "    " * depth
    for number in kernel.special_rules:
        lines.append(f"{'elif' if lines else 'if'} rule == np.uint64({number}):")
        lines.append(f"    {statement.replace('RULE', f'np.uint64({number})')}")
    if lines:
        lines.append("else:")
    lines.append(f"{'    ' if lines else ''}{statement.replace('RULE', 'rule')}")
    return "\n".join(indent + line for line in lines)


def functions_of(kernel: Kernel) -> str:
    """The text of a module that has the functions of the contract for one game only."""
    package, _, name = kernel.module.__name__.rpartition(".")
    lines = [
        f"from {package} import {name} as functions",
        "from arena.games.kernel.jit import inlined",
        "from arena.games.kernel.layout import HOLDER, ONE, THREE, ZERO",
    ]
    for name, function in FUNCTIONS.items():
        lines += _definition(
            name, ("kind", *function.parameters), call_of(kernel, name, function, "functions")
        )
    for name, value in (
        ("step", "ONE" if kernel.step == 1 else "THREE"),
        ("can_open", kernel.has("opens")),
        ("pairs", kernel.pairs),
        ("alone", kernel.alone),
    ):
        lines += _definition(name, ("kind",), str(value))
    return "\n".join([*lines, ""])


def _definition(name: str, parameters: tuple[str, ...], answer: str) -> list[str]:
    return ["", "", "@inlined", f"def {name}({', '.join(parameters)}):", f"    return {answer}"]


def call_of(kernel: Kernel, name: str, function: Function, module: str) -> str:
    """The call of a game's function in generated code, or the usual answer if it has none."""
    if not kernel.has(name) and function.usual is not None:
        return function.usual
    return f"{module}.{name}({', '.join(function.parameters)})"


def import_generated(owner: str, source: str) -> ModuleType:
    """The module that `source` makes; `owner`, the name of the module it is for, depends on it."""
    stem = f"{owner.rpartition('.')[2]}_generated"
    folder = _written(stem, {f"{stem}.py": source}, owner)
    name = f"{owner}_generated"
    jit.made_from(owner, name, folder / f"{stem}.py")
    return _load(name, folder / f"{stem}.py")


def _import(name: str, folder: Path) -> ModuleType:
    """Import a module of a generated package, which no path of the interpreter leads to."""
    package = name.partition(".")[0]
    _load(package, folder / "__init__.py", [str(folder)])
    return importlib.import_module(name)


def _load(name: str, path: Path, submodules: list[str] | None = None) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=submodules)
    assert spec is not None and spec.loader is not None  # it is a Python file
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # numba looks it up there
    spec.loader.exec_module(module)
    return module


def _written(stem: str, sources: dict[str, str], owner: str = __name__) -> Path:
    """The folder with these files."""
    texts = {name: _HEAD.format(owner=owner) + text for name, text in sources.items()}
    texts = {name: _future_first(text) for name, text in texts.items()}
    folder = cache_folder() / f"{stem}-source-{code_digest([], repr(sorted(texts.items())))}"
    try:
        _write(folder, texts)
        with suppress(OSError):  # a folder that can only be read
            os.utime(folder)
    except OSError:
        # No cache: then everything is compiled anew by every process, from files of its own.
        folder = Path(tempfile.mkdtemp(prefix="arena-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _write(folder, texts)
    return folder


def _future_first(text: str) -> str:
    """A module with its import from `__future__`, if it has one, at the beginning."""
    future = "from __future__ import annotations\n"
    return future + text.replace(future, "") if future in text else text


def _write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        path = folder / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        # Others may write the same text at the same time: each replaces the whole file at once.
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)

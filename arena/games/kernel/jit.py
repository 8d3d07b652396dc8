"""The one place that compiles: a decorator, and a disk cache that never serves old code.

    @compiled
    def popcount_of_hand(state, seat): ...

numba's own cache looks only at the file in which a function stands, so that editing a
helper or a table in another module keeps serving the old machine code. Here a module's
code is kept in a folder named by a digest of every source it is made from: the module
and all it imports, directly or not, from packages that hold compiled code; and of the
versions and the CPU that decide what machine code is made of them.

The folder is `$ARENA_CACHE_DIR`, else `$XDG_CACHE_HOME/arena`, else `~/.cache/arena`. If it cannot
be written, everything works, but what is not there is compiled anew by every process. With
`NUMBA_DISABLE_JIT=1` everything runs as plain Python, for debugging.
"""

from __future__ import annotations

import functools
import os
import pickle
import platform
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import llvmlite
import llvmlite.binding
import numba
import numpy as np
from filelock import FileLock, Timeout
from numba.core import caching as numba_caching
from numba.core import config as numba_config
from numba.core import types as numba_types

from arena.core import source_code
from arena.core.cache_folder import cache_folder

F = TypeVar("F", bound=Callable[..., Any])

LLVM_OPTIONS = ("-x86-cmov-converter=0",) if platform.machine() in ("x86_64", "AMD64") else ()
"""Who takes a trick cannot be foreseen, so conditional moves must stay what they are: turned
into branches, as LLVM does by default, a random round takes 1.4 times as long."""
for _option in LLVM_OPTIONS:
    llvmlite.binding.set_option("arena", _option)

# numba says little about the types of its insides.
config: Any = numba_config
caching: Any = numba_caching
types: Any = numba_types

_UNUSED_FOLDERS_KEPT_S = 30 * 24 * 3600
_PATIENCE_S = 300.0
"""How long a process waits for another one to compile a function before it does so itself."""
_functions: list[Any] = []
"""All compiled functions of the modules imported so far."""


def compiled(function: F) -> F:
    """Compile a module-level function on its first call, or take it from the disk cache."""
    return _compile(function, forceinline=False, counted=True)


def uncounted(function: F) -> F:
    """As `compiled`, for what makes no arrays and gives none back: its arrays are borrowed.

    numba counts references to arrays, and in loops it often counts up and down again for each
    function called; random rounds of Hearts took three times as long. A function that makes an
    array is refused when it is compiled: "NRT required but not enabled". Nothing refuses one that
    gives back an array or part of one, but `tests/games/kernel/test_jit.py` finds ours.
    """
    return _compile(function, forceinline=False, counted=False)


def inlined(function: F) -> F:
    """As `uncounted`, and always inlined into its callers: for the smallest helpers."""
    return _compile(function, forceinline=True, counted=False)


def _compile(function: F, forceinline: bool, counted: bool) -> F:
    if config.DISABLE_JIT:
        return _as_python(function)
    # Nothing takes the address of a function, and wrappers in C are a tenth of the compiling.
    options: dict[str, Any] = {
        "forceinline": forceinline, "no_cfunc_wrapper": True, "_nrt": counted,
    }  # fmt: skip
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    with suppress(_NoCacheError):  # then it is compiled once per process
        cache = dispatcher._cache = _SharedCache(function)
        dispatcher.compile = functools.partial(cache.compile, dispatcher.compile)
    _functions.append(dispatcher)
    result: F = dispatcher
    return result


def _as_python(function: F) -> F:
    @functools.wraps(function)
    def wrapped(*args: Any) -> Any:
        # Words wrap around, as they do in machine code.
        with np.errstate(over="ignore"):
            return function(*args)

    return cast(F, wrapped)


def records(array: np.ndarray[Any, Any]) -> Any:
    """A structured array as compiled code takes it soonest, its fields written as attributes.

    numba takes a `recarray` for the same type, but needs 2 µs more for each call from Python;
    plain Python has attributes only there.
    """
    return array.view(np.recarray) if config.DISABLE_JIT else array


# --- the disk cache ----------------------------------------------------------------------


class _NoCacheError(Exception):
    """The cache folder cannot be used."""


class _Locator(caching._CacheLocator):  # type: ignore[misc]  # numba's, untyped
    """Tells numba where the code of a function is kept."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file = file
        self._line = _line_of(function)
        self._folder = _folder_for(function.__module__, Path(file))

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_func, py_file)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return "the folder is the stamp"

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc]  # numba's, untyped
    _locator_classes = (_Locator,)


class _SharedCache(caching.FunctionCache):  # type: ignore[misc]  # numba's, untyped
    """numba's cache in our folder, for several processes at a time.

    A function is compiled by one process only: others that need it wait and load it. So processes
    that start cold share the work. A damaged entry counts as a missing one. A folder that cannot
    be locked or written is done without.
    """

    _impl_class = _Implementation

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        name = f"{function.__name__}-{_line_of(function)}.lock"
        self._lock = FileLock(Path(self.cache_path) / name)

    def compile(self, compile_: Callable[[Any], Any], signature: Any) -> Any:
        """numba's `compile`; a lock that `load_overload` has taken is given back at its end.

        An integer that is written in a call has a type of its own for each value, and numba would
        compile the function for each of them.
        """
        depth = self._lock.lock_counter
        try:
            return compile_(_without_literals(signature))
        finally:
            if self._lock.lock_counter > depth:
                self._lock.release()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for a signature; None if this process is to compile it."""
        found = self._loaded(sig, target_context)
        if found is not None:
            return found
        try:
            self._lock.acquire(timeout=_PATIENCE_S)
        except (OSError, NotImplementedError, Timeout):
            return None
        return self._loaded(sig, target_context)  # it may be there by now

    def _loaded(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except OSError:
            return None
        except (EOFError, ValueError, pickle.UnpicklingError):
            # Cut short by a power cut, say. Begin this function's index anew.
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code for a signature."""
        # A full disk or a folder swept away: the code is there, only not kept.
        with suppress(OSError):
            super().save_overload(sig, data)


def _without_literals(signature: Any) -> Any:
    """The types of arguments (or of a whole signature), those of constants made general."""
    if isinstance(signature, tuple):
        return tuple(types.unliteral(kind) for kind in signature)
    return signature


def _line_of(function: Callable[..., Any]) -> int:
    return int(function.__code__.co_firstlineno)


# --- how far compiling has got -----------------------------------------------------------


class Compiling(NamedTuple):
    """How many functions all processes have compiled since some time, and how many there are."""

    done: int
    most: int
    """Functions in the modules imported here; not all of them need be used."""


def compiled_since(start: float) -> Compiling:
    """What has been added to the cache since `start`, by `time.time`."""
    done = 0
    with suppress(OSError):
        for path in cache_folder().glob("*/*.nbc"):
            done += path.stat().st_mtime >= start
    return Compiling(done, max(done, len(_functions)))


def class_digest(thing: type) -> str:
    """A digest of all sources that a class is made from, and of the machine."""
    return _digest(thing.__module__, _file_of(thing))


def _file_of(thing: type) -> Path:
    return Path(getattr(sys.modules[thing.__module__], "__file__", None) or ".").resolve()


# --- which sources a module is made from -------------------------------------------------

_packages = {"arena"}
"""Top-level packages that hold compiled code; it grows as they are imported."""
_roots = {Path(__file__).resolve().parents[3]}
"""The folders in which these packages are."""
_made_from: dict[str, tuple[str, Path]] = {}
"""Name and file of the generated module that a module gets its functions from."""


def made_from(module: str, generated: str, file: Path) -> None:
    """Tell that a module depends on a generated one, which no import statement names."""
    _made_from[module] = (generated, file)


@functools.cache
def _folder_for(module: str, file: Path) -> Path:
    # Whatever a compiled function uses from another package was imported, and so
    # decorated, before the function itself.
    if module not in {generated for generated, _ in _made_from.values()}:
        _packages.add(module.partition(".")[0])
        _roots.update(_root_of(module, file.resolve()))
    try:
        folder = cache_folder() / f"{module.rpartition('.')[2]}-{_digest(module, file.resolve())}"
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _sweep(folder.parent)
        with suppress(OSError):  # read-only, as for agents in a sandbox: what is there is used
            os.utime(folder)
    except OSError as error:
        raise _NoCacheError from error
    return folder


def _digest(module: str, file: Path) -> str:
    machine = (
        *(platform.python_version(), numba.__version__, llvmlite.__version__, np.__version__),
        *(platform.machine(), llvmlite.binding.get_host_cpu_name()),
        *(config.CPU_NAME, config.CPU_FEATURES, config.OPT, config.DEBUGINFO_DEFAULT),
        *LLVM_OPTIONS,
        module,
    )
    return source_code.code_digest(sources_of(module, file), repr(machine), content=_graph.content)


_graph = source_code.ImportGraph()
"""Many modules are made from the same sources, and none changes while it is imported."""


def sources_of(module: str, file: Path) -> set[Path]:
    """The file of a module and of all that it imports, as far as compiled code can be there."""
    generated = {name: path for name, (_, path) in _made_from.items()}
    return _graph.files(module, file, _roots | _root_of(module, file), _packages, generated)


def _root_of(module: str, file: Path) -> set[Path]:
    """The folder in which the top-level package of a module is; none for a file too high up."""
    depth = module.count(".") + (file.name == "__init__.py")
    return {file.parents[depth]} if depth < len(file.parents) else set()


def _sweep(folder: Path) -> None:
    # Each change of the sources leaves a folder behind; those long unused go.
    now = time.time()
    for old in folder.iterdir():
        if now - old.stat().st_mtime > _UNUSED_FOLDERS_KEPT_S:
            shutil.rmtree(old, ignore_errors=True)

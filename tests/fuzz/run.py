"""Fuzzing: `python tests/fuzz/run.py COUNT [KIND ...] [--seed S] [--from N] [--only NUMBER]`.

Without a seed it is the date, which is printed: there are other inputs every day, each of which
can be had again.

`--from` goes on with a campaign that was ended. Every input goes through the commands as people
type them, in this process. What is asked of them: exit code 0, 1 or 2, one way or another no
traceback, no more than ten seconds of CPU, no more memory than there is allowed, and nothing
written outside of the folder of the input.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in the script: threads that wait use CPU

import targets  # noqa: E402

from arena.core.cache_folder import cache_folder  # noqa: E402
from arena.core.deals import DealSet  # noqa: E402

KEPT = (str(cache_folder()), str(Path.home() / ".cache"), str(Path.home() / ".config"))
"""Where compiled code is kept, and what matplotlib finds out about fonts."""
SECONDS = 10
MEMORY = 6 << 30
"""Bytes of address space; libraries map two of them before anything is read."""
WRITES = ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.link", "os.truncate")


class Slow(BaseException):
    """An input took too long."""


class Screen(io.TextIOWrapper):
    """Keeps what is written to it, as text and as bytes."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", errors="backslashreplace")

    @property
    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(errors="replace")  # type: ignore[attr-defined]


class Outside:
    """Notes whatever is written outside of a folder."""

    def __init__(self) -> None:
        self.folder: str | None = None
        self.seen: list[str] = []
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if self.folder is None:
            return
        if event == "open":
            path, _, flags = args
            if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and not isinstance(path, int):
                self._note(event, path)
        elif event in WRITES:
            self._note(event, args[0])
        elif event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"):
            self.seen.append(f"{event} {args[0]!r}")

    def _note(self, event: str, path: Any) -> None:
        full = os.path.realpath(os.fsdecode(path))
        assert self.folder is not None
        ours = full.startswith((self.folder, *KEPT)) or "__pycache__" in full
        if not ours and full != "/dev/null":
            self.seen.append(f"{event} {full}")


@contextlib.contextmanager
def limited() -> Iterator[None]:
    def stop(number: int, frame: object) -> None:
        raise Slow

    # CPU time: on a machine that has other things to do, the clock says little.
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def remember_shipped_deals() -> None:
    """Read sets that come with arena once: that was half of the time."""
    load, shipped = DealSet.load, targets.ROOT / "deals"
    remembered = cache(load)

    def quickly(path: Path) -> DealSet:
        return (remembered if path.is_relative_to(shipped) else load)(path)

    DealSet.load = quickly  # type: ignore[assignment, method-assign]


def trouble(target: targets.Target, rng: random.Random, outside: Outside) -> str:
    """Make an input, run it, and say what is wrong; nothing if nothing is."""
    folder = Path(tempfile.mkdtemp(prefix="arena-fuzz-")).resolve()
    before = Path.cwd()
    os.chdir(folder)
    outside.seen.clear()
    try:
        runs: list[Callable[[], int]] = target(folder, rng)
        for run in runs:
            out, error = Screen(), Screen()
            outside.folder = str(folder)
            try:
                with limited(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
                    code = run()
            except SystemExit as stopped:
                code = stopped.code
            except Slow:
                return f"took more than {SECONDS} s of CPU"
            except BaseException:
                return traceback.format_exc()
            finally:
                outside.folder = None
            if code not in (0, 1, 2):
                return f"exit code {code!r}"
            said = out.text + error.text
            if code == 2 and not error.text.strip():
                return "exit code 2 without a word"
            if "Traceback" in said:
                return f"a traceback: {error.text[-500:]}"
            if "\x1b" in said:
                return f"an escape: {said[-300:]!r}"
            if outside.seen:
                return f"outside: {outside.seen}"
        return ""
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, help="inputs of each kind")
    parser.add_argument("kinds", nargs="*", metavar="kind", help=", ".join(targets.TARGETS))
    parser.add_argument("--seed", default=f"{datetime.now(UTC):%Y-%m-%d}")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="N")
    parser.add_argument("--only", type=int, help="this input again")
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    numbers = range(args.first, args.count) if args.only is None else [args.only]
    remember_shipped_deals()
    outside, failed_in_all = Outside(), 0
    print(f"seed {args.seed}", flush=True)
    for kind in args.kinds or targets.TARGETS:
        failed = 0
        for number in numbers:
            rng = random.Random(f"{args.seed} {kind} {number}")
            if wrong := trouble(targets.TARGETS[kind], rng, outside):
                failed += 1
                print(f"{kind} {number}: {wrong}", flush=True)
        print(f"{kind}: {len(numbers)} inputs, {failed} failed", flush=True)
        failed_in_all += failed
    return 1 if failed_in_all else 0


if __name__ == "__main__":
    sys.exit(main())

"""Compiling what agents need before they play: decisions that do not count, by all workers.

An agent of a family with `compiles = True` decides once in each phase and once near the end of a
round. The workers do this at the same time, and each function is compiled by one of them (`jit`),
so that a first start uses all cores and compiles nothing that no agent of the experiment needs.
A stamp in the cache folder says that the same agent with the same code has practised by the same
rules.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from arena.core.agent import Setup, sees_all_cards
from arena.core.cache_folder import cache_folder
from arena.core.rules import Rules
from arena.core.seeds import Rng, rng_for
from arena.core.source_code import code_digest
from arena.process.builder import Builder

_LATE_TRICKS = 3
_LOOK_EVERY_S = 0.5


def unpractised(rules: Rules, builders: list[Any]) -> dict[Path, Builder]:
    """The agents with compiled code that have not practised yet, by the stamps they will get."""
    jit = sys.modules.get("arena.games.kernel.jit")
    if jit is None or jit.config.DISABLE_JIT:
        return {}
    found: dict[Path, Builder] = {}
    for builder in builders:
        family = getattr(builder, "family", None)
        if isinstance(builder, Builder) and isinstance(family, type) and _compiles(family):
            words = (family, builder.parameters, builder.bidder_family, builder.bidder_parameters)
            digest = code_digest([], repr((words, rules)), jit.class_digest(family))
            found[cache_folder() / "practised" / digest] = builder
    return {stamp: builder for stamp, builder in found.items() if not stamp.exists()}


def _compiles(family: type) -> bool:
    """Whether a family says that its decisions compile code; others could hang without limit."""
    return bool(getattr(family, "compiles", False))


def practise(rules: Rules, builder: Builder, stamp: Path) -> None:
    """Let an agent decide in every phase and near the end of a round; then set its stamp.

    What goes wrong here goes wrong again where it counts.
    """
    player, rng, seen = builder.build(), Rng(0), set()
    state = rules.start(rules.random_deal(rng_for(0, "practice deal"), 0))
    try:
        while state.turn is not None:
            is_late = len(state.tricks) >= rules.hand_size - _LATE_TRICKS
            if (state.phase, is_late) not in seen and len(state.legal) > 1:
                seen.add((state.phase, is_late))
                view = rules.view(state, state.turn, all_hands=sees_all_cards(player))
                player.take_seat(Setup(rules, state.turn)).act(view, Rng(rng.next64()))
            rules.apply(state, rng.choice(state.legal))
    except Exception:  # of any agent
        return
    finally:
        player.close()
    with suppress(OSError):  # no cache folder
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()


@contextmanager
def announced(say: Callable[[str], None], status: Callable[[str], None] | None) -> Iterator[None]:
    """Report how many functions have been compiled while something runs.

    `say` is given one line when compiling begins, `status` one after the other, to show in place.
    """
    done = threading.Event()
    thread = threading.Thread(target=_announce, args=(done, say, status), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _announce(
    done: threading.Event, say: Callable[[str], None], status: Callable[[str], None] | None
) -> None:
    from arena.games.kernel.jit import compiled_since

    start, begun = time.time(), False
    while not done.wait(_LOOK_EVERY_S):
        count, most = compiled_since(start)
        if not count:
            continue
        if not begun:
            begun = True
            say("compiling kernels (once per machine) ...")
        if status is not None:
            status(f"compiling {count} of at most {most} functions ...")

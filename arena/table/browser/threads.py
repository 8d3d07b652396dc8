"""Slow calls, such as an agent's decision, in threads of their own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


async def in_thread(call: Callable[..., T], *given: Any) -> T:
    """Call it in a thread of its own, which does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def settle(set_it: Callable[[Any], None], value: Any) -> None:
        if not result.done():
            set_it(value)

    def work() -> None:
        try:
            found = call(*given)
        except BaseException as error:
            outcome: tuple[Callable[[Any], None], Any] = (result.set_exception, error)
        else:
            outcome = (result.set_result, found)
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, *outcome)

    threading.Thread(target=work, name="table", daemon=True).start()
    return await result

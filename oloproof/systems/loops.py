"""An event loop on a thread of its own, on which the awaitables of many threads are awaited."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context, copy_context
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

_GRACE = 2.0


class SharedLoop:
    """Started when it is first needed; nothing that runs on it can end it. Called from any thread."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._stopping = False

    def result(self, awaitable: Awaitable[Any], *, context: Context | None = None, timeout: float | None = None) -> Any:
        """Return what ``awaitable`` comes to, run in ``context``; raises what it raises.

        Raises:
            TimeLimit: it did not come to an end within ``timeout`` seconds; it was cancelled.
        """
        future = (context or copy_context()).run(self._handing_over(), _settled(awaitable))
        try:
            value, error = future.result(timeout)
        except TimeoutError:  # what the awaitable raises comes as ``error``
            future.cancel()
            raise TimeLimit from None
        if error is not None:
            raise error
        return value

    def _handing_over(self) -> Callable[[Coroutine[Any, Any, Any]], Future[Any]]:
        """Return what hands a coroutine over to the loop, which then runs."""
        import asyncio  # a twentieth of the time of a short run, and most systems need no loop

        with self._starting:
            if self._runner is None:
                self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
                arguments = (self._runner, self._runner.get_loop())
                self._thread = threading.Thread(target=self._run, args=arguments, name="oloproof-loop", daemon=True)
                self._thread.start()
            return partial(asyncio.run_coroutine_threadsafe, loop=self._runner.get_loop())

    def _run(self, runner: asyncio.Runner, loop: asyncio.AbstractEventLoop) -> None:
        with runner:
            while not self._stopping:
                with contextlib.suppress(SystemExit, KeyboardInterrupt):
                    loop.run_forever()

    def close(self) -> None:
        """End it, cancelling what still runs on it; a coroutine that blocks the loop is left behind after a moment."""
        with self._starting:
            if self._runner is None or self._thread is None:
                return
            self._stopping = True
            loop = self._runner.get_loop()
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join(_GRACE)
            self._runner = self._thread = None
            self._stopping = False


class TimeLimit(Exception):
    """An awaitable was not done in time."""


async def _settled(awaitable: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    """Return the value or what was raised: a SystemExit that left a task would end the loop for everybody."""
    try:
        return await awaitable, None
    except BaseException as error:  # noqa: BLE001 - handed over to the caller's own thread
        return None, error

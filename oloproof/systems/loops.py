"""An event loop on a thread of its own, on which the awaitables of many threads are awaited."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable
from contextvars import Context, copy_context
from typing import Any

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
        loop = self._running()
        future = (context or copy_context()).run(asyncio.run_coroutine_threadsafe, _settled(awaitable), loop)
        try:
            value, error = future.result(timeout)
        except TimeoutError:  # what the awaitable raises comes as ``error``
            future.cancel()
            raise TimeLimit from None
        if error is not None:
            raise error
        return value

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._runner is None:
                self._runner = asyncio.Runner()
                loop = self._runner.get_loop()
                self._thread = threading.Thread(
                    target=self._run, args=(self._runner, loop), name="oloproof-loop", daemon=True
                )
                self._thread.start()
            return self._runner.get_loop()

    def _run(self, runner: asyncio.Runner, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
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

"""The workbench while it opens: it answers at once, and what needs its pages waits until they are loaded.

Loading the pages with all that they read from takes longer than starting a server, and a browser takes its time as
well; so both happen beside each other.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future
from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from oloproof.workbench.safety import Guard

if TYPE_CHECKING:
    from starlette.applications import Starlette


class Opening:
    """An ASGI application that loads another one in a thread, and hands every request on to it.

    ``load`` returns the application with its desk and live progress as ``state``; ``hosts`` are the values of ``Host``
    under which ``/healthz`` is answered meanwhile.
    """

    def __init__(self, load: Callable[[], Starlette], *, hosts: Collection[str]) -> None:
        self._load = load
        self._loaded: Future[Starlette] = Future()
        self._health: ASGIApp = Guard(PlainTextResponse("ok"), hosts=hosts, token="", read_only=True)
        self._thread = threading.Thread(target=self._run, name="opening", daemon=True)
        self._failed: Callable[[], None] = lambda: None

    def begin(self, failed: Callable[[], None]) -> None:
        """Begin to load; ``failed`` is called when that cannot be done."""
        self._failed = failed
        self._thread.start()

    def _run(self) -> None:
        try:
            self._loaded.set_result(self._load())
        except BaseException as error:  # noqa: BLE001 - told by whoever waits for it
            self._loaded.set_exception(error)
            self._failed()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if not self._loaded.done() and scope["type"] == "http" and scope["path"] == "/healthz":
            await self._health(scope, receive, send)
            return
        app = await asyncio.wrap_future(self._loaded)
        await app(scope, receive, send)

    def stop(self) -> None:
        """End the streams of events, which do not end by themselves."""
        if self._loaded.done() and self._loaded.exception() is None:
            self._loaded.result().state.live.stop()

    def close(self) -> None:
        """Close the desk of what was loaded; what is still being loaded has opened nothing, and is not waited for.

        Raises:
            BaseException: what went wrong while it was loaded.
        """
        if self._loaded.done():
            self._loaded.result().state.desk.close()

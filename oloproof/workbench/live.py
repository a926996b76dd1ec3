"""Progress of runs under way, as server-sent events: one reading a second, however many pages watch.

There is no task of its own: the first of the watchers to find the last reading old takes the next one, the others are
given that. A watcher that is slow misses readings and holds none back; one that has gone is told by its connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from oloproof.errors import OloproofError
from oloproof.storage.progress import RunProgress
from oloproof.workbench.answers import problem
from oloproof.workbench.desk import Desk
from oloproof.workbench.pages.progress import event_of

PACE = 1.0
"""Seconds between two readings."""
MOST_WATCHERS = 64
_QUIET = 15.0
"""Seconds after which a stream in which nothing happens says that it is alive, so that a lost client is noticed."""

_TYPE = "text/event-stream"

Reading = Mapping[str, RunProgress]


class Live:
    """The streams of one app."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lock = threading.Lock()
        self._reading: Reading = {}
        self._read_at = 0.0
        self._ends: set[asyncio.Event] = set()
        self._stopped = False

    def routes(self) -> list[Route]:
        """Return the one route."""
        return [Route("/events", self.answer, methods=["GET"])]

    def stop(self) -> None:
        """End every stream, now and from now on: the server shuts down. Call it in the server's event loop."""
        self._stopped = True
        for end in self._ends:
            end.set()

    async def answer(self, request: Request) -> Response:
        """Answer with ``progress`` events of every run under way, or of ``?run=`` until it ends; ``ended`` says that.

        ``began`` names a run that was not under way when the stream began.
        """
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return problem(request, 403, "foreign_origin", "only a page of the workbench itself may follow its runs")
        if len(self._ends) >= MOST_WATCHERS:
            return problem(request, 503, "too_many_watchers", "too many pages are open that follow runs; close some")
        named, run = request.query_params.get("run"), None
        if named is not None:
            run = await run_in_threadpool(lambda: self._desk.history.find(named).id)
        headers = {"Cache-Control": "no-store"}
        if request.method == "HEAD":
            return Response(headers=headers, media_type=_TYPE)
        return StreamingResponse(self._events(run), headers=headers, media_type=_TYPE)

    async def _events(self, run: str | None) -> AsyncIterator[str]:
        end = asyncio.Event()
        self._ends.add(end)
        try:
            yield "retry: 3000\n\n"
            told: Reading | None = None
            spoke = time.monotonic()
            while not (self._stopped or end.is_set()):
                now = await self._latest()
                found = now if run is None else {name: one for name, one in now.items() if name == run}
                text = "".join(_changes(told, found, run))
                told = found
                if text or time.monotonic() - spoke > _QUIET:
                    spoke = time.monotonic()
                    yield text or ": still here\n\n"
                if run is not None and run not in found:
                    return
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(end.wait(), PACE)
        finally:
            self._ends.discard(end)

    async def _latest(self) -> Reading:
        if self._is_fresh():
            return self._reading
        return await run_in_threadpool(self._read)

    def _is_fresh(self) -> bool:
        return time.monotonic() - self._read_at < PACE * 0.9

    def _read(self) -> Reading:
        """Read how far the runs are, once for all who wait. What cannot be read just now stays as it was."""
        with self._lock:
            if not self._is_fresh():
                with contextlib.suppress(OloproofError):
                    self._reading = {one.run: one for one in self._desk.progress.under_way()}
                self._read_at = time.monotonic()
            return self._reading


def _changes(told: Reading | None, found: Reading, run: str | None) -> list[str]:
    """Return the events between two readings; ``told`` is None at the start of a stream."""
    before = {} if told is None else told
    events = [_event("progress", event_of(one)) for name, one in found.items() if before.get(name) != one]
    if told is not None:
        events += [_event("began", event_of(one)) for name, one in found.items() if name not in told]
    gone = [name for name in before if name not in found]
    if run is not None and told is None and run not in found:
        gone = [run]
    return events + [_event("ended", {"run": name}) for name in gone]


def _event(name: str, data: Mapping[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"

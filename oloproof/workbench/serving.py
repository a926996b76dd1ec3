"""Recorded files over HTTP: found by run and item only, verified, and sent from the very handle that was verified.

A changed file is answered with 409 and both digests, one that is gone with 410 and where it was. What a browser might
run is sent as a file to be saved.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any
from urllib.parse import quote

from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from oloproof.errors import MediaDrift, MediaError, MediaMissing, MediaUnreadable, RunNotFound, ToolMissing
from oloproof.media import MediaReader
from oloproof.media.formats import FORMATS, named_for
from oloproof.media.reading import open_regular
from oloproof.media.spectrograms import TOPS
from oloproof.records import MediaItem
from oloproof.workbench.answers import problem
from oloproof.workbench.derived import Derivation, Recipe, frame_at, frame_times, picture, small, spectrogram
from oloproof.workbench.desk import Desk
from oloproof.workbench.ranges import NotSatisfiable, Span, asked_span, is_known, same_bytes

CHUNK_BYTES = 1 << 21
"""What is held in memory of a file that is being sent: with half of it, large files take a third longer."""

_SEALED = "script-src 'none'; sandbox"
_CACHING = "private, no-cache"
"""A browser may keep it and asks each time whether it still is the recorded file."""

_INLINE = frozenset(
    {
        "jpeg", "png", "apng", "gif", "webp", "avif", "bmp", "ico",
        "wav", "flac", "mp3", "aac", "ogg", "m4a",
        "mp4", "mov", "webm", "mkv", "mka", "ogv", "3gp",
    }
)  # fmt: skip
"""Formats that browsers show without running anything in them."""

_NOT_OF_THIS_KIND = frozenset({"no_decoder", "not_an_image", "no_pictures", "no_audio"})
_TIME = re.compile(r"[0-9]{1,7}(\.[0-9]{1,9})?", re.ASCII)


class MediaRoutes:
    """The addresses under ``/media``, for the project at a desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._derivation = Derivation(desk.derived)

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            Route("/media/{run}/{item}", self.file, methods=["GET"]),
            Route("/media/{run}/{item}/thumbnail", self.thumbnail, methods=["GET"]),
            Route("/media/{run}/{item}/picture", self.picture, methods=["GET"]),
            Route("/media/{run}/{item}/frames", self.frame_times, methods=["GET"]),
            Route("/media/{run}/{item}/frames/{time}", self.frame, methods=["GET"]),
            Route("/media/{run}/{item}/spectrogram/{top}", self.spectrogram, methods=["GET"]),
        ]

    async def file(self, request: Request) -> Response:
        """Answer with the recorded bytes, or a range of them."""
        reader, item = await self._found(request)
        try:
            opened = await run_sync(OpenedFile, reader, item)
        except MediaError as error:
            return await run_sync(_refusal, request, reader, item, error)
        return _answer(request, item, opened)

    async def thumbnail(self, request: Request) -> Response:
        """Answer with a small picture: of an image, of the middle of a video, or the waveform of a sound."""
        reader, item = await self._found(request)
        return await self._made(request, reader, item, small(item))

    async def picture(self, request: Request) -> Response:
        """Answer with an image of full size as a PNG, for formats that browsers do not show."""
        reader, item = await self._found(request)
        return await self._made(request, reader, item, picture())

    async def frame_times(self, request: Request) -> Response:
        """Answer with the moments at which the frames of a video are shown, as JSON."""
        reader, item = await self._found(request)
        return await self._made(request, reader, item, frame_times())

    async def spectrogram(self, request: Request) -> Response:
        """Answer with a picture of a sound over time and frequency, up to a frequency in Hz."""
        top = request.path_params["top"]
        if top not in map(str, TOPS):
            raise HTTPException(404, f"{top!r} is no highest frequency; there are {', '.join(map(str, TOPS))} (Hz)")
        reader, item = await self._found(request)
        return await self._made(request, reader, item, spectrogram(int(top)))

    async def frame(self, request: Request) -> Response:
        """Answer with the frame that is shown at a time, in seconds from the first picture."""
        time = request.path_params["time"]
        if not _TIME.fullmatch(time):
            raise HTTPException(404, f"{time!r} is no time in seconds, such as 2.5")
        reader, item = await self._found(request)
        return await self._made(request, reader, item, frame_at(float(time)))

    async def _found(self, request: Request) -> tuple[MediaReader, MediaItem]:
        run, item = request.path_params["run"], request.path_params["item"]
        return await run_sync(self._find, run, item)

    def _find(self, run_id: str, item_id: str) -> tuple[MediaReader, MediaItem]:
        """Return an item of a run, both named by their whole ids."""
        history = self._desk.history
        try:
            run = history.find(run_id)
        except RunNotFound:
            run = None
        if run is None or run.id != run_id:
            raise HTTPException(404, f"no run has the id {run_id!r}")
        item = history.item(run, item_id)
        if item is None:
            raise HTTPException(404, f"run {run_id} recorded nothing with the id {item_id!r}")
        return self._desk.reader, item

    async def _made(self, request: Request, reader: MediaReader, item: MediaItem, recipe: Recipe) -> Response:
        try:
            data = await self._derivation.of(reader, item, recipe)
        except (MediaError, ToolMissing) as error:
            return await run_sync(_refusal, request, reader, item, error)
        etag = f'"{self._derivation.key(item, recipe)}"'
        headers = {"ETag": etag, "Cache-Control": _CACHING, "Content-Security-Policy": _SEALED}
        if is_known(request.headers.get("if-none-match"), etag):
            return Response(status_code=304, headers=headers)
        return Response(data, media_type=recipe.media_type, headers=headers)


class OpenedFile:
    """A verified file that is held open while it is sent.

    Raises ``MediaDrift`` or ``MediaMissing`` when it cannot be had as it was recorded.
    """

    def __init__(self, reader: MediaReader, item: MediaItem) -> None:
        self._holding = ExitStack()
        self._descriptor = self._holding.enter_context(reader.open(item, certain=True)).fileno()

    def read(self, start: int, count: int) -> bytes:
        """Return bytes of the file itself, past every buffer; fewer only where it ends."""
        return os.pread(self._descriptor, count, start)

    def confirm(self) -> None:
        """Check once more that these were the recorded bytes, and close. Raises ``MediaDrift`` when they were not."""
        self._holding.close()

    def let_go(self) -> None:
        """Close without asking; a second call does nothing."""
        self._holding.__exit__(GeneratorExit, GeneratorExit(), None)


class VerifiedFile(StreamingResponse):
    """A file, or ``span`` of it, on its way in chunks.

    The last chunk leaves only when the file is known to have stayed as it was; else the answer breaks off, which a
    client sees by its length.
    """

    def __init__(self, opened: OpenedFile, span: Span, status: int, headers: Mapping[str, str]) -> None:
        super().__init__((), status, {**headers, "Content-Length": str(span.length)})
        self._opened = opened
        self._span = span
        self._headers_only = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, and close the file whatever happens."""
        self._headers_only = scope["method"] == "HEAD"
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._opened.let_go()

    async def stream_response(self, send: Send) -> None:
        """Send the head and the chunks."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        at, end = self._span.start, self._span.end
        if self._headers_only or at == end:
            await send({"type": "http.response.body", "body": b""})
            return
        while at < end:
            data = await run_sync(self._opened.read, at, min(CHUNK_BYTES, end - at))
            at += len(data)
            if not data or (at == end and not await run_sync(self._stayed)):
                return
            await send({"type": "http.response.body", "body": data, "more_body": at < end})

    def _stayed(self) -> bool:
        try:
            self._opened.confirm()
        except MediaError:
            return False
        return True


def _answer(request: Request, item: MediaItem, opened: OpenedFile) -> Response:
    """Return the answer to a request for a file that is as it was recorded."""
    etag = f'"{item.sha256}"'
    headers = {**_described(item), "ETag": etag, "Accept-Ranges": "bytes", "Cache-Control": _CACHING}
    if is_known(request.headers.get("if-none-match"), etag):
        opened.let_go()
        return Response(status_code=304, headers=headers)
    try:
        span = _span(request, item, etag)
    except NotSatisfiable:
        opened.let_go()
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{item.size}"})
    if span is None:
        return VerifiedFile(opened, Span(0, item.size), 200, headers)
    return VerifiedFile(opened, span, 206, {**headers, "Content-Range": span.told(item.size)})


def _span(request: Request, item: MediaItem, etag: str) -> Span | None:
    if request.method != "GET" or not same_bytes(request.headers.get("if-range"), etag):
        return None
    return asked_span(request.headers.get("range"), item.size)


def _described(item: MediaItem) -> dict[str, str]:
    """Return what a file is said to be. Its type follows from the format that its bytes told, never from its name."""
    form = FORMATS.get(item.format)
    if form is None or form.kind is None:
        return {"Content-Type": "application/octet-stream", **_to_be_saved(item)}
    media_type = form.media_type if item.kind == "image" else named_for(item.kind, item.format)[1]
    if item.format in _INLINE:
        return {"Content-Type": media_type, "Content-Disposition": f"inline; {_file_name(item)}"}
    return {"Content-Type": media_type, **_to_be_saved(item)}


def _to_be_saved(item: MediaItem) -> dict[str, str]:
    return {"Content-Disposition": f"attachment; {_file_name(item)}", "Content-Security-Policy": _SEALED}


def _file_name(item: MediaItem) -> str:
    """Return a name for saving (RFC 6266): plain letters for all, and the name itself, encoded."""
    name = re.split(r"[/\\]", item.name)[-1] or "file"
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:100]
    return f"filename=\"{plain}\"; filename*=UTF-8''{quote(name[:100].encode('utf-8', 'replace'), safe='')}"


def _refusal(request: Request, reader: MediaReader, item: MediaItem, error: MediaError | ToolMissing) -> Response:
    """Return the answer that says why a file is not shown."""
    told: dict[str, Any] = {"item": item.id, "name": item.name, "path": item.path}
    recorded = {"recorded": item.sha256, "recorded_bytes": item.size}
    if isinstance(error, MediaDrift):
        return problem(request, 409, error.code, str(error), **told, **recorded, **_now(reader, item, error))
    if isinstance(error, MediaMissing):
        return problem(request, 410, error.code, str(error), **told, **recorded)
    if isinstance(error, MediaUnreadable):
        status = 415 if error.code in _NOT_OF_THIS_KIND else 422
        return problem(request, status, error.code, str(error), **told)
    return problem(request, 503, "tool_missing", str(error), **told)


def _now(reader: MediaReader, item: MediaItem, error: MediaDrift) -> dict[str, Any]:
    """Return digest and size of what lies in the place of a recorded file now, None where that cannot be read."""
    found: dict[str, Any] = {"found": error.found or None, "found_bytes": None}
    with contextlib.suppress(MediaError, OSError), open_regular(reader.locate(item), item.path) as file:
        size = os.fstat(file.fileno()).st_size
        found = {"found": reader.memo.digest(file)[1], "found_bytes": size}
    return found

"""The workbench as one application: pages, recorded files, static files, and the guard before all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from functools import cache
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from oloproof.errors import OloproofError, RunNotFound
from oloproof.workbench.answers import problem
from oloproof.workbench.desk import Desk
from oloproof.workbench.live import Live
from oloproof.workbench.pages import routes as page_routes
from oloproof.workbench.ranges import is_known
from oloproof.workbench.safety import DEFAULT_PORT, SAFETY_HEADERS, Guard, own_hosts
from oloproof.workbench.serving import MediaRoutes

_STATIC = Path(__file__).parent / "static"
_VERSION_DIGITS = 12
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}


def create_app(desk: Desk, *, hosts: Collection[str] | None = None) -> Starlette:
    """Return the workbench on the project at ``desk``, which it does not close.

    ``hosts`` are the values of ``Host`` under which it answers; by default those of its usual port on this machine.
    Whoever serves it calls ``state.live.stop()`` before it shuts down, for streams of events do not end by themselves.
    """
    guard = Middleware(
        Guard,
        hosts=own_hosts(DEFAULT_PORT) if hosts is None else hosts,
        token=desk.token,
        read_only=desk.read_only,
    )
    static = StaticFiles(_STATIC)
    live = Live(desk)
    app = Starlette(
        routes=[
            Route("/healthz", _healthz, methods=["GET"]),
            Route("/static/{name:path}", static.answer, methods=["GET"]),
            *MediaRoutes(desk).routes(),
            *live.routes(),
            *page_routes(),
        ],
        middleware=[guard],
        exception_handlers={
            HTTPException: _refused,
            RunNotFound: _not_found,
            OloproofError: _unusable,
            Exception: _failed,
        },
    )
    app.router.redirect_slashes = False
    app.state.desk = desk
    app.state.live = live
    return app


def open_app(root: Path, *, read_only: bool, hosts: Collection[str]) -> Starlette:
    """Return the workbench on the project in ``root``; its desk is ``state.desk``, which whoever serves it closes."""
    return create_app(Desk(root, read_only=read_only), hosts=hosts)


class StaticFiles:
    """The files of one folder by name. A name is looked up in a list made at the start, so none leads elsewhere."""

    def __init__(self, folder: Path) -> None:
        files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
        self._files = {path.relative_to(folder).as_posix(): path for path in files}

    def answer(self, request: Request) -> Response:
        """Answer with a file. Under ``?v=`` and the first digits of its SHA-256 it is kept by the browser for good."""
        path = self._files.get(request.path_params["name"])
        if path is None:
            raise HTTPException(404, "there is no such file")
        data, digest = _contents(path, path.stat().st_mtime_ns)
        for_good = request.query_params.get("v") == digest[:_VERSION_DIGITS]
        headers = {
            "ETag": f'"{digest}"',
            "Cache-Control": "public, max-age=31536000, immutable" if for_good else "no-cache",
            "Content-Type": _TYPES.get(path.suffix, "application/octet-stream"),
        }
        if is_known(request.headers.get("if-none-match"), headers["ETag"]):
            return Response(status_code=304, headers=headers)
        return Response(data, headers=headers)


@cache
def _contents(path: Path, _changed: int) -> tuple[bytes, str]:
    data = path.read_bytes()
    return data, hashlib.sha256(data).hexdigest()


async def _healthz(_request: Request) -> Response:
    return PlainTextResponse("ok")


async def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    told = error.detail if isinstance(error, HTTPException) else str(error)
    answer = problem(request, status, f"http_{status}", f"{request.url.path}: {told}" if told == "Not Found" else told)
    if isinstance(error, HTTPException) and error.headers:
        answer.headers.update(error.headers)
    return answer


async def _not_found(request: Request, error: Exception) -> Response:
    return problem(request, 404, "run_not_found", str(error))


async def _unusable(request: Request, error: Exception) -> Response:
    return problem(request, 503, type(error).__name__.rstrip("_"), str(error))


async def _failed(request: Request, _error: Exception) -> Response:
    """Answer where there is a fault of ours. This goes past the guard, so it brings the safety headers itself."""
    answer = problem(
        request, 500, "internal_error", "something went wrong in the workbench; its terminal says more, and it goes on"
    )
    answer.headers.update(SAFETY_HEADERS)
    return answer

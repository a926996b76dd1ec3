"""Who may ask, and what every answer says: the middleware that stands before all routes.

The workbench listens on this machine only, but every page that a browser shows can send requests there. So the name
under which it is asked must be its own, to the letter and with the port (a foreign name that leads here is refused);
and whoever writes must show the token of the session, which no other page can read, and come from our own pages.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

DEFAULT_PORT = 7788
TOKEN_HEADER = "X-Oloproof-Token"  # noqa: S105 - the name of a header
MOST_BODY_BYTES = 64 * 1024
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SAFETY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""What every answer carries, unless it says the same more strictly."""

_READING = frozenset({"GET", "HEAD", "OPTIONS"})


def own_hosts(port: int) -> frozenset[str]:
    """Return the values of ``Host`` under which the workbench on ``port`` answers."""
    names = ("127.0.0.1", "localhost", "[::1]")
    hosts = {f"{name}:{port}" for name in names}
    return frozenset(hosts | set(names) if port == 80 else hosts)


class Guard:
    """ASGI middleware that refuses what is not ours and puts the safety headers on every answer.

    ``hosts`` are the accepted values of ``Host``; ``token`` is what a writing request must show.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], token: str, read_only: bool) -> None:
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)
        self.token = token
        self.read_only = read_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            refused = self._refusal(scope)
            if refused is not None:
                await refused(scope, receive, _protected(send))
            else:
                await self.app(scope, _bounded(receive), _protected(send))
        else:  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            text = f"The workbench answers only under its own name: open http://{min(self.hosts)}/ instead.\n"
            return PlainTextResponse(text, 421)
        if _announced_bytes(headers) > MOST_BODY_BYTES:
            return _refused(413, "too_large", f"a request may hold at most {MOST_BODY_BYTES} bytes")
        return None if scope["method"] in _READING else self._refusal_to_write(headers)

    def _refusal_to_write(self, headers: Headers) -> Response | None:
        if self.read_only:
            return _refused(403, "read_only", "the workbench was started with --read-only: nothing can be changed")
        if not self._is_from_us(headers):
            return _refused(403, "foreign_origin", "this may only be asked by a page of the workbench itself")
        shown = headers.getlist(TOKEN_HEADER)
        if len(shown) != 1 or not hmac.compare_digest(shown[0].encode(), self.token.encode()):
            return _refused(
                403, "wrong_token", "this page belongs to an earlier session of the workbench; reload it and try again"
            )
        if _announced_bytes(headers) and headers.get("content-type", "").partition(";")[0].strip() != _JSON:
            return _refused(415, "not_json", f"the body must be {_JSON}")
        return None

    def _is_from_us(self, headers: Headers) -> bool:
        """Whether the page that asks was served under the very name that it asks; without ``Origin``, by ``Referer``.

        Browsers leave ``Origin`` out of some requests of a page to itself, never out of those to others.
        """
        origins = headers.getlist("origin")
        if not origins:
            try:
                parts = urlsplit(headers.get("referer", ""))
            except ValueError:
                return False
            origins = [f"{parts.scheme}://{parts.netloc}"]
        return origins == [f"http://{headers['host']}"]


_JSON = "application/json"


def _announced_bytes(headers: Headers) -> int:
    """Return how long a body is said to be; one of unknown length counts as a byte and is bounded as it comes."""
    told = headers.get("content-length", "")
    if told.isascii() and told.isdecimal() and len(told) < 19:
        return int(told)
    return MOST_BODY_BYTES + 1 if told else int("transfer-encoding" in headers)


def _refused(status: int, code: str, message: str) -> Response:
    return JSONResponse({"error": code, "message": message}, status)


def _protected(send: Send) -> Send:
    """Return ``send`` with the safety headers put on the answer, where it does not bring its own."""

    async def protected(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SAFETY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return protected


def _bounded(receive: Receive) -> Receive:
    """Return ``receive`` that ends a request whose body grows too large."""
    taken = 0

    async def bounded() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MOST_BODY_BYTES:
            raise HTTPException(413, f"a request may hold at most {MOST_BODY_BYTES} bytes")
        return message

    return bounded

"""The connections to one server: at most so many requests in flight, each on a connection that nobody else uses then.

A connection is lent to one thread at a time, HTTP/2 ones too: httpx's synchronous HTTP/2 loses its state when threads
share a connection. The one used last is lent first, so no more are opened than are really needed. They are transports
and not clients of httpx: nothing here wants cookies, redirects or a merging of defaults, which take a tenth of the work
of a judgement.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from oloproof.errors import ProviderUnreachable
from oloproof.providers import replies
from oloproof.providers.endpoints import Endpoint
from oloproof.providers.proxies import proxy_to, proxy_variable

if TYPE_CHECKING:
    import ssl

    import httpx

_REUSED_WITHIN = 4.0
"""Seconds for which an idle connection is used again; many servers close theirs after five."""

_LONGEST_CONNECT = 20.0

_ALWAYS = {"user-agent": "oloproof", "accept": "application/json", "accept-encoding": "identity"}


@dataclass(frozen=True, slots=True)
class Answered:
    """The server's answer, whatever its status."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class Unanswered(Struct, frozen=True):
    """No whole answer; ``connected`` says whether the server was there at all."""

    code: Literal["timeout", "network", "malformed_reply"]
    words: str
    connected: bool = True


class Connections:
    """Sends requests to one server; safe to use from many threads at once."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._idle: queue.LifoQueue[httpx.HTTPTransport | None] = queue.LifoQueue()
        for _ in range(endpoint.concurrency):
            self._idle.put(None)
        self._open: list[httpx.HTTPTransport] = []
        self._lock = threading.Lock()
        self._trust: ssl.SSLContext | None = None

    @contextmanager
    def lent(self) -> Iterator[httpx.HTTPTransport]:
        """Lend a connection, waiting while all are in use."""
        transport = self._idle.get()
        try:
            transport = transport or self._opened()
            yield transport
        finally:
            self._idle.put(transport)

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            transports, self._open = self._open, []
        for transport in transports:
            transport.close()

    def _opened(self) -> httpx.HTTPTransport:
        with self._lock:
            # one for all: to load the trusted certificates takes longer than many a request
            self._trust = self._trust or self._trusted()
            transport = self._made(self._trust)
            if transport is not None:
                self._open.append(transport)
                return transport
        raise ProviderUnreachable(  # out here it carries no error that quotes the proxy and its password
            f"{self._endpoint.host} cannot be reached: the proxy that {proxy_variable(self._endpoint)} names cannot be "
            "used; write it like http://proxy.example:8080"
        )

    def _made(self, trust: ssl.SSLContext) -> httpx.HTTPTransport | None:
        """Return a transport, None where the environment names a proxy that httpx cannot use."""
        import httpx

        try:
            return httpx.HTTPTransport(
                verify=trust,
                http2=self._endpoint.secure,
                proxy=proxy_to(self._endpoint),
                limits=httpx.Limits(max_connections=1, keepalive_expiry=_REUSED_WITHIN),
            )
        except (ValueError, ImportError, httpx.InvalidURL):
            return None

    def _trusted(self) -> ssl.SSLContext:
        import ssl

        import httpx

        needed = self._endpoint.secure or proxy_to(self._endpoint) is not None
        return httpx.create_ssl_context() if needed else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def send(
    transport: httpx.HTTPTransport, url: str, headers: Mapping[str, str], body: bytes, seconds: float
) -> Answered | Unanswered:
    """Post ``body`` and return the answer, or why there is none within ``seconds``."""
    import httpx

    end = time.monotonic() + seconds
    timeout = httpx.Timeout(seconds, connect=min(seconds, _LONGEST_CONNECT))
    content = _body_type()(body)
    address = _parsed(url)
    named = {"host": address.netloc.decode("ascii"), **_ALWAYS, **headers, "content-length": str(len(body))}
    request = httpx.Request("POST", address, headers=named, stream=content, extensions={"timeout": timeout.as_dict()})
    try:
        response = transport.handle_request(request)
        try:
            return _read(response, end, seconds)
        finally:
            response.close()
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
        return Unanswered("network", f"no connection: {_words(error)}", connected=False)
    except httpx.TimeoutException:
        return Unanswered("timeout", f"no answer within {seconds:.3g} s")
    except (httpx.HTTPError, httpx.StreamError) as error:
        return Unanswered("network", f"the connection broke: {_words(error)}")
    finally:
        content.data = b""


@lru_cache(maxsize=1)
def _body_type() -> type[Any]:
    """Return the type of a request's body, made when httpx is first needed.

    A body lets go of its bytes when the call is over: httpx's requests and responses refer to each other in rings, and
    would hold pictures by the hundred until garbage is next looked for.
    """
    import httpx

    class Body(httpx.SyncByteStream):
        def __init__(self, data: bytes) -> None:
            self.data = data

        def __iter__(self) -> Iterator[bytes]:
            yield self.data

    return Body


@lru_cache(maxsize=64)
def _parsed(url: str) -> httpx.URL:
    import httpx

    return httpx.URL(url)


def _read(response: httpx.Response, end: float, seconds: float) -> Answered | Unanswered:
    chunks, size = [], 0
    for chunk in response.iter_bytes():
        chunks.append(chunk)
        size += len(chunk)
        if size > replies.LARGEST_REPLY:
            return Unanswered("malformed_reply", f"the reply is larger than {replies.LARGEST_REPLY} bytes")
        if time.monotonic() > end:
            return Unanswered("timeout", f"no whole answer within {seconds:.3g} s")
    return Answered(response.status_code, response.headers, b"".join(chunks))


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__

"""An HTTP service as the system: each trial is posted as JSON and answered as JSON."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Mapping
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import httpx

from oloproof.config.models import HttpOptions
from oloproof.errors import MediaError, SystemError_
from oloproof.records import Execution, Trial
from oloproof.systems.answers import LARGEST_ANSWER, answered, fault_words, medium_words, parse_json, shown
from oloproof.systems.base import AnswerError, Surroundings, System, failure, one_line
from oloproof.systems.commands import request_of
from oloproof.systems.decorator import Named

DEFAULT_TIMEOUT = 60.0
GIVE_UP_AFTER = 20
SHORTEST_SECRET = 6
"""Header values of fewer characters are no secrets: to blot out each ``1`` or ``en`` would spoil the answers."""

_REUSED_WITHIN = 1.0
"""Seconds for which an idle connection is used again; many servers close theirs after two or five, perhaps just as the
next trial is sent."""

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class HttpSystem(System):
    """Posts to one address. Header values come from environment variables and never reach a log or record."""

    kind = "http"

    def __init__(self, options: HttpOptions, named: Named, identity: dict[str, Any], timeout: float | None) -> None:
        self.name, self.version = named.name, named.version
        self.identity = identity
        self.url = options.url
        self.timeout = options.timeout or timeout or DEFAULT_TIMEOUT
        self._headers_env = options.headers_env
        self._secrets: list[str] = []
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()
        self._answered_once = False
        self._unanswered = 0

    def open(self, surroundings: Surroundings, concurrency: int) -> None:
        """Read the headers from the environment and open a connection pool.

        Raises:
            SystemError_: the address is none, or a header's variable is not set or cannot be sent.
        """
        super().open(surroundings, concurrency)
        _check_address(self.url)
        headers = {name: _header(name, variable) for name, variable in self._headers_env.items()}
        self._secrets = _secrets(headers)
        self._client = httpx.Client(
            headers={**headers, "content-type": "application/json"},
            timeout=self.timeout,
            trust_env=False,
            limits=httpx.Limits(max_connections=concurrency, keepalive_expiry=_REUSED_WITHIN),
        )
        self._client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))  # no trial knows of another

    def execute(self, trial: Trial) -> Execution:
        """Post the trial. A bad status, odd answer or late one fails this execution only.

        Raises:
            SystemError_: the service was asked many times and never answered once.
        """
        started = time.perf_counter()
        try:
            folder = self.surroundings.folder_of(trial)
            folder.mkdir(parents=True, exist_ok=True)
            answer = self._post(request_of(trial, folder))
            return answered(answer, self.surroundings, time.perf_counter() - started)
        except (AnswerError, MediaError, OSError) as error:
            return failure(error, seconds=time.perf_counter() - started)
        except httpx.HTTPError as error:
            text = self._scrubbed(_words(error, self.timeout))
            self._count_unanswered(text)
            return failure(AnswerError(text), seconds=time.perf_counter() - started)

    def _post(self, request: bytes) -> Any:
        if self._client is None:
            raise AnswerError("not asked: the system is not open")
        deadline = time.monotonic() + self.timeout
        with self._client.stream("POST", self.url, content=request) as response:
            self._answered_once = True
            body = bytearray()
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > LARGEST_ANSWER:
                    raise AnswerError(f"the answer is larger than {LARGEST_ANSWER} bytes")
                if time.monotonic() > deadline:
                    raise AnswerError(f"no whole answer within {self.timeout:g} s (timeout:)")
        return self._parsed(response, bytes(body))

    def _parsed(self, response: httpx.Response, body: bytes) -> Any:
        found = self._scrubbed(body[:2_000].decode(errors="replace"))  # before it is cut, perhaps within a secret
        if not response.is_success:
            status = self._scrubbed(f"HTTP {response.status_code} {response.reason_phrase}".strip())
            if response.is_redirect:
                raise AnswerError(f"{status}: redirects are not followed; give the address that it leads to as url:")
            raise AnswerError(f"{status}: {one_line(found, 200)}" if found.strip() else status)
        try:
            return self._scrubbed(parse_json(body))
        except ValueError as error:
            instead = medium_words(body) or shown(found.encode()) + self._scrubbed(fault_words(error))
            raise AnswerError(f"expected a JSON object, found {instead}") from None

    def _count_unanswered(self, why: str) -> None:
        with self._lock:
            if self._answered_once:
                return
            self._unanswered += 1
            count = self._unanswered
        if count >= GIVE_UP_AFTER:
            raise SystemError_(
                f"{self.url} was asked {count} times and never answered: {why}; "
                "start the service and go on with oloproof run --resume"
            )

    @property
    def never_answered(self) -> bool:
        """Whether it was asked and did not answer even once."""
        return self._unanswered > 0 and not self._answered_once

    def _scrubbed(self, value: Any) -> Any:
        """Return ``value`` with every secret in its texts, also in keys, blotted out."""
        if not self._secrets:
            return value
        if isinstance(value, str):
            for secret in self._secrets:
                value = value.replace(secret, "***")
            return value
        if isinstance(value, list):
            return [self._scrubbed(one) for one in value]
        if isinstance(value, dict):
            return {self._scrubbed(key): self._scrubbed(one) for key, one in value.items()}
        return value

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()


def _check_address(url: str) -> None:
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise SystemError_(f"system.http.url: {url!r} is no address: {error}") from None
    if not address.host:
        raise SystemError_(f"system.http.url: {url!r} names no host")
    if address.port is not None and not 0 < address.port < 65_536:
        raise SystemError_(f"system.http.url: {url!r} names no port that there is")


def _header(name: str, variable: str) -> str:
    """Return the value of a header from the environment; no message ever shows it.

    Raises:
        SystemError_: it is not set, or cannot be sent as a header.
    """
    if not _HEADER_NAME.fullmatch(name):
        raise SystemError_(f"system.http.headers_env: {name!r} is no name of a header")
    value = os.environ.get(variable, "").strip()
    if not value:
        raise SystemError_(
            f"system.http.headers_env: the environment variable {variable} is not set; "
            f"export {variable}=… before the run"
        )
    if not (value.isascii() and value.isprintable()):
        raise SystemError_(
            f"system.http.headers_env: the value of {variable} holds characters that no header can; "
            "use printable ASCII in one line"
        )
    return value


def _secrets(headers: Mapping[str, str]) -> list[str]:
    """Return what must not be shown: each value, and what follows a scheme such as ``Bearer``; longest first."""
    parts = {part for value in headers.values() for part in (value, value.partition(" ")[2].strip())}
    return sorted((part for part in parts if len(part) >= SHORTEST_SECRET), key=len, reverse=True)


def _words(error: Exception, timeout: float) -> str:
    if isinstance(error, httpx.TimeoutException):
        return f"no answer within {timeout:g} s (timeout:)"
    return f"{type(error).__name__}: {error}"

"""An HTTP service as the system: each trial is posted as JSON and answered as JSON."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import Any

import httpx

from oloproof.config.models import HttpOptions
from oloproof.errors import MediaError, SystemError_
from oloproof.records import Execution, Trial
from oloproof.systems.base import AnswerError, Surroundings, System, answered, failure
from oloproof.systems.commands import request_of
from oloproof.systems.decorator import Named

DEFAULT_TIMEOUT = 60.0
LARGEST_ANSWER = 64 * 1024 * 1024
GIVE_UP_AFTER = 20


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
        self._lock = threading.Lock()
        self._answered_once = False
        self._unreachable = 0

    def open(self, surroundings: Surroundings, concurrency: int) -> None:
        """Read the headers from the environment and open a connection pool."""
        super().open(surroundings, concurrency)
        missing = [name for name in self._headers_env.values() if not os.environ.get(name)]
        if missing:
            raise SystemError_(
                f"system.http.headers_env: the environment variable {missing[0]} is not set; "
                f"export {missing[0]}=… before the run"
            )
        headers = {header: os.environ[name] for header, name in self._headers_env.items()}
        self._secrets = list(headers.values())
        self._client = httpx.Client(
            headers=headers,
            timeout=self.timeout,
            trust_env=False,
            limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
        )

    def execute(self, trial: Trial) -> Execution:
        """Post the trial. A bad status, odd answer or late one fails this execution only.

        Raises:
            SystemError_: the service could not be reached many times in a row and never answered once.
        """
        folder = self.surroundings.folder_of(trial)
        started = time.perf_counter()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            answer = self._post(request_of(trial, folder))
            return answered(answer, self.surroundings, time.perf_counter() - started)
        except (AnswerError, MediaError, OSError) as error:
            return failure(error, seconds=time.perf_counter() - started)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            self._count_unreachable(error)
            return failure(AnswerError(self._scrub(_words(error, self.timeout))), seconds=time.perf_counter() - started)

    def _post(self, request: dict[str, Any]) -> Any:
        deadline = time.monotonic() + self.timeout
        with self._client.stream("POST", self.url, json=request) as response:
            self._answered_once = True
            body = bytearray()
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > LARGEST_ANSWER:
                    raise AnswerError(f"the answer is larger than {LARGEST_ANSWER} bytes")
                if time.monotonic() > deadline:
                    raise AnswerError(f"no whole answer within {self.timeout:g} s (timeout:)")
        text = body.decode(errors="replace")
        if response.status_code != 200:
            raise AnswerError(
                self._scrub(f"HTTP {response.status_code} {response.reason_phrase}: {text.strip()[:200]}")
            )
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise AnswerError(self._scrub(f"expected a JSON object, found {text.strip()[:200]!r}")) from None

    def _count_unreachable(self, error: Exception) -> None:
        if self._answered_once or not isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
            return
        with self._lock:
            self._unreachable += 1
            count = self._unreachable
        if count >= GIVE_UP_AFTER:
            raise SystemError_(
                f"{self.url} could not be reached {count} times and never answered: {_words(error, self.timeout)}; "
                "start the service and go on with oloproof run --resume"
            )

    @property
    def never_answered(self) -> bool:
        """Whether it was asked and could not be reached even once."""
        return self._unreachable > 0 and not self._answered_once

    def _scrub(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _words(error: Exception, timeout: float) -> str:
    if isinstance(error, httpx.TimeoutException):
        return f"no answer within {timeout:g} s (timeout:)"
    return f"{type(error).__name__}: {error}"

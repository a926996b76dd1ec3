"""One call: attempts, waits between them, the budget, and what each error of a server leads to."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from oloproof.errors import CallFailed, CallFailure, ProviderRefused, ProviderUnreachable
from oloproof.providers.budget import Budget
from oloproof.providers.connections import Answered, Connections, Unanswered, send
from oloproof.providers.endpoints import Endpoint
from oloproof.providers.keys import read_key
from oloproof.providers.messages import Usage
from oloproof.providers.proxies import proxy_variable
from oloproof.providers.refusals import Refusal, clean, hidden_status, refusal_of
from oloproof.providers.replies import NotAReply, parse_object
from oloproof.providers.waiting import backoff, jittered, named_wait

MOST_FAILURES = 6
"""Attempts that may fail in a row by a broken connection, a late answer or a 5xx; 429 is bounded by time alone."""

GIVE_UP_AFTER = 20
"""Questions to a server that answered none of them; with its attempts each may take minutes."""

ADAPTABLE = frozenset({400, 404, 422})
"""Statuses with which servers refuse a form of the question that they do not know."""


_TLS_CURES = {
    "CERTIFICATE_VERIFY_FAILED": "set SSL_CERT_FILE to a file with the certificates to trust",
    "WRONG_VERSION_NUMBER": "it speaks no TLS there: does its address begin with http://?",
}
"""What OpenSSL says of a connection that no further attempt would open, and what would."""


class Tally(Struct):
    """What one call has used so far, and the last passing refusal; its time runs from its first attempt."""

    total: float
    attempts: int = 0
    failures: int = 0
    started: float | None = None
    refusal: Refusal | None = None

    def begin(self) -> None:
        """Count an attempt."""
        self.attempts += 1
        if self.started is None:
            self.started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the first attempt began."""
        return 0.0 if self.started is None else time.monotonic() - self.started

    @property
    def left(self) -> float:
        """Seconds that the call may still take."""
        return self.total - self.seconds


class Question(Struct, frozen=True):
    """What is posted: ``bound`` is what it may use, ``usage_of`` reads what it used from the reply."""

    path: str
    body: bytes
    content_type: str
    bound: Usage
    usage_of: Callable[[Mapping[str, Any]], Usage]


class Calls:
    """Asks one endpoint, with its limits; safe to use from many threads at once."""

    def __init__(self, endpoint: Endpoint, budget: Budget | None = None) -> None:
        self.endpoint = endpoint
        self._budget = budget or Budget()
        self._connections = Connections(endpoint)
        self._server, self._key_variable = endpoint.server, endpoint.key_variable
        self._bearer = endpoint.provider != "anthropic"
        self._sent = self._answered = False
        self._unanswered = 0
        self._counting = threading.Lock()
        self._closed = threading.Event()
        self._pauses: dict[int, tuple[float, str]] = {}

    @property
    def held_up(self) -> str:
        """How long it waits before a question is asked again, for which server and why; empty while it does not."""
        pauses = list(self._pauses.values())
        if not pauses:
            return ""
        until, why = max(pauses)
        return f"{max(until - time.monotonic(), 0.0):.0f} s for {self.endpoint.host}: {why}"

    @property
    def never_answered(self) -> bool:
        """Whether the server was sent something and has not answered once so far."""
        return self._sent and not self._answered

    def close(self) -> None:
        """End all waits and close the connections."""
        self._closed.set()
        self._connections.close()

    def ask(self, question: Question, tally: Tally) -> dict[str, Any] | Refusal:
        """Post ``question`` until there is a reply; return it, or a refusal that another form may cure.

        Raises:
            ProviderRefused: key, permission, quota, address or model is refused; no other call would fare better.
            ProviderUnreachable: no connection could be made, or many questions led to nothing, and the server never
                answered before.
            CallFailed: this call gave nothing; its code says why.
        """
        while True:
            outcome = self._attempt(question, tally)
            if isinstance(outcome, Unanswered):
                if outcome.code == "malformed_reply":
                    raise self.failed(outcome.words, "malformed_reply", tally)
                self._wait_after(outcome, tally)
            elif isinstance(outcome, Answered):
                refusal = refusal_of(outcome.status, outcome.body, self._key_variable)
                named = named_wait(outcome.headers)
                if refusal.status in ADAPTABLE:
                    return refusal
                if refusal.meaning(named is not None) != "retry":
                    raise self.error_of(refusal, tally)
                self._wait_for(refusal, named, tally)
            else:
                return outcome

    def _attempt(self, question: Question, tally: Tally) -> dict[str, Any] | Answered | Unanswered:
        """Send once; the budget is charged before, and corrected after."""
        with self._connections.lent() as transport:
            if self._closed.is_set() or tally.left <= 0:
                raise self._late(tally)
            if self._key_variable:
                read_key(self._key_variable)  # before the budget is charged
            reservation = self._reserve(question.bound, tally)
            used: Usage | None = Usage()  # whatever happens, it may have been charged for
            try:
                seconds = max(min(self.endpoint.timeout, tally.left), 0.001)
                url = f"{self._server}{question.path}"
                self._sent = True
                # no variable ever holds the headers: some tracebacks show variables
                outcome = send(transport, url, self._headers(question.content_type), question.body, seconds)
                if isinstance(outcome, Unanswered):
                    self._answered = self._answered or outcome.code == "malformed_reply"
                    used = Usage() if outcome.connected else None
                    return outcome
                self._answered = True
                parsed = self._parsed(outcome, tally)
                used = question.usage_of(parsed) if isinstance(parsed, dict) else None
                return parsed
            finally:
                self._budget.settle(reservation, used)

    def _reserve(self, bound: Usage, tally: Tally) -> Any:
        try:
            reservation = self._budget.reserve(bound)
        except CallFailed as error:
            raise CallFailed(str(error), code=error.code, attempts=tally.attempts) from None
        tally.begin()
        return reservation

    def _headers(self, content_type: str) -> dict[str, str]:
        headers = {"content-type": content_type}
        key = read_key(self._key_variable) if self._key_variable else None
        if not self._bearer:
            headers["anthropic-version"] = "2023-06-01"
            headers["x-api-key"] = key or ""
        elif key:
            headers["authorization"] = f"Bearer {key}"
        return headers

    def _parsed(self, answer: Answered, tally: Tally) -> dict[str, Any] | Answered:
        if not 200 <= answer.status < 300:
            return answer
        try:
            document = parse_object(answer.body)
        except NotAReply as error:
            words = clean(str(error), self._key_variable)
        else:
            status = hidden_status(document)
            return document if status is None else Answered(status, answer.headers, answer.body)
        raise self.failed(words, "malformed_reply", tally)  # out here it carries no error that quotes the reply

    def _wait_after(self, outcome: Unanswered, tally: Tally) -> None:
        tally.failures += 1
        code: CallFailure = outcome.code
        seconds = backoff(tally.failures, self.endpoint.retry_cap)
        cure = next((cure for sign, cure in _TLS_CURES.items() if sign in outcome.words), "")
        if not cure and tally.failures < MOST_FAILURES and seconds < tally.left:
            return self._pause(seconds, clean(outcome.words, self._key_variable), tally)
        if not outcome.connected and not self._answered:
            words = clean(outcome.words, self._key_variable)
            asked = f"was asked {tally.attempts} times and" if tally.attempts > 1 else "was asked and"
            raise ProviderUnreachable(f"{self.endpoint.host} {asked} never answered: {words}; {cure or self._way_in()}")
        if code == "timeout" and tally.refusal is not None:  # cut off by the total time that refusals took
            raise self._refused(tally.refusal, tally)
        raise self._silent(outcome.words, code, tally)

    def _way_in(self) -> str:
        proxy = proxy_variable(self.endpoint)
        through = f", or the proxy that {proxy} names" if proxy else ""
        return f"start the server or correct base_url{through}"

    def _wait_for(self, refusal: Refusal, named: float | None, tally: Tally) -> None:
        tally.failures += 1
        tally.refusal = refusal
        if named is not None and named > self.endpoint.retry_cap:
            raise self.failed(
                f"{refusal}; it asks to wait {named:.6g} s, longer than the {self.endpoint.retry_cap:g} s allowed",
                "rate_limited",
                tally,
            )
        seconds = backoff(tally.failures, self.endpoint.retry_cap) if named is None else jittered(named)
        if (refusal.status == 429 or tally.failures < MOST_FAILURES) and seconds < tally.left:
            return self._pause(seconds, str(refusal), tally)
        raise self._refused(refusal, tally)

    def _refused(self, refusal: Refusal, tally: Tally) -> CallFailed:
        return self.failed(str(refusal), "rate_limited" if refusal.status == 429 else "server_error", tally)

    def _pause(self, seconds: float, why: str, tally: Tally) -> None:
        me = threading.get_ident()
        self._pauses[me] = (time.monotonic() + seconds, why)
        try:
            if self._closed.wait(seconds):
                raise self._late(tally)
        finally:
            del self._pauses[me]

    def _late(self, tally: Tally) -> CallFailed | ProviderUnreachable:
        if self._closed.is_set():
            return self.failed("the client was closed", "network", tally)
        if tally.refusal is not None:
            return self._refused(tally.refusal, tally)
        return self._silent(f"no answer within {tally.total:g} s in all", "timeout", tally)

    def _silent(self, words: str, code: CallFailure, tally: Tally) -> CallFailed | ProviderUnreachable:
        """Return the error of a call without an answer: that of the run, where no call of so many was answered."""
        with self._counting:
            self._unanswered += 1
            count = self._unanswered
        if self._answered or count < GIVE_UP_AFTER:
            return self.failed(words, code, tally)
        return ProviderUnreachable(
            f"{self.endpoint.host} was sent {count} questions and answered none: "
            f"{clean(words, self._key_variable)}; {self._way_in()}, or give it more time (timeout:)"
        )

    def failed(self, words: str, code: CallFailure, tally: Tally) -> CallFailed:
        """Return the error of a call that gave nothing, with the host, cleaned words and how often it was asked."""
        asked = f" (asked {tally.attempts} times)" if tally.attempts > 1 else ""
        text = f"{self.endpoint.host}: {clean(words, self._key_variable)}{asked}"
        return CallFailed(text, code=code, attempts=tally.attempts)

    def error_of(self, refusal: Refusal, tally: Tally) -> CallFailed | ProviderRefused:
        """Return the error that ``refusal`` ends a call or the run with."""
        meaning = refusal.meaning(retry_named=False)
        if meaning != "refused":
            code: CallFailure = meaning if meaning in ("too_large", "server_error") else "bad_request"
            return self.failed(str(refusal), code, tally)
        return ProviderRefused(f"{self.endpoint.host} refused {self.endpoint.model}: {refusal}{_advice(refusal)}")


def _advice(refusal: Refusal) -> str:
    if 300 <= refusal.status < 400:
        return "; redirects are not followed: give the address that it leads to as base_url"
    if refusal.status == 404 and "model" not in f"{refusal.words} {refusal.code}".lower():
        return "; does base_url end as the server wants it, often with /v1?"
    return ""

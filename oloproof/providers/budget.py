"""A limit on requests and on money that is reserved before anything is sent.

What a request may cost is bounded from above, so that many at once cannot overspend together. The bound, in tokens:
one for every two bytes of text in UTF-8, ``TOKENS_PER_IMAGE`` an image (the dearest known counting, 2,833 + 8 × 5,667
for one high-detail picture, is below it), ``TOKENS_PER_SECOND`` of sound, and ``max_tokens`` for the answer. Seconds
are bounded by the bytes: 1,000 a second (8 kbit/s, the lowest rate of MP3), 8,000 for WAV.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from math import ceil, isfinite

from msgspec import Struct

from oloproof.errors import CallFailed
from oloproof.providers.messages import AudioPart, ChatRequest, ImagePart, TextPart, Usage

TOKENS_PER_IMAGE = 50_000
TOKENS_PER_SECOND = 50
BYTES_PER_TOKEN = 2

_SLOWEST_WAV = 8_000
_SLOWEST = 1_000
_PER_PART = 16
"""Tokens of the marks that stand around a part or a turn."""


class Prices(Struct, frozen=True):
    """What a million tokens cost, in US dollars.

    Raises:
        ValueError: a price is negative or not finite.
    """

    input_per_million: float
    output_per_million: float

    def __post_init__(self) -> None:
        for price in (self.input_per_million, self.output_per_million):
            if not (isfinite(price) and price >= 0):
                raise ValueError(f"a price per million tokens must be 0 or more, found {price!r}")

    def of(self, usage: Usage) -> float:
        """Return what ``usage`` costs in US dollars; an unknown count costs nothing."""
        spent = (usage.input_tokens or 0) * self.input_per_million
        return (spent + (usage.output_tokens or 0) * self.output_per_million) / 1e6


class Reservation(Struct):
    """Money set aside for one attempt until what it cost is known."""

    bound: Usage
    usd: float
    settled: bool = False


class Budget:
    """At most ``requests`` attempts and ``usd`` US dollars, shared by many threads and endpoints.

    Raises:
        ValueError: a limit is negative, or money is limited without prices.
    """

    def __init__(self, requests: int | None = None, usd: float | None = None, prices: Prices | None = None) -> None:
        if usd is not None and prices is None:
            raise ValueError("a budget in usd needs prices: what a million input and output tokens cost")
        for name, limit in (("requests", requests), ("usd", usd)):
            if limit is not None and not (isfinite(limit) and limit >= 0):
                raise ValueError(f"a budget of {name} must be 0 or more, found {limit!r}")
        self._limit, self._usd, self._prices = requests, usd, prices
        self._sent, self._spent, self._reserved = 0, 0.0, 0.0
        self._in_flight = 0
        self._settled = threading.Condition()

    @property
    def requests(self) -> int:
        """How many attempts were allowed so far."""
        return self._sent

    @property
    def usd(self) -> float:
        """How many US dollars the settled attempts cost, by the counts of the servers; 0 without prices."""
        return self._spent

    def charge(self, requests: int, usage: Usage) -> None:
        """Count attempts that were made before this budget was opened, and what they used."""
        with self._settled:
            self._sent += requests
            self._spent += self._prices.of(usage) if self._prices else 0.0

    def reserve(self, bound: Usage) -> Reservation:
        """Set aside what an attempt may cost, waiting while only attempts in flight stand in the way.

        Raises:
            CallFailed: ``budget_exhausted``; nothing was set aside.
        """
        usd = self._prices.of(bound) if self._prices else 0.0
        with self._settled:
            self._settled.wait_for(lambda: not self._must_wait(usd))
            self._check(usd)
            self._sent += 1
            self._in_flight += 1
            self._reserved += usd
        return Reservation(bound, usd)

    def settle(self, reservation: Reservation, usage: Usage | None) -> None:
        """Put what an attempt cost in place of what was set aside; a count that is None costs its bound.

        ``usage`` of None is an attempt that the server refused and does not charge for. Settling twice changes nothing.
        """
        with self._settled:
            if reservation.settled:
                return
            reservation.settled = True
            self._in_flight -= 1
            # what rounding leaves over would stand in the way of the last question that is covered, for ever
            self._reserved = self._reserved - reservation.usd if self._in_flight else 0.0
            if usage is not None and self._prices:
                self._spent += self._prices.of(_completed(usage, reservation.bound))
            self._settled.notify_all()

    def _must_wait(self, usd: float) -> bool:
        if self._usd is None or self._no_request_left():
            return False
        return self._spent + usd <= self._usd < self._spent + self._reserved + usd

    def _no_request_left(self) -> bool:
        return self._limit is not None and self._sent >= self._limit

    def _check(self, usd: float) -> None:
        if self._no_request_left():
            raise CallFailed(
                f"not asked: the budget of {self._limit} requests is used up; raise it to go on",
                code="budget_exhausted",
            )
        if self._usd is not None and self._spent + self._reserved + usd > self._usd:
            raise CallFailed(
                f"not asked: it may cost up to {usd:.4f} USD and {max(self._usd - self._spent, 0):.4f} of the budget "
                f"of {self._usd:g} USD is left; raise it to go on",
                code="budget_exhausted",
            )


def _completed(usage: Usage, bound: Usage) -> Usage:
    return Usage(
        bound.input_tokens if usage.input_tokens is None else usage.input_tokens,
        bound.output_tokens if usage.output_tokens is None else usage.output_tokens,
    )


def bound_of(request: ChatRequest, extra_bytes: int = 0) -> Usage:
    """Return an upper bound of what ``request`` uses; ``extra_bytes`` is text beside its own, such as its schema."""
    texts = [request.system, *(text for _, text in request.follow_up)]
    texts += [part.text for part in request.parts if isinstance(part, TextPart)]
    tokens = _of_text(texts) + ceil(extra_bytes / BYTES_PER_TOKEN)
    tokens += _PER_PART * (len(request.parts) + len(request.follow_up) + 1)
    for part in request.parts:
        if isinstance(part, ImagePart):
            tokens += TOKENS_PER_IMAGE
        elif isinstance(part, AudioPart):
            tokens += sound_bound(part.data, part.media_type)
    return Usage(tokens, request.max_tokens)


def sound_bound(data: bytes, media_type: str) -> int:
    """Return an upper bound of the tokens that the sound in ``data`` counts for."""
    slowest = _SLOWEST_WAV if "wav" in media_type.lower() else _SLOWEST
    return ceil(len(data) / slowest * TOKENS_PER_SECOND)


def _of_text(texts: Iterable[str]) -> int:
    return ceil(sum(len(text.encode("utf-8", "replace")) for text in texts) / BYTES_PER_TOKEN)

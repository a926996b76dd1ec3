"""How long to wait before a call is tried again: the server's word, else exponential backoff with jitter."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_WAIT = 0.5
LONGEST_BACKOFF = 20.0


def named_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait: ``retry-after-ms``, or Retry-After as seconds or HTTP date.

    None if it asks for nothing that can be read. A date is taken from the server's own clock (its Date header)
    where it tells that, so that a wrong clock here does not matter. A moment that is past is 0.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    seconds = _number(text)
    return seconds if seconds is not None else _until(text, headers.get("date", ""))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _until(text: str, now: str) -> float | None:
    then = _moment(text)
    if then is None:
        return None
    return max((then - (_moment(now) or datetime.now(UTC))).total_seconds(), 0.0)


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def backoff(failures: int, cap: float) -> float:
    """Return the seconds to wait after so many failures in a row: doubling, half of it at random, at most ``cap``."""
    longest = min(FIRST_WAIT * 2.0 ** min(failures - 1, 30), LONGEST_BACKOFF, cap)
    return longest * (0.5 + random.random() / 2)  # noqa: S311 - spreads requests, protects nothing


def jittered(named: float) -> float:
    """Return the server's wait with a little more at random, so that not all come back in one moment."""
    return named + random.random() * min(named / 10, 1.0)  # noqa: S311 - as above

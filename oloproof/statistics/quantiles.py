"""Quantiles of latency and cost by order statistics: no shape is assumed, a timeout is infinite."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from oloproof.statistics.beta import binomial_at_least, binomial_at_most
from oloproof.statistics.checks import count, inner_share, numbers, tail_of
from oloproof.statistics.roots import first_true

ORDER_STATISTICS = "order_statistics@1"
_MOST_VALUES = 2**60


class QuantileMinimum(Struct, frozen=True):
    """From how many values on each end of a quantile's interval exists; None for never."""

    lower: int | None
    upper: int | None


def quantile_interval(
    values: Sequence[float], p: float, level: float = 0.95, *, missing: int = 0
) -> tuple[float | None, float | None] | None:
    """Return the interval of the ``p`` quantile whose ends are two of the values themselves.

    The low end is the greatest l-th value with P(Bin(n, p) <= l-1) within one tail, the high end the least
    u-th value with P(Bin(n, p) >= u) within it. An end is None where n is too small for it. Values may be
    +inf (a timeout); ``missing`` ones stand below all others for the low end and above them for the high end.
    No values give None.

    Raises ``ValueError`` for nan, -inf, and a ``p`` that is not strictly between 0 and 1.
    Source: Conover, Practical Nonparametric Statistics (1999), 3.2.
    """
    ordered, p, tail = _ordered(values), inner_share("p", p), tail_of(level)
    missing = count("missing", missing)
    n = len(ordered) + missing
    if n == 0:
        return None
    beyond = first_true(lambda rank: binomial_at_most(rank - 1, n, p) > tail, 1, n)
    low_rank = (n if beyond is None else beyond - 1) - missing
    high_rank = first_true(lambda rank: binomial_at_least(rank, n, p) <= tail, 1, n)
    low = ordered[low_rank - 1] if low_rank >= 1 else None
    high = ordered[high_rank - 1] if high_rank is not None and high_rank <= len(ordered) else None
    return low, high


def quantile(values: Sequence[float], p: float) -> float | None:
    """Return the least value that at least the share ``p`` of the values do not exceed; None of none."""
    ordered, p = _ordered(values), inner_share("p", p)
    if not ordered:
        return None
    n = len(ordered)
    rank = first_true(lambda r: r / n >= p, 1, n)
    return ordered[(rank or n) - 1]


def quantile_min_n(p: float, level: float = 0.95) -> QuantileMinimum:
    """Return from how many values on each end of the interval of the ``p`` quantile exists.

    The high end needs p to the power n within one tail, the low end 1-p to the power n.
    Raises ``ValueError`` for a ``p`` that is not strictly between 0 and 1.
    """
    p, tail = inner_share("p", p), tail_of(level)
    return QuantileMinimum(_least_power(1.0 - p, tail), _least_power(p, tail))


def _least_power(base: float, tail: float) -> int | None:
    return first_true(lambda n: base**n <= tail, 1, _MOST_VALUES)


def _ordered(values: Sequence[float]) -> list[float]:
    checked = numbers("values", values)
    if -math.inf in checked:
        raise ValueError("values cannot hold -inf; a timeout is +inf")
    return sorted(checked)

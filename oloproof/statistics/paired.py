"""Two systems on the same cases, pass or fail: how their rates differ, from where they disagree.

``candidate_only`` counts the cases that only the candidate passes, ``baseline_only`` those that only the
baseline does; a difference is always candidate minus baseline. Pair the cases first and drop what is missing
afterwards.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from msgspec import Struct

from oloproof.statistics.beta import binomial_at_most, binomial_exactly
from oloproof.statistics.checks import count, tail_of
from oloproof.statistics.rates import Interval, wilson_of_rate
from oloproof.statistics.roots import find_root

TANGO = "tango@1"
NEWCOMBE = "newcombe_10@1"
BONETT_PRICE = "bonett_price@1"
MCNEMAR_EXACT = "mcnemar_exact@1"
MCNEMAR_MID_P = "mcnemar_mid_p@1"


class PairedRates(Struct, frozen=True):
    """What is said about two systems on ``n`` shared cases; ``interval`` gates, the others check it."""

    difference: float | None
    interval: Interval | None
    p_mid: float | None
    p_exact: float | None
    newcombe: Interval | None
    bonett_price: Interval | None
    n: int
    candidate_only: int
    baseline_only: int
    method: str = TANGO


def paired_binary(
    both_pass: int, candidate_only: int, baseline_only: int, both_fail: int, level: float = 0.95
) -> PairedRates:
    """Return the difference of two pass rates on the same cases, its intervals and its p-values.

    No cases give None throughout. Raises ``ValueError`` for counts that are not whole or are negative.
    """
    both_pass, both_fail = count("both_pass", both_pass), count("both_fail", both_fail)
    b, c = _discordant(candidate_only, baseline_only)
    n = both_pass + b + c + both_fail
    tail_of(level)
    if n == 0:
        return PairedRates(None, None, None, None, None, None, 0, 0, 0)
    return PairedRates(
        difference=(b - c) / n,
        interval=tango_interval(b, c, n, level),
        p_mid=mcnemar_mid_p(b, c),
        p_exact=mcnemar_exact(b, c),
        newcombe=newcombe_interval(both_pass, b, c, both_fail, level),
        bonett_price=bonett_price_interval(b, c, n, level),
        n=n,
        candidate_only=b,
        baseline_only=c,
    )


def mcnemar_exact(candidate_only: int, baseline_only: int) -> float:
    """Return the exact two-sided p-value of McNemar's test; 1 when the systems never disagree.

    Source: McNemar, Psychometrika 12:153 (1947), by the binomial distribution.
    """
    b, c = _discordant(candidate_only, baseline_only)
    return min(1.0, 2.0 * binomial_at_most(min(b, c), b + c, 0.5))


def mcnemar_mid_p(candidate_only: int, baseline_only: int) -> float:
    """Return the mid-p value of McNemar's test, which wastes less than the exact one; 1 with no disagreement.

    Source: Fagerland, Lydersen & Laake, BMC Med. Res. Methodol. 13:91 (2013).
    """
    b, c = _discordant(candidate_only, baseline_only)
    if b + c == 0:
        return 1.0
    at = binomial_exactly(min(b, c), b + c, 0.5)
    return 1.0 - 0.5 * at if b == c else 2.0 * binomial_at_most(min(b, c), b + c, 0.5) - at


def tango_interval(candidate_only: int, baseline_only: int, n: int, level: float = 0.95) -> Interval | None:
    """Return Tango's score interval of the difference of two paired rates: the one that gates.

    It has width even when the systems never disagree. No cases give None. Raises ``ValueError`` when more
    cases disagree than there are. Source: Tango, Stat. Med. 17:891 (1998).
    """
    b, c = _discordant(candidate_only, baseline_only)
    n, tail = _enough(b + c, n), tail_of(level)
    if n == 0:
        return None
    z = -NormalDist().inv_cdf(tail)
    difference = (b - c) / n
    low = -1.0 if c == n else find_root(lambda d: _tango_score(d, b, c, n) - z, -1.0, difference)
    high = 1.0 if b == n else find_root(lambda d: _tango_score(d, b, c, n) + z, difference, 1.0)
    return low, high


def newcombe_interval(
    both_pass: int, candidate_only: int, baseline_only: int, both_fail: int, level: float = 0.95
) -> Interval | None:
    """Return Newcombe's interval of the difference, method 10: Wilson limits joined by a correlation.

    No cases give None. Source: Newcombe, Stat. Med. 17:2635 (1998).
    """
    a, d = count("both_pass", both_pass), count("both_fail", both_fail)
    b, c = _discordant(candidate_only, baseline_only)
    n, tail = a + b + c + d, tail_of(level)
    if n == 0:
        return None
    p1, p2 = (a + b) / n, (a + c) / n
    (l1, u1), (l2, u2) = wilson_of_rate(p1, n, tail), wilson_of_rate(p2, n, tail)
    cross = a * d - b * c
    surplus = max(cross - 0.5 * n, 0.0) if cross > 0 else float(cross)
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    phi = surplus / math.sqrt(margins) if margins else 0.0
    down, up = (p1 - l1, u2 - p2), (u1 - p1, p2 - l2)
    return p1 - p2 - _joined(*down, phi), p1 - p2 + _joined(*up, phi)


def bonett_price_interval(candidate_only: int, baseline_only: int, n: int, level: float = 0.95) -> Interval | None:
    """Return the adjusted Wald interval of the difference: one imagined case is added to each disagreement.

    No cases give None. Source: Bonett & Price, J. Educ. Behav. Stat. 37:479 (2012).
    """
    b, c = _discordant(candidate_only, baseline_only)
    n, tail = _enough(b + c, n), tail_of(level)
    if n == 0:
        return None
    p12, p21 = (b + 1) / (n + 2), (c + 1) / (n + 2)
    centre = p12 - p21
    half = -NormalDist().inv_cdf(tail) * math.sqrt(max(p12 + p21 - centre * centre, 0.0) / (n + 2))
    return max(centre - half, -1.0), min(centre + half, 1.0)


def _tango_score(delta: float, b: int, c: int, n: int) -> float:
    """Return the score statistic at a supposed difference; it falls as ``delta`` rises."""
    linear = -b - c + (2 * n - b + c) * delta
    constant = -c * delta * (1.0 - delta)
    root = math.sqrt(max(linear * linear - 8.0 * n * constant, 0.0))
    q = -2.0 * constant / (linear + root) if linear > 0.0 else (root - linear) / (4.0 * n)
    variance = n * (2.0 * q + delta * (1.0 - delta))
    distance = b - c - n * delta
    if variance <= 0.0:
        return math.copysign(math.inf, distance) if distance else 0.0
    return distance / math.sqrt(variance)


def _joined(one: float, other: float, phi: float) -> float:
    return math.sqrt(max(one * one - 2.0 * phi * one * other + other * other, 0.0))


def _discordant(candidate_only: int, baseline_only: int) -> tuple[int, int]:
    return count("candidate_only", candidate_only), count("baseline_only", baseline_only)


def _enough(discordant: int, n: int) -> int:
    n = count("n", n)
    if discordant > n:
        raise ValueError(f"more cases disagree than there are: {discordant} of {n}")
    return n

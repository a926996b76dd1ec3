"""How far a pass rate can be trusted: Clopper-Pearson decides, Wilson is drawn, Jeffreys predicts.

Nothing here loads numpy or scipy. An interval of no cases is None.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from oloproof.statistics.beta import beta_quantile, beta_tails
from oloproof.statistics.checks import count, counted, inner_share, share, tail_of

Interval = tuple[float, float]

CLOPPER_PEARSON = "clopper_pearson@1"
WILSON = "wilson@1"
WILSON_CC = "wilson_cc@1"
JEFFREYS = "jeffreys@1"


def clopper_pearson(passes: int, n: int, level: float = 0.95) -> Interval | None:
    """Return the exact two-sided interval of a rate, the one that gates: each side errs (1-level)/2 at most.

    ``level`` lies strictly between 0 and 1. No cases give None. Raises ``ValueError`` for counts that cannot
    be.
    Source: Clopper & Pearson, Biometrika 26:404 (1934).
    """
    passes, n = counted(passes, n)
    tail = tail_of(level)
    if n == 0:
        return None
    return _lower(passes, n, tail), _upper(passes, n, tail)


def missing_bounded_interval(passes: int, observed: int, missing: int, level: float = 0.95) -> Interval | None:
    """Return the exact interval with ``missing`` cases as fails for the low end and passes for the high.

    Answers that were given but are unusable may be counted among the missing. Nothing at all gives None;
    nothing but missing gives (0, 1). Raises ``ValueError`` for counts that cannot be.
    Source: Manski, American Economic Review 80:319 (1990), on top of Clopper & Pearson.
    """
    passes, observed = counted(passes, observed)
    n = observed + count("missing", missing)
    tail = tail_of(level)
    if n == 0:
        return None
    return _lower(passes, n, tail), _upper(passes + n - observed, n, tail)


def lower_bound(passes: int, n: int, level: float = 0.95) -> float | None:
    """Return the exact one-sided lower bound of a rate, with error 1-``level``; None at n=0."""
    passes, n = counted(passes, n)
    tail = 1.0 - inner_share("level", level)
    return _lower(passes, n, tail) if n else None


def upper_bound(passes: int, n: int, level: float = 0.95) -> float | None:
    """Return the exact one-sided upper bound of a rate, with error 1-``level``; None at n=0."""
    passes, n = counted(passes, n)
    tail = 1.0 - inner_share("level", level)
    return _upper(passes, n, tail) if n else None


def wilson(passes: int, n: int, level: float = 0.95) -> Interval | None:
    """Return Wilson's score interval, for display: right on average, too bold on one side near 0 and 1.

    No cases give None. Raises ``ValueError`` for counts that cannot be. Source: Wilson, JASA 22:209 (1927).
    """
    passes, n = counted(passes, n)
    tail = tail_of(level)
    return wilson_of_rate(passes / n, n, tail) if n else None


def wilson_cc(passes: int, n: int, level: float = 0.95) -> Interval | None:
    """Return Wilson's interval corrected for continuity (Newcombe, Stat. Med. 17:857, 1998, method 4)."""
    passes, n = counted(passes, n)
    tail = tail_of(level)
    if n == 0:
        return None
    z, p = -NormalDist().inv_cdf(tail), passes / n
    q, width = 1.0 - p, 2.0 * (n + z * z)
    low = (2.0 * n * p + z * z - 1.0 - z * _root(z * z - 2.0 - 1.0 / n + 4.0 * p * (n * q + 1.0))) / width
    high = (2.0 * n * p + z * z + 1.0 + z * _root(z * z + 2.0 - 1.0 / n + 4.0 * p * (n * q - 1.0))) / width
    return (0.0 if passes == 0 else max(low, 0.0)), (1.0 if passes == n else min(high, 1.0))


def jeffreys(passes: int, n: int, level: float = 0.95) -> Interval | None:
    """Return the equal-tailed interval of Beta(passes + 1/2, fails + 1/2): for prediction, never for a gate.

    No cases give None: the prior alone is no evidence. Source: Brown, Cai & DasGupta, Stat. Sci. 16:101
    (2001).
    """
    passes, n = counted(passes, n)
    tail = tail_of(level)
    if n == 0:
        return None
    a, b = passes + 0.5, n - passes + 0.5
    return beta_quantile(tail, a, b), beta_quantile(tail, a, b, upper=True)


_METHODS = {CLOPPER_PEARSON: clopper_pearson, WILSON: wilson, WILSON_CC: wilson_cc, JEFFREYS: jeffreys}


def proportion_interval(passes: int, n: int, level: float = 0.95, method: str = CLOPPER_PEARSON) -> Interval | None:
    """Return the two-sided interval of a rate by the named method; the default is the one that gates."""
    if method not in _METHODS:
        raise ValueError(f"no such method: {method!r}; there are {', '.join(_METHODS)}")
    return _METHODS[method](passes, n, level)


def wilson_of_rate(rate: float, n: float, tail: float) -> Interval:
    """Return Wilson's interval of a ``rate`` of ``n`` cases, with ``tail`` left on each side."""
    z = -NormalDist().inv_cdf(tail)
    width = 2.0 * (n + z * z)
    centre = (2.0 * n * rate + z * z) / width
    half = z / width * _root(4.0 * n * rate * (1.0 - rate) + z * z)
    return (0.0 if rate == 0.0 else centre - half), (1.0 if rate == 1.0 else centre + half)


def real_clopper_pearson(passes: float, n: float, tail: float) -> Interval:
    """Return the exact interval for counts that need not be whole, as an effective number of cases is."""
    return _lower(passes, n, tail), _upper(passes, n, tail)


def compare_lower(passes: int, n: int, threshold: float, level: float) -> int:
    """Return the sign of (exact lower end - ``threshold``); the end itself is seldom computed.

    The end reaches the threshold exactly when ``passes`` or more would be no more likely than one tail if the
    threshold were the true rate.
    """
    tail, threshold = tail_of(level), share("threshold", threshold)
    if passes == 0 or threshold <= 0.0:
        return _sign((0.0 if passes == 0 else 1.0) - threshold)
    if threshold >= 1.0:
        return -1
    odds = beta_tails(passes, n - passes + 1, threshold, 1.0 - threshold)[0]
    if abs(odds - tail) <= 1e-9 * tail:
        return _sign(_lower(passes, n, tail) - threshold)
    return 1 if odds < tail else -1


def compare_upper(passes: int, n: int, threshold: float, level: float) -> int:
    """Return the sign of (exact upper end - ``threshold``), by the same short cut as ``compare_lower``."""
    tail, threshold = tail_of(level), share("threshold", threshold)
    if passes == n or threshold >= 1.0:
        return _sign((1.0 if passes == n else 0.0) - threshold)
    if threshold <= 0.0:
        return 1
    odds = beta_tails(passes + 1, n - passes, threshold, 1.0 - threshold)[1]
    if abs(odds - tail) <= 1e-9 * tail:
        return _sign(_upper(passes, n, tail) - threshold)
    return -1 if odds < tail else 1


def _lower(passes: float, n: float, tail: float) -> float:
    return 0.0 if passes <= 0 else beta_quantile(tail, passes, n - passes + 1)


def _upper(passes: float, n: float, tail: float) -> float:
    return 1.0 if passes >= n else beta_quantile(tail, passes + 1, n - passes, upper=True)


def _root(square: float) -> float:
    return math.sqrt(max(square, 0.0))


def _sign(number: float) -> int:
    return (number > 0.0) - (number < 0.0)

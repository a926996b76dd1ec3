"""The beta distribution in pure Python: its tails and quantiles, and so the binomial's and Student's t.

An ordinary run decides rates and nothing else, and loading ``scipy.special`` would take it longer than all
its other work. So the two functions it needs are written here, after

- DLMF 8.17.22 (the continued fraction of the incomplete beta function), evaluated by the modified Lentz
  method (Thompson & Barnett, J. Comput. Phys. 64:490, 1986);
- Loader, "Fast and accurate computation of binomial probabilities" (2000): Stirling errors and deviances keep
  the factor in front accurate where a difference of log-gammas would have lost ten digits;
- Abramowitz & Stegun 26.5.22 for the first guess of a quantile.

The tests hold all of it to scipy.
"""

from __future__ import annotations

import math
from statistics import NormalDist

_TINY = 1e-300
_HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)
_MOST_TERMS = 2_000_000


def beta_tails(a: float, b: float, x: float, y: float) -> tuple[float, float]:
    """Return the lower and the upper tail of Beta(``a``, ``b``) at ``x``, where ``y`` is 1 - ``x``.

    Both shares are given because near 1 the complement of a float has few digits left; the smaller tail is
    accurate to full relative precision. ``a`` and ``b`` are above 0, ``x`` and ``y`` from 0 to 1.
    """
    if x <= 0.0:
        return 0.0, 1.0
    if y <= 0.0:
        return 1.0, 0.0
    if b == 1.0:
        return x**a, -math.expm1(a * (math.log(x) if x < 0.5 else math.log1p(-y)))
    if a == 1.0:
        return -math.expm1(b * (math.log(y) if y < 0.5 else math.log1p(-x))), y**b
    return _tails(a, b, x, y, _weight(a, b, x, y))


def beta_quantile(p: float, a: float, b: float, *, upper: bool = False) -> float:
    """Return the ``x`` below which Beta(``a``, ``b``) has probability ``p``; above which, with ``upper``.

    ``p`` lies strictly between 0 and 1, ``a`` and ``b`` are above 0. Accurate to about 1e-12 relative.
    """
    return beta_quantile_pair(p, a, b, upper=upper)[0]


def beta_quantile_pair(p: float, a: float, b: float, *, upper: bool = False) -> tuple[float, float]:
    """Return the quantile as ``x`` and 1 - ``x``, both to full relative precision."""
    if upper:
        y, x = beta_quantile_pair(p, b, a)
        return x, y
    if b == 1.0:
        log_x = math.log(p) / a
        return math.exp(log_x), -math.expm1(log_x)
    if a == 1.0:
        log_y = math.log1p(-p) / b
        return -math.expm1(log_y), math.exp(log_y)
    return _shares(_solve_log_odds(p, a, b))


def binomial_at_least(k: int, n: int, p: float) -> float:
    """Return the probability of ``k`` or more successes in ``n`` trials of probability ``p``."""
    if k <= 0:
        return 1.0
    return 0.0 if k > n else beta_tails(k, n - k + 1, p, 1.0 - p)[0]


def binomial_at_most(k: int, n: int, p: float) -> float:
    """Return the probability of ``k`` or fewer successes in ``n`` trials of probability ``p``."""
    if k >= n:
        return 1.0
    return 0.0 if k < 0 else beta_tails(k + 1, n - k, p, 1.0 - p)[1]


def binomial_exactly(k: int, n: int, p: float) -> float:
    """Return the probability of exactly ``k`` successes in ``n`` trials of probability ``p``."""
    if k < 0 or k > n:
        return 0.0
    if k == 0:
        return (1.0 - p) ** n
    return p**n if k == n else _binomial_weight(k, n - k, p, 1.0 - p)


def student_t_quantile(tail: float, df: float) -> float:
    """Return the t that Student's t with ``df`` degrees of freedom exceeds with probability ``tail``.

    ``tail`` lies strictly between 0 and one half.
    """
    x, y = beta_quantile_pair(2.0 * tail, 0.5 * df, 0.5)
    return math.sqrt(df * y / x)


def student_t_two_sided(t: float, df: float) -> float:
    """Return the probability that Student's t with ``df`` degrees of freedom is further from 0 than ``t``."""
    square = t * t
    return beta_tails(0.5 * df, 0.5, df / (df + square), square / (df + square))[0]


def _shares(log_odds: float) -> tuple[float, float]:
    """Return the share with these log odds, and its complement, neither by subtraction."""
    small = math.exp(-abs(log_odds))
    large_share, small_share = 1.0 / (1.0 + small), small / (1.0 + small)
    return (large_share, small_share) if log_odds >= 0.0 else (small_share, large_share)


def _solve_log_odds(p: float, a: float, b: float) -> float:
    """Return the log odds at which the lower tail of Beta(a, b) is ``p``.

    Newton's method on the logarithm of the smaller tail, which is concave in the log odds, inside a bracket
    that takes over by halving whenever a step would leave it.
    """
    use_lower = p <= 0.5
    target = math.log(p) if use_lower else math.log1p(-p)
    low, high = -745.0, 745.0
    close_enough = 1e-8 * min(1.0, 1.0 / math.sqrt(a + b))  # the step after it would be its square
    u = min(max(_first_guess(p, a, b), low), high)
    for _ in range(200):
        x, y = _shares(u)
        weight = _weight(a, b, x, y)
        lower, upper = _tails(a, b, x, y, weight)
        tail = lower if use_lower else upper
        too_far = (lower > p) if use_lower else (upper < 1.0 - p)
        low, high = (low, u) if too_far else (u, high)
        step = math.inf
        if tail > _TINY and weight > _TINY:
            step = (target - math.log(tail)) * tail / weight * (1.0 if use_lower else -1.0)
        if abs(step) <= close_enough:
            return u + step
        u = u + step if low < u + step < high else 0.5 * (low + high)
        if high - low <= 1e-15 * abs(u):
            break
    return u


def _first_guess(p: float, a: float, b: float) -> float:
    """Guess the quantile's log odds (Abramowitz & Stegun 26.5.22, or the tails where a or b is small)."""
    if a > 1.0 and b > 1.0:
        z = NormalDist().inv_cdf(1.0 - p)
        lam = (z * z - 3.0) / 6.0
        h = 2.0 / (1.0 / (2.0 * a - 1.0) + 1.0 / (2.0 * b - 1.0))
        spread = 1.0 / (2.0 * b - 1.0) - 1.0 / (2.0 * a - 1.0)
        w = z * math.sqrt(max(h + lam, 0.0)) / h - spread * (lam + 5.0 / 6.0 - 2.0 / (3.0 * h))
        return math.log(a) - math.log(b) - 2.0 * w
    lower_mass = math.exp(a * math.log(a / (a + b))) / a
    upper_mass = math.exp(b * math.log(b / (a + b))) / b
    total = lower_mass + upper_mass
    if p < lower_mass / total:
        log_x = math.log(a * total * p) / a
        return log_x - math.log(-math.expm1(log_x)) if log_x < 0.0 else 0.0
    log_y = math.log(b * total * (1.0 - p)) / b
    return math.log(-math.expm1(log_y)) - log_y if log_y < 0.0 else 0.0


def _tails(a: float, b: float, x: float, y: float, weight: float) -> tuple[float, float]:
    """Return both tails at ``x``, the one on the near side of the mean by the continued fraction."""
    if x * (a + b + 2.0) < a + 1.0:
        lower = min(weight * _continued_fraction(a, b, x) / a, 1.0)
        return lower, 1.0 - lower
    upper = min(weight * _continued_fraction(b, a, y) / b, 1.0)
    return 1.0 - upper, upper


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of DLMF 8.17.22 by the modified Lentz method."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, _MOST_TERMS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > _TINY else _TINY)
            c = 1.0 + term / c
            c = c if abs(c) > _TINY else _TINY
            change = c * d
            value *= change
        if abs(change - 1.0) <= 3e-16:
            return value
    raise ArithmeticError(f"the incomplete beta function did not converge at a={a}, b={b}, x={x}")


def _weight(a: float, b: float, x: float, y: float) -> float:
    """Return x^a y^b / B(a, b): the density of Beta(a, b) on the scale of log odds."""
    return a * b / (a + b) * _binomial_weight(a, b, x, y)


def _binomial_weight(a: float, b: float, x: float, y: float) -> float:
    """Return Gamma(a+b+1) / (Gamma(a+1) Gamma(b+1)) x^a y^b in Loader's form; a and b may be real."""
    n = a + b
    exponent = _stirling_error(n) - _stirling_error(a) - _stirling_error(b)
    exponent -= _deviance(a, n * x) + _deviance(b, n * y)
    return math.exp(exponent) * math.sqrt(n / a / b) / math.sqrt(2.0 * math.pi)


def _stirling_error(n: float) -> float:
    """Return log Gamma(n+1) minus Stirling's approximation of it."""
    if n <= 15.0:
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - _HALF_LOG_TWO_PI
    s = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / s) / s) / s) / s) / n


def _deviance(x: float, mean: float) -> float:
    """Return x log(x / mean) + mean - x, by its series where the two are close."""
    if mean <= 0.0:
        return math.inf
    difference = x - mean
    if abs(difference) >= 0.1 * (x + mean):
        return x * (math.log(x) - math.log(mean)) - difference
    v = difference / (x + mean)
    total, term, square = difference * v, 2.0 * x * v, v * v
    for j in range(1, 1000):
        term *= square
        longer = total + term / (2 * j + 1)
        if longer == total:
            break
        total = longer
    return total

"""How many cases a comparison or a width needs, by the textbook; not rounded unless it says so."""

from __future__ import annotations

import math
from statistics import NormalDist

from msgspec import Struct

from oloproof.statistics.beta import student_t_quantile
from oloproof.statistics.checks import count, finite, inner_share, positive, share, tail_of
from oloproof.statistics.roots import find_root

_NORMAL = NormalDist()


class DesignEffect(Struct, frozen=True):
    """By how much clustering inflates a variance, and what the cases are worth because of it."""

    deff: float
    effective_n: float


def sample_size_paired_binary(difference: float, discordant: float, *, alpha: float = 0.05, power: float = 0.8) -> int:
    """Return how many pairs show a ``difference`` of pass rates when a share ``discordant`` disagrees.

    Rounded up. Raises ``ValueError`` when fewer pairs disagree than the difference needs, or there is no
    difference.
    Source: Connor, Biometrics 43:207 (1987).
    """
    d, psi = abs(finite("difference", difference)), share("discordant", discordant)
    if not 0.0 < d <= psi:
        raise ValueError(f"difference must be above 0 and at most discordant ({psi:g}), but is {d:g}")
    z_alpha, z_power = _z_pair(alpha, power)
    return math.ceil((z_alpha * math.sqrt(psi) + z_power * math.sqrt(psi - d * d)) ** 2 / (d * d) - 1e-9)


def sample_size_two_rates(p1: float, p2: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return how many cases per arm tell two rates apart on *different* cases: what pairing saves.

    Source: Cohen, Statistical Power Analysis (1988), with the arcsine effect size.
    """
    h = 2.0 * abs(math.asin(math.sqrt(share("p1", p1))) - math.asin(math.sqrt(share("p2", p2))))
    if h == 0.0:
        raise ValueError("p1 and p2 must differ")
    z_alpha, z_power = _z_pair(alpha, power)

    def excess(n: float) -> float:
        shift = h * math.sqrt(n / 2.0)
        return _NORMAL.cdf(shift - z_alpha) + _NORMAL.cdf(-shift - z_alpha) - power

    guess = 2.0 * ((z_alpha + max(z_power, 0.0)) / h) ** 2
    return find_root(excess, 1e-9, 4.0 * guess, tolerance=1e-13)


def sample_size_paired_mean(
    difference: float, sd_of_differences: float, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return how many pairs show a mean ``difference`` when differences spread by ``sd_of_differences``.

    By the noncentral t distribution, two-sided. Never less than 2.
    """
    effect = abs(finite("difference", difference)) / positive("sd_of_differences", sd_of_differences)
    if effect == 0.0:
        raise ValueError("difference must not be 0")
    z_alpha, z_power = _z_pair(alpha, power)
    from scipy.special import nctdtr

    def excess(n: float) -> float:
        t, centre = student_t_quantile(alpha / 2.0, n - 1.0), effect * math.sqrt(n)
        wrong_side = float(nctdtr(n - 1.0, centre, -t))  # nan where it is too small to be told from 0
        return 1.0 - float(nctdtr(n - 1.0, centre, t)) + (wrong_side if wrong_side > 0.0 else 0.0) - power

    if excess(2.0) >= 0.0:
        return 2.0
    enough = ((z_alpha + max(z_power, 0.0)) / effect) ** 2 + 2.0
    while excess(enough) < 0.0:
        enough *= 2.0
    return find_root(excess, 2.0, enough, tolerance=1e-12)


def sample_size_half_width(p: float, half_width: float, level: float = 0.95) -> float:
    """Return how many cases give a rate near ``p`` a normal interval of ± ``half_width``."""
    p, half_width = inner_share("p", p), inner_share("half_width", half_width)
    z = -_NORMAL.inv_cdf(tail_of(level))
    return z * z * p * (1.0 - p) / (half_width * half_width)


def design_effect(n: int, cluster_size: float, icc: float) -> DesignEffect:
    """Return the inflation 1 + (m-1) icc by clusters of size m, and what is left of ``n`` cases.

    Source: Kish, Survey Sampling (1965).
    """
    n, size = count("n", n), positive("cluster_size", cluster_size)
    if size < 1.0:
        raise ValueError(f"cluster_size must be 1 or more, but is {size:g}")
    deff = 1.0 + (size - 1.0) * share("icc", icc)
    return DesignEffect(deff, n / deff)


def _z_pair(alpha: float, power: float) -> tuple[float, float]:
    alpha, power = inner_share("alpha", alpha), inner_share("power", power)
    if power <= alpha:
        raise ValueError(f"power must be above alpha ({alpha:g}), but is {power:g}")
    return -_NORMAL.inv_cdf(alpha / 2.0), _NORMAL.inv_cdf(power)

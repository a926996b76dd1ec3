"""Looking before the end: what looking costs, and the ways of stopping early that cost nothing.

An exact interval holds for one look at a size that was fixed before. Curtailment stops when the decision of the full
run is certain; a confidence sequence holds at every look at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec import Struct

from oloproof.statistics.checks import count, counted, inner_share
from oloproof.statistics.gates import gate_counts
from oloproof.statistics.rates import CLOPPER_PEARSON, Interval
from oloproof.statistics.roots import find_root

CONFIDENCE_SEQUENCE = "beta_binomial_confidence_sequence@1"


class Curtailment(Struct, frozen=True):
    """When a run of ``planned`` cases may stop without changing its decision; None where no count does.

    ``pass_at`` passes make a PASS certain, ``not_pass_at`` failures make it impossible. The rate of a run that was
    stopped so is not an estimate of anything.
    """

    planned: int
    pass_at: int | None
    not_pass_at: int | None


def curtailment(planned: int, *, minimum: float, level: float = 0.95) -> Curtailment:
    """Return when a rule ``rate >= minimum`` over ``planned`` cases is decided before they have all run.

    Raises ``ValueError`` for a minimum outside 0 to 1.
    """
    needed = gate_counts(planned, minimum=minimum, level=level).pass_at
    return Curtailment(planned, needed, None if needed is None else planned - needed + 1)


def anytime_valid_rate_interval(passes: int, n: int, level: float = 0.95) -> Interval | None:
    """Return an interval of a rate that may be looked at after every case; None of no cases.

    It is wider than the exact interval of one look. Raises ``ValueError`` for counts that cannot be.
    Source: Robbins, Ann. Math. Stat. 41:1397 (1970), with a Beta(1/2, 1/2) mixture; Howard et al., Ann. Stat. 49:1055.
    """
    passes, n = counted(passes, n)
    inner_share("level", level)
    if n == 0:
        return None
    bar, peak = _log_bar(passes, n, level), passes / n

    def above(p: float) -> float:
        return _log_likelihood(passes, n, p) - bar

    low = 0.0 if passes == 0 else find_root(above, 0.0, peak)
    high = 1.0 if passes == n else find_root(above, peak, 1.0)
    return low, high


def false_pass_with_peeking(
    true_rate: float,
    *,
    minimum: float,
    largest: int,
    every: int,
    method: str = CLOPPER_PEARSON,
    level: float = 0.95,
) -> float:
    """Return the exact probability that a rule ``rate >= minimum`` is met at some look, one ``every`` so many cases.

    ``method`` is the interval looked at: the exact one or the confidence sequence. Raises ``ValueError`` for another
    method and for looks that are not at least one case apart.
    """
    import numpy as np

    true_rate, largest, every = inner_share("true_rate", true_rate), count("largest", largest), count("every", every)
    if every < 1:
        raise ValueError("looks are at least one case apart")
    if method not in _LOOKS:
        raise ValueError(f"no such method: {method!r}; there are {', '.join(_LOOKS)}")
    alive, stopped = np.zeros(largest + 1), 0.0
    alive[0] = 1.0
    for seen in range(1, largest + 1):
        alive[1:] = alive[1:] * (1.0 - true_rate) + alive[:-1] * true_rate
        alive[0] *= 1.0 - true_rate
        if seen % every == 0 and (needed := _LOOKS[method](seen, minimum, level)) is not None:
            stopped += float(alive[needed : seen + 1].sum())
            alive[needed:] = 0.0
    return stopped


def _exact_look(n: int, minimum: float, level: float) -> int | None:
    return gate_counts(n, minimum=minimum, level=level).pass_at


def _anytime_look(n: int, minimum: float, level: float) -> int | None:
    inner_share("minimum", minimum)
    for passes in range(math.ceil(n * minimum), n + 1):
        if passes > n * minimum and _log_likelihood(passes, n, minimum) < _log_bar(passes, n, level):
            return passes
    return None


_LOOKS: dict[str, Callable[[int, float, float], int | None]] = {
    CLOPPER_PEARSON: _exact_look,
    CONFIDENCE_SEQUENCE: _anytime_look,
}


def _log_bar(passes: int, n: int, level: float) -> float:
    """Return the log-likelihood from which on a rate is in the interval."""
    mixture = math.lgamma(passes + 0.5) + math.lgamma(n - passes + 0.5) - math.lgamma(n + 1.0) - math.log(math.pi)
    return mixture + math.log1p(-level)


def _log_likelihood(passes: int, n: int, p: float) -> float:
    if (passes and p <= 0.0) or (n > passes and p >= 1.0):
        return -math.inf
    return (passes * math.log(p) if passes else 0.0) + ((n - passes) * math.log1p(-p) if n > passes else 0.0)

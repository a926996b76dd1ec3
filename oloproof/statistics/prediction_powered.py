"""The mean score that people would give a whole run, from a judge's scores of all of it and labels of a random part.

The mean of the judge's scores is corrected by how far it was off where people scored too. For pass and fail use
``human_rate``, which holds near the ends, where the normal interval here is too bold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from msgspec import Struct

from oloproof.statistics.betting import bounded_mean_interval
from oloproof.statistics.checks import count, finite_numbers, numbers_within, share, tail_of, value_range
from oloproof.statistics.paired_scores import differences
from oloproof.statistics.rates import Interval

PPI = "ppi_plus_plus@1"
PPI_BETTING = "ppi_betting@1"
FEWEST_LABELS_FOR_PPI = 100
FEWEST_DISAGREEMENTS = 10


class HumanMean(Struct, frozen=True):
    """A corrected mean with its interval; None where the labels do not tell. ``weight`` is that of the judge."""

    estimate: float | None
    interval: Interval | None
    weight: float | None
    labels: int
    unlabelled: int
    method: str = PPI


def ppi_mean(
    labels: Sequence[float],
    judge_on_labelled: Sequence[float],
    judge_on_unlabelled: Sequence[float],
    *,
    weight: float | None = None,
    level: float = 0.95,
) -> HumanMean:
    """Return the prediction-powered mean with its normal interval.

    ``labels`` and ``judge_on_labelled`` are of the same cases, ``judge_on_unlabelled`` of the others. ``weight``, from
    0 (labels only) to 1 (plain PPI), is chosen from the data unless given. Fewer than two labels, or no other case,
    give None. Raises ``ValueError`` for anything but finite numbers and for labels that are not paired.

    Sources: Angelopoulos and others, Science 382:669 (2023); the weight arXiv:2311.01453 (2023).
    """
    tail = tail_of(level)
    errors_at_one = differences(labels, judge_on_labelled)
    human, judged = finite_numbers("labels", labels), finite_numbers("judge_on_labelled", judge_on_labelled)
    others = finite_numbers("judge_on_unlabelled", judge_on_unlabelled)
    m, rest = len(errors_at_one), len(others)
    if weight is not None:
        weight = share("weight", weight)
    if m < 2 or rest == 0:
        return HumanMean(None, None, None, m, rest)
    lam = _best_weight(human, judged, others) if weight is None else weight
    errors = [y - lam * f for y, f in zip(human, judged, strict=True)]
    estimate = lam * _mean(others) + _mean(errors)
    half = -NormalDist().inv_cdf(tail) * math.sqrt(lam * lam * _variance(others) / rest + _variance(errors) / m)
    return HumanMean(estimate, (estimate - half, estimate + half), lam, m, rest)


def human_mean(
    labels: Sequence[float | None],
    judge_on_labelled: Sequence[float],
    judge_on_unlabelled: Sequence[float],
    low: float = 0.0,
    high: float = 5.0,
    *,
    missing: int = 0,
    level: float = 0.95,
) -> HumanMean:
    """Return the mean score by people, with an interval that may gate; scores run from ``low`` to ``high``.

    From 100 labels on, 10 of which differ from the judge's score, this is ``ppi_mean``. With less a normal interval is
    not to be trusted: then two betting intervals, of the judge's mean and of its error, share the error allowed.
    A label of None (unsure) stands at ``low`` for the low end and at ``high`` for the high end, and so does the whole
    case for ``missing`` ones, which the judge did not score. Fewer than two labels, or no other case, give None.

    Raises ``ValueError`` for scores outside the range and for labels that are not paired.
    Source: as ``ppi_mean``; the fallback joins two intervals of ``bounded_mean_interval`` by Bonferroni.
    """
    low, high = value_range(low, high)
    clear = numbers_within("labels", [label for label in labels if label is not None], low, high)
    judged = numbers_within("judge_on_labelled", judge_on_labelled, low, high)
    others = numbers_within("judge_on_unlabelled", judge_on_unlabelled, low, high)
    missing = count("missing", missing)
    if len(labels) != len(judged):
        raise ValueError(f"paired lists need the same length, but have {len(labels)} and {len(judged)} values")
    known = [f for f, label in zip(judged, labels, strict=True) if label is not None]
    found = ppi_mean(clear, known, others, level=level)
    if found.interval is None:
        return found
    normal = len(clear) >= FEWEST_LABELS_FOR_PPI and sum(map(bool, differences(clear, known))) >= FEWEST_DISAGREEMENTS
    ends = []
    for fill in (low, high) if None in labels else (low,):
        filled = [fill if label is None else float(label) for label in labels]
        if normal:
            ends.append(ppi_mean(filled, judged, others, level=level).interval)
        else:
            ends.append(_betting(filled, judged, others, low, high, level))
    scored = len(labels) + len(others)
    interval = _with_missing(ends, scored, missing, low, high)
    if normal:
        return HumanMean(found.estimate, interval, found.weight, len(clear), len(others))
    plain = ppi_mean(clear, known, others, weight=1.0, level=level)
    return HumanMean(plain.estimate, interval, 1.0, len(clear), len(others), PPI_BETTING)


def _betting(
    human: Sequence[float], judged: Sequence[float], others: Sequence[float], low: float, high: float, level: float
) -> Interval | None:
    """Return the sum of the betting intervals of the judge's mean and of its error, each at half the error."""
    each = 0.5 * (1.0 + level)
    mean = bounded_mean_interval(others, low, high, each)
    error = bounded_mean_interval(differences(human, judged), low - high, high - low, each)
    return None if mean is None or error is None else (mean[0] + error[0], mean[1] + error[1])


def _with_missing(
    ends: Sequence[Interval | None], scored: int, missing: int, low: float, high: float
) -> Interval | None:
    """Return the outermost ends, within the range, with ``missing`` cases added at its ends."""
    known = [interval for interval in ends if interval is not None]
    if not known:
        return None
    lowest = max(min(start for start, _ in known), low)
    highest = min(max(end for _, end in known), high)
    whole = scored + missing
    return (lowest * scored + low * missing) / whole, (highest * scored + high * missing) / whole


def _best_weight(human: Sequence[float], judged: Sequence[float], others: Sequence[float]) -> float:
    """Return the weight of least variance, from 0 to 1; 0 for a judge that always gives one score."""
    m, everything = len(human), [*judged, *others]
    spread = _variance(everything) * len(everything) / (len(everything) - 1)
    if spread == 0.0:
        return 0.0
    y_mean, f_mean = _mean(human), _mean(judged)
    shared = math.fsum((y - y_mean) * (f - f_mean) for y, f in zip(human, judged, strict=True)) / m
    return min(max(shared / ((1.0 + m / len(others)) * spread), 0.0), 1.0)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    mean = _mean(values)
    return math.fsum((value - mean) ** 2 for value in values) / len(values)

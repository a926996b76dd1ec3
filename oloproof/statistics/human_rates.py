"""What people would say of a whole run, from a judge's verdicts on all of it and labels of a random part of it.

The labels tell how many of the judge's PASSes people pass, and how many of its FAILs; the verdicts tell how common
each is. No assumption about the judge is needed: a useless one only makes the interval as wide as the labels alone do.
The labels must be a random sample of *this* run; for labels of another run see ``transported_rate``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

from msgspec import Struct

from oloproof.statistics.checks import count, finite, inner_share, share
from oloproof.statistics.rates import Interval, clopper_pearson, wilson

POST_STRATIFIED = "post_stratified_mover@1"

_Limits = Callable[[int, int, float], Interval | None]


class Stratum(Struct, frozen=True):
    """The cases of a run to which the judge gave one verdict.

    ``frame`` counts all of them, ``labelled`` those with a clear label, ``human_pass`` those of them that people
    pass, ``unsure`` those in the sample without a clear label. Raises ``ValueError`` for counts that cannot be.
    """

    frame: int
    labelled: int
    human_pass: int
    unsure: int = 0

    def __post_init__(self) -> None:
        for name in ("frame", "labelled", "human_pass", "unsure"):
            count(name, getattr(self, name))
        if self.human_pass > self.labelled:
            raise ValueError(f"human_pass cannot be more than labelled: {self.human_pass} of {self.labelled}")
        if self.labelled + self.unsure > self.frame:
            raise ValueError(f"a sample cannot be more than the frame: {self.labelled + self.unsure} of {self.frame}")


class HumanRate(Struct, frozen=True):
    """The rate at which people would pass a run's cases; None where labels do not tell.

    ``interval`` gates, ``display_interval`` is the same with Wilson limits. ``judge_rate`` is what the judge says,
    ``labels_only`` the exact interval of the labels without it: where that is narrower, the judge adds nothing.
    ``n`` counts the cases of the run, ``missing`` those without a verdict, ``unsure`` the labels that are not clear.
    """

    estimate: float | None
    interval: Interval | None
    display_interval: Interval | None
    judge_rate: float | None
    labels_only: Interval | None
    n: int
    labels: int
    missing: int
    unsure: int
    level: float
    method: str = POST_STRATIFIED

    @property
    def judge_helps(self) -> bool:
        """Tell whether the judge narrows what the labels alone say."""
        if self.interval is None or self.labels_only is None:
            return False
        return self.interval[1] - self.interval[0] < self.labels_only[1] - self.labels_only[0]


def human_rate(judge_pass: Stratum, judge_fail: Stratum, *, missing: int = 0, level: float = 0.95) -> HumanRate:
    """Return the post-stratified rate of PASSes by people, with an interval that may gate.

    A stratum without labels has limits 0 and 1 and counts as one half. ``missing`` cases of the run have no verdict:
    they are fails for the low end and passes for the high one, as are unsure labels. Fewer than two labels, or no
    cases, give None. Raises ``ValueError`` for counts that cannot be.

    Sources: the estimator is the efficient one for a yes/no surrogate (Chen and others, arXiv:2601.05420); the
    interval joins exact limits of the three rates by the method of variance estimates recovery (Zou & Donner,
    Stat. Med. 27:1693, 2008).
    """
    missing, level = count("missing", missing), inner_share("level", level)
    frame, labels = judge_pass.frame + judge_fail.frame, judge_pass.labelled + judge_fail.labelled
    unsure = judge_pass.unsure + judge_fail.unsure
    known = frame > 0 and labels >= 2
    passes = judge_pass.human_pass + judge_fail.human_pass
    return HumanRate(
        estimate=_estimate(judge_pass, judge_fail) if known else None,
        interval=_worst(judge_pass, judge_fail, missing, level, clopper_pearson) if known else None,
        display_interval=_worst(judge_pass, judge_fail, missing, level, wilson) if known else None,
        judge_rate=judge_pass.frame / frame if frame else None,
        labels_only=clopper_pearson(passes, labels, level) if known else None,
        n=frame + missing,
        labels=labels,
        missing=missing,
        unsure=unsure,
        level=level,
    )


def effective_labels(labels: int, frame: int, phi: float) -> float:
    """Return how many plain labels the ``labels`` are worth beside a judge's verdicts on ``frame`` cases.

    ``phi`` is the correlation of labels and verdicts, from -1 to 1. Raises ``ValueError`` for no labels, and for more
    than there are cases. Source: m / (1 - phi^2 (1 - m/N)), by the variance of double sampling with regression
    (Cochran, Sampling Techniques, 1977, chapter 12).
    """
    labels, frame, squared = count("labels", labels), count("frame", frame), share("phi", abs(finite("phi", phi))) ** 2
    if not 0 < labels <= frame:
        raise ValueError(f"labels must be 1 or more and no more than the frame: {labels} of {frame}")
    return labels / (1.0 - squared * (1.0 - labels / frame))


def _worst(one: Stratum, other: Stratum, missing: int, level: float, limits: _Limits) -> Interval:
    """Return the widest ends over all that the unsure labels and the missing verdicts may hide."""
    ends = [_mover(a, b, level, limits) for a, b in product(_settled(one), _settled(other))]
    frame = one.frame + other.frame
    whole = frame + missing
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    return low * frame / whole, (high * frame + missing) / whole


def _settled(stratum: Stratum) -> tuple[Stratum, ...]:
    """Return the stratum with its unsure labels left out, all fails, and all passes."""
    if not stratum.unsure:
        return (stratum,)
    labelled = stratum.labelled + stratum.unsure
    return (
        Stratum(stratum.frame, stratum.labelled, stratum.human_pass),
        Stratum(stratum.frame, labelled, stratum.human_pass),
        Stratum(stratum.frame, labelled, stratum.human_pass + stratum.unsure),
    )


def _rate(stratum: Stratum) -> float:
    return stratum.human_pass / stratum.labelled if stratum.labelled else 0.5


def _estimate(one: Stratum, other: Stratum) -> float:
    weight = one.frame / (one.frame + other.frame)
    return weight * _rate(one) + (1.0 - weight) * _rate(other)


def _mover(one: Stratum, other: Stratum, level: float, limits: _Limits) -> Interval:
    frame = one.frame + other.frame
    weight, theta = one.frame / frame, _estimate(one, other)
    ppv, omission = _rate(one), _rate(other)
    ppv_low, ppv_high = limits(one.human_pass, one.labelled, level) or (0.0, 1.0)
    omission_low, omission_high = limits(other.human_pass, other.labelled, level) or (0.0, 1.0)
    weight_low, weight_high = limits(one.frame, frame, level) or (0.0, 1.0)
    if ppv < omission:
        weight_low, weight_high = weight_high, weight_low
    gain = ppv - omission
    down = math.hypot(
        weight * (ppv - ppv_low), (1.0 - weight) * (omission - omission_low), gain * (weight - weight_low)
    )
    up = math.hypot(
        weight * (ppv_high - ppv), (1.0 - weight) * (omission_high - omission), gain * (weight_high - weight)
    )
    return max(theta - down, 0.0), min(theta + up, 1.0)

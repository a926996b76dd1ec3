"""Whether a judge may decide: the rule on its blind, random sample of human labels.

A judge must show, with the low end of an exact interval, that it passes what people pass (TPR) and fails what they
fail (TNR). Neither alone will do, and no measure that mixes the two: a judge that always says PASS reaches any bar on
agreement where nearly every case passes. As both ends must clear their bar, the chance of validating a judge that
misses one is that of a single end (Berger, Technometrics 24:295, 1982), and ``alpha_of_look`` keeps it over all looks.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from msgspec import Struct

from oloproof.statistics.checks import count, inner_share, positive
from oloproof.statistics.judge_table import ClassRate, JudgeTable, Unclear, tnr_of, tpr_of
from oloproof.statistics.label_planning import (
    FEWEST_LABELS,
    JUDGE_BAR,
    SMALLEST_CLASS,
    FurtherLabels,
    alpha_of_look,
    further_labels,
)
from oloproof.statistics.paired import tango_interval
from oloproof.statistics.rates import Interval
from oloproof.statistics.reliability import Reliability

JudgeState = Literal["VALIDATED", "NOT_VALIDATED", "INSUFFICIENT_LABELS"]
JudgeReason = Literal[
    "all_bars_cleared",
    "judge_changed",
    "labels_below_minimum",
    "tpr_below_bar",
    "tnr_below_bar",
    "bias_beyond_limit",
    "class_below_minimum",
    "labels_disagree",
    "interval_straddles_bar",
]

JUDGE_RULE = "judge_rule@1"
RELIABLE_ALPHA = 0.667
"""Krippendorff's own lowest limit for tentative conclusions (Content Analysis, 2004, 11.4.2)."""

FEWEST_RELIABILITY_CASES = 20
_MORE_HELP = ("labels_below_minimum", "class_below_minimum", "interval_straddles_bar")
_WORDS = {
    "all_bars_cleared": "both bars are cleared",
    "judge_changed": "the labels belong to another judge: a changed judge needs a validation of its own",
    "labels_below_minimum": "too few cases have both a label and a verdict",
    "tpr_below_bar": "the judge fails too much of what people pass",
    "tnr_below_bar": "the judge passes too much of what people fail",
    "bias_beyond_limit": "the judge's pass rate is too far from that of people",
    "class_below_minimum": "too few cases of one class",
    "labels_disagree": "people disagree too much among themselves: make the labelling guide clearer first",
    "interval_straddles_bar": "the labels allow both answers",
}


class JudgeDecision(Struct, frozen=True):
    """What the labels say of a judge, on what, and what would settle it.

    ``tpr``, ``tnr`` and ``bias_interval`` are at ``alpha`` on each side, the error this look may spend. ``further``
    is None unless more labels can help.
    """

    state: JudgeState
    reason: JudgeReason
    tpr: ClassRate
    tnr: ClassRate
    bias: float | None
    bias_interval: Interval | None
    bar: float
    minimum: int
    class_minimum: int
    max_bias: float | None
    n: int
    unclear: int
    look: int
    alpha: float
    further: FurtherLabels | None
    method: str = JUDGE_RULE

    @property
    def sentence(self) -> str:
        """Return the decision in words, with its numbers and what is missing."""
        parts = [
            f"{self.state}: {_WORDS[self.reason]}",
            f"TPR {_rate_words(self.tpr, 'PASS')}, TNR {_rate_words(self.tnr, 'FAIL')}, bar {self.bar:.2f}",
            f"{self.n} labels ({self.minimum} needed, {self.class_minimum} of each class), look {self.look}",
        ]
        if self.max_bias is not None:
            bias = _bias_words(self.bias, self.bias_interval)
            parts.insert(2, f"bias {bias}, at most {self.max_bias:.3g} either way")
        if self.unclear:
            parts.append(f"{self.unclear} unclear {'case' if self.unclear == 1 else 'cases'} counted against the judge")
        if self.further is not None:
            parts.append(_further_words(self.further))
        return "; ".join(parts)


def _bias_words(bias: float | None, interval: Interval | None) -> str:
    if bias is None or interval is None:
        return "unknown"
    return f"{bias:+.3f} ({interval[0]:+.3f} to {interval[1]:+.3f})"


def judge_rule(
    table: JudgeTable,
    *,
    unclear: Unclear | None = None,
    look: int = 1,
    bar: float = JUDGE_BAR,
    minimum: int = FEWEST_LABELS,
    class_minimum: int = SMALLEST_CLASS,
    max_bias: float | None = None,
    reliability: Reliability | None = None,
    hash_matches: bool = True,
    level: float = 0.95,
) -> JudgeDecision:
    """Return whether the judge is VALIDATED, NOT_VALIDATED, or has INSUFFICIENT_LABELS.

    ``table`` holds the cases with a label and a verdict; ``unclear`` ones are taken as they hurt, for each end apart.
    ``look`` counts the times these labels were decided on, from 1. ``bar`` lies above 0.5 (a coin's rate) and below 1.
    ``max_bias`` (above 0, a share) also limits the judge's pass rate minus that of people. ``reliability`` is how far
    people agree, where several labelled. ``hash_matches`` tells whether the labels were judged by this very judge.

    In this order: another judge; too few labels; an upper end below its bar; too small a class; people who disagree;
    both low ends at their bar. Raises ``ValueError`` for numbers that cannot be, and for minimums below 1.
    """
    unclear = unclear or Unclear()
    _check(bar, minimum, class_minimum, max_bias)
    alpha = alpha_of_look(look, level)
    tpr, tnr = tpr_of(table, unclear, alpha), tnr_of(table, unclear, alpha)
    bias_interval = _bias_interval(table, unclear, 1.0 - 2.0 * alpha)
    reason = (
        _unusable(table, hash_matches, minimum)
        or _refuted(tpr, tnr, bar, bias_interval, max_bias)
        or _unreliable(table, class_minimum, reliability)
        or _settled(tpr, tnr, bar, bias_interval, max_bias)
    )
    limits: _Limits = {"bar": bar, "minimum": minimum, "class_minimum": class_minimum, "max_bias": max_bias}
    more = further_labels(table, unclear=unclear, look=look, level=level, **limits) if reason in _MORE_HELP else None
    return JudgeDecision(
        state=_state_of(reason),
        reason=reason,
        tpr=tpr,
        tnr=tnr,
        bias=(table.fp - table.fn) / table.n if table.n else None,
        bias_interval=bias_interval,
        **limits,
        n=table.n,
        unclear=unclear.n,
        look=look,
        alpha=alpha,
        further=more,
    )


class _Limits(TypedDict):
    """What a judge has to reach."""

    bar: float
    minimum: int
    class_minimum: int
    max_bias: float | None


def _unusable(table: JudgeTable, hash_matches: bool, minimum: int) -> JudgeReason | None:
    if not hash_matches:
        return "judge_changed"
    return "labels_below_minimum" if table.n < minimum else None


def _refuted(
    tpr: ClassRate, tnr: ClassRate, bar: float, bias: Interval | None, max_bias: float | None
) -> JudgeReason | None:
    if _ends_below(tpr, bar):
        return "tpr_below_bar"
    if _ends_below(tnr, bar):
        return "tnr_below_bar"
    return "bias_beyond_limit" if max_bias is not None and _outside(bias, max_bias) else None


def _unreliable(table: JudgeTable, class_minimum: int, reliability: Reliability | None) -> JudgeReason | None:
    if min(table.human_pass, table.human_fail) < class_minimum:
        return "class_below_minimum"
    return "labels_disagree" if reliability is not None and _people_disagree(reliability) else None


def _settled(tpr: ClassRate, tnr: ClassRate, bar: float, bias: Interval | None, max_bias: float | None) -> JudgeReason:
    cleared = _starts_at(tpr, bar) and _starts_at(tnr, bar) and _inside(bias, max_bias)
    return "all_bars_cleared" if cleared else "interval_straddles_bar"


def _check(bar: float, minimum: int, class_minimum: int, max_bias: float | None) -> None:
    if inner_share("bar", bar) <= 0.5:
        raise ValueError(f"bar must be above 0.5, which a coin reaches, but is {bar}")
    for name, value in (("minimum", minimum), ("class_minimum", class_minimum)):
        if count(name, value) < 1:
            raise ValueError(f"{name} must be 1 or more, but is {value}")
    if max_bias is not None:
        positive("max_bias", max_bias)


def _state_of(reason: JudgeReason) -> JudgeState:
    if reason == "all_bars_cleared":
        return "VALIDATED"
    refuted = reason in ("tpr_below_bar", "tnr_below_bar", "bias_beyond_limit")
    return "NOT_VALIDATED" if refuted else "INSUFFICIENT_LABELS"


def _bias_interval(table: JudgeTable, unclear: Unclear, level: float) -> Interval | None:
    """Return Tango's interval of the bias, each end with the unclear cases where they stretch it furthest."""
    n = table.n + unclear.n
    if n == 0:
        return None
    low = tango_interval(table.fp, table.fn + unclear.may_be_fn, n, level) or (-1.0, 1.0)
    high = tango_interval(table.fp + unclear.may_be_fp, table.fn, n, level) or (-1.0, 1.0)
    return low[0], high[1]


def _ends_below(rate: ClassRate, bar: float) -> bool:
    return rate.interval is not None and rate.interval[1] < bar


def _starts_at(rate: ClassRate, bar: float) -> bool:
    return rate.interval is not None and rate.interval[0] >= bar


def _outside(interval: Interval | None, limit: float) -> bool:
    return interval is not None and (interval[0] > limit or interval[1] < -limit)


def _inside(interval: Interval | None, limit: float | None) -> bool:
    return limit is None or (interval is not None and -limit <= interval[0] and interval[1] <= limit)


def _people_disagree(found: Reliability) -> bool:
    if found.interval is None or found.cases < FEWEST_RELIABILITY_CASES:
        return False
    return found.interval[1] < RELIABLE_ALPHA


def _rate_words(rate: ClassRate, name: str) -> str:
    if rate.estimate is None or rate.interval is None:
        return f"unknown (no human {name})"
    return f"{rate.estimate:.3f} ({rate.interval[0]:.3f} to {rate.interval[1]:.3f}) of {rate.n} human {name}"


def _further_words(more: FurtherLabels) -> str:
    if more.draw is not None:
        return f"about {more.draw} more labels would settle it if the judge stays as good"
    if more.draw_at_best == 0:  # what the bars ask for is there
        return "as the judge errs now, no number of labels would bring its bias within the limit"
    if more.draw_at_best is not None:
        return f"at its present rate the judge would not clear the bars; {more.draw_at_best} more labels at best"
    classes = (("PASS", more.human_pass.at_best), ("FAIL", more.human_fail.at_best))
    needs = " and ".join(f"{number} human {name}" for name, number in classes if number)
    return f"at least {needs or 'some'} more are needed, and how many labels hold them cannot be told from these"

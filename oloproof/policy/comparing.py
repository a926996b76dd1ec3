"""Two runs over the same cases, paired case by case: what changed, and whether a rule on the difference holds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from math import fsum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from oloproof import statistics
from oloproof.config.models import RuleOptions
from oloproof.policy.metrics import CaseValue, Measure
from oloproof.policy.wording import JUDGE_WHY, difference_words, number_words, slice_words
from oloproof.records import ORIGINAL, Decision, DecisionState
from oloproof.statistics.gates import Goal

if TYPE_CHECKING:
    from oloproof.statistics import JudgeTable


class Comparison(Struct, frozen=True):
    """A criterion in two runs. ``difference`` is candidate minus baseline over the ``matched`` cases.

    ``fixed`` and ``broken`` are the ids of cases that only the candidate, or only the baseline, passes; for scores
    those that rose or fell. ``unmatched`` counts cases that stand in one run only or are not observed in both, and
    ``unpaired`` has their ids, those of the candidate first; ``lost`` of them were observed in the baseline and are
    not in the candidate, as when it fails where the baseline answered.
    """

    criterion: str
    kind: str
    candidate: float | None
    baseline: float | None
    difference: float | None
    interval: tuple[float, float] | None
    p_value: float | None
    level: float
    method: str
    matched: int
    unmatched: int
    fixed: tuple[str, ...]
    broken: tuple[str, ...]
    unpaired: tuple[str, ...] = ()
    lost: int = 0

    @property
    def passed_in_both(self) -> int | None:
        """How many cases pass in both runs; None where cases have a mean or a score and so neither pass nor fail."""
        if self.method != statistics.TANGO:
            return None
        return round((self.candidate or 0.0) * self.matched) - len(self.fixed)


def compare_cases(
    candidate: Iterable[CaseValue], baseline: Iterable[CaseValue], measure: Measure, level: float
) -> Comparison:
    """Pair the cases first, then drop the pairs of which one side was not observed, and compare.

    Pass rates take Tango's score interval and the McNemar mid-p value; scores and mean pass rates the betting
    interval on the differences and the paired t test.

    Raises:
        ValueError: a score lies outside the range of the measure.
    """
    before = {case.case_id: case for case in baseline}
    after = {case.case_id: case for case in candidate}
    pairs = [
        (case, new.low, old.low)
        for case, new in after.items()
        if (old := before.get(case)) is not None and new.whole and old.whole
    ]
    paired = {case for case, _, _ in pairs}
    unpaired = tuple(case for case in after | before if case not in paired)
    in_order = sorted((new, old) for _, new, old in pairs)  # so that the order of the cases cannot matter
    news, olds = [new for new, _ in in_order], [old for _, old in in_order]
    difference, interval, p_value, method = _difference(news, olds, measure, level)
    return Comparison(
        criterion=measure.criterion,
        kind=measure.kind,
        candidate=fsum(news) / len(news) if news else None,
        baseline=fsum(olds) / len(olds) if olds else None,
        difference=difference,
        interval=interval,
        p_value=p_value,
        level=level,
        method=method,
        matched=len(pairs),
        unmatched=len(unpaired),
        fixed=tuple(case for case, new, old in pairs if new > old),
        broken=tuple(case for case, new, old in pairs if new < old),
        unpaired=unpaired,
        lost=sum(case in before and before[case].whole for case in unpaired),
    )


def _difference(
    news: list[float], olds: list[float], measure: Measure, level: float
) -> tuple[float | None, tuple[float, float] | None, float | None, str]:
    if measure.binary and {*news, *olds} <= {0.0, 1.0}:  # the baseline's repeats may have been summed up otherwise
        both = sum(new == old == 1.0 for new, old in zip(news, olds, strict=True))
        gained = sum(new > old for new, old in zip(news, olds, strict=True))
        lost = sum(new < old for new, old in zip(news, olds, strict=True))
        rates = statistics.paired_binary(both, gained, lost, len(news) - both - gained - lost, level)
        return rates.difference, rates.interval, rates.p_mid, rates.method
    low, high = measure.score_range if measure.kind == "score" else (0.0, 1.0)
    if not news:
        return None, None, None, statistics.PAIRED_BETTING
    means = statistics.paired_mean_difference(news, olds, level)
    return (
        means.difference,
        statistics.paired_betting_interval(news, olds, low, high, level),
        means.p,
        statistics.PAIRED_BETTING,
    )


def decide_comparison(
    rule: RuleOptions,
    found: Comparison | None,
    judges: Mapping[str, str],
    block_on: Collection[str],
    tables: tuple[JudgeTable, JudgeTable] | None = None,
) -> Decision:
    """Return what a superiority, non-inferiority or equivalence rule concludes; without a baseline nothing.

    ``judges`` gives the reason of each judge that may not decide. Of one that may, ``tables`` holds its verdicts
    against the labels of candidate and baseline: the margin is one of people's, and a judge that errs differently on
    the two decides nothing.
    """
    state, reason = _decided(rule, found)
    if rule.criterion in judges and found is not None:
        state, reason = "INSUFFICIENT_EVIDENCE", judges[rule.criterion]
    elif tables is not None and found is not None and reason in _BY_DIFFERENCE:
        state, reason = _judged(rule, found, *tables)
    message, blocking = _message(rule, found, reason), state in block_on
    if rule.requires_manual_review and state != "FAIL":
        state, reason = "MANUAL_REVIEW", "manual_review_required"
        message, blocking = f"{message} {_WHY[reason]}", blocking or state in block_on
    return Decision(
        rule=rule.id,
        metric=rule.metric,
        state=state,
        reason=reason,
        message=message,
        blocking=blocking,
        estimate=None if found is None else found.difference,
        interval=None if found is None else found.interval,
        threshold=rule.margin if rule.margin is not None else 0.0,
    )


_GOALS: dict[str, Goal] = {
    "superiority": "superior",
    "non_inferiority": "non_inferior",
    "equivalence": "equivalent",
}


def partial_decision(decision: Decision) -> Decision:
    """Return what a rule concludes when one of the runs took only some of the cases: nothing, and it blocks."""
    return replace(
        decision,
        state="INSUFFICIENT_EVIDENCE",
        reason="partial_run",
        message=f"{decision.metric}: one of the runs took only some of the cases; run all of them to decide.",
        blocking=True,
    )


def _decided(rule: RuleOptions, found: Comparison | None) -> tuple[DecisionState, str]:
    if found is None:
        return "INSUFFICIENT_EVIDENCE", "no_baseline"
    if found.interval is None:
        return "INSUFFICIENT_EVIDENCE", "no_observations"
    if statistics.too_many_unmatched(found.matched, found.unmatched):
        return "INSUFFICIENT_EVIDENCE", "unmatched_cases"
    state = statistics.decide_difference(
        found.interval,
        goal=_GOALS[rule.effective_kind],
        margin=rule.margin or 0.0,
        matched=found.matched,
        unmatched=found.unmatched,
    )
    if state == "INSUFFICIENT_EVIDENCE":
        return state, "interval_overlaps_margin"
    if rule.effective_kind == "superiority":
        return state, "difference_above_zero" if state == "PASS" else "difference_not_above_zero"
    return state, "difference_within_margin" if state == "PASS" else "difference_outside_margin"


def _judged(
    rule: RuleOptions, found: Comparison, candidate: JudgeTable, baseline: JudgeTable
) -> tuple[DecisionState, str]:
    told = statistics.decide_judged_difference(
        found.interval,
        goal=_GOALS[rule.effective_kind],
        candidate=candidate,
        baseline=baseline,
        margin=rule.margin or 0.0,
        matched=found.matched,
        unmatched=found.unmatched,
        level=found.level,
    )
    if told.reason in _JUDGE_REASONS:
        return told.state, _JUDGE_REASONS[told.reason]
    if told.state == "INSUFFICIENT_EVIDENCE":
        return told.state, "interval_overlaps_margin"
    if rule.effective_kind == "superiority":
        return told.state, "difference_above_zero" if told.state == "PASS" else "difference_not_above_zero"
    return told.state, "difference_within_margin" if told.state == "PASS" else "difference_outside_margin"


_BY_DIFFERENCE = frozenset(
    (
        "interval_overlaps_margin", "difference_above_zero", "difference_not_above_zero", "difference_within_margin",
        "difference_outside_margin",
    )
)  # fmt: skip
_JUDGE_REASONS = {
    "differential_error": "judge_errs_differently",
    "error_rates_unknown": "judge_error_unknown",
    "judge_uninformative": "judge_error_unknown",
}


def _message(rule: RuleOptions, found: Comparison | None, reason: str) -> str:
    variant = "" if rule.variant in (None, ORIGINAL) else f" on {rule.variant}"
    subject = rule.metric + variant + slice_words(rule.slice)
    if found is None:
        kind = f"{'an' if rule.effective_kind == 'equivalence' else 'a'} {rule.effective_kind}"
        return f"{subject}: {kind} rule compares two runs; use oloproof compare CANDIDATE BASELINE."
    if found.difference is None or found.interval is None:
        return f"{subject}: no case was observed in both runs."
    bars = (0.0,) if rule.margin is None else (-rule.margin, rule.margin)
    measured = difference_words(found.difference, found.interval, found.kind, bars)
    unmatched = f", {found.unmatched} could not be paired" if found.unmatched else ""
    up, down = ("higher", "lower") if found.kind == "score" else ("better", "worse")  # a score may be one of errors
    return (
        f"{subject}: {number_words(found.candidate, found.kind)} after {number_words(found.baseline, found.kind)}, "
        f"a difference of {measured} over {found.matched} cases ({len(found.fixed)} {up}, {len(found.broken)} {down}"
        f"{unmatched}); {_wanted(rule, found.kind, up, down)}. {_WHY[reason].format(up=up)}"
    )


def _wanted(rule: RuleOptions, kind: str, up: str, down: str) -> str:
    if rule.margin is None:
        return f"{up} wanted"
    margin = f"{rule.margin * 100:.10g} points" if kind == "rate" else f"{rule.margin:.10g}"
    return f"at most {margin} {down} allowed" if rule.effective_kind == "non_inferiority" else f"within {margin} wanted"


_WHY = {
    "difference_above_zero": "Even the low end is {up}.",
    "difference_not_above_zero": "Even the high end is not {up}.",
    "difference_within_margin": "The whole interval keeps to it.",
    "difference_outside_margin": "The whole interval lies beyond it.",
    "interval_overlaps_margin": "The truth may lie on either side.",
    "unmatched_cases": "Too many cases were not observed in both runs, so the others may not be like all.",
    **JUDGE_WHY,
    "judge_errs_differently": "The judge errs more on one of the two systems, so its difference says nothing.",
    "judge_error_unknown": "How the judge errs on each system is not known; label a sample of both runs.",
    "manual_review_required": "The rule asks for a person to look.",
}

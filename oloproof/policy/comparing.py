"""Two runs over the same cases, paired case by case: what changed, and whether a rule on the difference holds."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from oloproof.config.models import RuleOptions
from oloproof.policy.metrics import CaseValue, Measure
from oloproof.records import Decision, DecisionState
from oloproof.statistics import (
    paired_betting_interval,
    paired_binary,
    paired_mean_difference,
    too_many_unmatched,
)
from oloproof.statistics.betting import BETTING


@dataclass(frozen=True, slots=True)
class Comparison:
    """A criterion in two runs. ``difference`` is candidate minus baseline over the ``matched`` cases.

    ``fixed`` and ``broken`` are the ids of cases that only the candidate, or only the baseline, passes; for scores
    those that rose or fell. ``unmatched`` counts cases that stand in one run only or are not observed in both.
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


def compare_cases(
    candidate: Iterable[CaseValue], baseline: Iterable[CaseValue], measure: Measure, level: float
) -> Comparison:
    """Pair the cases first, then drop the pairs of which one side was not observed, and compare.

    Pass rates take Tango's score interval and the McNemar mid-p value; scores and mean pass rates the betting
    interval on the differences and the paired t test.
    """
    before = {case.case_id: case for case in baseline}
    after = {case.case_id: case for case in candidate}
    pairs = [
        (case, new.low, old.low)
        for case, new in after.items()
        if (old := before.get(case)) is not None and new.whole and old.whole
    ]
    unmatched = len(before.keys() | after.keys()) - len(pairs)
    news, olds = [new for _, new, _ in pairs], [old for _, _, old in pairs]
    difference, interval, p_value, method = _difference(news, olds, measure, level)
    return Comparison(
        criterion=measure.criterion,
        kind=measure.kind,
        candidate=sum(news) / len(news) if news else None,
        baseline=sum(olds) / len(olds) if olds else None,
        difference=difference,
        interval=interval,
        p_value=p_value,
        level=level,
        method=method,
        matched=len(pairs),
        unmatched=unmatched,
        fixed=tuple(case for case, new, old in pairs if new > old),
        broken=tuple(case for case, new, old in pairs if new < old),
    )


def _difference(
    news: list[float], olds: list[float], measure: Measure, level: float
) -> tuple[float | None, tuple[float, float] | None, float | None, str]:
    if measure.binary:
        both = sum(new == old == 1.0 for new, old in zip(news, olds, strict=True))
        gained = sum(new > old for new, old in zip(news, olds, strict=True))
        lost = sum(new < old for new, old in zip(news, olds, strict=True))
        rates = paired_binary(both, gained, lost, len(news) - both - gained - lost, level)
        return rates.difference, rates.interval, rates.p_mid, rates.method
    low, high = measure.score_range if measure.kind == "score" else (0.0, 1.0)
    if not news:
        return None, None, None, BETTING
    means = paired_mean_difference(news, olds, level)
    return means.difference, paired_betting_interval(news, olds, low, high, level), means.p, BETTING


def decide_comparison(
    rule: RuleOptions, found: Comparison | None, judges: Collection[str], block_on: Collection[str]
) -> Decision:
    """Return what a superiority, non-inferiority or equivalence rule concludes; without a baseline nothing."""
    state, reason = _decided(rule, found)
    if rule.criterion in judges and found is not None:
        state, reason = "INSUFFICIENT_EVIDENCE", "judge_not_validated"
    if rule.requires_manual_review and state != "FAIL":
        state, reason = "MANUAL_REVIEW", "manual_review_required"
    return Decision(
        rule=rule.id,
        metric=rule.metric,
        state=state,
        reason=reason,
        message=_message(rule, found, reason),
        blocking=state in block_on,
        estimate=None if found is None else found.difference,
        interval=None if found is None else found.interval,
        threshold=rule.margin if rule.margin is not None else 0.0,
    )


def _decided(rule: RuleOptions, found: Comparison | None) -> tuple[DecisionState, str]:
    if found is None:
        return "INSUFFICIENT_EVIDENCE", "no_baseline"
    if found.interval is None:
        return "INSUFFICIENT_EVIDENCE", "no_observations"
    if too_many_unmatched(found.matched, found.unmatched):
        return "INSUFFICIENT_EVIDENCE", "unmatched_cases"
    lower, upper = found.interval
    margin = rule.margin or 0.0
    if rule.effective_kind == "superiority":
        if lower > 0:
            return "PASS", "difference_above_zero"
        return (
            ("FAIL", "difference_not_above_zero")
            if upper <= 0
            else ("INSUFFICIENT_EVIDENCE", "interval_overlaps_margin")
        )
    inside = lower >= -margin and (rule.effective_kind == "non_inferiority" or upper <= margin)
    outside = upper < -margin or (rule.effective_kind == "equivalence" and lower > margin)
    if inside:
        return "PASS", "difference_within_margin"
    return ("FAIL", "difference_outside_margin") if outside else ("INSUFFICIENT_EVIDENCE", "interval_overlaps_margin")


def _message(rule: RuleOptions, found: Comparison | None, reason: str) -> str:
    if found is None:
        return (
            f"{rule.metric}: a {rule.effective_kind} rule compares two runs; use oloproof compare CANDIDATE BASELINE."
        )
    if found.difference is None or found.interval is None:
        return f"{rule.metric}: no case was observed in both runs."
    low, high = found.interval
    return (
        f"{rule.metric}: difference {found.difference:+.3f} [{low:+.3f}, {high:+.3f}] over {found.matched} matched "
        f"cases, {len(found.fixed)} fixed and {len(found.broken)} broken; {found.unmatched} unmatched ({reason})."
    )

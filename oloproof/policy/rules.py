"""From a metric to a decision: PASS, FAIL or INSUFFICIENT_EVIDENCE, with a reason code and a sentence."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct, field

from oloproof import statistics
from oloproof.config.models import RuleOptions
from oloproof.policy.wording import (
    JUDGE_WHY,
    bar_words,
    estimate_words,
    family_words,
    interval_words,
    slice_words,
    telling_digits,
)
from oloproof.records import HUMAN_RATE, ONE_REPEAT_LABELLED, ORIGINAL, Decision, DecisionState, Metric
from oloproof.statistics import CLOPPER_PEARSON, clopper_pearson, decide


class Standing(Struct, frozen=True):
    """What is known of the run that a rule is applied to, beyond the numbers."""

    partial: bool = False
    judges: Mapping[str, str] = field(default_factory=dict)
    """The reason code of each criterion whose judge may not decide."""


def decide_rule(rule: RuleOptions, metric: Metric, standing: Standing, block_on: Collection[str]) -> Decision:
    """Return what ``rule`` concludes of ``metric``.

    A run of only some cases, and a judge that was not validated, decide nothing whatever the numbers say. Where a
    person is asked for, what a failure or a lack of evidence would block stays blocked.
    """
    if rule.effective_kind == "observed_count":
        state, reason = _count(rule, metric)
    else:
        state, reason = _bound(rule, metric)
    if rule.criterion in standing.judges and rule.rate is None:
        state, reason = "INSUFFICIENT_EVIDENCE", standing.judges[rule.criterion]
    if standing.partial:
        state, reason = "INSUFFICIENT_EVIDENCE", "partial_run"
    message = _message(rule, metric, reason)
    blocking = standing.partial or state in block_on
    if rule.requires_manual_review and state != "FAIL" and not standing.partial:
        state, reason = "MANUAL_REVIEW", "manual_review_required"
        message, blocking = f"{message} {_WHY[reason]}", blocking or state in block_on
    return Decision(
        rule=rule.id,
        metric=rule.metric,
        state=state,
        reason=reason,
        message=message,
        blocking=blocking,
        estimate=metric.estimate,
        interval=metric.interval,
        threshold=threshold_of(rule),
    )


def threshold_of(rule: RuleOptions) -> float | None:
    """Return the number that the rule holds the metric against."""
    for bound in (rule.min, rule.max, rule.max_failures, rule.margin):
        if bound is not None:
            return float(bound)
    return 0.0 if rule.effective_kind == "superiority" else None


def _count(rule: RuleOptions, metric: Metric) -> tuple[DecisionState, str]:
    """Decide on the number of failed cases; one that holds a failed repeat has failed whatever is missing of it."""
    limit = rule.max_failures or 0
    failures = count_against(rule, metric)
    unknown = _open(metric)
    if failures > limit:
        return "FAIL", "observed_failures_exceed_limit"
    if metric.observed + metric.partly_failed == 0:
        return "INSUFFICIENT_EVIDENCE", "no_observations"
    if failures + unknown > limit:
        return "INSUFFICIENT_EVIDENCE", "missing_could_change_outcome"
    return "PASS", "observed_failures_within_limit"


def count_against(rule: RuleOptions, metric: Metric) -> int:
    """Return how many cases count against a rule with ``max_failures``, those not whole that failed already too."""
    return (metric.passed if rule.rate is not None else metric.failed) + metric.partly_failed


def _open(metric: Metric) -> int:
    """Return how many cases may still count or not count against such a rule."""
    return metric.missing + metric.invalid - metric.partly_failed


def _bound(rule: RuleOptions, metric: Metric) -> tuple[DecisionState, str]:
    if metric.interval is None:
        unknown = metric.estimand == HUMAN_RATE and metric.observed
        return "INSUFFICIENT_EVIDENCE", "human_rate_unknown" if unknown else "no_observations"
    if rule.decide_on == "estimate":
        if metric.estimate is None:
            return "INSUFFICIENT_EVIDENCE", "no_observations"
        return _by_estimate(rule, metric, metric.estimate)
    state = decide(metric.interval, minimum=rule.min, maximum=rule.max)
    if state == "PASS" and rule.family in ("delta", "worst_delta") and rule.min is not None and _all_wrong(metric):
        return "INSUFFICIENT_EVIDENCE", "original_all_wrong"
    if state != "INSUFFICIENT_EVIDENCE":
        return state, _BOUND_REASONS[state, rule.min is not None]
    if metric.observed == 0:
        return "INSUFFICIENT_EVIDENCE", "no_observations"
    if metric.kind == "count" and metric.missing + metric.invalid:
        return "INSUFFICIENT_EVIDENCE", "missing_could_change_outcome"
    if metric.method == CLOPPER_PEARSON and metric.family is None and metric.missing + metric.invalid:
        without = clopper_pearson(metric.passed, metric.observed, metric.level)
        if decide(without, minimum=rule.min, maximum=rule.max) != "INSUFFICIENT_EVIDENCE":
            return "INSUFFICIENT_EVIDENCE", "missing_could_change_outcome"
    return "INSUFFICIENT_EVIDENCE", "interval_overlaps_threshold"


def _all_wrong(metric: Metric) -> bool:
    """Return whether the original of no case was right, below which no variant can fall."""
    originals = (metric.family or {}).get("original", {})
    return bool(originals.get("observed")) and not originals.get("right")


_BOUND_REASONS = {
    ("PASS", True): "lower_bound_meets_minimum",
    ("FAIL", True): "upper_bound_below_minimum",
    ("PASS", False): "upper_bound_meets_maximum",
    ("FAIL", False): "lower_bound_above_maximum",
}


def _by_estimate(rule: RuleOptions, metric: Metric, estimate: float) -> tuple[DecisionState, str]:
    """Decide on the bare estimate, where nothing that is missing could turn it."""
    low, high = _estimates(metric, estimate)
    state = decide((estimate, estimate), minimum=rule.min, maximum=rule.max)
    if decide((low, high), minimum=rule.min, maximum=rule.max) != state:
        return "INSUFFICIENT_EVIDENCE", "missing_could_change_outcome"
    return state, _ESTIMATE_REASONS[state, rule.min is not None]


_ESTIMATE_REASONS = {
    ("PASS", True): "estimate_meets_minimum",
    ("FAIL", True): "estimate_below_minimum",
    ("PASS", False): "estimate_meets_maximum",
    ("FAIL", False): "estimate_above_maximum",
}


def _estimates(metric: Metric, estimate: float) -> tuple[float, float]:
    """Return the lowest and highest estimate that what is missing or invalid leaves possible.

    The worst of several variants may be another one than it seems, and says itself what it could be. Of the rate of
    people the whole interval is taken, which is wider than need be.
    """
    could_be = metric.could_be or (metric.family or {}).get("could_be")
    if could_be is not None:
        return min(could_be[0], estimate), max(could_be[1], estimate)
    unknown = metric.missing + metric.invalid
    if unknown == 0:
        return estimate, estimate
    if metric.method == CLOPPER_PEARSON:
        return metric.passed / metric.n, (metric.passed + unknown) / metric.n
    low, high = metric.interval or (estimate, estimate)
    return min(low, estimate), max(high, estimate)


def _message(rule: RuleOptions, metric: Metric, reason: str) -> str:
    """Return one sentence with what was measured, what was wanted, and why that is enough or not."""
    subject = rule.metric + ("" if metric.variant == ORIGINAL else f" on {metric.variant}") + slice_words(metric.slice)
    if rule.effective_kind == "observed_count":
        measured = f"{count_against(rule, metric)} of {metric.n} cases {_COUNTED.get(rule.rate or '', 'failed')}"
        wanted = f"at most {rule.max_failures} allowed"
    else:
        bar = rule.min if rule.min is not None else rule.max
        digits = telling_digits(metric.kind, metric.estimate, metric.interval, () if bar is None else (bar,))
        measured = _whose(metric) + estimate_words(metric, digits)
        if metric.estimate is None and metric.interval is not None and reason != "no_observations":
            measured = f"no case whole, {interval_words(metric, digits)}"
        wanted = f"at {'least' if rule.min is not None else 'most'} {bar_words(bar, metric.kind)} "
        wanted += "wanted" if rule.min is not None else "allowed"
    why = _NONE_WHOLE if reason == "no_observations" and metric.n else _WHY[reason]
    if reason == "human_rate_unknown" and metric.method == ONE_REPEAT_LABELLED:
        why = _ONE_REPEAT
    if reason == "interval_overlaps_threshold" and (metric.family is not None or metric.method != CLOPPER_PEARSON):
        why = _OPEN
    return f"{subject}: {measured}{_beside(rule, metric)}; {wanted}. {why}"


def _whose(metric: Metric) -> str:
    """Return which estimate was used, where it is not what the evaluator itself says."""
    if metric.estimand != HUMAN_RATE:
        return ""
    run = "another run" if metric.method == statistics.ROGAN_GLADEN else "this run"
    if metric.estimate is None:
        return f"what people would pass (by their labels of {run}): "
    return f"people would pass (by their labels of {run}) "


def _beside(rule: RuleOptions, metric: Metric) -> str:
    """Return how many cases are missing and invalid; where failures are counted, without those that failed already."""
    if rule.effective_kind == "observed_count" and metric.partly_failed:
        return f" ({_open(metric)} missing or invalid of {metric.n})" if _open(metric) else ""
    unknown = [f"{count} {word}" for count, word in ((metric.missing, "missing"), (metric.invalid, "invalid")) if count]
    told = [f"{' and '.join(unknown)} of {metric.n}"] if unknown else []
    if metric.family is not None:
        told = [*family_words(metric), *told]
    return f" ({', '.join(told)})" if told else ""


_COUNTED = {"error_rate": "had an error", "invalid_rate": "were invalid", "missing_rate": "were missing"}
_ONE_REPEAT = (
    "People label one repeat of each case, which does not tell how many of several they would pass; "
    "estimand: judge_rate decides on the judge's own rate."
)
_NONE_WHOLE = "No case was observed in full; oloproof inspect --failures says why."
_OPEN = "The truth may lie on either side; more cases would tell."
_WHY = {
    "lower_bound_meets_minimum": "Even the low end is enough.",
    "upper_bound_below_minimum": "Even the high end is too low.",
    "upper_bound_meets_maximum": "Even the high end is within it.",
    "lower_bound_above_maximum": "Even the low end is too much.",
    "interval_overlaps_threshold": "The truth may lie on either side; oloproof plan says how many cases would decide.",
    "estimate_meets_minimum": "Decided on the estimate alone.",
    "estimate_below_minimum": "Decided on the estimate alone.",
    "estimate_meets_maximum": "Decided on the estimate alone.",
    "estimate_above_maximum": "Decided on the estimate alone.",
    "original_all_wrong": "No original is right, so no variant could be worse: that says nothing.",
    "no_observations": "Nothing was observed.",
    "observed_failures_within_limit": "Within the limit.",
    "observed_failures_exceed_limit": "Over the limit.",
    "missing_could_change_outcome": "What is missing or invalid could change the outcome; "
    "oloproof inspect --failures says why.",
    **JUDGE_WHY,
    "human_rate_unknown": "The labels do not tell what people would say of this run; label a sample of it.",
    "partial_run": "Only some of the cases were run; run all of them to decide.",
    "manual_review_required": "The rule asks for a person to look.",
}

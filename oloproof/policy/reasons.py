"""The closed list of reason codes: why a rule passed, failed or could not be decided."""

from __future__ import annotations

REASONS: dict[str, str] = {
    "lower_bound_meets_minimum": "the whole interval lies at or above the minimum",
    "upper_bound_below_minimum": "the whole interval lies below the minimum",
    "upper_bound_meets_maximum": "the whole interval lies at or below the maximum",
    "lower_bound_above_maximum": "the whole interval lies above the maximum",
    "interval_overlaps_threshold": "the interval holds values on both sides of the threshold",
    "estimate_meets_minimum": "the estimate reaches the minimum (the rule decides on the estimate)",
    "estimate_below_minimum": "the estimate is below the minimum (the rule decides on the estimate)",
    "estimate_meets_maximum": "the estimate is at most the maximum (the rule decides on the estimate)",
    "estimate_above_maximum": "the estimate is above the maximum (the rule decides on the estimate)",
    "original_all_wrong": "no original is right, so no variant could be worse and the rule would pass whatever it does",
    "no_observations": "nothing was observed, so nothing can be said",
    "observed_failures_within_limit": "no more cases failed than the limit, counting what is missing as failed",
    "observed_failures_exceed_limit": "more cases failed than the limit",
    "missing_could_change_outcome": "what is missing or invalid could still change the outcome",
    "judge_not_validated": "a judge decides nothing until people's labels show that it agrees with them",
    "judge_changed": "the judge was changed after it was validated, which makes it another judge",
    "sight_not_proven": "the judge was required to prove that it sees (sight_test: require) and did not",
    "human_rate_unknown": "the labels do not tell at which rate people would pass this run",
    "partial_run": "the run took only some of the cases",
    "manual_review_required": "the rule asks for a person",
    "judge_errs_differently": "the judge errs more on one of the two runs than on the other",
    "judge_error_unknown": "labels do not tell how the judge errs on each of the two runs",
    "no_baseline": "the rule compares two runs and was given one",
    "difference_above_zero": "the whole interval of the difference lies above zero",
    "difference_not_above_zero": "the whole interval of the difference lies at or below zero",
    "difference_within_margin": "the whole interval of the difference lies within the margin",
    "difference_outside_margin": "the whole interval of the difference lies outside the margin",
    "interval_overlaps_margin": "the interval of the difference holds values on both sides of the margin",
    "unmatched_cases": "more than 5 % of the cases could not be paired between the two runs",
}
"""What each code means; decisions use no other."""

"""From verdicts to metrics and from rules to decisions."""

from oloproof.policy.comparing import Comparison, compare_cases, decide_comparison, partial_decision
from oloproof.policy.metrics import CaseValue, Measure, rate_of, reduce_cases, summarize
from oloproof.policy.reasons import REASONS
from oloproof.policy.rules import Standing, count_against, decide_rule, threshold_of

__all__ = [
    "REASONS",
    "CaseValue",
    "Comparison",
    "Measure",
    "Standing",
    "compare_cases",
    "count_against",
    "decide_comparison",
    "decide_rule",
    "partial_decision",
    "rate_of",
    "reduce_cases",
    "summarize",
    "threshold_of",
]

"""From verdicts to metrics and from rules to decisions."""

from oloproof.policy.answers import answer_reader
from oloproof.policy.comparing import Comparison, compare_cases, decide_comparison, partial_decision
from oloproof.policy.families import FamilyAsk, family_metrics
from oloproof.policy.members import Family, families
from oloproof.policy.members import Reader as FamilyReader
from oloproof.policy.metrics import CaseValue, Measure, SliceFilter, rate_of, reduce_cases, summarize
from oloproof.policy.moves import MOVES, Move, move_of
from oloproof.policy.prior_metrics import rates_by_group
from oloproof.policy.reasons import REASONS
from oloproof.policy.rules import Standing, count_against, decide_rule, threshold_of

__all__ = [
    "MOVES",
    "REASONS",
    "CaseValue",
    "Comparison",
    "Family",
    "FamilyAsk",
    "FamilyReader",
    "Measure",
    "Move",
    "SliceFilter",
    "Standing",
    "answer_reader",
    "compare_cases",
    "count_against",
    "decide_comparison",
    "decide_rule",
    "families",
    "family_metrics",
    "move_of",
    "partial_decision",
    "rate_of",
    "rates_by_group",
    "reduce_cases",
    "summarize",
    "threshold_of",
]

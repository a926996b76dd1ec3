"""The house rule, the worst of several decisions, and the counts that decide."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from oloproof import statistics as st


@pytest.mark.parametrize(
    ("interval", "bars", "expected"),
    [
        ((0.80, 0.95), {"minimum": 0.80}, "PASS"),
        ((0.79, 0.95), {"minimum": 0.80}, "INSUFFICIENT_EVIDENCE"),
        ((0.50, 0.80), {"minimum": 0.80}, "INSUFFICIENT_EVIDENCE"),
        ((0.50, 0.79), {"minimum": 0.80}, "FAIL"),
        ((0.00, 0.10), {"maximum": 0.10}, "PASS"),
        ((0.00, 0.11), {"maximum": 0.10}, "INSUFFICIENT_EVIDENCE"),
        ((0.10, 0.30), {"maximum": 0.10}, "INSUFFICIENT_EVIDENCE"),
        ((0.11, 0.30), {"maximum": 0.10}, "FAIL"),
        ((2.0, math.inf), {"maximum": 3.0}, "INSUFFICIENT_EVIDENCE"),
        ((math.inf, math.inf), {"maximum": 3.0}, "FAIL"),
        ((2.0, None), {"maximum": 3.0}, "INSUFFICIENT_EVIDENCE"),
        ((4.0, None), {"maximum": 3.0}, "FAIL"),
        ((None, 2.0), {"maximum": 3.0}, "PASS"),
        ((None, None), {"minimum": 0.0}, "INSUFFICIENT_EVIDENCE"),
        (None, {"minimum": 0.0}, "INSUFFICIENT_EVIDENCE"),
        (None, {"maximum": 1.0}, "INSUFFICIENT_EVIDENCE"),
    ],
)
def test_an_interval_decides_a_bar_only_from_one_side_of_it(
    interval: Any, bars: dict[str, float], expected: str
) -> None:
    assert st.decide(interval, **bars) == expected


@given(
    ends=some.tuples(some.floats(0, 1), some.floats(0, 1)).map(sorted), bar=some.integers(0, 64).map(lambda n: n / 64)
)
@settings(deadline=None)
def test_a_maximum_is_a_minimum_seen_in_the_mirror(ends: list[float], bar: float) -> None:
    low, high = (round(end * 64) / 64 for end in ends)

    assert st.decide((low, high), maximum=bar) == st.decide((1 - high, 1 - low), minimum=1 - bar)


@pytest.mark.parametrize("bars", [{}, {"minimum": 0.1, "maximum": 0.2}])
def test_one_bar_must_be_given_and_only_one(bars: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="either minimum or maximum"):
        st.decide((0.0, 1.0), **bars)


@pytest.mark.parametrize("bad", [math.nan, math.inf, True, "0.8"])
def test_a_bar_that_is_no_finite_number_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="minimum must be a finite number"):
        st.decide((0.0, 1.0), minimum=bad)


@pytest.mark.parametrize("interval", [(math.nan, 1.0), (0.0, math.nan), (0.6, 0.5)])
def test_an_interval_that_is_none_is_refused(interval: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="an interval cannot"):
        st.decide(interval, minimum=0.5)


def test_the_worst_decision_wins() -> None:
    assert st.worst(["PASS", "FAIL", "INSUFFICIENT_EVIDENCE"]) == "FAIL"
    assert st.worst(["PASS", "INSUFFICIENT_EVIDENCE"]) == "INSUFFICIENT_EVIDENCE"
    assert st.worst(["PASS", "PASS"]) == "PASS"
    assert st.worst([]) == "INSUFFICIENT_EVIDENCE"


@pytest.mark.parametrize(
    ("interval", "goal", "margin", "expected"),
    [
        ((-0.05, 0.1), "non_inferior", 0.05, "PASS"),
        ((-0.06, 0.1), "non_inferior", 0.05, "INSUFFICIENT_EVIDENCE"),
        ((-0.20, -0.06), "non_inferior", 0.05, "FAIL"),
        ((0.01, 0.1), "superior", 0.0, "PASS"),
        ((0.0, 0.1), "superior", 0.0, "INSUFFICIENT_EVIDENCE"),
        ((-0.1, 0.0), "superior", 0.0, "FAIL"),
        ((-0.05, 0.05), "equivalent", 0.05, "PASS"),
        ((-0.05, 0.06), "equivalent", 0.05, "INSUFFICIENT_EVIDENCE"),
        ((0.06, 0.1), "equivalent", 0.05, "FAIL"),
        ((-0.1, -0.06), "equivalent", 0.05, "FAIL"),
        (None, "superior", 0.0, "INSUFFICIENT_EVIDENCE"),
    ],
)
def test_a_difference_is_decided_by_its_goal(interval: Any, goal: Any, margin: float, expected: str) -> None:
    assert st.decide_difference(interval, goal=goal, margin=margin, matched=50) == expected


def test_more_than_one_unmatched_case_in_twenty_decides_nothing() -> None:
    assert st.decide_difference((0.1, 0.2), goal="superior", matched=95, unmatched=5) == "PASS"
    assert st.decide_difference((0.1, 0.2), goal="superior", matched=94, unmatched=6) == "INSUFFICIENT_EVIDENCE"
    assert not st.too_many_unmatched(0, 0)


@pytest.mark.parametrize(
    ("goal", "margin", "match"),
    [("better", 0.0, "no such goal"), ("superior", 0.1, "margin"), ("equivalent", -0.1, "margin")],
)
def test_a_goal_that_cannot_be_meant_is_refused(goal: Any, margin: float, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        st.decide_difference((0.0, 0.1), goal=goal, margin=margin, matched=10)


@given(n=some.integers(1, 60), bar=some.floats(0.0, 1.0), missing=some.integers(0, 8), at_least=some.booleans())
@settings(max_examples=40, deadline=None)
def test_gate_counts_decide_exactly_as_the_interval_of_each_count_does(
    n: int, bar: float, missing: int, at_least: bool
) -> None:
    missing = min(missing, n)
    bars = {"minimum" if at_least else "maximum": bar}
    counts = st.gate_counts(n, missing=missing, **bars)
    for passes in range(n - missing + 1):
        state = st.decide(st.missing_bounded_interval(passes, n - missing, missing), **bars)
        reaches_pass = counts.pass_at is not None and (
            passes >= counts.pass_at if at_least else passes <= counts.pass_at
        )
        reaches_fail = counts.fail_at is not None and (
            passes <= counts.fail_at if at_least else passes >= counts.fail_at
        )
        assert state == ("PASS" if reaches_pass else "FAIL" if reaches_fail else "INSUFFICIENT_EVIDENCE")


def test_gate_counts_of_a_maximum_mirror_those_of_a_minimum() -> None:
    most = st.gate_counts(30, maximum=0.2)

    assert (most.pass_at, most.fail_at) == (1, 12)
    assert most.sentence == "PASS up to 1, FAIL from 12, nothing else decides"


def test_gate_counts_of_no_cases_decide_nothing() -> None:
    counts = st.gate_counts(0, minimum=0.0)

    assert counts.pass_at is None
    assert counts.fail_at is None
    assert counts.sentence == "no count passes, no count fails, nothing else decides"


def test_missing_cases_stand_against_both_sides_of_a_gate() -> None:
    whole, torn = st.gate_counts(50, minimum=0.8), st.gate_counts(50, minimum=0.8, missing=3)

    assert (whole.pass_at, whole.fail_at) == (46, 33)
    assert (torn.pass_at, torn.fail_at) == (46, 30)


def test_gate_counts_of_a_million_cases_are_found_at_once() -> None:
    counts = st.gate_counts(10**6, minimum=0.9)

    assert counts.pass_at is not None
    assert stats.beta.ppf(0.025, counts.pass_at, 10**6 - counts.pass_at + 1) >= 0.9
    assert stats.beta.ppf(0.025, counts.pass_at - 1, 10**6 - counts.pass_at + 2) < 0.9


@pytest.mark.parametrize("threshold", [0.8, 0.9, 0.95, 0.99])
def test_the_exact_gate_errs_no_more_than_it_says_at_the_bar_itself(threshold: float) -> None:
    for n in (10, 17, 50, 150, 300):
        assert st.false_pass_probability(n, threshold, minimum=threshold) <= 0.025
        assert st.false_fail_probability(n, threshold, minimum=threshold) <= 0.025
        assert st.false_pass_probability(n, threshold, maximum=threshold) <= 0.025
        assert st.false_fail_probability(n, threshold, maximum=threshold) <= 0.025


def test_a_bare_rate_passes_a_bad_system_two_times_in_five() -> None:
    bare = st.false_pass_probability(20, 0.9, minimum=0.95, method=st.POINT_ESTIMATE)

    assert bare == pytest.approx(0.392, abs=5e-4)
    assert st.false_pass_probability(20, 0.9, minimum=0.95) == 0.0


@pytest.mark.parametrize("method", [st.CLOPPER_PEARSON, st.WILSON, st.POINT_ESTIMATE])
def test_the_errors_of_a_maximum_mirror_those_of_a_minimum(method: str) -> None:
    for function in (st.false_pass_probability, st.false_fail_probability):
        assert function(40, 0.25, maximum=0.25, method=method) == pytest.approx(
            function(40, 0.75, minimum=0.75, method=method), rel=1e-9
        )


def test_no_cases_pass_or_fail_with_no_probability_by_any_method() -> None:
    for method in (st.CLOPPER_PEARSON, st.WILSON, st.POINT_ESTIMATE):
        assert st.false_pass_probability(0, 0.9, minimum=0.5, method=method) == 0.0
        assert st.false_fail_probability(0, 0.1, minimum=0.5, method=method) == 0.0


def test_a_gate_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="minimum must lie between 0 and 1"):
        st.gate_counts(10, minimum=1.2)
    with pytest.raises(ValueError, match="missing cannot be more than the cases: 11 of 10"):
        st.gate_counts(10, minimum=0.5, missing=11)
    with pytest.raises(ValueError, match="no such method"):
        st.false_pass_probability(10, 0.5, minimum=0.5, method="wald")

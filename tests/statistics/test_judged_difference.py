"""Two systems compared through one judge."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from oloproof import statistics as st

SURE = st.JudgeTable(920, 80, 120, 880)


def _decide(interval: Any, goal: Any = "non_inferior", **changed: Any) -> st.JudgedDifference:
    given = {"candidate": SURE, "baseline": SURE, "margin": 0.05, "matched": 100} | changed
    return st.decide_judged_difference(interval, goal=goal, **given)


def test_a_margin_shrinks_with_the_judge() -> None:
    assert st.judge_scale_margin(0.05, 1.0, 1.0) == 0.05
    assert st.judge_scale_margin(0.05, 0.92, 0.88) == pytest.approx(0.04)
    assert st.judge_scale_margin(0.05, 0.5, 0.5) is None
    assert st.judge_scale_margin(0.05, 0.2, 0.3) is None


def test_non_inferiority_needs_the_shrunk_margin() -> None:
    shrunk = _decide((-0.035, 0.1)).margin or 0.0

    assert 0.03 < shrunk < 0.04
    assert _decide((-0.035, 0.1)).state == "PASS"
    assert _decide((-0.045, 0.1)).state == "INSUFFICIENT_EVIDENCE"
    assert st.decide_difference((-0.045, 0.1), goal="non_inferior", margin=0.05, matched=100) == "PASS"


def test_failing_needs_the_margin_of_the_best_the_judge_may_be() -> None:
    assert _decide((-0.2, -0.04)).state == "INSUFFICIENT_EVIDENCE"
    assert _decide((-0.2, -0.045)).state == "FAIL"


def test_superiority_keeps_its_sign() -> None:
    assert _decide((0.001, 0.2), "superior", margin=0.0).state == "PASS"
    assert _decide((-0.2, 0.0), "superior", margin=0.0).state == "FAIL"
    assert _decide((-0.1, 0.1), "superior", margin=0.0).reason == "not_decided"


def test_a_judge_that_errs_differently_on_the_two_decides_nothing() -> None:
    kind = st.JudgeTable(98, 2, 40, 60)
    found = _decide((0.2, 0.3), "superior", margin=0.0, candidate=kind, baseline=st.JudgeTable(97, 3, 10, 90))

    assert (found.state, found.reason) == ("INSUFFICIENT_EVIDENCE", "differential_error")
    assert found.error.tnr_difference == pytest.approx(-0.3)
    assert found.error.differs is True


def test_labels_of_both_systems_and_both_classes_are_needed() -> None:
    for lacking in (st.JudgeTable(0, 0, 0, 0), st.JudgeTable(90, 10, 0, 0)):
        found = _decide((0.2, 0.3), baseline=lacking)
        assert (found.state, found.reason) == ("INSUFFICIENT_EVIDENCE", "error_rates_unknown")
        assert found.error.tnr_interval is None


def test_a_judge_not_shown_better_than_a_coin_decides_nothing() -> None:
    coin = st.JudgeTable(50, 50, 50, 50)

    assert _decide((0.2, 0.3), candidate=coin, baseline=coin).reason == "judge_uninformative"


@given(
    counts=some.tuples(some.integers(1, 200), some.integers(1, 200)),
    shares=some.tuples(some.floats(0, 1), some.floats(0, 1)),
)
@settings(max_examples=40, deadline=None)
def test_swapping_the_arms_mirrors_newcombes_interval(counts: tuple[int, int], shares: tuple[float, float]) -> None:
    (n, m), (p, q) = counts, shares
    a, b = round(n * p), round(m * q)
    low, high = st.newcombe_independent_interval(a, n, b, m) or (9.0, -9.0)

    assert st.newcombe_independent_interval(b, m, a, n) == pytest.approx((-high, -low), abs=1e-12)
    assert -1.0 <= low <= a / n - b / m <= high <= 1.0


def test_newcombes_interval_is_the_published_one() -> None:
    assert st.newcombe_independent_interval(56, 70, 48, 80) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert st.newcombe_independent_interval(10, 10, 0, 10) == pytest.approx((0.6075, 1.0), abs=5e-5)
    assert st.newcombe_independent_interval(0, 0, 1, 2) is None


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"margin": -0.1}, "margin must be 0 or more"),
        ({"margin": math.nan}, "margin must"),
        ({"goal": "better"}, "no such goal"),
        ({"level": 1.0}, "level must"),
        ({"candidate": st.JudgeTable(0, 0, 0, 0), "goal": "better"}, "no such goal"),
    ],
)
def test_a_comparison_that_cannot_be_is_refused(changed: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        _decide((0.1, 0.2), **changed)


def test_a_rate_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="tpr must lie between"):
        st.judge_scale_margin(0.05, 1.2, 0.9)

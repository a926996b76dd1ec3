"""Quantiles by order statistics, with timeouts and missing values."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from oloproof import statistics as st

TIMES = some.lists(some.integers(0, 50).map(lambda n: n / 8), min_size=1, max_size=120)


def _null(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


@given(values=TIMES, p=some.sampled_from([0.05, 0.25, 0.5, 0.9, 0.95]), level=some.sampled_from([0.85, 0.95]))
@settings(max_examples=40, deadline=None)
def test_the_interval_is_scipys_with_null_for_no_such_bound(values: list[float], p: float, level: float) -> None:
    expected = stats.quantile_test(values, p=p).confidence_interval(level)

    assert st.quantile_interval(values, p, level) == (_null(expected.low), _null(expected.high))


@pytest.mark.parametrize(("p", "least"), [(0.5, 6), (0.9, 36), (0.95, 72), (0.99, 368)])
def test_a_high_end_exists_from_a_known_number_of_values_on(p: float, least: int) -> None:
    values = [float(n) for n in range(least)]

    assert st.quantile_min_n(p).upper == least
    assert (st.quantile_interval(values, p) or (None, None))[1] == least - 1
    assert (st.quantile_interval(values[1:], p) or (None, None))[1] is None


def test_a_share_too_near_one_to_tell_never_has_a_low_end() -> None:
    assert st.quantile_min_n(1e-300).lower is None


def test_timeouts_are_infinite_and_stay_in_the_count() -> None:
    values = [1.0] * 30 + [math.inf] * 10

    assert st.quantile_interval(values, 0.9) == (math.inf, math.inf)
    assert st.quantile_interval(values, 0.5) == (1.0, 1.0)
    assert st.quantile(values, 0.9) == math.inf
    assert st.decide(st.quantile_interval(values, 0.9), maximum=60.0) == "FAIL"


def test_ties_are_fine() -> None:
    assert st.quantile_interval([2.0] * 40, 0.5) == (2.0, 2.0)


def test_missing_values_stand_below_the_low_end_and_above_the_high_end() -> None:
    values = [float(n) for n in range(1, 37)]
    low, high = st.quantile_interval(values, 0.5) or (None, None)
    torn_low, torn_high = st.quantile_interval(values, 0.5, missing=4) or (None, None)

    assert (low, high) == (12.0, 25.0)
    assert (torn_low, torn_high) == (10.0, 27.0)
    assert st.quantile_interval(values, 0.5, missing=100) == (None, None)
    assert st.quantile_interval([], 0.5, missing=3) == (None, None)


def test_no_values_have_no_quantile() -> None:
    assert st.quantile_interval([], 0.5) is None
    assert st.quantile([], 0.5) is None


@given(values=TIMES, p=some.floats(0.01, 0.99))
@settings(max_examples=40, deadline=None)
def test_a_quantile_is_the_least_value_that_enough_do_not_exceed(values: list[float], p: float) -> None:
    found = st.quantile(values, p)

    assert found in values
    assert sum(value <= found for value in values) / len(values) >= p
    assert sum(value < found for value in values) / len(values) < p


@pytest.mark.parametrize("bad", [math.nan, -math.inf, True, "1", None])
def test_a_time_that_is_no_number_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="values"):
        st.quantile_interval([1.0, bad], 0.5)


@pytest.mark.parametrize("p", [0.0, 1.0, 95, math.nan])
def test_a_share_outside_0_and_1_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="p must"):
        st.quantile_interval([1.0], p)

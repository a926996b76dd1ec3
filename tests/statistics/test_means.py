"""Means of scores for display: Student's t, Hoeffding's, and the bootstrap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from oloproof import statistics as st

SCORES = some.lists(some.integers(0, 5).map(float), min_size=2, max_size=60)
NOT_SCORES: list[Any] = [math.nan, math.inf, -math.inf, True, "4", None, np.bool_(True), 1 + 2j, [1.0]]


@given(values=SCORES, level=some.sampled_from([0.5, 0.9, 0.95, 0.999]))
@settings(max_examples=40, deadline=None)
def test_the_t_interval_is_scipys(values: list[float], level: float) -> None:
    found = st.mean_t_interval(values, level)

    assert found.mean == pytest.approx(np.mean(values))
    if len(set(values)) == 1:
        assert found.interval is None
    else:
        expected = stats.ttest_1samp(values, 0).confidence_interval(level)
        assert found.interval == pytest.approx((expected.low, expected.high), abs=1e-9)
        assert found.se == pytest.approx(stats.sem(values))


def test_one_value_has_a_mean_and_no_interval() -> None:
    assert st.mean_t_interval([4.0]) == st.Mean(4.0, None, None, 1)


def test_no_values_have_no_mean() -> None:
    assert st.mean_t_interval([]) == st.Mean(None, None, None, 0)
    assert st.mean_of([]) is None
    assert st.hoeffding_interval([], 0, 5) is None


def test_equal_values_have_no_interval_rather_than_one_of_no_width() -> None:
    assert st.mean_t_interval([0.1] * 10) == st.Mean(0.1, 0.0, None, 10)
    assert st.bootstrap_mean_interval([5.0] * 10, seed=1) is None


@given(values=SCORES)
@settings(max_examples=40, deadline=None)
def test_hoeffdings_interval_stays_in_range_and_holds_the_mean(values: list[float]) -> None:
    low, high = st.hoeffding_interval(values, 0, 5) or (9.0, -9.0)

    assert 0.0 <= low <= np.mean(values) <= high <= 5.0


def test_a_bootstrap_is_the_same_for_the_same_seed_only() -> None:
    values = [0.0, 1.0, 2.0, 3.5, 5.0, 5.0, 4.25]
    one = st.bootstrap_mean_interval(values, seed=7, resamples=500)

    assert one == st.bootstrap_mean_interval(values, seed=7, resamples=500)
    assert one != st.bootstrap_mean_interval(values, seed=8, resamples=500)


def test_a_bootstrap_of_one_value_says_nothing() -> None:
    assert st.bootstrap_mean_interval([4.0], seed=1) is None


def test_a_bootstrap_with_odd_settings_is_refused() -> None:
    with pytest.raises(ValueError, match="resamples must be 1 or more"):
        st.bootstrap_mean_interval([1.0, 2.0], seed=1, resamples=0)
    with pytest.raises(ValueError, match="seed must"):
        st.bootstrap_mean_interval([1.0, 2.0], seed=-1)


@pytest.mark.parametrize("bad", NOT_SCORES)
def test_a_value_that_is_no_finite_number_is_refused(bad: Any) -> None:
    for function in (st.mean_t_interval, st.mean_of):
        with pytest.raises(ValueError, match="values must"):
            function([1.0, bad])
    with pytest.raises(ValueError, match="values must"):
        st.hoeffding_interval([1.0, bad], 0, 5)
    with pytest.raises(ValueError, match="values must"):
        st.bootstrap_mean_interval([1.0, bad], seed=1)


def test_text_is_no_list_of_numbers() -> None:
    with pytest.raises(ValueError, match="values must be a list of numbers, not text"):
        st.mean_of("123")  # type: ignore[arg-type]


def test_numpy_numbers_are_numbers() -> None:
    assert st.mean_of(np.array([1, 2, 3])) == 2.0
    assert st.mean_of(np.array([0.5, 1.5])) == 1.0

"""The betting interval that gates a mean score."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy.optimize import brentq
from scipy.special import logsumexp

from oloproof import statistics as st

SCORES = some.lists(some.integers(0, 20).map(lambda n: n / 4), min_size=1, max_size=60)
NOT_SCORES: list[Any] = [math.nan, math.inf, -math.inf, True, "4", None, -0.01, 5.01]


def _by_the_book(values: Any, low: float, high: float, missing: int = 0) -> tuple[float, float]:
    def lower(y: Any) -> float:
        fractions = (1 + np.cos((2 * np.arange(1, 65) - 1) * np.pi / 128)) / 2
        if not y.any():
            return 0.0

        def excess(m: float) -> float:
            logs = np.log(1 - fractions[:, None] + fractions[:, None] * y / m).sum(axis=1)
            return float(logsumexp(logs) - math.log(64) - math.log(40))

        return float(brentq(excess, 1e-12, 1.0, xtol=1e-14))

    y = (np.asarray(values, float) - low) / (high - low)
    zeros = np.zeros(missing)
    ends = lower(np.concatenate([y, zeros])), 1 - lower(np.concatenate([1 - y, zeros]))
    return low + (high - low) * ends[0], low + (high - low) * ends[1]


@given(values=SCORES, missing=some.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_the_interval_is_the_one_by_the_book(values: list[float], missing: int) -> None:
    found = st.bounded_mean_interval(values, 0, 5, missing=missing)

    assert found == pytest.approx(_by_the_book(values, 0, 5, missing), abs=1e-8)


@pytest.mark.parametrize("n", [201, 999, 3000])
def test_many_different_values_take_another_road_to_the_same_interval(n: int) -> None:
    values = np.random.default_rng(n).random(n) ** 3 * 5

    assert st.bounded_mean_interval(values, 0, 5) == pytest.approx(_by_the_book(values, 0, 5), abs=1e-9)


@given(values=SCORES, level=some.sampled_from([0.5, 0.9, 0.95, 0.999]))
@settings(max_examples=40, deadline=None)
def test_the_interval_stays_in_range_and_holds_the_mean(values: list[float], level: float) -> None:
    low, high = st.bounded_mean_interval(values, 0, 5, level) or (9.0, -9.0)

    assert 0.0 <= low <= np.mean(values) + 1e-12
    assert np.mean(values) - 1e-12 <= high <= 5.0


@given(values=SCORES)
@settings(max_examples=40, deadline=None)
def test_turning_the_scale_round_mirrors_the_interval(values: list[float]) -> None:
    low, high = st.bounded_mean_interval(values, 0, 5) or (9.0, -9.0)
    turned = st.bounded_mean_interval([5 - value for value in values], 0, 5)

    assert turned == pytest.approx((5 - high, 5 - low), abs=1e-9)


@given(values=SCORES, place=some.integers(0, 59))
@settings(max_examples=40, deadline=None)
def test_a_better_score_never_lowers_an_end(values: list[float], place: int) -> None:
    better = list(values)
    better[place % len(values)] = 5.0
    low, high = st.bounded_mean_interval(values, 0, 5) or (9.0, -9.0)
    better_low, better_high = st.bounded_mean_interval(better, 0, 5) or (-9.0, -9.0)

    assert low <= better_low + 1e-12
    assert high <= better_high + 1e-12


@given(values=SCORES, missing=some.integers(0, 20))
@settings(max_examples=40, deadline=None)
def test_missing_values_only_ever_widen_the_interval(values: list[float], missing: int) -> None:
    low, high = st.bounded_mean_interval(values, 0, 5, missing=missing) or (9.0, -9.0)
    more_low, more_high = st.bounded_mean_interval(values, 0, 5, missing=missing + 1) or (9.0, -9.0)

    assert more_low <= low + 1e-12
    assert high <= more_high + 1e-12


def test_missing_values_stand_at_the_ends_of_the_range() -> None:
    low = (st.bounded_mean_interval([4, 5, 5, 0, 0], 0, 5) or (0.0, 0.0))[0]
    high = (st.bounded_mean_interval([4, 5, 5, 5, 5], 0, 5) or (0.0, 0.0))[1]

    assert st.bounded_mean_interval([4, 5, 5], 0, 5, missing=2) == pytest.approx((low, high), abs=1e-12)
    assert st.bounded_mean_interval([], 0, 5, missing=3) == (0.0, 5.0)


def test_no_values_have_no_interval() -> None:
    assert st.bounded_mean_interval([], 0, 5) is None


def test_all_at_the_top_reach_the_top_and_all_at_the_bottom_the_bottom() -> None:
    top, bottom = st.bounded_mean_interval([5] * 50, 0, 5), st.bounded_mean_interval([0] * 50, 0, 5)

    assert top == (pytest.approx(4.526323142202301, abs=1e-9), 5.0)
    assert bottom == (0.0, pytest.approx(5 - 4.526323142202301, abs=1e-9))


def test_one_value_says_next_to_nothing_but_something() -> None:
    low, high = st.bounded_mean_interval([5], 0, 5) or (0.0, 0.0)

    assert 0.0 < low < 0.1
    assert high == 5.0


@pytest.mark.parametrize("tiny", [1e-9, 1e-200, 1e-307, 5e-324])
def test_a_vanishing_score_among_zeros_breaks_nothing(tiny: float) -> None:
    low, high = st.bounded_mean_interval([0.0] * 49 + [tiny], 0, 1) or (9.0, 9.0)

    assert 0.0 <= low <= tiny
    assert 0.0 < high < 0.2


def test_ten_thousand_different_values_take_well_under_a_second() -> None:
    values = np.random.default_rng(3).random(10_000)
    started = time.perf_counter()
    low, high = st.bounded_mean_interval(values, 0, 1) or (9.0, 9.0)

    assert time.perf_counter() - started < 1.0
    assert low < values.mean() < high
    assert high - low < 0.03


def test_a_million_equal_or_graded_values_stay_accurate() -> None:
    low, high = st.bounded_mean_interval([5] * 1_000_000, 0, 5) or (9.0, 9.0)

    assert high == 5.0
    assert 5.0 - low == pytest.approx(5 * math.log(40 * 64) / 1e6, rel=0.5)


@pytest.mark.parametrize("share", [0.8, 0.95])
def test_the_interval_misses_a_true_mean_no_more_often_than_it_says(share: float) -> None:
    rng, true_mean, misses = np.random.default_rng(11), 5 * share + (1 - share), 0
    for _ in range(300):
        values = np.where(rng.random(30) < share, 5.0, 1.0)
        low = (st.bounded_mean_interval(values, 0, 5) or (0.0, 0.0))[0]
        misses += low > true_mean

    assert misses <= 0.025 * 300


@pytest.mark.parametrize("bad", NOT_SCORES)
def test_a_score_that_is_none_or_out_of_range_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="values must"):
        st.bounded_mean_interval([1.0, bad], 0, 5)


@pytest.mark.parametrize("ends", [(5, 0), (1, 1), (-1e308, 1e308)])
def test_a_range_without_room_is_refused(ends: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="low must be below high"):
        st.bounded_mean_interval([1.0], *ends)
    with pytest.raises(ValueError, match="high must be a finite number"):
        st.bounded_mean_interval([1.0], 0, math.inf)

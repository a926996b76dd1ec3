"""Pass rates: the exact interval that gates, the score interval that is drawn, and the bounds of missing verdicts."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from oloproof import statistics as st
from oloproof.statistics.rates import compare_lower, compare_upper

METHODS = [st.CLOPPER_PEARSON, st.WILSON, st.WILSON_CC, st.JEFFREYS]
LEVELS = some.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.9999])
NOT_COUNTS: list[Any] = [-1, 2.0, 1.5, True, False, "3", None, math.nan, math.inf, Decimal(3)]


@some.composite
def counts(draw: some.DrawFn, most: int = 3000) -> tuple[int, int]:
    n = draw(some.integers(1, most))
    return draw(some.integers(0, n)), n


@given(case=counts(100_000), level=LEVELS)
@settings(max_examples=40, deadline=None)
def test_the_exact_interval_is_scipys(case: tuple[int, int], level: float) -> None:
    expected = stats.binomtest(*case).proportion_ci(level, "exact")

    assert st.clopper_pearson(*case, level) == pytest.approx(tuple(expected), rel=1e-9)


@given(case=counts(), level=LEVELS)
@settings(max_examples=40, deadline=None)
def test_the_score_intervals_are_scipys(case: tuple[int, int], level: float) -> None:
    test = stats.binomtest(*case)

    assert st.wilson(*case, level) == pytest.approx(tuple(test.proportion_ci(level, "wilson")), abs=1e-9)
    assert st.wilson_cc(5, 9, level) == pytest.approx(
        tuple(stats.binomtest(5, 9).proportion_ci(level, "wilsoncc")), abs=1e-9
    )


@given(case=counts(), level=LEVELS)
@settings(max_examples=40, deadline=None)
def test_one_sided_bounds_are_scipys(case: tuple[int, int], level: float) -> None:
    lower = stats.binomtest(*case, alternative="greater").proportion_ci(level, "exact").low
    upper = stats.binomtest(*case, alternative="less").proportion_ci(level, "exact").high

    assert st.lower_bound(*case, level) == pytest.approx(lower, rel=1e-9)
    assert st.upper_bound(*case, level) == pytest.approx(upper, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
@given(case=counts())
@settings(max_examples=40, deadline=None)
def test_more_passes_never_lower_an_end(method: str, case: tuple[int, int]) -> None:
    passes, n = case
    low, high = st.proportion_interval(passes, n, 0.95, method) or (0.0, 0.0)
    better_low, better_high = st.proportion_interval(min(passes + 1, n), n, 0.95, method) or (0.0, 0.0)

    assert low <= better_low
    assert high <= better_high


@pytest.mark.parametrize("method", [st.CLOPPER_PEARSON, st.WILSON, st.WILSON_CC])
@given(case=counts(), level=LEVELS)
@settings(max_examples=40, deadline=None)
def test_an_interval_lies_within_0_and_1_and_holds_its_rate(method: str, case: tuple[int, int], level: float) -> None:
    interval = st.proportion_interval(*case, level, method)

    assert interval is not None
    assert 0.0 <= interval[0] <= case[0] / case[1] + 1e-15
    assert case[0] / case[1] - 1e-15 <= interval[1] <= 1.0


@pytest.mark.parametrize("method", METHODS)
@given(case=counts())
@settings(max_examples=40, deadline=None)
def test_counting_fails_instead_of_passes_mirrors_the_interval(method: str, case: tuple[int, int]) -> None:
    passes, n = case
    low, high = st.proportion_interval(passes, n, 0.95, method) or (0.0, 0.0)

    assert st.proportion_interval(n - passes, n, 0.95, method) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.mark.parametrize("true_rate", [0.05, 0.37, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("n", [7, 30, 101])
def test_the_exact_interval_misses_on_each_side_no_more_often_than_it_says(true_rate: float, n: int) -> None:
    ends = [st.clopper_pearson(k, n) or (0.0, 0.0) for k in range(n + 1)]
    too_high = sum(stats.binom.pmf(k, n, true_rate) for k in range(n + 1) if ends[k][0] > true_rate)
    too_low = sum(stats.binom.pmf(k, n, true_rate) for k in range(n + 1) if ends[k][1] < true_rate)

    assert too_high <= 0.025
    assert too_low <= 0.025


@given(case=counts(300), missing=some.integers(0, 300))
@settings(max_examples=40, deadline=None)
def test_missing_verdicts_only_ever_widen_the_interval(case: tuple[int, int], missing: int) -> None:
    low, high = st.missing_bounded_interval(*case, missing) or (0.0, 0.0)
    more_low, more_high = st.missing_bounded_interval(*case, missing + 1) or (0.0, 0.0)

    assert more_low <= low
    assert high <= more_high


def test_without_missing_verdicts_the_bounded_interval_is_the_exact_one() -> None:
    assert st.missing_bounded_interval(27, 30, 0) == st.clopper_pearson(27, 30)


def test_nothing_but_missing_verdicts_allow_every_rate() -> None:
    assert st.missing_bounded_interval(0, 0, 5) == (0.0, 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_no_cases_have_no_interval_by_any_method(method: str) -> None:
    assert st.proportion_interval(0, 0, 0.95, method) is None


def test_no_cases_have_no_bound() -> None:
    assert st.lower_bound(0, 0) is None
    assert st.upper_bound(0, 0) is None
    assert st.missing_bounded_interval(0, 0, 0) is None


@pytest.mark.parametrize("n", [1, 2, 10, 367, 10**6])
def test_all_pass_gives_the_nth_root_and_all_fail_its_mirror(n: int) -> None:
    root = 0.025 ** (1.0 / n)

    assert st.clopper_pearson(n, n) == (pytest.approx(root, rel=1e-12), 1.0)
    assert st.clopper_pearson(0, n) == (0.0, pytest.approx(1.0 - root, rel=1e-9))


@pytest.mark.parametrize("bad", NOT_COUNTS)
@pytest.mark.parametrize("function", [st.clopper_pearson, st.wilson, st.wilson_cc, st.jeffreys, st.lower_bound])
def test_a_count_that_is_no_count_is_refused(function: Any, bad: Any) -> None:
    with pytest.raises(ValueError, match="passes must"):
        function(bad, 10)
    with pytest.raises(ValueError, match="n must"):
        function(0, bad)


def test_more_passes_than_cases_are_refused() -> None:
    with pytest.raises(ValueError, match="passes cannot be more than the cases: 11 of 10"):
        st.clopper_pearson(11, 10)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 95, math.nan, "0.95", True, None])
def test_a_level_outside_0_and_1_is_refused(level: Any) -> None:
    with pytest.raises(ValueError, match="level must"):
        st.clopper_pearson(1, 2, level)


@pytest.mark.parametrize("bad", NOT_COUNTS)
def test_a_number_of_missing_verdicts_that_is_no_count_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="missing must"):
        st.missing_bounded_interval(1, 2, bad)


def test_an_unknown_method_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no such method: 'wald'; there are clopper_pearson@1, wilson@1"):
        st.proportion_interval(1, 2, 0.95, "wald")


@given(case=counts(500), threshold=some.floats(0.0, 1.0), level=LEVELS)
@settings(max_examples=40, deadline=None)
def test_the_short_cut_agrees_with_the_interval_itself(case: tuple[int, int], threshold: float, level: float) -> None:
    low, high = st.clopper_pearson(*case, level) or (0.0, 0.0)

    assert compare_lower(*case, threshold, level) == (low > threshold) - (low < threshold)
    assert compare_upper(*case, threshold, level) == (high > threshold) - (high < threshold)


@pytest.mark.parametrize(("passes", "n"), [(1, 1), (5, 9), (10, 10), (0, 4), (99_999, 100_000)])
def test_a_bar_exactly_at_an_end_is_met(passes: int, n: int) -> None:
    low, high = st.clopper_pearson(passes, n) or (0.0, 0.0)

    assert compare_lower(passes, n, low, 0.95) == 0
    assert compare_upper(passes, n, high, 0.95) == 0

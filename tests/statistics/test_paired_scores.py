"""Two systems on the same cases, scored."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from oloproof import statistics as st

PAIRS = some.lists(
    some.tuples(some.integers(0, 20).map(lambda n: n / 4), some.integers(0, 20).map(lambda n: n / 4)),
    min_size=2,
    max_size=50,
)


@given(pairs=PAIRS)
@settings(max_examples=40, deadline=None)
def test_the_paired_t_interval_and_p_are_scipys(pairs: list[tuple[float, float]]) -> None:
    candidate, baseline = [one for one, _ in pairs], [other for _, other in pairs]
    found = st.paired_mean_difference(candidate, baseline)

    if len(set(st.differences(candidate, baseline))) == 1:
        assert (found.interval, found.p) == (None, None)
    else:
        expected = stats.ttest_rel(candidate, baseline)
        assert found.p == pytest.approx(expected.pvalue, abs=1e-9)
        assert found.interval == pytest.approx(tuple(expected.confidence_interval()), abs=1e-9)


@given(pairs=PAIRS)
@settings(max_examples=40, deadline=None)
def test_swapping_the_systems_turns_the_betting_interval_round(pairs: list[tuple[float, float]]) -> None:
    candidate, baseline = [one for one, _ in pairs], [other for _, other in pairs]
    low, high = st.paired_betting_interval(candidate, baseline, 0, 5) or (9.0, 9.0)
    mean = sum(st.differences(candidate, baseline)) / len(pairs)

    assert -5.0 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 5.0
    assert st.paired_betting_interval(baseline, candidate, 0, 5) == pytest.approx((-high, -low), abs=1e-9)


def test_equal_differences_have_a_betting_interval_with_width_and_no_other() -> None:
    candidate, baseline = [3.0] * 40, [2.0] * 40
    low, high = st.paired_betting_interval(candidate, baseline, 0, 5) or (9.0, 9.0)

    assert low < 1.0 < high
    assert st.paired_mean_difference(candidate, baseline) == st.PairedMeans(1.0, None, None, 40)
    assert st.paired_bootstrap(candidate, baseline, seed=1) is None


def test_no_pairs_have_no_difference() -> None:
    assert st.paired_mean_difference([], []) == st.PairedMeans(None, None, None, 0)
    assert st.paired_betting_interval([], [], 0, 5) is None
    assert st.paired_bootstrap([], [], seed=1) is None


def test_one_pair_has_a_difference_and_only_a_betting_interval() -> None:
    assert st.paired_mean_difference([3.0], [1.0]) == st.PairedMeans(2.0, None, None, 1)
    assert st.paired_betting_interval([3.0], [1.0], 0, 5) is not None


def test_lists_of_different_length_are_not_paired() -> None:
    with pytest.raises(ValueError, match="paired lists need the same length, but have 2 and 1 values"):
        st.paired_mean_difference([1.0, 2.0], [1.0])


@pytest.mark.parametrize("bad", [math.nan, math.inf, True, "1", None, 5.5, -0.5])
def test_a_score_that_is_none_or_out_of_range_is_refused_on_either_side(bad: Any) -> None:
    with pytest.raises(ValueError, match="candidate must"):
        st.paired_betting_interval([bad], [1.0], 0, 5)
    with pytest.raises(ValueError, match="baseline must"):
        st.paired_betting_interval([1.0], [bad], 0, 5)

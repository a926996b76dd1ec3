"""Cases that hang together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from oloproof import statistics as st


@some.composite
def clustered(draw: some.DrawFn) -> tuple[list[int], list[int]]:
    sizes = draw(some.lists(some.integers(1, 6), min_size=2, max_size=30))
    names = [name for name, size in enumerate(sizes) for _ in range(size)]
    return draw(some.lists(some.integers(0, 1), min_size=len(names), max_size=len(names))), names


@given(case=clustered())
@settings(max_examples=40, deadline=None)
def test_cases_that_are_their_own_clusters_give_the_plain_t_interval(case: tuple[list[int], list[int]]) -> None:
    values = case[0]
    found = st.cluster_robust_mean_interval(values, range(len(values)))

    assert found.interval == pytest.approx(st.mean_t_interval(values).interval, abs=1e-9)


@given(case=clustered())
@settings(max_examples=40, deadline=None)
def test_the_effective_number_is_never_above_n_and_the_interval_holds_the_rate(
    case: tuple[list[int], list[int]],
) -> None:
    found = st.clustered_rate_interval(*case)

    assert found.effective_n is not None
    assert 0.0 < found.effective_n <= found.n
    assert found.interval is not None
    assert found.interval[0] <= np.mean(case[0]) + 1e-12
    assert np.mean(case[0]) - 1e-12 <= found.interval[1]


@given(case=clustered())
@settings(max_examples=40, deadline=None)
def test_swapping_pass_and_fail_mirrors_the_clustered_interval(case: tuple[list[int], list[int]]) -> None:
    low, high = st.clustered_rate_interval(*case).interval or (9.0, 9.0)
    turned = st.clustered_rate_interval([1 - value for value in case[0]], case[1]).interval

    assert turned == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize(("value", "groups"), [(1, 8), (0, 8), (1, 2)])
def test_all_alike_are_worth_as_many_cases_as_there_are_clusters(value: int, groups: int) -> None:
    found = st.clustered_rate_interval([value] * (3 * groups), [n // 3 for n in range(3 * groups)])

    assert found.effective_n == groups
    assert found.interval == pytest.approx(st.clopper_pearson(value * groups, groups), abs=1e-12)


def test_clusters_without_difference_are_worth_their_number_too() -> None:
    found = st.clustered_rate_interval([1, 0, 1] * 12, [n // 3 for n in range(36)])

    assert found.effective_n == 12
    assert found.interval is not None
    assert st.cluster_robust_mean_interval([1, 0] * 12, [n // 2 for n in range(24)]).interval is None


def test_fewer_than_two_clusters_have_no_interval() -> None:
    assert st.clustered_rate_interval([1, 0, 1], ["a"] * 3) == st.ClusteredRate(2 / 3, None, None, 3, 1)
    assert st.cluster_robust_mean_interval([1, 0, 1], ["a"] * 3).interval is None
    assert st.decide_clustered_rate([1] * 90, ["a"] * 90, minimum=0.01) == "INSUFFICIENT_EVIDENCE"


def test_no_cases_have_no_clusters() -> None:
    assert st.clustered_rate_interval([], []) == st.ClusteredRate(None, None, None, 0, 0)
    assert st.cluster_robust_mean_interval([], []).mean is None
    assert st.decide_clustered_rate([], [], minimum=0.5) == "INSUFFICIENT_EVIDENCE"


def test_from_ten_clusters_on_the_interval_decides() -> None:
    names = [n // 4 for n in range(80)]

    assert st.decide_clustered_rate([1] * 80, names, minimum=0.8) == "PASS"
    assert st.decide_clustered_rate([1] * 80, names, maximum=0.5) == "FAIL"
    assert st.decide_clustered_rate([1] * 80, names, minimum=0.9) == "INSUFFICIENT_EVIDENCE"
    assert st.clopper_pearson(80, 80)[0] > 0.9  # type: ignore[index]


def test_below_ten_clusters_only_whole_clusters_decide_and_only_to_pass() -> None:
    names = [n // 10 for n in range(80)]

    assert st.decide_clustered_rate([1] * 80, names, minimum=0.6) == "PASS"
    assert st.decide_clustered_rate([0, *[1] * 79], names, minimum=0.6) == "INSUFFICIENT_EVIDENCE"
    assert st.decide_clustered_rate([0] * 80, names, maximum=0.4) == "PASS"
    assert st.decide_clustered_rate([1, *[0] * 79], names, maximum=0.4) == "INSUFFICIENT_EVIDENCE"
    assert st.decide_clustered_rate([0] * 80, names, minimum=0.6) == "INSUFFICIENT_EVIDENCE"


def test_clusters_that_move_together_pass_a_bad_system_no_more_often_than_promised() -> None:
    rng, passed = np.random.default_rng(5), 0
    names = [n // 4 for n in range(120)]
    for _ in range(200):
        cluster_rate = stats.beta.rvs(0.85 * 1.5, 0.15 * 1.5, size=30, random_state=rng)
        values = (rng.random((30, 4)) < cluster_rate[:, None]).astype(int).ravel()
        passed += st.decide_clustered_rate(values, names, minimum=0.85) == "PASS"

    assert passed <= 0.04 * 200


@pytest.mark.parametrize("bad", [math.nan, True, 2, 0.5, "1"])
def test_an_outcome_that_is_neither_0_nor_1_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="values"):
        st.clustered_rate_interval([1, bad], [1, 2])


def test_every_value_needs_a_cluster() -> None:
    with pytest.raises(ValueError, match="every value needs one cluster, but there are 2 values and 1 clusters"):
        st.cluster_robust_mean_interval([1, 0], [1])

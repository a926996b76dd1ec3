"""The corners of the specification's table that belong to rates, means and pairs, in one place."""

from __future__ import annotations

import pytest

from oloproof import statistics as st


def test_no_cases_are_never_a_pass() -> None:
    for interval in (
        st.clopper_pearson(0, 0),
        st.bounded_mean_interval([], 0, 5),
        st.mean_t_interval([]).interval,
        st.paired_binary(0, 0, 0, 0).interval,
        st.paired_betting_interval([], [], 0, 5),
        st.clustered_rate_interval([], []).interval,
        st.quantile_interval([], 0.5),
    ):
        assert interval is None
        assert st.decide(interval, minimum=-5.0) == "INSUFFICIENT_EVIDENCE"


def test_all_pass_is_a_rate_with_the_top_as_its_high_end() -> None:
    assert st.clopper_pearson(20, 20) == (pytest.approx(0.025 ** (1 / 20)), 1.0)
    assert (st.bounded_mean_interval([5] * 20, 0, 5) or (0, 0))[1] == 5.0
    assert st.paired_binary(20, 0, 0, 0).p_exact == 1.0


def test_all_fail_is_a_rate_with_the_bottom_as_its_low_end() -> None:
    assert st.clopper_pearson(0, 20) == (0.0, pytest.approx(1 - 0.025 ** (1 / 20)))
    assert (st.bounded_mean_interval([0] * 20, 0, 5) or (1, 1))[0] == 0.0
    assert st.paired_binary(0, 0, 0, 20).interval == st.paired_binary(20, 0, 0, 0).interval


def test_a_tie_stays_in_n_but_drops_out_of_mcnemars_test() -> None:
    few, many = st.paired_binary(0, 6, 1, 0), st.paired_binary(50, 6, 1, 50)

    assert few.p_exact == many.p_exact
    assert few.difference > many.difference  # type: ignore[operator]
    assert st.paired_mean_difference([1, 2, 3], [1, 2, 2]).n == 3


def test_missing_verdicts_bound_a_rate_and_a_mean_on_both_sides() -> None:
    assert st.missing_bounded_interval(27, 30, 2) == (
        st.clopper_pearson(27, 32)[0],  # type: ignore[index]
        st.clopper_pearson(29, 32)[1],  # type: ignore[index]
    )
    assert st.bounded_mean_interval([5] * 30, 0, 5, missing=2) != st.bounded_mean_interval([5] * 30, 0, 5)


def test_a_single_case_decides_next_to_nothing() -> None:
    assert st.clopper_pearson(1, 1) == (pytest.approx(0.025), 1.0)
    assert st.mean_t_interval([3.0]).interval is None
    assert st.bounded_mean_interval([3.0], 0, 5) is not None
    assert st.clustered_rate_interval([1], ["only"]).interval is None
    assert (st.paired_binary(0, 1, 0, 0).p_exact, st.paired_binary(0, 1, 0, 0).p_mid) == (1.0, 0.5)

"""Repeats of one case."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from oloproof import statistics as st


def test_too_few_repeats_give_no_answer() -> None:
    assert st.pass_at_k(2, 1, 3) is None
    assert st.pass_hat_k(2, 2, 3) is None
    assert st.flip_rate(1, 1) is None


@given(runs=some.integers(2, 12), data=some.data())
def test_all_of_one_and_any_of_one_are_the_pass_rate(runs: int, data: some.DataObject) -> None:
    passes = data.draw(some.integers(0, runs))

    assert st.pass_at_k(runs, passes, 1) == pytest.approx(passes / runs)
    assert st.pass_hat_k(runs, passes, 1) == pytest.approx(passes / runs)
    assert 1.0 - st.flip_rate(runs, passes) == pytest.approx(  # type: ignore[operator]
        st.pass_hat_k(runs, passes, 2) + st.pass_hat_k(runs, runs - passes, 2)  # type: ignore[operator]
    )


def test_all_of_k_is_not_the_power_of_the_rate() -> None:
    """(8/10)³ is 0.512; drawn without replacement, as the unbiased estimate is, it is 0.467."""
    assert st.pass_hat_k(10, 8, 3) == pytest.approx(7 / 15)


def test_counts_that_cannot_be_are_refused() -> None:
    for wrong in (lambda: st.pass_at_k(3, 4, 1), lambda: st.pass_hat_k(3, 1, 0), lambda: st.flip_rate(2, -1)):
        with pytest.raises(ValueError):
            wrong()
    for table in ([[1, 0]], [[1], [0]], [[1, 0], [1]], [[1, 2], [0, 1]]):
        with pytest.raises(ValueError):
            st.variance_components(table)


def test_cases_that_never_flip_leave_no_test_for_drift() -> None:
    assert st.cochran_q([[1, 1], [0, 0]]) is None
    assert st.variance_components([[1, 1], [1, 1]]).icc is None

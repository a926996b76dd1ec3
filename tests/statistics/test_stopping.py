"""Looking early, and stopping."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from oloproof import statistics as st


@given(n=some.integers(1, 60), data=some.data())
def test_an_interval_for_every_look_holds_the_one_of_a_single_look(n: int, data: some.DataObject) -> None:
    passes = data.draw(some.integers(0, n))
    wide, exact = st.anytime_valid_rate_interval(passes, n), st.clopper_pearson(passes, n)

    assert wide is not None
    assert exact is not None
    assert wide[0] <= exact[0] + 1e-12
    assert exact[1] <= wide[1] + 1e-12


def test_no_cases_tell_nothing() -> None:
    assert st.anytime_valid_rate_interval(0, 0) is None


def test_a_single_look_costs_what_was_agreed_and_more_looks_cost_more() -> None:
    once = st.false_pass_with_peeking(0.9, minimum=0.9, largest=100, every=100)
    often = st.false_pass_with_peeking(0.9, minimum=0.9, largest=100, every=10)

    assert once == pytest.approx(st.false_pass_probability(100, 0.9, minimum=0.9))
    assert once < 0.025 < often


def test_a_run_too_small_to_pass_is_never_stopped_as_passed() -> None:
    assert st.curtailment(10, minimum=0.9) == st.Curtailment(10, None, None)


def test_methods_that_do_not_exist_and_looks_at_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="no such method"):
        st.false_pass_with_peeking(0.9, minimum=0.9, largest=10, every=1, method="wald")
    with pytest.raises(ValueError, match="at least one case apart"):
        st.false_pass_with_peeking(0.9, minimum=0.9, largest=10, every=0)

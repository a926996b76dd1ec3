"""What one case of a family contributes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from oloproof import statistics as st

PASSES = some.lists(some.sampled_from([True, False, None]), min_size=1, max_size=4)


def test_a_change_from_wrong_to_wrong_is_a_change() -> None:
    """Neither tool before told it: both answers are wrong, so the accuracy stays where it is."""
    assert st.changed_span(["C"], ["B"]) == (1.0, 1.0)
    assert st.difference_span(st.accuracy_span([False]), st.accuracy_span([False])) == (0.0, 0.0)


def test_every_pair_of_repeats_is_compared() -> None:
    assert st.changed_span(["A", "B", "A"], ["A", "A", "A"]) == (1 / 3, 1 / 3)
    assert st.unrest_span(["A", "B", "A"]) == (2 / 3, 2 / 3)
    assert st.unrest_span(["A"]) is None


def test_what_is_missing_leaves_a_case_open_and_is_never_a_zero() -> None:
    assert st.accuracy_span([True, None]) == (0.5, 1.0)
    assert st.accuracy_span([True], expected=2) == (0.5, 1.0)
    assert st.accuracy_span([]) == (0.0, 1.0)
    assert st.changed_span(["A", None], ["A"]) == (0.0, 0.5)
    assert st.changed_span([], ["A"]) == (0.0, 1.0)
    assert st.unrest_span(["A", None]) == (0.0, 1.0)
    assert st.flaky_span([True, None]) == (0.0, 1.0)
    assert st.flaky_span([True, False, None]) == (1.0, 1.0)
    assert st.flip_span([True, None, None]) == (0.0, 2 / 3)
    assert st.pass_hat_span([True, True, None], 2) == (1 / 3, 1.0)
    assert st.pass_at_span([False, None], 2) == (0.0, 1.0)


def test_one_repeat_tells_nothing_about_flipping() -> None:
    assert st.flaky_span([True]) is None
    assert st.flip_span([True]) is None
    assert st.pass_hat_span([True], 2) is None
    assert st.pass_at_span([True], 2) is None


@given(passes=PASSES, told=some.booleans())
def test_learning_an_answer_never_widens_a_case(passes: list[bool | None], told: bool) -> None:
    if None not in passes:
        return
    learned = list(passes)
    learned[learned.index(None)] = told
    for span in (st.accuracy_span, st.flaky_span, st.flip_span, lambda each: st.pass_hat_span(each, 2)):
        before, after = span(passes), span(learned)
        if before is not None and after is not None:
            assert before[0] <= after[0] <= after[1] <= before[1]


@given(passes=PASSES)
def test_a_flaky_case_flips_and_one_that_does_not_flip_is_not_flaky(passes: list[bool | None]) -> None:
    flaky = st.flaky_span(passes)
    assert st.is_flaky(passes) == (flaky is not None and flaky[0] == 1.0)
    flip = st.flip_span(passes)
    assert flip is None or (flip[0] > 0.0) == st.is_flaky(passes) or None in passes

"""The bracketing root finder and the search for the first whole number that will do."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from oloproof.statistics.roots import find_root, first_true


@given(root=some.floats(0.001, 0.999), power=some.sampled_from([0.2, 1.0, 3.0, 9.0]))
@settings(deadline=None)
def test_a_root_is_found_however_the_function_bends(root: float, power: float) -> None:
    found = find_root(lambda x: x**power - root**power, 0.0, 1.0)

    assert found == pytest.approx(root, rel=1e-9)


def test_an_end_may_be_infinite() -> None:
    found = find_root(lambda x: math.inf if x == 0.0 else 1.0 / x - 4.0, 0.0, 1.0)

    assert found == pytest.approx(0.25, rel=1e-12)


def test_a_root_at_an_end_is_that_end() -> None:
    assert find_root(lambda x: x, 0.0, 1.0) == 0.0
    assert find_root(lambda x: x - 1.0, 0.0, 1.0) == 1.0


def test_no_change_of_sign_is_refused() -> None:
    with pytest.raises(ValueError, match="no change of sign"):
        find_root(lambda x: 1.0 + x, 0.0, 1.0)


@given(low=some.integers(-5, 5), length=some.integers(0, 5000), offset=some.integers(-10, 5100))
@settings(deadline=None)
def test_the_first_true_number_is_found_or_there_is_none(low: int, length: int, offset: int) -> None:
    high, answer = low + length, low + offset
    expected = max(answer, low) if answer <= high else None

    assert first_true(lambda n: n >= answer, low, high) == expected


def test_an_empty_stretch_holds_no_number() -> None:
    assert first_true(lambda n: True, 3, 2) is None


def test_a_small_answer_is_found_in_few_steps_under_a_huge_limit() -> None:
    asked: list[int] = []

    assert first_true(lambda n: asked.append(n) is None and n >= 9, 1, 10**15) == 9
    assert len(asked) < 10

"""The beta distribution written here against scipy's, and against exact fractions where the two might both be wrong."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from oloproof.statistics.beta import (
    beta_quantile,
    beta_quantile_pair,
    beta_tails,
    binomial_at_least,
    binomial_at_most,
    binomial_exactly,
    student_t_quantile,
    student_t_two_sided,
)

TAILS = [0.25, 0.05, 0.025, 0.005, 1e-4, 1e-8]


def near(expected: float, *, rel: float = 1e-9) -> object:
    return pytest.approx(float(expected), rel=rel, abs=1e-300)


@given(a=some.integers(1, 200_000), b=some.integers(1, 200_000), tail=some.sampled_from(TAILS))
@settings(max_examples=40, deadline=None)
def test_a_quantile_agrees_with_scipy_on_both_sides(a: int, b: int, tail: float) -> None:
    assert beta_quantile(tail, a, b) == near(stats.beta.ppf(tail, a, b))
    assert beta_quantile(tail, a, b, upper=True) == near(stats.beta.isf(tail, a, b))


@given(a=some.floats(0.05, 2000.0), b=some.floats(0.05, 2000.0), p=some.floats(0.001, 0.999))
@settings(max_examples=40, deadline=None)
def test_a_quantile_with_real_parameters_gives_its_probability_back(a: float, b: float, p: float) -> None:
    x, y = beta_quantile_pair(p, a, b)

    assert x + y == near(1.0)
    assert beta_tails(a, b, x, y)[0] == near(p)


@pytest.mark.parametrize("n", [100_000, 10_000_000])
@pytest.mark.parametrize("share", [0.0, 1e-6, 0.01, 0.3, 0.5, 0.9, 0.999999, 1.0])
def test_a_quantile_stays_accurate_for_very_many_cases(n: int, share: float) -> None:
    k = round(n * share)

    if k > 0:
        assert beta_quantile(0.025, k, n - k + 1) == near(stats.beta.ppf(0.025, k, n - k + 1))
    if k < n:
        assert beta_quantile(0.025, k + 1, n - k, upper=True) == near(stats.beta.isf(0.025, k + 1, n - k))


@given(n=some.integers(1, 60), data=some.data())
@settings(max_examples=40, deadline=None)
def test_binomial_tails_agree_with_exact_fractions(n: int, data: some.DataObject) -> None:
    k, p = data.draw(some.integers(0, n)), data.draw(some.floats(0.01, 0.99))
    exact = Fraction(p)
    weights = [comb(n, i) * exact**i * (1 - exact) ** (n - i) for i in range(n + 1)]

    assert binomial_at_least(k, n, p) == near(sum(weights[k:]))
    assert binomial_at_most(k, n, p) == near(sum(weights[: k + 1]))
    assert binomial_exactly(k, n, p) == near(weights[k])


def test_binomial_counts_beyond_the_ends_are_certain_or_impossible() -> None:
    assert binomial_at_least(0, 5, 0.3) == 1.0
    assert binomial_at_least(6, 5, 0.3) == 0.0
    assert binomial_at_most(5, 5, 0.3) == 1.0
    assert binomial_at_most(-1, 5, 0.3) == 0.0
    assert binomial_exactly(-1, 5, 0.3) == binomial_exactly(6, 5, 0.3) == 0.0
    assert binomial_at_least(2, 5, 0.0) == 0.0
    assert binomial_at_least(2, 5, 1.0) == 1.0


@given(df=some.one_of(some.integers(1, 100_000), some.floats(0.5, 50.0)), tail=some.sampled_from(TAILS))
@settings(max_examples=40, deadline=None)
def test_students_t_agrees_with_scipy(df: float, tail: float) -> None:
    t = student_t_quantile(tail, df)

    assert t == near(stats.t.isf(tail, df))
    assert student_t_two_sided(t, df) == near(2.0 * tail)
    assert student_t_two_sided(-t, df) == near(2.0 * tail)


def test_a_t_of_nothing_has_probability_one() -> None:
    assert student_t_two_sided(0.0, 7) == 1.0

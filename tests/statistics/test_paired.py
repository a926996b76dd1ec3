"""Two systems on the same cases, pass or fail."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats
from scipy.optimize import brentq

from oloproof import statistics as st

CELLS = some.tuples(*[some.integers(0, 60)] * 4).filter(lambda cells: sum(cells) > 0)


@given(b=some.integers(0, 300), c=some.integers(0, 300))
@settings(max_examples=40, deadline=None)
def test_mcnemars_p_values_are_those_of_the_binomial(b: int, c: int) -> None:
    exact = stats.binomtest(b, b + c).pvalue if b + c else 1.0
    tied = b == c and b + c > 0
    at = stats.binom.pmf(min(b, c), b + c, 0.5)
    mid = 1 - at / 2 if tied else 2 * stats.binom.cdf(min(b, c), b + c, 0.5) - at if b + c else 1.0

    assert st.mcnemar_exact(b, c) == pytest.approx(exact, abs=1e-12)
    assert st.mcnemar_mid_p(b, c) == pytest.approx(mid, abs=1e-12)


def test_a_single_disagreement_proves_nothing() -> None:
    assert st.mcnemar_exact(1, 0) == 1.0
    assert st.mcnemar_mid_p(1, 0) == 0.5


def test_no_disagreement_has_p_one_and_an_interval_with_width() -> None:
    found = st.paired_binary(20, 0, 0, 0)

    assert (found.difference, found.p_exact, found.p_mid) == (0.0, 1.0, 1.0)
    assert found.interval == pytest.approx((-0.16112515805, 0.16112515805), abs=1e-9)
    assert st.paired_binary(0, 0, 0, 20).interval == found.interval


def test_no_cases_have_no_comparison() -> None:
    assert st.paired_binary(0, 0, 0, 0) == st.PairedRates(None, None, None, None, None, None, 0, 0, 0)
    assert st.tango_interval(0, 0, 0) is None
    assert st.newcombe_interval(0, 0, 0, 0) is None
    assert st.bonett_price_interval(0, 0, 0) is None


@given(cells=CELLS)
@settings(max_examples=40, deadline=None)
def test_swapping_the_systems_turns_every_interval_round(cells: tuple[int, int, int, int]) -> None:
    a, b, c, d = cells
    one, other = st.paired_binary(a, b, c, d), st.paired_binary(a, c, b, d)

    assert one.difference == -other.difference  # type: ignore[operator]
    assert (one.p_exact, one.p_mid) == (other.p_exact, other.p_mid)
    for name in ("interval", "newcombe", "bonett_price"):
        low, high = getattr(one, name)
        assert getattr(other, name) == pytest.approx((-high, -low), abs=1e-9)


@given(cells=CELLS, level=some.sampled_from([0.5, 0.9, 0.95, 0.999]))
@settings(max_examples=40, deadline=None)
def test_every_interval_lies_within_1_of_0_and_the_first_two_hold_the_difference(
    cells: tuple[int, int, int, int], level: float
) -> None:
    found = st.paired_binary(*cells, level)

    for interval in (found.interval, found.newcombe, found.bonett_price):
        assert interval is not None
        assert -1.0 - 1e-12 <= interval[0] <= interval[1] <= 1.0 + 1e-12
    for interval in (found.interval, found.newcombe):
        assert interval[0] - 1e-12 <= found.difference <= interval[1] + 1e-12  # type: ignore[index,operator]


@given(cells=CELLS)
@settings(max_examples=40, deadline=None)
def test_another_win_never_lowers_an_end_of_tangos_interval(cells: tuple[int, int, int, int]) -> None:
    a, b, c, d = cells
    low, high = st.tango_interval(b, c, a + b + c + d + 1) or (9.0, 9.0)
    better_low, better_high = st.tango_interval(b + 1, c, a + b + c + d + 1) or (9.0, 9.0)

    assert low <= better_low + 1e-12
    assert high <= better_high + 1e-12


@pytest.mark.parametrize(("b", "c", "n"), [(12, 2, 50), (1, 7, 21), (40, 20, 160), (3, 0, 9), (900, 1000, 50_000)])
def test_tangos_ends_are_the_roots_of_his_score(b: int, c: int, n: int) -> None:
    z = stats.norm.isf(0.025)

    def score(delta: float) -> float:
        linear, constant = -b - c + (2 * n - b + c) * delta, -c * delta * (1 - delta)
        q = (math.sqrt(linear**2 - 8 * n * constant) - linear) / (4 * n)
        return float((b - c - n * delta) / math.sqrt(n * (2 * q + delta * (1 - delta))))

    centre = (b - c) / n
    low = brentq(lambda d: score(d) - z, -0.999, centre, xtol=1e-14)
    high = brentq(lambda d: score(d) + z, centre, 0.999, xtol=1e-14)
    assert st.tango_interval(b, c, n) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize("n", [1, 5, 400])
def test_a_system_that_wins_every_case_reaches_the_end_of_the_scale(n: int) -> None:
    low, high = st.tango_interval(n, 0, n) or (9.0, 9.0)

    assert high == 1.0
    assert -1.0 < low < 1.0
    assert st.tango_interval(0, n, n) == pytest.approx((-1.0, -low), abs=1e-12)


def test_tangos_interval_errs_about_as_little_as_it_says() -> None:
    n, win, loss = 40, 0.15, 0.15
    too_high = sum(
        stats.multinomial.pmf([b, c, n - b - c], n, [win, loss, 1 - win - loss])
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if b > c and (st.tango_interval(b, c, n) or (0.0, 0.0))[0] > 0.0
    )

    assert too_high <= 0.036


@pytest.mark.parametrize("bad", [-1, 1.5, True, "2", None, math.nan])
def test_a_cell_that_is_no_count_is_refused(bad: Any) -> None:
    for place, name in enumerate(("both_pass", "candidate_only", "baseline_only", "both_fail")):
        cells: list[Any] = [5, 5, 5, 5]
        cells[place] = bad
        with pytest.raises(ValueError, match=f"{name} must"):
            st.paired_binary(*cells)


def test_more_disagreements_than_cases_are_refused() -> None:
    with pytest.raises(ValueError, match="more cases disagree than there are: 7 of 6"):
        st.tango_interval(4, 3, 6)

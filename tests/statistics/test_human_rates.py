"""What people would say of a run that a judge scored whole and people labelled in part."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from oloproof import statistics as st


@some.composite
def strata(draw: some.DrawFn) -> st.Stratum:
    labelled, unlabelled = draw(some.integers(2, 80)), draw(some.integers(0, 900))
    return st.Stratum(labelled + unlabelled, labelled, draw(some.integers(0, labelled)))


@given(one=strata(), other=strata())
@settings(max_examples=40, deadline=None)
def test_the_interval_holds_the_estimate_within_0_and_1(one: st.Stratum, other: st.Stratum) -> None:
    found = st.human_rate(one, other)

    for low, high in (found.interval or (9, 9), found.display_interval or (9, 9)):
        assert 0.0 <= low <= found.estimate + 1e-12  # type: ignore[operator]
        assert found.estimate - 1e-12 <= high <= 1.0  # type: ignore[operator]


@given(one=strata(), other=strata())
@settings(max_examples=40, deadline=None)
def test_it_does_not_matter_which_verdict_the_judge_calls_pass(one: st.Stratum, other: st.Stratum) -> None:
    found, turned = st.human_rate(one, other), st.human_rate(other, one)

    assert turned.estimate == pytest.approx(found.estimate, abs=1e-12)
    assert turned.interval == pytest.approx(found.interval, abs=1e-9)


@given(one=strata(), other=strata())
@settings(max_examples=40, deadline=None)
def test_counting_fails_instead_of_passes_mirrors_the_interval(one: st.Stratum, other: st.Stratum) -> None:
    low, high = st.human_rate(one, other).interval or (9.0, 9.0)
    turned = [st.Stratum(s.frame, s.labelled, s.labelled - s.human_pass) for s in (one, other)]

    assert st.human_rate(*turned).interval == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(one=strata(), other=strata(), missing=some.integers(0, 30))
@settings(max_examples=40, deadline=None)
def test_missing_verdicts_only_ever_widen_the_interval(one: st.Stratum, other: st.Stratum, missing: int) -> None:
    low, high = st.human_rate(one, other, missing=missing).interval or (9.0, 9.0)
    more_low, more_high = st.human_rate(one, other, missing=missing + 1).interval or (9.0, 9.0)

    assert more_low <= low + 1e-12
    assert high <= more_high + 1e-12


@given(one=strata(), other=strata(), unsure=some.integers(1, 5), passes=some.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_unsure_labels_are_counted_both_ways(one: st.Stratum, other: st.Stratum, unsure: int, passes: int) -> None:
    frame, labelled, passes = one.frame + unsure, one.labelled + unsure, min(passes, unsure)
    found = st.human_rate(st.Stratum(frame, one.labelled, one.human_pass, unsure), other)
    low, high = found.interval or (9.0, 9.0)
    left_out = st.human_rate(st.Stratum(frame, one.labelled, one.human_pass), other).interval or (-9.0, 9.0)
    settled = st.human_rate(st.Stratum(frame, labelled, one.human_pass + passes), other).interval or (-9.0, 9.0)

    assert found.unsure == unsure
    assert low <= min(left_out[0], settled[0]) + 1e-12
    assert max(left_out[1], settled[1]) <= high + 1e-12


def test_missing_verdicts_stand_as_fails_and_as_passes() -> None:
    one, other = st.Stratum(850, 85, 83), st.Stratum(150, 15, 4)
    low, high = st.human_rate(one, other).interval or (9.0, 9.0)
    found = st.human_rate(one, other, missing=250)

    assert found.interval == pytest.approx((low * 0.8, high * 0.8 + 0.2), abs=1e-12)
    assert (found.estimate, found.n, found.missing) == (pytest.approx(0.87), 1250, 250)


@pytest.mark.parametrize("pass_rate", [0.7, 0.9])
def test_the_interval_misses_the_rate_of_people_no_more_often_than_it_says(pass_rate: float) -> None:
    rng, too_high, too_low = np.random.default_rng(9), 0, 0
    for _ in range(300):
        human = rng.random(1000) < pass_rate
        judge = np.where(human, rng.random(1000) < 0.9, rng.random(1000) < 0.25)
        seen = slice(0, 100)
        found = st.human_rate(
            st.Stratum(int(judge.sum()), int(judge[seen].sum()), int((judge & human)[seen].sum())),
            st.Stratum(int((~judge).sum()), int((~judge)[seen].sum()), int((~judge & human)[seen].sum())),
        )
        low, high = found.interval or (9.0, 9.0)
        too_high += low > pass_rate
        too_low += high < pass_rate

    assert too_high <= 0.04 * 300
    assert too_low <= 0.045 * 300


def test_a_good_judge_narrows_what_the_labels_say_and_a_constant_one_does_not() -> None:
    good = st.human_rate(st.Stratum(500, 50, 48), st.Stratum(500, 50, 2))
    constant = st.human_rate(st.Stratum(1000, 100, 50), st.Stratum(0, 0, 0))

    assert good.judge_helps
    assert not constant.judge_helps
    assert constant.labels_only == st.clopper_pearson(50, 100)
    assert not st.human_rate(st.Stratum(0, 0, 0), st.Stratum(0, 0, 0)).judge_helps


def test_a_stratum_without_labels_may_hold_anything() -> None:
    found = st.human_rate(st.Stratum(80, 40, 40), st.Stratum(20, 0, 0))

    assert found.estimate == pytest.approx(0.9)
    assert found.interval is not None
    assert found.interval[0] < 0.81
    assert found.interval[1] > 0.99


def test_labels_are_worth_more_beside_a_judge_that_follows_them() -> None:
    assert st.effective_labels(100, 1000, 0.0) == 100.0
    assert st.effective_labels(100, 1000, 1.0) == pytest.approx(1000.0)
    assert st.effective_labels(100, 1000, -0.5) == st.effective_labels(100, 1000, 0.5)


@pytest.mark.parametrize("bad", [-1, 1.0, True, math.nan, math.inf, "3", None])
def test_a_stratum_that_cannot_be_is_refused(bad: Any) -> None:
    for place, name in enumerate(("frame", "labelled", "human_pass", "unsure")):
        numbers: list[Any] = [9, 3, 2, 1]
        numbers[place] = bad
        with pytest.raises(ValueError, match=f"{name} must"):
            st.Stratum(*numbers)
    with pytest.raises(ValueError, match="missing must"):
        st.human_rate(st.Stratum(9, 3, 2), st.Stratum(9, 3, 2), missing=bad)


@pytest.mark.parametrize(
    ("numbers", "match"),
    [((9, 3, 4), "human_pass cannot be more than labelled: 4 of 3"), ((9, 8, 4, 2), "a sample cannot be more")],
)
def test_a_part_larger_than_its_whole_is_refused(numbers: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        st.Stratum(*numbers)


@pytest.mark.parametrize("arguments", [(0, 10, 0.5), (11, 10, 0.5), (1, 10, 1.5), (1, 10, math.nan)])
def test_a_worth_that_cannot_be_is_refused(arguments: Any) -> None:
    with pytest.raises(ValueError, match="must"):
        st.effective_labels(*arguments)

"""A run without labels, through a judge whose errors are known from another run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from oloproof import statistics as st

GOOD = st.JudgeTable(180, 20, 20, 180)


@given(passes=some.integers(100, 900))
@settings(max_examples=40, deadline=None)
def test_the_interval_holds_the_estimate_within_0_and_1(passes: int) -> None:
    found = st.transported_rate(passes, 1000, GOOD)

    assert found.state == "IDENTIFIED"
    low, high = found.interval or (9.0, 9.0)
    assert 0.0 <= low <= found.estimate <= high <= 1.0  # type: ignore[operator]


@given(passes=some.integers(100, 900))
@settings(max_examples=40, deadline=None)
def test_counting_fails_instead_of_passes_mirrors_the_interval(passes: int) -> None:
    table = st.JudgeTable(180, 20, 30, 170)
    found = st.transported_rate(passes, 1000, table)
    turned = st.transported_rate(1000 - passes, 1000, st.JudgeTable(170, 30, 20, 180))

    assert turned.state == found.state
    if found.interval is not None:
        assert turned.interval == pytest.approx((1 - found.interval[1], 1 - found.interval[0]), abs=1e-9)


def test_a_judge_without_error_leaves_its_rate_as_it_is() -> None:
    assert st.transported_rate(300, 1000, st.JudgeTable(5000, 0, 0, 5000)).estimate == pytest.approx(0.3)


@pytest.mark.parametrize(("passes", "refused"), [(900, False), (901, True), (970, True), (100, False), (99, True)])
def test_a_judge_rate_beyond_its_own_error_rates_is_unidentified_and_never_clipped(passes: int, refused: bool) -> None:
    found = st.transported_rate(passes, 1000, GOOD)

    assert (found.state == "UNIDENTIFIED") == refused
    if refused:
        assert (found.reason, found.estimate, found.interval) == ("judge_rate_impossible", None, None)


@pytest.mark.parametrize(
    "table", [st.JudgeTable(50, 50, 50, 50), st.JudgeTable(10, 90, 90, 10), st.JudgeTable(7, 3, 3, 7)]
)
def test_a_judge_not_shown_better_than_a_coin_is_unidentified(table: st.JudgeTable) -> None:
    labels = {"tp": table.tp, "human_pass": table.human_pass, "tn": table.tn, "human_fail": table.human_fail}

    assert st.transported_rate(500, 1000, table).reason == "judge_uninformative"
    assert st.rogan_gladen(500, 1000, **labels).reason == "judge_uninformative"


def test_the_interval_covers_the_rate_under_a_shift_of_prevalence() -> None:
    rng, missed = np.random.default_rng(6), 0
    for _ in range(300):
        tp, tn = int(rng.binomial(140, 0.9)), int(rng.binomial(60, 0.75))
        human = rng.random(1000) < 0.9
        judge = np.where(human, rng.random(1000) < 0.9, rng.random(1000) < 0.25)
        found = st.transported_rate(int(judge.sum()), 1000, st.JudgeTable(tp, 140 - tp, 60 - tn, tn))
        missed += found.interval is not None and not found.interval[0] <= 0.9 <= found.interval[1]

    assert missed <= 0.08 * 300


@given(missing=some.integers(0, 40), unclear=some.builds(st.Unclear, *[some.integers(0, 3)] * 5))
@settings(max_examples=40, deadline=None)
def test_what_is_missing_only_ever_widens_the_interval_or_leaves_none(missing: int, unclear: st.Unclear) -> None:
    plain = st.transported_rate(500, 1000, GOOD)
    found = st.transported_rate(500, 1000, GOOD, missing=missing, unclear=unclear)

    assert found.estimate in (plain.estimate, None)
    if found.interval is not None and plain.interval is not None:
        assert found.interval[0] <= plain.interval[0]
        assert plain.interval[1] <= found.interval[1]


@pytest.mark.parametrize(
    ("unclear", "settled"),
    [
        (st.Unclear(judge_pass=15), [(195, 20, 20, 180), (180, 20, 35, 180)]),
        (st.Unclear(judge_fail=15), [(180, 35, 20, 180), (180, 20, 20, 195)]),
        (st.Unclear(human_pass=15), [(195, 20, 20, 180), (180, 35, 20, 180)]),
        (st.Unclear(human_fail=15), [(180, 20, 35, 180), (180, 20, 20, 195)]),
        (st.Unclear(neither=15), [(180, 35, 20, 180), (180, 20, 35, 180)]),
    ],
)
def test_the_interval_reaches_as_far_as_any_way_of_settling_the_unclear_labels(
    unclear: st.Unclear, settled: list[tuple[int, int, int, int]]
) -> None:
    low, high = st.transported_rate(500, 1000, GOOD, unclear=unclear).interval or (9.0, 9.0)
    for cells in settled:
        one = st.transported_rate(500, 1000, st.JudgeTable(*cells)).interval or (-9.0, 9.0)
        assert low <= one[0]
        assert one[1] <= high


def test_missing_verdicts_and_unclear_labels_can_leave_the_rate_unidentified() -> None:
    near = st.JudgeTable(40, 0, 15, 25)

    assert st.transported_rate(880, 1000, GOOD).state == "IDENTIFIED"
    assert st.transported_rate(880, 980, GOOD, missing=40).reason == "judge_rate_impossible"
    assert st.transported_rate(600, 1000, near).state == "IDENTIFIED"
    assert st.transported_rate(600, 1000, near, unclear=st.Unclear(neither=30)).reason == "judge_uninformative"


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"tp": 11.0}, "tp must be 0 or more and no more than human_pass"),
        ({"tn": -1.0}, "tn must be 0 or more"),
        ({"tn": math.nan}, "tn must"),
        ({"human_fail": math.inf}, "human_fail must"),
        ({"level": 0.0}, "level must"),
    ],
)
def test_labels_that_cannot_be_are_refused(changed: dict[str, Any], match: str) -> None:
    labels: dict[str, Any] = {"tp": 9, "human_pass": 10, "tn": 9, "human_fail": 10} | changed
    with pytest.raises(ValueError, match=match):
        st.rogan_gladen(5, 10, **labels)


@pytest.mark.parametrize("bad", [-1, 1.0, True, math.nan, "3", None])
def test_a_count_that_is_none_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="passes must"):
        st.transported_rate(bad, 10, GOOD)
    with pytest.raises(ValueError, match="missing must"):
        st.transported_rate(1, 10, GOOD, missing=bad)

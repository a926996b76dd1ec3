"""The mean score people would give, from a judge's scores of all cases and labels of some."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from oloproof import statistics as st

SCORES = some.lists(some.integers(0, 5), min_size=3, max_size=40)


def _run(rng: np.random.Generator, labels: int, cases: int) -> tuple[list[float], list[float], list[float]]:
    human = rng.choice([1.0, 3.0, 4.0, 5.0], size=cases, p=[0.1, 0.2, 0.3, 0.4])
    judge = np.clip(human + rng.choice([-1.0, 0.0, 1.0], size=cases, p=[0.1, 0.6, 0.3]), 0.0, 5.0)
    return human[:labels].tolist(), judge[:labels].tolist(), judge[labels:].tolist()


@given(human=SCORES, judge=SCORES, others=SCORES)
@settings(max_examples=40, deadline=None)
def test_a_weight_of_nothing_is_the_mean_of_the_labels(
    human: list[float], judge: list[float], others: list[float]
) -> None:
    n = min(len(human), len(judge))
    found = st.ppi_mean(human[:n], judge[:n], others, weight=0.0)
    half = stats.norm.isf(0.025) * np.std(human[:n]) / math.sqrt(n)

    assert found.estimate == pytest.approx(np.mean(human[:n]))
    assert found.interval == pytest.approx((np.mean(human[:n]) - half, np.mean(human[:n]) + half), abs=1e-9)


@given(human=SCORES, judge=SCORES, others=SCORES)
@settings(max_examples=40, deadline=None)
def test_the_chosen_weight_lies_between_labels_only_and_the_judge_as_it_is(
    human: list[float], judge: list[float], others: list[float]
) -> None:
    n = min(len(human), len(judge))
    weight = st.ppi_mean(human[:n], judge[:n], others).weight

    assert weight is not None
    assert 0.0 <= weight <= 1.0


def test_a_judge_that_always_gives_one_score_has_no_weight() -> None:
    found = st.ppi_mean([1.0, 4.0, 5.0], [4.0] * 3, [4.0] * 50)

    assert (found.weight, found.estimate) == (0.0, pytest.approx(10 / 3))


def test_many_labels_give_the_normal_interval_and_a_good_judge_narrows_it() -> None:
    labels, judged, others = _run(np.random.default_rng(3), 150, 1500)
    found = st.human_mean(labels, judged, others)
    alone = st.mean_t_interval(labels).interval or (0.0, 0.0)

    assert found.method == st.PPI
    assert found.interval == pytest.approx(st.ppi_mean(labels, judged, others).interval)
    assert found.interval is not None
    assert found.interval[1] - found.interval[0] < alone[1] - alone[0]


@pytest.mark.parametrize("labels", [99, 200])
def test_few_labels_or_few_disagreements_give_betting_intervals(labels: int) -> None:
    human, judged, others = _run(np.random.default_rng(5), labels, 1000)
    if labels >= st.FEWEST_LABELS_FOR_PPI:
        few = st.FEWEST_DISAGREEMENTS - 1
        judged = [*(5.0 - score for score in human[:few]), *human[few:]]
    found = st.human_mean(human, judged, others)
    mean = st.bounded_mean_interval(others, 0, 5, 0.975) or (0.0, 0.0)
    error = st.paired_betting_interval(human, judged, 0, 5, 0.975) or (0.0, 0.0)

    assert (found.method, found.weight) == (st.PPI_BETTING, 1.0)
    assert found.interval == pytest.approx((max(mean[0] + error[0], 0.0), min(mean[1] + error[1], 5.0)))


def test_the_interval_misses_the_mean_of_people_no_more_often_than_it_says() -> None:
    rng, missed = np.random.default_rng(8), 0
    for _ in range(200):
        low, high = st.human_mean(*_run(rng, 120, 600)).interval or (9.0, 9.0)
        missed += not low <= 3.9 <= high

    assert missed <= 0.09 * 200


@pytest.mark.parametrize("labels", [50, 150])
def test_unsure_labels_and_missing_scores_stand_at_the_ends_of_the_range(labels: int) -> None:
    human, judged, others = _run(np.random.default_rng(1), labels, 600)
    unsure: list[float | None] = [None, None, *human[2:]]
    low = (st.human_mean([0.0, 0.0, *human[2:]], judged, others).interval or (9.0, 9.0))[0]
    high = (st.human_mean([5.0, 5.0, *human[2:]], judged, others).interval or (9.0, 9.0))[1]
    found = st.human_mean(unsure, judged, others)
    with_missing = st.human_mean(unsure, judged, others, missing=400).interval

    assert found.interval == pytest.approx((low, high), abs=1e-9)
    assert found.labels == labels - 2
    assert with_missing == pytest.approx((0.6 * low, 0.6 * high + 0.4 * 5), abs=1e-9)


def test_too_few_labels_or_cases_give_nothing() -> None:
    for labels, others in (([], [1.0]), ([3.0], [1.0]), ([3.0, 4.0], [])):
        assert st.human_mean(labels, labels, others).interval is None
        assert st.ppi_mean(labels, labels, others).estimate is None


@pytest.mark.parametrize("bad", [math.nan, math.inf, 5.5, -1, True, "4"])
def test_a_score_that_is_none_or_out_of_range_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="labels must"):
        st.human_mean([1.0, bad], [1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="judge_on_labelled must"):
        st.human_mean([1.0, 2.0], [1.0, bad], [1.0])
    with pytest.raises(ValueError, match="judge_on_unlabelled must"):
        st.human_mean([1.0, 2.0], [1.0, 2.0], [bad])


def test_lists_that_are_not_paired_and_weights_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="same length"):
        st.human_mean([1.0, 2.0], [1.0], [1.0])
    with pytest.raises(ValueError, match="weight must"):
        st.ppi_mean([1.0, 2.0], [1.0, 2.0], [1.0], weight=1.5)

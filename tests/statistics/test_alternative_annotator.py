"""Is a judge as good as one more of these people?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from oloproof import statistics as st
from oloproof.statistics.alternative_annotator import _p_value, _signed_rank_p

DELTAS = some.lists(some.sampled_from([-1, 0, 1]), min_size=30, max_size=80).filter(lambda found: len(set(found)) > 1)


@given(deltas=DELTAS, epsilon=some.sampled_from([0.0, 0.1, 0.2]))
@settings(max_examples=40, deadline=None)
def test_from_thirty_cases_on_the_p_value_is_students(deltas: list[int], epsilon: float) -> None:
    expected = stats.ttest_1samp(deltas, epsilon, alternative="less").pvalue

    assert _p_value(deltas, epsilon) == pytest.approx(expected, abs=1e-9)


@given(deltas=some.lists(some.floats(-9, 9), min_size=1, max_size=12, unique_by=abs))
@settings(max_examples=40, deadline=None)
def test_below_thirty_cases_the_p_value_is_wilcoxons(deltas: list[float]) -> None:
    deltas = [delta for delta in deltas if delta != 0.0] or [1.0]
    expected = stats.wilcoxon(deltas, alternative="less", method="exact").pvalue

    assert _signed_rank_p(deltas) == pytest.approx(expected, abs=1e-12)


def test_tied_ranks_give_the_share_of_all_tosses_of_the_signs() -> None:
    deltas = [-1.2, -0.2, -0.2, 0.8, -0.2, -1.2, 0.8]
    ranks = stats.rankdata(np.abs(deltas))
    seen = sum(rank for rank, delta in zip(ranks, deltas, strict=True) if delta > 0)
    tosses = [sum(rank for place, rank in enumerate(ranks) if toss >> place & 1) for toss in range(2**7)]

    assert _signed_rank_p(deltas) == sum(total <= seen for total in tosses) / 2**7


def test_a_handful_of_cases_convinces_nobody() -> None:
    found = st.alternative_annotator_test([["a", "b"]] * 3, ["a", "b"])

    assert found.p_values == (0.25, 0.25, 0.25)
    assert not found.passed
    assert found.advantage_probability == 1.0


def test_no_spread_is_decided_by_the_mean_alone() -> None:
    people = [[0, 1] * 20] * 3

    assert st.alternative_annotator_test(people, [0, 1] * 20).p_values == (0.0, 0.0, 0.0)
    assert st.alternative_annotator_test(people, [1, 0] * 20).p_values == (1.0, 1.0, 1.0)
    assert st.alternative_annotator_test(people, [0, 1] * 20, epsilon=0.0).p_values == (1.0, 1.0, 1.0)


def test_a_judge_that_tosses_coins_does_not_pass_and_one_like_the_people_does() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 80)
    people = [np.where(rng.random(80) < 0.1, 1 - truth, truth).tolist() for _ in range(3)]
    good = np.where(rng.random(80) < 0.1, 1 - truth, truth).tolist()

    assert st.alternative_annotator_test(people, good).passed
    assert not st.alternative_annotator_test(people, rng.integers(0, 2, 80).tolist()).passed


def test_a_judge_that_always_passes_may_pass_this_test_and_never_the_rule() -> None:
    people = [[1] * 72 + [0] * 8] * 3

    assert st.alternative_annotator_test(people, [1] * 80).passed
    assert st.judge_rule(st.JudgeTable(72, 0, 8, 0)).state == "NOT_VALIDATED"


def test_a_case_counts_where_the_person_the_judge_and_somebody_else_labelled_it() -> None:
    people = [[1, 1, None, 1, 0], [1, None, 1, 1, 0], [1, None, 1, None, 0]]

    assert st.alternative_annotator_test(people, [1, 1, 1, None, 0]).cases == (2, 3, 3)


@pytest.mark.parametrize(
    ("people", "judge", "epsilon", "match"),
    [
        ([[1], [1]], [1], 0.2, "three annotators or more, but has 2"),
        ([[1], [1], [1, 1]], [1], 0.2, "for each of the same cases"),
        ([[1, None], [None, 1], [None, 1]], [1, 1], 0.2, "annotator 1 shares no case"),
        ([[1]] * 3, [1], 1.0, "epsilon must be 0 or more"),
        ([[1]] * 3, [1], math.nan, "epsilon must"),
    ],
)
def test_a_test_that_cannot_be_is_refused(people: Any, judge: Any, epsilon: float, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        st.alternative_annotator_test(people, judge, epsilon=epsilon)

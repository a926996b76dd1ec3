"""Scores of people and of a judge on the same cases."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from oloproof import statistics as st

PAIRS = some.lists(some.tuples(some.integers(0, 5), some.integers(0, 5)), min_size=2, max_size=40)


@given(pairs=PAIRS)
@settings(max_examples=40, deadline=None)
def test_the_correlation_of_ranks_is_scipys(pairs: list[tuple[int, int]]) -> None:
    human, judge = [h for h, _ in pairs], [j for _, j in pairs]
    if len(set(human)) == 1 or len(set(judge)) == 1:
        assert st.spearman(human, judge) is None
    else:
        assert st.spearman(human, judge) == pytest.approx(stats.spearmanr(human, judge).statistic, abs=1e-12)


@given(pairs=PAIRS)
@settings(max_examples=40, deadline=None)
def test_quadratic_kappa_is_the_concordance_of_the_scores(pairs: list[tuple[int, int]]) -> None:
    human, judge = [h for h, _ in pairs], [j for _, j in pairs]
    n, mean_h, mean_j = len(pairs), sum(human) / len(human), sum(judge) / len(judge)
    shared = sum((h - mean_h) * (j - mean_j) for h, j in pairs) / n
    spread = sum((h - mean_h) ** 2 + (j - mean_j) ** 2 for h, j in pairs) / n + (mean_h - mean_j) ** 2

    assert st.weighted_kappa(human, judge) == (pytest.approx(2 * shared / spread, abs=1e-9) if spread else None)


def test_a_judge_one_point_too_kind_shows_it_in_the_bias_alone_with_ranks_untouched() -> None:
    human = [0, 1, 2, 3, 4] * 40
    found = st.score_agreement(human, [score + 1 for score in human])

    assert (found.n, found.bias, found.spearman) == (200, 1.0, pytest.approx(1.0))
    assert found.bias_interval is not None
    assert 0.0 < found.bias_interval[0] < 1.0 < found.bias_interval[1]
    assert found.quadratic_kappa is not None
    assert found.quadratic_kappa < 1.0
    assert found.ordinal_alpha.metric == "ordinal"


def test_no_scores_and_equal_scores_define_little() -> None:
    nothing, equal = st.score_agreement([], []), st.score_agreement([3] * 5, [3] * 5)

    assert (nothing.bias, nothing.bias_interval, nothing.spearman, nothing.quadratic_kappa) == (None,) * 4
    assert (equal.bias, equal.quadratic_kappa, equal.spearman, equal.ordinal_alpha.alpha) == (0.0, None, None, None)
    assert equal.bias_interval is not None


@pytest.mark.parametrize("bad", [math.nan, math.inf, 5.5, -1, True, "4", None])
def test_a_score_that_is_none_or_out_of_range_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="judge must"):
        st.score_agreement([1.0], [bad])
    with pytest.raises(ValueError, match="human must"):
        st.score_agreement([bad], [1.0])


def test_lists_that_are_not_paired_and_unknown_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="same length"):
        st.score_agreement([1, 2], [1])
    with pytest.raises(ValueError, match="no such weights: 'cubic'"):
        st.weighted_kappa([1], [1], "cubic")  # type: ignore[arg-type]

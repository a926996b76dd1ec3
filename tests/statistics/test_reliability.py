"""How far people agree among themselves."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from oloproof import statistics as st

LABELS = some.one_of(some.none(), some.integers(0, 5))
UNITS = some.lists(some.lists(LABELS, min_size=1, max_size=4), min_size=1, max_size=15)


def _by_pairs(units: list[list[int | None]], squared: bool) -> float | None:
    """Alpha by its definition: the mean distance within cases against that between any two labels."""
    rows = [[label for label in unit if label is not None] for unit in units]
    rows = [row for row in rows if len(row) >= 2]
    pool = [label for row in rows for label in row]

    def apart(one: int, other: int) -> float:
        return float((one - other) ** 2) if squared else float(one != other)

    expected = sum(apart(*pair) for pair in permutations(pool, 2))
    if expected == 0.0:
        return None
    seen = sum(sum(apart(*pair) for pair in permutations(row, 2)) / (len(row) - 1) for row in rows)
    return 1.0 - (seen / len(pool)) / (expected / (len(pool) * (len(pool) - 1)))


@given(units=UNITS)
@settings(max_examples=40, deadline=None)
def test_alpha_is_the_one_by_definition(units: list[list[int | None]]) -> None:
    for metric, squared in (("nominal", False), ("interval", True)):
        found = st.krippendorff_alpha(units, metric, resamples=0).alpha  # type: ignore[arg-type]
        expected = _by_pairs(units, squared)

        assert (found is None) == (expected is None)
        assert found == pytest.approx(expected, abs=1e-9)


@given(units=UNITS)
@settings(max_examples=40, deadline=None)
def test_ordinal_alpha_sees_the_order_of_labels_and_not_their_size(units: list[list[int | None]]) -> None:
    stretched = [[None if label is None else 10**label for label in unit] for unit in units]
    found = st.krippendorff_alpha(units, "ordinal", resamples=0)

    assert st.krippendorff_alpha(stretched, "ordinal", resamples=0).alpha == pytest.approx(found.alpha, abs=1e-12)


def test_people_who_always_agree_reach_one_and_people_who_toss_coins_about_nothing() -> None:
    rng = np.random.default_rng(4)
    coins = rng.integers(0, 2, size=(200, 3)).tolist()
    found = st.krippendorff_alpha(coins, seed=1, resamples=400)

    assert st.krippendorff_alpha([["a", "a"], ["b", "b"], ["a", "a"]], resamples=0).alpha == 1.0
    assert found.interval is not None
    assert found.interval[0] < 0.0 < found.interval[1] < 0.667
    assert found.cases == 200


def test_the_interval_depends_on_the_seed_and_on_nothing_else() -> None:
    units = np.random.default_rng(1).integers(0, 2, size=(40, 2)).tolist()
    once = st.krippendorff_alpha(units, seed=3, resamples=200)

    assert st.krippendorff_alpha(units, seed=3, resamples=200) == once
    assert st.krippendorff_alpha(units, seed=4, resamples=200).interval != once.interval


def test_a_single_class_has_no_alpha() -> None:
    assert st.krippendorff_alpha([[True, True]] * 30) == st.Reliability(None, None, 30)


def test_a_class_so_rare_that_resamples_lose_it_has_an_alpha_and_no_interval() -> None:
    found = st.krippendorff_alpha([[1, 1]] * 30 + [[0, 1]], resamples=200)

    assert found.alpha is not None
    assert found.interval is None


def test_cases_with_fewer_than_two_labels_say_nothing() -> None:
    two_labels = [["pass", "pass"], ["fail", "pass"], ["fail", "fail"]]

    assert st.krippendorff_alpha([], resamples=9) == st.Reliability(None, None, 0)
    assert st.krippendorff_alpha([["pass"], [None, "fail"], []], resamples=9).cases == 0
    assert st.krippendorff_alpha([["pass", None], *two_labels], resamples=9) == st.krippendorff_alpha(
        two_labels, resamples=9
    )
    assert st.krippendorff_alpha([["pass", "fail"]], resamples=9).interval is None


@pytest.mark.parametrize("bad", [math.nan, [1], math.inf])
def test_a_label_that_is_none_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="units must"):
        st.krippendorff_alpha([[1, bad]], "ordinal")
    if bad != math.inf:
        with pytest.raises(ValueError, match="units must"):
            st.krippendorff_alpha([[1, bad]])


def test_an_unknown_metric_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no such metric: 'ratio'; there are nominal, ordinal, interval"):
        st.krippendorff_alpha([[1, 2]], "ratio")  # type: ignore[arg-type]


def test_fleiss_kappa_reaches_one_is_undefined_for_one_class_and_refuses_ragged_tables() -> None:
    assert st.fleiss_kappa([[3, 0], [0, 3]]) == 1.0
    assert st.fleiss_kappa([[3, 0], [3, 0]]) is None
    assert st.fleiss_kappa([]) is None
    for ragged in ([[3, 0], [1, 1]], [[1, 0]], [[2, 1], [2, 1, 0]]):
        with pytest.raises(ValueError, match="the same number of labels"):
            st.fleiss_kappa(ragged)

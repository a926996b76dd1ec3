"""Many p-values at once."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from oloproof import statistics as st

P_VALUES = some.lists(some.floats(0.0, 1.0), min_size=1, max_size=30)


@given(p_values=P_VALUES)
@settings(max_examples=40, deadline=None)
def test_the_false_discovery_adjustments_are_scipys(p_values: list[float]) -> None:
    for method, adjust in (("bh", st.benjamini_hochberg), ("by", st.benjamini_yekutieli)):
        assert adjust(p_values) == pytest.approx(list(stats.false_discovery_control(p_values, method=method)))


@given(p_values=P_VALUES)
@settings(deadline=None)
def test_holm_is_between_no_correction_and_bonferroni(p_values: list[float]) -> None:
    for p, adjusted in zip(p_values, st.holm(p_values), strict=True):
        assert p <= adjusted <= min(1.0, len(p_values) * p)


@given(p_values=P_VALUES)
@settings(deadline=None)
def test_an_adjustment_keeps_the_order(p_values: list[float]) -> None:
    for adjust in (st.holm, st.benjamini_hochberg, st.benjamini_yekutieli):
        pairs = sorted(zip(p_values, adjust(p_values), strict=True))
        assert [adjusted for _, adjusted in pairs] == sorted(adjusted for _, adjusted in pairs)


def test_holm_steps_down_as_in_the_textbook() -> None:
    adjusted = st.holm([0.01, 0.04, 0.03, 0.005])

    assert adjusted == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert st.rejected(adjusted) == [True, False, False, True]


def test_no_p_values_need_no_correction() -> None:
    assert st.holm([]) == st.benjamini_hochberg([]) == st.benjamini_yekutieli([]) == []


@pytest.mark.parametrize("bad", [math.nan, -0.1, 1.1, True, "0.5", None])
def test_a_p_value_that_is_none_is_refused(bad: Any) -> None:
    for adjust in (st.holm, st.benjamini_hochberg, st.benjamini_yekutieli):
        with pytest.raises(ValueError, match="p_values must"):
            adjust([0.5, bad])

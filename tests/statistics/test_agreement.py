"""All measures of the one table of labels and verdicts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from oloproof import statistics as st

TABLES = some.builds(st.JudgeTable, *[some.integers(0, 200)] * 4)


@given(table=TABLES)
@settings(max_examples=40, deadline=None)
def test_counting_fails_instead_of_passes_mirrors_every_measure(table: st.JudgeTable) -> None:
    found = st.agreement_measures(table)
    turned = st.agreement_measures(st.JudgeTable(table.tn, table.fp, table.fn, table.tp))

    assert (turned.tpr, turned.tpr_interval) == (found.tnr, found.tnr_interval)
    assert turned.agreement_interval == found.agreement_interval
    assert turned.ac1 == pytest.approx(found.ac1, abs=1e-12)
    assert turned.phi == found.phi
    assert (turned.bias is None) == (found.bias is None)
    if found.bias is not None and turned.bias is not None:
        assert turned.bias == -found.bias
    if found.kappa.se is not None:
        assert turned.kappa.kappa == pytest.approx(found.kappa.kappa, abs=1e-12)
        assert turned.kappa.se == pytest.approx(found.kappa.se, abs=1e-12)


@given(table=TABLES)
@settings(max_examples=40, deadline=None)
def test_phi_is_the_correlation_of_labels_and_verdicts(table: st.JudgeTable) -> None:
    human = [1] * table.human_pass + [0] * table.human_fail
    judge = [1] * table.tp + [0] * table.fn + [1] * table.fp + [0] * table.tn
    if len(set(human)) < 2:
        assert st.phi_of(table) is None
    elif len(set(judge)) < 2:
        assert st.phi_of(table) == 0.0
    else:
        assert st.phi_of(table) == pytest.approx(np.corrcoef(human, judge)[0, 1], abs=1e-12)


def test_a_judge_that_agrees_always_has_a_kappa_and_an_ac1_of_one() -> None:
    found = st.agreement_measures(st.JudgeTable(30, 0, 0, 10))

    assert (found.kappa.kappa, found.kappa.se, found.ac1, found.phi, found.youden) == (1.0, 0.0, 1.0, 1.0, 1.0)


@pytest.mark.parametrize("passes", [27, 90, 999])
def test_a_constant_judge_has_a_kappa_of_nothing_and_no_standard_error(passes: int) -> None:
    found = st.cohen_kappa(st.JudgeTable(passes, 0, passes // 9, 0))

    assert (found.kappa, found.se, found.interval) == (0.0, None, None)


@pytest.mark.parametrize("table", [st.JudgeTable(40, 0, 0, 0), st.JudgeTable(0, 0, 0, 40)])
def test_one_class_on_both_sides_leaves_kappa_undefined(table: st.JudgeTable) -> None:
    assert st.cohen_kappa(table) == st.Kappa(None, None, None)
    assert st.agreement_measures(table).ac1 == 1.0


def test_the_standard_error_of_kappa_is_that_of_the_delta_method() -> None:
    cells = np.array([45, 5, 8, 42]) / 100

    def kappa(p: Any) -> float:
        chance = (p[0] + p[1]) * (p[0] + p[2]) + (p[2] + p[3]) * (p[1] + p[3])
        return float((p[0] + p[3] - chance) / (1 - chance))

    slope = np.array([(kappa(cells + step) - kappa(cells - step)) / 2e-6 for step in np.eye(4) * 1e-6])
    spread = (slope**2 @ cells - (slope @ cells) ** 2) / 100

    assert st.cohen_kappa(st.JudgeTable(45, 5, 8, 42)).se == pytest.approx(math.sqrt(spread), abs=1e-7)


def test_no_labels_define_nothing() -> None:
    found = st.agreement_measures(st.JudgeTable(0, 0, 0, 0))

    assert found.kappa == st.Kappa(None, None, None)
    assert {
        found.agreement,
        found.agreement_interval,
        found.tpr,
        found.tnr_interval,
        found.bias,
        found.bias_interval,
        found.youden,
        found.phi,
        found.ac1,
    } == {None}


@pytest.mark.parametrize("bad", [-1, 1.0, True, math.nan, math.inf, "3", None])
def test_a_cell_that_is_no_count_is_refused(bad: Any) -> None:
    for place, name in enumerate(("tp", "fn", "fp", "tn")):
        cells: list[Any] = [1, 1, 1, 1]
        cells[place] = bad
        with pytest.raises(ValueError, match=f"{name} must"):
            st.JudgeTable(*cells)
    with pytest.raises(ValueError, match="neither must"):
        st.Unclear(neither=bad)

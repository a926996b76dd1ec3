"""How many cases a comparison needs, by the textbook."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scipy import stats

from oloproof import statistics as st


def test_pairing_needs_fewer_cases_than_two_separate_arms() -> None:
    assert st.sample_size_paired_binary(0.05, 0.2) == 626
    assert st.sample_size_two_rates(0.85, 0.80) == pytest.approx(902.34, abs=0.01)


def test_the_sign_of_a_difference_does_not_matter() -> None:
    assert st.sample_size_paired_binary(-0.05, 0.2) == st.sample_size_paired_binary(0.05, 0.2)
    assert st.sample_size_two_rates(0.80, 0.85) == st.sample_size_two_rates(0.85, 0.80)
    assert st.sample_size_paired_mean(-0.2, 0.9) == st.sample_size_paired_mean(0.2, 0.9)


@pytest.mark.parametrize(("difference", "sd", "power"), [(0.2, 0.9, 0.8), (1.0, 1.0, 0.9), (0.5, 0.3, 0.95)])
def test_the_pairs_for_a_mean_reach_the_power_asked_for(difference: float, sd: float, power: float) -> None:
    n = st.sample_size_paired_mean(difference, sd, power=power)
    t, centre = stats.t.isf(0.025, n - 1), difference / sd * math.sqrt(n)

    assert stats.nct.sf(t, n - 1, centre) == pytest.approx(power, abs=1e-6)


def test_a_huge_effect_needs_two_pairs_at_least() -> None:
    assert st.sample_size_paired_mean(100.0, 0.1) == 2.0
    assert 2.0 < st.sample_size_paired_mean(5.0, 0.9) < 3.0


def test_clusters_of_one_lose_nothing() -> None:
    assert st.design_effect(200, 1, 0.7) == st.DesignEffect(1.0, 200.0)


@pytest.mark.parametrize(
    ("function", "arguments", "match"),
    [
        (st.sample_size_paired_binary, (0.3, 0.2), "difference must be above 0 and at most discordant"),
        (st.sample_size_paired_binary, (0.0, 0.2), "difference must be above 0"),
        (st.sample_size_two_rates, (0.8, 0.8), "p1 and p2 must differ"),
        (st.sample_size_paired_mean, (0.0, 1.0), "difference must not be 0"),
        (st.sample_size_paired_mean, (0.1, 0.0), "sd_of_differences must be above 0"),
        (st.sample_size_half_width, (1.0, 0.05), "p must lie strictly between"),
        (st.design_effect, (10, 0.5, 0.1), "cluster_size must be 1 or more"),
        (st.design_effect, (10, 2, 1.1), "icc must lie between 0 and 1"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(function: Any, arguments: tuple[Any, ...], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        function(*arguments)


def test_a_power_no_better_than_chance_is_refused() -> None:
    with pytest.raises(ValueError, match="power must be above alpha"):
        st.sample_size_two_rates(0.8, 0.9, power=0.05)

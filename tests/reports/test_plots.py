"""Where the marks of a difference stand on an axis about 0."""

from __future__ import annotations

import pytest

from oloproof.reports.plots import difference_axis, difference_plot


@pytest.mark.parametrize(
    ("ends", "reach"),
    [
        ([], 0.02),
        ([0.0], 0.02),
        ([-0.02, 0.01], 0.02),
        ([-0.145, -0.014, 0.092], 0.2),
        ([0.61], 0.8),
        ([-1.0, 1.0], 1.0),
    ],
)
def test_the_axis_reaches_to_a_round_number_beyond_every_end(ends: list[float], reach: float) -> None:
    assert difference_axis(ends) == reach


def test_zero_stands_in_the_middle_and_an_interval_where_it_is() -> None:
    plot = difference_plot(-0.1, (-0.15, 0.0), 0.2, "in words")
    assert (plot.x, plot.width, plot.estimate, plot.label) == ("12.5%", "37.5%", "25%", "in words")

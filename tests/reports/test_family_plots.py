"""The axis that the differences of variants share: about 0, in round steps, with an arrow at its edge."""

from __future__ import annotations

import pytest

from oloproof.reports.family_plots import axis_about_zero, delta_plot


@pytest.mark.parametrize(
    ("ends", "numbers"),
    [
        ([], ["−1", "0", "+1"]),
        ([-0.138, 0.011, -0.05], ["−15", "−10", "−5", "0", "+5"]),
        ([0.3, 0.31], ["−10", "0", "+10", "+20", "+30", "+40"]),
        ([-1.0, 1.0], ["−100", "−50", "0", "+50", "+100"]),
    ],
)
def test_the_axis_holds_every_end_and_a_step_on_either_side_of_zero(ends: list[float], numbers: list[str]) -> None:
    axis = axis_about_zero(ends)
    assert [tick.words for tick in axis.ticks()] == numbers
    assert all(axis.low <= end <= axis.high for end in ends)


def test_scores_have_an_axis_of_any_length() -> None:
    axis = axis_about_zero([-120.0, 30.0], scale=1.0)
    assert (axis.low, axis.high) == (-200.0, 100.0)


def test_the_first_and_last_numbers_stand_within_the_axis() -> None:
    ticks = axis_about_zero([-0.2, 0.2]).ticks()
    assert (ticks[0].x, ticks[0].anchor, ticks[-1].x, ticks[-1].anchor) == ("0%", "start", "100%", "end")


def test_what_lies_past_the_axis_is_an_arrow_at_its_edge() -> None:
    axis = axis_about_zero([-0.1, 0.1])
    far = delta_plot(-0.6, (-0.7, -0.05), axis, label="blank")
    assert (far.beyond, far.estimate, far.reaches) == ("left", None, ("left",))
    near = delta_plot(-0.05, (-0.1, 0.0), axis, label="jpeg")
    assert (near.beyond, near.estimate, near.reaches) == (None, "25%", ())

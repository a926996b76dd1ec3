"""Numbers as people read them: no rounding makes one look better than it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace

from oloproof.policy.wording import (
    bar_words,
    difference_words,
    family_words,
    interval_words,
    number_words,
    rounded_down,
    rounded_up,
    slice_words,
)
from oloproof.records import Metric
from tests.policy.conftest import metric_of, trials


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        (None, "rate", "no data"), (0.0, "rate", "0.0 %"), (1.0, "rate", "100.0 %"), (0.9995, "rate", ">99.9 %"),
        (0.9994, "rate", "99.9 %"), (0.0004, "rate", "<0.1 %"), (2 / 3, "rate", "66.7 %"), (3.14159, "score", "3.142"),
        (-0.5, "score", "-0.500"),
    ],
)  # fmt: skip
def test_an_estimate_in_words(value: float | None, kind: str, words: str) -> None:
    assert number_words(value, kind) == words


@pytest.mark.parametrize(
    ("interval", "kind", "words"),
    [
        (None, "rate", "[no interval]"), ((0.8311, 0.9992), "rate", "[83.1 %, 100.0 %]"),
        ((0.8319, 0.8321), "rate", "[83.1 %, 83.3 %]"), ((0.0, 1.0), "rate", "[0.0 %, 100.0 %]"),
        ((0.3, 0.7), "rate", "[30.0 %, 70.0 %]"), ((-1.2345, 2.3451), "score", "[-1.235, 2.346]"),
    ],
)  # fmt: skip
def test_intervals_are_rounded_outward(interval: tuple[float, float] | None, kind: str, words: str) -> None:
    metric = replace(metric_of(trials("p")), interval=interval, kind=kind)
    assert interval_words(metric) == words


@given(some.floats(-100, 100), some.integers(0, 3))
def test_rounding_never_goes_inward_by_more_than_noise(value: float, digits: int) -> None:
    assert rounded_down(value, digits) <= value + 1e-8
    assert rounded_up(value, digits) >= value - 1e-8
    assert rounded_up(value, digits) - rounded_down(value, digits) <= 10.0**-digits + 1e-9


def test_differences_of_rates_are_told_in_points() -> None:
    assert difference_words(0.033, (-0.0211, 0.0891), "rate") == "+3.3 points [-2.2, +9.0]"
    assert difference_words(-0.0, (-0.1, 0.1), "rate") == "+0.0 points [-10.0, +10.0]"
    assert difference_words(0.1, (-0.01, 0.2501), "score") == "+0.100 [-0.010, +0.251]"


@pytest.mark.parametrize(
    ("bar", "kind", "words"),
    [
        (0.8, "rate", "80 %"),
        (0.995, "rate", "99.5 %"),
        (0.07, "rate", "7 %"),
        (3.5, "score", "3.5"),
        (None, "rate", "nothing"),
    ],
)
def test_a_bar_in_words(bar: float | None, kind: str, words: str) -> None:
    assert bar_words(bar, kind) == words


def test_slices_in_words() -> None:
    assert slice_words(None) == slice_words({}) == ""
    assert slice_words({"lang": "dé", "pages": 2, "ok": True}) == ' (lang="dé", pages=2, ok=true)'


@pytest.mark.parametrize(
    ("estimate", "told"), [(10 / 48, "10 of 48 cases"), (5 / 48, "at least once in 10 of 48 cases")]
)
def test_a_mean_over_repeats_is_not_told_as_the_share_of_cases_in_which_it_ever_was(estimate: float, told: str) -> None:
    found = Metric(
        "answer.change_rate", "rate", "blur-3", None, "change_rate", estimate, (0.0, 0.5), 0.95, "m", 48, 48,
        10, 38, 0, 0, family={"hits": 10},
    )  # fmt: skip
    assert family_words(found) == [told]

"""What YAML may say about frames, and the moments that it means."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.media.frame_rules import Count, Every, FrameRule, Moments, Scenes, moments_of, parse_frame_rule


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (4, Count(4)),
        ([0.5, 2.0], Moments((0.5, 2.0))),
        ([0, 3], Moments((0, 3))),
        ({"every": 1.0}, Every(1.0)),
        ({"every": 2}, Every(2)),
        ({"scenes": 8}, Scenes(8)),
    ],
)
def test_each_way_of_saying_it_is_understood(value: object, rule: FrameRule) -> None:
    assert parse_frame_rule(value) == rule


@pytest.mark.parametrize(
    "value",
    [
        0, -1, 65, True, False, 2.5, "4", None, [], [-0.1], [math.nan], [math.inf], [True], ["1"], [0.1] * 65, {},
        {"every": 0}, {"every": -1}, {"every": math.nan}, {"every": True}, {"every": "1"}, {"every": 1, "scenes": 2},
        {"scenes": 0}, {"scenes": 65}, {"scenes": 2.0}, {"scenes": True}, {"each": 1},
    ],
)  # fmt: skip
def test_anything_else_is_refused_in_words(value: object) -> None:
    with pytest.raises(ValueError, match=r"found|moments"):
        parse_frame_rule(value)


def test_rules_that_differ_have_identities_that_differ() -> None:
    rules = [Count(4), Count(5), Scenes(4), Every(4.0), Moments((4.0,)), Moments((4.0, 5.0))]
    identities = [str(rule.identity) for rule in rules]

    assert len(set(identities)) == len(rules)
    assert Every(2).identity == Every(2.0).identity


def test_a_count_means_the_middles_of_equal_parts() -> None:
    wanted = moments_of(Count(4), Fraction(8), 20)

    assert (wanted.moments, wanted.asked, wanted.notes) == ((1, 3, 5, 7), 4, ())


def test_more_frames_than_may_be_taken_are_spread_evenly_and_noted() -> None:
    counted, every = moments_of(Count(8), Fraction(6), 3), moments_of(Every(1.0), Fraction(600), 4)
    listed = moments_of(Moments((0.0, 1.0, 2.0, 3.0, 4.0)), Fraction(9), 3)

    assert (counted.moments, counted.asked, len(counted.notes)) == ((1, 3, 5), 8, 1)
    assert (every.moments, every.asked) == ((0, 199, 399, 599), 600)
    assert "600 moments asked, 4 of them" in every.notes[0]
    assert (listed.moments, listed.asked, len(listed.notes)) == ((0, 2, 4), 5, 1)


def test_a_moment_behind_the_end_is_noted() -> None:
    wanted = moments_of(Moments((1.0, 9.0)), Fraction(4), 20)

    assert wanted.notes == ("asked 9 s, the pictures end at 4 s: the last frame is taken",)


def test_a_millisecond_step_over_days_makes_no_long_list() -> None:
    assert len(moments_of(Every(0.001), Fraction(10**6), 20).moments) == 20


@given(
    rule=st.one_of(
        st.integers(1, 64).map(Count), st.floats(0.001, 1e4).map(Every),
        st.lists(st.floats(0, 1e4), min_size=1, max_size=64).map(lambda times: Moments(tuple(times))),
    ),
    length=st.fractions(0, 10**4, max_denominator=90000),
    most=st.integers(1, 64),
)  # fmt: skip
def test_moments_ascend_and_never_exceed_what_may_be_taken(
    rule: Count | Every | Moments, length: Fraction, most: int
) -> None:
    wanted = moments_of(rule, length, most)

    assert 1 <= len(wanted.moments) <= most
    assert list(wanted.moments) == sorted(wanted.moments)
    if isinstance(rule, Every):
        assert wanted.moments[-1] < length or wanted.moments == (0,)
    if len(wanted.moments) < wanted.asked and not isinstance(rule, Moments):
        assert wanted.notes

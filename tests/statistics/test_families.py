"""Means over families, and the worst of their members."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from oloproof import statistics as st

SAME, WORSE, BETTER, OPEN = (0.0, 0.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)


def test_opposite_moves_cancel_in_the_mean_and_not_in_the_counts() -> None:
    found = st.mean_change([BETTER, WORSE], binary=True)

    assert found.estimate == 0.0
    assert (found.above, found.below, found.observed) == (1, 1, 2)
    assert st.share_of_cases([(1.0, 1.0), (1.0, 1.0)], binary=True).estimate == 1.0


def test_paired_changes_take_tangos_interval_and_means_over_repeats_the_betting_one() -> None:
    spans = [WORSE] * 2 + [SAME] * 18
    paired = st.mean_change(spans, binary=True)
    repeated = st.mean_change(spans)

    assert paired.interval == st.tango_interval(0, 2, 20)
    assert paired.method == "tango@1"
    assert repeated.method == "betting_mixture@1"
    assert repeated.interval == st.bounded_mean_interval([one for one, _ in spans], -1.0, 1.0)


def test_no_data_is_no_number_and_decides_nothing() -> None:
    for found in (st.mean_change([]), st.share_of_cases([], binary=True), st.number_of_cases([])):
        assert (found.estimate, found.interval, found.n) == (None, None, 0)
        assert st.decide(found.interval, minimum=-1.0) == "INSUFFICIENT_EVIDENCE"


def test_lost_answers_widen_the_interval_and_never_shrink_what_it_is_about() -> None:
    whole = st.mean_change([SAME] * 20, binary=True)
    lost = st.mean_change([SAME] * 18 + [OPEN] * 2, binary=True)

    assert (lost.n, lost.observed, lost.estimate) == (20, 18, 0.0)
    assert lost.interval is not None
    assert whole.interval is not None
    assert lost.interval[0] < whole.interval[0]
    assert lost.interval[1] > whole.interval[1]
    assert lost.interval == (
        st.tango_interval(0, 2, 20)[0],  # type: ignore[index]
        st.tango_interval(2, 0, 20)[1],  # type: ignore[index]
    )
    assert st.share_of_cases([(0.0, 1.0)] + [(0.0, 0.0)] * 9, binary=True).interval == st.missing_bounded_interval(
        0, 9, 1
    )


@given(
    some.lists(some.tuples(some.sampled_from((-1.0, 0.0, 1.0)), some.sampled_from((-1.0, 0.0, 1.0))), min_size=1),
    some.booleans(),
)
def test_an_estimate_never_lies_outside_of_its_interval(ends: list[tuple[float, float]], binary: bool) -> None:
    found = st.mean_change([(min(one), max(one)) for one in ends], binary=binary)

    assert found.interval is not None
    assert found.estimate is None or found.interval[0] <= found.estimate <= found.interval[1]


def test_what_cannot_be_like_the_cases_that_are_whole_moves_only_the_other_end() -> None:
    nothing_to_lose = (0.0, 1.0)

    found = st.mean_change([WORSE] * 3 + [nothing_to_lose], binary=True)

    tango = st.tango_interval(1, 3, 4)
    assert tango is not None
    assert (found.estimate, found.interval) == (-1.0, (-1.0, tango[1]))


def test_a_number_of_cases_is_exact_but_for_those_that_are_not_known() -> None:
    found = st.number_of_cases([(1.0, 1.0), (0.0, 0.0), (0.0, 1.0)])

    assert (found.estimate, found.interval) == (1.0, (1.0, 2.0))
    assert st.decide(found.interval, maximum=1.0) == "INSUFFICIENT_EVIDENCE"
    assert st.decide(found.interval, maximum=2.0) == "PASS"


def test_the_worst_member_is_named_and_its_failure_is_held_to_the_number_of_members() -> None:
    bad, good = [WORSE] * 12 + [SAME] * 18, [SAME] * 30
    alone = st.worst_member({"jpeg-40": bad}, changes=True, binary=True)
    among = st.worst_member({"jpeg-40": bad, "webp": good, "resize-50": good}, changes=True, binary=True)

    assert among.member == "jpeg-40"
    assert among.estimate == pytest.approx(-0.4)
    assert alone.interval is not None
    assert among.interval is not None
    assert among.interval[0] == alone.interval[0]
    assert among.interval[1] > alone.interval[1]


def test_the_largest_is_worst_where_more_is_worse() -> None:
    still, moved = [(0.0, 0.0)] * 10, [(1.0, 1.0)] * 5 + [(0.0, 0.0)] * 5

    assert st.worst_member({"a": still, "b": moved}, largest=True, binary=True).member == "b"


def test_a_member_without_data_leaves_the_worst_unknown() -> None:
    found = st.worst_member({"jpeg-40": [SAME] * 9, "webp": []}, changes=True, binary=True)

    assert found.estimate is None
    assert found.interval is not None
    assert found.interval[0] == -1.0
    assert st.worst_member({}).interval is None
    assert st.worst_member({"webp": []}).interval is None


def test_values_outside_of_their_range_are_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        st.share_of_cases([(-0.5, 0.0)])
    with pytest.raises(ValueError, match="between -1 and 1"):
        st.mean_change([(0.5, 0.0)])

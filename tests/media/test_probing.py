"""Times from what ffprobe tells, where that alone would be wrong."""

from __future__ import annotations

import pytest

from oloproof.media.probing import Stream, Times


def test_a_clock_that_is_set_back_goes_on_where_it_was() -> None:
    times = Times()
    for at in (0.0, 1.0, 2.0, 0.0, 1.0):
        times.add(at, 1.0, at)

    assert (times.start, times.end, times.count) == (0.0, 5.0, 5)
    assert (times.shortest, times.longest) == (1.0, 1.0)


def test_a_transport_stream_may_leap_where_others_wait() -> None:
    for leap, end in ((10.0, 4.0), (float("inf"), 102.0)):
        times = Times(leap)
        for at in (0.0, 1.0, 100.0, 101.0):
            times.add(at, 1.0, at)
        assert times.end == end


def test_pictures_out_of_order_join_nothing() -> None:
    times = Times()
    for shown, decoded in ((0.0, -0.2), (0.8, -0.1), (0.2, 0.0), (0.4, 0.1)):
        times.add(shown, 0.2, decoded)

    assert times.end == pytest.approx(1.0)


@pytest.mark.parametrize(("told", "seconds"), [(536870.888, 0.032), (None, 0.032), (0.01, 0.01)])
def test_the_last_sound_lasts_no_longer_than_its_samples(told: float | None, seconds: float) -> None:
    assert Stream(0, kind="audio", rate=8000, samples=256, lasting=told).step == seconds


def test_a_stream_may_be_moved_as_a_whole() -> None:
    times = Times()
    for at in (0.2, 0.3):
        times.add(at, 0.1, at)
    times.shift(-0.2)

    assert (times.start, times.end) == (0.0, pytest.approx(0.2))

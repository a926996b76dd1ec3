"""TIFF directories put together by hand: camera raw files, whose first directory is a preview."""

from __future__ import annotations

import struct

from tests.media.conftest import codes, facts_in

DNG_VERSION = (50706, 1, 4, 0x0401)
PREVIEW = [(256, 3, 1, 2), (257, 3, 1, 2), (258, 3, 1, 8), (262, 3, 1, 1)]
SENSOR = [(254, 4, 1, 0), (256, 4, 1, 64), (257, 4, 1, 48), (258, 3, 1, 14)]


def directory(*entries: tuple[int, int, int, int]) -> bytes:
    return struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *entry) for entry in entries) + bytes(4)


def raw(*more: tuple[int, int, int, int], below: bytes) -> bytes:
    """Return a TIFF of a preview with a directory below it."""
    place = 8 + 6 + 12 * (len(PREVIEW) + 2 + len(more))
    first = directory((254, 4, 1, 1), *PREVIEW, (330, 4, 1, place), *more)
    return b"II*\0\x08\0\0\0" + first + below


def test_a_raw_file_is_as_large_as_what_the_camera_took_and_is_not_decoded() -> None:
    for more, name in (((), "raw"), ((DNG_VERSION,), "dng"), (((274, 3, 1, 6), DNG_VERSION), "dng")):
        found = facts_in(raw(*more, below=directory(*SENSOR)))

        assert (found.format, found.stored_width, found.stored_height) == (name, 64, 48)
        assert (found.width, found.height) == ((48, 64) if len(more) == 2 else (64, 48))
        assert (found.decodable, found.extras["bits"], found.frames) == ("no_decoder", 14, 1)


def test_the_edge_of_a_sensor_is_not_shown() -> None:
    cropped = raw(DNG_VERSION, below=directory(*SENSOR, (50720, 3, 2, 60 | 40 << 16)))

    assert (facts_in(cropped).width, facts_in(cropped).height) == (60, 40)


def test_a_raw_file_that_lost_its_picture_has_the_size_of_none() -> None:
    found = facts_in(raw(DNG_VERSION, below=b""))

    assert (found.format, found.decodable) == ("dng", "no_decoder")
    assert (found.width, found.height) == (2, 2) or "damaged" in codes(found)


def test_smaller_copies_below_a_picture_make_no_raw_file() -> None:
    place = 8 + 6 + 12 * (len(PREVIEW) + 1)
    pyramid = b"II*\0\x08\0\0\0" + directory(*PREVIEW, (330, 4, 1, place)) + directory((254, 4, 1, 1), *PREVIEW[:2])

    assert facts_in(pyramid, "header").format == "tiff"

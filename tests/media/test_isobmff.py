"""Movie headers put together box by box: what is told of a track before any process starts."""

from __future__ import annotations

import struct

import pytest

from oloproof.records import Facts
from tests.media.conftest import codes, facts_in

ONE = 1 << 16
UPRIGHT = (ONE, 0, 0, ONE)
CLOCKWISE = (0, ONE, -ONE, 0)


def box(name: bytes, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return struct.pack(">I", 8 + len(body)) + name + body


def cells(matrix: tuple[int, int, int, int]) -> bytes:
    a, b, c, d = matrix
    return struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)


def movie(
    *,
    track: tuple[int, int, int, int] = UPRIGHT,
    whole: tuple[int, int, int, int] = UPRIGHT,
    aperture: tuple[int, int] = (160, 120),
    aspect: tuple[int, int] | None = None,
    seconds: tuple[int, int] = (2, 2),
    chunks: bytes = b"",
) -> bytes:
    """Return an MP4 of one picture track of 160×120 without samples; ``seconds`` are those of movie and track."""
    pixels = box(b"pasp", struct.pack(">II", *aspect)) if aspect else b""
    entry = box(b"avc1", bytes(24), struct.pack(">HH", 160, 120), bytes(50), pixels)
    told = struct.pack(">5I", 0, 0, 0, 1000, 1000 * seconds[0])
    head = box(b"tkhd", struct.pack(">6I", 1, 0, 0, 1, 0, 1000 * seconds[1]), bytes(16), cells(track),
               struct.pack(">II", aperture[0] << 16, aperture[1] << 16))  # fmt: skip
    media = box(b"mdia", box(b"hdlr", bytes(8), b"vide", bytes(12)),
                box(b"minf", box(b"stbl", box(b"stsd", bytes(8), entry), chunks)))  # fmt: skip
    index = box(b"moov", box(b"mvhd", told, bytes(16), cells(whole), bytes(28)), box(b"trak", head, media))
    return box(b"ftyp", b"isom", bytes(4)) + index


def header(data: bytes) -> Facts:
    return facts_in(data, "header")


@pytest.mark.parametrize(
    ("made", "size"),
    [
        (movie(), (160, 120)),
        (movie(aspect=(4, 3)), (213, 120)),
        (movie(aperture=(320, 120)), (320, 120)),
        (movie(aperture=(320, 120), aspect=(1, 1)), (160, 120)),
        (movie(track=(2 * ONE, 0, 0, ONE)), (320, 120)),
        (movie(track=(2 * ONE, 0, 0, 2 * ONE)), (160, 120)),
        (movie(track=CLOCKWISE, aperture=(320, 120)), (120, 320)),
    ],
)
def test_pixels_are_as_wide_as_the_sample_entry_the_matrix_or_the_aperture_says(
    made: bytes, size: tuple[int, int]
) -> None:
    found = header(made)

    assert ((found.width, found.height), (found.stored_width, found.stored_height)) == (size, (160, 120))


def test_the_whole_movie_may_be_turned_besides_its_track() -> None:
    assert header(movie(whole=CLOCKWISE)).orientation == "rotate 90 cw"
    assert header(movie(track=CLOCKWISE, whole=CLOCKWISE)).orientation == "rotate 180"
    assert header(movie(track=(3, ONE, 5 - ONE, -2))).orientation == "rotate 90 cw"  # cells are not always exact


def test_a_movie_whose_length_is_not_that_of_its_track_tells_none() -> None:
    assert header(movie()).duration == 2.0
    assert header(movie(seconds=(600, 2))).duration is header(movie(seconds=(0, 2))).duration is None


def test_an_index_that_names_places_behind_the_end_is_damaged() -> None:
    for name, form in ((b"stco", ">3I"), (b"co64", ">3Q")):
        for last, told in ((200, set()), (5000, {"damaged"})):
            table = box(name, bytes(4), struct.pack(">I", 3), struct.pack(form, 100, last, 150))
            assert codes(header(movie(chunks=table))) == told


def test_room_for_an_index_may_stand_first() -> None:
    for name in (b"free", b"skip"):
        assert header(box(name, bytes(9)) + movie()[16:]).format == "mov"


def test_bytes_behind_the_boxes_of_a_picture_are_no_cut() -> None:
    picture = box(b"ftyp", b"avif", bytes(4)) + box(b"meta", bytes(4))

    assert codes(header(picture + b"some more words")) >= {"trailing_data"}
    assert codes(header(picture + b"\0\0\1\0mdat")) >= {"truncated"}

"""Matroska headers, put together element by element."""

from __future__ import annotations

import io
import struct

import pytest

from oloproof.media.binary import Source
from oloproof.media.ebml import read_matroska


def element(name: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return name.to_bytes(-(-name.bit_length() // 8)) + (1 << 56 | len(body)).to_bytes(8) + body


def clip(*video: bytes) -> bytes:
    picture = element(0xE0, element(0xB0, b"\x60"), element(0xBA, b"\x40"), *video)
    return element(0x1A45DFA3) + element(
        0x18538067, element(0x1654AE6B, element(0xAE, element(0x83, b"\x01"), picture))
    )


@pytest.mark.parametrize(("roll", "orientation"), [(90.0, 8), (-90.0, 6), (180.0, 3), (-180.0, 3), (0.0, 1), (45.0, 1)])
def test_the_roll_of_a_video_turns_it(roll: float, orientation: int) -> None:
    for form in (">f", ">d"):
        turned = element(0x7670, element(0x7671, b"\0"), element(0x7675, struct.pack(form, roll)))
        track = read_matroska(Source(io.BytesIO(clip(turned)))).first(1)
        assert track is not None
        assert (track.width, track.height, track.orientation) == (96, 64, orientation)


def test_a_roll_that_is_no_number_turns_nothing() -> None:
    for broken in (b"", b"\x7f\xc0\0\0", b"\x7f\x80\0\0"):
        track = read_matroska(Source(io.BytesIO(clip(element(0x7670, element(0x7675, broken)))))).first(1)
        assert track is not None
        assert track.orientation == 1

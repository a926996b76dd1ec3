"""Streams that promise no length: a file that ends inside a frame has lost something."""

from __future__ import annotations

import io
import struct

import pytest

from oloproof.media.binary import Source
from oloproof.media.endings import avi_data_is_whole, cut_off

FRAME = b"FRAME Ip\n"
Y4M = {
    b"C420jpeg": 5 * 3 + 2 * 3 * 2,
    b"": 5 * 3 + 2 * 3 * 2,
    b"C422": 5 * 3 + 2 * 3 * 3,
    b"C411": 5 * 3 + 2 * 2 * 3,
    b"C444p10 XYSCSS=444P10": 2 * 3 * 5 * 3,
    b"Cmono": 5 * 3,
    b"Cmono16": 2 * 5 * 3,
}


def ending(data: bytes, name: str) -> str | None:
    return cut_off(Source(io.BytesIO(data)), name)


@pytest.mark.parametrize(("space", "size"), Y4M.items())
def test_pictures_of_every_colour_space_are_counted_out(space: bytes, size: int) -> None:
    whole = b"YUV4MPEG2 W5 H3 F10:1 A1:1 " + space + b"\n" + 3 * (FRAME + bytes(size))

    assert ending(whole, "y4m") is None
    assert ending(whole[:-1], "y4m") == "the file ends inside a frame"
    assert ending(whole + b"FRA", "y4m") == "the file ends inside a frame"
    assert "does not begin as one" in (ending(whole + bytes(20), "y4m") or "")


def test_a_colour_space_that_is_not_known_says_nothing() -> None:
    assert ending(b"YUV4MPEG2 W5 H3 C999\nFRAME\n" + bytes(7), "y4m") is None
    assert ending(b"YUV4MPEG2 \nFRAME\n" + bytes(7), "y4m") is None


def test_ivf_frames_say_how_long_they_are() -> None:
    whole = struct.pack("<4sHH24x", b"DKIF", 0, 32) + 2 * (struct.pack("<IQ", 9, 0) + bytes(9))

    assert ending(whole, "ivf") is None
    assert ending(whole[:-1], "ivf") == "the file ends inside a frame"
    assert ending(whole[:-15], "ivf") == "the file ends inside a frame"


def test_an_avi_that_lost_its_index_still_has_its_data() -> None:
    def chunk(name: bytes, body: bytes) -> bytes:
        return name + struct.pack("<I", len(body)) + body

    data = chunk(b"LIST", b"hdrl" + bytes(20)) + chunk(b"LIST", b"movi" + bytes(100))
    first = chunk(b"RIFF", b"AVI " + data + chunk(b"idx1", bytes(40)))
    second = chunk(b"RIFF", b"AVIX" + chunk(b"LIST", b"movi" + bytes(50)))

    for data, lost, whole in (
        (first, 30, True), (first, 48, True), (first, 49, False), (first + second, 0, True), (first + second, 1, False)
    ):  # fmt: skip
        assert avi_data_is_whole(Source(io.BytesIO(data[: len(data) - lost]))) is whole


def test_a_program_stream_that_ends_inside_a_packet_is_cut() -> None:
    old, new = b"\0\0\1\xba\x21" + bytes(7), b"\0\0\1\xba\x44" + bytes(8) + b"\xf9\xff"
    packet = b"\0\0\1\xe0\0\x08" + bytes(8)

    for pack in (old, new):
        whole = (pack + packet * 2) * 3
        for end in (b"", b"\0\0\1\xb9", bytes(40)):
            assert cut_off(Source(io.BytesIO(whole + end)), "mpeg") is None
        for lost in (1, 9, len(packet) + 3):
            assert cut_off(Source(io.BytesIO(whole[:-lost])), "mpeg") is not None

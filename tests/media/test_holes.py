"""Frames that follow one another, and what stands between them."""

from __future__ import annotations

import io

import pytest

from oloproof.media.binary import Source
from oloproof.media.holes import Hole, hole_in

MP3 = b"\xff\xfb\x90\x00" + bytes(413)
AAC = bytes((0xFF, 0xF1, 0x50, 0x80, 64 >> 3, (64 & 7) << 5 | 0x1F, 0xFC)) + bytes(57)
AC3 = b"\x0b\x77\0\0\x40\x40" + bytes(138 - 6)  # 44.1 kHz, 32 kbit/s: 69 words
EAC3 = b"\x0b\x77\0\x3f\0\x80" + bytes(128 - 6)
DTS = b"\x7f\xfe\x80\x01\xfc" + bytes((0x3C, 0x0F, 0xF0)) + bytes(256 - 8)
PACKET = b"G" + bytes(187)
STREAMS = {"mp3": MP3, "aac": AAC, "ac3": AC3, "eac3": EAC3, "dts": DTS, "mpegts": PACKET}


def hole(data: bytes, name: str) -> Hole | None:
    return hole_in(Source(io.BytesIO(data)), name)


@pytest.mark.parametrize(("name", "frame"), STREAMS.items(), ids=STREAMS)
def test_frames_in_a_row_have_no_hole_and_lost_bytes_make_one(name: str, frame: bytes) -> None:
    assert hole(12 * frame, name) is None
    assert (hole(12 * frame + frame[:-9], name) is None) is (name == "mpegts")
    assert hole(5 * frame + bytes(len(frame)) + 5 * frame, name) is not None
    assert hole(5 * frame + frame[len(frame) // 2 :] + 5 * frame, name) is not None


def test_tags_between_songs_and_stray_bytes_are_no_hole() -> None:
    ape = b"APETAGEX\xd0\x07\0\0" + (40).to_bytes(4, "little") + bytes(4) + b"\0\0\0\xa0" + bytes(8 + 40)
    for between in (b"ID3\x04\0\0\0\0\x01\0" + bytes(128), b"TAG" + bytes(125), ape, bytes(3), b""):
        assert hole(5 * MP3 + between + 5 * MP3, "mp3") is None
    assert hole(b"ID3\x04\0\0\0\0\x01\0" + bytes(128 + 500) + 5 * MP3 + bytes(900), "mp3") is None


def test_a_hole_larger_than_one_look_is_found_and_strays_without_number_cost_no_time() -> None:
    words = f"{3 << 20} bytes at {5 * len(MP3)} are no frame"
    assert hole(5 * MP3 + bytes(3 << 20) + 5 * MP3, "mp3") == Hole("damaged", words)
    assert hole((AAC * 3 + b"\0") * 10_000, "aac") is None


def test_what_follows_the_last_frame_is_no_damage_unless_frames_were_to_follow() -> None:
    def code(data: bytes) -> str | None:
        found = hole(data, "mp3")
        return found.code if found else None

    counted = MP3[:36] + b"Info" + bytes((0, 0, 0, 2)) + (8 * len(MP3)).to_bytes(4) + b"LAME" + MP3[52:]

    assert code(8 * MP3 + b"LYRICSBEGIN and more words") == "trailing_data"
    assert code(counted + 7 * MP3 + bytes(range(200))) == "trailing_data"
    assert code(counted + 4 * MP3 + b"x" * 3 * len(MP3)) == "damaged"
    assert code(5 * MP3 + b"x" * len(MP3) + MP3) == "damaged"
    assert code(8 * MP3 + MP3[:200]) == "truncated"


def test_packets_with_a_time_in_front_are_looked_at_behind_it() -> None:
    packet = bytes(4) + PACKET
    assert hole(5 * packet, "mpegts") is None
    assert hole(5 * packet + bytes(192) + 5 * packet, "mpegts") == Hole(
        "damaged", "1 of its packets do not begin as a packet does"
    )


def test_the_chunks_of_an_avi_stand_behind_one_another() -> None:
    def chunk(name: bytes, body: bytes) -> bytes:
        return name + len(body).to_bytes(4, "little") + body + b"\0" * (len(body) & 1)

    pictures = [chunk(b"00dc", bytes(99)), chunk(b"01wb", bytes(20)), chunk(b"JUNK", bytes(5))] * 3
    head = chunk(b"LIST", b"hdrl" + bytes(40))

    def avi(*chunks: bytes) -> bytes:
        return chunk(b"RIFF", b"AVI " + head + chunk(b"LIST", b"movi" + b"".join(chunks)) + chunk(b"idx1", bytes(16)))

    whole = avi(*pictures)
    place = whole.index(b"01wb", 200)

    assert hole(whole, "avi") is None
    assert hole(whole + b"something else", "avi") is None
    assert hole(avi(chunk(b"LIST", b"rec " + b"".join(pictures))), "avi") is None
    assert hole(avi(*(one[:-1] if one[:1] == b"0" and len(one) == 108 else one for one in pictures)), "avi") is None
    assert hole(whole[:place] + b"\x99" * 30 + whole[place + 30 :], "avi") is not None


def test_other_formats_are_not_walked() -> None:
    assert hole(bytes(99), "mp4") is None

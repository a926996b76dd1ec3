"""Error lines of ffmpeg: which of them tell damage."""

from __future__ import annotations

import io

from oloproof.media.binary import Source
from oloproof.media.complaints import damage_told, ends_inside
from oloproof.media.drafting import Draft
from oloproof.media.probing import Probe, Stream
from oloproof.media.sniffing import sniffed

NO_FRAME = ["[flac @ 0x1] invalid sync code", "[flac @ 0x1] invalid frame header", "[flac @ 0x1] decode_frame() failed"]


def left(name: str, lines: list[str], data: bytes = b"", heard: int = 88200) -> tuple[list[str], set[str]]:
    """Return the lines that are left of a file of 2 s, and the findings."""
    sound = Stream(0, kind="audio", codec=name, rate=44100, heard=heard)
    draft = Draft(sniffed(name), promised=2.0)
    return damage_told(Source(io.BytesIO(data)), draft, Probe({0: sound}, error_lines=lines)), set(draft.findings)


def test_bytes_behind_a_flac_of_which_every_sample_was_heard_are_no_damage() -> None:
    assert left("flac", NO_FRAME) == ([], {"trailing_data"})
    assert left("flac", NO_FRAME, heard=84104) == (NO_FRAME, set())
    assert left("flac", [*NO_FRAME, "[flac @ 0x1] CRC error"])[0]
    assert left("wavpack", NO_FRAME)[0]


def test_a_tag_between_songs_is_no_damage() -> None:
    line = "[mp3float @ 0x1] Header missing"
    assert left("mp3", [line]) == ([], set())
    assert left("avi", [line])[0]


def test_headers_of_joined_opus_streams_are_no_damage_and_as_many_as_there_are_joints() -> None:
    line = "[opus @ 0x1] Error parsing the packet header."
    assert left("ogg", [line, line], b"OpusHead..OpusHead") == ([], set())
    assert left("ogg", [line] * 3, b"OpusHead..OpusHead")[0] == [line] * 3
    assert left("ogg", [line], b"OpusHead")[0] == [line]


def test_an_early_end_is_told_as_one() -> None:
    found = Probe(error_lines=["[matroska,webm @ 0x1] File ended prematurely"])
    assert ends_inside(found)
    assert left("mkv", found.error_lines)[0] == []

"""Whether something in a stream of frames, packets or chunks is none: decoders look for the next one and say nothing
of what is lost.

Lengths of frames after ETSI TS 102 366 (AC-3, E-AC-3) and TS 102 114 (DTS); MPEG audio in its own module.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from oloproof.media import mpegaudio
from oloproof.media.binary import Source

_NEAR, _SEARCHED = 4096, 1 << 20
_SPARE = 16
"""Bytes between two frames that no sound was lost with."""
_AC3_RATES = (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640)


class Hole(Struct, frozen=True):
    """What in a stream of frames is none: the code of the finding (``damaged``, ``truncated``, ``trailing_data``) and
    words that say where.
    """

    code: str
    words: str


def hole_in(source: Source, format: str) -> Hole | None:  # noqa: A002 - the word of the facts
    """Return what stands in a stream of frames that is none, None when they follow one another."""
    if format == "mpegts":
        return _lost_packets(source)
    if format == "avi":
        return _lost_chunks(source)
    length_at = _LENGTHS.get(format)
    return _lost_frames(source, format, length_at) if length_at else None


def _lost_packets(source: Source) -> Hole | None:
    """Count the packets without their sync byte; the form with times has it behind 4 bytes."""
    step, place = (188, 0) if source.head[:1] == b"G" else (192, 4)
    lost = 0
    for block in source.blocks(0, size=step << 12):
        marks = block[place::step]
        lost += len(marks) - marks.count(b"G")
    return Hole("damaged", f"{lost} of its packets do not begin as a packet does") if lost else None


def _lost_chunks(source: Source) -> Hole | None:
    """Walk the chunks of an AVI: behind each must stand another, though some writers forget to fill up an odd one."""
    at, length = 0, 0
    while len(head := source.at(at, 12)) == 12:
        if head[:4] in (b"RIFF", b"LIST") and head[8:12] in (b"AVI ", b"AVIX", b"movi", b"rec "):
            at, length = at + 12, 0
        elif _CHUNK.match(head):
            length = int.from_bytes(head[4:8], "little")
            at += 8 + length + (length & 1)
        elif length & 1 and _CHUNK.match(source.at(at - 1, 4)):
            at, length = at - 1, 0
        else:
            return Hole("damaged", f"what stands at {at} is no chunk") if _goes_on(source, at) else None
    return None


_CHUNK = re.compile(rb"[0-9A-Fa-f]{2}[A-Za-z_]{2}|ix[0-9]{2}|LIST|JUNK|junk|JUNQ|idx1|vprp|DISP|IDIT|strn")


def _goes_on(source: Source, at: int) -> bool:
    """Return whether the list of pictures and sound that began before does not end before ``at``."""
    begin = 12
    while (head := source.at(begin, 12)) and len(head) == 12:
        end = begin + 8 + int.from_bytes(head[4:8], "little")
        if head[:4] == b"LIST" and head[8:12] == b"movi":
            return at < end
        begin = end + (end & 1)
    return False


def _lost_frames(source: Source, format: str, length_at: Callable[[bytes], int]) -> Hole | None:  # noqa: A002
    at = _next_run(source, mpegaudio.id3_end(source.head), length_at)
    while at is not None and at < source.size:
        if length := length_at(source.at(at, 16)):
            at += length
            if at > source.size:
                return Hole("truncated", "the file ends inside a frame")
            continue
        if length := _tag_length(source.at(at, 32)):
            at += length
            continue
        found = _next_run(source, at, length_at)
        if found is None and source.size - at > _SPARE:
            return _behind(source, format, at, length_at) if source.at(at, _SEARCHED).strip(b"\0") else None
        if found is not None and found - at > _SPARE:
            return Hole("damaged", f"{found - at} bytes at {at} are no frame")
        at = found
    return None


def _behind(source: Source, format: str, at: int, length_at: Callable[[bytes], int]) -> Hole:  # noqa: A002
    """Judge what follows the last run of frames: damage where frames were to follow or a last one does, else none."""
    end = mpegaudio.promised_end(source) if format == "mp3" else None
    tail = source.at(at, _SEARCHED)
    begins = (match.start() for match in _SYNC.finditer(tail))
    more = any(at + begin + length_at(tail[begin : begin + 16]) == source.size for begin in begins)
    if more or (end is not None and at < end - _SPARE):
        return Hole("damaged", f"the bytes from {at} on are no frames")
    return Hole("trailing_data", f"{source.size - at} bytes follow the sound")


def _next_run(source: Source, at: int, length_at: Callable[[bytes], int]) -> int | None:
    """Return where the next three frames that follow one another begin; close by at first, as a rule they are."""
    size = _NEAR
    while at < source.size:
        for match in _SYNC.finditer(source.at(at, size)):
            if _is_run(source, at + match.start(), length_at):
                return at + match.start()
        at, size = at + size - 3, _SEARCHED  # a mark may stand across the border
    return None


def _is_run(source: Source, at: int, length_at: Callable[[bytes], int]) -> bool:
    for _ in range(3):
        length = length_at(source.at(at, 16))
        if not length or at + length > source.size:
            return False
        at += length
    return True


_SYNC = re.compile(rb"\xff[\xe0-\xff]|\x0b\x77|\x7f\xfe\x80\x01")


def _tag_length(head: bytes) -> int:
    """Return the length of a tag between two songs: ID3v2, ID3v1 or APE (whose length leaves out its header)."""
    if head.startswith(b"APETAGEX"):
        return 32 + (int.from_bytes(head[12:16], "little") if head[23:24] > b"\x9f" else 0)
    return 128 if head.startswith(b"TAG") else mpegaudio.id3_end(head)


def _mpeg(head: bytes) -> int:
    frame = mpegaudio.frame_at(head, 0)
    return frame.length if frame is not None else 0


def _ac3(head: bytes) -> int:
    if head[:2] != b"\x0b\x77" or len(head) < 6:
        return 0
    if head[5] >> 3 > 10:  # E-AC-3 counts its words itself
        return 2 * ((head[2] & 7) << 8 | head[3]) + 2
    rate, size = head[4] >> 6, head[4] & 0x3F
    if rate == 3 or size >= 2 * len(_AC3_RATES):
        return 0
    kilobits = _AC3_RATES[size >> 1]
    return 2 * (2 * kilobits, 320 * kilobits // 147 + (size & 1), 3 * kilobits)[rate]


def _dts(head: bytes) -> int:
    if head[:4] != b"\x7f\xfe\x80\x01" or len(head) < 8:
        return 0
    return ((head[5] & 3) << 12 | head[6] << 4 | head[7] >> 4) + 1


_LENGTHS: dict[str, Callable[[bytes], int]] = {
    "mp3": _mpeg, "mp2": _mpeg, "mp1": _mpeg, "aac": _mpeg, "ac3": _ac3, "eac3": _ac3, "dts": _dts,
}  # fmt: skip

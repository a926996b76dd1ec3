"""Whether a stream without a promised length is cut off at its end: told from its last bytes."""

from __future__ import annotations

from oloproof.media import mpegaudio
from oloproof.media.binary import Source, u32

_TAIL = 1 << 16


def cut_off(source: Source, format: str) -> str | None:  # noqa: A002 - the word of the facts
    """Return in words how the file ends too early, None when it seems to end where it should."""
    if format in ("ogg", "ogv"):
        return _ogg(source)
    if format in ("mp3", "mp2", "mp1", "aac"):
        return _frames(source)
    if format == "mpegts":
        size = 188 if source.head[:1] == b"G" else 192
        return "the file ends inside a packet" if source.size % size else None
    if format == "avi":
        length = u32(source.head, 4, "<")
        cut = length is not None and 0 < length < 0xFFFFFFFF and 8 + length > source.size + 1
        return "the file ends before the length that its RIFF header gives" if cut else None
    return None


def _ogg(source: Source) -> str | None:
    """Look at the last page: it must be whole and carry the mark of the end of its stream (RFC 3533)."""
    begin = max(source.size - _TAIL - 300, 0)
    tail = source.at(begin, source.size - begin)
    at = tail.rfind(b"OggS")
    if at < 0:
        return "the last page of the Ogg stream is missing"
    table = tail[at + 27 : at + 27 + (tail[at + 26] if at + 26 < len(tail) else 255)]
    whole = at + 27 < len(tail) and len(table) == tail[at + 26] and at + 27 + len(table) + sum(table) <= len(tail)
    if not whole:
        return "the file ends inside an Ogg page"
    return None if tail[at + 5] & 4 else "the Ogg stream ends without its last page"


def _frames(source: Source) -> str | None:
    """Walk the last frames of an MPEG audio stream: the last one must be whole."""
    begin = max(source.size - 16384, mpegaudio.id3_end(source.head))
    tail = source.at(begin, source.size - begin)
    at = mpegaudio.first_run(tail)
    if at is None:
        return None
    while (frame := mpegaudio.frame_at(tail, at)) is not None:
        if at + frame.length > len(tail):
            return "the file ends inside a frame"
        at += frame.length
    return "the file ends inside a frame" if 0 < len(tail) - at < 7 and tail[at] == 0xFF else None

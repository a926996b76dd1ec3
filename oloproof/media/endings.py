"""Whether a stream without a promised length is cut off at its end: told from its last bytes."""

from __future__ import annotations

from oloproof.media import mpegaudio
from oloproof.media.binary import Source, u16, u32

_TAIL = 1 << 16
_MOST_FRAMES = 1_000_000


def cut_off(source: Source, format: str) -> str | None:  # noqa: A002 - the word of the facts
    """Return in words how the file ends too early, None when it seems to end where it should."""
    if format in ("ogg", "ogv"):
        return _ogg(source)
    if format in ("mp3", "mp2", "mp1", "aac"):
        end = mpegaudio.promised_end(source) if format == "mp3" else None
        lost = end is not None and end > source.size
        return "the file ends before the sound that its Xing header counts" if lost else _frames(source)
    if format == "mpegts":
        size = 188 if source.head[:1] == b"G" else 192
        return "the file ends inside a packet" if source.size % size else None
    if format == "mpeg":
        return _program(source)
    if format in ("y4m", "ivf"):
        return _packed(source, format)
    if format == "avi":
        length = u32(source.head, 4, "<")
        cut = length is not None and 0 < length < 0xFFFFFFFF and 8 + length > source.size + 1
        return "the file ends before the length that its RIFF header gives" if cut else None
    return None


def avi_data_is_whole(source: Source) -> bool:
    """Return whether a cut AVI still has the whole list of its pictures and sound (``movi``), so that nothing is lost.

    A large file is a chain of RIFF forms, each with a list of its own.
    """
    at, whole = 12, False
    for _ in range(_MOST_FRAMES):
        head = source.at(at, 12)
        length = u32(head, 4, "<")
        if length is None:
            return whole
        if head[:4] == b"RIFF":
            at, whole = at + 12, False
            continue
        whole = whole or (head == b"LIST" + head[4:8] + b"movi" and at + 8 + length <= source.size)
        at += 8 + length + (length & 1)
    return whole


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


_PACK = b"\0\0\1\xba"


def _program(source: Source) -> str | None:
    """Walk the last packs and packets of an MPEG program stream, which say how long they are (ISO/IEC 13818-1)."""
    begin = max(source.size - 4 * _TAIL, 0)
    tail = source.at(begin, source.size - begin)
    at = tail.find(_PACK)
    while 0 <= at < len(tail):
        length = _packet_length(tail[at : at + 14])
        if length == 0:
            at = tail.find(_PACK, at)  # something that is no packet; the next pack goes on
        elif at + length > len(tail):
            return "the file ends inside a packet"
        else:
            at += length
    return None


def _packet_length(head: bytes) -> int:
    """Return the length of what begins with ``head``: a pack header, the end code or a packet; 0 for anything else."""
    code = head[3:4]
    if head[:3] != b"\0\0\1" or code < b"\xb9":
        return 0
    if code == b"\xb9":
        return 4
    if code == b"\xba":  # the older form is fixed, the newer one tells its stuffing
        return 14 + (head[13] & 7) if len(head) == 14 and head[4] >> 6 == 1 else 12
    return 6 + int.from_bytes(head[4:6])


def _packed(source: Source, format: str) -> str | None:  # noqa: A002
    """Follow the frames of YUV4MPEG2 or IVF, which stand one behind the other."""
    at = source.head.find(b"\n") + 1 if format == "y4m" else u16(source.head, 6, "<") or 32
    frame = _picture_bytes(source.head[:at]) if format == "y4m" else 0
    for _ in range(_MOST_FRAMES):
        head = source.at(at, 12 if format == "ivf" else 80)
        if not head or (format == "y4m" and not frame):
            return None
        if format == "y4m" and not b"FRAME".startswith(head[:5]):
            return "a frame does not begin as one, and nothing behind it can be found"
        if format == "y4m":
            at += head.find(b"\n") + 1 + frame
        else:
            at += 12 + (u32(head, 0, "<") or 0)
        if at > source.size or len(head) < 12:
            return "the file ends inside a frame"
    return None


def _picture_bytes(head: bytes) -> int:
    """Return how many bytes one picture of a YUV4MPEG2 stream has, 0 where its colour space is not known."""
    found = {word[:1]: word[1:] for word in head.split()[1:]}
    try:
        width, height = int(found[b"W"]), int(found[b"H"])
    except (KeyError, ValueError):
        return 0
    space, _, depth = found.get(b"C", b"420").partition(b"p")
    planes = _PLANES.get(space[:3] if space[:4] != b"mono" else b"mono")
    if planes is None or space == b"444alpha":
        return 0
    across, down = planes
    chroma = 2 * -(-width // across) * -(-height // down) if across else 0
    deep = depth[:2] in (b"9", b"10", b"12", b"14", b"16") or space in (b"mono9", b"mono10", b"mono12", b"mono16")
    return (width * height + chroma) * (2 if deep else 1)


_PLANES = {b"420": (2, 2), b"422": (2, 1), b"411": (4, 1), b"444": (1, 1), b"mono": (0, 0)}
"""By what the colours are smaller than the picture, across and down; (0, 0) without colours."""

"""Whether Ogg, ASF, FLV, AVI and MPEG containers hold moving pictures or sound only, told from their first bytes."""

from __future__ import annotations

import re
from collections.abc import Callable

from oloproof.media.binary import Source, u32
from oloproof.records import Kind

_Tracks = tuple[bool, bool | None]
"""Whether there are pictures, and whether there is sound, None where that cannot be told."""


def kind_of_tracks(source: Source, format: str) -> tuple[Kind, bool | None] | None:  # noqa: A002
    """Return the kind and whether there is sound (None: perhaps), None when the head of the file does not tell."""
    reader = _READERS.get(format)
    found = reader(source) if reader else None
    if found is None or not any(found):
        return None
    video, audio = found
    return ("video" if video else "audio"), audio


_OGG_VIDEO = (b"\x80theora", b"OVP80", b"BBCD\0", b"\x80daala")
_OGG_AUDIO = (b"\x01vorbis", b"OpusHead", b"Speex   ", b"\x7fFLAC", b"fLaC", b"PCM     ")


def _ogg(source: Source) -> tuple[bool, bool] | None:
    """Look at the first page of each stream: all of them stand before any data (RFC 3533)."""
    at, video, audio = 0, False, False
    for _ in range(32):
        head = source.at(at, 27)
        if len(head) < 27 or head[:4] != b"OggS" or not head[5] & 2:
            break
        table = source.at(at + 27, head[26])
        packet = source.at(at + 27 + len(table), 16)
        video = video or packet.startswith(_OGG_VIDEO)
        audio = audio or packet.startswith(_OGG_AUDIO)
        at += 27 + len(table) + sum(table)
    return video, audio


_ASF_STREAM = bytes.fromhex("9107dcb7b7a9cf118ee600c00c205365")
_ASF_VIDEO = bytes.fromhex("c0ef19bc4d5bcf11a8fd00805f5c442b")
_ASF_AUDIO = bytes.fromhex("409e69f84d5bcf11a8fd00805f5c442b")


def _asf(source: Source) -> tuple[bool, bool]:
    """Look for stream properties objects in the header object (which may be nested one deep)."""
    size = int.from_bytes(source.head[16:24], "little")
    header = source.at(0, min(size, 1 << 20))
    places = [match.end() for match in re.finditer(re.escape(_ASF_STREAM), header)]
    types = {header[place + 8 : place + 24] for place in places}
    return _ASF_VIDEO in types, _ASF_AUDIO in types


def _flv(source: Source) -> tuple[bool, bool] | None:
    flags = source.head[4:5]
    return (bool(flags[0] & 1), bool(flags[0] & 4)) if flags else None


def _avi(source: Source) -> tuple[bool, bool]:
    head = source.at(0, 65536)
    types = {head[match.end() + 4 : match.end() + 8] for match in re.finditer(b"strh", head)}
    return bool(types & {b"vids", b"iavs"}), bool(types & {b"auds", b"iavs"})


_TS_VIDEO = frozenset((0x01, 0x02, 0x10, 0x1B, 0x20, 0x21, 0x24, 0x33, 0x42, 0xD1, 0xEA))
_TS_AUDIO = frozenset((0x03, 0x04, 0x0F, 0x11, 0x81, 0x82, 0x84, 0x85, 0x87))
_TS_PRIVATE = frozenset((0x05, 0x06, *range(0x80, 0x100)))
"""Streams of private data, which may be sound (AC-3, Opus, AAC in the Blu-ray form) or subtitles."""


def _transport(source: Source) -> _Tracks | None:
    """Follow the program association table to the first program map (ISO/IEC 13818-1)."""
    data = source.at(0, 1 << 18)
    step, start = (188, 0) if data[:1] == b"G" else (192, 4)
    maps: set[int] = set()
    for at in range(start, len(data) - 187, step):
        packet = data[at : at + 188]
        if packet[0] != 0x47:
            return None
        pid = (packet[1] & 0x1F) << 8 | packet[2]
        if not packet[1] & 0x40 or not (pid == 0 or pid in maps):
            continue
        section = _section(packet)
        if pid == 0:
            maps.update((section[k + 2] & 0x1F) << 8 | section[k + 3] for k in range(8, len(section) - 7, 4))
        else:
            return _program(section)
    return None


def _section(packet: bytes) -> bytes:
    start = 4 + (1 + packet[4] if packet[3] & 0x20 else 0)
    start += 1 + (packet[start] if start < 188 else 0)
    section = packet[start:]
    length = 3 + ((section[1] & 0x0F) << 8 | section[2]) if len(section) > 2 else 0
    return section[:length]


def _program(section: bytes) -> _Tracks | None:
    if len(section) < 16:
        return None
    at = 12 + ((section[10] & 0x0F) << 8 | section[11])
    types = set()
    while at + 5 <= len(section) - 4:
        types.add(section[at])
        at += 5 + ((section[at + 3] & 0x0F) << 8 | section[at + 4])
    return bool(types & _TS_VIDEO), bool(types & _TS_AUDIO) or (None if types & _TS_PRIVATE else False)


def _program_stream(source: Source) -> tuple[bool, bool]:
    data = source.at(0, 1 << 18)
    codes = set(re.findall(rb"\0\0\x01([\xbd\xc0-\xef])", data))
    return any(code >= b"\xe0" for code in codes), any(b"\xbd" <= code < b"\xe0" for code in codes)


def _ivf(source: Source) -> tuple[bool, bool]:
    return (u32(source.head, 4) is not None), False


_READERS: dict[str, Callable[[Source], _Tracks | None]] = {
    "ogg": _ogg, "wmv": _asf, "flv": _flv, "avi": _avi, "mpegts": _transport, "mpeg": _program_stream,
    "ivf": _ivf, "y4m": _ivf, "mpegvideo": _ivf,
}  # fmt: skip

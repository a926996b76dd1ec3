"""WebP (RFC 9649): size, frame table, orientation and profile from the RIFF chunks."""

from __future__ import annotations

from msgspec import Struct, field

from oloproof.media.binary import Source, u32
from oloproof.media.profiles import MAX_PROFILE

_MOST_CHUNKS = 200_000


class WebP(Struct):
    """What the chunks say. ``delays`` in seconds, one a frame; ``end`` is where the RIFF form says it ends."""

    width: int = 0
    height: int = 0
    transparent: bool = False
    animated: bool = False
    lossless: bool = False
    plays: int | None = None
    delays: list[float] = field(default_factory=list)
    exif: bytes | None = None
    profile: bytes | None = None
    end: int = 0
    frames_end: int = 0
    cut: bool = False


def read_webp(source: Source) -> WebP:
    """Read the heads of all chunks, and the content of the small ones that matter."""
    webp = WebP(end=8 + (u32(source.head, 4, "<") or 0))
    webp.cut = webp.end > source.size
    at = 12
    for _ in range(_MOST_CHUNKS):
        head = source.at(at, 8)
        if len(head) < 8 or at >= webp.end:
            break
        length = int.from_bytes(head[4:8], "little")
        whole = at + 8 + length <= source.size
        reader = _READERS.get(head[:4])
        if reader is not None and (whole or head[:4] != b"ANMF"):
            reader(webp, source, at + 8, length)
        if not whole:
            webp.cut = True
            break
        at += 8 + length + (length & 1)
    return webp


def _extended(webp: WebP, source: Source, at: int, length: int) -> None:
    data = source.at(at, 10)
    if len(data) == 10:
        webp.transparent, webp.animated = bool(data[0] & 0x10), bool(data[0] & 2)
        webp.width = 1 + int.from_bytes(data[4:7], "little")
        webp.height = 1 + int.from_bytes(data[7:10], "little")


def _lossy(webp: WebP, source: Source, at: int, length: int) -> None:
    data = source.at(at, 10)
    if not webp.width and data[3:6] == b"\x9d\x01\x2a" and len(data) == 10:
        webp.width = int.from_bytes(data[6:8], "little") & 0x3FFF
        webp.height = int.from_bytes(data[8:10], "little") & 0x3FFF


def _lossless(webp: WebP, source: Source, at: int, length: int) -> None:
    data = source.at(at, 5)
    webp.lossless = True
    if not webp.width and data[:1] == b"\x2f" and len(data) == 5:
        bits = int.from_bytes(data[1:], "little")
        webp.width, webp.height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        webp.transparent = bool(bits >> 28 & 1)


def _frame(webp: WebP, source: Source, at: int, length: int) -> None:
    data = source.at(at + 12, 3)
    webp.delays.append(int.from_bytes(data, "little") / 1000)
    webp.frames_end = at + length + (length & 1)


def _loop(webp: WebP, source: Source, at: int, length: int) -> None:
    webp.plays = int.from_bytes(source.at(at + 4, 2), "little")


def _exif(webp: WebP, source: Source, at: int, length: int) -> None:
    webp.exif = webp.exif or source.at(at, min(length, 1 << 20))


def _profile(webp: WebP, source: Source, at: int, length: int) -> None:
    webp.profile = source.at(at, min(length, MAX_PROFILE))


_READERS = {
    b"VP8X": _extended, b"VP8 ": _lossy, b"VP8L": _lossless, b"ANMF": _frame, b"ANIM": _loop,
    b"EXIF": _exif, b"ICCP": _profile,
}  # fmt: skip

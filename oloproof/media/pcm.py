"""AIFF and AIFF-C, Sun/NeXT audio, and Apple's CAF: length from their headers, checked against the bytes present."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from oloproof.media.binary import Source, u32, unpack

_MOST_CHUNKS = 10_000
_AIFF_PLAIN = {b"NONE", b"twos", b"sowt", b"fl32", b"FL32", b"fl64", b"FL64", b"in24", b"in32", b"raw ", b"ulaw",
               b"alaw", b"ULAW", b"ALAW"}  # fmt: skip
_AU_BYTES = {1: 1, 2: 1, 3: 2, 4: 3, 5: 4, 6: 4, 7: 8, 27: 1}
_CAF_PLAIN = {b"lpcm", b"ulaw", b"alaw"}


class Sound(Struct):
    """Seconds that the bytes hold and that the header promises; ``plain`` when nothing can fail to decode."""

    codec: str = ""
    channels: int = 0
    rate: float = 0.0
    duration: float | None = None
    promised: float | None = None
    cut: bool = False
    unknown_length: bool = False
    plain: bool = False
    damaged: bool = True


def read_sound(source: Source, format: str) -> Sound:  # noqa: A002 - the word of the facts
    """Read a file of format ``aiff``, ``aifc``, ``au`` or ``caf``."""
    return _READERS[format](source)


def _aiff(source: Source) -> Sound:
    """Read the chunks, which may stand in any order."""
    sound = Sound()
    frames = width = 0
    data: tuple[int, int] | None = None
    at = 12
    for _ in range(_MOST_CHUNKS):
        head = unpack(">4sI", source.at(at, 8))
        if head is None:
            break
        name, length = head
        if name == b"COMM":
            frames, width = _common(sound, source.at(at + 8, min(length, 64)))
        elif name == b"SSND":
            offset = u32(source.at(at + 8, 4)) or 0
            data = at + 16 + offset, max(length - 8 - offset, 0)
        at += 8 + length + (length & 1)
    if data is not None:
        _measure(sound, source, *data, width, frames)
    return sound


def _common(sound: Sound, data: bytes) -> tuple[int, int]:
    fields = unpack(">HIHHQ", data)
    if fields is None:
        return 0, 0
    sound.channels, frames, bits, exponent, mantissa = fields
    sound.rate = _extended(exponent, mantissa)
    kind = data[18:22] if len(data) >= 22 else b"NONE"
    sound.codec = "pcm" if kind == b"NONE" else kind.decode("latin-1").strip()
    sound.plain = kind in _AIFF_PLAIN
    sound.promised = frames / sound.rate if sound.rate else None
    return frames, sound.channels * -(-bits // 8)


def _extended(exponent: int, mantissa: int) -> float:
    """Return an 80-bit extended number (only rates are written so)."""
    power = (exponent & 0x7FFF) - 16383 - 63
    return float(mantissa) * 2.0**power if -100 < power < 100 else 0.0


def _measure(sound: Sound, source: Source, start: int, length: int, width: int, frames: int) -> None:
    """Set the duration from the bytes that are there, at most what the header counts."""
    sound.damaged = not (sound.rate and width)
    present = max(min(length or source.size, source.size - start), 0)
    sound.cut = start + length > source.size + 1
    if sound.damaged or not sound.plain:
        sound.duration = None if sound.cut else sound.promised
        return
    held = present // width
    # a writer that could not seek back leaves both counts at zero
    sound.unknown_length = frames == 0 and held > 0
    counted = held if sound.unknown_length else min(frames, held)
    sound.cut = sound.cut or held < frames
    sound.duration = counted / sound.rate


def _au(source: Source) -> Sound:
    fields = unpack(">IIIII", source.head, 4)
    if fields is None:
        return Sound()
    start, length, encoding, rate, channels = fields
    width = _AU_BYTES.get(encoding, 0) * channels
    sound = Sound(f"au_{encoding}", channels, float(rate), plain=width > 0)
    sound.damaged = not rate or start < 24
    if not width or not rate:
        return sound
    rest = max(source.size - start, 0)
    sound.unknown_length = length == 0xFFFFFFFF or (length == 0 and rest > 0)
    sound.promised = None if sound.unknown_length else length // width / rate
    sound.cut = not sound.unknown_length and length > rest
    sound.duration = (rest if sound.unknown_length else min(length, rest)) // width / rate
    return sound


def _caf(source: Source) -> Sound:
    """Read Apple's Core Audio Format: ``desc`` comes first, ``pakt`` counts the frames of packed codecs."""
    sound = Sound()
    packet_bytes = packet_frames = 0
    valid: int | None = None
    data: tuple[int, int] | None = None
    at = 8
    for _ in range(_MOST_CHUNKS):
        head = unpack(">4sq", source.at(at, 12))
        if head is None:
            break
        name, length = head
        body = source.at(at + 12, 32)
        if name == b"desc" and (fields := unpack(">d4sIIIII", body)):
            sound.rate, kind, _, packet_bytes, packet_frames, sound.channels, _ = fields
            sound.rate = sound.rate if 0 < sound.rate < 1e9 else 0.0
            sound.codec, sound.plain = kind.decode("latin-1").strip(), kind in _CAF_PLAIN
        elif name == b"pakt" and (counts := unpack(">qqii", body)):
            valid = counts[1]
        elif name == b"data":
            data = (at + 12, length)
        if length < 0:
            break
        at += 12 + length
    if data is not None and sound.rate:
        _caf_length(sound, source, data, packet_bytes, packet_frames, valid)
    return sound


def _caf_length(sound: Sound, source: Source, data: tuple[int, int], size: int, frames: int, valid: int | None) -> None:
    start, length = data
    rest = max(source.size - start, 0)
    sound.damaged = False
    sound.unknown_length = length < 0
    sound.cut = length > rest
    present = rest if length < 0 else min(length, rest)
    if size and frames:
        # the data begins with a four-byte edit count
        sound.duration = max(present - 4, 0) // size * frames / sound.rate
        sound.promised = None if length < 0 else max(length - 4, 0) // size * frames / sound.rate
    elif valid is not None and valid >= 0:
        sound.promised = valid / sound.rate
        sound.duration = None if sound.cut else sound.promised


_READERS: dict[str, Callable[[Source], Sound]] = {"aiff": _aiff, "aifc": _aiff, "au": _au, "caf": _caf}

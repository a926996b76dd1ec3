"""MPEG audio and ADTS frame headers (ISO/IEC 11172-3, 13818-3, 14496-3), ID3v2 tags, the Xing frame count."""

from __future__ import annotations

import re

from msgspec import Struct

from oloproof.media.binary import Source, u32

_MPEG1_RATES = (44100, 48000, 32000)
_BITRATES = {
    (1, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (1, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (1, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (2, 3): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_ADTS_RATES = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350)
_SYNC = re.compile(rb"\xff[\xe0-\xff]")


class Frame(Struct, frozen=True):
    """One frame header: its codec (``mp1``, ``mp2``, ``mp3``, ``aac``), length in bytes, and samples."""

    codec: str
    length: int
    samples: int
    rate: int
    channels: int


def id3_end(head: bytes) -> int:
    """Return where the stream begins behind an ID3v2 tag at the start of ``head``; 0 without a tag."""
    if len(head) < 10 or not head.startswith(b"ID3") or head[3] not in (2, 3, 4) or max(head[6:10]) > 0x7F:
        return 0
    size = head[6] << 21 | head[7] << 14 | head[8] << 7 | head[9]
    return 10 + size + (10 if head[5] & 0x10 else 0)


def frame_at(data: bytes, at: int) -> Frame | None:
    """Return the frame whose header stands at ``at``, or None when there is no valid one."""
    if at + 7 > len(data) or data[at] != 0xFF or data[at + 1] & 0xE0 != 0xE0:
        return None
    if data[at + 1] & 0xF6 == 0xF0:
        return _adts(data, at)
    return _mpeg(data, at)


def _adts(data: bytes, at: int) -> Frame | None:
    rate = data[at + 2] >> 2 & 0x0F
    length = (data[at + 3] & 3) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
    if rate >= len(_ADTS_RATES) or length < 8:
        return None
    channels = (data[at + 2] & 1) << 2 | data[at + 3] >> 6
    blocks = (data[at + 6] & 3) + 1
    return Frame("aac", length, 1024 * blocks, _ADTS_RATES[rate], channels)


def _mpeg(data: bytes, at: int) -> Frame | None:
    version, layer = data[at + 1] >> 3 & 3, 4 - (data[at + 1] >> 1 & 3)
    rate_index, padding, bitrate_index = data[at + 2] >> 2 & 3, data[at + 2] >> 1 & 1, data[at + 2] >> 4
    if version == 1 or layer == 4 or rate_index == 3 or bitrate_index in (0, 15):
        return None
    family = 1 if version == 3 else 2
    rate = _MPEG1_RATES[rate_index] // {3: 1, 2: 2, 0: 4}[version]
    bits = _BITRATES[(family, layer)][bitrate_index - 1] * 1000
    channels = 1 if data[at + 3] >> 6 == 3 else 2
    if layer == 1:
        return Frame("mp1", (12 * bits // rate + padding) * 4, 384, rate, channels)
    samples = 576 if layer == 3 and family == 2 else 1152
    return Frame(f"mp{layer}", samples // 8 * bits // rate + padding, samples, rate, channels)


class FreeStream(Struct, frozen=True):
    """An MP3 of a bit rate that no table names: how long its frames sound, and whether the last is cut."""

    seconds: float
    rate: int
    channels: int
    cut: bool


def read_free(source: Source) -> FreeStream | None:
    """Count the frames of a free-format MP3, whose headers give no length; None for any other file."""
    at = id3_end(source.head)
    data = source.at(at, _FREE_LOOK)
    length, frame = _free_length(data), _free_frame(data)
    if not length or frame is None:
        return None
    count = 0
    while (head := source.at(at, 4)) and head[:2] == data[:2] and len(head) == 4 and not head[2] >> 4:
        at += length + (head[2] >> 1 & 1)
        count += at <= source.size
    told = _promise_at(data)  # the frame with the header of an encoder is silent
    samples = count * frame.samples if told is None else (count - 1) * frame.samples - _silence(data, told)
    return FreeStream(max(samples, 0) / frame.rate, frame.rate, frame.channels, at > source.size)


_FREE_LOOK = 16384


def _free_frame(data: bytes) -> Frame | None:
    """Return a first frame of layer III that names no bit rate, read as if it named the lowest; None for any other."""
    if len(data) < 7 or data[0] != 0xFF or data[1] & 0xE6 != 0xE2 or data[2] >> 4:
        return None
    return _mpeg(data[:2] + bytes((data[2] | 0x10,)) + data[3:7], 0)


def _free_length(data: bytes) -> int:
    """Return how long a frame without padding is: as far as from the first header to the next like it; 0 without."""
    if _free_frame(data) is None:
        return 0

    def padding_at(place: int) -> int | None:
        """Return the padding that a header like the first one tells; None where none stands."""
        like = data[place : place + 2] == data[:2] and place + 4 < len(data) and not (data[place + 2] ^ data[2]) & 0xFC
        return data[place + 2] >> 1 & 1 if like else None

    at = data.find(data[:2], 24)
    while at > 0:
        length, padding = at - (data[2] >> 1 & 1), padding_at(at)
        if padding is not None and padding_at(at + length + padding) is not None:
            return length
        at = data.find(data[:2], at + 1)
    return 0


def sniff(head: bytes) -> str | None:
    """Return the codec when ``head`` is a stream of frames, perhaps after a little padding or garbage.

    At the very start two headers in a row are asked for (one, when the file ends before the second);
    further in, four, so that other data is not taken for sound.
    """
    first = frame_at(head, 0)
    if first is not None and _run(head, 0) >= min(2, 1 + (len(head) >= first.length + 7)):
        return first.codec
    for match in _SYNC.finditer(head[:2048]):
        found = frame_at(head, match.start())
        if found is not None and _run(head, match.start()) >= 4:
            return found.codec
    return "mp3" if _free_length(head) else None


def first_run(data: bytes) -> int | None:
    """Return where in ``data`` the first four like frames in a row begin, None when there are none."""
    for match in _SYNC.finditer(data):
        if frame_at(data, match.start()) is not None and _run(data, match.start()) >= 4:
            return match.start()
    return None


def _run(data: bytes, at: int, most: int = 4) -> int:
    """Return how many like frames follow one another from ``at``, up to ``most``."""
    count, codec, rate = 0, "", 0
    while count < most and (frame := frame_at(data, at)) is not None:
        if count and (frame.codec, frame.rate) != (codec, rate):
            break
        codec, rate, count, at = frame.codec, frame.rate, count + 1, at + frame.length
    return count


def promised_duration(source: Source) -> float | None:
    """Return the seconds that the Xing, Info or VBRI header of an MP3 promises, None without one.

    The silence that the encoder put before and behind the sound is left out where the header tells it, as players do.
    """
    data = source.at(id3_end(source.head), 4096)
    frame = frame_at(data, 0)
    at = _promise_at(data) if frame is not None else None
    if frame is None or at is None:
        return None
    vbri = data.startswith(b"VBRI", at)
    frames = u32(data, at + (14 if vbri else 8)) if vbri or (u32(data, at + 4) or 0) & 1 else None
    silent = 0 if vbri else _silence(data, at)
    return max(frames * frame.samples - silent, 0) / frame.rate if frames else None


def promised_end(source: Source) -> int | None:
    """Return where the sound ends by the Xing header of an encoder that is known to count its bytes so."""
    start = id3_end(source.head)
    data = source.at(start, 4096)
    at = _promise_at(data) if frame_at(data, 0) is not None else None
    if at is None or not (u32(data, at + 4) or 0) & 2 or _extension_at(data, at) is None:
        return None
    count = u32(data, at + 8 + 4 * ((u32(data, at + 4) or 0) & 1))
    return None if count is None else start + count


def _promise_at(data: bytes) -> int | None:
    """Return where the header that promises a length stands in the first frame."""
    places = (data.find(tag, 4, 200) for tag in (b"Xing", b"Info", b"VBRI"))
    return next((place for place in places if place > 0), None)


def _extension_at(data: bytes, at: int) -> int | None:
    """Return where the LAME extension of a Xing header at ``at`` begins, None without one."""
    flags = u32(data, at + 4) or 0
    place = at + 8 + 4 * (flags & 1) + 4 * (flags >> 1 & 1) + 100 * (flags >> 2 & 1) + 4 * (flags >> 3 & 1)
    return place if data[place : place + 4] in (b"LAME", b"Lavc", b"Lavf", b"L3.9") else None


def _silence(data: bytes, at: int) -> int:
    """Return the samples of silence that the LAME extension tells: delay and padding."""
    place = _extension_at(data, at)
    if place is None:
        return 0
    packed = int.from_bytes(data[place + 21 : place + 24])
    return (packed >> 12) + (packed & 0xFFF)

"""Sound on its way to a model: whether it can hold speech, and the bytes that a service is sent.

The recorded bytes are sent where a service takes them as they are; else one channel at 16 kHz, as FLAC, as Opus where
that is too large, or in pieces cut at quiet places. Of a video only the sound is ever sent.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from oloproof.errors import MediaUnreadable
from oloproof.media import riff
from oloproof.media.binary import Source
from oloproof.media.facts import facts_of
from oloproof.media.ffmpeg import Ended
from oloproof.media.reading import open_regular
from oloproof.media.silence import RATE, SPEECH_FLOOR_DBFS, decibels, measure_levels, quiet_cuts
from oloproof.media.sound_encoding import Original, encode, encode_part, readable, seconds_of_flac

SOUND_VERSION = 1
"""Version of the gate and of the encodings; part of the identity of a judge that hears."""

_TEMPORARY_BYTES = 1 << 30
"""The most that one sound may take as a temporary FLAC: about nine hours of noise, a day or more of speech."""

_SENT_AS = {
    "wav": ("audio/wav", "audio.wav"), "mp3": ("audio/mpeg", "audio.mp3"), "m4a": ("audio/mp4", "audio.m4a"),
    "mp4": ("audio/mp4", "audio.m4a"), "flac": ("audio/flac", "audio.flac"), "ogg": ("audio/ogg", "audio.ogg"),
    "webm": ("audio/webm", "audio.webm"),
}  # fmt: skip
"""Formats that transcription services take, with the media type and file name that are sent with them."""

_FAULTS = ("header_length_wrong", "truncated", "trailing_data", "damaged")
_SPARE = 0.92
"""Share of a limit that pieces are planned to fill, so that cuts may move to quiet places."""

_LOWEST_RATE, _HIGHEST_RATE = 16_000, 24_000


class Loudness(Struct, frozen=True):
    """Whether a file can hold speech, and why not. ``seconds`` is what decodes; levels are None in silence.

    ``peak_dbfs`` is the highest sample of any channel at 16 kHz, ``rms_dbfs`` the level of the whole, both in dB
    under full scale (above 0 where a float recording exceeds it). ``damage`` is ffmpeg's first complaint when a part
    did not decode.
    """

    has_audio: bool
    seconds: float
    peak_dbfs: float | None
    rms_dbfs: float | None
    speech_possible: bool
    reason: str
    damage: str | None = None


@dataclass(frozen=True, slots=True)
class SoundPiece:
    """Sound as it is sent. ``start`` and ``seconds`` place it in the whole; no ``steps``: the recorded bytes."""

    data: bytes = field(repr=False)
    media_type: str
    file_name: str
    start: float
    seconds: float
    steps: tuple[str, ...] = ()


def loudness(
    path: Path,
    format: str,  # noqa: A002 - the word of the facts
    *,
    check: Callable[[], None],
    timeout: float,
) -> Loudness:
    """Decode a file's first sound stream and return how loud it is and whether it can hold speech.

    ``format`` is the sniffed one; ``check`` is called before and after ffmpeg reads ``path`` and raises when it no
    longer leads to the recorded file; ``timeout`` is in seconds. A file without a sound stream is no error.

    Raises:
        MediaUnreadable: with code ``damaged`` (nothing decodes), ``no_decoder`` or ``media_too_slow``.
        ToolMissing: ffmpeg is not installed.
    """
    original = Original(path, format, check, timeout)
    demuxer = original.demuxer
    check()
    try:
        levels, ended = measure_levels(path, demuxer, timeout=timeout)
    finally:
        check()
    if not levels.samples:
        if original.sound_rate() is None:
            return Loudness(False, 0.0, None, None, False, "there is no sound stream")
        if ended.errors:
            raise original.damaged(ended.errors)
    possible, reason = _speech(levels.loudest, levels.seconds)
    return Loudness(
        True, round(levels.seconds, 3), decibels(levels.peak), levels.mean, possible, reason,
        readable(ended.errors[0]) if ended.errors else None,
    )  # fmt: skip


def _speech(loudest: float | None, seconds: float) -> tuple[bool, str]:
    if not seconds:
        return False, "the sound stream is empty"
    if loudest is None:
        return False, f"{seconds:.1f} s of digital silence"
    told = f"the loudest 100 ms lie at {loudest:.1f} dBFS"
    if loudest < SPEECH_FLOOR_DBFS:
        return False, f"{told}, under the floor of {SPEECH_FLOOR_DBFS:.0f} dBFS for speech"
    return True, told


def pieces_for_transcription(
    path: Path,
    format: str,  # noqa: A002
    size: int,
    *,
    max_bytes: int = 24_000_000,
    max_seconds: float | None = None,
    check: Callable[[], None],
    timeout: float,
) -> list[SoundPiece]:
    """Return what is sent to a transcription service, in order: one piece, or several of at most both limits.

    Raises:
        MediaUnreadable: with code ``no_audio``, ``damaged``, ``no_decoder``, ``media_too_slow`` or ``over_limit``.
        ToolMissing: ffmpeg is not installed and needed.
    """
    original = Original(path, format, check, timeout)
    if size <= max_bytes and format in _SENT_AS:
        whole = _as_recorded(original, max_bytes)
        if whole is not None and (max_seconds is None or whole.seconds <= max_seconds):
            return [whole]
    with tempfile.TemporaryDirectory(prefix="oloproof-sound-") as folder:
        return _Making(original, Path(folder), max_bytes, max_seconds).pieces()


def native_audio(
    path: Path,
    format: str,  # noqa: A002
    *,
    max_bytes: int,
    check: Callable[[], None],
    timeout: float,
) -> SoundPiece:
    """Return the sound as WAV or MP3 for a model that hears: as recorded, or 16-bit mono of 16 to 24 kHz.

    Raises:
        MediaUnreadable: as :func:`pieces_for_transcription`.
        ToolMissing: ffmpeg is not installed and needed.
    """
    original = Original(path, format, check, timeout)
    if format in ("wav", "mp3"):
        whole = _as_recorded(original, max_bytes, sixteen_bit=True)
        if whole is not None:
            return whole
    rate = min(max(original.sound_rate() or _LOWEST_RATE, _LOWEST_RATE), _HIGHEST_RATE)
    with tempfile.TemporaryDirectory(prefix="oloproof-sound-") as folder:
        for tried in dict.fromkeys((rate, _LOWEST_RATE)):
            piece = _as_wave(original, Path(folder) / "audio.wav", tried, max_bytes)
            if piece is not None:
                return piece
    raise MediaUnreadable(
        f"the sound takes more than the {max_bytes} bytes that may be sent, even as 16-bit mono at {_LOWEST_RATE} Hz; "
        "use a transcriber, or raise the limit",
        path=path,
        code="over_limit",
    )


def _as_wave(original: Original, to: Path, rate: int, max_bytes: int) -> SoundPiece | None:
    """Return a 16-bit mono WAV, None when it has more than ``max_bytes``."""
    ended = encode(original, to, "wav", rate=rate, most_bytes=max_bytes + 1)
    data = to.read_bytes() if to.exists() else b""
    if len(data) <= 44:
        raise original.nothing_came(ended)
    if len(data) > max_bytes:
        return None
    steps = (f"to mono {rate} Hz 16-bit WAV",)
    return _noted(SoundPiece(data, *_SENT_AS["wav"], 0.0, round((len(data) - 44) / 2 / rate, 3), steps), ended)


def _noted(piece: SoundPiece, ended: Ended) -> SoundPiece:
    """Return the piece with a step that says when ffmpeg complained while it read the recorded sound."""
    if not ended.error_count:
        return piece
    return replace(piece, steps=(*piece.steps, "part of the sound does not decode"))


def _as_recorded(original: Original, max_bytes: int, *, sixteen_bit: bool = False) -> SoundPiece | None:
    """Return the recorded bytes as one piece, None when they are no plain, whole sound file within the limit."""
    with open_regular(original.path) as file:
        original.check()
        source = Source(file)
        if source.size > max_bytes:
            return None
        facts = facts_of(file, path=original.path, depth="probed", check=original.check)
        faulty = any(finding.code in _FAULTS for finding in facts.findings)
        if facts.kind != "audio" or faulty or not facts.duration:
            return None
        if original.format == "wav" and not _is_plain_wave(source, sixteen_bit=sixteen_bit):
            return None
        data = b"".join(source.blocks(0))
        original.check()
    return SoundPiece(data, *_SENT_AS[original.format], 0.0, round(facts.duration, 3))


def _is_plain_wave(source: Source, *, sixteen_bit: bool) -> bool:
    """Return whether every reader takes the header: whole-number samples, and not the extensible form."""
    found = riff.read_wav(source)
    extensible = riff.EXTENSIBLE.to_bytes(2, "little") == _format_tag(source)
    return found.codec == "pcm" and not extensible and found.bits in ((16,) if sixteen_bit else (8, 16, 24, 32))


def _format_tag(source: Source) -> bytes:
    at = source.head.find(b"fmt ")
    return source.at(at + 8, 2)


class _Making(Struct, frozen=True):
    """One file being encoded within ``folder``, for pieces of at most ``max_bytes`` and ``max_seconds``."""

    original: Original
    folder: Path
    max_bytes: int
    max_seconds: float | None

    def pieces(self) -> list[SoundPiece]:
        sound = self.folder / "whole.flac"
        ended = encode(self.original, sound, "flac", rate=RATE, most_bytes=_TEMPORARY_BYTES)
        seconds = seconds_of_flac(sound)
        if not seconds:
            raise self.original.nothing_came(ended)
        return [_noted(piece, ended) for piece in self._fitting(sound, seconds)]

    def _fitting(self, sound: Path, seconds: float) -> list[SoundPiece]:
        if sound.stat().st_size >= _TEMPORARY_BYTES:
            raise self._over("the sound is longer than can be handled")
        short = self.max_seconds is None or seconds <= self.max_seconds
        if short and sound.stat().st_size <= self.max_bytes:
            return [_piece(sound.read_bytes(), "flac", 0.0, seconds)]
        form, size = self._form(sound)
        if short and form == "ogg" and size <= self.max_bytes:
            return [_piece((self.folder / "whole.ogg").read_bytes(), "ogg", 0.0, seconds)]
        return self._split(sound, seconds, form, size)

    def _form(self, sound: Path) -> tuple[str, int]:
        """Return the form of the pieces, and how many bytes the whole takes in it."""
        size = sound.stat().st_size
        if size <= self.max_bytes:
            return "flac", size
        smaller = self.folder / "whole.ogg"
        encode_part(sound, smaller, "ogg", most_bytes=_TEMPORARY_BYTES, timeout=self.original.timeout)
        if smaller.exists() and smaller.stat().st_size:
            return "ogg", smaller.stat().st_size
        return "flac", size  # this ffmpeg has no Opus

    def _split(self, sound: Path, seconds: float, form: str, size: int) -> list[SoundPiece]:
        levels, _ = measure_levels(sound, "flac", timeout=self.original.timeout)
        longest = math.inf if self.max_seconds is None else self.max_seconds
        count = max(2, math.ceil(size / self.max_bytes / _SPARE), math.ceil(seconds / longest / _SPARE))
        for _ in range(4):
            if seconds / count < 1.0:
                break
            cuts = quiet_cuts(levels.windows, seconds, count, longest)
            pieces = self._cut(sound, [0.0, *cuts, seconds], form)
            if pieces is not None:
                return pieces
            count = math.ceil(count * 1.3)
        raise self._over(f"the sound of {seconds:.0f} s cannot be cut into pieces of a second or more that fit")

    def _cut(self, sound: Path, times: list[float], form: str) -> list[SoundPiece] | None:
        """Return the pieces between the times, None when one of them has too many bytes."""
        pieces = []
        for start, end in pairwise(times):
            to = self.folder / f"piece.{form}"
            part = start, end - start
            encode_part(sound, to, form, most_bytes=self.max_bytes + 1, timeout=self.original.timeout, part=part)
            data = to.read_bytes()
            if len(data) > self.max_bytes:
                return None
            pieces.append(_piece(data, form, start, end - start, f"cut from {start:.1f} to {end:.1f} s"))
        return pieces

    def _over(self, what: str) -> MediaUnreadable:
        return MediaUnreadable(
            f"{what} (at most {self.max_bytes} bytes a piece); raise the limit or shorten the file",
            path=self.original.path,
            code="over_limit",
        )


_FORM_WORDS = {"flac": "to mono 16000 Hz FLAC", "ogg": "to mono 16000 Hz Opus"}


def _piece(data: bytes, form: str, start: float, seconds: float, *steps: str) -> SoundPiece:
    return SoundPiece(data, *_SENT_AS[form], start, round(seconds, 3), (_FORM_WORDS[form], *steps))

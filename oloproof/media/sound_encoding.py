"""Encoding sound for a model: always ffmpeg, always into a temporary folder of our own, always bounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from oloproof.errors import MediaUnreadable
from oloproof.media.binary import Source
from oloproof.media.ffmpeg import Ended, input_arguments, run_tool
from oloproof.media.formats import FORMATS, describe
from oloproof.media.probing import probe

_EXACT = ["-map_metadata", "-1", "-map_chapters", "-1", "-fflags", "+bitexact", "-flags:a", "+bitexact"]
_CODECS = {
    "flac": ["-c:a", "flac", "-sample_fmt", "s16", "-f", "flac"],
    "ogg": ["-c:a", "libopus", "-b:a", "32k", "-vbr", "constrained", "-application", "voip", "-f", "ogg"],
    "wav": ["-c:a", "pcm_s16le", "-f", "wav"],
}


class Original(Struct, frozen=True):
    """A sound file as recorded. ``format`` is the sniffed one; ``check`` raises when the path leads elsewhere.

    ``timeout`` is in seconds for each use of ffmpeg.
    """

    path: Path
    format: str
    check: Callable[[], None]
    timeout: float

    @property
    def demuxer(self) -> str:
        """Ffmpeg's name of the format; raises ``MediaUnreadable`` with code ``no_decoder`` when it has none."""
        demuxer = FORMATS[self.format].demuxer if self.format in FORMATS else None
        if demuxer is None:
            raise MediaUnreadable(f"{describe(self.format)} holds no sound that ffmpeg reads", code="no_decoder")
        return demuxer

    def sound_rate(self) -> int | None:
        """Return the sample rate (Hz) of the first sound stream, None when there is no such stream.

        Raises ``ToolMissing``, ``MediaUnreadable`` with code ``damaged`` (no stream of any kind can be found) or
        ``media_too_slow``, and what ``check`` raises.
        """
        demuxer = self.demuxer
        self.check()
        try:
            found = probe(self.path, demuxer, packets=False, decode=False, timeout=self.timeout, max_pixels=1)
        finally:
            self.check()
        if not found.streams:
            raise self.damaged(found.error_lines)
        sounds = found.of("audio")
        return sounds[0].rate if sounds else None

    def damaged(self, errors: Sequence[str]) -> MediaUnreadable:
        """Return the error for a file whose sound does not decode."""
        why = f": {readable(errors[0])}" if errors else ""
        text = f"{describe(self.format)} whose sound cannot be decoded{why}"
        return MediaUnreadable(text, path=self.path, code="damaged")

    def nothing_came(self, ended: Ended) -> MediaUnreadable:
        """Return the error for a file of which no sound came out: code ``no_audio`` or ``damaged``."""
        if self.sound_rate() is not None:
            return self.damaged(ended.errors)
        return MediaUnreadable(f"{describe(self.format)} without a sound stream", path=self.path, code="no_audio")


def readable(line: str) -> str:
    """Return an error line of ffmpeg without memory addresses and paths."""
    text = line.rpartition("] ")[2] if line.startswith("[") else line
    return "ffmpeg cannot open it" if text.startswith("file:") else text[:200]


def encode(original: Original, to: Path, form: str, *, rate: int, most_bytes: int) -> Ended:
    """Write the first sound stream, mixed to one channel at ``rate`` Hz, to ``to``; stops past ``most_bytes``.

    Raises ``ToolMissing``, ``MediaUnreadable`` with code ``media_too_slow``, and what ``check`` raises.
    """
    demuxer = original.demuxer
    original.check()
    try:
        return _run(original.path, demuxer, to, form, rate, most_bytes, original.timeout)
    finally:
        original.check()


def encode_part(
    sound: Path, to: Path, form: str, *, most_bytes: int, timeout: float, part: tuple[float, float] | None = None
) -> None:
    """Encode a FLAC of our own anew, or the part of it that begins at and lasts ``part`` seconds."""
    cut = [] if part is None else ["-ss", f"{part[0]:.3f}", "-t", f"{part[1]:.3f}"]
    _run(sound, "flac", to, form, 16_000, most_bytes, timeout, cut)


def _run(
    path: Path, demuxer: str, to: Path, form: str, rate: int, most_bytes: int, timeout: float, cut: Sequence[str] = ()
) -> Ended:
    arguments = ["ffmpeg", "-nostdin", "-v", "error", "-hide_banner", *cut, *input_arguments(path, demuxer)]
    arguments += ["-map", "0:a:0", "-ac", "1", "-ar", str(rate), *_EXACT, *_CODECS[form]]
    arguments += ["-fs", str(most_bytes), "-y", f"file:{to}"]
    try:
        return run_tool(arguments, timeout=timeout, on_line=lambda line: None)
    except MediaUnreadable as error:
        error.path = str(path)  # not that of a temporary file
        raise


def seconds_of_flac(path: Path) -> float:
    """Return the length that STREAMINFO (RFC 9639) gives for a FLAC of our own; 0 when there is none."""
    try:
        with path.open("rb") as file:
            packed = int.from_bytes(Source(file).at(18, 8))
    except FileNotFoundError:
        return 0.0
    rate, samples = packed >> 44, packed & ((1 << 36) - 1)
    return samples / rate if rate else 0.0

"""A sound or a video on its way to being delivered in other forms: where it lies, and what its streams are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from oloproof.errors import MediaUnreadable
from oloproof.media.ffmpeg import input_arguments, run_tool
from oloproof.media.ffprobe_lines import read_line
from oloproof.media.formats import FORMATS, describe
from oloproof.media.sound_encoding import readable

_ENTRIES = (
    "stream=codec_type,codec_name,sample_fmt,bits_per_raw_sample,sample_rate,channels:stream_disposition=attached_pic"
)
_EXACT_CODECS = ("pcm_", "flac", "alac", "wavpack", "tta", "ape")
_BITS = {"u8": 8, "u8p": 8, "s16": 16, "s16p": 16, "s32": 32, "s32p": 32, "flt": 0, "fltp": 0, "dbl": 0, "dblp": 0}


@dataclass(frozen=True)
class Clip:
    """A sound or a video in a file. ``format`` is the sniffed one; ``check`` raises when the path leads elsewhere.

    ``timeout`` is in seconds for each use of ffmpeg.
    """

    path: Path
    kind: Literal["audio", "video"]
    format: str
    check: Callable[[], None] = field(repr=False)
    timeout: float

    @property
    def demuxer(self) -> str:
        """Ffmpeg's name of the format; raises ``MediaUnreadable`` with code ``no_decoder`` when it has none."""
        demuxer = FORMATS[self.format].demuxer if self.format in FORMATS else None
        if demuxer is None:
            raise MediaUnreadable(f"{describe(self.format)} is nothing that ffmpeg reads", code="no_decoder")
        return demuxer

    @property
    def input_arguments(self) -> list[str]:
        """The arguments of ffmpeg that name this file as its input."""
        return input_arguments(self.path, self.demuxer)

    @cached_property
    def streams(self) -> dict[str, dict[str, str]]:
        """What ffprobe tells of the first sound and the first moving pictures, by ``audio`` and ``video``.

        Raises ``ToolMissing``, and ``MediaUnreadable`` with code ``damaged`` where there is no stream at all.
        """
        found: dict[str, dict[str, str]] = {}

        def line(text: str) -> None:
            _, values = read_line(text)
            if values.get("disposition:attached_pic") != "1":
                found.setdefault(values.get("codec_type", ""), values)

        self.check()
        try:
            command = ["ffprobe", "-v", "error", "-hide_banner", "-of", "compact", "-show_entries", _ENTRIES]
            ended = run_tool([*command, *self.input_arguments], timeout=self.timeout, on_line=line)
        finally:
            self.check()
        if not found:
            why = f": {readable(ended.errors[0])}" if ended.errors else ""
            raise MediaUnreadable(
                f"{describe(self.format)} that cannot be decoded{why}", path=self.path, code="damaged"
            )
        return found

    def require(self, kind: Literal["audio", "video"]) -> None:
        """Raise ``MediaUnreadable`` with code ``no_audio`` or ``no_pictures`` unless there is such a stream."""
        if kind not in self.streams:
            what, code = ("sound", "no_audio") if kind == "audio" else ("pictures", "no_pictures")
            raise MediaUnreadable(f"{describe(self.format)} without {what}", path=self.path, code=code)

    @property
    def sound_codec(self) -> str:
        """The codec of the sound, empty where there is none."""
        return self.streams.get("audio", {}).get("codec_name", "")

    @property
    def sound_rate(self) -> int:
        """Samples a second."""
        return _whole(self.streams["audio"].get("sample_rate"))

    @property
    def sound_channels(self) -> int:
        """Channels of the sound."""
        return max(_whole(self.streams["audio"].get("channels")), 1)

    @property
    def sound_bits(self) -> int:
        """Bits of a sample that keep all of it; 0 for floating point, 16 for sound that was coded with losses."""
        sound = self.streams.get("audio", {})
        if not sound.get("codec_name", "").startswith(_EXACT_CODECS):
            return 16
        bits = _BITS.get(sound.get("sample_fmt", ""), 16)
        raw = _whole(sound.get("bits_per_raw_sample"))
        return 24 if bits == 32 and 16 < raw <= 24 else bits


def _whole(text: str | None) -> int:
    return int(text) if text and text.isdigit() else 0

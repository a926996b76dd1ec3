"""Spoken digits, made by the voice that many builds of ffmpeg carry (libflite)."""

from __future__ import annotations

import tempfile
from pathlib import Path

from oloproof.errors import MediaUnreadable, ToolMissing
from oloproof.media.ffmpeg import run_tool
from oloproof.media.probes import wave_of

_SECONDS = 30.0


def spoken_digits(digits: str) -> bytes | None:
    """Return a WAV in which ``digits`` are spoken one by one, without any metadata.

    None where ffmpeg is not installed or has no voice. Raises ``ValueError`` for anything but digits.
    """
    if not (digits.isascii() and digits.isdecimal()):
        raise ValueError(f"only digits can be spoken here, not {digits!r}")
    source = f"flite=text='{'. '.join(digits)}.':voice=slt"
    with tempfile.TemporaryDirectory(prefix="oloproof-voice-") as folder:
        target = Path(folder) / "voice.raw"
        arguments = ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", source]
        arguments += ["-ac", "1", "-ar", "16000", "-f", "s16le", f"file:{target}"]
        try:
            run_tool(arguments, timeout=_SECONDS, on_line=lambda _: None)
        except (ToolMissing, MediaUnreadable):
            return None
        pcm = target.read_bytes() if target.is_file() else b""
    return wave_of(pcm) if pcm else None

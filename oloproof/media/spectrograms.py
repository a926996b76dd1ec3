"""A picture of a sound: how loud each frequency is at each moment, decoded by ffmpeg, computed by numpy.

Ffmpeg's own ``showspectrumpic`` is not used: it holds the whole sound in memory, shows less than a second as black, and
how bright a tone comes out depends on how long the sound is. Here brightness has one meaning: dB below full scale.
"""

from __future__ import annotations

import math
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from oloproof.media.ffmpeg import Ended, input_arguments, run_tool
from oloproof.media.sound_encoding import Original

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

SPECTROGRAM_VERSION = 1
"""Raised when the same sound would give another picture."""

TOPS = 4_000, 8_000, 16_000, 24_000
"""The highest frequencies (Hz) up to which a sound can be drawn; 0 is always the lowest."""

MOST_SECONDS = 600
"""Only so much of a longer sound is drawn, from its beginning."""

COLUMNS = 1_200
QUIETEST = -90.0
"""What is drawn black, in dB below a tone at full scale, which is drawn brightest."""

_WINDOW_SECONDS = 0.03
_BLOCK = 1_024
"""How many windows are looked at together."""

_COLOURS = (
    (0, 0, 4), (40, 11, 84), (101, 21, 110), (159, 42, 99), (212, 72, 66), (245, 125, 21), (250, 193, 39),
    (252, 255, 164),
)  # fmt: skip
"""Black to pale yellow, each lighter than the one before, so that it is read without hues too."""


def spectrogram_of(
    path: Path,
    format: str,  # noqa: A002 - the word of the facts
    top: int,
    *,
    check: Callable[[], None],
    timeout: float,
) -> bytes:
    """Return a PNG of the first sound stream: time runs to the right, 0 Hz is at the bottom and ``top`` above.

    ``format`` is the sniffed one, ``top`` one of :data:`TOPS`. At most :data:`MOST_SECONDS` are drawn. The louder of
    the channels is drawn where they differ; a column shows the loudest moment that falls into it, so that no click is
    lost. A frequency above half of the sound's own sample rate is black. ``check`` is called before and after ffmpeg
    reads ``path`` and raises when it leads elsewhere; ``timeout`` is in seconds.

    Raises:
        MediaUnreadable: with code ``no_audio``, ``damaged``, ``no_decoder`` or ``media_too_slow``.
        ToolMissing: ffmpeg or Pillow is not installed.
    """
    original = Original(path, format, check, timeout)
    with TemporaryDirectory(prefix="oloproof-sound-") as folder:
        decoded = Path(folder) / "sound.wav"
        ended = _decode(original, decoded, 2 * top)
        samples = _samples(decoded)
    if samples is None:
        raise original.nothing_came(ended)
    return _drawn(_levels(samples, 2 * top))


def _decode(original: Original, to: Path, rate: int) -> Ended:
    """Write the first sound stream as 16-bit samples at ``rate`` Hz, of more than two channels a mix of two."""
    filters = f"aresample={rate},aformat=sample_fmts=s16:channel_layouts=mono|stereo"
    arguments = ["ffmpeg", "-nostdin", "-v", "error", "-hide_banner", "-t", str(MOST_SECONDS)]
    arguments += [*input_arguments(original.path, original.demuxer), "-map", "0:a:0", "-af", filters]
    arguments += ["-map_metadata", "-1", "-c:a", "pcm_s16le", "-f", "wav", "-y", f"file:{to}"]
    original.check()
    try:
        return run_tool(arguments, timeout=original.timeout, on_line=lambda line: None)
    finally:
        original.check()


def _samples(path: Path) -> NDArray[np.int16] | None:
    """Return the samples of a WAV of our own, a column a channel; None where there is not one."""
    import numpy as np

    try:
        with wave.open(str(path), "rb") as file:
            channels, data = file.getnchannels(), file.readframes(file.getnframes())
    except (OSError, EOFError, wave.Error):
        return None
    return np.frombuffer(data, "<i2").reshape(-1, channels) if data else None


def _levels(samples: NDArray[np.int16], rate: int) -> Floats:
    """Return the level (dB, 0 is a tone at full scale) of each frequency, lowest first, in each column."""
    import numpy as np

    size = 2 ** math.ceil(math.log2(_WINDOW_SECONDS * rate))
    columns = min(COLUMNS, len(samples))
    looks = math.ceil(len(samples) / columns / (size // 2))  # of each column, so that no sample is overlooked
    centres = ((np.arange(columns * looks) + 0.5) * len(samples) / (columns * looks)).astype(np.int64)
    window = (np.hanning(size + 1)[:-1] / (size / 4) / 32768.0).astype(np.float32)  # a tone at full scale gives 1
    heights = np.empty((size // 2, columns), np.float32)
    step = max(1, _BLOCK // looks)
    for first in range(0, columns, step):
        at = centres[first * looks : (first + step) * looks]
        found = np.abs(np.fft.rfft(_around(samples, at, size) * window, axis=2)).max(axis=1)[:, : size // 2]
        heights[:, first : first + step] = found.reshape(-1, looks, size // 2).max(axis=1).T
    decibels: Floats = np.float32(20.0) * np.log10(np.maximum(heights, np.float32(1e-9)))
    return decibels


def _around(samples: NDArray[np.int16], centres: NDArray[np.int64], size: int) -> Floats:
    """Return ``size`` samples around ascending ``centres``: (moment, channel, sample); silence past the ends."""
    import numpy as np

    low, high = int(centres[0]) - size // 2, int(centres[-1]) + size // 2
    part = samples[max(low, 0) : high].astype(np.float32)
    padded = np.pad(part, ((max(-low, 0), max(high - len(samples), 0)), (0, 0)))
    windows: Floats = np.lib.stride_tricks.sliding_window_view(padded, size, axis=0)[centres - centres[0]]
    return windows


def _drawn(levels: Floats) -> bytes:
    import numpy as np

    from oloproof.media.images import picture_of_levels

    shares = np.clip(1.0 - levels / QUIETEST, 0.0, 1.0)
    return picture_of_levels(np.flipud(np.rint(shares * 255).astype(np.uint8)), list(_palette()))


def _palette() -> Iterator[int]:
    """Yield red, green and blue of 256 colours, evenly between those of :data:`_COLOURS`."""
    last = len(_COLOURS) - 1
    for level in range(256):
        place = level / 255 * last
        before = min(int(place), last - 1)
        share = place - before
        for low, high in zip(_COLOURS[before], _COLOURS[before + 1], strict=True):
            yield round(low + (high - low) * share)

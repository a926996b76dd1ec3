"""How loud a sound is, window by window: the gate before a transcription, and the quiet places to cut at.

A transcriber that is given silence or noise invents words, so that what cannot hold speech is never sent. The sound
is resampled to 16 kHz, its channels left apart, and measured by ffmpeg's ``astats`` in windows of 100 ms: the level
of a window is the root mean square of its loudest channel after a constant offset is taken out. One loud window is
enough, so that a single word in an hour of silence passes.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, field

from oloproof.media.ffmpeg import Ended, input_arguments, run_tool

RATE = 16_000
WINDOW = 0.1
"""Seconds of one window."""

SPEECH_FLOOR_DBFS = -65.0
"""Level that one window must reach for speech to be possible, in dB under a full-scale square wave.

Low on purpose: quiet speech lies at -50 and above, and taking it for silence would be the worse mistake; the noise of
an empty 12-bit recording lies near -73.
"""

_SILENT = 1e-12
_FILTERS = (
    f"aresample={RATE},aformat=sample_fmts=flt,asetnsamples=n={int(RATE * WINDOW)}:p=0,"
    "astats=metadata=1:reset=1:measure_perchannel=DC_offset+Peak_level+RMS_level:"
    "measure_overall=Number_of_samples,ametadata=mode=print:file=-"
)
_KEY = "lavfi.astats."


class Levels(Struct):
    """What one pass over a sound gave. ``windows`` holds the power of each window (0 silence, 1 full scale)."""

    windows: array[float] = field(default_factory=lambda: array("f"))
    samples: int = 0
    energy: float = 0.0
    peak: float = 0.0

    @property
    def seconds(self) -> float:
        """Length of the decoded sound."""
        return self.samples / RATE

    @property
    def loudest(self) -> float | None:
        """Level of the loudest window in dBFS; None for digital silence."""
        return decibels(max(self.windows, default=0.0) ** 0.5)

    @property
    def mean(self) -> float | None:
        """Level of the whole in dBFS; None for digital silence."""
        return decibels((self.energy / self.samples) ** 0.5 if self.samples else 0.0)


def decibels(amplitude: float) -> float | None:
    """Return an amplitude (1 is full scale) in dBFS to one hundredth; None for silence, never an infinity."""
    return round(20 * math.log10(amplitude), 2) if amplitude > _SILENT else None


def measure_levels(path: Path, demuxer: str, *, timeout: float) -> tuple[Levels, Ended]:
    """Decode the first sound stream of a file and return its levels, and how ffmpeg ended.

    Raises ``ToolMissing``, or ``MediaUnreadable`` with code ``media_too_slow``.
    """
    reader = _Reader()
    arguments = ["ffmpeg", "-nostdin", "-v", "error", "-hide_banner", *input_arguments(path, demuxer)]
    arguments += ["-map", "0:a:0", "-af", _FILTERS, "-f", "null", "-"]
    ended = run_tool(arguments, timeout=timeout, on_line=reader.line)
    return reader.levels, ended


class _Reader:
    """Takes ``lavfi.astats.1.RMS_level=-20.1``: three lines a channel, then how many samples the window has."""

    def __init__(self) -> None:
        self.levels = Levels()
        self.offset = self.power = 0.0

    def line(self, text: str) -> None:
        name, _, value = text.removeprefix(_KEY).rpartition("=")
        kind = name.rpartition(".")[2]
        number = _finite(value)
        if kind == "DC_offset":
            self.offset = number or 0.0
        elif kind == "Peak_level":
            self.levels.peak = max(self.levels.peak, _amplitude(number))
        elif kind == "RMS_level":
            # the offset is part of this level and says nothing to an ear
            self.power = max(self.power, _amplitude(number) ** 2 - self.offset**2)
        elif kind == "Number_of_samples":
            self._end_window(int(number or 0))

    def _end_window(self, samples: int) -> None:
        self.levels.windows.append(self.power)
        self.levels.samples += samples
        self.levels.energy += self.power * samples
        self.power = 0.0


def _finite(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _amplitude(level: float | None) -> float:
    """Return the amplitude of a level in dBFS; silence is printed as ``-inf``."""
    return 0.0 if level is None else 10 ** (min(level, 400.0) / 20)


def quiet_cuts(windows: Sequence[float], seconds: float, pieces: int, longest: float) -> list[float]:
    """Return the ``pieces - 1`` times at which to cut a sound into pieces of at most ``longest`` seconds.

    Each cut lies at the quietest place (300 ms) within an eighth of a piece around where equal pieces would be cut,
    the nearest of equals. Raises ``ValueError`` when so few pieces cannot be that short.
    """
    if pieces * longest < seconds:
        raise ValueError(f"{pieces} pieces of {longest} s do not make {seconds} s")
    even = seconds / pieces
    cuts: list[float] = []
    before = 0.0
    for number in range(1, pieces):
        target, reach = even * number, even / 8
        low = max(target - reach, seconds - (pieces - number) * longest, before)
        high = min(target + reach, before + longest)
        before = _quietest(windows, low, high, min(max(target, low), high))
        cuts.append(before)
    return cuts


def _quietest(windows: Sequence[float], low: float, high: float, target: float) -> float:
    """Return the middle of the quietest window between two times, judged together with its neighbours."""
    first, last = math.ceil(low / WINDOW - 0.5), math.floor(high / WINDOW - 0.5)
    inside = [index for index in range(first, last + 1) if 0 <= index < len(windows)]
    if not inside:
        return target

    def loudness(index: int) -> tuple[float, float]:
        around = windows[max(index - 1, 0) : index + 2]
        return max(around), abs((index + 0.5) * WINDOW - target)

    return round((min(inside, key=loudness) + 0.5) * WINDOW, 3)

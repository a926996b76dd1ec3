"""The outline of a sound, to be drawn: the highest sample of each of so many equal parts, measured by ffmpeg."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from oloproof.media.ffmpeg import input_arguments, run_tool
from oloproof.media.sound_encoding import Original

WAVEFORM_VERSION = 1
"""Raised when the same sound would give other peaks."""

_RATE = 16_000
_WINDOWS = 80, 1_000_000
"""The fewest and the most samples that are looked at together: 5 ms, in which a tone has a peak, and a minute."""

_UNKNOWN_WINDOW = 0.05
_FILTERS = (
    f"aresample={_RATE},aformat=sample_fmts=flt,asetnsamples=n={{}}:p=0,"
    "astats=metadata=1:reset=1:measure_perchannel=Peak_level:measure_overall=Number_of_samples,"
    "ametadata=mode=print:file=-"
)


def peaks_of(
    path: Path,
    format: str,  # noqa: A002 - the word of the facts
    count: int,
    *,
    seconds: float | None,
    check: Callable[[], None],
    timeout: float,
) -> list[float]:
    """Return ``count`` peaks of the first sound stream, of its loudest channel: 0 is silence, 1 full scale.

    ``format`` is the sniffed one. ``seconds`` is about how long the sound is, which only sets how finely it is looked
    at. ``check`` is called before and after ffmpeg reads ``path`` and raises when it leads elsewhere; ``timeout`` is
    in seconds.

    Raises:
        MediaUnreadable: with code ``no_audio``, ``damaged``, ``no_decoder`` or ``media_too_slow``.
        ToolMissing: ffmpeg is not installed.
    """
    original = Original(path, format, check, timeout)
    wanted = int(_RATE * (seconds / count if seconds else _UNKNOWN_WINDOW))
    filters = _FILTERS.format(min(max(wanted, _WINDOWS[0]), _WINDOWS[1]))
    arguments = ["ffmpeg", "-nostdin", "-v", "error", "-hide_banner", *input_arguments(path, original.demuxer)]
    arguments += ["-map", "0:a:0", "-af", filters, "-f", "null", "-"]
    reader = _Reader()
    check()
    ended = run_tool(arguments, timeout=timeout, on_line=reader.line)
    check()
    if not reader.windows:
        raise original.nothing_came(ended)
    return _spread(reader.windows, count)


class _Reader:
    """Takes ``lavfi.astats.1.Peak_level=-20.1``: one line a channel, then how many samples the window has."""

    def __init__(self) -> None:
        self.windows: list[float] = []
        self._highest = 0.0

    def line(self, text: str) -> None:
        name, _, value = text.rpartition("=")
        if name.endswith(".Peak_level"):
            self._highest = max(self._highest, _amplitude(value))
        elif name.endswith(".Number_of_samples"):
            self.windows.append(self._highest)
            self._highest = 0.0


def _amplitude(decibels: str) -> float:
    """Return an amplitude for a level in dB; silence is printed as ``-inf``."""
    try:
        level = float(decibels)
    except ValueError:
        return 0.0
    return 0.0 if math.isnan(level) else 10 ** (min(level, 400.0) / 20)


def _spread(windows: list[float], count: int) -> list[float]:
    """Return the highest of the windows that fall into each of ``count`` equal parts."""
    total = len(windows)
    edges = [number * total // count for number in range(count + 1)]
    return [max(windows[first : max(last, first + 1)]) for first, last in pairwise(edges)]

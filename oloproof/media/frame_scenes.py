"""Where the scenes of a video begin: every frame is decoded once and compared, small, with the one before it.

The score is that of ffmpeg's ``scdet``, 0 to 100: the mean absolute difference of two frames, or how much it differs
from that of the pair before where this is less, so that steady movement makes no cut. Colours count as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from oloproof.errors import MediaUnreadable
from oloproof.media.drafting import Limits
from oloproof.media.ffmpeg import input_arguments, run_tool
from oloproof.media.frame_times import PictureTrack

CUT_SCORE = 10
"""From this score on a frame begins a scene; ffmpeg's own advice is 8 to 14."""

_WIDTH = 160
_FRAME = re.compile(r"frame:\d+ +pts:(-?\d+) ")
_SCORE = re.compile(r"lavfi\.scd\.score=([0-9.]+)")
_MOST_CUTS = 100_000


def find_cuts(
    path: Path, demuxer: str, track: PictureTrack, *, check: Callable[[], None], limits: Limits
) -> dict[int, float]:
    """Return the ticks at which a new scene begins, each with its score; the first frame is none of them.

    Raises:
        MediaUnreadable: with code ``media_too_slow``.
        ToolMissing: ffmpeg is not installed.
    """
    cuts = _Cuts()
    small = f"scale={_WIDTH}:-2:flags=bilinear,format=rgb24,scdet=threshold={CUT_SCORE}"
    told = "metadata=select:key=lavfi.scd.time,metadata=print:file=-"
    arguments = ["ffmpeg", "-nostdin", "-nostats", "-hide_banner", "-v", "error", "-copyts"]
    arguments += ["-noautorotate", "-threads", "2", "-max_pixels", str(limits.max_pixels)]
    arguments += [*input_arguments(path, demuxer), "-filter_complex_threads", "1"]
    arguments += ["-filter_complex", f"[0:V:0]{track.clock},{small},{told}[out]", "-map", "[out]", "-f", "null", "-"]
    check()
    try:
        run_tool(arguments, timeout=limits.decode_seconds, on_line=cuts.line)
    except MediaUnreadable as error:  # names the last argument, which is no file
        raise MediaUnreadable(str(error), path=path, code=error.code) from None
    check()
    return cuts.found


def clearest(cuts: Mapping[int, float], first: int, most: int) -> tuple[list[int], str]:
    """Return where the first scene and those with the highest scores begin, at most ``most``, ascending; and a note."""
    best = sorted(cuts, key=lambda at: (-cuts[at], at))[: most - 1]
    kept = sorted({first, *best})
    note = f"{len(cuts) + 1} scene{'s' if cuts else ''} found"
    return kept, note if len(cuts) < most else f"{note}, the {len(kept)} with the clearest cuts are taken"


class _Cuts:
    """Reads what the filter ``metadata`` prints of each frame that begins a scene."""

    def __init__(self) -> None:
        self.found: dict[int, float] = {}
        self._at: int | None = None

    def line(self, line: str) -> None:
        if (frame := _FRAME.match(line)) is not None:
            self._at = int(frame[1])
        elif self._at is not None and (score := _SCORE.search(line)) is not None and len(self.found) < _MOST_CUTS:
            self.found[self._at] = float(score[1])
            self._at = None

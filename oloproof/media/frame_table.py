"""When every frame of a video is shown, read from all its packets by one ffprobe.

Nothing is decoded but AVI, which stores no times: there a frame is shown when the decoder gives it out, and what it
still holds at the end one tick, which is a frame's length there, after the last.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from msgspec import Struct, field

from oloproof.errors import MediaUnreadable
from oloproof.media.drafting import DEFAULT, Limits
from oloproof.media.ffmpeg import input_arguments, require_tool, run_tool
from oloproof.media.ffprobe_lines import read_line
from oloproof.media.formats import FORMATS, describe

FRAME_TABLE_VERSION = 1
"""Raised when the same video would give another table."""

_PACKETS = "stream=time_base:packet=pts,dts,duration,flags:format=start_time"
_FRAMES = "stream=time_base:frame=best_effort_timestamp:format=start_time"


class FrameTable(Struct, frozen=True):
    """The frames of the first picture stream of a video.

    ``times`` are the moments (seconds from the first picture, ascending, to the microsecond) at which each is first
    shown; ``end`` is when the last one is over. ``lead`` is how long what plays goes on before the first picture:
    a player counts from there (0 of AVI, whose container tells it wrong).
    """

    times: tuple[float, ...]
    end: float
    lead: float


def read_frame_table(
    path: Path,
    format: str,  # noqa: A002 - the word of the facts
    *,
    check: Callable[[], None],
    limits: Limits = DEFAULT,
) -> FrameTable:
    """Return when each frame of a video is shown; a cover picture is no video.

    ``format`` is the sniffed one. ``check`` is called before and after ffprobe reads ``path`` and raises when it leads
    elsewhere.

    Raises:
        MediaUnreadable: with code ``no_pictures``, ``damaged`` or ``media_too_slow``.
        ToolMissing: ffprobe is not installed.
    """
    demuxer = FORMATS[format].demuxer if format in FORMATS else None
    if demuxer is None:
        raise MediaUnreadable(f"this is {describe(format)}, which holds no video", path=path, code="no_pictures")
    require_tool("ffprobe", "frames of a video are counted")
    seen = _Packets()
    arguments = ["ffprobe", "-v", "error", "-hide_banner", "-of", "compact", "-select_streams", "V:0"]
    arguments += ["-show_entries", _FRAMES if demuxer == "avi" else _PACKETS, *input_arguments(path, demuxer)]
    check()
    run_tool(arguments, timeout=limits.decode_seconds, on_line=seen.line)
    check()
    if seen.tick is None:
        raise MediaUnreadable("the file holds no video, at most a cover picture", path=path, code="no_pictures")
    if not seen.shown:
        raise MediaUnreadable("not one frame of the video is there", path=path, code="damaged")
    return seen.table(seen.tick)


class _Packets(Struct):
    """What ffprobe told, a line a packet or frame."""

    tick: Fraction | None = None
    begins: Fraction | None = None
    decoded: bool = False
    shown: set[int] = field(default_factory=set)
    end: int = 0

    def line(self, text: str) -> None:
        section, values = read_line(text)
        if section == "packet":
            self._shown(values, _first(values, "pts", "dts"))
        elif section == "frame":
            self.decoded = True
            at = _first(values, "best_effort_timestamp")
            self._shown(values, Fraction(max(self.shown, default=-1) + 1) if at is None else at)
        elif section == "stream" and self.tick is None:
            self.tick = _fraction(values.get("time_base"))
        elif section == "format" and not self.decoded:
            self.begins = _fraction(values.get("start_time"))

    def _shown(self, values: dict[str, str], at: Fraction | None) -> None:
        if at is None or "D" in values.get("flags", ""):  # an edit list leaves such a packet out
            return
        self.shown.add(int(at))
        self.end = max(self.end, int(at + (_fraction(values.get("duration")) or 0)))

    def table(self, tick: Fraction) -> FrameTable:
        ticks = sorted(self.shown)
        first, last = ticks[0], ticks[-1]
        usual = (last - first) // max(len(ticks) - 1, 1)  # how long a last frame of unknown length is taken to last
        end = self.end if self.end > last else last + usual
        lead = Fraction(0) if self.begins is None else max(Fraction(0), first * tick - self.begins)
        return FrameTable(
            times=tuple(round(float((at - first) * tick), 6) for at in ticks),
            end=round(float((end - first) * tick), 6),
            lead=round(float(lead), 6),
        )


def _first(values: dict[str, str], *names: str) -> Fraction | None:
    told = (_fraction(values.get(name)) for name in names)
    return next((number for number in told if number is not None), None)


def _fraction(text: str | None) -> Fraction | None:
    try:
        return Fraction(text) if text and len(text) < 30 else None
    except (ValueError, ZeroDivisionError):
        return None

"""From when to when the pictures of a video run, read from a few packets at its ends by one ffprobe.

Times are whole ticks of the stream's own time base, so that nothing is rounded. The container's promise and the sound
are not asked: a picture stream may begin later and end earlier than both.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from msgspec import Struct, field

from oloproof.errors import MediaUnreadable
from oloproof.media import endings
from oloproof.media.binary import Source
from oloproof.media.drafting import Limits
from oloproof.media.ffmpeg import input_arguments, run_tool
from oloproof.media.ffprobe_lines import orientation, read_line
from oloproof.media.formats import FORMATS

_ENTRIES = (
    "stream=codec_name,width,height,sample_aspect_ratio,pix_fmt,color_space,color_transfer,time_base,start_pts,"
    "duration_ts,avg_frame_rate:stream_tags=rotate:stream_side_data_list"
    ":packet=pts,dts,duration,flags:format=duration,nb_streams"
)
_ENDS = "%+#1,999999999%"
"""The first packet, and from the last key frame to the end: seeking behind the end leads there."""

_SEEKABLE = frozenset(("mov", "matroska"))
"""Demuxers that seek by an index of key frames; in the others every packet is read and no frame is skipped."""


class PictureTrack(Struct, frozen=True):
    """The first picture stream of a file. ``start``, ``end`` (of the last frame) and ``reorder`` are in ticks.

    Where the file is not ``seekable`` ticks are counted from the first frame that decodes, as the times of packets may
    lie beside those of frames (AVI); else they are as stored. ``reorder`` is how far frames stand from the order in
    which they are stored; ``shown`` the size in pixels as displayed; ``orientation`` as in EXIF; ``cut`` says in words
    what of the file is missing.
    """

    tick: Fraction
    start: int
    end: int
    reorder: int
    size: tuple[int, int]
    shown: tuple[int, int]
    orientation: int
    transfer: str
    space: str
    alpha: bool
    seekable: bool
    cut: str | None

    @property
    def length(self) -> Fraction:
        """Seconds from the first picture to the end of the last."""
        return (self.end - self.start) * self.tick

    @property
    def clock(self) -> str:
        """The filters that make ffmpeg count as this track does."""
        base = f"settb={self.tick.numerator}/{self.tick.denominator}"
        return base if self.seekable else f"{base},setpts=PTS-STARTPTS"


class _Seen(Struct):
    """What one run of ffprobe told."""

    stream: dict[str, str] = field(default_factory=dict)
    container: dict[str, str] = field(default_factory=dict)
    start: int | None = None
    end: int | None = None
    last: int | None = None
    reorder: int = 0
    packets: int = 0
    errors: int = 0
    waiting: dict[str, str] | None = None

    def line(self, line: str) -> None:
        section, values = read_line(line)
        if section == "packet":
            self.settle()
            self.waiting = values
        elif section == "stream":
            self.stream |= {key: value for key, value in values.items() if key not in self.stream}
        elif section == "format":
            self.container = values

    def settle(self) -> None:
        """Count the packet that came last."""
        if self.waiting is not None:
            self._packet(self.waiting)
            self.waiting = None

    def _packet(self, values: dict[str, str]) -> None:
        pts, dts = _whole(values.get("pts")), _whole(values.get("dts"))
        at = dts if pts is None else pts
        if at is None or "D" in values.get("flags", ""):  # an edit list leaves such a packet out
            return
        self.packets += 1
        if pts is not None and dts is not None:
            self.reorder = max(self.reorder, pts - dts)
        self.start = at if self.start is None else min(self.start, at)
        self.last = at if self.last is None else max(self.last, at)
        finish = at + (_whole(values.get("duration")) or 0)
        self.end = finish if self.end is None else max(self.end, finish)

    def error(self, line: str) -> None:
        self.errors += 1


def read_track(path: Path, name: str, *, check: Callable[[], None], limits: Limits) -> PictureTrack:
    """Return the first picture stream that is no cover, with the true span of its pictures; ``name`` is the format.

    Files with an index are asked at their two ends only; of others, and when the end is not there, every packet is
    read. None is decoded.

    Raises:
        MediaUnreadable: with code ``no_pictures``, ``damaged``, ``too_large`` or ``media_too_slow``.
        ToolMissing: ffprobe is not installed.
    """
    demuxer = FORMATS[name].demuxer or name
    seekable = demuxer in _SEEKABLE
    seen = _ask(path, demuxer, seekable, check, limits)
    if seekable and not _reaches_the_end(seen):
        seen = _ask(path, demuxer, False, check, limits)
    if not seen.stream:
        raise _nothing(path, seen)
    return _track(path, name, seen, seekable, limits)


def _ask(path: Path, demuxer: str, ends: bool, check: Callable[[], None], limits: Limits) -> _Seen:
    seen = _Seen()
    arguments = ["ffprobe", "-v", "error", "-hide_banner", "-of", "compact", "-select_streams", "V:0"]
    arguments += ["-read_intervals", _ENDS] if ends else []
    arguments += ["-show_entries", _ENTRIES, *input_arguments(path, demuxer)]
    check()
    run_tool(arguments, timeout=limits.probe_seconds, on_line=seen.line, on_error=seen.error)
    check()
    if not seen.errors or not seen.packets:  # the last packet of a cut file is not whole
        seen.settle()
    return seen


def _reaches_the_end(seen: _Seen) -> bool:
    """Return whether packets were found at both ends, and no error said that the rest of the file is gone."""
    return seen.packets >= 2 and not seen.errors


def _nothing(path: Path, seen: _Seen) -> MediaUnreadable:
    if (_whole(seen.container.get("nb_streams")) or 0) > 0:
        return MediaUnreadable("the file holds no video, at most a cover picture", path=path, code="no_pictures")
    return MediaUnreadable(
        "the file cannot be opened by ffmpeg as the video that it claims to be", path=path, code="damaged"
    )


def _track(path: Path, name: str, seen: _Seen, seekable: bool, limits: Limits) -> PictureTrack:
    stream = seen.stream
    size = _whole(stream.get("width")) or 0, _whole(stream.get("height")) or 0
    tick = _ratio(stream.get("time_base"), "/")
    if seen.start is None or seen.end is None or tick is None or not all(size):
        raise MediaUnreadable("not one frame of the video is there", path=path, code="damaged")
    if size[0] * size[1] > limits.max_pixels:
        raise MediaUnreadable(
            f"frames of {size[0]}×{size[1]} pixels are more than the limit of {limits.max_pixels}",
            path=path,
            code="too_large",
        )
    start = _whole(stream.get("start_pts")) if seekable else None
    start = seen.start if start is None else start
    shift = 0 if seekable else start
    turned = orientation(stream)
    end = _closed_end(seen, tick)
    return PictureTrack(
        tick=tick,
        start=start - shift,
        end=max(end, start) - shift,
        reorder=seen.reorder,
        size=size,
        shown=_shown(size, _ratio(stream.get("sample_aspect_ratio"), ":"), turned),
        orientation=turned,
        transfer=stream.get("color_transfer", ""),
        space=stream.get("color_space", ""),
        alpha=_has_alpha(stream.get("pix_fmt", "")),
        seekable=seekable,
        cut=_missing(seen, start, end, tick) if seekable else _cut_off(path, name),
    )


def _closed_end(seen: _Seen, tick: Fraction) -> int:
    """Return the end of the last frame; one of unknown length is taken to last as long as frames do on average."""
    end, last = seen.end or 0, seen.last or 0
    rate = _ratio(seen.stream.get("avg_frame_rate"), "/")
    return end if end > last or not rate else last + max(round(1 / (rate * tick)), 1)


def _missing(seen: _Seen, start: int, end: int, tick: Fraction) -> str | None:
    """Return in words how much less is there than the stream promises, None when it keeps its promise.

    The promise of the container counts only where there is nothing but pictures: sound may be longer.
    """
    promised = _whole(seen.stream.get("duration_ts"))
    promised = None if promised is None else promised + start
    if promised is None and seen.container.get("nb_streams") == "1":
        whole = _decimal(seen.container.get("duration"))
        promised = None if whole is None else round(whole / tick)
    if promised is None or (promised - end) * tick <= max(Fraction(1, 2), (promised - start) * tick / 100):
        return None
    there, all_of_it = float((end - start) * tick), float((promised - start) * tick)
    return f"the file promises {all_of_it:.3g} s of pictures, only {there:.3g} s are there"


def _cut_off(path: Path, name: str) -> str | None:
    with path.open("rb") as file:
        return endings.cut_off(Source(file), name)


def _shown(size: tuple[int, int], ratio: Fraction | None, turned: int) -> tuple[int, int]:
    width = max(round(size[0] * ratio), 1) if ratio is not None else size[0]
    return (size[1], width) if turned >= 5 else (width, size[1])


def _has_alpha(pixels: str) -> bool:
    return pixels.startswith(("yuva", "rgba", "bgra", "argb", "abgr", "gbrap", "ya8", "ya16", "pal8"))


def _whole(text: str | None) -> int | None:
    try:
        return int(text) if text is not None and len(text) < 20 else None
    except ValueError:
        return None


def _decimal(text: str | None) -> Fraction | None:
    try:
        return Fraction(text) if text and len(text) < 30 else None
    except ValueError:
        return None


def _ratio(text: str | None, sign: str) -> Fraction | None:
    above, _, below = (text or "").partition(sign)
    first, second = _whole(above), _whole(below)
    return Fraction(first, second) if first and second and first > 0 and second > 0 else None

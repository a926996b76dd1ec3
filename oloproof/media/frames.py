"""Frames of a video for those who see stills only: chosen by presentation time, exact, with their true times.

Never by frame number and rate, never past the end of the pictures, never fewer than promised without a word. Times
are counted from the first picture of the stream. What a rule means stands in :mod:`oloproof.media.frame_rules`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct

from oloproof.errors import MediaUnreadable
from oloproof.media.drafting import DEFAULT, Limits
from oloproof.media.ffmpeg import require_tool
from oloproof.media.formats import FORMATS, describe
from oloproof.media.frame_grabbing import HDR_TRANSFERS, Grabbed, Grabber, Picture, ticks_at
from oloproof.media.frame_rules import FrameRule, Scenes, Wanted, moments_of
from oloproof.media.frame_scenes import clearest, find_cuts
from oloproof.media.frame_times import PictureTrack, read_track


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame as displayed. ``time`` in seconds from the first picture, to the microsecond; ``data`` is a PNG."""

    time: float
    data: bytes = field(repr=False)
    width: int
    height: int


class Frames(Struct, frozen=True):
    """Distinct frames by ascending time. ``asked`` is how many the rule asks for; ``notes`` say why there are fewer,
    and what is odd about the file; ``ffmpeg`` is the version that took them, None where ffmpeg was not used.
    """

    frames: tuple[Frame, ...]
    asked: int
    notes: tuple[str, ...] = ()
    ffmpeg: str | None = None


def extract_frames(
    path: Path,
    format: str,  # noqa: A002 - the word of the facts
    rule: FrameRule,
    *,
    check: Callable[[], None],
    limits: Limits = DEFAULT,
    max_frames: int = 20,
    max_side: int | None = None,
    background: str = "white",
) -> Frames:
    """Return the frames of a video that ``rule`` asks for, at most ``max_frames``, upright, in 8-bit sRGB.

    What is transparent is shown on ``background`` (a colour as Pillow names it, for which it is needed).

    ``format`` is the one that was sniffed. No side is longer than ``max_side`` pixels, where given. ``check`` is
    called before and after each process and may raise when the path no longer leads to the recorded file.

    Raises:
        MediaUnreadable: with code ``no_pictures``, ``damaged``, ``too_large``, ``hdr`` or ``media_too_slow``.
        ToolMissing: ffmpeg is not installed.
    """
    demuxer = FORMATS[format].demuxer if format in FORMATS else None
    if demuxer is None:
        raise MediaUnreadable(f"this is {describe(format)}, which holds no video", path=path, code="no_pictures")
    for tool in ("ffprobe", "ffmpeg"):
        require_tool(tool, "frames of a video are taken")
    track = read_track(path, format, check=check, limits=limits)
    behind = _paint(background) if track.alpha else ""
    grabber = Grabber(path, demuxer, track, fitted(track.shown, max_side), behind, check, limits)
    if isinstance(rule, Scenes):
        wanted = _scenes(rule.n, find_cuts(path, demuxer, track, check=check, limits=limits), track, max_frames)
    else:
        wanted = moments_of(rule, track.length, max_frames)
    ticks = sorted({ticks_at(moment, track) for moment in wanted.moments})
    return _told(wanted, grabber.grab(ticks), track)


def _scenes(n: int, cuts: dict[int, float], track: PictureTrack, most: int) -> Wanted:
    ticks, note = clearest(cuts, track.start, min(n, most))
    return Wanted(tuple((at - track.start) * track.tick for at in ticks), n, (note,))


def _paint(color: str) -> str:
    """Return a colour as ffmpeg's ``lutrgb`` takes it: nothing that a user wrote gets into a filter as it is."""
    from PIL import ImageColor

    return "r={}:g={}:b={}".format(*ImageColor.getrgb(color)[:3])


def _told(wanted: Wanted, grabbed: Grabbed, track: PictureTrack) -> Frames:
    distinct: dict[int, Picture] = {picture.at: picture for picture in grabbed.pictures.values()}
    begin = min(track.start, *distinct)
    frames = tuple(_frame(distinct[at], begin, track) for at in sorted(distinct))
    notes = [*wanted.notes, *same_frames(len(wanted.moments), len(frames))]
    if track.cut is not None:
        notes.append(track.cut)
    if grabbed.errors:
        notes.append(f"{len(grabbed.errors)} errors while decoding; the first: {grabbed.errors[0]}")
    if track.transfer in HDR_TRANSFERS:
        notes.append(f"tone-mapped from HDR ({HDR_TRANSFERS[track.transfer]})")
    return Frames(frames, wanted.asked, tuple(notes), grabbed.version or None)


def same_frames(moments: int, frames: int) -> Sequence[str]:
    """Return the note that several moments fall on one frame, or none."""
    return [f"{moments} moments fall on {frames} distinct frames"] if frames < moments else []


def _frame(picture: Picture, begin: int, track: PictureTrack) -> Frame:
    width, height = struct.unpack_from(">II", picture.data, 16)
    return Frame(round(float((picture.at - begin) * track.tick), 6), picture.data, width, height)


def fitted(size: tuple[int, int], max_side: int | None) -> tuple[int, int]:
    """Return ``size`` made smaller, never larger, so that no side is longer than ``max_side``."""
    longest = max(size)
    if max_side is None or longest <= max_side:
        return size
    width, height = (max(round(side * max_side / longest), 1) for side in size)
    return width, height

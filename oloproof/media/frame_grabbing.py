"""Taking the frames shown at given moments out of a video, in one process that seeks, or in few.

Each input of the process seeks to the key frame before its first moment and decodes on. Behind the decoder stands,
for each moment, a chain that lets pass only frames that are not later than the moment, as ticks of which the last one
wins (the filter ``fps`` with a tick of a day): what comes out is the frame shown at the moment, on a variable rate too,
and only that one is converted and encoded. Its true time is read from the list of all decoded times, which each input
writes to a file of its own: since ffmpeg 7 every graph runs in a thread, and what they log at once is mixed up.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from msgspec import Struct

from oloproof.errors import MediaUnreadable
from oloproof.media.drafting import Limits
from oloproof.media.ffmpeg import input_arguments, run_tool
from oloproof.media.frame_times import PictureTrack

HDR_TRANSFERS = {"smpte2084": "PQ", "arib-std-b67": "HLG"}
"""Transfer functions whose pictures look washed out until they are tone-mapped, with their common names."""

_TONE_MAP = (
    "zscale=t=linear:npl=203,format=gbrpf32le,zscale=p=bt709,tonemap=mobius:desat=0,"
    "zscale=t=bt709:m=bt709:r=tv,format=yuv420p"
)
"""White at 203 cd/m² (ITU-R BT.2408), and the Möbius curve, which leaves dark tones as they are."""

_COMPOSED = "split[a{0}][b{0}];[a{0}]lutrgb={1}:a=255[c{0}];[c{0}][b{0}]overlay=format=rgb"
_TURNS = {
    2: "hflip", 3: "hflip,vflip", 4: "vflip", 5: "transpose=0", 6: "transpose=1", 7: "transpose=3", 8: "transpose=2",
}  # fmt: skip
_NEAR = 2
"""Moments at most this many seconds apart share an input: decoding on is cheaper than going back to a key frame."""

_MOST_INPUTS = 8
_PIXELS_AT_ONCE = 20_000_000
"""Each input holds the pictures of a decoder in memory, some 30 MB at 1920×1080."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One frame: its true time in ticks and its PNG."""

    at: int
    data: bytes = field(repr=False)


@dataclass(slots=True)
class Grabbed:
    """The pictures by the moment (in ticks) that they were asked for, and what ffmpeg said meanwhile."""

    pictures: dict[int, Picture] = field(default_factory=dict)
    first: int | None = None
    errors: list[str] = field(default_factory=list)
    version: str = ""


class Grabber(Struct, frozen=True):
    """How frames are taken out of one file. ``size`` is that of the pictures given, upright, in pixels.

    ``background`` (``r=255:g=255:b=255``) lies behind what is transparent.
    """

    path: Path
    demuxer: str
    track: PictureTrack
    size: tuple[int, int]
    background: str
    check: Callable[[], None]
    limits: Limits

    def grab(self, moments: Sequence[int]) -> Grabbed:
        """Return the frames shown at ``moments`` (ticks, ascending).

        Raises:
            MediaUnreadable: with code ``damaged`` when one is not to be had, ``hdr``, or ``media_too_slow``.
            ToolMissing: ffmpeg is not installed.
        """
        found = Grabbed()
        groups = self._groups(moments) if self.track.seekable else [list(moments)]
        together = max(min(_PIXELS_AT_ONCE // (self.track.size[0] * self.track.size[1]), _MOST_INPUTS), 1)
        for index in range(0, len(groups), together):
            self._run(groups[index : index + together], found, seek=self.track.seekable)
        self._repair(moments, found)
        return found

    def _groups(self, moments: Sequence[int]) -> list[list[int]]:
        groups: list[list[int]] = []
        for moment in moments:
            if groups and (moment - groups[-1][-1]) * self.track.tick <= _NEAR:
                groups[-1].append(moment)
            else:
                groups.append([moment])
        return groups

    def _repair(self, moments: Sequence[int], found: Grabbed) -> None:
        """Decode from the very beginning for moments that a seek passed by, or that lie before the first frame."""
        missing = [moment for moment in moments if moment not in found.pictures]
        if missing and self.track.seekable:
            found.errors.clear()
            self._run([missing], found, seek=False)
            missing = [moment for moment in missing if moment not in found.pictures]
        if missing and found.first is not None and missing[-1] < found.first:
            self._run([[found.first]], found, seek=False)
            if (first := found.pictures.get(found.first)) is not None:
                found.pictures |= dict.fromkeys(missing, first)
                return
        if missing:
            said = f": {found.errors[0]}" if found.errors else ""
            raise MediaUnreadable(
                f"{len(missing)} of {len(moments)} frames cannot be decoded{said}", path=self.path, code="damaged"
            )

    def _run(self, groups: Sequence[list[int]], found: Grabbed, *, seek: bool) -> None:
        listener = _Listener(found, _SEEK_TALK if seek else ())
        with tempfile.TemporaryDirectory(prefix="oloproof-frames-") as folder:
            arguments = self._arguments(groups, seek)
            limit = self.limits.decode_seconds
            self.check()
            try:
                run_tool(arguments, timeout=limit, on_line=lambda line: None, on_error=listener.line, folder=folder)
            except MediaUnreadable as error:  # names the last argument, which is a file of ours
                raise MediaUnreadable(str(error), path=self.path, code=error.code) from None
            self.check()
            for number, group in enumerate(groups):
                _collect(number, group, Path(folder), found)
        if listener.no_filter:
            raise self._untouchable()

    def _untouchable(self) -> MediaUnreadable:
        name = HDR_TRANSFERS.get(self.track.transfer, self.track.transfer)
        return MediaUnreadable(
            f"the video is HDR ({name}), and this ffmpeg has no zscale and tonemap filters to show it truly; "
            "use a build with libzimg, or give an SDR version",
            path=self.path,
            code="hdr",
        )

    def _arguments(self, groups: Sequence[list[int]], seek: bool) -> list[str]:
        # times stay as stored (-copyts, -seek_timestamp), turning is left for the frames that are kept
        arguments = ["ffmpeg", "-nostdin", "-nostats", "-v", "repeat+level+info", "-copyts", "-y"]
        for group in groups:
            arguments += ["-noautorotate", "-reinit_filter", "0", *(self._seek(group[0]) if seek else ())]
            arguments += ["-threads", "1", "-max_pixels", str(self.limits.max_pixels)]
            arguments += input_arguments(self.path, self.demuxer)
        arguments += ["-filter_complex_threads", "1"]
        for number, group in enumerate(groups):
            arguments += ["-filter_complex", ";".join(self._graph(number, group))]
            for index in range(len(group)):
                arguments += ["-map", f"[out{number}-{index}]", "-frames:v", "1", "-c:v", "png", "-threads", "1"]
                arguments += ["-compression_level", "1", "-pred", "none", "-f", "image2", "-update", "1"]
                arguments.append(f"file:{number}-{index}.png")
        return arguments

    def _seek(self, moment: int) -> list[str]:
        # an index finds key frames by the order of storage, in which they stand up to ``reorder`` ticks earlier
        at = (moment - self.track.reorder) * self.track.tick
        if at - self.track.start * self.track.tick < _NEAR:
            return []
        return ["-noaccurate_seek", "-seek_timestamp", "1", "-ss", f"{int(at * 1_000_000) / 1_000_000:.6f}"]

    def _graph(self, number: int, group: Sequence[int]) -> Iterator[str]:
        branches = "".join(f"[in{number}-{index}]" for index in range(len(group)))
        # only frames with metadata are told of
        told = f"metadata=add:key=seen:value=1,metadata=print:file={_TIMES.format(number)}"
        yield f"[{number}:V:0]{self.track.clock},{told},split={len(group)}{branches}"
        for index, moment in enumerate(group):
            last = f"setpts=PTS-({moment}+1),trim=end_pts=0,fps=1/86400:round=down:eof_action=pass,setpts=0"
            yield f"[in{number}-{index}]{last},{self._finish(f'{number}-{index}')}[out{number}-{index}]"

    def _finish(self, name: str) -> str:
        """Return the filters from a decoded frame to an upright sRGB picture of the asked size, with no tags left."""
        width, height = self.size[::-1] if self.track.orientation >= 5 else self.size
        filters = [_TONE_MAP] if self.track.transfer in HDR_TRANSFERS else []
        filters.append(f"scale={width}:{height}{self._matrix()}")
        filters += ["setsar=1", "sidedata=mode=delete"]
        filters += [turn] if (turn := _TURNS.get(self.track.orientation)) else []
        filters += (
            ["format=rgba", _COMPOSED.format(name.replace("-", "_"), self.background)] if self.track.alpha else []
        )
        return ",".join(
            [*filters, "setparams=color_primaries=unknown:color_trc=unknown:colorspace=unknown,format=rgb24"]
        )

    def _matrix(self) -> str:
        """Return what makes ffmpeg take untagged large pictures as BT.709, as players do."""
        untagged = self.track.space in ("", "unknown") and self.track.transfer not in HDR_TRANSFERS
        large = self.track.size[0] >= 1280 or self.track.size[1] > 576
        return ":in_color_matrix=bt709" if untagged and large else ""


_TIMES = "{}.txt"
"""The file to which an input writes the time of each frame: ``frame:0    pts:512     pts_time:0.04``."""

_TIME = re.compile(r"frame:\d+ +pts:(-?\d+) ")


def _collect(number: int, moments: Sequence[int], folder: Path, found: Grabbed) -> None:
    """Take over what came of one input: the picture of each moment, with the time of the last frame not later."""
    times = _times(folder / _TIMES.format(number))
    found.first = min(times if found.first is None else [found.first, *times], default=None)
    for index, moment in enumerate(moments):
        file = folder / f"{number}-{index}.png"
        at = max((at for at in times if at <= moment), default=None)
        if at is not None and file.exists() and (data := file.read_bytes()):
            found.pictures[moment] = Picture(at, data)


def _times(file: Path) -> list[int]:
    if not file.exists():
        return []
    with file.open() as lines:
        return [int(seen[1]) for line in lines if (seen := _TIME.match(line)) is not None]


_TROUBLE = re.compile(r"\[(?:error|fatal|panic)\] (.*)")
_VERSION = re.compile(r"ffmpeg version (\S+)")
_SEEK_TALK = (
    "mmco: unref short failure",
    "reference picture missing during reorder",
    "Missing reference picture",
    "co located POCs unavailable",
    "Could not find ref with POC",
)
"""What decoders say when they begin at a key frame whose neighbours refer to pictures before it (an open GOP)."""


class _Listener:
    """Reads ffmpeg's messages: errors, and its version."""

    def __init__(self, found: Grabbed, harmless: tuple[str, ...]) -> None:
        self.found, self.harmless = found, harmless
        self.no_filter = False

    def line(self, line: str) -> None:
        if (trouble := _TROUBLE.search(line)) is not None:
            self.no_filter = self.no_filter or "No such filter" in line
            if len(self.found.errors) < 1000 and not any(words in line for words in self.harmless):
                self.found.errors.append(trouble[1][:200])
        elif not self.found.version and (version := _VERSION.search(line)) is not None:
            self.found.version = version[1]


def ticks_at(moment: Fraction, track: PictureTrack) -> int:
    """Return the tick of ``moment`` seconds after the first picture, inside the span of the pictures.

    Half a microsecond is given: a recorded time, asked for again, means the same frame.
    """
    ticks = (moment + Fraction(1, 2_000_000)) // track.tick
    return track.start + min(max(int(ticks), 0), max(track.end - track.start, 0))

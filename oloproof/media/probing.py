"""What ffprobe tells of an audio or video file: streams, true times from its packets, decoded frames.

One process a file. At probed depth all packets are read (not decoded): their times say how long the medium
really is, whatever the header promises. At decoded depth the frames are decoded too and counted.
"""

from __future__ import annotations

import math
from pathlib import Path

from msgspec import Struct, field

from oloproof.media.ffmpeg import Ended, input_arguments, run_tool
from oloproof.media.ffprobe_lines import orientation, read_line

_STREAM = (
    "stream=index,codec_type,codec_name,codec_tag,width,height,sample_aspect_ratio,start_time,duration,nb_frames,channels,"
    "sample_rate,avg_frame_rate,r_frame_rate,pix_fmt:stream_disposition=attached_pic,timed_thumbnails:stream_tags=rotate:"
    "stream_side_data_list:format=format_name,start_time,duration"
)
_PACKET = ":packet=stream_index,pts_time,dts_time,duration_time,flags:packet_side_data_list"
_FRAME = ":frame=media_type,stream_index,pts_time,best_effort_timestamp_time,duration_time,pkt_duration_time,nb_samples"
_MOST_STREAMS = 200


_SET_BACK = 0.5
"""Seconds by which a clock must go back to begin anew; pictures shown out of order stand closer together."""
_HEAD_AS_SOUND = 0.96
"""Seconds that the headers of a second Opus stream of the same number seem to last when read as sound: both begin with
``Op``, which is 48 frames of 20 ms. No real packet holds more than 0.12 s (RFC 6716).
"""
_LEAP = 10.0
"""Seconds by which the clock of a transport or program stream must leap for a joint (ffmpeg's own threshold)."""


class Times(Struct):
    """Earliest begin and latest end, in seconds, of what was seen, and how many pieces that were.

    Recordings that were joined into one file (a chained Ogg, transport streams one behind the other) set their clock
    back at each joint, or let it ``leap``; what follows a joint is taken to begin where what came before ends.
    """

    leap: float = math.inf

    count: int = 0
    start: float | None = None
    end: float | None = None
    last: float | None = None
    shortest: float | None = None
    longest: float | None = None
    length: float = 0.0
    untimed: int = 0
    open_end: bool = False
    clock: float | None = None
    joined: float = 0.0

    def add(self, at: float | None, length: float | None, clock: float | None) -> None:
        """Take one packet or frame that begins ``at`` and lasts ``length``; ``clock`` goes back at joints only."""
        self.count += 1
        self.length = length or 0.0
        if at is None:
            self.untimed += 1
            return
        if clock is not None:
            if self.clock is not None and not -_SET_BACK <= clock - self.clock <= self.leap:
                self.joined = (self.closed_end(self.shortest) or 0.0) - at
            self.clock = clock
        at += self.joined
        if self.last is not None and at > self.last:
            step = at - self.last
            self.shortest = step if self.shortest is None else min(self.shortest, step)
            self.longest = step if self.longest is None else max(self.longest, step)
        self.last = at
        self.start = at if self.start is None else min(self.start, at)
        finish = at + (length or 0.0)
        if self.end is None or finish >= self.end:
            self.end, self.open_end = finish, not length

    def shift(self, seconds: float) -> None:
        """Move begin and end."""
        self.start = None if self.start is None else self.start + seconds
        self.end = None if self.end is None else self.end + seconds

    def closed_end(self, step: float | None) -> float | None:
        """Return the end; a last piece of unknown length is taken to last ``step``."""
        if self.end is None:
            return None
        # pieces without a time follow one another at the usual step
        return self.end + (step or 0.0) * (self.open_end + self.untimed)


class Stream(Struct):
    """One stream. ``tagged`` when the container names the codec by a tag; ``orientation`` is as in EXIF; ``discarded``
    packets lie outside of what an edit list shows.

    ``samples`` of one channel were decoded since the last frame with a time, which was to last ``lasting`` seconds;
    ``heard`` in all.
    """

    index: int
    kind: str = ""
    codec: str = ""
    tagged: bool = False
    width: int = 0
    height: int = 0
    pixel_ratio: float = 1.0
    orientation: int = 1
    cover: bool = False
    channels: int = 0
    rate: int = 0
    frame_rate: float = 0.0
    nb_frames: int | None = None
    start: float | None = None
    promised: float | None = None
    discarded: int = 0
    padding: int = 0
    trimmed: bool = False
    samples: int = 0
    heard: int = 0
    lasting: float | None = None
    packets: Times = field(default_factory=Times)
    frames: Times = field(default_factory=Times)

    @property
    def step(self) -> float | None:
        """Seconds that a picture lasts on average, or that the last decoded sound does, where it is known."""
        if self.kind == "audio":
            return self._sounding()
        return 1 / self.frame_rate if self.frame_rate > 0 else None

    def _sounding(self) -> float | None:
        """Return the shorter of two: an MP4 cuts its last frame, an Ogg may be told to last for days by ffprobe."""
        if not self.samples or not self.rate:
            return self.lasting
        decoded = self.samples / self.rate
        return decoded if self.lasting is None else min(decoded, self.lasting)


class Probe(Struct):
    """All that one run of ffprobe gave."""

    streams: dict[int, Stream] = field(default_factory=dict)
    promised: float | None = None
    ended: Ended | None = None
    error_lines: list[str] = field(default_factory=list)

    def of(self, kind: str) -> list[Stream]:
        """Return the streams of a kind; cover pictures are no video."""
        return [stream for stream in self.streams.values() if stream.kind == kind and not stream.cover]

    @property
    def covers(self) -> list[Stream]:
        """The attached pictures."""
        return [stream for stream in self.streams.values() if stream.cover]

    @property
    def errors(self) -> list[str]:
        """Error lines that concern picture or sound, not a cover or subtitles."""
        besides = {
            stream.codec for stream in self.streams.values() if stream.cover or stream.kind not in ("video", "audio")
        }
        besides -= {stream.codec for kind in ("video", "audio") for stream in self.of(kind)}
        return [line for line in self.error_lines if not any(line.startswith(f"[{codec} @") for codec in besides)]


def probe(
    path: Path,
    demuxer: str,
    *,
    packets: bool,
    decode: bool,
    timeout: float,
    max_pixels: int,
    strict: bool = False,
    threads: int = 2,
) -> Probe:
    """Run ffprobe over a file. ``strict`` compares checksums where the codec has them (FLAC).

    Decoding runs in ``threads``; after an error once more in one, as several lose good frames beside a bad one.
    """
    run = _Run(path, demuxer, packets, decode, timeout, max_pixels, strict)
    found = run.once(threads=threads)
    return run.once(threads=1) if decode and found.errors and threads > 1 else found


class _Run(Struct, frozen=True):
    """What one run of ffprobe is asked."""

    path: Path
    demuxer: str
    packets: bool
    decode: bool
    timeout: float
    max_pixels: int
    strict: bool

    def once(self, *, threads: int) -> Probe:
        """Run ffprobe and return what it gave."""
        found = Probe()
        reader = _Reader(found, _LEAP if self.demuxer in ("mpegts", "mpeg") else math.inf, ogg=self.demuxer == "ogg")
        found.ended = run_tool(
            self._arguments(threads), timeout=self.timeout, on_line=reader.line, on_error=reader.error
        )
        return found

    def _arguments(self, threads: int) -> list[str]:
        entries = _STREAM + (_PACKET if self.packets else "") + (_FRAME if self.decode else "")
        arguments = ["ffprobe", "-v", "error", "-hide_banner", "-of", "compact", "-show_entries", entries]
        if self.decode:
            arguments += ["-threads", str(threads), "-max_pixels", str(self.max_pixels)]
            arguments += ["-err_detect", "crccheck"] if self.strict else []
        return arguments + input_arguments(self.path, self.demuxer)


class _Reader:
    """Takes ffprobe's lines one by one."""

    def __init__(self, found: Probe, leap: float, *, ogg: bool) -> None:
        self.found, self.leap, self.ogg = found, leap, ogg

    def error(self, line: str) -> None:
        if len(self.found.error_lines) < 200:
            self.found.error_lines.append(line)

    def line(self, line: str) -> None:
        section, values = read_line(line)
        take = self._takers.get(section)
        if take is not None:
            take(self, values)

    def _stream(self, index: str | None) -> Stream | None:
        if index is None or not index.isdigit():
            return None
        number = int(index)
        if number not in self.found.streams and len(self.found.streams) >= _MOST_STREAMS:
            return None
        if number not in self.found.streams:
            self.found.streams[number] = Stream(number, packets=Times(self.leap), frames=Times(self.leap))
        return self.found.streams[number]

    def packet(self, values: dict[str, str]) -> None:
        stream = self._stream(values.get("stream_index"))
        if stream is None:
            return
        if "D" in values.get("flags", ""):
            stream.discarded += 1
            return
        at = _number(values.get("pts_time"))
        length = _number(values.get("duration_time"))
        if self.ogg and length == _HEAD_AS_SOUND:
            return
        # Ogg's last packet is given shortened already
        stream.trimmed = length is not None and length < stream.packets.length - 1e-6
        decoded_at = _number(values.get("dts_time"))
        stream.packets.add(decoded_at if at is None else at, length, decoded_at)
        stream.padding = int(_number(values.get("discard_padding")) or 0)

    def frame(self, values: dict[str, str]) -> None:
        stream = self._stream(values.get("stream_index"))
        if stream is None:
            return
        at = _number(values.get("best_effort_timestamp_time"))
        length = _number(values.get("duration_time"))
        length = _number(values.get("pkt_duration_time")) if length is None else length
        at = _number(values.get("pts_time")) if at is None else at
        if samples := int(_number(values.get("nb_samples")) or 0):
            self._sound(stream, at, length, samples)
        else:
            stream.frames.add(at, length, at)

    def _sound(self, stream: Stream, at: float | None, length: float | None, samples: int) -> None:
        """Take a frame of sound; one without a time goes on where the one before it ends."""
        stream.heard += samples
        if at is None:
            stream.samples += samples
            stream.frames.count += 1
        else:
            stream.samples, stream.lasting = samples, length
            stream.frames.add(at, None, at)

    def stream(self, values: dict[str, str]) -> None:
        stream = self._stream(values.get("index"))
        if stream is None:
            return
        stream.kind, stream.codec = values.get("codec_type", ""), values.get("codec_name", "")
        stream.tagged = (values.get("codec_tag") or "0x0000") != "0x0000"
        stream.width, stream.height = int(_number(values.get("width")) or 0), int(_number(values.get("height")) or 0)
        stream.pixel_ratio = _ratio(values.get("sample_aspect_ratio"), ":") or 1.0
        stream.orientation = orientation(values)
        stream.cover = "1" in (values.get("disposition:attached_pic"), values.get("disposition:timed_thumbnails"))
        stream.channels, stream.rate = (
            int(_number(values.get("channels")) or 0),
            int(_number(values.get("sample_rate")) or 0),
        )
        stream.frame_rate = _ratio(values.get("avg_frame_rate"), "/") or _ratio(values.get("r_frame_rate"), "/") or 0.0
        frames = _number(values.get("nb_frames"))
        stream.nb_frames = None if frames is None else int(frames)
        stream.start, stream.promised = _number(values.get("start_time")), _number(values.get("duration"))

    def container(self, values: dict[str, str]) -> None:
        self.found.promised = _number(values.get("duration"))

    _takers = {"packet": packet, "frame": frame, "stream": stream, "format": container}  # noqa: RUF012 - read only


def _number(text: str | None) -> float | None:
    try:
        found = float(text) if text else None
    except ValueError:
        return None
    return found if found is not None and abs(found) < 1e12 else None


def _ratio(text: str | None, sign: str) -> float | None:
    above, _, below = (text or "").partition(sign)
    first, second = _number(above), _number(below)
    return first / second if first and second and first > 0 and second > 0 else None

"""Facts of audio and video from one run of ffprobe: true times, displayed size, and what really decodes.

A header's promise is compared with what the packets or decoded frames hold; the exit code of the tools proves
nothing and is not used.
"""

from __future__ import annotations

from pathlib import Path

from oloproof.media import endings, holes, mpegaudio
from oloproof.media.binary import Source
from oloproof.media.complaints import damage_told, ends_inside
from oloproof.media.drafting import Draft, Limits
from oloproof.media.formats import FORMATS
from oloproof.media.probing import Probe, Stream, Times, probe
from oloproof.records import Depth

_PROMISING = frozenset(("avi", "asf", "flv", "mxf", "tta", "wv", "ape"))
"""Demuxers whose duration is read from the header and not worked out from a bit rate."""
_CHECKED = frozenset(("flac", "wavpack", "tta", "ac3", "eac3", "ogg", "mka", "m4a"))
"""Formats whose frames carry checksums, or may, that ffmpeg compares only when asked to."""


def measure(source: Source, draft: Draft, path: Path, depth: Depth, limits: Limits) -> None:
    """Run ffprobe on ``path`` and fill ``draft`` with what it found."""
    demuxer = FORMATS[draft.found.format].demuxer
    if demuxer is None:
        return
    if depth == "decoded" and draft.pixels() > limits.max_pixels:
        draft.decodable = "too_large"
        size = f"{draft.stored_width}×{draft.stored_height}"
        draft.find("too_large", f"{size} pixels are more than the limit of {limits.max_pixels}; nothing was decoded")
        depth = "probed"
    decode = depth == "decoded"
    packets = decode or draft.duration is None or demuxer != "mov" or source.size <= limits.measured_bytes
    found = probe(
        path,
        demuxer,
        packets=packets,
        decode=decode,
        timeout=limits.decode_seconds if decode else limits.probe_seconds,
        max_pixels=limits.max_pixels,
        strict=draft.found.format in _CHECKED,
        threads=1 if draft.found.kind == "audio" else 2,  # sound decodes no faster in two
    )
    _describe(draft, found)
    if demuxer in _PROMISING and draft.promised is None:
        draft.promised = found.promised
    why = endings.cut_off(source, draft.found.format)
    if why is not None:
        draft.find("truncated", why)
    hole = holes.hole_in(source, draft.found.format) if decode and why is None else None
    if hole is not None:
        draft.find(hole.code, hole.words)
    if demuxer == "avi" and decode:
        _begin_as_stored(found)
    counted = draft.duration if demuxer == "wav" and not draft.has("truncated") else None
    if packets:
        _measure_times(draft, found, demuxer, decode)
    if counted is not None and draft.duration is not None:
        draft.duration = min(draft.duration, counted)  # what fills up the last block is not counted
        draft.extras["audio_duration"] = round(draft.duration, 3)
    if decode:
        _judge(source, draft, found)


def _begin_as_stored(found: Probe) -> None:
    """Let the pictures of an AVI begin where its first packet stands: it stores no times, and what a decoder that puts
    them in order gives out first comes as many frames late as it holds.
    """
    for stream in found.of("video"):
        if stream.packets.start is not None and stream.frames.start is not None:
            stream.frames.shift(min(stream.packets.start - stream.frames.start, 0.0))


def _describe(draft: Draft, found: Probe) -> None:
    """Set kind, size and stream facts; cover pictures make no video."""
    video, audio = found.of("video"), found.of("audio")
    if video or audio:
        draft.become("video" if video else "audio")
        draft.has_audio = bool(audio)
    elif not draft.has("damaged"):
        draft.find("damaged", "no picture or sound stream can be found in the file")
    if video:
        _picture(draft, video[0])
    if audio:
        first = audio[0]
        pairs = {"audio_codec": first.codec, "channels": first.channels, "sample_rate": first.rate}
        draft.extras.update({key: value for key, value in pairs.items() if value})
    if found.covers:
        draft.extras["cover"] = [found.covers[0].width, found.covers[0].height]
        if draft.found.kind == "audio":
            draft.find("cover_art", f"carries a cover picture of {found.covers[0].width}×{found.covers[0].height}")


def _picture(draft: Draft, stream: Stream) -> None:
    draft.set_size(stream.width, stream.height, stream.orientation)
    if stream.width and stream.height:
        shown = round(stream.width * stream.pixel_ratio), stream.height
        draft.width, draft.height = shown[::-1] if stream.orientation >= 5 else shown
    if stream.codec:
        draft.extras["video_codec"] = stream.codec
    if stream.frame_rate:
        draft.extras["frame_rate"] = round(stream.frame_rate, 3)


def _measure_times(draft: Draft, found: Probe, demuxer: str, decode: bool) -> None:
    video, audio = found.of("video"), found.of("audio")
    spans = [span for stream in (*video, *audio) if (span := _span(stream, decode)) is not None]
    if not spans:
        # nothing came out: a duration from the header would be a promise that the bytes do not keep
        draft.extras |= {} if draft.promised is None else {"promised_duration": round(draft.promised, 3)}
        empty = not draft.promised and not found.errors and bool(found.streams)
        draft.duration = 0.0 if empty and draft.duration is not None else None
        return
    begin = min(span[0] for span in spans)
    if demuxer == "mov" and draft.promised is not None:
        begin = min(begin, 0.0)  # an edit list that starts late is shown as a wait
    draft.duration = max(span[1] for span in spans) - begin
    draft.extras["duration_measured"] = True
    _compare_streams(draft, video, audio, decode)
    _compare_promise(draft, _reached(draft, found, decode), video)
    if decode and video:
        _spacing(draft, video[0])


def _span(stream: Stream, decode: bool) -> tuple[float, float] | None:
    """Return begin and end of one stream in seconds, None when nothing of it came out."""
    times: Times = stream.frames if decode else stream.packets
    end = times.closed_end(stream.step if decode or stream.kind == "video" else None)
    if times.start is None or end is None:
        return None
    start = times.start
    if not decode and stream.kind == "audio":
        # the encoder's lead-in and padding are in the packets, not in the sound
        if stream.start is not None and 0 < stream.start - start < 0.5:
            start = stream.start
        end -= stream.padding / stream.rate if stream.rate and not stream.trimmed else 0.0
    return start, max(end, start)


def _compare_streams(draft: Draft, video: list[Stream], audio: list[Stream], decode: bool) -> None:
    for name, group in (("video_duration", video), ("audio_duration", audio)):
        spans = [span for stream in group if (span := _span(stream, decode)) is not None]
        if spans:
            draft.extras[name] = round(max(span[1] - span[0] for span in spans), 3)
    shown, whole = draft.extras.get("video_duration"), draft.duration or 0.0
    if shown is not None and video and shown < whole - max(0.15, 2 * (video[0].step or 0.0)):
        draft.find("video_shorter_than_container", f"the picture ends after {shown:.2f} s of {whole:.2f} s")


def _tolerance(draft: Draft, promised: float, video: list[Stream]) -> float:
    """Return by how many seconds a promise may be off before it counts as wrong; FLAC counts every sample."""
    if draft.found.format == "flac":
        return 0.001
    step = video[0].step or 0.0 if video else 0.0
    return max(0.12, 0.01 * promised, min(3 * step, 0.5))


def _reached(draft: Draft, found: Probe, decode: bool) -> float:
    """Return what a promise of the header may mean besides the duration: the last time of any stream.

    Subtitles outlast the picture, and Matroska counts from zero where the first picture comes later.
    """
    ends = [draft.duration or 0.0]
    for stream in found.streams.values():
        seen = decode and stream.kind in ("video", "audio")
        span = _span(stream, seen) if not stream.cover else None
        ends += [span[1]] if span is not None else []
    return max(ends)


def _compare_promise(draft: Draft, reached: float, video: list[Stream]) -> None:
    promised, held = draft.promised, draft.duration
    if promised is None or held is None:
        return
    allowed = _tolerance(draft, promised, video)
    if abs(promised - held) > allowed and abs(promised - reached) > allowed:
        draft.extras["promised_duration"] = round(promised, 3)
        draft.find("header_length_wrong", f"the header promises {promised:.2f} s, the file holds {held:.2f} s")


def _spacing(draft: Draft, stream: Stream) -> None:
    times = stream.frames
    if times.count < 3 or times.shortest is None or times.longest is None:
        return
    if times.longest > 1.5 * times.shortest and times.longest - times.shortest > 0.003:
        draft.extras["variable_frame_rate"] = True
        draft.find(
            "variable_frame_rate",
            f"frames stand {times.shortest * 1000:.0f} to {times.longest * 1000:.0f} ms apart",
        )


def _judge(source: Source, draft: Draft, found: Probe) -> None:
    """Decide between complete, partial and none from what was decoded, what was promised, and every error line."""
    video, audio = found.of("video"), found.of("audio")
    decoded = [stream for stream in (*video, *audio) if stream.frames.count]
    if draft.found.kind == "video" and (video or draft.decodable != "too_large"):
        draft.frames = video[0].frames.count if video and decoded else None
        if video and video[0].nb_frames is not None and video[0].nb_frames > video[0].frames.count:
            draft.extras["promised_frames"] = video[0].nb_frames
    errors = damage_told(source, draft, found)
    if draft.decodable == "too_large":
        return
    if not decoded:
        _nothing(draft, found, errors)
        return
    cut = ends_inside(found)
    if cut:
        draft.find("truncated", "the file ends inside one of its elements")
    if errors:
        draft.find("damaged", f"{len(errors)} errors while decoding; the first: {_readable(errors[0])}")
    if not errors:
        _find_undecoded(draft, video)
        _find_undecoded(draft, audio)
    if video and not any(stream.packets.count for stream in video):
        draft.find("damaged", f"not one frame of the {video[0].codec or 'unknown'} stream is there")
    short = _short(draft, _reached(draft, found, True), video) and not _kept(source, draft, video, audio)
    broken = (
        draft.has("damaged") or short or cut or (draft.has("truncated") and not _all_there(source, draft, video, audio))
    )
    if short:
        draft.find("truncated", f"only {draft.duration:.2f} of {draft.promised:.2f} s decode")
    draft.decodable = "partial" if broken else "no_decoder" if draft.has("no_decoder") else "complete"


def _find_undecoded(draft: Draft, streams: list[Stream]) -> None:
    """Tell of streams of one kind of which none gives anything while ffmpeg does not complain: it has no decoder for
    them, unless it is an MP4 that lost the name of the codec.
    """
    stream = next((stream for stream in streams if stream.packets.count), None)
    if stream is None or any(stream.frames.count for stream in streams):
        return
    codec = stream.codec or "unknown"
    if FORMATS[draft.found.format].demuxer == "mov" and not stream.tagged:
        draft.find("damaged", f"nothing of the {codec} stream decodes")
        return
    what = "pictures" if stream.kind == "video" else "sound"
    draft.find("no_decoder", f"ffmpeg has no decoder for the {what} (codec {codec})")
    if stream.kind == "video":
        draft.frames = None


def _short(draft: Draft, reached: float, video: list[Stream]) -> bool:
    """Return whether less came out than the header promises."""
    if draft.promised is None or draft.duration is None or draft.has("no_duration_in_header"):
        return False
    return reached < draft.promised - _tolerance(draft, draft.promised, video)


def _kept(source: Source, draft: Draft, video: list[Stream], audio: list[Stream]) -> bool:
    """Return whether every byte or packet that the header counts is there, so that a longer promise is its mistake."""
    if draft.has("truncated"):
        return False
    if draft.found.format == "mp3":
        end = mpegaudio.promised_end(source)
        return end is not None and end <= source.size
    if FORMATS[draft.found.format].demuxer == "mov":
        streams = (*video, *audio)
        return all(stream.nb_frames is not None and not _lost_packets(stream) for stream in streams)
    return False


def _all_there(source: Source, draft: Draft, video: list[Stream], audio: list[Stream]) -> bool:
    """Return whether a file that is cut lost only its index: no sound and no picture is missing."""
    demuxer = FORMATS[draft.found.format].demuxer
    if demuxer == "avi":
        return endings.avi_data_is_whole(source)
    if demuxer not in ("mov", "matroska") or draft.promised is None:
        return False
    if demuxer == "mov" and any(_lost_packets(stream) for stream in (*video, *audio)):
        return False
    step = video[0].step or 0.0 if video else 0.0
    return draft.duration is not None and draft.duration >= draft.promised - max(0.05, 1.1 * step)


def _lost_packets(stream: Stream) -> bool:
    """Return whether the index of an MP4 names more packets than can be read."""
    return (stream.nb_frames or 0) > stream.packets.count + stream.discarded


def _nothing(draft: Draft, found: Probe, errors: list[str]) -> None:
    packets = sum(stream.packets.count for stream in found.streams.values() if not stream.cover)
    if packets and not errors and not draft.has("truncated") and not draft.has("header_length_wrong"):
        codec = next((stream.codec for stream in found.streams.values() if stream.packets.count), "") or "unknown"
        draft.decodable = "no_decoder"
        draft.find("no_decoder", f"ffmpeg has no decoder for the codec {codec}")
        return
    draft.decodable = "none"
    draft.find("damaged", _readable(errors[0]) if errors else "nothing in the file decodes")


def _readable(line: str) -> str:
    """Return an error line of ffmpeg without its memory addresses and paths."""
    text = line.rpartition("] ")[2] if line.startswith("[") else line
    return "the file cannot be opened by ffmpeg" if text.startswith("file:") else text[:200]

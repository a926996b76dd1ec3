"""How a sound or a video is delivered in another form: always by ffmpeg, bounded in time and bytes."""

from __future__ import annotations

import filecmp
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from oloproof.errors import MediaUnreadable
from oloproof.media.clips import Clip
from oloproof.media.ffmpeg import refuse_full_disk, run_tool
from oloproof.media.picture_recipes import Seed
from oloproof.media.silence import WINDOW, measure_levels
from oloproof.media.sound_encoding import readable

CLIP_RECIPES_VERSION = 2
"""Version of the recipes; part of the key under which what they made is found again."""

MOST_BYTES = 4 << 30
"""The largest file that is made."""

_TRIM_FLOOR = 10 ** (-50 / 10)
"""Power of 100 ms of sound under which :func:`trim` takes them for silence: -50 dBFS."""

_CLEAN = ["-map_metadata", "-1", "-map_chapters", "-1", "-flags:a", "+bitexact", "-flags:v", "+bitexact"]
_EXACT = [*_CLEAN, "-fflags", "+bitexact"]
_ONE_THREAD = ["-threads", "1"]
"""What x264 writes depends on the number of threads, and machines differ in that."""

_AS_TIMED = ["-fps_mode", "vfr"]
"""A recording that counts in thousandths of a second would else be filled up to a thousand frames a second."""

_EVEN = "pad=ceil(iw/2)*2:ceil(ih/2)*2"
_ALLOWED = ["-strict", "experimental"]
"""FFmpeg before 6.1 takes FLAC in MP4 for an experiment."""

_KEPT_IN_MP4 = frozenset(("aac", "mp3", "ac3", "eac3", "alac", "opus", "flac"))
_WAV_CODECS = {8: "pcm_u8", 16: "pcm_s16le", 24: "pcm_s24le", 32: "pcm_s32le", 0: "pcm_f32le"}
_MUXERS = {
    "mp4": ("mp4", "mp4"), "mov": ("mov", "mov"), "3gp": ("3gp", "3gp"), "3g2": ("3g2", "3g2"),
    "webm": ("webm", "webm"), "mkv": ("matroska", "mkv"), "avi": ("avi", "avi"), "flv": ("flv", "flv"),
    "mpegts": ("mpegts", "ts"), "ogv": ("ogg", "ogv"), "mpeg": ("mpeg", "mpg"),
}  # fmt: skip
"""The muxer that writes each format of video, and the ending of its files."""


class _Command(Struct, frozen=True):
    """Arguments of ffmpeg between the input and the output file, and the ending of the file's name."""

    arguments: Sequence[str]
    ending: str


def encode_clip(clip: Clip, name: str, amount: float, seed: Seed, to: Path) -> str:
    """Write ``clip`` as the recipe ``name`` delivers it to ``to``, and return the ending of its name.

    ``seed`` is asked where something is random.

    Raises:
        MediaUnreadable: it does not decode (``damaged``), has no sound or pictures (``no_audio``, ``no_pictures``), the
            form cannot hold it (``over_limit``), or ffmpeg takes too long (``media_too_slow``).
        ToolMissing: ffmpeg is not installed.
    """
    command = _RECIPES[name](clip, amount, seed)
    run_ffmpeg(clip, command.arguments, to)
    if name == "wav-reencode" and filecmp.cmp(clip.path, to, shallow=False):
        run_ffmpeg(clip, [*command.arguments, "-fflags", "+bitexact"], to)  # without the muxer's name in the header
    return command.ending


def run_ffmpeg(clip: Clip, arguments: Sequence[str], to: Path) -> int:
    """Run ffmpeg from ``clip`` to the file ``to``, and return how many bytes came out.

    Raises ``MediaUnreadable`` where it fails or the file would be larger than ``MOST_BYTES``, and ``OSError`` where the
    disk is full.
    """
    whole = ["ffmpeg", "-nostdin", "-v", "error", "-hide_banner", "-threads", "1", *clip.input_arguments]
    clip.check()
    try:
        ended = run_tool(
            [*whole, *arguments, "-fs", str(MOST_BYTES), "-y", f"file:{to}"],
            timeout=clip.timeout,
            on_line=lambda line: None,
        )
    finally:
        clip.check()
    refuse_full_disk(ended, to)
    size = to.stat().st_size if to.exists() else 0
    if ended.code != 0:
        told = readable(ended.errors[-1]) if ended.errors else f"exit code {ended.code}"
        raise MediaUnreadable(f"ffmpeg could not write it: {told}", path=clip.path, code="damaged")
    if not size:
        raise MediaUnreadable("ffmpeg wrote nothing", path=clip.path, code="damaged")
    if size >= MOST_BYTES:
        raise MediaUnreadable(f"the file would be larger than {MOST_BYTES:,} bytes", path=clip.path, code="over_limit")
    return size


# --- sound -----------------------------------------------------------------------------------------------------


def _sound(clip: Clip, arguments: Sequence[str], ending: str, *, clean: Sequence[str] = _EXACT) -> _Command:
    clip.require("audio")
    return _Command(["-map", "0:a:0", *arguments, *clean], ending)


def _wave(clip: Clip, filters: Sequence[str] = ()) -> _Command:
    """Return the arguments for a WAV that keeps the depth of the samples; decoded lossy sound has 16 bits."""
    changed = ["-af", ",".join(filters)] if filters else []
    return _sound(clip, [*changed, "-c:a", _WAV_CODECS[clip.sound_bits], "-f", "wav"], "wav")


def _wave_anew(clip: Clip, amount: float, seed: Seed) -> _Command:
    arguments = ["-c:a", _WAV_CODECS[clip.sound_bits], "-f", "wav"]
    return _sound(clip, arguments, "wav", clean=_CLEAN)  # the muxer then names itself, as it does elsewhere


def _flac(clip: Clip, amount: float, seed: Seed) -> _Command:
    deep = clip.sound_bits not in (8, 16)
    return _sound(clip, ["-c:a", "flac", "-sample_fmt", "s32" if deep else "s16", "-f", "flac"], "flac")


def _mp3(clip: Clip, amount: float, seed: Seed) -> _Command:
    clip.require("audio")
    rate = ["-ar", str(mp3_rate(clip.sound_rate, int(amount)))]
    return _sound(clip, [*rate, "-c:a", "libmp3lame", "-b:a", f"{int(amount)}k", "-f", "mp3"], "mp3")


_MP3_RATES = {
    (32_000, 44_100, 48_000): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (16_000, 22_050, 24_000): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (8_000, 11_025, 12_000): (8, 16, 24, 32, 40, 48, 56, 64),
}
"""The sample rates of MPEG-1, 2 and 2.5 with the kbit/s of each. Source: ISO/IEC 11172-3 and 13818-3; LAME for 2.5."""


def mp3_rate(rate: int, amount: int) -> int:
    """Return the sample rate nearest to ``rate`` at which an MP3 may have ``amount`` kbit/s.

    The encoder would take other kbit/s instead, and say nothing.

    Raises:
        MediaUnreadable: no MP3 has so many (code ``over_limit``).
    """
    able = [each for rates, amounts in _MP3_RATES.items() if amount in amounts for each in rates]
    if not able:
        known = sorted({each for amounts in _MP3_RATES.values() for each in amounts})
        near = " and ".join(str(each) for each in sorted(known, key=lambda each: abs(each - amount))[:2])
        raise MediaUnreadable(f"no MP3 has {amount} kbit/s; the nearest are {near}", code="over_limit")
    whole = [each for each in able if rate % each == 0 or each % rate == 0]  # 22050 of 44100, rather than 24000
    return min(whole or able, key=lambda each: abs(each - rate))


_OPUS_CHANNEL = 256
"""The most kbit/s of a channel that libopus takes."""


def _opus(clip: Clip, amount: float, seed: Seed) -> _Command:
    clip.require("audio")
    most = _OPUS_CHANNEL * clip.sound_channels
    if amount > most:
        many = "s" * (clip.sound_channels != 1)
        raise MediaUnreadable(
            f"an Opus file of {clip.sound_channels} channel{many} has at most {most} kbit/s",
            path=clip.path,
            code="over_limit",
        )
    return _sound(clip, ["-c:a", "libopus", "-b:a", f"{int(amount)}k", "-f", "ogg"], "ogg")


def _resample(clip: Clip, amount: float, seed: Seed) -> _Command:
    return _wave(clip, [f"aresample={int(amount)}"])


def _mono(clip: Clip, amount: float, seed: Seed) -> _Command:
    return _wave(clip, ["aformat=channel_layouts=mono"])


def _gain(clip: Clip, amount: float, seed: Seed) -> _Command:
    return _wave(clip, [f"volume={amount:g}dB"])


def _noise(clip: Clip, amount: float, seed: Seed) -> _Command:
    """Mix in white noise whose level lies ``amount`` dB under the mean level of the sound."""
    clip.require("audio")
    level = measure_levels(clip.path, clip.demuxer, timeout=clip.timeout)[0].mean
    if level is None:
        raise MediaUnreadable("the sound is silent, so no level of noise can be told", path=clip.path, code="no_audio")
    peak = 10 ** ((level - amount) / 20) * 3**0.5  # of evenly spread values with that mean level
    if peak > 1.0:
        raise MediaUnreadable(
            f"noise {amount:g} dB under this sound would be louder than full scale", path=clip.path, code="over_limit"
        )
    rate, channels = clip.sound_rate, clip.sound_channels
    noise = f"anoisesrc=color=white:sample_rate={rate}:amplitude={peak:.8f}:seed={seed() % (1 << 32)}"
    spread = "|".join(f"c{number}=c0" for number in range(channels))
    chain = f"{noise},pan={channels}c|{spread}[n];[0:a:0][n]amix=inputs=2:duration=first:normalize=0[out]"
    arguments = ["-filter_complex", chain, "-map", "[out]", "-c:a", _WAV_CODECS[clip.sound_bits], "-f", "wav"]
    return _Command([*arguments, *_EXACT], "wav")


def _trim(clip: Clip, amount: float, seed: Seed) -> _Command:
    clip.require("audio")
    windows = measure_levels(clip.path, clip.demuxer, timeout=clip.timeout)[0].windows
    loud = [number for number, power in enumerate(windows) if power >= _TRIM_FLOOR]
    if not loud:
        raise MediaUnreadable("there is nothing but silence; nothing would be left", path=clip.path, code="no_audio")
    cut = [f"start={loud[0] * WINDOW:.3f}"] if loud[0] else []
    cut += [f"end={(loud[-1] + 1) * WINDOW:.3f}"] if loud[-1] < len(windows) - 1 else []
    return _wave(clip, [f"atrim={':'.join(cut)}", "asetpts=PTS-STARTPTS"] if cut else [])


# --- video -----------------------------------------------------------------------------------------------------


def _copied(clip: Clip, *, sound: bool) -> _Command:
    clip.require("video")
    muxer = _MUXERS.get(clip.format)
    if muxer is None:
        raise MediaUnreadable(f"nothing here writes {clip.format} anew", path=clip.path, code="no_decoder")
    streams = ["-map", "0:v", *(["-map", "0:a?"] if sound else ["-an"])]
    return _Command([*streams, "-c", "copy", *_EXACT, "-f", muxer[0]], muxer[1])


def _remux(clip: Clip, amount: float, seed: Seed) -> _Command:
    return _copied(clip, sound=True)


def _mute(clip: Clip, amount: float, seed: Seed) -> _Command:
    return _copied(clip, sound=False)


def _h264(clip: Clip, filters: str, crf: int) -> _Command:
    clip.require("video")
    sound = ["-c:a", "copy", *_ALLOWED] if clip.sound_codec in _KEPT_IN_MP4 else ["-c:a", "aac", "-b:a", "192k"]
    video = ["-map", "0:v:0", "-vf", f"{filters}{_EVEN}", "-c:v", "libx264", "-crf", str(crf), "-preset", "medium"]
    video += [*_AS_TIMED, *_ONE_THREAD]
    return _Command([*video, "-pix_fmt", "yuv420p", "-map", "0:a:0?", *sound, *_EXACT, "-f", "mp4"], "mp4")


_GOOD = 18
"""The constant rate factor where another thing is to be changed than the quality."""


def _recoded(clip: Clip, amount: float, seed: Seed) -> _Command:
    return _h264(clip, "", int(amount))


def _scaled(clip: Clip, amount: float, seed: Seed) -> _Command:
    share = f"{amount / 100:g}"
    return _h264(clip, f"scale=max(2\\,trunc(iw*{share}/2)*2):max(2\\,trunc(ih*{share}/2)*2):flags=bicubic,", _GOOD)


def _fps(clip: Clip, amount: float, seed: Seed) -> _Command:
    return _h264(clip, f"fps={int(amount)},", _GOOD)


# --- conditions ------------------------------------------------------------------------------------------------


def _silent(clip: Clip, amount: float, seed: Seed) -> _Command:
    return _wave(clip, ["volume=0"])


def blank_clip(clip: Clip, color: str, to: Path) -> str:
    """Write the same length of one colour without sound, or of silence, to ``to``; returns the ending."""
    if clip.kind == "audio":
        return encode_clip(clip, "silence", 0, int, to)
    clip.require("video")
    ink = f"0x{color[1:]}" if color.startswith("#") else color
    filters = f"{_EVEN},drawbox=x=0:y=0:w=iw:h=ih:color={ink}:t=fill"
    arguments = ["-map", "0:v:0", "-vf", filters, "-c:v", "libx264", "-crf", str(_GOOD), "-pix_fmt", "yuv420p"]
    arguments += [*_AS_TIMED, *_ONE_THREAD]
    run_ffmpeg(clip, [*arguments, "-map", "0:a:0?", "-af", "volume=0", "-c:a", "aac", *_EXACT, "-f", "mp4"], to)
    return "mp4"


def _flipped(clip: Clip, amount: float, seed: Seed) -> _Command:
    return _h264(clip, "hflip,", _GOOD)


_RECIPES: dict[str, Callable[[Clip, float, Seed], _Command]] = {
    "wav-reencode": _wave_anew,
    "flac": _flac,
    "mp3": _mp3,
    "opus": _opus,
    "resample": _resample,
    "mono": _mono,
    "gain": _gain,
    "noise_snr": _noise,
    "trim": _trim,
    "remux": _remux,
    "mute": _mute,
    "h264": _recoded,
    "scale": _scaled,
    "fps": _fps,
    "silence": _silent,
    "mirror": _flipped,
}

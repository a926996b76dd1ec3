"""Whether a sound or a video made from another is the same: decoded to its end, both of them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from oloproof.errors import MediaUnreadable
from oloproof.media.clips import Clip
from oloproof.media.ffmpeg import refuse_full_disk, run_tool
from oloproof.media.sameness import Sameness

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STEP = 1 / 32768
"""One step of 16 bits: a difference that no ear finds."""
_MOST_RAW = 2 << 30
_PIECE = 1 << 20


class _Sound(Struct, frozen=True):
    """Decoded samples, interleaved, as they lie in a file of 32-bit floats."""

    samples: Path
    rate: int
    channels: int

    @property
    def seconds(self) -> float:
        """Length of the sound."""
        return self.samples.stat().st_size / 4 / self.channels / max(self.rate, 1)


def compare_clips(original: Clip, made: Clip) -> Sameness:
    """Return what is the same of a clip and one made from it, whose bytes differ.

    Of a sound the samples as 32-bit floats, and whether none moves by more than a step of 16 bits; of a video every
    frame as stored and as shown, and its sound.

    Raises:
        MediaUnreadable: one of them does not decode, or decoding takes too long.
        ToolMissing: ffmpeg is not installed.
    """
    return _compare_sounds(original, made) if original.kind == "audio" else _compare_videos(original, made)


def _compare_sounds(original: Clip, made: Clip) -> Sameness:
    shapes = [(clip.sound_rate, clip.sound_channels) for clip in (original, made)]
    if shapes[0] != shapes[1]:
        words = [f"{rate} Hz, {channels} channel{'s' * (channels != 1)}" for rate, channels in shapes]
        return Sameness(False, False, False, f"it has {words[1]}, the original {words[0]}")
    with _decoded(original) as first, _decoded(made) as second:
        if abs(first.seconds - second.seconds) > 0.5 / max(first.rate, 1):
            digits = 3 if abs(first.seconds - second.seconds) > 0.001 else 6  # encoders add a sample or two
            told = f"it lasts {second.seconds:.{digits}f} s, the original {first.seconds:.{digits}f} s"
            return Sameness(False, False, False, told)
        exact, most = _distance(first.samples, second.samples)
    told = "" if most <= _STEP else f"samples differ by up to {most:.4f} of full scale"
    return Sameness(False, exact, not told, told)


@contextmanager
def _decoded(clip: Clip) -> Iterator[_Sound]:
    with tempfile.NamedTemporaryFile(prefix="oloproof-samples-") as file:
        arguments = ["ffmpeg", "-nostdin", "-v", "error", "-hide_banner", *clip.input_arguments]
        arguments += ["-map", "0:a:0", "-c:a", "pcm_f32le", "-f", "f32le", "-fs", str(_MOST_RAW), "-y"]
        clip.check()
        ended = run_tool([*arguments, f"file:{file.name}"], timeout=clip.timeout, on_line=lambda line: None)
        clip.check()
        refuse_full_disk(ended, file.name)
        sound = _Sound(Path(file.name), clip.sound_rate, clip.sound_channels)
        size = sound.samples.stat().st_size
        if ended.code != 0 or not size:
            raise MediaUnreadable("the sound cannot be decoded to be compared", path=clip.path, code="damaged")
        if size >= _MOST_RAW:
            raise MediaUnreadable("the sound is too long to be compared sample by sample", code="over_limit")
        yield sound


def _distance(first: Path, second: Path) -> tuple[bool, float]:
    """Return whether two files of samples are equal, and the largest difference of two samples."""
    import numpy as np

    exact, most = True, 0.0
    with first.open("rb") as one, second.open("rb") as other:
        while True:
            pair = [_samples(file.read(4 * _PIECE)) for file in (one, other)]
            length = min(len(pair[0]), len(pair[1]))
            exact = exact and len(pair[0]) == len(pair[1]) and bool(np.array_equal(pair[0], pair[1]))
            if not length:
                return exact, most
            most = max(most, float(np.abs(pair[0][:length] - pair[1][:length]).max()))


def _samples(data: bytes) -> NDArray[Any]:
    import numpy as np

    return np.frombuffer(data[: len(data) // 4 * 4], dtype="<f4")


def _compare_videos(original: Clip, made: Clip) -> Sameness:
    shown = [_digests(clip, turned=True) for clip in (original, made)]
    if shown[0] != shown[1]:
        what = [name for name in ("pictures", "sound") if shown[0].get(name) != shown[1].get(name)]
        lost = [name for name in what if name not in shown[1]]
        told = f"it has no {lost[0]}" if lost else f"its {' and '.join(what)} differ"
        return Sameness(False, False, False, told)
    stored = [_digests(clip, turned=False) for clip in (original, made)]
    return Sameness(False, stored[0] == stored[1], True)


def _digests(clip: Clip, *, turned: bool) -> dict[str, str]:
    """Return the digest of every decoded frame together and that of the sound, as shown (``turned``) or as stored."""
    found: dict[str, str] = {}

    def line(text: str) -> None:
        parts = text.split(",")
        if len(parts) == 3:
            found["pictures" if parts[1] == "v" else "sound"] = parts[2]

    arguments = ["ffmpeg", "-nostdin", "-v", "error", "-hide_banner", *([] if turned else ["-noautorotate"])]
    arguments += [*clip.input_arguments, "-map", "0:v:0", "-map", "0:a:0?", "-c:v", "rawvideo", "-c:a", "pcm_f32le"]
    arguments += [*(["-pix_fmt", "rgb24"] if turned else []), "-f", "streamhash", "-hash", "sha256", "-"]
    clip.check()
    run_tool(arguments, timeout=clip.timeout, on_line=line)
    clip.check()
    if "pictures" not in found:
        raise MediaUnreadable("the video cannot be decoded to be compared", path=clip.path, code="damaged")
    return found

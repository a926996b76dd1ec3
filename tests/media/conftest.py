"""Files made by code for this room's tests: drawn by Pillow, packed by struct, encoded once by the real ffmpeg."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oloproof.media.facts import DEFAULT, Limits, facts_of
from oloproof.records import Depth, Facts

CASES = Path(__file__).parent.parent / "data" / "media-cases"
SECONDS = 2.0
FPS = 10

_V = ["-f", "lavfi", "-i", f"testsrc2=size=96x64:rate={FPS}:duration={SECONDS}"]
_V25 = ["-f", "lavfi", "-i", f"testsrc2=size=96x64:rate=25:duration={SECONDS}"]
_A = ["-f", "lavfi", "-i", f"sine=frequency=440:duration={SECONDS}:sample_rate=44100"]
_NOISE = ["-f", "lavfi", "-i", f"anoisesrc=duration={SECONDS}:sample_rate=44100:amplitude=0.3:seed=7"]
_X264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
_VP8 = ["-c:v", "libvpx", "-deadline", "realtime", "-b:v", "300k"]

RECIPES: dict[str, list[str]] = {
    "pcm.rf64.wav": [*_A, "-rf64", "always"],
    "sound.w64": _A,
    "sound.aiff": _A,
    "sound.caf": _A,
    "sound.au": _A,
    "sound.flac": _NOISE,
    "sound.mp3": [*_NOISE, "-b:a", "96k"],
    "vbr.mp3": [*_NOISE, "-write_xing", "0", "-q:a", "4"],
    "tagged.mp3": [*_NOISE, "-write_id3v1", "1", "-metadata", "title=x"],
    "sound.mp2": [*_NOISE, "-b:a", "128k"],
    "sound.aac": _NOISE,
    "sound.ac3": _NOISE,
    "sound.eac3": _NOISE,
    "sound.ogg": [*_NOISE, "-c:a", "libvorbis"],
    "sound.opus": [*_NOISE, "-c:a", "libopus"],
    "speex.ogg": [*_NOISE, "-c:a", "libspeex", "-ar", "16000"],
    "flac.ogg": [*_NOISE, "-c:a", "flac"],
    "sound.m4a": [*_NOISE, "-c:a", "aac"],
    "alac.m4a": [*_NOISE, "-c:a", "alac"],
    "fast.m4a": [*_NOISE, "-c:a", "aac", "-movflags", "+faststart"],
    "sound.wma": _NOISE,
    "sound.mka": [*_NOISE, "-c:a", "libvorbis"],
    "sound.wv": _NOISE,
    "sound.tta": _NOISE,
    "only_sound.mp4": [*_NOISE, "-c:a", "aac"],
    "only_sound.mov": [*_NOISE, "-c:a", "aac"],
    "only_sound.3gp": [*_NOISE, "-c:a", "aac"],
    "only_sound.webm": [*_NOISE, "-c:a", "libopus"],
    "only_sound.mkv": [*_NOISE, "-c:a", "libopus"],
    "mulaw.wav": [*_A, "-c:a", "pcm_mulaw"],
    "alaw.wav": [*_A, "-c:a", "pcm_alaw"],
    "ms.wav": [*_A, "-c:a", "adpcm_ms"],
    "ima.wav": [*_A, "-c:a", "adpcm_ima_wav"],
    "s24.wav": [*_A, "-c:a", "pcm_s24le"],
    "f32.wav": [*_A, "-c:a", "pcm_f32le"],
    "f64.wav": [*_A, "-c:a", "pcm_f64le"],
    "u8.wav": [*_A, "-c:a", "pcm_u8"],
    "six.wav": [*_A, "-ac", "6"],
    "mp3.wav": [*_A, "-c:a", "libmp3lame"],
    "clip.mp4": [*_V, *_A, *_X264, "-c:a", "aac"],
    "fast.mp4": [*_V, *_A, *_X264, "-c:a", "aac", "-movflags", "+faststart"],
    "fragmented.mp4": [*_V, *_X264, "-movflags", "frag_keyframe+empty_moov"],
    "clip.mov": [*_V, *_A, *_X264, "-c:a", "aac"],
    "clip.3gp": [*_V, *_X264],
    "clip.webm": [*_V, *_A, *_VP8, "-c:a", "libvorbis"],
    "clip.mkv": [*_V, *_A, *_X264, "-c:a", "libopus"],
    "clip.avi": [*_V, *_A, "-c:v", "mjpeg", "-c:a", "pcm_s16le"],
    "clip.flv": [*_V, *_A, "-c:v", "flv", "-c:a", "libmp3lame"],
    "clip.mpg": [*_V25, *_A, "-c:v", "mpeg1video", "-c:a", "mp2"],
    "clip.ts": [*_V25, *_A, "-c:v", "mpeg2video", "-c:a", "mp2"],
    "clip.wmv": [*_V, *_A, "-c:v", "wmv2", "-c:a", "wmav2"],
    "clip.ogv": [*_V, *_A, "-c:v", "libtheora", "-c:a", "libvorbis"],
    "hevc.mp4": [
        *_V,
        "-c:v",
        "libx265",
        "-preset",
        "ultrafast",
        "-pix_fmt",
        "yuv420p",
        "-x265-params",
        "log-level=none",
    ],
    "one.mp4": [*_V, "-frames:v", "1", *_X264],
    "wide.mp4": [*_V, "-vf", "setsar=2", *_X264],
    "wide.webm": [*_V, "-vf", "setsar=2", *_VP8],
    "silent.mp4": [*_V, *_X264],
}
STREAMED = {
    "live.webm": [*_V, *_A, *_VP8, "-c:a", "libopus", "-f", "webm"],
    "piped.wav": [*_A, "-f", "wav"],
}


def ffmpeg(*arguments: str) -> bytes:
    """Run the real ffmpeg and return what it wrote to standard output."""
    command = ["ffmpeg", "-nostdin", "-y", "-v", "error", *arguments]
    return subprocess.run(command, check=True, capture_output=True, timeout=120).stdout


@pytest.fixture(scope="session")
def made(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that gives the path of an encoded file, made on first use by whichever worker."""
    unfinished = tmp_path_factory.mktemp("made")

    def make(name: str) -> Path:
        path = shared / name
        if not path.exists():
            if name in STREAMED:
                (unfinished / name).write_bytes(ffmpeg(*STREAMED[name], "-"))
            else:
                ffmpeg(*RECIPES[name], f"file:{unfinished / name}")
            with contextlib.suppress(FileExistsError):  # a file that another worker made, and may read, is not replaced
                os.link(unfinished / name, path)
        return path

    return make


@pytest.fixture(scope="session")
def expected() -> dict[str, dict[str, Any]]:
    """Return the true facts of the files in ``tests/data/media-cases``."""
    return json.loads((CASES / "expected.json").read_text(encoding="utf-8"))["files"]


def facts(path: Path, depth: Depth = "decoded", limits: Limits = DEFAULT) -> Facts:
    """Return the facts of a file on disk."""
    with path.open("rb") as file:
        return facts_of(file, path=path, depth=depth, limits=limits)


def facts_in(data: bytes, depth: Depth = "decoded", limits: Limits = DEFAULT) -> Facts:
    """Return the facts of bytes that need no process."""
    return facts_of(io.BytesIO(data), path=Path("/nowhere"), depth=depth, limits=limits)


def codes(found: Facts) -> set[str]:
    """Return the finding codes."""
    return {finding.code for finding in found.findings}


def encoded(picture: Image.Image, form: str, **options: Any) -> bytes:
    """Return ``picture`` as the bytes of a file."""
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


@pytest.fixture(scope="session")
def picture() -> Image.Image:
    """Return a small picture of soft colours whose eight orientations all differ."""
    import numpy as np

    grain = np.random.default_rng(3).integers(0, 256, (6, 9, 3), dtype=np.uint8)
    return Image.fromarray(grain).resize((90, 60), Image.Resampling.BICUBIC)

"""Files made by code for this room's tests: drawn by Pillow, packed by struct, encoded once by the real ffmpeg."""

from __future__ import annotations

import io
import json
import struct
import subprocess
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oloproof.media.facts import DEFAULT, Limits, facts_of
from oloproof.records import Depth, Facts
from tests.conftest import made_once

CASES = Path(__file__).parent.parent / "data" / "media-cases"
SECONDS = 2.0
FPS = 10

PICTURES = f"testsrc2=size=96x64:rate={FPS}:duration={SECONDS}"
PICTURES_25 = f"testsrc2=size=96x64:rate=25:duration={SECONDS}"
TONE = f"sine=frequency=440:duration={SECONDS}:sample_rate=44100"
NOISE = f"anoisesrc=duration={SECONDS}:sample_rate=44100:amplitude=0.3:seed=7"
X264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
VP8 = ["-c:v", "libvpx", "-deadline", "realtime", "-b:v", "300k"]

RECIPES: dict[tuple[str, ...], dict[str, list[str]]] = {
    (TONE,): {
        "pcm.rf64.wav": ["-rf64", "always"],
        "sound.w64": [],
        "sound.aiff": [],
        "sound.caf": [],
        "sound.au": [],
        "mulaw.wav": ["-c:a", "pcm_mulaw"],
        "alaw.wav": ["-c:a", "pcm_alaw"],
        "ms.wav": ["-c:a", "adpcm_ms"],
        "ima.wav": ["-c:a", "adpcm_ima_wav"],
        "s24.wav": ["-c:a", "pcm_s24le"],
        "f32.wav": ["-c:a", "pcm_f32le"],
        "f64.wav": ["-c:a", "pcm_f64le"],
        "u8.wav": ["-c:a", "pcm_u8"],
        "six.wav": ["-ac", "6"],
        "mp3.wav": ["-c:a", "libmp3lame"],
    },
    (NOISE,): {
        "sound.flac": [],
        "sound.mp3": ["-b:a", "96k"],
        "vbr.mp3": ["-write_xing", "0", "-q:a", "4"],
        "tagged.mp3": ["-write_id3v1", "1", "-metadata", "title=x"],
        "sound.mp2": ["-b:a", "128k"],
        "sound.aac": [],
        "sound.ac3": [],
        "sound.eac3": [],
        "sound.ogg": ["-c:a", "libvorbis"],
        "sound.opus": ["-c:a", "libopus"],
        "speex.ogg": ["-c:a", "libspeex", "-ar", "16000"],
        "flac.ogg": ["-c:a", "flac"],
        "sound.m4a": ["-c:a", "aac"],
        "alac.m4a": ["-c:a", "alac"],
        "fast.m4a": ["-c:a", "aac", "-movflags", "+faststart"],
        "sound.wma": [],
        "sound.mka": ["-c:a", "libvorbis"],
        "sound.wv": [],
        "sound.tta": [],
        "only_sound.mp4": ["-c:a", "aac"],
        "only_sound.mov": ["-c:a", "aac"],
        "only_sound.3gp": ["-c:a", "aac"],
        "only_sound.webm": ["-c:a", "libopus"],
        "only_sound.mkv": ["-c:a", "libopus"],
    },
    (PICTURES, TONE): {
        "clip.mp4": [*X264, "-c:a", "aac"],
        "fast.mp4": [*X264, "-c:a", "aac", "-movflags", "+faststart"],
        "clip.mov": [*X264, "-c:a", "aac"],
        "clip.webm": [*VP8, "-c:a", "libvorbis"],
        "clip.mkv": [*X264, "-c:a", "libopus"],
        "clip.avi": ["-c:v", "mjpeg", "-c:a", "pcm_s16le"],
        "ordered.avi": [*X264, "-bf", "2", "-c:a", "pcm_s16le"],
        "clip.flv": ["-c:v", "flv", "-c:a", "libmp3lame"],
        "clip.wmv": ["-c:v", "wmv2", "-c:a", "wmav2"],
        "clip.ogv": ["-c:v", "libtheora", "-c:a", "libvorbis"],
    },
    (PICTURES,): {
        "fragmented.mp4": [*X264, "-movflags", "frag_keyframe+empty_moov"],
        "clip.3gp": [*X264],
        "hevc.mp4": [
            "-c:v",
            "libx265",
            "-preset",
            "ultrafast",
            "-pix_fmt",
            "yuv420p",
            "-x265-params",
            "log-level=none",
        ],
        "one.mp4": ["-frames:v", "1", *X264],
        "wide.mp4": ["-vf", "setsar=2", *X264],
        "wide.webm": ["-vf", "setsar=2", *VP8],
        "silent.mp4": [*X264],
    },
    (PICTURES_25, TONE): {
        "clip.mpg": ["-c:v", "mpeg1video", "-c:a", "mp2"],
        "clip.ts": ["-c:v", "mpeg2video", "-c:a", "mp2"],
    },
}
"""The options of each file by the sources that it is made of."""

STREAMED = {
    "live.webm": ((PICTURES, TONE), [*VP8, "-c:a", "libopus", "-f", "webm"]),
    "piped.wav": ((TONE,), ["-f", "wav"]),
}
"""Files that are written to a pipe, where nothing can be mended at the end."""

RECORDED = {name for recipes in RECIPES.values() for name in recipes} | set(STREAMED)


def sources(names: tuple[str, ...]) -> list[str]:
    """Return the arguments that make ffmpeg draw and sing itself."""
    return [argument for name in names for argument in ("-f", "lavfi", "-i", name)]


def ffmpeg(*arguments: str) -> bytes:
    """Run the real ffmpeg and return what it wrote to standard output."""
    command = ["ffmpeg", "-nostdin", "-y", "-v", "error", *arguments]
    return subprocess.run(command, check=True, capture_output=True, timeout=120).stdout


def turned_mp4(straight: bytes, degrees: int) -> bytes:
    """Return an MP4 or MOV of one track with the matrix of its ``tkhd`` box set to turn it clockwise by a right angle.

    ffmpeg's own option for that has another name in each of its versions.
    """
    cosine, sine = {90: (0, 1), 180: (-1, 0), 270: (0, -1)}[degrees]
    matrix = struct.pack(">9i", *(n << 16 for n in (cosine, sine, 0, -sine, cosine, 0, 0, 0)), 1 << 30)
    begin = straight.index(b"tkhd") + 4 + 40  # behind times, track, duration, layer and volume of version 0
    return straight[:begin] + matrix + straight[begin + 36 :]


@pytest.fixture(scope="session")
def made(shared: Path) -> Callable[[str], Path]:
    """Return a function that gives the path of an encoded file, made on first use by whichever worker.

    One process makes all files of the same sources, since starting ffmpeg takes longer than encoding one of them.
    """

    def stream(folder: Path) -> None:
        for name, (inputs, options) in STREAMED.items():
            (folder / name).write_bytes(ffmpeg(*sources(inputs), *options, "-"))

    def make(name: str) -> Path:
        if name in STREAMED:
            return made_once(shared / "streamed", stream) / name
        [inputs] = [inputs for inputs, recipes in RECIPES.items() if name in recipes]

        def encode(folder: Path) -> None:
            outputs = [[*options, f"file:{folder / output}"] for output, options in RECIPES[inputs].items()]
            ffmpeg(*sources(inputs), *chain.from_iterable(outputs))

        return made_once(shared / f"encoded-{list(RECIPES).index(inputs)}", encode) / name

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

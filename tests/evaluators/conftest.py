"""Makers of real files, and one short way to have an evaluator judge an execution made by hand."""

from __future__ import annotations

import asyncio
import inspect
import math
import subprocess
import wave
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from oloproof.evaluators import Evaluator, Subject, builtin_registry
from oloproof.media import MediaReader, media_file, using_reader
from oloproof.records import Case, Execution, MediaItem, Verdict

CONFIG = {"criterion": "checked"}


def scene(width: int, height: int, *, seed: int = 0) -> Image.Image:
    """Return a picture with content in both directions: a sky that darkens, hills, a sun."""
    picture = Image.new("RGB", (960, 720))
    draw = ImageDraw.Draw(picture)
    for row in range(720):
        draw.line((0, row, 960, row), fill=(90 + row // 8, 140 + row // 12, 230 - row // 6))
    draw.ellipse((650 - 200 * seed, 80, 830 - 200 * seed, 260), fill=(255, 220, 90))
    draw.polygon(
        [(0, 720), (0, 480 - 90 * seed), (320, 330 + 60 * seed), (620, 560), (960, 420), (960, 720)], fill=(40, 90, 50)
    )
    draw.rectangle((120 + 300 * seed, 500, 300 + 300 * seed, 690), fill=(170, 60, 50))
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _picture(size: str, content: str) -> Image.Image:
    width, height = (int(side) for side in size.split("x"))
    if content == "scene":
        return scene(width, height)
    if content == "other":
        return scene(width, height, seed=1)
    return Image.new("RGB", (width, height), content)


def _wav(path: Path, seconds: float) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        samples = (int(9000 * math.sin(index / 5)) for index in range(round(8000 * seconds)))
        file.writeframes(b"".join(sample.to_bytes(2, "little", signed=True) for sample in samples))


def _ffmpeg(path: Path, *arguments: str) -> None:
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *arguments, str(path)], check=True, timeout=30)


def make_file(path: Path, words: Sequence[str]) -> None:
    """Make a file from words such as ``png 64x64 scene``, ``wav 1.25s``, ``mp4 64x48 1s silent``, ``html``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kind, *rest = words
    if kind in ("png", "jpeg", "webp", "bmp", "tiff"):
        _picture(rest[0], rest[1] if len(rest) > 1 else "scene").save(path, kind.upper())
    elif kind == "gif":
        frames = [scene(64, 48, seed=number) for number in range(2)]
        frames[0].save(path, "GIF", save_all=True, append_images=frames[1:], duration=500)
    elif kind == "wav":
        _wav(path, float(rest[0].removesuffix("s")))
    elif kind == "mp3":
        _ffmpeg(path, "-f", "lavfi", "-i", f"sine=d={rest[0].removesuffix('s')}", "-f", "mp3")
    elif kind in ("mp4", "webm"):
        size, seconds, *more = rest
        sound = [] if "silent" in more else ["-f", "lavfi", "-i", f"sine=d={seconds.removesuffix('s')}"]
        codecs = ["-c:v", "libx264", "-pix_fmt", "yuv420p"] if kind == "mp4" else ["-c:v", "libvpx"]
        _ffmpeg(
            path,
            "-f",
            "lavfi",
            "-i",
            f"testsrc=s={size}:r=10:d={seconds.removesuffix('s')}",
            *sound,
            *codecs,
            "-f",
            kind,
        )
    elif kind == "html":
        path.write_text("<!DOCTYPE html><html><head><title>502</title></head><body>Bad gateway</body></html>")
    elif kind == "empty":
        path.write_bytes(b"")
    else:
        raise ValueError(f"no maker for {kind}")


Judge = Callable[..., Verdict]


class Bench:
    """A project folder in which files are made and evaluators judge them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.reader = MediaReader(root)

    def file(self, name: str, words: str) -> Path:
        make_file(self.root / name, words.split())
        return self.root / name

    def record(self, name: str, role: str = "output", **more: Any) -> MediaItem:
        with using_reader(self.reader):
            return media_file(self.root / name, role=role, **more)  # type: ignore[arg-type]

    def media(self, *lines: str) -> tuple[MediaItem, ...]:
        """Make and record files from lines such as ``input voice.wav wav 1.25s``."""
        items = []
        for line in lines:
            words = line.split()
            role = words.pop(0) if words[0] in ("input", "output", "context") else "output"
            make_file(self.root / words[0], words[1:])
            items.append(self.record(words[0], role))
        return tuple(items)

    def evaluator(self, name: str, *, prepare: bool = True, **options: Any) -> Evaluator[Any]:
        registry = builtin_registry()
        checked = registry.options()[name].model_validate({**CONFIG, "type": name, **options})
        evaluator = registry.build(checked, self.root)
        if prepare:
            evaluator.prepare()
        return evaluator

    def judge(
        self,
        evaluator: Evaluator[Any],
        output: Any = None,
        expected: Any = None,
        media: Sequence[MediaItem] = (),
        files: dict[str, str] | None = None,
    ) -> Verdict:
        case = Case("one", {}, expected, files=files or {})
        given = evaluator.evaluate(Subject(case, Execution(output, tuple(media)), self.reader))
        verdict = asyncio.run(_awaited(given)) if inspect.isawaitable(given) else given
        assert isinstance(verdict, Verdict)
        assert verdict.reason
        return verdict


async def _awaited(given: Any) -> Any:
    return await given


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def check(bench: Bench) -> Judge:
    """Judge in one call: ``check("exact_match", "a", "b", casefold=True)``; options by keyword."""

    def judge(
        name: str, output: Any = None, expected: Any = None, *, media: Sequence[MediaItem] = (), **options: Any
    ) -> Verdict:
        return bench.judge(bench.evaluator(name, **options), output, expected, media)

    return judge

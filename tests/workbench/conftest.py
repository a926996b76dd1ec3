"""A project with recorded files of every kind in a real database, and a client of the real application on it."""

from __future__ import annotations

import io
import math
import struct
import subprocess
import warnings
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from oloproof.digests import digest_of
from oloproof.media import MediaReader, media_file, using_reader
from oloproof.records import Case, Execution, Judgement, MediaItem, Trial, Verdict
from oloproof.storage import Entry, NewRun, Store
from oloproof.workbench.app import create_app
from oloproof.workbench.desk import Desk
from tests.conftest import made_once

with warnings.catch_warnings():  # it would rather have another client library than the one that is here
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

RUN = "20261130-101500-ab12"
TOKEN = "the token of these tests"  # noqa: S105
HOST = "127.0.0.1:7788"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
CLIP_COLOURS = ("red", "lime", "blue")
"""What the clip shows, a second each."""


class Exhibit:
    """A project folder in which files are recorded and then shown."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.reader = MediaReader(root)
        self.items: list[MediaItem] = []

    def record(self, name: str, data: bytes, **facts: Any) -> str:
        """Write a file, record it, and return the id that it will have in the run."""
        path = self.root / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        with using_reader(self.reader):
            self.items.append(media_file(path, **facts))
        return f"1.{len(self.items) - 1}"

    def path(self, item: str) -> Path:
        """Return where a recorded file lies."""
        return self.root / self.items[int(item.partition(".")[2])].path

    def store(self, run: str = RUN) -> None:
        """Store a run of one case with everything that was recorded."""
        entry = {
            "criterion": "fits", "type": "custom", "version": "1", "calls_model": False, "metric": "rate",
            "score_range": None, "digest": "0" * 64,
        }  # fmt: skip
        document = {
            "project": {}, "evaluators": [entry], "repeats": {"count": 1, "pass_when": None},
            "versions": {"oloproof": "0.1.0", "python": "3.11.0"},
        }  # fmt: skip
        store = Store(self.root)
        opened = store.begin(NewRun(run, "shop", "describer", "v8", "c" * 64, "d" * 64, False, 1, 1, document))
        execution = Execution({"text": "a red mug"}, tuple(self.items), seconds=0.25)
        trial = Trial(0, Case("mug-1", {"photo": "mug.png"}))
        judged = [Judgement((Verdict.passed("as wanted"),))]
        store.append(opened, [Entry(trial, bytes.fromhex(digest_of([run])), '"x"', execution, judged)])
        store.finish(opened, "complete")
        store.close()


@pytest.fixture
def exhibit(tmp_path: Path) -> Exhibit:
    """An empty project."""
    return Exhibit(tmp_path / "pröject")


@pytest.fixture
def opened() -> Iterator[Callable[..., TestClient]]:
    """Return a function that opens the workbench on a project and gives a client of it."""
    desks: list[Desk] = []

    def open_(root: Path, *, read_only: bool = False, **more: Any) -> TestClient:
        root.mkdir(exist_ok=True)
        desk = Desk(root, read_only=read_only, token=TOKEN)
        desks.append(desk)
        return TestClient(create_app(desk), base_url=f"http://{HOST}", follow_redirects=False, **more)

    yield open_
    for desk in desks:
        desk.close()


def png(size: tuple[int, int] = (64, 48), colour: str = "red") -> bytes:
    """Return a picture with an ellipse."""
    picture = Image.new("RGB", size, "white")
    ImageDraw.Draw(picture).ellipse((8, 8, size[0] - 8, size[1] - 8), fill=colour)
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def tone(seconds: float = 1.0, *, rate: int = 8000) -> bytes:
    """Return a WAV: silence, then from the middle on a loud tone."""
    count = int(seconds * rate)
    samples = [0 if n < count // 2 else int(30_000 * math.sin(n / 3)) for n in range(count)]
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(struct.pack(f"<{count}h", *samples))
    return out.getvalue()


@pytest.fixture(scope="session")
def clip(shared: Path) -> bytes:
    """Three seconds of video, each of another colour."""
    inputs = [part for colour in CLIP_COLOURS for part in ("-f", "lavfi", "-i", f"color={colour}:s=96x64:r=10:d=1")]
    coded = ["-filter_complex", "concat=n=3", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]

    def make(folder: Path) -> None:
        command = ["ffmpeg", "-nostdin", "-y", "-v", "error", *inputs, *coded, str(folder / "clip.mp4")]
        subprocess.run(command, check=True, capture_output=True, timeout=60)

    return (made_once(shared / "three-colours", make) / "clip.mp4").read_bytes()

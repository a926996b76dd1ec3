"""A project with pictures and whatever variants a test declares, and what a run of it stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from oloproof.running import RunResult, run
from oloproof.storage import History, Store, StoredTrial
from tests.conftest import Folder

PROJECT = """\
version: 1
project: family
dataset: cases.jsonl
system: {name: looker, version: v1, callable: "app:answer"}
concurrency: 4
"""

APP = """\
import json, os
from PIL import Image
from oloproof import current_case

def answer(case):
    with open("asked.txt", "a") as file:
        file.write(current_case().variant + "\\n")
    photo = case.get("photo")
    size = None
    if photo is not None:
        with Image.open(photo) as image:
            size = list(image.size)
    return {"size": size, "keys": sorted(case), "question": case.get("question"), "photo": photo}
"""

CHECK = """\
evaluators:
  - {type: exact_match, criterion: right, field: size, expected_field: size}
"""


def picture(seed: int, width: int = 24, height: int = 16) -> Image.Image:
    """A small picture of noise, another for each seed."""
    values = np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(values)


def png(image: Image.Image, **options: Any) -> bytes:
    out = BytesIO()
    image.save(out, "PNG", **options)
    return out.getvalue()


@dataclass(frozen=True)
class Lab:
    """The project, its runs, and what they stored."""

    folder: Folder

    @property
    def root(self) -> Path:
        return self.folder.root

    def project(self, more: str, rows: list[Mapping[str, Any]] | None = None, *, app: str = APP) -> None:
        """Write the project; ``rows`` are three cases with a picture each unless they are given."""
        self.folder.write("oloproof.yaml", PROJECT + CHECK + more)
        self.folder.write("app.py", app)
        if rows is None:
            rows = [self.row(number) for number in range(3)]
        self.folder.cases(rows)

    def row(self, number: int, image: bytes | None = None, **more: Any) -> dict[str, Any]:
        """Return a case whose picture is written too."""
        name = f"photos/{number}.png"
        self.folder.write(name, png(picture(number)) if image is None else image)
        given = {"photo": name, "question": "how large?", **more.pop("given", {})}
        return {"id": f"c{number}", "input": given, "expected": {"size": [24, 16], **more}}

    def run(self, **options: Any) -> RunResult:
        return run(self.root, **options)

    def trials(self) -> dict[tuple[str, str, int], StoredTrial]:
        """Return the trials of the newest run by case, variant and repeat."""
        with closing(Store(self.root)) as store:
            history = History(store)
            found = history.trials(history.find())
            return {(one.case_id, one.variant, one.repeat): one for one in found}

    def asked(self) -> list[str]:
        """Return the variants for which the system was called, in the order of the calls, and forget them."""
        file = self.root / "asked.txt"
        lines = file.read_text(encoding="utf-8").split() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines

    def files(self) -> dict[Path, int]:
        """Return the files made for variants, each with the time of its last change."""
        made = (self.root / ".oloproof" / "variants").glob("*/*")
        return {file: file.stat().st_mtime_ns for file in made}


@pytest.fixture
def lab(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """An empty project for variants; its system writes into the folder that it runs in."""
    monkeypatch.chdir(folder.root)
    return Lab(folder)


@pytest.fixture
def varied(lab: Lab) -> Callable[..., Lab]:
    """Return a project whose photos are delivered by ``recipes``."""

    def make(*recipes: str, more: str = "", rows: list[Mapping[str, Any]] | None = None) -> Lab:
        lab.project(f"variants:\n  - delivery: {{field: photo, apply: [{', '.join(recipes)}]}}\n{more}", rows)
        return lab

    return make

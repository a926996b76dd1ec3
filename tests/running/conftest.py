"""A project that records pictures, with a mode by which each case can go wrong in its own way."""

from __future__ import annotations

import random
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageDraw

PHOTO_PROJECT = """\
version: 1
project: thumbnails
dataset: {path: cases.jsonl, media: [photo]}
system: {callable: "app:thumbnail", records: [media/v1]}
concurrency: 2
evaluators:
  - {type: media_check, criterion: fits, kind: image, formats: [png], max_width: 64}
  - {type: image_matches_reference, criterion: alike, reference_field: photo}
  - {type: exact_match, criterion: wide, field: width, expected_field: width}
policy:
  rules:
    - {id: all-fit, metric: fits, max_failures: 0}
"""

PHOTO_APP = """\
import os
from pathlib import Path

from PIL import Image

from oloproof import current_case, media_file, system


@system(name="thumbnailer", version="v1", records=("media/v1",))
def thumbnail(case):
    image = Image.open(case["photo"])
    image.thumbnail((64, 64))
    path = current_case().path("thumb.png")
    image.save(path)
    current_case().media([media_file(case["photo"], role="input"), media_file(path)])
    MODES.get(case.get("mode"), lambda path: None)(path)
    return {"width": image.width}


def one_byte(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def swap_for_symlink(path):
    path.rename(path.with_name("elsewhere.png"))
    path.symlink_to("elsewhere.png")


def swap_for_directory(path):
    path.unlink()
    path.mkdir()


def record_empty(path):
    empty = current_case().path("empty.png")
    empty.write_bytes(b"")
    current_case().media([media_file(empty)])


def fail(path):
    raise ValueError("cannot make a thumbnail today")


MODES = {
    "one byte": one_byte,
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:50]),
    "deleted": Path.unlink,
    "symlink": swap_for_symlink,
    "directory": swap_for_directory,
    "fifo": lambda path: (path.unlink(), os.mkfifo(path)),
    "empty": record_empty,
    "raises": fail,
}
"""


def picture(seed: int) -> bytes:
    """Return a PNG of many coloured boxes, different for each seed."""
    chance = random.Random(seed)
    image = Image.new("RGB", (160, 120), (seed * 20 % 256, 100, 200))
    draw = ImageDraw.Draw(image)
    for _ in range(12):
        x, y = chance.randint(0, 140), chance.randint(0, 100)
        draw.rectangle([x, y, x + 40, y + 30], fill=tuple(chance.randint(0, 255) for _ in range(3)))
    buffer = BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def photos(folder: Any) -> Callable[..., Any]:
    """A project with one case for each mode given."""

    def make(*modes: str, app: str = PHOTO_APP, project: str = PHOTO_PROJECT) -> Any:
        folder.write("oloproof.yaml", project)
        folder.write("app.py", app)
        rows = []
        for number, mode in enumerate(modes):
            folder.write(f"photo{number}.png", picture(number))
            expected = {"photo": f"photo{number}.png", "width": 64}
            case_input = {"photo": f"photo{number}.png", "mode": mode}
            rows.append({"id": f"c{number}", "input": case_input, "expected": expected})
        folder.cases(rows)
        return folder

    return make

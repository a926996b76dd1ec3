"""A project whose system counts the bars in a picture, run really with variants: what families look like on pages.

``wide`` holds under every delivery, ``thin`` breaks when it is blurred, ``flaky`` is counted otherwise in one repeat,
``grey`` is not changed by taking its colours away, ``wrong`` expects another number and ``crash`` fails when blurred.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw

from oloproof.running import run

VARIANTS = ("png-reencode", "blur-3", "grayscale", "crop-10", "blank", "text_only")
CASES = ("wide", "thin", "flaky", "grey", "wrong", "crash")

SYSTEM = """\
from PIL import Image
from oloproof import current_case, system

@system(name="counter", version="v1")
def count(given):
    case = current_case()
    if case.id == "crash" and case.variant == "blur-3":
        raise RuntimeError("the reader lost its connection")
    if not given.get("photo"):
        return {"count": 0}
    image = Image.open(given["photo"]).convert("L")
    row = [image.getpixel((x, image.height // 2)) < 128 for x in range(image.width)]
    bars = sum(1 for before, here in zip([False] + row, row) if here and not before)
    return {"count": bars + (case.id == "flaky" and case.repeat)}
"""

PROJECT = """\
version: 1
project: bars
dataset: {path: cases.jsonl, media: [photo]}
system: {callable: "bars_for_tests:count"}
repeats: 2
variants:
  - delivery: {field: photo, apply: [png-reencode, {blur: 3}, grayscale]}
  - delivery: {field: photo, apply: [{crop: 10}], relation: same_view}
  - blank: photo
  - text_only: photo
evaluators:
  - {type: numeric, criterion: counted, field: count, expected_field: count}
  - {type: json_schema, criterion: shaped, schema: {type: object}}
policy:
  version: 1
  rules:
    - {id: counts-right, metric: counted, min: 0.2}
    - {id: blur-holds, metric: counted.delta, variant: blur-3, min: -0.1}
    - {id: worst-degraded, metric: counted.worst_delta, relation: degraded, min: -0.3, decide_on: estimate}
"""


@dataclass(frozen=True)
class Bars:
    """The project, and the id of its run."""

    root: Path
    run: str

    def case(self, name: str, query: str = "") -> str:
        """Return the address of a case."""
        return f"/runs/{self.run}/cases/{name}{query}"


def open_bars(root: Path, cases: Collection[str] = CASES) -> Bars:
    """Make the project in ``root`` and run it."""
    (root / "bars_for_tests.py").write_text(SYSTEM)
    (root / "oloproof.yaml").write_text(PROJECT)
    rows = []
    for number, name in enumerate(cases):
        _draw(3, 1 if name == "thin" else 7, "black" if name == "grey" else "navy", number).save(root / f"{name}.png")
        expected = {"count": 4 if name == "wrong" else 3}
        rows.append({"id": name, "input": {"photo": f"{name}.png"}, "expected": expected})
    (root / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Bars(root, run(root).run.id)


def _draw(bars: int, width: int, colour: str, seed: int) -> Image.Image:
    """Return a light picture with upright bars; the seed moves them, so that no two cases are the same file."""
    image = Image.new("RGB", (96, 64), "#eeeeee")
    for bar in range(bars):
        left = 12 + seed + bar * 26
        ImageDraw.Draw(image).rectangle((left, 8, left + width - 1, 55), fill=colour)
    return image

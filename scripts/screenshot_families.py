"""The project behind the pictures of families: charts in other forms, and a reader of them that goes by colour."""

from __future__ import annotations

import json
import random
from pathlib import Path

from PIL import Image, ImageDraw

from oloproof.running import run

CHARTS = 32
FRUITS = ("apples", "pears", "plums", "grapes", "figs")
COLOURS = ("#2f6db3", "#c4472b", "#3d8c40", "#8a4fa3", "#d08a1d")
SIZE = (420, 300)
SHOWN = "chart-07"

PROJECT = """\
version: 1
project: charts
dataset: charts.jsonl
system: {callable: "chart_reader:highest"}
variants:
  - delivery:
      field: chart
      apply: [png-reencode, exif-strip, jpeg-40, resize-25, {blur: 3}, {rotate: 7}, {noise: 60}, grayscale]
  - blank: {field: chart, color: white}
evaluators:
  - {type: exact_match, criterion: highest_bar, expected_field: fruit}
policy:
  version: 1
  rules:
    - {id: reads-charts, metric: highest_bar, min: 0.8}
    - {id: same-in-other-bytes, metric: highest_bar.worst_delta, relation: same_view, min: -0.15}
    - {id: small-jpeg, metric: highest_bar.delta, variant: jpeg-40, min: -0.15}
    - {id: print-in-grey, metric: highest_bar.delta, variant: grayscale, min: -0.15}
    - {id: looks-at-the-chart, metric: highest_bar.gain, variant: blank, min: 0.5}
"""

SYSTEM = f'''\
import numpy
from PIL import Image

from oloproof import system

FRUITS = {FRUITS!r}


@system(name="chart-reader", version="v3")
def highest(case):
    """Name the bar that has most colour in one column."""
    with Image.open(case["chart"]) as chart:
        _, colour, light = (numpy.asarray(band).astype(int) for band in chart.convert("HSV").split())
    inked = ((colour > 110) & (light > 60)).sum(axis=0)
    thick = numpy.convolve(inked, numpy.ones(5), "same")
    return FRUITS[int(thick.argmax()) * len(FRUITS) // len(thick)]
'''


def make_families(root: Path) -> str:
    """Draw the charts, write the project and run it; returns the id of the run."""
    (root / "charts").mkdir(parents=True)
    chance = random.Random(11)  # noqa: S311 - a picture, not a secret
    with open(root / "charts.jsonl", "w") as rows:
        for number in range(CHARTS):
            heights = [chance.randint(40, 190) for _ in FRUITS]
            highest = number % len(FRUITS)
            heights[highest] = max(heights) + chance.choice((4, 12, 30))
            name = f"chart-{number:02}"
            _drawn(heights).save(root / "charts" / f"{name}.png")
            expected = {"fruit": FRUITS[highest]}
            rows.write(json.dumps({"id": name, "input": {"chart": f"charts/{name}.png"}, "expected": expected}) + "\n")
    (root / "chart_reader.py").write_text(SYSTEM)
    (root / "oloproof.yaml").write_text(PROJECT)
    return run(root).run.id


def _drawn(heights: list[int]) -> Image.Image:
    picture = Image.new("RGB", SIZE, "white")
    pen = ImageDraw.Draw(picture)
    width, base = SIZE[0] // len(FRUITS), SIZE[1] - 36
    for line in range(5):
        pen.line((0, base - line * 55, SIZE[0], base - line * 55), fill="#dddddd")
    for place, (fruit, height, colour) in enumerate(zip(FRUITS, heights, COLOURS, strict=True)):
        left = place * width + 18
        pen.rectangle((left, base - height, left + width - 36, base), fill=colour)
        pen.text((left, base + 8), fruit, fill="#333333", font_size=14)
        pen.text((left + 8, base - height - 18), str(height), fill="#333333", font_size=13)
    return picture

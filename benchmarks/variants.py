"""Measure what deliveries of pictures cost, in CPU-seconds of the processes: 1,000 pictures in eight forms, and again.

``python benchmarks/variants.py`` draws 256x256 PNGs, half like photos and half like charts, and runs a project whose
system only looks at the size of its file. Beside it stands a bare loop that makes the same seven files of each picture
(the eighth form is the untouched original), decoding once, with Pillow as it comes, and keeps, compares and stores
nothing. Figures of one machine compare with nothing: look at the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

SIDE = 256
RECIPES = ("png-reencode", "exif-strip", "jpeg-75", "jpeg-40", "resize-50", "grayscale", "webp")
PROJECT = """\
version: 1
project: deliveries
dataset: cases.jsonl
system: {name: sizes, version: v1, callable: "app:answer"}
concurrency: 2
variants:
  - delivery: {field: photo, apply: [original, RECIPES]}
evaluators:
  - {type: exact_match, criterion: read, field: read, expected_field: read}
"""
APP = """\
import os


def answer(case):
    return {"read": os.path.getsize(case["photo"]) > 0}
"""


def draw(number: int) -> Image.Image:
    """Return a picture like a photo (even numbers) or like a chart (odd ones)."""
    random = np.random.default_rng(number)
    if number % 2:
        image = Image.new("RGB", (SIDE, SIDE), "white")
        pen = ImageDraw.Draw(image)
        for bar in range(8):
            top = int(random.integers(20, 220))
            pen.rectangle((20 + bar * 28, top, 40 + bar * 28, 236), fill=tuple(random.integers(0, 255, 3).tolist()))
            pen.text((20 + bar * 28, top - 12), str(top), fill="black")
        return image
    rough = Image.fromarray(random.integers(0, 255, (16, 16, 3), dtype=np.uint8)).resize((SIDE, SIDE))
    grain = random.normal(0, 6, (SIDE, SIDE, 3))
    return Image.fromarray(np.clip(np.asarray(rough) + grain, 0, 255).astype(np.uint8))


def make_project(folder: Path, count: int) -> None:
    """Write the pictures, the dataset, the system and the project file."""
    (folder / "photos").mkdir()
    with (folder / "cases.jsonl").open("w", encoding="utf-8") as cases:
        for number in range(count):
            draw(number).save(folder / f"photos/{number}.png")
            row = {"id": f"c{number}", "input": {"photo": f"photos/{number}.png"}, "expected": {"read": True}}
            cases.write(json.dumps(row) + "\n")
    (folder / "app.py").write_text(APP, encoding="utf-8")
    (folder / "oloproof.yaml").write_text(PROJECT.replace("RECIPES", ", ".join(RECIPES)), encoding="utf-8")


def by_hand(folder: Path, count: int) -> None:
    """Make the seven other forms of each picture in the plainest way."""
    for number in range(count):
        with Image.open(folder / f"photos/{number}.png") as opened:
            image = opened.convert("RGB")
        small = image.resize((SIDE // 2, SIDE // 2), Image.Resampling.BICUBIC)
        jobs = [(image, "PNG", {})] * 2 + [(image, "JPEG", {"quality": quality}) for quality in (75, 40)]
        jobs += [(small, "PNG", {}), (image.convert("L").convert("RGB"), "PNG", {}), (image, "WEBP", {})]
        for picture, form, options in jobs:
            picture.save(BytesIO(), form, **options)


def cost(work: Callable[[], object]) -> tuple[float, float]:
    """Return CPU-seconds (of this process and its children) and seconds that ``work`` takes."""
    begun, cpu = time.perf_counter(), _cpu()
    work()
    return _cpu() - cpu, time.perf_counter() - begun


def _cpu() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def run(folder: Path) -> None:
    """Run the project in a process of its own."""
    command = [sys.executable, "-c", "from oloproof.cli import main; main()", "run", "--quiet", "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ})
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["executions"]["failed"] == 0


def main() -> None:
    """Make the project and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="oloproof-bench-") as name:
        folder = Path(name)
        make_project(folder, options.pictures)
        rows = {
            "python -c pass": cost(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True)),
            "the bare loop": cost(lambda: by_hand(folder, options.pictures)),
            "the run": cost(lambda: run(folder)),
            "the rerun": cost(lambda: run(folder)),
        }
        print("| what | CPU s | wall s |\n| --- | --- | --- |")
        for what, (cpu, wall) in rows.items():
            print(f"| {what} | {cpu:.2f} | {wall:.2f} |")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        kept = sum(file.stat().st_size for file in (folder / ".oloproof").rglob("*") if file.is_file())
        print(f"\npeak {peak} MB; {kept / 1e6:.1f} MB under .oloproof")


if __name__ == "__main__":
    main()

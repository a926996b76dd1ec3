"""Measure how long a person who labels 100 pictures by keyboard waits for the workbench, in a real browser.

``python benchmarks/labelling.py`` judges 100 photos of 1,600 x 1,200, draws a sample of all of them, and presses ``p``
or ``f`` as soon as the next picture is drawn whole. What is left of five minutes is the person's, to look. It needs
Chromium (``scripts/ensure_chromium.sh``).
"""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright
from workbench import oloproof, p95, serving

from tests.workbench.browser.chromium import launch

LABELS = 100
FIVE_MINUTES = 300.0

PROJECT = """\
version: 1
project: photos
dataset: {path: cases.jsonl, media: [photo]}
system: {callable: "app:see", records: [media/v1]}
evaluators:
  - {type: custom, criterion: sharp, callable: "app:sharp"}
"""

APP = """\
from oloproof import current_case, evaluator, media_file, system


@system(name="see", version="v1", records=("media/v1",))
def see(case):
    current_case().media([media_file(case["photo"], role="output")])
    return {"seen": True}


@evaluator(calls_model=True)
def sharp(case, output, media):
    return len(media[0].sha256) == 64
"""


def main() -> None:
    """Label a sample and print what it took."""
    with tempfile.TemporaryDirectory(prefix="oloproof-bench-") as name:
        root = Path(name)
        make_project(root)
        with serving(root) as (_, port), sync_playwright() as playwright:
            browser = launch(playwright)
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            open_queue(page, f"http://127.0.0.1:{port}")
            began = time.perf_counter()
            waits = [label(page, "pf"[number % 2]) for number in range(LABELS)]
            whole = time.perf_counter() - began
            browser.close()
    print(f"{LABELS} labels by keyboard: {whole:.1f} s of waiting for the workbench in all")
    print(f"from the key to the next picture: median {statistics.median(waits):.0f} ms, 95 % {p95(waits):.0f} ms")
    print(f"left of five minutes to look at each: {(FIVE_MINUTES - whole) / LABELS:.2f} s")


def make_project(root: Path) -> None:
    """Write a project with a photo a case, and run it."""
    (root / "oloproof.yaml").write_text(PROJECT)
    (root / "app.py").write_text(APP)
    (root / "photos").mkdir()
    chance = random.Random(7)
    with (root / "cases.jsonl").open("w") as file:
        for number in range(LABELS):
            coarse = Image.frombytes("RGB", (80, 60), chance.randbytes(80 * 60 * 3))
            coarse.resize((1600, 1200), Image.Resampling.BICUBIC).save(root / "photos" / f"{number:03}.jpg", quality=90)
            file.write(json.dumps({"id": f"c{number}", "input": {"photo": f"photos/{number:03}.jpg"}}) + "\n")
    oloproof(root, "run", "--quiet")


def open_queue(page: Page, address: str) -> None:
    """Draw a sample of all cases and begin to label it."""
    page.goto(f"{address}/review")
    page.get_by_role("link", name="sharp").click()
    page.get_by_label("Cases, of").fill(str(LABELS))
    page.get_by_role("button", name="Draw the sample").click()
    page.get_by_label("Your name").fill("Mira")
    page.get_by_role("button", name="Begin").click()
    page.locator("#review [data-answer='pass']:enabled").wait_for()


def label(page: Page, key: str) -> float:
    """Answer one case; returns the milliseconds until the next can be answered and its picture is there, or the end."""
    before = page.locator("#review").get_attribute("data-number")
    began = time.perf_counter()
    page.keyboard.press(key)
    page.wait_for_function(
        """before => {
            const review = document.querySelector("#review");
            if ("done" in review.dataset) return true;
            const picture = review.querySelector("img");
            return review.dataset.number !== before && picture?.complete && picture.naturalWidth
                && review.querySelector("[data-answer='pass']:enabled");
        }""",
        arg=before,
    )
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()

"""Draw the pictures of the ``meters`` example: what a camera before an electricity meter sees by day and by night.

Run it as ``python scripts/draw_meters.py``. It draws the same pixels every time and writes the dataset beside them, so
that nothing in the repository is a picture nobody can explain.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

DATA = Path(__file__).parent.parent / "oloproof" / "examples" / "meters" / "data"
SIZE = (360, 120)
COUNT = 16
LEFT, TOP, WIDTH, HEIGHT, STEP, THICK = 30, 24, 36, 72, 52, 8
"""Pixels: where the first digit begins, how large one is, how far the next is away, how thick a segment is."""

DIGITS = ("abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg")
"""The segments of each digit: ``a`` on top, on clockwise, ``g`` in the middle."""

INK = (38, 44, 36)


def readings() -> Iterator[tuple[str, float, str]]:
    """Yield name, reading in kWh and light of each photo."""
    chance = np.random.default_rng(20)
    for number in range(COUNT):
        reading = int(chance.integers(10_000, 999_999)) / 10
        yield f"meter-{number + 1:02}", reading, "night" if number % 2 else "day"


def pictures() -> Iterator[tuple[str, Image.Image]]:
    """Yield name and picture of each photo."""
    for number, (name, reading, light) in enumerate(readings()):
        yield name, photo(reading, light, np.random.default_rng(number))


def photo(reading: float, light: str, chance: np.random.Generator) -> Image.Image:
    """Return a display that shows ``reading``, in the light of the day or in little light and with more noise."""
    picture = Image.new("RGB", SIZE, (70, 74, 82))
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle((10, 8, 350, 112), radius=10, fill=(176, 190, 152))
    for place, digit in enumerate(f"{reading:07.1f}".replace(".", "")):
        for segment in DIGITS[int(digit)]:
            draw.rounded_rectangle(bar(segment, LEFT + place * STEP), radius=2, fill=INK)
    draw.ellipse((LEFT + 5 * STEP - 12, 88, LEFT + 5 * STEP - 4, 96), fill=INK)
    shade, noise = (1.0, 3.0) if light == "day" else (0.38, 5.0)
    glow = np.linspace(1.1, 0.9, SIZE[0])[None, :, None]
    pixels = np.asarray(picture.filter(ImageFilter.GaussianBlur(0.8)), dtype=float) * shade * glow
    return Image.fromarray(
        np.clip(pixels + chance.normal(0, noise, pixels.shape[:2])[:, :, None], 0, 255).astype(np.uint8)
    )


def bar(segment: str, left: int) -> tuple[int, int, int, int]:
    """Return the rectangle of a segment of the digit that begins at ``left``."""
    right, middle, bottom = left + WIDTH, TOP + HEIGHT // 2, TOP + HEIGHT
    half = THICK // 2
    return {
        "a": (left + half, TOP, right - half, TOP + THICK),
        "b": (right - THICK, TOP + half, right, middle - 2),
        "c": (right - THICK, middle + 2, right, bottom - half),
        "d": (left + half, bottom - THICK, right - half, bottom),
        "e": (left, middle + 2, left + THICK, bottom - half),
        "f": (left, TOP + half, left + THICK, middle - 2),
        "g": (left + half, middle - half, right - half, middle + half),
    }[segment]


def main() -> None:
    """Write the photos and the dataset."""
    (DATA / "photos").mkdir(parents=True, exist_ok=True)
    for name, picture in pictures():
        picture.save(DATA / "photos" / f"{name}.jpg", quality=88)
    with (DATA / "meters.jsonl").open("w", encoding="utf-8") as rows:
        for name, reading, light in readings():
            case = {"id": name, "input": {"photo": f"photos/{name}.jpg"}, "expected": {"kwh": reading}}
            rows.write(json.dumps({**case, "slice": {"light": light}}) + "\n")


if __name__ == "__main__":
    main()

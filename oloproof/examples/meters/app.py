"""The system under evaluation: reads the number on a meter's display. Put your own reader in its place."""

from typing import Any

from PIL import Image

from oloproof import current_case, media_file, system

SIZE = (360, 120)
LEFT, TOP, WIDTH, HEIGHT, STEP = 30, 24, 36, 72, 52
DARK = 0.7
"""Share of the display's own light below which a segment is taken for a dark one."""

SEGMENTS = ("abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg")
MIDDLES = {"a": (18, 4), "b": (32, 19), "c": (32, 53), "d": (18, 68), "e": (4, 53), "f": (4, 19), "g": (18, 36)}
HOLES = ((18, 20), (18, 53))


@system(name="meter-reader", version="v1", records=("media/v1",))
def read(case: dict[str, Any]) -> dict[str, Any]:
    """Return the reading in kWh, None when a digit cannot be made out."""
    current_case().media([media_file(case["photo"], role="input")])
    with Image.open(case["photo"]) as photo:
        display = photo.convert("L").resize(SIZE)
    digits = [digit(display, LEFT + place * STEP) for place in range(6)]
    if None in digits:
        return {"kwh": None}
    return {"kwh": int("".join(map(str, digits))) / 10}


def digit(display: Image.Image, left: int) -> int | None:
    """Return the digit that begins at ``left``, by which of its seven segments are dark."""
    light = sum(level(display, left + x, TOP + y) for x, y in HOLES) / len(HOLES)
    dark = "".join(name for name, (x, y) in MIDDLES.items() if level(display, left + x, TOP + y) < DARK * light)
    return SEGMENTS.index(dark) if dark in SEGMENTS else None


def level(display: Image.Image, x: int, y: int) -> float:
    """Return how light the display is around a place, 0 to 255."""
    spot = display.crop((x - 2, y - 2, x + 3, y + 3))
    return sum(spot.tobytes()) / 25

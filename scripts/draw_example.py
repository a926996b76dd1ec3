"""Draw the pictures of the ``thumbnails`` example: twelve things a small shop could sell, each a few kilobytes.

Run it as ``python scripts/draw_example.py``. It draws the same pixels every time, so that nothing in the repository
is a picture nobody can explain.
"""

import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter

PHOTOS = Path(__file__).parent.parent / "oloproof" / "examples" / "thumbnails" / "data" / "photos"
SIZES = ((480, 360), (360, 480), (420, 420))
Draw = ImageDraw.ImageDraw
Painter = Callable[[Draw, int, int], None]


def backdrop(width: int, height: int, chance: random.Random) -> Image.Image:
    """Return a wall and a table, lit from the upper left, so that no two products stand before the same light."""
    wall = [chance.randrange(150, 225) for _ in range(3)]
    table = [max(30, tone - chance.randrange(60, 110)) for tone in wall]
    edge = round(height * chance.uniform(0.58, 0.72))
    picture = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(picture)
    for y in range(height):
        base = wall if y < edge else table
        light = 1.15 - 0.35 * (y / height)
        draw.line((0, y, width, y), fill=tuple(min(255, round(tone * light)) for tone in base))
    glow = Image.new("L", (width, height), 0)
    x, y = width * chance.uniform(0.05, 0.4), height * chance.uniform(0.0, 0.3)
    reach = max(width, height) * 0.6
    ImageDraw.Draw(glow).ellipse((x - reach, y - reach, x + reach, y + reach), fill=70)
    glow = glow.filter(ImageFilter.GaussianBlur(max(width, height) / 8))
    return Image.composite(Image.new("RGB", (width, height), (255, 250, 235)), picture, glow)


def mug(draw: Draw, w: int, h: int) -> None:
    """Draw a red mug with a handle."""
    draw.ellipse((w * 0.58, h * 0.42, w * 0.78, h * 0.70), outline=(150, 30, 30), width=round(w * 0.035))
    draw.rounded_rectangle((w * 0.3, h * 0.33, w * 0.64, h * 0.8), radius=w * 0.04, fill=(190, 45, 40))
    draw.ellipse((w * 0.3, h * 0.29, w * 0.64, h * 0.38), fill=(70, 30, 20), outline=(225, 90, 80), width=4)


def lamp(draw: Draw, w: int, h: int) -> None:
    """Draw a desk lamp."""
    draw.line((w * 0.5, h * 0.85, w * 0.36, h * 0.55, w * 0.55, h * 0.28), fill=(60, 60, 70), width=round(w * 0.025))
    draw.polygon(
        [(w * 0.5, h * 0.2), (w * 0.66, h * 0.24), (w * 0.78, h * 0.46), (w * 0.5, h * 0.42)], fill=(240, 190, 40)
    )
    draw.ellipse((w * 0.36, h * 0.8, w * 0.66, h * 0.88), fill=(60, 60, 70))


def chair(draw: Draw, w: int, h: int) -> None:
    """Draw a wooden chair."""
    wood = (120, 75, 35)
    for x, top in ((0.33, 0.2), (0.62, 0.2), (0.3, 0.58), (0.66, 0.58)):
        draw.rectangle((w * x, h * top, w * (x + 0.035), h * 0.9), fill=wood)
    for y in (0.22, 0.32, 0.42):
        draw.rectangle((w * 0.33, h * y, w * 0.65, h * (y + 0.045)), fill=(150, 95, 50))
    draw.polygon(
        [(w * 0.31, h * 0.55), (w * 0.67, h * 0.55), (w * 0.72, h * 0.65), (w * 0.27, h * 0.65)], fill=(170, 110, 60)
    )


def teapot(draw: Draw, w: int, h: int) -> None:
    """Draw a blue teapot."""
    draw.arc((w * 0.62, h * 0.4, w * 0.84, h * 0.7), 270, 100, fill=(30, 60, 120), width=round(w * 0.03))
    draw.polygon(
        [(w * 0.3, h * 0.6), (w * 0.13, h * 0.4), (w * 0.19, h * 0.38), (w * 0.36, h * 0.5)], fill=(45, 85, 160)
    )
    draw.ellipse((w * 0.27, h * 0.38, w * 0.73, h * 0.8), fill=(45, 85, 160))
    draw.ellipse((w * 0.38, h * 0.35, w * 0.62, h * 0.43), fill=(70, 120, 200))
    draw.ellipse((w * 0.47, h * 0.28, w * 0.53, h * 0.36), fill=(30, 60, 120))


def plant(draw: Draw, w: int, h: int) -> None:
    """Draw a plant in a pot."""
    for turn in range(-4, 5):
        angle = math.radians(turn * 19 - 90)
        tip = (w * 0.5 + math.cos(angle) * w * 0.3, h * 0.6 + math.sin(angle) * h * 0.42)
        side = (w * 0.03 * math.sin(angle), w * 0.03 * math.cos(angle))
        middle = ((w * 0.5 + tip[0]) / 2, (h * 0.6 + tip[1]) / 2)
        leaf = [
            (w * 0.5, h * 0.62),
            (middle[0] - side[0], middle[1] + side[1]),
            tip,
            (middle[0] + side[0], middle[1] - side[1]),
        ]
        draw.polygon(leaf, fill=(40, 120 + 10 * abs(turn), 60))
    draw.polygon(
        [(w * 0.36, h * 0.6), (w * 0.64, h * 0.6), (w * 0.59, h * 0.88), (w * 0.41, h * 0.88)], fill=(185, 95, 60)
    )


def clock(draw: Draw, w: int, h: int) -> None:
    """Draw a wall clock."""
    size = min(w, h) * 0.34
    x, y = w * 0.5, h * 0.46
    draw.ellipse(
        (x - size, y - size, x + size, y + size), fill=(245, 245, 240), outline=(40, 40, 40), width=round(size * 0.1)
    )
    for hour in range(12):
        angle = math.radians(hour * 30)
        far = (x + math.sin(angle) * size * 0.8, y - math.cos(angle) * size * 0.8)
        near = (x + math.sin(angle) * size * 0.65, y - math.cos(angle) * size * 0.65)
        draw.line((*far, *near), fill=(40, 40, 40), width=4)
    for angle, reach, width in ((305, 0.45, 8), (60, 0.62, 5)):
        turn = math.radians(angle)
        draw.line(
            (x, y, x + math.sin(turn) * size * reach, y - math.cos(turn) * size * reach),
            fill=(180, 40, 40),
            width=width,
        )


def book(draw: Draw, w: int, h: int) -> None:
    """Draw three books in a pile."""
    for place, color in enumerate(((60, 110, 90), (180, 120, 40), (110, 50, 100))):
        left, top = w * (0.22 + 0.03 * place), h * (0.68 - 0.13 * place)
        draw.rectangle((left, top, left + w * 0.5, top + h * 0.12), fill=color)
        draw.rectangle((left + w * 0.44, top + h * 0.02, left + w * 0.5, top + h * 0.1), fill=(240, 235, 215))
        draw.rectangle((left + w * 0.05, top + h * 0.04, left + w * 0.2, top + h * 0.07), fill=(235, 215, 150))


def guitar(draw: Draw, w: int, h: int) -> None:
    """Draw a guitar that leans on the wall."""
    draw.line((w * 0.44, h * 0.6, w * 0.66, h * 0.1), fill=(70, 45, 25), width=round(w * 0.05))
    draw.ellipse((w * 0.26, h * 0.55, w * 0.58, h * 0.9), fill=(200, 130, 60), outline=(90, 50, 20), width=4)
    draw.ellipse((w * 0.34, h * 0.42, w * 0.58, h * 0.66), fill=(200, 130, 60))
    draw.ellipse((w * 0.4, h * 0.6, w * 0.49, h * 0.7), fill=(40, 25, 15))
    draw.line((w * 0.38, h * 0.78, w * 0.66, h * 0.1), fill=(240, 230, 200), width=2)


def sneaker(draw: Draw, w: int, h: int) -> None:
    """Draw a running shoe."""
    upper = [(0.17, 0.5), (0.36, 0.46), (0.44, 0.56), (0.66, 0.64), (0.83, 0.7), (0.83, 0.76), (0.17, 0.76)]
    draw.polygon([(w * x, h * y) for x, y in upper], fill=(230, 80, 120))
    draw.rounded_rectangle((w * 0.15, h * 0.74, w * 0.86, h * 0.82), radius=h * 0.03, fill=(245, 245, 245))
    for x in (0.42, 0.48, 0.54):
        draw.line((w * x, h * 0.62, w * (x + 0.05), h * 0.55), fill=(255, 255, 255), width=5)


def umbrella(draw: Draw, w: int, h: int) -> None:
    """Draw an open umbrella."""
    draw.line((w * 0.5, h * 0.4, w * 0.5, h * 0.82), fill=(70, 60, 50), width=6)
    draw.arc((w * 0.5, h * 0.76, w * 0.6, h * 0.88), 0, 180, fill=(70, 60, 50), width=6)
    for place in range(4):
        colors = ((220, 60, 50), (250, 240, 230))
        draw.pieslice(
            (w * 0.17, h * 0.16, w * 0.83, h * 0.72), 180 + 45 * place, 225 + 45 * place, fill=colors[place % 2]
        )


def camera(draw: Draw, w: int, h: int) -> None:
    """Draw a film camera."""
    draw.rectangle((w * 0.36, h * 0.3, w * 0.56, h * 0.42), fill=(60, 60, 65))
    draw.rounded_rectangle((w * 0.2, h * 0.38, w * 0.8, h * 0.76), radius=12, fill=(50, 50, 55))
    draw.rectangle((w * 0.2, h * 0.44, w * 0.8, h * 0.5), fill=(190, 190, 195))
    for size, color in ((0.17, (25, 25, 30)), (0.13, (80, 90, 110)), (0.07, (20, 25, 60))):
        reach = min(w, h) * size
        draw.ellipse((w * 0.5 - reach, h * 0.58 - reach, w * 0.5 + reach, h * 0.58 + reach), fill=color)


def bottles(draw: Draw, w: int, h: int) -> None:
    """Draw three bottles."""
    for place, color in enumerate(((40, 100, 60), (120, 70, 30), (60, 90, 140))):
        x, top = w * (0.22 + 0.22 * place), h * (0.3 - 0.05 * place)
        draw.rectangle((x + w * 0.045, top - h * 0.14, x + w * 0.085, top + h * 0.05), fill=color)
        draw.rounded_rectangle((x, top, x + w * 0.13, h * 0.84), radius=w * 0.03, fill=color)
        draw.rectangle((x, h * 0.52, x + w * 0.13, h * 0.66), fill=(240, 230, 205))


PAINTERS: tuple[Painter, ...] = (
    mug, lamp, chair, teapot, plant, clock, book, guitar, sneaker, umbrella, camera, bottles,
)  # fmt: skip


def pictures() -> Iterator[tuple[str, Image.Image]]:
    """Yield the name and the picture of every product."""
    for number, paint in enumerate(PAINTERS):
        width, height = SIZES[number % len(SIZES)]
        picture = backdrop(width, height, random.Random(number))  # noqa: S311 - a picture, not a secret
        paint(ImageDraw.Draw(picture), width, height)
        yield paint.__name__, picture.filter(ImageFilter.GaussianBlur(0.8))


def main() -> None:
    """Write every picture as a JPEG."""
    PHOTOS.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures():
        picture.save(PHOTOS / f"{name}.jpg", quality=75, optimize=True)


if __name__ == "__main__":
    main()

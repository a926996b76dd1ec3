"""Media made to find out whether a model perceives at all: a code in a picture, in a clip, in a sound.

What they hold is drawn at random each time and stands in no name, text or metadata.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL import Image

ALPHABET = "234567ACDEFHJKMNPRTWXY"
"""Letters and digits that no reader takes for one another."""

COLORS = {
    "red": "#d0021b",
    "green": "#1f8a2b",
    "blue": "#1747d1",
    "yellow": "#f5d90a",
    "black": "#101010",
    "white": "#fafafa",
}
"""Colours of a clip's frames, by the names that are asked for."""

_RATE = 16_000
_TONE_SECONDS = 0.35
_PAUSE_SECONDS = 0.25
_LOW_HZ, _HIGH_HZ = 330.0, 990.0


def random_code(chance: random.Random, length: int = 5) -> str:
    """Return a random code of letters and digits."""
    return "".join(chance.choice(ALPHABET) for _ in range(length))


def code_picture(code: str, chance: random.Random) -> bytes:
    """Return a PNG that shows ``code`` in large dark letters on a light ground, at a random place and size."""
    from PIL import Image, ImageDraw, ImageFont

    size = chance.randint(64, 84)
    font = ImageFont.load_default(size=size)
    canvas = Image.new("RGB", (520, 200), _light(chance))
    draw = ImageDraw.Draw(canvas)
    spaced = " ".join(code)
    left, top, right, bottom = draw.textbbox((0, 0), spaced, font=font)
    x = chance.randint(10, max(11, canvas.width - int(right - left) - 10))
    y = chance.randint(10, max(11, canvas.height - int(bottom - top) - 30))
    draw.text((x - left, y - top), spaced, fill=(20, 20, 20), font=font)
    return _png(canvas)


def color_clip(colors: Sequence[str], seconds: float = 1.0) -> bytes:
    """Return an APNG whose frames are filled with these :data:`COLORS`, each shown for ``seconds``."""
    from PIL import Image

    frames = [Image.new("RGB", (160, 120), COLORS[name]) for name in colors]
    out = BytesIO()
    frames[0].save(
        out, "PNG", save_all=True, append_images=frames[1:], duration=round(seconds * 1000), loop=1, default_image=False
    )
    return out.getvalue()


def tone_sound(pattern: str) -> bytes:
    """Return a WAV of clear tones, one for each letter: ``L`` a low one, ``H`` a high one, with pauses between."""
    samples: list[int] = [0] * int(_RATE * _PAUSE_SECONDS)
    for letter in pattern:
        samples += _tone(_HIGH_HZ if letter == "H" else _LOW_HZ)
        samples += [0] * int(_RATE * _PAUSE_SECONDS)
    return wave_of(struct.pack(f"<{len(samples)}h", *samples))


def _tone(hertz: float) -> list[int]:
    count = int(_RATE * _TONE_SECONDS)
    fade = _RATE // 50
    return [
        int(14_000 * min(1.0, at / fade, (count - at) / fade) * math.sin(2 * math.pi * hertz * at / _RATE))
        for at in range(count)
    ]


def wave_of(pcm: bytes, rate: int = _RATE) -> bytes:
    """Return 16-bit mono samples (little-endian) as a WAV file."""
    head = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF", 36 + len(pcm), b"WAVE", b"fmt ", 16, 1, 1, rate, 2 * rate, 2, 16, b"data", len(pcm),
    )  # fmt: skip
    return head + pcm


def _light(chance: random.Random) -> tuple[int, int, int]:
    return (chance.randint(215, 255), chance.randint(215, 255), chance.randint(215, 255))


def _png(picture: Image.Image, **options: Any) -> bytes:
    out = BytesIO()
    picture.save(out, "PNG", **options)
    return out.getvalue()

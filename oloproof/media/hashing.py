"""The perceptual hash: the classic 64-bit pHash on a picture prepared by one fixed decode path.

Preparation, in order: the first shown frame; JPEG decoded at the smallest of the codec's scales that keeps both
sides at 256 pixels or more, other formats reduced by a whole factor to that size; 16 bits scaled to 8; colours
to sRGB by the embedded profile; composited on the background; turned upright. Then the hash of imagehash: grey,
32×32, DCT-II, 8×8 lowest frequencies against their median.

It tells whether two pictures look alike as a whole. It cannot read: another number on the same receipt moves it
by two bits or none. A flat picture has no meaningful hash, so flatness is measured beside it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct

from oloproof.errors import ToolMissing
from oloproof.media.drafting import DEFAULT, Limits
from oloproof.media.extras import INSTALL
from oloproof.media.images import open_upright_srgb

if TYPE_CHECKING:
    from PIL import Image

ALGORITHM, SIZE = "phash", 8
PREPARATION = 1
"""Version of the preparation; part of any key under which a hash is kept."""

DECODE_SIDE = 256
"""Pixels that the shorter side keeps before hashing; see ``docs/media-facts.md`` for what the reduction costs."""

FLAT_SPREAD = 2.0
"""Standard deviation (of 255 levels, in the liveliest channel) under which a picture is flat."""

_FORM = re.compile(r"([a-z]+):(\d{1,3}):([0-9a-f]+)")


class PerceptualHash(Struct, frozen=True):
    """A hash, beside what tells whether it means anything. ``str`` gives the stored form, ``phash:8:<16 hex>``.

    ``bits`` is an integer of ``size``² bits. ``spread`` is the standard deviation of the liveliest channel (0 to
    127.5); ``flat`` when it is under ``FLAT_SPREAD``. ``split`` when the picture changes along one direction only
    (two halves, stripes, a straight ramp): most of its bits then hang on noise. ``unsteady`` counts the bits that
    half a level of noise could turn. ``mean_color`` is sRGB, 0 to 255. Of a hash that was read from text only the
    bits are known: the others are then None, ``flat`` and ``split`` False.
    """

    bits: int
    size: int = SIZE
    algorithm: str = ALGORITHM
    flat: bool = False
    split: bool = False
    spread: float | None = None
    mean_color: tuple[int, int, int] | None = None
    unsteady: int | None = None
    background: str | None = None

    def __str__(self) -> str:
        return f"{self.algorithm}:{self.size}:{self.hex}"

    @property
    def hex(self) -> str:
        """The bits as lower-case hexadecimal digits, always of the same length."""
        return f"{self.bits:0{self.size * self.size // 4}x}"

    def distance(self, other: PerceptualHash) -> int:
        """Return how many bits differ (0 to size²); raises ``ValueError`` for hashes of another make."""
        if (self.algorithm, self.size) != (other.algorithm, other.size):
            raise ValueError(f"{self} and {other} are not the same kind of hash")
        if None not in (self.background, other.background) and self.background != other.background:
            raise ValueError(f"one hash was made on {self.background}, the other on {other.background}")
        return (self.bits ^ other.bits).bit_count()


def parse_hash(text: object) -> PerceptualHash:
    """Return the hash written in ``text``; raises ``ValueError`` that says what is wrong with it."""
    if not isinstance(text, str):
        raise ValueError(f"a hash must be text, quote it: {text!r} was read as a {type(text).__name__}")
    match = _FORM.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no hash of the form phash:8:<16 hexadecimal digits>")
    algorithm, size, digits = match[1], int(match[2]), match[3]
    if algorithm != ALGORITHM or size != SIZE:
        raise ValueError(f"{text!r} is a hash by {algorithm}:{size}; only {ALGORITHM}:{SIZE} can be compared")
    if len(digits) != SIZE * SIZE // 4:
        raise ValueError(f"{text!r} has {len(digits)} digits; {ALGORITHM}:{SIZE} has {SIZE * SIZE // 4}")
    return PerceptualHash(int(digits, 16))


def perceptual_hash(file: BinaryIO, *, background: str = "white", limits: Limits = DEFAULT) -> PerceptualHash:
    """Return the hash of the picture in ``file`` as it is shown on ``background``.

    Raises ``MediaUnreadable`` (code ``not_an_image``, ``too_large``, ``no_decoder``, ``damaged``) for anything that
    does not decode to its end, ``ToolMissing`` when imagehash is not installed.
    """
    picture = open_upright_srgb(file, background=background, limits=limits, at_least=DECODE_SIDE)
    return hash_picture(picture, background=background)


def hash_picture(picture: Image.Image, *, background: str = "white") -> PerceptualHash:
    """Return the hash of a picture that is upright sRGB already."""
    try:
        import imagehash
    except ImportError as error:
        raise ToolMissing(f"imagehash is needed; {INSTALL}") from error
    bits = int(str(imagehash.phash(picture, hash_size=SIZE)), 16)
    spread, across, down, mean = _spread(picture)
    flat = spread < FLAT_SPREAD
    return PerceptualHash(
        bits,
        flat=flat,
        split=not flat and min(across, down) < FLAT_SPREAD / 2,
        spread=round(spread, 2),
        mean_color=mean,
        unsteady=_unsteady(picture),
        background=background,
    )


def _spread(picture: Image.Image) -> tuple[float, float, float, tuple[int, int, int]]:
    """Return the spread of the whole, within rows, within columns, and the mean colour, on a 64×64 copy."""
    import numpy as np
    from PIL import Image

    values = np.asarray(picture.resize((64, 64), Image.Resampling.BOX), dtype=np.float64)
    whole = float(values.std(axis=(0, 1)).max())
    across = float(values.std(axis=1).max())
    down = float(values.std(axis=0).max())
    red, green, blue = (round(float(value)) for value in values.mean(axis=(0, 1)))
    return whole, across, down, (red, green, blue)


def _unsteady(picture: Image.Image) -> int:
    """Return how many coefficients lie closer to the median than noise of half a level would move them."""
    import numpy as np
    import scipy.fftpack
    from PIL import Image

    side = 4 * SIZE
    grey = np.asarray(picture.convert("L").resize((side, side), Image.Resampling.LANCZOS), dtype=np.float64)
    lowest = scipy.fftpack.dct(scipy.fftpack.dct(grey, axis=0), axis=1)[:SIZE, :SIZE]
    # an unscaled DCT-II of side n turns white noise of deviation s into 2·n·s
    return int((np.abs(lowest - np.median(lowest)) < 2 * side * 0.5).sum())

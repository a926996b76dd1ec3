"""Where two pictures that look alike as a whole differ most: the worst tile, in levels of grey.

A perceptual hash cannot read: a page with another total has the same layout. Here both pictures, as shown (upright, in
sRGB, over the background) and in grey, are brought to the smaller of the two sizes; their difference, freed of a shift
of the whole by its median and smoothed by a mean over 3×3 pixels, is averaged in tiles of 16×16 pixels, each half over
its neighbours. Measured on photos, charts and pages of text: encoders down to quality 20 and filtered resizes stay
under 10 of 255 levels, resizes without a filter under 14, one digit of a page at 300 dots an inch is at 60, a shift of
the whole by a pixel at 15 to 67. Of a page whose copy has strokes thinner than a pixel, nothing can be told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct

from oloproof.media.drafting import DEFAULT, Limits
from oloproof.media.images import open_upright_srgb

if TYPE_CHECKING:
    from PIL.Image import Image

VERSION = 1
"""Part of any key under which a difference is kept."""

SIDE = 1_280
"""Pixels that the shorter side keeps: a page of A4 at 300 dots an inch is not reduced."""
TILE = 16


class LocalDifference(Struct, frozen=True):
    """The tile that differs most: by how many levels (0 to 255), and where its middle lies.

    ``across`` and ``down`` are shares of the width and the height, 0 to 1, from the upper left corner.
    """

    levels: float
    across: float
    down: float


def grey_picture(file: BinaryIO, *, background: str = "white", limits: Limits = DEFAULT) -> Image:
    """Return the picture as shown, in grey (mode ``L``), large ones reduced to a shorter side of at least 1,280 pixels.

    Raises:
        MediaUnreadable: as :func:`oloproof.media.images.open_upright_srgb`.
    """
    return open_upright_srgb(file, background=background, limits=limits, at_least=SIDE).convert("L")


def local_difference(one: Image, other: Image) -> LocalDifference:
    """Return where two grey pictures differ most."""
    import numpy as np

    width, height = size = min(one.width, other.width), min(one.height, other.height)
    difference = _levels(one, size) - _levels(other, size)
    difference -= np.float32(np.median(difference))
    tiles = _tiles(np.abs(_smoothed(difference)))
    row, column = np.unravel_index(int(tiles.argmax()), tiles.shape)
    across, down = _middle(width, int(column)), _middle(height, int(row))
    return LocalDifference(round(float(tiles[row, column]), 2), across, down)


def _levels(picture: Image, size: tuple[int, int]) -> Any:
    import numpy as np
    from PIL import Image

    return np.asarray(picture.resize(size, Image.Resampling.BOX), dtype=np.float32)


def _smoothed(values: Any) -> Any:
    """Return the mean over 3×3 neighbours; beyond an edge lies what lies on it."""
    import numpy as np

    padded = np.pad(values, 1, mode="edge")
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    return (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) / 9


def _tiles(values: Any) -> Any:
    """Return the mean of each tile."""
    for axis, length in enumerate(values.shape):
        starts = _starts(length)
        ends = [min(start + TILE, length) for start in starts]
        sums = values.cumsum(axis=axis, dtype="float64")
        # the sum before the first value is none
        sums = sums.take([0, *range(length)], axis)
        sums[(slice(None),) * axis + (0,)] = 0
        values = (sums.take(ends, axis) - sums.take(starts, axis)) / min(TILE, length)
    return values


def _starts(length: int) -> list[int]:
    """Return where tiles begin: each half a tile behind the last, so that none is all that a border cuts."""
    last = max(length - TILE, 0)
    return sorted({*range(0, last + 1, TILE // 2), last})


def _middle(length: int, tile: int) -> float:
    """Return where the middle of a tile lies, as a share of the side."""
    return round((_starts(length)[tile] + min(TILE, length) / 2) / length, 4)

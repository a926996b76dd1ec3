"""Whether a file made from another is the same: the same bytes, the same decoded pixels or samples, the same to people.

The three are told apart and each is kept, since none implies another but the first the others.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from msgspec import Struct

from oloproof.media import images
from oloproof.media.picture_recipes import Encoded
from oloproof.media.pictures import Picture
from oloproof.media.repacking import looks, pixel_rows

if TYPE_CHECKING:
    from PIL import Image


class Sameness(Struct, frozen=True):
    """What holds of a made file and its original.

    ``data`` is about what a decoder gives: pixels in their own mode, samples. ``view`` is about what people see or
    hear: upright, colours by the profile, transparency on white, 16 bits as 8. ``difference`` says in words what is
    not the same to them, empty where nothing is.
    """

    bytes: bool
    data: bool
    view: bool
    difference: str = ""


EVERYTHING = Sameness(True, True, True)


def compare_pictures(original: Picture, made: Encoded, *, claimed: bool = True) -> Sameness:
    """Return what is the same of a picture and one made from it.

    Where it is ``claimed`` to be the same to people, what was made is read from its bytes as any file is. Else the
    pixels are compared that were coded, or that come out again where the form loses some.
    """
    if made.data == original.data:
        return EVERYTHING
    if not claimed and made.picture is not None:
        return _of_pixels(original, made.picture)
    if not claimed and made.lossy:
        return _of_pixels(original, images.decoded(made.data, made.lossy))
    if made.ending == "png" == original.format and _same_rows(original, made.data):
        return Sameness(False, True, True)
    return _compared(original, Picture(made.data, original.limits, ours=True))


def _of_pixels(original: Picture, changed: Image.Image) -> Sameness:
    difference = _difference(original.view, changed if changed.mode == "RGB" else changed.convert("RGB"))
    same = not difference
    return Sameness(False, same and _same_data(original, changed), same, difference)


def _same_rows(original: Picture, made: bytes) -> bool:
    """Whether two upright PNGs hold the same rows and say the same of how they look: true at any depth."""
    other = Picture(made, original.limits, ours=True)
    if original.turned or other.turned:
        return False
    try:
        return looks(original.source) == looks(other.source) and pixel_rows(original.source) == pixel_rows(other.source)
    except zlib.error:
        return False


def _compared(original: Picture, made: Picture) -> Sameness:
    size = made.draft.width, made.draft.height
    if size != (original.draft.width, original.draft.height):
        return Sameness(False, False, False, _sizes(original.draft.width, original.draft.height, *size))
    difference = _difference(original.view, made.view)
    return Sameness(False, _same_data(original, made.stored), not difference, difference)


def _same_data(original: Picture, made: Image.Image) -> bool:
    """Whether the pixels are those of the original; not known where the decoder keeps 8 of more bits."""
    deep = original.draft.has("sixteen_bit") and original.stored.mode not in ("I;16", "I")
    return not deep and _same_pixels(original.stored, made)


def _same_pixels(first: Image.Image, second: Image.Image) -> bool:
    """Whether a decoder gives the same values: in the same mode, or after a conversion that loses none."""
    if first.size != second.size:
        return False
    if first.mode == second.mode and first.mode != "P":
        return first.tobytes() == second.tobytes()
    exact = ("1", "L", "LA", "P", "RGB", "RGBA")
    if first.mode not in exact or second.mode not in exact:
        return False
    return first.convert("RGBA").tobytes() == second.convert("RGBA").tobytes()


def _difference(first: Image.Image, second: Image.Image) -> str:
    """Return in words how two shown pictures differ, nothing when every pixel is the same."""
    if first.size != second.size:
        return _sizes(*first.size, *second.size)
    from PIL import ImageChops

    apart = ImageChops.difference(first, second)
    if apart.getbbox() is None:
        return ""
    most = max(place % 256 for place, count in enumerate(apart.histogram()) if count)
    return f"pixels differ by up to {most} of 255 levels"


def _sizes(*sides: int | None) -> str:
    return f"it is shown {sides[2]}x{sides[3]}, the original {sides[0]}x{sides[1]}"

"""How a picture is delivered in another form. Every recipe but the two that claim the same view starts from what a
viewer shows, so that a turned photo, transparency, 16 bits, inks and colour profiles are right before anything is lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from oloproof.errors import MediaUnreadable
from oloproof.media.drafting import DEFAULT
from oloproof.media.images import can_decode, pillow_errors
from oloproof.media.pictures import Picture
from oloproof.media.quick_png import quick_png
from oloproof.media.repacking import png_anew, without_metadata

if TYPE_CHECKING:
    from PIL import Image

PICTURE_RECIPES_VERSION = 1
"""Version of the recipes; part of the key under which what they made is found again."""

Seed = Callable[[], int]
"""Gives the number that decides what is random; worked out only where something is."""

WHITE = (255, 255, 255)
_LONGEST_SIDE = {"jpg": 65_500, "webp": 16_383, "avif": 65_536}
_AVIF_SPEED = 6
_WEBP_METHOD = 2
"""Half the time of the usual 4 for the same loss: the quality decides that, to within 0.2 dB."""


class Encoded(Struct, frozen=True):
    """A file that was made: its bytes and the ending of its name.

    ``picture`` are its pixels where it keeps them exactly, ``lossy`` its format where it does not.
    """

    data: bytes
    ending: str
    picture: Image.Image | None = None
    lossy: str = ""


def encode_recipe(picture: Picture, name: str, amount: float, seed: Seed) -> Encoded:
    """Return ``picture`` as the recipe ``name`` delivers it; ``seed`` is asked where something is random.

    Raises:
        MediaUnreadable: the picture cannot be decoded, or the form cannot hold it (code ``over_limit``).
    """
    return _RECIPES[name](picture, amount, seed)


def _lossy(ending: str, form: str, **options: Any) -> Callable[[Picture, float, Seed], Encoded]:
    def encode(picture: Picture, amount: float, seed: Seed) -> Encoded:
        view = picture.view
        longest = max(view.size)
        if longest > _LONGEST_SIDE[ending]:
            raise MediaUnreadable(
                f"the picture is {view.width}x{view.height}; "
                f"a {form} has at most {_LONGEST_SIDE[ending]:,} pixels a side",
                code="over_limit",
            )
        if ending != "jpg" and not can_decode(ending):
            raise MediaUnreadable(f"this Pillow cannot write {form}", code="no_decoder")
        return Encoded(_saved(view, form, quality=int(amount), **options), ending, lossy=form.lower())

    return encode


def _saved(picture: Image.Image, form: str, **options: Any) -> bytes:
    out = BytesIO()
    try:
        picture.save(out, form, **options)
    except pillow_errors() as error:
        raise MediaUnreadable(f"a {picture.width}x{picture.height} {form} cannot be written: {error}") from error
    return out.getvalue()


def _exact(change: Callable[[Image.Image, float, Seed], Image.Image]) -> Callable[[Picture, float, Seed], Encoded]:
    """Return a recipe that changes the shown picture and stores the result exactly."""

    def encode(picture: Picture, amount: float, seed: Seed) -> Encoded:
        changed = change(picture.view, amount, seed)
        return Encoded(quick_png(changed), "png", changed)

    return encode


def _require_readable(width: int, height: int) -> None:
    """Refuse a picture, before any memory is taken for it, that is larger than what is decoded here."""
    if width * height > DEFAULT.max_pixels:
        raise MediaUnreadable(
            f"it would be {width}x{height}; pictures of more than {DEFAULT.max_pixels:,} pixels are not made",
            code="over_limit",
        )


def _resized(view: Image.Image, amount: float, seed: Seed) -> Image.Image:
    from PIL import Image

    size = max(1, int(view.width * amount // 100)), max(1, int(view.height * amount // 100))
    _require_readable(*size)
    return view.resize(size, Image.Resampling.BICUBIC)


def _grey(view: Image.Image, amount: float, seed: Seed) -> Image.Image:
    return view.convert("L")


def _cropped(view: Image.Image, amount: float, seed: Seed) -> Image.Image:
    left, top = int(view.width * amount / 100), int(view.height * amount / 100)
    if (left, top) == (0, 0):
        raise MediaUnreadable(
            f"{amount:g} percent of {view.width}x{view.height} pixels is not one pixel; crop more", code="over_limit"
        )
    return view.crop((left, top, view.width - left, view.height - top))


def _padded(view: Image.Image, amount: float, seed: Seed) -> Image.Image:
    from PIL import ImageOps

    _require_readable(view.width + 2 * int(amount), view.height + 2 * int(amount))
    return ImageOps.expand(view, int(amount), WHITE)


def _rotated(view: Image.Image, amount: float, seed: Seed) -> Image.Image:
    from PIL import Image

    sine, cosine = abs(math.sin(math.radians(amount))), abs(math.cos(math.radians(amount)))
    _require_readable(int(view.width * cosine + view.height * sine), int(view.width * sine + view.height * cosine))
    return view.rotate(-amount, Image.Resampling.BICUBIC, expand=True, fillcolor=WHITE)


def _noisy(view: Image.Image, amount: float, seed: Seed) -> Image.Image:
    import numpy as np
    from PIL import Image

    noise = np.random.default_rng(seed()).standard_normal((view.height, view.width, 3), dtype=np.float32) * amount
    return Image.fromarray(np.clip(np.asarray(view) + noise, 0, 255).round().astype(np.uint8))


def _blurred(view: Image.Image, amount: float, seed: Seed) -> Image.Image:
    from PIL import ImageFilter

    return view.filter(ImageFilter.GaussianBlur(amount))


def _mirrored(view: Image.Image, amount: float, seed: Seed) -> Image.Image:
    from PIL import Image

    return view.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


def blank_picture(picture: Picture, color: str) -> Encoded:
    """Return a picture of the same shown size in one colour (``white``, ``black`` or ``#rrggbb``)."""
    from PIL import Image

    blank = Image.new("RGB", (picture.draft.width or 1, picture.draft.height or 1), color)
    return Encoded(quick_png(blank), "png", blank)


def _png(picture: Picture, amount: float, seed: Seed) -> Encoded:
    return Encoded(png_anew(picture), "png")


def _stripped(picture: Picture, amount: float, seed: Seed) -> Encoded:
    return Encoded(*without_metadata(picture))


_RECIPES: dict[str, Callable[[Picture, float, Seed], Encoded]] = {
    "png-reencode": _png,
    "exif-strip": _stripped,
    "jpeg": _lossy("jpg", "JPEG"),
    "webp": _lossy("webp", "WebP", method=_WEBP_METHOD),
    "avif": _lossy("avif", "AVIF", speed=_AVIF_SPEED),
    "resize": _exact(_resized),
    "grayscale": _exact(_grey),
    "crop": _exact(_cropped),
    "pad": _exact(_padded),
    "rotate": _exact(_rotated),
    "noise": _exact(_noisy),
    "blur": _exact(_blurred),
    "mirror": _exact(_mirrored),
}

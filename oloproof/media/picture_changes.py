"""What a probe of a judge makes of a picture: one that shows nothing, and one that shows the same."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from oloproof.media.images import open_upright_srgb

if TYPE_CHECKING:
    from PIL import Image


def blank_like(data: bytes) -> bytes:
    """Return a PNG of the same size as a picture, filled with one grey."""
    from PIL import Image

    picture = open_upright_srgb(BytesIO(data))
    return _png(Image.new("RGB", picture.size, (128, 128, 128)))


def padded(data: bytes, share: float = 0.1) -> bytes:
    """Return a PNG of a picture with a white border of ``share`` of each side around it: the same to any viewer."""
    from PIL import ImageOps

    picture = open_upright_srgb(BytesIO(data))
    border = (max(round(picture.width * share), 1), max(round(picture.height * share), 1))
    return _png(ImageOps.expand(picture, border=border, fill="white"))


def _png(picture: Image.Image) -> bytes:
    out = BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()

"""Colours of a picture on its way to a model: whether its profile is sRGB, and primaries given by number only."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

from oloproof.media.images import pillow_errors

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL import Image

ProfileEffect = Literal["none", "converts", "unusable"]

_SPACES = {"RGB": "RGB", "GRAY": "L", "CMYK": "CMYK"}
_BASE_MODES = {
    "RGBA": "RGB",
    "RGBa": "RGB",
    "P": "RGB",
    "PA": "RGB",
    "LA": "L",
    "La": "L",
    "1": "L",
    "I": "L",
    "F": "L",
}
_SAME = 2
"""Levels of 255 by which a profile may move a colour and still count as sRGB."""
_STEPS = 9
_STRIP = 256


def profile_effect(profile: bytes | None, mode: str) -> ProfileEffect:
    """Return what an embedded ICC profile does to a picture of Pillow's ``mode``.

    ``none``: there is none, or it is sRGB (measured: a cube of colours moves by no more than 2 levels).
    ``converts``: colours change. ``unusable``: it is damaged or speaks of another colour model; viewers differ.
    """
    if not profile:
        return "none"
    from PIL import ImageCms

    errors: tuple[type[BaseException], ...] = (ImageCms.PyCMSError, *pillow_errors())
    base = "L" if mode.startswith("I;16") else _BASE_MODES.get(mode, mode)
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        if _SPACES.get(source.profile.xcolor_space.strip()) != base:
            return "unusable"
        if base == "CMYK":
            return "converts"
        sample = _sample(base)
        shown = ImageCms.profileToProfile(sample, source, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except errors:
        return "unusable"
    if shown is None:
        return "unusable"
    return "none" if _distance(shown, sample.convert("RGB")) <= _SAME else "converts"


def _sample(base: str) -> Image.Image:
    """Return every level of grey, or a cube of colours."""
    import numpy as np
    from PIL import Image

    if base == "L":
        return Image.fromarray(np.arange(256, dtype=np.uint8).reshape(1, 256))
    levels = np.linspace(0, 255, _STEPS).round().astype(np.uint8)
    cube = np.stack(np.meshgrid(levels, levels, levels), axis=-1)
    return Image.fromarray(cube.reshape(_STEPS, -1, 3))


def _distance(first: Image.Image, second: Image.Image) -> int:
    import numpy as np

    return int(np.abs(np.asarray(first).astype(np.int16) - np.asarray(second).astype(np.int16)).max())


_TO_SRGB = {
    "Display P3": ((1.2249402, -0.2249402, 0.0), (-0.0420570, 1.0420570, 0.0), (-0.0196376, -0.0786360, 1.0982736)),
    "DCI-P3": (
        (1.1575164, -0.1549624, -0.0025540), (-0.0415001, 1.0455679, -0.0040679), (-0.0180500, -0.0785783, 1.0966283),
    ),
    "BT.2020": (
        (1.6604910, -0.5876411, -0.0728499), (-0.1245505, 1.1328999, -0.0083494), (-0.0181508, -0.1005789, 1.1187297),
    ),
}  # fmt: skip
"""Linear light to linear sRGB, from the chromaticities of ITU-T H.273 table 2; DCI white adapted by Bradford."""


def from_primaries(picture: Image.Image, name: str) -> Image.Image:
    """Return an RGB picture whose colours were given in the primaries ``name`` (as in ``Facts.profile``) in sRGB.

    The curve is taken to be that of sRGB (IEC 61966-2-1), as browsers take the curves of BT.709 and BT.2020 to be;
    what lies beyond sRGB is clipped.
    """
    import numpy as np
    from PIL import Image

    levels = np.arange(256) / 255.0
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4).astype(np.float32)
    matrix = np.array(_TO_SRGB[name], dtype=np.float32).T
    stored = np.asarray(picture)
    shown = np.empty_like(stored)
    for top in range(0, stored.shape[0], _STRIP):
        shown[top : top + _STRIP] = _encoded(linear[stored[top : top + _STRIP]] @ matrix)
    return Image.fromarray(shown)


def _encoded(linear: NDArray[Any]) -> NDArray[Any]:
    """Return linear sRGB light as 8-bit levels."""
    import numpy as np

    clipped = np.clip(linear, 0.0, 1.0)
    curve = np.where(clipped <= 0.0031308, clipped * 12.92, 1.055 * clipped ** (1 / 2.4) - 0.055)
    return np.asarray((curve * 255.0).round().astype(np.uint8))

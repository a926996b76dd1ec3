"""What is asked of a picture that a model is shown; ``preparing`` does it."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

PREPARATION_VERSION = 1
"""Version of the steps and of the encoding; part of a judge's identity, so a change makes a new judge."""

ENCODED_AS = {"png": "image/png", "jpeg": "image/jpeg"}
"""The formats that pictures are encoded in, with their media types."""

_BACKGROUND = re.compile(r"white|black|#[0-9a-fA-F]{6}")


class ImageRecipe(Struct, frozen=True):
    """How pictures are prepared. ``max_bytes`` counts before base64; sides and pixels count as shown.

    ``background`` is ``white``, ``black`` or ``#rrggbb``. ``accepts`` are the media types that the model's server
    takes, PNG or JPEG among them. ``downscale`` allows a picture over a limit to be reduced; it is refused otherwise.
    Raises ``ValueError`` for values that cannot be meant.
    """

    background: str = "white"
    accepts: tuple[str, ...] = ("image/png", "image/jpeg")
    max_bytes: int = 5_000_000
    max_side: int | None = None
    max_pixels: int | None = None
    downscale: bool = False

    def __post_init__(self) -> None:
        if not _BACKGROUND.fullmatch(self.background):
            raise ValueError(f"background: {self.background!r} is not white, black or #rrggbb")
        if not {*ENCODED_AS.values()} & {*self.accepts}:
            raise ValueError(f"accepts: {list(self.accepts)} holds neither image/png nor image/jpeg")
        for name in ("max_bytes", "max_side", "max_pixels"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name}: {value} is not at least 1")

    @property
    def identity(self) -> dict[str, Any]:
        """What a judge's identity holds of this: JSON, with the version of the preparation."""
        return {
            "version": PREPARATION_VERSION,
            "background": self.background.lower(),
            "accepts": sorted(self.accepts),
            "max_bytes": self.max_bytes,
            "max_side": self.max_side,
            "max_pixels": self.max_pixels,
            "downscale": self.downscale,
        }

"""A check of your own: a function with ``@evaluator`` above it, named in oloproof.yaml as ``checks:not_blurred``."""

import io
from collections.abc import Sequence

from PIL import Image, ImageFilter, ImageStat

from oloproof import MediaItem, evaluator, read_media


@evaluator(pass_at=3, score_range=(0, 255))
def not_blurred(media: Sequence[MediaItem]) -> float:
    """Return how sharp the blurriest picture made is: the spread of its edges. Blurred copies score below 3."""
    made = [item for item in media if item.role == "output"]
    return min(sharpness(read_media(item)) for item in made)


def sharpness(picture: bytes) -> float:
    """Return the spread of the edges that a picture shows."""
    with Image.open(io.BytesIO(picture)) as opened:
        inner = opened.convert("L").filter(ImageFilter.Kernel((3, 3), (0, 1, 0, 1, -4, 1, 0, 1, 0), 1, 128))
        return float(ImageStat.Stat(inner).stddev[0])

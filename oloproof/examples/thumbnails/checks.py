"""A check of your own: a function with ``@evaluator`` above it, named in oloproof.yaml as ``checks:not_blurred``."""

import io
from collections.abc import Sequence

from PIL import Image, ImageFilter, ImageStat

from oloproof import MediaItem, evaluator, read_media


@evaluator(pass_at=5, score_range=(0, 255))
def not_blurred(media: Sequence[MediaItem]) -> float:
    """Return how sharp the blurriest picture made is. Of these photos, copies blurred over 2 pixels score below 5."""
    made = [item for item in media if item.role == "output"]
    return min(sharpness(read_media(item)) for item in made)


def sharpness(picture: bytes) -> float:
    """Return the spread of the edges that a picture shows."""
    with Image.open(io.BytesIO(picture)) as opened:
        edges = opened.convert("L").filter(ImageFilter.Kernel((3, 3), (0, 1, 0, 1, -4, 1, 0, 1, 0), 1, 128))
        inner = edges.crop((1, 1, edges.width - 1, edges.height - 1))
    return float(ImageStat.Stat(inner).stddev[0])

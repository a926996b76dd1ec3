"""The system under evaluation: a shop's thumbnailer. Change it, run again, and see what the rules say."""

from typing import Any

from PIL import Image, ImageOps

from oloproof import current_case, media_file, system

LONGEST_SIDE = 256
QUALITY = 85


@system(name="thumbnailer", version="v1", records=("media/v1",))
def describe(case: dict[str, Any]) -> dict[str, Any]:
    """Make the thumbnail of one product photo and say how large it became."""
    thumbnail = current_case().path("thumbnail.jpg")  # a place of its own for each case of each version
    with Image.open(case["photo"]) as photo:
        small = ImageOps.exif_transpose(photo).convert("RGB")
        small.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
        small.save(thumbnail, quality=QUALITY)
    current_case().media([media_file(case["photo"], role="input"), media_file(thumbnail)])
    return {"title": case["title"], "width": small.width, "height": small.height}

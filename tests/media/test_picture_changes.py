"""What a probe of a judge makes of a picture: nothing to see, or the same to any viewer."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from oloproof.media.images import open_upright_srgb
from oloproof.media.picture_changes import blank_like, padded
from tests.media.conftest import CASES


@pytest.mark.parametrize("name", ["MR-57-a.png", "MR-05.jpg"])
def test_a_blank_has_the_size_and_nothing_else_of_a_picture(name: str) -> None:
    data = (CASES / name).read_bytes()
    blank = Image.open(BytesIO(blank_like(data)))

    assert blank.size == open_upright_srgb(BytesIO(data)).size
    assert blank.getcolors() == [(blank.width * blank.height, (128, 128, 128))]


def test_a_padded_picture_holds_the_whole_picture_within_a_white_border() -> None:
    data = (CASES / "MR-57-a.png").read_bytes()
    before, after = open_upright_srgb(BytesIO(data)).convert("RGB"), Image.open(BytesIO(padded(data)))
    left, top = (after.width - before.width) // 2, (after.height - before.height) // 2

    assert (left, top) == (before.width // 10, before.height // 10)
    assert after.crop((left, top, left + before.width, top + before.height)).tobytes() == before.tobytes()
    assert {after.getpixel((0, 0)), after.getpixel((after.width - 1, after.height - 1))} == {(255, 255, 255)}

"""Whether there is anything to see: one colour, and what lets something through."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from oloproof.errors import MediaUnreadable
from oloproof.media.contents import BLANK_LEVELS, is_transparent, shades_of_image, shades_of_video


def saved(picture: Image.Image, form: str = "PNG", **options: object) -> BytesIO:
    out = BytesIO()
    picture.save(out, form, **options)
    return out


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 2), st.integers(0, 24 * 16 - 1))
def test_one_pixel_further_off_than_coding_makes_it_tells(level: int, other: int, channel: int, place: int) -> None:
    pixels = np.full((24, 16, 3), level, dtype=np.uint8)
    pixels[place // 16, place % 16, channel] = other
    shades = shades_of_image(saved(Image.fromarray(pixels)), animated=False)

    assert shades.blank == (abs(level - other) <= BLANK_LEVELS)
    assert shades.pictures == 1


@pytest.mark.parametrize(("form", "quality"), [("JPEG", 30), ("JPEG", 95), ("WEBP", 40)])
@pytest.mark.parametrize("color", ["black", "white", "#c86432", "#0b5fa5", "#808080"])
def test_lossy_coding_leaves_one_colour_one_colour(form: str, quality: int, color: str) -> None:
    assert shades_of_image(saved(Image.new("RGB", (317, 211), color), form, quality=quality), animated=False).blank


def test_an_animation_is_looked_at_in_four_places_and_not_only_at_its_start() -> None:
    frames = [Image.new("RGB", (32, 32), "black") for _ in range(8)]
    blank = saved(frames[0], "PNG", save_all=True, append_images=[Image.new("RGB", (32, 32), "red")] * 7, duration=100)
    frames[5].paste("white", (4, 4, 9, 9))
    shown = saved(frames[0], "PNG", save_all=True, append_images=frames[1:], duration=100)

    assert shades_of_image(shown, animated=False).blank, "its first picture is"
    assert not shades_of_image(shown, animated=True).blank
    assert shades_of_image(blank, animated=True).blank, "each of its pictures is of one colour"


def test_a_transparent_colour_counts_where_it_is_used() -> None:
    palette = Image.new("P", (8, 8), 0)
    palette.putpalette([255, 0, 0, 0, 0, 255])
    assert not is_transparent(saved(palette, transparency=1))
    palette.putpixel((2, 2), 1)
    assert is_transparent(saved(palette, transparency=1))


def test_what_is_no_picture_is_refused() -> None:
    for look in (lambda file: shades_of_image(file, animated=False), is_transparent):
        with pytest.raises(MediaUnreadable) as caught:
            look(BytesIO(b"not a picture at all"))
        assert caught.value.code == "not_an_image"


def test_a_sound_has_no_shades(tmp_path: Path) -> None:
    with pytest.raises(MediaUnreadable) as caught:
        shades_of_video(tmp_path / "none.txt", "text", check=lambda: None)
    assert caught.value.code == "no_pictures"

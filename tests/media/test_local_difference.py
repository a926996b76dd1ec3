"""Where two pictures differ most, on pictures drawn here and on the receipts of MR-19."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from oloproof.errors import MediaUnreadable
from oloproof.media.local_difference import SIDE, TILE, grey_picture, local_difference

CASES = Path(__file__).parent.parent / "data" / "media-cases"


def page(total: str, size: tuple[int, int] = (1654, 2339)) -> Image.Image:
    """Return a page of lines with a total below, drawn as a scanner at 200 dots an inch sees A4."""
    picture = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(picture)
    for line in range(40):
        draw.text(
            (120, 120 + 50 * line), f"{line:02} an item of the list {line * 7919 % 997}", fill="black", font_size=26
        )
    draw.text((120, 2180), f"Total {total}", fill="black", font_size=26)
    return picture


def encoded(picture: Image.Image, form: str = "png", **how: object) -> io.BytesIO:
    stream = io.BytesIO()
    picture.save(stream, form, **how)
    stream.seek(0)
    return stream


def test_one_digit_of_a_page_is_found_where_it_stands() -> None:
    right, wrong = (grey_picture(encoded(page(total))) for total in ("1,284.50", "1,384.50"))
    found = local_difference(right, wrong)
    assert found.levels > 30
    assert (found.across, found.down) == (pytest.approx(225 / 1654, abs=0.02), pytest.approx(2196 / 2339, abs=0.01))


@pytest.mark.parametrize(
    "copy",
    [
        lambda picture: encoded(picture, "jpeg", quality=40),
        lambda picture: encoded(picture, "webp", quality=40),
        lambda picture: encoded(picture.resize((827, 1170), Image.Resampling.LANCZOS)),
        lambda picture: encoded(picture.resize((1158, 1637), Image.Resampling.BICUBIC), "jpeg", quality=60),
        lambda picture: encoded(picture.point(lambda level: level * 0.9)),
    ],
    ids=["jpeg", "webp", "half", "smaller-jpeg", "darker"],
)
def test_what_encoders_and_sizes_do_to_a_page_stays_small(copy) -> None:
    known = page("1,284.50")
    assert local_difference(grey_picture(encoded(known)), grey_picture(copy(known))).levels < 12


def test_the_receipts_that_a_hash_takes_for_each_other_differ_in_their_totals() -> None:
    with (CASES / "MR-19-a.png").open("rb") as right, (CASES / "MR-19-b.png").open("rb") as wrong:
        found = local_difference(grey_picture(right), grey_picture(wrong))
    assert (found.levels, found.across, found.down) == (50.25, 0.75, 0.8625)


def test_large_pictures_are_reduced_and_a_page_at_300_dots_is_not() -> None:
    assert grey_picture(encoded(Image.new("RGB", (2480, 3508)))).size == (2480, 3508)
    assert min(grey_picture(encoded(Image.new("RGB", (6000, 4000), "red"), "jpeg")).size) >= SIDE
    assert grey_picture(encoded(Image.new("RGB", (6000, 4000), "red"))).width == 2000


def test_transparency_shows_the_background_on_both_sides() -> None:
    clear = Image.new("RGBA", (64, 64), (0, 0, 0, 0))
    white = Image.new("RGB", (64, 64), "white")
    assert local_difference(grey_picture(encoded(clear)), grey_picture(encoded(white))).levels == 0
    assert grey_picture(encoded(clear), background="black").getpixel((5, 5)) == 0


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(MediaUnreadable):
        grey_picture(io.BytesIO(b"<html>"))


sides = st.integers(1, 70)


@given(width=sides, height=sides, other_width=sides, other_height=sides, level=st.integers(0, 255))
def test_pictures_of_any_sizes_are_compared_and_equal_ones_do_not_differ(
    width: int, height: int, other_width: int, other_height: int, level: int
) -> None:
    one = Image.new("L", (width, height), level)
    other = Image.new("L", (other_width, other_height), level)
    found = local_difference(one, other)
    assert found.levels == 0
    assert 0 <= found.across <= 1
    assert 0 <= found.down <= 1


@given(width=st.integers(40, 120), height=st.integers(40, 120), data=st.data())
def test_a_mark_anywhere_is_found_there_from_both_sides(width: int, height: int, data: st.DataObject) -> None:
    """No border of a tile, and no edge of the picture, hides it."""
    left = data.draw(st.integers(0, width - 8))
    top = data.draw(st.integers(0, height - 8))
    plain = Image.new("L", (width, height), 255)
    marked = plain.copy()
    marked.paste(0, (left, top, left + 8, top + 8))
    found = local_difference(plain, marked)
    assert found.levels == local_difference(marked, plain).levels > 40
    assert abs(found.across * width - (left + 4)) <= TILE
    assert abs(found.down * height - (top + 4)) <= TILE

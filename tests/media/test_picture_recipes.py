"""What was wrong with earlier deliveries of pictures, each with what is right."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms

from oloproof.config.recipes import FORMS
from oloproof.errors import MediaUnreadable
from oloproof.media.picture_recipes import Encoded, blank_picture, encode_recipe
from oloproof.media.pictures import Picture
from oloproof.media.sameness import Sameness, compare_pictures

PICTURES = [name for name, form in FORMS.items() if form.kind == "image"]
AMOUNTS = {"jpeg": 90, "webp": 90, "avif": 90, "resize": 50, "crop": 10, "pad": 4, "rotate": 90, "noise": 5, "blur": 1}


def photo(width: int = 48, height: int = 32, mode: str = "RGB") -> Image.Image:
    """A smooth picture whose left is dark and whose top is red, so that every turn shows."""
    across, down = np.meshgrid(np.linspace(0, 255, width), np.linspace(255, 0, height))
    return Image.fromarray(np.stack([down, across, across // 2], -1).astype(np.uint8)).convert(mode)


def saved(picture: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


def delivered(data: bytes, name: str, amount: float | None = None) -> tuple[Encoded, Sameness]:
    picture = Picture(data)
    made = encode_recipe(picture, name, AMOUNTS.get(name, 0) if amount is None else amount, lambda: 7)
    return made, compare_pictures(picture, made)


def opened(made: Encoded) -> Image.Image:
    return Image.open(io.BytesIO(made.data))


def with_orientation(number: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = number
    exif[0x010F] = "a camera"
    return saved(photo(), "JPEG", quality=95, exif=exif)


@pytest.mark.parametrize("name", PICTURES)
def test_a_turned_photo_is_delivered_as_people_see_it(name: str) -> None:
    """Read as stored it would lie on its side in every form, the one meant as the original too."""
    made, _ = delivered(with_orientation(6), name)
    shown = opened(made).convert("RGB")
    assert (shown.width < shown.height) == (name != "rotate")
    assert not opened(made).getexif().get(0x0112)


def test_stripping_turns_first_and_is_the_same_to_people() -> None:
    made, same = delivered(with_orientation(6), "exif-strip")
    assert (made.ending, same.data, same.view) == ("png", False, True)


def test_stripping_keeps_the_coded_pixels_of_an_upright_photo() -> None:
    """Coding it anew would change pixels, and the recipe is about what stands beside them."""
    data = with_orientation(1)
    made, same = delivered(data, "exif-strip")
    assert made.ending == "jpg"
    assert same == Sameness(False, True, True)
    assert b"a camera" in data
    assert b"a camera" not in made.data


@pytest.mark.parametrize("form", ["PNG", "WEBP"])
def test_stripping_takes_texts_and_camera_data_out_of_other_formats(form: str) -> None:
    exif = Image.Exif()
    exif[0x010F] = "a camera"
    data = saved(photo(), form, exif=exif, **({"lossless": True} if form == "WEBP" else {}))
    made, same = delivered(data, "exif-strip")
    assert same == Sameness(False, True, True)
    assert b"a camera" not in made.data


def test_stripping_what_carries_nothing_gives_the_same_bytes_and_says_so() -> None:
    assert delivered(saved(photo()), "exif-strip")[1] == Sameness(True, True, True)


@pytest.mark.parametrize("name", [name for name in PICTURES if FORMS[name].relation == "degraded"])
def test_what_lies_hidden_under_transparency_is_not_shown(name: str) -> None:
    """Dropping the alpha channel would show the colour that a viewer never does."""
    hidden = Image.new("RGBA", (40, 40), (255, 0, 0, 0))
    made, _ = delivered(saved(hidden), name)
    assert min(low for low, _ in np.asarray(opened(made).convert("RGB").getextrema())) >= (
        200 if name == "noise" else 250
    )


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_a_png_written_anew_keeps_its_transparency(mode: str) -> None:
    picture = photo(mode="RGBA")
    picture.putalpha(Image.linear_gradient("L").resize(picture.size))
    _, same = delivered(saved(picture.convert(mode)), "png-reencode")
    assert same == Sameness(False, True, True)


def test_a_transparent_colour_survives_a_new_png() -> None:
    data = saved(photo(), transparency=photo().getpixel((3, 3)))
    assert delivered(data, "png-reencode")[1] == Sameness(False, True, True)


def test_sixteen_bits_are_scaled_and_not_clipped() -> None:
    """Values over 255 would all become white."""
    ramp = Image.fromarray((np.arange(40 * 40).reshape(40, 40) * 40).astype(np.uint16))
    made, _ = delivered(saved(ramp), "jpeg", 100)
    low, high = opened(made).convert("L").getextrema()
    assert low < 5
    assert 240 < high <= 255
    assert opened(made).convert("L").getpixel((20, 20)) == pytest.approx(820 * 40 / 257, abs=4)


def test_a_new_png_keeps_sixteen_bits() -> None:
    ramp = Image.fromarray((np.arange(40 * 40).reshape(40, 40) * 40).astype(np.uint16))
    made, same = delivered(saved(ramp), "png-reencode")
    assert same == Sameness(False, True, True)
    assert opened(made).mode == "I;16"


def test_a_new_png_keeps_sixteen_bits_of_colour_which_no_decoder_here_can_hold() -> None:
    rows = b"".join(b"\0" + bytes(range(row, row + 48)) for row in range(8))
    data = png_of(struct.pack(">IIBBBBB", 8, 8, 16, 2, 0, 0, 0), rows)
    made, same = delivered(data, "png-reencode")
    assert same == Sameness(False, True, True)
    assert made.data[24] == 16
    picture = Picture(data)
    lost = compare_pictures(picture, encode_recipe(picture, "blur", 0.1, lambda: 7), claimed=False)
    assert lost == Sameness(False, False, True), "8 bits of it are left"


def png_of(header: bytes, rows: bytes) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_colours_are_converted_by_the_profile_before_it_is_left_out() -> None:
    """The numbers of a wide profile look dull once nothing says what they mean."""
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    data = saved(photo(mode="CMYK"), "JPEG", quality=95)
    made, same = delivered(data, "png-reencode")
    assert (opened(made).mode, same.data, same.view) == ("RGB", False, True)
    plain, _ = delivered(saved(photo(), icc_profile=lab), "png-reencode")
    assert opened(plain).info["icc_profile"] == lab


def test_a_new_png_keeps_a_profile_and_a_photo_loses_what_it_says_by_being_converted() -> None:
    profile = wide_profile()
    data = saved(photo(), icc_profile=profile)
    made, same = delivered(data, "png-reencode")
    assert same.view
    assert opened(made).info["icc_profile"] == profile
    jpeg, _ = delivered(data, "jpeg", 100)
    assert "icc_profile" not in opened(jpeg).info
    shown = Picture(data).view
    far = np.abs(np.asarray(opened(jpeg)).astype(int) - np.asarray(shown)).mean()
    assert far < 3 < np.abs(np.asarray(photo()).astype(int) - np.asarray(shown)).mean()


def wide_profile() -> bytes:
    """An sRGB profile whose green and red colorants have changed places: every viewer shows other colours."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    entries = [profile[128 + 4 + 12 * index :][:12] for index in range(int.from_bytes(profile[128:132]))]
    offsets = {bytes(entry[:4]): int.from_bytes(entry[4:8]) for entry in entries}
    red, green = offsets[b"rXYZ"], offsets[b"gXYZ"]
    profile[red : red + 20], profile[green : green + 20] = profile[green : green + 20], profile[red : red + 20]
    return bytes(profile)


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG", "TIFF"])
def test_of_several_pictures_none_is_chosen_silently(form: str) -> None:
    data = saved(photo(), form, save_all=True, append_images=[photo().rotate(90)])
    with pytest.raises(MediaUnreadable, match=r"frames|pictures"):
        Picture(data)


def test_a_palette_is_no_obstacle_to_a_jpeg() -> None:
    assert opened(delivered(saved(photo(mode="P"), "GIF"), "jpeg")[0]).mode == "RGB"


def test_a_damaged_photo_is_delivered_in_no_other_form() -> None:
    """Decoders fill what is lost with grey, which would be a degradation that nobody named."""
    with pytest.raises(MediaUnreadable, match="cannot be decoded to its end"):
        Picture(saved(photo(400, 300), "JPEG")[:-900])


@pytest.mark.parametrize(("name", "amount"), [("resize", 400), ("pad", 4096), ("rotate", 45)])
def test_what_would_be_too_large_to_be_read_is_not_made(name: str, amount: float) -> None:
    """Four times the sides of a large photo would take gigabytes."""
    with pytest.raises(MediaUnreadable, match="pictures of more than 150,000,000 pixels are not made"):
        delivered(saved(Image.new("1", (18_000, 700))), name, amount)


def test_a_webp_that_would_be_too_wide_is_refused_in_words() -> None:
    with pytest.raises(MediaUnreadable, match="at most 16,383 pixels a side"):
        delivered(saved(Image.new("L", (16_384, 1))), "webp")


@pytest.mark.parametrize(("name", "change"), [("grayscale", "grey"), ("blur", "flat"), ("jpeg", "flat")])
def test_a_degradation_that_changes_nothing_is_told(name: str, change: str) -> None:
    picture = photo(mode="L") if change == "grey" else Image.new("RGB", (32, 32), (128, 128, 128))
    assert delivered(saved(picture), name)[1].view


def test_a_small_difference_is_a_difference() -> None:
    picture = photo()
    data = saved(picture)
    picture.putpixel((5, 5), (0, 0, 1))
    same = compare_pictures(Picture(data), Encoded(saved(picture), "png"))
    assert not same.view
    assert same.difference.startswith("pixels differ by up to")


def test_an_orientation_beside_the_same_pixels_is_another_view() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    same = compare_pictures(Picture(saved(photo())), Encoded(saved(photo(), exif=exif), "png"))
    assert same == Sameness(False, False, False, "it is shown 32x48, the original 48x32")


def test_a_profile_beside_the_same_pixels_is_another_view() -> None:
    same = compare_pictures(Picture(saved(photo())), Encoded(saved(photo(), icc_profile=wide_profile()), "png"))
    assert (same.data, same.view) == (True, False)


def test_noise_is_the_same_each_time_and_another_for_another_seed() -> None:
    picture = Picture(saved(photo()))
    first, again, other = (encode_recipe(picture, "noise", 20, lambda seed=seed: seed).data for seed in (1, 1, 2))
    assert first == again != other


def test_sizes_are_those_that_the_amount_asks_for() -> None:
    picture = Picture(saved(photo(47, 33)))
    sizes = {name: opened(encode_recipe(picture, name, AMOUNTS[name], int)).size for name in ("resize", "crop", "pad")}
    assert sizes == {"resize": (23, 16), "crop": (39, 27), "pad": (55, 41)}
    assert opened(encode_recipe(picture, "rotate", 90, int)).size == (33, 47)


def test_a_blank_picture_has_the_shown_size() -> None:
    blank = opened(blank_picture(Picture(with_orientation(6)), "#808080"))
    assert (blank.size, blank.getextrema()) == ((32, 48), ((128, 128),) * 3)

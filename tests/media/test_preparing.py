"""Pictures made ready for a model: untouched where nothing is needed, else as a person sees them, or refused."""

from __future__ import annotations

import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, PngImagePlugin

from oloproof.errors import MediaUnreadable
from oloproof.media.drafting import Limits
from oloproof.media.image_recipe import ImageRecipe
from oloproof.media.images import open_upright_srgb, thumbnail
from oloproof.media.preparing import Prepared, prepare_image
from tests.media.conftest import CASES, encoded


def prepared(data: bytes | Path, **recipe: Any) -> Prepared:
    """Prepare bytes, or a file of the real cases."""
    content = data.read_bytes() if isinstance(data, Path) else data
    return prepare_image(io.BytesIO(content), ImageRecipe(**recipe))


def pixels(made: Prepared) -> Image.Image:
    """Decode what is sent, as a model's server does."""
    with Image.open(io.BytesIO(made.data)) as opened:
        assert opened.format == made.media_type.removeprefix("image/").upper()
        opened.load()
        return opened.convert("RGB")


def refusal(data: bytes | Path, **recipe: Any) -> MediaUnreadable:
    with pytest.raises(MediaUnreadable) as caught:
        prepared(data, **recipe)
    return caught.value


def noise(width: int, height: int, seed: int = 1) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def with_chunk(png: bytes, kind: bytes, data: bytes) -> bytes:
    """Insert a chunk right behind the header of a PNG."""
    return png[:33] + chunk(kind, data) + png[33:]


def srgb_profile() -> bytes:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def wide_profile() -> bytes:
    """The wide profile that the real case carries."""
    with Image.open(CASES / "MR-12.png") as opened:
        return bytes(opened.info["icc_profile"])


# --- nothing is needed ---------------------------------------------------------------------------------------------


def plain_files() -> dict[str, bytes]:
    soft = noise(12, 8).resize((48, 32), Image.Resampling.BICUBIC)
    return {
        "png": encoded(soft, "PNG"),
        "jpeg": encoded(soft, "JPEG"),
        "progressive jpeg": encoded(soft, "JPEG", progressive=True),
        "grey png": encoded(soft.convert("L"), "PNG"),
        "grey jpeg": encoded(soft.convert("L"), "JPEG"),
        "palette png": encoded(soft.quantize(16), "PNG"),
        "one-bit png": encoded(soft.convert("1"), "PNG"),
        "opaque rgba png": encoded(soft.convert("RGBA"), "PNG"),
        "srgb-tagged png": encoded(soft, "PNG", icc_profile=srgb_profile()),
        "srgb-tagged jpeg": encoded(soft, "JPEG", icc_profile=srgb_profile()),
        "orientation 1 jpeg": encoded(soft, "JPEG", exif=_turned(1)),
    }


def _turned(number: int) -> bytes:
    tags = Image.Exif()
    tags[274] = number
    return tags.tobytes()


@pytest.mark.parametrize("name", plain_files())
def test_a_picture_that_needs_nothing_is_sent_as_the_recorded_bytes(name: str) -> None:
    data = plain_files()[name]

    made = prepared(data)

    assert made.data == data
    assert made.steps == ()
    assert (made.width, made.height) == (48, 32)


@pytest.mark.parametrize("name", ["MR-03-b.jpg", "MR-19-a.png", "MR-57-a.png", "MR-08-a.png"])
def test_real_plain_files_are_sent_untouched_under_the_type_of_their_bytes(name: str, expected: Any) -> None:
    made = prepared(CASES / name)

    assert made.data == (CASES / name).read_bytes()
    assert made.media_type == expected[name]["true_media_type"]


def test_a_type_that_the_server_takes_is_sent_untouched_too() -> None:
    data = encoded(noise(20, 10), "WEBP", lossless=True)

    assert prepared(data, accepts=("image/png", "image/webp")).data == data
    assert prepared(data).steps == ("from webp to png",)


def test_hidden_bytes_behind_the_picture_never_leave() -> None:
    for form in ("PNG", "JPEG"):
        made = prepared(encoded(noise(40, 30), form) + b"secret of another file")

        assert b"secret" not in made.data
        assert made.steps == ("trailing data dropped",)


def test_the_digest_is_that_of_the_bytes_sent_and_they_are_in_no_representation() -> None:
    import hashlib

    made = prepared(CASES / "MR-05.jpg")

    assert made.sha256 == hashlib.sha256(made.data).hexdigest()
    assert "PNG" not in repr(made)


# --- what people see -----------------------------------------------------------------------------------------------


def test_a_phone_photo_is_sent_upright_without_its_tag() -> None:
    made, upright = prepared(CASES / "MR-03-a.jpg"), prepared(CASES / "MR-03-b.jpg")

    assert made.steps == ("upright (orientation 6)", "metadata dropped")
    assert (made.width, made.height) == (240, 360) == (upright.width, upright.height)
    difference = np.abs(np.asarray(pixels(made)).astype(int) - np.asarray(pixels(upright)).astype(int))
    assert difference.mean() < 4
    assert b"Exif" not in made.data


@pytest.mark.parametrize("number", range(2, 9))
@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_each_orientation_is_turned_and_told(form: str, number: int, picture: Image.Image) -> None:
    made = prepared(encoded(picture, form, exif=_turned(number)))

    assert made.steps[0] == f"upright (orientation {number})"
    assert (made.width, made.height) == (picture.size[::-1] if number >= 5 else picture.size)


def test_printing_inks_become_the_red_that_was_meant() -> None:
    made = prepared(CASES / "MR-05.jpg")

    assert "from CMYK" in made.steps
    assert pixels(made).getpixel((20, 50)) == (255, 0, 0)


@pytest.mark.parametrize("name", ["MR-07-a.png", "MR-07-b.png"])
def test_nothing_under_transparency_reaches_the_model(name: str) -> None:
    made = prepared(CASES / name)
    dark = prepared(CASES / name, background="black")

    assert made.steps == ("on white",)
    assert dark.steps == ("on black",)
    assert pixels(made).getpixel((2, 2)) == (255, 255, 255)
    assert pixels(dark).getpixel((2, 2)) == (0, 0, 0)
    with Image.open(io.BytesIO(made.data)) as opened:
        assert opened.mode == "RGB"


def test_a_wide_profile_is_converted_and_named() -> None:
    made = prepared(CASES / "MR-12.png")

    assert made.steps == ("to sRGB (Wide test P3 g2.2)",)
    found = pixels(made).getpixel((10, 10))
    assert np.abs(np.array(found) - (219, 37, 49)).max() <= 2


def test_a_profile_of_another_colour_model_is_dropped() -> None:
    made = prepared(encoded(Image.new("L", (8, 8), 90), "PNG", icc_profile=wide_profile()))

    assert made.steps == ("unusable profile dropped",)
    assert pixels(made).getpixel((0, 0)) == (90, 90, 90)


def test_wide_colours_told_by_number_are_converted() -> None:
    red = encoded(Image.new("RGB", (8, 8), (200, 60, 60)), "PNG")

    made = prepared(with_chunk(red, b"cICP", bytes((12, 13, 0, 1))))

    assert made.steps == ("to sRGB (Display P3)",)
    # by the profile of the real case, whose curve is 2.2 instead of sRGB's, it is (219, 37, 49)
    assert np.abs(np.array(pixels(made).getpixel((0, 0))) - (219, 37, 49)).max() <= 12


@pytest.mark.parametrize("primaries", [9, 11, 12])
@pytest.mark.parametrize("level", [0, 1, 128, 255])
def test_grey_stays_grey_in_any_primaries(primaries: int, level: int) -> None:
    grey = encoded(Image.new("RGB", (8, 8), (level,) * 3), "PNG")

    made = prepared(with_chunk(grey, b"cICP", bytes((primaries, 13, 0, 1))))

    assert np.abs(np.array(pixels(made).getpixel((0, 0))) - level).max() <= 1


def test_sixteen_bit_greys_are_scaled_and_not_clipped() -> None:
    ramp = np.linspace(0, 65535, 64).astype(np.uint16)
    data = encoded(Image.fromarray(np.tile(ramp, (4, 1))), "PNG")

    made = prepared(data)

    assert made.steps == ("to 8 bits",)
    row = np.asarray(pixels(made))[0, :, 0].astype(int)
    assert np.abs(row - ramp / 257).max() <= 1


def test_a_webp_under_a_jpeg_name_is_converted_by_its_bytes() -> None:
    assert prepared(CASES / "MR-08-b.jpg").steps == ("from webp to jpeg",)


def test_an_avif_under_a_jpeg_name_is_converted() -> None:
    made = prepared(CASES / "MR-09-a.jpg")

    assert made.steps == ("from avif to jpeg",)
    assert pixels(made).size == (200, 140)


def test_a_bitmap_is_kept_exactly() -> None:
    picture = noise(30, 20)

    made = prepared(encoded(picture, "BMP"))

    assert made.steps == ("from bmp to png",)
    assert pixels(made).tobytes() == picture.tobytes()


def test_thin_coloured_lines_survive_a_new_jpeg() -> None:
    soft = noise(12, 8).resize((120, 80), Image.Resampling.BICUBIC)
    soft.paste((255, 0, 0), (40, 0, 41, 80))

    made = prepared(encoded(soft, "JPEG", quality=100, subsampling=0, exif=_turned(2)))

    assert made.media_type == "image/jpeg"
    red, green, _ = np.asarray(pixels(made))[:, 79].mean(axis=0)
    assert red - green > 200


def test_a_jpeg_of_few_colours_is_not_blurred_a_second_time() -> None:
    made = prepared(encoded(Image.new("RGB", (32, 16), "navy"), "JPEG", exif=_turned(6)))

    assert made.media_type == "image/png"


# --- what is never sent --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["MR-01-a.jpg", "MR-01-b.jpg"])
def test_a_cut_picture_is_never_sent(name: str) -> None:
    assert refusal(CASES / name).code == "damaged"


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "AVIF"])
@pytest.mark.parametrize("orientation", [1, 6])
def test_half_a_file_of_any_format_is_never_sent(form: str, orientation: int) -> None:
    soft = noise(60, 40).resize((300, 200), Image.Resampling.BICUBIC)
    options = {"exif": _turned(orientation)} if form in ("PNG", "JPEG", "WEBP", "AVIF") else {}
    data = encoded(soft, form, **options)

    assert refusal(data[: len(data) * 3 // 5]).code == "damaged"


def test_a_jpeg_without_its_end_marker_is_never_sent_even_when_it_must_be_turned() -> None:
    for number in (1, 6):
        data = encoded(noise(40, 30), "JPEG", exif=_turned(number))
        assert refusal(data[:-2]).code == "damaged"


def test_damage_that_decoders_keep_to_themselves_is_found_in_a_turned_jpeg_too() -> None:
    for number in (1, 6):
        data = bytearray(encoded(noise(40, 30).resize((200, 150)), "JPEG", exif=_turned(number)))
        middle = len(data) * 2 // 3
        data[middle : middle + 2] = b"\xff\xd0"  # a restart marker where none belongs: Pillow reads on
        assert refusal(bytes(data)).code == "damaged"


def test_a_picture_that_lost_only_its_end_mark_is_not_whole() -> None:
    assert refusal(encoded(noise(40, 30), "GIF")[:-1]).code == "damaged"


def test_damage_is_found_in_every_type_that_could_go_out_untouched() -> None:
    whole = encoded(noise(60, 40), "WEBP", lossless=True)
    half = whole[20 : len(whole) // 4 * 2]
    # the lengths are right, so that only decoding tells
    data = b"RIFF" + struct.pack("<I", len(half) + 12) + b"WEBPVP8L" + struct.pack("<I", len(half)) + half

    assert refusal(data, accepts=("image/png", "image/webp")).code == "damaged"


def test_a_huge_picture_is_refused_before_it_is_decoded() -> None:
    assert refusal(CASES / "MR-02-b.png").code == "too_large"
    with pytest.raises(MediaUnreadable) as caught:
        prepare_image(io.BytesIO((CASES / "MR-02-a.png").read_bytes()), ImageRecipe(), Limits(max_pixels=50_000_000))
    assert caught.value.code == "too_large"


def test_a_format_without_a_decoder_is_named() -> None:
    error = refusal(b"PF\n2 2\n-1.0\n" + bytes(48))

    assert error.code == "no_decoder"
    assert "PFM has no decoder here; convert it" in str(error)


@pytest.mark.parametrize("name", ["MR-11-a.gif", "MR-11-b.png", "MR-11-c.webp"])
def test_an_animation_is_left_to_frames(name: str) -> None:
    assert refusal(CASES / name).code == "animated"


def test_text_is_no_picture() -> None:
    assert refusal(b"<html><body>404</body></html>").code == "not_an_image"


@pytest.mark.parametrize(("transfer", "word"), [(16, "PQ"), (18, "HLG"), (8, "linear")])
def test_high_dynamic_range_in_a_png_is_refused_by_name(transfer: int, word: str) -> None:
    data = with_chunk(encoded(noise(8, 8), "PNG"), b"cICP", bytes((9, transfer, 0, 1)))

    error = refusal(data)

    assert error.code == "hdr"
    assert word in str(error)


def test_a_colour_chunk_of_ordinary_range_is_no_reason_to_touch_a_picture() -> None:
    data = with_chunk(encoded(noise(8, 8), "PNG"), b"cICP", bytes((1, 13, 0, 1)))

    assert prepared(data).data == data


def test_high_dynamic_range_in_an_avif_is_refused() -> None:
    data = bytearray(encoded(noise(16, 16), "AVIF"))
    at = data.index(b"nclx")
    data[at + 4 : at + 8] = struct.pack(">HH", 9, 16)

    assert refusal(bytes(data)).code == "hdr"


def test_high_dynamic_range_in_a_profile_is_refused() -> None:
    profile = bytearray(srgb_profile())
    count = struct.unpack_from(">I", profile, 128)[0]
    # the last tag of the table is made a cicp tag whose content stands at the end
    struct.pack_into(">4sII", profile, 132 + 12 * (count - 1), b"cicp", len(profile), 12)
    profile += b"cicp\0\0\0\0" + bytes((9, 16, 0, 1))
    struct.pack_into(">I", profile, 0, len(profile))

    assert refusal(encoded(noise(8, 8), "JPEG", icc_profile=bytes(profile))).code == "hdr"


def test_high_dynamic_range_in_the_name_of_a_profile_is_refused() -> None:
    text = b"ITUR_2100_PQ_FULL\0"
    tag = b"desc\0\0\0\0" + struct.pack(">I", len(text)) + text
    head = bytearray(128)
    head[16:20], head[36:40] = b"RGB ", b"acsp"
    profile = bytes(head) + struct.pack(">I4sII", 1, b"desc", 144, len(tag)) + tag

    assert refusal(encoded(noise(8, 8), "PNG", icc_profile=profile)).code == "hdr"


# --- limits --------------------------------------------------------------------------------------------------------


def test_over_a_byte_limit_the_refusal_says_what_is_and_what_may_be_and_the_cure() -> None:
    data = encoded(noise(100, 100), "JPEG", quality=100)

    error = refusal(data, max_bytes=5000)

    assert error.code == "over_limit"
    for word in (str(len(data)), "5000", "downscale: true"):
        assert word in str(error)


@pytest.mark.parametrize("limit", [{"max_side": 50}, {"max_pixels": 4000}])
def test_over_a_size_limit_a_picture_is_refused_or_reduced_and_told(limit: dict[str, int]) -> None:
    data = encoded(noise(100, 80), "PNG")

    assert refusal(data, **limit).code == "over_limit"
    made = prepared(data, **limit, downscale=True)

    assert made.steps[-1] == f"from 100x80 to {made.width}x{made.height}"
    assert max(made.width, made.height) == {"max_side": 50, "max_pixels": 70}[next(iter(limit))]
    assert pixels(made).size == (made.width, made.height)


def test_a_lossless_picture_of_too_many_bytes_falls_to_jpeg_at_full_size() -> None:
    data = encoded(noise(40, 40).resize((400, 400), Image.Resampling.BICUBIC), "PNG")

    made = prepared(data, max_bytes=len(data) // 2)

    assert made.steps == ("from png to jpeg",)
    assert (made.width, made.height) == (400, 400)


def test_a_declared_downscale_is_the_smallest_that_fits() -> None:
    data = encoded(noise(300, 200), "PNG")

    made = prepared(data, max_bytes=30_000, downscale=True)
    larger = noise(300, 200).resize(
        (round(made.width * 1.07), round(made.height * 1.07)), Image.Resampling.LANCZOS, reducing_gap=3.0
    )

    assert len(made.data) <= 30_000
    assert len(encoded(larger, "JPEG", quality=95, subsampling=0)) > 30_000


def test_a_limit_that_no_picture_meets_is_said_and_not_tried_for_ever() -> None:
    assert refusal(encoded(noise(64, 64), "PNG"), max_bytes=60, downscale=True).code == "over_limit"


@pytest.mark.parametrize(
    "wrong",
    [{"background": "light"}, {"accepts": ("image/webp",)}, {"max_bytes": 0}, {"max_side": 0}, {"max_pixels": -1}],
)
def test_a_recipe_that_cannot_be_meant_is_refused_by_field(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ImageRecipe(**wrong)


def test_the_identity_is_json_and_changes_with_every_field() -> None:
    others = [
        {"background": "black"}, {"accepts": ("image/png",)}, {"max_bytes": 1}, {"max_side": 1}, {"max_pixels": 1},
        {"downscale": True},
    ]  # fmt: skip
    texts = {json.dumps(ImageRecipe(**fields).identity, sort_keys=True) for fields in [{}, *others]}

    assert len(texts) == 7
    assert ImageRecipe().identity["version"] == 1


# --- laws ----------------------------------------------------------------------------------------------------------

_MODES = {
    "PNG": ["RGB", "L", "RGBA", "LA", "P", "1"], "JPEG": ["RGB", "L", "CMYK"], "WEBP": ["RGB", "RGBA"],
    "GIF": ["P", "L"], "TIFF": ["RGB", "CMYK", "L", "I;16"], "BMP": ["RGB", "1"],
}  # fmt: skip


@st.composite
def files(draw: st.DrawFn) -> bytes:
    form = draw(st.sampled_from(sorted(_MODES)))
    mode = draw(st.sampled_from(_MODES[form]))
    picture = noise(draw(st.integers(1, 40)), draw(st.integers(1, 40)), draw(st.integers(0, 99)))
    if draw(st.booleans()):
        picture = picture.quantize(4).convert("RGB")
    if mode == "I;16":
        shaped = Image.fromarray(np.asarray(picture.convert("L")).astype(np.uint16) * 257)
    else:
        shaped = picture.convert("RGBA") if mode in ("RGBA", "LA") else picture.convert(mode)
    if mode in ("RGBA", "LA"):
        shaped.putalpha(noise(*picture.size, 7).getchannel(0))
        shaped = shaped.convert(mode)
    options: dict[str, Any] = {}
    if form in ("PNG", "JPEG", "WEBP"):
        options["exif"] = _turned(draw(st.integers(1, 8)))
        if mode in ("RGB", "RGBA") and draw(st.booleans()):
            options["icc_profile"] = wide_profile()
    if form == "PNG" and draw(st.booleans()):
        options["pnginfo"] = PngImagePlugin.PngInfo()
        options["pnginfo"].add_text("comment", "camera of somebody")
    return encoded(shaped, form, **options) + draw(st.sampled_from([b"", b"\0" * 40]))


@given(data=files(), background=st.sampled_from(["white", "black", "#336699"]), reduce=st.booleans())
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_was_prepared_needs_nothing_and_shows_what_hash_and_thumbnail_see(
    data: bytes, background: str, reduce: bool
) -> None:
    recipe = ImageRecipe(background=background, max_side=20 if reduce else None, downscale=reduce)
    made = prepare_image(io.BytesIO(data), recipe)
    again = prepare_image(io.BytesIO(made.data), recipe)

    assert again.data == made.data
    assert again.steps == ()
    assert bool(made.steps) == (made.data != data)
    seen = open_upright_srgb(io.BytesIO(data), background=background)
    if reduce:
        assert max(made.width, made.height) <= 20
    elif made.media_type == "image/png":
        shown = open_upright_srgb(io.BytesIO(made.data), background=background)
        assert shown.tobytes() == seen.tobytes()
    else:
        assert pixels(made).size == seen.size
        assert np.abs(np.asarray(pixels(made)).astype(int) - np.asarray(seen)).mean() < 12


def test_a_thumbnail_shows_the_colours_that_are_sent() -> None:
    for name in ("MR-05.jpg", "MR-07-a.png", "MR-12.png"):
        small = Image.open(io.BytesIO(thumbnail(io.BytesIO((CASES / name).read_bytes()), 64))).convert("RGB")
        sent = pixels(prepared(CASES / name)).resize(small.size)
        assert np.abs(np.asarray(small).astype(int) - np.asarray(sent)).mean() < 6

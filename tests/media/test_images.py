"""Header facts of images, and the picture as shown."""

from __future__ import annotations

import gc
import io
import struct
import time
import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageFile

from oloproof.errors import MediaUnreadable
from oloproof.media.drafting import ORIENTATIONS, Limits
from oloproof.media.images import open_upright_srgb, quiet, thumbnail
from oloproof.media.sniffing import extension_matches
from tests.media.conftest import CASES, codes, encoded, facts, facts_in

TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_270, 7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}  # fmt: skip


def exif(number: int) -> Image.Exif:
    tags = Image.Exif()
    tags[274] = number
    return tags


def upright(data: bytes, **options: Any) -> Image.Image:
    return open_upright_srgb(io.BytesIO(data), **options)


@pytest.mark.parametrize("number", range(1, 9))
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
def test_all_orientations_are_measured_and_shown_upright(form: str, number: int, picture: Image.Image) -> None:
    data = encoded(picture, form, exif=exif(number) if form == "TIFF" else exif(number).tobytes(), quality=95)
    truth = picture.transpose(TURNS[number]) if number > 1 else picture

    found, shown = facts_in(data), upright(data)

    assert (found.width, found.height) == truth.size == shown.size
    assert (found.stored_width, found.stored_height) == picture.size
    assert found.orientation == ORIENTATIONS.get(number)
    assert found.extras.get("exif_orientation", 1) == number
    assert np.abs(np.asarray(shown).astype(int) - np.asarray(truth)).mean() < 6


def test_an_exif_block_behind_the_picture_data_counts() -> None:
    block = exif(6).tobytes().removeprefix(b"Exif\0\0")
    plain = encoded(Image.new("RGB", (40, 20), "red"), "PNG")
    chunk = struct.pack(">I", len(block)) + b"eXIf" + block + struct.pack(">I", zlib.crc32(b"eXIf" + block))

    assert (facts_in(plain[:-12] + chunk + plain[-12:], "header").width) == 20


def grey16(picture: Image.Image) -> Image.Image:
    return Image.fromarray(np.asarray(picture.convert("L")).astype(np.uint16) * 257)


KINDS: list[tuple[str, str, str, dict[str, Any], str | None]] = [
    ("JPEG", "RGB", "jpeg", {}, "rgb"), ("JPEG", "L", "jpeg", {}, "grey"), ("JPEG", "CMYK", "jpeg", {}, "cmyk"),
    ("JPEG", "RGB", "jpeg", {"progressive": True}, "rgb"), ("PNG", "RGB", "png", {}, "rgb"),
    ("PNG", "1", "png", {}, "grey"),
    ("PNG", "RGBA", "png", {}, "rgba"), ("PNG", "LA", "png", {}, "grey_alpha"), ("PNG", "P", "png", {}, "palette"),
    ("GIF", "P", "gif", {}, "palette"), ("WEBP", "RGB", "webp", {}, "rgb"),
    ("WEBP", "RGBA", "webp", {"lossless": True}, "rgba"),
    ("BMP", "RGB", "bmp", {}, "rgb"), ("BMP", "P", "bmp", {}, "palette"), ("TIFF", "RGB", "tiff", {}, "rgb"),
    ("TIFF", "RGB", "tiff", {"compression": "tiff_lzw"}, "rgb"), ("TIFF", "CMYK", "tiff", {}, "cmyk"),
    ("TIFF", "RGB", "bigtiff", {"big_tiff": True}, "rgb"), ("AVIF", "RGB", "avif", {}, "rgb"),
    ("JPEG2000", "RGB", "jp2", {}, "rgb"), ("JPEG2000", "RGB", "j2k", {"no_jp2": True}, "rgb"),
    ("PPM", "RGB", "ppm", {}, "rgb"), ("PPM", "L", "pgm", {}, "grey"), ("PPM", "1", "pbm", {}, "bilevel"),
    ("QOI", "RGB", "qoi", {}, "rgb"), ("ICO", "RGBA", "ico", {"sizes": [(90, 60)]}, None),
]  # fmt: skip


@pytest.mark.parametrize(("form", "mode", "name", "options", "color"), KINDS)
def test_each_image_format_is_measured_and_complete(
    form: str, mode: str, name: str, options: dict[str, Any], color: str | None, picture: Image.Image
) -> None:
    converted = picture.convert(mode)
    if mode == "RGBA":
        converted.putpixel((0, 0), (1, 2, 3, 100))  # a wholly opaque channel is dropped by some writers
    data = encoded(converted, form, **options)

    for depth in ("header", "probed", "decoded"):
        found = facts_in(data, depth)
        assert (found.kind, found.format, found.width, found.height) == ("image", name, 90, 60)
        assert (found.color_mode, found.has_audio, found.duration) == (color, False, None)
        assert extension_matches(f"x.{name.removeprefix('big')}", found.format)
    assert (found.decodable, found.frames, found.animated) == ("complete", 1, False)
    assert upright(data).mode == "RGB"


@pytest.mark.parametrize(("form", "mode", "name", "options", "color"), KINDS)
@pytest.mark.parametrize("share", [0.45, 0.9])
def test_no_cut_image_is_complete_or_shown(
    form: str, mode: str, name: str, options: dict[str, Any], color: str | None, share: float, picture: Image.Image
) -> None:
    data = encoded(picture.convert(mode), form, **options)
    cut = data[: int(len(data) * share)]

    found = facts_in(cut)

    assert found.decodable in ("partial", "none")
    assert codes(found) & {"truncated", "damaged"}
    assert 0 < found.extras.get("readable", 0.5) < 1
    with pytest.raises(MediaUnreadable):
        upright(cut)


def test_readable_share_follows_the_cut(picture: Image.Image) -> None:
    for form in ("PNG", "BMP", "PPM"):
        data = encoded(picture, form, **({"compress_level": 0} if form == "PNG" else {}))
        assert facts_in(data[: len(data) // 2]).extras["readable"] == pytest.approx(0.5, abs=0.05)
    assert facts(CASES / "MR-01-a.jpg").extras["readable"] == pytest.approx(0.47, abs=0.05)


def test_pixels_are_scaled_and_not_clipped_from_sixteen_bits(picture: Image.Image) -> None:
    for form in ("PNG", "TIFF"):
        data = encoded(grey16(picture), form)
        assert facts_in(data).extras["bits"] == 16
        assert "sixteen_bit" in codes(facts_in(data))
        shown = np.asarray(upright(data).convert("L")).astype(int)
        assert np.abs(shown - np.asarray(picture.convert("L"))).max() <= 1


def test_transparency_shows_the_background_that_was_asked_for() -> None:
    clear = Image.new("RGBA", (8, 8), (200, 10, 10, 0))
    palette = Image.new("P", (8, 8), 0)
    palette.putpalette([9, 9, 9, 255, 255, 255])
    for data in (
        encoded(clear, "PNG"), encoded(clear, "WEBP", lossless=True), encoded(clear.convert("LA"), "PNG"),
        encoded(palette, "PNG", transparency=0), encoded(palette, "GIF", transparency=0),
    ):  # fmt: skip
        assert upright(data).getpixel((4, 4)) == (255, 255, 255)
        assert upright(data, background="#00ff00").getpixel((4, 4)) == (0, 255, 0)


def test_inks_and_wide_colours_become_srgb() -> None:
    for name in ("MR-05.jpg", "MR-12.png"):
        with (CASES / name).open("rb") as file:
            shown = open_upright_srgb(file)
        left, right = shown.getpixel((20, 30)), shown.getpixel((shown.width - 20, 30))
        truth = {"MR-05.jpg": ((255, 0, 0), (255, 255, 255)), "MR-12.png": ((219, 37, 49), (0, 185, 22))}[name]
        for found, wanted in zip((left, right), truth, strict=True):
            assert max(abs(a - b) for a, b in zip(found, wanted, strict=True)) <= 3
    assert facts(CASES / "MR-12.png", "header").profile == "Wide test P3 g2.2"
    assert "wide_gamut_profile" in codes(facts(CASES / "MR-12.png", "header"))


def test_the_background_shows_what_transparent_pixels_would_hide() -> None:
    for name, mean in (("MR-07-a.png", 0.840), ("MR-07-b.png", 0.841)):
        with (CASES / name).open("rb") as file:
            assert np.asarray(open_upright_srgb(file)).mean() / 255 == pytest.approx(mean, abs=0.002)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"<html>", "not_an_image"), ((CASES / "MR-02-b.png").read_bytes(), "too_large"), (b"", "not_an_image"),
        ((CASES / "MR-01-b.jpg").read_bytes(), "damaged"),
        ((CASES / "MR-20.mp3").read_bytes(), "not_an_image"), (b"<svg width='9' height='9'/>", "no_decoder"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_says_why(data: bytes, code: str) -> None:
    with pytest.raises(MediaUnreadable) as raised:
        upright(data)
    assert raised.value.code == code


def test_a_claimed_size_is_refused_before_anything_is_allocated() -> None:
    for width, height in ((100_000, 100_000), (65_000, 65_000), (2**31 - 1, 1)):
        header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        data = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + header + struct.pack(">I", zlib.crc32(b"IHDR" + header))
        found = facts_in(data + b"\0\0\0\0IDAT\x35\xaf\x06\x1e")
        assert (found.decodable, found.width, found.height) == ("too_large", width, height)
    small = encoded(Image.new("RGB", (50, 50)), "BMP")
    assert facts_in(small, limits=Limits(max_pixels=2499)).decodable == "too_large"
    assert facts_in(small, limits=Limits(max_pixels=2500)).decodable == "complete"


def test_svg_is_measured_though_nothing_renders_it() -> None:
    for text, size in (
        (b'<svg xmlns="x" width="120px" height="80"/>', (120, 80)), (b"<svg viewBox='0 0 30 40.4'/>", (30, 40)),
        (b'<svg width="100%" height="5em" viewBox="-1,-2, 7,9"></svg>', (7, 9)), (b"<svg/>", (None, None)),
        (b'<svg width="10cm" height="5in"/>', (378, 480)), (b'<svg width="10mm" height="40Q"/>', (38, 38)),
        (b'<svg width="72pt" height="2pc"/>', (96, 32)), (b'<svg width="2.5PX" height="1e2"/>', (3, 100)),
        (b'<svg width="300" viewBox="0 0 30 20"/>', (300, 200)), (b'<svg height="40" viewBox="0 0 30 20"/>', (60, 40)),
        (b'<svg width="300" height="50%" viewBox="0 0 30 20"/>', (300, 200)),
        (b'<svg width="300"/>', (None, None)), (b'<svg stroke-width="3" viewBox="0 0 8 4"/>', (8, 4)),
        (b'<svg width="1e999" height="9"/>', (None, None)), (b'<svg width="9" viewBox="0 0 0 4"/>', (None, None)),
    ):  # fmt: skip
        found = facts_in(text)
        assert (found.format, (found.width, found.height), found.decodable) == ("svg", size, "no_decoder"), text
        assert codes(found) == {"no_decoder"}, text  # no size is a choice, not damage


def test_pages_of_a_tiff_are_one_still(picture: Image.Image) -> None:
    data = encoded(picture, "TIFF", save_all=True, append_images=[picture, picture])

    found = facts_in(data)

    assert (found.frames, found.animated, found.extras["pages"]) == (1, False, 3)
    assert "several_pages" in codes(found)


def test_no_global_switch_is_touched_and_no_warning_leaks() -> None:
    before = (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES, list(warnings.filters))
    names = ["MR-02-a.png", "MR-01-a.jpg", "MR-11-b.png", "MR-07-b.png"] * 2
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda name: facts(CASES / name).decodable, names))

    assert found == ["complete", "partial", "complete", "complete"] * 2
    assert (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES, list(warnings.filters)) == before
    with quiet(), quiet():
        warnings.warn("unheard", stacklevel=1)
    assert list(warnings.filters) == before[2]


def test_a_thumbnail_is_small_upright_and_flat() -> None:
    with (CASES / "MR-03-a.jpg").open("rb") as file, Image.open(io.BytesIO(thumbnail(file, 120))) as small:
        assert (small.format, small.size, small.mode) == ("JPEG", (80, 120), "RGB")
        red, green, blue = small.resize((1, 1), box=(0, 0, 80, 8)).getpixel((0, 0))
        assert red > green + 40
        assert red > blue + 40


def test_headers_of_many_pictures_are_read_in_no_time() -> None:
    grain = np.random.default_rng(1).integers(0, 256, (180, 180, 3), dtype=np.uint8)
    data = encoded(Image.fromarray(grain), "PNG", compress_level=0)
    gc.collect()
    start = time.process_time()
    for _ in range(200):
        facts_in(data, "header")

    assert (time.process_time() - start) / 200 < 0.001  # measured: about 0.1 ms


@given(st.data())
def test_a_mutilated_image_is_answered_at_header_depth(data: st.DataObject) -> None:
    names = ["MR-03-a.jpg", "MR-07-b.png", "MR-11-a.gif", "MR-11-c.webp", "MR-09-a.jpg", "MR-09-b.png", "MR-12.png"]
    body = bytearray((CASES / data.draw(st.sampled_from(names))).read_bytes()[:6000])
    for _ in range(data.draw(st.integers(1, 8))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(body)))

    found = facts_in(bytes(body[:cut]), "header")

    assert found.decodable in (None, "too_large", "no_decoder")

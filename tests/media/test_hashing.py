"""The perceptual hash, its preparation, and when it says nothing."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from oloproof.errors import MediaUnreadable
from oloproof.media.hashing import PerceptualHash, hash_picture, parse_hash, perceptual_hash
from oloproof.media.images import open_upright_srgb
from tests.media.conftest import CASES, encoded


def of(name: str, **options: Any) -> PerceptualHash:
    with (CASES / name).open("rb") as file:
        return perceptual_hash(file, **options)


def of_bytes(data: bytes) -> PerceptualHash:
    return perceptual_hash(io.BytesIO(data))


KNOWN = "phash:8:aa6a56754a765174"


def test_the_hash_of_a_drawn_picture_is_the_known_one() -> None:
    """The bits are also worked out by hand: a matrix DCT-II, its 8×8 lowest frequencies above their median."""
    x, y = np.meshgrid(np.arange(32), np.arange(32))
    grey = ((x * y) // 3 + (x - 9) ** 2 // 4).clip(0, 255).astype(np.uint8)
    n = np.arange(32)
    basis = np.cos(np.pi * np.outer(n, 2 * n + 1) / 64)
    lowest = (basis @ grey @ basis.T)[:8, :8]
    bits = "".join("1" if value > np.median(lowest) else "0" for value in lowest.flatten())

    found = hash_picture(Image.fromarray(grey).convert("RGB"))

    assert found.bits == int(bits, 2)
    assert str(found) == KNOWN
    assert (found.flat, found.split) == (False, False)


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [("MR-03-a.jpg", "MR-03-b.jpg", 0), ("MR-17-a.png", "MR-17-b.png", 0), ("MR-19-a.png", "MR-19-b.png", 2)],
)
def test_reported_pairs_stand_as_far_apart_as_they_should(first: str, second: str, distance: int) -> None:
    found = of(first).distance(of(second))

    assert found == distance
    assert type(found) is int
    assert json.dumps(found)


def test_flat_pictures_are_called_flat_and_keep_their_colour() -> None:
    blue, white = of("MR-15-a.png"), of("MR-15-b.png")

    assert (blue.flat, white.flat) == (True, True)
    assert blue.mean_color is not None
    assert blue.mean_color[2] > 200 > blue.mean_color[0]
    assert white.mean_color == (255, 255, 255)
    assert of("MR-57-blank.png").flat
    assert of_bytes(encoded(Image.new("RGBA", (90, 90), (9, 200, 30, 0)), "PNG")).flat
    noise = np.random.default_rng(1).integers(126, 130, (200, 200, 3), dtype=np.uint8)
    assert of_bytes(encoded(Image.fromarray(noise), "PNG")).flat


def test_pictures_of_one_edge_are_called_split() -> None:
    half = Image.new("RGB", (200, 120), "white")
    ImageDraw.Draw(half).rectangle((0, 0, 99, 119), fill="black")
    for data in (half, half.rotate(90, expand=True)):
        found = of_bytes(encoded(data, "PNG"))
        assert (found.split, found.flat) == (True, False)
        assert found.unsteady is not None
        assert found.unsteady > 40
    for name in ("MR-03-b.jpg", "MR-19-a.png", "MR-57-a.png", "MR-17-a.png"):
        assert not of(name).split


@pytest.mark.parametrize("mode", ["L", "RGBA", "CMYK", "LA"])
def test_the_way_a_picture_is_stored_does_not_move_its_hash(mode: str, picture: Image.Image) -> None:
    base = of_bytes(encoded(picture, "PNG"))
    form = "TIFF" if mode == "CMYK" else "PNG"

    assert of_bytes(encoded(picture.convert(mode), form)).distance(base) <= 2
    assert of_bytes(encoded(picture, "WEBP", quality=90)).distance(base) <= 4
    assert of_bytes(encoded(picture, "AVIF")).distance(base) <= 4
    wide = Image.fromarray(np.asarray(picture.convert("L")).astype(np.uint16) * 257)
    assert of_bytes(encoded(wide, "PNG")).distance(base) <= 2
    assert of_bytes(encoded(picture.transpose(Image.Transpose.ROTATE_90), "PNG")).distance(base) > 16


def test_decoding_a_jpeg_small_gives_the_hash_of_decoding_it_whole() -> None:
    rng = np.random.default_rng(5)
    for _ in range(4):
        grain = Image.fromarray(rng.integers(0, 256, (12, 16, 3), dtype=np.uint8))
        large = grain.resize((2400, 1800), Image.Resampling.BICUBIC)
        data = encoded(large, "JPEG", quality=88)
        whole = hash_picture(open_upright_srgb(io.BytesIO(data)))
        assert of_bytes(data).distance(whole) <= 2
        assert of_bytes(encoded(large, "PNG", compress_level=1)).distance(whole) <= 2


def test_the_first_shown_frame_is_hashed_and_not_the_cover() -> None:
    assert of("MR-11-b.png").distance(of("MR-11-c.webp")) <= 2
    assert of("MR-11-a.gif").flat  # its first frame is blank


@pytest.mark.parametrize(("name", "code"), [("MR-01-a.jpg", "damaged"), ("MR-02-b.png", "too_large")])
def test_what_does_not_decode_to_its_end_is_never_hashed(name: str, code: str) -> None:
    with pytest.raises(MediaUnreadable) as raised:
        of(name)
    assert raised.value.code == code


def test_a_large_but_allowed_picture_is_hashed() -> None:
    assert len(of("MR-02-a.png").hex) == 16


def test_a_stored_hash_reads_back_and_refuses_another_make() -> None:
    found = of("MR-03-b.jpg")

    assert parse_hash(str(found)).distance(found) == 0
    assert parse_hash("phash:8:0000000000001234").hex == "0000000000001234"
    for text in ("phash:16:" + "0" * 64, "dhash:8:" + "0" * 16, "phash:8:" + "0" * 15, "phash:8:" + "0" * 17):
        with pytest.raises(ValueError, match=r"digits|compared"):
            parse_hash(text)
    for value in (668, 8000000000000000, None, 0.5):
        with pytest.raises(ValueError, match="quote it"):
            parse_hash(value)
    for text in ("d3b7cf4ebd183140", "0xd3b7cf4ebd183140", "phash:8:XYZ", ""):
        with pytest.raises(ValueError, match="no hash"):
            parse_hash(text)
    with pytest.raises(ValueError, match="not the same kind"):
        found.distance(PerceptualHash(0, size=16))


def test_hashes_made_on_other_backgrounds_do_not_compare() -> None:
    with pytest.raises(ValueError, match="made on"):
        of("MR-17-a.png").distance(of("MR-17-a.png", background="black"))

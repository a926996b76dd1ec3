"""Animations and damage, frame by frame."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oloproof.media.animation_tables import shown_delay
from oloproof.media.drafting import Limits
from tests.media.conftest import CASES, codes, encoded, facts, facts_in

ANIMATIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("GIF", "gif", {"duration": [100, 200, 300, 400], "loop": 0}),
    ("PNG", "apng", {"duration": [100, 200, 300, 400], "loop": 0}),
    ("WEBP", "webp", {"duration": [100, 200, 300, 400], "loop": 0}),
    ("AVIF", "avif", {"duration": [100, 200, 300, 400]}),
]


def moving(picture: Image.Image, form: str, **options: Any) -> bytes:
    frames = [picture.point(lambda value, shift=shift: (value + shift) % 256) for shift in (0, 50, 100, 150)]
    return encoded(frames[0], form, save_all=True, append_images=frames[1:], **options)


@pytest.mark.parametrize(("form", "name", "options"), ANIMATIONS)
def test_an_animation_is_counted_and_timed_as_shown(
    form: str, name: str, options: dict[str, Any], picture: Image.Image
) -> None:
    data = moving(picture, form, **options)

    for depth in ("probed", "decoded"):
        found = facts_in(data, depth)
        assert (found.format, found.animated, found.frames, found.duration) == (name, True, 4, 1.0)
    assert found.decodable == "complete"
    assert facts_in(data, "header").frames in (None, 4)


@pytest.mark.parametrize(("form", "name", "options"), ANIMATIONS[:3])
def test_a_cut_animation_counts_its_whole_frames(
    form: str, name: str, options: dict[str, Any], picture: Image.Image
) -> None:
    data = moving(picture, form, **options)

    found = facts_in(data[: int(len(data) * 0.6)])

    assert (found.frames, found.duration, found.decodable) == (2, pytest.approx(0.3), "partial")
    assert "truncated" in codes(found)


def test_a_frame_that_is_cut_inside_is_counted_at_no_depth(picture: Image.Image) -> None:
    data = moving(picture, "PNG", duration=100)

    assert {facts_in(data[:-300], depth).frames for depth in ("probed", "decoded")} == {3}


def test_a_cover_that_is_no_frame_is_not_counted(picture: Image.Image) -> None:
    frames = [picture.point(lambda value, shift=shift: (value + shift) % 256) for shift in (0, 60, 120)]
    data = encoded(
        picture, "PNG", save_all=True, append_images=frames[1:], duration=[200, 300], loop=0, default_image=True
    )

    assert (facts_in(data).frames, facts_in(data).duration) == (2, 0.5)


def test_very_short_delays_count_as_viewers_show_them(picture: Image.Image) -> None:
    found = facts_in(moving(picture, "GIF", duration=[0, 10, 20, 500]))

    assert found.duration == pytest.approx(0.1 + 0.1 + 0.02 + 0.5)
    assert "frame_delay_raised" in codes(found)
    assert (shown_delay(0.0), shown_delay(0.01), shown_delay(0.02)) == (0.1, 0.1, 0.02)


def test_short_delays_of_an_avif_count_so_too_and_a_cut_one_promises_nothing(picture: Image.Image) -> None:
    data = moving(picture, "AVIF", duration=[5, 10, 20, 500])

    for depth in ("probed", "decoded"):
        found = facts_in(data, depth)
        assert (found.duration, codes(found)) == (pytest.approx(0.1 + 0.1 + 0.02 + 0.5), {"frame_delay_raised"})
    for depth in ("header", "probed", "decoded"):
        found = facts_in(data[: len(data) // 2], depth)
        assert (found.animated, found.frames, found.duration) == (True, None, None)


def test_what_follows_a_gif_frame_must_be_a_block(picture: Image.Image) -> None:
    data = moving(picture, "GIF", duration=100)
    frame = data.rindex(b"\x21\xf9\x04")

    found = facts_in(data[:frame] + b"\x99" + data[frame + 1 :])

    assert (found.frames, found.decodable) == (3, "partial")
    assert "damaged" in codes(found)


def test_a_gif_without_a_screen_is_as_large_as_its_first_frame(picture: Image.Image) -> None:
    data = encoded(picture, "GIF")

    found = facts_in(data[:6] + bytes(4) + data[10:])

    assert (found.width, found.height, found.decodable) == (90, 60, "complete")


def test_an_animation_of_too_many_pixels_in_all_is_refused(picture: Image.Image) -> None:
    data = moving(picture, "GIF", duration=100)

    assert facts_in(data, limits=Limits(max_animation_pixels=10_000)).decodable == "too_large"


def png_chunk(name: bytes, body: bytes, crc: int | None = None) -> bytes:
    total = zlib.crc32(name + body) if crc is None else crc
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", total)


def png(*chunks: bytes, size: tuple[int, int] = (4, 4), color: int = 2, interlace: int = 0) -> bytes:
    header = struct.pack(">IIBBBBB", *size, 8, color, 0, 0, interlace)
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + b"".join(chunks) + png_chunk(b"IEND", b"")


ROWS = (b"\0" + bytes(12)) * 4


def test_a_png_is_checked_row_by_row_and_checksum_by_checksum() -> None:
    data = png_chunk(b"IDAT", zlib.compress(ROWS))
    assert facts_in(png(data)).decodable == "complete"
    assert facts_in(png(png_chunk(b"IDAT", zlib.compress(ROWS), crc=1))).decodable == "partial"
    assert facts_in(png(png_chunk(b"tEXt", b"a\0b", crc=1), data)).decodable == "complete"  # no viewer minds
    assert facts_in(png(png_chunk(b"IDAT", zlib.compress(ROWS[:26])))).extras["readable"] == 0.5
    wrong_filter = zlib.compress(ROWS[:13] + b"\x09" + ROWS[14:])
    assert facts_in(png(png_chunk(b"IDAT", wrong_filter))).extras["readable"] == 0.25
    assert facts_in(png(data, color=3)).decodable == "none"  # a palette is missing
    assert facts_in(png()).decodable == "none"
    assert facts_in(png(data)[:33]).decodable == "none"
    assert facts_in(png(data)[:-12]).decodable == "partial"
    interlaced = png(png_chunk(b"IDAT", zlib.compress(b"".join(_adam7()))), size=(5, 3), interlace=1)
    assert facts_in(interlaced).decodable == "complete"


def _adam7() -> list[bytes]:
    """Return the rows of a 5×3 picture, 8-bit RGB, in the seven passes."""
    widths = [(1, 1), (1, 1), (2, 0), (1, 1), (3, 1), (2, 2), (5, 1)]
    # pass 2 has one column from x=4; pass 3 begins at row 4 and is empty; pass 4 has column 2
    return [b"\0" + bytes(3 * width) for width, rows in widths for _ in range(rows)]


@pytest.mark.parametrize("options", [{"quality": 90}, {"quality": 90, "progressive": True}, {"subsampling": 0}])
def test_a_jpeg_that_was_cut_and_given_an_end_marker_is_damaged(picture: Image.Image, options: dict[str, Any]) -> None:
    data = encoded(picture, "JPEG", **options)
    found = facts_in(data[: int(len(data) * 0.7)] + b"\xff\xd9")

    assert (found.decodable, codes(found)) == ("partial", {"damaged"})
    assert facts_in(data).decodable == "complete"


def test_a_jpeg_that_lost_bytes_in_the_middle_is_damaged(picture: Image.Image) -> None:
    data = encoded(picture, "JPEG", quality=95)
    middle = int(len(data) * 0.6)
    found = facts_in(data[:middle] + data[middle + 200 :])

    assert (found.decodable, codes(found)) == ("partial", {"damaged"})


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
def test_every_common_jpeg_is_decoded_by_the_strict_reader_too(picture: Image.Image, mode: str) -> None:
    assert facts_in(encoded(picture.convert(mode), "JPEG")).decodable == "complete"


def test_bytes_behind_the_end_are_odd_but_no_damage(picture: Image.Image) -> None:
    for form in ("PNG", "JPEG", "GIF", "WEBP", "AVIF"):
        found = facts_in(encoded(picture, form) + b"and more")
        assert found.decodable == "complete", form
        assert "trailing_data" in codes(found)


def bitmap(bits: int, compression: int = 0) -> bytes:
    """Return a BMP of 16×16 pixels of ``bits``, all zero."""
    header = struct.pack("<IiiHHIIiiII", 40, 16, 16, 1, bits, compression, 0, 0, 0, 4, 0)
    return b"BM" + struct.pack("<IHHI", 0, 0, 0, 14 + 40 + 16) + header + bytes(16 + 32 * bits)


def photoshop(depth: int) -> bytes:
    """Return an uncompressed PSD of 4×4 pixels in grey, all zero."""
    return b"8BPS" + struct.pack(">H6xHIIHH", 1, 1, 4, 4, depth, 1) + bytes(12) + bytes(2 + 2 * depth)


def test_a_kind_of_picture_that_pillow_does_not_know_is_no_damage(picture: Image.Image) -> None:
    ios = b"\x89PNG\r\n\x1a\n" + png_chunk(b"CgBI", bytes(4)) + png(png_chunk(b"IDAT", zlib.compress(ROWS)[2:-4]))[8:]
    twelve = bytearray(encoded(picture, "TIFF"))
    at = twelve.index(struct.pack("<HHI", 258, 3, 3))
    place = struct.unpack_from("<I", twelve, at + 8)[0]
    twelve[place : place + 6] = struct.pack("<HHH", 12, 12, 12)

    for data in (bitmap(2), bitmap(24, compression=4), photoshop(16), bytes(twelve), ios):
        found = facts_in(data)
        assert (found.decodable, codes(found) - {"sixteen_bit"}) == ("no_decoder", {"no_decoder"})
    assert facts_in(bitmap(8)).decodable == facts_in(photoshop(8)).decodable == "complete"


def test_every_page_of_a_tiff_is_decoded(picture: Image.Image) -> None:
    data = encoded(picture, "TIFF", save_all=True, append_images=[picture, picture])
    scrambled = encoded(picture, "TIFF", save_all=True, append_images=[picture], compression="tiff_lzw")

    assert facts_in(data).decodable == "complete"
    assert facts_in(data[:-500]).decodable == facts_in(data[: len(data) // 2]).decodable == "partial"
    assert facts_in(scrambled[:-600] + b"\xff" * 600).decodable == "partial"
    assert facts_in(data, limits=Limits(max_animation_pixels=12_000)).decodable == "too_large"


def test_an_icon_is_cut_where_its_table_promises_more(picture: Image.Image) -> None:
    data = encoded(picture, "ICO", sizes=[(32, 32), (16, 16)])

    assert "truncated" not in codes(facts_in(data))
    assert (facts_in(data[:-1]).decodable, "truncated" in codes(facts_in(data[:-1]))) == ("partial", True)


def test_a_cut_jpeg_2000_is_truncated(picture: Image.Image) -> None:
    for options in ({}, {"no_jp2": True}):
        data = encoded(picture, "JPEG2000", **options)
        assert codes(facts_in(data)) == set()
        assert codes(facts_in(data[:-2])) == codes(facts_in(data[: len(data) // 2])) == {"truncated"}


def test_a_webp_whose_canvas_is_not_its_picture_decodes_to_nothing(picture: Image.Image) -> None:
    picture = picture.convert("RGBA")
    picture.putalpha(Image.linear_gradient("L").resize(picture.size))
    data = encoded(picture, "WEBP")
    at = data.index(b"VP8X") + 12

    assert facts_in(data).decodable == "complete"
    assert facts_in(data[:at] + b"\xc7\0\0\x95\0\0" + data[at + 6 :]).decodable == "none"


def test_a_picture_decodes_to_none_when_not_even_a_row_is_there() -> None:
    assert facts_in((CASES / "MR-03-a.jpg").read_bytes()[:700]).decodable == "none"
    assert facts_in((CASES / "MR-11-a.gif").read_bytes()[:30]).decodable == "none"


def test_spacing_and_lengths_of_video_come_from_decoded_frames(made: Callable[[str], Path]) -> None:
    uneven = facts(CASES / "MR-22.mp4")
    assert "variable_frame_rate" in codes(uneven)
    assert "variable_frame_rate" not in codes(facts(made("clip.mkv")))
    short = facts(CASES / "MR-24.mp4")
    assert short.extras["video_duration"] == pytest.approx(1.0, abs=0.02)
    assert "video_shorter_than_container" in codes(short)
    promised = facts(CASES / "MR-26-b.mp4")
    assert (promised.extras["promised_duration"], promised.extras["promised_frames"]) == (4.0, 40)
    assert {"truncated", "header_length_wrong", "damaged"} <= codes(promised)
    assert "no_duration_in_header" in codes(facts(CASES / "MR-25.webm"))

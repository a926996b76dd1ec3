"""Frames of animated pictures, timed as a viewer shows them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oloproof.errors import MediaUnreadable
from oloproof.media.animations import animation_frames
from oloproof.media.drafting import Limits
from oloproof.media.frame_rules import Count, Every, Moments, Scenes
from oloproof.media.frames import Frame, Frames
from tests.media.conftest import CASES, encoded

COLORS = ["red", "lime", "blue", "black"]
STARTS = [0.0, 0.1, 0.3, 0.6]
FORMS: list[tuple[str, dict[str, Any]]] = [
    ("GIF", {"loop": 0}), ("PNG", {"loop": 0}), ("WEBP", {"loop": 0, "lossless": True}), ("AVIF", {"quality": 100}),
]  # fmt: skip


def animation(form: str, **options: Any) -> bytes:
    frames = [Image.new("RGB", (40, 24), color) for color in COLORS]
    return encoded(
        frames[0], form, save_all=True, append_images=frames[1:], **{"duration": [100, 200, 300, 400], **options}
    )


def take(data: bytes, rule: Any, **options: Any) -> Frames:
    return animation_frames(io.BytesIO(data), rule, **options)


def middle(frame: Frame) -> tuple[int, ...]:
    picture = Image.open(io.BytesIO(frame.data)).convert("RGB")
    return picture.getpixel((picture.width // 2, picture.height // 2))


def color_of(frame: Frame) -> str:
    red, green, blue = middle(frame)
    return {(1, 0, 0): "red", (0, 1, 0): "lime", (0, 0, 1): "blue", (0, 0, 0): "black"}[
        (red > 128, green > 128, blue > 128)
    ]


@pytest.mark.parametrize(("form", "options"), FORMS)
def test_the_frame_shown_at_a_moment_is_taken_with_its_true_time(form: str, options: dict[str, Any]) -> None:
    data = animation(form, **options)

    found = take(data, Moments((0.05, 0.1, 0.29, 0.95)))
    half = take(data, Count(2))

    assert [(frame.time, color_of(frame)) for frame in found.frames] == [(0.0, "red"), (0.1, "lime"), (0.6, "black")]
    assert found.notes == ("4 moments fall on 3 distinct frames",)
    assert (found.asked, found.ffmpeg) == (4, None)
    assert [(frame.time, color_of(frame)) for frame in half.frames] == [(0.1, "lime"), (0.6, "black")]
    assert {(frame.width, frame.height) for frame in half.frames} == {(40, 24)}


def test_a_delay_of_ten_milliseconds_or_less_lasts_a_hundred() -> None:
    with (CASES / "MR-11-a.gif").open("rb") as file:
        assert [frame.time for frame in animation_frames(file, Every(0.1)).frames] == [0.0, 0.1, 0.6, 1.1]


def test_a_cover_is_no_frame() -> None:
    frames = [Image.new("RGB", (40, 24), color) for color in COLORS]
    data = encoded(
        frames[0], "PNG", save_all=True, append_images=frames[1:], duration=[200, 300, 100], loop=0, default_image=True
    )

    found = take(data, Count(64), max_frames=64)

    assert [(frame.time, color_of(frame)) for frame in found.frames] == [(0.0, "lime"), (0.2, "blue"), (0.5, "black")]


def test_scenes_of_an_animation_begin_where_the_picture_changes() -> None:
    shades = ["red", "red", "#f40000", "blue", "blue", "white"]
    frames = [Image.new("RGB", (40, 24), color) for color in shades]
    data = encoded(frames[0], "PNG", save_all=True, append_images=frames[1:], duration=100, loop=0)

    assert [round(frame.time, 1) for frame in take(data, Scenes(8)).frames][:2] == [0.0, 0.3]
    one = take(data, Scenes(1))
    assert ([frame.time for frame in one.frames], one.asked) == ([0.0], 1)
    assert "clearest cuts" in one.notes[0]


def test_transparency_lies_on_the_background_and_a_long_side_is_made_shorter() -> None:
    frames = [Image.new("RGBA", (40, 24), (255, 0, 0, alpha)) for alpha in (0, 255)]
    data = encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:], duration=100, lossless=True, exact=True)

    found = take(data, Count(2), background="blue", max_side=20)

    assert [middle(frame) for frame in found.frames] == [(0, 0, 255), (255, 0, 0)]
    assert (found.frames[0].width, found.frames[0].height) == (20, 12)


@pytest.mark.parametrize(("form", "options"), FORMS[:3])
def test_of_a_cut_animation_the_whole_frames_are_taken_and_that_is_said(form: str, options: dict[str, Any]) -> None:
    data = animation(form, **options)

    found = take(data[: int(len(data) * 0.7)], Count(4))

    assert [color_of(frame) for frame in found.frames] == COLORS[: len(found.frames)]
    assert 1 <= len(found.frames) < 4
    assert "the file ends before its last frame does" in found.notes[-1]


def test_what_cannot_be_decoded_is_refused_with_a_code() -> None:
    apng = bytearray(animation("PNG", loop=0))
    apng[apng.index(b"fdAT") + 10] ^= 0xFF

    for data, code in ((bytes(apng), "damaged"), (b"RIFF....WAVEfmt ", "not_an_image"), (b"GIF89a", "damaged")):
        with pytest.raises(MediaUnreadable) as raised:
            take(data, Count(2))
        assert raised.value.code == code
    with pytest.raises(MediaUnreadable) as raised:
        take(animation("GIF", loop=0), Count(2), limits=Limits(max_animation_pixels=2000))
    assert raised.value.code == "too_large"


def test_a_still_picture_has_one_frame(tmp_path: Path) -> None:
    found = take(encoded(Image.new("RGB", (8, 8), "lime"), "WEBP"), Count(4))

    assert [frame.time for frame in found.frames] == [0.0]
    assert found.notes == ("4 moments fall on 1 distinct frames",)

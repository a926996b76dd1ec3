"""Media that test a model's sight: readable, random, and without a word of what they hold."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from io import BytesIO

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from oloproof.media.animations import animation_frames
from oloproof.media.frame_rules import parse_frame_rule
from oloproof.media.probes import (
    ALPHABET,
    COLORS,
    code_picture,
    color_clip,
    random_code,
    tone_sound,
    wave_of,
)
from tests.seeing_model import color_of, read_code, read_tones

seeds = st.integers(0, 2**32)


def chunks(png: bytes) -> Iterator[str]:
    """Yield the names of a PNG's chunks, and at the end that nothing follows them."""
    at = 8
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8].decode("ascii")
        at += 12 + length
    assert at == len(png)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_a_code_can_be_read_whole_wherever_it_stands(seed: int) -> None:
    chance = random.Random(seed)
    code = random_code(chance)

    assert read_code(code_picture(code, chance)) == code


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(sorted(ALPHABET)), seeds)
def test_no_code_is_cut_off_at_the_edge(letter: str, seed: int) -> None:
    shown = np.asarray(Image.open(BytesIO(code_picture(letter * 5, random.Random(seed)))).convert("L"))
    edge = np.concatenate([shown[0], shown[-1], shown[:, 0], shown[:, -1]])

    assert edge.min() > 200
    assert shown.min() < 40


def test_codes_are_of_letters_that_nobody_mixes_up_and_differ_each_time() -> None:
    chance = random.Random(3)
    codes = {random_code(chance) for _ in range(200)}

    assert len(codes) == 200
    assert {len(code) for code in codes} == {5}
    assert set("".join(codes)) <= set(ALPHABET)
    for alike in ("0ODQ", "1IL", "2Z", "5S", "6G", "8B", "9G", "UV"):
        assert len(set(alike) & set(ALPHABET)) <= 1


def test_the_same_code_is_drawn_at_another_place_and_size_each_time() -> None:
    chance = random.Random(3)
    assert len({code_picture("2A3C4", chance) for _ in range(10)}) == 10


@settings(max_examples=10, deadline=None)
@given(st.lists(st.sampled_from(sorted(COLORS)), min_size=2, max_size=5))
def test_a_clip_shows_its_colours_in_order_a_second_each(colors: list[str]) -> None:
    frames = animation_frames(BytesIO(color_clip(colors)), parse_frame_rule({"every": 1.0})).frames
    distinct = [name for at, name in enumerate(colors) if not at or name != colors[at - 1]]

    assert [color_of(frame.data) for frame in frames] == distinct
    assert frames[0].time == 0.0


def test_tones_are_told_apart_and_last_as_long_each() -> None:
    for pattern in ("LHLLHHLH", "HHHHHHHH", "LLLLLLLL"):
        assert read_tones(tone_sound(pattern)) == pattern
    assert len(tone_sound("LLHH")) == len(tone_sound("HLHL"))


def test_no_probe_holds_its_answer_in_text_or_metadata() -> None:
    code = "W7XKM"
    picture, clip, sound = code_picture(code, random.Random(1)), color_clip(["red", "blue"]), tone_sound("LHHL")

    assert set(chunks(picture)) == {"IHDR", "IDAT", "IEND"}
    assert set(chunks(clip)) == {"IHDR", "acTL", "fcTL", "IDAT", "fdAT", "IEND"}
    assert (sound[12:16], sound[36:40]) == (b"fmt ", b"data")
    assert struct.unpack("<I", sound[40:44]) == (len(sound) - 44,)
    for data, answers in ((picture, [code]), (clip, ["red", "blue"]), (sound, ["LHHL"])):
        assert not [answer for answer in answers if answer.lower().encode() in data.lower()]


def test_a_wave_is_one_that_any_reader_takes() -> None:
    import wave

    with wave.open(BytesIO(wave_of(b"\1\0\2\0", rate=8_000))) as found:
        assert (found.getnchannels(), found.getsampwidth(), found.getframerate()) == (1, 2, 8_000)
        assert found.readframes(9) == b"\1\0\2\0"

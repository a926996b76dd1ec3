"""WAV and its relatives, made byte by byte: the length is what the bytes hold."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.records import Facts
from tests.media.conftest import codes, facts_in

RATE = 8000


def chunk(name: bytes, body: bytes, length: int | None = None) -> bytes:
    return name + struct.pack("<I", len(body) if length is None else length) + body + b"\0" * (len(body) & 1)


def fmt(tag: int = 1, channels: int = 1, bits: int = 16, extra: bytes = b"") -> bytes:
    align = channels * bits // 8
    body = struct.pack("<HHIIHH", tag, channels, RATE, RATE * align, align, bits)
    return chunk(b"fmt ", body + (struct.pack("<H", len(extra)) + extra if extra or tag != 1 else b""))


def wav(
    samples: bytes, *, length: int | None = None, form: bytes | None = None, before: bytes = b"", after: bytes = b""
) -> bytes:
    body = b"WAVE" + (form or fmt()) + before + chunk(b"data", samples, length) + after
    return b"RIFF" + struct.pack("<I", len(body)) + body


SECOND = bytes(range(250)) * 64  # 16 000 bytes: one second of 16-bit mono at 8 kHz


def whole(found: Facts) -> bool:
    return (found.kind, found.decodable, found.duration) == ("audio", "complete", 1.0)


@pytest.mark.parametrize("length", [0, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 2_000_000_000, 0xFFFFFFFF - 36])
def test_a_placeholder_length_is_replaced_by_the_bytes_present(length: int) -> None:
    found = facts_in(wav(SECOND, length=length))

    assert whole(found)
    assert codes(found) == {"header_length_wrong"}


@pytest.mark.parametrize("length", [0, 0xFFFFFFFF])
def test_tags_after_a_streamed_length_are_no_sound(length: int) -> None:
    found = facts_in(wav(SECOND, length=length, after=chunk(b"LIST", b"INFOISFT\x04\0\0\0test")))

    assert found.duration == 1.0


def test_other_chunks_before_and_after_change_nothing() -> None:
    tags = chunk(b"LIST", b"INFOICMT\x03\0\0\0odd\0") + chunk(b"junk", b"x" * 7)
    found = facts_in(wav(SECOND, before=tags, after=tags))

    assert whole(found)
    assert codes(found) == set()


def test_an_odd_length_with_its_padding_is_no_fault() -> None:
    found = facts_in(wav(b"\x80" * 7999, form=fmt(bits=8), after=chunk(b"LIST", b"INFO")))

    assert (found.duration, codes(found)) == (7999 / RATE, set())


def test_half_a_wav_is_partial_and_as_long_as_what_is_left() -> None:
    found = facts_in(wav(SECOND)[: 44 + 8000])

    assert (found.duration, found.decodable) == (0.5, "partial")
    assert codes(found) == {"truncated", "header_length_wrong"}


def test_bytes_behind_the_sound_that_are_no_chunks_are_reported() -> None:
    found = facts_in(wav(SECOND) + b"\x01\x02\x03garbage")

    assert whole(found)
    assert codes(found) == {"trailing_data"}


def test_a_second_wav_behind_the_first_is_no_chunk_of_it() -> None:
    found = facts_in(wav(SECOND) + wav(SECOND))

    assert whole(found)
    assert codes(found) == {"trailing_data"}


@pytest.mark.parametrize("data", [wav(b""), wav(SECOND)[:44], wav(SECOND)[:40], wav(SECOND)[:20], b"RIFF\0\0\0\0WAVE"])
def test_a_wav_without_a_sample_decodes_to_nothing(data: bytes) -> None:
    found = facts_in(data)

    assert found.decodable == "none"
    assert not found.duration


GUID = bytes.fromhex("0000000010008000 00aa00389b71".replace(" ", ""))


@pytest.mark.parametrize(
    ("form", "samples"),
    [
        (fmt(3, 1, 32, b"\0\0"), SECOND * 2),
        (fmt(3, 1, 64), SECOND * 4),
        (fmt(1, 1, 24), SECOND + SECOND[:8000]),
        (fmt(1, 2, 16), SECOND * 2),
        (fmt(6, 1, 8), SECOND[:8000]),
        (fmt(7, 1, 8), SECOND[:8000]),
        (fmt(0xFFFE, 1, 24, struct.pack("<HIH", 24, 4, 1) + GUID), SECOND + SECOND[:8000]),
        (fmt(0xFFFE, 2, 32, struct.pack("<HIH", 32, 3, 3) + GUID), SECOND * 4),
    ],
)
def test_every_plain_sample_format_is_measured_without_a_decoder(form: bytes, samples: bytes) -> None:
    assert whole(facts_in(wav(samples, form=form)))


def test_big_endian_and_wide_forms_are_read() -> None:
    big = struct.pack(">HHIIHH", 1, 1, RATE, RATE * 2, 2, 16)
    body = b"WAVEfmt " + struct.pack(">I", 16) + big + b"data" + struct.pack(">I", len(SECOND)) + SECOND
    assert whole(facts_in(b"RIFX" + struct.pack(">I", len(body)) + body))

    sizes = chunk(b"ds64", struct.pack("<QQQI", 0, len(SECOND), 8000, 0))
    data = b"WAVE" + sizes + fmt() + chunk(b"data", SECOND, 0xFFFFFFFF)
    found = facts_in(b"RF64\xff\xff\xff\xff" + data)
    assert whole(found)
    assert codes(found) == set()
    assert facts_in(b"RF64\xff\xff\xff\xff" + data[:-8000]).decodable == "partial"


def aiff(frames: int, samples: bytes, length: int | None = None) -> bytes:
    rate = struct.pack(">HQ", 16383 + 12, RATE << 51)  # 8000 as an 80-bit extended number
    common = struct.pack(">HIH", 1, frames, 16) + rate
    size = 8 + len(samples) if length is None else length
    body = b"AIFFCOMM" + struct.pack(">I", len(common)) + common + b"SSND" + struct.pack(">III", size, 0, 0) + samples
    return b"FORM" + struct.pack(">I", len(body)) + body


def test_aiff_au_and_caf_are_measured_by_their_bytes() -> None:
    assert whole(facts_in(aiff(8000, SECOND)))
    half = facts_in(aiff(8000, SECOND)[:-8000])
    assert (half.duration, half.decodable) == (0.5, "partial")
    streamed = facts_in(aiff(0, SECOND, length=0))
    assert (streamed.duration, codes(streamed)) == (1.0, {"header_length_wrong"})

    common, samples = aiff(8000, SECOND)[12:38], aiff(8000, SECOND)[38:]
    assert whole(facts_in(aiff(8000, SECOND)[:12] + samples + common))  # chunks stand in any order

    au = b".snd" + struct.pack(">IIIII", 24, 0xFFFFFFFF, 3, RATE, 1) + SECOND
    assert facts_in(au).duration == 1.0
    caf = b"caff\0\x01\0\0desc" + struct.pack(">q", 32) + struct.pack(">d4sIIIII", RATE, b"lpcm", 0, 2, 1, 1, 16)
    caf += b"data" + struct.pack(">qI", -1, 0) + SECOND
    assert facts_in(caf).duration == 1.0


@given(st.binary(max_size=120), st.integers(0, 160))
def test_a_wav_with_any_bytes_in_it_is_answered(noise: bytes, at: int) -> None:
    data = wav(SECOND[:100])
    found = facts_in(data[:at] + noise + data[at + len(noise) :], "header")

    assert found.duration is None or 0 <= found.duration < 1e6

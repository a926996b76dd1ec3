"""Spoken digits: a voice that says what it is told and leaves no word of it in the file."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from oloproof.media.sound import loudness
from oloproof.media.speaking import spoken_digits


@pytest.fixture(scope="module")
def voice() -> bytes:
    found = spoken_digits("40718")
    if found is None:
        pytest.skip("this ffmpeg has no voice (flite)")
    return found


def test_the_sound_is_a_bare_wave_at_16_khz_of_about_half_a_second_a_digit(voice: bytes) -> None:
    tag, channels, rate, _, _, bits = struct.unpack("<HHIIHH", voice[20:36])

    assert (voice[:4], voice[8:16], voice[36:40]) == (b"RIFF", b"WAVEfmt ", b"data")
    assert (tag, channels, rate, bits) == (1, 1, 16_000, 16)
    assert struct.unpack("<I", voice[40:44]) == (len(voice) - 44,)
    assert 1.5 < (len(voice) - 44) / 2 / rate < 6


def test_it_can_be_heard(voice: bytes, tmp_path: Path) -> None:
    path = tmp_path / "voice.wav"
    path.write_bytes(voice)
    found = loudness(path, "wav", check=lambda: None, timeout=30)

    assert found.speech_possible
    assert found.rms_dbfs is not None
    assert found.rms_dbfs > -40


def test_the_same_digits_sound_the_same_and_others_do_not(voice: bytes) -> None:
    assert spoken_digits("40718") == voice
    assert spoken_digits("40719") != voice


def test_what_is_said_stands_nowhere_in_the_file(voice: bytes) -> None:
    assert not [text for text in (b"40718", b"4. 0", b"LIST", b"INFO", b"Lavf") if text in voice]


@pytest.mark.parametrize("text", ["", "12a", "one", "1'2", "١٢", "1 2", "-1"])
def test_nothing_but_digits_is_spoken(text: str) -> None:
    with pytest.raises(ValueError, match="only digits"):
        spoken_digits(text)


def test_without_ffmpeg_there_is_no_voice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert spoken_digits("1") is None


def test_an_ffmpeg_without_a_voice_has_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\necho \"No such filter: 'flite'\" >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert spoken_digits("1") is None

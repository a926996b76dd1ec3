"""Spectrograms: sounds of known pitch, loudness and moment are drawn where and as bright as they must be."""

from __future__ import annotations

import io
import wave
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from oloproof.errors import MediaDrift, MediaUnreadable, ToolMissing
from oloproof.media import spectrograms
from oloproof.media.spectrograms import QUIETEST, spectrogram_of
from tests.media.conftest import CASES

RATE = 48_000


def sound(path: Path, *channels: np.ndarray, rate: int = RATE) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(len(channels))
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.rint(np.stack(channels, axis=1).clip(-1, 1) * 32767).astype("<i2").tobytes())
    return path


def tone(seconds: float, hertz: float, loud: float, rate: int = RATE) -> np.ndarray:
    return loud * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)


def drawn(path: Path, top: int = 8_000, name: str = "wav") -> np.ndarray:
    """Return the levels of the picture in dB, the lowest frequency first."""
    picture = Image.open(io.BytesIO(spectrogram_of(path, name, top, check=lambda: None, timeout=60)))
    assert (picture.format, picture.mode) == ("PNG", "P")
    return np.flipud(np.asarray(picture)) / 255 * -QUIETEST + QUIETEST


@pytest.mark.parametrize(("seconds", "loud"), [(0.2, 1.0), (1.0, 0.1), (30.0, 0.1)])
def test_a_tone_is_a_line_at_its_pitch_as_bright_as_it_is_loud_however_long_it_is(
    tmp_path: Path, seconds: float, loud: float
) -> None:
    levels = drawn(sound(tmp_path / "tone.wav", tone(seconds, 2_000, loud)))
    middle = levels[:, levels.shape[1] // 2]
    assert middle.argmax() / len(middle) * 8_000 == pytest.approx(2_000, abs=16)
    assert middle.max() == pytest.approx(20 * np.log10(loud), abs=0.5)
    assert np.delete(middle, range(60, 69)).max() < middle.max() - 60


def test_the_width_is_the_whole_time(tmp_path: Path) -> None:
    """Clicks of one sample, none of which is lost though a column is 25 ms wide."""
    silent = np.zeros(RATE * 30)
    for at in (3.0, 15.0, 29.9):
        silent[round(at * RATE)] = 1.0
    levels = drawn(sound(tmp_path / "clicks.wav", silent))
    columns = np.flatnonzero(levels.mean(axis=0) > -60) / levels.shape[1] * 30
    for at in (3.0, 15.0, 29.9):
        assert np.abs(columns - at).min() < 0.05
    assert len(columns) <= 9


def test_a_channel_against_the_other_is_not_silence(tmp_path: Path) -> None:
    one = tone(1.0, 1_000, 0.5)
    levels = drawn(sound(tmp_path / "both.wav", one, -one))
    assert levels[:, 500].max() == pytest.approx(-6, abs=0.5)


def test_what_a_sound_cannot_hold_is_black(tmp_path: Path) -> None:
    levels = drawn(sound(tmp_path / "low.wav", tone(1.0, 2_000, 0.5, 8_000), rate=8_000), top=16_000)
    assert levels[levels.shape[0] // 2 :, 100:1_100].max() < -60
    assert levels.max() == pytest.approx(-6, abs=0.5)


def test_silence_is_black_and_a_few_samples_are_enough(tmp_path: Path) -> None:
    assert drawn(sound(tmp_path / "silence.wav", np.zeros(RATE))).max() == QUIETEST
    assert drawn(sound(tmp_path / "short.wav", tone(0.005, 4_000, 0.5))).shape == (256, 80)


def test_of_a_long_sound_the_beginning_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spectrograms, "MOST_SECONDS", 1)
    both = np.concatenate([tone(1.0, 1_000, 0.5), tone(3.0, 3_000, 0.5)])
    levels = drawn(sound(tmp_path / "long.wav", both))
    assert levels[levels.shape[0] * 3 // 8, :1_190].max() < -50


def test_what_has_no_sound_is_refused_with_a_code(tmp_path: Path) -> None:
    for path, name, code in (
        (CASES / "MR-22.mp4", "mp4", "no_audio"),
        (CASES / "MR-05.jpg", "jpeg", "no_decoder"),
        (sound(tmp_path / "none.wav", np.zeros(0)), "wav", "damaged"),
    ):
        with pytest.raises(MediaUnreadable) as raised:
            drawn(path, name=name)
        assert raised.value.code == code


def test_a_file_that_is_replaced_meanwhile_is_not_drawn(tmp_path: Path) -> None:
    path = sound(tmp_path / "tone.wav", tone(0.1, 2_000, 0.5))
    calls = []

    def check() -> None:
        calls.append(1)
        if len(calls) == 2:
            raise MediaDrift("replaced", path=path, recorded="")

    with pytest.raises(MediaDrift):
        spectrogram_of(path, "wav", 8_000, check=check, timeout=60)


def test_a_missing_ffmpeg_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sound(tmp_path / "tone.wav", tone(0.1, 2_000, 0.5))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolMissing, match="ffmpeg"):
        drawn(path)

"""Sound made ready for a model: the gate before a transcription, and the bytes that are sent."""

from __future__ import annotations

import io
import json
import math
import shutil
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from oloproof.errors import MediaDrift, MediaUnreadable, ToolMissing
from oloproof.media.silence import SPEECH_FLOOR_DBFS, quiet_cuts
from oloproof.media.sound import Loudness, SoundPiece, loudness, native_audio, pieces_for_transcription
from tests.media.conftest import CASES, facts

RATE = 16_000
Made = Callable[[str], Path]


def nothing() -> None:
    """A check that finds the file where it was."""


def heard(path: Path) -> Loudness:
    return loudness(path, facts(path, "header").format, check=nothing, timeout=30)


def pieces(path: Path, **limits: Any) -> list[SoundPiece]:
    form = facts(path, "header").format
    return pieces_for_transcription(path, form, path.stat().st_size, check=nothing, timeout=30, **limits)


def native(path: Path, max_bytes: int = 10_000_000) -> SoundPiece:
    return native_audio(path, facts(path, "header").format, max_bytes=max_bytes, check=nothing, timeout=30)


def write_wave(path: Path, samples: np.ndarray[Any, Any], rate: int = RATE, channels: int = 1) -> Path:
    """Write samples of -1 to 1 as 16-bit PCM."""
    with wave.open(str(path), "wb") as out:
        out.setnchannels(channels)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes((np.clip(samples, -1, 1) * 32767).round().astype("<i2").tobytes())
    return path


def tone(seconds: float, dbfs: float = -20.0, rate: int = RATE) -> np.ndarray[Any, Any]:
    """Return a tone whose root mean square has the level."""
    return math.sqrt(2) * 10 ** (dbfs / 20) * np.sin(2 * np.pi * 440 * np.arange(int(seconds * rate)) / rate)


def decoded(piece: SoundPiece, folder: Path) -> Loudness:
    path = folder / "sent"
    path.write_bytes(piece.data)
    return heard(path)


# --- the gate ------------------------------------------------------------------------------------------------------


def test_no_sound_stream_and_a_silent_one_are_told_apart() -> None:
    none, silent = heard(CASES / "MR-28-a.mp4"), heard(CASES / "MR-28-b.mp4")

    assert (none.has_audio, none.speech_possible, none.seconds) == (False, False, 0.0)
    assert (silent.has_audio, silent.speech_possible) == (True, False)
    assert none.reason != silent.reason
    assert "silence" in silent.reason


def test_digital_silence_holds_no_speech_and_has_no_level_instead_of_minus_infinity() -> None:
    found = heard(CASES / "MR-39-a.wav")

    assert (found.has_audio, found.speech_possible) == (True, False)
    assert found.seconds == pytest.approx(3.0)
    assert (found.peak_dbfs, found.rms_dbfs) == (None, None)
    json.dumps(to_builtins(found), allow_nan=False)


def test_the_noise_of_an_empty_room_holds_no_speech_and_the_floor_is_named() -> None:
    found = heard(CASES / "MR-39-b.wav")

    assert not found.speech_possible
    assert found.rms_dbfs == pytest.approx(-73, abs=1)
    assert f"{SPEECH_FLOOR_DBFS:.0f} dBFS" in found.reason


def test_a_short_tone_has_its_true_peak() -> None:
    found = heard(CASES / "MR-40.wav")

    assert found.peak_dbfs == pytest.approx(-12.1, abs=0.15)
    assert found.seconds == pytest.approx(0.2)
    assert found.speech_possible


def test_samples_over_full_scale_are_seen() -> None:
    peak = heard(CASES / "MR-36-c.wav").peak_dbfs

    assert peak is not None
    assert peak > 0


def test_speech_passes_the_gate() -> None:
    assert heard(CASES / "MR-42.wav").speech_possible


def test_one_quiet_word_in_a_long_silence_passes(tmp_path: Path) -> None:
    sound = np.zeros(120 * RATE)
    sound[70 * RATE : 70 * RATE + RATE // 4] = tone(0.25, -55)

    found = heard(write_wave(tmp_path / "word.wav", sound))

    assert found.speech_possible
    assert found.rms_dbfs is not None
    assert found.rms_dbfs < SPEECH_FLOOR_DBFS


def test_a_constant_offset_is_silence(tmp_path: Path) -> None:
    found = heard(write_wave(tmp_path / "offset.wav", np.full(2 * RATE, 0.1)))

    assert not found.speech_possible


def test_a_voice_that_cancels_out_between_the_channels_is_heard(tmp_path: Path) -> None:
    left = tone(1.0)
    both = np.column_stack([left, -left]).ravel()

    assert heard(write_wave(tmp_path / "stereo.wav", both, channels=2)).speech_possible


@pytest.mark.parametrize(("level", "passes"), [(SPEECH_FLOOR_DBFS + 1, True), (SPEECH_FLOOR_DBFS - 1, False)])
def test_the_floor_is_where_it_says(tmp_path: Path, level: float, passes: bool) -> None:
    assert heard(write_wave(tmp_path / "tone.wav", tone(1.0, level))).speech_possible is passes


def test_an_empty_sound_is_no_error(tmp_path: Path) -> None:
    found = heard(write_wave(tmp_path / "empty.wav", np.zeros(0)))

    assert (found.has_audio, found.speech_possible) == (True, False)
    assert "empty" in found.reason


def test_what_does_not_decode_is_damage_and_not_silence(tmp_path: Path) -> None:
    path = tmp_path / "broken.mp4"
    path.write_bytes((CASES / "MR-28-b.mp4").read_bytes()[:900])

    for act in (heard, pieces, native):
        with pytest.raises(MediaUnreadable) as caught:
            act(path)
        assert caught.value.code == "damaged"


def test_damage_in_a_part_is_told(tmp_path: Path, made: Made) -> None:
    data = bytearray(made("sound.flac").read_bytes())
    middle = len(data) // 2
    data[middle : middle + 3000] = b"\0" * 3000
    path = tmp_path / "hurt.flac"
    path.write_bytes(data)

    assert heard(path).damage is not None
    assert native(path).steps[-1] == "part of the sound does not decode"
    assert heard(made("sound.flac")).damage is None


# --- transcription -------------------------------------------------------------------------------------------------


def test_the_file_name_and_type_are_those_of_the_bytes() -> None:
    [piece] = pieces(CASES / "MR-42.wav")

    assert piece.data == (CASES / "MR-42.wav").read_bytes()
    assert (piece.file_name, piece.media_type, piece.steps) == ("audio.m4a", "audio/mp4", ())
    assert piece.seconds == pytest.approx(2.73, abs=0.05)


@pytest.mark.parametrize(
    ("name", "sent_as"),
    [
        ("sound.mp3", "audio.mp3"), ("sound.flac", "audio.flac"), ("only_sound.mp4", "audio.m4a"),
        ("only_sound.webm", "audio.webm"),
    ],
)  # fmt: skip
def test_a_format_that_services_take_is_sent_as_recorded(made: Made, name: str, sent_as: str) -> None:
    [piece] = pieces(made(name))

    assert piece.data == made(name).read_bytes()
    assert piece.file_name == sent_as


@pytest.mark.parametrize("name", ["f32.wav", "sound.mka"])
def test_any_other_format_is_sent_as_flac(tmp_path: Path, made: Made, name: str) -> None:
    [piece] = pieces(made(name))

    assert (piece.file_name, piece.media_type) == ("audio.flac", "audio/flac")
    assert piece.steps == ("to mono 16000 Hz FLAC",)
    assert piece.seconds == pytest.approx(2.0, abs=0.1)
    assert decoded(piece, tmp_path).seconds == pytest.approx(piece.seconds, abs=0.001)


@pytest.mark.parametrize("name", ["clip.mp4", "clip.webm"])
def test_of_a_video_only_the_sound_is_sent(tmp_path: Path, made: Made, name: str) -> None:
    [piece] = pieces(made(name))

    assert piece.file_name == "audio.flac"
    (tmp_path / "sent.flac").write_bytes(piece.data)
    assert facts(tmp_path / "sent.flac").kind == "audio"


def test_a_video_without_sound_says_so() -> None:
    for act in (pieces, native):
        with pytest.raises(MediaUnreadable) as caught:
            act(CASES / "MR-28-a.mp4")
        assert caught.value.code == "no_audio"


@pytest.mark.parametrize("name", ["MR-37-a.wav", "MR-37-c.wav"])
def test_a_wave_header_that_claims_a_day_is_never_sent(name: str) -> None:
    [piece] = pieces(CASES / name)
    wav = native(CASES / name)

    assert piece.file_name == "audio.flac"
    assert piece.seconds == pytest.approx(1.25)
    with wave.open(io.BytesIO(wav.data)) as opened:
        assert opened.getnframes() / opened.getframerate() == pytest.approx(1.25) == wav.seconds


@pytest.mark.parametrize("name", ["MR-36-a.wav", "MR-36-b.wav"])
def test_a_wave_header_that_common_readers_refuse_is_rewritten(name: str, expected: Any) -> None:
    seconds = expected[name]["duration_s"]

    [piece] = pieces(CASES / name)
    assert piece.file_name == "audio.flac"
    assert piece.seconds == pytest.approx(seconds, abs=0.001)
    with wave.open(io.BytesIO(native(CASES / name).data)) as opened:
        assert (opened.getnchannels(), opened.getsampwidth()) == (1, 2)
        assert opened.getnframes() / opened.getframerate() == pytest.approx(seconds, abs=0.001)


def test_bytes_behind_the_sound_are_not_sent(tmp_path: Path) -> None:
    path = tmp_path / "more.wav"
    path.write_bytes((CASES / "MR-40.wav").read_bytes() + b"secret" * 20)

    assert b"secret" not in pieces(path)[0].data


@pytest.mark.parametrize("name", ["100% of it %03d.mp3", "-i.mp3", "concat:one|two.mp3"])
def test_a_name_that_ffmpeg_would_misread_does_no_harm(tmp_path: Path, made: Made, name: str) -> None:
    path = tmp_path / name
    shutil.copy(made("sound.wma"), path)

    assert pieces(path)[0].seconds == pytest.approx(2.0, abs=0.1)


def test_what_is_encoded_is_the_same_each_time(made: Made) -> None:
    assert pieces(made("clip.mp4")) == pieces(made("clip.mp4"))


# --- limits --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty seconds of loud noise with half a second of near silence every 3.5 seconds."""
    noise = np.random.default_rng(5).normal(0, 0.1, 40 * RATE)
    for start in np.arange(3.0, 40.0, 3.5):
        noise[int(start * RATE) : int((start + 0.5) * RATE)] *= 0.001
    return write_wave(tmp_path_factory.mktemp("talk") / "talk.wav", noise)


def test_a_sound_over_the_limit_is_sent_as_flac_when_that_fits(tmp_path: Path) -> None:
    path = write_wave(tmp_path / "soft.wav", tone(20.0))

    [piece] = pieces(path, max_bytes=path.stat().st_size // 2)

    assert piece.file_name == "audio.flac"
    assert len(piece.data) <= path.stat().st_size // 2


def test_a_sound_over_the_limit_as_flac_is_sent_as_opus(talk: Path, tmp_path: Path) -> None:
    [piece] = pieces(talk, max_bytes=400_000)

    assert (piece.file_name, piece.media_type) == ("audio.ogg", "audio/ogg")
    assert len(piece.data) <= 400_000
    assert decoded(piece, tmp_path).seconds == pytest.approx(40, abs=0.05)


def test_a_sound_over_every_form_is_cut_in_pauses(talk: Path, tmp_path: Path) -> None:
    found = pieces(talk, max_bytes=60_000)

    assert len(found) >= 3
    _make_the_whole(found, 40.0)
    for piece in found:
        assert len(piece.data) <= 60_000
        assert decoded(piece, tmp_path).seconds == pytest.approx(piece.seconds, abs=0.03)
    for piece in found[1:]:
        assert (piece.start - 3.0) % 3.5 <= 0.5


def test_a_sound_that_lasts_too_long_is_cut_though_its_bytes_would_fit(talk: Path, tmp_path: Path) -> None:
    found = pieces(talk, max_seconds=15)

    assert {piece.file_name for piece in found} == {"audio.flac"}
    assert max(piece.seconds for piece in found) <= 15
    _make_the_whole(found, 40.0)
    assert sum(decoded(piece, tmp_path).seconds for piece in found) == pytest.approx(40, abs=0.01)
    assert found[1].steps[-1] == f"cut from {found[1].start:.1f} to {found[1].start + found[1].seconds:.1f} s"


def test_each_piece_holds_its_own_part(tmp_path: Path) -> None:
    path = write_wave(tmp_path / "steps.wav", np.concatenate([tone(5.0, level) for level in (-40, -30, -20)]))

    found = pieces(path, max_seconds=6)

    levels = [decoded(piece, tmp_path).rms_dbfs for piece in found]
    assert levels == pytest.approx([-40, -30, -20], abs=3)


def test_a_piece_louder_than_the_rest_keeps_the_limit_too(tmp_path: Path) -> None:
    noise = np.random.default_rng(5).normal(0, 0.1, 4 * RATE)
    path = write_wave(tmp_path / "uneven.wav", np.concatenate([np.zeros(12 * RATE), noise]))

    found = pieces(path, max_bytes=13_000)

    assert max(len(piece.data) for piece in found) <= 13_000
    _make_the_whole(found, 16.0)


def _make_the_whole(found: list[SoundPiece], seconds: float) -> None:
    ends = [piece.start + piece.seconds for piece in found]
    assert found[0].start == 0
    assert [piece.start for piece in found[1:]] == pytest.approx(ends[:-1])
    assert ends[-1] == pytest.approx(seconds)


def test_a_limit_that_nothing_meets_is_said(talk: Path) -> None:
    with pytest.raises(MediaUnreadable) as caught:
        pieces(talk, max_bytes=300)

    assert caught.value.code == "over_limit"
    assert "300" in str(caught.value)


@given(
    windows=st.lists(st.floats(0, 1, width=32), min_size=1, max_size=200),
    pieces=st.integers(1, 12),
    slack=st.floats(1.0, 3.0),
)
def test_cuts_keep_their_order_and_the_longest_piece(windows: list[float], pieces: int, slack: float) -> None:
    seconds = len(windows) * 0.1
    longest = seconds / pieces * slack * (1 + 1e-9)

    cuts = quiet_cuts(windows, seconds, pieces, longest)

    edges = [0.0, *cuts, seconds]
    lengths = np.diff(edges)
    assert len(lengths) == pieces
    assert lengths.min() >= -1e-9
    assert lengths.max() <= longest + 1e-9


# --- native --------------------------------------------------------------------------------------------------------


def test_an_mp3_is_heard_as_recorded(made: Made) -> None:
    assert native(made("sound.mp3")).data == made("sound.mp3").read_bytes()


def test_plain_16_bit_wave_is_heard_as_recorded() -> None:
    assert native(CASES / "MR-40.wav").data == (CASES / "MR-40.wav").read_bytes()


@pytest.mark.parametrize(("name", "rate"), [("s24.wav", 24_000), ("speex.ogg", 16_000)])
def test_anything_else_is_heard_as_16_bit_mono(made: Made, name: str, rate: int) -> None:
    piece = native(made(name))

    assert (piece.file_name, piece.media_type) == ("audio.wav", "audio/wav")
    with wave.open(io.BytesIO(piece.data)) as opened:
        assert (opened.getnchannels(), opened.getsampwidth(), opened.getframerate()) == (1, 2, rate)
    assert piece.steps == (f"to mono {rate} Hz 16-bit WAV",)


def test_over_a_limit_the_rate_falls_and_then_it_is_refused(made: Made) -> None:
    assert native(made("sound.ogg"), max_bytes=80_000).steps == ("to mono 16000 Hz 16-bit WAV",)
    with pytest.raises(MediaUnreadable) as caught:
        native(made("sound.ogg"), max_bytes=20_000)
    assert caught.value.code == "over_limit"


# --- the file and the tool -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("changes_at", [1, 2])
def test_a_file_that_is_replaced_meanwhile_stops_everything(made: Made, changes_at: int) -> None:
    for act in (
        lambda check: loudness(made("clip.mp4"), "mp4", check=check, timeout=30),
        lambda check: pieces_for_transcription(made("sound.mp3"), "mp3", 9, check=check, timeout=30),
        lambda check: pieces_for_transcription(made("clip.mp4"), "mp4", 9, check=check, timeout=30),
        lambda check: native_audio(made("clip.mp4"), "mp4", max_bytes=10**7, check=check, timeout=30),
    ):
        calls = []

        def check(calls: list[int] = calls) -> None:
            calls.append(1)
            if len(calls) == changes_at:
                raise MediaDrift("replaced")

        with pytest.raises(MediaDrift):
            act(check)


def test_without_ffmpeg_the_tool_is_named(made: Made, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = made("clip.mp4")
    monkeypatch.setenv("PATH", str(tmp_path))

    for act in (heard, pieces, native):
        with pytest.raises(ToolMissing, match="ff"):
            act(path)


def test_a_time_limit_names_the_file_and_no_temporary_one(made: Made) -> None:
    path = made("clip.mp4")

    with pytest.raises(MediaUnreadable) as caught:
        pieces_for_transcription(path, "mp4", 9, check=nothing, timeout=0.001)

    assert caught.value.code == "media_too_slow"
    assert caught.value.path == str(path)


def test_notes_are_no_sound() -> None:
    with pytest.raises(MediaUnreadable) as caught:
        loudness(Path("/nowhere.mid"), "midi", check=nothing, timeout=1)

    assert caught.value.code == "no_decoder"

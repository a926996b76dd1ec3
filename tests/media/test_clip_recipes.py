"""Sounds and videos in other forms, made by the real ffmpeg, and what is found to be the same of them."""

from __future__ import annotations

import math
import struct
import subprocess
import wave
from collections.abc import Callable
from pathlib import Path

import pytest

from oloproof.errors import MediaUnreadable
from oloproof.media.clip_recipes import blank_clip, encode_clip, mp3_rate
from oloproof.media.clip_sameness import compare_clips
from oloproof.media.clips import Clip
from oloproof.media.facts import facts_of
from oloproof.media.ffmpeg import Ended, refuse_full_disk
from oloproof.media.sameness import Sameness

TURNED = Path(__file__).parent.parent / "data" / "media-cases" / "MR-21.mp4"
RATE = 8_000


def clip_of(path: Path) -> Clip:
    with path.open("rb") as file:
        facts = facts_of(file, path=path, depth="header")
    assert facts.kind in ("audio", "video")
    return Clip(path, "audio" if facts.kind == "audio" else "video", facts.format, lambda: None, 60.0)


def tone(path: Path, *, seconds: float = 0.5, quiet: float = 0.0, channels: int = 1) -> Clip:
    """A tone with ``quiet`` seconds of silence before and after it."""
    rest = [0] * int(quiet * RATE)
    sound = [int(9000 * math.sin(index / 3)) for index in range(int(seconds * RATE))]
    samples = [value for value in (*rest, *sound, *rest) for _ in range(channels)]
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, 2, RATE, 0, "NONE", ""))
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return clip_of(path)


def delivered(clip: Clip, name: str, amount: float, to: Path, seed: int = 3) -> Clip:
    path = to / f"made.{encode_clip(clip, name, amount, lambda: seed, to / 'draft')}"
    return clip_of((to / "draft").rename(path))


def seconds_of(clip: Clip) -> float:
    with wave.open(str(clip.path)) as file:
        return file.getnframes() / file.getframerate()


def level_of(clip: Clip) -> float:
    with wave.open(str(clip.path)) as file:
        samples = struct.unpack(f"<{file.getnframes()}h", file.readframes(file.getnframes()))
    return math.sqrt(sum(value * value for value in samples) / len(samples))


@pytest.mark.parametrize("name", ["wav-reencode", "flac"])
def test_a_sound_written_anew_has_other_bytes_and_the_same_samples(tmp_path: Path, name: str) -> None:
    clip = tone(tmp_path / "tone.wav")
    made = delivered(clip, name, 0, tmp_path)
    assert made.path.read_bytes() != clip.path.read_bytes()
    assert compare_clips(clip, made) == Sameness(False, True, True)


def test_a_wav_written_anew_twice_still_differs_from_what_it_was_made_of(tmp_path: Path) -> None:
    """The first of them carries the name of the program that wrote it; so would the second."""
    once = delivered(tone(tmp_path / "tone.wav"), "wav-reencode", 0, tmp_path)
    kept = clip_of(once.path.rename(tmp_path / "kept.wav"))
    assert delivered(kept, "wav-reencode", 0, tmp_path).path.read_bytes() != kept.path.read_bytes()


def test_decoded_losses_are_kept_to_within_what_ears_can_tell(made: Callable[[str], Path], tmp_path: Path) -> None:
    clip = clip_of(made("sound.mp3"))
    same = compare_clips(clip, delivered(clip, "flac", 0, tmp_path))
    assert (same.data, same.view) == (False, True)


def test_a_lossy_form_differs_and_says_by_how_much(tmp_path: Path) -> None:
    clip = tone(tmp_path / "tone.wav")
    made = delivered(clip, "mp3", 16, tmp_path)
    assert made.format == "mp3"
    assert "of full scale" in compare_clips(clip, made).difference or "lasts" in compare_clips(clip, made).difference


def test_lengths_that_differ_by_a_sample_or_two_are_told_apart(tmp_path: Path) -> None:
    """Encoders add so many, and "1.000 s, the original 1.000 s" is no difference."""
    one, longer = tone(tmp_path / "one.wav", seconds=1), tone(tmp_path / "longer.wav", seconds=1.00025)
    assert compare_clips(one, longer).difference == "it lasts 1.000250 s, the original 1.000000 s"
    much_longer = tone(tmp_path / "much.wav", seconds=1.5)
    assert compare_clips(one, much_longer).difference == "it lasts 1.500 s, the original 1.000 s"


def test_opus_and_another_rate_are_told_by_their_rate(tmp_path: Path) -> None:
    clip = tone(tmp_path / "tone.wav")
    assert compare_clips(clip, delivered(clip, "opus", 16, tmp_path)).difference.startswith("it has 48000 Hz")
    assert compare_clips(clip, delivered(clip, "resample", 4000, tmp_path)).difference.startswith("it has 4000 Hz")


@pytest.mark.parametrize(
    ("rate", "amount", "taken"),
    [(44_100, 64, 44_100), (44_100, 8, 22_050), (48_000, 24, 24_000), (16_000, 320, 32_000), (11_025, 160, 22_050)],
)
def test_an_mp3_has_the_kbits_that_its_name_says(rate: int, amount: int, taken: int) -> None:
    """At another sample rate LAME would take 32 kbit/s for 8."""
    assert mp3_rate(rate, amount) == taken


def test_a_quiet_mp3_is_as_small_as_it_claims(tmp_path: Path) -> None:
    made = delivered(tone(tmp_path / "tone.wav", seconds=2), "mp3", 320, tmp_path)
    assert made.path.stat().st_size == pytest.approx(2 * 320_000 / 8, rel=0.1)


def test_kbits_that_no_such_file_can_have_are_refused_with_what_it_can(tmp_path: Path) -> None:
    with pytest.raises(MediaUnreadable, match="the nearest are 96 and 112"):
        mp3_rate(44_100, 100)
    with pytest.raises(MediaUnreadable, match="1 channel has at most 256"):
        delivered(tone(tmp_path / "tone.wav"), "opus", 510, tmp_path)


def test_a_full_disk_says_nothing_of_the_sound() -> None:
    ended = Ended(1, 2, ("Error writing trailer: No space left on device", "Conversion failed!"))
    with pytest.raises(OSError, match="No space left"):
        refuse_full_disk(ended, "made.wav")
    refuse_full_disk(Ended(1, 1, ("Invalid data found",)), "made.wav")


def test_mono_of_one_channel_changes_nothing_and_of_two_mixes_them(tmp_path: Path) -> None:
    one, two = tone(tmp_path / "one.wav"), tone(tmp_path / "two.wav", channels=2)
    assert compare_clips(one, delivered(one, "mono", 0, tmp_path)).data
    assert delivered(two, "mono", 0, tmp_path).sound_channels == 1


def test_gain_is_in_decibels_and_noise_lies_under_the_sound(tmp_path: Path) -> None:
    clip = tone(tmp_path / "tone.wav")
    assert level_of(delivered(clip, "gain", -6, tmp_path)) == pytest.approx(level_of(clip) / 2, rel=0.01)
    noisy = level_of(delivered(clip, "noise_snr", 0, tmp_path))
    assert noisy == pytest.approx(level_of(clip) * math.sqrt(2), rel=0.1)


def test_noise_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    clip = tone(tmp_path / "tone.wav")
    made = [delivered(clip, "noise_snr", 10, tmp_path, seed).path.read_bytes() for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]


def test_trim_takes_silence_from_both_ends(tmp_path: Path) -> None:
    clip = tone(tmp_path / "tone.wav", quiet=0.5)
    assert seconds_of(delivered(clip, "trim", 0, tmp_path)) == pytest.approx(0.5, abs=0.11)


def test_what_is_only_silence_is_neither_trimmed_nor_measured_against_noise(tmp_path: Path) -> None:
    clip = tone(tmp_path / "none.wav", seconds=0, quiet=0.3)
    for name, words in (("trim", "nothing but silence"), ("noise_snr", "silent")):
        with pytest.raises(MediaUnreadable, match=words):
            delivered(clip, name, 10, tmp_path)


def test_a_turned_video_stays_turned_in_a_new_container_and_is_upright_when_coded_anew(tmp_path: Path) -> None:
    clip = clip_of(TURNED)
    assert compare_clips(clip, delivered(clip, "remux", 0, tmp_path)) == Sameness(False, True, True)
    smaller = delivered(clip, "scale", 50, tmp_path)
    with TURNED.open("rb") as before, smaller.path.open("rb") as after:
        shown, made = (facts_of(file, path=TURNED, depth="header") for file in (before, after))
    assert made.orientation is None
    assert (made.width, made.height) == pytest.approx(((shown.width or 0) / 2, (shown.height or 0) / 2), abs=2)


def test_mute_takes_the_sound_and_says_so_where_there_was_none(made: Callable[[str], Path], tmp_path: Path) -> None:
    loud, silent = clip_of(made("clip.mp4")), clip_of(made("silent.mp4"))
    assert compare_clips(loud, delivered(loud, "mute", 0, tmp_path)).difference == "it has no sound"
    assert compare_clips(silent, delivered(silent, "mute", 0, tmp_path)).view


def test_fewer_frames_are_other_pictures(made: Callable[[str], Path], tmp_path: Path) -> None:
    clip = clip_of(made("silent.mp4"))
    fewer = delivered(clip, "fps", 5, tmp_path)
    assert compare_clips(clip, fewer).difference == "its pictures differ"
    with fewer.path.open("rb") as file:
        assert facts_of(file, path=fewer.path, depth="decoded").frames == pytest.approx(10, abs=1)


def test_a_blank_video_lasts_as_long_and_a_blank_sound_is_silent(made: Callable[[str], Path], tmp_path: Path) -> None:
    clip = clip_of(made("clip.mp4"))
    assert blank_clip(clip, "#102030", tmp_path / "blank.mp4") == "mp4"
    with (tmp_path / "blank.mp4").open("rb") as file:
        assert facts_of(file, path=tmp_path / "blank.mp4", depth="probed").duration == pytest.approx(2.0, abs=0.1)
    blank_clip(tone(tmp_path / "tone.wav"), "white", tmp_path / "silence.wav")
    assert level_of(clip_of(tmp_path / "silence.wav")) == 0


def test_uneven_frames_odd_sides_and_flac_survive_coding_anew(tmp_path: Path) -> None:
    """Frames would be repeated to be even, a blank have a black edge, and FLAC be no sound for an MP4."""
    path = tmp_path / "odd.mkv"
    source = ["-f", "lavfi", "-i", "testsrc=s=33x17:r=10:d=1", "-f", "lavfi", "-i", "sine=d=1"]
    uneven = ["-vf", "setpts='if(lt(N,5),N,2*N)/10/TB'", "-fps_mode", "vfr", "-c:v", "ffv1", "-c:a", "flac"]
    subprocess.run(["ffmpeg", "-v", "error", *source, *uneven, str(path)], check=True)
    clip = clip_of(path)
    coded = delivered(clip, "h264", 30, tmp_path)
    assert coded.sound_codec == "flac"
    with coded.path.open("rb") as file:
        assert facts_of(file, path=coded.path, depth="decoded").frames == 10
    blank_clip(clip, "white", tmp_path / "blank.mp4")
    grey = ["-frames:v", "1", "-pix_fmt", "gray", "-f", "rawvideo", "-"]
    shown = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", tmp_path / "blank.mp4", *grey], check=True, capture_output=True
    )
    assert min(shown.stdout) > 250


def test_a_recipe_for_sound_needs_sound(made: Callable[[str], Path], tmp_path: Path) -> None:
    with pytest.raises(MediaUnreadable, match="without sound"):
        delivered(clip_of(made("silent.mp4")), "mp3", 32, tmp_path)


def test_a_broken_video_is_delivered_in_no_form(made: Callable[[str], Path], tmp_path: Path) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(made("clip.mp4").read_bytes()[:900])
    with pytest.raises(MediaUnreadable, match="cannot be decoded"):
        delivered(clip_of(broken), "remux", 0, tmp_path)

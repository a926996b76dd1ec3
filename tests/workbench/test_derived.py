"""What is made of recorded files: thumbnails, waveforms, frames; made once, two at a time, kept within a limit."""

from __future__ import annotations

import io
import os
import re
import shutil
import struct
import wave
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from oloproof.media.frame_rules import Moments
from oloproof.media.frames import extract_frames
from oloproof.media.waveforms import peaks_of
from oloproof.storage.derived import DerivedFiles
from oloproof.workbench.derived import waveform_svg
from tests.workbench.conftest import RUN, SVG, Exhibit, png, tone

Opened = Callable[..., Any]


def picture_of(answer: Any) -> Image.Image:
    return Image.open(io.BytesIO(answer.content)).convert("RGB")


def kept(exhibit: Exhibit) -> list[Path]:
    return [path for path in (exhibit.root / ".oloproof/derived").rglob("*") if path.is_file()]


def test_a_picture_has_a_thumbnail_that_is_made_once(exhibit: Exhibit, opened: Opened) -> None:
    item = exhibit.record("mug.png", png((1200, 600)))
    exhibit.store()
    client = opened(exhibit.root)
    answer = client.get(f"/media/{RUN}/{item}/thumbnail")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/jpeg")
    assert picture_of(answer).size == (400, 200)
    (file,) = kept(exhibit)
    assert file.read_bytes() == answer.content
    file.write_bytes(b"kept")
    again = client.get(f"/media/{RUN}/{item}/thumbnail")
    assert again.content == b"kept"
    known = client.get(f"/media/{RUN}/{item}/thumbnail", headers={"If-None-Match": answer.headers["etag"]})
    assert (known.status_code, known.content) == (304, b"")


def test_read_only_keeps_nothing(exhibit: Exhibit, opened: Opened) -> None:
    item = exhibit.record("mug.png", png())
    exhibit.store()
    client = opened(exhibit.root, read_only=True)
    assert client.get(f"/media/{RUN}/{item}/thumbnail").status_code == 200
    assert kept(exhibit) == []


def test_a_video_has_a_thumbnail_and_the_frame_shown_at_a_time(
    exhibit: Exhibit, opened: Opened, clip: bytes, tmp_path: Path
) -> None:
    item = exhibit.record("clip.mp4", clip)
    exhibit.store()
    client = opened(exhibit.root)
    small = client.get(f"/media/{RUN}/{item}/thumbnail")
    assert (small.status_code, small.headers["content-type"]) == (200, "image/jpeg")
    red, green, blue = picture_of(small).getpixel((48, 32))
    assert green > 150 > max(red, blue)
    frame = client.get(f"/media/{RUN}/{item}/frames/2.35")
    assert (frame.status_code, frame.headers["content-type"]) == (200, "image/png")
    red, green, blue = picture_of(frame).getpixel((48, 32))
    assert blue > 150 > max(red, green)
    judged = extract_frames(exhibit.path(item), "mp4", Moments((0.5, 2.35)), check=lambda: None)
    assert frame.content == judged.frames[1].data


def test_a_sound_has_a_waveform_without_script(exhibit: Exhibit, opened: Opened) -> None:
    item = exhibit.record("tone.wav", tone(2.0))
    exhibit.store()
    answer = opened(exhibit.root).get(f"/media/{RUN}/{item}/thumbnail")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
    assert answer.headers["content-security-policy"] == "script-src 'none'; sandbox"
    heights = heights_of(answer.text)
    assert len(heights) == 240
    assert max(heights[:118]) < 2
    assert min(heights[122:]) > 90
    assert "script" not in answer.text


def test_a_sound_is_drawn_over_time_and_frequency_and_kept(exhibit: Exhibit, opened: Opened) -> None:
    item = exhibit.record("tone.wav", tone(2.0))
    exhibit.store()
    client = opened(exhibit.root)
    answer = client.get(f"/media/{RUN}/{item}/spectrogram/4000")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert answer.headers["content-security-policy"] == "script-src 'none'; sandbox"
    levels = Image.open(io.BytesIO(answer.content))
    row = round(levels.height * (1 - 424 / 4_000))  # the pitch of the tone, which begins in the middle
    assert levels.getpixel((200, row)) == 0
    assert levels.getpixel((1_000, row)) > 240
    assert levels.getpixel((1_000, 20)) < 60
    (file,) = kept(exhibit)
    assert file.read_bytes() == answer.content
    assert client.get(f"/media/{RUN}/{item}/spectrogram/16000").content != answer.content
    for top in ("0", "8000.0", "1e4", "-4000", "99999999999", "abc"):
        assert client.get(f"/media/{RUN}/{item}/spectrogram/{top}").status_code == 404


def test_a_clip_tells_when_its_frames_are_shown(exhibit: Exhibit, opened: Opened, clip: bytes) -> None:
    item = exhibit.record("clip.mp4", clip)
    exhibit.store()
    answer = opened(exhibit.root).get(f"/media/{RUN}/{item}/frames")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json() == {"times": [n / 10 for n in range(30)], "end": 3.0, "lead": 0.0}


def test_a_picture_that_browsers_do_not_show_is_made_one_that_they_do(exhibit: Exhibit, opened: Opened) -> None:
    drawn = Image.open(io.BytesIO(png((300, 200))))
    out = io.BytesIO()
    drawn.save(out, "TIFF")
    item = exhibit.record("mug.tif", out.getvalue())
    exhibit.store()
    answer = opened(exhibit.root).get(f"/media/{RUN}/{item}/picture")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert picture_of(answer).tobytes() == drawn.tobytes()


@pytest.mark.parametrize("address", ["spectrogram/8000", "frames", "picture"])
def test_nothing_is_made_or_sent_of_a_file_that_changed(exhibit: Exhibit, opened: Opened, address: str) -> None:
    """What was made before is not sent either: it was made of what is no longer there."""
    item = exhibit.record("tone.wav", tone(0.2))
    exhibit.store()
    client = opened(exhibit.root)
    before = client.get(f"/media/{RUN}/{item}/{address}")
    assert before.status_code in (200, 415)
    exhibit.path(item).write_bytes(tone(0.3))
    assert client.get(f"/media/{RUN}/{item}/{address}").status_code == 409
    exhibit.path(item).unlink()
    assert client.get(f"/media/{RUN}/{item}/{address}").status_code == 410


def heights_of(svg: str) -> list[float]:
    """Return how high the outline is at each peak."""
    (path,) = re.findall(r'd="M([^"]+)Z"', svg)
    edges = [float(point.split()[1]) for point in path.split("L")]
    assert all(2 <= edge <= 98 for edge in edges)
    half = len(edges) // 2
    return [lower - upper for upper, lower in zip(edges[:half], reversed(edges[half:]), strict=True)]


@pytest.mark.parametrize(("seconds", "known"), [(0.01, True), (3.0, True), (3.0, False)])
def test_a_sound_of_any_length_has_as_many_peaks(tmp_path: Path, seconds: float, known: bool) -> None:
    path = tmp_path / "tone.wav"
    path.write_bytes(tone(seconds))
    told = seconds if known else None
    peaks = peaks_of(path, "wav", 240, seconds=told, check=lambda: None, timeout=20)
    assert len(peaks) == 240
    assert peaks[200] == pytest.approx(30_000 / 32_768, rel=0.05)


def stereo(path: Path, samples: Iterable[tuple[int, int]]) -> Path:
    """Write a sound of two channels at 16 kHz."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(b"".join(struct.pack("<hh", *both) for both in samples))
    return path


@pytest.mark.parametrize("signs", [(1, -1), (1, 0), (0, 1)])
def test_a_sound_in_one_channel_or_against_the_other_is_not_silence(tmp_path: Path, signs: tuple[int, int]) -> None:
    saw = ((n % 100 * 100 * signs[0], n % 100 * 100 * signs[1]) for n in range(16_000))
    peaks = peaks_of(stereo(tmp_path / "both.wav", saw), "wav", 10, seconds=1.0, check=lambda: None, timeout=20)
    assert min(peaks) == pytest.approx(0.302, rel=0.05)


@pytest.mark.parametrize("at", [100, 7_000, 7_900, 15_999])
def test_a_click_is_in_its_part_however_finely_it_is_looked_at(tmp_path: Path, at: int) -> None:
    click = stereo(tmp_path / "click.wav", ((20_000 * (n == at), 0) for n in range(16_000)))
    for seconds in (1.0, 0.1, 30.0):
        peaks = peaks_of(click, "wav", 10, seconds=seconds, check=lambda: None, timeout=20)
        assert peaks[at * 10 // 16_000] == pytest.approx(20_000 / 32_768, rel=0.01)
        assert sum(peak > 0 for peak in peaks) == (1 if seconds < 30 else 10)


@given(st.lists(st.one_of(st.just(0.0), st.floats(0, 1e9)), min_size=1, max_size=1000))
def test_a_waveform_of_anything_stays_within_its_frame(peaks: list[float]) -> None:
    assert len(heights_of(waveform_svg(peaks))) == len(peaks)


@pytest.mark.parametrize(
    ("name", "data", "address", "status"),
    [
        ("cut.png", png((300, 300))[:400], "thumbnail", 422),
        ("logo.svg", SVG, "thumbnail", 415),
        ("logo.svg", SVG, "frames/0", 415),
        ("tone.wav", tone(0.2), "frames/0", 415),
        ("tone.wav", tone(0.2), "frames", 415),
        ("tone.wav", tone(0.2), "picture", 415),
        ("mug.png", png(), "spectrogram/8000", 415),
        ("logo.svg", SVG, "picture", 415),
        ("none.wav", tone(0.2)[:44], "thumbnail", 422),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else str(value),
)
def test_what_cannot_be_shown_says_why(
    exhibit: Exhibit, opened: Opened, name: str, data: bytes, address: str, status: int
) -> None:
    item = exhibit.record(name, data)
    exhibit.store()
    answer = opened(exhibit.root).get(f"/media/{RUN}/{item}/{address}")
    assert answer.status_code == status, answer.text
    assert answer.json()["message"]
    assert "Traceback" not in answer.text
    assert str(exhibit.root) not in answer.text


def test_what_could_not_be_made_is_not_tried_again(
    exhibit: Exhibit, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = exhibit.record("none.wav", tone(0.2)[:44])
    exhibit.store()
    client = opened(exhibit.root)
    first = client.get(f"/media/{RUN}/{item}/thumbnail")
    monkeypatch.setenv("PATH", "/nowhere")
    again = client.get(f"/media/{RUN}/{item}/thumbnail")
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert first.status_code == 422


def test_without_ffmpeg_the_words_say_so(
    exhibit: Exhibit, opened: Opened, clip: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = exhibit.record("clip.mp4", clip)
    exhibit.store()
    monkeypatch.setenv("PATH", "/nowhere")
    answer = opened(exhibit.root).get(f"/media/{RUN}/{item}/thumbnail")
    assert (answer.status_code, answer.json()["error"]) == (503, "tool_missing")


def test_never_more_than_two_programs_run_at_once(
    exhibit: Exhibit, opened: Opened, clip: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four clips at once, with an ffmpeg and ffprobe that count themselves."""
    ids = [exhibit.record(f"clip{n}.mp4", clip + bytes(n)) for n in range(4)]
    exhibit.store()
    counted = tmp_path / "running"
    counted.mkdir()
    for tool in ("ffmpeg", "ffprobe"):
        script = tmp_path / "bin" / tool
        script.parent.mkdir(exist_ok=True)
        script.write_text(
            f'#!/bin/sh\ntouch "{counted}/now.$$"\nls "{counted}" | grep -c now >> "{counted}/count"\n'
            f'"{shutil.which(tool)}" "$@"\ncode=$?\nrm "{counted}/now.$$"\nexit $code\n'
        )
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    with opened(exhibit.root) as client, ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda item: client.get(f"/media/{RUN}/{item}/thumbnail").status_code, ids))
    assert answers == [200] * 4
    together = [int(line) for line in (counted / "count").read_text().split()]
    assert max(together) == 2


def test_the_oldest_of_what_was_made_goes_first(tmp_path: Path) -> None:
    files = DerivedFiles(tmp_path, most_bytes=1000)
    keys = [files.key("a" * 64, f"recipe {n}") for n in range(12)]
    for number, key in enumerate(keys):
        files.put(key, bytes([number + 1]) * 100)
        path = next(path for path in (tmp_path / ".oloproof/derived").rglob(key))
        os.utime(path, ns=(number * 10**9, number * 10**9))
    assert [files.get(key) is None for key in keys] == [True] * 2 + [False] * 10
    assert files.get(keys[-1]) == bytes([12]) * 100
    files.put(keys[0], b"x" * 1001)
    assert files.get(keys[0]) is None


def test_a_symlink_in_the_place_of_something_made_is_not_followed(tmp_path: Path) -> None:
    files = DerivedFiles(tmp_path)
    key = files.key("a" * 64, "recipe")
    files.put(key, b"made")
    (tmp_path / "secret").write_text("secret")
    path = next((tmp_path / ".oloproof/derived").rglob(key))
    path.unlink()
    path.symlink_to(tmp_path / "secret")
    assert files.get(key) is None
    files.put(key, b"made")
    assert files.get(key) == b"made"
    assert (tmp_path / "secret").read_text() == "secret"

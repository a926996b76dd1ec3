"""What a judge is shown of pictures, videos and animations: sent to a real server, and kept with the verdict."""

from __future__ import annotations

import hashlib
import re
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image

from oloproof.errors import MediaDrift, MediaUnreadable
from oloproof.evaluators.judges.seeing import FrameShelf
from oloproof.media.frames import Frame, Frames
from oloproof.media.probes import COLORS, color_clip
from tests.evaluators.judges.conftest import Judged, picture, reply
from tests.media.conftest import CASES, ffmpeg
from tests.model_server import Answer, Request, chat, media_of
from tests.seeing_model import color_of

Make = Callable[[Any], Judged]
SECONDS = ("red", "green", "blue", "yellow")


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A clip of four seconds, each in one colour, at five frames a second."""
    path = tmp_path_factory.mktemp("clip") / "clip.mp4"
    sources = [word for name in SECONDS for word in _color(COLORS[name])]
    joined = ["-filter_complex", f"concat=n={len(SECONDS)}"]
    ffmpeg(*sources, *joined, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", str(path))
    return path.read_bytes()


def _color(code: str) -> list[str]:
    return ["-f", "lavfi", "-i", f"color=0x{code[1:]}:size=64x48:rate=5:duration=1"]


@pytest.fixture
def started(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Return which of ffmpeg and ffprobe were started so far: programs of their names come first on PATH and count."""
    folder = tmp_path_factory.mktemp("counted")
    log = folder / "log"
    log.touch()
    for name in ("ffmpeg", "ffprobe"):
        program = folder / name
        program.write_text(f'#!/bin/sh\necho {name} >> "{log}"\nexec "{shutil.which(name)}" "$@"\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    return lambda: log.read_text().split()


def shown(project: Judged, *media: tuple[str, bytes], **options: Any) -> Request | None:
    """Run with one case that hands these files through, and return the question put to the judge, if any was."""
    for name, data in media:
        project.folder.write(name, data)
    project.cases({"files": [name for name, _ in media]})
    project.run(**{"sight_test": "off", **options})
    return project.server.requests[-1] if project.server.requests else None


def question(project: Judged, *media: tuple[str, bytes], **options: Any) -> Request:
    asked = shown(project, *media, **options)
    assert asked is not None
    return asked


def reason(project: Judged) -> str:
    verdict = project.trials()[0].verdicts[0]
    assert verdict.outcome == "missing"
    return verdict.reason


def pictures(request: Request) -> list[bytes]:
    return [data for _, data in media_of(request)]


def times_told(request: Request) -> list[float]:
    return [float(found) for found in re.findall(r"frame at (\d+\.\d{3}) s:", request.text)]


def pixel(data: bytes, at: tuple[int, int]) -> tuple[int, ...]:
    found = Image.open(BytesIO(data)).convert("RGB").getpixel(at)
    assert isinstance(found, tuple)
    return found


# --- videos --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "times", "colors"),
    [
        (None, [0.4, 1.4, 2.4, 3.4], SECONDS),
        (1, [2.0], ("blue",)),
        ([0.5, 3.99], [0.4, 3.8], ("red", "yellow")),
        ({"every": 2.0}, [0.0, 2.0], ("red", "blue")),
        ({"scenes": 3}, [0.0, 1.0, 2.0, 3.0], SECONDS),
    ],
    ids=["four by default", "number", "moments", "every", "scenes"],
)
def test_a_video_is_shown_as_the_frames_asked_for_each_with_its_true_time(
    judged: Make, clip: bytes, rule: Any, times: list[float], colors: tuple[str, ...]
) -> None:
    project = judged(chat(reply()))
    asked = question(project, ("clip.mp4", clip), video_frames=rule)

    if isinstance(rule, dict) and "scenes" in rule:  # of four scenes the three clearest, in the order of time
        kept = [times.index(time) for time in times_told(asked)]
        times, colors = [times[place] for place in kept], tuple(colors[place] for place in kept)
        assert len(times) == 3
    assert times_told(asked) == times
    assert [color_of(one) for one in pictures(asked)] == list(colors)
    frames = [part for part in project.saw["parts"] if part["kind"] == "frame"]
    assert [part["time"] for part in frames] == times
    assert {part["sha256_recorded"] for part in frames} == {hashlib.sha256(clip).hexdigest()}
    assert [part["sha256_sent"] for part in frames] == [hashlib.sha256(one).hexdigest() for one in pictures(asked)]
    assert {(part["media_type"], part["width"], part["height"]) for part in frames} == {("image/png", 64, 48)}


def test_each_frame_stands_after_the_lines_of_its_clip_and_time_and_the_version_of_ffmpeg_is_kept(
    judged: Make, clip: bytes
) -> None:
    project = judged(chat(reply()))
    asked = question(project, ("clip.mp4", clip), ("red.png", picture("red")), video_frames=2)

    content = asked.json["messages"][-1]["content"][2:]
    assert [part.get("text", "[picture]") for part in content] == [
        'Medium 1 of 2: role output, kind video, name "clip.mp4"',
        "Medium 1 moves: 2 still frames of it follow.",
        "Medium 1, frame at 1.000 s:",
        "[picture]",
        "Medium 1, frame at 3.000 s:",
        "[picture]",
        'Medium 2 of 2: role output, kind image, name "red.png"',
        "[picture]",
    ]
    assert [part["kind"] for part in project.saw["parts"]] == ["text", "text", "frame", "frame", "image"]
    assert f"ffmpeg version {project.saw['ffmpeg']} " in ffmpeg("-version").decode()


def test_what_is_odd_about_a_clip_is_told_to_the_judge_and_kept(judged: Make, clip: bytes) -> None:
    project = judged(chat(reply()))
    asked = question(project, ("clip.mp4", clip), video_frames=[1.1, 9.0])

    told = "asked 9 s, the pictures end at 4 s: the last frame is taken"
    assert told in asked.text
    assert project.saw["parts"][2]["steps"] == [told]


def test_two_judges_of_one_clip_start_ffmpeg_once_and_a_rerun_never(
    judged: Make, clip: bytes, started: Callable[[], list[str]]
) -> None:
    project = judged(chat(reply()))
    second = {**project.options, "criterion": "again", "rubric_text": "Another rubric.", "sight_test": "off"}
    project.project["evaluators"] = [second]
    project.project["concurrency"] = 4
    for number in range(3):
        project.folder.write(f"clip{number}.mp4", clip)
    project.cases(*({"files": [f"clip{number}.mp4"]} for number in range(3)))

    project.run(sight_test="off")
    assert project.server.count == 6
    assert started().count("ffmpeg") == 1

    before = started()
    project.run(sight_test="off")
    assert (started(), project.server.count) == (before, 6)
    assert project.outcomes() == ["pass"] * 6


def test_a_clip_held_upright_is_shown_upright(judged: Make) -> None:
    project = judged(chat(reply()))
    asked = question(project, ("phone.mp4", (CASES / "MR-21.mp4").read_bytes()), video_frames=1)

    frame = project.saw["parts"][2]
    assert frame["height"] > frame["width"]
    assert Image.open(BytesIO(pictures(asked)[0])).size == (frame["width"], frame["height"])


def test_a_transparent_clip_lies_on_the_declared_background(judged: Make) -> None:
    project = judged(chat(reply()))
    path = project.folder.root / "clear.mov"
    ffmpeg("-f", "lavfi", "-i", "color=red@0.0:size=32x32:rate=10:duration=0.2,format=argb", "-c:v", "qtrle", str(path))
    asked = question(project, ("clear.mov", path.read_bytes()), video_frames=1, background="#0000ff")

    assert pixel(pictures(asked)[0], (16, 16)) == (0, 0, 255)


def test_a_frame_over_a_limit_is_refused_in_words_or_made_smaller_where_declared(judged: Make, clip: bytes) -> None:
    project = judged(chat(reply()))
    assert shown(project, ("clip.mp4", clip), video_frames=1, max_image_side=32) is None
    assert "clip.mp4: the picture is 64x48; sides of at most 32 pixels may be sent; set `downscale: true`" in reason(
        project
    )

    asked = question(project, ("clip.mp4", clip), video_frames=1, max_image_side=32, downscale=True)
    assert Image.open(BytesIO(pictures(asked)[0])).size == (32, 24)
    frame = project.saw["parts"][2]
    assert (frame["width"], frame["height"], frame["steps"]) == (32, 24, ["from 64x48 to 32x24"])


def test_more_pictures_than_may_be_sent_are_refused_in_words_and_nobody_is_asked(judged: Make) -> None:
    project = judged(chat(reply()))
    clip = (CASES / "MR-24.mp4").read_bytes()  # it has a sound, which is not sent to be written down either
    media = ("a.mp4", clip), ("red.png", picture("red"))
    transcriber = {"model": "ear", "base_url": project.server.url}

    assert shown(project, *media, video_frames=2, max_images=2, transcriber=transcriber) is None
    assert "3 pictures and frames are more than the 2 that one judgement takes" in reason(project)
    assert project.trials()[0].verdicts[0].details["code"] == "over_limit"
    assert len(pictures(question(project, *media, video_frames=2, max_images=3))) == 3


# --- animations ----------------------------------------------------------------------------------------------------


def test_an_animation_is_shown_as_frames_with_their_times_and_without_ffmpeg(
    judged: Make, started: Callable[[], list[str]]
) -> None:
    project = judged(chat(reply()))
    asked = question(project, ("blink.png", color_clip(["red", "green"])), video_frames=2)

    assert 'kind image, name "blink.png"\nMedium 1 moves: 2 still frames of it follow.' in asked.text
    assert times_told(asked) == [0.0, 1.0]
    assert [color_of(one) for one in pictures(asked)] == ["red", "green"]
    assert [(part["kind"], part["time"]) for part in project.saw["parts"][2:]] == [("frame", 0.0), ("frame", 1.0)]
    assert (project.saw["ffmpeg"], started()) == (None, [])


# --- pictures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("background", "expected"), [(None, (255, 255, 255)), ("#00ff00", (0, 255, 0))])
def test_transparency_lies_on_the_declared_background(
    judged: Make, background: str | None, expected: tuple[int, ...]
) -> None:
    out = BytesIO()
    Image.new("RGBA", (20, 20), (255, 0, 0, 0)).save(out, "PNG")
    project = judged(chat(reply()))
    asked = question(project, ("clear.png", out.getvalue()), background=background)

    assert pixel(pictures(asked)[0], (10, 10)) == expected
    part = project.saw["parts"][2]
    assert part["steps"] == [f"on {background or 'white'}"]
    assert part["sha256_sent"] == hashlib.sha256(pictures(asked)[0]).hexdigest() != part["sha256_recorded"]


def test_a_picture_over_five_megabytes_is_refused_or_sent_smaller_where_declared(judged: Make) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (1450, 1450, 3), dtype=np.uint8)
    out = BytesIO()
    Image.fromarray(noise).save(out, "JPEG", quality=100, subsampling=0)
    photo = ("photo.jpg", out.getvalue())
    assert len(photo[1]) > 5_000_000
    project = judged(chat(reply()))

    assert shown(project, photo) is None
    assert re.search(
        r"photo\.jpg: the picture takes \d+ bytes .* at most 5000000 may be sent.*downscale", reason(project)
    )

    asked = question(project, photo, downscale=True)
    sent = pictures(asked)[0]
    size = Image.open(BytesIO(sent)).size
    assert len(sent) <= 5_000_000
    part = project.saw["parts"][2]
    assert (part["width"], part["height"]) == size
    assert f"from 1450x1450 to {size[0]}x{size[1]}" in part["steps"]
    assert part["sha256_sent"] == hashlib.sha256(sent).hexdigest()


# --- files that change ---------------------------------------------------------------------------------------------


def test_a_file_that_changes_while_the_judge_looks_stops_the_run(judged: Make) -> None:
    def overwriting(_: Request) -> Answer:
        project.folder.write("red.png", picture("blue"))
        return chat(reply())

    project = judged(overwriting)
    with pytest.raises(MediaDrift, match=r"red\.png changed after it was recorded") as caught:
        project.run(sight_test="off")
    assert caught.value.exit_code == 2


def test_a_file_that_is_gone_when_the_judge_would_look_makes_its_verdict_missing(judged: Make) -> None:
    project = judged(chat(reply()))
    project.folder.write(
        "app.py",
        """\
        from pathlib import Path
        from oloproof import current_case, media_file
        def hand_through(case):
            path = Path(case["photo"])
            current_case().media([media_file(path)])
            path.unlink()
        """,
    )
    project.project["dataset"] = {"path": "cases.jsonl", "media": ["photo"]}
    project.cases({"photo": "red.png"})
    project.run(sight_test="off")

    verdict = project.trials()[0].verdicts[0]
    assert (verdict.outcome, verdict.details["code"]) == ("missing", "media_gone")
    assert project.server.count == 0


# --- the shelf -----------------------------------------------------------------------------------------------------


def frames_of(size: int) -> Frames:
    return Frames((Frame(0.0, bytes(size), 1, 1),), 1)


def test_frames_are_made_once_whoever_asks_meanwhile() -> None:
    shelf, made, together = FrameShelf(), [], threading.Barrier(8)

    def make() -> Frames:
        made.append(1)
        threading.Event().wait(0.02)
        return frames_of(1)

    def ask(_: int) -> Frames:
        together.wait()
        return shelf.frames("clip", make)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert made == [1]
    assert all(one is found[0] for one in found)


def test_frames_that_could_not_be_made_are_tried_again_by_the_next_who_asks() -> None:
    def fails() -> Frames:
        raise MediaUnreadable("damaged", code="damaged")

    shelf = FrameShelf()
    with pytest.raises(MediaUnreadable):
        shelf.frames("clip", fails)
    assert shelf.frames("clip", lambda: frames_of(1)).asked == 1


def test_the_frames_held_are_bounded_in_bytes_and_the_oldest_go_first() -> None:
    shelf, made = FrameShelf(most_bytes=250), []

    def asked(key: str) -> None:
        def make() -> Frames:
            made.append(key)
            return frames_of(100)

        shelf.frames(key, make)

    for key in "abacab":
        asked(key)
    assert "".join(made) == "abcb"

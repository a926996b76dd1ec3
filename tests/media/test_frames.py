"""Frames of videos: the right ones, with their true times, compared with a decode of the whole file."""

from __future__ import annotations

import io
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oloproof.errors import MediaDrift, MediaUnreadable, ToolMissing
from oloproof.media.drafting import Limits
from oloproof.media.frame_rules import Count, Every, FrameRule, Moments, Scenes
from oloproof.media.frame_table import FrameTable, read_frame_table
from oloproof.media.frames import Frame, Frames, extract_frames
from tests.conftest import made_once
from tests.media.conftest import CASES, ffmpeg, turned_mp4

SIZE = 48, 32


def take(path: Path, rule: FrameRule, name: str = "mp4", **options: Any) -> Frames:
    return extract_frames(path, name, rule, **{"check": lambda: None, **options})


def times(found: Frames) -> list[float]:
    return [frame.time for frame in found.frames]


def picture(frame: Frame) -> Image.Image:
    opened = Image.open(io.BytesIO(frame.data))
    assert (opened.format, opened.mode, opened.size) == ("PNG", "RGB", (frame.width, frame.height))
    return opened


@cache
def every_frame(path: Path) -> tuple[list[Fraction], list[bytes]]:
    """Return time (from the first) and pixels of each frame, by one decode from the beginning."""
    told = ["-copyts", "-i", f"file:{path}", "-filter_complex", "[0:V:0]showinfo,format=rgb24[out]", "-map", "[out]"]
    command = ["ffmpeg", "-nostdin", "-hide_banner", *told, "-fps_mode", "passthrough", "-f", "rawvideo", "-"]
    done = subprocess.run(command, check=True, capture_output=True)
    text = done.stderr.decode()
    found = re.search(r"config in time_base: (\d+)/(\d+)", text)
    assert found is not None
    tick = Fraction(int(found[1]), int(found[2]))
    stamps = [int(number) for number in re.findall(r"\] n: *\d+ pts: *(-?\d+) ", text)]
    size = SIZE[0] * SIZE[1] * 3
    pixels = [done.stdout[at : at + size] for at in range(0, len(done.stdout), size)]
    assert len(pixels) == len(stamps)
    return [(stamp - stamps[0]) * tick for stamp in stamps], pixels


RECIPES: dict[str, tuple[str, list[str]]] = {
    "b_frames.mp4": ("mp4", ["-c:v", "libx264", "-bf", "3", "-g", "40", "-x264-params", "scenecut=0"]),
    "open_gop.mp4": ("mp4", ["-c:v", "libx264", "-bf", "3", "-g", "25", "-x264-params", "open-gop=1:scenecut=0"]),
    "one_gop.mp4": ("mp4", ["-c:v", "libx264", "-bf", "2", "-g", "9999", "-x264-params", "scenecut=0"]),
    "late.mkv": ("mkv", ["-c:v", "libx264", "-bf", "2", "-g", "30", "-output_ts_offset", "3.7"]),
    "pieces.mp4": ("mp4", ["-c:v", "libx264", "-g", "20", "-movflags", "frag_keyframe+empty_moov"]),
    "clip.webm": ("webm", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "50"]),
    "clip.ts": ("mpegts", ["-c:v", "libx264", "-bf", "2", "-g", "30"]),
    "packed.avi": ("avi", ["-c:v", "mpeg4", "-bf", "2", "-g", "30"]),
}


@pytest.fixture(scope="module")
def uneven(shared: Path) -> Callable[[str], Path]:
    """Return a function that gives a file whose 120 frames stand 1 to 7 steps apart, all made by one process."""
    steps = "setpts='if(eq(N,0),0,PREV_OUTPTS+(1+mod(N*13,7))/(25*TB))'"
    shape = ["-vf", steps, "-frames:v", "120", "-fps_mode", "vfr", "-enc_time_base", "1:25", "-pix_fmt", "yuv420p"]

    def make(folder: Path) -> None:
        source = ["-f", "lavfi", "-i", f"testsrc2=size={SIZE[0]}x{SIZE[1]}:rate=25"]
        outputs = [[*shape, *options, str(folder / name)] for name, (_, options) in RECIPES.items()]
        ffmpeg(*source, *chain.from_iterable(outputs))

    return lambda name: made_once(shared / "uneven", make) / name


@pytest.fixture(scope="module")
def cut(uneven: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose edit list leaves out the first 3.1 seconds."""
    path = tmp_path_factory.mktemp("cut") / "cut.mp4"
    ffmpeg("-ss", "3.1", "-i", str(uneven("b_frames.mp4")), "-c", "copy", str(path))
    return path


@pytest.mark.parametrize("name", RECIPES)
def test_the_frame_shown_at_a_moment_is_the_one_that_a_whole_decode_shows(
    name: str, uneven: Callable[[str], Path]
) -> None:
    path, form = uneven(name), RECIPES[name][0]
    stamps, pixels = every_frame(path)
    draw = random.Random(name)
    asked = [round(draw.uniform(0, float(stamps[-1])), 3) for _ in range(6)]
    asked += [0.0, round(float(draw.choice(stamps)), 6)]  # a time that was recorded means the same frame again

    found = take(path, Moments(tuple(asked)), form)

    shown = sorted({max(n for n, stamp in enumerate(stamps) if stamp <= at + 1e-6) for at in asked})
    assert times(found) == [round(float(stamps[n]), 6) for n in shown]
    assert [picture(frame).tobytes() for frame in found.frames] == [pixels[n] for n in shown]
    assert not [note for note in found.notes if "error" in note or "promise" in note]


def table(path: Path, name: str = "mp4") -> FrameTable:
    return read_frame_table(path, name, check=lambda: None)


@pytest.mark.parametrize("name", RECIPES)
def test_the_table_tells_when_every_frame_is_shown(name: str, uneven: Callable[[str], Path]) -> None:
    path, form = uneven(name), RECIPES[name][0]
    stamps, _ = every_frame(path)

    found = table(path, form)

    assert found.times == tuple(round(float(stamp), 6) for stamp in stamps)
    assert found.times[-1] < found.end < found.times[-1] + 0.4
    assert found.lead == 0


def test_a_player_counts_from_the_sound_that_begins_before_the_pictures(
    uneven: Callable[[str], Path], tmp_path: Path
) -> None:
    """The times of frames begin with the first picture all the same, as judges' do."""
    path = tmp_path / "late.mp4"
    sound = ["-f", "lavfi", "-i", "sine=duration=1"]
    ffmpeg("-itsoffset", "0.6", "-i", str(uneven("b_frames.mp4")), *sound, "-c:v", "copy", str(path))

    found = table(path)

    assert found.lead == pytest.approx(0.6, abs=0.05)
    stamps, _ = every_frame(path)
    assert found.times == tuple(round(float(stamp), 6) for stamp in stamps)


def test_what_an_edit_list_leaves_out_is_no_frame(cut: Path) -> None:
    stamps, _ = every_frame(cut)

    assert table(cut).times == tuple(round(float(stamp), 6) for stamp in stamps)


@pytest.mark.parametrize("name", ["b_frames.mp4", "late.mkv", "clip.ts"])
def test_a_count_takes_the_middles_of_equal_parts_of_the_pictures(name: str, uneven: Callable[[str], Path]) -> None:
    path, form = uneven(name), RECIPES[name][0]
    stamps, _ = every_frame(path)

    found = take(path, Count(5), form)

    # the last frame lasts at most 7 steps; its true length is known to the container alone
    for part, at in enumerate(times(found)):
        middles = [(part + 0.5) / 5 * (float(stamps[-1]) + extra) for extra in (0.0, 0.3)]
        low, high = (max(float(stamp) for stamp in stamps if stamp <= middle) for middle in middles)
        assert low - 1e-6 <= at <= high + 1e-6
    assert (len(found.frames), found.asked, found.notes) == (5, 5, ())


def test_an_edit_list_counts_from_the_first_picture_that_is_shown(cut: Path) -> None:
    stamps, pixels = every_frame(cut)

    found = take(cut, Moments((0.0, 2.0, 9.0)))

    shown = [max(n for n, stamp in enumerate(stamps) if stamp <= at) for at in (0, 2, 9)]
    assert [picture(frame).tobytes() for frame in found.frames] == [pixels[n] for n in shown]
    assert times(found) == [round(float(stamps[n]), 6) for n in shown]


def test_frame_twenty_of_a_variable_rate_is_where_it_is() -> None:
    found = take(CASES / "MR-22.mp4", Moments((1.19, 1.2, 1.49, 2.67)))

    assert times(found) == [1.18, 1.2, 2.4]


@pytest.mark.parametrize("moment", [0.95, 0.999, 1.0, 1.5, 9.0])
def test_the_last_frame_is_there_for_any_moment_from_its_beginning_on(moment: float) -> None:
    found = take(CASES / "MR-24.mp4", Moments((moment,)))

    assert times(found) == [0.9]
    assert bool(found.notes) == (moment > 1.0)


def test_sound_that_outlasts_the_pictures_moves_no_frame() -> None:
    assert times(take(CASES / "MR-24.mp4", Count(4))) == [0.1, 0.3, 0.6, 0.8]


def test_a_file_without_a_duration_is_measured() -> None:
    assert times(take(CASES / "MR-25.webm", Count(4), "webm")) == [0.2, 0.7, 1.2, 1.7]


@pytest.mark.parametrize(("n", "expected"), [(1, [0.1]), (3, [0.0, 0.1, 0.2]), (8, [0.0, 0.1, 0.2])])
def test_at_most_n_distinct_frames_are_taken_and_fewer_are_told(n: int, expected: list[float]) -> None:
    found = take(CASES / "MR-32.mp4", Count(n))

    assert (times(found), found.asked) == (expected, n)
    assert found.notes == (("8 moments fall on 3 distinct frames",) if n == 8 else ())


def test_a_file_with_one_frame_gives_it_for_every_rule(made: Callable[[str], Path]) -> None:
    for rule in (Count(8), Moments((0.0, 5.0)), Scenes(3)):
        assert times(take(made("one.mp4"), rule)) == [0.0]


def test_of_half_a_file_the_frames_that_are_there_are_taken_and_that_is_said() -> None:
    found = take(CASES / "MR-26-b.mp4", Count(4))

    assert times(found) == [0.2, 0.7, 1.2, 1.7]
    assert "the file promises 4 s of pictures, only 2 s are there" in found.notes
    assert times(take(CASES / "MR-26-b.mp4", Moments((3.9,)))) == [1.9]


def test_a_video_held_upright_is_upright_with_its_true_colours() -> None:
    found = take(CASES / "MR-21.mp4", Count(2))

    for frame in found.frames:
        assert (frame.width, frame.height) == (180, 320)
        red, green, blue = picture(frame).getpixel((90, 10))
        assert red > 150
        assert max(green, blue) < 90


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_every_turn_shows_what_ffmpeg_itself_shows(turn: int, tmp_path: Path, made: Callable[[str], Path]) -> None:
    path = tmp_path / "turned.mp4"
    path.write_bytes(turned_mp4(made("silent.mp4").read_bytes(), turn))
    expected = Image.open(io.BytesIO(ffmpeg("-i", str(path), "-frames:v", "1", "-f", "image2pipe", "-c:v", "ppm", "-")))

    found = picture(take(path, Moments((0.0,))).frames[0])

    assert found.size == expected.size
    assert found.tobytes() == expected.tobytes()


def test_wide_pixels_give_the_displayed_size_and_a_long_side_is_made_shorter(made: Callable[[str], Path]) -> None:
    for name, form in (("wide.mp4", "mp4"), ("wide.webm", "webm")):
        frame = take(made(name), Count(1), form).frames[0]
        small = take(made(name), Count(1), form, max_side=64).frames[0]
        assert (frame.width, frame.height, small.width, small.height) == (192, 64, 64, 21)
        assert picture(frame).size == (192, 64)


def test_frames_carry_no_tags_that_change_how_they_are_read(tmp_path: Path) -> None:
    source = ["-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=0.5", "-c:v", "libx264"]
    tags = ["-color_trc", "bt709", "-color_primaries", "bt709", "-colorspace", "bt709"]
    ffmpeg(*source, *tags, str(tmp_path / "tagged.mp4"))

    frame = take(tmp_path / "tagged.mp4", Count(1)).frames[0]

    assert not {name for name in (b"gAMA", b"cHRM", b"iCCP", b"cICP", b"eXIf") if name in frame.data}


def test_hdr_is_tone_mapped_and_said_or_refused(tmp_path: Path) -> None:
    grey = ["-f", "lavfi", "-i", "color=0x808080:size=64x48:rate=10:duration=0.5,format=yuv420p10le"]
    codec = ["-c:v", "libx265", "-x265-params", "log-level=none", "-preset", "ultrafast"]
    tags = ["-vf", "setparams=color_trc=smpte2084:color_primaries=bt2020:colorspace=bt2020nc"]
    ffmpeg(*grey, *tags, *codec, str(tmp_path / "hdr.mp4"))
    if b"zscale" not in ffmpeg("-filters"):
        with pytest.raises(MediaUnreadable) as raised:
            take(tmp_path / "hdr.mp4", Count(2))
        assert raised.value.code == "hdr"
        return

    found = take(tmp_path / "hdr.mp4", Count(2))

    # half of the PQ scale is some 92 of 203 nits, a light grey; read as if it were SDR it would stay at 128
    assert "tone-mapped from HDR (PQ)" in found.notes
    assert 145 < picture(found.frames[0]).getpixel((32, 24))[1] < 200


def test_what_is_transparent_lies_on_the_background(tmp_path: Path) -> None:
    source = ["-f", "lavfi", "-i", "color=red@0.0:size=32x32:rate=10:duration=0.3,format=argb"]
    ffmpeg(*source, "-c:v", "qtrle", str(tmp_path / "clear.mov"))

    for color, pixel in (("white", (255, 255, 255)), ("blue", (0, 0, 255))):
        frame = take(tmp_path / "clear.mov", Count(1), "mov", background=color).frames[0]
        assert picture(frame).getpixel((16, 16)) == pixel


def test_scenes_find_the_flash_that_even_sampling_misses() -> None:
    path = CASES / "MR-33.mp4"

    even, scenes = take(path, Count(8)), take(path, Scenes(8))

    def red(frame: Frame) -> bool:
        pixel = picture(frame).getpixel((80, 45))
        return pixel[0] > 150 and pixel[1] < 90

    assert not any(map(red, even.frames))
    assert [(frame.time, red(frame)) for frame in scenes.frames] == [(0.0, False), (2.44, True), (2.52, False)]
    assert (scenes.asked, scenes.notes) == (8, ("3 scenes found",))
    fewer = take(path, Scenes(2))
    assert times(fewer)[0] == 0.0
    assert len(fewer.frames) == 2
    assert fewer.notes == ("3 scenes found, the 2 with the clearest cuts are taken",)


def test_every_second_is_taken_up_to_the_most_that_may_be(uneven: Callable[[str], Path]) -> None:
    path = uneven("b_frames.mp4")
    stamps, _ = every_frame(path)

    found = take(path, Every(1.0), max_frames=5)

    last = int(stamps[-1])
    assert len(found.frames) == 5
    assert (times(found)[0], found.asked) == (0.0, last + 1)
    assert times(found)[-1] == round(float(max(stamp for stamp in stamps if stamp <= last)), 6)
    assert "5 of them, evenly spread" in found.notes[0]


def test_no_more_than_the_key_frame_needs_is_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = ["-f", "lavfi", "-i", "testsrc2=size=48x32:rate=25:duration=60"]
    ffmpeg(*source, "-c:v", "libx264", "-preset", "ultrafast", "-g", "50", str(tmp_path / "long.mp4"))
    spy = tmp_path / "ffmpeg"
    spy.write_text(f'#!/bin/sh\n"{shutil.which("ffmpeg")}" "$@"\ncat *.txt >>"{tmp_path}/times"\n', encoding="utf-8")
    spy.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    take(tmp_path / "long.mp4", Count(4))

    decoded = [line for line in (tmp_path / "times").read_text().splitlines() if " pts:" in line]
    assert 4 <= len(decoded) <= 4 * 65  # of 1,500; a key frame each two seconds, and some of the margin before it


def test_a_file_without_a_video_is_refused(made: Callable[[str], Path]) -> None:
    for path, form in ((CASES / "MR-20.mp3", "mp3"), (made("only_sound.mp4"), "mp4"), (CASES / "MR-05.jpg", "jpeg")):
        with pytest.raises(MediaUnreadable) as raised:
            take(path, Count(2), form)
        assert raised.value.code == "no_pictures"
        with pytest.raises(MediaUnreadable) as raised:
            table(path, form)
        assert raised.value.code == "no_pictures"


def with_zeros(path: Path, share: float, target: Path) -> Path:
    """Write a copy in which, from a share of the picture data on, a piece of it is zeros."""
    data = bytearray(path.read_bytes())
    begin = data.index(b"mdat") + 4
    begin += int((data.index(b"moov") - begin) * share)
    data[begin : begin + 2000] = bytes(2000)
    target.write_bytes(data)
    return target


def test_damage_is_told_and_refused_where_nothing_can_be_shown(tmp_path: Path, made: Callable[[str], Path]) -> None:
    later = take(with_zeros(made("silent.mp4"), 0.4, tmp_path / "later.mp4"), Count(2))
    assert len(later.frames) == 2
    assert "errors while decoding; the first: " in later.notes[-1]

    with pytest.raises(MediaUnreadable, match="frames cannot be decoded: ") as raised:
        take(with_zeros(made("silent.mp4"), 0.0, tmp_path / "first.mp4"), Count(2))
    assert raised.value.code == "damaged"


def test_what_cannot_be_decoded_is_refused_with_a_code(made: Callable[[str], Path]) -> None:
    cases = [(CASES / "MR-26-a.mp4", Limits(), "damaged"), (made("silent.mp4"), Limits(max_pixels=1000), "too_large")]
    cases.append((CASES / "MR-33.mp4", Limits(decode_seconds=0.001), "media_too_slow"))
    for path, limits, code in cases:
        with pytest.raises(MediaUnreadable) as raised:
            take(path, Count(2), limits=limits)
        assert (raised.value.code, raised.value.path) == (code, str(path))


def test_the_file_is_checked_around_every_process() -> None:
    calls: list[int] = []
    take(CASES / "MR-32.mp4", Count(2), check=lambda: calls.append(1))
    assert len(calls) == 4

    def changed() -> None:
        calls.append(1)
        if len(calls) == 8:
            raise MediaDrift("it was replaced")

    with pytest.raises(MediaDrift):
        take(CASES / "MR-32.mp4", Count(2), check=changed)


def test_names_that_mean_something_to_ffmpeg_are_only_names(tmp_path: Path) -> None:
    for name in ("-i %d.mp4", "concat:a|b.mp4", "a'b;[c].mp4"):
        path = tmp_path / name
        path.write_bytes((CASES / "MR-32.mp4").read_bytes())
        assert times(take(path, Count(3))) == [0.0, 0.1, 0.2]


def test_the_version_of_ffmpeg_is_kept_and_a_missing_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    version = subprocess.run(["ffmpeg", "-version"], check=True, capture_output=True, text=True).stdout.split()[2]
    assert take(CASES / "MR-32.mp4", Count(1)).ffmpeg == version

    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolMissing, match="frames of a video are taken"):
        take(CASES / "MR-32.mp4", Count(1))


def test_taking_frames_of_a_video_needs_no_pillow() -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom oloproof.media.frames import extract_frames\n"
        "from oloproof.media.frame_rules import Count\n"
        "extract_frames(Path(sys.argv[1]), 'mp4', Count(2), check=lambda: None)\nassert 'PIL' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(CASES / "MR-32.mp4")], check=True)

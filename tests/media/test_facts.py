"""The truth about whole files: every case people reported, every kind that peers get wrong, at every depth."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oloproof.errors import ToolMissing
from oloproof.media.drafting import FINDINGS
from oloproof.media.facts import Limits, facts_of, needs_ffmpeg
from oloproof.media.formats import describe, extension_matches
from oloproof.media.sniffing import sniffed
from oloproof.records import Facts
from tests.conftest import made_once
from tests.media.conftest import CASES, RECORDED, SECONDS, codes, facts, facts_in, ffmpeg, turned_mp4

EXPECTED: dict[str, dict[str, Any]] = json.loads((CASES / "expected.json").read_text(encoding="utf-8"))["files"]
MEDIA = sorted(name for name, truth in EXPECTED.items() if truth["kind"] in ("image", "audio", "video"))
DECODABLE = {True: "complete", "partial": "partial", False: "none"}
REFUSED = {"MR-02-b.png": "too_large"}
ORIENTATION = {6: "rotate 90 cw"}


def near(found: float | None, truth: dict[str, Any]) -> bool:
    return found is not None and abs(found - truth["duration_s"]) <= truth["duration_tolerance_s"]


@pytest.mark.parametrize("name", MEDIA)
def test_a_reported_file_is_measured_truly_when_decoded(name: str) -> None:
    truth, found = EXPECTED[name], facts(CASES / name)

    assert (found.kind, found.media_type) == (truth["kind"], truth["true_media_type"])
    assert (found.width, found.height) == (truth["displayed_width"], truth["displayed_height"])
    assert (found.stored_width, found.stored_height) == (truth["stored_width"], truth["stored_height"])
    assert found.orientation == ORIENTATION.get(truth["orientation"], truth["orientation"])
    assert found.frames == truth["frames"]
    assert found.decodable == REFUSED.get(name, DECODABLE[truth["decodable"]])
    assert extension_matches(name, found.format) is truth["extension_matches"]
    if found.decodable != "none":
        assert found.has_audio is truth["has_audio"]
    if truth["duration_s"] is None:
        assert found.duration is None
    else:
        assert near(found.duration, truth), found.duration


@pytest.mark.parametrize("name", MEDIA)
def test_a_shallower_depth_says_nothing_that_is_untrue(name: str) -> None:
    truth = EXPECTED[name]
    for found in (facts(CASES / name, "header"), facts(CASES / name, "probed")):
        assert (found.kind, found.media_type) == (truth["kind"], truth["true_media_type"])
        assert found.width in (truth["displayed_width"], None)
        assert found.height in (truth["displayed_height"], None)
        if truth["kind"] == "image":
            assert (found.width, found.height) == (truth["displayed_width"], truth["displayed_height"])
        if found.duration is not None:
            tolerance = max(truth["duration_tolerance_s"] or 0, 0.12)  # a packet that is cut still has its time
            assert abs(found.duration - truth["duration_s"]) <= tolerance
        elif found.depth == "probed":
            assert truth["duration_s"] is None
        assert found.decodable in (None, REFUSED.get(name))


# what peers.md A4 lists as wrong or unrecognised, and its neighbours: kind, format, media type
KINDS = {
    "pcm.rf64.wav": ("audio", "rf64", "audio/wav"),
    "sound.w64": ("audio", "w64", "audio/x-w64"),
    "sound.aiff": ("audio", "aiff", "audio/aiff"),
    "sound.caf": ("audio", "caf", "audio/x-caf"),
    "sound.au": ("audio", "au", "audio/basic"),
    "sound.flac": ("audio", "flac", "audio/flac"),
    "sound.mp3": ("audio", "mp3", "audio/mpeg"),
    "vbr.mp3": ("audio", "mp3", "audio/mpeg"),
    "tagged.mp3": ("audio", "mp3", "audio/mpeg"),
    "sound.mp2": ("audio", "mp2", "audio/mpeg"),
    "sound.aac": ("audio", "aac", "audio/aac"),
    "sound.ac3": ("audio", "ac3", "audio/ac3"),
    "sound.eac3": ("audio", "eac3", "audio/eac3"),
    "sound.ogg": ("audio", "ogg", "audio/ogg"),
    "sound.opus": ("audio", "ogg", "audio/ogg"),
    "speex.ogg": ("audio", "ogg", "audio/ogg"),
    "flac.ogg": ("audio", "ogg", "audio/ogg"),
    "sound.m4a": ("audio", "m4a", "audio/mp4"),
    "alac.m4a": ("audio", "m4a", "audio/mp4"),
    "fast.m4a": ("audio", "m4a", "audio/mp4"),
    "sound.wma": ("audio", "wma", "audio/x-ms-wma"),
    "sound.mka": ("audio", "mka", "audio/x-matroska"),
    "sound.wv": ("audio", "wavpack", "audio/x-wavpack"),
    "sound.tta": ("audio", "tta", "audio/x-tta"),
    "only_sound.mp4": ("audio", "mp4", "audio/mp4"),
    "only_sound.mov": ("audio", "mov", "audio/quicktime"),
    "only_sound.3gp": ("audio", "3gp", "audio/3gpp"),
    "only_sound.webm": ("audio", "webm", "audio/webm"),
    "only_sound.mkv": ("audio", "mka", "audio/x-matroska"),
    "clip.mp4": ("video", "mp4", "video/mp4"),
    "fast.mp4": ("video", "mp4", "video/mp4"),
    "fragmented.mp4": ("video", "mp4", "video/mp4"),
    "hevc.mp4": ("video", "mp4", "video/mp4"),
    "clip.mov": ("video", "mov", "video/quicktime"),
    "clip.3gp": ("video", "3gp", "video/3gpp"),
    "clip.webm": ("video", "webm", "video/webm"),
    "live.webm": ("video", "webm", "video/webm"),
    "clip.mkv": ("video", "mkv", "video/x-matroska"),
    "clip.avi": ("video", "avi", "video/x-msvideo"),
    "clip.flv": ("video", "flv", "video/x-flv"),
    "clip.mpg": ("video", "mpeg", "video/mpeg"),
    "clip.ts": ("video", "mpegts", "video/mp2t"),
    "clip.wmv": ("video", "wmv", "video/x-ms-wmv"),
    "clip.ogv": ("video", "ogv", "video/ogg"),
}
WAVS = ("mulaw", "alaw", "ms", "ima", "s24", "f32", "f64", "u8", "six", "mp3", "piped")
KINDS |= {f"{name}.wav": ("audio", "wav", "audio/wav") for name in WAVS}


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_whole_file_of_each_kind_is_recognised_and_complete(name: str, made: Callable[[str], Path]) -> None:
    path = made(name)
    header, probed, decoded = (facts(path, depth) for depth in ("header", "probed", "decoded"))

    for found in (header, probed, decoded):
        assert (found.kind, found.format, found.media_type) == KINDS[name]
        assert found.duration is None or abs(found.duration - SECONDS) < 0.13, found
    assert extension_matches(name, decoded.format)
    assert decoded.decodable == "complete", decoded.findings
    assert probed.duration is not None
    assert decoded.duration is not None
    if decoded.kind == "video":
        assert (decoded.width, decoded.height) == (96, 64)
        assert decoded.frames == SECONDS * (25 if name in ("clip.mpg", "clip.ts") else 10)
        assert decoded.has_audio is (name not in ("fragmented.mp4", "hevc.mp4", "clip.3gp"))
    else:
        assert (decoded.width, decoded.frames, decoded.has_audio) == (None, None, True)


# "cut" files whose loss can be known: at each share the medium that is left is told, and never as whole
KNOWABLE = [
    *(
        "sound.flac",
        "sound.mp3",
        "vbr.mp3",
        "sound.aac",
        "sound.ac3",
        "sound.ogg",
        "sound.opus",
        "fast.m4a",
        "sound.wma",
    ),
    *("sound.mka", "only_sound.webm", "ima.wav", "mp3.wav", "sound.aiff", "sound.caf", "sound.au", "sound.w64"),
    *(
        "pcm.rf64.wav",
        "s24.wav",
        "fast.mp4",
        "fragmented.mp4",
        "clip.webm",
        "live.webm",
        "clip.mkv",
        "clip.avi",
        "clip.flv",
    ),
    *("clip.ogv", "clip.wmv"),
]


@pytest.mark.parametrize(
    ("name", "share"),
    [(name, 0.6) for name in KNOWABLE] + [(name, 0.3) for name in KNOWABLE if name[:4] in ("clip", "soun")],
)
def test_half_a_file_never_passes_as_whole(
    name: str, share: float, made: Callable[[str], Path], tmp_path: Path
) -> None:
    data = made(name).read_bytes()
    cut = tmp_path / name
    cut.write_bytes(data[: int(len(data) * share)])

    found, probed, header = facts(cut), facts(cut, "probed"), facts(cut, "header")

    assert found.decodable in ("partial", "none"), found
    assert codes(found) & {"truncated", "damaged"}
    assert codes(found) <= set(FINDINGS)
    for depth in (found, probed, header):
        assert depth.duration is None or depth.duration < SECONDS * (share + 0.22), depth


@pytest.mark.parametrize("name", ["clip.mp4", "clip.mov", "sound.m4a"])
def test_a_movie_that_lost_its_index_decodes_to_nothing_and_keeps_its_kind(
    name: str, made: Callable[[str], Path], tmp_path: Path
) -> None:
    cut = tmp_path / name
    cut.write_bytes(made(name).read_bytes()[:-3000])

    found = facts(cut)

    assert found.decodable == "none"
    assert (found.kind, found.duration, found.frames) == (KINDS[name][0], None, None)
    assert "damaged" in codes(found)


def test_a_file_that_only_lost_the_very_end_of_its_index_is_complete_and_says_so(
    made: Callable[[str], Path], tmp_path: Path
) -> None:
    cut = tmp_path / "x.avi"
    cut.write_bytes(made("clip.avi").read_bytes()[:-40])

    found = facts(cut)

    assert (found.decodable, found.frames) == ("complete", 20)
    assert "truncated" in codes(found)


def test_scrambled_bytes_inside_a_video_are_damage(made: Callable[[str], Path], tmp_path: Path) -> None:
    data = bytearray(made("fast.mp4").read_bytes())
    middle = len(data) * 2 // 3
    data[middle : middle + 900] = bytes(range(1, 226)) * 4
    (tmp_path / "x.mp4").write_bytes(data)

    found = facts(tmp_path / "x.mp4")

    assert found.decodable == "partial"
    assert "damaged" in codes(found)


@pytest.mark.parametrize("data", [b"<!doctype html><title>502", b'{"error": "quota"}', b"", b"oops", b"%PDF-1.7 x"])
def test_an_error_page_under_a_picture_name_is_no_medium(data: bytes) -> None:
    found = facts_in(data)

    assert (found.kind, found.decodable, found.width) == (None, "none", None)
    assert found.format in ("html", "json", "empty", "text", "pdf")
    assert describe(found.format)


def test_images_and_plain_sound_need_no_ffmpeg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for name in MEDIA:
        if name.endswith((".png", ".jpg", ".gif", ".webp")) or name == "MR-37-a.wav":
            assert facts(CASES / name).decodable is not None
    for name in ("MR-36-a.wav", "MR-37-c.wav", "MR-40.wav"):
        assert facts(CASES / name).decodable == "complete"


@pytest.mark.parametrize("depth", ["probed", "decoded"])
def test_a_missing_ffprobe_is_one_clear_error_and_never_a_number(
    depth: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match=r"ffprobe is needed.*install ffmpeg"):
        facts(CASES / "MR-21.mp4", depth)


def test_a_header_needs_no_tool_even_for_a_video(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    found = facts(CASES / "MR-21.mp4", "header")

    assert (found.width, found.height, found.orientation, found.duration) == (180, 320, "rotate 90 cw", 1.5)


def test_what_needs_ffmpeg_is_known_beforehand() -> None:
    assert not needs_ffmpeg(sniffed("png"), "decoded")
    assert not needs_ffmpeg(sniffed("heic"), "decoded")
    assert not needs_ffmpeg(sniffed("mp4"), "header")
    assert not needs_ffmpeg(sniffed("wav"), "decoded")
    assert needs_ffmpeg(sniffed("mp4"), "probed")


def test_the_callers_check_runs_right_before_and_after_the_process() -> None:
    calls: list[str] = []
    path = CASES / "MR-32.mp4"
    with path.open("rb") as file:
        facts_of(file, path=path, depth="probed", check=lambda: calls.append("check"))
        facts_of(file, path=path, depth="header", check=lambda: calls.append("never"))

    assert calls == ["check", "check"]


def test_a_check_that_raises_keeps_the_process_from_starting() -> None:
    class Swapped(Exception):
        pass

    def refuse() -> None:
        raise Swapped

    path = CASES / "MR-32.mp4"
    with path.open("rb") as file, pytest.raises(Swapped):
        facts_of(file, path=path, depth="decoded", check=refuse)


def test_image_facts_come_from_the_handle_and_not_from_the_path() -> None:
    data = (CASES / "MR-03-a.jpg").read_bytes()

    found = facts_of(io.BytesIO(data), path=Path("/does/not/exist.jpg"), depth="decoded")

    assert (found.width, found.height, found.decodable) == (240, 360, "complete")
    assert found.extras["exif_orientation"] == 6


def test_a_video_beyond_the_pixel_limit_is_measured_but_not_decoded(made: Callable[[str], Path]) -> None:
    found = facts(made("silent.mp4"), "decoded", Limits(max_pixels=5000))

    assert found.decodable == "too_large"
    assert (found.width, found.frames) == (96, None)
    assert found.duration == pytest.approx(SECONDS, abs=0.05)


def test_pixel_ratio_and_single_frames_are_told(made: Callable[[str], Path]) -> None:
    for name in ("wide.mp4", "wide.webm"):
        for depth in ("header", "probed", "decoded"):
            found = facts(made(name), depth)
            assert (found.width, found.height) == (192, 64), (name, depth)
            assert (found.stored_width, found.stored_height) == (96, 64)
    one = facts(made("one.mp4"))
    assert (one.frames, one.duration, one.decodable) == (1, 0.1, "complete")


TURNS = {90: "rotate 90 cw", 180: "rotate 180", 270: "rotate 270 cw"}


@pytest.fixture(scope="module")
def turned(made: Callable[[str], Path], shared: Path) -> Path:
    """A folder of videos that are to be turned, each with the first frame as ffmpeg itself shows it."""

    def make(folder: Path) -> None:
        videos = [folder / f"{degrees}.{suffix}" for degrees in TURNS for suffix in ("mp4", "mov")]
        ffmpeg("-i", str(made("silent.mp4")), "-c", "copy", str(folder / "straight.mov"))
        straight = {"mp4": made("silent.mp4"), "mov": folder / "straight.mov"}
        for video in videos:
            video.write_bytes(turned_mp4(straight[video.suffix[1:]].read_bytes(), int(video.stem)))
        shown = [["-map", str(n), "-frames:v", "1", f"{video}.png"] for n, video in enumerate(videos)]
        ffmpeg(*chain.from_iterable(["-i", str(video)] for video in videos), *chain.from_iterable(shown))

    return made_once(shared / "turned", make)


@pytest.mark.parametrize(("degrees", "words"), TURNS.items())
@pytest.mark.parametrize("suffix", ["mp4", "mov"])
def test_a_turned_video_is_measured_as_shown(degrees: int, words: str, suffix: str, turned: Path) -> None:
    path = turned / f"{degrees}.{suffix}"
    with Image.open(f"{path}.png") as shown:
        truth = shown.size

    for depth in ("header", "probed", "decoded"):
        found = facts(path, depth)
        assert ((found.width, found.height), found.orientation) == (truth, words)
        assert (found.stored_width, found.stored_height) == (96, 64)


@pytest.mark.parametrize("name", ["sound.mp3", "sound.m4a", "sound.flac"])
def test_a_cover_picture_makes_no_video(name: str, made: Callable[[str], Path], tmp_path: Path) -> None:
    path, picture = tmp_path / name, tmp_path / "cover.jpg"
    Image.new("RGB", (48, 32), "red").save(picture)
    ffmpeg(
        "-i", str(made(name)), "-i", str(picture), "-map", "0", "-map", "1", "-c", "copy",
        "-disposition:v", "attached_pic", str(path),
    )  # fmt: skip

    found = facts(path)
    for depth in (facts(path, "header"), facts(path, "probed"), found):
        assert depth.kind == "audio"
    assert (found.extras["cover"], found.width, found.frames) == ([48, 32], None, None)
    assert "cover_art" in codes(found)
    assert found.decodable == "complete"


def test_a_movie_without_a_sample_has_no_length_and_nothing_decodes(tmp_path: Path) -> None:
    path = tmp_path / "none.mp4"
    ffmpeg("-f", "lavfi", "-i", "color=red:s=64x64:d=1", "-frames:v", "0", "-c:v", "libx264", str(path))

    found = facts(path)

    assert (found.kind, found.decodable) == ("video", "none")
    assert not found.duration


def test_every_recipe_of_this_room_is_used() -> None:
    used = set(KINDS) | {"ordered.avi", "one.mp4", "wide.mp4", "wide.webm", "silent.mp4"}
    assert used == RECORDED


def test_a_name_with_signs_that_ffmpeg_reads_otherwise_is_just_a_name(
    made: Callable[[str], Path], tmp_path: Path
) -> None:
    for name in ("-i.mp4", "concat:one|two.mp4", "%03d.mp4", "pipe:0", "a b'\"*[x].mp4"):
        path = tmp_path / name
        shutil.copy(made("silent.mp4"), path)
        found: Facts = facts(path, "decoded")
        assert (found.decodable, found.frames) == ("complete", 20), name


def test_streams_that_wrap_a_tag_around_another_codec_are_named_by_the_codec(
    made: Callable[[str], Path], tmp_path: Path
) -> None:
    tag = b"ID3\x04\0\0\0\0\x40\0" + bytes(8192)
    for name in ("sound.aac", "sound.flac", "sound.mp3"):
        path = tmp_path / name
        path.write_bytes(tag + made(name).read_bytes())
        found = facts(path)
        assert (found.format, found.decodable) == (name.partition(".")[2], "complete")
        assert found.duration == pytest.approx(SECONDS, abs=0.1)


def test_recordings_that_were_joined_last_as_long_as_all_of_them(made: Callable[[str], Path], tmp_path: Path) -> None:
    for name in ("sound.ogg", "clip.ts"):
        path = tmp_path / name
        path.write_bytes(made(name).read_bytes() * 2)
        for depth in ("probed", "decoded"):
            assert facts(path, depth).duration == pytest.approx(2 * SECONDS, abs=0.1), (name, depth)


def test_a_file_that_something_follows_or_that_is_counted_wrong_is_whole(
    made: Callable[[str], Path], tmp_path: Path
) -> None:
    mp3, movie, flac = (made(name).read_bytes() for name in ("sound.mp3", "silent.mp4", "sound.flac"))
    promise = re.search(b"Xing|Info", mp3)
    assert promise is not None
    frames, length = promise.end() + 4, movie.index(b"mvhd") + 20
    files = {
        "joined.mp3": (mp3 * 2, 2 * SECONDS, "header_length_wrong"),
        "counted.mp3": (mp3[:frames] + b"\0\1\0\0" + mp3[frames + 4 :], SECONDS, "header_length_wrong"),
        "counted.mp4": (movie[:length] + b"\0\x09\0\0" + movie[length + 4 :], SECONDS, "header_length_wrong"),
        "tagged.flac": (flac + b"TAG" + bytes(125), SECONDS, "trailing_data"),
        "joined.opus": (made("sound.opus").read_bytes() * 2, 2 * SECONDS, None),
    }
    for name, (data, seconds, finding) in files.items():
        (tmp_path / name).write_bytes(data)
        found = facts(tmp_path / name)
        assert (name, found.decodable, codes(found)) == (name, "complete", {finding} - {None})
        for depth in ("probed", "decoded"):
            assert facts(tmp_path / name, depth).duration == pytest.approx(seconds, abs=0.1), name


def test_a_codec_that_ffmpeg_does_not_know_is_no_damage(made: Callable[[str], Path], tmp_path: Path) -> None:
    data = made("clip.webm").read_bytes()
    for name, codec, frames in (("sound.webm", b"A_VORBIS", 20), ("pictures.webm", b"V_VP8", None)):
        path = tmp_path / name
        path.write_bytes(data.replace(codec, codec[:2] + b"Z" * (len(codec) - 2)))
        found = facts(path)
        assert (found.frames, found.decodable, codes(found)) == (frames, "no_decoder", {"no_decoder"}), name


def test_a_video_of_which_not_one_frame_is_there_is_not_whole_for_its_sound(
    made: Callable[[str], Path], tmp_path: Path
) -> None:
    path = tmp_path / "x.mp4"
    path.write_bytes(made("clip.mp4").read_bytes().replace(b"minf", b"free", 1))

    found = facts(path)

    assert (found.kind, found.frames, found.decodable) == ("video", 0, "partial")
    assert "damaged" in codes(found)


def test_pictures_of_an_avi_that_are_put_in_order_begin_with_it(made: Callable[[str], Path]) -> None:
    for depth in ("probed", "decoded"):
        assert facts(made("ordered.avi"), depth).duration == SECONDS
    assert facts(made("ordered.avi")).frames == 20


def test_what_fills_up_the_last_block_of_a_wav_is_not_counted(made: Callable[[str], Path], tmp_path: Path) -> None:
    data, path = bytearray(made("ms.wav").read_bytes()), tmp_path / "ms.wav"
    samples = data.index(b"fact") + 8
    data[samples : samples + 4] = int(44100 * SECONDS).to_bytes(4, "little")
    path.write_bytes(data)

    for depth in ("header", "probed", "decoded"):
        assert facts(path, depth).duration == SECONDS, depth


def test_a_flac_that_lost_its_last_frame_is_not_whole(made: Callable[[str], Path], tmp_path: Path) -> None:
    data = made("sound.flac").read_bytes()
    cut = tmp_path / "x.flac"
    cut.write_bytes(data[: data.rindex(b"\xff\xf8")])

    found = facts(cut)

    assert found.decodable == "partial"
    assert SECONDS - 0.12 < (found.duration or 0) < SECONDS


@pytest.mark.parametrize("options", [["-c:s", "mov_text", "x.mp4"], ["-c:s", "srt", "x.mkv"]])
def test_subtitles_that_go_on_promise_no_picture(
    options: list[str], made: Callable[[str], Path], tmp_path: Path
) -> None:
    words, path = tmp_path / "words.srt", tmp_path / options[-1]
    words.write_text("1\n00:00:00,000 --> 00:00:10,000\nstill speaking\n")
    ffmpeg("-i", str(made("silent.mp4")), "-i", str(words), "-c:v", "copy", *options[:-1], str(path))

    for depth in ("header", "probed", "decoded"):
        assert facts(path, depth).duration in (None, SECONDS), depth
    assert (facts(path).decodable, codes(facts(path))) == ("complete", set())


def test_a_matroska_that_begins_late_lost_nothing(made: Callable[[str], Path], tmp_path: Path) -> None:
    path = tmp_path / "x.mkv"
    ffmpeg("-i", str(made("silent.mp4")), "-c", "copy", "-output_ts_offset", "5", str(path))

    found = facts(path)

    assert (found.decodable, found.frames, found.duration, codes(found)) == ("complete", 20, SECONDS, set())


@pytest.mark.parametrize("name", ["sound.flac", "sound.wv", "sound.tta", "sound.ac3", "flac.ogg"])
def test_one_changed_bit_is_found_where_frames_carry_a_checksum(
    name: str, made: Callable[[str], Path], tmp_path: Path
) -> None:
    data = bytearray(made(name).read_bytes())
    data[len(data) // 2] ^= 0x10
    (tmp_path / name).write_bytes(data)

    assert facts(tmp_path / name).decodable == "partial"


@pytest.mark.parametrize(
    ("name", "lost"), [("fast.mp4", 500), ("fast.m4a", 300), ("sound.mp3", 313), ("clip.avi", 6000)]
)
def test_a_file_that_lost_its_last_piece_is_not_whole(
    name: str, lost: int, made: Callable[[str], Path], tmp_path: Path
) -> None:
    cut = tmp_path / name
    cut.write_bytes(made(name).read_bytes()[:-lost])

    assert facts(cut).decodable == "partial"

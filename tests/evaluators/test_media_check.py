"""``media_check``, on real files."""

from __future__ import annotations

import io
import os
import shutil
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pydantic import ValidationError

from oloproof.errors import MediaDrift, ToolMissing

CASES = Path(__file__).parent.parent / "data" / "media-cases"


@pytest.fixture
def measure(bench: Any) -> Any:
    """Judge files given as lines such as ``photo.png png 64x64``."""

    def judge(*lines: str, **options: Any) -> Any:
        return bench.judge(bench.evaluator("media_check", **options), media=bench.media(*lines))

    return judge


def test_every_condition_of_every_item_is_checked_and_told_with_its_measure(measure: Any) -> None:
    verdict = measure("a.png png 512x40", "b.png png 64x300", max_width=256, max_height=256, max_bytes=500)
    assert verdict.outcome == "fail"
    assert "a.png: width 512 px is above 256 px; a.png: size " in verdict.reason
    assert "b.png: height 300 px is above 256 px" in verdict.reason
    assert [(problem["item"], problem["condition"]) for problem in verdict.details["problems"]] == [
        ("a.png", "max_width"),
        ("a.png", "max_bytes"),
        ("b.png", "max_height"),
        ("b.png", "max_bytes"),
    ]
    assert verdict.details["problems"][0] | {"item": ""} == {
        "item": "",
        "condition": "max_width",
        "measured": 512,
        "wanted": 256,
    }
    assert [item["width"] for item in verdict.details["measured"]] == [512, 64]


def test_a_limit_itself_passes(measure: Any) -> None:
    assert measure("a.png png 256x64", min_width=256, max_width=256, min_height=64, max_height=64).outcome == "pass"
    assert measure("a.wav wav 1.25s", min_duration=1.25, max_duration=1.25).outcome == "pass"


def test_the_format_is_that_of_the_bytes_and_a_false_name_fails_unless_allowed(measure: Any) -> None:
    verdict = measure("photo.png jpeg 64x64", formats=["jpg"])
    assert verdict.reason == "photo.png: the name photo.png contradicts its bytes, which are jpeg"
    assert measure("photo.png jpeg 64x64", formats=["jpg"], allow_misnamed=True).outcome == "pass"
    assert "format jpeg is none of png" in measure("photo.png jpeg 64x64", formats=["png"], allow_misnamed=True).reason
    assert measure("photo.jpg jpeg 64x64", "b.tif tiff 8x8", formats=["JPG", ".tif"]).outcome == "pass"


def test_kind_alone_is_a_condition_that_every_item_of_the_role_must_meet(measure: Any) -> None:
    assert measure("a.png png 64x64", kind="image").outcome == "pass"
    verdict = measure("a.png png 64x64", "b.wav wav 1s", kind="image", max_width=100)
    assert verdict.reason == "b.wav: is audio, not an image"


def test_only_leaves_files_of_other_kinds_alone_but_nothing_that_is_no_medium(measure: Any) -> None:
    """A tool that makes a clip and its thumbnail has conditions for each."""
    made = ("clip.wav wav 2s", "thumbnail.png png 64x64")
    assert measure(*made, only="image", max_width=64, count=1).outcome == "pass"
    assert measure(*made, only="audio", min_duration=3).reason == "clip.wav: duration 2 s is below 3 s"
    assert measure(*made, only="image", count=2).reason == "1 item recorded, not 2"
    verdict = measure(*made, only="video", intact=True)
    assert (verdict.outcome, verdict.reason) == ("missing", "no video was recorded with role output")
    assert measure(*made, only="video", count=0).outcome == "pass"
    page = measure(*made, "second.png html", only="image", max_width=64)
    assert page.reason == "second.png: this is an HTML page, not an image"


@pytest.mark.parametrize(
    ("words", "told"),
    [("html", "this is an HTML page, not an image"), ("empty", "this is an empty file, not an image")],
)
def test_what_is_no_medium_is_named_for_what_it_is(measure: Any, words: str, told: str) -> None:
    verdict = measure(f"photo.png {words}", kind="image", min_width=1, intact=True)
    assert verdict.reason == f"photo.png: {told}"
    assert verdict.outcome == "fail"
    assert measure(f"photo.png {words}", max_bytes=100_000).outcome == "fail"


def test_no_media_of_the_role_is_missing_unless_the_count_decides(measure: Any) -> None:
    verdict = measure("input a.png png 8x8", max_width=10)
    assert (verdict.outcome, verdict.reason) == ("missing", "no media was recorded with role output")
    assert verdict.details == {"code": "no_media"}
    assert measure(count=0).outcome == "pass"
    assert measure(min_count=1, max_width=9).reason == "0 items recorded, fewer than 1"
    assert measure(max_count=3).outcome == "pass"
    assert measure(max_count=3, max_width=9).outcome == "missing"
    assert measure("a.png png 8x8", "b.png png 8x8", count=1).reason == "2 items recorded, not 1"
    assert measure("a.png png 8x8", "input b.png png 8x8", role="all", count=2).outcome == "pass"


def test_measures_that_a_kind_does_not_have_fail_and_say_so(measure: Any) -> None:
    assert measure("a.png png 8x8", min_duration=0).reason == "a.png: is a still image and has no duration"
    assert measure("a.wav wav 1s", max_width=9).reason == "a.wav: is audio and has no width"
    assert measure("a.wav wav 1s", animated=False).reason == "a.wav: is audio, neither a still nor an animated image"


def test_a_photo_is_measured_as_it_is_shown(bench: Any) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (40, 30), "red").save(bench.root / "turned.jpg", exif=exif)
    media = [bench.record("turned.jpg")]
    assert (
        bench.judge(
            bench.evaluator("media_check", max_width=30, min_height=40, aspect_ratio="3:4"), media=media
        ).outcome
        == "pass"
    )


@pytest.mark.parametrize(
    ("options", "outcome"),
    [
        ({"aspect_ratio": "16:9"}, "pass"),
        ({"aspect_ratio": 1.78}, "pass"),
        ({"aspect_ratio": "4:3"}, "fail"),
        ({"aspect_ratio": "4:3", "aspect_tolerance": 0.4}, "pass"),
        ({"min_aspect_ratio": 1.5, "max_aspect_ratio": "16:9"}, "pass"),
        ({"max_aspect_ratio": 1}, "fail"),
    ],
)
def test_an_aspect_ratio_is_text_or_a_number(measure: Any, options: dict[str, Any], outcome: str) -> None:
    assert measure("a.png png 160x90", **options).outcome == outcome


def test_video_and_sound_are_measured_by_their_streams(measure: Any) -> None:
    clip = "clip.mp4 mp4 64x48 1s"
    assert (
        measure(
            clip, kind="video", max_width=64, min_duration=0.9, max_duration=1.1, has_audio=True, intact=True
        ).outcome
        == "pass"
    )
    assert measure(clip, has_audio=False).reason == "clip.mp4: has a sound track"
    assert measure(clip + " silent", has_audio=True).reason == "clip.mp4: has no sound track"
    assert measure("a.mp3 mp3 2s", formats=["mp3"], min_duration=1.9, max_duration=2.1).outcome == "pass"
    assert "s is above 1.5 s" in measure("a.mp3 mp3 2s", max_duration=1.5).reason


def test_rates_and_channels_are_those_of_the_streams(measure: Any) -> None:
    clip = "clip.mp4 mp4 64x48 1s"
    verdict = measure(clip, min_frame_rate=10, max_frame_rate=10, min_sample_rate=8000, max_channels=2)
    assert verdict.outcome == "pass"
    found = verdict.details["measured"][0]
    assert (found["frame_rate"], found["channels"]) == (10.0, 1)
    assert measure(clip, min_frame_rate=23.976).reason == "clip.mp4: frame rate 10 frames/s is below 23.976 frames/s"
    assert measure("a.wav wav 1s", min_sample_rate=44100).reason.endswith(" Hz is below 44100 Hz")
    assert measure("a.wav wav 1s", min_channels=2).reason == "a.wav: number of channels 1 is below 2"


def test_what_has_no_such_stream_fails_and_says_so(measure: Any) -> None:
    assert measure("a.png png 8x8", min_sample_rate=1).reason == "a.png: is an image and has no sample rate"
    assert measure("a.wav wav 1s", max_frame_rate=30).reason == "a.wav: is audio and has no frame rate"
    silent = measure("clip.mp4 mp4 64x48 1s silent", min_channels=1, min_sample_rate=8000)
    assert (silent.outcome, silent.reason) == ("fail", "clip.mp4: has no sound track")  # once, of two conditions


def test_an_animation_is_told_from_a_still(measure: Any) -> None:
    assert measure("a.gif gif", animated=True, min_duration=0.9, max_duration=1.1).outcome == "pass"
    assert measure("a.gif gif", animated=False).reason == "a.gif: is an animation of 2 frames"
    assert measure("a.png png 8x8", animated=True).reason == "a.png: is a still image"


@pytest.mark.parametrize(
    ("name", "words"),
    [("a.jpg", "jpeg 320x240"), ("a.png", "png 320x240"), ("a.wav", "wav 2s"), ("a.mp4", "mp4 64x48 2s")],
)
def test_a_file_that_was_cut_off_fails_intact_and_says_how_much_is_there(bench: Any, name: str, words: str) -> None:
    path = bench.file(name, words)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * 0.6)])
    verdict = bench.judge(bench.evaluator("media_check", intact=True), media=[bench.record(name)])
    assert verdict.outcome == "fail"
    assert "decoded" in verdict.reason
    assert verdict.details["problems"][0]["condition"] == "intact"
    assert verdict.details["problems"][0]["measured"] in ("partial", "none")


def test_a_huge_picture_and_a_format_without_a_decoder_are_not_called_corrupt(bench: Any) -> None:
    header = struct.pack(">IIBBBBB", 30_000, 30_000, 1, 0, 0, 0, 0)
    chunks = b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b""))
    )
    (bench.root / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)
    (bench.root / "drawing.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>')
    media = [bench.record("bomb.png"), bench.record("drawing.svg")]
    verdict = bench.judge(bench.evaluator("media_check", intact=True), media=media)
    assert [problem["measured"] for problem in verdict.details["problems"]] == ["too_large", "no_decoder"]
    assert "bomb.png: it is too large to be decoded" in verdict.reason
    assert "no decoder" in verdict.reason
    assert "30000 px is above" in bench.judge(bench.evaluator("media_check", max_width=100), media=media[:1]).reason


def test_a_webm_without_a_length_in_its_header_is_measured(bench: Any) -> None:
    shutil.copy(CASES / "MR-25.webm", bench.root)
    media = [bench.record("MR-25.webm")]
    assert (
        bench.judge(bench.evaluator("media_check", min_duration=1.9, max_duration=2.1), media=media).outcome == "pass"
    )


def test_header_conditions_read_nothing_of_an_unchanged_file(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    media = bench.media("a.png png 64x64")
    evaluator = bench.evaluator("media_check", max_width=64, formats=["png"], max_bytes=10**6, aspect_ratio="1:1")

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("the file was opened")

    monkeypatch.setattr(bench.reader, "open", refuse)
    assert bench.judge(evaluator, media=media).outcome == "pass"


def test_a_file_that_is_gone_is_missing_and_one_that_changed_stops_the_run(bench: Any) -> None:
    media = bench.media("a.png png 64x64")
    evaluator = bench.evaluator("media_check", max_width=10)
    (bench.root / "a.png").write_bytes(b"other bytes")
    with pytest.raises(MediaDrift):
        bench.judge(evaluator, media=media)
    os.unlink(bench.root / "a.png")
    verdict = bench.judge(evaluator, media=media)
    assert (verdict.outcome, verdict.details) == ("missing", {"code": "media_gone"})


def test_without_ffprobe_images_still_work_and_video_stops_the_run(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    media = bench.media("a.png png 64x64", "page.png html")
    monkeypatch.setenv("PATH", str(bench.root))
    assert bench.judge(bench.evaluator("media_check", kind="image", intact=True), media=media).outcome == "fail"
    with pytest.raises(ToolMissing, match="ffprobe"):
        bench.evaluator("media_check", kind="video", intact=True)
    with pytest.raises(ToolMissing, match="listens for silence"):
        bench.evaluator("media_check", silent=False)


def test_items_of_one_name_are_told_apart(bench: Any) -> None:
    first, second = bench.media("one/a.png png 64x64", "two/a.png png 8x8")
    assert first.name == second.name
    verdict = bench.judge(bench.evaluator("media_check", max_width=10), media=[first, second])
    assert verdict.reason == "a.png (#1): width 64 px is above 10 px"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "at least one condition"),
        ({"only": "image"}, "at least one condition"),
        ({"only": "image", "kind": "video", "count": 1}, "give either kind:, which every file must be, or only:"),
        ({"only": "audio", "max_width": 9}, "max_width: measures pictures, and only is audio"),
        ({"only": "audio", "formats": ["png"]}, "is never audio, and only is audio"),
        ({"kind": "image", "silent": False}, "silent: measures sound, and kind is image"),
        ({"kind": "audio", "blank": False}, "blank: measures pictures, and kind is audio"),
        ({"allow_misnamed": True}, "goes with formats"),
        ({"min_width": 5, "max_width": 4}, "min_width: 5 is above max_width: 4"),
        ({"min_aspect_ratio": "16:9", "max_aspect_ratio": 1.5}, "is above"),
        ({"min_duration": 2, "max_duration": 1}, "min_duration"),
        ({"formats": ["pgn"]}, "'pgn' is no format that can be told; did you mean"),
        ({"formats": ["pgn"]}, "did you mean png"),
        ({"formats": ["jpge"]}, "did you mean jpeg"),
        ({"formats": ["webpp"]}, "did you mean webp"),
        ({"formats": []}, "at least 1"),
        ({"kind": "audio", "formats": ["png"]}, "formats: a PNG image is never audio, and kind is audio"),
        ({"kind": "audio", "formats": ["wav", "gif"]}, "formats: a GIF image is never audio"),
        ({"kind": "image", "formats": ["wav"]}, "formats: a WAV audio file is never an image, and kind is image"),
        ({"kind": "image", "formats": ["mp4"]}, "formats: an MP4 video file is never an image"),
        ({"kind": "video", "formats": ["gif"]}, "formats: a GIF image is never video"),
        ({"kind": "video", "formats": ["flac"]}, "formats: a FLAC audio file is never video"),
        ({"aspect_ratio": "wide"}, 'write "16:9" in quotes'),
        ({"aspect_ratio": 0}, "above 0"),
        ({"count": 1, "min_count": 1}, "either count"),
        ({"kind": "audio", "max_width": 5}, "max_width: measures pictures, and kind is audio"),
        ({"kind": "image", "min_frame_rate": 5}, "min_frame_rate: measures video, and kind is image"),
        ({"kind": "image", "max_channels": 2}, "max_channels: measures sound, and kind is image"),
        ({"kind": "video", "animated": True}, "animated: measures images, and kind is video"),
        ({"min_sample_rate": 48000, "max_sample_rate": 16000}, "min_sample_rate: 48000 is above"),
        ({"min_frame_rate": 0}, "greater than 0"),
        ({"max_width": "256"}, "valid integer"),
        ({"max_width": 0}, "greater than or equal to 1"),
        ({"intact": False}, "at least one condition"),
    ],
)
def test_conditions_that_cannot_be_meant_are_refused(bench: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        bench.evaluator("media_check", **options)


def test_an_animated_png_is_a_png(bench: Any) -> None:
    frames = [Image.new("RGB", (8, 8), color) for color in ("red", "blue")]
    held = io.BytesIO()
    frames[0].save(held, "PNG", save_all=True, append_images=frames[1:], duration=100)
    (bench.root / "a.png").write_bytes(held.getvalue())
    assert (
        bench.judge(
            bench.evaluator("media_check", formats=["png"], animated=True), media=[bench.record("a.png")]
        ).outcome
        == "pass"
    )


@pytest.mark.parametrize(
    ("name", "options", "outcome"),
    [
        ("MR-01-a.jpg", {"intact": True}, "fail"),
        ("MR-01-b.jpg", {"intact": True}, "fail"),
        ("MR-02-b.png", {"intact": True}, "fail"),
        ("MR-03-a.jpg", {"max_aspect_ratio": 1}, "pass"),
        ("MR-08-a.png", {"formats": ["png", "jpeg"]}, "fail"),
        ("MR-08-b.jpg", {"formats": ["webp"], "allow_misnamed": True}, "pass"),
        ("MR-11-a.gif", {"animated": False}, "fail"),
        ("MR-11-b.png", {"animated": True}, "pass"),
        ("MR-11-c.webp", {"animated": True}, "pass"),
        ("MR-21.mp4", {"max_width": 180, "min_height": 320}, "pass"),
        ("MR-26-b.mp4", {"intact": True}, "fail"),
        ("MR-37-a.wav", {"max_duration": 1.3}, "pass"),
    ],
)
def test_files_that_other_tools_get_wrong_are_judged_right(
    bench: Any, name: str, options: dict[str, Any], outcome: str
) -> None:
    shutil.copy(CASES / name, bench.root)
    verdict = bench.judge(bench.evaluator("media_check", **options), media=[bench.record(name)])
    assert verdict.outcome == outcome, verdict.reason


@pytest.mark.parametrize(
    ("kind", "formats"),
    [
        ("audio", ["mp4", "webm", "wav"]),
        ("video", ["mp4", "ogg", "mkv"]),
        ("image", ["png", "svg"]),
        ("any", ["png", "wav"]),
    ],
)
def test_a_container_may_hold_sound_only(bench: Any, kind: str, formats: list[str]) -> None:
    assert bench.evaluator("media_check", prepare=False, kind=kind, formats=formats).options.kind == kind


def test_a_picture_of_one_colour_is_blank_whatever_coding_added_to_it(measure: Any) -> None:
    """A generator that fails often writes a whole file of the right size."""
    verdict = measure("night.png png 64x64 black", "page.jpg jpeg 640x480 ivory", blank=False)
    assert verdict.reason.startswith("night.png: shows one colour only (#000000); page.jpg: shows one colour only (#fe")
    assert [item["blank"] for item in verdict.details["measured"]] == [True, True]
    assert verdict.details["problems"][0] == {
        "item": "night.png", "condition": "blank", "measured": True, "wanted": False,
    }  # fmt: skip
    assert measure("night.png png 64x64 black", blank=True).outcome == "pass"
    assert measure("hills.png png 64x64", blank=True).reason == "hills.png: shows more than one colour"


def test_a_page_with_one_small_mark_is_not_blank(bench: Any) -> None:
    page = Image.new("RGB", (2000, 2000), "white")
    page.putpixel((1234, 567), (200, 200, 200))
    page.save(bench.root / "page.png")
    faint = Image.new("L", (500, 500), 100)
    faint.putpixel((7, 7), 110)
    faint.save(bench.root / "faint.png")

    blank = bench.evaluator("media_check", blank=False)
    assert bench.judge(blank, media=[bench.record("page.png")]).outcome == "pass"
    assert bench.judge(blank, media=[bench.record("faint.png")]).outcome == "fail"


def test_what_is_see_through_everywhere_shows_nothing(bench: Any) -> None:
    Image.effect_noise((64, 64), 90).convert("RGBA").save(bench.root / "noise.png")
    hidden = Image.effect_noise((64, 64), 90).convert("RGBA")
    hidden.putalpha(0)
    hidden.save(bench.root / "hidden.png")

    blank = bench.evaluator("media_check", blank=False)
    assert bench.judge(blank, media=[bench.record("noise.png")]).outcome == "pass"
    assert bench.judge(blank, media=[bench.record("hidden.png")]).reason.endswith("shows one colour only (#ffffff)")


def test_a_clip_is_blank_when_each_of_four_frames_is(bench: Any, measure: Any) -> None:
    source = "color=c=black:s=64x48:r=10:d=2"
    run_ffmpeg("-f", "lavfi", "-i", source, "-pix_fmt", "yuv420p", str(bench.root / "black.mp4"))
    late = f"{source},drawbox=enable='gt(t,1.6)':color=white:t=fill:w=20"
    run_ffmpeg("-f", "lavfi", "-i", late, "-pix_fmt", "yuv420p", str(bench.root / "late.mp4"))
    blank = bench.evaluator("media_check", blank=False)

    told = bench.judge(blank, media=[bench.record("black.mp4")]).reason
    assert told == "black.mp4: shows one colour only (#000000) in each of the 4 frames looked at"
    assert bench.judge(blank, media=[bench.record("late.mp4")]).outcome == "pass"
    assert measure("a.gif gif", blank=False).outcome == "pass"


def test_transparent_is_what_lets_something_through_not_what_could(bench: Any) -> None:
    cut_out = Image.new("RGBA", (32, 32), "red")
    cut_out.save(bench.root / "opaque.png")
    cut_out.putpixel((3, 3), (255, 0, 0, 254))
    cut_out.save(bench.root / "cut-out.png")
    Image.new("RGB", (32, 32), "red").save(bench.root / "photo.jpg")
    transparent = bench.evaluator("media_check", transparent=True)

    media = [bench.record(name) for name in ("cut-out.png", "opaque.png", "photo.jpg")]
    verdict = bench.judge(transparent, media=media)
    assert verdict.reason == "opaque.png: is opaque everywhere; photo.jpg: is opaque everywhere"
    opaque = bench.judge(bench.evaluator("media_check", transparent=False), media=media[:1])
    assert opaque.reason == "cut-out.png: is transparent in places"


def test_silence_is_heard_and_not_believed_from_a_header(bench: Any, measure: Any) -> None:
    for name, volume in (("nothing.wav", "0"), ("hiss.wav", "-50dB"), ("whisper.wav", "-35dB")):
        run_ffmpeg("-f", "lavfi", "-i", f"sine=d=2,volume={volume}", str(bench.root / name))
    media = [bench.record(name) for name in ("nothing.wav", "hiss.wav", "whisper.wav")]
    verdict = bench.judge(bench.evaluator("media_check", silent=False), media=media)

    assert verdict.reason.startswith("nothing.wav: is silent: 2.0 s of digital silence; hiss.wav: is silent: the")
    assert [item["silent"] for item in verdict.details["measured"]] == [True, True, False]
    assert "whisper.wav: is not silent" in bench.judge(bench.evaluator("media_check", silent=True), media=media).reason
    clip = "clip.mp4 mp4 64x48 1s"
    assert measure(clip, silent=False).outcome == "pass"
    assert measure(f"mute.mp4 {clip[9:]} silent", silent=False).reason == "mute.mp4: has no sound track"


def test_contents_that_a_kind_does_not_have_or_nobody_can_tell_fail_and_say_so(bench: Any, measure: Any) -> None:
    assert measure("a.wav wav 1s", blank=False).reason == "a.wav: is audio and has no picture"
    assert measure("a.png png 8x8", silent=False).reason == "a.png: is an image and has no sound"
    cut = bench.file("cut.png", "png 320x240")
    cut.write_bytes(cut.read_bytes()[:900])
    verdict = bench.judge(bench.evaluator("media_check", blank=False), media=[bench.record("cut.png")])
    assert verdict.reason.startswith("cut.png: whether it is blank could not be told: ")
    assert verdict.details["problems"][0]["measured"] is None


def test_contents_are_looked_at_once_for_the_same_bytes(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    media = [bench.record(bench.file("night.png", "png 64x64 black").name)]
    bench.judge(bench.evaluator("media_check", blank=False), media=media)
    monkeypatch.setattr("oloproof.media.contents._shades", None)
    assert bench.judge(bench.evaluator("media_check", blank=False), media=media).outcome == "fail"


def run_ffmpeg(*arguments: str) -> None:
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *arguments], check=True, timeout=30)

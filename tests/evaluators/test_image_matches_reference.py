"""``image_matches_reference``, on real pictures."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw
from pydantic import ValidationError

from oloproof.errors import EvaluatorError, MediaDrift, MediaUnreadable
from oloproof.evaluators import image_matches_reference

CASES = Path(__file__).parent.parent / "data" / "media-cases"


@pytest.fixture
def match(bench: Any) -> Any:
    """Judge files against ``ref.png``, made from words."""

    def judge(reference: str, *lines: str, **options: Any) -> Any:
        bench.file("ref.png", reference)
        evaluator = bench.evaluator("image_matches_reference", reference_field="photo", **options)
        return bench.judge(evaluator, expected={"photo": "ref.png"}, media=bench.media(*lines))

    return judge


def test_a_smaller_and_a_reencoded_copy_look_alike(match: Any) -> None:
    verdict = match("png 320x240", "small.png png 160x120", "copy.jpg jpeg 320x240")
    assert verdict.outcome == "pass"
    assert "looks alike" in verdict.reason
    assert all(entry["distance"] <= 8 for entry in verdict.details["distances"])
    assert verdict.score == max(entry["distance"] for entry in verdict.details["distances"])
    assert {entry["name"] for entry in verdict.details["distances"]} == {"small.png", "copy.jpg"}
    assert len(verdict.details["reference"]["sha256"]) == 64


def test_another_scene_fails_with_its_distance_and_one_bad_image_is_enough(match: Any) -> None:
    verdict = match("png 320x240", "good.png png 160x120", "bad.png png 320x240 other")
    assert verdict.outcome == "fail"
    assert verdict.reason.startswith("bad.png does not look alike, ")
    assert verdict.score == verdict.details["distances"][1]["distance"] > 8
    assert verdict.score % 2 == 0


def test_that_nothing_decodes_a_picture_here_is_not_kept_for_its_bytes(
    match: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A decoder may be installed tomorrow, and the same bytes are then compared; that they are damaged is kept."""

    def undecodable(*_: Any, **__: Any) -> Any:
        raise MediaUnreadable("nothing here decodes HEIC", code="no_decoder")

    with monkeypatch.context() as patch:
        patch.setattr(image_matches_reference, "perceptual_hash", undecodable)
        verdict = match("png 320x240", "copy.jpg jpeg 320x240")
        assert (verdict.outcome, verdict.details["code"]) == ("missing", "reference_no_decoder")
    assert match("png 320x240", "copy.jpg jpeg 320x240").outcome == "pass"


def test_the_threshold_is_the_projects(match: Any) -> None:
    assert match("png 320x240", "bad.png png 320x240 other", max_distance=64).outcome == "pass"
    assert match("png 320x240", "same.png png 320x240", max_distance=0).reason.startswith(
        "same.png is the reference, byte for byte"
    )


@pytest.mark.parametrize(
    ("reference", "line", "outcome", "told"),
    [
        ("png 320x240", "a.png png 64x64 white", "fail", "a.png is flat (one colour)"),
        ("png 64x64 white", "a.png png 320x240", "fail", "the reference is flat (one colour)"),
        (
            "png 64x64 white",
            "a.png png 32x32 #fdfdfd",
            "pass",
            "both are flat, so mean colours decide: a.png is off by 2 of 255",
        ),
        ("png 64x64 white", "a.png png 64x64 blue", "fail", "off by 255 of 255"),
    ],
)
def test_a_flat_picture_is_never_matched_by_its_hash(
    match: Any, reference: str, line: str, outcome: str, told: str
) -> None:
    verdict = match(reference, line)
    assert verdict.outcome == outcome
    assert told in verdict.reason


def _halves(path: Path) -> None:
    picture = Image.new("RGB", (64, 64), "black")
    picture.paste("white", (0, 0, 32, 64))
    picture.save(path)


def test_a_picture_that_changes_along_one_direction_only_is_said_to_be_one(bench: Any) -> None:
    _halves(bench.root / "halves.png")
    bench.file("ref.png", "png 320x240")
    evaluator = bench.evaluator("image_matches_reference", reference_field="photo")
    verdict = bench.judge(evaluator, expected={"photo": "ref.png"}, media=[bench.record("halves.png")])
    assert verdict.outcome == "fail"
    assert "along one direction only" in verdict.reason
    verdict = bench.judge(evaluator, expected={"photo": "halves.png"}, media=[bench.record("ref.png")])
    assert verdict.outcome == "invalid"


@pytest.mark.parametrize("content", ["white", "halves"])
def test_a_reference_for_every_case_without_content_is_refused_before_the_run(bench: Any, content: str) -> None:
    if content == "halves":
        _halves(bench.root / "ref.png")
    else:
        bench.file("ref.png", "png 64x64 white")
    with pytest.raises(EvaluatorError, match=r"reference_file ref.png .*its hash says nothing"):
        bench.evaluator("image_matches_reference", reference_file="ref.png")


@pytest.mark.parametrize(("words", "told"), [(None, "no file"), ("html", "HTML page"), ("empty", "empty")])
def test_a_reference_for_every_case_that_cannot_be_used_is_refused_before_the_run(
    bench: Any, words: str | None, told: str
) -> None:
    if words:
        bench.file("ref.png", words)
    with pytest.raises(EvaluatorError, match=told):
        bench.evaluator("image_matches_reference", reference_file="ref.png")


def test_a_reference_of_a_case_that_cannot_be_used_is_missing(bench: Any) -> None:
    media = bench.media("a.png png 64x64")
    bench.file("page.png", "html")
    evaluator = bench.evaluator("image_matches_reference", reference_field="photo")

    def reason(expected: Any) -> str:
        verdict = bench.judge(evaluator, expected=expected, media=media)
        assert verdict.outcome == "missing"
        return str(verdict.reason)

    assert "reference none.png: " in reason({"photo": "none.png"})
    assert "reference page.png cannot be decoded: this is an HTML page" in reason({"photo": "page.png"})
    assert reason({"other": "x"}) == "case has no expected.photo; expected has: other"
    assert "it must be a path" in reason({"photo": 3})
    assert reason(None) == "case has no expected.photo"


def test_a_path_that_the_dataset_resolved_is_used(bench: Any) -> None:
    reference = bench.file("data/ref.png", "png 320x240")
    media = bench.media("a.png png 160x120")
    evaluator = bench.evaluator("image_matches_reference", reference_field="photo")
    verdict = bench.judge(
        evaluator, expected={"photo": "ref.png"}, media=media, files={"expected.photo": str(reference)}
    )
    assert verdict.outcome == "pass"
    assert bench.judge(evaluator, expected={"photo": str(reference)}, media=media).outcome == "pass"


def test_a_broken_image_and_another_kind_fail_by_name(bench: Any) -> None:
    path = bench.file("cut.jpg", "jpeg 320x240")
    path.write_bytes(path.read_bytes()[:3000])
    bench.file("ref.png", "png 320x240")
    media = [bench.record("cut.jpg"), *bench.media("a.wav wav 1s", "page.png html", "good.png png 160x120")]
    evaluator = bench.evaluator("image_matches_reference", reference_file="ref.png")
    verdict = bench.judge(evaluator, media=media)
    assert verdict.outcome == "fail"
    assert "cut.jpg cannot be compared: " in verdict.reason
    assert "a.wav is audio, not an image" in verdict.reason
    assert "page.png cannot be compared: this is an HTML page" in verdict.reason
    assert "good.png" not in verdict.reason
    assert [entry["distance"] is None for entry in verdict.details["distances"]] == [True, True, True, False]


def test_a_turned_photo_matches_its_upright_twin(bench: Any) -> None:
    bench.file("ref.png", "png 320x240")
    exif = Image.Exif()
    exif[0x0112] = 6
    with Image.open(bench.root / "ref.png") as picture:
        picture.transpose(Image.Transpose.ROTATE_90).save(bench.root / "phone.jpg", exif=exif, quality=90)
    evaluator = bench.evaluator("image_matches_reference", reference_file="ref.png")
    assert bench.judge(evaluator, media=[bench.record("phone.jpg")]).outcome == "pass"


def test_what_lies_under_transparency_is_covered_by_the_background(bench: Any) -> None:
    bench.file("ref.png", "png 64x64")
    with Image.open(bench.root / "ref.png") as picture:
        hidden = picture.convert("RGBA")
    hidden.putalpha(0)
    hidden.save(bench.root / "clear.png")
    media = [bench.record("clear.png")]
    for background in ("white", "black", "#102030"):
        evaluator = bench.evaluator("image_matches_reference", reference_file="ref.png", background=background)
        assert "clear.png is flat" in bench.judge(evaluator, media=media).reason


def test_no_media_and_media_that_is_gone_are_missing(bench: Any) -> None:
    bench.file("ref.png", "png 64x64")
    evaluator = bench.evaluator("image_matches_reference", reference_file="ref.png")
    assert bench.judge(evaluator).details == {"code": "no_media"}
    media = bench.media("a.png png 64x64 other")
    (bench.root / "a.png").unlink()
    assert bench.judge(evaluator, media=media).details == {"code": "media_gone"}


def test_a_changed_image_and_a_changed_reference_stop_the_run(bench: Any) -> None:
    bench.file("ref.png", "png 64x64")
    evaluator = bench.evaluator("image_matches_reference", reference_file="ref.png")
    media = bench.media("a.png png 64x64 other")
    bench.file("a.png", "png 64x64 red")
    with pytest.raises(MediaDrift):
        bench.judge(evaluator, media=media)
    media = bench.media("b.png png 64x64 other")
    bench.file("ref.png", "png 64x64 red")
    with pytest.raises(MediaDrift):
        bench.judge(evaluator, media=media)


def test_each_file_is_hashed_once_for_the_same_bytes(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import oloproof.evaluators.image_matches_reference as module

    hashed = []
    real = module.perceptual_hash
    monkeypatch.setattr(module, "perceptual_hash", lambda *given, **named: hashed.append(1) or real(*given, **named))
    bench.file("ref.png", "png 64x64")
    media = bench.media("a.png png 64x64 other", "b.png png 64x64 other")
    evaluator = bench.evaluator("image_matches_reference", reference_field="photo")
    for _ in range(3):
        bench.judge(evaluator, expected={"photo": "ref.png"}, media=media)
    assert len(hashed) == 2


def test_the_identity_follows_the_content_of_the_reference(bench: Any) -> None:
    bench.file("ref.png", "png 64x64")
    before = bench.evaluator("image_matches_reference", reference_file="ref.png").identity
    bench.file("ref.png", "png 64x64 other")
    assert bench.evaluator("image_matches_reference", reference_file="ref.png").identity != before


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "give either reference_file"),
        ({"reference_file": "a", "reference_field": "b"}, "give either reference_file"),
        ({"reference_field": "a", "max_distance": 65}, "less than or equal to 64"),
        ({"reference_field": "a", "max_distance": "8"}, "valid integer"),
        ({"reference_field": "a", "background": "blue"}, "background"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(bench: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        bench.evaluator("image_matches_reference", **options)


@pytest.mark.parametrize(
    ("reference", "name", "outcome", "told"),
    [
        ("MR-03-a.jpg", "MR-03-b.jpg", "pass", "looks alike"),
        ("MR-15-a.png", "MR-15-b.png", "fail", "mean colours decide"),
        ("MR-17-a.png", "MR-17-b.png", "pass", ""),
        ("MR-19-a.png", "MR-19-b.png", "pass", "looks alike"),
    ],
)
def test_pairs_that_other_hashes_get_wrong_are_judged_right(
    bench: Any, reference: str, name: str, outcome: str, told: str
) -> None:
    for file in (reference, name):
        shutil.copy(CASES / file, bench.root)
    evaluator = bench.evaluator("image_matches_reference", reference_field="photo")
    verdict = bench.judge(evaluator, expected={"photo": reference}, media=[bench.record(name)])
    assert verdict.outcome == outcome, verdict.reason
    assert told in verdict.reason


@pytest.fixture
def receipts(bench: Any) -> Any:
    """Judge a receipt with another total against the right one: what the hash cannot tell (MR-19)."""
    for name in ("a", "b"):
        shutil.copy(CASES / f"MR-19-{name}.png", bench.root / f"{name}.png")

    def judge(shown: str = "b.png", **options: Any) -> Any:
        evaluator = bench.evaluator("image_matches_reference", reference_field="photo", **options)
        return bench.judge(evaluator, expected={"photo": "a.png"}, media=[bench.record(shown)])

    return judge


@pytest.mark.parametrize("most", [0, 15, 40])
def test_a_receipt_with_another_total_looks_alike_and_fails_where_the_total_stands(receipts: Any, most: int) -> None:
    assert receipts().outcome == "pass"
    verdict = receipts(max_local_difference=most)
    assert verdict.outcome == "fail"
    assert f"but around 75% across and 86% down it is off by 50.2 of 255 levels, more than {most}" in verdict.reason
    (told,) = verdict.details["distances"]
    assert told["local_difference"] == {"levels": 50.25, "across": 0.75, "down": 0.8625}
    assert verdict.score == told["distance"] == 2


def test_what_an_encoder_and_a_smaller_size_do_is_no_other_total(bench: Any, receipts: Any) -> None:
    with Image.open(bench.root / "a.png") as picture:
        picture.convert("RGB").save(bench.root / "copy.jpg", quality=40)
        picture.resize((240, 320), Image.Resampling.LANCZOS).save(bench.root / "half.png")
    for name in ("copy.jpg", "half.png"):
        verdict = receipts(name, max_local_difference=15)
        assert verdict.outcome == "pass"
        assert "the worst tile is off by" in verdict.reason


def test_a_page_that_is_nearly_blank_is_held_place_by_place_too(bench: Any, receipts: Any) -> None:
    """Its mean colour says nothing of the word on it."""
    for name, word in (("a.png", "PAID"), ("b.png", "OPEN")):
        page = Image.new("RGB", (800, 1000), "white")
        ImageDraw.Draw(page).text((20, 20), word, fill="black")
        page.save(bench.root / name)
    assert "both are flat" in receipts().reason
    assert receipts().outcome == "pass"
    assert receipts(max_local_difference=15).outcome == "fail"


def test_places_are_compared_once_for_the_same_two_pictures(receipts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    real = image_matches_reference.local_difference
    monkeypatch.setattr(
        image_matches_reference, "local_difference", lambda *pictures: compared.append(1) or real(*pictures)
    )
    first = receipts(max_local_difference=15)
    assert receipts(max_local_difference=15) == first
    assert receipts(max_local_difference=60).outcome == "pass"
    assert compared == [1]


def test_a_reference_that_changes_while_places_are_compared_stops_the_run(bench: Any, receipts: Any) -> None:
    evaluator = bench.evaluator("image_matches_reference", reference_file="a.png", max_local_difference=15)
    shutil.copy(bench.root / "b.png", bench.root / "a.png")
    with pytest.raises(MediaDrift):
        bench.judge(evaluator, media=[bench.record("b.png")])


@pytest.mark.parametrize("most", [-1, 256, "much"])
def test_levels_that_are_none_are_refused(receipts: Any, most: object) -> None:
    with pytest.raises(ValidationError, match="max_local_difference"):
        receipts(max_local_difference=most)

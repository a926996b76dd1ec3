"""Deliveries as a run carries them out: made once, given to the system, proven, and found again."""

from __future__ import annotations

import contextlib
import hashlib
import os
import resource
import threading
import wave
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oloproof.config import load_project
from oloproof.errors import ConfigError, StorageError
from oloproof.evaluators import builtin_registry
from oloproof.media import MediaReader
from oloproof.records import Case
from oloproof.running import run
from oloproof.storage.variant_files import VariantFiles
from oloproof.variants import Families, making, workshop
from tests.variants.conftest import Lab, picture, png


def test_the_original_is_the_untouched_file_and_comes_first(varied: Callable[..., Lab]) -> None:
    lab = varied("original", "jpeg-40")
    lab.run()
    trials = lab.trials()
    assert [variant for case, variant, _ in trials if case == "c0"] == ["original", "jpeg-40"]
    original = trials["c0", "original", 0]
    assert original.execution.output["photo"] == str(lab.root / "photos/0.png")
    (delivered,) = original.delivered
    assert delivered.relation is None
    assert delivered.item is not None
    assert delivered.item.sha256 == hashlib.sha256((lab.root / "photos/0.png").read_bytes()).hexdigest()


def test_a_variant_is_given_the_made_file_in_place_of_the_original(varied: Callable[..., Lab]) -> None:
    lab = varied("jpeg-40", "resize-50")
    lab.run()
    trial = lab.trials()["c1", "resize-50", 0]
    given = Path(trial.execution.output["photo"])
    assert given.is_absolute()
    with Image.open(given) as image:
        assert image.size == (12, 8)
    (delivered,) = trial.delivered
    assert delivered.item is not None
    assert (delivered.item.path, delivered.item.size) == (os.path.relpath(given, lab.root), given.stat().st_size)
    assert (delivered.item.format, delivered.item.width, delivered.item.height) == ("png", 12, 8)
    assert delivered.source == hashlib.sha256((lab.root / "photos/1.png").read_bytes()).hexdigest()
    assert (delivered.same_bytes, delivered.same_data, delivered.same_view) == (False, False, False)
    assert delivered.difference == "it is shown 12x8, the original 24x16"


def test_a_made_file_lies_under_its_own_digest_and_may_only_be_read(varied: Callable[..., Lab]) -> None:
    lab = varied("jpeg-40")
    lab.run()
    assert len(lab.files()) == 3
    for file in lab.files():
        assert file.stem == hashlib.sha256(file.read_bytes()).hexdigest()
        assert file.suffix == ".jpg"
        assert file.stat().st_mode & 0o777 == 0o444


def test_a_rerun_makes_nothing_and_asks_nothing(varied: Callable[..., Lab], monkeypatch: pytest.MonkeyPatch) -> None:
    lab = varied("png-reencode", "jpeg-40", "blur-3")
    lab.run()
    before = lab.files()
    lab.asked()
    monkeypatch.setattr("oloproof.variants.workshop.make", refuse_to_make)
    result = lab.run()
    assert lab.asked() == []
    assert lab.files() == before
    assert result.executions["cached"] == result.executions["trials"] == 12


def refuse_to_make(*arguments: object) -> None:
    raise AssertionError("a rerun makes nothing")


def test_a_made_file_that_is_gone_or_was_changed_is_made_again(varied: Callable[..., Lab]) -> None:
    """Otherwise a system that wrote into its input would decide what the next run is given."""
    lab = varied("jpeg-40")
    lab.run()
    gone, changed, _ = before = sorted(lab.files())
    content = {file: file.read_bytes() for file in before}
    gone.unlink()
    changed.chmod(0o644)
    changed.write_bytes(b"not the picture")
    lab.asked()
    lab.run()
    assert {file: file.read_bytes() for file in lab.files()} == content
    assert lab.asked() == []


def test_adding_a_variant_asks_for_that_one_only(varied: Callable[..., Lab]) -> None:
    varied("jpeg-40").run()
    lab = varied("jpeg-40", "grayscale")
    lab.asked()
    lab.run()
    assert lab.asked() == ["grayscale"] * 3


def test_another_picture_under_the_same_name_is_delivered_anew(varied: Callable[..., Lab]) -> None:
    lab = varied("jpeg-40")
    lab.run()
    lab.asked()
    (lab.root / "photos/1.png").write_bytes(png(picture(77)))
    lab.run()
    assert sorted(lab.asked()) == ["jpeg-40", "original"]


def wav(samples: int) -> bytes:
    out = BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(2)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(place * 7 % 251 for place in range(4 * samples)))
    return out.getvalue()


def test_a_sound_that_is_edited_while_it_is_delivered_leaves_nothing_under_its_old_bytes(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was made of other bytes would be delivered for these in every later run, once the edit is taken back."""
    app = "import wave\n\ndef answer(case):\n    return wave.open(case['sound']).getnframes()\n"
    lab.project("variants: [{delivery: {field: sound, apply: [mono]}}]\n", [], app=app)
    lab.folder.cases([{"id": "c0", "input": {"sound": "a.wav"}}])
    sound = lab.folder.write("a.wav", wav(2000))

    def edited(original: Any, *others: Any) -> Any:
        sound.write_bytes(wav(4000))
        return making.make(original, *others)

    with monkeypatch.context() as patch:
        patch.setattr("oloproof.variants.workshop.make", edited)
        lab.run()
    assert "a.wav was changed while it was read" in str(lab.trials()["c0", "mono", 0].execution.error)

    sound.write_bytes(wav(2000))
    lab.run()
    assert {variant: one.execution.output for (_, variant, _), one in lab.trials().items()} == {
        "original": 2000,
        "mono": 2000,
    }


def test_a_moved_project_keeps_its_variants_and_answers(varied: Callable[..., Lab], tmp_path: Path) -> None:
    lab = varied("jpeg-40", "noise-20", more="  - unrelated: photo\n")
    lab.run()
    before = {file.name for file in lab.files()}
    moved = lab.root.parent / f"{lab.root.name}-moved"
    lab.root.rename(moved)
    try:
        result = run(moved)
        assert result.executions["run"] == 0
        assert {file.name for file in (moved / ".oloproof/variants").glob("*/*")} == before
    finally:
        moved.rename(lab.root)


def test_the_same_picture_in_two_cases_at_once_is_made_once(
    varied: Callable[..., Lab], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both find that there is no such file yet, at the same moment."""
    made: list[str] = []
    both = threading.Barrier(2)
    make, kept = workshop.make, workshop.VariantWorkshop._kept
    seen = iter(range(100))

    def kept_nowhere(*given: Any) -> Any:
        found = kept(*given)
        if next(seen) < 2:
            both.wait(30)
        return found

    monkeypatch.setattr(workshop, "make", lambda *given: (made.append(given[1].name), make(*given))[1])
    lab = varied("jpeg-40", rows=None)
    image = png(picture(1))
    lab.folder.cases([lab.row(number, image) for number in range(2)])
    (options,) = load_project(lab.root, builtin_registry().options()).options.variants
    families = Families([options], base=lab.root, root=lab.root)
    shop = workshop.VariantWorkshop(families, VariantFiles(lab.root), MediaReader(lab.root))
    monkeypatch.setattr(workshop.VariantWorkshop, "_kept", kept_nowhere)
    paths = [str(lab.root / f"photos/{number}.png") for number in range(2)]
    cases = [Case(f"c{number}", {"photo": path}, files={"photo": path}) for number, path in enumerate(paths)]
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(shop.make, cases)
    assert made == ["jpeg-40"]
    assert first["jpeg-40"].case.files == second["jpeg-40"].case.files


def test_a_claim_that_does_not_hold_is_not_asked_and_says_why(varied: Callable[..., Lab]) -> None:
    lab = varied("jpeg-40, png-reencode", more="")
    lab.project("variants:\n  - delivery: {field: photo, apply: [jpeg-40, png-reencode], relation: same_view}\n")
    lab.run()
    trials = lab.trials()
    refused = trials["c0", "jpeg-40", 0]
    assert "claims to be the same to people and is not: pixels differ by up to" in str(refused.execution.error)
    assert [verdict.outcome for verdict in refused.verdicts] == ["missing"]
    assert refused.verdicts[0].details["code"] == "variant_refused"
    assert refused.delivered[0].same_view is False
    assert trials["c0", "png-reencode", 0].verdicts[0].outcome == "pass"
    assert lab.asked().count("jpeg-40") == 0


def test_a_refused_variant_is_no_failure_of_the_system_even_where_errors_are(lab: Lab) -> None:
    lab.project("variants:\n  - delivery: {field: photo, apply: [jpeg-40], relation: same_view}\n")
    text = (lab.root / "oloproof.yaml").read_text(encoding="utf-8")
    lab.folder.write("oloproof.yaml", text.replace("field: size}", "field: size, on_execution_error: fail}"))
    lab.run()
    assert lab.trials()["c0", "jpeg-40", 0].verdicts[0].outcome == "missing"


def test_three_levels_of_sameness_are_stored(varied: Callable[..., Lab]) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    lab = varied("png-reencode", "exif-strip", rows=None)
    lab.folder.cases([lab.row(0, png(picture(0), exif=exif))])
    lab.run()
    levels = {
        variant: (one.delivered[0].same_bytes, one.delivered[0].same_data, one.delivered[0].same_view)
        for (_, variant, _), one in lab.trials().items()
    }
    assert levels["png-reencode"] == levels["exif-strip"] == (False, False, True)


def test_members_with_the_same_bytes_and_degradations_that_change_nothing_are_reported(
    varied: Callable[..., Lab],
) -> None:
    grey = png(picture(0).convert("L").convert("RGB"))
    lab = varied("exif-strip", "webp", "webp-80", "grayscale", rows=None)
    lab.folder.cases([lab.row(0, grey)])
    result = lab.run()
    told = {notice.code: notice.message for notice in result.run.notices}
    findings = {variant: one.delivered[0].finding for (_, variant, _), one in lab.trials().items()}
    assert {variant: None if one is None else (one.code, one.message[:35]) for variant, one in findings.items()} == {
        "original": None,
        "exif-strip": ("same_bytes", "these are the very bytes of original"[:35]),
        "webp": None,
        "webp-80": ("same_bytes", "these are the very bytes of webp, so it"[:35]),
        "grayscale": ("changed_nothing", "every pixel or sample is the same as"[:35]),
    }
    assert told["changed_nothing"].startswith("variant grayscale, in 1 case: ")
    assert [notice.message[:18] for notice in result.run.notices if notice.code == "same_bytes"] == [
        "variant exif-strip", "variant webp-80, i",
    ]  # fmt: skip


def test_a_picture_that_cannot_be_decoded_leaves_the_original_and_makes_its_variants_missing(
    varied: Callable[..., Lab],
) -> None:
    lab = varied("jpeg-40")
    lab.folder.cases([lab.row(0, png(picture(0))[:-30]), lab.row(1)])
    lab.run()
    trials = lab.trials()
    assert trials["c0", "jpeg-40", 0].verdicts[0].outcome == "missing"
    assert "photos/0.png: a PNG image that cannot be decoded" in str(trials["c0", "jpeg-40", 0].execution.error)
    assert trials["c1", "jpeg-40", 0].verdicts[0].outcome == "pass"


def test_a_recipe_for_another_kind_of_file_is_refused_before_the_run(varied: Callable[..., Lab]) -> None:
    with pytest.raises(ConfigError, match=r"apply\[1\]: mp3-64 is for sounds, and photo of case 'c0' is a PNG image"):
        varied("jpeg-40", "mp3-64").run()


def test_a_field_that_names_no_file_is_told_with_its_line(varied: Callable[..., Lab]) -> None:
    lab = varied("jpeg-40", rows=[{"id": "a", "input": {"question": "?"}}])
    ended = lab.folder.run("check")
    assert ended.exit == 2
    assert "cases.jsonl:1" in ended.err
    assert "photo" in ended.err


def test_the_first_trials_do_not_wait_until_all_variants_are_made(lab: Lab) -> None:
    counting = """\
        import pathlib
        def answer(case):
            with open("asked.txt", "a") as file:
                file.write(f"{len(list(pathlib.Path('.oloproof/variants').glob('*/*')))}\\n")
            return {"size": [24, 16]}
        """
    rows = [lab.row(number) for number in range(12)]
    lab.project("variants:\n  - delivery: {field: photo, apply: [jpeg-40]}\n", rows, app=counting)
    config = lab.root / "oloproof.yaml"
    config.write_text(config.read_text(encoding="utf-8").replace("concurrency: 4", "concurrency: 1"), encoding="utf-8")
    lab.run()
    made = [int(count) for count in lab.asked()]
    assert made[0] < 12 == made[-1]


def test_what_a_killed_process_left_is_removed_and_what_another_writes_is_not(tmp_path: Path) -> None:
    files = VariantFiles(tmp_path)
    files.folder.mkdir(parents=True)
    left, written = files.folder / ".part-left", files.folder / ".part-written"
    left.touch()
    written.touch()
    os.utime(left, (0, 0))
    with files.draft():
        assert (left.exists(), written.exists()) == (False, True)


def test_what_a_full_disk_took_of_a_file_is_not_kept(tmp_path: Path) -> None:
    """The first write to a disk that fills up takes a part and raises nothing."""
    files = VariantFiles(tmp_path)
    (files.folder / "ab").mkdir(parents=True)
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, usual[1]))
    try:
        with pytest.raises(StorageError, match="the disk is full"):
            files.keep_bytes(bytes(100_000), "abcd", "png")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert files.size() == (0, 0)


def test_a_folder_that_cannot_be_written_is_told_as_such(tmp_path: Path) -> None:
    files = VariantFiles(tmp_path)
    files.folder.parent.mkdir()
    files.folder.touch()
    with pytest.raises(StorageError, match="variants could not be written"), files.draft():
        pass
    with pytest.raises(StorageError, match="could not be written"):
        files.keep_bytes(b"", "abcd", "png")


def test_half_a_file_is_never_seen(tmp_path: Path) -> None:
    files = VariantFiles(tmp_path)
    with contextlib.suppress(OSError), files.draft() as draft:
        draft.write_bytes(b"half of it")
        raise OSError
    assert list(files.folder.iterdir()) == []

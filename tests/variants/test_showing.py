"""What a person and a program see of variants: inspect, exports, the report, and the files under their ids."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from contextlib import closing

from oloproof.storage import History, Store
from tests.variants.conftest import Lab


def test_inspect_and_the_exports_tell_what_was_delivered(varied: Callable[..., Lab]) -> None:
    lab = varied("jpeg-40", more="  - text_only: photo\n")
    started = lab.folder.run("run")
    assert "9 trials of 3 cases" in started.err
    assert "3 cases, 9 trials" in started.out
    document = lab.folder.run("inspect", "--case", "c0", "--json").document
    trials = {trial["variant"]: trial for trial in document["trials"]}
    (delivered,) = trials["jpeg-40"]["delivered"]
    assert delivered["relation"] == "degraded"
    assert delivered["same"] == {"bytes": False, "data": False, "view": False}
    assert delivered["file"]["media_type"] == "image/jpeg"
    assert delivered["file"]["state"] == "verified"
    assert trials["jpeg-40"]["input"]["photo"] == delivered["file"]["path"]
    assert trials["text_only"]["delivered"][0]["file"] is None
    text = lab.folder.run("inspect", "--case", "c0").out
    assert f"given photo  image/jpeg, {delivered['file']['size']:,} bytes" in text
    rows = list(csv.DictReader(io.StringIO(lab.folder.run("export", "--format", "csv").out)))
    assert [row["variant"] for row in rows[:3]] == ["original", "jpeg-40", "text_only"]
    assert "jpeg-40" in lab.folder.run("export", "--format", "junit").out


def test_the_report_shows_the_picture_that_was_delivered(varied: Callable[..., Lab]) -> None:
    lab = varied("grayscale")
    lab.run()
    lab.folder.run("report", "--html", "report.html", "--thumbnails")
    page = (lab.root / "report.html").read_text(encoding="utf-8")
    assert page.count("data:image/jpeg;base64,") == 6
    assert "pixels differ by up to" in page


def test_a_delivered_file_is_found_by_its_id_in_its_run_only(varied: Callable[..., Lab]) -> None:
    lab = varied("jpeg-40")
    lab.run()
    item = lab.trials()["c0", "jpeg-40", 0].delivered[0].item
    assert item is not None
    with closing(Store(lab.root)) as store:
        history = History(store)
        assert history.item(history.find(), item.id) == item
        for wrong in ("d", "d1", "d1.", "d999.0", "dx.0", "d2.7"):
            assert history.item(history.find(), wrong) is None


def test_the_cache_knows_the_files_and_clears_them(varied: Callable[..., Lab]) -> None:
    lab = varied("jpeg-40")
    lab.run()
    stats = lab.folder.run("cache", "stats", "--json").document
    assert stats["variants"] == 3
    assert stats["variant_bytes"] == sum(file.stat().st_size for file in lab.files())
    lab.folder.run("cache", "clear", "--yes")
    assert lab.files() == {}


def test_check_tries_the_variants_of_the_first_case_and_leaves_nothing(varied: Callable[..., Lab]) -> None:
    lab = varied("exif-strip", "jpeg-40")
    checked = lab.folder.run("check", "--json").document
    assert (checked["cases"], checked["trials"]) == (3, 9)
    assert [warning["code"] for warning in checked["warnings"]][-1:] == ["same_bytes"]
    assert lab.files() == {}

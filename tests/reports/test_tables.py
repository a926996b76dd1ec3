"""CSV and JSON of every trial."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest

from oloproof.reports import write_csv, write_json, write_jsonl
from oloproof.reports.tables import _cell
from oloproof.reports.withholding import Withholding
from oloproof.running.documents import run_document

from .conftest import RULES, Told, failed, passed

PATHS = frozenset({"paths"})


def rows(bureau, run, **options):
    stream = StringIO()
    write_csv(stream, bureau.history, run, **options)
    return list(csv.reader(StringIO(stream.getvalue())))


def test_a_row_is_a_trial_with_outcome_score_and_reason_of_each_criterion(bureau, mixed):
    head, first, second, *_ = rows(bureau, mixed)
    assert head == [
        "case_id", "variant", "repeat", "error", "seconds",
        "fits", "fits.score", "fits.reason", "same_photo", "same_photo.score", "same_photo.reason",
    ]  # fmt: skip
    assert first == ["mug-1", "original", "0", "", "0.25", "pass", "", "as wanted", "pass", "0.9", "near enough"]
    assert second[5:8] == ["fail", "", "300 px wide; at most 256 allowed"]


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\rx", " =1", "＝1"])
def test_a_text_that_a_spreadsheet_would_run_is_quoted(text):
    assert _cell(text).startswith("'")


@pytest.mark.parametrize("text", ["-12", "+1.5", "-3e4", "mug-1", "a=b", ""])
def test_numbers_and_plain_texts_stay_as_they_are(text):
    assert _cell(text) == text


def test_numbers_stay_numbers(bureau):
    run = bureau.run("r", [Told("-7", [failed("-1 of 3", score=-0.5)])], ["fits"])
    assert rows(bureau, run)[1] == ["-7", "original", "0", "", "0.25", "fail", "-0.5", "'-1 of 3"]


def test_json_lines_hold_one_trial_each_with_its_run_from_the_first_line_on(bureau, mixed):
    stream = StringIO()
    write_jsonl(stream, bureau.history, mixed, bureau.reader)
    documents = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert {one["run"] for one in documents} == {mixed.id}
    assert [one["case"] for one in documents[:2]] == ["mug-1", "mug-2"]
    assert documents[1]["expected"] == {"text": "a blue mug", "n": 2}
    assert documents[1]["media"][0]["path"] == "out/wide.png"
    assert documents[1]["media"][0]["state"] == "verified"
    assert documents[1]["verdicts"][0]["details"] == {"width": 300}
    assert len(documents) == 6


def test_json_is_the_document_of_the_run_with_its_trials(bureau, mixed):
    conclusion, _ = bureau.conclude(mixed, *RULES)
    stream = StringIO()
    write_json(stream, bureau.history, mixed, conclusion, bureau.reader)
    document = json.loads(stream.getvalue())
    trials = document.pop("trials")
    assert document == json.loads(json.dumps(run_document(bureau.history, mixed, conclusion)))
    assert len(trials) == 6


def test_withheld_paths_leave_nothing_of_the_machine_and_keep_what_a_file_is(bureau):
    picture = bureau.picture("a.png", name="secret/place/a.png")
    detail = f'File "{bureau.root}/app.py", line 3\nFile "/usr/lib/python3.11/json/decoder.py"'
    trials = [
        Told(
            "a", [passed(f"read {bureau.root}/out/a.png")], output={"file": f"{bureau.root}/out/a.png"}, media=[picture]
        ),
        Told("b", [failed()], error=f"OSError: {bureau.root}/my file.png", detail=detail),
    ]
    run = bureau.run("r", trials, ["fits"])
    conclusion, _ = bureau.conclude(run)
    lines, whole, table = StringIO(), StringIO(), StringIO()
    write_jsonl(lines, bureau.history, run, bureau.reader, withhold=PATHS)
    write_json(whole, bureau.history, run, conclusion, bureau.reader, withhold=PATHS)
    write_csv(table, bureau.history, run, withhold=PATHS)
    for text in (lines.getvalue(), whole.getvalue(), table.getvalue()):
        assert str(bureau.root) not in text
        assert str(bureau.root.parent) not in text
        assert "secret" not in text
    first, second = map(json.loads, lines.getvalue().splitlines())
    item = first["media"][0]
    assert (item["path"], item["name"], item["kind"]) == (None, "a.png", "image")
    assert (item["sha256"], item["size"]) == (picture.sha256, picture.size)
    assert first["output"] == {"file": "…/a.png"}
    assert second["error_detail"] == 'File "…/app.py", line 3\nFile "…/decoder.py"'


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/home/me/a b.png", "…/a b.png"),
        (r"C:\Users\me\a.png", "…/a.png"),
        (r"cannot open C:\Users\me\a.png here", "cannot open …/a.png here"),
        (r"\\server\share\a.png", "…/a.png"),
        ("see file:///home/me/a.png", "see …/a.png"),
        ("see ~/pictures/a.png", "see …/a.png"),
        ("path=/srv/x/a.png: gone", "path=…/a.png: gone"),
        ("https://host.test/a/b and either/or, 3/4", "https://host.test/a/b and either/or, 3/4"),
        ("out/a.png and ./out/b.png", "out/a.png and ./out/b.png"),
        ("<b>bold</b>", "<b>bold</b>"),
    ],
)
def test_only_absolute_paths_are_withheld(tmp_path, text, left):
    assert Withholding(PATHS, tmp_path).text(text) == left
    assert Withholding(frozenset(), tmp_path).text(text) == text


def test_what_cannot_be_withheld_is_refused(tmp_path):
    with pytest.raises(ValueError, match="names cannot be withheld; known is paths"):
        Withholding(frozenset({"names"}), tmp_path)


def test_an_answer_that_utf8_cannot_hold_is_exported_escaped(bureau):
    run = bureau.run("r", [Told("a", [passed("\ud800")], output="\ud800")], ["fits"])
    stream = StringIO()
    write_jsonl(stream, bureau.history, run, bureau.reader)
    stream.getvalue().encode()
    assert "ud800" in stream.getvalue()

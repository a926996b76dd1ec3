from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oloproof.datasets import Dataset
from oloproof.records import Case

Cases = Callable[..., list[Case]]
Refused = Callable[..., list[str]]
Open = Callable[..., Dataset]
WITH_PHOTO = {"path": "d/c.jsonl", "media": ["photo"]}


def _row(given: Any, **more: Any) -> str:
    return json.dumps({"id": "a", "input": given, **more})


def test_media_fields_become_absolute_paths(cases: Cases, folder: Path) -> None:
    (case,) = cases(WITH_PHOTO, d__c_jsonl=_row({"photo": "../p.png", "q": "?"}), p_png=b"x")
    assert case.input == {"photo": f"{folder}/d/../p.png", "q": "?"}
    assert case.files == {"photo": f"{folder}/d/../p.png"}


def test_a_row_may_name_media_fields_of_its_own(cases: Cases, folder: Path) -> None:
    row = _row({"a": {"b": ["p.png", str(folder / "p.png")]}}, media=["a.b.0", "a.b.1"])
    (case,) = cases("c.jsonl", c_jsonl=row, p_png=b"x")
    assert case.files == {"a.b.0": f"{folder}/p.png", "a.b.1": f"{folder}/p.png"}
    assert case.input["a"]["b"] == [f"{folder}/p.png"] * 2


def test_links_are_followed(cases: Cases, folder: Path) -> None:
    (folder / "link.png").symlink_to(folder / "p.png")
    (case,) = cases({"path": "c.jsonl", "media": ["p"]}, c_jsonl=_row({"p": "link.png"}), p_png=b"x")
    assert case.files == {"p": f"{folder}/link.png"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"photo": "nope.png"}, "no such file: nope.png; looked in HERE/d"),
        ({"photo": "."}, ". is a folder; name a file"),
        ({"photo": ""}, "a media field names a file, and this is empty"),
        ({"photo": 5}, "a media field names a file, and this is no text"),
        ({"photo": None}, "a media field names a file, and this is no text"),
        ({"photo": ["p.png"]}, "a media field names one file; name the entries of the list: media: [photo.0, ...]"),
        ({"photo": "https://x/p.png"},
         "a media field names a file; save what this address gives beside the dataset and name that"),
        ({"photo": "a\0b"}, "the file 'a\\x00b' cannot be opened: no file can have such a name"),
        ({"photos": "p.png"}, "this media field is not in the row; did you mean photos?"),
        ("p.png", "this media field is not in the row; fields of input: none"),
    ],
)  # fmt: skip
def test_media_that_is_not_there_is_told(refused: Refused, given: Any, said: str) -> None:
    assert refused(WITH_PHOTO, d__c_jsonl=_row(given)) == [f"d/c.jsonl:1  input.photo: {said}"]


def test_other_texts_that_name_files_are_noted_and_left_alone(cases: Cases, folder: Path) -> None:
    given = {
        "doc": "notes.txt",
        "deep": [{"x": "./p.png"}],
        "say": "p.png or not.",
        "folder": ".",
        "n": 1,
        "none": "q.png",
    }
    (case,) = cases("c.jsonl", c_jsonl=_row(given), p_png=b"x", notes_txt="x")
    assert case.input == given
    assert case.files == {"doc": f"{folder}/notes.txt", "deep.0.x": f"{folder}/./p.png"}
    (case,) = cases("c.jsonl", c_jsonl=_row("p.png"))
    assert (case.input, case.files) == ("p.png", {"": f"{folder}/p.png"})


FOLDER = {"folder": "pics"}
PICTURES: dict[str, bytes] = {
    "pics__b_png": b"1",
    "pics__a_JPG": b"22",
    "pics__sub__c_wav": b"3",
    "pics__notes_txt": b"no",
}


def test_a_folder_is_a_case_a_media_file(cases: Cases, open_: Open, folder: Path) -> None:
    found = cases(FOLDER, **PICTURES, pics__sub___hidden_png=b"x")
    assert [case.id for case in found] == ["a", "b", "sub/c"]
    assert found[0].input == {"file": f"{folder}/pics/a.JPG"}
    assert found[0].files == {"file": f"{folder}/pics/a.JPG"}
    digest = open_(FOLDER).check().digest
    assert digest == open_(FOLDER, pics__b_png=b"9").check().digest
    assert digest != open_(FOLDER, pics__b_png=b"99").check().digest


def test_links_in_a_folder_are_followed_without_going_round(cases: Cases, folder: Path) -> None:
    (folder / "pics").mkdir()
    (folder / "pics" / "round").symlink_to(folder / "pics")
    (folder / "pics" / "link.png").symlink_to(folder / "real.png")
    assert [case.id for case in cases(FOLDER, real_png=b"x")] == ["link"]


def test_a_run_does_not_find_its_own_outputs(cases: Cases, folder: Path) -> None:
    assert [case.id for case in cases({"folder": "."}, p_png=b"x", out__made_png=b"x")] == ["p"]


def test_folders_that_give_no_cases_are_told(refused: Refused, folder: Path) -> None:
    said = refused(FOLDER, pics__notes_txt="x")
    assert said == [
        "pics/  no image, audio or video file (told by the ending of its name) in this folder; looked in HERE/pics"
    ]
    (folder / "pics" / "gone.png").symlink_to("nowhere")
    assert refused(FOLDER, pics__a_png=b"x") == ["pics/  gone.png: this link leads nowhere"]


def test_two_files_with_one_stem_are_told(refused: Refused) -> None:
    assert refused(FOLDER, pics__a_png=b"x", pics__a_jpg=b"x") == [
        "pics/  a.png: a.jpg and a.png are both the case 'a'; rename one, or give ids in a table:"
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "file,expected.x,slice.s,input.q,id\nb.png,1,2,?,b\nsub/c.wav,3,4,!,see\n"),
        ("t.json", '[{"file":"b.png","expected":{"x":"1"},"slice":{"s":"2"},"input":{"q":"?"}},'
         '{"file":"c.wav","id":"see","expected":{"x":"3"},"metadata":{"s":"4"},"input":{"q":"!"}}]'),
    ],
)  # fmt: skip
def test_a_table_says_more_about_the_files(cases: Cases, folder: Path, name: str, content: str) -> None:
    files: dict[str, Any] = {**PICTURES, name.replace(".", "_"): content}
    found = cases({"folder": "pics", "table": name}, **files)
    assert [(case.id, case.input, case.expected, dict(case.slice)) for case in found] == [
        ("a", {"file": f"{folder}/pics/a.JPG"}, None, {}),
        ("b", {"file": f"{folder}/pics/b.png", "q": "?"}, {"x": "1"}, {"s": "2"}),
        ("see", {"file": f"{folder}/pics/sub/c.wav", "q": "!"}, {"x": "3"}, {"s": "4"}),
    ]


def test_an_id_that_a_table_leaves_empty_is_that_of_the_file(cases: Cases) -> None:
    """A table that tells a.png from a.JPG has a cell in every row."""
    files: dict[str, Any] = {**PICTURES, "pics__a_png": b"x", "t_csv": "file,id,slice.s\na.png,drawn,1\nb.png,,2\n"}
    found = cases({"folder": "pics", "table": "t.csv"}, **files)
    assert [(case.id, dict(case.slice)) for case in found] == [
        ("a", {}), ("drawn", {"s": "1"}), ("b", {"s": "2"}), ("sub/c", {}),
    ]  # fmt: skip


def test_a_table_that_does_not_fit_the_folder_is_told(refused: Refused) -> None:
    table = (
        '{"file": "b.pgn"}\n{"x": 1}\n{"file": "b.png", "inptu": {}}\n{"file": "./b.png"}\n{bad\n{"file": "c.wav"}\n'
    )
    files: dict[str, Any] = {**PICTURES, "pics__c_wav": b"x", "pics__other__c_wav": b"x", "t_jsonl": table}
    assert refused({"folder": "pics", "table": "t.jsonl"}, **files) == [
        "t.jsonl:1  no media file b.pgn in the folder; did you mean b.png?",
        "t.jsonl:2  a row of the table needs file: the name of the media file it is about",
        "t.jsonl:4  b.png has a row already, on line 3",
        "t.jsonl:5:2  this is not JSON: a key in double quotes is expected here",
        "pics/  b.png.inptu: unknown key; did you mean input?",
    ]
    files["t_jsonl"] = '{"file": "x/c.wav"}\n'
    assert "no media file x/c.wav" in refused({"folder": "pics", "table": "t.jsonl"}, **files)[0]


@pytest.mark.parametrize("table", ["", "file,expected.x\n"])
def test_a_table_without_a_row_is_told(refused: Refused, table: str) -> None:
    """A table that was saved empty would leave every case without what it expects."""
    files: dict[str, Any] = {**PICTURES, "t_csv": table}
    assert refused({"folder": "pics", "table": "t.csv"}, **files) == [
        "t.csv  there are no rows; leave table: out, or give a row for each file that it says more about"
    ]

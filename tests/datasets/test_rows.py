from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oloproof.datasets import Dataset
from oloproof.errors import DatasetError
from oloproof.records import Case

Cases = Callable[..., list[Case]]
Refused = Callable[..., list[str]]
Open = Callable[..., Dataset]
ROW = '{"id": "a", "input": {"q": "?"}, "expected": {"x": 1}, "slice": {"lang": "de"}}'


def test_the_same_rows_come_from_every_format(cases: Cases) -> None:
    wanted = [Case("a", {"q": "1"}, {"x": "y"}, {"lang": "de"}), Case("b", {"q": ""}, {"x": "z"}, {"lang": "fr"})]
    rows = [{"id": c.id, "input": c.input, "expected": c.expected, "slice": dict(c.slice)} for c in wanted]
    jsonl = cases("c.jsonl", c_jsonl="\n".join(json.dumps(row) for row in rows))
    listed = cases("c.json", c_json=json.dumps(rows, indent=2))
    table = cases("c.csv", c_csv='id,input.q,expected.x,slice.lang\r\na,1,y,de\r\n\r\n"b",,z,fr\r\n')
    for found in (jsonl, listed, table):
        assert [(c.id, c.input, c.expected, c.slice, dict(c.files)) for c in found] == [
            (c.id, c.input, c.expected, c.slice, {}) for c in wanted
        ]
    assert [c.line for c in jsonl] == [1, 2]
    assert [c.line for c in listed] == [2, 14]
    assert [c.line for c in table] == [2, 4]


def test_blank_lines_byte_order_marks_and_metadata_are_welcome(cases: Cases) -> None:
    content = b'\xef\xbb\xbf\n{"id": "a", "input": null, "metadata": {"k": 1}}\r\n   \n'
    assert cases("c.ndjson", c_ndjson=content) == [Case("a", None, None, {"k": 1}, {}, 2)]
    assert [c.id for c in cases("c.JSON", c_JSON=b'\xef\xbb\xbf [{"id":"a","input":0}] ')] == ["a"]
    assert [c.id for c in cases("c.csv", c_csv=b"\xef\xbb\xbfid,x\na,1\n")] == ["a"]


def test_the_summary_tells_what_the_dataset_is(open_: Open) -> None:
    summary = open_("c.jsonl", c_jsonl=f"{ROW}\n").check()
    assert (summary.count, summary.ids, summary.slices) == (1, ("a",), ("lang",))
    assert summary.digest == open_("c.jsonl").check().digest
    assert summary.digest != open_("c.jsonl", c_jsonl=f"{ROW}\n\n").check().digest


def test_everything_that_is_wrong_with_rows_is_said_at_once(refused: Refused) -> None:
    lines = [
        ROW,
        ROW,
        "{bad",
        '{"id": "b", "input": 1',
        "[1, 2]",
        '"x"',
        '{"input": 1}',
        '{"id": 7, "input": 1}',
        '{"id": " c", "inputs": 1}',
        '{"id": "  ", "input": 1}',
        '{"id": "d\\u0007", "input": 1}',
        '{"id": "e", "input": {"a": 1, "a": 2}}',
        '{"id": "f", "input": NaN}',
        '{"id": "g", "input": 1e999}',
        '{"id": "h", "input": "\\ud800"}',
        '{"id": "i", "input": 1, "slice": "de", "media": "photo"}',
        '{"id": "j", "input": 1, "slice": {}, "metadata": {}}',
        '{"id": "k", "input": 1} {"id": "l"}',
        "# a comment",
    ]
    assert refused("c.jsonl", c_jsonl="\n".join(lines)) == [
        "c.jsonl:2  the id 'a' is used twice; the first is on line 1",
        "c.jsonl:3:2  this is not JSON: a key in double quotes is expected here",
        "c.jsonl:4:23  this is not JSON: ',' is expected between two entries",
        "c.jsonl:5  expected an object {...}, found a list; a file that is one JSON list is named .json",
        "c.jsonl:6  expected an object {...}, found a text",
        'c.jsonl:7  id: a row needs an id; add "id": a text of its own for each row',
        'c.jsonl:8  id: an id is text; write "7" in quotes',
        "c.jsonl:9  id: the id ' c' has blanks around it; take them away",
        "c.jsonl:9  inputs: unknown key; did you mean input?",
        "c.jsonl:9  a row needs input: what is given to the system",
        "c.jsonl:10  id: the id is empty; give each row a text of its own",
        "c.jsonl:11  id: the id 'd\\x07' holds a character that cannot be printed; take it away",
        "c.jsonl:12  the key 'a' is given twice in one object",
        "c.jsonl:13  NaN is not JSON; write null, or leave the field out",
        "c.jsonl:14  the number 1e999 is too large to hold",
        "c.jsonl:15  \\ud800 is half of a surrogate pair and no character",
        'c.jsonl:16  slice: expected an object of fields, such as {"language": "de"}',
        'c.jsonl:16  media: expected a list of the input fields that name files, such as ["photo"]',
        "c.jsonl:17  metadata: metadata is another name for slice; give one of them",
        "c.jsonl:18:25  this is not JSON: more text after the row; a line holds one object",
        "c.jsonl  and 1 more",
    ]


def test_rows_of_a_list_are_told_by_index_and_line(refused: Refused) -> None:
    content = '[{"id": "a", "input": 1},\n 5, {"id": "a", "input": 1},\n'
    content += ' {"id": "b", "input": Infinity, "x": [1]},\n{"id": "c"}]'
    assert refused("c.json", c_json=content) == [
        "c.json:2  [1]: expected an object {...}, found a number",
        "c.json:2  [2]: the id 'a' is used twice; the first is on line 1",
        "c.json:3  [3]: Infinity is not JSON; write null, or leave the field out",
        "c.json:4  [4]: a row needs input: what is given to the system",
    ]


def test_ids_are_told_apart_also_on_one_line(refused: Refused) -> None:
    assert len(refused("c.json", c_json='[{"id":"a","input":1},{"id":"a","input":2}]')) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "c.json  there are no rows; a run needs at least one case"),
        ("[]", "c.json  there are no rows; a run needs at least one case"),
        ("{}", "c.json:1:1  expected a list of rows [{...}, ...]; for one object a line, name the file .jsonl"),
        ("7", "c.json:1:1  expected a list of rows [{...}, ...]"),
        ('[{"id": "a", "input": 1}', "c.json:1:25  this is not JSON: ',' is expected between two entries"),
        ('[{"id": "a", "input": 1},]', "c.json:1:26  this is not JSON: a value is expected here"),
        ('[{"id": "a", "input": 1}]\n x', "c.json:2:2  this is not JSON: more text after the list"),
        ('[\n{"id": "a", "input": tru}]', "c.json:2:22  this is not JSON: a value is expected here"),
        ('[\n{"id": "a", "input": "x}]', "c.json:2:22  this is not JSON: a text that begins here is never closed"),
        (b'[{"id": "a",\n "input": "\xe9"}]', "c.json:2:12  the byte 0xe9 is not UTF-8; save the file as UTF-8"),
        ("[" * 100_000, "c.json:1  nested more than 200 levels deep"),
    ],
)
def test_a_list_that_cannot_be_read_is_told(refused: Refused, content: str | bytes, said: str) -> None:
    assert refused("c.json", c_json=content) == [said]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "c.jsonl  there are no rows; a run needs at least one case"),
        ("\n \n", "c.jsonl  there are no rows; a run needs at least one case"),
        (b'{"id": "a",\t"input": "caf\xe9"}', "c.jsonl:1:26  the byte 0xe9 is not UTF-8; save the file as UTF-8"),
        ('{"id": "a"}'.encode("utf-16"), "c.jsonl:1  this is UTF-16; save the file as UTF-8"),
        ('{"id": "a", "input": ' + "[" * 300 + "]" * 300 + "}", "c.jsonl:1  nested more than 200 levels deep"),
        ('{"id": "a", "input": ' + "[" * 100_000, "c.jsonl:1  nested more than 200 levels deep"),
        ('{"id": "' + "x" * 201 + '", "input": 1}', "c.jsonl:1  id: the id has 201 characters; at most 200 are taken"),
    ],
)
def test_lines_that_cannot_be_read_are_told(refused: Refused, content: str | bytes, said: str) -> None:
    assert refused("c.jsonl", c_jsonl=content) == [said]


def test_a_number_with_thousands_of_digits_is_told(refused: Refused) -> None:
    assert "a number is too long to read" in refused("c.jsonl", c_jsonl='{"id": "a", "input": ' + "9" * 5000 + "}")[0]
    assert "a number is too long to read" in refused("c.json", c_json='[{"id": "a", "input": ' + "9" * 5000 + "}]")[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "c.csv  there are no rows; a run needs at least one case"),
        ("id,x\n", "c.csv  there are no rows; a run needs at least one case"),
        ("id,x\na\n", "c.csv:2  the row has 1 cells, the header has 2"),
        ('id,x\n"a\nb",1\nc,1,2\n', "c.csv:2  id: the id 'a\\nb' holds a "
         "character that cannot be printed; take it away"),
        ("id,x,x\na,1,2\n", "c.csv:1  the column 'x' is given twice"),
        ("id,,x\na,1,2\n", "c.csv:1  column 2 has no name"),
        ("id, x\na,1\n", "c.csv:1  the column ' x' has blanks around its name; take them away"),
        ("id|x\na|1\n", "c.csv:1  neither commas nor semicolons nor tabs separate the columns; "
         "write the file with commas"),
        ("id,x,,\na,1,,2\n", "c.csv:2  the row has 4 cells, the header has 2"),
        ("ID,x\na,1\n", "c.csv:1  there is no column 'id'; did you mean to name 'ID' so?"),
        ("id,input.a,input.a.b\na,1,2\n", "c.csv:1  input.a.b lies inside the value of input.a"),
        ("id,inputs.a,expected.b\na,1,2\n", "c.csv:1  unknown column 'inputs.a'; did you mean input.a?"),
        ("id,inputs.a\na,1\n", "c.csv:1  unknown column 'inputs.a'; did you mean input.a?"),
        ("id,expected,input.b\na,1,2\n", "c.csv:1  unknown column 'expected'; did you mean expected.NAME?"),
        ("id,q,expected\na,1,2\n", "c.csv:1  the column 'expected' would be given to the system as input; "
         "name it expected.NAME, and the others input.NAME"),
        ('id,x\na,"1\nb,2\nc,3\n', "c.csv:2  a quote that was opened is never closed"),
        ('id,x\na,"1"2\n', "c.csv:2  this is not CSV: ',' expected after '\"'"),
        (b"id,x\na,\xe9\n", "c.csv:2:3  the byte 0xe9 is not UTF-8; save the file as UTF-8"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_read_are_told(refused: Refused, content: str | bytes, said: str) -> None:
    assert refused("c.csv", c_csv=content)[0] == said


def test_csv_values_are_text_and_dots_nest(cases: Cases) -> None:
    assert cases("c.csv", c_csv='id,a.b,n\nx,1,"two\nlines"\n')[0].input == {"a": {"b": "1"}, "n": "two\nlines"}


@pytest.mark.parametrize(
    "content",
    ["id;x\na;1,5\n", "id\tx\na\t1,5\n", "sep=;\r\nid;x\r\na;1,5\r\n", "\ufeffSEP=;\nid;x\na;1,5\n",
     'id,x,,\n,,,\na,"1,5",,\n,\n', "sep=|\nid|x\na|1,5\n", "id;x;\na;1,5;\n\n"],
)  # fmt: skip
def test_csv_is_read_as_spreadsheets_of_all_countries_save_it(cases: Cases, content: str) -> None:
    assert [(case.id, case.input) for case in cases("c.csv", c_csv=content)] == [("a", {"x": "1,5"})]


def test_the_ending_of_the_name_decides(refused: Refused) -> None:
    assert refused("c.txt", c_txt=ROW) == [
        "c.txt  the ending '.txt' is not known; a dataset is a file named .jsonl, .json or .csv"
    ]
    assert "no such file or folder: none.jsonl" in refused("none.jsonl")[0]


def test_a_dataset_that_changes_between_check_and_reading_is_told(open_: Open, folder: Path) -> None:
    dataset = open_("c.jsonl", c_jsonl=ROW)
    dataset.check()
    (folder / "c.jsonl").write_text(ROW.replace("de", "fr"))
    with pytest.raises(DatasetError, match="the dataset changed while it was read"):
        list(dataset)
    (folder / "c.jsonl").unlink()
    with pytest.raises(DatasetError, match="no such file"):
        list(dataset)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
IDS = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(IDS, st.tuples(JSON, JSON), min_size=1, max_size=4), st.booleans(), st.sampled_from([None, 3]))
def test_rows_come_back_as_they_were_written(
    cases: Cases, rows: dict[str, tuple[Any, Any]], ascii_: bool, indent: int | None
) -> None:
    written = [{"id": key, "input": given, "expected": wanted} for key, (given, wanted) in rows.items()]
    lines = "\n".join(json.dumps(row, ensure_ascii=ascii_) for row in written)
    whole = json.dumps(written, ensure_ascii=ascii_, indent=indent)
    for found in (cases("c.jsonl", c_jsonl=lines), cases("c.json", c_json=whole)):
        assert {c.id: (c.input, c.expected) for c in found} == rows


@pytest.mark.parametrize("block", [1, 2, 3, 7, 64])
def test_how_a_file_is_cut_into_blocks_does_not_matter(
    cases: Cases, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr("oloproof.datasets.lines._BLOCK", block)
    rows = [{"id": f"é{n}", "input": {"q": 'ü☃ \\ " [{', "n": -1.5e3, "ok": None}} for n in range(5)]
    content = json.dumps(rows, indent=1, ensure_ascii=False)
    assert [c.input for c in cases("c.json", c_json=content)] == [row["input"] for row in rows]
    assert [c.line for c in cases("c.json")] == [2, 10, 18, 26, 34]
    lines = "\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    assert [c.id for c in cases("c.jsonl", c_jsonl=lines)] == [row["id"] for row in rows]


@pytest.mark.parametrize(("name", "count"), [("c.jsonl", 100_000), ("c.json", 20_000), ("c.csv", 20_000)])
def test_very_many_rows_are_not_held(open_: Open, folder: Path, name: str, count: int) -> None:
    filling = "x" * (40_000_000 // count)
    with (folder / name).open("w") as file:
        file.write({"c.json": "[", "c.csv": "id,q\n", "c.jsonl": ""}[name])
        for number in range(count):
            row = f"{number},{filling}" if name == "c.csv" else f'{{"id":"{number}","input":"{filling}"}}'
            file.write(("," if name == "c.json" and number else "") + row + "\n")
        file.write("]" if name == "c.json" else "")
    dataset = open_(name)
    tracemalloc.start()
    try:
        assert dataset.check().count == count
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 25_000_000

"""Walks the bad inputs that an earlier tool met (``vic_run_errors.json``), and what it did with each.

Its suite line ``{id, image, question, assert}`` is, with us, a row ``{id, input: {image, question}}`` whose media field
is ``image``, and an evaluator made of ``assert``. Every row of that file stands in exactly one of the lists below.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field, field_validator

from oloproof.config import EvaluatorOptions, load_project
from oloproof.datasets import open_dataset
from oloproof.errors import ConfigError, DatasetError

ROWS = {row["case"]: row for row in json.loads((Path(__file__).parent.parent / "data/vic_run_errors.json").read_text())}

RIGHT = {
    "ok": "nothing is wrong",
    "suite blank lines between": "blank lines are skipped",
    "suite utf8 bom": "a byte order mark is what some editors write; the earlier tool refused it",
    "suite json array": "a list of rows, in a file named .json",
    "image absolute": "the author of a dataset may name any file",
    "image garbage": "the file is there; that it is no picture is for the checks to find, case by case",
    "image empty file": "as above",
    "image truncated png": "as above",
    "missing question": "input is what the system wants it to be",
    "missing assert": "evaluators stand in the project file, and a case needs none",
    "question empty": "input may hold any JSON",
    "question null": "as above",
    "question number": "as above",
    "assert expected number": "a number is what a numeric check compares with",
}

LATER = {  # replayed answers, providers and gates: not a matter of config or dataset
    "responses missing file", "responses not given", "responses invalid json", "responses list", "responses empty obj",
    "responses missing fixture", "responses missing variant", "responses missing variant original",
    "responses empty list", "responses not list", "responses non-string", "responses null answer",
    "responses unknown variant", "responses extra fixture", "responses empty string answer",
    "responses fixture not dict", "all wrong", "all wrong + lossy gate", "flaky original",
    "flaky original + max flaky 0", "flaky original + lossy", "flaky only in variant", "improved variant",
    "live no key", "provider bad", "model with replay", "live with responses no key",
}  # fmt: skip

REFUSED_ROWS = {
    "suite empty": "c.jsonl  there are no rows; a run needs at least one case",
    "suite blank lines only": "c.jsonl  there are no rows; a run needs at least one case",
    "suite with blank line and comment ok?": "c.jsonl:3:1  this is not JSON: comments are not part of JSON",
    "suite invalid json line": "c.jsonl:1:2  this is not JSON: a key in double quotes is expected here",
    "suite line not object": "c.jsonl:1  expected an object {...}, found a list",
    "suite line is string": "c.jsonl:1  expected an object {...}, found a text",
    "missing id": 'c.jsonl:1  id: a row needs an id; add "id"',
    "missing image": "c.jsonl:1  input.image: this media field is not in the row",
    "unknown top key": "c.jsonl:1  foo: unknown key; accepted: id, input",
    "note number": "c.jsonl:1  note: unknown key; accepted: id, input",
    "duplicate ids": "c.jsonl:2  the id 'f1' is used twice; the first is on line 1",
    "id empty": "c.jsonl:1  id: the id is empty; give each row a text",
    "id number": 'c.jsonl:1  id: an id is text; write "7" in quotes',
    "id whitespace": "c.jsonl:1  id: the id is empty; give each row a text",
    "suite json duplicate keys": "c.jsonl:1  the key 'id' is given twice in one object",
    "image missing file": "c.jsonl:1  input.image: no such file: nope.png; looked in",
    "image directory": "c.jsonl:1  input.image: . is a folder; name a file",
    "image url": "c.jsonl:1  input.image: a media field names a file; save what this address gives",
    "image list": "c.jsonl:1  input.image: a media field names one file; name the entries",
    "image parent traversal": "c.jsonl:1  input.image: no such file: ../../nowhere/passwd; looked in",
    "suite latin1 bytes": "c.jsonl:1:16  the byte 0xe9 is not UTF-8; save the file as UTF-8",
}

REFUSED_FILES = {
    "suite file missing": "oloproof.yaml:1:58  dataset.path: no such file or folder: none.jsonl; looked in",
    "suite is directory": "oloproof.yaml:1:58  dataset.path: . is a folder; name a file",
    "suite json object": "c.json:1:1  expected a list of rows",
    "suite json bad array elem": "c.json:1  [1]: expected an object {...}, found a number",
    "suite txt extension": "c.txt  the ending '.txt' is not known; a dataset is a file named .jsonl",
}

REFUSED_OPTIONS = {
    "assert kind unknown": "3:10  evaluators[0].type: unknown evaluator type 'fuzzy'; known types: contains, equals",
    "assert missing kind": "2:3  evaluators[0].type: required, and not given; known types",
    "assert missing expected": "2:3  evaluators[0].expected: required, and not given",
    "assert not object": "2:4  evaluators[0]: expected a mapping (key: value), found the text 'equals'",
    "assert expected list": "4:14  evaluators[0].expected: expected text, found a list",
    "assert expected null": "4:14  evaluators[0].expected: expected text, found nothing",
    "assert expected empty string": "4:14  evaluators[0].expected: must not be empty",
    "assert bad regex": "4:14  evaluators[0].expected: not a pattern",
    "numeric expected not a number": "4:14  evaluators[0].expected: expected a number, found the text 'abc'",
    "numeric tolerance negative": "5:15  evaluators[0].tolerance: must be at least 0, found -1",
    "numeric tolerance string": "5:15  evaluators[0].tolerance: expected a number, found the text '0.1'; write 0.1",
    "numeric tolerance nonnumeric string": "5:15  evaluators[0].tolerance: expected a number, found the text 'x'",
    "numeric tolerance bool": "5:15  evaluators[0].tolerance: expected a number, found true",
    "numeric tolerance null": "5:15  evaluators[0].tolerance: expected a number, found nothing",
    "numeric tolerance NaN": "5:15  evaluators[0].tolerance: expected a finite number, found .nan",
    "tolerance on equals": "5:4  evaluators[0].tolerance: unknown field; accepted: type, criterion",
    "unknown assert key": "5:4  evaluators[0].case: unknown field; accepted: type, criterion",
    "runs 0": "5:12  repeats: must be between 1 and 1,000, found 0",
}


class Equals(EvaluatorOptions):
    expected: str


class Contains(EvaluatorOptions):
    expected: Annotated[str, Field(min_length=1)]


class Numeric(EvaluatorOptions):
    expected: float
    tolerance: Annotated[float, Field(ge=0)] = 0.0


class Regex(EvaluatorOptions):
    expected: str

    @field_validator("expected")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"not a pattern: {error}") from error
        return pattern


KNOWN = {"equals": Equals, "contains": Contains, "numeric": Numeric, "regex": Regex}


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What is said of a dataset, or of a project file with it; empty when nothing is wrong."""
    monkeypatch.chdir(tmp_path)
    for name, content in {"a": b"\x89PNG", "bad": b"garbage", "empty": b"", "trunc": b"\x89PNG\r\n"}.items():
        (tmp_path / f"{name}.png").write_bytes(content)

    def said(name: str, content: bytes | None, options: str = "") -> str:
        if content is not None:
            (tmp_path / name).write_bytes(content.replace(b"ABS/", f"{tmp_path}/".encode()))
        head = f"{{version: 1, project: x, dataset: {{media: [image], path: {name}}}, system: {{callable: a:b}}"
        (tmp_path / "oloproof.yaml").write_text(f"{head}{options}}}")
        try:
            list(open_dataset(load_project(tmp_path, KNOWN)))
        except (ConfigError, DatasetError) as error:
            return str(error)
        return ""

    return said


def _pairs(text: str) -> Any:
    return json.loads(text, object_pairs_hook=lambda pairs: ("object", pairs))


def _dump(value: Any) -> str:
    if isinstance(value, tuple):
        return "{" + ", ".join(f"{json.dumps(key)}: {_dump(entry)}" for key, entry in value[1]) + "}"
    return "[" + ", ".join(map(_dump, value)) + "]" if isinstance(value, list) else json.dumps(value)


def _as_row(line: str) -> str:
    """Return a suite line as a row of ours, with what is wrong in it kept; other text as it is."""
    try:
        value = _pairs(line.removeprefix("\ufeff"))
    except ValueError:
        return line
    if not isinstance(value, tuple):
        return line
    given = [pair for pair in value[1] if pair[0] in ("image", "question")]
    rest = [pair for pair in value[1] if pair[0] not in ("image", "question", "assert")]
    mark = "\ufeff" if line.startswith("\ufeff") else ""
    return mark + _dump(("object", [*rest, ("input", ("object", given))]))


def _dataset(case: str) -> bytes:
    suite = ROWS[case]["suite"]
    if case == "suite latin1 bytes":
        return b'{"id": "f1", "x\xe9": 1}\n'
    if case == "image parent traversal":
        suite = suite.replace("etc", "nowhere")
    return "\n".join(map(_as_row, suite.split("\n"))).encode()


def _options(case: str) -> str:
    """Return ``assert`` as an evaluator of ours, a key a line."""
    line = ROWS[case]["suite"]
    check = json.loads(line)["assert"]
    if not isinstance(check, dict):
        return f", evaluators: [\n   {check}]"
    words = {"kind": "type"}
    keys = sorted(check.items(), key=lambda item: ["kind", "expected", "tolerance", "case"].index(item[0]))
    lines = [f"{words.get(key, key)}: {json.dumps(value).replace('NaN', '.nan')}" for key, value in keys]
    if "kind" not in check:
        lines.insert(0, "on_execution_error: fail")
    return ", evaluators: [\n  {criterion: a,\n   " + ",\n   ".join(lines) + "}],\n  repeats: 1"


def test_every_row_is_accounted_for_once() -> None:
    lists = [RIGHT, LATER, REFUSED_ROWS, REFUSED_FILES, REFUSED_OPTIONS]
    assert sorted(name for names in lists for name in names) == sorted(ROWS)


@pytest.mark.parametrize("case", REFUSED_ROWS)
def test_a_wrong_row_is_refused_with_file_line_and_cure(said: Callable[..., str], case: str) -> None:
    assert said("c.jsonl", _dataset(case)).startswith(REFUSED_ROWS[case])


@pytest.mark.parametrize("case", REFUSED_FILES)
def test_a_wrong_file_is_refused(said: Callable[..., str], case: str) -> None:
    row = _dataset("ok").decode()
    name, content = {
        "suite file missing": ("none.jsonl", None),
        "suite is directory": (".", None),
        "suite json object": ("c.json", row),
        "suite json bad array elem": ("c.json", f"[{row}, 1]"),
        "suite txt extension": ("c.txt", row),
    }[case]
    assert REFUSED_FILES[case] in said(name, content and content.encode())


@pytest.mark.parametrize("case", REFUSED_OPTIONS)
def test_wrong_options_are_refused_with_file_line_and_cure(said: Callable[..., str], case: str) -> None:
    options = _options(case)
    if case == "runs 0":
        options = options.replace("repeats: 1", "repeats: 0")
    found = said("c.jsonl", _dataset("ok"), options)
    lines = [line for line in found.splitlines() if "expected: expected a number, found the text '1'" not in line]
    assert len(lines) == 1
    assert lines[0].startswith(f"oloproof.yaml:{REFUSED_OPTIONS[case]}")


@pytest.mark.parametrize("case", RIGHT)
def test_what_is_right_is_taken(said: Callable[..., str], case: str) -> None:
    if case == "suite json array":
        assert said("c.json", f"[{_dataset('ok').decode()}]".encode()) == ""
    else:
        options = _options(case) if case == "assert expected number" else ""
        assert said("c.jsonl", _dataset(case), options) == ""

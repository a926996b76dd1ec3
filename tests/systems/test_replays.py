"""Recorded answers in place of a system."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oloproof.config import ReplayOptions
from oloproof.errors import SystemError_
from oloproof.systems.decorator import Named
from oloproof.systems.replays import ReplaySystem, read_responses

PROJECT = """\
version: 1
project: recorded
dataset: cases.jsonl
system: {replay: %s}
repeats: 2
evaluators:
  - {type: exact_match, criterion: answer}
policy:
  rules:
    - {id: all, metric: answer, max_failures: 0}
"""


@pytest.fixture
def recorded(folder: Any) -> Any:
    folder.cases([{"id": name, "input": {}, "expected": "A"} for name in ("one", "two")])

    def write(responses: Any, how: str = "answers.json") -> Any:
        folder.write("answers.json", responses if isinstance(responses, str) else json.dumps(responses))
        folder.write("oloproof.yaml", PROJECT % how)
        return folder

    return write


def test_recorded_answers_are_given_again_and_every_report_says_so(recorded: Any) -> None:
    folder = recorded({"one": {"original": ["A", "A"]}, "two": {"original": ["A", "B"]}})
    ended = folder.run("run", "--json")
    found = ended.document

    assert ended.exit == 1
    assert found["system"] == {"name": "answers.json (replay)", "version": "0"}
    assert found["replay"] is True
    assert found["warnings"][0] == {
        "code": "replay",
        "message": "this is a replay: every answer comes from answers.json, and nothing was asked",
    }
    case = folder.run("inspect", "--case", "two", "--json").document
    assert [trial["output"] for trial in case["trials"]] == ["A", "B"]
    assert "(replay)" in folder.run("runs").out
    assert "this is a replay" in folder.run("check").out
    assert "this is a replay" in folder.run("inspect").out


def test_a_run_that_is_gone_on_with_says_once_that_it_is_a_replay(recorded: Any) -> None:
    folder = recorded({"one": {"original": ["A", "A"]}, "two": {"original": ["A", "B"]}})
    project = folder.root / "oloproof.yaml"
    project.write_text(project.read_text().replace("type: exact_match", 'type: custom, callable: "checks:stopping"'))
    folder.write("stop", "")
    folder.write(
        "checks.py",
        """
        from pathlib import Path
        from oloproof import evaluator

        @evaluator()
        def stopping(output):
            if Path("stop").exists():
                raise KeyboardInterrupt
            return True
        """,
    )
    assert folder.run("run").exit == 2
    (folder.root / "stop").unlink()
    resumed = folder.run("run", "--resume", "--json").document
    assert [warning["code"] for warning in resumed["warnings"]] == ["replay"]


def test_a_second_run_gives_each_case_its_own_answer_though_two_cases_ask_the_same(recorded: Any) -> None:
    """What is kept of a replay is kept by case: else one would be given the answer of the other from the cache."""
    folder = recorded({"one": {"original": ["A", "A"]}, "two": {"original": ["B", "B"]}})
    for cached in (0, 4):
        found = folder.run("run", "--json").document
        assert found["executions"]["cached"] == cached
        outputs = {
            name: [trial["output"] for trial in folder.run("inspect", "--case", name, "--json").document["trials"]]
            for name in ("one", "two")
        }
        assert outputs == {"one": ["A", "A"], "two": ["B", "B"]}


def test_too_few_answers_stand_for_all_repeats_only_where_that_is_asked_for(recorded: Any) -> None:
    short = {"one": {"original": ["A"]}, "two": {"original": ["A"]}}
    refused = recorded(short).run("run")

    assert refused.exit == 2
    assert "case 'one', variant original: 1 of 2 answers" in refused.err
    assert recorded(short, "{path: answers.json, cycle: true}").run("run").exit == 0


def test_a_failure_that_was_recorded_is_a_failure(recorded: Any) -> None:
    folder = recorded({name: {"original": ["A", {"error": "HTTP 500"}]} for name in ("one", "two")})
    found = folder.run("run", "--json").document

    assert found["executions"]["failed"] == 2
    assert found["metrics"][0]["missing"] == 2


@pytest.mark.parametrize(
    ("responses", "told"),
    [
        ("{", "is not JSON"),
        ("[]", 'expected {"CASE": {"VARIANT": ["ANSWER"]}}, found list'),
        ({}, "found {}"),
        ({"one": []}, 'one: expected {"VARIANT": ["ANSWER"]}'),
        ({"one": {"original": "A"}}, "one.original: expected a list of answers"),
        ({"one": {"original": []}}, "one.original: expected a list of answers"),
        ({"one": {"original": ["A", None]}}, "one.original[1]: null is no answer"),
        ({"one": {"original": ["A", "A"]}}, "there are no answers of case 'two'"),
        ({"one": {"original": ["A", "A"]}, "two": {"webp": ["A", "A"]}}, "case 'two' has no answers of the variant"),
        ('{"one": {"original": ["A"]}, "one": {}}', "is not JSON"),
    ],
)
def test_mistakes_of_shape_are_found_before_the_first_trial(recorded: Any, responses: Any, told: str) -> None:
    folder = recorded(responses)
    ended = folder.run("run")

    assert ended.exit == 2
    assert told in ended.err
    assert folder.run("runs").exit == 2  # there is none


ROWS = json.loads((Path(__file__).parents[1] / "data" / "vic_run_errors.json").read_text(encoding="utf-8"))
RECORDED = {
    row["case"]: row
    for row in ROWS
    if row["case"].startswith("responses") and row["case"] not in ("responses missing file", "responses not given")
}
TAKEN_BY_US = {"responses non-string": "an answer may be any JSON value; a check of text tells that it is none"}


@pytest.mark.parametrize("case", RECORDED)
def test_responses_are_taken_and_refused_as_an_earlier_tool_did_before_anything_is_asked(
    tmp_path: Path, case: str
) -> None:
    row, path = RECORDED[case], tmp_path / "r.json"
    responses = row["responses"]
    path.write_text(responses if isinstance(responses, str) else json.dumps(responses))
    variants = ("original", "png-reencode", "exif-strip", "jpeg-75", "jpeg-40", "resize-50", "grayscale", "webp")
    try:
        answers = read_responses(path, "r.json")
        system = ReplaySystem(ReplayOptions(path="r.json", cycle=True), Named("r", "0", ()), {}, answers)
        problems = list(system.unanswerable([("f1", variants)], 3))
    except SystemError_ as error:
        problems = [str(error)]

    assert bool(problems) == (row["exit"] == 2 and case not in TAKEN_BY_US), problems


def test_a_file_that_is_not_there_is_named(recorded: Any) -> None:
    assert "cannot read gone.json: No such file" in recorded({}, "gone.json").run("run").err

"""``oloproof run`` as a user and as CI meet it: text, one JSON document, exit codes."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from typing import Any

import pytest

RULE = "policy: {rules: [{id: floor, metric: right, min: 0.5}]}\n"

NOISY_APP = """\
import os
import subprocess
import sys

os.write(1, b"module noise\\n")


def answer(case):
    print("a print")
    os.write(1, b"a write to descriptor 1\\n")
    sys.stdout.write("a write to sys.stdout")
    subprocess.run(["echo", "a child that echoes"], check=True)
    return {"answer": case["n"] * 2}
"""


CLOSING_APP = """\
import sys


def answer(case):
    sys.stdout.close()
    raise ValueError("no answer")
"""


def is_interval(value: Any) -> bool:
    return value is None or (isinstance(value, list) and len(value) == 2 and value[0] <= value[1])


def test_run_json_is_one_document_of_the_agreed_shape(echo: Callable[..., Any]) -> None:
    ended = echo(10, more=RULE).run("run", "--json", cold=True)
    assert ended.exit == 0
    document = ended.document
    assert set(document) >= {
        "run",
        "project",
        "system",
        "exit",
        "partial",
        "cases",
        "executions",
        "verdicts",
        "metrics",
        "decisions",
        "warnings",
    }
    assert document["system"] == {"name": "echo", "version": "v1"}
    assert document["executions"] == {"run": 10, "cached": 0, "failed": 0}
    assert document["verdicts"] == {"asked": 10, "cached": 0}
    assert (document["exit"], document["partial"], document["cases"]) == (0, False, 10)
    metric = document["metrics"][0]
    assert set(metric) >= {
        "criterion",
        "kind",
        "variant",
        "slice",
        "estimand",
        "estimate",
        "interval",
        "level",
        "method",
        "n",
        "observed",
        "passed",
        "failed",
        "invalid",
        "missing",
        "excluded",
    }
    assert is_interval(metric["interval"])
    assert (metric["n"], metric["passed"], metric["variant"], metric["slice"]) == (10, 10, "original", None)
    decision = document["decisions"][0]
    assert set(decision) >= {
        "rule",
        "metric",
        "state",
        "reason",
        "message",
        "blocking",
        "estimate",
        "interval",
        "threshold",
    }
    assert (decision["state"], decision["reason"], decision["blocking"]) == ("PASS", "lower_bound_meets_minimum", False)
    assert decision["threshold"] == 0.5


def test_nothing_that_a_system_prints_or_spawns_stands_in_the_json(echo: Callable[..., Any]) -> None:
    ended = echo(3, app=NOISY_APP).run("run", "--json", cold=True)
    assert ended.document["executions"]["run"] == 3
    for noise in ("module noise", "a print", "a write to descriptor 1", "a write to sys.stdout", "a child that echoes"):
        assert noise in ended.err


def test_a_system_that_closes_its_standard_output_breaks_nothing(echo: Callable[..., Any]) -> None:
    ended = echo(2, app=CLOSING_APP).run("run", "--json", cold=True)
    assert (ended.exit, ended.document["executions"]["failed"]) == (0, 2)
    assert "2 of 2 executions failed" in ended.err


def test_a_second_run_calls_the_system_no_more_and_says_so(echo: Callable[..., Any]) -> None:
    folder = echo(5)
    folder.run("run")
    again = folder.run("run")
    assert "5 answers from the cache" in again.out
    assert folder.run("run", "--json", "--fresh").document["executions"] == {"run": 5, "cached": 0, "failed": 0}
    assert folder.run("run", "--json", "--fresh=system").document["executions"]["run"] == 5
    assert folder.run("run", "--json", "--fresh=judge").document["executions"]["cached"] == 5


def test_changing_the_code_asks_again(echo: Callable[..., Any]) -> None:
    folder = echo(4)
    folder.run("run")
    folder.write("app.py", "def answer(case):\n    return {'answer': 2 * case['n']}\n")
    assert folder.run("run", "--json").document["executions"]["run"] == 4


def test_a_blocking_rule_ends_with_1(echo: Callable[..., Any]) -> None:
    ended = echo(10, more="policy: {rules: [{id: floor, metric: right, min: 0.9}]}\n").run("run")
    assert ended.exit == 1
    assert "INSUFFICIENT_EVIDENCE" in ended.out
    assert "interval_overlaps_threshold" in ended.out
    assert "exit 1" in ended.out


def test_a_policy_that_does_not_block_on_insufficient_evidence_lets_it_pass(echo: Callable[..., Any]) -> None:
    more = "policy: {block_on: [FAIL], rules: [{id: floor, metric: right, min: 0.9}]}\n"
    assert echo(10, more=more).run("run").exit == 0


def test_without_rules_nothing_is_decided_and_that_is_said(echo: Callable[..., Any]) -> None:
    ended = echo(2).run("run")
    assert ended.exit == 0
    assert "nothing was decided" in ended.out


def test_release_yaml_beside_the_project_is_found_by_itself(echo: Callable[..., Any]) -> None:
    folder = echo(3)
    folder.write("release.yaml", "version: 1\nrules:\n  - {id: none-wrong, metric: right, max_failures: 0}\n")
    assert [one["rule"] for one in folder.run("run", "--json").document["decisions"]] == ["none-wrong"]


@pytest.mark.parametrize("selection", [("--case", "c1", "--case", "c3"), ("--limit", "2")])
def test_a_run_of_some_cases_is_partial_and_its_rules_block(echo: Callable[..., Any], selection: tuple[str]) -> None:
    ended = echo(10, more=RULE).run("run", "--json", *selection)
    assert ended.exit == 1
    assert (ended.document["partial"], ended.document["cases"]) == (True, 2)
    assert [one["reason"] for one in ended.document["decisions"]] == ["partial_run"]
    assert ended.document["decisions"][0]["blocking"] is True


def test_a_case_that_does_not_exist_is_refused_with_the_nearest(echo: Callable[..., Any]) -> None:
    ended = echo(3).run("run", "--case", "cc1")
    assert ended.exit == 2
    assert "c1" in ended.err


def test_a_system_that_raises_fails_that_case_and_can_be_gated(echo: Callable[..., Any]) -> None:
    app = "def answer(case):\n    return {'answer': {4: 8}[case['n']]}\n"
    more = "policy: {rules: [{id: errors, metric: error_rate, max: 0.1}]}\n"
    ended = echo(6, app=app, more=more).run("run", "--json")
    assert ended.exit == 1
    assert ended.document["executions"] == {"run": 6, "cached": 0, "failed": 5}
    assert ended.document["metrics"][0]["missing"] == 5
    assert [one["state"] for one in ended.document["decisions"]] == ["FAIL"]
    healthy = echo(40, more=more).run("run", "--json").document
    assert [(one["state"], one["estimate"]) for one in healthy["decisions"]] == [("PASS", 0.0)]


def test_an_error_under_json_is_one_document_too(folder: Any) -> None:
    folder.write("oloproof.yaml", "version: 1\nproject: x\nevaluatrs: []\n")
    ended = folder.run("run", "--json")
    assert ended.exit == 2
    assert ended.document["exit"] == 2
    problems = ended.document["error"]["problems"]
    assert {"file", "line", "column", "message", "path"} <= set(problems[0])
    assert any("evaluators" in problem["message"] for problem in problems)


def test_an_empty_dataset_ends_with_2(echo: Callable[..., Any]) -> None:
    folder = echo(1)
    folder.write("cases.jsonl", "")
    ended = folder.run("run")
    assert ended.exit == 2
    assert "cases.jsonl" in ended.err


def test_a_folder_without_a_project_says_what_to_do(folder: Any) -> None:
    ended = folder.run("run")
    assert ended.exit == 2
    assert "oloproof.yaml" in ended.err
    assert "Traceback" not in ended.err


def test_a_service_that_is_down_ends_with_2(folder: Any) -> None:
    folder.write(
        "oloproof.yaml",
        "version: 1\nproject: x\ndataset: cases.jsonl\nsystem: {name: s, http: 'http://127.0.0.1:9/'}\n",
    )
    folder.cases([{"id": "a", "input": 1}])
    ended = folder.run("run", "--markdown", "r.md")
    assert ended.exit == 2
    assert "never answered" in ended.err
    assert "never answered" in (folder.root / "r.md").read_text()


def test_junit_html_and_markdown_are_written_beside_the_run(echo: Callable[..., Any]) -> None:
    folder = echo(3, more=RULE)
    folder.run("run", "--junit", "out/j.xml", "--html", "out/r.html", "--markdown", "out/r.md")
    suites = ElementTree.parse(folder.root / "out" / "j.xml").getroot()  # noqa: S314 - our own file
    assert suites.tag == "testsuites"
    assert "<script" not in (folder.root / "out" / "r.html").read_text()
    assert "floor" in (folder.root / "out" / "r.md").read_text()


def test_the_files_of_a_run_that_is_not_completed_say_why_and_not_what_an_earlier_one_found(
    echo: Callable[..., Any],
) -> None:
    folder = echo(3)
    files = ("--junit", "j.xml", "--html", "r.html", "--markdown", "r.md")
    folder.run("run", *files)
    folder.write("oloproof.yaml", (folder.root / "oloproof.yaml").read_text() + "bo|gus: 1\nmo<re: 2\n")
    ended = folder.run("run", *files)
    assert ended.exit == 2
    junit, page, summary = [(folder.root / name).read_text() for name in ("j.xml", "r.html", "r.md")]
    suites = ElementTree.fromstring(junit)  # noqa: S314 - our own file
    assert dict(suites.attrib) == {"name": "oloproof", "tests": "1", "failures": "0", "errors": "1", "skipped": "0"}
    error = suites.find("testsuite/testcase/error")
    assert error is not None
    assert error.attrib["message"] == ended.err.removeprefix("error: ").rstrip("\n")
    assert summary.startswith("## Oloproof: not completed\n")
    assert "bo&#124;gus" in summary
    assert "mo&#60;re" in summary
    assert "mo&lt;re" in page
    assert "Run not completed" in page


def test_progress_is_plain_lines_where_there_is_no_terminal(echo: Callable[..., Any]) -> None:
    ended = echo(3).run("run")
    assert "echo@v1, 3 trials of 3 cases" in ended.err
    assert "\x1b" not in ended.err
    assert echo(3).run("run", "--quiet").err == ""


def test_a_bug_of_ours_keeps_its_traceback_and_ends_with_2(echo: Callable[..., Any]) -> None:
    folder = echo(1)
    ended = folder.run("run", env={"PYTHONSTARTUP": "", "PYTHONPATH": str(folder.root / "broken")})
    assert ended.exit == 0
    folder.write("broken/pydantic.py", "raise RuntimeError('not the library')\n")
    broken = folder.run("run", env={"PYTHONPATH": str(folder.root / "broken")})
    assert broken.exit == 2
    assert "Traceback" in broken.err
    assert "this is a bug" in broken.err

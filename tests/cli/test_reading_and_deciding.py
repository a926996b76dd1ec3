"""What is done with stored runs: runs, inspect, gate, compare, plan, report, export, cache."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from oloproof.storage.locks import RunLock
from tests.conftest import Folder, made_once, write_echo

RULE = "policy: {rules: [{id: floor, metric: right, min: 0.5}]}\n"


@pytest.fixture
def ran(folder: Folder, shared: Path) -> Folder:
    """A project with two complete runs; in the second one case of ten went wrong. Each test has a copy."""

    def run_twice(root: Path) -> None:
        made = write_echo(Folder(root, folder.warm), 10, more=RULE)
        made.run("run", "--quiet")
        wrong = "def answer(case):\n    return {'answer': case['n'] * 2 if case['n'] != 7 else -1}\n"
        made.write("app.py", wrong)
        made.run("run", "--quiet")

    shutil.copytree(made_once(shared / "two-runs", run_twice), folder.root, dirs_exist_ok=True)
    return folder


def test_runs_lists_the_newest_first(ran: Any) -> None:
    listed = ran.run("runs", "--json", cold=True).document["runs"]
    assert [one["state"] for one in listed] == ["complete", "complete"]
    assert listed[0]["started"] >= listed[1]["started"]
    assert ran.run("runs").out.splitlines()[0].startswith("run")


def test_inspect_shows_a_case_in_the_agreed_shape(ran: Any) -> None:
    document = ran.run("inspect", "--case", "c7", "--json", cold=True).document
    assert set(document) >= {"run", "case", "input", "expected", "trials"}
    assert (document["case"], document["input"], document["expected"]) == ("c7", {"n": 7}, {"answer": 14})
    trial = document["trials"][0]
    assert set(trial) >= {"variant", "repeat", "output", "error", "seconds", "cached", "media", "verdicts"}
    verdict = trial["verdicts"][0]
    assert set(verdict) >= {"criterion", "outcome", "score", "reason", "details", "saw", "cached", "evaluator"}
    assert (verdict["outcome"], verdict["saw"], verdict["evaluator"]["type"]) == ("fail", None, "exact_match")


def test_inspect_lists_failures_in_the_agreed_shape(ran: Any) -> None:
    document = ran.run("inspect", "--failures", "--json").document
    assert [(case["case"], case["variant"], case["repeat"]) for case in document["cases"]] == [("c7", "original", 0)]
    assert ran.run("inspect", "latest~1", "--failures", "--json").document["cases"] == []


def test_inspect_names_the_nearest_case(ran: Any) -> None:
    ended = ran.run("inspect", "--case", "c77")
    assert ended.exit == 2
    assert "did you mean" in ended.err


def test_a_run_is_found_by_a_part_of_its_id_and_refused_when_several_match(ran: Any) -> None:
    newest = ran.run("runs", "--json").document["runs"][0]["run"]
    assert ran.run("inspect", newest[-4:], "--json").document["run"] == newest
    assert "runs are called" in ran.run("inspect", "2").err
    assert ran.run("inspect", "nosuchrun").exit == 2
    assert ran.run("inspect", "latest~9").exit == 2


def test_gate_decides_again_without_executing_and_keeps_earlier_decisions(ran: Any) -> None:
    ran.write("strict.yaml", "version: 1\nrules:\n  - {id: none, metric: right, max_failures: 0}\n")
    ended = ran.run("gate", "--policy", "strict.yaml", "--json", cold=True)
    assert ended.exit == 1
    assert ended.document["decisions"][0]["reason"] == "observed_failures_exceed_limit"
    assert ran.run("gate").exit == 0
    assert ran.run("gate", "latest~1", "--policy", "strict.yaml").exit == 0


def test_a_run_says_that_it_was_decided_last_by_another_policy_until_its_own_decides_again(ran: Any) -> None:
    ran.write("strict.yaml", "version: 1\nrules:\n  - {id: none, metric: right, max_failures: 0}\n")

    def told() -> list[str]:
        return [one["code"] for one in ran.run("inspect", "--json").document["warnings"]]

    assert "decided_again" not in told()
    gated = ran.run("gate", "--policy", "strict.yaml")
    assert gated.exit == 1
    assert "decided_again" not in gated.out  # whoever asks for another policy knows
    assert "decided_again" in told()
    assert "with exit 1, was taken by another policy than it was run with" in " ".join(ran.run("inspect").out.split())
    assert ran.run("gate").exit == 0
    assert "decided_again" not in told()


def test_what_is_written_of_a_run_says_when_the_policy_of_the_project_is_not_its_own(ran: Any) -> None:
    """Else a report contradicts what the run said, without a word."""
    own = (ran.root / "oloproof.yaml").read_text()

    def told() -> tuple[bool, ...]:
        exported, reported = ran.run("export"), ran.run("report", "--html", "r.html")
        warned = "decided_otherwise" in [one["code"] for one in exported.document["warnings"]]
        noted = ["by the policy of the project as it is now" in one.err for one in (exported, reported)]
        return warned, *noted, "decided_otherwise" in (ran.root / "r.html").read_text()

    assert told() == (False,) * 4
    ran.write("oloproof.yaml", own.replace("min: 0.5", "min: 0.25"))
    assert told() == (True,) * 4
    assert "policy of the project" not in ran.run("export", "--format", "csv").err, "it decides nothing"
    ran.write("strict.yaml", "version: 1\nrules:\n  - {id: none, metric: right, max_failures: 0}\n")
    assert "policy of the project" not in ran.run("export", "--policy", "strict.yaml").err, "who names one knows"


def test_a_run_whose_own_policy_is_refused_by_now_can_still_be_exported(ran: Any) -> None:
    with closing(sqlite3.connect(ran.root / ".oloproof" / "oloproof.db")) as database, database:
        database.execute('UPDATE runs SET document = replace(document, \'"min":0.5\', \'"min":"half"\')')
    exported = ran.run("export")
    assert exported.exit == 0
    assert [one["code"] for one in exported.document["warnings"]] == ["decided_otherwise"]


def test_gate_refuses_a_rule_over_a_criterion_the_run_does_not_have(ran: Any) -> None:
    ran.write("other.yaml", "version: 1\nrules:\n  - {id: x, metric: wrong, min: 0.5}\n")
    ended = ran.run("gate", "--policy", "other.yaml")
    assert ended.exit == 2
    assert "right" in ended.err


def test_gate_says_to_wait_for_a_run_that_is_under_way_and_to_go_on_with_one_that_is_not(ran: Any) -> None:
    folder, newest = ran.root / ".oloproof", ran.run("runs", "--json").document["runs"][0]["run"]
    with closing(sqlite3.connect(folder / "oloproof.db")) as base, base:
        base.execute("UPDATE runs SET state = 'running' WHERE id = ?", (newest,))
    lock = RunLock.take(folder, newest)
    assert "is running, so nothing can be decided on it yet; wait for its end" in ran.run("gate").err
    lock.release()
    ended = ran.run("gate")
    assert (ended.exit, "is interrupted" in ended.err, "run --resume" in ended.err) == (2, True, True)


SLICED = "version: 1\nblock_on: [FAIL]\nrules:\n  - {id: x, metric: right, slice: {langage: de}, KIND}\n"


@pytest.mark.parametrize(
    ("command", "kind"), [("gate", "min: 0.5"), ("plan", "min: 0.5"), ("compare", "kind: superiority")]
)
def test_a_slice_field_that_no_case_of_the_run_has_is_refused(ran: Any, command: str, kind: str) -> None:
    """A slip of the pen must not leave a rule open that then blocks nothing; ``run`` and ``check`` refuse it too."""
    ran.write("sliced.yaml", SLICED.replace("KIND", kind))
    ended = ran.run(command, "--policy", "sliced.yaml")
    assert (ended.exit, "no case has the slice field 'langage'; no case has a slice" in ended.err) == (2, True)


def test_some_cases_do_not_tell_which_slice_fields_there_are(ran: Any) -> None:
    ran.run("run", "--quiet", "--limit", "3")
    ran.write("sliced.yaml", SLICED.replace("KIND", "min: 0.5"))
    ended = ran.run("gate", "--policy", "sliced.yaml", "--json")
    assert (ended.exit, ended.document["decisions"][0]["reason"]) == (1, "partial_run")


def test_compare_pairs_the_cases_of_two_runs(ran: Any) -> None:
    document = ran.run("compare", "--json", cold=True).document
    found = document["comparisons"][0]
    assert (found["matched"], found["unmatched"], found["fixed"], found["broken"]) == (10, 0, [], ["c7"])
    assert found["difference"] == pytest.approx(-0.1)
    assert found["interval"][0] < -0.1 < found["interval"][1]
    swapped = ran.run("compare", "latest~1", "latest", "--json").document["comparisons"][0]
    assert (swapped["fixed"], swapped["difference"]) == (["c7"], pytest.approx(0.1))


def test_compare_warns_of_what_is_not_the_same_in_both_runs_beside_the_system(ran: Any) -> None:
    assert ran.run("compare", "--json").document["warnings"] == []
    cases = (ran.root / "cases.jsonl").read_text().splitlines()
    cases[3] = cases[3].replace('"n": 3', '"n": 30')
    cases[4] = cases[4].replace('"answer": 8', '"answer": 9')
    ran.write("cases.jsonl", "\n".join(cases))
    project = (
        (ran.root / "oloproof.yaml").read_text().replace("type: exact_match,", "type: exact_match, casefold: true,")
    )
    ran.write("oloproof.yaml", project)
    ran.run("run", "--quiet")
    warnings = {one["code"]: one["message"] for one in ran.run("compare", "--json").document["warnings"]}
    assert set(warnings) == {"input_changed", "expected_changed", "evaluator_changed"}
    assert "(c3)" in warnings["input_changed"]
    assert "(c4)" in warnings["expected_changed"]
    assert warnings["evaluator_changed"].startswith("right is another check")
    assert "warning expected_changed: 1 case of the same id has another" in ran.run("compare").out


def test_compare_warns_that_the_runs_count_repeats_in_other_ways(folder: Folder) -> None:
    """Half a pass of the same answers is a whole one where ``pass_when`` counts, and no difference of systems."""
    made = write_echo(folder, 4, app="from oloproof import current_case\n\n\ndef answer(case):\n"
                      "    return {'answer': case['n'] * 2 + current_case().repeat}\n")  # fmt: skip
    project = (made.root / "oloproof.yaml").read_text()
    for repeats in ("{count: 2}", "{count: 2, pass_when: 1}"):
        made.write("oloproof.yaml", f"{project}repeats: {repeats}\n")
        made.run("run", "--quiet")
    (warning,) = made.run("compare", "--json").document["warnings"]
    assert warning["code"] == "repeats_changed"
    told = "(a pass when 1 of 2 pass in the candidate, the share of 2 that pass in the baseline)"
    assert told in warning["message"]


def test_a_run_is_not_compared_with_itself(ran: Any) -> None:
    refused = ran.run("compare", "latest~1")
    assert refused.exit == 2
    assert "the candidate and the baseline are the same run, 2" in refused.err
    assert refused.err.endswith("; name two runs\n")


def test_compare_decides_by_rules_that_compare(ran: Any) -> None:
    ran.write(
        "compare.yaml",
        "version: 1\nrules:\n  - {id: not-worse, metric: right, kind: non_inferiority, margin: 0.6}\n"
        "  - {id: better, metric: right, kind: superiority}\n",
    )
    ended = ran.run("compare", "--policy", "compare.yaml", "--json")
    assert ended.exit == 1
    states = {one["rule"]: one["state"] for one in ended.document["decisions"]}
    assert states == {"not-worse": "PASS", "better": "INSUFFICIENT_EVIDENCE"}
    ran.write("compare.yaml", "rules:\n  - {id: any, metric: right, kind: non_inferiority, margin: 5}\n")
    refused = ran.run("compare", "--policy", "compare.yaml")
    assert (refused.exit, "margin: 5 lets every difference pass" in refused.err) == (2, True)


def test_intervals_of_another_level_than_the_usual_say_so(ran: Any) -> None:
    ran.write("sure.yaml", "confidence_level: 0.99\nrules:\n  - {id: floor, metric: right, min: 0.1}\n")
    told = [ran.run(*words, "--policy", "sure.yaml").out for words in (("gate",), ("compare",))]
    told.append(ran.run("export", "--format", "markdown", "--policy", "sure.yaml").out)
    assert all("99 % interval" in one for one in told)
    assert "% interval" not in ran.run("gate").out + ran.run("compare").out


def test_compare_decides_nothing_on_a_run_of_some_cases(ran: Any) -> None:
    ran.write("compare.yaml", "version: 1\nrules:\n  - {id: better, metric: right, kind: superiority}\n")
    ran.run("run", "--quiet", "--limit", "3")
    ended = ran.run("compare", "--policy", "compare.yaml", "--json")
    assert ended.exit == 1
    assert [one["reason"] for one in ended.document["decisions"]] == ["partial_run"]


def test_inspect_shows_what_was_decided_by_the_policy_of_the_run(ran: Any) -> None:
    assert [one["rule"] for one in ran.run("inspect", "--json").document["decisions"]] == ["floor"]


def test_export_withholds_where_files_lie(folder: Any) -> None:
    assert folder.run("init").exit == 0
    assert folder.run("run", "--quiet").exit == 0
    text = folder.run("export", "--format", "jsonl", "--withhold", "paths").out
    assert "lamp.jpg" in text
    assert "data/photos" not in text
    assert str(folder.root) not in text


def test_plan_says_how_many_more_cases_would_decide(ran: Any) -> None:
    rule = ran.run("plan", "--json", cold=True).document["rules"][0]
    assert rule["state"] == "INSUFFICIENT_EVIDENCE" or rule["more_at_best"] == 0
    assert "PASS from" in rule["can_decide"]
    assert "floor" in ran.run("plan").out


def test_export_csv_has_one_row_a_trial(ran: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(ran.run("export", "--format", "csv", cold=True).out)))
    assert list(rows[0]) == [
        "case_id",
        "variant",
        "repeat",
        "error",
        "seconds",
        "right",
        "right.score",
        "right.reason",
    ]
    assert [row["right"] for row in rows].count("fail") == 1


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_export_of_trials_asks_no_policy_to_fit_the_run(ran: Any, form: str) -> None:
    """A project that has grown a criterion and a rule on it still exports the runs from before."""
    ran.write("oloproof.yaml", (ran.root / "oloproof.yaml").read_text().replace("right", "newer"))
    assert ran.run("export", "--format", form, "--out", "trials").exit == 0
    assert ran.run("export", "--format", "json").exit == 2


def test_export_json_and_jsonl_hold_every_trial(ran: Any) -> None:
    assert len(json.loads(ran.run("export").out)["trials"]) == 10
    assert len(ran.run("export", "--format", "jsonl").out.splitlines()) == 10


def test_export_as_parquet_is_read_by_others(ran: Any) -> None:
    import pyarrow.parquet

    assert ran.run("export", "--format", "parquet", "--out", "run.parquet").exit == 0
    table = pyarrow.parquet.read_table(ran.root / "run.parquet")
    assert table.column("right").to_pylist().count("fail") == 1
    with (ran.root / "piped.parquet").open("wb") as piped:
        subprocess.run(ran.command("export", "--format", "parquet"), cwd=ran.root, stdout=piped, check=True)
    assert pyarrow.parquet.read_table(ran.root / "piped.parquet").equals(table)


def test_export_as_parquet_is_not_written_to_a_terminal(ran: Any) -> None:
    import pty

    terminal, end = pty.openpty()
    asked = ran.command("export", "--format", "parquet")
    done = subprocess.run(asked, cwd=ran.root, stdout=end, stderr=subprocess.PIPE, text=True, check=False)
    os.close(end)
    os.close(terminal)
    assert done.returncode == 2
    assert "name a file with --out" in done.stderr


def test_export_as_parquet_without_its_library_says_how_to_get_it(ran: Any) -> None:
    ran.write("without/pyarrow.py", "raise ImportError('not here')")
    ended = ran.run("export", "--format", "parquet", "--out", "x", env={"PYTHONPATH": str(ran.root / "without")})
    assert ended.exit == 2
    assert "pip install '.[parquet]'" in ended.err
    assert "Traceback" not in ended.err
    assert not (ran.root / "x").exists()


def test_export_writes_a_file_whole_or_not_at_all(ran: Any) -> None:
    ended = ran.run("export", "--format", "junit", "--out", "deep/er/j.xml")
    assert ended.exit == 0
    assert (ran.root / "deep/er/j.xml").read_text().startswith("<?xml")
    refused = ran.run("export", "--out", "app.py/x.json")
    assert refused.exit == 2
    assert "cannot write" in refused.err


def test_report_writes_one_html_file(ran: Any) -> None:
    assert ran.run("report", "--html", "r.html", cold=True).exit == 0
    page = (ran.root / "r.html").read_text()
    assert "c7" in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_cache_clear_lets_the_next_run_execute_and_leaves_runs_alone(ran: Any) -> None:
    assert ran.run("cache", "stats", "--json", cold=True).document["answers"] == 20
    assert ran.run("cache", "clear", "--yes").exit == 0
    assert len(ran.run("inspect", "--case", "c1", "--json").document["trials"]) == 1
    assert ran.run("run", "--json").document["executions"]["run"] == 10


def test_reading_where_no_project_is_says_so(folder: Any) -> None:
    ended = folder.run("runs")
    assert ended.exit == 2
    assert "oloproof.yaml  no such file" in ended.err
    assert not (folder.root / ".oloproof").exists()


def test_reading_where_nothing_was_run_says_so(echo: Any) -> None:
    folder = echo(1)
    ended = folder.run("runs")
    assert ended.exit == 2
    assert "no runs" in ended.err
    assert not (folder.root / ".oloproof").exists()


def test_output_into_a_closed_pipe_is_no_crash(ran: Any) -> None:
    line = " ".join(f"'{word}'" if " " in word else word for word in ran.command("export", "--format", "jsonl"))
    done = subprocess.run(f"{line} | head -1", shell=True, cwd=ran.root, capture_output=True, text=True, check=False)  # noqa: S602
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("{")


SCALES = """\
from oloproof import evaluator


@evaluator(version="1", score_range=(0.0, TOP))
def liked(case, output):
    return 0.75


@evaluator(version="1")
def said(case, output):
    return True
"""
LIKED = '  - {type: custom, criterion: liked, callable: "app:liked"}'
SAID = '  - {type: custom, criterion: said, callable: "app:said"}'


def test_scores_on_another_scale_are_left_out_of_a_comparison_which_says_so(folder: Folder) -> None:
    """One of ten is no worse than one of five; and what else both runs measured is compared."""
    folder.cases([{"id": name, "input": name} for name in "abc"])

    def ran(version: str, top: str, *evaluators: str) -> None:
        folder.write("app.py", SCALES.replace("TOP", top) + "\n\ndef answer(case):\n    return case\n")
        system = f'system: {{name: s, version: {version}, callable: "app:answer"}}'
        head = f"version: 1\nproject: p\ndataset: cases.jsonl\n{system}\nevaluators:\n"
        folder.write("oloproof.yaml", head + "\n".join(evaluators) + "\n")
        assert folder.run("run", "--quiet").exit == 0

    ran("v1", "5.0", LIKED)
    ran("v2", "10.0", LIKED)
    ended = folder.run("compare", "v2", "v1")
    assert ended.exit == 2
    assert "liked: the scales of the scores differ" in ended.err

    ran("v3", "5.0", LIKED, SAID)
    ran("v4", "10.0", LIKED, SAID)
    document = folder.run("compare", "v4", "v3", "--json").document
    assert [one["criterion"] for one in document["comparisons"]] == ["said"]
    assert "measured liked in this way" in " ".join(one["message"] for one in document["warnings"])

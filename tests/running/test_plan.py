"""A run before it runs: which trials, in which order, and what is refused before the first of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oloproof.config import load_project
from oloproof.errors import ConfigError, DatasetError
from oloproof.evaluators import builtin_registry
from oloproof.running.plan import Plan, Selection, make_plan


def plan_of(root: Path, selection: Selection | None = None) -> Plan:
    registry = builtin_registry()
    return make_plan(load_project(root, registry.options()), registry, selection or Selection())


def test_trials_come_case_by_case_and_repeat_by_repeat(echo: Callable[..., Any]) -> None:
    plan = plan_of(echo(2, more="repeats: 3\n").root)
    trials = list(plan.enumerate(set()))
    assert [(trial.index, trial.case.id, trial.repeat) for trial in trials] == [
        (0, "c0", 0),
        (1, "c0", 1),
        (2, "c0", 2),
        (3, "c1", 0),
        (4, "c1", 1),
        (5, "c1", 2),
    ]
    assert plan.trials == 6


def test_what_is_done_is_left_out_and_the_rest_keeps_its_place(echo: Callable[..., Any]) -> None:
    plan = plan_of(echo(4).root)
    assert [trial.index for trial in plan.enumerate({0, 2})] == [1, 3]


def test_a_selection_takes_cases_by_id_or_by_number(echo: Callable[..., Any]) -> None:
    root = echo(5).root
    by_id = plan_of(root, Selection(cases=("c3", "c1", "c3")))
    assert ([trial.case.id for trial in by_id.enumerate(set())], by_id.cases) == (["c1", "c3"], 2)
    by_number = plan_of(root, Selection(limit=9))
    assert (by_number.cases, by_number.selection.partial) == (5, True)


def test_an_unknown_case_is_refused_with_the_nearest(echo: Callable[..., Any]) -> None:
    with pytest.raises(ConfigError, match=r"there is no such case; did you mean c1"):
        plan_of(echo(2).root, Selection(cases=("c1x",)))


@pytest.mark.parametrize(
    ("change", "same"),
    [
        (lambda folder: folder.write("release.yaml", "version: 1\nrules: [{id: a, metric: right, min: 0.1}]\n"), True),
        (lambda folder: _replace(folder, "project: echo", "project: renamed"), True),
        (lambda folder: _replace(folder, "version: v1", "version: v2"), False),
        (lambda folder: _replace(folder, "field: answer,", "field: answer, casefold: true,"), False),
        (lambda folder: folder.write("app.py", "def answer(case): return {'answer': 0}\n"), False),
    ],
)
def test_the_digest_tells_whether_a_run_would_do_the_same(
    echo: Callable[..., Any], change: Callable[[Any], object], same: bool
) -> None:
    folder = echo(2)
    before = plan_of(folder.root).config_digest
    change(folder)
    assert (plan_of(folder.root).config_digest == before) is same


def _replace(folder: Any, old: str, new: str) -> None:
    path = folder.root / "oloproof.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("{id: a, metric: right, min: 1.5}", "outside 0 to 1"),
        ("{id: a, metric: right, max: -0.1}", "outside 0 to 1"),
        ("{id: a, metric: right, kind: equivalence, margin: 5}", "5 lets every difference pass: 1 is the most"),
        ("{id: a, metric: wrong, min: 0.5}", "right"),
        ("{id: a, metric: right, min: 80}", r"oloproof\.yaml:7:46  policy\.rules\[0\]\.min: 80 is outside 0 to 1"),
        (
            "{id: a, metric: right, min: 0.5, variant: blurred}",
            r"policy\.rules\[0\]\.variant: there is no variant 'blurred'",
        ),
        ("{id: a, metric: right, min: 0.5, slice: {langage: de}}", "did you mean language?"),
        (
            "{id: a, metric: right, kind: superiority, decide_on: estimate}",
            r"rules\[0\]\.decide_on: .* kind: superiority does not decide on it",
        ),
        ("{id: a, metric: right, max_failures: 1, decide_on: estimate}", "max_failures: does not decide on it"),
        ("{id: a, metric: right, min: 0.5, estimand: human_rate}", "right asks no model"),
        ("{id: a, metric: right, max_failures: 1, estimand: human_rate}", "max_failures: counts what the judge says"),
        ("{id: a, metric: right.missing_rate, max: 0.1, estimand: human_rate}", "missing_rate is about what the judge"),
        ("{id: a, metric: right, min: 0.5, slice: {q: de}}", "the slice fields are language"),
    ],
)
def test_a_rule_that_can_never_hold_is_refused_before_anything_runs(
    echo: Callable[..., Any], rule: str, words: str
) -> None:
    folder = echo(2, more=f"policy: {{rules: [{rule}]}}\n")
    folder.cases([{"id": "a", "input": {"n": 1}, "slice": {"language": "de"}}])
    with pytest.raises(ConfigError, match=words):
        plan_of(folder.root)


@pytest.mark.parametrize("rule", ["variant: original", "slice: {language: fr}"])
def test_a_rule_over_the_original_or_over_a_value_that_no_case_has_is_taken(
    echo: Callable[..., Any], rule: str
) -> None:
    folder = echo(2, more=f"policy: {{rules: [{{id: a, metric: right, min: 0.5, {rule}}}]}}\n")
    folder.cases([{"id": "a", "input": {"n": 1}, "slice": {"language": "de"}}])
    assert plan_of(folder.root).cases == 1


SCORE = """\
  - {type: custom, criterion: quality, callable: "checks:quality"}
policy: {rules: [{id: a, metric: quality, max_failures: 0}, {id: b, metric: quality.error_rate, max_failures: 0}]}
"""


def test_counting_failures_of_a_score_is_refused_for_nothing_fails_it(echo: Callable[..., Any]) -> None:
    folder = echo(2, more=SCORE)
    folder.write(
        "checks.py",
        "from oloproof import evaluator\n\n@evaluator(score_range=(0, 1))\ndef quality(output):\n    return 0.0\n",
    )
    with pytest.raises(
        ConfigError, match=r"criterion quality is a score.*use min: or max:, or give it a pass_at"
    ) as told:
        plan_of(folder.root)
    assert [problem.path for problem in told.value.problems] == ["policy.rules[0].max_failures"]
    path = folder.root / "oloproof.yaml"
    path.write_text(path.read_text().replace('"checks:quality"', '"checks:quality", pass_at: 0.5'))
    assert plan_of(folder.root).cases == 2


def test_everything_wrong_beyond_the_files_form_is_told_at_once_each_at_its_place(
    echo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = echo(
        1,
        app="def other(case): pass\n",
        more="""\
          - {type: custom, criterion: sharp, callable: "nosuch:sharp"}
          - type: json_schema
            criterion: shaped
            schema: {type: 7}
        concurrency: 1
        """,
    )
    folder.write("release.yaml", "version: 1\nrules:\n  - {id: a, metric: right, min: 80}\n")
    folder.write("cases.jsonl", '{"id": "a"}\n{"id": "b", "input": 1}\n{"id": "b", "input": 2}\n')
    monkeypatch.chdir(folder.root)
    with pytest.raises(ConfigError) as told:
        plan_of(folder.root)
    places = [(one.file, one.line, one.column, one.path) for one in told.value.problems]
    assert places[:4] == [
        ("oloproof.yaml", 4, 45, "system.callable"),
        ("oloproof.yaml", 7, 5, "evaluators[1]"),
        ("oloproof.yaml", 8, 5, "evaluators[2]"),
        ("release.yaml", 3, 33, "rules[0].min"),
    ]
    assert [place[:2] for place in places[4:]] == [("cases.jsonl", 1), ("cases.jsonl", 3)]
    assert "oloproof.yaml:4:45  system.callable: app:answer: app has no answer" in str(told.value)


def test_a_dataset_that_is_all_that_is_wrong_keeps_its_own_error(echo: Callable[..., Any]) -> None:
    folder = echo(1)
    folder.write("cases.jsonl", '{"id": "a"}\n')
    with pytest.raises(DatasetError, match=r"cases\.jsonl:1"):
        plan_of(folder.root)


def test_rules_over_an_evaluator_that_is_broken_are_not_refused_for_it(echo: Callable[..., Any]) -> None:
    folder = echo(
        1,
        more="""\
          - {type: custom, criterion: sharp, callable: "nosuch:sharp"}
        policy: {rules: [{id: a, metric: sharp, min: 5}, {id: b, metric: sharp.error_rate, max: 0.5}]}
        """,
    )
    with pytest.raises(ConfigError) as told:
        plan_of(folder.root)
    assert [problem.path for problem in told.value.problems] == ["evaluators[1]"]


@pytest.mark.parametrize(
    ("system", "place"),
    [
        ("{name: e, command: [nosuchprogram]}", r"oloproof\.yaml:4:28  system\.command: there is no program"),
        ("{name: e, command: [./gone]}", r"oloproof\.yaml:4:28  system\.command: there is no program"),
        (
            "{name: e, http: {url: 'http://localhost:1', headers_env: {X-Key: NO_SUCH_KEY}}}",
            r"oloproof\.yaml:4:\d+  system\.http\.headers_env: the environment variable NO_SUCH_KEY is not set",
        ),
    ],
)
def test_what_is_found_when_the_system_is_opened_begins_with_its_place(
    echo: Callable[..., Any], system: str, place: str
) -> None:
    folder = echo(1)
    _replace(folder, '{name: echo, version: v1, callable: "app:answer"}', system)
    for command in ("check", "run"):
        ended = folder.run(command)
        assert ended.exit == 2
        assert re.search(place, ended.err), ended.err
        assert "Traceback" not in ended.err

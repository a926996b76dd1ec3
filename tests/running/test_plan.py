"""A run before it runs: which trials, in which order, and what is refused before the first of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oloproof.config import load_project
from oloproof.errors import ConfigError, OloproofError
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
        ("{id: a, metric: wrong, min: 0.5}", "right"),
    ],
)
def test_a_rule_that_can_never_hold_is_refused_before_anything_runs(
    echo: Callable[..., Any], rule: str, words: str
) -> None:
    with pytest.raises(OloproofError, match=words):
        plan_of(echo(2, more=f"policy: {{rules: [{rule}]}}\n").root)

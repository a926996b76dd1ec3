"""Judges of a project as its runs and its validations tell, and what probes of them found."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.storage.judges import Judges
from oloproof.storage.labels import Labels, StoredValidation
from oloproof.storage.probes import Probes
from tests.storage.conftest import Base

ONE, TWO, UNTRIED = "ab" * 32, "cd" * 32, "ef" * 32


def document(judge: str, *criteria: str) -> dict[str, Any]:
    entry = {"calls_model": True, "digest": judge, "evaluator": 0}
    plain = {"criterion": "fits", "calls_model": False, "digest": "00" * 32, "evaluator": 1}
    return {"evaluators": [*({**entry, "criterion": name} for name in criteria), plain]}


@pytest.fixture
def judges(base: Base) -> Judges:
    for judge in (ONE, TWO, ONE):
        base.store.finish(base.begin(document=document(judge, "seen", "told")), "complete")
    return Judges(base.store)


def test_judges_are_known_from_runs_the_one_seen_last_first(judges: Judges) -> None:
    found = judges.known()
    assert [(one.criterion, one.judge, one.runs, one.newest_run) for one in found] == [
        ("seen", ONE, 2, 3),
        ("told", ONE, 2, 3),
        ("seen", TWO, 1, 2),
        ("told", TWO, 1, 2),
    ]
    assert found[0].first_seen < found[2].first_seen < found[0].last_seen


def test_an_evaluator_that_asks_no_model_is_no_judge(judges: Judges) -> None:
    assert "fits" not in {one.criterion for one in judges.known()}


def test_a_judge_that_only_looked_at_labels_is_known_too(judges: Judges, base: Base) -> None:
    labels = Labels(base.store)
    for judge, look in ((UNTRIED, 1), (ONE, 2)):
        labels.add_validation(StoredValidation("seen", judge, "cd" * 32, look, "VALIDATED", "r", {}))
    found = {(one.criterion, one.judge): one for one in judges.known()}
    untried = found["seen", UNTRIED]
    assert (untried.runs, untried.newest_run, untried.looks) == (0, None, 1)
    assert (found["seen", ONE].runs, found["seen", ONE].looks) == (2, 1)


def test_the_runs_of_a_judge_are_found_newest_first(judges: Judges) -> None:
    assert judges.runs_with("seen", ONE) == [3, 1]
    assert judges.runs_with("seen", UNTRIED) == []
    assert judges.runs_with("fits", ONE) == []


def test_probes_are_kept_newest_first_and_none_is_replaced(base: Base) -> None:
    probes = Probes(base.store)
    for number in range(2):
        probes.add("seen", ONE, {"number": number, "ü": None})
    probes.add("seen", TWO, {})
    assert [one.document for one in probes.of(ONE)] == [{"number": 1, "ü": None}, {"number": 0, "ü": None}]
    assert probes.of(ONE)[0].time > 0
    assert probes.of(UNTRIED) == []

"""Repeats of every member: each an execution of its own, and only those that are missing are asked."""

from __future__ import annotations

from collections import Counter

import pytest

from oloproof.errors import RunInterrupted
from oloproof.running import Selection
from tests.variants.conftest import APP, Lab

TWICE = "repeats: {count: 2, pass_when: 2}\nvariants:\n  - delivery: {field: photo, apply: [jpeg-40]}\n"


def test_every_member_is_asked_so_often_and_no_answer_fills_two_places(lab: Lab) -> None:
    lab.project(TWICE)
    result = lab.run()
    assert Counter(lab.asked()) == {"original": 6, "jpeg-40": 6}
    assert result.run.trials == 12
    assert len({trial.execution_id for trial in lab.trials().values()}) == 12


def test_more_repeats_ask_for_those_only(lab: Lab) -> None:
    lab.project(TWICE)
    lab.run()
    lab.asked()
    lab.project(TWICE.replace("count: 2", "count: 3"))
    lab.run()
    assert Counter(lab.asked()) == {"original": 3, "jpeg-40": 3}


FLAKY = APP.replace(
    'photo = case.get("photo")\n',
    'photo = case.get("photo")\n    if current_case().variant == "jpeg-40" and current_case().repeat == 1: return {}\n',
)


def test_a_case_passes_a_member_when_so_many_of_its_repeats_pass(lab: Lab) -> None:
    lab.project(TWICE, app=FLAKY)
    metrics = {one.variant: one for one in lab.run().conclusion.metrics if one.criterion == "right"}
    assert (metrics["original"].passed, metrics["jpeg-40"].passed) == (3, 0)
    lab.project(TWICE.replace("pass_when: 2", "pass_when: 1"), app=FLAKY)
    metrics = {one.variant: one for one in lab.run().conclusion.metrics if one.criterion == "right"}
    assert (metrics["original"].passed, metrics["jpeg-40"].passed) == (3, 3)


STOPPING = APP.replace(
    "def answer(case):\n",
    'def answer(case):\n    if os.path.exists("stop") and current_case().variant == "jpeg-40":\n'
    "        raise KeyboardInterrupt\n",
)


def test_a_group_that_was_stopped_half_way_asks_for_the_rest(lab: Lab) -> None:
    lab.project(TWICE, app=STOPPING)
    (lab.root / "stop").touch()
    with pytest.raises(RunInterrupted):
        lab.run()
    (lab.root / "stop").unlink()
    done = Counter(lab.asked())
    lab.run(resume=True)
    assert done["jpeg-40"] == 0
    assert Counter(lab.asked()) + done == {"original": 6, "jpeg-40": 6}
    assert len(lab.trials()) == 12


def test_a_part_of_the_cases_has_whole_families(lab: Lab) -> None:
    lab.project(TWICE)
    assert lab.run(selection=Selection(("c1",))).run.trials == 4

"""A sample as one person labels it, and one answer at a time."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.labels.answering import Answered, ShownOtherwise, keep_answer
from oloproof.labels.gathering import gather
from oloproof.labels.problems import LabelsError
from oloproof.labels.queue import Queue, Samples
from oloproof.storage import StoredRun
from tests.labels.conftest import Labelling
from tests.storage.conftest import entry


def queue_of(desk: Labelling, samples: Samples, run: StoredRun, who: str = "ann", guide: str = "1") -> Queue:
    sample = desk.labels.samples(criterion="good", run=run.number, purpose="validate")[0]
    return samples.queue(run, sample, who, guide)


def answer(run: StoredRun, case: str, passed: str = "pass", **more: Any) -> Answered:
    return Answered(
        **{"run": run.id, "case_id": case, "criterion": "good", "passed": passed, "labelled_by": "ann", **more}
    )


def test_a_queue_has_the_cases_of_the_sample_in_its_order_so_that_whoever_stops_has_labelled_a_prefix(
    desk: Labelling,
) -> None:
    run = desk.plain_run(9)
    order = [place.case_id for place in desk.draw(run, 6).places]
    samples = Samples(desk.history)
    queue = queue_of(desk, samples, run)
    assert [trial.case_id for trial in queue.queued.trials] == order
    assert (len(queue), queue.done, queue.open_after(-1)) == (6, 0, (0, 1, 2, 3, 4, 5))
    for case in order[:2]:
        keep_answer(samples.claims(), answer(run, case))
    found = gather(desk.history, run, "good")
    assert [one.case_id for one in found.prefix] == order[:2]
    assert found.missing == ()


def test_the_next_open_cases_are_those_behind_the_last_answer_and_then_those_before_it(desk: Labelling) -> None:
    run = desk.plain_run(5)
    order = [place.case_id for place in desk.draw(run, 5).places]
    samples = Samples(desk.history)
    for place in (1, 3):
        keep_answer(samples.claims(), answer(run, order[place]))
    queue = queue_of(desk, samples, run)
    found = [queue.open_after(place) for place in range(-1, 5)]
    assert found == [(0, 2, 4), (2, 4, 0), (2, 4, 0), (4, 0, 2), (4, 0, 2), (0, 2, 4)]
    for place in (0, 2, 4):
        keep_answer(samples.claims(), answer(run, order[place]))
    assert queue_of(desk, samples, run).open_after(-1) == ()


def test_every_person_and_every_guide_has_a_queue_of_its_own(desk: Labelling) -> None:
    run = desk.plain_run(3)
    order = [place.case_id for place in desk.draw(run, 3).places]
    samples = Samples(desk.history)
    keep_answer(samples.claims(), answer(run, order[0]))
    assert queue_of(desk, samples, run).done == 1
    assert queue_of(desk, samples, run, " ann ").done == 1
    assert queue_of(desk, samples, run, "bob").done == 0
    assert queue_of(desk, samples, run, guide="2").done == 0


def test_a_longer_sample_and_a_case_taken_for_development_are_noticed_though_queues_are_kept(desk: Labelling) -> None:
    run = desk.plain_run(8)
    desk.draw(run, 3)
    samples = Samples(desk.history)
    assert len(queue_of(desk, samples, run)) == 3
    desk.draw(run, 5)
    assert len(queue_of(desk, samples, run)) == 5
    sample = desk.labels.samples(criterion="good", run=run.number)[0]
    queued = queue_of(desk, samples, run).queued
    desk.labels.spend(sample, queued.shown[:1])
    with pytest.raises(LabelsError, match="no criterion"):
        keep_answer(samples.claims(), answer(run, "c0", criterion="nope"))
    assert desk.labels.samples(criterion="good", purpose="validate") == []


def test_a_new_answer_takes_the_place_of_the_same_persons_earlier_one(desk: Labelling) -> None:
    run = desk.plain_run(3)
    case = desk.draw(run, 3).places[0].case_id
    claims = Samples(desk.history).claims()
    assert keep_answer(claims, answer(run, case, "pass", note="clear")).became == "added"
    assert keep_answer(claims, answer(run, case, "pass")).became == "unchanged"
    assert keep_answer(claims, answer(run, case, "unsure")).became == "replaced"
    (label,) = desk.labels.labels(criterion="good")
    assert (label.passed, label.note, label.purpose) == (None, "clear", "validate")
    keep_answer(claims, answer(run, case, "unsure", note=""))
    assert desk.labels.labels(criterion="good")[0].note == ""


def test_an_answer_is_held_to_the_rules_of_a_sheet(desk: Labelling) -> None:
    run = desk.plain_run(6)
    desk.draw(run, 3)
    left = {f"c{n}" for n in range(6)} - {place.case_id for place in desk.draw(run, 3).places}
    claims = Samples(desk.history).claims()
    assert keep_answer(claims, answer(run, left.pop())).label.purpose == "develop"
    for given, said in [
        (answer(run, "none-such"), "no case 'none-such'"),
        (answer(run, "c0", "perhaps"), "passed is 'perhaps'"),
        (answer(run, "c0", ""), "passed is ''"),
        (answer(run, "c0", labelled_by="  "), "not said who"),
        (answer(run, "c0", labelled_by="x" * 201), "at most 200"),
        (answer(run, "c0", note="x" * 2001), "at most 2,000"),
        (answer(run, "c0", variant="mirror"), "has no variant"),
    ]:
        with pytest.raises(LabelsError, match=said):
            keep_answer(claims, given)
    with pytest.raises(ShownOtherwise, match="something else"):
        keep_answer(claims, answer(run, "c0", shown="00" * 32))


@pytest.mark.parametrize("name", ["=1+1", "'=1+1", "'", "007", "12.0", "a;b\n c", "-5"])
def test_a_case_of_any_name_is_found_as_it_is_called(desk: Labelling, name: str) -> None:
    run = desk.judged_run(entry(0, {"n": 1}, case=name), entry(1, {"n": 2}))
    samples = Samples(desk.history)
    assert keep_answer(samples.claims(), answer(run, name)).label.case_id == name

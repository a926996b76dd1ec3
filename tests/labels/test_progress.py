"""How far the labels are, and how many more are needed at the least."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from oloproof.labels.problems import LabelsError
from oloproof.labels.progress import CLASS_MINIMUM, MINIMUM, further_labels, status_document
from oloproof.reports.labels import labels_text
from tests.labels.conftest import Labelling


@pytest.mark.parametrize(
    ("passed", "failed", "further"),
    [
        (0, 0, 50),
        (25, 25, 0),
        (30, 20, 0),
        (10, 5, 45),
        (45, 5, 150),
        (60, 20, 0),
        (60, 0, None),
        (30, 0, 20),
        (40, 10, 50),
    ],
)
def test_further_labels_bring_fifty_in_all_and_twenty_of_each(passed: int, failed: int, further: int | None) -> None:
    assert further_labels(passed, failed) == further


@given(some.integers(1, 200), some.integers(1, 200))
def test_as_many_more_at_the_same_rate_are_enough(passed: int, failed: int) -> None:
    further = further_labels(passed, failed)
    assert further is not None
    total = passed + failed
    assert total + further >= MINIMUM
    for count in (passed, failed):
        assert count >= CLASS_MINIMUM or (total + further) * count / total >= CLASS_MINIMUM - 1e-9


def test_the_status_counts_labels_persons_answers_and_the_sample(desk: Labelling) -> None:
    run = desk.plain_run(6)
    order = [place.case_id for place in desk.draw(run, 4).places]
    left = next(f"c{n}" for n in range(6) if f"c{n}" not in order)
    desk.answer(run, {order[0]: "pass", order[1]: "fail", order[2]: "unsure"})
    desk.answer(run, {order[0]: "fail"}, who="bob")
    desk.take([{"case_id": left, "run": run.id, "criterion": "good", "passed": "pass"}])
    (one,) = status_document(desk.history)["criteria"]
    assert (one["criterion"], one["labels"]) == ("good", {"validate": 4, "develop": 1})
    assert (one["persons"], one["guides"]) == (["ann", "bob"], ["1"])
    assert (one["pass"], one["fail"], one["unsure"]) == (2, 2, 1)
    (sample,) = one["samples"]
    assert (sample["run"], sample["purpose"], sample["size"], sample["frame"]) == (run.id, "validate", 4, 6)
    assert (sample["labelled"], sample["settled"], sample["unsettled"]) == (3, 1, [order[0]])
    assert (one["needed"]["pass"], one["needed"]["fail"], one["needed"]["skipped"]) == (0, 1, 2)
    assert one["needed"]["further"] == 49


def test_the_text_says_the_same_and_names_what_people_are_split_on(desk: Labelling) -> None:
    assert "oloproof labels export" in labels_text(status_document(desk.history))
    run = desk.plain_run(2)
    desk.answer(run, {"c0": "pass", "c1": "fail"})
    desk.answer(run, {"c0": "fail"}, who="bob")
    text = labels_text(status_document(desk.history), width=100)
    for words in ("3 labels to validate", "1 pass, 2 fail, 0 unsure", "by ann, bob", "2 of 2", "split on 1 case", "c0"):
        assert words in text, words


def test_one_criterion_can_be_asked_for(desk: Labelling) -> None:
    with pytest.raises(LabelsError, match="nothing was sampled yet; oloproof labels export begins"):
        status_document(desk.history, "good")
    run = desk.plain_run(2)
    desk.draw(run)
    (one,) = status_document(desk.history, "good")["criteria"]
    assert (one["labels"], one["persons"], one["needed"]["further"]) == ({"validate": 0, "develop": 0}, [], 50)
    with pytest.raises(LabelsError, match="for 'fits'; there are samples and labels of good"):
        status_document(desk.history, "fits")


def test_a_spent_sample_is_shown_as_develop(desk: Labelling) -> None:
    from oloproof.labels.gathering import spend

    run = desk.plain_run(2)
    desk.answer(run, {"c0": "pass", "c1": "fail"})
    spend(desk.history, desk.labels.samples()[0])
    (one,) = status_document(desk.history)["criteria"]
    assert one["labels"] == {"validate": 0, "develop": 2}
    assert [(sample["purpose"], sample["size"], sample["labelled"]) for sample in one["samples"]] == [("develop", 2, 2)]
    assert one["needed"]["further"] == 50

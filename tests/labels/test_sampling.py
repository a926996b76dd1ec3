"""Samples are random, the same everywhere, extended by longer ones, and never serve two purposes."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as some

from oloproof.labels.problems import LabelsError
from oloproof.labels.sampling import draw, frame_of, members_of, order_key, sample_of
from oloproof.records import Verdict
from oloproof.storage import StoredRun
from tests.labels.conftest import PASSED, Labelling
from tests.storage.conftest import entry

FAILED = Verdict.failed("no")


def ids(drawn: object) -> list[str]:
    return [place.case_id for place in drawn.places]  # type: ignore[attr-defined]


def spoiled(desk: Labelling, run: StoredRun, *cases: str) -> None:
    """Label cases by hand, which makes them cases for development."""
    desk.take([{"case_id": case, "run": run.id, "criterion": "good", "passed": "pass"} for case in cases])


@given(some.sets(some.text(min_size=1), max_size=30), some.text(min_size=1), some.integers(0, 30))
def test_the_order_depends_on_seed_and_id_alone_so_what_is_left_out_moves_nothing(
    cases: set[str], seed: str, left_out: int
) -> None:
    order = sorted(cases, key=lambda case: order_key(seed, case))
    rest = set(sorted(cases)[left_out:])
    assert [case for case in order if case in rest] == sorted(rest, key=lambda case: order_key(seed, case))


def test_the_order_is_the_published_one() -> None:
    assert order_key("seed", "c1") == hashlib.sha256(b"seedc1").hexdigest()


def test_a_longer_sample_extends_a_shorter_one_and_a_shorter_one_takes_nothing_back(desk: Labelling) -> None:
    run = desk.plain_run(40)
    sizes = [5, 17, 3, 40]
    drawn = [desk.draw(run, size) for size in sizes]
    assert [len(one.places) for one in drawn] == sizes
    for one in drawn:
        assert ids(one) == ids(drawn[-1])[: len(one.places)]
    assert [one.sample.size for one in drawn] == [5, 17, 17, 40]
    assert len({one.sample.id for one in drawn}) == 1
    assert ids(drawn[-1]) != sorted(ids(drawn[-1]))


def test_without_a_size_it_is_a_hundred_or_what_was_drawn_before(desk: Labelling) -> None:
    run = desk.plain_run(130)
    assert len(desk.draw(run, 7).places) == 7
    assert len(desk.draw(run).places) == 7
    assert len(draw(desk.history, run, "fits").places) == 100


def test_two_seeds_give_two_orders_and_one_seed_one(desk: Labelling) -> None:
    run = desk.plain_run(30)
    one, same, other = (frame_of(desk.history, run, "good", seed) for seed in ("a", "a", "b"))
    assert one == same
    assert one != other
    assert {place.case_id for place in one} == {place.case_id for place in other}


def test_the_seed_is_random_and_recorded_before_any_label(desk: Labelling) -> None:
    run = desk.plain_run(3)
    seed = desk.draw(run).sample.seed
    assert [one.seed for one in desk.labels.samples()] == [seed]
    assert len(seed) == 16
    other = draw(desk.history, run, "fits").sample.seed
    assert other != seed


def test_only_cases_that_ran_and_have_a_verdict_pass_or_fail_are_in_the_frame(desk: Labelling) -> None:
    verdicts = [PASSED, FAILED, Verdict.invalid("prose"), Verdict.missing("timeout")]
    entries = [entry(n, verdicts=(verdict, PASSED)) for n, verdict in enumerate(verdicts)]
    broken = entry(9, error="broke", verdicts=(FAILED, PASSED))
    assert sorted(ids(desk.draw(desk.judged_run(*entries, broken)))) == ["c0", "c1"]


def test_each_case_is_there_once_with_one_of_its_usable_executions(desk: Labelling) -> None:
    entries = []
    for n in range(60):
        repeat = n % 3
        verdict = Verdict.missing("x") if repeat == 1 else PASSED
        entries.append(entry(n, n, case=f"c{n // 3}", repeat=repeat, verdicts=(verdict, PASSED)))
    places = desk.draw(desk.judged_run(*entries)).places
    assert len({place.case_id for place in places}) == len(places) == 20
    assert {place.repeat for place in places} == {0, 2}


def test_a_second_seed_for_a_validation_sample_is_refused(desk: Labelling) -> None:
    run = desk.plain_run(5)
    desk.draw(run, 2, seed="first")
    with pytest.raises(LabelsError, match=r"drawn by the seed 'first', not 'second'; .* leave --seed out"):
        desk.draw(run, 2, seed="second")
    assert desk.draw(run, 3, seed="first").sample.size == 3


def test_what_develops_a_judge_never_validates_it_and_the_other_way_round(desk: Labelling) -> None:
    run = desk.plain_run(10)
    spoiled(desk, run, "c1", "c2")
    validate = desk.draw(run, 5)
    develop = desk.draw(run, purpose="develop")
    assert not set(ids(validate)) & {"c1", "c2"}
    assert not set(ids(develop)) & set(ids(validate))
    assert {"c1", "c2"} <= set(ids(develop))
    assert {notice.code for notice in develop.notices} == {"small_frame"}


def test_when_no_case_is_left_for_a_purpose_that_is_told(desk: Labelling) -> None:
    run = desk.plain_run(10)
    desk.draw(run, 10)
    with pytest.raises(LabelsError, match=r"all 10 cases .* serve the purpose validate; .* add cases"):
        desk.draw(run, purpose="develop")


def test_a_case_that_is_lost_to_development_lets_no_other_move_up(desk: Labelling) -> None:
    run = desk.plain_run(10)
    whole = frame_of(desk.history, run, "good", "s")
    spoiled(desk, run, whole[2].case_id)
    drawn = desk.draw(run, 4, seed="s")
    assert ids(drawn) == [place.case_id for place in (*whole[:2], *whole[3:5])]
    assert drawn.sample.size == 5
    assert members_of(desk.history, desk.labels, run, drawn.sample) == list(drawn.places)


def test_a_rerun_is_sampled_by_the_same_seed_so_that_labels_count_again(desk: Labelling) -> None:
    first = desk.draw(desk.plain_run(20), 8)
    second = desk.draw(desk.plain_run(20), 8)
    assert first.sample.run != second.sample.run
    assert ids(first) == ids(second)


def test_a_run_without_a_sample_has_the_one_of_an_earlier_run_carried_over(desk: Labelling) -> None:
    drawn = desk.draw(desk.plain_run(20), 8)
    last = order_key(drawn.sample.seed, ids(drawn)[-1])
    run = desk.plain_run(30)
    carried = sample_of(desk.history, desk.labels, run, "good")
    assert carried is not None
    assert (carried.run, carried.seed, carried.frame) == (run.number, drawn.sample.seed, 30)
    expected = [f"c{n}" for n in range(30) if order_key(drawn.sample.seed, f"c{n}") <= last]
    assert carried.size == len(expected) >= 8
    assert sample_of(desk.history, desk.labels, run, "fits") is None


def test_what_cannot_be_sampled_is_told(desk: Labelling) -> None:
    with pytest.raises(LabelsError, match="is stopped, so no sample can be drawn of it yet; oloproof run --resume"):
        desk.draw(desk.judged_run(entry(0), state="stopped"))
    run = desk.judged_run(entry(0, verdicts=(Verdict.missing("x"), PASSED)))
    with pytest.raises(LabelsError, match="has no case with a verdict pass or fail of good"):
        desk.draw(run)
    with pytest.raises(LabelsError, match=r"has no criterion 'goods'; did you mean good\?"):
        draw(desk.history, run, "goods")
    for seed in ("", "x" * 201, "a\nb"):
        with pytest.raises(LabelsError, match="a seed is 1 to 200 printable characters"):
            desk.draw(run, seed=seed)


def test_what_a_reader_should_know_is_noticed(desk: Labelling) -> None:
    run = desk.judged_run(entry(0), partial=True)
    assert [one.code for one in draw(desk.history, run, "fits").notices] == [
        "not_a_judge",
        "partial_run",
        "small_frame",
    ]
    assert [one.code for one in draw(desk.history, run, "good", size=1).notices] == ["partial_run"]

"""What people say together: majority, ties, gaps, and which labels bear on which run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from oloproof.labels.gathering import LabelledCase, LabelSet, gather, spend
from oloproof.labels.problems import LabelsError
from oloproof.storage import StoredRun
from tests.labels.conftest import Labelling
from tests.storage.conftest import entry


def gathered(desk: Labelling, run: StoredRun, **more: object) -> LabelSet:
    return gather(desk.history, run, "good", **more)  # type: ignore[arg-type]


def say(desk: Labelling, run: StoredRun, **votes: str) -> None:
    """Label cases: ``c0="ppf"`` lets three persons say pass, pass and fail; ``u`` is unsure."""
    words = {"p": "pass", "f": "fail", "u": "unsure"}
    rows = [
        {**row, "passed": words[letter], "labelled_by": f"person {number}"}
        for row in desk.sheet(run)
        for number, letter in enumerate(votes.get(row["case_id"], ""))
    ]
    desk.take(rows)


@pytest.mark.parametrize(
    ("votes", "passed", "persons", "split"),
    [
        ("p", True, 1, False), ("f", False, 1, False), ("u", None, 1, False), ("", None, 0, False),
        ("ppf", True, 3, False), ("pff", False, 3, False), ("pf", None, 2, True), ("ppff", None, 4, True),
        ("pu", True, 2, False), ("uuf", False, 3, False), ("pfu", None, 3, True), ("uu", None, 2, False),
    ],
)  # fmt: skip
def test_the_reference_is_the_majority_of_those_who_said_pass_or_fail(
    desk: Labelling, votes: str, passed: bool | None, persons: int, split: bool
) -> None:
    run = desk.plain_run(1)
    desk.draw(run)
    if votes:
        say(desk, run, c0=votes)
    found = gathered(desk, run)
    (case,) = found.cases
    assert (case.passed, case.persons, case.split) == (passed, persons, split)
    assert found.unsettled == (("c0",) if split else ())
    assert [one.case_id for one in found.settled] == ([] if passed is None else ["c0"])


def test_alpha_takes_the_cases_that_two_people_or_more_gave_a_verdict(desk: Labelling) -> None:
    run = desk.plain_run(4)
    desk.draw(run)
    say(desk, run, c0="pf", c1="ppu", c2="pu", c3="f")
    assert sorted(gathered(desk, run).units) == [(True, False), (True, True)]


@given(some.lists(some.sampled_from(["none", "unsure", "settled"]), max_size=12))
def test_the_labelled_cases_count_as_a_prefix_and_every_gap_in_it_is_missing(states: list[str]) -> None:
    cases = tuple(
        LabelledCase(
            f"c{n}", "original", 0, n, "s", True if state == "settled" else None, int(state != "none"), "validate"
        )
        for n, state in enumerate(states)
    )
    found = LabelSet("r", "good", "validate", "1", None, cases, "", "")
    stripped = states[: max((n for n, state in enumerate(states, 1) if state != "none"), default=0)]
    assert len(found.prefix) == len(stripped)
    assert len(found.missing) == sum(state != "settled" for state in stripped)
    assert len(found.settled) + len(found.missing) == len(found.prefix)


def test_every_case_of_the_sample_is_there_in_its_order_labelled_or_not(desk: Labelling) -> None:
    run = desk.plain_run(12)
    order = [place.case_id for place in desk.draw(run, 6).places]
    say(desk, run, **{order[0]: "p", order[3]: "u"})
    found = gathered(desk, run)
    assert [one.case_id for one in found.cases] == order
    assert [one.case_id for one in found.prefix] == order[:4]
    assert [one.case_id for one in found.missing] == order[1:4]


def test_labels_bear_on_every_run_that_shows_the_same(desk: Labelling) -> None:
    first = desk.plain_run(5)
    desk.draw(first)
    say(desk, first, c0="p", c1="f", c2="p", c3="f", c4="p")
    rerun = desk.plain_run(5)
    found = gathered(desk, rerun)
    assert found.run == rerun.id
    assert {one.case_id: one.passed for one in found.cases} == {f"c{n}": n % 2 == 0 for n in range(5)}
    assert {one.execution for one in found.cases} == {trial.execution_id for trial in desk.history.trials(rerun)}
    assert found.digest == gathered(desk, first).digest
    changed = gathered(desk, desk.plain_run(5, lambda n: {"n": n} if n < 2 else "new"))
    assert {one.case_id for one in changed.settled} == {"c0", "c1"}


def test_labels_by_an_older_guide_are_left_alone(desk: Labelling) -> None:
    run = desk.plain_run(2)
    desk.answer(run, {"c0": "pass", "c1": "pass"})
    desk.answer(run, {"c0": "fail"}, guide="2")
    assert [one.passed for one in gathered(desk, run).settled] == [False]
    assert gathered(desk, run).guide == "2"
    assert len(gathered(desk, run, guide="1").settled) == 2


def test_the_digest_follows_every_label_and_the_series_follows_the_seed(desk: Labelling) -> None:
    run = desk.plain_run(3)
    desk.draw(run)
    seen = [gathered(desk, run)]
    desk.answer(run, {"c0": "pass"})
    seen.append(gathered(desk, run))
    desk.answer(run, {"c0": "pass"}, who="bob")
    seen.append(gathered(desk, run))
    desk.answer(run, {"c0": "fail"}, who="bob", replacing=True)
    seen.append(gathered(desk, run))
    assert len({one.digest for one in seen}) == 4
    assert len({one.series for one in seen}) == 1
    spend(desk.history, desk.labels.samples()[0])
    other = desk.plain_run(9)
    desk.draw(other)
    assert gathered(desk, other).series != seen[0].series


def test_labels_for_development_are_gathered_apart(desk: Labelling) -> None:
    run = desk.plain_run(6)
    desk.take([{"case_id": "c4", "run": run.id, "criterion": "good", "passed": "fail"}])
    desk.draw(run, 2)
    found = gathered(desk, run, purpose="develop")
    assert [(one.case_id, one.passed, one.purpose) for one in found.cases] == [("c4", False, "develop")]
    assert found.sample is None
    assert gathered(desk, run).settled == ()
    assert gathered(desk, desk.plain_run(6, lambda n: "other"), purpose="develop").cases == ()


def test_a_sample_seen_beside_its_verdicts_is_spent_with_its_labels_on_every_run(desk: Labelling) -> None:
    first = desk.plain_run(3)
    desk.draw(first, 2)
    say(desk, first, **{place.case_id: "pp" for place in desk.draw(first, 2).places})
    rerun = desk.plain_run(3)
    sample = desk.draw(rerun, 2).sample
    assert len(gathered(desk, rerun).settled) == 2
    assert spend(desk.history, sample) == 4
    assert gathered(desk, rerun).settled == gathered(desk, first).settled == ()
    assert len(gathered(desk, first, purpose="develop").settled) == 2
    assert {one.purpose for one in desk.labels.samples()} == {"develop"}
    fresh = desk.draw(rerun)
    assert [place.case_id for place in fresh.places] == [
        one.case_id
        for one in desk.history.trials(rerun)
        if one.case_id not in {x.case_id for x in desk.labels.labels()}
    ]


def test_a_longer_sample_of_another_run_keeps_the_cases_that_nobody_saw(desk: Labelling) -> None:
    first = desk.plain_run(3)
    say(desk, first, **{place.case_id: "pp" for place in desk.draw(first, 2).places})
    rerun = desk.plain_run(3)
    longer = desk.draw(rerun, 3)
    spend(desk.history, desk.draw(first).sample)
    (left,) = gathered(desk, rerun).cases
    assert left.case_id == longer.places[2].case_id


def test_without_a_sample_there_is_nothing_to_validate_on(desk: Labelling) -> None:
    run = desk.judged_run(entry(0))
    assert gathered(desk, run).cases == ()
    with pytest.raises(LabelsError, match="has no criterion 'none'"):
        gather(desk.history, run, "none")

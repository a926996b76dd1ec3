"""What is stored of two runs, case by case: what differs between them, and both answers side by side."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from oloproof.records import Delivery, Verdict
from oloproof.storage.pairs import CUT_OUTPUT, LONGEST_OUTPUT, Differences, PairedRuns, changed_cases
from tests.storage.conftest import PASSED, Base, entry, item


def scored(score: float | None) -> tuple[Verdict, ...]:
    return (Verdict("pass" if score is None or score > 0.5 else "fail", "because", score), PASSED)


def paired(base: Base) -> PairedRuns:
    return PairedRuns(base.history, base.history.find("new"), base.history.find("old"))


@pytest.fixture
def shop(base: Base) -> PairedRuns:
    """Cases whose name says what differs; ``twice`` has two repeats, of which the second is answered otherwise."""
    base.complete(
        entry(0, "red", case="same", key=b"0"),
        entry(1, "red", case="words", key=b"1"),
        entry(2, "red", case="bytes", key=b"2", media=(item("in.png", role="input"), item("a.png"))),
        entry(3, "red", case="input", key=b"3"),
        entry(4, "red", case="input-file", key=b"4", media=(item("in.png", role="input"), item("a.png"))),
        entry(5, "red", case="gone", key=b"5"),
        entry(6, "red", case="twice", key=b"6"),
        entry(7, "red", case="twice", key=b"7", repeat=1, verdicts=scored(0.8)),
        entry(8, "red", case="blurred", key=b"8", variant="blur-3"),
        name="old",
    )
    base.complete(
        entry(0, "red", case="same", key=b"0", reused=1),
        entry(1, "blue", case="words", key=b"11"),
        entry(2, "red", case="bytes", key=b"12", media=(item("in.png", role="input"), item("b.png"))),
        entry(3, "red", case="input", key=b"13", input_='"y"'),
        entry(4, "red", case="input-file", key=b"14", media=(item("in2.png", role="input"), item("a.png"))),
        entry(5, error="no answer", case="failed", key=b"15"),
        entry(6, "red", case="twice", key=b"16", verdicts=scored(0.4)),
        entry(7, "blue", case="twice", key=b"17", repeat=1, verdicts=scored(None)),
        entry(8, "blue", case="blurred", key=b"18", variant="blur-3"),
        name="new",
    )
    return paired(base)


def test_what_differs_is_told_apart_in_words_bytes_and_inputs(shop: PairedRuns) -> None:
    """A file that was given is no answer, and of variants the case as it is counts."""
    assert shop.differences() == Differences(frozenset({"input"}), ("words", "bytes", "twice"))


def test_other_bytes_in_a_file_of_the_same_path_are_another_input(base: Base) -> None:
    """Whether the system recorded it or not, and with nothing said of files that only one of the runs was given."""
    once, again = item("in.png", role="input"), item("in.png", role="input", sha256="f" * 64)
    for name, file in (("old", once), ("new", again)):
        recorded = {"media": (file,)} if name == "new" else {}
        base.complete(
            replace(entry(0, case="given", key=name.encode()), delivered=(Delivery("photo", file),)),
            entry(1, case="recorded", key=b"r" + name.encode(), media=(file,)),
            replace(
                entry(2, case="recorded by one", key=b"1" + name.encode(), **recorded),
                delivered=() if recorded else (Delivery("photo", file),),
            ),
            entry(3, case="kept", key=b"k" + name.encode(), media=(once,)),
            entry(4, case="of one run", key=b"o" + name.encode(), **recorded),
            name=name,
        )
    changed = {"given", "recorded", "recorded by one"}

    assert paired(base).differences().inputs == changed
    told = changed_cases(base.store, base.history.find("new"), base.history.find("old"))
    assert {case for case, given, expected in told if given and not expected} == changed


def test_other_bytes_in_a_reference_of_the_same_path_are_another_expectation(base: Base) -> None:
    def held_against(path: str, sha256: str) -> tuple[Verdict, Verdict]:
        return PASSED, Verdict("pass", "alike", 0.0, {"reference": {"path": path, "sha256": sha256 * 64}})

    for name, bytes_ in (("old", "a"), ("new", "b")):
        base.complete(
            entry(0, case="same", verdicts=held_against("one.png", "a")),
            entry(1, case="replaced", verdicts=held_against("two.png", bytes_)),
            entry(2, case="another path", verdicts=held_against(f"{name}.png", bytes_)),
            entry(3, case="none"),
            name=name,
        )
    told = changed_cases(base.store, base.history.find("new"), base.history.find("old"))
    assert told == [("replaced", False, True)]


def test_cases_of_one_run_only_are_counted_on_their_side(base: Base, shop: PairedRuns) -> None:
    assert (shop.in_both(), shop.only_in_one()) == (6, (1, 1))
    swapped = PairedRuns(base.history, shop.baseline, shop.candidate)
    assert (swapped.in_both(), swapped.only_in_one()) == (6, (1, 1))


def test_the_score_of_a_case_is_the_mean_of_those_it_has(shop: PairedRuns) -> None:
    assert shop.scores(shop.candidate, 0) == {"twice": 0.4}
    assert shop.scores(shop.baseline, 0) == {"twice": 0.8}
    assert shop.scores(shop.baseline, 1) == {}


def test_a_side_has_the_verdict_of_one_criterion_and_what_was_answered(shop: PairedRuns) -> None:
    found = shop.sides(shop.candidate, 0, ["twice", "failed", "none"])
    assert found.keys() == {"twice", "failed"}
    first, second = found["twice"]
    assert (first.repeat, first.outcome, first.score, first.output) == (0, "fail", 0.4, '"red"')
    assert (second.repeat, second.outcome, second.score, second.output) == (1, "pass", None, '"blue"')
    assert (found["failed"][0].error, found["failed"][0].output) == ("no answer", None)
    assert [one.name for one in shop.sides(shop.candidate, 0, ["bytes"])["bytes"][0].media] == ["in.png", "b.png"]
    assert shop.sides(shop.candidate, None, ["words"])["words"][0].outcome == "missing"


def test_of_an_output_that_is_too_long_the_beginning_is_read(base: Base) -> None:
    base.complete(entry(0, "x" * LONGEST_OUTPUT), name="old")
    base.complete(entry(0, "x" * (LONGEST_OUTPUT - 2), key=b"n"), name="new")
    pairs = paired(base)
    long, whole = (pairs.sides(run, 0, ["c0"])["c0"][0] for run in (pairs.baseline, pairs.candidate))
    assert (long.is_cut, len(long.output or ""), long.length) == (True, CUT_OUTPUT, LONGEST_OUTPUT + 2)
    assert (whole.is_cut, len(whole.output or "")) == (False, LONGEST_OUTPUT)

"""Two runs compared case by case, and rules on their difference."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace

from oloproof.policy import REASONS, CaseValue, Comparison, compare_cases, decide_comparison
from oloproof.statistics import tango_interval
from tests.policy.conftest import ALL, measure, reduced, rule, scores, trials

SCORE = measure(kind="score", score_range=(0.0, 5.0))
NONE = "INSUFFICIENT_EVIDENCE"
SUPERIOR, NOT_WORSE = {"kind": "superiority"}, {"kind": "non_inferiority", "margin": 0.1}
EQUAL = {"kind": "equivalence", "margin": 0.2}

UNVALIDATED = {"checked": "judge_not_validated"}


def compared(candidate: str, baseline: str, **of: Any) -> Comparison:
    chosen = measure(**of)
    return compare_cases(reduced(trials(candidate), chosen), reduced(trials(baseline), chosen), chosen, 0.95)


def test_pass_rates_take_tangos_interval_and_the_mid_p_value() -> None:
    found = compared("p" * 48 + "ff", "p" * 36 + "f" * 12 + "pp")
    assert (found.difference, found.matched, found.unmatched) == (pytest.approx(0.2), 50, 0)
    assert found.interval == (pytest.approx(0.0611, abs=5e-5), pytest.approx(0.3447, abs=5e-5))
    assert found.p_value == pytest.approx(0.012939, abs=2e-2)
    assert (len(found.fixed), len(found.broken), found.method) == (12, 2, "tango@1")
    assert (found.candidate, found.baseline) == (0.96, 0.76)


def test_runs_that_agree_in_every_case_are_not_known_to_be_equal() -> None:
    for letters in ("p" * 20, "f" * 20, "pf" * 10):
        found = compared(letters, letters)
        assert (found.difference, found.p_value) == (0.0, 1.0)
        assert found.interval == tango_interval(0, 0, 20)
        assert found.interval is not None
        assert found.interval[1] == pytest.approx(0.1611, abs=5e-5)


def test_one_case_that_changed_is_no_proof() -> None:
    assert compared("p", "f").p_value == 0.5


def test_no_common_case_gives_nothing() -> None:
    for of in ({}, {"kind": "score", "score_range": (0.0, 5.0)}):
        found = compared("", "", **of)
        assert (found.difference, found.interval, found.p_value, found.candidate, found.matched) == (
            None,
            None,
            None,
            None,
            0,
        )


def test_pairs_are_formed_before_what_is_missing_is_dropped() -> None:
    found = compared("pmfpi", "pppmp")
    assert (found.matched, found.unmatched) == (2, 3)
    assert (found.fixed, found.broken) == ((), ("c2",))
    assert found.unpaired == ("c1", "c3", "c4")


def test_a_case_in_one_run_only_is_unmatched() -> None:
    found = compare_cases(reduced(trials("pppp")), reduced(trials("pp")), measure(), 0.95)
    assert (found.matched, found.unmatched, found.unpaired) == (2, 2, ("c2", "c3"))
    swapped = compare_cases(reduced(trials("pp")), reduced(trials("pppp")), measure(), 0.95)
    assert swapped.unpaired == found.unpaired


def test_cases_that_only_the_baseline_measured_are_counted() -> None:
    assert compared("pmfpi", "pppmp").lost == 2
    assert compared("ppp", "pmi").lost == 0
    found = compare_cases(reduced(trials("pp")), reduced(trials("pppm")), measure(), 0.95)
    assert (found.unmatched, found.lost) == (2, 1)


def test_cases_that_pass_in_both_are_counted_where_cases_pass_or_fail() -> None:
    assert compared("p" * 48 + "ff", "p" * 36 + "f" * 12 + "pp").passed_in_both == 36
    assert compared("f", "f").passed_in_both == 0
    assert compared("", "").passed_in_both == 0
    scored = compared("p", "p", kind="score", score_range=(0.0, 5.0))
    assert scored.passed_in_both is None


def test_scores_are_compared_by_their_differences() -> None:
    after, before = reduced(scores(4.0, 5.0, 3.0), SCORE), reduced(scores(3.0, 5.0, 4.0), SCORE)
    found = compare_cases(after, before, SCORE, 0.95)
    assert (found.difference, found.kind, found.method) == (0.0, "score", "paired_betting_mixture@1")
    assert (found.fixed, found.broken) == (("c0",), ("c2",))
    assert found.interval is not None
    assert -5 <= found.interval[0] < 0 < found.interval[1] <= 5


def test_equal_differences_keep_an_interval_with_width() -> None:
    found = compare_cases(reduced(scores(4.0, 4.0), SCORE), reduced(scores(3.0, 3.0), SCORE), SCORE, 0.95)
    assert found.difference == 1.0
    assert found.p_value is None
    assert found.interval is not None
    assert found.interval[0] < 1.0 < found.interval[1]


def test_repeats_of_a_case_are_one_pair() -> None:
    found = compared("ppp ppf fff", "ppp fff fff", repeats=3)
    assert (found.matched, found.difference) == (3, pytest.approx(2 / 9))
    assert compared("ppf ppf", "pff fff", repeats=3, pass_when=2).fixed == ("c0", "c1")


def test_a_baseline_whose_repeats_were_averaged_is_not_taken_for_passes_and_fails() -> None:
    averaged = reduced(trials("ppf ppf ppf"), measure(repeats=3))
    found = compare_cases(reduced(trials("ppf")), averaged, measure(), 0.95)
    assert found.difference == pytest.approx(0.0)
    assert found.method.startswith("paired_betting")


def test_only_scores_of_one_range_are_on_one_scale() -> None:
    wider = replace(SCORE, score_range=(0.0, 10.0))
    assert SCORE.is_on_the_scale_of(SCORE)
    assert not SCORE.is_on_the_scale_of(wider)
    assert not SCORE.is_on_the_scale_of(measure())
    assert measure().is_on_the_scale_of(replace(measure(), score_range=(0.0, 10.0)))
    with pytest.raises(ValueError, match="90"):
        compare_cases(reduced(scores(4.0), SCORE), [CaseValue("c0", 90.0, 90.0, 90.0)], SCORE, 0.95)


@given(some.lists(some.tuples(some.sampled_from("pfmi"), some.sampled_from("pfmi")), max_size=20), some.randoms())
def test_neither_order_nor_direction_changes_what_is_found(pairs: list[tuple[str, str]], chance: random.Random) -> None:
    new, old = (reduced(trials("".join(side))) for side in (zip(*pairs, strict=True) if pairs else ("", "")))
    forward, back = compare_cases(new, old, measure(), 0.95), compare_cases(old, new, measure(), 0.95)
    shuffled = list(new)
    chance.shuffle(shuffled)
    again = compare_cases(shuffled, old, measure(), 0.95)
    assert (again.interval, again.difference, again.unmatched) == (
        forward.interval,
        forward.difference,
        forward.unmatched,
    )
    assert (forward.fixed, forward.broken) == (back.broken, back.fixed)
    if forward.interval is not None and back.interval is not None:
        assert forward.interval == (
            pytest.approx(-back.interval[1], abs=1e-9),
            pytest.approx(-back.interval[0], abs=1e-9),
        )


CELLS: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("p" * 48 + "ff", "p" * 36 + "f" * 12 + "pp", SUPERIOR, "PASS", "difference_above_zero"),
    ("p" * 36 + "f" * 14, "p" * 48 + "ff", SUPERIOR, "FAIL", "difference_not_above_zero"),
    ("p" * 50, "p" * 50, SUPERIOR, NONE, "interval_overlaps_margin"),
    ("p" * 50, "p" * 50, NOT_WORSE, "PASS", "difference_within_margin"),
    ("p" * 20, "p" * 20, NOT_WORSE, NONE, "interval_overlaps_margin"),
    ("p" * 30 + "f" * 20, "p" * 50, NOT_WORSE, "FAIL", "difference_outside_margin"),
    ("p" * 50, "p" * 30 + "f" * 20, NOT_WORSE, "PASS", "difference_within_margin"),
    ("p" * 50, "p" * 50, EQUAL, "PASS", "difference_within_margin"),
    ("p" * 50, "p" * 10 + "f" * 40, EQUAL, "FAIL", "difference_outside_margin"),
    ("p" * 10 + "f" * 40, "p" * 50, EQUAL, "FAIL", "difference_outside_margin"),
    ("p" * 10, "p" * 10, EQUAL, NONE, "interval_overlaps_margin"),
    ("p" * 95 + "m" * 5, "p" * 100, NOT_WORSE, "PASS", "difference_within_margin"),
    ("p" * 94 + "m" * 6, "p" * 100, NOT_WORSE, NONE, "unmatched_cases"),
    ("p" * 94, "p" * 100, NOT_WORSE, NONE, "unmatched_cases"),
    ("mmm", "ppp", NOT_WORSE, NONE, "no_observations"),
    ("", "", SUPERIOR, NONE, "no_observations"),
]


@pytest.mark.parametrize(("candidate", "baseline", "keys", "state", "reason"), CELLS, ids=range(len(CELLS)))
def test_what_a_comparing_rule_concludes(
    candidate: str, baseline: str, keys: dict[str, Any], state: str, reason: str
) -> None:
    decision = decide_comparison(rule(**keys), compared(candidate, baseline), {}, ALL)
    assert (decision.state, decision.reason, decision.blocking) == (state, reason, state != "PASS")
    assert decision.reason in REASONS
    assert reason not in decision.message


def test_without_a_baseline_nothing_is_decided() -> None:
    decision = decide_comparison(rule(**SUPERIOR), None, UNVALIDATED, ALL)
    assert (decision.state, decision.reason, decision.interval) == (NONE, "no_baseline", None)
    assert decision.message == (
        "checked: a superiority rule compares two runs; use oloproof compare CANDIDATE BASELINE."
    )


def test_a_judge_that_is_not_validated_compares_nothing() -> None:
    decision = decide_comparison(rule(**NOT_WORSE), compared("p" * 50, "p" * 50), UNVALIDATED, ALL)
    assert (decision.state, decision.reason) == (NONE, "judge_not_validated")


def test_a_person_may_be_asked_for_here_too() -> None:
    keys = {**NOT_WORSE, "requires_manual_review": True}
    assert decide_comparison(rule(**keys), compared("p" * 50, "p" * 50), {}, ALL).state == "MANUAL_REVIEW"
    assert decide_comparison(rule(**keys), compared("f" * 50, "p" * 50), {}, ALL).state == "FAIL"
    assert decide_comparison(rule(**keys), None, {}, [NONE]).blocking


def test_messages_read_as_sentences() -> None:
    found = compared("p" * 48 + "ffm", "p" * 36 + "f" * 12 + "ppp")
    assert decide_comparison(rule(**SUPERIOR), found, {}, ALL).message == (
        "checked: 96.0 % after 76.0 %, a difference of +20.0 points [+6.1, +34.5] over 50 cases "
        "(12 better, 2 worse, 1 could not be paired); better wanted. Even the low end is better."
    )
    assert decide_comparison(rule(**NOT_WORSE), found, {}, ALL).message.endswith(
        "; at most 10 points worse allowed. The whole interval keeps to it."
    )
    one = compare_cases(reduced(scores(4.0), SCORE), reduced(scores(3.0), SCORE), SCORE, 0.95)
    assert "; within 0.2 wanted. " in decide_comparison(rule(**EQUAL), one, {}, ALL).message
    assert "a difference of +1.000 [-" in decide_comparison(rule(**EQUAL), one, {}, ALL).message
    assert decide_comparison(rule(**EQUAL), None, {}, ALL).message.startswith("checked: an equivalence rule compares")


def test_of_scores_is_told_what_rose_and_fell() -> None:
    """A score may be a rate of errors, and then what the rule takes for better is worse: its words must show that."""
    found = compare_cases(reduced(scores(*[4.0] * 60), SCORE), reduced(scores(*[1.0] * 60), SCORE), SCORE, 0.95)
    assert decide_comparison(rule(**SUPERIOR), found, {}, ALL).message.endswith(
        "over 60 cases (60 higher, 0 lower); higher wanted. Even the low end is higher."
    )
    assert "; at most 0.1 lower allowed. " in decide_comparison(rule(**NOT_WORSE), found, {}, ALL).message


def test_no_rounding_of_a_difference_contradicts_the_decision() -> None:
    found = replace(compared("p" * 50, "p" * 50), difference=0.0009, interval=(0.0003, 0.0499))
    assert " +0.09 points [+0.03, +4.99] " in decide_comparison(rule(**SUPERIOR), found, {}, ALL).message
    beyond = replace(found, difference=-0.1504, interval=(-0.2, -0.10004))
    message = decide_comparison(rule(**NOT_WORSE), beyond, {}, ALL).message
    assert ", -10.004]" in message
    assert "at most 10 points worse allowed. The whole interval lies beyond it." in message

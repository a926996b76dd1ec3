"""Rules on a metric: PASS, FAIL or not decided, why, and whether it blocks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace

from oloproof.config.models import RuleOptions
from oloproof.policy import REASONS, Measure, Standing, decide_rule, rate_of, reduce_cases, summarize, threshold_of
from tests.policy.conftest import ALL, decided, measure, metric_of, rule, scores, trials

MIN, MAX, NO = {"min": 0.8}, {"max": 0.2}, {"max_failures": 0}
LIMIT = {"max_failures": 2}
NONE = "INSUFFICIENT_EVIDENCE"

CELLS: list[tuple[str, dict[str, Any], str, str]] = [
    ("p" * 29 + "f", MIN, "PASS", "lower_bound_meets_minimum"),
    ("p" * 28 + "ff", MIN, NONE, "interval_overlaps_threshold"),
    ("p" * 18 + "f" * 12, MIN, "FAIL", "upper_bound_below_minimum"),
    ("p" * 19 + "f" * 11, MIN, NONE, "interval_overlaps_threshold"),
    ("f" * 29 + "p", MAX, "PASS", "upper_bound_meets_maximum"),
    ("f" * 18 + "p" * 12, MAX, "FAIL", "lower_bound_above_maximum"),
    ("f" * 19 + "p" * 11, MAX, NONE, "interval_overlaps_threshold"),
    ("p" * 17, MIN, "PASS", "lower_bound_meets_minimum"),
    ("p" * 16, MIN, NONE, "interval_overlaps_threshold"),
    ("p" * 29 + "m", MIN, "PASS", "lower_bound_meets_minimum"),
    ("p" * 29 + "mi", MIN, NONE, "missing_could_change_outcome"),
    ("p" * 10 + "f" * 20 + "mi", MIN, "FAIL", "upper_bound_below_minimum"),
    ("p" * 20 + "f" * 4 + "m", MIN, NONE, "interval_overlaps_threshold"),
    ("", MIN, NONE, "no_observations"),
    ("mmm", MIN, NONE, "no_observations"),
    ("i", MAX, NONE, "no_observations"),
    ("p", NO, "PASS", "observed_failures_within_limit"),
    ("pf", NO, "FAIL", "observed_failures_exceed_limit"),
    ("pm", NO, NONE, "missing_could_change_outcome"),
    ("pi", NO, NONE, "missing_could_change_outcome"),
    ("", NO, NONE, "no_observations"),
    ("mm", NO, NONE, "no_observations"),
    ("mm", LIMIT, NONE, "no_observations"),
    ("pffm", LIMIT, NONE, "missing_could_change_outcome"),
    ("pfmi", LIMIT, NONE, "missing_could_change_outcome"),
    ("pfm", LIMIT, "PASS", "observed_failures_within_limit"),
    ("fffm", LIMIT, "FAIL", "observed_failures_exceed_limit"),
    ("pppp" + "f", {**MIN, "decide_on": "estimate"}, "PASS", "estimate_meets_minimum"),
    ("ppp" + "f", {**MIN, "decide_on": "estimate"}, "FAIL", "estimate_below_minimum"),
    ("ffff" + "p", {**MAX, "decide_on": "estimate"}, "PASS", "estimate_meets_maximum"),
    ("fff" + "p", {**MAX, "decide_on": "estimate"}, "FAIL", "estimate_above_maximum"),
    ("pppp" + "m", {**MIN, "decide_on": "estimate"}, "PASS", "estimate_meets_minimum"),
    ("pppp" + "mi", {**MIN, "decide_on": "estimate"}, NONE, "missing_could_change_outcome"),
    ("pfff" + "m", {**MIN, "decide_on": "estimate"}, "FAIL", "estimate_below_minimum"),
    ("p" + "m" * 99, {**MIN, "decide_on": "estimate"}, NONE, "missing_could_change_outcome"),
    ("m", {**MIN, "decide_on": "estimate"}, NONE, "no_observations"),
]  # fmt: skip


@pytest.mark.parametrize(("letters", "keys", "state", "reason"), CELLS, ids=range(len(CELLS)))
def test_what_a_rule_concludes(letters: str, keys: dict[str, Any], state: str, reason: str) -> None:
    decision = decided(letters, keys)
    assert (decision.state, decision.reason, decision.blocking) == (state, reason, state != "PASS")
    assert decision.reason in REASONS
    assert decision.message.startswith("checked: ")


SCORE = measure(kind="score", score_range=(0.0, 5.0))


@pytest.mark.parametrize(
    ("values", "keys", "reason"),
    [
        ([5.0] * 50, {"min": 4.5}, "lower_bound_meets_minimum"),
        ([5.0] * 20, {"min": 4.5}, "interval_overlaps_threshold"),
        ([1.0] * 50, {"min": 4.5}, "upper_bound_below_minimum"),
        ([0.0] * 50, {"max": 0.5}, "upper_bound_meets_maximum"),
        ([4.0] * 50, {"max": 0.5}, "lower_bound_above_maximum"),
        ([4.0, 5.0], {"min": 4.5, "decide_on": "estimate"}, "estimate_meets_minimum"),
        ([4.0, 5.0, "m"], {"min": 4.5, "decide_on": "estimate"}, "missing_could_change_outcome"),
        ([5.0] * 60 + ["m"], {"min": 4.0, "decide_on": "estimate"}, "estimate_meets_minimum"),
        (["m", "i"], {"min": 4.5}, "no_observations"),
    ],
)
def test_rules_on_scores(values: list[Any], keys: dict[str, Any], reason: str) -> None:
    assert decided(scores(*values), keys, SCORE).reason == reason


UNVALIDATED = {"checked": "judge_not_validated"}


def test_where_no_case_is_whole_there_is_no_estimate_and_the_interval_may_still_decide() -> None:
    of = measure(repeats=3)
    decision = decided("ppm ppm", MIN, of)
    assert (decision.state, decision.reason, decision.estimate) == (NONE, "no_observations", None)
    assert decision.message.endswith("No case was observed in full; oloproof inspect --failures says why.")
    decision = decided(" ".join(["ffm"] * 60), MIN, of)
    assert (decision.state, decision.reason) == ("FAIL", "upper_bound_below_minimum")
    assert decision.message.startswith("checked: no case whole, [0.0 %, ")
    assert decided(" ".join(["ffm"] * 60), {**MIN, "decide_on": "estimate"}, of).reason == "no_observations"


@pytest.mark.parametrize(
    ("words", "limit", "state", "reason"),
    [
        ("ffm ppp", 0, "FAIL", "observed_failures_exceed_limit"),
        ("fmm iff", 1, "FAIL", "observed_failures_exceed_limit"),
        ("ffm ppp", 1, "PASS", "observed_failures_within_limit"),
        ("ffm ppm", 1, NONE, "missing_could_change_outcome"),
        ("ffm ffm", 2, "PASS", "observed_failures_within_limit"),
        ("ppm ppi", 2, NONE, "no_observations"),
    ],
)
def test_a_case_that_holds_a_failed_repeat_has_failed_whatever_is_missing_of_it(
    words: str, limit: int, state: str, reason: str
) -> None:
    decision = decided(words, {"max_failures": limit}, measure(repeats=3))
    assert (decision.state, decision.reason) == (state, reason)


def test_a_case_counted_as_failed_is_not_told_as_missing_beside_it() -> None:
    decision = decided("ffm ppm ppp", {"max_failures": 1}, measure(repeats=3))
    assert decision.message.startswith("checked: 1 of 3 cases failed (1 missing or invalid of 3); at most 1 allowed.")
    decision = decided("ffm ppp", {"max_failures": 0}, measure(repeats=3))
    assert decision.message == "checked: 1 of 2 cases failed; at most 0 allowed. Over the limit."


@given(
    some.lists(some.text("pfmi", min_size=3, max_size=3), min_size=2, max_size=8), some.sampled_from([0.31, 0.52, 0.86])
)
def test_the_estimate_of_repeats_is_open_only_where_what_is_missing_could_turn_it(words: list[str], bar: float) -> None:
    """The interval is wider than what is missing: it also holds what other cases could have shown."""
    trials_in_all = 3 * len(words)
    passed, unknown = sum(word.count("p") for word in words), sum(word.count("m") + word.count("i") for word in words)
    whole = [word.count("p") / 3 for word in words if not set(word) & set("mi")]
    decision = decided(" ".join(words), {"min": bar, "decide_on": "estimate"}, measure(repeats=3))
    if not whole:
        assert decision.reason == "no_observations"
        return
    could_be = (sum(whole) / len(whole), passed / trials_in_all, (passed + unknown) / trials_in_all)
    states = {"PASS" if one >= bar else "FAIL" for one in could_be}
    assert decision.state == (states.pop() if len(states) == 1 else NONE)


@given(some.lists(some.text("pfmi", min_size=3, max_size=3), min_size=1, max_size=6), some.integers(0, 3), some.data())
def test_a_failing_count_stays_failing_however_what_is_missing_turns_out(
    words: list[str], limit: int, data: Any
) -> None:
    of, keys = measure(repeats=3), {"max_failures": limit}
    decision = decided(" ".join([*words, ""]), keys, of)
    whole = ["".join(data.draw(some.sampled_from("pf")) if one in "mi" else one for one in word) for word in words]
    if decision.state != NONE:
        assert decided(" ".join([*whole, ""]), keys, of).state == decision.state


def hit_rate(letters: str, rate: str, keys: dict[str, Any], repeats: int = 1) -> Any:
    name = f"checked.{rate}"
    of = Measure(name, repeats=repeats)
    metric = summarize(reduce_cases(rate_of(trials(letters), rate), of), of, 0.95, name=name)
    return decide_rule(rule(metric=name, **keys), metric, Standing(judges=UNVALIDATED), ALL)


def test_rates_of_errors_and_the_like_can_be_limited_also_for_a_judge_that_is_not_validated() -> None:
    assert hit_rate("p" * 50, "error_rate", {"max": 0.1}).state == "PASS"
    assert hit_rate("e" * 20 + "p" * 5, "error_rate", {"max": 0.1}).state == "FAIL"
    assert hit_rate("ppi", "invalid_rate", NO).state == "FAIL"
    assert hit_rate("ppf", "invalid_rate", NO).state == "PASS"
    assert hit_rate("ppe ppp", "error_rate", NO, repeats=3).state == "FAIL"
    assert hit_rate("ppi", "invalid_rate", NO).message == (
        "checked.invalid_rate: 1 of 3 cases were invalid; at most 0 allowed. Over the limit."
    )


def test_failures_of_a_scoring_check_can_be_counted_by_its_verdicts() -> None:
    observations = [one._replace(outcome="fail") if n == 0 else one for n, one in enumerate(scores(0.5, 4.0))]
    assert decided(observations, NO, SCORE).state == "FAIL"


def test_a_judge_that_is_not_validated_decides_nothing() -> None:
    for letters in ("p" * 50, "f" * 50):
        decision = decided(letters, MIN, judges=UNVALIDATED)
        assert (decision.state, decision.reason, decision.blocking) == (NONE, "judge_not_validated", True)
    assert decided("p" * 50, MIN, judges={"other": "judge_not_validated"}).state == "PASS"


def test_a_partial_run_decides_nothing_and_blocks_whatever_the_policy_lets_through() -> None:
    for letters in ("p" * 50, "f" * 50):
        for extra in ({}, {"requires_manual_review": True}):
            decision = decided(letters, {**MIN, **extra}, partial=True, judges=UNVALIDATED, block_on=())
            assert (decision.state, decision.reason, decision.blocking) == (NONE, "partial_run", True)


def test_a_rule_that_asks_for_a_person_leaves_a_failure_a_failure() -> None:
    keys = {**MIN, "requires_manual_review": True}
    assert decided("f" * 50, keys).state == "FAIL"
    for letters in ("p" * 50, "ppp"):
        decision = decided(letters, keys)
        assert (decision.state, decision.reason) == ("MANUAL_REVIEW", "manual_review_required")
        assert decision.message.endswith(" The rule asks for a person to look.")


def test_asking_for_a_person_lets_nothing_through_that_lacks_evidence() -> None:
    keys = {**MIN, "requires_manual_review": True}
    assert decided("ppp", keys, block_on=[NONE]).blocking
    assert not decided("p" * 50, keys, block_on=[NONE]).blocking
    assert decided("p" * 50, keys, block_on=["MANUAL_REVIEW"]).blocking


def test_only_what_the_policy_names_blocks() -> None:
    assert not decided("ppp", MIN, block_on=["FAIL"]).blocking
    assert not decided("f" * 50, MIN, block_on=[NONE]).blocking


@given(some.text("pfmi", max_size=25), some.floats(0, 1), some.sampled_from(["min", "max"]))
def test_an_answer_got_after_all_never_turns_a_decision_into_its_opposite(letters: str, bar: float, key: str) -> None:
    before = decided(letters, {key: bar}).state
    for got in "pf":
        after = decided(letters.replace("m", got).replace("i", got), {key: bar}).state
        assert before == NONE or after == before


@given(some.text("pfmi", max_size=25), some.integers(0, 4))
def test_counts_are_decided_only_when_what_is_missing_cannot_change_them(letters: str, limit: int) -> None:
    decision = decided(letters, {"max_failures": limit})
    outcomes = {letters.replace("m", got).replace("i", got).count("f") <= limit for got in "pf"}
    if decision.state != NONE:
        assert outcomes == {decision.state == "PASS"}


@pytest.mark.parametrize(
    ("keys", "threshold"),
    [
        (MIN, 0.8), (MAX, 0.2), (LIMIT, 2.0), ({"kind": "superiority"}, 0.0),
        ({"kind": "equivalence", "margin": 0.1}, 0.1),
    ],
)  # fmt: skip
def test_the_number_a_rule_holds_against(keys: dict[str, Any], threshold: float) -> None:
    assert threshold_of(RuleOptions(id="r", metric="m", **keys)) == threshold


MESSAGES: list[tuple[str, dict[str, Any], str]] = [
    ("p" * 27 + "f" + "mi", MIN, "checked: 96.4 % [73.4 %, 100.0 %] (1 missing and 1 invalid of 30); "
     "at least 80 % wanted. What is missing or invalid could change the outcome; "
     "oloproof inspect --failures says why."),
    ("pf", MIN, "checked: 50.0 % [1.2 %, 98.8 %]; at least 80 % wanted. "
     "The truth may lie on either side; oloproof plan says how many cases would decide."),
    ("", MIN, "checked: no data; at least 80 % wanted. Nothing was observed."),
    ("mm", {"max": 0.005}, "checked: no data (2 missing of 2); at most 0.5 % allowed. "
     "No case was observed in full; oloproof inspect --failures says why."),
    ("pff", {"max_failures": 1}, "checked: 2 of 3 cases failed; at most 1 allowed. Over the limit."),
    ("p" * 20, {"min": 0.8}, "checked: 100.0 % [83.1 %, 100.0 %]; at least 80 % wanted. Even the low end is enough."),
]  # fmt: skip


@pytest.mark.parametrize(("letters", "keys", "message"), MESSAGES, ids=range(len(MESSAGES)))
def test_messages_read_as_sentences(letters: str, keys: dict[str, Any], message: str) -> None:
    assert decided(letters, keys).message == message


def test_a_message_names_the_variant_and_slice_that_the_rule_is_about() -> None:
    metric = replace(metric_of(trials("p" * 30)), variant="jpeg-40", slice={"lang": "de"})
    message = decide_rule(rule(min=0.8, variant="jpeg-40"), metric, Standing(), ALL).message
    assert message.startswith('checked on jpeg-40 (lang="de"): 100.0 % [88.4 %, 100.0 %]; ')


def test_a_score_is_told_in_its_own_unit() -> None:
    message = decided(scores(*[4.25] * 50), {"min": 3.25}, SCORE).message
    assert message.startswith("checked: 4.250 [3.")
    assert "; at least 3.25 wanted. " in message


@pytest.mark.parametrize(
    ("outcomes", "keys", "state", "told"),
    [
        ("p" * 1999 + "f" * 501, {"min": 0.8, "decide_on": "estimate"}, "FAIL", "79.96 % ["),
        ("p" * 1999 + "f" * 501, {"max": 0.7996, "decide_on": "estimate"}, "PASS", "79.96 % ["),
        ("p" * 2499 + "f", {"min": 0.9995, "decide_on": "estimate"}, "PASS", "99.96 % ["),
        ("f" * 2499 + "p", {"max": 0.0003, "decide_on": "estimate"}, "FAIL", " 0.04"),
        ("p" * 40, {"min": 0.9119}, "PASS", " [91.1902 %, "),
        ("p" * 29 + "f", {"min": 0.8}, "PASS", "96.7 % [82.7 %, 100.0 %]"),
    ],
)  # fmt: skip
def test_no_rounding_contradicts_the_decision(outcomes: str, keys: dict[str, Any], state: str, told: str) -> None:
    found = decided(outcomes, keys)
    assert (found.state, told in found.message) == (state, True), found.message


def test_a_mean_score_just_under_the_bar_is_not_written_as_the_bar() -> None:
    found = decided(scores(*[0.69996] * 9), {"min": 0.7, "decide_on": "estimate"}, measure(kind="score"))
    assert (found.state, "0.69996 [" in found.message) == ("FAIL", True), found.message

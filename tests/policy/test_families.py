"""Metrics over families and rules on them, held to the faults of two earlier tools."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from oloproof.config.models import RuleOptions
from oloproof.policy import (
    FamilyAsk,
    FamilyReader,
    Measure,
    Standing,
    answer_reader,
    decide_rule,
    families,
    family_metrics,
)
from oloproof.records import Decision, Metric, Outcome
from oloproof.statistics import tango_interval
from oloproof.storage import Observation

RELATIONS = {
    "png-reencode": "same_view",
    "exif-strip": "same_view",
    "jpeg-75": "degraded",
    "jpeg-40": "degraded",
    "resize-50": "degraded",
    "grayscale": "degraded",
    "webp": "degraded",
    "blank": "control",
}
DELIVERIES = [name for name, relation in RELATIONS.items() if relation != "control"]
GATES = json.loads((Path(__file__).parents[1] / "data" / "vic_gates_semantics.json").read_text(encoding="utf-8"))
ALL = ("FAIL", "INSUFFICIENT_EVIDENCE")

Rows = Sequence[Mapping[str, Any]]


def observed(rows: Rows, runs: int = 1, variants: Sequence[str] = DELIVERIES, right: str = "A") -> list[Observation]:
    """Return what a run observed: a row a case, with the answers of each variant that are not always ``right``.

    The next answer of a list is taken for the next repeat, in a circle. None is an answer that was lost, ``?`` one
    that is invalid.
    """
    found = []
    for number, row in enumerate(rows):
        for variant in ("original", *variants):
            answers = row.get(variant, [right])
            for repeat in range(runs):
                answer = answers[repeat % len(answers)]
                outcome: Outcome = "pass" if (answer or "").strip() == right else "fail"
                outcome = "missing" if answer is None else "invalid" if answer == "?" else outcome
                output = None if answer is None else json.dumps(answer)
                found.append(Observation(f"c{number}", variant, repeat, None, outcome, None, answer is None, output))
    return found


def metric(rows: Rows, name: str, runs: int = 1, relations: Mapping[str, str] = RELATIONS, **ask: Any) -> Metric:
    variants = ask.pop("variants", [one for one in relations if one in DELIVERIES or one == ask.get("variant")])
    measure = Measure("answer", repeats=runs, type=ask.pop("type", "exact_match"))
    reader = FamilyReader(measure, answer_reader("output"), relations)
    seen = families(observed(rows, runs, variants))
    return family_metrics(seen, [FamilyAsk(name, **ask)], reader, 0.95, None)[0]


def decided(rows: Rows, runs: int = 1, relations: Mapping[str, str] = RELATIONS, **keys: Any) -> Decision:
    rule = RuleOptions(**{"id": "r", "metric": "answer", **keys}).spelled_out
    found = metric(
        rows, str(rule.family), runs, relations, variant=rule.variant, relation=rule.relation, cohort=rule.cohort
    )
    return decide_rule(rule, found, Standing(), ALL)


@pytest.mark.parametrize("entry", GATES, ids=[entry["case"] for entry in GATES])
def test_on_the_estimate_the_three_gates_decide_as_the_earlier_tool_did(entry: dict[str, Any]) -> None:
    runs = entry["runs"]
    keys = {"max_identical_delta": 0.0, **entry["gate_args"]}
    told = dict(zip(("max_identical_delta", "min_lossy_accuracy", "max_flaky"), (None,) * 3, strict=True))
    told |= {
        {"identical_delta_min": "max_identical_delta", "lossy_accuracy_min": "min_lossy_accuracy"}.get(
            gate["name"], gate["name"]
        ): gate
        for gate in entry["gates"]
    }
    for key, limit in keys.items():
        decision = decided(entry["rows"], runs, **{key: limit, "decide_on": "estimate"})
        if key == "max_flaky" and runs == 1:
            assert decision.reason == "no_observations"  # one run cannot tell, and the earlier tool let it pass
            continue
        assert decision.estimate == told[key]["observed"]
        everything_flaky = key == "max_flaky" and not entry["denominators"]["eligible_fixtures"]
        if everything_flaky and decision.estimate <= limit:
            continue  # the earlier tool failed this gate beside the others, which have no data
        assert (decision.state == "PASS") == told[key]["passed"]
    assert (
        metric(entry["rows"], "worst_delta", runs, relation="same_view", cohort="strict").excluded
        == (entry["denominators"]["excluded_flaky"])
    )


def test_a_suite_answered_all_wrong_does_not_pass() -> None:
    decision = decided([{name: ["B"] for name in ("original", *DELIVERIES)}] * 300, max_identical_delta=0.1)

    assert (decision.state, decision.reason) == ("INSUFFICIENT_EVIDENCE", "original_all_wrong")


def test_opposite_moves_that_cancel_in_the_delta_are_told_as_changes() -> None:
    rows = [{"original": ["B"]}, {"png-reencode": ["B"]}]

    assert metric(rows, "delta", variant="png-reencode").estimate == 0.0
    assert metric(rows, "change_rate", variant="png-reencode").estimate == 1.0
    decision = decided(rows, metric="answer.change_rate", variant="png-reencode", max=0, decide_on="estimate")
    assert decision.state == "FAIL"
    assert "2 of 2 cases" in decision.message


def test_an_improvement_is_a_change_too() -> None:
    rows = [{"original": ["B"]}, {}]

    assert metric(rows, "delta", variant="exif-strip").estimate == 0.5
    assert metric(rows, "change_rate", variant="exif-strip").estimate == 0.5


def test_a_move_from_wrong_to_wrong_is_a_change() -> None:
    rows = [{"original": ["B"], "png-reencode": ["C"]}]

    assert metric(rows, "delta", variant="png-reencode").estimate == 0.0
    assert metric(rows, "change_rate", variant="png-reencode").estimate == 1.0


def test_white_space_is_no_change_and_what_the_evaluator_found_comes_first() -> None:
    rows = [{"original": ["A  b "], "png-reencode": ["A b"]}]
    read = answer_reader("output")
    one, other = (
        Observation("c", "original", 0, None, "pass", None, False, json.dumps(text), "12") for text in ("12", "12.0")
    )

    assert metric(rows, "change_rate", variant="png-reencode").estimate == 0.0
    assert read(one) == read(other)


@pytest.mark.parametrize(("source", "same"), [("output", False), ("output.total", True), ("outcome", True)])
def test_the_evaluator_says_what_tells_two_answers_apart(source: str, same: bool) -> None:
    read = answer_reader(source)
    outputs = [{"total": 12, "took": 0.1}, {"total": 12, "took": 0.2}]
    one, other = (Observation("c", "v", 0, None, "pass", None, False, json.dumps(output)) for output in outputs)

    assert (read(one) == read(other)) is same


def test_lost_answers_stay_in_the_denominator_and_leave_the_interval_open() -> None:
    rows = [{}] * 38 + [{"jpeg-40": [None]}] * 2
    found = metric(rows, "delta", variant="jpeg-40")

    assert (found.n, found.observed, found.missing, found.estimate) == (40, 38, 2, 0.0)
    assert found.interval is not None
    assert found.interval[0] == tango_interval(0, 2, 40)[0]  # type: ignore[index]
    decision = decided(rows, metric="answer.delta", variant="jpeg-40", min=-0.02, decide_on="estimate")
    assert decision.reason == "missing_could_change_outcome"
    assert found.could_be == (-0.05, 0.0)
    sure = decided(rows, metric="answer.delta", variant="jpeg-40", min=-0.06, decide_on="estimate")
    assert (sure.state, sure.reason) == ("PASS", "estimate_meets_minimum")


def test_an_answer_that_is_invalid_is_an_answer_that_changed() -> None:
    found = metric([{"jpeg-40": ["?"]}, {}], "change_rate", variant="jpeg-40")

    assert (found.estimate, found.n, found.observed) == (0.5, 2, 2)
    assert metric([{"jpeg-40": ["?"]}, {}], "delta", variant="jpeg-40").invalid == 1


def test_no_data_is_null_and_never_passes() -> None:
    for name, ask in (("delta", {"variant": "jpeg-40"}), ("noise_floor", {}), ("flaky_count", {})):
        found = metric([], name, **ask)
        assert (found.estimate, found.interval, found.n) == (None, None, 0)
    for keys in ({"max_identical_delta": 1}, {"min_lossy_accuracy": 0}, {"max_flaky": 99}):
        for how in ("interval", "estimate"):
            decision = decided([], 3, **keys, decide_on=how)
            assert (decision.state, decision.reason) == ("INSUFFICIENT_EVIDENCE", "no_observations")


def test_the_noise_floor_is_what_changes_where_nobody_can_see_a_difference() -> None:
    """A quarter of the answers changes by itself, so a quarter under JPEG says nothing against JPEG."""
    noisy = {"png-reencode": ["B"], "jpeg-40": ["B"]}
    rows = [noisy if number % 4 == 0 else {} for number in range(40)]
    one_view = {"png-reencode": "same_view", "jpeg-40": "degraded"}

    assert metric(rows, "noise_floor", relations=one_view).estimate == 0.25
    effect = metric(rows, "effect", relations=one_view, variant="jpeg-40")
    assert (effect.estimate, effect.method) == (0.0, "tango@1")


def test_without_such_variants_the_repeats_of_the_original_are_the_noise_floor() -> None:
    degraded = {"jpeg-40": "degraded"}
    rows = [{"original": ["A", "B"]}, {}]

    assert metric(rows, "noise_floor", 2, relations=degraded).estimate == 0.5
    assert metric(rows, "noise_floor", 1, relations=degraded).interval is None
    assert metric(rows, "effect", 1, relations=degraded, variant="jpeg-40").estimate is None


def test_a_gain_over_a_blank_picture_shows_that_the_picture_is_used() -> None:
    seen = [{"blank": ["B"]}] * 20
    guessed = [{}] * 20

    assert metric(seen, "gain", variant="blank").estimate == 1.0
    assert decided(seen, metric="answer.gain", variant="blank", min=0.1).state == "PASS"
    assert decided(guessed, metric="answer.gain", variant="blank", min=0.2).state == "FAIL"


def test_the_strict_cohort_leaves_flaky_originals_out_and_says_how_many() -> None:
    rows = [{"original": ["A", "B", "A"]}, {"webp": ["B"]}, {}]
    strict = metric(rows, "worst_accuracy", 3, relation="degraded", cohort="strict")
    everyone = metric(rows, "worst_accuracy", 3, relation="degraded")

    assert (strict.estimate, strict.n, strict.excluded) == (0.5, 2, 1)
    assert (everyone.n, everyone.excluded) == (3, 0)
    assert "1 flaky left out" in decided(rows, 3, min_lossy_accuracy=0.5).message


def test_flaky_count_are_found_in_every_member() -> None:
    rows = [{"webp": ["A", "B"]}, {}]

    assert metric(rows, "flaky_count", 2).estimate == 0.0
    assert metric(rows, "flaky_count", 2, variant="webp").estimate == 1.0
    assert metric(rows, "flip_rate", 2, variant="webp").estimate == 0.5
    assert metric(rows, "pass^2", 2, variant="webp").estimate == 0.5
    assert metric(rows, "pass@2", 2, variant="webp").estimate == 1.0


def test_the_worst_variant_is_named_with_every_count() -> None:
    found = metric([{"jpeg-40": ["B"]}, {}], "worst_delta", relation="degraded")

    assert found.family is not None
    assert found.family["worst_variant"] == "jpeg-40"
    assert found.family["variants"]["webp"] == 2
    assert (found.family["better"], found.family["worse"]) == (0, 1)
    message = decided([{"jpeg-40": ["B"]}, {}], metric="answer.worst_delta", relation="degraded", min=-0.1).message
    assert "-50.0 points" in message
    assert "worst of 5: jpeg-40" in message


@pytest.mark.parametrize("gate", ["min_lossy_accuracy", "max_identical_delta"])
def test_what_is_missing_of_another_variant_could_make_it_the_worst(gate: str) -> None:
    """The variant that seems to be the worst is whole here, and the estimate alone would pass."""
    rows: Rows = [{"webp": [None], "exif-strip": [None]}, {}, {}, {}]
    found = decided(rows, **{gate: 0.1 if gate.startswith("max") else 0.9}, decide_on="estimate")

    assert (found.state, found.reason) == ("INSUFFICIENT_EVIDENCE", "missing_could_change_outcome")
    assert "with what is missing of any" in found.message
    assert decided(rows, **{gate: 0.25 if gate.startswith("max") else 0.75}, decide_on="estimate").state == "PASS"


def test_scores_are_compared_in_their_own_unit() -> None:
    measure = Measure("quality", kind="score", score_range=(0.0, 5.0))
    reader = FamilyReader(measure, answer_reader("outcome"), RELATIONS)
    seen = [
        Observation(f"c{number}", variant, 0, None, "pass", score, False)
        for number in range(3)
        for variant, score in (("original", 4.0), ("jpeg-40", 3.0))
    ]
    asks = [FamilyAsk("delta", "jpeg-40"), FamilyAsk("worst_accuracy", relation="degraded")]
    delta, worst = family_metrics(families(seen), asks, reader, 0.95, None)

    assert (delta.kind, delta.estimate) == ("score", pytest.approx(-1.0))
    assert worst.estimate == pytest.approx(3.0)


def test_labels_of_a_prior_probe_make_rates_with_their_denominators() -> None:
    reader = FamilyReader(Measure("sees", type="prior_probe"), answer_reader("output"), {"text_only": "control"})
    labels = [("visual", "prior"), ("prior", "prior"), ("visual", None)]
    seen = [
        Observation(f"c{n}", variant, 0, None, "pass" if label else "missing", None, not label, None, None, label)
        for n, pair in enumerate(labels)
        for variant, label in zip(("original", "text_only"), pair, strict=True)
    ]
    names = ("visual_adoption_rate", "visual_reliance_rate", "visual_prior_balance", "blank_prior_alignment_rate")
    adoption, reliance, balance, blank = family_metrics(
        families(seen), [FamilyAsk(n) for n in names], reader, 0.95, None
    )

    assert (adoption.passed, adoption.observed) == (2, 3)
    assert (reliance.passed, reliance.observed, reliance.missing) == (1, 2, 1)
    assert (balance.kind, balance.estimate) == ("difference", pytest.approx(1 / 3))
    assert (blank.estimate, blank.interval) == (None, None)

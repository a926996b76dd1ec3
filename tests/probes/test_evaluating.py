"""Reports over samples: each rate with what it stands on."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from oloproof.probes import compare, evaluate, probe, report_schema
from oloproof.statistics import missing_bounded_interval, tango_interval
from tests.probes.conftest import always, answering, golden, sample

GIVEN = golden("vpp_evaluate")
PAIRS = golden("vpp_compare")


def checked(document: dict[str, Any]) -> dict[str, Any]:
    jsonschema.Draft202012Validator(report_schema()).validate(document)
    return document


def test_the_schema_is_a_schema_and_every_kind_of_result_follows_it() -> None:
    jsonschema.Draft202012Validator.check_schema(report_schema())
    target = answering(GIVEN["responses"])
    checked(probe(GIVEN["samples"][0], target))
    checked(evaluate(GIVEN["samples"], target, bootstrap=10))
    checked(evaluate([], target))
    checked(evaluate([sample(image=b"x", category=5)], always("I cannot see the image.")))
    checked(compare(PAIRS["samples"], {name: answering(PAIRS[name]) for name in ("base", "post")}, bootstrap=10))
    with pytest.raises(jsonschema.ValidationError):
        checked({"kind": "prior_probe_report"})


def test_every_rate_tells_its_denominator_and_no_data_is_null() -> None:
    report = evaluate(GIVEN["samples"], answering(GIVEN["responses"]))
    rates = report["rates"]

    assert (rates["visual_adoption_rate"]["numerator"], rates["visual_adoption_rate"]["denominator"]) == (4, 10)
    assert rates["text_prior_alignment_rate"]["denominator"] == 11
    assert rates["counterfactual_sensitivity_rate"]["denominator"] == 5
    assert rates["visual_reliance_rate"]["denominator"] == 9
    assert rates["prompt_correction_rate"]["denominator"] == 5
    without = evaluate(GIVEN["samples"], answering(GIVEN["responses"]), text_only=False)
    assert without["text_prior_alignment_rate"] is None
    assert without["rates"]["visual_reliance_rate"]["interval"] is None


def test_other_words_that_met_an_error_leave_open_whether_they_correct() -> None:
    def target(image: object, prompt: str) -> str:
        if prompt == "Look closely.":
            raise TimeoutError
        return "yellow"

    asked = sample(prompts=["Look closely."])
    assert probe(asked, target)["prompt_corrected"] is None
    assert probe(asked, target, parity=True)["prompt_corrected"] is False


def test_the_primary_is_the_picture_of_the_sample_also_where_there_is_a_counterfactual() -> None:
    """In the earlier tool the sample's own picture then counted for nothing."""
    given = sample(counterfactual_image="c.png")
    target = lambda image, prompt: {"x.png": "yellow", "c.png": "blue"}.get(image, "?")  # noqa: E731

    assert probe(given, target)["classification"] == "prior"
    assert probe(given, target, parity=True)["classification"] == "visual"


def test_refusals_are_counted_apart_and_widen_the_interval() -> None:
    answers = {"a.png": "blue", "b.png": "I'm sorry, I cannot view images. Bananas are yellow."}
    samples = [sample(id=image, image=image) for image in answers]
    report = evaluate(samples, lambda image, prompt: answers.get(image, "yellow"))

    assert (report["refusals"], report["valid_samples"]) == (1, 1)
    assert report["prior_persistence_rate"] == 0.0
    assert report["rates"]["visual_adoption_rate"]["interval"] == list(missing_bounded_interval(1, 1, 1) or ())


def test_groups_carry_every_rate_and_samples_without_a_category_are_not_dropped() -> None:
    report = evaluate(GIVEN["samples"], answering(GIVEN["responses"]))

    assert sum(group["samples"] for group in report["by_category"].values()) == 12
    assert report["by_category"][""]["samples"] == 2
    assert report["by_attribute"]["color"]["visual_reliance_rate"]["denominator"] == 4
    assert report["by_attribute"]["size"]["visual_adoption_rate"]["estimate"] is None


def test_a_pair_is_compared_on_the_samples_that_both_answered() -> None:
    """The earlier tool took deltas from each model's own samples and intervals from the common ones."""
    samples = [sample(id=str(number), image=str(number)) for number in range(10)]
    half = lambda image, prompt: "" if image is not None and int(image) >= 5 else "blue"  # noqa: E731
    first = lambda image, prompt: "blue" if image is not None and int(image) < 5 else "yellow"  # noqa: E731
    found = compare(samples, {"half": half, "first": first})["comparisons"]["half_vs_first"]

    assert (found["pairs"], found["unmatched"], found["too_many_unmatched"]) == (5, 5, True)
    assert found["deltas"]["visual_adoption_rate"] == 0.0
    assert found["intervals"]["visual_adoption_rate"] == list(tango_interval(0, 0, 5) or ())


def test_a_comparison_tells_who_changed() -> None:
    base, post = (answering(PAIRS[name]) for name in ("base", "post"))
    found = compare(PAIRS["samples"], {"base": base, "post": post})["comparisons"]["base_vs_post"]

    assert found["pairs"] == 10
    assert found["deltas"]["visual_adoption_rate"] == pytest.approx(-0.1)
    assert found["changed"]["visual_adoption_rate"] == {"only_right": 0, "only_left": 1}


def test_three_models_make_three_pairs() -> None:
    targets = {name: always(text) for name, text in (("a", "blue"), ("b", "yellow"), ("c", "red"))}
    found = compare((one for one in [sample()]), targets)

    assert list(found["comparisons"]) == ["a_vs_b", "a_vs_c", "b_vs_c"]
    assert found["comparisons"]["a_vs_b"]["deltas"]["visual_prior_balance"] == -2

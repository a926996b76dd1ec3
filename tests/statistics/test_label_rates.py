"""Rates of labels and their denominators."""

from __future__ import annotations

import pytest

from oloproof import statistics as st

SAMPLES: list[st.Labels] = [
    {"primary": "visual", "text_only": "prior", "prompt_1": "visual"},
    {"primary": "prior", "text_only": "prior", "prompt_1": "visual", "prompt_2": "prior"},
    {"primary": "other", "text_only": None, "original": "prior", "counterfactual": "visual"},
    {"primary": None, "text_only": "prior", "original": "prior", "counterfactual": None, "prompt_1": "visual"},
]


def test_each_rate_has_the_denominator_it_is_about() -> None:
    found = {name: (one.numerator, one.denominator, one.unusable) for name, one in st.prior_rates(SAMPLES).items()}

    assert found["visual_adoption_rate"] == (1, 3, 1)
    assert found["prior_persistence_rate"] == (1, 3, 1)
    assert found["other_rate"] == (1, 3, 1)
    assert found["visual_prior_balance"] == (0, 3, 1)
    assert found["text_prior_alignment_rate"] == (3, 3, 1)
    assert found["counterfactual_sensitivity_rate"] == (1, 1, 1)
    assert found["visual_reliance_rate"] == (1, 2, 2)
    assert found["prompt_correction_rate"] == (1, 2, 1)


def test_only_what_was_wrong_can_be_corrected() -> None:
    """The earlier rate of corrections counted the questions that were answered rightly at once as not corrected."""
    rates = st.prior_rates(SAMPLES)

    assert rates["prompt_correction_rate"].estimate == 0.5
    assert rates["prompt_recovery_rate"].estimate == 1.0


def test_other_words_without_an_answer_are_no_failed_correction() -> None:
    """What was not measured is missing: a prompt that met an error may have corrected it or not."""
    samples: list[st.Labels] = [
        {"primary": "prior", "prompt_1": None, "prompt_2": "prior"},
        {"primary": "prior", "prompt_1": None, "prompt_2": "visual"},
        {"primary": "visual", "prompt_1": None},
        {"primary": "prior", "prompt_1": "prior"},
    ]
    rates = st.prior_rates(samples)
    correction, recovery = rates["prompt_correction_rate"], rates["prompt_recovery_rate"]
    assert (correction.numerator, correction.denominator, correction.unusable) == (1, 3, 1)
    assert (recovery.numerator, recovery.denominator, recovery.unusable) == (1, 2, 1)
    assert recovery.interval == st.missing_bounded_interval(1, 2, 1)
    assert [st.corrected_of(labels) for labels in samples] == [None, True, False, False]


def test_no_data_is_no_zero() -> None:
    for one in st.prior_rates([]).values():
        assert (one.estimate, one.interval) == (None, None)
    never_asked = st.prior_rates(SAMPLES)["blank_prior_alignment_rate"]
    assert (never_asked.denominator, never_asked.estimate, never_asked.interval) == (0, None, None)


def test_unusable_answers_widen_the_interval() -> None:
    rate = st.prior_rates(SAMPLES)["mixed_rate"]

    assert rate.estimate == 0.0
    assert rate.interval == st.missing_bounded_interval(0, 3, 1)


def test_a_rate_of_nothing_in_ten_is_not_known_to_be_nothing() -> None:
    """The earlier tool gave it the interval [0, 0]."""
    rate = st.prior_rates([{"primary": "visual"}] * 10)["mixed_rate"]

    assert rate.interval == (0.0, pytest.approx(0.3085, abs=1e-4))

"""The metrics over families that a rule may name, as ``CRITERION.NAME``, and the three gates of an earlier tool."""

from __future__ import annotations

import re
from typing import Literal

Cohort = Literal["all", "strict"]

OF_ONE_VARIANT: dict[str, str] = {
    "delta": "the variant's accuracy minus the original's, case by case",
    "change_rate": "how often the answer changed from the original's, either way, from wrong to wrong too",
    "effect": "change_rate above noise_floor, case by case",
    "gain": "the original's accuracy minus the variant's: over a blank picture or none, what the picture is good for",
}
"""Metrics of a rule with ``variant:``."""

OF_A_FAMILY: dict[str, str] = {
    "noise_floor": "how often the answer changed over the same_view variants; without any, between repeats",
    "worst_delta": "the lowest delta of the variants of a relation",
    "worst_accuracy": "the lowest accuracy of the variants of a relation",
    "worst_change_rate": "the highest change_rate of the variants of a relation",
}
"""Metrics over several variants at once; those called worst take ``relation:``."""

OF_REPEATS: dict[str, str] = {
    "flaky_count": "how many cases pass in some repeats and fail in others",
    "flip_rate": "how often two repeats of a case disagree about passing",
}
"""Metrics over the repeats of the original, or of ``variant:``; with them ``pass^K`` and ``pass@K``."""

OF_LABELS: dict[str, str] = {
    "visual_adoption_rate": "answers that follow the picture",
    "prior_persistence_rate": "answers that follow what one would expect",
    "mixed_rate": "answers that name both values",
    "unclear_rate": "answers that state neither value",
    "other_rate": "answers that state another value",
    "visual_prior_balance": "visual_adoption_rate minus prior_persistence_rate",
    "text_prior_alignment_rate": "without a picture (text_only), answers that follow what one would expect",
    "blank_prior_alignment_rate": "the same with a blank picture",
    "unrelated_prior_alignment_rate": "the same with an unrelated picture",
    "counterfactual_sensitivity_rate": "original_image follows what one would expect, counterfactual the picture",
    "visual_reliance_rate": "the original follows the picture, text_only what one would expect",
    "prompt_correction_rate": "the original follows what one would expect, other words of the question do not",
    "prompt_recovery_rate": "the same, of the cases that had to be corrected",
}
"""Metrics of a ``prior_probe``."""

POWER = re.compile(r"pass([\^@])([1-9][0-9]{0,2})")
"""``pass^3``: all of three repeats pass; ``pass@3``: one of them does."""

FAMILY_METRICS: dict[str, str] = {**OF_ONE_VARIANT, **OF_A_FAMILY, **OF_REPEATS, **OF_LABELS}
DIFFERENCES = frozenset(("delta", "effect", "gain", "worst_delta", "visual_prior_balance"))
"""The metrics that run from -1 to 1."""

OWN_GATES = {
    "max_identical_delta": ("worst_delta", "same_view", "strict"),
    "min_lossy_accuracy": ("worst_accuracy", "degraded", "strict"),
    "max_flaky": ("flaky_count", None, "all"),
}
"""The gates of an earlier tool: the metric, the relation and the cohort that each stands for."""


def is_family_metric(name: str) -> bool:
    """Return whether the last part of a metric's name is one of these."""
    return name in FAMILY_METRICS or POWER.fullmatch(name) is not None


def limits_of(name: str) -> tuple[float, float]:
    """Return the lowest and the highest value of such a metric; a number of cases has no highest."""
    if name == "flaky_count":
        return 0.0, float("inf")
    return (-1.0, 1.0) if name in DIFFERENCES else (0.0, 1.0)

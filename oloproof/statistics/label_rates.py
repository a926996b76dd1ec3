"""Whether answers follow the picture or what one would expect: rates of labels, each with its true denominator.

A sample is asked under one or more conditions: with the picture, without it, with a blank or an unrelated one, with
the original and with a counterfactual one, in other words. Each answer has a label; None where there is no usable one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from oloproof.statistics.families import mean_change
from oloproof.statistics.rates import Interval, missing_bounded_interval

PRIOR_LABELS = ("visual", "prior", "mixed", "unclear", "other")
LABEL_RATES = {
    "visual_adoption_rate": "visual",
    "prior_persistence_rate": "prior",
    "mixed_rate": "mixed",
    "unclear_rate": "unclear",
    "other_rate": "other",
}
"""The rate of each label under the primary condition, in the order in which they are told."""

PRIMARY = "primary"
Labels = Mapping[str, str | None]
"""The label of each condition that a sample was asked under; ``primary`` names the one that its rates are about."""


class PriorRate(Struct, frozen=True):
    """``numerator`` of ``denominator`` samples; ``unusable`` more were asked and gave no usable answer.

    The estimate is over the denominator, None where that is 0. The interval counts the unusable ones as what would be
    worst for each of its ends. A balance runs from -1 to 1, all others from 0 to 1.
    """

    numerator: int
    denominator: int
    unusable: int
    estimate: float | None
    interval: Interval | None


def prior_rates(samples: Iterable[Labels], level: float = 0.95) -> dict[str, PriorRate]:
    """Return every rate over the samples.

    - the share of each label under the primary condition, and ``visual_prior_balance``, the first two's difference;
    - ``text_prior_alignment_rate``, ``blank_prior_alignment_rate`` and ``unrelated_prior_alignment_rate``: answers
      without the picture that are what one would expect;
    - ``counterfactual_sensitivity_rate``: the original follows the prior and the counterfactual the picture;
    - ``visual_reliance_rate``: with the picture it follows it, without it what one would expect;
    - ``prompt_correction_rate``: the primary follows the prior and other words of the question do not, over all
      samples with other words; ``prompt_recovery_rate``: the same over those whose primary follows the prior. Other
      words without a usable answer leave it open, unless one of them follows the picture.
    """
    given = list(samples)
    primaries = [labels[PRIMARY] for labels in given if PRIMARY in labels]
    rates = {name: _share(primaries, label, level) for name, label in LABEL_RATES.items()}
    rates["visual_prior_balance"] = _balance(primaries, level)
    for name, condition in _ALIGNED.items():
        rates[name] = _share([labels[condition] for labels in given if condition in labels], "prior", level)
    for name, conditions, holds in _PAIRED:
        rates[name] = _counted(given, conditions, holds, level)
    asked_again = [labels for labels in given if _prompts(labels) and PRIMARY in labels]
    prior_first = [labels for labels in asked_again if labels[PRIMARY] == "prior"]
    rates["prompt_correction_rate"] = _told([corrected_of(labels) for labels in asked_again], level)
    rates["prompt_recovery_rate"] = _told([corrected_of(labels) for labels in prior_first], level)
    return rates


_ALIGNED = {
    "text_prior_alignment_rate": "text_only",
    "blank_prior_alignment_rate": "blank_image",
    "unrelated_prior_alignment_rate": "unrelated_image",
}
_PAIRED: tuple[tuple[str, tuple[str, ...], Callable[[Labels], bool]], ...] = (
    (
        "counterfactual_sensitivity_rate",
        ("original", "counterfactual"),
        lambda labels: labels["original"] == "prior" and labels["counterfactual"] == "visual",
    ),
    (
        "visual_reliance_rate",
        (PRIMARY, "text_only"),
        lambda labels: labels[PRIMARY] == "visual" and labels["text_only"] == "prior",
    ),
)


def corrected_of(labels: Labels) -> bool | None:
    """Return whether other words corrected a primary that follows the prior; None where an answer is missing to tell.

    One prompt that follows the picture tells it whatever the others say.
    """
    said = [labels[name] for name in _prompts(labels)]
    if labels[PRIMARY] != "prior":
        return None if labels[PRIMARY] is None else False
    return True if "visual" in said else None if None in said else False


def _prompts(labels: Labels) -> Sequence[str]:
    return [name for name in labels if name.startswith("prompt_")]


def _share(labels: Sequence[str | None], wanted: str, level: float) -> PriorRate:
    """Count the answers of one condition that have a label, among those that are usable."""
    unusable = labels.count(None)
    return _rate(labels.count(wanted), len(labels) - unusable, unusable, level)


def _told(known: Sequence[bool | None], level: float) -> PriorRate:
    """Count what is known to be so, among all that is known."""
    return _rate(known.count(True), len(known) - known.count(None), known.count(None), level)


def _counted(
    samples: Iterable[Labels], conditions: Sequence[str], holds: Callable[[Labels], bool], level: float
) -> PriorRate:
    """Count over the samples that were asked under all of the conditions."""
    asked = [labels for labels in samples if all(condition in labels for condition in conditions)]
    usable = [labels for labels in asked if all(labels[condition] is not None for condition in conditions)]
    return _rate(sum(map(holds, usable)), len(usable), len(asked) - len(usable), level)


def _rate(hits: int, usable: int, unusable: int, level: float) -> PriorRate:
    return PriorRate(
        numerator=hits,
        denominator=usable,
        unusable=unusable,
        estimate=hits / usable if usable else None,
        interval=missing_bounded_interval(hits, usable, unusable, level),
    )


def _balance(labels: Sequence[str | None], level: float) -> PriorRate:
    worth = {"visual": (1.0, 1.0), "prior": (-1.0, -1.0), None: (-1.0, 1.0)}
    found = mean_change([worth.get(label, (0.0, 0.0)) for label in labels], level, binary=True)
    return PriorRate(
        numerator=found.above - found.below,
        denominator=found.observed,
        unusable=found.n - found.observed,
        estimate=found.estimate,
        interval=found.interval,
    )

"""The rates of a prior probe over a run: its conditions are the variants of a case."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from oloproof import statistics as st
from oloproof.config.families import DIFFERENCES
from oloproof.policy.members import Family, Reader
from oloproof.records import ORIGINAL, Metric
from oloproof.statistics import PRIMARY, Labels, PriorRate

CONDITIONS = {
    "original": PRIMARY,
    "text_only": "text_only",
    "blank": "blank_image",
    "unrelated": "unrelated_image",
    "original_image": "original",
    "counterfactual": "counterfactual",
}
"""The condition that each variant stands for; those that begin with ``prompt_`` are other words of the question."""


class LabelTally:
    """The labels of the cases, for every rate of them."""

    def __init__(self) -> None:
        self._samples: list[Labels] = []
        self._rates: dict[str, PriorRate] | None = None

    def add(self, family: Family, reader: Reader) -> None:
        """Take the labels of one family."""
        self._samples.append(labels_of(family, reader))

    def metric(self, name: str, reader: Reader, level: float, slice_: Mapping[str, Any] | None) -> Metric:
        """Return one rate over the families that were added, all of them at this level."""
        if self._rates is None:
            self._rates = st.prior_rates(self._samples, level)
        rate = self._rates[name]
        difference = name in DIFFERENCES
        return Metric(
            criterion=f"{reader.measure.criterion}.{name}",
            kind="difference" if difference else "rate",
            variant=ORIGINAL,
            slice=None if slice_ is None else dict(slice_),
            estimand=name,
            estimate=rate.estimate,
            interval=rate.interval,
            level=level,
            method=st.TANGO if difference else st.CLOPPER_PEARSON,
            n=rate.denominator + rate.unusable,
            observed=rate.denominator,
            passed=rate.numerator if not difference else 0,
            failed=rate.denominator - rate.numerator if not difference else 0,
            invalid=0,
            missing=rate.unusable,
            family={"numerator": rate.numerator, "denominator": rate.denominator},
        )


BROKEN_DOWN = ("visual_adoption_rate", "prior_persistence_rate", "mixed_rate", "unclear_rate", "other_rate",
               "visual_prior_balance")  # fmt: skip
GROUPS = ("attribute", "category")
MOST_GROUPS = 50


def rates_by_group(found: Iterable[Family], reader: Reader, level: float) -> Iterator[Metric]:
    """Yield the rates of labels for each attribute and each category that cases have in their slice.

    Of each the first ``MOST_GROUPS`` values in the order of the cases are told.
    """
    tallies: dict[tuple[str, str], tuple[Any, LabelTally]] = {}
    for family in found:
        slice_ = json.loads(family.slice) if family.slice else {}
        for name in GROUPS:
            if name not in slice_:
                continue
            key = (name, repr(slice_[name]))
            if key not in tallies and sum(known == name for known, _ in tallies) >= MOST_GROUPS:
                continue
            tallies.setdefault(key, (slice_[name], LabelTally()))[1].add(family, reader)
    for (name, _), (value, tally) in sorted(tallies.items(), key=lambda one: GROUPS.index(one[0][0])):
        for rate in BROKEN_DOWN:
            yield tally.metric(rate, reader, level, {name: value})


def labels_of(family: Family, reader: Reader) -> Labels:
    """Return the label of each condition that a case was asked under, None where it gave no usable answer."""
    found: dict[str, str | None] = {}
    for variant in family.members:
        condition = variant if variant.startswith("prompt_") else CONDITIONS.get(variant)
        if condition is not None:
            found[condition] = reader.label(family, variant)
    return found

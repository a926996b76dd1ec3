"""Metrics over families: what a variant does to a case, what is noise, which variant is worst, which cases flip.

Families go by once; every metric that is asked for takes from each what it needs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from oloproof import statistics as st
from oloproof.config.families import DIFFERENCES, OF_LABELS, POWER, Cohort
from oloproof.policy.members import Family, Reader, unknown_of
from oloproof.policy.prior_metrics import LabelTally
from oloproof.records import ORIGINAL, Metric
from oloproof.statistics import FamilyMean, Span


class FamilyAsk(Struct, frozen=True):
    """One metric that is asked for: its name, and what it is about."""

    name: str
    variant: str | None = None
    relation: str | None = None
    cohort: Cohort = "all"


def family_metrics(
    found: Iterable[Family], asks: Sequence[FamilyAsk], reader: Reader, level: float, slice_: Mapping[str, Any] | None
) -> list[Metric]:
    """Return the metrics that are asked for, in that order.

    In the cohort ``strict`` a case whose original flips between its repeats is left out, and counted as excluded.
    """
    labels = LabelTally()
    tallies = {ask: _Tally(ask) for ask in asks if ask.name not in OF_LABELS}
    labelled = len(tallies) < len(asks)
    for family in found:
        for tally in tallies.values():
            tally.add(family, reader)
        if labelled:
            labels.add(family, reader)
    return [
        tallies[ask].metric(reader, level, slice_) if ask in tallies else labels.metric(ask.name, reader, level, slice_)
        for ask in asks
    ]


class _Tally:
    """The values of the cases for one metric, kept apart by variant."""

    def __init__(self, ask: FamilyAsk) -> None:
        self._ask = ask
        self._spans: dict[str, list[Span]] = {}
        self._invalid = self._excluded = self._originals = self._originals_right = 0

    def add(self, family: Family, reader: Reader) -> None:
        """Take from one family what the metric needs; a case without the variant has no part in it."""
        ask = self._ask
        if ORIGINAL not in family.members:
            return
        values = list(self._values(family, reader))
        if not values:
            return
        if ask.cohort == "strict" and st.is_flaky(reader.passes(family, ORIGINAL)):
            self._excluded += 1
            return
        low, high = reader.accuracy(family, ORIGINAL)
        self._originals += low == high
        self._originals_right += low == high > 0.0
        for name, span in values:
            self._spans.setdefault(name, []).append(span)
        open_ones = [name for name, span in values if span[0] != span[1]]
        self._invalid += bool(open_ones) and unknown_of(family, [ORIGINAL, *open_ones]) == "invalid"

    def _values(self, family: Family, reader: Reader) -> Iterator[tuple[str, Span]]:
        ask = self._ask
        if ask.name.startswith("worst_"):
            read = getattr(reader, ask.name.removeprefix("worst_"))
            yield from ((name, read(family, name)) for name in reader.related(family, str(ask.relation)))
            return
        variant = ask.variant or ORIGINAL
        if variant in family.members:
            span = self._one(family, reader, variant)
            if span is not None:
                yield variant, span

    def _one(self, family: Family, reader: Reader, variant: str) -> Span | None:
        name = self._ask.name
        if name == "noise_floor":
            return reader.noise_floor(family)
        if name in ("delta", "gain", "change_rate", "effect"):
            span: Span | None = getattr(reader, name)(family, variant)
            return span
        passes = reader.passes(family, variant)
        if name == "flaky_count":
            return st.flaky_span(passes)
        if name == "flip_rate":
            return st.flip_span(passes)
        power = POWER.fullmatch(name)
        if power is None:
            raise ValueError(f"there is no metric over families called {name}")
        return (st.pass_hat_span if power[1] == "^" else st.pass_at_span)(passes, int(power[2]))

    def metric(self, reader: Reader, level: float, slice_: Mapping[str, Any] | None) -> Metric:
        """Return the metric over the families that were added."""
        ask = self._ask
        about: dict[str, Any] = {"relation": ask.relation, "cohort": ask.cohort}
        if ask.name.startswith("worst_"):
            return self._worst(reader, level, slice_, about)
        spans = self._spans.get(ask.variant or ORIGINAL, [])
        if ask.name == "flaky_count":
            return self._told(st.number_of_cases(spans), reader, level, slice_, about)
        about["could_be"] = _ends(spans) if any(low != high for low, high in spans) else None
        mean = st.mean_change if ask.name in DIFFERENCES else st.share_of_cases
        return self._told(mean(spans, level, binary=self._binary(reader)), reader, level, slice_, about)

    def _worst(self, reader: Reader, level: float, slice_: Mapping[str, Any] | None, about: dict[str, Any]) -> Metric:
        name = self._ask.name
        worst = st.worst_member(
            self._spans,
            level,
            changes=name in DIFFERENCES,
            largest=name == "worst_change_rate",
            binary=self._binary(reader),
        )
        found = worst.mean or FamilyMean(None, None, 0, 0, 0, 0, "none")
        variants = {one: len(spans) for one, spans in self._spans.items()}
        about |= {"worst_variant": worst.member, "variants": variants}
        if any(low != high for spans in self._spans.values() for low, high in spans):
            pick = max if name == "worst_change_rate" else min
            about["could_be"] = [pick(_mean_end(spans, end) for spans in self._spans.values()) for end in (0, 1)]
        told = FamilyMean(
            worst.estimate, worst.interval, found.n, found.observed, found.above, found.below, found.method
        )
        return self._told(told, reader, level, slice_, about)

    def _binary(self, reader: Reader) -> bool:
        """Whether each case comes down to one pass or fail, or to one answer that changed or did not."""
        name, measure = self._ask.name, reader.measure
        if name in ("change_rate", "worst_change_rate"):
            return measure.repeats == 1
        if name in ("noise_floor", "effect"):
            return measure.repeats == 1 and sum(one == "same_view" for one in reader.relations.values()) == 1
        return measure.binary and name != "flip_rate" and POWER.fullmatch(name) is None

    def _told(
        self, found: FamilyMean, reader: Reader, level: float, slice_: Mapping[str, Any] | None, about: dict[str, Any]
    ) -> Metric:
        name = self._ask.name
        difference = name in DIFFERENCES
        counts = {"hits": found.above}
        if difference:
            up, down = ("better", "worse") if name.endswith("delta") else ("above", "below")
            counts = {up: found.above, down: found.below}
        originals = {"right": self._originals_right, "observed": self._originals}
        scaled = _scaled(found, name, reader)
        could_be = about.pop("could_be", None)
        if could_be is not None:
            could_be = _scaled(replace(found, interval=tuple(could_be)), name, reader).interval
        if name.startswith("worst_"):
            about["could_be"], could_be = could_be, None  # which of them is the worst may change too
        unknown = found.n - found.observed
        return Metric(
            criterion=f"{reader.measure.criterion}.{name}",
            kind=_kind(name, reader),
            variant=self._ask.variant or ORIGINAL,
            slice=None if slice_ is None else dict(slice_),
            estimand=name,
            estimate=scaled.estimate,
            interval=scaled.interval,
            level=level,
            method=found.method,
            n=found.n,
            observed=found.observed,
            passed=found.above,
            failed=found.below if difference else found.observed - found.above,
            invalid=min(self._invalid, unknown),
            missing=unknown - min(self._invalid, unknown),
            excluded=self._excluded,
            could_be=could_be,
            family={**counts, "original": originals, **{key: value for key, value in about.items() if value}},
        )


def _ends(spans: Sequence[Span]) -> tuple[float, float]:
    return _mean_end(spans, 0), _mean_end(spans, 1)


def _mean_end(spans: Sequence[Span], end: int) -> float:
    """Return the mean of the lowest (0) or the highest (1) values that the cases may have."""
    return math.fsum(span[end] for span in spans) / len(spans)


def _kind(name: str, reader: Reader) -> Any:
    if name == "flaky_count":
        return "count"
    if reader.measure.kind == "score" and name in ("delta", "gain", "worst_delta", "worst_accuracy"):
        return "score"
    return "difference" if name in DIFFERENCES else "rate"


def _scaled(found: FamilyMean, name: str, reader: Reader) -> FamilyMean:
    """Return a mean over scores in the unit of the scores."""
    if _kind(name, reader) != "score":
        return found
    low, high = reader.measure.score_range
    width, start = high - low, 0.0 if name in DIFFERENCES or name == "gain" else low

    def real(value: float) -> float:
        return start + width * value

    interval = None if found.interval is None else (real(found.interval[0]), real(found.interval[1]))
    estimate = None if found.estimate is None else real(found.estimate)
    return FamilyMean(estimate, interval, found.n, found.observed, found.above, found.below, found.method)

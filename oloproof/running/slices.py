"""How a criterion fares in each slice of a run: metrics for looking, beside those that rules decide on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import chain, groupby
from operator import attrgetter
from typing import Any

from msgspec import Struct

from oloproof.policy.metrics import CaseValue, reduce_repeats, summarize
from oloproof.records import ORIGINAL, Metric
from oloproof.running.deciding import measures_of
from oloproof.storage import History, StoredRun

MOST_KEYS, MOST_VALUES = 6, 12


class SlicedBy(Struct, frozen=True):
    """One slice key with the metric of each of its values, the lowest estimate first.

    ``more`` counts the values that are not told of: those with the fewest cases.
    """

    key: str
    metrics: tuple[Metric, ...]
    more: int


def slice_metrics(history: History, run: StoredRun, criterion: str, level: float) -> tuple[SlicedBy, ...]:
    """Return how a criterion fares by each slice key of a run, of the original variant.

    Of more than ``MOST_KEYS`` keys the first ones by name are told, of each the ``MOST_VALUES`` most frequent values. A
    key with a single value tells nothing that the whole does not, and is left out.

    Raises:
        KeyError: the run has no such criterion.
    """
    measure = measures_of(run.document)[criterion]
    number = [entry["criterion"] for entry in run.criteria].index(criterion)
    cases = _by_slice(history, run, number, criterion)
    return tuple(
        SlicedBy(
            key,
            tuple(
                sorted(
                    (
                        summarize(chain.from_iterable(found), measure, level, slice_={key: value})
                        for value, found in values[:MOST_VALUES]
                    ),
                    key=lambda metric: (metric.estimate is None, metric.estimate),
                )
            ),
            max(len(values) - MOST_VALUES, 0),
        )
        for key, values in _by_key(cases)[:MOST_KEYS]
    )


def _by_slice(history: History, run: StoredRun, number: int, criterion: str) -> dict[str | None, list[CaseValue]]:
    """Return the value of each case, by the slice that is stored with it."""
    measure = measures_of(run.document)[criterion]
    found: dict[str | None, list[CaseValue]] = {}
    originals = (one for one in history.observations(run, number) if one.variant == ORIGINAL)
    for _, seen in groupby(originals, key=attrgetter("case_id")):
        repeats = list(seen)
        found.setdefault(repeats[0].slice, []).append(reduce_repeats(repeats, measure))
    return found


def _by_key(
    cases: Mapping[str | None, list[CaseValue]],
) -> list[tuple[str, list[tuple[Any, list[Iterable[CaseValue]]]]]]:
    """Return for each key with several values its values, the most frequent first, with their cases."""
    found: dict[str, dict[str, tuple[Any, list[Iterable[CaseValue]]]]] = {}
    sizes: dict[tuple[str, str], int] = {}
    for text, values in cases.items():
        for key, value in (json.loads(text) if text else {}).items():
            same = json.dumps(value, sort_keys=True)
            found.setdefault(key, {}).setdefault(same, (value, []))[1].append(values)
            sizes[key, same] = sizes.get((key, same), 0) + len(values)
    return [
        (key, [values[same] for same in sorted(values, key=lambda same: -sizes[key, same])])
        for key, values in sorted(found.items())
        if len(values) > 1
    ]

"""How a criterion fares in each slice of a run: the very metrics that a rule about that slice decides on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oloproof.records import Verdict
from oloproof.reports.slices import slices_of
from oloproof.running.deciding import Conclusion
from oloproof.running.slices import MOST_VALUES, slice_metrics
from oloproof.storage import StoredRun
from tests.storage.conftest import Base, entry

PASS, FAIL, MISSING = Verdict.passed("yes"), Verdict.failed("no"), Verdict.missing("gone", code="media_gone")
CRITERIA = [
    {"criterion": name, "type": "contains", "version": "1", "calls_model": False, "metric": "rate", "score_range": None,
     "digest": "0" * 64}
    for name in ("right", "short")
]  # fmt: skip


@pytest.fixture
def base(tmp_path: Path) -> Any:
    made = Base(tmp_path)
    yield made
    made.store.close()


def run_of(base: Base, cases: list[tuple[Any, Verdict]], repeats: int = 1) -> StoredRun:
    document = {"evaluators": CRITERIA, "repeats": {"count": repeats, "pass_when": None}, "project": {}}
    opened = base.begin(document=document, cases=len(cases), trials=len(cases))
    base.store.append(
        opened, [entry(n, slice_=slice_, verdicts=(verdict, PASS)) for n, (slice_, verdict) in enumerate(cases)]
    )
    base.store.finish(opened, "complete")
    return base.history.find(opened.id)


def test_each_value_has_its_metric_with_every_denominator_the_lowest_first(base: Base) -> None:
    cases = [({"lang": "de"}, PASS)] * 6 + [({"lang": "fr"}, FAIL)] * 3 + [({"lang": "fr"}, PASS)] + [({}, PASS)]
    run = run_of(base, [*cases, ({"lang": "de"}, MISSING)])
    (by,) = slice_metrics(base.history, run, "right", 0.95)
    assert (by.key, by.more) == ("lang", 0)
    fr, de = by.metrics
    assert (fr.slice, fr.estimate, fr.n, fr.passed, fr.failed) == ({"lang": "fr"}, 0.25, 4, 1, 3)
    assert (de.slice, de.estimate, de.n, de.observed, de.missing) == ({"lang": "de"}, 1.0, 7, 6, 1)
    assert de.interval is not None
    assert de.interval[0] < 0.6
    assert [one.estimate for one in slice_metrics(base.history, run, "short", 0.95)[0].metrics] == [1.0, 1.0]


def test_values_of_any_kind_are_told_apart_and_a_key_with_one_value_tells_nothing(base: Base) -> None:
    values = [1, True, "1", 1.5, None, ["a"]]
    run = run_of(base, [({"kind": value, "same": "x"}, PASS) for value in values])
    (by,) = slice_metrics(base.history, run, "right", 0.95)
    assert by.key == "kind"
    assert sorted(str((one.slice or {})["kind"]) for one in by.metrics) == sorted(map(str, values))


def test_of_very_many_values_the_most_frequent_are_told(base: Base) -> None:
    cases = [({"shop": f"s{n}"}, PASS) for n in range(MOST_VALUES + 3)] + [({"shop": "s14"}, FAIL)]
    (by,) = slice_metrics(base.history, run_of(base, cases), "right", 0.95)
    assert (len(by.metrics), by.more) == (MOST_VALUES, 3)
    assert by.metrics[0].slice == {"shop": "s14"}


def test_a_page_begins_with_the_criterion_whose_rule_blocks_and_leads_to_the_cases(base: Base) -> None:
    run = run_of(base, [({"lang": "de"}, PASS), ({"lang": "fr"}, FAIL)])
    nothing = Conclusion((), ())
    slices = slices_of(base.history, run, nothing, address=lambda key, value: f"?{key}={value}")
    assert slices is not None
    assert (slices.criterion, slices.tables[0].key) == ("right", "lang")
    assert [(row.value, row.address, row.metric.n) for row in slices.tables[0].rows] == [
        ("fr", "?lang=fr", "1"), ("de", "?lang=de", "1"),
    ]  # fmt: skip
    assert slices_of(base.history, run_of(base, [({}, PASS)]), nothing) is None

"""How far runs under way are: counted by the worst of each trial, reading only what came since the last look."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from oloproof.records import Outcome, Verdict
from oloproof.storage import OpenRun
from oloproof.storage.progress import ProgressReader, RunProgress
from oloproof.storage.unanswered import forget_unanswered
from tests.storage.conftest import PASSED, Base, entry

FAILED, MISSING, INVALID = Verdict.failed("no"), Verdict.missing("gone"), Verdict.invalid("prose")


@pytest.fixture
def running(base: Base) -> Iterator[OpenRun]:
    """A run under way."""
    run = base.begin(trials=8)
    yield run
    base.store.finish(run, "stopped")


def counts(**told: int) -> dict[Outcome, int]:
    return {"fail": 0, "invalid": 0, "missing": 0, "pass": 0, **told}  # type: ignore[misc]


def test_a_trial_counts_by_the_worst_that_is_said_of_it(base: Base, running: OpenRun) -> None:
    told = [(PASSED, PASSED), (PASSED, FAILED), (MISSING, INVALID), (MISSING, PASSED), ()]
    base.store.append(running, [entry(n, verdicts=verdicts) for n, verdicts in enumerate(told)])
    found = ProgressReader(base.store).under_way()
    assert found == (RunProgress("run-0001", "v1", 5, 8, counts(**{"pass": 1, "fail": 1, "invalid": 1, "missing": 2})),)


def test_what_was_counted_is_not_read_again(base: Base, running: OpenRun) -> None:
    """However long the run, a look costs what came since."""
    base.complete(*(entry(n) for n in range(50)))
    base.store.append(running, [entry(n) for n in range(3)])
    reader = ProgressReader(base.store)
    assert reader.under_way()[0].done == 3
    base.store.append(running, [entry(n, verdicts=(FAILED, PASSED)) for n in range(3, 5)])
    read: list[str] = []
    with base.store.reading() as connection:
        connection.set_trace_callback(read.append)
        assert reader.under_way()[0].outcomes == counts(**{"pass": 3, "fail": 2})
        connection.set_trace_callback(None)
        query = next(one for one in read if "verdicts" in one)
        plan = " ".join(row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}"))
    assert "trials USING INTEGER PRIMARY KEY (rowid>?)" in plan
    assert reader.under_way()[0].done == 5


def test_runs_that_ended_or_died_are_not_under_way(base: Base, running: OpenRun) -> None:
    died = base.begin("died")
    died.lock.release()
    base.complete(entry(0), name="done")
    assert [one.run for one in ProgressReader(base.store).under_way()] == ["run-0001"]


def test_a_run_that_died_is_still_counted_when_it_is_asked_for(base: Base) -> None:
    run = base.begin("died", trials=4)
    base.store.append(run, [entry(0)])
    run.lock.release()
    assert ProgressReader(base.store).of(run.number, run.id, "v1", 4).done == 1


def test_a_run_that_is_gone_on_with_is_counted_anew(base: Base) -> None:
    """What its service never answered is taken out of it, and the rows of those trials are given to others."""
    run = base.begin(trials=8)
    base.store.append(run, [entry(n, error="refused") for n in range(3)])
    reader = ProgressReader(base.store)
    assert reader.under_way()[0].done == 3
    base.store.finish(run, "stopped")
    assert reader.under_way() == ()

    again = base.store.reopen(run.number, run.id, ())
    assert forget_unanswered(base.store, again) == 3
    assert reader.under_way()[0].done == 0
    base.store.append(again, [entry(n) for n in range(2)])
    assert reader.under_way()[0].done == 2
    base.store.finish(again, "stopped")

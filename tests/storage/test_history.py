"""Reading runs back: which is meant, in which order, a page at a time."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from oloproof.errors import RunNotFound
from oloproof.records import Verdict
from oloproof.storage import Observation, observations
from oloproof.storage import history as room
from tests.storage.conftest import PASSED, Base, entry, item


@pytest.fixture
def three(base: Base) -> Base:
    for name in ("20260101-100000-aa11", "20260101-100000-bb22", "20260102-100000-cc33"):
        base.complete(entry(0), name=name)
    return base


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (None, "cc33"), ("latest", "cc33"), ("latest~0", "cc33"), ("latest~", "cc33"),
        ("latest~1", "bb22"),
        ("latest~2", "aa11"), ("20260101-100000-aa11", "aa11"), ("aa11", "aa11"), ("b2", "bb22"), ("20260102", "cc33"),
    ],
)  # fmt: skip
def test_a_run_is_found_by_its_id_a_unique_part_or_its_place(three: Base, name: str | None, found: str) -> None:
    assert three.history.find(name).id.endswith(found)


def test_a_version_is_its_newest_run_before_any_part_of_an_id(base: Base) -> None:
    for name, version in (("aa11", "v1"), ("bb22", "v2"), ("cc33", "v1"), ("dd44", "bb2")):
        base.store.finish(base.begin(f"20260101-100000-{name}", system_version=version), "complete")
    found = {name: base.history.find(name).id[-4:] for name in ("v1", "v2", "bb2", "bb22", "latest")}
    assert found == {"v1": "cc33", "v2": "bb22", "bb2": "dd44", "bb22": "bb22", "latest": "dd44"}
    newest = base.history.find("v2")
    assert base.history.find(f"{newest.system_name}@v2") == newest


def test_an_empty_name_is_no_run_and_does_not_mean_the_latest(three: Base) -> None:
    with pytest.raises(RunNotFound, match="the name of a run is empty; give an id"):
        three.history.find("")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("zz", "no run is called 'zz'; the newest are 20260102-100000-cc33, 20260101"),
        ("20260101", "2 runs are called '20260101': .*bb22, .*aa11; give more of the id"),
        ("latest~3", "there is no run latest~3: 3 stored in "),
        ("latest~x", "'latest~x' is no run; latest~1 is the one before the latest"),
        ("latest~-1", "is no run"),
        ("latest~²", "is no run"),
        ("latest~" + "9" * 40, "is no run"),
        ("%", "no run is called '%'"),
        ("2026_101", "no run is called"),
        ("\udcff", "no run is called"),
        ("\0", "no run is called"),
    ],
)
def test_a_name_that_no_or_several_runs_have_is_told(three: Base, name: str, told: str) -> None:
    with pytest.raises(RunNotFound, match=told):
        three.history.find(name)


def test_an_id_wins_over_longer_ones_that_hold_it(base: Base) -> None:
    base.complete(name="abc")
    base.complete(name="abcd")
    assert base.history.find("abc").id == "abc"


def test_without_runs_that_is_said(base: Base) -> None:
    assert base.history.runs() == []
    assert base.history.unfinished() is None
    with pytest.raises(RunNotFound, match=r"there is no run latest: 0 stored in .*; oloproof run makes one"):
        base.history.find()
    with pytest.raises(RunNotFound, match="the newest are none yet"):
        base.history.find("x")


def test_only_the_newest_run_can_be_gone_on_with(base: Base) -> None:
    first = base.begin()
    assert base.history.unfinished() is None
    base.store.finish(first, "stopped")
    unfinished = base.history.unfinished()
    assert unfinished is not None
    assert unfinished.id == first.id
    base.complete()
    assert base.history.unfinished() is None


def test_pages_follow_the_order_of_the_run_also_when_stored_in_another(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observations, "_PAGE", 3)
    monkeypatch.setattr(room, "_WHOLE_PAGE", 3)
    run = base.begin()
    order = [7, 2, 9, 0, 4, 8, 1, 6, 3, 5, 10, 11]
    for index in order:
        base.store.append(
            run, [entry(index, index, case=f"c{index // 2}", repeat=index % 2, media=(item(f"{index}.png"),))]
        )
    stored = base.history.find()
    assert [trial.execution.output for trial in base.history.trials(stored)] == list(range(12))
    seen = list(base.history.observations(stored, 1))
    assert [(one.case_id, one.repeat) for one in seen] == [(f"c{n // 2}", n % 2) for n in range(12)]
    assert [one.repeat for one in base.history.executed(stored)] == [0, 1] * 6
    assert base.history.case_ids(stored) == [f"c{n}" for n in range(6)]
    assert [media[0].name for _, _, media in base.history.recorded_media(stored)] == [f"{n}.png" for n in range(12)]
    assert [trial.position for trial in base.history.trials(stored, case="c3")] == [6, 7]
    assert list(base.history.trials(stored, case="gone")) == []


def test_each_run_and_criterion_has_its_own_observations(base: Base) -> None:
    base.complete(entry(0, verdicts=(Verdict.failed("no"), PASSED)))
    run = base.complete(
        entry(0, verdicts=(Verdict.failed("no", score=0.5), Verdict.invalid("prose")), slice_={"b": 1}),
        entry(1, error="broke", verdicts=(Verdict.missing("x"), Verdict.failed("y"))),
    )
    stored = base.history.find(run.id)
    assert list(base.history.observations(stored, 0)) == [
        Observation("c0", "original", 0, '{"b":1}', "fail", 0.5, False),
        Observation("c1", "original", 0, None, "missing", None, True),
    ]
    assert [one.outcome for one in base.history.observations(stored, 1)] == ["invalid", "fail"]
    assert list(base.history.observations(stored, 2)) == []


def test_in_the_rate_of_errors_an_execution_that_failed_is_the_hit(base: Base) -> None:
    base.complete(entry(0), entry(1, error="broke"), entry(2))
    found = [(one.outcome, one.error) for one in base.history.executed(base.history.find())]
    assert found == [("fail", False), ("pass", True), ("fail", False)]


def test_executions_are_counted(base: Base) -> None:
    base.complete(entry(0, key=b"k"))
    run = base.begin()
    assert base.history.counts(base.history.find()) == {"trials": 0, "run": 0, "cached": 0, "failed": 0}
    base.store.append(run, [entry(0, reused=1), *[entry(n, error="broke") for n in (1, 2, 3)], entry(4)])
    counts = base.history.counts(base.history.find())
    assert counts == {"trials": 5, "run": 4, "cached": 1, "failed": 3}
    assert {type(count) for count in counts.values()} == {int}


def test_a_recorded_item_is_found_by_its_id_within_its_run(base: Base) -> None:
    base.complete(entry(0, media=(item("a.png"), item("b.png"))))
    other = base.history.find(base.complete(entry(0)).id)
    stored = base.history.find("latest~1")
    (trial,) = base.history.trials(stored)
    for one in trial.execution.media:
        assert base.history.item(stored, one.id) == one
        assert base.history.item(other, one.id) is None
    for odd in ("", "1", "1.", "1.2", "1.-1", "9.0", "a.b", "1.0.0", "²." + "0", "1.0 ", "9" * 40 + ".0"):
        assert base.history.item(stored, odd) is None, odd


def test_the_time_of_a_run_is_told_in_utc(base: Base) -> None:
    from msgspec.structs import replace

    base.complete()
    assert replace(base.history.find(), started=0.0).started_text == "1970-01-01 00:00:00"


def fill(base: Base, count: int) -> None:
    """Store ``count`` trials by SQL, which takes a second instead of ten."""
    base.complete(entry(0, "x" * 200))
    series = f"WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"  # noqa: S608
    with base.store.writing() as connection:
        for table, columns in (
            ("executions", "i, key, input, output, error, detail, media, seconds, created"),
            ("trials", "i, run, i - 1, 'c' || i, variant, repeat, expected, slice, i, cached, delivered"),
            ("verdicts", "i, criterion, outcome, score, reason, details, cached"),
        ):
            owner = "trial" if table == "verdicts" else "id"
            connection.execute(
                f"INSERT INTO {table} {series} SELECT {columns} FROM n, {table} WHERE {owner} = 1"  # noqa: S608
            )


def test_a_hundred_thousand_trials_are_never_held_at_once(base: Base) -> None:
    fill(base, 100_000)
    stored = base.history.find()
    assert sum(1 for _ in base.history.observations(stored, 0)) == 100_000
    tracemalloc.start()
    try:
        readers: list[Any] = [base.history.observations(stored, 0), base.history.trials(stored)]
        for reader in readers:
            for number, _ in enumerate(reader):
                if number == 3_000:
                    break
        assert tracemalloc.get_traced_memory()[1] < 6_000_000
    finally:
        tracemalloc.stop()


def test_pages_are_found_by_an_index_and_never_by_looking_at_all(base: Base) -> None:
    base.complete(entry(0))
    query = (
        "SELECT * FROM trials JOIN executions ON executions.id = trials.execution "
        "WHERE run = 1 AND position > 5 ORDER BY position LIMIT 9"
    )
    with base.store.reading() as connection:
        plan = " ".join(str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {query}"))
        keyed = connection.execute("EXPLAIN QUERY PLAN SELECT max(id) FROM executions WHERE key = x'00' AND id <= 9")
        assert "executions_key" in str([row[3] for row in keyed])
    assert "SCAN" not in plan
    assert "TEMP B-TREE" not in plan

"""What was measured on bytes is kept and never measured twice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from oloproof.storage import StoredMeasurements
from oloproof.storage import measurements as room
from tests.storage.conftest import Base

SHA = "ab" * 32


def test_a_measurement_comes_back_at_once_and_in_the_next_process(base: Base, reopened: Callable[[], Base]) -> None:
    kept = StoredMeasurements(base.store)
    value = {"width": 3, "ratio": 0.5, "name": "é\udcff", "none": None}
    assert kept.get(SHA, "facts@1") is None
    kept.put(SHA, "facts@1", value)
    kept.put(SHA, "hash@1", [1, 2])
    assert kept.get(SHA, "facts@1") == value
    kept.flush()
    kept.flush()
    later = StoredMeasurements(reopened().store)
    assert (later.get(SHA, "facts@1"), later.get(SHA, "hash@1")) == (value, [1, 2])
    assert later.get("cd" * 32, "facts@1") is None


def test_the_newest_value_wins(base: Base) -> None:
    kept = StoredMeasurements(base.store)
    for value in (1, 2):
        kept.put(SHA, "n", value)
        kept.flush()
    assert StoredMeasurements(base.store).get(SHA, "n") == 2


def test_it_is_the_same_json_value_whether_it_was_stored_yet_or_not(base: Base) -> None:
    kept = StoredMeasurements(base.store)
    kept.put(SHA, "n", {"pair": (1, 2)})
    assert kept.get(SHA, "n") == {"pair": [1, 2]}


def test_what_is_no_json_is_refused_and_not_remembered(base: Base) -> None:
    kept = StoredMeasurements(base.store)
    with pytest.raises(ValueError, match="Out of range"):
        kept.put(SHA, "n", float("nan"))
    assert kept.get(SHA, "n") is None


def test_what_had_to_make_room_while_it_was_read_ahead_is_still_found(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files with many variants hold more than memory does: what is forgotten of them is read again, not made again."""
    monkeypatch.setattr(room, "_IN_MEMORY", 10)
    kept = StoredMeasurements(base.store)
    known = [(f"{number:064x}", f"variant:{name}") for number in range(6) for name in range(3)]
    for sha256, name in known:
        kept.put(sha256, name, [sha256, name])
    kept.flush()
    later = StoredMeasurements(base.store)
    later.expect([f"{number:064x}" for number in range(7)])
    assert [later.get(*key) for key in known] == [list(key) for key in known]
    assert later.get(f"{6:064x}", "variant:0") is None


def test_memory_is_bounded_and_batches_reach_the_database(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_IN_MEMORY", 10)
    monkeypatch.setattr(room, "_BATCH", 20)
    kept = StoredMeasurements(base.store)
    for number in range(70):
        kept.put(f"{number:064x}", "n", number)
    assert len(kept._recent) == 10
    assert [kept.get(f"{number:064x}", "n") for number in range(70)] == list(range(70))
    other = StoredMeasurements(base.store)
    assert other.get(f"{59:064x}", "n") == 59
    assert other.get(f"{65:064x}", "n") is None


def test_threads_share_it(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_BATCH", 7)
    kept, wrong = StoredMeasurements(base.store), list[Any]()

    def work(number: int) -> None:
        for step in range(60):
            kept.put(f"{step:064x}", f"n{number}", step)
            if kept.get(f"{step:064x}", f"n{number}") != step:
                wrong.append((number, step))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_what_is_expected_is_read_at_once_and_then_asked_of_memory(
    base: Base, reopened: Callable[[], Base], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rerun would ask the database for each file of each variant."""
    other = "cd" * 32
    first = StoredMeasurements(base.store)
    first.put(SHA, "a", 1)
    first.flush()
    later = StoredMeasurements(reopened().store)
    later.put(other, "b", 2)
    later.expect([SHA, other, SHA])
    monkeypatch.setattr(StoredMeasurements, "_read", lambda *given: pytest.fail("the database was asked"))
    assert (later.get(SHA, "a"), later.get(SHA, "none"), later.get(other, "b")) == (1, None, 2)


def test_what_memory_had_to_give_up_is_asked_of_the_database_again(
    base: Base, reopened: Callable[[], Base], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = StoredMeasurements(base.store)
    first.put(SHA, "a", 1)
    first.flush()
    monkeypatch.setattr(room, "_IN_MEMORY", 3)
    later = StoredMeasurements(reopened().store)
    later.expect([SHA])
    for number in range(5):
        later.put(f"{number:02d}" * 32, "b", number)
    assert later.get(SHA, "a") == 1

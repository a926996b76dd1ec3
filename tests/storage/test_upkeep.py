"""Forgetting what could be reused, without touching a run."""

from __future__ import annotations

from oloproof.media.digesting import DigestMemo
from oloproof.storage import StoredMeasurements
from oloproof.storage.upkeep import cache_stats, clear_cache
from tests.storage.conftest import Base, entry, item


def test_clearing_the_cache_leaves_runs_as_they_are(base: Base) -> None:
    run = base.complete(entry(0, key=b"k", media=(item(),)), entry(1, error="broke"))
    base.store.add_decision(run.number, "p", "l", 0, {"metrics": []})
    kept = StoredMeasurements(base.store)
    kept.put("ab" * 32, "n", 1)
    kept.flush()
    memo = DigestMemo()
    memo.remember((1, 2, 3, 4, 5), "ab" * 32)
    base.store.save_memo(memo)
    before = list(base.history.trials(base.history.find()))
    stats = cache_stats(base.store)
    assert {key: stats[key] for key in ("answers", "measurements", "digests", "runs")} == {
        "answers": 2, "measurements": 1, "digests": 1, "runs": 1,
    }  # fmt: skip
    assert stats["bytes"] > 4096
    assert stats["file"] == str(base.store.file)

    assert clear_cache(base.store) == 2
    assert clear_cache(base.store) == 0
    assert list(base.history.trials(base.history.find())) == before
    assert len(base.history.decisions(base.history.find())) == 1
    assert base.store.cached([b"k"], 99) == {}
    assert StoredMeasurements(base.store).get("ab" * 32, "n") is None
    assert base.store.load_memo().known((1, 2, 3, 4, 5)) is None
    again = cache_stats(base.store)
    assert (again["answers"], again["measurements"], again["digests"], again["runs"]) == (0, 0, 0, 1)


def test_an_answer_given_after_clearing_is_reused_again(base: Base) -> None:
    base.complete(entry(0, "old", key=b"k"))
    clear_cache(base.store)
    base.complete(entry(0, "new", key=b"k"))
    assert base.store.cached([b"k"], 99)[b"k"][1].output == "new"

"""Writing runs: whole batches or nothing, whatever the text, whoever dies in between."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from oloproof.errors import StorageError
from oloproof.media.digesting import DigestMemo
from oloproof.records import Notice, Verdict
from oloproof.storage import Store
from oloproof.storage import store as room
from tests.storage.conftest import PASSED, Base, entry, item
from tests.warm import Warm


def test_a_trial_comes_back_as_it_was_stored(base: Base) -> None:
    verdicts = (Verdict.failed("too wide", score=0.25, width=300), Verdict.invalid("prose"))
    media = (item("a.png"), item("b.wav", kind="audio", width=None, height=None, duration=1.5, identity=None, facts={}))
    run = base.complete(
        entry(0, {"a": [1, None, "é"]}, expected=[0], slice_={"lang": "de"}, media=media, verdicts=verdicts, repeat=2,
              variant="dark", input_='{"q":1}'),
        entry(1, error="ValueError: bad", error_detail="line 1\nline 2", verdicts=(Verdict.missing("no"), PASSED)),
    )  # fmt: skip
    first, second = base.history.trials(base.history.find(run.id))
    assert (first.case_id, first.variant, first.repeat, first.position) == ("c0", "dark", 2, 0)
    assert (first.input, first.expected, first.slice) == ({"q": 1}, [0], {"lang": "de"})
    assert (first.execution.output, first.execution.seconds, first.execution.cached_at) == (
        {"a": [1, None, "é"]},
        0.5,
        None,
    )
    assert first.verdicts == verdicts
    assert [one.id for one in first.execution.media] == [f"{first.execution_id}.0", f"{first.execution_id}.1"]
    assert [(one.path, one.identity, one.facts) for one in first.execution.media] == [
        ("out/a.png", (1, 2**62, 3, 4, 5), {"seed": 1, "ü": [None, 0.5]}), ("out/b.wav", None, {}),
    ]  # fmt: skip
    assert (second.execution.error, second.execution.error_detail) == ("ValueError: bad", "line 1\nline 2")
    assert (second.execution.output, second.expected, second.slice, second.cached) == (None, None, {}, False)


HOSTILE = ["\udcff", "\ud800 x", "\0", "a\0b", "\x1b[31m", "' OR 1=1; --", "é" * 100_000, "\u2028", "🏴‍☠️", "%_\\"]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_hostile_text_is_stored_and_read_back(base: Base, text: str) -> None:
    from oloproof.digests import canonical_json

    run = base.begin(system_name=text, document={"evaluators": [], "note": text})
    run.notices.append(Notice("odd", text))
    one = entry(
        0, {text: [text]}, case=text, variant=text, expected=text, slice_={text: text}, input_=canonical_json([text]),
        media=(item(given=text, name=text, path=text),), verdicts=(Verdict("fail", text, None, {text: text}), PASSED),
    )  # fmt: skip
    base.store.append(run, [one, entry(1, error=text, error_detail=text)])
    base.store.finish(run, "stopped", text)
    stored = base.history.find(run.id)
    trial, failed = base.history.trials(stored)
    assert (trial.execution.output, trial.expected, trial.slice, trial.input) == (
        {text: [text]},
        text,
        {text: text},
        [text],
    )
    assert trial.verdicts[0].details == {text: text}
    assert trial.execution.media[0].given == text
    assert stored.document["note"] == text
    assert stored.notices[0].message == text
    kept = text if not any("\ud800" <= sign <= "\udfff" for sign in text) else ascii(text)[1:-1]
    assert (trial.case_id, trial.variant, trial.verdicts[0].reason) == (kept,) * 3
    assert (failed.execution.error, failed.execution.error_detail, stored.error, stored.system_name) == (kept,) * 4
    assert [one.position for one in base.history.trials(stored, case=text)] == [0]


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False, allow_infinity=False)
    | some.text(some.characters()),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(JSON)
def test_any_json_value_round_trips(value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = Base(Path(folder))
        try:
            run = base.complete(entry(0, value, expected=value, verdicts=(Verdict("pass", "", None, {"v": value}),)))
            (trial,) = base.history.trials(base.history.find(run.id))
            assert (trial.execution.output, trial.verdicts[0].details["v"]) == (value, value)
            assert trial.expected == value
        finally:
            base.store.close()


def test_a_batch_is_stored_whole_or_not_at_all(base: Base) -> None:
    run = base.begin()
    base.store.append(run, [entry(0)])
    with pytest.raises(StorageError, match="UNIQUE"):
        base.store.append(run, [entry(1), entry(2), entry(0)])
    with pytest.raises(ValueError, match="Out of range"):
        base.store.append(run, [entry(3), entry(4, float("nan"))])
    assert base.store.done_positions(run) == {0}
    base.store.append(run, [entry(1)])
    base.store.append(run, [])
    assert base.store.done_positions(run) == {0, 1}
    assert base.store.newest_execution() == 2


def test_the_cache_gives_the_newest_answer_without_an_error_up_to_a_point(base: Base) -> None:
    run = base.begin()
    base.store.append(run, [entry(0, "old", key=b"k"), entry(1, "other", key=b"o"), entry(2, "new", key=b"k")])
    base.store.append(run, [entry(3, error="broke", key=b"k"), entry(4, error="broke", key=b"f")])
    up_to = base.store.newest_execution()
    base.store.append(run, [entry(5, "later", key=b"k")])
    found = base.store.cached([b"k", b"o", b"f", b"unknown"], up_to)
    assert {key: (number, one.output) for key, (number, one) in found.items()} == {b"k": (3, "new"), b"o": (2, "other")}
    assert found[b"k"][1].cached_at == pytest.approx(time.time(), abs=10)
    assert base.store.cached([b"k"], 1)[b"k"][1].output == "old"
    assert base.store.cached([b"k"], 0) == base.store.cached([], up_to) == {}


def test_a_reused_answer_keeps_its_media_and_its_time(base: Base) -> None:
    base.complete(entry(0, key=b"k", media=(item(),)))
    number, execution = base.store.cached([b"k"], 99)[b"k"]
    run = base.complete(entry(0, reused=number), entry(1))
    first, second = base.history.trials(base.history.find(run.id))
    assert (first.cached, second.cached) == (True, False)
    assert first.execution == execution
    assert base.history.counts(base.history.find(run.id)) == {"trials": 2, "run": 1, "cached": 1, "failed": 0}
    assert base.history.oldest_reused(base.history.find(run.id)) == execution.cached_at


def test_verdicts_can_be_amended_while_a_run_goes_on(base: Base) -> None:
    run = base.begin()
    base.store.append(run, [entry(0), entry(1)])
    rows = [trial.row for trial in base.history.trials(base.history.find(run.id))]
    gone = Verdict.missing("a.png is gone", code="media_gone")
    base.store.amend_verdicts(run, [(rows[1], 0, gone)])
    found = [trial.verdicts for trial in base.history.trials(base.history.find(run.id))]
    assert found == [(PASSED, PASSED), (gone, PASSED)]


def test_decisions_are_only_ever_added(base: Base) -> None:
    run = base.complete(entry(0))
    for code in (1, 0):
        base.store.add_decision(run.number, "policy", "labels", code, {"metrics": [], "exit": code})
    stored = base.history.find(run.id)
    assert [one["exit"] for one in base.history.decisions(stored)] == [1, 0]
    assert base.history.last_exits() == {run.number: 0}


def test_digests_of_files_are_kept_the_newest_of_each(base: Base) -> None:
    memo = DigestMemo()
    states = {(1, 2, 3, 4, 5): "aa", (1, 2, 9, 9, 9): "bb", (1, 2**64 - 1, 3, 4, 5): "cc"}
    for identity, digest in states.items():
        memo.remember(identity, digest * 32)
    base.store.save_memo(memo)
    base.store.save_memo(memo)
    loaded = base.store.load_memo()
    assert loaded.known((1, 2, 9, 9, 9)) == "bb" * 32
    assert loaded.known((1, 2, 3, 4, 5)) is None
    assert loaded.known((1, 2**64 - 1, 3, 4, 5)) is None  # an inode that SQLite cannot hold is hashed again


def test_too_many_digests_are_forgotten_together(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "LARGEST_MEMO", 2)
    for number in range(4):
        memo = DigestMemo()
        memo.remember((1, number, 0, 0, 0), "ab" * 32)
        base.store.save_memo(memo)
    known = base.store.load_memo()
    assert [known.known((1, number, 0, 0, 0)) is not None for number in range(4)] == [False, False, False, True]


def test_threads_share_one_store(base: Base) -> None:
    run = base.begin()
    threads = [
        threading.Thread(target=lambda n=n: [base.store.append(run, [entry(n * 20 + k)]) for k in range(20)])
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert base.store.done_positions(run) == set(range(120))


WRITER = """
import sys
from pathlib import Path
from tests.storage.conftest import Base, entry
from tests.warm import Warm
base = Base(Path(sys.argv[1]))
run = base.begin(sys.argv[2])
for batch in range(int(sys.argv[3])):
    base.store.append(run, [entry(batch * 20 + n, "x" * 500) for n in range(20)])
    print(batch, flush=True)
base.store.finish(run, "complete")
"""


def writer(warm: Warm, root: Path, name: str, batches: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        warm.python(WRITER, str(root), name, str(batches)), stdout=subprocess.PIPE, text=True,
        cwd=Path(__file__).parent.parent.parent,
    )  # fmt: skip


def test_a_writer_that_is_killed_leaves_whole_batches_and_a_run_to_go_on_with(tmp_path: Path, warm: Warm) -> None:
    for attempt in range(1):
        with writer(warm, tmp_path, f"killed-{attempt}", 1_000_000) as process:
            assert process.stdout is not None
            while int(process.stdout.readline()) < 5:
                pass
            base = Base(tmp_path)
            assert base.history.find().state == "running"
            assert base.history.unfinished() is None
            with pytest.raises(StorageError, match="is being written by another process"):
                base.store.reopen(base.history.find().number, base.history.find().id, ())
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
        stored = base.history.find(f"killed-{attempt}")
        assert stored.state == "interrupted"
        unfinished = base.history.unfinished()
        assert unfinished is not None
        count = sum(1 for _ in base.history.trials(stored))
        assert count >= 100
        assert count % 20 == 0
        run = base.store.reopen(stored.number, stored.id, stored.notices)
        assert base.history.find().state == "running"
        assert base.store.done_positions(run) == set(range(count))
        base.store.append(run, [entry(count)])
        base.store.finish(run, "complete")
        assert base.history.find().state == "complete"
        base.store.close()
        with closing(sqlite3.connect(base.store.file)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_processes_may_write_and_open_the_same_database_at_once(tmp_path: Path, warm: Warm) -> None:
    writers = [writer(warm, tmp_path, f"at-once-{n}", 15) for n in range(3)]
    for process in writers:
        process.communicate(timeout=60)
        assert process.returncode == 0
    base = Base(tmp_path)
    for run in base.history.runs():
        assert run.state == "complete"
        assert [trial.position for trial in base.history.trials(run)] == list(range(300))
    base.store.close()


def test_a_run_that_failed_to_begin_leaves_no_lock(base: Base) -> None:
    base.complete(name="same")
    with pytest.raises(StorageError, match="UNIQUE"):
        base.begin("same")
    assert list((base.store.folder / "locks").iterdir()) == []


def test_a_run_that_cannot_be_finished_still_lets_go_of_its_lock(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    run = base.begin()

    def full(*_: Any, **__: Any) -> None:
        raise StorageError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(base.store, "_set", full)
        with pytest.raises(StorageError):
            base.store.finish(run, "complete")
    assert base.history.find().state == "interrupted"
    base.store.finish(run, "stopped", "once more")
    assert base.history.find().state == "stopped"


def test_what_was_finished_says_when_and_why(base: Base, reopened: Callable[[], Base]) -> None:
    run = base.begin()
    run.notices.append(Notice("code", "message"))
    base.store.finish(run, "stopped", "Ctrl-C")
    stored = reopened().history.find()
    assert (stored.state, stored.error, stored.notices) == ("stopped", "Ctrl-C", (Notice("code", "message"),))
    assert stored.finished is not None
    assert stored.finished >= stored.started


def test_a_trivial_trial_takes_less_than_800_bytes_on_disk(base: Base) -> None:
    run = base.begin()
    for start in range(0, 4000, 500):
        base.store.append(
            run,
            [
                entry(
                    n,
                    "red",
                    key=os.urandom(32),
                    case=f"case-{n:06d}",
                    input_='"which colour?"',
                    expected="red",
                    verdicts=(PASSED,),
                )
                for n in range(start, start + 500)
            ],
        )
    base.store.finish(run, "complete")
    base.store.close()
    assert sum(path.stat().st_size for path in base.store.folder.rglob("*") if path.is_file()) / 4000 < 800


def test_closing_twice_is_no_harm(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.close()
    store.close()

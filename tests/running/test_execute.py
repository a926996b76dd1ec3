"""Executing many trials: concurrent where it may be, bounded where it must be, each failure its own."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from oloproof.errors import DatasetError, RunInterrupted, ToolMissing
from oloproof.running import run
from oloproof.running.crew import Crew
from oloproof.running.events import Event, RunStarted, TrialsDone, Verifying
from oloproof.storage import History, Store
from tests.warm import cold_command

ASYNC_APP = """\
import asyncio

from oloproof import current_case

inside = 0
most = 0


async def answer(case):
    global inside, most
    inside += 1
    most = max(most, inside)
    before = current_case().id
    await asyncio.sleep(0.02)
    assert current_case().id == before == f"c{case['n']}"
    inside -= 1
    return {"answer": case["n"] * 2, "most": most}
"""

SCORES = """\
from oloproof import evaluator


@evaluator(version="1", score_range=(0.0, 3.0))
def far(case, output):
    return case.input["n"] / 2
"""
SCORED = '  - {type: custom, criterion: far, callable: "checks:far"}'


def outputs(root: Any) -> dict[str, Any]:
    store = Store(root)
    try:
        history = History(store)
        return {trial.case_id: trial.execution.output for trial in history.trials(history.find())}
    finally:
        store.close()


def test_async_systems_are_awaited_together_and_each_knows_its_own_case(echo: Callable[..., Any]) -> None:
    folder = echo(40, app=ASYNC_APP, more="concurrency: 10\n")
    result = run(folder.root)
    assert result.executions == {"trials": 40, "run": 40, "cached": 0, "failed": 0}
    most = max(output["most"] for output in outputs(folder.root).values())
    assert 5 <= most <= 10


def test_sync_systems_run_side_by_side_up_to_the_concurrency(echo: Callable[..., Any]) -> None:
    app = ASYNC_APP.replace("async def", "def").replace("await asyncio.sleep", "time.sleep").replace("asyncio", "time")
    folder = echo(30, app=app, more="concurrency: 6\n")
    result = run(folder.root)
    assert result.executions["failed"] == 0
    assert 3 <= max(output["most"] for output in outputs(folder.root).values()) <= 6


def test_repeats_are_executions_of_their_own_and_never_one_answer_twice(echo: Callable[..., Any]) -> None:
    app = "count = 0\n\ndef answer(case):\n    global count\n    count += 1\n    return {'answer': count}\n"
    folder = echo(1, app=app, more="repeats: 4\nconcurrency: 1\n")
    assert run(folder.root).executions["run"] == 4
    assert run(folder.root).executions["cached"] == 4
    store = Store(folder.root)
    history = History(store)
    trials = list(history.trials(history.find()))
    store.close()
    assert sorted(trial.execution.output["answer"] for trial in trials) == [1, 2, 3, 4]


def test_two_cases_of_the_same_input_are_executed_once_each(echo: Callable[..., Any]) -> None:
    folder = echo(1)
    folder.cases([{"id": name, "input": {"n": 1}, "expected": {"answer": 2}} for name in "abc"])
    assert run(folder.root).executions == {"trials": 3, "run": 3, "cached": 0, "failed": 0}
    assert run(folder.root).executions["cached"] == 3


def test_the_engine_speaks_and_the_listener_hears_everything_in_order(echo: Callable[..., Any]) -> None:
    heard: list[Event] = []
    run(echo(7).root, listener=heard.append)
    assert isinstance(heard[0], RunStarted)
    assert (heard[0].trials, heard[0].criteria) == (7, ("right",))
    assert isinstance(heard[-1], Verifying)
    last = next(event for event in reversed(heard) if isinstance(event, TrialsDone))
    assert (last.done, dict(last.outcomes["right"])) == (7, {"pass": 7})


def test_the_listener_hears_the_mean_of_scores_so_far(echo: Callable[..., Any]) -> None:
    folder = echo(4)
    folder.write("checks.py", SCORES)
    project = (folder.root / "oloproof.yaml").read_text()
    folder.write("oloproof.yaml", project.replace("evaluators:", f"evaluators:\n{SCORED}"))
    heard: list[Event] = []
    run(folder.root, listener=heard.append)
    last = next(event for event in reversed(heard) if isinstance(event, TrialsDone))
    assert last.means == {"far": 0.75}


def test_memory_does_not_grow_with_the_number_of_cases(echo: Callable[..., Any]) -> None:
    def peak(n: int) -> int:
        folder = echo(n)
        process = subprocess.Popen(cold_command("run", "--quiet"), cwd=folder.root, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return usage.ru_maxrss

    assert peak(20_000) < 1.25 * peak(1_000)


def test_a_slow_trial_does_not_keep_finished_ones_from_being_stored(echo: Callable[..., Any]) -> None:
    app = (
        "import time\n\ndef answer(case):\n    time.sleep(3 * (case['n'] == 9))\n    return {'answer': 2 * case['n']}\n"
    )
    folder = echo(10, app=app, more="concurrency: 2\n")
    worker = threading.Thread(target=run, args=(folder.root,), daemon=True)
    worker.start()
    deadline = time.monotonic() + 20
    stored = 0
    while time.monotonic() < deadline and stored < 9 and worker.is_alive():
        time.sleep(0.05)
        if (folder.root / ".oloproof" / "oloproof.db").exists():
            store = Store(folder.root)
            runs = History(store).runs()
            stored = History(store).counts(runs[0])["trials"] if runs else 0
            store.close()
    assert worker.is_alive(), "the slow trial is still under way"
    assert stored == 9
    worker.join(20)


def test_an_answer_to_a_file_that_was_edited_meanwhile_is_not_reused(echo: Callable[..., Any]) -> None:
    """Its key would tell of the bytes before: once the edit is taken back, that would be the answer to other bytes."""
    app = """
        from pathlib import Path

        HERE = Path(__file__).parent

        def answer(case):
            note = HERE / case["note"]
            if (HERE / "edit").exists():
                (HERE / "edit").unlink()
                note.write_text("second")
            return note.read_text()
        """
    folder = echo(1, app=dedent(app))
    folder.cases([{"id": "c0", "input": {"note": "note.txt"}}])
    folder.write("note.txt", "first")
    folder.write("edit", "")
    edited = run(folder.root)
    assert "files_changed_meanwhile" in [notice.code for notice in edited.run.notices]
    assert outputs(folder.root) == {"c0": "second"}

    folder.write("note.txt", "first")
    for cached in (0, 1):
        assert run(folder.root).executions["cached"] == cached
        assert outputs(folder.root) == {"c0": "first"}


@pytest.mark.parametrize("error", [KeyboardInterrupt(), DatasetError("a row was cut off")])
def test_what_is_done_and_waits_to_be_stored_is_stored_before_a_run_is_stopped(
    echo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """Answers may have been paid for; of those that are done at the moment of Ctrl-C none is asked for again."""
    taken = Crew.take

    def stopped(crew: Crew, patience: float) -> Any:
        if (found := taken(crew, patience)) or not any(waited):
            waited.append(bool(found))
            return found
        raise error

    waited: list[bool] = []
    monkeypatch.setattr(Crew, "take", stopped)
    monkeypatch.setattr("oloproof.running.execute._LONGEST_UNSTORED", 1_000.0)
    app = "import time\n\ndef answer(case):\n    time.sleep(2 * (case['n'] == 5))\n    return case['n']\n"
    folder = echo(6, app=app, more="concurrency: 2\n")
    with pytest.raises(RunInterrupted if isinstance(error, KeyboardInterrupt) else DatasetError):
        run(folder.root)
    assert outputs(folder.root) == {f"c{number}": number for number in range(6)}


def test_a_missing_tool_stops_the_run_and_names_case_and_criterion(
    photos: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = """
        import os
        from pathlib import Path
        from oloproof import current_case, media_file

        def thumbnail(case):
            path = current_case().path("clip.flv")
            path.write_bytes(b"FLV" + bytes([1, 5, 0, 0, 0, 9, 0, 0, 0, 0]))
            current_case().media([media_file(path)])
            return {}
        """
    project = """\
        version: 1
        project: p
        dataset: {path: cases.jsonl, media: [photo]}
        system: {name: s, callable: "app:thumbnail", records: [media/v1]}
        evaluators: [{type: media_check, criterion: short, max_duration: 5}]
        """
    folder = photos("fine", app=app, project=project)
    monkeypatch.setenv("PATH", str(folder.root))
    with pytest.raises(ToolMissing, match=r"case 'c0', short: .*ffprobe"):
        run(folder.root)


def test_a_second_run_of_one_process_executes_the_code_as_it_stands_now(echo: Callable[..., Any]) -> None:
    """And nothing that the old code answered is kept under the digest of the new."""
    folder = echo(2)
    run(folder.root)
    app = folder.root / "app.py"
    app.write_text(app.read_text() + "\n\n_before = answer\n\n\ndef answer(case):\n    return {'new': _before(case)}\n")
    run(folder.root)
    store = Store(folder.root)
    history = History(store)
    outputs = [trial.execution.output for trial in history.trials(history.find())]
    store.close()

    assert all(list(output) == ["new"] for output in outputs)

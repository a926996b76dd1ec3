"""Kill runs at random moments and go on with each; print as JSON what became of them. Run by test_resume.py.

It is started where all is imported, and every run is a fork: a kill lands in the run and not in its start.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

from oloproof.config import load_project
from oloproof.errors import ConfigError
from oloproof.evaluators import builtin_registry
from oloproof.media import MediaReader
from oloproof.running import run
from oloproof.running.deciding import conclude
from oloproof.running.documents import run_document, trial_document
from oloproof.storage import History, Store


def in_a_fork(root: Path, *, resume: bool) -> int:
    child = os.fork()
    if child == 0:
        code = 3
        try:
            run(root, resume=resume)
            code = 0
        except ConfigError:
            code = 4
        finally:
            os._exit(code)
    return child


def told(root: Path) -> dict[str, Any]:
    """Return everything a run holds, without ids and times."""
    project = load_project(root, builtin_registry().options())
    store = Store(root)
    history = History(store)
    found = history.find()
    reader = MediaReader(root)
    document = run_document(history, found, conclude(history, found, project.policy))
    trials = {
        f"{trial.position}": trial_document(found, trial, reader) | {"case": trial.case_id, "input": trial.input}
        for trial in history.trials(found)
    }
    store.close()
    text = json.dumps({"document": document, "trials": trials}, sort_keys=True)
    text = text.replace(found.id, "RUN")
    text = re.sub(r'"seconds": [0-9.e-]+', '"seconds": 0', text)
    return json.loads(re.sub(r'"id": "[0-9.]+"', '"id": ""', text))


def main() -> None:
    root, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    started = time.monotonic()
    os.waitpid(in_a_fork(root, resume=False), 0)
    longest = time.monotonic() - started
    whole = told(root)
    report: dict[str, Any] = {"trials": len(whole["trials"]), "kills": []}
    while len(report["kills"]) < kills:
        wipe(root)
        child = in_a_fork(root, resume=False)
        time.sleep(chance.uniform(0.0, longest))
        os.kill(child, signal.SIGKILL)
        if os.waitpid(child, 0)[1] != signal.SIGKILL or complete(root):  # it was done before the kill came
            longest *= 0.9
            continue
        stored = count(root)
        code = os.waitstatus_to_exitcode(os.waitpid(in_a_fork(root, resume=stored is not None), 0)[1])
        report["kills"].append({"stored": stored, "exit": code, "equal": told(root) == whole})
    print(json.dumps(report))


def count(root: Path) -> int | None:
    """Return how many trials the unfinished run holds; None when the kill came before the run was stored."""
    if not (root / ".oloproof" / "oloproof.db").exists():
        return None
    store = Store(root)
    try:
        unfinished = History(store).unfinished()
        return None if unfinished is None else History(store).counts(unfinished)["trials"]
    finally:
        store.close()


def complete(root: Path) -> bool:
    """Return whether the newest run was completed."""
    if not (root / ".oloproof" / "oloproof.db").exists():
        return False
    store = Store(root)
    try:
        runs = History(store).runs()
        return bool(runs) and runs[0].state == "complete"
    finally:
        store.close()


def wipe(root: Path) -> None:
    for folder in (".oloproof", "out"):
        for path in sorted((root / folder).rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()

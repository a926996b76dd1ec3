"""A command that runs without its start-up is told apart from a cold one by nothing but its time."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.warm import CAN_FORK, Warm, may_be_warm

TELLING_APP = """\
import os
import sys


def answer(case):
    sys.modules["oloproof"].seen = getattr(sys.modules["oloproof"], "seen", 0) + 1
    open("told", "a").write(f"{os.getpid()} {os.getcwd()} {os.environ['TOLD']} {sys.modules['oloproof'].seen}\\n")
    print("a print\\n", end="")
    return {"answer": 0}
"""


def without_ids(text: str) -> str:
    return re.sub(r"\d{8}-\d{6}-[0-9a-f]{4}|\d+\.\d+ s", "…", text)


@pytest.mark.parametrize("arguments", [("run", "--fresh"), ("run", "--limit", "x"), ("gate", "nosuch"), ("schema",)])
def test_a_warm_command_says_and_ends_as_a_cold_one(echo: Callable[..., Any], arguments: tuple[str, ...]) -> None:
    folder = echo(2, more="policy: {rules: [{id: all, metric: right, max_failures: 0}]}\n", app=TELLING_APP)
    told = [folder.run(*arguments, env={"TOLD": "yes"}, cold=cold) for cold in (True, False)]
    cold, warm = ((ended.exit, without_ids(ended.out), without_ids(ended.err)) for ended in told)
    assert cold == warm


def test_each_warm_command_is_a_process_of_its_own_that_knows_nothing_of_others(echo: Callable[..., Any]) -> None:
    folder = echo(1, app=TELLING_APP)
    for word in ("one", "two"):
        folder.run("run", "--fresh", env={"TOLD": word})
    first, second = (line.split() for line in (folder.root / "told").read_text().splitlines())
    assert first[0] != second[0]
    assert (first[1:], second[1:]) == ([str(folder.root), "one", "1"], [str(folder.root), "two", "1"])


def test_what_python_reads_when_it_starts_is_never_warm() -> None:
    assert not may_be_warm({"PYTHONPATH": "here"})
    assert may_be_warm({"PATH": "", "NO_COLOR": "1"}) is CAN_FORK


@pytest.mark.skipif(not CAN_FORK, reason="every command is cold here")
def test_a_warm_command_that_nobody_waits_for_any_more_is_killed(echo: Callable[..., Any], warm: Warm) -> None:
    app = "import os, time\n\ndef answer(case):\n    os.symlink(str(os.getpid()), 'pid')\n    time.sleep(60)\n"
    folder = echo(1, app=app)
    with subprocess.Popen([warm.program() / "oloproof", "run", "--quiet"], cwd=folder.root) as asking:
        wait_until((folder.root / "pid").is_symlink)
        asking.kill()
    process = int(os.readlink(folder.root / "pid"))
    wait_until(lambda: not Path(f"/proc/{process}").exists())


def wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)

"""A run that was interrupted is gone on with and ends as if nothing had happened."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from oloproof.errors import ConfigError
from oloproof.running import Selection, run
from tests.warm import Warm

SLOW_APP = """\
import time
from pathlib import Path

from oloproof import current_case, media_file


def answer(case):
    time.sleep(0.004)
    path = current_case().path("answer.pgm")
    path.write_bytes(b"P5 2 1 255 " + bytes([case["n"] % 256, 7]))
    current_case().media([media_file(path)])
    if case["n"] % 50 == 3:
        raise ValueError("every fiftieth fails")
    return {"answer": case["n"] * 2}
"""


def test_a_run_killed_at_twenty_random_moments_and_resumed_equals_a_whole_one(
    echo: Callable[..., Any], warm: Warm
) -> None:
    folder = echo(
        30,
        app=SLOW_APP.replace("0.004", "0.02"),
        more="""\
          - {type: media_check, criterion: tiny, max_width: 2}
        repeats: {count: 2, pass_when: 1}
        concurrency: 3
        policy: {rules: [{id: floor, metric: right, min: 0.9}, {id: errors, metric: error_rate, max: 0.1}]}
        """,
    )
    done = subprocess.run(
        warm.python("from tests.running.kill_and_resume import main; main()", str(folder.root), "20", "7"),
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["trials"] == 60
    assert [kill for kill in report["kills"] if not kill["equal"] or kill["exit"] != 0] == []
    midway = [kill for kill in report["kills"] if 0 < (kill["stored"] or 0) < 60]
    assert len(midway) >= 3, f"enough kills must land while trials are being stored: {report['kills']}"


def test_ctrl_c_keeps_what_is_done_and_resume_completes_it(echo: Callable[..., Any]) -> None:
    folder = echo(200, app=SLOW_APP.replace("0.004", "0.02"), more="concurrency: 2\n")
    process = subprocess.Popen(
        folder.command("run", "--quiet"), cwd=folder.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 30
    while not list(folder.root.glob("out/**/answer.pgm")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert "--resume" in err
    listed = folder.run("runs", "--json").document["runs"]
    assert (listed[0]["state"], listed[0]["exit"]) == ("stopped", 2)
    resumed = folder.run("run", "--resume", "--json")
    assert resumed.document["executions"]["run"] == 200
    assert resumed.document["run"] == listed[0]["run"]


def test_resume_without_any_run_begins_one_and_says_so(echo: Callable[..., Any]) -> None:
    folder = echo(2)
    begun = folder.run("run", "--resume", "--json")
    assert begun.exit == 0, begun.err
    assert begun.document["executions"]["run"] == 2
    assert [warning["code"] for warning in begun.document["warnings"]] == ["nothing_to_resume"]


def test_resume_of_a_complete_run_tells_its_result_again_and_executes_nothing(echo: Callable[..., Any]) -> None:
    folder = echo(
        2,
        app="def answer(case):\n    open('calls', 'a').write('x')\n    return {'answer': 0}\n",
        more="policy: {rules: [{id: all, metric: right, max_failures: 0}]}\n",
    )
    whole = folder.run("run", "--json")
    again = folder.run("run", "--resume", "--json")
    assert (whole.exit, again.exit) == (1, 1)
    assert (folder.root / "calls").read_text() == "xx"
    assert [warning["code"] for warning in again.document.pop("warnings")] == ["already_complete"]
    assert again.document | {"warnings": []} == whole.document
    assert len(folder.run("runs", "--json").document["runs"]) == 1


@pytest.mark.parametrize(("changed", "what"), [("cases.jsonl", "the dataset"), ("app.py", "the system or its code")])
def test_resume_of_a_complete_run_of_what_was_another_project_says_so(
    echo: Callable[..., Any], changed: str, what: str
) -> None:
    folder = echo(2)
    run(folder.root)
    path = folder.root / changed
    path.write_text(path.read_text().replace('"n": 1', '"n": 7').replace("* 2}", "* 3}"))
    with pytest.raises(ConfigError, match=f"the newest run is complete.*{what} changed since"):
        run(folder.root, resume=True)


STOPPED = """\
from pathlib import Path


def answer(case):
    open("calls", "a").write("x")
    if case["n"] == 1 and Path("stop").exists():
        raise KeyboardInterrupt
    return {"answer": case["n"] * 2}
"""


@pytest.mark.parametrize(("began", "calls"), [(["--fresh"], "xxx" + "xx" + "xx"), ([], "xxx")])
def test_a_run_that_was_to_ask_anew_still_does_when_it_goes_on(
    echo: Callable[..., Any], began: list[str], calls: str
) -> None:
    """Else half of it would be the answers that --fresh was to leave out."""
    folder = echo(3, app=STOPPED, more="concurrency: 1\n")
    folder.run("run", "--quiet")
    folder.write("stop", "")
    assert folder.run("run", "--quiet", *began).exit == (2 if began else 0)
    (folder.root / "stop").unlink()
    assert folder.run("run", "--quiet", "--resume").exit == 0
    assert (folder.root / "calls").read_text() == calls


FILED = """\
from pathlib import Path


def answer(case):
    if case["n"] == 1 and Path("stop").exists():
        raise KeyboardInterrupt
    return {"answer": case["n"] * 2, "seen": case["note"] and Path(case["note"]).read_text()}
"""


def filed(echo: Callable[..., Any], more: str = "") -> Any:
    folder = echo(2, app=FILED, more=more)
    project = (folder.root / "oloproof.yaml").read_text()
    folder.write("oloproof.yaml", project.replace("cases.jsonl", "{path: cases.jsonl, media: [note]}"))
    rows = []
    for n in (0, 1):
        folder.write(f"{n}.txt", "first")
        rows.append({"id": f"c{n}", "input": {"n": n, "note": f"{n}.txt"}, "expected": {"answer": n * 2}})
    folder.cases(rows)
    return folder


def test_a_run_whose_answers_were_forgotten_can_still_be_gone_on_with(echo: Callable[..., Any]) -> None:
    """Clearing the cache touches no run: what its files held is still known, and no file is said to have changed."""
    folder = filed(echo)
    folder.write("stop", "")
    assert folder.run("run", "--quiet").exit == 2
    assert folder.run("cache", "clear", "--yes").out.startswith("1 answer")
    (folder.root / "stop").unlink()
    resumed = folder.run("run", "--resume", "--json")
    assert (resumed.exit, resumed.document["executions"]["run"]) == (0, 2), resumed.err
    folder.run("cache", "clear", "--yes")
    assert folder.run("run", "--resume", "--quiet").exit == 0
    folder.write("0.txt", "second")
    assert "the files of 1 case (c0) changed" in folder.run("run", "--resume").err


@pytest.mark.parametrize("more", ["", "variants: [{text_only: note}]\nrepeats: 2\n"])
def test_resume_of_a_complete_run_sees_that_a_file_of_a_case_holds_other_bytes(
    echo: Callable[..., Any], more: str
) -> None:
    """The row of the dataset is the same, and a run without --resume would execute that case again."""
    folder = filed(echo, more)
    taken = run(folder.root).run.id
    assert run(folder.root, resume=True).run.id == taken
    folder.write("1.txt", "second")
    with pytest.raises(ConfigError, match=r"the newest run is complete.*the files of 1 case \(c1\) changed since"):
        run(folder.root, resume=True)
    folder.write("1.txt", "first")
    assert run(folder.root, resume=True).run.id == taken


def test_resume_of_a_stopped_run_sees_that_a_file_of_a_case_that_is_done_holds_other_bytes(
    echo: Callable[..., Any],
) -> None:
    folder = filed(echo, "concurrency: 1\n")
    folder.write("stop", "")
    assert folder.run("run", "--quiet").exit == 2
    (folder.root / "stop").unlink()
    folder.write("0.txt", "second")
    refused = folder.run("run", "--resume")
    assert (refused.exit, "--resume: the files of 1 case (c0) changed since run" in refused.err) == (2, True)
    folder.write("0.txt", "first")
    folder.write("1.txt", "second")
    assert folder.run("run", "--resume", "--quiet").exit == 0


@pytest.mark.parametrize("answered", [False, True])
def test_resume_asks_again_what_failed_while_nothing_was_answered(echo: Callable[..., Any], *, answered: bool) -> None:
    """A service that was not started yet is started, and the run gone on with; one that answered once has failed."""
    app = """
        from pathlib import Path

        HERE = Path(__file__).parent

        def answer(case):
            if case["n"] == 3 and (HERE / "down").exists():
                raise KeyboardInterrupt
            if (HERE / "down").exists() and not (case["n"] == 0 and (HERE / "once").exists()):
                raise ConnectionError("refused")
            return {"answer": case["n"] * 2}
        """
    folder = echo(4, app=dedent(app), more="concurrency: 1\n")
    folder.write("down", "")
    if answered:
        folder.write("once", "")
    assert folder.run("run", "--quiet").exit == 2
    (folder.root / "down").unlink()
    resumed = folder.run("run", "--resume", "--json")
    assert resumed.document["executions"] == {"run": 4, "cached": 0, "failed": 2 if answered else 0}
    assert ("3 trials that failed are executed again" in resumed.err) is not answered


def test_resume_with_another_selection_of_cases_says_that_it_is_that(echo: Callable[..., Any]) -> None:
    folder = echo(3)
    taken = run(folder.root, selection=Selection(limit=2)).run.id
    with pytest.raises(ConfigError) as refused:
        run(folder.root, resume=True)
    assert str(refused.value).endswith(
        f"and the selection of cases (--case, --limit) changed since run {taken} began; leave --resume out"
    )
    assert run(folder.root, selection=Selection(limit=2), resume=True).run.id == taken


@pytest.mark.parametrize(("changed", "what"), [("cases.jsonl", "the dataset"), ("app.py", "the system or its code")])
def test_resume_refuses_a_project_that_changed_meanwhile(echo: Callable[..., Any], changed: str, what: str) -> None:
    folder = echo(20, app=SLOW_APP.replace("0.004", "0.1"), more="concurrency: 1\n")
    process = subprocess.Popen(folder.command("run", "--quiet"), cwd=folder.root, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while not list(folder.root.glob("out/**/answer.pgm")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.4)
    process.kill()
    process.communicate(timeout=30)  # its pipe closes when the run is gone
    path = folder.root / changed
    text = path.read_text()
    path.write_text(text.replace('"n": 19', '"n": 18').replace("* 2}", "* 3}"))
    refused = folder.run("run", "--resume")
    assert refused.exit == 2
    assert what in refused.err
    assert "changed since run" in refused.err

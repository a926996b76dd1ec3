"""What a command does at its edges: odd targets, being stopped, a full disk, no colours, wrong options."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from oloproof.cli.console import painted
from oloproof.cli.files import checked_target, written
from oloproof.errors import OloproofError
from tests.warm import cold_command


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    def breaks_half_way(out: Any) -> None:
        out.write("half")
        raise OloproofError("no more")

    (tmp_path / "kept.txt").write_text("as it was")
    with pytest.raises(OloproofError, match="no more"):
        written(str(tmp_path / "kept.txt"), breaks_half_way)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]
    assert (tmp_path / "kept.txt").read_text() == "as it was"


def test_a_symlink_is_followed_and_stays_a_symlink(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    written(str(tmp_path / "link.txt"), lambda out: out.write("new"))
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    written(str(pipe), lambda out: out.write("through the pipe"))
    assert reader.communicate(timeout=10)[0] == "through the pipe"
    assert pipe.is_fifo()


@pytest.mark.parametrize("target", ["", "file.txt/under.txt"])
def test_a_target_that_cannot_be_written_is_told_in_one_line(tmp_path: Path, target: str) -> None:
    (tmp_path / "file.txt").write_text("a file in the way")
    with pytest.raises(OloproofError, match="cannot write"):
        checked_target(str(tmp_path / target))


def test_targets_are_checked_before_anything_is_executed(echo: Callable[..., Any]) -> None:
    folder = echo(2)
    ended = folder.run("run", "--html", ".")
    assert ended.exit == 2
    assert "it is a folder" in ended.err
    assert not (folder.root / ".oloproof").exists()


def test_colours_go_where_they_are_not_wanted_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert painted("PASS", "PASS") != "PASS"
    assert painted("an id", "strong") == "\x1b[1man id\x1b[0m"
    monkeypatch.setenv("TERM", "dumb")
    assert painted("PASS", "PASS") == "PASS"
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert painted("PASS", "PASS") == "PASS"


@pytest.mark.parametrize("arguments", [("run", "--json", "--limit", "0"), ("export", "--json"), ("runn", "--json")])
def test_a_wrong_option_under_json_is_one_document_and_2(folder: Any, arguments: tuple[str, ...]) -> None:
    ended = folder.run(*arguments)
    assert ended.exit == 2
    assert ended.document["exit"] == 2
    assert ended.document["error"]["message"]


def test_a_prompt_that_nobody_answers_ends_with_2(echo: Callable[..., Any]) -> None:
    folder = echo(1)
    folder.run("run", "--quiet")
    done = subprocess.run(
        folder.command("cache", "clear"), cwd=folder.root, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"nothing was cleared" in done.stderr
    assert b"--yes" in done.stderr


@pytest.mark.skipif("not __import__('os').path.exists('/dev/full')", reason="this system has no full device")
def test_standard_output_that_is_full_is_one_line_and_2(echo: Callable[..., Any]) -> None:
    folder = echo(1)
    folder.run("run", "--quiet")
    command = folder.command("runs", "--json")
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=folder.root, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "cannot write standard output" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_who_leaves_is_no_rule_that_blocks(echo: Callable[..., Any]) -> None:
    folder = echo(1)
    folder.run("run", "--quiet")
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        folder.command("runs"), cwd=folder.root, stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (2, "")


@pytest.mark.parametrize("closed", ["<&- >&-", "2>&-", "<&- >&- 2>&-"])
def test_standard_streams_that_are_closed_change_no_decision(echo: Callable[..., Any], closed: str) -> None:
    """A file of ours never gets their number, and what a system prints does not end in it."""
    app = "def answer(case):\n    print('noise', flush=True)\n    return {'answer': case['n'] * 2}\n"
    folder = echo(2, app=app, more="policy: {rules: [{id: all, metric: right, max_failures: 0}]}\n")
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", *cold_command("run", "--quiet")]
    done = subprocess.run(command, cwd=folder.root, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert folder.run("gate").exit == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_being_stopped_before_the_first_trial_ends_with_2(echo: Callable[..., Any], number: int) -> None:
    folder = echo(1, app="import time\nopen('loading', 'w').close()\ntime.sleep(20)\n\ndef answer(case): return {}\n")
    with started(folder, "run") as process:
        wait_for(folder.root / "loading")
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "Traceback" not in err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_sigterm_and_a_closed_terminal_keep_what_is_done_like_ctrl_c(echo: Callable[..., Any], number: int) -> None:
    app = "import time\n\ndef answer(case):\n    open('under-way', 'w').close()\n    time.sleep(0.2)\n    return {}\n"
    folder = echo(100, app=app, more="concurrency: 2\n")
    with started(folder, "run", "--quiet") as process:
        wait_for(folder.root / "under-way")
        time.sleep(0.5)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    kept = len(folder.run("export").document["trials"])
    assert f"stopped by hand: {kept} of 100 trials are kept; oloproof run --resume goes on" in err
    assert 0 < kept < 100
    assert folder.run("runs", "--json").document["runs"][0]["state"] == "stopped"


PROGRAM = """\
import os
import time

with open("written", "w") as file:
    file.write(str(os.getpid()))
os.rename("written", "pid")
time.sleep(120)
"""


def test_a_closed_terminal_leaves_no_program_of_a_trial_behind(echo: Callable[..., Any]) -> None:
    """Each has a group of its own, so that nobody else would end it: it would go on writing into the outputs."""
    folder = echo(1)
    folder.write("program.py", PROGRAM)
    project = (folder.root / "oloproof.yaml").read_text()
    folder.write("oloproof.yaml", project.replace('callable: "app:answer"', "command: [python, program.py]"))
    terminal, theirs = pty.openpty()
    with subprocess.Popen(
        folder.command("run"), cwd=folder.root, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        wait_for(folder.root / "pid")
        os.close(terminal)
        process.send_signal(signal.SIGHUP)  # as the kernel does to those whose terminal it is
        assert process.wait(60) == 2
    with pytest.raises(ProcessLookupError):
        os.kill(int((folder.root / "pid").read_text()), 0)
    [stopped] = folder.run("runs", "--json").document["runs"]
    assert stopped["error"] == "stopped by hand: 0 of 1 trials are kept; oloproof run --resume goes on"


def test_nohup_lets_a_run_go_on_without_its_terminal(echo: Callable[..., Any]) -> None:
    app = "import time\nopen('loading', 'w').close()\ntime.sleep(1)\n\ndef answer(case): return {}\n"
    folder = echo(1, app=app)
    command = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *cold_command("run", "--quiet")]
    with subprocess.Popen(command, cwd=folder.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_for(folder.root / "loading")
        process.send_signal(signal.SIGHUP)
        assert process.wait(60) == 0


def test_a_second_ctrl_c_is_told_as_stopped_by_hand_too(echo: Callable[..., Any]) -> None:
    """It does not wait for the trials under way, and the list of runs knows no other words for it."""
    app = "import time\n\ndef answer(case):\n    open('under-way', 'w').close()\n    time.sleep(60)\n"
    folder = echo(1, app=app)
    with started(folder, "run", "--quiet") as process:
        wait_for(folder.root / "under-way")
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 2
    [stopped] = folder.run("runs", "--json").document["runs"]
    assert stopped["error"] == "stopped by hand; oloproof run --resume goes on"


@contextmanager
def started(folder: Any, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start a command, which is gone at the end also when the test fails."""
    command = folder.command(*arguments)
    with subprocess.Popen(
        command, cwd=folder.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} did not appear"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("chekc", "No such command 'chekc'. Did you mean 'check' or 'cache'?"),
        ("wrkbench", "No such command 'wrkbench'. Did you mean 'workbench'?"),
        ("xyzzy", "No such command 'xyzzy'."),
    ],
)
def test_a_mistyped_command_is_told_its_nearest(folder: Any, typed: str, told: str) -> None:
    refused = folder.run(typed)
    assert (refused.exit, refused.out) == (2, "")
    assert refused.err.startswith("Usage: oloproof [OPTIONS] COMMAND")
    assert refused.err.endswith(f"\nerror: {told}\n")


def test_a_group_without_a_command_shows_its_help_and_calls_it_no_error(folder: Any) -> None:
    shown = folder.run("labels")
    assert shown.exit == 2
    assert "status  Say how far the labels are." in shown.err
    assert "error" not in shown.err

"""``oloproof workbench`` as a real process: what it prints, that it answers, how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest

from oloproof.cli.beside import workbench_beside
from oloproof.errors import OloproofError
from tests.conftest import Folder
from tests.warm import Warm, cold_command


@contextmanager
def workbench(
    folder: Folder, *arguments: str, cold: bool = False, **environment: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command; yields its process and the address that it printed."""
    process = subprocess.Popen(
        (cold_command if cold else folder.command)("workbench", *arguments),
        cwd=folder.root,
        env={**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": "", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"Workbench on (http://127\.0\.0\.1:[0-9]+)\n", line)
        if found is None:
            raise AssertionError(f"printed {line!r} and {process.communicate(timeout=20)[1]!r}")
        yield process, found.group(1)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=20)


def ended(process: subprocess.Popen[str], sign: signal.Signals) -> tuple[int, str, str]:
    """Send a signal; returns exit code and what was still printed."""
    process.send_signal(sign)
    out, err = process.communicate(timeout=20)
    return process.returncode, out, err


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, warm: Warm) -> Iterator[str]:
    """Where a workbench answers that several tests ask; it ends in good order when it is told to."""
    folder = Folder(tmp_path_factory.mktemp("shown"), warm)
    folder.write("oloproof.yaml", "version: 1\n")
    with workbench(folder, "--port", "0") as (process, found):
        yield found
        code, out, err = ended(process, signal.SIGTERM)
        assert (code, out) == (0, "")
        assert "Traceback" not in err


def test_it_answers_when_it_says_so_opens_the_browser_and_ends_in_good_order(echo: Callable[..., Folder]) -> None:
    folder = echo(2)
    browser = folder.write("browser", '#!/bin/sh\necho "$1" > opened.part\nmv opened.part opened\n')
    browser.chmod(0o755)
    with workbench(folder, "--port", "0", cold=True, DISPLAY=":9", BROWSER=f"{browser} %s") as (process, address):
        answer = httpx.get(f"{address}/healthz", trust_env=False, timeout=60)
        assert (answer.status_code, answer.text) == (200, "ok")
        assert "server" not in answer.headers
        assert httpx.get(f"{address}/", trust_env=False, timeout=60).status_code == 200
        assert (
            httpx.get(f"{address}/healthz", headers={"Host": "evil.example"}, trust_env=False, timeout=60).status_code
            == 421
        )
        deadline = time.monotonic() + 10
        while not (folder.root / "opened").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert ended(process, signal.SIGINT) == (0, "", "")
    assert (folder.root / "opened").read_text() == f"{address}\n"
    assert not (folder.root / ".oloproof").exists()


def test_small_answers_are_sent_at_once(address: str) -> None:
    """And not held back until the client has confirmed the part before, which takes it 40 ms."""
    with httpx.Client(trust_env=False, timeout=60) as client:
        seconds = [client.get(f"{address}/healthz").elapsed.total_seconds() for _ in range(15)]
    assert sorted(seconds)[3] < 0.035


@pytest.mark.parametrize("count", [10_000, 20_000])
def test_ten_thousand_ranges_do_not_hold_the_server_up(address: str, count: int) -> None:
    """It may hang up on headers as long as that."""
    many = "bytes=" + ",".join(f"{n}-" for n in range(count))
    before = time.perf_counter()
    with contextlib.suppress(httpx.TransportError):
        answer = httpx.get(f"{address}/healthz", headers={"Range": many}, trust_env=False, timeout=60)
        assert answer.status_code in (200, 400)
    assert httpx.get(f"{address}/healthz", trust_env=False, timeout=60).text == "ok"
    assert time.perf_counter() - before < 2


def test_a_port_that_was_asked_for_and_is_taken_is_an_error_and_the_usual_one_is_not(
    echo: Callable[..., Folder],
) -> None:
    folder = echo(1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = folder.run("workbench", "--port", str(port), "--no-browser")
        assert (done.exit, done.out) == (2, "")
        assert f"port {port} is taken" in done.err
    with workbench(folder) as (_, first), workbench(folder, "--no-browser", DISPLAY=":9") as (_, second):
        assert first != second
        assert min(int(address.rpartition(":")[2]) for address in (first, second)) >= 7788


def test_a_folder_without_a_project_is_an_error(folder: Folder) -> None:
    done = folder.run("workbench", "--no-browser")
    assert (done.exit, done.out) == (2, "")
    assert "there is no oloproof.yaml in" in done.err
    done = folder.run("workbench", "--no-browser", "--config", "none.yaml")
    assert "none.yaml does not exist" in done.err


def test_ctrl_c_ends_it_at_once_though_pages_follow_its_runs(echo: Callable[..., Folder]) -> None:
    """A stream of events does not end by itself, and would hold the server up."""
    folder = echo(1)
    with workbench(folder, "--port", "0", "--no-browser") as (process, address), contextlib.ExitStack() as streams:
        client = streams.enter_context(httpx.Client(trust_env=False, timeout=60))
        for _ in range(3):
            answer = streams.enter_context(client.stream("GET", f"{address}/events"))
            lines = answer.iter_lines()
            assert next(lines) == "retry: 3000"
            streams.callback(lambda lines=lines: list(lines))
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert ended(process, signal.SIGINT) == (0, "", "")


@contextmanager
def run_beside(folder: Folder, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a run with the workbench beside it; yields its process and the address that it printed."""
    process = subprocess.Popen(
        folder.command("run", "--workbench", "--quiet", *arguments),
        cwd=folder.root,
        env={**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        yield process, process.stderr.readline().strip().removeprefix("Workbench on ")
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=20)


def refuses(address: str) -> bool:
    """Whether nobody answers there any more."""
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.socket() as asking:
        return asking.connect_ex((host, int(port))) != 0


def test_a_run_shows_itself_meanwhile_and_stays_until_ctrl_c_with_its_own_exit_code(
    echo: Callable[..., Folder],
) -> None:
    folder = echo(3, more="policy: {rules: [{id: floor, metric: right, min: 0.99}]}\n")
    folder.write("app.py", "import time\n\ndef answer(case):\n    time.sleep(1)\n    return {'answer': -1}\n")
    with run_beside(folder, "--json") as (process, address):
        page = httpx.get(f"{address}/", trust_env=False, timeout=60)
        assert page.status_code == 200
        assert process.stderr is not None
        assert "it stays until Ctrl-C" in process.stderr.readline()
        assert process.poll() is None
        (run,) = set(re.findall(r"/runs/([0-9a-f-]+)", httpx.get(f"{address}/", trust_env=False, timeout=60).text))
        code, out, err = ended(process, signal.SIGINT)
        assert (code, err) == (1, "")
        assert json.loads(out)["run"] == run
    assert refuses(address)


def test_what_stops_a_run_ends_the_workbench_beside_it(echo: Callable[..., Folder]) -> None:
    folder = echo(1)
    folder.write("app.py", "raise RuntimeError('broken at import')\n")
    with run_beside(folder) as (process, address):
        _, err = process.communicate(timeout=30)
        assert process.returncode == 2
        assert "broken at import" in err
    assert refuses(address)


def test_a_run_that_is_killed_leaves_no_workbench_behind(echo: Callable[..., Folder]) -> None:
    folder = echo(1)
    folder.write("app.py", "import time\n\ndef answer(case):\n    time.sleep(60)\n")
    with run_beside(folder) as (process, address):
        assert not refuses(address)
        process.kill()
        deadline = time.monotonic() + 20
        while not refuses(address) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert refuses(address)


def test_a_workbench_that_cannot_start_stops_what_it_would_have_stood_beside(
    folder: Folder, capfd: pytest.CaptureFixture[str]
) -> None:
    with (
        pytest.raises(OloproofError, match="could not be started, so nothing was run; leave --workbench out"),
        workbench_beside(str(folder.root)),
    ):
        raise AssertionError("nothing stands beside it")
    assert "there is no oloproof.yaml in" in capfd.readouterr().err


def test_a_project_that_cannot_be_read_starts_no_workbench(echo: Callable[..., Folder]) -> None:
    folder = echo(1)
    folder.write("oloproof.yaml", "version: 2\n")
    done = folder.run("run", "--workbench")
    assert done.exit == 2
    assert "Workbench on" not in done.err

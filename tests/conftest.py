"""What many rooms' tests share: a project on disk, and the real command line run on it."""

from __future__ import annotations

import fcntl
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from textwrap import dedent
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

from tests.warm import Warm, ask, cold_command, may_be_warm

T = TypeVar("T")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's job in the background: what it starts ignores it too
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")  # how long an example takes says more of what else is running than of its law


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    exit: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as the one JSON document it must be."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Folder:
    """A project's folder with the ways to use it."""

    root: Path
    warm: Warm

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(dedent(content), encoding="utf-8")
        return path

    def cases(self, rows: list[Mapping[str, Any]], name: str = "cases.jsonl") -> Path:
        return self.write(name, "".join(json.dumps(row) + "\n" for row in rows))

    def command(self, *arguments: str) -> list[str]:
        """Return how to start ``oloproof`` as a process that the test speaks to while it runs."""
        return self.warm.command(*arguments)

    def run(
        self, *arguments: str, env: Mapping[str, str] | None = None, timeout: float = 120, cold: bool = False
    ) -> Ended:
        """Run ``oloproof`` with these arguments in the folder; ``cold`` in a process that imports everything anew."""
        environment = {**os.environ, "NO_COLOR": "1", **(env or {})}
        if cold or not may_be_warm(env or {}):
            done = subprocess.run(
                cold_command(*arguments),
                cwd=self.root,
                env=environment,
                capture_output=True,
                text=True,
                timeout=timeout,
                check=False,
            )
            return Ended(done.returncode, done.stdout, done.stderr)
        with open(os.devnull) as nothing, TemporaryFile("w+") as out, TemporaryFile("w+") as err:
            descriptors = [file.fileno() for file in (nothing, out, err)]
            code = ask(self.warm.address, arguments, self.root, environment, descriptors, timeout)
            out.seek(0)
            err.seek(0)
            return Ended(code, out.read(), err.read())


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Return a shared folder that ``make`` fills for whoever asks first, while all others wait for it."""
    done = folder.with_name(f"{folder.name}.done")
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def opened_once(folder: Path, make: Callable[[Path], T]) -> T:
    """Return what ``make`` says of a shared folder when it fills it for whoever asks first."""
    said = folder.with_name(f"{folder.name}.said")
    made_once(folder, lambda empty: said.write_bytes(pickle.dumps(make(empty))))
    found: T = pickle.loads(said.read_bytes())  # noqa: S301 - written by another worker of these tests
    return found


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this session share, for what is made once and then only read."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def the_path_of_modules_stays_short() -> Iterator[None]:
    """Take away the folders of the projects that a test loaded: a thousand of them make every import slow."""
    before = list(sys.path)
    yield
    sys.path[:] = before


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    """The process that runs commands without their start-up."""
    process = Warm()
    yield process
    process.end()


@pytest.fixture
def folder(tmp_path: Path, warm: Warm) -> Folder:
    """An empty folder for a project."""
    return Folder(tmp_path, warm)


@pytest.fixture
def as_nobody(tmp_path: Path) -> Callable[..., str]:
    """Run a Python script that calls ``give_up_rights()`` when it has imported what it needs; returns its output.

    So it is somebody without rights also where the tests run as the superuser. The way to ``tmp_path`` is opened at
    that moment, since each session of pytest that begins closes the folder of all of them.
    """
    drop = f"""\
def give_up_rights():
    import os
    import urllib.parse  # loaded late by pathlib, and the interpreter may lie in a home that is closed to others
    if os.getuid() == 0:
        for folder in {[str(folder) for folder in (tmp_path, *tmp_path.parents)]!r}:
            mode = os.stat(folder).st_mode
            if not mode & 0o001:
                os.chmod(folder, mode | 0o011)
        os.setuid(65534)
"""

    def run(script: str, *arguments: str) -> str:
        command = [sys.executable, "-c", drop + dedent(script), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


ECHO_PROJECT = """\
version: 1
project: echo
dataset: cases.jsonl
system: {name: echo, version: v1, callable: "app:answer"}
evaluators:
  - {type: exact_match, criterion: right, field: answer, expected_field: answer}
"""

ECHO_APP = """\
def answer(case):
    return {"answer": case["n"] * 2}
"""


def write_echo(folder: Folder, n: int = 5, *, more: str = "", app: str = ECHO_APP) -> Folder:
    """Make a folder a project of ``n`` cases that a function answers; ``more`` is added to oloproof.yaml."""
    folder.write("oloproof.yaml", ECHO_PROJECT + dedent(more))
    folder.write("app.py", app)
    folder.cases([{"id": f"c{i}", "input": {"n": i}, "expected": {"answer": i * 2}} for i in range(n)])
    return folder


@pytest.fixture
def echo(folder: Folder) -> Callable[..., Folder]:
    """What makes the folder of this test such a project."""
    return partial(write_echo, folder)

"""The real command line without its start-up: a process that has imported everything forks once for each command.

A command still is ``oloproof.cli.main`` in a process of its own, with its own descriptors, folder, environment, signals
and exit code; only the second that importing takes is not paid again. What is about importing, or about what Python
itself reads when it starts, asks for a cold process (``Folder.run(..., cold=True)``), and so does one test of each
command. A script of Python may be run like that too. Where forking is not safe (macOS) everything is cold.

Asking needs no more than the standard library, so that an ``oloproof`` on a shell's path can do it too.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

CAN_FORK = sys.platform == "linux" and hasattr(os, "pidfd_open")
LOADED_WHEN_USED = (
    "PIL.Image", "PIL.ImageOps", "httpx", "imagehash", "jinja2", "jsonschema.validators", "numpy", "regex",
    "rich.console", "scipy.fftpack", "scipy.special", "simplejpeg", "wave",
)  # fmt: skip
READ_AT_THE_START = ("PYTHON", "LANG", "LC_", "LD_")


class Warm:
    """A warm process, started when the first command is asked for."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="warm-")  # a short path, which is all that a socket's may be
        self._process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        """Where it listens."""
        address = f"{self._folder.name}/socket"
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, __file__, address],
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                text=True,
            )
            assert self._process.stdout is not None
            assert self._process.stdout.readline() == "listening\n"
        return address

    def program(self) -> Path:
        """Return a folder with an ``oloproof`` for a shell's path that runs warm, and hands on the signals it is sent.

        Beside it lies ``script``, which takes what ``python`` does: ``-c``, a script and its arguments.
        """
        folder = Path(self._folder.name) / "bin"
        if not folder.exists():
            folder.mkdir()
            self._write(folder / "oloproof", "sys.argv[1:]")
            self._write(folder / "script", "sys.argv[3:], sys.argv[2]")
        return folder

    def _write(self, program: Path, what: str) -> None:
        program.write_text(
            f"#!{sys.executable} -IS\n"
            "import sys\n"
            f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
            "from warm import stand_for\n"
            f"stand_for({self.address!r}, {what})\n",
            encoding="utf-8",
        )
        program.chmod(0o755)

    def command(self, *arguments: str) -> list[str]:
        """Return how ``oloproof`` is started as a process that can be sent signals."""
        return [str(self.program() / "oloproof"), *arguments] if CAN_FORK else cold_command(*arguments)

    def python(self, script: str, *arguments: str) -> list[str]:
        """Return how a script is started in a process that has imported everything of ours already."""
        python = str(self.program() / "script") if CAN_FORK else sys.executable
        return [python, "-c", script, *arguments]

    def end(self) -> None:
        """End the process: it goes when its standard input does."""
        try:
            if self._process is not None:
                self._process.communicate(timeout=60)
        finally:
            self._folder.cleanup()


# --- who asks --------------------------------------------------------------------------------------------------


def may_be_warm(environment: Mapping[str, str]) -> bool:
    """Whether nothing of this is read only when Python starts."""
    return CAN_FORK and not any(name.startswith(READ_AT_THE_START) for name in environment)


def cold_command(*arguments: str) -> list[str]:
    """Return how ``oloproof`` is started in a process that imports everything anew."""
    return [sys.executable, "-c", "from oloproof.cli import main; main()", *arguments]


def stand_for(address: str, arguments: Sequence[str], script: str | None = None) -> NoReturn:
    """Be a command, or a script, that runs elsewhere: with this process's descriptors, signals and end."""

    def hand_on_signals(process: int) -> None:
        def hand_on(number: int, _: object) -> None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, hand_on)

    code = ask(address, arguments, os.getcwd(), os.environ, (0, 1, 2), script=script, began=hand_on_signals)
    sys.exit(code)


def ask(
    address: str,
    arguments: Sequence[str],
    folder: str | Path,
    environment: Mapping[str, str],
    descriptors: Sequence[int],
    timeout: float | None = None,
    *,
    script: str | None = None,
    began: Callable[[int], None] = lambda process: None,
) -> int:
    """Have a command run on these three descriptors and return its exit code, negative for the signal that ended it.

    ``began`` is told the number of its process. With ``script`` it is that script that runs instead of ``oloproof``.

    Raises:
        TimeoutError: It took longer than ``timeout`` seconds, and was killed.
    """
    request = {
        "arguments": list(arguments), "folder": str(folder), "environment": dict(environment), "script": script,
    }  # fmt: skip
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(timeout)
        connection.connect(address)
        socket.send_fds(connection, [b"."], list(descriptors))
        connection.sendall(json.dumps(request).encode() + b"\n")
        with connection.makefile("r") as lines:
            began(int(lines.readline()))
            return int(lines.readline())


# --- who answers -----------------------------------------------------------------------------------------------


def serve(address: str) -> None:
    """Answer until standard input ends."""
    preload()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        print("listening", flush=True)
        while 0 not in select.select([listening, 0], [], [])[0]:
            connection, _ = listening.accept()
            with connection:
                if os.fork() == 0:
                    listening.close()
                    attend(connection)
            reap()
    os._exit(0)


def preload() -> None:
    """Import all that a command may need."""
    import gc
    from importlib import import_module
    from pkgutil import walk_packages

    import oloproof

    ours = [module.name for module in walk_packages(oloproof.__path__, "oloproof.")]
    libraries = [name for name in ours if not name.startswith("oloproof.examples.") and not name.endswith("__main__")]
    for name in (*libraries, *LOADED_WHEN_USED):
        import_module(name)
    gc.collect()
    gc.freeze()


def reap() -> None:
    """Take leave of those that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def attend(connection: socket.socket) -> NoReturn:
    """Start a command, wait for it and say how it ended; kill it when nobody waits for it any more."""
    _, descriptors, _, _ = socket.recv_fds(connection, 1, 3)
    request = json.loads(connection.makefile("r").readline())
    command = os.fork()
    if command == 0:
        connection.close()
        become(request, descriptors)
    with contextlib.suppress(BrokenPipeError):
        connection.sendall(f"{command}\n".encode())
    for descriptor in descriptors:
        os.close(descriptor)
    ended = os.pidfd_open(command)
    if ended not in select.select([ended, connection], [], [])[0]:
        os.kill(command, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    with contextlib.suppress(BrokenPipeError):
        connection.sendall(f"{code}\n".encode())
    os._exit(0)


def become(request: Mapping[str, Any], descriptors: Sequence[int]) -> NoReturn:
    """Be the process that a shell would have started."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # it is the tests that nohup lets go on
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    sys.argv = ["oloproof" if request["script"] is None else "-c", *request["arguments"]]
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115 - as long as the process lives
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", 1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    try:
        if request["script"] is None:
            from oloproof.cli import main

            main()
        else:
            sys.path.insert(0, "")
            exec(compile(request["script"], "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - as ``-c`` does
        leave(0)
    except SystemExit as ended:
        leave(ended.code)
    except BaseException:
        traceback.print_exc()
        leave(1)


def leave(code: Any) -> NoReturn:
    """End as Python does, but for taking apart all that was imported, which would copy every shared page."""
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    sys.path[0] = str(Path(sys.executable).parent)  # as the installed program has it, and not the folder of the tests
    serve(sys.argv[1])

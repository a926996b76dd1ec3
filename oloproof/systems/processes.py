"""Programs of the user's that answer trials: started without a shell, in a group of their own, with a time limit."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from oloproof.systems.answers import LARGEST_ANSWER
from oloproof.systems.base import AnswerError

_STDERR_TAIL = 4_000
_STDERR_KEPT = 1_000_000
_TICK = 0.5
_CHUNK = 65_536


class ProgramError(AnswerError):
    """A program ended badly, said too much or took too long; its text names which, its detail the end of stderr."""


class Programs:
    """Starts one command again and again, and knows which processes live, so that none outlives the run."""

    def __init__(self, command: Sequence[str], cwd: Path, environment: Mapping[str, str] | None = None) -> None:
        self._command = list(command)
        self._cwd = cwd
        self._environment = environment
        self._living: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = False

    def start(self, *, stdout: int | IO[bytes], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
        """Return a new process in a group of its own; hand it to :meth:`end` afterwards.

        Raises:
            ProgramError: it cannot be started.
        """
        with self._lock:
            if self._closed:
                raise ProgramError("not started: the run is ending")
            try:
                process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=stdout,
                    stderr=stderr,
                    cwd=self._cwd,
                    env=self._environment,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                why = getattr(error, "strerror", None) or error
                raise ProgramError(
                    f"{self._command[0]} cannot be started: {why} (is the interpreter in its first line installed?)"
                ) from None
            self._living.add(process)
        return process

    def end(self, process: subprocess.Popen[bytes]) -> int:
        """End ``process`` and whatever it started in its own group; return its exit code."""
        kill_group(process)
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        with self._lock:
            self._living.discard(process)
        return code

    def close(self) -> None:
        """Kill what still lives; the threads that wait for it go on, and nothing is started any more."""
        with self._lock:
            self._closed = True
            for process in self._living:
                kill_group(process)

    def run_once(self, request: bytes, timeout: float | None) -> bytes:
        """Return what a new process writes to standard output when it is sent ``request``.

        Raises:
            ProgramError: it exited with another code than 0, said too much, or did not end within ``timeout`` seconds.
        """
        with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as answers:
            process = self.start(stdout=answers, stderr=errors)
            try:
                with _Guard(process, timeout, (answers, errors)) as guard:
                    process.communicate(request)
            finally:
                code = self.end(process)
            if guard.fault is not None:
                raise ProgramError(guard.fault, detail=_tail(errors))
            if code != 0:
                raise _ended("", code, errors)
            answers.seek(0)
            return answers.read(LARGEST_ANSWER)


class _Guard:
    """Kills a process that takes too long or writes without end, while another thread waits for it."""

    def __init__(self, process: subprocess.Popen[bytes], timeout: float | None, files: Sequence[IO[bytes]]) -> None:
        self._process = process
        self._timeout = timeout
        self._files = files
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="oloproof-guard", daemon=True)
        self.fault: str | None = None

    def __enter__(self) -> _Guard:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self.fault = self.fault or self._said_too_much()

    def _watch(self) -> None:
        deadline = None if self._timeout is None else time.monotonic() + self._timeout
        while self.fault is None:
            left = _TICK if deadline is None else deadline - time.monotonic()
            if self._done.wait(max(0.0, min(_TICK, left))):
                return
            if deadline is not None and time.monotonic() >= deadline:
                self.fault = f"no answer within {self._timeout:g} s (timeout:)"
            else:
                self.fault = self._said_too_much()
        kill_group(self._process)

    def _said_too_much(self) -> str | None:
        size = max(os.fstat(file.fileno()).st_size for file in self._files)
        return f"wrote {size} bytes; at most {LARGEST_ANSWER} are taken" if size > LARGEST_ANSWER else None


class Worker:
    """A program that stays and answers one line of JSON for each line it is sent."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self._errors = tempfile.TemporaryFile("a+b")  # noqa: SIM115 - lives as long as the worker
        try:
            self._process = programs.start(stdout=subprocess.PIPE, stderr=self._errors)
        except BaseException:
            self._errors.close()
            raise
        self._stdin, self._stdout = _descriptor(self._process.stdin), _descriptor(self._process.stdout)
        os.set_blocking(self._stdin, False)
        self._unread = bytearray()

    @property
    def ready(self) -> bool:
        """Whether it can be asked: alive, and silent since its answer, so that the next line answers the next trial."""
        if self._process.poll() is not None or self._unread.strip():
            return False
        waiting = select.poll()
        waiting.register(self._stdout, select.POLLIN)
        return not waiting.poll(0)

    def ask(self, request: bytes, timeout: float | None) -> bytes:
        """Return the next non-empty line of its standard output after sending it ``request``, which is one line.

        Raises:
            ProgramError: it ended, said too much, or gave no answer within ``timeout`` seconds; it is of no use then.
        """
        line = self._exchange(request + b"\n", timeout)
        if os.fstat(self._errors.fileno()).st_size > _STDERR_KEPT:
            self._errors.truncate(0)
        return line

    def _exchange(self, request: bytes, timeout: float | None) -> bytes:
        deadline = None if timeout is None else time.monotonic() + timeout
        unsent = memoryview(request)
        waiting = select.poll()
        waiting.register(self._stdout, select.POLLIN)
        waiting.register(self._stdin, select.POLLOUT)
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
            ready = {descriptor for descriptor, _ in waiting.poll(left)}
            if not ready:
                raise ProgramError(f"no answer within {timeout:g} s (timeout:)", detail=_tail(self._errors))
            if self._stdin in ready:
                unsent = self._send(unsent)
                if not unsent:
                    waiting.unregister(self._stdin)
            if self._stdout in ready:
                line = self._receive()
                if line and unsent:
                    raise ProgramError("the worker answered before it had read its whole line")
                if line:
                    return line

    def _send(self, unsent: memoryview) -> memoryview:
        """Return what is left to send; nothing when the worker listens no more, of which its output will tell."""
        try:
            return unsent[os.write(self._stdin, unsent[:_CHUNK]) :]
        except BlockingIOError:
            return unsent
        except OSError:
            return unsent[:0]

    def _receive(self) -> bytes:
        """Return a line that is complete now, or nothing; what follows it stays unread."""
        chunk = os.read(self._stdout, _CHUNK)
        self._unread += chunk
        if not chunk:  # its output ended; the last line may do without an end of its own
            line, self._unread = bytes(self._unread).strip(), bytearray()
            if line:
                return line
            raise _ended("the worker ended with ", self._code(), self._errors)
        if b"\n" in chunk:
            lines = bytes(self._unread).split(b"\n")
            first = next((number for number, line in enumerate(lines[:-1]) if line.strip()), None)
            if first is not None:
                self._unread = bytearray(b"\n".join(lines[first + 1 :]))
                return lines[first]
        if len(self._unread) > LARGEST_ANSWER:
            raise ProgramError(f"the worker wrote a line of more than {LARGEST_ANSWER} bytes")
        return b""

    def _code(self) -> int:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(1.0)
        return self._programs.end(self._process)

    def hang_up(self) -> None:
        """Close its standard input, which tells it to end."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def close(self, patience: float = 0.0) -> None:
        """Give it ``patience`` seconds to end by itself, then end it and everything it started."""
        if patience > 0:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
        self._programs.end(self._process)
        self._errors.close()


def _descriptor(pipe: IO[Any] | None) -> int:
    if pipe is None:
        raise ProgramError("the worker has no pipes")
    return pipe.fileno()


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill ``process`` and whatever it started in its own group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _ended(lead: str, code: int, errors: IO[bytes]) -> ProgramError:
    """Return the error of a program that ended: its exit code or signal, and the last line it wrote to stderr."""
    how = f"exit code {code}"
    if code < 0:
        with contextlib.suppress(ValueError):
            how = f"signal {signal.Signals(-code).name}"
    tail = _tail(errors)
    last = tail.rpartition("\n")[2].strip()
    return ProgramError(f"{lead}{how}{': ' if last else ''}{last}", detail=tail or None)


def _tail(errors: IO[bytes]) -> str:
    """Return the end of what a program wrote to standard error."""
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - _STDERR_TAIL))
    return errors.read(_STDERR_TAIL).decode(errors="replace").strip()

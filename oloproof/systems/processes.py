"""Programs of the user's that answer trials: started without a shell, in a group of their own, with a time limit."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

LARGEST_ANSWER = 64 * 1024 * 1024
_STDERR_TAIL = 2_000


class ProgramError(Exception):
    """A program ended badly, said too much or took too long; its text names which."""


def run_once(command: Sequence[str], text: str, *, cwd: Path, timeout: float | None) -> str:
    """Return what ``command`` writes to standard output when it is sent ``text``.

    Raises:
        ProgramError: it exited with another code than 0, or did not end within ``timeout`` seconds.
    """
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as answers:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=answers, stderr=errors, cwd=cwd, start_new_session=True
        ) as process:
            try:
                process.communicate(text.encode(), timeout=timeout)
            except subprocess.TimeoutExpired:
                kill_group(process)
                raise ProgramError(f"no answer within {timeout:g} s (timeout:)") from None
            finally:
                kill_group(process)
        if process.returncode != 0:
            raise ProgramError(f"exit code {process.returncode}{_tail(errors)}")
        size = answers.seek(0, os.SEEK_END)
        if size > LARGEST_ANSWER:
            raise ProgramError(f"wrote {size} bytes to standard output; at most {LARGEST_ANSWER} are read")
        answers.seek(0)
        return answers.read().decode(errors="replace")


class Worker:
    """A program that stays and answers one line of JSON for each line it is sent."""

    def __init__(self, command: Sequence[str], cwd: Path) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=cwd,
            start_new_session=True,
        )

    def ask(self, line: str, timeout: float | None) -> str:
        """Return the next non-empty line of the worker's standard output after sending it ``line``.

        Raises:
            ProgramError: it ended, or was silent for ``timeout`` seconds and was killed.
        """
        timer = threading.Timer(timeout, self.kill) if timeout is not None else None
        if timer is not None:
            timer.start()
        try:
            answer = self._exchange(line)
        except (BrokenPipeError, OSError):
            answer = ""
        finally:
            timed_out = timer is not None and not timer.is_alive()
            if timer is not None:
                timer.cancel()
        if answer:
            return answer
        self.kill()
        if timed_out:
            raise ProgramError(f"no answer within {timeout:g} s (timeout:); the worker was started anew")
        raise ProgramError(f"the worker ended with exit code {self._process.wait()}{_tail(self._errors)}")

    def _exchange(self, line: str) -> str:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise ProgramError("the worker has no pipes")
        stdin.write(line.encode() + b"\n")
        stdin.flush()
        while answer := stdout.readline(LARGEST_ANSWER):
            if answer.strip():
                return answer.decode(errors="replace")
        return ""

    @property
    def alive(self) -> bool:
        """Whether it can be asked again."""
        return self._process.poll() is None

    def close(self) -> None:
        """Close its standard input, give it a moment to end, then end it."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        self.kill()

    def kill(self) -> None:
        """End it and everything it started."""
        kill_group(self._process)
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End ``process`` and whatever it started in its own group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _tail(errors: IO[bytes]) -> str:
    """Return the end of what a program wrote to standard error, to stand behind a message."""
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - _STDERR_TAIL))
    text = errors.read().decode(errors="replace").strip()
    return f"; standard error ends: {text}" if text else ""

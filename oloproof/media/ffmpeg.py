"""The only place that starts a process on a media file.

Rules: argument lists, never a shell; no terminal and nothing on standard input; both output pipes are read at
once, so that neither side can wait for the other; a time limit ends the whole process group; what a tool writes
is decoded leniently and kept only in part. Inputs are named ``file:`` plus an absolute path with only the
``file`` protocol allowed, and the demuxer is the one of the format that *we* sniffed, so that neither a file name
nor a playlist inside a file can make ffmpeg open anything else.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from oloproof.errors import NO_ROOM, MediaUnreadable, ToolMissing

_KEPT_LINES = 40
_KEPT_BYTES = 500
_LONGEST_LINE = 1 << 16


class Ended(Struct, frozen=True):
    """How a tool ended: its exit code, how many lines it wrote to standard error, and the first and last of them."""

    code: int
    error_count: int
    errors: tuple[str, ...]


def require_tool(name: str, purpose: str = "") -> str:
    """Return the path of ``ffmpeg`` or ``ffprobe``; raises ``ToolMissing`` when it is not installed.

    ``purpose`` says in the message what it is needed for, as a clause: ``this check decodes video``.
    """
    found = shutil.which(name)
    if found is None:
        why = purpose or "reading audio and video"
        raise ToolMissing(
            f"{name} is needed ({why}) and is not on PATH; install ffmpeg "
            "(Debian and Ubuntu: apt install ffmpeg, macOS: brew install ffmpeg)"
        )
    return found


def input_arguments(path: Path, demuxer: str) -> list[str]:
    """Return the arguments that name the input: its demuxer, the one allowed protocol, and a safe address."""
    address = f"file:{os.path.abspath(path)}"
    return ["-protocol_whitelist", "file", "-f", demuxer, "-i", address]


def run_tool(
    arguments: Sequence[str],
    *,
    timeout: float,
    on_line: Callable[[str], None],
    on_error: Callable[[str], None] | None = None,
    folder: str | None = None,
) -> Ended:
    """Run a tool and hand each line of its output to ``on_line`` as it comes.

    ``arguments[0]`` is the tool's name. ``on_error`` is given each line of standard error. The tool works in
    ``folder``, where files that it makes may be named without a path. Raises ``ToolMissing``,
    or ``MediaUnreadable`` with code ``media_too_slow`` when it does not end within ``timeout`` seconds. The exit
    code is reported, not judged: the tools exit 0 on half a file.
    """
    command = [require_tool(arguments[0]), *arguments[1:]]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        cwd=folder,
        env={**os.environ, "LC_ALL": "C", "AV_LOG_FORCE_NOCOLOR": "1"},
    )
    late = threading.Event()
    timer = threading.Timer(timeout, _stop, (process, late))
    timer.daemon = True
    errors = _ErrorReader(process, on_error)
    try:
        timer.start()
        errors.start()
        _read_lines(process, on_line)
        process.wait()
    finally:
        timer.cancel()
        _kill_group(process)
        process.wait()
        errors.join()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
    if late.is_set():
        raise MediaUnreadable(
            f"{arguments[0]} did not end within {timeout:g} s on this file", path=arguments[-1], code="media_too_slow"
        )
    return Ended(process.returncode, errors.count, errors.kept())


_NO_ROOM_WORDS = {os.strerror(number): number for number in NO_ROOM}


def refuse_full_disk(ended: Ended, to: str | os.PathLike[str]) -> None:
    """Raise ``OSError`` where a tool could not write ``to`` for want of room, which says nothing of what it read."""
    if ended.code != 0:
        for text, number in _NO_ROOM_WORDS.items():
            if any(text in line for line in ended.errors):
                raise OSError(number, text, os.fspath(to))


def _read_lines(process: subprocess.Popen[bytes], on_line: Callable[[str], None]) -> None:
    if process.stdout is None:
        return
    while line := process.stdout.readline(_LONGEST_LINE):
        on_line(line.decode("utf-8", "replace").rstrip("\r\n"))


def _stop(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    if process.poll() is None:
        late.set()
        _kill_group(process)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:  # not reaped yet, so the number is still its own
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


class _ErrorReader(threading.Thread):
    """Reads standard error to its end, keeping the first and the last lines only."""

    def __init__(self, process: subprocess.Popen[bytes], on_error: Callable[[str], None] | None) -> None:
        super().__init__(daemon=True)
        self.process, self.on_error = process, on_error
        self.count = 0
        self.first: list[str] = []
        self.last: deque[str] = deque(maxlen=_KEPT_LINES // 2)

    def run(self) -> None:
        pipe = self.process.stderr
        while pipe is not None and (line := pipe.readline(_LONGEST_LINE)):
            text = line.decode("utf-8", "replace").strip()[:_KEPT_BYTES]
            if not text:
                continue
            self.count += 1
            if self.on_error is not None:
                self.on_error(text)
            if len(self.first) < _KEPT_LINES // 2:
                self.first.append(text)
            else:
                self.last.append(text)

    def kept(self) -> tuple[str, ...]:
        """Return the lines that were kept, oldest first."""
        return (*self.first, *self.last)

"""The workbench beside a command that runs: a process of its own, which shows the run while it is under way."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click
from msgspec import Struct

from oloproof.errors import OloproofError

_ENDS_WITHIN = 10.0
"""Seconds that it has to end in good order."""


class Beside(Struct, frozen=True):
    """A workbench that another process serves."""

    line: str
    process: subprocess.Popen[str]

    def stay(self) -> None:
        """Let it go on until Ctrl-C, or until it ends by itself."""
        click.echo(f"{self.line}: it stays until Ctrl-C", err=True)
        with contextlib.suppress(KeyboardInterrupt):
            self.process.wait()


@contextmanager
def workbench_beside(config: str) -> Iterator[Beside]:
    """Serve the workbench of a project meanwhile, and say where on standard error.

    Raises:
        OloproofError: it could not start; what it said stands on standard error already.
    """
    # -P: what lies in the folder that the command is typed in is never imported in place of a library; and it ends with
    # its standard input, which also a command that is killed closes
    command = [sys.executable, "-P", "-m", "oloproof", "workbench", "--config", config, "--until-closed"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None  # noqa: S101 - asked for above
    assert process.stdout is not None  # noqa: S101 - asked for above
    with process:
        try:
            line = process.stdout.readline().strip()
            if not line:
                raise OloproofError("the workbench could not be started, so nothing was run; leave --workbench out")
            click.echo(line, err=True)
            yield Beside(line, process)
        finally:
            process.stdin.close()
            try:
                process.wait(_ENDS_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()

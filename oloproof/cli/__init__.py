"""The command line. Each group of commands is a file of its own, loaded when it is used."""

from __future__ import annotations

import gc
import json
import os
import signal
import stat
import sys
import traceback
from contextlib import suppress
from types import FrameType
from typing import NoReturn

import click

from oloproof.cli.console import open_closed_streams, silence_stdout
from oloproof.cli.group import root

NOT_COMPLETED = 2

_COLLECT_AT = (50_000, 20, 20)
"""A run holds many objects for long; looking for garbage among them as often as Python does by default costs a tenth of
the time of a short one."""


def main() -> NoReturn:
    """Run the command line and end with its exit code.

    Whatever could not be completed ends with 2: a wrong option, being stopped (Ctrl-C, SIGTERM, a terminal that is
    closed), a full disk behind standard output, and a bug of ours, which keeps its traceback.
    """
    open_closed_streams()
    signal.signal(signal.SIGTERM, _as_ctrl_c)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # else nohup asked that it goes on
        signal.signal(signal.SIGHUP, _hung_up)
    gc.set_threshold(*_COLLECT_AT)
    gc.disable()  # until the command is loaded: importing makes nothing but what stays
    try:
        code = root.main(prog_name="oloproof", standalone_mode=False)
    except click.ClickException as error:
        _show(error)
        _one_document(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped by hand", err=True)
        _one_document("stopped by hand")
    except OSError as error:
        silence_stdout()
        click.echo(f"error: cannot write standard output: {error.strerror}", err=True)
    except Exception:  # noqa: BLE001 - the outermost edge
        with suppress(ValueError):  # standard error may have been closed by what was run
            traceback.print_exc()
            click.echo("oloproof: this is a bug; please report it with the lines above", err=True)
    else:
        sys.exit(code if isinstance(code, int) else 0)
    sys.exit(NOT_COMPLETED)


def _show(error: click.ClickException) -> None:
    """Print what click refuses, beginning as every other error does."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):  # the help of a group, which is no error in words
        error.show()
        return
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(f"{error.ctx.get_usage()}\nTry '{error.ctx.command_path} --help' for help.\n", err=True)
    click.echo(f"error: {error.format_message()}", err=True)


def _as_ctrl_c(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _hung_up(number: int, frame: FrameType | None) -> NoReturn:
    """Stop as by Ctrl-C, so that no program of a trial is left behind. Nobody reads the terminal that was closed."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        if stat.S_ISCHR(os.fstat(stream).st_mode):
            os.dup2(nowhere, stream)
    os.close(nowhere)
    _as_ctrl_c(number, frame)


def _one_document(message: str) -> None:
    """Print an error as the one document that ``--json`` promises, where it was asked for."""
    if "--json" in sys.argv:
        error = {"type": "UsageError", "message": message, "problems": []}
        click.echo(json.dumps({"exit": NOT_COMPLETED, "error": error}))

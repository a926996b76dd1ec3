"""Writing what a user names: checked before long work, whole or not at all, and never in the place of a device."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from oloproof.errors import OloproofError


def checked_target(path: str) -> Path:
    """Return where a file named by the user is to be written, symlinks followed; its folder is made.

    Raises:
        OloproofError: nothing can be written there.
    """
    target = Path(path)
    try:
        target = Path(os.path.realpath(target)) if target.is_symlink() else target
        if target.is_dir():
            raise OloproofError(f"cannot write {path}: it is a folder; name a file in it")
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OloproofError(f"cannot write {path}: {error.strerror}") from None
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise OloproofError(f"cannot write {path}: Permission denied")
    return target


def written(path: str, write: Callable[[TextIO], None]) -> None:
    """Write a file whole or not at all: beside it first, then in its place.

    What exists and is no regular file (a pipe, ``/dev/stdout``) is written to as it is.

    Raises:
        OloproofError: it cannot be written.
    """
    target = checked_target(path)
    try:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            with target.open("w", encoding="utf-8", newline="") as text:
                write(text)
            return
        temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            with temporary.open("w", encoding="utf-8", newline="") as text:
                write(text)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise OloproofError(f"cannot write {path}: {error.strerror}") from None

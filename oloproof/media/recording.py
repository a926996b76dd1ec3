"""media/v1: a file is recorded by reference when a system names it, and its bytes are never copied."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO

from oloproof import media
from oloproof.digests import canonical_json
from oloproof.errors import MediaError, MediaMissing
from oloproof.media.formats import FORMATS, describe
from oloproof.media.reading import MediaReader, open_regular
from oloproof.records import KINDS, ROLES, Facts, Kind, MediaItem, Role

_reader: ContextVar[MediaReader | None] = ContextVar("oloproof_media_reader", default=None)

DECLARED = ("width", "height", "duration", "media_type")
"""Facts that callers like to declare and that are measured instead; a declared value must agree."""


@contextmanager
def using_reader(reader: MediaReader) -> Iterator[None]:
    """Make ``reader`` the one that :func:`media_file` and :func:`read_media` use in this context."""
    token = _reader.set(reader)
    try:
        yield
    finally:
        _reader.reset(token)


def current_reader() -> MediaReader:
    """Return the reader in use; outside a run one that takes relative paths from the working directory."""
    reader = _reader.get()
    return reader if reader is not None else MediaReader(Path.cwd())


def media_file(
    path: str | os.PathLike[str],
    *,
    role: Role = "output",
    kind: Kind | None = None,
    name: str | None = None,
    **facts: Any,
) -> MediaItem:
    """Return the record of one file: what it is, told from its bytes, its size and its SHA-256.

    Args:
        path: the file. A symlink is followed now and never again.
        role: ``input``, ``output`` or ``context``.
        kind: ``image``, ``audio`` or ``video`` if you want to insist; must agree with the bytes where they tell.
        name: how the file is called in messages and prompts; its file name by default.
        facts: anything else worth keeping with the record, as JSON values. A ``width``, ``height``, ``duration``
            or ``media_type`` given here is compared with what the bytes say.

    Raises:
        MediaError: the file does not exist, is no regular file or may not be read, neither its bytes nor its name
            are those of a medium, or a declared fact is wrong.
    """
    given = _path_text(path)
    if role not in ROLES:
        raise MediaError(f"role {role!r} is none of {', '.join(ROLES)}", path=given, code="bad_role")
    if kind is not None and kind not in KINDS:
        raise MediaError(f"kind {kind!r} is none of {', '.join(KINDS)}", path=given, code="bad_kind")
    reader = current_reader()
    if "\0" in given:
        raise MediaError("a path cannot hold a NUL character", path=given, code="bad_path")
    try:
        wanted = os.path.join(reader.folder, given)
        with open_regular(wanted, follow=True) as file:
            located = real_path(file, wanted)
            identity, digest = reader.memo.digest(file)
            found = _header(file, located)
    except MediaMissing as error:
        raise MediaError(_cannot_record(given, error), path=given, code=error.code) from None
    _check_declared(given, found, facts)
    _check_storable(given, facts)
    return MediaItem(
        id="",
        role=role,
        kind=_kind_of(given, located, found, kind),
        name=name if name is not None else os.path.basename(located),
        path=stored_path(reader.root, located),
        given=given,
        format=found.format,
        media_type=found.media_type,
        size=identity[2],
        sha256=digest,
        width=found.width,
        height=found.height,
        duration=found.duration,
        identity=identity,
        facts={key: value for key, value in facts.items() if key not in DECLARED},
    )


def read_media(item: MediaItem) -> bytes:
    """Return the bytes of a recorded file after checking their size and SHA-256.

    Raises:
        MediaError: ``item`` is no record of a file.
        MediaDrift: the file holds other bytes than were recorded. This stops the run.
        MediaMissing: the file is gone, a directory, a symlink or unreadable now. This makes the case missing.
    """
    if not isinstance(item, MediaItem):
        raise MediaError(
            f"read_media() takes what media_file() returns and an evaluator is given as media, not "
            f"{type(item).__name__}",
            code="bad_media",
        )
    return current_reader().read(item)


def stored_path(root: Path, located: str) -> str:
    """Return an absolute path as it is stored: relative to the project in POSIX form when under it, else absolute."""
    start = os.path.join(root, "")
    if located.startswith(start) and ".." not in located:
        return os.path.normpath(located[len(start) :])  # same as below, without building paths for every file
    try:
        return Path(located).relative_to(root).as_posix()
    except ValueError:
        return str(Path(located))


def real_path(file: BinaryIO, given: str) -> str:
    """Return where an open file really lies, without symlinks: what is recorded is what was opened.

    Where the system tells the path of a descriptor (Linux) it is asked for that, else ``given`` is resolved.
    """
    try:
        told = os.readlink(f"/proc/self/fd/{file.fileno()}")
        if os.path.samestat(os.lstat(told), os.fstat(file.fileno())):
            return told
    except OSError:
        pass
    return os.path.realpath(given)


def _path_text(path: object) -> str:
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
    if not isinstance(text, str):
        raise MediaError(f"media_file() takes a path, not {type(path).__name__}", code="bad_path")
    if not text:
        raise MediaError("an empty path names no file", code="bad_path")
    return text


def _header(file: BinaryIO, located: str) -> Facts:
    return media.facts_of(file, path=located, depth="header")


def _kind_of(given: str, located: str, found: Facts, kind: Kind | None) -> Kind:
    if kind is not None and found.kind is not None and kind != found.kind:
        raise MediaError(
            f"{given} was declared {kind}, but its bytes are {found.format} ({found.kind})",
            path=given,
            code="kind_mismatch",
        )
    if found.kind is not None:
        return found.kind
    named = _kind_of_name(given) or _kind_of_name(located)
    if named is None and (kind is None or found.format not in _UNTOLD):
        raise MediaError(
            f"{given} is {_NO_MEDIUM.get(found.format) or describe(found.format)}, not an image, audio or video; "
            f"media() records media only{_INSTEAD.get(found.format, '')}",
            path=given,
            code="not_a_medium",
        )
    # a broken file, or an error page under the name of a picture: what was promised, for a check to fail on
    return kind or named  # type: ignore[return-value]


_UNTOLD = ("empty", "unknown")
_NO_MEDIUM = {"text": "a text file", "unknown": "a file of no known format"}
_INSTEAD = {
    "pdf": ", so record pictures of its pages (pdftoppm makes them); as a file of the case it counts without that"
}
_NAMED_KINDS = {
    extension: entry.kind for entry in reversed(FORMATS.values()) if entry.kind for extension in entry.extensions
} | {name: entry.kind for name, entry in FORMATS.items() if entry.kind}
_NAMED_KINDS |= {"asf": "video", "weba": "audio"}


def _kind_of_name(name: str) -> Kind | None:
    """Return the kind that a name promises, None when it names no medium."""
    return _NAMED_KINDS.get(os.path.splitext(name)[1].lower().lstrip("."))


def _check_declared(given: str, found: Facts, facts: dict[str, Any]) -> None:
    for key in DECLARED:
        declared, measured = facts.get(key), getattr(found, key)
        if declared is None or measured is None:
            continue
        if key == "duration":
            agrees = isinstance(declared, (int, float)) and math.isclose(declared, measured, rel_tol=0.02, abs_tol=0.1)
        else:
            agrees = declared == measured
        if not agrees:
            raise MediaError(
                f"{given} was declared with {key} {declared!r}, but its bytes say {measured!r}; "
                "leave the declaration out",
                path=given,
                code="declared_fact_wrong",
            )


def _check_storable(given: str, facts: dict[str, Any]) -> None:
    for name, value in facts.items():
        try:
            canonical_json(value)
        except (TypeError, ValueError, RecursionError):
            raise MediaError(
                f"{given}: fact {name!r} is no JSON value but a {type(value).__name__}",
                path=given,
                code="bad_fact",
            ) from None


def _cannot_record(given: str, error: MediaMissing) -> str:
    why = str(error)
    if error.code == "media_gone":
        why = f"there is no file at {error.path}"
        if error.path == given:
            return why
    elif error.code == "media_is_directory":
        why = "it is a directory"
    return f"cannot record {given}: {why}"

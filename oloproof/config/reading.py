"""Reads one YAML file of ours: a UTF-8 text that holds one mapping."""

from __future__ import annotations

from pathlib import Path

from oloproof.config.problems import found, shown_path
from oloproof.config.yaml12 import Document, read_yaml
from oloproof.errors import ConfigError, Problem


def read_mapping(file: Path, cure: str) -> Document:
    """Return what ``file`` holds; ``cure`` is what to do when it is not there.

    Raises :class:`ConfigError` when it cannot be read; lesser mistakes are in the document's ``problems``.
    """
    shown = shown_path(file)
    document = read_yaml(_decode(_bytes(file, shown, cure), shown), shown)
    if document.data is None and not document.problems:
        raise ConfigError([Problem(shown, "the file is empty")])
    if not isinstance(document.data, dict):
        problem = document.problem((), f"expected a mapping (key: value), found {found(document.data)}")
        raise ConfigError([*document.problems, problem])
    return document


def _bytes(file: Path, shown: str, cure: str) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        message = f"no such file; looked in {file.parent.absolute()}; {cure}"
    except IsADirectoryError:
        message = "this is a folder; name a file"
    except PermissionError:
        message = "may not be read: permission denied"
    except (OSError, ValueError) as error:
        message = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    raise ConfigError([Problem(shown, message)])


def _decode(content: bytes, shown: str) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConfigError([Problem(shown, "this is UTF-16; save it as UTF-8", 1, 1)])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8")) + 1
        bad = f"the byte 0x{error.object[error.start]:02x} at offset {error.start} is not UTF-8; save the file as UTF-8"
        raise ConfigError([Problem(shown, bad, line, column)]) from error

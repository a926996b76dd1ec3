"""One case a media file: a folder, and an optional table that says more about each file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from oloproof.config import nearest, shown_path
from oloproof.datasets.json_rows import RawRow
from oloproof.datasets.report import Report

# fmt: off
MEDIA_SUFFIXES = frozenset([
    "apng", "avif", "bmp", "gif", "heic", "heif", "ico", "jfif", "jp2", "jpe", "jpeg", "jpg", "pbm", "pgm", "png",
    "pnm", "ppm", "qoi", "svg", "tga", "tif", "tiff", "webp",
    "aac", "aif", "aiff", "amr", "au", "caf", "flac", "m4a", "mp3", "oga", "ogg", "opus", "wav", "weba", "wma",
    "3g2", "3gp", "avi", "flv", "gifv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "mxf", "ogv", "ts",
    "webm", "wmv", "y4m",
])
# fmt: on


class _File(Struct, frozen=True):
    relative: str
    size: int

    @property
    def default_id(self) -> str:
        return self.relative[: -len(os.path.splitext(self.relative)[1])]


class Folder:
    """The media files under ``folder``, sorted by their relative path. ``skip`` is left out: the run's own outputs."""

    def __init__(self, folder: Path, skip: Path) -> None:
        self.folder = folder
        self._skip = os.path.realpath(skip)

    def rows(self, report: Report, digest: Any, table: Iterator[RawRow] | None, of_table: Report) -> Iterator[RawRow]:
        """Yield a row for each media file, joined with the row of ``table`` that names it."""
        files = sorted(self._walk(str(self.folder), "", report, ()), key=lambda file: file.relative)
        for file in files:
            digest.update(f"{file.size} {file.relative}\n".encode("utf-8", "surrogateescape"))
        if not files:
            kinds = "no image, audio or video file (told by the ending of its name)"
            report.add(f"{kinds} in this folder; looked in {self.folder}")
            return
        joined = {} if table is None else _join(files, table, of_table)
        for file in files:
            _, row = joined.get(file.relative, (0, {}))
            given = {"file": os.path.join(str(self.folder), file.relative), **row.get("input", {})}
            rest = {key: value for key, value in row.items() if key not in ("file", "input")}
            if rest.get("id") == "":  # a cell left empty, where the table names others
                del rest["id"]
            yield 0, file.relative, {"id": file.default_id, **rest, "input": given}

    def _walk(self, top: str, below: str, report: Report, above: tuple[str, ...]) -> Iterator[_File]:
        real = os.path.realpath(top)
        if real in above or real == self._skip:
            return
        try:
            entries = list(os.scandir(top))
        except OSError as error:
            report.add(f"the folder {top} cannot be read: {error.strerror or error}")
            return
        for entry in entries:
            relative = f"{below}{entry.name}"
            if entry.name.startswith("."):
                continue
            if entry.is_dir():
                yield from self._walk(entry.path, f"{relative}/", report, (*above, real))
            elif os.path.splitext(entry.name)[1][1:].lower() in MEDIA_SUFFIXES:
                if entry.is_file():
                    yield _File(relative, entry.stat().st_size)
                else:
                    report.add("this link leads nowhere", path=relative)


def _join(files: list[_File], table: Iterator[RawRow], report: Report) -> dict[str, tuple[int, dict[str, Any]]]:
    """Return for each file the line and the row of the table that names it, by relative path or by its name alone."""
    by_name: dict[str, list[str]] = {}
    for file in files:
        by_name.setdefault(file.relative.rpartition("/")[2], []).append(file.relative)
    known = {file.relative for file in files}
    joined: dict[str, tuple[int, dict[str, Any]]] = {}
    rows = 0
    for line, path, row in table:
        rows += 1
        message, relative = _named(row, known, by_name)
        if not message and relative in joined:
            message = f"{relative} has a row already, on line {joined[relative][0]}"
        if not message and not isinstance(row.get("input", {}), dict):
            message = "the input of a table row is an object of fields"
        if not message and "file" in row.get("input", {}):
            message = "input.file is the media file itself; give the other fields other names"
        if message:
            report.add(message, line, path=path)
        else:
            joined[relative] = (line, row)
    if not rows and not report.count:
        report.add("there are no rows; leave table: out, or give a row for each file that it says more about")
    return joined


def _named(row: dict[str, Any], known: set[str], by_name: dict[str, list[str]]) -> tuple[str, str]:
    name = row.get("file")
    if not isinstance(name, str) or not name:
        return "a row of the table needs file: the name of the media file it is about", ""
    relative = name.removeprefix("./")
    if relative in known:
        return "", relative
    same = by_name.get(relative, [])
    if len(same) == 1:
        return "", same[0]
    if same:
        return f"{name} may be {' or '.join(same[:3])}; write the path within the folder", ""
    near = nearest(relative, sorted(known)[:2000])
    return f"no media file {name} in the folder" + (f"; did you mean {near}?" if near else ""), ""


def folder_digest() -> Any:
    """Return an empty digest for the names and sizes of a folder's files: the same wherever the folder is copied."""
    return hashlib.sha256(b"oloproof folder 1\n")


def shown_folder(folder: Path) -> str:
    """Return ``folder`` as it is printed."""
    return shown_path(folder) + "/"

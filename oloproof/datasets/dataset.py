"""The cases of a project, checked as a whole and then read one by one; never all in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from oloproof.config import Project, shown_path
from oloproof.datasets.csv_rows import read_csv
from oloproof.datasets.folder import Folder, folder_digest, shown_folder
from oloproof.datasets.json_rows import RawRow, read_json, read_jsonl
from oloproof.datasets.lines import ByteSource
from oloproof.datasets.report import Report
from oloproof.datasets.rows import RowChecker, with_named_files
from oloproof.errors import DatasetError, Problem
from oloproof.records import Case


class Summary(Struct, frozen=True):
    """What a whole dataset was found to be.

    ``digest`` is of the bytes of the file and of the table; of a folder's files it takes names and sizes. ``ids`` are
    in the order of the cases; ``slices`` are the names of the slice fields met.
    """

    count: int
    digest: str
    ids: tuple[str, ...]
    slices: tuple[str, ...]


class Dataset:
    """Cases from a file or a folder. Iterating reads it anew each time and gives the same cases in the same order."""

    def __init__(self, project: Project) -> None:
        options = project.options.dataset
        self._file = project.dataset_path
        self._folder = project.dataset_folder
        self._table = project.dataset_table
        self._outputs = project.outputs
        named = [*options.media, *(one.field for one in project.options.variants if one.names_a_file)]
        self._media = tuple(dict.fromkeys(named if self._folder is None else ["file", *named]))
        self._checked: str | None = None
        self._digest: Callable[[], str] = str

    @property
    def base(self) -> Path:
        """The folder that paths in the dataset are relative to."""
        if self._folder is not None:
            return self._folder
        assert self._file is not None  # noqa: S101 - the project's model gives one of the two
        return self._file.parent

    @property
    def shown(self) -> str:
        """The file or folder, as it is printed."""
        return shown_folder(self._folder) if self._folder is not None else shown_path(self.base / self._name)

    def check(self) -> Summary:
        """Read every row and return what the dataset is.

        Raises :class:`DatasetError` with all bad rows; of very many the first are listed and the rest counted.
        """
        report = Report(self.shown)
        checker = RowChecker(self.base, self._media, report, look=True)
        ids: dict[str, int | str] = {}
        slices: dict[str, None] = {}
        for line, path, row in self._rows(report):
            ident = row.get("id")
            if isinstance(ident, str):
                if ident in ids:
                    report.add(self._used_twice(ident, ids[ident], path), line or None, path=path)
                ids.setdefault(ident, line or path)
            checked = checker.check(line or None, path, row)
            if checked is not None and not slices.keys() >= checked[3].keys():
                slices.update(dict.fromkeys(checked[3]))
        if not ids and not report.count:
            report.add("there are no rows; a run needs at least one case")
        report.finish()
        self._checked = self._digest()
        return Summary(len(ids), self._checked, tuple(ids), tuple(slices))

    def __iter__(self) -> Iterator[Case]:
        """Yield the cases; the dataset is checked as a whole first, unless it was already.

        Raises :class:`DatasetError` when it is not what was checked any more.
        """
        digest = self._checked or self.check().digest
        report = Report(self.shown, strict=True)
        checker = RowChecker(self.base, self._media, report, look=False)
        folder = str(self.base)
        for line, path, row in self._rows(report):
            checked = checker.check(line or None, path, row)
            if checked is not None:
                ident, given, expected, fields, media = checked
                files = with_named_files(given, folder, media)
                yield Case(ident, given, expected, fields, files, line or None)
        if self._digest() != digest:
            raise DatasetError([Problem(self.shown, "the dataset changed while it was read; start the run again")])

    @property
    def _name(self) -> str:
        return self._file.name if self._file is not None else ""

    def _rows(self, report: Report) -> Iterator[RawRow]:
        if self._folder is None:
            return self._file_rows(self.base / self._name, report)
        return self._folder_rows(self._folder, report)

    def _file_rows(self, file: Path, report: Report) -> Iterator[RawRow]:
        source = ByteSource(file, self.shown)
        self._digest = lambda: source.hexdigest
        return _reader(file, self.shown)(source, report)

    def _folder_rows(self, folder: Path, report: Report) -> Iterator[RawRow]:
        names = folder_digest()
        table: Iterator[RawRow] | None = None
        source: ByteSource | None = None
        of_table = report.of("" if self._table is None else shown_path(self._table))
        if self._table is not None:
            source = ByteSource(self._table, of_table.file)
            reader = _reader(self._table, of_table.file)
            keys = (("file", "id"),) if reader is read_csv else ()
            table = reader(source, of_table, *keys)

        def digest() -> str:
            content = source.hexdigest if source is not None else ""
            return hashlib.sha256(f"{names.hexdigest()} {content}".encode()).hexdigest()

        self._digest = digest
        return Folder(folder, self._outputs).rows(report, names, table, of_table)

    def _used_twice(self, ident: str, first: int | str, second: str) -> str:
        if self._folder is None:
            return f"the id {ident!r} is used twice; the first is on line {first}"
        return f"{first} and {second} are both the case {ident!r}; rename one, or give ids in a table:"


_READERS: dict[str, Callable[..., Iterator[RawRow]]] = {
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
    ".json": read_json,
    ".csv": read_csv,
}


def _reader(file: Path, shown: str) -> Callable[..., Iterator[RawRow]]:
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        ending = f"the ending {file.suffix!r} is not known" if file.suffix else "the name has no ending"
        raise DatasetError([Problem(shown, f"{ending}; a dataset is a file named .jsonl, .json or .csv")])
    return reader


def open_dataset(project: Project) -> Dataset:
    """Return the cases of ``project``; nothing is read yet."""
    return Dataset(project)

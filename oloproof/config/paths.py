"""The paths that a project file names: resolved against its folder, and looked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct
from pydantic import ValidationError

from oloproof.config.models import DatasetOptions, ProjectOptions
from oloproof.config.sites import value_at
from oloproof.config.yaml12 import Document
from oloproof.config.yaml12 import Path as Keys
from oloproof.errors import Problem
from oloproof.places import OWN_FOLDER


class Paths(Struct, frozen=True):
    """Resolves the paths of a project file against ``root`` and adds to ``problems`` which are not there."""

    root: Path
    document: Document
    problems: list[Problem]

    def resolve(self, options: ProjectOptions | None) -> dict[str, Any]:
        """Return the resolved paths, as fields of a project."""
        if options is None:
            self._dataset_as_written()
            return {}
        dataset, system = options.dataset, options.system
        return {
            **self._dataset(dataset),
            "outputs": self._outputs(options.outputs),
            "media_roots": tuple(
                self._folder(path, ("media_roots", number)) for number, path in enumerate(options.media_roots)
            ),
            "code_paths": tuple(
                self._there(path, ("system", "code_paths", number)) for number, path in enumerate(system.code_paths)
            ),
        }

    def _dataset_as_written(self) -> None:
        """Look for the dataset also when another part of the file is wrong."""
        written = self.document.data.get("dataset")
        try:
            self._dataset(DatasetOptions.model_validate({"path": written} if isinstance(written, str) else written))
        except ValidationError:
            return

    def _dataset(self, options: DatasetOptions) -> dict[str, Path | None]:
        keys: dict[str, Keys] = {key: ("dataset", key) for key in ("path", "folder", "table")}
        return {
            "dataset_path": self._file(options.path, keys["path"]) if options.path else None,
            "dataset_folder": self._folder(options.folder, keys["folder"]) if options.folder else None,
            "dataset_table": self._file(options.table, keys["table"]) if options.table else None,
        }

    def _say(self, path: Keys, message: str) -> None:
        shown = path if value_at(self.document.data, path) is not None else path[:-1]
        self.problems.append(self.document.problem(path, message, shown=shown))

    def _there(self, written: str, path: Keys) -> Path:
        target = self.root / written
        try:
            exists = target.exists()
        except (OSError, ValueError):
            exists = False
        if not exists:
            not_meant = "; ~ and $NAME stand for nothing here" if written.startswith("~") or "$" in written else ""
            self._say(path, f"no such file or folder: {written}; looked in {self.root}{not_meant}")
        return target

    def _file(self, written: str, path: Keys) -> Path:
        before = len(self.problems)
        target = self._there(written, path)
        if len(self.problems) == before and target.is_dir():
            cure = " or write {folder: ...} for one case a media file" if path[-1] == "path" else ""
            self._say(path, f"{written} is a folder; name a file{cure}")
        return target

    def _folder(self, written: str, path: Keys) -> Path:
        before = len(self.problems)
        target = self._there(written, path)
        if len(self.problems) == before and not target.is_dir():
            cure = ", or write path: for a JSONL, JSON or CSV file" if path[-1] == "folder" else ""
            self._say(path, f"{written} is a file; name a folder{cure}")
        return target

    def _outputs(self, written: str) -> Path:
        target = self.root / written
        if target.is_file():
            self._say(("outputs",), f"{written} is a file; outputs: names a folder")
        if (self.root / OWN_FOLDER) in (target.resolve(), *target.resolve().parents):
            self._say(("outputs",), f"{written} lies in {OWN_FOLDER}, where runs are stored; name another folder")
        return target

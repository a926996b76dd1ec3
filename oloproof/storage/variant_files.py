"""Files that variants are made of, kept under ``.oloproof/variants/`` by their own SHA-256.

Two recipes that make the same bytes share a file. All can be lost at any time: they are made again from their sources.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from oloproof.storage.database import FOLDER

_ONLY_READ = 0o444
"""A system that writes into its input would change what others are given."""


class VariantFiles:
    """The made files of one project. Safe between threads and processes: a file appears whole or not at all."""

    def __init__(self, root: Path) -> None:
        self.folder = root / FOLDER / "variants"

    def place(self, sha256: str, ending: str) -> Path:
        """Return where the file with this digest lies, or would."""
        return self.folder / sha256[:2] / f"{sha256}.{ending}"

    @contextmanager
    def draft(self) -> Iterator[Path]:
        """Lend the path of a new, empty file to be written to; it is gone afterwards unless it was kept."""
        self.folder.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=self.folder, prefix=".part-")
        os.close(descriptor)
        try:
            yield Path(name)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)

    def keep(self, draft: Path, sha256: str, ending: str) -> Path:
        """Put a draft in its place, replacing what lies there, and return the place."""
        place = self.place(sha256, ending)
        place.parent.mkdir(exist_ok=True)
        os.chmod(draft, _ONLY_READ)
        os.replace(draft, place)
        return place

    def size(self) -> tuple[int, int]:
        """Return how many files are kept, and how many bytes they take."""
        found = [file.stat().st_size for file in self.folder.glob("*/*") if file.is_file()]
        return len(found), sum(found)

    def clear(self) -> None:
        """Remove every file."""
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self.folder)

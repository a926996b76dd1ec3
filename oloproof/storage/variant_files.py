"""Files that variants are made of, kept under ``.oloproof/variants/`` by their own SHA-256.

Two recipes that make the same bytes share a file. All can be lost at any time: they are made again from their sources.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from oloproof.errors import NO_ROOM, StorageError
from oloproof.storage.database import FOLDER, disk_full

_ONLY_READ = 0o444
"""A system that writes into its input would change what others are given."""
_DRAFT = ".part-"
_ABANDONED = 24 * 3600.0


@contextmanager
def _in_words(place: str, *, only_room: bool = False) -> Iterator[None]:
    """Say what it means that a file cannot be written; with ``only_room`` only where the disk is full.

    Unlike a recipe that fails, which is a case's own matter, that ends a run.

    Raises:
        StorageError: ``place`` cannot be written; the text says what to do.
    """
    try:
        yield
    except OSError as error:
        file = error.filename or place
        if error.errno in NO_ROOM:
            raise disk_full(file) from error
        if only_room:
            raise
        raise StorageError(f"{file} could not be written ({error.strerror}); check its permissions") from error


class VariantFiles:
    """The made files of one project. Safe between threads and processes: a file appears whole or not at all.

    Raises ``StorageError`` where one cannot be written.
    """

    def __init__(self, root: Path) -> None:
        self.folder = root / FOLDER / "variants"
        self._start = os.path.join(self.folder, "")
        self._swept = False

    def place(self, sha256: str, ending: str) -> str:
        """Return where the file with this digest lies, or would."""
        return f"{self._start}{sha256[:2]}/{sha256}.{ending}"

    @contextmanager
    def draft(self) -> Iterator[Path]:
        """Lend the path of a new, empty file to be written to; it is gone afterwards unless it was kept."""
        with _in_words(str(self.folder)):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._sweep()
            descriptor, name = tempfile.mkstemp(dir=self.folder, prefix=_DRAFT)
        os.close(descriptor)
        try:
            with _in_words(name, only_room=True):
                yield Path(name)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)

    def _sweep(self) -> None:
        """Remove, once, the drafts that a killed process left long ago; others may be in the making elsewhere."""
        if self._swept:
            return
        self._swept = True
        for draft in self.folder.glob(f"{_DRAFT}*"):
            with contextlib.suppress(OSError):
                if time.time() - draft.stat().st_mtime > _ABANDONED:
                    draft.unlink()

    def keep(self, draft: Path, sha256: str, ending: str) -> None:
        """Put a draft in its place, replacing what lies there."""
        place = self.place(sha256, ending)
        with _in_words(place):
            os.chmod(draft, _ONLY_READ)
            self._move(str(draft), place)

    def keep_bytes(self, data: bytes, sha256: str, ending: str) -> None:
        """Put ``data`` in its place, replacing what lies there."""
        place = self.place(sha256, ending)
        draft = f"{place}.{secrets.token_hex(4)}.part"
        try:
            with _in_words(place):
                descriptor = self._new(draft)
                with os.fdopen(descriptor, "wb") as file:  # unbuffered, a filling disk takes a part and says nothing
                    file.write(data)
                self._move(draft, place)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(draft)
            raise

    def _new(self, draft: str) -> int:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        try:
            return os.open(draft, flags, _ONLY_READ)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(draft), exist_ok=True)
            return os.open(draft, flags, _ONLY_READ)

    @staticmethod
    def _move(draft: str, place: str) -> None:
        try:
            os.replace(draft, place)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            os.replace(draft, place)

    def size(self) -> tuple[int, int]:
        """Return how many files are kept, and how many bytes they take."""
        found = [file.stat().st_size for file in self.folder.glob("*/*") if file.is_file()]
        return len(found), sum(found)

    def clear(self) -> None:
        """Remove every file."""
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self.folder)

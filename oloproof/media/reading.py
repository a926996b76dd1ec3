"""The one way to the bytes of a recorded file: opened once, verified, and refused when they changed.

What is checked is what is used: a file is opened without following a symlink, its descriptor is compared with the
record, the caller reads from that descriptor, and it is compared once more afterwards.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

from oloproof import media
from oloproof.errors import MediaDrift, MediaMissing
from oloproof.media.digesting import DigestMemo, Identity, identity_of
from oloproof.media.measurements import depth_rank, facts_from_json, facts_to_json
from oloproof.records import Depth, Facts, MediaItem

FACTS_VERSION = 6
"""Raised when the same bytes would be told other facts of: those that are kept are not believed any more."""


class Measurements(Protocol):
    """Keeps what was measured on bytes, by their SHA-256, so that no file is probed twice."""

    def get(self, sha256: str, name: str) -> Any | None:
        """Return the JSON value kept under ``name`` for these bytes, or None."""

    def put(self, sha256: str, name: str, value: Any) -> None:
        """Keep a JSON value under ``name`` for these bytes."""

    def expect(self, sha256s: Sequence[str]) -> None:
        """Get ready to answer for all of these bytes: they are asked for next."""


class MeasurementsInMemory:
    """Measurements for one process, used where there is no project."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Any] = {}

    def get(self, sha256: str, name: str) -> Any | None:
        """Return what is kept, or None."""
        return self._kept.get((sha256, name))

    def put(self, sha256: str, name: str, value: Any) -> None:
        """Keep ``value``."""
        self._kept[(sha256, name)] = value

    def expect(self, sha256s: Sequence[str]) -> None:
        """Do nothing: everything is at hand."""


def open_regular(path: Path | str, shown: str = "", *, follow: bool = False) -> BinaryIO:
    """Open ``path`` for reading if it is a regular file; its last part may be a symlink only with ``follow``.

    ``shown`` is how messages call the file; its path by default.

    Raises:
        MediaMissing: with the code ``media_gone``, ``media_is_directory``, ``media_is_symlink``,
            ``media_not_a_file`` or ``media_not_readable``.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        raise _cannot_open(path, error, shown) from None
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        if stat.S_ISDIR(mode):
            raise MediaMissing(f"{shown or path} is a directory", path=path, code="media_is_directory")
        raise MediaMissing(f"{shown or path} is not a regular file", path=path, code="media_not_a_file")
    return os.fdopen(descriptor, "rb")


def _cannot_open(path: Path | str, error: OSError, shown: str = "") -> MediaMissing:
    name = shown or str(path)
    if error.errno == errno.ELOOP:
        return MediaMissing(
            f"{name} is a symlink; a recorded file is never read through one",
            path=path,
            code="media_is_symlink",
        )
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return MediaMissing(f"{name} is gone", path=path, code="media_gone")
    if error.errno in (errno.EACCES, errno.EPERM):
        return MediaMissing(f"{name} may not be read (permission denied)", path=path, code="media_not_readable")
    return MediaMissing(f"{name} cannot be opened: {error.strerror}", path=path, code="media_not_readable")


class MediaReader:
    """Reads, measures and verifies recorded files of one project. Safe to share between threads."""

    def __init__(self, root: Path, *, memo: DigestMemo | None = None, measurements: Measurements | None = None) -> None:
        self.root = root
        self.folder = str(root)
        self.memo = memo if memo is not None else DigestMemo()
        self.measurements: Measurements = measurements if measurements is not None else MeasurementsInMemory()

    def locate(self, item: MediaItem) -> Path:
        """Return the absolute path of ``item``; a relative one lies under the project."""
        return self.root / item.path

    @contextmanager
    def open(self, item: MediaItem, *, certain: bool = False) -> Iterator[BinaryIO]:
        """Open the verified bytes of ``item``; checks again when the caller is done.

        Raises:
            MediaDrift: the file holds other bytes than were recorded, or was changed while it was read.
            MediaMissing: the file cannot be read any more.
        """
        path = self.locate(item)
        with open_regular(path, item.path) as file:
            identity = self._verified(item, file, path, certain=certain)
            file.seek(0)
            yield file
            if identity_of(os.fstat(file.fileno())) != identity:
                self._verified(item, file, path, certain=True)

    def _verified(self, item: MediaItem, file: BinaryIO, path: Path, *, certain: bool) -> Identity:
        status = os.fstat(file.fileno())
        if status.st_size != item.size:
            raise _drift(item, path, f"{status.st_size} bytes", f"{item.size} bytes")
        identity, digest = self.memo.digest(file, certain=certain)
        if digest != item.sha256:
            raise _drift(item, path, f"sha256 {digest}", f"sha256 {item.sha256}", digest)
        return identity

    def verify(self, item: MediaItem, *, certain: bool = False) -> None:
        """Check that ``item`` still holds the recorded bytes, without reading it where its identity tells.

        With ``certain`` a file that had just been written when it was hashed is hashed again.

        Raises:
            MediaDrift, MediaMissing: as :meth:`open`.
        """
        path = os.path.join(self.folder, item.path)
        try:
            status = os.lstat(path)
        except OSError as error:
            raise _cannot_open(path, error, item.path) from None
        identity = identity_of(status)
        if stat.S_ISREG(status.st_mode) and identity == item.identity:  # a change of rights changes ctime
            unsettled = certain and self.memo.is_unsettled(identity)
            if not unsettled and self.memo.known(identity) in (item.sha256, None):
                return
        with self.open(item, certain=certain):
            pass

    def state(self, item: MediaItem) -> Literal["verified", "changed", "gone"]:
        """Return whether ``item`` still holds the recorded bytes; ``gone`` is also what cannot be read any more."""
        try:
            self.verify(item)
        except MediaDrift:
            return "changed"
        except MediaMissing:
            return "gone"
        return "verified"

    def read(self, item: MediaItem) -> bytes:
        """Return the bytes of ``item`` after checking their size and SHA-256."""
        path = self.locate(item)
        with open_regular(path, item.path) as file:
            status = os.fstat(file.fileno())
            if status.st_size != item.size:
                raise _drift(item, path, f"{status.st_size} bytes", f"{item.size} bytes")
            data = file.read(item.size + 1)
        digest = hashlib.sha256(data).hexdigest()
        if digest != item.sha256:
            raise _drift(item, path, f"sha256 {digest}", f"sha256 {item.sha256}", digest)
        return data

    def digest_of_path(self, path: Path | str) -> str:
        """Return the SHA-256 of a file that is not recorded (yet), such as one that a case's input names.

        Raises:
            MediaMissing: it cannot be read.
        """
        try:
            status = os.stat(path)
        except OSError as error:
            raise _cannot_open(path, error) from None
        known = self.memo.known(identity_of(status))
        if known is not None:
            return known
        with open_regular(path, follow=True) as file:
            return self.memo.digest(file)[1]

    def facts(self, item: MediaItem, depth: Depth) -> Facts:
        """Return the facts of ``item`` to at least ``depth``, measured once for the same bytes.

        Raises:
            MediaDrift, MediaMissing: as :meth:`open`.
            ToolMissing: ffmpeg is needed and not installed.
        """
        self.verify(item)
        kept = self.measurements.get(item.sha256, f"facts@{FACTS_VERSION}")
        if kept is not None and depth_rank(kept["depth"]) >= depth_rank(depth):
            return facts_from_json(kept)
        path = self.locate(item)
        with self.open(item) as file:
            facts = media.facts_of(file, path=path, depth=depth, check=self._same(item, file, path))
        if facts.decodable != "no_decoder":  # one may be installed tomorrow
            self.measurements.put(item.sha256, f"facts@{FACTS_VERSION}", facts_to_json(facts))
        return facts

    def measure(self, item: MediaItem, name: str, compute: Callable[[BinaryIO], Mapping[str, Any]]) -> Any:
        """Return ``compute`` of the verified bytes as JSON, computed once for the same bytes and ``name``."""
        self.verify(item)
        kept = self.measurements.get(item.sha256, name)
        if kept is None:
            with self.open(item) as file:
                kept = dict(compute(file))
            self.measurements.put(item.sha256, name, kept)
        return kept

    def measure_by_path(
        self, item: MediaItem, name: str, compute: Callable[[Path, Callable[[], None]], Mapping[str, Any]]
    ) -> Any:
        """Return ``compute`` of the path and check that :meth:`lend` lends, once for the same bytes and ``name``."""
        self.verify(item)
        kept = self.measurements.get(item.sha256, name)
        if kept is None:
            with self.lend(item) as (_, path, check):
                kept = dict(compute(path, check))
            self.measurements.put(item.sha256, name, kept)
        return kept

    @contextmanager
    def lend(self, item: MediaItem) -> Iterator[tuple[BinaryIO, Path, Callable[[], None]]]:
        """Open the verified bytes of ``item`` for code that must start a program on its path.

        Yields the open file, its path, and a check that the path still leads to it, to be made around every use.

        Raises:
            MediaDrift, MediaMissing: as :meth:`open`.
        """
        path = self.locate(item)
        with self.open(item) as file:
            yield file, path, self._same(item, file, path)

    def _same(self, item: MediaItem, file: BinaryIO, path: Path) -> Callable[[], None]:
        """Return a check that ``path`` still leads to the open, unchanged file, made around ffmpeg's use of it."""
        expected = identity_of(os.fstat(file.fileno()))

        def check() -> None:
            try:
                found = identity_of(os.lstat(path))
            except OSError as error:
                raise _cannot_open(path, error, item.path) from None
            if found != expected:
                raise MediaDrift(
                    f"{item.path} was replaced while it was being measured", path=path, recorded=item.sha256
                )

        return check


def _drift(item: MediaItem, path: Path, found: str, recorded: str, digest: str = "") -> MediaDrift:
    return MediaDrift(
        f"{item.path} changed after it was recorded: it held {recorded}, now it holds {found}",
        path=path,
        recorded=item.sha256,
        found=digest,
    )

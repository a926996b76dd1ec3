"""SHA-256 of files, in one pass and never twice for a file that did not change."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from typing import BinaryIO

Identity = tuple[int, int, int, int, int]
"""(device, inode, size, mtime_ns, ctime_ns): what tells one state of a file from another without reading it."""

SETTLED_NS = 50_000_000
"""A file changed less than 50 ms before it was hashed may change again within one tick of the file system's clock
and keep its identity, so such a digest holds for now but is taken again before anything is decided on it."""


def identity_of(status: os.stat_result) -> Identity:
    """Return the identity of an open file or path from its ``stat`` result."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def sha256_of(file: BinaryIO) -> str:
    """Return the SHA-256 of an open file, read in one pass from its start; the handle stays where it was.

    Read past the handle's own buffer, which may hold bytes that are not the file's any more.
    """
    descriptor = file.fileno()
    place = os.lseek(descriptor, 0, os.SEEK_CUR)
    with open(descriptor, "rb", buffering=0, closefd=False) as raw:
        raw.seek(0)
        digest = hashlib.file_digest(raw, "sha256").hexdigest()
    os.lseek(descriptor, place, os.SEEK_SET)
    return digest


class DigestMemo:
    """Remembers the digest of each file by its identity, and which digests were taken from files still settling."""

    def __init__(self, known: Iterable[tuple[Identity, str]] = ()) -> None:
        self._digests: dict[Identity, bytes] = {key: bytes.fromhex(value) for key, value in known}
        self._unsettled: set[Identity] = set()
        self._fresh: list[Identity] = []
        self.hashed = 0

    def known(self, identity: Identity) -> str | None:
        """Return the digest remembered for ``identity``, if any."""
        digest = self._digests.get(identity)
        return None if digest is None else digest.hex()

    def digest(self, file: BinaryIO, *, certain: bool = False) -> tuple[Identity, str]:
        """Return identity and digest of an open file, reading it only when it is not known.

        With ``certain`` a digest taken while the file was still settling does not count as known.
        """
        identity = identity_of(os.fstat(file.fileno()))
        found = self._digests.get(identity)
        if found is not None and not (certain and identity in self._unsettled):
            return identity, found.hex()
        digest = sha256_of(file)
        self.remember(identity, digest)
        return identity, digest

    def remember(self, identity: Identity, digest: str) -> None:
        """Keep the digest of a file that was just read in full."""
        self.hashed += 1
        self._digests[identity] = bytes.fromhex(digest)
        if time.time_ns() - max(identity[3], identity[4]) < SETTLED_NS:
            self._unsettled.add(identity)
        else:
            self._unsettled.discard(identity)
            self._fresh.append(identity)

    def is_unsettled(self, identity: Identity) -> bool:
        """Whether the digest of ``identity`` was taken so soon after a change that it must be taken again."""
        return identity in self._unsettled

    def new_entries(self) -> Iterator[tuple[Identity, str]]:
        """Hand over, once, the settled digests taken since the last call, to be kept for later runs."""
        fresh, self._fresh = self._fresh, []
        for identity in fresh:
            yield identity, self._digests[identity].hex()

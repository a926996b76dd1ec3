"""Importing a project's own code as it stands in its files, also when it was changed a moment ago.

Python takes compiled code for that of a file when the second of its change and its size are the same. A file that was
run and then edited within one second, as scripts do, would go on as it was: under the digest of what it is now.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from importlib.util import cache_from_source
from typing import Any


class OwnCode(SourceFileLoader):
    """Trusts compiled code only where it was written after the second in which its file was changed was over."""

    def path_stats(self, path: str) -> Mapping[str, Any]:
        """Return time and size by which compiled code is found; ``OSError`` makes Python compile and keep nothing."""
        stats = super().path_stats(path)
        try:
            written = os.stat(cache_from_source(path)).st_mtime
        except (OSError, NotImplementedError):  # there is none, or this Python keeps none
            written = time.time()  # what is compiled now
        if written < math.floor(stats["mtime"]) + 1:
            raise OSError(f"{path} changed within this second")
        return stats


_LOADERS: tuple[tuple[Any, list[str]], ...] = (
    (ExtensionFileLoader, EXTENSION_SUFFIXES), (OwnCode, SOURCE_SUFFIXES), (SourcelessFileLoader, BYTECODE_SUFFIXES),
)  # fmt: skip


def import_freshly(is_own: Callable[[str], bool]) -> None:
    """Import from the folders that ``is_own`` says yes to by :class:`OwnCode`, for as long as the process lasts."""

    def finder(folder: str) -> FileFinder:
        if not os.path.isdir(folder) or not is_own(folder):
            raise ImportError("others find what lies there", path=folder)
        return FileFinder(folder, *_LOADERS)

    sys.path_hooks.insert(0, finder)


def forget_finders(root: str) -> None:
    """Have whoever finds modules at and under ``root`` chosen anew."""
    for folder in [one for one in sys.path_importer_cache if one == root or one.startswith(root + os.sep)]:
        del sys.path_importer_cache[folder]

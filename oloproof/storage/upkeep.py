"""What the cache holds, and forgetting it without touching a run."""

from __future__ import annotations

from typing import Any

from oloproof.storage.store import Store
from oloproof.storage.variant_files import VariantFiles

FORGOTTEN = b""
"""The key of an execution that stays with its runs and answers no later one."""


def cache_stats(store: Store) -> dict[str, Any]:
    """Return how much is kept: answers, measurements, digests, runs, files of variants, and bytes on disk."""
    counts = {
        "answers": store.scalar("SELECT count(*) FROM executions WHERE key != ?", (FORGOTTEN,)),
        "measurements": store.scalar("SELECT count(*) FROM measurements"),
        "digests": store.scalar("SELECT count(*) FROM digests"),
        "runs": store.scalar("SELECT count(*) FROM runs"),
    }
    files = [store.file, store.file.with_name(store.file.name + "-wal")]
    variants, variant_bytes = VariantFiles(store.root).size()
    return {
        **counts,
        "variants": variants,
        "variant_bytes": variant_bytes,
        "bytes": sum(file.stat().st_size for file in files if file.exists()),
        "file": str(store.file),
    }


def clear_cache(store: Store) -> int:
    """Forget every answer, measurement, digest and made file for later runs; returns how many answers."""
    with store.writing() as connection:
        count = connection.execute("UPDATE executions SET key = ? WHERE key != ?", (FORGOTTEN, FORGOTTEN)).rowcount
        connection.execute("DELETE FROM measurements")
        connection.execute("DELETE FROM digests")
    VariantFiles(store.root).clear()
    return count

"""What the cache holds, and forgetting it without touching a run."""

from __future__ import annotations

from typing import Any

from oloproof.storage.store import Store
from oloproof.storage.variant_files import VariantFiles

_REUSED = "typeof(key) = 'blob' AND length(key) > 0"
"""Executions that answer later ones. The key of a forgotten one is kept as text, which no key that is looked for is: it
stays with its runs, and tells whether they can be gone on with. That of an answer to files edited meanwhile is empty.
"""


def cache_stats(store: Store) -> dict[str, Any]:
    """Return how much is kept: answers, measurements, digests, runs, files of variants, and bytes on disk."""
    counts = {
        "answers": store.scalar(f"SELECT count(*) FROM executions WHERE {_REUSED}"),
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
        count = connection.execute(f"UPDATE executions SET key = hex(key) WHERE {_REUSED}").rowcount
        connection.execute("DELETE FROM measurements")
        connection.execute("DELETE FROM digests")
    VariantFiles(store.root).clear()
    return count

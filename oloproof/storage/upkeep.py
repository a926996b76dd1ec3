"""What the cache holds, and forgetting it without touching a run."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, func, select, update

from oloproof.storage.schema import digests, executions, measurements, runs
from oloproof.storage.store import Store
from oloproof.storage.variant_files import VariantFiles

FORGOTTEN = b""
"""The key of an execution that stays with its runs and answers no later one."""


def cache_stats(store: Store) -> dict[str, Any]:
    """Return how much is kept: answers, measurements, digests, runs, files of variants, and bytes on disk."""
    with store.reading() as connection:
        counts = {
            "answers": connection.scalar(
                select(func.count()).select_from(executions).where(executions.c.key != FORGOTTEN)
            ),
            "measurements": connection.scalar(select(func.count()).select_from(measurements)),
            "digests": connection.scalar(select(func.count()).select_from(digests)),
            "runs": connection.scalar(select(func.count()).select_from(runs)),
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
        kept = executions.c.key != FORGOTTEN
        count = int(connection.scalar(select(func.count()).select_from(executions).where(kept)) or 0)
        connection.execute(update(executions).where(kept).values(key=FORGOTTEN))
        connection.execute(delete(measurements))
        connection.execute(delete(digests))
    VariantFiles(store.root).clear()
    return count

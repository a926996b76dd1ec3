"""What the reader of a run should know of its variants: those that add no evidence, and those that changed nothing."""

from __future__ import annotations

from collections.abc import Iterator

from oloproof.records import Notice
from oloproof.storage import History, StoredRun


def delivery_notices(history: History, run: StoredRun) -> Iterator[Notice]:
    """Yield everything odd that was found of delivered files, a line a variant."""
    if not run.document.get("relations"):
        return
    for variant, code, example, count in history.findings(run):
        cases = "in 1 case" if count == 1 else f"in {count:,} cases"
        yield Notice(code, f"variant {variant}, {cases}: {example}")

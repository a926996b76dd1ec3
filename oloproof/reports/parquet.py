"""A run as one Parquet file, for notebooks and databases: a row a trial, every column with its type.

It is written in groups of rows as the run is read, so a run of any size is never held.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from oloproof.errors import ToolMissing
from oloproof.records import MediaItem
from oloproof.reports.withholding import Withholding
from oloproof.storage import History, StoredRun, StoredTrial

if TYPE_CHECKING:
    import pyarrow

GROUP = 5_000
"""Rows of one group: a reader can skip a group, and this many are held while it is written."""
INSTALL = "install Oloproof with its parquet extra (in its checkout: pip install '.[parquet]')"

_ITEM = (
    ("role", "string"),
    ("kind", "string"),
    ("name", "string"),
    ("path", "string"),
    ("format", "string"),
    ("media_type", "string"),
    ("size", "int64"),
    ("sha256", "string"),
    ("width", "int32"),
    ("height", "int32"),
    ("duration", "float64"),
)
"""What stands of a recorded file, and as which type of Arrow."""


def write_parquet(
    stream: BinaryIO, history: History, run: StoredRun, *, withhold: frozenset[str] = frozenset()
) -> None:
    """Write a run: the columns of its CSV, then ``slice``, ``input``, ``expected``, ``output`` as JSON, and ``media``.

    Scores and seconds are numbers, what is not there is null, and texts stay as they are. ``media`` is a list of
    what was recorded; sizes are in bytes, durations in seconds. The file's metadata names the run, the project, the
    system and its version.

    Raises:
        ToolMissing: pyarrow is not installed.
    """
    arrow, parquet = _pyarrow()
    hide = Withholding(withhold, history.store.root)
    names = [entry["criterion"] for entry in run.criteria]
    schema = _schema(arrow, names).with_metadata(
        {
            "oloproof.run": run.id,
            "oloproof.project": run.project,
            "oloproof.system": run.system_name,
            "oloproof.version": run.system_version,
        }
    )
    rows = (_row(trial, len(names), hide) for trial in history.trials(run))
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        while group := list(islice(rows, GROUP)):
            columns = zip(*group, strict=True)
            arrays = [arrow.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ToolMissing(f"Parquet is written by pyarrow, which is not installed; {INSTALL}") from None
    return pyarrow, pyarrow.parquet


def _schema(arrow: Any, criteria: Sequence[str]) -> pyarrow.Schema:
    text, word = arrow.string(), arrow.dictionary(arrow.int8(), arrow.string())
    item = arrow.struct([(name, arrow.type_for_alias(alias)) for name, alias in _ITEM])
    columns = [("case_id", text), ("variant", text), ("repeat", arrow.int32()), ("error", text)]
    columns.append(("seconds", arrow.float64()))
    for name in criteria:
        columns += [(name, word), (f"{name}.score", arrow.float64()), (f"{name}.reason", text)]
    columns += [(name, text) for name in ("slice", "input", "expected", "output")]
    return arrow.schema([*columns, ("media", arrow.list_(item))])


def _row(trial: StoredTrial, criteria: int, hide: Withholding) -> list[Any]:
    execution = trial.execution
    told = hide.trial(
        {
            "case": trial.case_id,
            "error": execution.error,
            "reasons": [verdict.reason for verdict in trial.verdicts[:criteria]],
            "values": [trial.slice or None, trial.input, trial.expected, execution.output],
            "media": [_item(one) for one in execution.media],
        }
    )
    row = [told["case"], trial.variant, trial.repeat, told["error"], execution.seconds]
    row += _verdicts(trial, told["reasons"], criteria)
    return [*row, *map(_json, told["values"]), told["media"]]


def _verdicts(trial: StoredTrial, reasons: Sequence[str], criteria: int) -> Iterator[Any]:
    for verdict, reason in zip(trial.verdicts, reasons, strict=False):
        yield from (verdict.outcome, verdict.score, reason)
    yield from ("missing", None, "no verdict") * (criteria - len(reasons))


def _item(item: MediaItem) -> dict[str, Any]:
    return {name: getattr(item, name) for name, _ in _ITEM}


def _json(value: Any) -> str | None:
    """Return a value as JSON in plain characters, which hold whatever the system answered; None stays None."""
    return None if value is None else json.dumps(value, allow_nan=False)

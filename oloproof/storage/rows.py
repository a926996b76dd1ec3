"""Between records and rows: the JSON forms in which executions, media and verdicts are kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from oloproof.records import OUTCOMES, Delivery, Execution, Finding, MediaItem, Verdict

Row = tuple[Any, ...]

_OUTCOME_NUMBERS: dict[str, int] = {outcome: number for number, outcome in enumerate(OUTCOMES)}
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode

_ITEM_FIELDS = (
    "role",
    "kind",
    "name",
    "path",
    "given",
    "format",
    "media_type",
    "size",
    "sha256",
    "width",
    "height",
    "duration",
    "identity",
    "facts",
)


def item_path(field: str) -> str:
    """Return where a field stands in an item of stored media, as SQLite's JSON functions want it."""
    return f"$[{_ITEM_FIELDS.index(field)}]"


def to_text(value: Any) -> str:
    """Return ``value`` as compact JSON."""
    return storable(_encode(value))


def storable(text: str) -> str:
    """Return ``text`` as UTF-8 can hold it: half characters, which hostile output may have, become escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def media_to_text(media: Sequence[MediaItem]) -> str | None:
    """Return recorded media as JSON lists in the order of the fields, None when there is none."""
    if not media:
        return None
    return to_text([[getattr(item, field) for field in _ITEM_FIELDS] for item in media])


def media_from_text(text: str | None, execution_id: int) -> tuple[MediaItem, ...]:
    """Return the media that :func:`media_to_text` wrote; each item's id is unique in the project."""
    if text is None:
        return ()
    return tuple(_item(item_id(execution_id, number), values) for number, values in enumerate(json.loads(text)))


def item_id(execution_id: int, number: int) -> str:
    """Return the id of the ``number``-th item of an execution."""
    return f"{execution_id}.{number}"


DELIVERED = "d"
"""What the id of a delivered file begins with; its trial's row and its number follow."""

_DELIVERY_FIELDS = ("field", "relation", "source", "same_bytes", "same_data", "same_view", "difference")


def deliveries_to_text(deliveries: Sequence[Delivery]) -> str | None:
    """Return what a trial was given as a JSON list, None when nothing is to tell."""
    if not deliveries:
        return None
    return to_text([_delivery_json(one) for one in deliveries])


def _delivery_json(one: Delivery) -> dict[str, Any]:
    item = None if one.item is None else [getattr(one.item, field) for field in _ITEM_FIELDS]
    finding = None if one.finding is None else [one.finding.code, one.finding.message]
    return {"item": item, "finding": finding, **{field: getattr(one, field) for field in _DELIVERY_FIELDS}}


def deliveries_from_text(text: str | None, trial: int) -> tuple[Delivery, ...]:
    """Return what :func:`deliveries_to_text` wrote; the ids of the files are unique in the project."""
    if text is None:
        return ()
    found = []
    for number, values in enumerate(json.loads(text)):
        item, finding = values.pop("item"), values.pop("finding")
        found.append(
            Delivery(
                item=None if item is None else _item(f"{DELIVERED}{trial}.{number}", item),
                finding=None if finding is None else Finding(*finding),
                **values,
            )
        )
    return tuple(found)


def files_from_row(row: Any) -> tuple[MediaItem, ...]:
    """Return what a trial recorded and then what it was given beside that, of a row with its media and its delivery."""
    given = (one.item for one in deliveries_from_text(row["delivered"], row["id"]) if one.item is not None)
    return (*media_from_text(row["media"], row["execution"]), *given)


def _item(ident: str, values: Sequence[Any]) -> MediaItem:
    fields = dict(zip(_ITEM_FIELDS, values, strict=True))
    identity = fields["identity"]
    fields["identity"] = None if identity is None else tuple(identity)
    return MediaItem(id=ident, **fields)


def execution_from_row(row: Any, number: int, *, cached: bool) -> Execution:
    """Return the execution that a row of the table, whose id is ``number``, holds."""
    return Execution(
        output=None if row["output"] is None else json.loads(row["output"]),
        media=media_from_text(row["media"], number),
        error=row["error"],
        error_detail=row["detail"],
        seconds=row["seconds"],
        cached_at=row["created"] if cached else None,
    )


def verdict_row(trial: int, criterion: int, verdict: Verdict, *, cached: bool = False) -> Row:
    """Return a verdict as the values of a row, in the order of the table's columns."""
    return (
        trial,
        criterion,
        _OUTCOME_NUMBERS[verdict.outcome],
        verdict.score,
        storable(verdict.reason),
        to_text(verdict.details) if verdict.details else None,
        int(cached),
    )


def verdict_from_row(row: Any) -> Verdict:
    """Return the verdict that a row holds."""
    details = json.loads(row["details"]) if row["details"] else {}
    return Verdict(OUTCOMES[row["outcome"]], row["reason"], row["score"], details)


def verdicts_to_text(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts of one judgement as JSON lists."""
    return to_text(
        [[_OUTCOME_NUMBERS[one.outcome], one.score, storable(one.reason), dict(one.details)] for one in verdicts]
    )


def verdicts_from_text(text: str) -> tuple[Verdict, ...]:
    """Return the verdicts that :func:`verdicts_to_text` wrote."""
    found = json.loads(text)
    return tuple(Verdict(OUTCOMES[outcome], reason, score, details) for outcome, score, reason, details in found)

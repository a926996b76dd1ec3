"""Between records and rows: the JSON forms in which executions, media and verdicts are kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from oloproof.records import OUTCOMES, Execution, MediaItem, Outcome, Verdict

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


def to_text(value: Any) -> str:
    """Return ``value`` as compact JSON; characters that UTF-8 cannot hold are replaced by escapes."""
    text = _encode(value)
    return text if text.isascii() or _is_utf8(text) else json.dumps(value, allow_nan=False)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def media_to_text(media: Sequence[MediaItem]) -> str | None:
    """Return recorded media as JSON lists in the order of the fields, None when there is none."""
    if not media:
        return None
    return to_text([[getattr(item, field) for field in _ITEM_FIELDS] for item in media])


def media_from_text(text: str | None, execution_id: int) -> tuple[MediaItem, ...]:
    """Return the media that :func:`media_to_text` wrote; each item's id is unique in the project."""
    if text is None:
        return ()
    items = []
    for number, values in enumerate(json.loads(text)):
        fields = dict(zip(_ITEM_FIELDS, values, strict=True))
        identity = fields["identity"]
        fields["identity"] = None if identity is None else tuple(identity)
        items.append(MediaItem(id=item_id(execution_id, number), **fields))
    return tuple(items)


def item_id(execution_id: int, number: int) -> str:
    """Return the id of the ``number``-th item of an execution."""
    return f"{execution_id}.{number}"


def execution_from_row(row: Any, *, cached: bool) -> Execution:
    """Return the execution that a row of the table holds."""
    return Execution(
        output=None if row.output is None else json.loads(row.output),
        media=media_from_text(row.media, row.id),
        error=row.error,
        error_detail=row.detail,
        seconds=row.seconds,
        cached_at=row.created if cached else None,
    )


def verdict_row(trial: int, criterion: int, verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as the values of a row."""
    return {
        "trial": trial,
        "criterion": criterion,
        "outcome": _OUTCOME_NUMBERS[verdict.outcome],
        "score": verdict.score,
        "reason": verdict.reason,
        "details": to_text(verdict.details) if verdict.details else None,
        "cached": 0,
    }


def verdict_from_row(row: Any) -> Verdict:
    """Return the verdict that a row holds."""
    return Verdict(OUTCOMES[row.outcome], row.reason, row.score, json.loads(row.details) if row.details else {})


def outcome_number(outcome: Outcome) -> int:
    """Return the number under which an outcome is stored."""
    return _OUTCOME_NUMBERS[outcome]

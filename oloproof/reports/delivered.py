"""What a trial was given in the fields that variants change, in words and among its files."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from oloproof.records import Delivery, MediaItem
from oloproof.storage import StoredTrial


def sameness_words(delivery: Delivery) -> str:
    """Return what a delivered file has in common with the original; nothing where they were not compared."""
    if delivery.same_view is None:
        return ""
    if delivery.same_bytes:
        return "the bytes of the original"
    if delivery.same_data:
        return "other bytes, the same when decoded"
    return "decoded not quite the same, the same to people" if delivery.same_view else delivery.difference


def delivery_facts(delivery: Delivery) -> dict[str, str]:
    """Return what is to be said of a delivered file beside its measures, by what it is about."""
    told = {
        "variant": delivery.relation or "",
        "compared": sameness_words(delivery),
        "note": "" if delivery.finding is None else delivery.finding.message,
    }
    return {name: words for name, words in told.items() if words}


def shown_media(trial: StoredTrial) -> tuple[MediaItem, ...]:
    """Return the files of a trial: what it was given, unless the system recorded that itself, then what it recorded."""
    return (*_given(trial), *trial.execution.media)


def _given(trial: StoredTrial) -> Iterator[MediaItem]:
    recorded = {item.sha256 for item in trial.execution.media if item.role == "input"}
    for one in trial.delivered:
        if one.item is not None and one.item.sha256 not in recorded:
            yield replace(one.item, facts=delivery_facts(one))

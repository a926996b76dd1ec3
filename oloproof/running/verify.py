"""The last look before anything is decided: every recorded file still holds its bytes, or its verdicts are missing."""

from __future__ import annotations

from collections.abc import Iterator

from oloproof.errors import MediaDrift, MediaMissing
from oloproof.records import MediaItem, Verdict
from oloproof.running.execute import Workshop
from oloproof.storage import History, StoredRun


def verify_recorded(shop: Workshop, stored: StoredRun) -> None:
    """Check every file that the run recorded, reading only those whose state does not tell.

    A file that is gone makes the verdicts on it missing.

    Raises:
        MediaDrift: a file holds other bytes than were recorded; the text names the case and, where two executions
            recorded one path, both.
    """
    history = History(shop.store)
    readers = [number for number, evaluator in enumerate(shop.bench.evaluators) if evaluator.reads_media]
    amended: list[tuple[int, int, Verdict]] = []
    for trial, case, media in history.recorded_media(stored):
        try:
            for item in media:
                shop.reader.verify(item, certain=True)
        except MediaMissing as error:
            verdict = Verdict.missing(str(error), code=error.code)
            amended += [(trial, number, verdict) for number in readers]
        except MediaDrift as error:
            raise _explained(error, case, media, history, stored) from None
    if amended:
        shop.store.amend_verdicts(shop.run, amended)


def _explained(
    error: MediaDrift, case: str, media: tuple[MediaItem, ...], history: History, stored: StoredRun
) -> MediaDrift:
    other = next(_other_recorders(error, case, media, history, stored), None)
    text = f"case {case!r}: {error}"
    if other is not None:
        text += (
            f". Case {other!r} recorded the same path with other bytes, so one overwrote the other's evidence; "
            "let each trial write to current_case().path(name), a place of its own"
        )
    return MediaDrift(text, path=error.path, recorded=error.recorded, found=error.found)


def _other_recorders(
    error: MediaDrift, case: str, media: tuple[MediaItem, ...], history: History, stored: StoredRun
) -> Iterator[str]:
    recorded = {item.path: item.sha256 for item in media if item.sha256 == error.recorded}
    for _, other, items in history.recorded_media(stored):
        for item in items:
            if item.path in recorded and item.sha256 != recorded[item.path] and other != case:
                yield other

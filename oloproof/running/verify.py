"""The last look before anything is decided: every recorded file still holds its bytes, or its verdicts are missing."""

from __future__ import annotations

from oloproof.errors import MediaDrift, MediaMissing
from oloproof.records import Verdict
from oloproof.running.workshop import Workshop
from oloproof.storage import History, StoredRun


def verify_recorded(shop: Workshop, stored: StoredRun) -> None:
    """Check every file that the run recorded, reading only those whose state does not tell.

    A file that is gone makes the verdicts on it missing.

    Raises:
        MediaDrift: a file holds other bytes than were recorded; the text names the case and, where two executions
            recorded one path, both.
    """
    history = History(shop.store)
    readers = [number for number, evaluator in enumerate(shop.bench.reporting) if evaluator.reads_media]
    amended: list[tuple[int, int, Verdict]] = []
    for trial, case, media in history.recorded_media(stored):
        try:
            for item in media:
                shop.reader.verify(item, certain=True)
        except MediaMissing as error:
            verdict = Verdict.missing(str(error), code=error.code)
            amended += [(trial, number, verdict) for number in readers]
        except MediaDrift as error:
            raise explained(error.of_case(case), history, stored) from None
    if amended:
        shop.store.amend_verdicts(shop.run, amended)


def explained(error: MediaDrift, history: History, run: StoredRun) -> MediaDrift:
    """Return ``error`` with its cause where the run knows it: another case recorded the same path with other bytes."""
    root = history.store.root
    others = (
        case
        for _, case, media in history.recorded_media(run)
        for item in media
        if case != error.case and item.sha256 != error.recorded and str(root / item.path) == error.path
    )
    other = next(others, None)
    if other is None:
        return error
    text = (
        f"{error}. Case {other!r} recorded the same path with other bytes, so one overwrote the other's evidence; "
        "let each trial write to current_case().path(name), a place of its own"
    )
    return MediaDrift(text, path=error.path, recorded=error.recorded, found=error.found, case=error.case)

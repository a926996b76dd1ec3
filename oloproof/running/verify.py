"""The last look before anything is decided: every recorded file still holds its bytes, or its verdicts are missing."""

from __future__ import annotations

from collections.abc import Iterator

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
            raise explained(error.of_case(case), history, stored, shop.system.kind) from None
    if amended:
        shop.store.amend_verdicts(shop.run, amended)


def explained(error: MediaDrift, history: History, run: StoredRun, kind: str) -> MediaDrift:
    """Return ``error`` with its cause where the run knows it: another trial recorded the same path with other bytes.

    The cure is that of the ``kind`` of system.
    """
    other = next(_others(error, history, run), None)
    if other is None:
        return error
    cure = "current_case().path(name)" if kind == "callable" else 'the folder that it is sent as "out"'
    text = (
        f"{error}. {other} recorded the same path with other bytes, so one overwrote the other's evidence; "
        f"let each trial write to {cure}, a place of its own"
    )
    return MediaDrift(text, path=error.path, recorded=error.recorded, found=error.found, case=error.case)


def _others(error: MediaDrift, history: History, run: StoredRun) -> Iterator[str]:
    """Yield in words the trials that recorded the path of ``error`` with other bytes and not with those."""
    root = history.store.root
    for row, case, media in history.recorded_media(run):
        recorded = {item.sha256 for item in media if str(root / item.path) == error.path}
        if not recorded or error.recorded in recorded:
            continue
        if case != error.case:
            yield f"Case {case!r}"
        else:
            trial = next(one for one in history.trials(run, case=case) if one.row == row)
            yield f"Another trial of that case (variant {trial.variant}, repeat {trial.repeat})"

"""Asking a judge about stored executions: the labelled ones, for a judge that did not see them in their run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from oloproof.datasets.rows import with_named_files
from oloproof.evaluators import Evaluator, Subject
from oloproof.media import MediaReader, using_reader
from oloproof.records import Case, Judgement
from oloproof.running.judging import Bench, open_judges
from oloproof.storage import History, Store, StoredJudgements, StoredMeasurements, StoredRun, StoredTrial

_KEPT_TOGETHER = 16
"""Judgements in one transaction."""


def subject_of(trial: StoredTrial, reader: MediaReader) -> Subject:
    """Return a stored execution as an evaluator sees it; the files that its input names are found again."""
    files = with_named_files(trial.input, str(reader.root), {})
    case = Case(trial.case_id, trial.input, trial.expected, trial.slice, files)
    return Subject(case, trial.execution, reader, trial.variant, trial.repeat)


@contextmanager
def reading(store: Store, root: Path) -> Iterator[MediaReader]:
    """Open a reader of a project's recorded files that keeps what it measures."""
    measurements = StoredMeasurements(store)
    reader = MediaReader(root, memo=store.load_memo(), measurements=measurements)
    try:
        yield reader
    finally:
        measurements.flush()
        store.save_memo(reader.memo)


def rejudged(
    store: Store, root: Path, evaluator: Evaluator[Any], trials: Sequence[StoredTrial], *, concurrency: int
) -> list[Judgement]:
    """Return what a judge says of stored executions, in their order; what it said before is not asked again.

    Answers are kept while others are still asked for, so that one who is stopped pays for few of them twice.

    Raises:
        OloproofError: its provider refuses every question, or a recorded file changed.
    """
    bench, found = Bench([evaluator]), list[Judgement]()
    open_judges([evaluator], store, reuse=True)
    with closing(bench), reading(store, root) as reader:

        def judge(trial: StoredTrial) -> Judgement:
            with using_reader(reader):
                return bench.judgements(subject_of(trial, reader))[0]

        with ThreadPoolExecutor(max_workers=max(1, concurrency)) as pool:
            try:
                for judgement in pool.map(judge, trials):
                    found.append(judgement)
                    if len(found) % _KEPT_TOGETHER == 0:
                        _keep(store, found[-_KEPT_TOGETHER:])
            finally:
                _keep(store, found[len(found) - len(found) % _KEPT_TOGETHER :])
    return found


def _keep(store: Store, found: Sequence[Judgement]) -> None:
    StoredJudgements(store).keep([one for one in found if one.key is not None and one.stored is None])


def trials_of(history: History, run: StoredRun, wanted: Sequence[tuple[str, str, int]]) -> list[StoredTrial]:
    """Return the stored trials of a run at these (case, variant, repeat), in their order."""
    cases = list(dict.fromkeys(case for case, _, _ in wanted))
    found = {(trial.case_id, trial.variant, trial.repeat): trial for trial in history.trials_of(run, cases)}
    return [found[place] for place in wanted]

"""Asking a judge about stored executions: the labelled ones, for a judge that did not see them in their run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from oloproof.datasets.rows import with_named_files
from oloproof.evaluators import Evaluator, Subject
from oloproof.media import MediaReader, using_reader
from oloproof.records import Case, Judgement
from oloproof.running.events import Listener, silent
from oloproof.running.judging import Bench, open_judges
from oloproof.running.keys import given_input
from oloproof.running.questions import answers_to
from oloproof.storage import History, Store, StoredMeasurements, StoredRun, StoredTrial


def subject_of(trial: StoredTrial, reader: MediaReader) -> Subject:
    """Return a stored execution as an evaluator sees it; the files that its input names are found again.

    They stand in it by absolute paths, as they did when it was judged in its run: wherever this is asked from.
    """
    files = with_named_files(trial.input, str(reader.root), {})
    given = given_input(trial.input, files, reader.root)
    case = Case(trial.case_id, given, trial.expected, trial.slice, files)
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
    store: Store,
    root: Path,
    evaluator: Evaluator[Any],
    trials: Sequence[StoredTrial],
    *,
    concurrency: int,
    listener: Listener = silent,
) -> list[Judgement]:
    """Return what a judge says of stored executions, in their order; what it said before is not asked again.

    Raises:
        OloproofError: its provider refuses every question, or a recorded file changed.
    """
    bench = Bench([evaluator])
    open_judges([evaluator], store, reuse=True)
    with closing(bench), reading(store, root) as reader:

        def judge(trial: StoredTrial) -> tuple[Judgement, Sequence[Judgement]]:
            with using_reader(reader):
                found = bench.judgements(subject_of(trial, reader))[0]
            return found, (found,)

        return answers_to(
            trials,
            judge,
            criterion=evaluator.criterion,
            store=store,
            concurrency=concurrency,
            listener=listener,
            held_up=lambda: bench.held_up,
        )


def trials_of(history: History, run: StoredRun, wanted: Sequence[tuple[str, str, int]]) -> list[StoredTrial]:
    """Return the stored trials of a run at these (case, variant, repeat), in their order."""
    cases = list(dict.fromkeys(case for case, _, _ in wanted))
    found = {(trial.case_id, trial.variant, trial.repeat): trial for trial in history.trials_of(run, cases)}
    return [found[place] for place in wanted]

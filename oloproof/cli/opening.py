"""Opening what the options of commands name: a project, its runs, its recorded files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from oloproof import reports
from oloproof.cli.options import project_root
from oloproof.config import PolicyOptions, Project, load_policy, load_project
from oloproof.evaluators import builtin_registry
from oloproof.media import MediaReader
from oloproof.places import OWN_FOLDER
from oloproof.records import Notice
from oloproof.running.deciding import Conclusion
from oloproof.storage import History, Store, StoredMeasurements, StoredRun


@contextmanager
def opened_history(config: str) -> Iterator[History]:
    """Open the runs of a project for reading.

    Raises:
        ConfigError: there is no project where ``config`` points to, nor runs of one.
    """
    root = project_root(config)
    if not (root / OWN_FOLDER).exists():
        loaded_project(config)  # says what is wrong with a folder that is no project at all
    store = Store(root, create=False)
    try:
        yield History(store)
    finally:
        store.close()


@contextmanager
def opened_reader(history: History) -> Iterator[MediaReader]:
    """Open the way to the recorded files of a project; what is measured on them is kept."""
    store = history.store
    measurements = StoredMeasurements(store)
    reader = MediaReader(store.root, memo=store.load_memo(), measurements=measurements)
    yield reader
    measurements.flush()
    store.save_memo(reader.memo)


def loaded_project(config: str) -> Project:
    """Load the project that ``--config`` names, with the built-in evaluators."""
    return load_project(Path(config), builtin_registry().options())


def policy_of(config: str, policy: str | None) -> PolicyOptions | None:
    """Return the policy file given, or the project's own."""
    return load_policy(Path(policy)) if policy is not None else loaded_project(config).policy


def writer_of(
    kind: str,
    history: History,
    run: StoredRun,
    conclusion: Conclusion,
    reader: MediaReader,
    *,
    policy: PolicyOptions | None = None,
    withhold: frozenset[str] = frozenset(),
    thumbnails: bool = False,
    beside: Sequence[Notice] = (),
) -> Callable[[TextIO], None]:
    """Return what writes a run in one of the forms for people and programs to a stream.

    ``beside`` is what to warn of that is not kept with the run.
    """
    writers: dict[str, Callable[[TextIO], None]] = {
        "html": lambda out: reports.write_html(
            out, history, run, conclusion, reader, policy=policy, thumbnails=thumbnails, beside=beside
        ),
        "json": lambda out: reports.write_json(out, history, run, conclusion, reader, withhold=withhold, beside=beside),
        "jsonl": lambda out: reports.write_jsonl(out, history, run, reader, withhold=withhold),
        "csv": lambda out: reports.write_csv(out, history, run, withhold=withhold),
        "junit": lambda out: reports.write_junit(out, history, run, conclusion, withhold=withhold),
        "parquet": lambda out: reports.write_parquet(out.buffer, history, run, withhold=withhold),
        "markdown": lambda out: reports.write_markdown(out, history, run, conclusion, withhold=withhold),
    }
    return writers[kind]

"""From trials to work: keys in bulk, earlier answers looked up and verified, what is left to execute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from oloproof.digests import canonical_json
from oloproof.errors import MediaDrift, MediaError, MediaMissing
from oloproof.media import MediaReader
from oloproof.records import Execution, Trial
from oloproof.running.keys import execution_key, portable_input
from oloproof.storage import Store

BLOCK = 256


@dataclass(frozen=True, slots=True)
class Work:
    """One trial to be done, with its portable input as canonical JSON.

    ``reused`` is the stored execution that answers it, ``problem`` why it cannot be asked.
    """

    trial: Trial
    key: bytes
    input: str
    reused: int | None = None
    execution: Execution | None = None
    problem: str | None = None


class Workload:
    """Turns trials into work, a block at a time, so that the database is asked once a block."""

    def __init__(
        self, trials: Iterator[Trial], *, root: Path, store: Store, reader: MediaReader, system_digest: str, reuse: bool
    ) -> None:
        self._trials = trials
        self._root = root
        self._store = store
        self._reader = reader
        self._system_digest = system_digest
        self._reuse_up_to = store.newest_execution() if reuse else 0
        self.stale = 0
        """How many earlier answers were not reused because their files are not what they were."""

    def next_block(self) -> list[Work]:
        """Return the next block of work, empty at the end."""
        block = [self._work(trial) for trial in islice(self._trials, BLOCK)]
        found = self._store.cached([work.key for work in block if work.problem is None], self._reuse_up_to)
        if not found:
            return block
        return [self._with_answer(work, found) for work in block]

    def _work(self, trial: Trial) -> Work:
        case = trial.case
        given = canonical_json(portable_input(case, self._root))
        try:
            files = {field: self._reader.digest_of_path(path) for field, path in case.files.items()}
        except MediaError as error:
            return Work(trial, execution_key(self._system_digest, trial, given, {}), given, problem=str(error))
        return Work(trial, execution_key(self._system_digest, trial, given, files), given)

    def _with_answer(self, work: Work, found: dict[bytes, tuple[int, Execution]]) -> Work:
        answer = found.get(work.key)
        if answer is None or work.problem is not None:
            return work
        number, execution = answer
        try:
            for item in execution.media:
                self._reader.verify(item)
        except (MediaDrift, MediaMissing):
            self.stale += 1
            return work
        return Work(work.trial, work.key, work.input, number, execution)

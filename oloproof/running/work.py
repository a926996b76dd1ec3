"""From trials to work: keys in bulk, earlier answers looked up and verified, what is left to make and to execute."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from oloproof.digests import canonical_json
from oloproof.errors import MediaDrift, MediaError, MediaMissing
from oloproof.media import MediaReader
from oloproof.records import Delivery, Execution, Trial
from oloproof.running.keys import execution_key, portable_input
from oloproof.storage import Store

if TYPE_CHECKING:
    from oloproof.variants import VariantWorkshop, Variation

BLOCK = 256


class Work(Struct, frozen=True):
    """One trial to be done, with its portable input as canonical JSON.

    ``reused`` is the stored execution that answers it, ``problem`` why it cannot be asked; ``refused``: it is the
    variant and not the case that cannot. ``delivered`` is what stands in the fields that variants change, ``digests``
    the sha256 of the file in each field that names one.
    """

    trial: Trial
    key: bytes
    input: str
    reused: int | None = None
    execution: Execution | None = None
    problem: str | None = None
    refused: bool = False
    delivered: tuple[Delivery, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)


class FamilyWork(Struct, frozen=True):
    """Trials of one case of which some variant must be made first; that happens once, for all of them."""

    trials: tuple[Trial, ...]


class Workload:
    """Turns trials into work, a block at a time, so that the database is asked once a block."""

    def __init__(
        self,
        trials: Iterator[Trial],
        *,
        root: Path,
        store: Store,
        reader: MediaReader,
        system_digest: str,
        reuse: bool,
        by_id: bool = False,
        variants: VariantWorkshop | None = None,
    ) -> None:
        self._trials = trials
        self._root = root
        self._store = store
        self._reader = reader
        self._system_digest = system_digest
        self._by_id = by_id
        self._reuse_up_to = store.newest_execution() if reuse else 0
        self._variants = variants
        self._families = groupby(trials, key=lambda trial: trial.case.id)
        self._lock = threading.Lock()
        self.stale = 0
        """How many earlier answers were not reused because their files are not what they were."""

    def next_block(self) -> list[Work | FamilyWork]:
        """Return the next block of work, empty at the end: about :data:`BLOCK` trials, a family's always together."""
        if self._variants is None:
            return [*self._answered(self._work(trial) for trial in islice(self._trials, BLOCK))]
        groups: list[tuple[Trial, ...]] = []
        while sum(map(len, groups)) < BLOCK and (following := next(self._families, None)) is not None:
            groups.append(tuple(following[1]))
        self._variants.expect([group[0].case for group in groups])
        unmade: list[FamilyWork] = []
        ready: list[Work] = []
        for group in groups:
            known = self._variants.ready(group[0].case)
            if known is None:
                unmade.append(FamilyWork(group))
            else:
                ready += (self._varied(trial, known[trial.variant]) for trial in group)
        return [*unmade, *self._answered(ready)]

    def made(self, family: FamilyWork) -> list[Work]:
        """Make the variants of a family and return its work; called from any thread.

        Raises:
            ToolMissing: ffmpeg or Pillow is needed and not installed.
        """
        assert self._variants is not None  # noqa: S101 - there is no family without it
        found = self._variants.make(family.trials[0].case)
        return self._answered(self._varied(trial, found[trial.variant]) for trial in family.trials)

    def _answered(self, works: Iterable[Work]) -> list[Work]:
        """Return the work with the earlier answers that hold."""
        block = list(works)
        found = self._store.cached([work.key for work in block if work.problem is None], self._reuse_up_to)
        return [self._with_answer(work, found) for work in block] if found else block

    def _varied(self, trial: Trial, variation: Variation) -> Work:
        work = self._work(replace(trial, case=variation.case))
        problem = work.problem or variation.problem
        refused = variation.problem is not None and work.problem is None
        return replace(work, delivered=variation.deliveries, problem=problem, refused=refused)

    def _work(self, trial: Trial) -> Work:
        return keyed(trial, self._root, self._reader, self._system_digest, by_id=self._by_id)

    def _with_answer(self, work: Work, found: dict[bytes, tuple[int, Execution]]) -> Work:
        answer = found.get(work.key)
        if answer is None or work.problem is not None:
            return work
        number, execution = answer
        try:
            for item in execution.media:
                self._reader.verify(item)
        except (MediaDrift, MediaMissing):
            with self._lock:
                self.stale += 1
            return work
        return replace(work, reused=number, execution=execution)


def keyed(trial: Trial, root: Path, reader: MediaReader, system_digest: str, *, by_id: bool) -> Work:
    """Return a trial with the key of its answer, which its files have a part in; one that is gone is its problem."""
    given = canonical_json(portable_input(trial.case, root))
    try:
        digests = {field: reader.digest_of_path(path) for field, path in trial.case.files.items()}
    except MediaError as error:
        return Work(trial, execution_key(system_digest, trial, given, {}, by_id=by_id), given, problem=str(error))
    return Work(trial, execution_key(system_digest, trial, given, digests, by_id=by_id), given, digests=digests)


def key_after(work: Work, reader: MediaReader) -> bytes:
    """Return the key under which a new answer is kept: none where a file of the trial is not what it was keyed by.

    Whoever edits a file while a run is under way gets an answer to other bytes than the key tells of.
    """
    files = work.trial.case.files
    try:
        held = all(reader.digest_of_path(files[field]) == digest for field, digest in work.digests.items())
    except MediaError:
        held = False
    return work.key if held else b""


def trials_in(block: Sequence[Work | FamilyWork]) -> int:
    """Return how many trials a block holds."""
    return sum(len(one.trials) if isinstance(one, FamilyWork) else 1 for one in block)

"""A sample as one person labels it: its cases in its order, and what this person said of them so far.

The order is that of the sample, which no verdict has a say in, so whoever stops early has labelled a prefix of it and
a judge can be tried on that.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping

from msgspec import Struct

from oloproof.labels.gathering import shown_of, trials_at
from oloproof.labels.identity import label_identity, person
from oloproof.labels.rows import Claims
from oloproof.labels.sampling import members_of
from oloproof.storage import History, StoredRun
from oloproof.storage.labels import Labels, ShownTrial, StoredLabel, StoredSample

_MOST = 8

_State = tuple[tuple[tuple[str, int, str], ...], tuple[tuple[str, int], ...]]


class QueuedSample(Struct, frozen=True):
    """A sample with the trials that it holds, in its order, and the digest of what each one shows."""

    run: StoredRun
    sample: StoredSample
    trials: tuple[ShownTrial, ...]
    shown: tuple[str, ...]


class Queue(Struct, frozen=True):
    """A sample before one person. ``labels`` has what this person said by the guide, by place (from 0)."""

    queued: QueuedSample
    reviewer: str
    guide: str
    labels: Mapping[int, StoredLabel]

    def __len__(self) -> int:
        return len(self.queued.trials)

    @property
    def done(self) -> int:
        """How many of the cases this person labelled."""
        return len(self.labels)

    def open_after(self, place: int) -> tuple[int, ...]:
        """Return the places that this person did not label: those behind ``place``, and then the others.

        ``place`` is -1 for the beginning.
        """
        order = (*range(place + 1, len(self)), *range(place + 1))
        return tuple(one for one in order if one not in self.labels)


class Samples:
    """The samples of one project as they are labelled. What does not change between two answers is read once.

    Safe to share between threads. Several processes may write beside it: what is kept is let go as soon as a sample
    is drawn, extended or spent, or a case is labelled for development.
    """

    def __init__(self, history: History) -> None:
        self.history = history
        self._lock = threading.RLock()
        self._queued: OrderedDict[tuple[str, str, int], QueuedSample] = OrderedDict()
        self._claims = Claims(history)
        self._state: _State | None = None

    def queued(self, run: StoredRun, sample: StoredSample) -> QueuedSample:
        """Return a sample of a run with what it holds."""
        with self._lock:
            self._refresh()
            key = (run.id, sample.id, sample.size)
            if key not in self._queued:
                labels = Labels(self.history.store)
                trials = trials_at(labels, run, members_of(self.history, labels, run, sample))
                shown = tuple(shown_of(trial) for trial in trials)
                self._queued[key] = QueuedSample(run, sample, tuple(trials), shown)
            self._queued.move_to_end(key)
            while len(self._queued) > _MOST:
                self._queued.popitem(last=False)
            return self._queued[key]

    def claims(self) -> Claims:
        """Return what finds the execution that an answer is about."""
        with self._lock:
            self._refresh()
            return self._claims

    def queue(self, run: StoredRun, sample: StoredSample, reviewer: str, guide: str) -> Queue:
        """Return a sample as one person has it before them."""
        queued = self.queued(run, sample)
        who = person(reviewer)
        identities = [label_identity(shown, sample.criterion, guide, who) for shown in queued.shown]
        known = Labels(self.history.store).find(identities)
        labels = {place: known[one] for place, one in enumerate(identities) if one in known}
        return Queue(queued, who, guide, labels)

    def _refresh(self) -> None:
        labels = Labels(self.history.store)
        samples = tuple((one.id, one.size, one.purpose) for one in labels.samples())
        developed = tuple((name, count["develop"]) for name, count in labels.counts().items())
        if (samples, developed) != self._state:
            self._state = samples, developed
            self._queued.clear()
            self._claims = Claims(self.history)

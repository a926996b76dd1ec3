"""The threads that do the work: fed through one queue, heard through another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from queue import Empty, SimpleQueue

from oloproof.running.work import FamilyWork, Work
from oloproof.storage import Entry

Job = Work | FamilyWork
Done = Entry | list[Work]
"""What came of a job: a trial that is done, or the work that a family turned into."""

_GATHERING = 0.01
"""Seconds in which results gather before they are taken: quick trials share the cost of waking the main thread."""


class Crew:
    """``size`` threads that do jobs. An exception of ``process`` is handed over as a result."""

    def __init__(
        self, size: int, process: Callable[[Job], Done], surrounding: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._process = process
        self._surrounding = surrounding
        self._work: SimpleQueue[Job | None] = SimpleQueue()
        self._results: SimpleQueue[Done | BaseException] = SimpleQueue()
        self._first: list[Done | BaseException] = []
        """What was taken while others gathered: not lost when the wait is cut short."""
        self._stopping = False
        self._threads = [
            threading.Thread(target=self._run, name=f"oloproof-{number}", daemon=True) for number in range(size)
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def give(self, job: Job) -> None:
        """Queue one job."""
        self._work.put(job)

    def take(self, patience: float) -> list[Done | BaseException]:
        """Return what was done since the last call; waits up to ``patience`` seconds for the first of it."""
        try:
            self._first.append(self._results.get(timeout=patience))
        except Empty:
            return []
        time.sleep(_GATHERING)
        return self.leftovers()

    def leftovers(self) -> list[Done | BaseException]:
        """Return what is done, without waiting."""
        taken, self._first = self._first, []
        while True:
            try:
                taken.append(self._results.get_nowait())
            except Empty:
                return taken

    def stop(self, patience: float) -> None:
        """Let each thread end after the trial it is at; wait at most ``patience`` seconds for all of them."""
        self._stopping = True
        for _ in self._threads:
            self._work.put(None)
        deadline = time.monotonic() + patience
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _run(self) -> None:
        with self._surrounding():
            while (work := self._work.get()) is not None and not self._stopping:
                try:
                    self._results.put(self._process(work))
                except BaseException as error:  # noqa: BLE001 - handed over to the thread that decides
                    self._results.put(error)
                    return

"""Asking a judge about many things at once: its answers are kept while others are still asked for, and told of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TypeVar

from oloproof.records import Judgement
from oloproof.running.events import HeldUp, JudgementsDone, Listener
from oloproof.storage import Store, StoredJudgements

S = TypeVar("S")
T = TypeVar("T")

_HEARTBEAT = 0.2
"""Seconds after which it is said what holds the judge up, where no answer came."""

_KEPT_TOGETHER = 16
"""Judgements in one transaction: one who is stopped pays for few of them twice."""


def answers_to(
    subjects: Sequence[S],
    ask: Callable[[S], tuple[T, Sequence[Judgement]]],
    *,
    criterion: str,
    store: Store,
    concurrency: int,
    listener: Listener,
    held_up: Callable[[], str] = str,
) -> list[T]:
    """Return what ``ask`` gives of each subject, in their order; the judgements beside it are kept if they may be.

    ``held_up`` says how long a server makes the judge wait, which, and why; an empty text while none does.

    Raises:
        OloproofError: what ``ask`` raises; what was answered until then is kept.
    """
    fresh: list[Judgement] = []

    def keep(judgements: Sequence[Judgement], at_least: int) -> None:
        fresh.extend(one for one in judgements if one.kept and one.key is not None and one.stored is None)
        if len(fresh) >= at_least:
            StoredJudgements(store).keep(fresh)
            fresh.clear()

    with ThreadPoolExecutor(max_workers=max(1, concurrency)) as pool:
        asked = [pool.submit(ask, subject) for subject in subjects]
        waiting = set(asked)
        come: SimpleQueue[Future[tuple[T, Sequence[Judgement]]]] = SimpleQueue()
        for answer in asked:
            answer.add_done_callback(come.put)
        try:
            while waiting:
                try:
                    answer = come.get(timeout=_HEARTBEAT)
                except Empty:
                    if words := held_up():
                        listener(HeldUp(words))
                    continue
                waiting.discard(answer)
                keep(answer.result()[1], _KEPT_TOGETHER)
                listener(JudgementsDone(criterion, len(asked) - len(waiting), len(subjects)))
        finally:  # one that raises ends the asking, but those under way are paid for: their answers are waited for
            pool.shutdown(cancel_futures=True)
            for answer in waiting:
                if not answer.cancelled() and answer.exception() is None:
                    keep(answer.result()[1], _KEPT_TOGETHER)
            keep((), 1)
    return [answer.result()[0] for answer in asked]

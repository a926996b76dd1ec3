"""Asking a judge about many things at once: its answers are kept while others are still asked for, and told of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from oloproof.records import Judgement
from oloproof.running.events import JudgementsDone, Listener
from oloproof.storage import Store, StoredJudgements

S = TypeVar("S")
T = TypeVar("T")

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
) -> list[T]:
    """Return what ``ask`` gives of each subject, in their order; the judgements beside it are kept if they may be.

    Raises:
        OloproofError: what ``ask`` raises; what was answered until then is kept.
    """
    found: list[T] = []
    fresh: list[Judgement] = []
    with ThreadPoolExecutor(max_workers=max(1, concurrency)) as pool:
        try:
            for answer, judgements in pool.map(ask, subjects):
                found.append(answer)
                fresh += [one for one in judgements if one.kept and one.key is not None and one.stored is None]
                if len(fresh) >= _KEPT_TOGETHER:
                    StoredJudgements(store).keep(fresh)
                    fresh = []
                listener(JudgementsDone(criterion, len(found), len(subjects)))
        finally:
            StoredJudgements(store).keep(fresh)
    return found

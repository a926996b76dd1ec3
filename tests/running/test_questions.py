"""Asking a judge about many things at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from oloproof.errors import ProviderRefused
from oloproof.records import Judgement, Verdict
from oloproof.running.events import Event, HeldUp, JudgementsDone
from oloproof.running.questions import answers_to
from oloproof.storage import Store, StoredJudgements

JUDGE = "ab" * 32


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path)) as store:
        yield store


def key_of(number: int) -> bytes:
    return number.to_bytes(32, "big")


def judged(number: int) -> tuple[int, Sequence[Judgement]]:
    """Say of a number what it is; of every third, something that may not answer again."""
    verdict = Verdict("pass", "it is a number")
    return number, (Judgement((verdict,), key=key_of(number), judge=JUDGE, kept=number % 3 != 0),)


def kept_of(store: Store, count: int) -> list[int]:
    found = StoredJudgements(store)
    return [number for number in range(count) if found.find(key_of(number)) is not None]


def test_answers_stand_in_the_order_of_the_questions_and_each_is_told_of(store: Store) -> None:
    told: list[Event] = []

    found = answers_to(range(40), judged, criterion="right", store=store, concurrency=4, listener=told.append)

    assert found == list(range(40))
    assert told == [JudgementsDone("right", done, 40) for done in range(1, 41)]
    assert kept_of(store, 40) == [number for number in range(40) if number % 3]


def test_what_was_answered_is_kept_while_the_rest_is_asked_for_and_when_it_breaks_off(store: Store) -> None:
    seen: list[int] = []
    answered: list[int] = []

    def ask(number: int) -> tuple[int, Sequence[Judgement]]:
        if number == 29:  # 19 of those before may be kept, and 16 are kept together
            seen.extend(next(kept for kept in iter(lambda: kept_of(store, 40), None) if len(kept) >= 16))
        if number == 30:
            raise ProviderRefused("no money left")
        answered.append(number)
        return judged(number)

    with pytest.raises(ProviderRefused):
        answers_to(range(40), ask, criterion="right", store=store, concurrency=1, listener=lambda event: None)

    assert set(seen) < set(kept_of(store, 40))  # so they are there also for one who is killed
    assert answered[:30] == list(range(30))
    assert kept_of(store, 40) == [number for number in answered if number % 3]


def test_what_holds_the_judge_up_is_said_while_no_answer_comes(store: Store) -> None:
    told: list[Event] = []
    said = threading.Event()

    def listen(event: Event) -> None:
        told.append(event)
        if isinstance(event, HeldUp):
            said.set()

    def ask(number: int) -> tuple[int, Sequence[Judgement]]:
        assert said.wait(20)
        return judged(number)

    asked = answers_to(
        [1], ask, criterion="right", store=store, concurrency=1, listener=listen, held_up=lambda: "a server: slow down"
    )
    assert asked == [1]
    assert told[0] == HeldUp("a server: slow down")
    assert told[-1] == JudgementsDone("right", 1, 1)


def test_nothing_to_ask_about_is_no_answer(store: Store) -> None:
    assert answers_to([], judged, criterion="right", store=store, concurrency=0, listener=lambda event: None) == []

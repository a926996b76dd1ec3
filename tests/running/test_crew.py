"""The threads that do the work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from oloproof.records import Case, Trial
from oloproof.running.crew import Crew
from oloproof.running.work import Work


def work(number: int) -> Work:
    return Work(Trial(number, Case(f"c{number}", {})), b"", "{}")


def crew_of(size: int, process: Callable[[Work], Any]) -> Crew:
    @contextmanager
    def nothing() -> Iterator[None]:
        yield

    crew = Crew(size, process, nothing)
    crew.start()
    return crew


def taken(crew: Crew, count: int) -> list[Any]:
    results: list[Any] = []
    deadline = time.monotonic() + 10
    while len(results) < count and time.monotonic() < deadline:
        results += crew.take(0.1)
    return results


def test_everything_given_comes_back_once() -> None:
    crew = crew_of(4, lambda given: given.trial.index)
    for number in range(500):
        crew.give(work(number))
    assert sorted(taken(crew, 500)) == list(range(500))
    crew.stop(1.0)


def test_no_more_work_is_in_hand_than_there_are_threads() -> None:
    inside, most, lock = 0, 0, threading.Lock()

    def process(given: Work) -> int:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        time.sleep(0.01)
        with lock:
            inside -= 1
        return given.trial.index

    crew = crew_of(3, process)
    for number in range(30):
        crew.give(work(number))
    assert len(taken(crew, 30)) == 30
    assert most == 3
    crew.stop(1.0)


def test_what_goes_wrong_is_handed_over_and_not_lost() -> None:
    def process(given: Work) -> int:
        if given.trial.index == 1:
            raise ValueError("number one")
        return given.trial.index

    crew = crew_of(1, process)
    crew.give(work(0))
    crew.give(work(1))
    first, second = taken(crew, 2)
    assert first == 0
    assert isinstance(second, ValueError)
    crew.stop(1.0)


def test_stopping_lets_the_work_in_hand_be_finished_and_takes_no_more() -> None:
    started = threading.Event()

    def process(given: Work) -> int:
        started.set()
        time.sleep(0.2)
        return given.trial.index

    crew = crew_of(1, process)
    for number in range(5):
        crew.give(work(number))
    started.wait(5)
    crew.stop(5.0)
    assert crew.leftovers() == [0]

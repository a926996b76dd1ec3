"""A callable as the system: whatever it does stays within its own case."""

from __future__ import annotations

import asyncio
import enum
import functools
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oloproof import current_case, media_file, read_media
from oloproof.errors import MediaDrift, MediaError
from tests.systems.conftest import PNG, Opened

Open = Callable[..., Opened]


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class OfALibrary(BaseException):
    """As gevent and trio derive theirs."""


RAISED: list[tuple[Any, str]] = [
    (ValueError("bad page\nwith details"), "ValueError: bad page"),
    (ValueError(), "ValueError"),
    (KeyError("caption"), "KeyError: 'caption'"),
    (SystemExit(3), "SystemExit: 3"),
    (asyncio.CancelledError(), "CancelledError"),
    (TimeoutError("upstream"), "TimeoutError: upstream"),
    (StopIteration("end"), "StopIteration: end"),
    (GeneratorExit(), "GeneratorExit"),
    (OfALibrary("cancelled"), "OfALibrary: cancelled"),
    (Unspeakable(), "Unspeakable (whose text cannot be had: RuntimeError)"),
    (ValueError("\x1b[31mred\x00 \udcff"), r"ValueError: \x1b[31mred\x00 \udcff"),
    (ExceptionGroup("two", [ValueError("a"), KeyError("b")]), "ExceptionGroup: two (2 sub-exceptions)"),
]


@pytest.mark.parametrize("kind", ["sync", "async", "timed"])
@pytest.mark.parametrize(("error", "told"), RAISED, ids=[type(one).__name__ for one, _ in RAISED])
def test_whatever_is_raised_fails_this_case_only(opened: Open, kind: str, error: BaseException, told: str) -> None:
    def call(given: Any) -> Any:
        if given == "bad":
            raise error
        return given

    async def later(given: Any) -> Any:
        return call(given)

    system = opened(later if kind == "async" else call, timeout=5 if kind == "timed" else None)
    failed = system.ask("bad")
    if kind == "async" and isinstance(error, StopIteration):
        told = "RuntimeError: coroutine raised StopIteration"  # by the language
    assert failed.error == told
    assert failed.output is None
    assert failed.error_detail is not None
    assert "test_callables.py" in failed.error_detail
    assert "oloproof/systems" not in failed.error_detail.split("test_callables.py")[0]
    assert system.ask("good").output == "good"


def test_ctrl_c_is_never_taken_for_a_failure_of_the_system(opened: Open) -> None:
    def interrupted(_: Any) -> None:
        raise KeyboardInterrupt

    async def later(_: Any) -> None:
        raise KeyboardInterrupt

    for function in (interrupted, later):
        with pytest.raises(KeyboardInterrupt):
            opened(function).ask()


class Plain(enum.Enum):
    A = 1


NO_JSON: list[tuple[Any, str]] = [
    (float("nan"), "$ is nan, not a finite number"),
    ({"a": [1, float("-inf")]}, "$.a[1] is -inf, not a finite number"),
    (np.float64("nan"), "$ is nan, not a finite number"),
    ({"a": {1, 2}}, "$.a is a set; give text, numbers, lists and dicts"),
    ({"n": np.int64(3)}, "$.n is a numpy.int64; give"),
    (np.zeros(2), "$ is a numpy.ndarray; give"),
    (b"bytes", "$ is a bytes; give"),
    (Path("a.png"), "Path; give"),
    (object, "$ is a type; give"),
    (Plain.A, "Plain; give"),
    ({(1, 2): 3}, "$ has a key that is a tuple"),
    (functools.reduce(lambda value, _: [value], range(5000), 1), "is nested too deep or contains itself"),
    (10**5000, "Exceeds the limit"),
    ({1: "a", "1": "b"}, "the key '1' is given twice"),
]


@pytest.mark.parametrize(("answer", "told"), NO_JSON, ids=[told[:30] for _, told in NO_JSON])
def test_an_answer_that_json_cannot_hold_is_told_with_its_place(opened: Open, answer: Any, told: str) -> None:
    execution = opened(lambda _: answer).ask()
    assert (execution.error or "").startswith("the answer is not a JSON value: ")
    assert told in (execution.error or "")
    assert execution.error_detail is None


def test_an_answer_that_contains_itself_is_told(opened: Open) -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert "contains itself" in (opened(lambda _: loop).ask().error or "")


def test_a_generator_is_no_answer(opened: Open) -> None:
    assert "$ is a generator" in (opened(lambda _: (one for one in "ab")).ask().error or "")


def test_answers_are_returned_as_they_will_be_stored(opened: Open) -> None:
    given = {1: (2, np.float64(0.5)), "t": True, "n": None, "s": "\udcff\0é"}
    assert opened(lambda _: given).ask().output == {"1": [2, 0.5], "t": True, "n": None, "s": "\udcff\0é"}


def in_parallel(system: Opened, count: int) -> list[Any]:
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda n: system.ask(n, case=f"c{n}", index=n, repeat=n % 3), range(count)))


def test_each_trial_has_its_own_current_case_under_concurrency(opened: Open) -> None:
    def seen(given: Any) -> list[Any]:
        before = current_case()
        time.sleep(0.002)
        return [current_case().id, current_case().repeat, current_case().input, before is current_case(), given]

    async def seen_later(given: Any) -> list[Any]:
        before = current_case()
        await asyncio.sleep(0.002)
        inner = await asyncio.gather(asyncio.to_thread(lambda: current_case().id), _id())
        assert inner == [before.id, before.id]
        return [current_case().id, current_case().repeat, current_case().input, before is current_case(), given]

    async def _id() -> str:
        return current_case().id

    for system in (opened(seen), opened(seen, timeout=5), opened(seen_later), opened(seen_later, timeout=5)):
        answers = [execution.output for execution in in_parallel(system, 40)]
        assert answers == [[f"c{n}", n % 3, n, True, n] for n in range(40)]


def test_async_trials_overlap_on_one_loop(opened: Open) -> None:
    loops, at_once, most = set(), 0, 0

    async def slow(_: Any) -> None:
        nonlocal at_once, most
        loops.add(id(asyncio.get_running_loop()))
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.05)
        at_once -= 1

    in_parallel(opened(slow), 8)
    assert len(loops) == 1
    assert most > 1


def test_what_returns_something_awaitable_is_awaited_however_it_is_made(opened: Open) -> None:
    async def answer(given: Any) -> str:
        return f"{given} by {current_case().id}"

    class Reader:
        async def __call__(self, given: Any) -> str:
            return await answer(given)

    @functools.wraps(answer)
    def wrapped(given: Any) -> Any:
        return answer(given)

    for function in (answer, Reader(), functools.partial(answer), wrapped, lambda given: answer(given)):
        for timeout in (None, 5):
            assert opened(function, timeout=timeout).ask("x").output == "x by c1"


def test_a_change_of_the_input_does_not_reach_the_next_repeat(opened: Open) -> None:
    def consume(given: Any) -> Any:
        given["pages"].pop()
        return len(given["pages"])

    system, given = opened(consume), {"pages": [1, 2, 3]}
    assert [system.ask(given, repeat=n).output for n in range(3)] == [2, 2, 2]


def test_a_late_sync_answer_is_left_behind_and_reaches_no_other_case(opened: Open) -> None:
    release, done = threading.Event(), threading.Event()

    def slow(given: Any) -> str:
        if given == "slow":
            release.wait(10)
            current_case().path("late.txt")
            done.set()
        return current_case().id

    system = opened(slow, timeout=0.1)
    late = system.ask("slow", case="late")
    assert late.error == "no answer within 0.1 s (timeout:)"
    assert 0.1 <= late.seconds < 2
    release.set()
    assert done.wait(5)
    assert system.ask("quick", case="next").output == "next"


def test_a_late_async_answer_is_cancelled(opened: Open) -> None:
    cancelled = threading.Event()

    async def slow(_: Any) -> None:
        try:
            await asyncio.sleep(30)
        finally:
            cancelled.set()

    assert opened(slow, timeout=0.1).ask().error == "no answer within 0.1 s (timeout:)"
    assert cancelled.wait(5)


def test_a_timeout_raised_by_the_function_itself_is_its_own(opened: Open) -> None:
    async def upstream(_: Any) -> None:
        raise TimeoutError("the model took too long")

    assert opened(upstream, timeout=5).ask().error == "TimeoutError: the model took too long"


def test_a_task_of_the_users_that_exits_does_not_end_the_loop_for_others(opened: Open) -> None:
    async def leave() -> None:
        raise SystemExit(1)

    async def start(given: Any) -> Any:
        if given == "exit":
            task = asyncio.ensure_future(leave())
            await asyncio.sleep(0.05)
            return task.done()
        return given

    system = opened(start, timeout=5)
    system.ask("exit")
    assert system.ask("next").output == "next"


def test_closing_ends_the_loop_and_what_hangs_on_it(opened: Open) -> None:
    async def answer(_: Any) -> int:
        asyncio.get_running_loop().create_task(asyncio.sleep(60))
        return 1

    system = opened(answer)
    system.ask()
    before = [thread for thread in threading.enumerate() if thread.name == "oloproof-loop"]
    system.system.close()
    system.system.close()
    assert not any(thread.is_alive() for thread in before)


def test_media_are_recorded_with_the_answer_and_dropped_with_a_failure(opened: Open) -> None:
    def draw(given: Any) -> str:
        path = current_case().path("a.png")
        path.write_bytes(PNG)
        current_case().media([media_file(path, seed=7)])
        if given == "bad":
            raise ValueError("after recording")
        return "drawn"

    system = opened(draw)
    good, bad = system.ask("good", case="a"), system.ask("bad", case="b")
    assert [(item.path, item.kind, item.width, item.facts) for item in good.media] == [
        ("out/tested@v1/run1/a/original/0/a.png", "image", 1, {"seed": 7})
    ]
    assert (bad.error, bad.media) == ("ValueError: after recording", ())


def test_a_media_error_is_told_without_the_name_of_its_class(opened: Open) -> None:
    execution = opened(lambda _: media_file("gone.png")).ask()
    assert (execution.error or "").startswith("cannot record gone.png: there is no file")


def test_a_changed_file_that_the_system_reads_again_stops_the_run_and_names_the_case(opened: Open) -> None:
    def draw(_: Any) -> str:
        path = current_case().path("a.png")
        path.write_bytes(PNG)
        item = media_file(path)
        path.write_bytes(PNG + b"more")
        read_media(item)
        return "unreachable"

    with pytest.raises(MediaDrift, match=r"case 'c7': .* changed after it was recorded"):
        opened(draw).ask(case="c7")


def test_a_file_that_is_gone_again_fails_its_case_only(opened: Open) -> None:
    def draw(_: Any) -> bytes:
        path = current_case().path("a.png")
        path.write_bytes(PNG)
        item = media_file(path)
        os.unlink(path)
        return read_media(item)

    assert "is gone" in (opened(draw).ask().error or "")


def test_context_variables_of_the_users_do_not_leak_into_the_next_trial(opened: Open) -> None:
    from contextvars import ContextVar

    mine: ContextVar[str] = ContextVar("mine", default="unset")

    def remember(given: Any) -> str:
        before = mine.get()
        mine.set(given)
        return before

    system = opened(remember)
    assert [system.ask(one).output for one in "abc"] == ["unset"] * 3


def test_errors_are_one_short_line(opened: Open) -> None:
    def shout(_: Any) -> None:
        raise MediaError("first\nsecond " + "x" * 10_000)

    error = opened(shout).ask().error or ""
    assert error.startswith("first second xxx")
    assert len(error) == 500

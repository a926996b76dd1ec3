"""From trials to work: earlier answers looked up, verified, and refused where their files are not what they were."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from oloproof.digests import digest_of
from oloproof.media import MediaReader
from oloproof.records import Case, Trial
from oloproof.running import run
from oloproof.running.work import BLOCK, Workload
from oloproof.storage import Store

Load = Callable[[list[Trial]], Workload]


@pytest.fixture
def workload(folder: Any) -> Iterator[Load]:
    """Return a function that makes the workload of some trials, all on one store."""
    with closing(Store(folder.root)) as store:
        reader = MediaReader(folder.root)
        yield lambda trials: Workload(
            iter(trials), root=folder.root, store=store, reader=reader, system_digest=digest_of("s"), reuse=True
        )


def test_work_comes_in_blocks_until_there_is_none(workload: Load) -> None:
    load = workload([Trial(i, Case(f"c{i}", {"n": i})) for i in range(BLOCK + 3)])
    assert [len(load.next_block()) for _ in range(3)] == [BLOCK, 3, 0]


def test_a_file_of_the_input_that_is_gone_is_that_cases_problem(folder: Any, workload: Load) -> None:
    kept = folder.write("here.png", b"bytes")
    trials = [
        Trial(0, Case("gone", {"photo": "x"}, files={"photo": str(folder.root / "gone.png")})),
        Trial(1, Case("here", {"photo": "x"}, files={"photo": str(kept)})),
    ]
    block = workload(trials).next_block()
    assert "gone.png is gone" in (block[0].problem or "")
    assert block[1].problem is None


def test_the_bytes_of_a_named_file_are_part_of_the_key_and_its_place_is_not(folder: Any, workload: Load) -> None:
    def key(name: str, data: bytes) -> bytes:
        path = folder.write(name, data)
        case = Case("a", {"photo": "as written"}, files={"photo": str(path)})
        return workload([Trial(0, case)]).next_block()[0].key

    assert key("a.png", b"one") == key("b.png", b"one")
    assert key("a.png", b"two") != key("b.png", b"one")


def test_an_answer_whose_files_changed_is_a_miss_and_counted(photos: Callable[..., Any]) -> None:
    folder = photos("fine", "fine", "fine")
    run(folder.root)
    changed, gone = sorted(folder.root.glob("out/**/thumb.png"))[:2]
    changed.write_bytes(b"other")
    gone.unlink()
    again = run(folder.root)
    assert (again.executions["run"], again.executions["cached"]) == (2, 1)
    assert "2 earlier answers were not reused" in again.run.notices[0].message

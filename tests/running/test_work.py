"""From trials to work: earlier answers looked up, verified, and refused where their files are not what they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oloproof.digests import digest_of
from oloproof.media import MediaReader
from oloproof.records import Case, Trial
from oloproof.running import run
from oloproof.running.work import BLOCK, Workload
from oloproof.storage import Store


def workload(root: Any, trials: list[Trial], *, reuse: bool = True, system: str = "s") -> Workload:
    return Workload(
        iter(trials),
        root=root,
        store=Store(root),
        reader=MediaReader(root),
        system_digest=digest_of(system),
        reuse=reuse,
    )


def test_work_comes_in_blocks_until_there_is_none(folder: Any) -> None:
    load = workload(folder.root, [Trial(i, Case(f"c{i}", {"n": i})) for i in range(BLOCK + 3)])
    assert [len(load.next_block()) for _ in range(3)] == [BLOCK, 3, 0]


def test_a_file_of_the_input_that_is_gone_is_that_cases_problem(folder: Any) -> None:
    kept = folder.write("here.png", b"bytes")
    trials = [
        Trial(0, Case("gone", {"photo": "x"}, files={"photo": str(folder.root / "gone.png")})),
        Trial(1, Case("here", {"photo": "x"}, files={"photo": str(kept)})),
    ]
    block = workload(folder.root, trials).next_block()
    assert "gone.png is gone" in (block[0].problem or "")
    assert block[1].problem is None


def test_the_bytes_of_a_named_file_are_part_of_the_key_and_its_place_is_not(folder: Any) -> None:
    def key(name: str, data: bytes) -> bytes:
        path = folder.write(name, data)
        case = Case("a", {"photo": "as written"}, files={"photo": str(path)})
        return workload(folder.root, [Trial(0, case)]).next_block()[0].key

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

"""Progress of runs under way as a stream of events, whatever becomes of the runs, the database and the clients."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from oloproof.records import Case, Execution, Judgement, Trial, Verdict
from oloproof.storage import Entry, NewRun, OpenRun, Store
from oloproof.storage.progress import ProgressReader
from oloproof.workbench import live
from oloproof.workbench.app import create_app
from oloproof.workbench.desk import Desk
from tests.workbench.conftest import HOST, RUN

DOCUMENT = {"project": {"policy": None}, "evaluators": [], "repeats": {"count": 1, "pass_when": None}}
Event = tuple[str, dict[str, Any]]


class Project:
    """A project in which runs are written while the workbench looks."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = Store(root)
        self.desk = Desk(root)
        self.app = create_app(self.desk)
        self._stored = 0

    def begin(self, name: str = RUN, trials: int = 8) -> OpenRun:
        return self.store.begin(NewRun(name, "shop", "s", "v9", "c" * 64, "d" * 64, False, trials, trials, DOCUMENT))

    def append(self, run: OpenRun, *outcomes: str) -> None:
        for outcome in outcomes:
            self._stored += 1
            judged = [Judgement((Verdict(outcome, "because"),))]  # type: ignore[arg-type]
            trial = Trial(self._stored, Case(f"case-{self._stored}", "x"))
            self.store.append(run, [Entry(trial, b"%d" % self._stored, '"x"', Execution("y"), judged)])

    def replace(self) -> None:
        """Remove the database and begin another one."""
        self.store.close()
        shutil.rmtree(self.root / ".oloproof")
        self.store = Store(self.root)


class Watcher:
    """A client of the stream, as the server hands it to the application."""

    def __init__(self, app: Any, query: str, *headers: tuple[bytes, bytes], method: str = "GET") -> None:
        self.messages: asyncio.Queue[Any] = asyncio.Queue()
        self.gone = asyncio.Event()
        scope = {
            "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "method": method,
            "scheme": "http", "path": "/events", "raw_path": b"/events", "query_string": query.encode(),
            "root_path": "", "headers": [(b"host", HOST.encode()), *headers], "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 7788),
        }  # fmt: skip
        self.task = asyncio.create_task(app(scope, self._receive, self.messages.put))
        self._text = ""

    async def _receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def status(self) -> int:
        return int((await self.messages.get())["status"])

    async def event(self) -> Event | None:
        """Return the next event; None when the stream has ended."""
        while "\n\n" not in self._text:
            message = await self.messages.get()
            if not message.get("more_body"):
                return None
            self._text += message["body"].decode()
        block, _, self._text = self._text.partition("\n\n")
        told = dict(line.split(": ", 1) for line in block.split("\n"))
        return (told["event"], json.loads(told["data"])) if "event" in told else await self.event()

    async def leave(self) -> None:
        self.gone.set()
        await self.task


@asynccontextmanager
async def watching(project: Project, query: str = "") -> AsyncIterator[Watcher]:
    watcher = Watcher(project.app, query)
    assert await watcher.status() == 200
    yield watcher
    await watcher.leave()


def played(scene: Callable[[], Awaitable[None]]) -> None:
    """Act a scene, which may take ten seconds."""
    asyncio.run(asyncio.wait_for(scene(), 10))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setattr(live, "PACE", 0.02)
    made = Project(tmp_path)
    yield made
    made.desk.close()
    made.store.close()


def test_numbers_come_as_they_change_and_the_stream_ends_with_the_run(project: Project) -> None:
    run = project.begin()
    project.append(run, "pass")

    async def scene() -> None:
        async with watching(project, f"run={RUN}") as watcher:
            name, told = await watcher.event() or ("", {})
            assert (name, told["done"], told["words"]) == ("progress", 1, "1 of 8 trials")
            project.append(run, "fail", "missing")
            while told["done"] < 3:
                name, told = await watcher.event() or ("", {})
            assert told["tally"] == {"pass": "1", "fail": "1", "missing": "1", "invalid": "0"}
            project.store.finish(run, "complete")
            assert await watcher.event() == ("ended", {"run": RUN})
            assert await watcher.event() is None

    played(scene)


def test_of_a_run_that_ended_before_it_is_said_at_once(project: Project) -> None:
    project.store.finish(project.begin(), "complete")

    async def scene() -> None:
        async with watching(project, "run=latest") as watcher:
            assert await watcher.event() == ("ended", {"run": RUN})
            assert await watcher.event() is None

    played(scene)


def test_a_run_that_does_not_exist_is_not_found(project: Project) -> None:
    async def scene() -> None:
        watcher = Watcher(project.app, "run=none-such")
        assert await watcher.status() == 404
        await watcher.leave()

    played(scene)


def test_a_page_of_another_site_cannot_take_the_streams_away(project: Project) -> None:
    async def scene() -> None:
        for site, status in ((b"cross-site", 403), (b"same-site", 403), (b"same-origin", 200)):
            watcher = Watcher(project.app, "", (b"sec-fetch-site", site))
            assert await watcher.status() == status
            await watcher.leave()
        head = Watcher(project.app, "", method="HEAD")
        assert await head.status() == 200
        await head.task

    played(scene)


def test_without_a_name_every_run_is_followed_and_one_that_begins_is_told(project: Project) -> None:
    first = project.begin("first")

    async def scene() -> None:
        async with watching(project) as watcher:
            assert (await watcher.event() or ("",))[0] == "progress"
            second = project.begin("second")
            told = [await watcher.event() or ("", {}) for _ in range(2)]
            assert [(name, data["run"]) for name, data in told] == [("progress", "second"), ("began", "second")]
            project.store.finish(second, "stopped")
            assert await watcher.event() == ("ended", {"run": "second"})
            assert not watcher.task.done()

    played(scene)
    project.store.finish(first, "stopped")


def test_twenty_pages_cost_one_reading_and_not_twenty(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PACE", 0.2)
    run = project.begin()
    readings: list[float] = []
    under_way = ProgressReader.under_way

    def counted(reader: ProgressReader) -> Any:
        readings.append(1)
        return under_way(reader)

    monkeypatch.setattr(ProgressReader, "under_way", counted)

    async def scene() -> None:
        watchers = [Watcher(project.app, f"run={RUN}") for _ in range(20)]
        for watcher in watchers:
            assert await watcher.status() == 200
            assert (await watcher.event() or ("",))[0] == "progress"
        before, so_far = time.monotonic(), len(readings)
        await asyncio.sleep(1.0)
        late = len(readings) - so_far
        assert 2 <= late <= (time.monotonic() - before) / (0.9 * live.PACE) + 1
        for watcher in watchers:
            await watcher.leave()

    played(scene)
    project.store.finish(run, "stopped")


def test_a_client_that_has_gone_is_let_go_and_too_many_are_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MOST_WATCHERS", 1)
    project.begin()

    async def scene() -> None:
        async with watching(project) as first:
            assert (await first.event() or ("",))[0] == "progress"
            second = Watcher(project.app, "")
            assert await second.status() == 503
            await second.leave()
        async with watching(project) as third:
            assert (await third.event() or ("",))[0] == "progress"

    played(scene)


def test_a_database_that_is_replaced_ends_its_runs_and_begins_those_of_the_new_one(project: Project) -> None:
    old = project.begin()

    async def scene() -> None:
        async with watching(project) as watcher:
            assert (await watcher.event() or ("",))[0] == "progress"
            project.replace()
            new = project.begin("another")
            told = [await watcher.event() or ("", {}) for _ in range(3)]
            names = sorted((name, data["run"]) for name, data in told)
            assert names == [("began", "another"), ("ended", RUN), ("progress", "another")]
            project.store.finish(new, "complete")
            assert await watcher.event() == ("ended", {"run": "another"})

    played(scene)
    old.lock.release()


def test_all_streams_end_when_the_server_stops(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would hold it up otherwise: nothing else ends them."""
    monkeypatch.setattr(live, "PACE", 30.0)
    project.begin()

    async def scene() -> None:
        watchers = [Watcher(project.app, query) for query in ("", f"run={RUN}")]
        for watcher in watchers:
            assert await watcher.status() == 200
            assert (await watcher.event() or ("",))[0] == "progress"
        project.app.state.live.stop()
        for watcher in watchers:
            assert await watcher.event() is None
            await watcher.task

    played(scene)


def test_the_pages_say_where_they_listen_only_while_there_is_something_to_hear(
    project: Project, opened: Callable[..., Any]
) -> None:
    run = project.begin()
    client = opened(project.root)
    assert f'data-events="/events?run={RUN}"' in client.get(f"/runs/{RUN}").text
    assert 'data-events="/events"' in client.get("/").text
    assert 'data-events="/events"' not in client.get("/?q=v9").text
    assert 'data-tally="missing">0<' in client.get("/").text
    project.store.finish(run, "complete")
    assert "data-events" not in client.get(f"/runs/{RUN}").text

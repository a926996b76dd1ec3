"""The application on a project: what it answers, and that it sees what other processes do to the database."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oloproof.errors import StorageError
from oloproof.workbench import app as workbench
from oloproof.workbench.desk import Desk
from tests.workbench.conftest import RUN, Exhibit, png

Opened = Callable[..., Any]


def test_it_says_that_it_is_well(exhibit: Exhibit, opened: Opened) -> None:
    answer = opened(exhibit.root).get("/healthz")
    assert (answer.status_code, answer.text) == (200, "ok")


def test_a_page_that_does_not_exist_says_so_in_words_without_what_was_asked(exhibit: Exhibit, opened: Opened) -> None:
    client = opened(exhibit.root)
    assert client.get("/nowhere").json() == {"error": "http_404", "message": "/nowhere: Not Found"}
    page = client.get("/<script>alert(1)</script>", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert "<h1>Not Found</h1>" in page.text
    styles = re.findall(r'<link rel="stylesheet" href="([^"]*)">', page.text)
    assert [client.get(one).status_code for one in styles] == [200, 200]
    assert "<script" not in page.text
    assert client.get("/healthz/").status_code == 404
    assert client.put("/healthz").status_code == 403


def test_only_reading_methods_are_known(exhibit: Exhibit, opened: Opened) -> None:
    answer = opened(exhibit.root).options("/healthz")
    assert answer.status_code == 405
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD"}


def test_a_static_file_is_known_by_its_bytes(
    exhibit: Exhibit, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    static = tmp_path / "static"
    (static / "deep").mkdir(parents=True)
    (static / "deep" / "look.css").write_text("p{}")
    (static / "leads-away.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "static1.txt").write_text("secret")
    monkeypatch.setattr(workbench, "_STATIC", static)
    client = opened(exhibit.root)
    answer = client.get("/static/deep/look.css")
    assert (answer.status_code, answer.text) == (200, "p{}")
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["x-content-type-options"] == "nosniff"
    tag = answer.headers["etag"]
    assert client.get("/static/deep/look.css", headers={"If-None-Match": tag}).status_code == 304
    for_good = client.get(f"/static/deep/look.css?v={tag[1:13]}")
    assert for_good.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert client.head("/static/deep/look.css").headers["content-length"] == "3"
    for name in ("leads-away.txt", "deep", "../static1.txt", "deep/../../secret.txt", "none.css"):
        assert client.get(f"/static/{name}").status_code == 404


def test_a_project_that_was_never_run_is_shown_and_left_as_it_is(exhibit: Exhibit, opened: Opened) -> None:
    exhibit.root.mkdir()
    client = opened(exhibit.root)
    assert client.get("/", headers={"Accept": "text/html"}).status_code == 200
    assert client.get(f"/media/{RUN}/1.0").status_code == 404
    assert list(exhibit.root.iterdir()) == []


def test_the_first_run_is_seen_while_the_workbench_is_open(exhibit: Exhibit, opened: Opened) -> None:
    client = opened(exhibit.root)
    assert client.get(f"/media/{RUN}/1.0").status_code == 404
    item = exhibit.record("mug.png", png())
    exhibit.store()
    assert client.get(f"/media/{RUN}/{item}").status_code == 200


def test_a_run_of_another_process_is_seen(exhibit: Exhibit) -> None:
    exhibit.record("mug.png", png())
    exhibit.store()
    desk = Desk(exhibit.root)
    assert [run.id for run in desk.history.runs()] == [RUN]
    exhibit.store("20261130-101501-cd34")
    assert [run.id for run in desk.history.runs()] == ["20261130-101501-cd34", RUN]
    desk.close()


def test_a_database_that_was_replaced_is_opened_anew(exhibit: Exhibit, tmp_path: Path) -> None:
    exhibit.record("mug.png", png())
    exhibit.store()
    desk = Desk(exhibit.root)
    before, reader = desk.store, desk.reader
    assert desk.store is before
    assert desk.reader is reader
    shutil.rmtree(exhibit.root / ".oloproof")
    assert desk.history.runs() == []
    exhibit.store("20261130-101501-cd34")
    assert [run.id for run in desk.history.runs()] == ["20261130-101501-cd34"]
    assert desk.store is not before
    desk.close()


def test_a_damaged_database_is_told_in_words(exhibit: Exhibit, opened: Opened) -> None:
    (exhibit.root / ".oloproof").mkdir(parents=True)
    (exhibit.root / ".oloproof" / "oloproof.db").write_bytes(b"no database at all" * 100)
    answer = opened(exhibit.root).get(f"/media/{RUN}/1.0")
    assert (answer.status_code, answer.json()["error"]) == (503, "StorageError")
    assert "damaged" in answer.json()["message"]
    with pytest.raises(StorageError):
        _ = Desk(exhibit.root).store


def test_what_was_learnt_of_files_is_kept_unless_nothing_may_be(exhibit: Exhibit) -> None:
    item = exhibit.record("mug.png", png())
    exhibit.store()
    long_ago = time.time_ns() - 10**12
    os.utime(exhibit.path(item), ns=(long_ago, long_ago))
    time.sleep(0.06)

    def learn(*, read_only: bool) -> int:
        desk = Desk(exhibit.root, read_only=read_only)
        run = desk.history.find(RUN)
        found = desk.history.item(run, item)
        assert found is not None
        with desk.reader.open(found):
            pass
        hashed = desk.reader.memo.hashed
        desk.close()
        return hashed

    assert [learn(read_only=True), learn(read_only=True), learn(read_only=False), learn(read_only=False)] == [
        1,
        1,
        1,
        0,
    ]


def test_what_is_measured_with_read_only_is_known_for_the_session_and_not_stored(exhibit: Exhibit) -> None:
    item = exhibit.record("mug.png", png())
    exhibit.store()

    def measured(*, read_only: bool) -> list[dict[str, int]]:
        desk = Desk(exhibit.root, read_only=read_only)
        found = desk.history.item(desk.history.find(RUN), item)
        assert found is not None
        asked = iter(range(300))
        told = [desk.reader.measure(found, "asked", lambda _file: {"times": next(asked)}) for _ in range(2)]
        for name in range(250):  # more than are held back before they are stored
            desk.reader.measure(found, f"asked {name}", lambda _file: {"times": 0})
        desk.close()
        return told

    assert measured(read_only=True) == [{"times": 0}, {"times": 0}]
    with contextlib.closing(sqlite3.connect(exhibit.root / ".oloproof/oloproof.db")) as database:
        count = "SELECT count(*) FROM measurements WHERE name LIKE 'asked%'"
        assert database.execute(count).fetchone() == (0,)
        measured(read_only=False)
        assert database.execute(count).fetchone() == (251,)


def test_the_token_is_another_one_each_session_and_never_shown(tmp_path: Path) -> None:
    first, second = Desk(tmp_path), Desk(tmp_path)
    assert first.token != second.token
    assert len(first.token) >= 43
    assert first.token not in repr(first)

"""What a trial was given and its system did not record is kept with it, and shown like what it recorded."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from PIL import Image

from oloproof.media import MediaReader
from oloproof.reports.delivered import shown_media
from oloproof.running import run
from oloproof.storage import History, Store, StoredTrial
from tests.conftest import Folder

PROJECT = """\
version: 1
project: reader
dataset: {path: cases.jsonl, media: [scan, notes]}
system: {name: reader, version: "1", callable: "app:read"}
"""

APP = """\
from oloproof import current_case, media_file


def read(case):
    if case["way"] != "silent":
        current_case().media([media_file(case["scan"], role="input")])
    if case["way"] == "fails":
        raise ValueError("cannot read it")
    return "read"
"""


def trials_of(folder: Folder) -> dict[str, StoredTrial]:
    store = Store(folder.root)
    try:
        history = History(store)
        return {trial.case_id: trial for trial in history.trials(history.find())}
    finally:
        store.close()


def reader(folder: Folder) -> Folder:
    folder.write("notes.txt", "no medium")
    Image.new("RGB", (40, 30), "red").save(folder.root / "scan.png")
    rows = (
        f'{{"id": "{way}", "input": {{"way": "{way}", "scan": "scan.png", "notes": "notes.txt"}}}}\n'
        for way in ("silent", "records", "fails")
    )
    folder.write("cases.jsonl", "".join(rows))
    folder.write("app.py", APP)
    folder.write("oloproof.yaml", PROJECT)
    return folder


def test_a_file_that_the_system_did_not_record_is_shown_with_its_trial(folder: Folder) -> None:
    run(reader(folder).root)
    for trials in (trials_of(folder), rerun(folder)):
        for way in ("silent", "fails"):
            (item,) = shown_media(trials[way])
            assert (item.role, item.name, item.path, item.width, item.height) == ("input", "scan", "scan.png", 40, 30)
            assert item.sha256 == digest(folder.root / "scan.png")


def rerun(folder: Folder) -> dict[str, StoredTrial]:
    assert run(folder.root).executions["cached"] == 2
    return trials_of(folder)


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def test_what_the_system_recorded_is_not_kept_twice(folder: Folder) -> None:
    run(reader(folder).root)
    trial = trials_of(folder)["records"]
    assert trial.delivered == ()
    assert [item.role for item in shown_media(trial)] == ["input"]


def test_what_was_given_is_found_by_its_id_and_changed_bytes_are_told(folder: Folder) -> None:
    run(reader(folder).root)
    (item,) = shown_media(trials_of(folder)["silent"])
    store = Store(folder.root)
    history = History(store)
    assert history.item(history.find(), item.id) is not None
    Image.new("RGB", (40, 30), "blue").save(folder.root / "scan.png")
    assert MediaReader(folder.root).state(item) == "changed"
    store.close()


def test_inspect_tells_what_was_given(folder: Folder) -> None:
    run(reader(folder).root)
    told = folder.run("inspect", "--case", "fails").out
    assert f"given scan  image/png, {(folder.root / 'scan.png').stat().st_size:,} bytes, sha256 " in told
    assert "given" not in folder.run("inspect", "--case", "records").out

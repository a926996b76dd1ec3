"""Runs of a judge with recorded pictures, and sheets of labels as people send them back."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from oloproof.labels.csv_files import write_sheet
from oloproof.labels.exporting import sheet_of
from oloproof.labels.importing import Imported, import_sheet
from oloproof.labels.sampling import Drawn, draw
from oloproof.media import MediaReader
from oloproof.records import MediaItem, Verdict
from oloproof.storage import Entry, StoredRun
from oloproof.storage.labels import Labels
from oloproof.storage.sql import insert, insert_into
from tests.storage.conftest import Base, entry

JUDGE = {
    "criterion": "good",
    "type": "rubric_judge",
    "version": "1",
    "calls_model": True,
    "evaluator": 3,
    "digest": "ab" * 32,
}
CHECK = {"criterion": "fits", "type": "media_check", "version": "1", "calls_model": False, "digest": "cd" * 32}
SAW = {
    "parts": [
        {"kind": "text", "name": "rubric", "text": "RUBRIC-TEXT"},
        {"kind": "image", "role": "output", "name": "a.png", "width": 64, "height": 48, "steps": ["upright (by 6)"]},
        {"kind": "frame", "name": "clip.mp4", "time": 1.25, "width": 320, "height": 180, "steps": []},
        {"kind": "transcript", "name": "clip.mp4", "text": "hello there"},
    ],
    "model_requested": "MODEL-NAME",
    "model_served": "MODEL-NAME-0613",
    "sight": "proven",
    "said": ["SAID-REASON"],
    "thinking": ["THINKING"],
}  # fmt: skip
PASSED = Verdict.passed("JUDGE-REASON", score=0.123)
Row = dict[str, str]


class Labelling(Base):
    """A project whose runs can be sampled and labelled."""

    def recorded(self, name: str, data: bytes = b"picture", role: str = "output") -> MediaItem:
        """Write a file and return it as recorded."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return MediaItem(
            "", role, "image", path.name, name, name, "png", "image/png", len(data), hashlib.sha256(data).hexdigest()
        )  # type: ignore[arg-type]

    def judged_run(self, *entries: Entry, state: str = "complete", **values: Any) -> StoredRun:
        run = self.begin(document={"evaluators": [JUDGE, CHECK]}, **values)
        self.store.append(run, entries)
        self.store.finish(run, state)
        return self.history.find(run.id)

    def plain_run(self, count: int, output: Callable[[int], Any] = lambda n: {"n": n}) -> StoredRun:
        return self.judged_run(
            *[entry(n, output(n), input_=f'{{"n":{n}}}', verdicts=(PASSED, PASSED)) for n in range(count)]
        )

    def let_see(self, run: StoredRun, saw: Mapping[str, Any] = SAW) -> None:
        """Store what the judge saw of every trial of a run."""
        rows = [trial.row for trial in self.history.trials(run)]
        with self.store.writing() as connection:
            verdicts = json.dumps([[0, 0.123, "JUDGE-REASON", {}]])
            values = {
                "key": b"k",
                "judge": b"j",
                "verdicts": verdicts,
                "saw": json.dumps(saw),
                "kept": 1,
                "created": 0.0,
            }
            number = insert(connection, "judgements", values)
            judged = insert_into("judged", "trial", "evaluator", "judgement", "sight")
            connection.executemany(judged, [(row, 3, number, saw.get("sight")) for row in rows])

    @property
    def labels(self) -> Labels:
        return Labels(self.store)

    def draw(self, run: StoredRun, size: int | None = None, **more: Any) -> Drawn:
        return draw(self.history, run, "good", size=size, **more)

    def sheet_text(self, run: StoredRun, drawn: Drawn, **more: Any) -> str:
        stream = io.StringIO(newline="")
        filled = sheet_of(self.history, run, drawn, MediaReader(self.root), **more)
        write_sheet(stream, filled.rows)
        return stream.getvalue()

    def sheet(self, run: StoredRun, size: int | None = None, **more: Any) -> list[Row]:
        """Return the rows that are exported, as a program reads them."""
        text = self.sheet_text(run, self.draw(run, size, **more))
        return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))

    def take(self, rows: Sequence[Mapping[str, str]] | str | bytes, **more: Any) -> Imported:
        """Import rows, or a file of this text."""
        path = self.root / "sheet.csv"
        data = rows if isinstance(rows, bytes) else (rows if isinstance(rows, str) else sheet_of_rows(rows)).encode()
        path.write_bytes(data)
        return import_sheet(self.history, path, **{"labelled_by": "ann", **more})

    def answer(self, run: StoredRun, answers: Mapping[str, str], who: str = "ann", **more: Any) -> Imported:
        """Export the sample of a run, fill in answers by case, and import them."""
        rows = [{**row, "passed": answers.get(row["case_id"], "")} for row in self.sheet(run)]
        return self.take(rows, labelled_by=who, **more)


def sheet_of_rows(rows: Sequence[Mapping[str, str]]) -> str:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Labelling]:
    made = Labelling(tmp_path)
    yield made
    made.store.close()

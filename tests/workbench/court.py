"""Judges and people on stored cases: runs and labels are written straight into the database, and the product concludes.

A case shows a red or a blue square; of eight cases in a row five are red. What a judge says and what people say of them
are functions of the case's number.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PIL import Image

from oloproof.digests import digest_of, digest_of_text
from oloproof.labels import JudgedCase, Validation, gather, validate
from oloproof.labels.gathering import shown_of, trials_at
from oloproof.labels.identity import label_identity
from oloproof.labels.sampling import draw
from oloproof.media import MediaReader, media_file, using_reader
from oloproof.records import Case, Execution, Judgement, MediaItem, Outcome, Trial, Verdict
from oloproof.storage import Entry, History, NewRun, Store
from oloproof.storage.labels import Labels, Purpose, StoredLabel

CRITERION = "is_red"
IDENTITY: dict[str, Any] = {
    "type": "rubric_judge", "version": "1", "provider": "openai_compatible", "model": "eye-7b",
    "parameters": [0.0, None, 1024], "rubric": "Pass only if the picture is red all over.", "votes": 1,
    "sees": {"media": "output", "kinds": ["image"], "images": {"background": "white"}, "frames": [1, 4], "sound": None},
    "show_expected": False, "reply": [{}, "", 1, 1],
}  # fmt: skip

Says = Callable[[int], Outcome]
Told = Callable[[int], bool | None]


def is_red(number: int) -> bool:
    return number % 8 < 5


def truthful(number: int) -> Outcome:
    return "pass" if is_red(number) else "fail"


def lenient(number: int) -> Outcome:
    """Lets one of twelve blue ones through, and is too strict with one red of forty."""
    if number % 40 == 0:
        return "fail"
    return "pass" if is_red(number) or number % 32 == 7 else "fail"


class Court:
    """A project in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = Store(root)
        self.history, self.labels = History(self.store), Labels(self.store)
        self._reader = MediaReader(root)
        self._items = {color: self._item(color) for color in ("red", "blue")}
        self.judge = ""

    def close(self) -> None:
        self.store.close()

    def _item(self, color: str) -> MediaItem:
        out = io.BytesIO()
        Image.new("RGB", (96, 72), color).save(out, "PNG")
        path = self.root / "out" / f"{color}.png"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(out.getvalue())
        with using_reader(self._reader):
            return media_file(path)

    def run(
        self,
        says: Says = truthful,
        *,
        cases: int = 80,
        name: str = "20261201-101500-ab12",
        reason: str = "",
        sight: str = "proven",
        criteria: tuple[str, ...] = (CRITERION,),
        **identity: Any,
    ) -> str:
        """Store a run judged by the judge that ``identity`` makes, and return its hash."""
        made = {**IDENTITY, **identity}
        self.judge = digest_of(made)
        document = self._document(made, criteria)
        new = NewRun(name, "paints", "painter", "v1", "c" * 64, "d" * 64, False, cases, cases, document)
        opened = self.store.begin(new)
        entries = [self._entry(number, says(number), reason, sight, len(criteria)) for number in range(cases)]
        self.store.append(opened, entries)
        self.store.finish(opened, "complete")
        return self.judge

    def _document(self, identity: Mapping[str, Any], criteria: tuple[str, ...]) -> dict[str, Any]:
        entry = {
            "evaluator": 0, "type": "rubric_judge", "version": "1", "calls_model": True, "metric": "rate",
            "score_range": None, "digest": self.judge,
        }  # fmt: skip
        return {
            "project": {"policy": None},
            "evaluators": [{**entry, "criterion": name} for name in criteria],
            "judges": {self.judge: identity},
            "repeats": {"count": 1, "pass_when": None},
        }

    def _entry(self, number: int, outcome: Outcome, reason: str, sight: str, criteria: int) -> Entry:
        color = "red" if is_red(number) else "blue"
        verdict = Verdict(outcome, reason or f"the judge sees {color}")
        key = digest_of_text(f"{self.judge}{number}").encode()
        found = Judgement(
            (verdict,) * criteria, key=key, judge=self.judge, saw={"parts": [], "sight": sight}, kept=True
        )
        trial = Trial(number, Case(f"c{number:03}", {"prompt": "a red square"}))
        execution = Execution({"case": number}, (self._items[color],), seconds=0.1)
        shown = json.dumps({"prompt": "a red square"})
        return Entry(trial, b"%d" % number, shown, execution, [found])

    def label(
        self,
        told: Told = is_red,
        *,
        size: int | None = None,
        purpose: Purpose = "validate",
        by: str = "ann",
        note: str | None = None,
        seed: str = "s",
    ) -> None:
        """Draw a sample of the newest run and store what a person says of it."""
        run = self.history.find()
        drawn = draw(self.history, run, CRITERION, size=size, seed=seed, purpose=purpose)
        labels = [
            StoredLabel(
                identity=label_identity(shown_of(trial), CRITERION, "1", by),
                shown=shown_of(trial),
                criterion=CRITERION,
                guide="1",
                labelled_by=by,
                purpose=purpose,
                passed=told(int(trial.case_id[1:])),
                note=note,
                run=run.number,
                execution=trial.execution,
                case_id=trial.case_id,
                variant=trial.variant,
                repeat=trial.repeat,
            )
            for trial in trials_at(self.labels, run, drawn.places)
        ]
        self.labels.add(labels)

    def validate(self, says: Says = truthful, judge: str = "") -> Validation:
        """Hold the newest run's judge, or another of which ``says`` is told, to the labels: the product concludes."""
        held = gather(self.history, self.history.find(), CRITERION)
        words = {"pass": True, "fail": False}
        cases = [JudgedCase(one, words.get(says(int(one.case_id[1:]))), "image") for one in held.prefix]
        return validate(self.store, held, judge or self.judge, cases)

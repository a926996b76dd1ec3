"""Real runs in a real database, with files on disk, for reports to be made of."""

from __future__ import annotations

import wave
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from oloproof.config.models import PolicyOptions
from oloproof.digests import digest_of
from oloproof.media import MediaReader, media_file, using_reader
from oloproof.records import Case, Execution, Judgement, MediaItem, Notice, Trial, Verdict
from oloproof.running.deciding import Conclusion, conclude
from oloproof.storage import Entry, History, NewRun, Store, StoredRun
from oloproof.storage.rows import to_text

HOSTILE = "<script>alert(1)</script> javascript:alert(1) \x1b[31m\x00 ‮ @team | `x` =1+1 https://evil.test/a #1\n\"'&"


@dataclass(frozen=True)
class Told:
    """One trial to be stored."""

    case: str
    verdicts: Sequence[Verdict]
    output: Any = "a red mug"
    input: Any = "describe the picture"
    expected: Any = None
    media: Sequence[MediaItem] = ()
    error: str | None = None
    detail: str | None = None
    repeat: int = 0
    slice: Mapping[str, Any] | None = None


class Bureau:
    """A project folder with a database, ready to store runs and to read them back."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = Store(root)
        self.history = History(self.store)
        self.reader = MediaReader(root)

    def media(self, path: Path, **facts: Any) -> MediaItem:
        """Record a file."""
        with using_reader(self.reader):
            return media_file(path, **facts)

    def picture(
        self, file: str, size: tuple[int, int] = (640, 480), colour: str = "#b03a2e", **facts: Any
    ) -> MediaItem:
        """Draw and record a picture."""
        path = self.root / "out" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        image = Image.new("RGB", size, "#e8e4dc")
        width, height = size
        ImageDraw.Draw(image).ellipse((width * 0.2, height * 0.2, width * 0.8, height * 0.8), fill=colour)
        image.save(path)
        return self.media(path, **facts)

    def sound(self, name: str) -> MediaItem:
        """Write and record half a second of silence."""
        path = self.root / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes(bytes(8000))
        return self.media(path)

    def run(
        self,
        run_id: str,
        trials: Sequence[Told],
        criteria: Sequence[str | Mapping[str, Any]],
        *,
        repeats: int = 1,
        partial: bool = False,
        notices: Sequence[Notice] = (),
        state: str = "complete",
        system: tuple[str, str] = ("describer", "v8"),
    ) -> StoredRun:
        """Store a run and return it."""
        entry = {
            "type": "custom",
            "version": "1",
            "calls_model": False,
            "metric": "rate",
            "score_range": None,
            "digest": "0" * 64,
        }
        evaluators = [{**entry, **({"criterion": one} if isinstance(one, str) else one)} for one in criteria]
        document = {
            "project": {},
            "evaluators": evaluators,
            "repeats": {"count": repeats, "pass_when": None},
            "versions": {"oloproof": "0.1.0", "python": "3.11.0"},
        }
        cases = len({told.case for told in trials})
        new = NewRun(run_id, "catalogue-media", *system, "c" * 64, "d" * 64, partial, cases, len(trials), document)
        opened = self.store.begin(new)
        opened.notices.extend(notices)
        self.store.append(opened, [self._entry(number, told) for number, told in enumerate(trials)])
        self.store.finish(opened, state, "ffmpeg is not installed" if state == "stopped" else None)
        return self.history.find(run_id)

    @staticmethod
    def _entry(number: int, told: Told) -> Entry:
        case = Case(told.case, told.input, told.expected, told.slice or {})
        error = told.error is not None
        execution = Execution(None if error else told.output, tuple(told.media), told.error, told.detail, seconds=0.25)
        key = bytes.fromhex(digest_of([told.case, told.repeat]))
        judgements = [Judgement((verdict,)) for verdict in told.verdicts]
        return Entry(Trial(number, case, repeat=told.repeat), key, to_text(told.input), execution, judgements)

    def conclude(self, run: StoredRun, *rules: Mapping[str, Any], **policy: Any) -> tuple[Conclusion, PolicyOptions]:
        """Apply rules to a run."""
        options = PolicyOptions(rules=list(rules), **policy)  # type: ignore[arg-type]
        return conclude(self.history, run, options), options


@pytest.fixture
def bureau(tmp_path: Path) -> Iterator[Bureau]:
    """Return a project folder with an empty database."""
    made = Bureau(tmp_path / "pröject")
    yield made
    made.store.close()


def passed(reason: str = "as wanted", **more: Any) -> Verdict:
    return Verdict.passed(reason, **more)


def failed(reason: str = "not as wanted", **more: Any) -> Verdict:
    return Verdict.failed(reason, **more)


@pytest.fixture
def mixed(bureau: Bureau) -> StoredRun:
    """Return a run with one case of every kind: pass, fail, invalid, missing, an error, a hostile one."""
    trials = [
        Told("mug-1", [passed(width=640), passed("near enough", score=0.9)], media=[bureau.picture("mug.png")]),
        Told(
            "mug-2",
            [failed("300 px wide; at most 256 allowed", width=300), failed("distance 12; at most 8", score=0.2)],
            expected={"text": "a blue mug", "n": 2},
            slice={"lang": "de"},
            media=[bureau.picture("wide.png", (300, 200))],
        ),
        Told("clip-1", [Verdict.invalid("answered 4/5, maybe"), passed()], media=[bureau.sound("clip.wav")]),
        Told("clip-2", [Verdict.missing("clip.wav is gone"), passed()]),
        Told(
            "crash",
            [Verdict.missing("the system failed"), Verdict.missing("the system failed")],
            error="ValueError: no such picture",
            detail=f'Traceback\n  File "{bureau.root}/app.py", line 3, in describe\nValueError: no such picture',
        ),
        Told(HOSTILE, [failed(HOSTILE, odd=HOSTILE), failed(HOSTILE)], output=HOSTILE, input={HOSTILE: HOSTILE}),
    ]
    return bureau.run("20261129-143100-ab12", trials, ["fits", "same_photo"], notices=[Notice("odd", "look here")])


RULES = (
    {"id": "thumbnails-fit", "metric": "fits", "max_failures": 0},
    {"id": "photo-floor", "metric": "same_photo", "min": 0.8},
)

"""From stored trials to what a page shows of a case: values, verdicts, files and small pictures."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from oloproof.errors import MediaError, ToolMissing
from oloproof.labels.saw import saw_words
from oloproof.media import MediaReader
from oloproof.media.images import thumbnail
from oloproof.records import Judgement, MediaItem, Verdict
from oloproof.reports.contexts import (
    CaseView,
    Column,
    Fact,
    FamilyMember,
    Mark,
    MediaView,
    TrialView,
    Value,
    VerdictView,
)
from oloproof.reports.delivered import shown_media
from oloproof.reports.family_strip import kin_of, members_of
from oloproof.reports.withholding import Withholding
from oloproof.reports.wording import (
    WORST_FIRST,
    age_words,
    count_words,
    is_scored,
    json_lines,
    json_words,
    judged_words,
    number_text,
    one_line,
    outcome_word,
    place_words,
    seconds_words,
    visible,
)
from oloproof.storage import StoredRun, StoredTrial

SIDE = 320
"""Pixels of the longer side of a small picture."""
TINY = 64
"""A picture no side of which is longer is shown with its pixels crisp."""
LONGEST, MOST_LINES, MOST_DETAILS, MOST_TRIALS, UNFOLDED = 2_000, 40, 16, 12, 30

_MARKS: dict[str, Mark] = {
    "pass": "pass", "fail": "fail", "scored": "scored", "invalid": "invalid", "missing": "missing", "error": "missing",
}  # fmt: skip
_STATES: dict[str, tuple[Mark, str]] = {
    "verified": ("pass", "verified"),
    "changed": ("changed", "changed since it was recorded: what is there now is not the evidence"),
    "gone": ("missing", "gone or not readable"),
}
_TITLES = {"input": "Input", "output": "Output", "context": "Expected"}


def worst_word(trial: StoredTrial) -> str:
    """Return the worst that is said of a trial: an outcome, or ``error`` where only the system's failure is to tell."""
    found = {verdict.outcome for verdict in trial.verdicts}
    worst = next((outcome for outcome in WORST_FIRST if outcome in found), "pass")
    return "error" if trial.execution.failed and worst in ("missing", "pass") else worst


class CaseViews(Struct, frozen=True):
    """Makes the views of cases; ``thumbnails`` embeds small pictures of images whose bytes were just verified.

    Of what went in, came out, was expected or said of it, ``longest`` characters are shown at most, of a value in at
    most ``most_lines`` lines.
    """

    reader: MediaReader
    hide: Withholding
    thumbnails: bool = False
    longest: int = LONGEST
    most_lines: int = MOST_LINES

    def case(self, run: StoredRun, trials: Iterable[StoredTrial], word: str, number: int) -> CaseView:
        """Return the view of one case, the ``number``-th on its page; ``word`` is its worst."""
        everything = list(trials)
        found, more = everything[:MOST_TRIALS], len(everything) - MOST_TRIALS
        first = found[0]
        shown = outcome_word(word, scored=is_scored(run))
        return CaseView(
            id=self._text(first.case_id),
            mark=_MARKS[shown],
            word=shown,
            summary=self._summary(run, found),
            slice=self._pairs(first.slice),
            opened=word != "pass" and number < UNFOLDED,
            members=self.members(run, everything),
            trials=tuple(self._trial(run, trial, single=len(found) == 1) for trial in found),
            more=f"{more:,} trials more of this case are not shown" if more > 0 else None,
        )

    def members(self, run: StoredRun, trials: Sequence[StoredTrial]) -> tuple[FamilyMember, ...]:
        """Return the family of a case, each member by its first repeat; nothing where it has no variants."""
        kin = kin_of(run, trials)
        words = [outcome_word(worst_word(one.trial), scored=is_scored(run)) for one in kin]
        said = [(_MARKS[word], word) for word in words]
        shown = (replace(one, fact=self.hide.text(one.fact)) for one in members_of(run, kin, said))
        return tuple(shown)

    def _text(self, text: str) -> str:
        return visible(self.hide.text(text))

    def _cut(self, text: str) -> str:
        text, most = self._text(text), self.longest
        return text if len(text) <= most else f"{text[:most]}… {_more(len(text) - most)}"

    def _pairs(self, values: Mapping[str, Any]) -> tuple[Fact, ...]:
        shown = [
            Fact(one_line(self.hide.text(name), 80), one_line(self._plain(value), 200))
            for name, value in islice(values.items(), MOST_DETAILS)
        ]
        rest = len(values) - len(shown)
        return (*shown, Fact("more", f"{rest} values")) if rest else tuple(shown)

    def _plain(self, value: Any) -> str:
        if isinstance(value, float) and not isinstance(value, bool):
            return number_text(value)
        return json_words(self.hide.value(value))

    def _summary(self, run: StoredRun, trials: Sequence[StoredTrial]) -> str:
        """Return the worst that is said of the trials, on one line; nothing when all is well."""
        told = [
            (WORST_FIRST.index(verdict.outcome), f"{entry['criterion']}: {verdict.reason}")
            for trial in trials
            for entry, verdict in zip(run.criteria, trial.verdicts, strict=False)
            if verdict.outcome != "pass" and not (trial.execution.failed and verdict.outcome == "missing")
        ]
        errors = [
            (WORST_FIRST.index("missing"), trial.execution.error or "") for trial in trials if trial.execution.failed
        ]
        worst = min(errors + told, key=lambda one: one[0], default=(0, ""))
        return one_line(self.hide.text(worst[1]), 160)

    def _trial(self, run: StoredRun, trial: StoredTrial, *, single: bool) -> TrialView:
        execution = trial.execution
        media = tuple(self.file(item) for item in shown_media(trial))
        word = outcome_word(worst_word(trial), scored=is_scored(run))
        place = place_words(trial.variant, trial.repeat)
        verdicts = [
            (entry, verdict)
            for entry, verdict in zip(run.criteria, trial.verdicts, strict=False)
            if not (execution.failed and verdict.outcome == "missing")
        ]
        verdicts.sort(key=lambda one: WORST_FIRST.index(one[1].outcome))
        return TrialView(
            place=visible(place) if place else None if single else "original",
            mark=_MARKS[word],
            word=word,
            error=None if execution.error is None else self._text(execution.error),
            source=_source(run, trial),
            columns=tuple(self._columns(trial, media)),
            verdicts=tuple(
                self._verdict(entry, verdict, trial.judgements.get(entry.get("evaluator", -1)))
                for entry, verdict in verdicts
            ),
            media=media,
        )

    def _columns(self, trial: StoredTrial, media: tuple[MediaView, ...]) -> Iterable[Column]:
        values = {"input": trial.input, "output": trial.execution.output, "context": trial.expected}
        for role, value in values.items():
            pictures = tuple(one for one in media if one.role == role and one.kind == "image" and self.thumbnails)
            if value is not None or pictures:
                yield Column(self._value(_TITLES[role], value), pictures)

    def _value(self, title: str, value: Any) -> Value:
        value = self.hide.value(value)
        prose = isinstance(value, str)
        text = "" if value is None else value if prose else json_lines(value)
        text = visible(text)
        lines = text.split("\n")
        shown = "\n".join(lines[: self.most_lines])[: self.longest]
        rest = len(text) - len(shown)
        return Value(title, shown, prose, _more(rest) if rest else None)

    def _verdict(self, entry: Mapping[str, Any], verdict: Verdict, judgement: Judgement | None) -> VerdictView:
        saw = None if judgement is None else judgement.saw
        word = outcome_word(verdict.outcome, scored=entry.get("metric") == "score")
        return VerdictView(
            criterion=visible(entry["criterion"]),
            outcome=verdict.outcome,
            mark=_MARKS[word],
            word=word,
            score=None if verdict.score is None else number_text(verdict.score),
            reason=self._cut(verdict.reason),
            details=self._pairs(verdict.details),
            evaluator=visible(f"{entry['type']}, version {entry['version']}"),
            judged=None if saw is None else visible(judged_words(saw)),
            saw=() if saw is None else tuple(self._cut(line) for line in saw_words(saw).splitlines()),
        )

    def file(self, item: MediaItem) -> MediaView:
        """Return the view of one file, in the state in which it is now."""
        state = self.reader.state(item)
        picture = self._thumbnail(item) if self.thumbnails and state == "verified" and item.kind == "image" else None
        mark, words = _STATES[state]
        width, height = _shown_size(item)
        return MediaView(
            name=self._text(item.name),
            role=item.role,
            kind=item.kind,
            place=visible(item.path),
            measured=_measured(item),
            size=f"{item.size:,} bytes",
            sha256=item.sha256,
            sha256_short=f"{item.sha256[:8]}…{item.sha256[-4:]}",
            facts=self._pairs(item.facts),
            state=state,
            mark=mark,
            state_words=words,
            thumbnail=picture,
            thumbnail_width=width,
            thumbnail_height=height,
            tiny=0 < max(width, height) <= TINY,
        )

    def _thumbnail(self, item: MediaItem) -> str | None:
        """Return a small picture of the verified bytes as a ``data:`` address; None when it cannot be drawn."""
        try:
            with self.reader.open(item) as file:
                small = thumbnail(file, SIDE)
        except (MediaError, ToolMissing):
            return None
        return "data:image/jpeg;base64," + base64.b64encode(small).decode("ascii")


def _more(characters: int) -> str:
    return f"{count_words(characters, 'character')} more, in the export"


def _source(run: StoredRun, trial: StoredTrial) -> str:
    took = f"took {seconds_words(trial.execution.seconds)}"
    if trial.execution.cached_at is None:
        return took
    return f"{took}; answer from the cache, {age_words(max(run.started - trial.execution.cached_at, 0.0))}"


def _measured(item: MediaItem) -> str:
    parts = [item.media_type]
    if item.width is not None and item.height is not None:
        parts.append(f"{item.width} × {item.height}")
    if item.duration is not None:
        parts.append(seconds_words(item.duration))
    return ", ".join(parts)


def _shown_size(item: MediaItem) -> tuple[int, int]:
    if not item.width or not item.height:
        return 0, 0
    scale = min(1.0, SIDE / max(item.width, item.height))
    return max(1, round(item.width * scale)), max(1, round(item.height * scale))

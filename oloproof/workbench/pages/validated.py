"""One look at the labels of a judge as a page shows it: the table, both rates against the bar, what it stands on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from oloproof.labels.gathering import series_of
from oloproof.reports.contexts import Fact, Mark, Plot
from oloproof.reports.judges import reading_words, unclear_words
from oloproof.reports.plots import RATE_AXIS, interval_plot
from oloproof.reports.wording import count_words, one_line, with_minus_signs
from oloproof.storage.labels import Labels, StoredValidation
from oloproof.workbench.pages.judge_states import STATE_MARKS


class Confusion(Struct, frozen=True):
    """People against the judge: both pass, only people pass, only the judge passes, both fail."""

    both_pass: int
    too_strict: int
    let_through: int
    both_fail: int

    @property
    def rows(self) -> tuple[int, int]:
        """How many people pass, and fail."""
        return self.both_pass + self.too_strict, self.let_through + self.both_fail

    @property
    def columns(self) -> tuple[int, int]:
        """How many the judge passes, and fails."""
        return self.both_pass + self.let_through, self.too_strict + self.both_fail


class RateRow(Struct, frozen=True):
    """TPR or TNR with its interval against the bar. ``plot`` is None where no case of the class was labelled."""

    name: str
    about: str
    mark: Mark
    plot: Plot | None
    estimate: str
    interval: str
    of: str


class KindRow(Struct, frozen=True):
    """What the labels say of one kind of media, where several were shown."""

    kind: str
    mark: Mark
    sentence: str


class Look(Struct, frozen=True):
    """One validation. ``unclear`` counts what lacks a label or a verdict; ``reading`` decides nothing."""

    confusion: Confusion
    total: int
    bar: str
    rates: tuple[RateRow, ...]
    unclear: str
    reading: str
    kinds: tuple[KindRow, ...]
    stands: tuple[Fact, ...]
    unsettled: str


_CLASSES = (
    ("tpr", "Of what people pass", "the judge passes (TPR)", "PASS"),
    ("tnr", "Of what people fail", "the judge fails (TNR)", "FAIL"),
)


def confusion_of(table: Mapping[str, int]) -> Confusion:
    """Return the table of a validation, or of develop labels."""
    return Confusion(table["tp"], table["fn"], table["fp"], table["tn"])


def look_of(labels: Labels, validation: StoredValidation) -> Look:
    """Return what a page shows of a validation."""
    document = validation.document
    split = count_words(len(document["unsettled"]), "case")
    some = ", ".join(one_line(case, 60) for case in document["unsettled"][:10])
    return Look(
        confusion=confusion_of(document["table"]),
        total=sum(document["table"].values()),
        bar=f"{document['bars']['bar']:.2f}",
        rates=rate_rows(document),
        unclear=unclear_words(document) if any(document["unclear"].values()) else "",
        reading=with_minus_signs(reading_words(document["measures"])),
        kinds=tuple(
            KindRow(one_line(kind), STATE_MARKS[one["state"]], one_line(one["sentence"]))
            for kind, one in document["kinds"].items()
        ),
        stands=tuple(_stands(labels, validation)),
        unsettled=f"People are split on {split}, somebody has to settle them: {some}." if some else "",
    )


def rate_rows(document: Mapping[str, Any]) -> tuple[RateRow, ...]:
    """Return TPR and TNR of a validation as intervals against its bar."""
    bar = document["bars"]["bar"]
    return tuple(_rate(document["decision"][key], bar, *words) for key, *words in _CLASSES)


def _rate(rate: Mapping[str, Any], bar: float, name: str, about: str, word: str) -> RateRow:
    interval = rate["interval"]
    if interval is None:
        return RateRow(name, about, "missing", None, "", "", f"no human {word} yet")
    low, high = interval
    estimate = "unknown" if rate["estimate"] is None else f"{rate['estimate']:.3f}"
    words = f"{low:.3f} to {high:.3f}"
    return RateRow(
        name=name,
        about=about,
        mark="pass" if low >= bar else "fail" if high < bar else "undecided",
        plot=interval_plot(
            rate["estimate"],
            (low, high),
            RATE_AXIS,
            label=f"{name} {about}: {estimate}, interval {words}, at least {bar:.2f} wanted",
            bar=bar,
            allowed="right",
        ),
        estimate=estimate,
        interval=words,
        of=f"{rate['correct']:,} of {rate['n']:,} human {word}",
    )


def _stands(labels: Labels, validation: StoredValidation) -> Iterator[Fact]:
    """Yield what a validation was concluded on, and what became of those labels since."""
    document, criterion = validation.document, validation.criterion
    yield Fact("labels of run", one_line(str(document["run"])))
    yield Fact("guide", one_line(str(document["guide"]), 60))
    looks = labels.looks(criterion, validation.label_set)
    yield Fact("look", f"{validation.look} of {looks} at these labels, over all judges tried on them")
    yield Fact("concluded", datetime.fromtimestamp(validation.time, UTC).strftime("%Y-%m-%d %H:%M UTC"))
    yield Fact("sample", _sample_words(labels, validation))
    since = sum(one.created > validation.time for one in labels.labels(criterion=criterion, purpose="validate"))
    if since:
        yield Fact(
            "since then", f"{count_words(since, 'label')} added: oloproof evaluators validate takes another look"
        )


def _sample_words(labels: Labels, validation: StoredValidation) -> str:
    criterion = validation.criterion
    blind = {
        series_of(criterion, "validate", one.seed) for one in labels.samples(criterion=criterion, purpose="validate")
    }
    if validation.label_set in blind:
        return "blind still"
    return "spent: seen beside its verdicts since; this conclusion stands, and the next judge needs a new blind sample"

"""What people say together: one reference verdict a case, from every label of what the case shows in a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from oloproof.digests import digest_of
from oloproof.labels.identity import shown_digest
from oloproof.labels.problems import criterion_number
from oloproof.labels.sampling import Place, members_of, run_numbered, sample_of
from oloproof.storage import History, StoredRun
from oloproof.storage.labels import Labels, Purpose, ShownTrial, StoredLabel, StoredSample


class LabelledCase(Struct, frozen=True):
    """One case with what people say of it. ``passed`` is the majority of those who said pass or fail.

    It is None where nobody did, or where they are split. ``persons`` counts everyone who labelled it, ``unsure`` too.
    """

    case_id: str
    variant: str
    repeat: int
    execution: int
    shown: str
    passed: bool | None
    persons: int
    purpose: Purpose
    votes: tuple[bool, ...] = ()

    @property
    def split(self) -> bool:
        """Whether people are split evenly, so that somebody has to settle it."""
        return self.passed is None and bool(self.votes)


class LabelSet(Struct, frozen=True):
    """The labels of one criterion that bear on one run.

    ``cases`` holds every case of the sample in its order, labelled or not; without a sample (develop labels) those
    that have a label. ``guide`` is the version of the guide that the labels follow. ``digest`` changes with every
    label; ``series`` does not: it stands for the order that all of them are taken from.
    """

    run: str
    criterion: str
    purpose: Purpose
    guide: str | None
    sample: StoredSample | None
    cases: tuple[LabelledCase, ...]
    digest: str
    series: str

    @property
    def prefix(self) -> tuple[LabelledCase, ...]:
        """The cases up to the last one that anybody labelled: those that count.

        The labelled cases must be a prefix of the order. What stands between them without a verdict was skipped, and
        counts as missing.
        """
        last = max((place for place, one in enumerate(self.cases, 1) if one.persons), default=0)
        return self.cases[:last]

    @property
    def settled(self) -> tuple[LabelledCase, ...]:
        """The cases that have a reference verdict."""
        return tuple(one for one in self.cases if one.passed is not None)

    @property
    def missing(self) -> tuple[LabelledCase, ...]:
        """The cases of the prefix without one (skipped, unsure or split): each counts as the worst case."""
        return tuple(one for one in self.prefix if one.passed is None)

    @property
    def unsettled(self) -> tuple[str, ...]:
        """The ids of cases on which people are split evenly: somebody has to settle them."""
        return tuple(one.case_id for one in self.cases if one.split)

    @property
    def units(self) -> tuple[tuple[bool, ...], ...]:
        """The verdicts of each case that two people or more gave one, as Krippendorff's alpha takes them."""
        return tuple(one.votes for one in self.cases if len(one.votes) > 1)


def gather(
    history: History, run: StoredRun, criterion: str, *, purpose: Purpose = "validate", guide: str | None = None
) -> LabelSet:
    """Return the labels of a criterion that bear on a run, wherever the same was shown when they were given.

    ``guide`` is the version of the guide; by default that of the newest label, since another guide asks another
    question.

    Raises:
        LabelsError: the run has no such criterion.
    """
    criterion_number(run, criterion)
    labels = Labels(history.store)
    sample = sample_of(history, labels, run, criterion) if purpose == "validate" else None
    found = labels.labels(criterion=criterion, purpose=purpose)
    guide = guide if guide is not None else next((one.guide for one in reversed(found)), None)
    by_shown: dict[str, list[StoredLabel]] = defaultdict(list)
    for one in found:
        if one.guide == guide:
            by_shown[one.shown].append(one)
    shown = _of_sample(history, labels, run, sample) if sample else _of_labels(labels, run, by_shown)
    cases = tuple(_case(trial, digest, by_shown.get(digest, ()), purpose) for trial, digest in shown)
    used = [one for case in cases for one in by_shown.get(case.shown, ())]
    series = series_of(criterion, purpose, sample.seed if sample else None)
    return LabelSet(run.id, criterion, purpose, guide, sample, cases, _digest(used), series)


def series_of(criterion: str, purpose: Purpose, seed: str | None) -> str:
    """Return the digest of the order that labels are taken from: looks are counted for each."""
    return digest_of({"criterion": criterion, "purpose": purpose, "seed": seed})


def spend(history: History, sample: StoredSample) -> int:
    """Turn a validation sample into a develop one because it was seen beside its verdicts; returns how many labels.

    Labels of what its cases show lose the purpose too, whichever run they were given at, and so does a sample of
    another run whose every case was labelled by them.
    """
    labels = Labels(history.store)
    run = run_numbered(history, sample.run)
    spent = labels.spend(sample, [digest for _, digest in _of_sample(history, labels, run, sample)])
    for other in labels.samples(criterion=sample.criterion, purpose="validate"):
        if not members_of(history, labels, run_numbered(history, other.run), other):
            labels.spend(other, ())
    return spent


def shown_of(trial: ShownTrial) -> str:
    """Return the digest of what a person is shown of one execution."""
    return shown_digest(trial.input, trial.output, trial.media)


def trials_at(labels: Labels, run: StoredRun, places: Sequence[Place]) -> list[ShownTrial]:
    """Return the trials of a run at these places, in their order."""
    trials = labels.trials(run.number, [place.case_id for place in places])
    found = {Place(one.case_id, one.variant, one.repeat): one for one in trials}
    return [found[place] for place in places]


def _of_sample(
    history: History, labels: Labels, run: StoredRun, sample: StoredSample
) -> Iterator[tuple[ShownTrial, str]]:
    """Yield the trials of a sample in its order, each with the digest of what it shows."""
    for trial in trials_at(labels, run, members_of(history, labels, run, sample)):
        yield trial, shown_of(trial)


def _of_labels(
    labels: Labels, run: StoredRun, by_shown: Mapping[str, Sequence[StoredLabel]]
) -> Iterator[tuple[ShownTrial, str]]:
    """Yield one trial a case that shows what was labelled, in the order of the labels."""
    cases = list(dict.fromkeys(one.case_id for found in by_shown.values() for one in found))
    first: dict[str, tuple[ShownTrial, str]] = {}
    for trial in labels.trials(run.number, cases):
        shown = shown_of(trial)
        if shown in by_shown and not trial.failed:
            first.setdefault(trial.case_id, (trial, shown))
    yield from (first[case] for case in cases if case in first)


def _case(trial: ShownTrial, shown: str, labels: Sequence[StoredLabel], purpose: Purpose) -> LabelledCase:
    votes = tuple(one.passed for one in labels if one.passed is not None)
    balance = sum(1 if vote else -1 for vote in votes)
    return LabelledCase(
        trial.case_id,
        trial.variant,
        trial.repeat,
        trial.execution,
        shown,
        None if balance == 0 else balance > 0,
        len(labels),
        purpose,
        votes,
    )


def _digest(labels: Iterable[StoredLabel]) -> str:
    """Return the digest of a set of labels: what each is of, by whom, and its value."""
    return digest_of(sorted({one.identity: one.passed for one in labels}.items()))

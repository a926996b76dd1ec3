"""What one row of a sheet is about: its run, its criterion, the one execution that was shown, and the answer."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from oloproof.config import suggestion
from oloproof.labels.cells import protected, unprotected
from oloproof.labels.csv_files import SheetRow
from oloproof.labels.gathering import shown_of
from oloproof.labels.identity import label_identity, person
from oloproof.labels.problems import LabelsError, criterion_number
from oloproof.labels.sampling import Place, members_of, reserved
from oloproof.storage import History, StoredRun
from oloproof.storage.labels import Labels, Purpose, ShownTrial, StoredLabel

ANSWERS: dict[str, bool | None] = {
    "pass": True,
    "true": True,
    "yes": True,
    "1": True,
    "fail": False,
    "false": False,
    "no": False,
    "0": False,
    "unsure": None,
}
MAX_NAME = 200
_COMPARED = 2_000
"""Cases among which the one that a wrong id meant is looked for."""


class Answer(Struct, frozen=True):
    """What a person said: pass, fail, or unsure (None)."""

    value: bool | None


class Shown(Struct, frozen=True):
    """The execution that a row is about. ``picked`` says that it stands in no sample of its run."""

    run: int
    criterion: str
    execution: int
    case_id: str
    variant: str
    repeat: int
    digest: str
    purpose: Purpose
    picked: bool

    def label(self, who: str, guide: str, passed: bool | None, note: str | None) -> StoredLabel:
        """Return what a person says of it; ``passed`` is None for unsure."""
        return StoredLabel(
            identity=label_identity(self.digest, self.criterion, guide, who),
            shown=self.digest,
            criterion=self.criterion,
            guide=guide,
            labelled_by=who,
            purpose=self.purpose,
            passed=passed,
            note=note,
            run=self.run,
            execution=self.execution,
            case_id=self.case_id,
            variant=self.variant,
            repeat=self.repeat,
        )


def passed_of(row: SheetRow) -> Answer:
    """Return the answer in a row; programs write 1 and 0 among gaps as ``1.0`` and ``0.0``.

    Raises:
        LabelsError: it is none of the accepted words.
    """
    word = unprotected(row.get("passed")).strip().casefold()
    word = word[0] if word in ("1.0", "0.0") else word
    if word not in ANSWERS:
        hint = suggestion(word, list(ANSWERS), "accepted")
        raise LabelsError(f"passed is {row.get('passed')[:40]!r}; {hint}, or empty for not yet")
    return Answer(ANSWERS[word])


def checked_person(name: str) -> str:
    """Return a person's name in the one form in which it is kept.

    Raises:
        LabelsError: it is empty, too long, or holds what cannot be printed.
    """
    who = person(name)
    if not who:
        raise LabelsError("it is not said who labelled it; give a name")
    if len(who) > MAX_NAME or not who.isprintable():
        raise LabelsError(f"a name is at most {MAX_NAME} printable characters, found {who[:40]!r}")
    return who


class Claims(Struct):
    """Finds what rows are about; runs and samples that several rows name are read once."""

    history: History
    _runs: dict[str, StoredRun] = field(default_factory=dict)
    _samples: dict[tuple[int, str], dict[Place, Purpose]] = field(default_factory=dict)
    _reserved: dict[str, dict[str, str]] = field(default_factory=dict)
    _case_ids: dict[int, list[str]] = field(default_factory=dict)

    def shown(self, row: SheetRow, run: str | None) -> Shown:
        """Return what a row is about; ``run`` is meant where it names none.

        Raises:
            LabelsError: it cannot be told, does not fit together, or may not be labelled.
            RunNotFound: there is no such run.
        """
        found = self._run(row.get("run") or run)
        criterion = self.text(row, "criterion")
        criterion_number(found, criterion)
        trial = self._trial(row, found)
        if trial.failed:
            raise LabelsError(
                f"the system failed on case {trial.case_id!r}, so nothing was shown that could be labelled"
            )
        purpose, picked = self._purpose(found, criterion, trial)
        return Shown(
            found.number,
            criterion,
            trial.execution,
            trial.case_id,
            trial.variant,
            trial.repeat,
            shown_of(trial),
            purpose,
            picked,
        )

    @staticmethod
    def text(row: SheetRow, column: str) -> str:
        """Return the text in a cell without the sign that keeps spreadsheets from running it."""
        return unprotected(row.get(column))

    def _run(self, name: str | None) -> StoredRun:
        if not name:
            raise LabelsError("the row does not say which run it is of; fill in run or give --run RUN")
        if name not in self._runs:
            self._runs[name] = self.history.find(name)
        return self._runs[name]

    def _trial(self, row: SheetRow, run: StoredRun) -> ShownTrial:
        """Return the one trial that the cells case_id, variant, repeat and execution agree on; empty ones fit all."""
        cell = row.get("case_id")
        trials = list(Labels(self.history.store).trials(run.number, [unprotected(cell)]))
        if not trials:
            if run.number not in self._case_ids:
                self._case_ids[run.number] = self.history.case_ids(run)[:_COMPARED]
            hint = suggestion(unprotected(cell), self._case_ids[run.number], "it begins with")
            raise LabelsError(f"run {run.id} has no case {unprotected(cell)!r}; {_short(hint)}")
        fitting = [trial for trial in trials if _fits(row, trial)]
        if len(fitting) != 1:
            raise LabelsError(_disagreement(row, trials, fitting))
        return fitting[0]

    def _purpose(self, run: StoredRun, criterion: str, trial: ShownTrial) -> tuple[Purpose, bool]:
        """Return what a label of a trial serves, and whether the trial stands in no sample of its run.

        Raises:
            LabelsError: its case is held by a validation sample that shows another execution of it.
        """
        place = Place(trial.case_id, trial.variant, trial.repeat)
        purpose = self._sampled(run, criterion).get(place)
        if purpose is not None:
            return purpose, False
        if criterion not in self._reserved:
            self._reserved[criterion] = reserved(self.history, Labels(self.history.store), criterion)
        holder = self._reserved[criterion].get(trial.case_id)
        if holder is not None:
            raise LabelsError(
                f"case {trial.case_id!r} is in the validation sample of run {holder}; a label from outside that sample "
                "would spoil it, so label the row that oloproof labels export writes"
            )
        return "develop", True

    def _sampled(self, run: StoredRun, criterion: str) -> dict[Place, Purpose]:
        """Return the executions in the samples of a run with their purpose, validation before development."""
        key = (run.number, criterion)
        if key not in self._samples:
            labels = Labels(self.history.store)
            found: dict[Place, Purpose] = {}
            for sample in sorted(labels.samples(criterion=criterion, run=run.number), key=lambda one: one.purpose):
                found.update(dict.fromkeys(members_of(self.history, labels, run, sample), sample.purpose))
            self._samples[key] = found
        return self._samples[key]


def _fits(row: SheetRow, trial: ShownTrial) -> bool:
    """Whether every cell that is filled in is true of a trial; programs write a number among gaps as ``12.0``."""
    given = {name: row.get(name) for name in ("variant", "repeat", "execution")}
    there = {"variant": protected(trial.variant), "repeat": str(trial.repeat), "execution": str(trial.execution)}
    return all(not cell or cell in (there[name], f"{there[name]}.0") for name, cell in given.items())


def _disagreement(row: SheetRow, trials: Sequence[ShownTrial], fitting: Sequence[ShownTrial]) -> str:
    given = ", ".join(f"{name} {row.get(name)}" for name in ("variant", "repeat", "execution") if row.get(name))
    known = "; ".join(f"variant {one.variant}, repeat {one.repeat}, execution {one.execution}" for one in trials[:5])
    case = trials[0].case_id
    if fitting:
        return f"case {case!r} has {len(trials)} executions and the row does not say which was shown: {known}"
    return f"case {case!r} of this run has no {given}; it has {known}"


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:119] + "…"

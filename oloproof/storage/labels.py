"""Blind samples, what people said of them, and each look at their labels: rows in, records out."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from sqlite3 import Connection, Row
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import asdict, replace

from oloproof.records import MediaItem
from oloproof.storage.rows import media_from_text, storable, to_text
from oloproof.storage.sql import insert, marks
from oloproof.storage.store import Store

Purpose = Literal["validate", "develop"]
_AT_ONCE = 500
"""Values in one ``IN (…)``: SQLite takes a thousand everywhere."""

_LOOKS = "SELECT coalesce(max(look), 0) FROM validations WHERE criterion = ? AND label_set = ?"


class StoredSample(Struct, frozen=True):
    """A sample as drawn. ``run`` is the number of its run, ``judge`` the digest of the evaluator at that time.

    ``size`` is how many places of the order that ``seed`` gives it takes, ``frame`` how many there are; those that
    may not be in it are passed over, so it can hold fewer cases than places.
    """

    id: str
    run: int
    criterion: str
    judge: str
    purpose: Purpose
    seed: str
    size: int
    frame: int
    created: float = 0.0


class StoredLabel(Struct, frozen=True):
    """What one person said of what was shown; digests are hexadecimal. ``passed`` is None for unsure.

    ``run`` (its number), ``execution``, ``case_id``, ``variant`` and ``repeat`` say where it was shown first.
    """

    identity: str
    shown: str
    criterion: str
    guide: str
    labelled_by: str
    purpose: Purpose
    passed: bool | None
    note: str | None
    run: int
    execution: int
    case_id: str
    variant: str
    repeat: int
    created: float = 0.0


class StoredValidation(Struct, frozen=True):
    """One look at the labels of a criterion with one judge, and what it concluded; digests are hexadecimal."""

    criterion: str
    judge: str
    label_set: str
    look: int
    state: str
    reason: str
    document: Mapping[str, Any]
    time: float = 0.0


class ShownTrial(Struct, frozen=True):
    """One trial with what a person is shown of it; ``row`` is its place in the table."""

    row: int
    case_id: str
    variant: str
    repeat: int
    execution: int
    input: Any
    output: Any
    expected: Any
    media: tuple[MediaItem, ...]
    failed: bool


class Added(Struct, frozen=True):
    """What became of labels that were to be added; with ``conflicts`` (identities) nothing was written."""

    added: int = 0
    unchanged: int = 0
    replaced: int = 0
    conflicts: tuple[str, ...] = ()


class Labels:
    """The samples, labels and validations of one project. Each call is one transaction."""

    def __init__(self, store: Store) -> None:
        self.store = store

    # samples

    def keep_sample(self, sample: StoredSample) -> StoredSample:
        """Store a sample, or extend the one that the run has already, and return it as stored.

        A run has one validation sample a criterion, whatever its seed, and one develop sample a criterion and seed.
        """
        match = {"run": sample.run, "criterion": sample.criterion, "purpose": sample.purpose}
        if sample.purpose == "develop":
            match["seed"] = sample.seed
        where, values = _where(match)
        with self.store.writing() as connection:
            row = connection.execute(f"SELECT * FROM samples {where}", values).fetchone()
            if row is None:
                kept = replace(sample, seed=storable(sample.seed), created=time.time())
                insert(connection, "samples", _values(kept, "judge"))
                return kept
            kept = _sample(row)
            if sample.size > kept.size and sample.seed == kept.seed:
                kept = replace(kept, size=sample.size)
                connection.execute("UPDATE samples SET size = ? WHERE id = ?", (kept.size, kept.id))
        return kept

    def samples(
        self, *, criterion: str | None = None, run: int | None = None, purpose: Purpose | None = None
    ) -> list[StoredSample]:
        """Return the samples of a criterion, run or purpose, the one kept last first, whatever the clock said then."""
        where, values = _where({"criterion": criterion, "run": run, "purpose": purpose})
        rows = self.store.rows(f"SELECT * FROM samples {where} ORDER BY rowid DESC", values)
        return [_sample(row) for row in rows]

    def spend(self, sample: StoredSample, shown: Iterable[str]) -> int:
        """Turn a validation sample into a develop one, with every label of what was ``shown``; returns how many.

        It was seen beside its verdicts, so no judge may be validated on it any more.
        """
        spent = 0
        with self.store.writing() as connection:
            connection.execute("UPDATE samples SET purpose = 'develop' WHERE id = ?", (sample.id,))
            for part in _parts(sorted(set(shown))):
                query = f"""
                    UPDATE labels SET purpose = 'develop'
                    WHERE criterion = ? AND purpose = 'validate' AND shown IN {marks(part)}
                """
                spent += connection.execute(query, (sample.criterion, *_blobs(part))).rowcount
        return spent

    # labels

    def add(self, new: Sequence[StoredLabel], *, replacing: bool = False) -> Added:
        """Store labels, all or none of them.

        A label of the same identity stays as it is when its value is the same (a new note is taken over), and is a
        conflict when it is another, unless ``replacing``. Its purpose never changes here.
        """
        with self.store.writing() as connection:
            known = {one.identity: one for one in _known(connection, [one.identity for one in new])}
            other = [one for one in new if one.identity in known and known[one.identity].passed is not one.passed]
            if other and not replacing:
                return Added(conflicts=tuple(one.identity for one in other))
            fresh = [one for one in new if one.identity not in known]
            now = time.time()
            for one in fresh:
                insert(connection, "labels", _values(replace(one, created=now), "identity", "shown"))
            for one in other:
                _amend(connection, one, passed=_number(one.passed), created=now)
            for one in new:
                if one.note is not None and one.identity in known:
                    _amend(connection, one, note=storable(one.note))
        return Added(len(fresh), len(new) - len(fresh) - len(other), len(other))

    def find(self, identities: Sequence[str]) -> dict[str, StoredLabel]:
        """Return the labels that have one of these identities, by identity."""
        with self.store.reading() as connection:
            return {one.identity: one for one in _known(connection, identities)}

    def labels(
        self, *, criterion: str | None = None, run: int | None = None, purpose: Purpose | None = None
    ) -> list[StoredLabel]:
        """Return labels, oldest first; ``run`` is where they were shown first."""
        where, values = _where({"criterion": criterion, "run": run, "purpose": purpose})
        return [_label(row) for row in self.store.rows(f"SELECT * FROM labels {where} ORDER BY id", values)]

    def counts(self) -> dict[str, dict[Purpose, int]]:
        """Return how many labels each criterion has, by purpose; a criterion with a sample and no label is there."""
        found: dict[str, dict[Purpose, int]] = {}
        counted = "SELECT criterion, purpose, count(*) FROM labels GROUP BY criterion, purpose"
        for criterion, purpose, count in self.store.rows(counted):
            found.setdefault(criterion, {"validate": 0, "develop": 0})[purpose] = count
        for (criterion,) in self.store.rows("SELECT DISTINCT criterion FROM samples"):
            found.setdefault(criterion, {"validate": 0, "develop": 0})
        return dict(sorted(found.items()))

    def trials(self, run: int, cases: Sequence[str]) -> Iterator[ShownTrial]:
        """Yield the trials of these cases of a run (its number), a batch of cases after the other."""
        for part in _parts([storable(case) for case in cases]):
            # sorted here: an ORDER BY makes SQLite walk through the whole run for the order instead of these cases
            query = f"""
                SELECT trials.position, trials.id, trials.case_id, trials.variant, trials.repeat, trials.expected,
                    trials.execution, executions.input, executions.output, executions.media, executions.error
                FROM trials JOIN executions ON executions.id = trials.execution
                WHERE trials.run = ? AND trials.case_id IN {marks(part)}
            """
            rows = sorted(self.store.rows(query, (run, *part)), key=lambda row: int(row["position"]))
            yield from map(_shown, rows)

    def saw(self, trials: Sequence[int], evaluator: int) -> dict[int, Mapping[str, Any]]:
        """Return what an evaluator of the run saw of each of these trials (rows), where it is a judge that said so."""
        found: dict[int, Mapping[str, Any]] = {}
        for part in _parts(trials):
            query = f"""
                SELECT judged.trial, judgements.saw FROM judged JOIN judgements ON judgements.id = judged.judgement
                WHERE judged.evaluator = ? AND judged.trial IN {marks(part)}
            """
            found |= {trial: json.loads(saw) for trial, saw in self.store.rows(query, (evaluator, *part))}
        return found

    # validations

    def add_validation(self, validation: StoredValidation, *, again: bool = False) -> bool:
        """Append one look at the labels of a criterion; earlier ones stay. Returns whether it was appended.

        It is not where somebody else took the look of this number at the same moment; ``again`` says that it is an
        earlier look, told once more.
        """
        values = _values(replace(validation, time=time.time()), "judge", "label_set")
        series = (validation.criterion, bytes.fromhex(validation.label_set))
        with self.store.writing() as connection:
            if not again and validation.look <= connection.execute(_LOOKS, series).fetchone()[0]:
                return False
            insert(connection, "validations", {**values, "document": to_text(validation.document)})
        return True

    def validations(self, *, criterion: str | None = None) -> list[StoredValidation]:
        """Return the validations of a criterion, newest first."""
        where, values = _where({"criterion": criterion})
        rows = self.store.rows(f"SELECT * FROM validations {where} ORDER BY id DESC", values)
        return [_validation(row) for row in rows]

    def looks(self, criterion: str, label_set: str) -> int:
        """Return how often this set of labels was looked at so far, over all judges tried on it."""
        return int(self.store.scalar(_LOOKS, (criterion, bytes.fromhex(label_set))))


def _where(wanted: Mapping[str, Any]) -> tuple[str, tuple[Any, ...]]:
    """Return the condition that columns hold what is wanted, with its values; None is anything."""
    given = {name: storable(value) if isinstance(value, str) else value for name, value in wanted.items()}
    asked = {name: value for name, value in given.items() if value is not None}
    where = " AND ".join(f"{name} = ?" for name in asked)
    return f"WHERE {where}" if where else "", tuple(asked.values())


def _parts(values: Sequence[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(values), _AT_ONCE):
        yield list(values[start : start + _AT_ONCE])


def _blobs(digests: Iterable[str]) -> list[bytes]:
    return [bytes.fromhex(one) for one in digests]


def _known(connection: Connection, identities: Sequence[str]) -> Iterator[StoredLabel]:
    for part in _parts(identities):
        query = f"SELECT * FROM labels WHERE identity IN {marks(part)}"
        yield from map(_label, connection.execute(query, _blobs(part)).fetchall())


def _amend(connection: Connection, label: StoredLabel, **values: Any) -> None:
    changes = ", ".join(f"{name} = ?" for name in values)
    connection.execute(
        f"UPDATE labels SET {changes} WHERE identity = ?", (*values.values(), bytes.fromhex(label.identity))
    )


def _number(passed: bool | None) -> int | None:
    return None if passed is None else int(passed)


def _values(record: Struct, *digests: str) -> dict[str, Any]:
    """Return a record as the values of a row; the fields in ``digests`` become bytes."""
    values: dict[str, Any] = {}
    for name, value in asdict(record).items():
        if name in digests:
            values[name] = bytes.fromhex(value)
        else:
            values[name] = storable(value) if isinstance(value, str) else value
    return values


def _sample(row: Row) -> StoredSample:
    return StoredSample(**{**dict(row), "judge": row["judge"].hex()})


def _label(row: Row) -> StoredLabel:
    values = {name: value for name, value in dict(row).items() if name != "id"}
    passed = None if row["passed"] is None else bool(row["passed"])
    return StoredLabel(**{**values, "identity": row["identity"].hex(), "shown": row["shown"].hex(), "passed": passed})


def _shown(row: Row) -> ShownTrial:
    return ShownTrial(
        row["id"],
        row["case_id"],
        row["variant"],
        row["repeat"],
        row["execution"],
        json.loads(row["input"]),
        None if row["output"] is None else json.loads(row["output"]),
        json.loads(row["expected"]) if row["expected"] else None,
        media_from_text(row["media"], row["execution"]),
        row["error"] is not None,
    )


def _validation(row: Row) -> StoredValidation:
    values = {name: value for name, value in dict(row).items() if name != "id"}
    read = {"judge": row["judge"].hex(), "label_set": row["label_set"].hex(), "document": json.loads(row["document"])}
    return StoredValidation(**{**values, **read})

"""Blind samples, what people said of them, and each look at their labels: rows in, records out."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import Connection, Table, func, insert, select, update

from oloproof.records import MediaItem
from oloproof.storage.rows import media_from_text, storable, to_text
from oloproof.storage.schema import executions, judged, judgements, labels, samples, trials, validations
from oloproof.storage.store import Store

Purpose = Literal["validate", "develop"]
_AT_ONCE = 500
"""Values in one ``IN (…)``: SQLite takes a thousand everywhere."""


@dataclass(frozen=True, slots=True)
class StoredSample:
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


@dataclass(frozen=True, slots=True)
class StoredLabel:
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


@dataclass(frozen=True, slots=True)
class StoredValidation:
    """One look at the labels of a criterion with one judge, and what it concluded; digests are hexadecimal."""

    criterion: str
    judge: str
    label_set: str
    look: int
    state: str
    reason: str
    document: Mapping[str, Any]
    time: float = 0.0


@dataclass(frozen=True, slots=True)
class ShownTrial:
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


@dataclass(frozen=True, slots=True)
class Added:
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
        c = samples.c
        same = (c.run == sample.run) & (c.criterion == sample.criterion) & (c.purpose == sample.purpose)
        if sample.purpose == "develop":
            same &= c.seed == storable(sample.seed)
        with self.store.writing() as connection:
            row = connection.execute(select(samples).where(same)).first()
            if row is None:
                kept = replace(sample, seed=storable(sample.seed), created=time.time())
                connection.execute(insert(samples).values(_values(samples, kept, "judge")))
                return kept
            kept = _sample(row)
            if sample.size > kept.size and sample.seed == kept.seed:
                kept = replace(kept, size=sample.size)
                connection.execute(update(samples).where(c.id == kept.id).values(size=kept.size))
        return kept

    def samples(
        self, *, criterion: str | None = None, run: int | None = None, purpose: Purpose | None = None
    ) -> list[StoredSample]:
        """Return the samples of a criterion, run or purpose, newest first."""
        query = _narrowed(select(samples), samples, criterion=criterion, run=run, purpose=purpose)
        return [_sample(row) for row in self._rows(query.order_by(samples.c.created.desc(), samples.c.id))]

    def spend(self, sample: StoredSample, shown: Iterable[str]) -> int:
        """Turn a validation sample into a develop one, with every label of what was ``shown``; returns how many.

        It was seen beside its verdicts, so no judge may be validated on it any more.
        """
        spent = 0
        c = labels.c
        with self.store.writing() as connection:
            connection.execute(update(samples).where(samples.c.id == sample.id).values(purpose="develop"))
            for part in _parts(sorted(set(shown))):
                match = (c.criterion == sample.criterion) & (c.purpose == "validate") & c.shown.in_(_blobs(part))
                spent += connection.execute(update(labels).where(match).values(purpose="develop")).rowcount
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
            if fresh:
                rows = [_values(labels, replace(one, created=now), "identity", "shown") for one in fresh]
                connection.execute(insert(labels), rows)
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
        query = _narrowed(select(labels), labels, criterion=criterion, run=run, purpose=purpose)
        return [_label(row) for row in self._rows(query.order_by(labels.c.id))]

    def counts(self) -> dict[str, dict[Purpose, int]]:
        """Return how many labels each criterion has, by purpose; a criterion with a sample and no label is there."""
        c = labels.c
        found: dict[str, dict[Purpose, int]] = {}
        for row in self._rows(select(c.criterion, c.purpose, func.count()).group_by(c.criterion, c.purpose)):
            found.setdefault(row[0], {"validate": 0, "develop": 0})[row[1]] = row[2]
        for row in self._rows(select(samples.c.criterion).distinct()):
            found.setdefault(row[0], {"validate": 0, "develop": 0})
        return dict(sorted(found.items()))

    def trials(self, run: int, cases: Sequence[str]) -> Iterator[ShownTrial]:
        """Yield the trials of these cases of a run (its number), a batch of cases after the other."""
        t, e = trials.c, executions.c
        columns = (
            t.position,
            t.id,
            t.case_id,
            t.variant,
            t.repeat,
            t.expected,
            t.execution,
            e.input,
            e.output,
            e.media,
            e.error,
        )
        query = select(*columns).select_from(trials.join(executions)).where(t.run == run)
        for part in _parts([storable(case) for case in cases]):
            # sorted here: an ORDER BY makes SQLite walk through the whole run for the order instead of these cases
            rows = sorted(self._rows(query.where(t.case_id.in_(part))), key=lambda row: int(row.position))
            yield from map(_shown, rows)

    def saw(self, trials: Sequence[int], evaluator: int) -> dict[int, Mapping[str, Any]]:
        """Return what an evaluator of the run saw of each of these trials (rows), where it is a judge that said so."""
        query = select(judged.c.trial, judgements.c.saw).join(judgements).where(judged.c.evaluator == evaluator)
        return {
            row.trial: json.loads(row.saw)
            for part in _parts(trials)
            for row in self._rows(query.where(judged.c.trial.in_(part)))
        }

    # validations

    def add_validation(self, validation: StoredValidation) -> None:
        """Append one look at the labels of a criterion; earlier ones stay."""
        values = _values(validations, replace(validation, time=time.time()), "judge", "label_set")
        with self.store.writing() as connection:
            connection.execute(insert(validations).values({**values, "document": to_text(validation.document)}))

    def validations(self, *, criterion: str | None = None) -> list[StoredValidation]:
        """Return the validations of a criterion, newest first."""
        query = _narrowed(select(validations), validations, criterion=criterion)
        return [_validation(row) for row in self._rows(query.order_by(validations.c.id.desc()))]

    def looks(self, criterion: str, label_set: str) -> int:
        """Return how often this set of labels was looked at so far, over all judges tried on it."""
        c = validations.c
        match = (c.criterion == criterion) & (c.label_set == bytes.fromhex(label_set))
        with self.store.reading() as connection:
            return int(connection.scalar(select(func.count()).select_from(validations).where(match)) or 0)

    def _rows(self, query: Any) -> list[Any]:
        with self.store.reading() as connection:
            return list(connection.execute(query).all())


def _narrowed(query: Any, table: Table, **wanted: Any) -> Any:
    """Return the query for the rows whose columns hold what is wanted; None is anything."""
    for name, value in wanted.items():
        if value is not None:
            query = query.where(table.c[name] == (storable(value) if isinstance(value, str) else value))
    return query


def _parts(values: Sequence[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(values), _AT_ONCE):
        yield list(values[start : start + _AT_ONCE])


def _blobs(digests: Iterable[str]) -> list[bytes]:
    return [bytes.fromhex(one) for one in digests]


def _known(connection: Connection, identities: Sequence[str]) -> Iterator[StoredLabel]:
    for part in _parts(identities):
        for row in connection.execute(select(labels).where(labels.c.identity.in_(_blobs(part)))):
            yield _label(row)


def _amend(connection: Connection, label: StoredLabel, **values: Any) -> None:
    match = labels.c.identity == bytes.fromhex(label.identity)
    connection.execute(update(labels).where(match).values(**values))


def _number(passed: bool | None) -> int | None:
    return None if passed is None else int(passed)


def _values(table: Table, record: Any, *digests: str) -> dict[str, Any]:
    """Return a record as the values of a row; the fields in ``digests`` become bytes."""
    values: dict[str, Any] = {}
    for column in table.columns:
        name = column.name
        value: Any = getattr(record, name, None)
        if name in digests:
            values[name] = bytes.fromhex(value)
        elif name != "id" or value is not None:
            values[name] = storable(value) if isinstance(value, str) else value
    return values


def _sample(row: Any) -> StoredSample:
    return StoredSample(**{**row._mapping, "judge": row.judge.hex()})


def _label(row: Any) -> StoredLabel:
    fields = {name: value for name, value in row._mapping.items() if name != "id"}
    passed = None if row.passed is None else bool(row.passed)
    return StoredLabel(**{**fields, "identity": row.identity.hex(), "shown": row.shown.hex(), "passed": passed})


def _shown(row: Any) -> ShownTrial:
    return ShownTrial(
        row.id,
        row.case_id,
        row.variant,
        row.repeat,
        row.execution,
        json.loads(row.input),
        None if row.output is None else json.loads(row.output),
        json.loads(row.expected) if row.expected else None,
        media_from_text(row.media, row.execution),
        row.error is not None,
    )


def _validation(row: Any) -> StoredValidation:
    fields = {name: value for name, value in row._mapping.items() if name != "id"}
    texts = {"judge": row.judge.hex(), "label_set": row.label_set.hex(), "document": json.loads(row.document)}
    return StoredValidation(**{**fields, **texts})

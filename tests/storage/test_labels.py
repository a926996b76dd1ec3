"""Samples, labels and validations in the database: whole or not at all, and back as they were."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from oloproof.digests import digest_of_text
from oloproof.errors import StorageError
from oloproof.storage.labels import Labels, StoredLabel, StoredSample, StoredValidation
from oloproof.storage.sql import insert, insert_into
from tests.storage.conftest import Base, entry, item


def sample(**values: Any) -> StoredSample:
    given: dict[str, Any] = {
        "id": "s1", "run": 1, "criterion": "checked", "judge": "ab" * 32, "purpose": "validate", "seed": "seed",
        "size": 5, "frame": 9,
    }  # fmt: skip
    return StoredSample(**{**given, **values})


def label(name: str = "a", **values: Any) -> StoredLabel:
    given: dict[str, Any] = {
        "identity": digest_of_text(name), "shown": digest_of_text("shown"), "criterion": "checked", "guide": "1",
        "labelled_by": "ann", "purpose": "validate", "passed": True, "note": None, "run": 1, "execution": 1,
        "case_id": "c0", "variant": "original", "repeat": 0,
    }  # fmt: skip
    return StoredLabel(**{**given, **values})


def validation(**values: Any) -> StoredValidation:
    given: dict[str, Any] = {
        "criterion": "checked", "judge": "ab" * 32, "label_set": "cd" * 32, "look": 1, "state": "VALIDATED",
        "reason": "r", "document": {"tpr": [0.8, 1.0], "ü": None},
    }  # fmt: skip
    return StoredValidation(**{**given, **values})


JUDGED = {"evaluators": [{"criterion": name, "calls_model": True} for name in ("checked", "seen")]}


@pytest.fixture
def labels(base: Base) -> Labels:
    for _ in range(2):
        base.store.append(base.begin(document=JUDGED), [entry(0)])
    return Labels(base.store)


def test_the_newest_sample_is_the_one_kept_last_though_the_clock_was_set_back(
    labels: Labels, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judges are validated on the newest: a correction of the clock brings no older one back."""
    for ident, run, now in (("z", 1, 2_000.0), ("a", 2, 1_000.0)):
        monkeypatch.setattr("oloproof.storage.labels.time.time", lambda now=now: now)
        labels.keep_sample(sample(id=ident, run=run))
    labels.keep_sample(sample(id="again", run=1, size=9))
    assert [one.id for one in labels.samples()] == ["a", "z"]


def test_a_sample_comes_back_and_grows_only(labels: Labels) -> None:
    kept = labels.keep_sample(sample())
    assert kept.created > 0
    assert labels.samples() == [kept]
    assert labels.keep_sample(sample(id="s2", size=8)) == replace(kept, size=8)
    assert labels.keep_sample(sample(id="s3", size=2)) == replace(kept, size=8)
    assert [one.size for one in labels.samples()] == [8]


def test_a_run_has_one_validation_sample_and_several_for_development(labels: Labels) -> None:
    kept = labels.keep_sample(sample())
    assert labels.keep_sample(sample(id="s2", seed="other", size=9)) == kept
    for number, seed in enumerate(("a", "b", "a")):
        labels.keep_sample(sample(id=f"d{number}", seed=seed, purpose="develop"))
    labels.keep_sample(sample(id="r2", run=2))
    labels.keep_sample(sample(id="x", criterion="seen"))
    assert {one.id for one in labels.samples()} == {"s1", "d0", "d1", "r2", "x"}
    assert [one.id for one in labels.samples(criterion="checked", run=1, purpose="validate")] == ["s1"]
    assert {one.id for one in labels.samples(purpose="develop")} == {"d0", "d1"}


def test_labels_come_back_as_they_were_added(labels: Labels) -> None:
    new = [label("a"), label("b", passed=False, note="é\n=1"), label("c", passed=None, purpose="develop", run=2)]
    added = labels.add(new)
    assert (added.added, added.unchanged, added.replaced, added.conflicts) == (3, 0, 0, ())
    stored = labels.labels()
    assert [replace(one, created=0.0) for one in stored] == new
    assert labels.find([new[1].identity, "00" * 32]) == {new[1].identity: stored[1]}
    assert [one.run for one in labels.labels(run=2)] == [2]
    assert [one.passed for one in labels.labels(criterion="checked", purpose="validate")] == [True, False]
    assert labels.labels(criterion="none") == []


def test_another_answer_is_a_conflict_and_then_nothing_is_written(labels: Labels) -> None:
    labels.add([label("a"), label("u", passed=None)])
    before = labels.labels()
    added = labels.add([label("new"), label("a", passed=False), label("u", passed=False)])
    assert added.conflicts == (digest_of_text("a"), digest_of_text("u"))
    assert labels.labels() == before


def test_the_same_answer_again_takes_over_a_note_and_nothing_else(labels: Labels) -> None:
    labels.add([label("a", note="first")])
    (before,) = labels.labels()
    assert labels.add([label("a", run=2, purpose="develop")]).unchanged == 1
    assert labels.labels() == [before]
    labels.add([label("a", note="second")])
    assert labels.labels() == [replace(before, note="second")]


def test_a_replaced_answer_keeps_its_purpose(labels: Labels) -> None:
    labels.add([label("a", purpose="develop")])
    added = labels.add([label("a", passed=None), label("b")], replacing=True)
    assert (added.added, added.replaced, added.conflicts) == (1, 1, ())
    assert [(one.passed, one.purpose) for one in labels.labels()] == [(None, "develop"), (True, "validate")]


def test_labels_are_kept_whole_or_not_at_all(labels: Labels) -> None:
    with pytest.raises(StorageError):
        labels.add([label("a"), label("b", run=99)])
    assert labels.labels() == []


def test_more_labels_than_one_statement_takes_are_found(labels: Labels) -> None:
    many = [label(str(number)) for number in range(1_203)]
    labels.add(many)
    assert labels.add(many).unchanged == 1_203
    assert len(labels.find([one.identity for one in many])) == 1_203


def test_spending_turns_a_sample_and_the_labels_of_what_was_shown(labels: Labels) -> None:
    kept = labels.keep_sample(sample())
    other = digest_of_text("elsewhere")
    labels.add([label("a"), label("b", run=2), label("c", shown=other), label("d", criterion="seen")])
    assert labels.spend(kept, [label().shown, label().shown]) == 2
    assert [one.purpose for one in labels.labels()] == ["develop", "develop", "validate", "validate"]
    assert [one.purpose for one in labels.samples()] == ["develop"]
    assert labels.spend(kept, [label().shown]) == 0


def test_labels_are_counted_by_criterion_and_purpose(labels: Labels) -> None:
    assert labels.counts() == {}
    labels.keep_sample(sample(criterion="seen"))
    labels.add([label("a"), label("b"), label("c", purpose="develop")])
    assert labels.counts() == {"checked": {"validate": 2, "develop": 1}, "seen": {"validate": 0, "develop": 0}}


def test_looks_are_counted_over_all_judges_for_one_criterion_and_set(labels: Labels) -> None:
    assert labels.looks("checked", "cd" * 32) == 0
    for look, judge in enumerate(("ab" * 32, "ef" * 32), 1):
        assert labels.add_validation(validation(judge=judge, look=look))
    assert not labels.add_validation(validation(look=2))  # somebody else was first
    assert labels.add_validation(validation(look=1), again=True)
    labels.add_validation(validation(label_set="00" * 32))
    labels.add_validation(validation(criterion="seen"))
    assert labels.looks("checked", "cd" * 32) == 2
    assert labels.looks("seen", "cd" * 32) == 1


def test_validations_come_back_newest_first_with_their_time(labels: Labels) -> None:
    for look in (1, 2):
        labels.add_validation(validation(look=look))
    labels.add_validation(validation(criterion="seen"))
    found = labels.validations(criterion="checked")
    assert [replace(one, time=0.0) for one in found] == [validation(look=2), validation(look=1)]
    assert all(one.time > 0 for one in found)
    assert len(labels.validations()) == 3


def test_what_a_judge_saw_is_told_by_trial(base: Base, labels: Labels) -> None:
    rows = [trial.row for run in base.history.runs() for trial in base.history.trials(run)]
    with base.store.writing() as connection:
        for number, saw in enumerate(('{"parts":[1]}', '{"parts":[2]}'), 1):
            values = {"id": number, "key": b"k", "judge": b"j", "verdicts": "[]", "saw": saw, "kept": 1, "created": 0.0}
            insert(connection, "judgements", values)
        judged = insert_into("judged", "trial", "evaluator", "judgement")
        connection.executemany(judged, [(rows[0], 1, 1), (rows[1], 0, 2)])
    assert labels.saw(rows, 1) == {rows[0]: {"parts": [1]}}
    assert labels.saw(rows, 0) == {rows[1]: {"parts": [2]}}
    assert labels.saw([], 0) == {}


def test_the_trials_of_cases_come_with_what_was_shown_in_the_order_of_the_run(base: Base) -> None:
    media = (item("a.png"),)
    run = base.begin(document=JUDGED)
    for index in (3, 1, 0, 2):
        base.store.append(
            run, [entry(index, index, case=f"c{index // 2}", repeat=index % 2, media=media, expected=[1])]
        )
    base.store.append(run, [entry(4, error="broke")])
    base.complete(entry(0, "of another run"))
    found = list(Labels(base.store).trials(run.number, ["c1", "c0", "c4", "gone"]))
    assert [(one.case_id, one.repeat, one.output, one.failed) for one in found] == [
        ("c0", 0, 0, False), ("c0", 1, 1, False), ("c1", 0, 2, False), ("c1", 1, 3, False), ("c4", 0, None, True),
    ]  # fmt: skip
    by_history = {trial.row: trial for trial in base.history.trials(base.history.find(run.id))}
    for one in found:
        trial = by_history[one.row]
        assert (one.execution, one.input, one.expected) == (trial.execution_id, trial.input, trial.expected)
        assert one.media == trial.execution.media


@pytest.mark.parametrize("text", ["\udcff", "\0", "' OR 1=1; --", "🏴‍☠️", "%_\\"], ids=ascii)
def test_hostile_text_is_stored(labels: Labels, text: str) -> None:
    labels.add([label("a", note=text, labelled_by=text, case_id=text, guide=text)])
    (one,) = labels.labels()
    assert one.note == one.guide == one.labelled_by == text.encode("utf-8", "backslashreplace").decode()
    assert labels.keep_sample(sample(seed=text)).seed == one.note

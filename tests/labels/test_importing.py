"""Sheets come back: every row is checked, what was shown is told by the database, all labels are kept or none."""

from __future__ import annotations

import codecs
import csv

import pytest

from oloproof.labels.csv_files import COLUMNS
from oloproof.labels.problems import LabelsError
from tests.labels.conftest import PASSED, Labelling, Row, sheet_of_rows
from tests.storage.conftest import entry


def values(desk: Labelling) -> dict[tuple[str, str], bool | None]:
    return {(label.case_id, label.labelled_by): label.passed for label in desk.labels.labels()}


def refused(desk: Labelling, rows: list[Row] | str | bytes, **more: object) -> list[str]:
    """Return the lines and words with which a sheet is refused, after checking that nothing was kept of it."""
    before = desk.labels.labels()
    with pytest.raises(LabelsError) as caught:
        desk.take(rows, **more)
    assert desk.labels.labels() == before
    return str(caught.value).replace(str(desk.root / "sheet.csv"), "sheet").split("\n")


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        (("pass", "PASS", "Pass", "true", "TRUE", "yes", "Yes", "1", "1.0", " pass "), True),
        (("fail", "FAIL", "false", "False", "no", "NO", "0", "0.0"), False),
        (("unsure", "Unsure", "UNSURE"), None),
    ],
)
def test_every_accepted_word_means_what_it_says(desk: Labelling, words: tuple[str, ...], passed: bool | None) -> None:
    run = desk.plain_run(len(words))
    answers = {f"c{n}": word for n, word in enumerate(words)}
    imported = desk.answer(run, answers)
    assert (imported.added, imported.skipped) == (len(words), 0)
    assert set(values(desk).values()) == {passed}


def test_an_empty_answer_is_skipped_and_counted(desk: Labelling) -> None:
    imported = desk.answer(desk.plain_run(3), {"c1": "fail"})
    assert (imported.added, imported.skipped, dict(imported.purposes)) == (1, 2, {"validate": 1, "develop": 0})
    assert values(desk) == {("c1", "ann"): False}


def test_the_sheet_says_who_and_which_run_before_the_options_do(desk: Labelling) -> None:
    first, second = desk.plain_run(2), desk.plain_run(2, lambda n: f"other {n}")
    rows = [
        {"scenario_id": "c0", "run": first.id, "criterion": "good", "passed": "pass", "labelled_by": "bob"},
        {"scenario_id": "c0", "run": "", "criterion": "good", "passed": "fail", "labelled_by": ""},
    ]
    desk.take(rows, run=second.id)
    assert values(desk) == {("c0", "bob"): True, ("c0", "ann"): False}
    assert [label.run for label in desk.labels.labels()] == [first.number, second.number]


def test_every_mistake_is_told_at_once_with_its_line_and_nothing_is_kept(desk: Labelling) -> None:
    run = desk.plain_run(4)
    good, *rest = desk.sheet(run)
    rows = [
        {**good, "passed": "pass"},
        {**rest[0], "passed": "maybe"},
        {**rest[1], "passed": "passed", "case_id": "c99"},
        {**rest[2], "passed": "fail", "execution": "77"},
        {**rest[2], "passed": "fail", "criterion": "goood"},
        {**rest[2], "passed": "fail", "run": "nosuch"},
    ]
    told = refused(desk, rows, labelled_by="")
    assert [line.split("  ")[0] for line in told] == [f"sheet:{n}" for n in (2, 3, 4, 4, 5, 6, 7)]
    text = "\n".join(told)
    for words in (
        "does not say who labelled it; fill in labelled_by or give --by NAME (and so in 5 lines more)",
        "passed is 'maybe'; accepted: pass, true, yes, 1, fail, false, no, 0, unsure, or empty for not yet",
        "passed is 'passed'; did you mean pass?",
        "has no case 'c99'",
        "has no execution 77; it has variant original, repeat 0, execution",
        "has no criterion 'goood'; did you mean good?",
        "no run is called 'nosuch'",
    ):
        assert words.replace("has no execution 77", "execution 77") in text, words


def test_a_row_that_is_shown_elsewhere_than_it_says_is_refused(desk: Labelling) -> None:
    run = desk.judged_run(*[entry(n, n, case=f"c{n // 2}", repeat=n % 2) for n in range(4)])
    other = desk.plain_run(1)
    row = {"case_id": "c0", "run": run.id, "execution": "1", "variant": "original", "repeat": "0", "criterion": "good"}
    wrong = [
        {"repeat": "1"},
        {"variant": "dark"},
        {"execution": "2"},
        {"execution": "5", "run": run.id},
        {"case_id": "c1"},
    ]
    told = refused(desk, [{**row, **one, "passed": "pass"} for one in wrong])
    assert len(told) == 5
    assert all("of this run has no" in line for line in told)
    (told_once,) = refused(desk, [{"case_id": "c0", "run": run.id, "criterion": "good", "passed": "pass"}])
    assert "has 2 executions and the row does not say which was shown" in told_once
    (no_run,) = refused(desk, [{"case_id": "c0", "criterion": "good", "passed": "pass"}])
    assert "does not say which run it is of; fill in run or give --run" in no_run
    desk.take([{**row, "passed": "pass"}])
    desk.take([{"case_id": "c0", "run": other.id, "execution": "5.0", "criterion": "good", "passed": "1"}])


def test_a_failed_execution_shows_nothing_to_label(desk: Labelling) -> None:
    run = desk.judged_run(entry(0, error="broke"))
    (told,) = refused(desk, [{"case_id": "c0", "run": run.id, "criterion": "good", "passed": "fail"}])
    assert "the system failed on case 'c0', so nothing was shown" in told


def test_what_was_shown_is_told_by_the_database_and_never_by_the_sheet(desk: Labelling) -> None:
    run = desk.plain_run(1)
    (row,) = desk.sheet(run)
    desk.take([{**row, "passed": "pass", "output": "lies", "input": "lies", "media": "lies.png", "saw": "lies"}])
    (label,) = desk.labels.labels()
    desk.take([{**row, "passed": "pass"}])
    assert desk.labels.labels() == [label]


def test_the_same_answer_again_changes_nothing_and_another_is_refused_until_it_replaces(desk: Labelling) -> None:
    run = desk.plain_run(2)
    desk.answer(run, {"c0": "pass", "c1": "fail"})
    again = desk.answer(run, {"c0": "yes", "c1": "0"})
    assert (again.added, again.unchanged, again.replaced) == (0, 2, 0)
    rows = [{**row, "passed": "pass"} for row in desk.sheet(run)]
    line = 2 + [row["case_id"] for row in rows].index("c1")
    (told,) = refused(desk, rows)
    assert (
        told
        == f"sheet:{line}  ann said fail of this before, and says pass now; give --replace if the new answer is right"
    )
    replaced = desk.take(rows, replacing=True)
    assert (replaced.added, replaced.unchanged, replaced.replaced) == (0, 1, 1)
    assert set(values(desk).values()) == {True}


def test_persons_and_guides_do_not_stand_in_each_others_way(desk: Labelling) -> None:
    run = desk.plain_run(1)
    desk.answer(run, {"c0": "pass"}, who="ann")
    desk.answer(run, {"c0": "fail"}, who="bob")
    desk.answer(run, {"c0": "fail"}, who="ann", guide="2")
    assert [(label.labelled_by, label.guide, label.passed) for label in desk.labels.labels()] == [
        ("ann", "1", True), ("bob", "1", False), ("ann", "2", False),
    ]  # fmt: skip


def test_a_label_survives_a_rerun_that_shows_the_same_and_no_other(desk: Labelling) -> None:
    first = desk.plain_run(2)
    desk.answer(first, {"c0": "pass", "c1": "pass"})
    rerun = desk.plain_run(2)
    assert desk.answer(rerun, {"c0": "pass", "c1": "pass"}).unchanged == 2
    changed = desk.plain_run(2, lambda n: {"n": n} if n == 0 else "new")
    imported = desk.answer(changed, {"c0": "pass", "c1": "pass"})
    assert (imported.added, imported.unchanged) == (1, 1)


def test_two_rows_of_one_sheet_that_disagree_are_refused_and_that_agree_are_one(desk: Labelling) -> None:
    run = desk.plain_run(1)
    (row,) = desk.sheet(run)
    told = refused(desk, [{**row, "passed": "pass"}, {**row, "passed": "fail"}])
    assert told == ["sheet:3  ann says pass of the same in line 2 and fail here; keep one of the two"]
    imported = desk.take([{**row, "passed": "pass"}, {**row, "passed": "yes", "note": "sure"}])
    assert (imported.added, imported.unchanged) == (1, 1)
    assert [label.note for label in desk.labels.labels()] == ["sure"]


def test_a_label_serves_what_its_sample_was_drawn_for(desk: Labelling) -> None:
    run = desk.plain_run(10)
    validate, develop = desk.sheet(run, 3), desk.sheet(run, 3, purpose="develop")
    imported = desk.take([{**row, "passed": "pass"} for row in (*validate, *develop)])
    assert dict(imported.purposes) == {"validate": 3, "develop": 3}
    assert imported.notices == ()
    purposes = {label.case_id: label.purpose for label in desk.labels.labels()}
    assert [purposes[row["case_id"]] for row in (*validate, *develop)] == ["validate"] * 3 + ["develop"] * 3


def test_what_was_picked_by_hand_serves_development_with_a_notice(desk: Labelling) -> None:
    run = desk.plain_run(2)
    imported = desk.take([{"case_id": "c1", "run": run.id, "criterion": "good", "passed": "pass"}])
    assert dict(imported.purposes) == {"validate": 0, "develop": 1}
    assert [notice.code for notice in imported.notices] == ["picked_by_hand"]
    assert "1 row stands in no sample" in imported.notices[0].message


def test_what_is_picked_by_hand_cannot_spoil_a_validation_sample(desk: Labelling) -> None:
    run, other = desk.plain_run(3), desk.plain_run(3, lambda n: f"v2 {n}")
    desk.draw(run)
    (told,) = refused(desk, [{"case_id": "c1", "run": other.id, "criterion": "good", "passed": "pass"}])
    assert f"case 'c1' is in the validation sample of run {run.id}" in told
    desk.draw(other)
    assert desk.take([{"case_id": "c1", "run": other.id, "criterion": "good", "passed": "pass"}]).added == 1


def test_names_and_notes_are_kept_as_people_wrote_them(desk: Labelling) -> None:
    run = desk.plain_run(3)
    who = ["=ann", " Zoe\u0308  K ", "'bob"]
    rows = [
        {**row, "passed": "no", "labelled_by": one, "note": f"={one}\nline 2"}
        for row, one in zip(desk.sheet(run), who, strict=True)
    ]
    desk.take(rows)
    assert {label.labelled_by for label in desk.labels.labels()} == {"=ann", "Zoë K", "'bob"}
    assert desk.labels.labels()[0].note == "==ann\nline 2"
    (told,) = refused(desk, [{**rows[0], "labelled_by": "x" * 201}])
    assert "a name is at most 200 printable characters" in told


def test_a_sheet_may_come_back_as_a_spreadsheet_writes_it(desk: Labelling) -> None:
    run = desk.plain_run(2)
    rows = [{**row, "passed": "TRUE"} for row in desk.sheet(run)]
    text = sheet_of_rows(rows)
    assert "\r\n" in text
    blank = "," * (len(COLUMNS) - 1) + "\r\n"
    for data in (codecs.BOM_UTF8 + text.encode(), text.replace("\r\n", "\n").encode(), (text + blank).encode()):
        assert desk.take(data).skipped == 0
    assert len(desk.labels.labels()) == 2


@pytest.mark.parametrize("sign", [";", "\t"])
def test_a_sheet_may_come_back_with_other_signs_between_its_cells(desk: Labelling, sign: str) -> None:
    run = desk.plain_run(2)
    rows = [["case_id", "run", "criterion", "passed", "note"]]
    rows += [["c0", run.id, "good", "yes", '"a, b"'], ["c1", run.id, "good", "no", ""]]
    assert desk.take("".join(sign.join(row) + "\n" for row in rows)).added == 2


def test_columns_may_stand_in_any_order_and_strange_ones_are_passed_over(desk: Labelling) -> None:
    run = desk.plain_run(1)
    imported = desk.take(f"colour,passed,criterion,run,case_id\nred,yes,good,{run.id},c0\n")
    assert imported.added == 1
    assert "passed over: colour" in imported.notices[0].message


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "sheet  the file is empty; oloproof labels export writes one"),
        ("case_id,passed".encode("utf-16"), "sheet:1  this is UTF-16; save the file as CSV UTF-8"),
        (
            b"case_id,criterion,passed\nc\xe9,good,yes\n",
            "sheet:2  the byte 0xe9 is not UTF-8; save the file as CSV UTF-8",
        ),
        (b"case_id,criterion,pased\n", "sheet:1  unknown column 'pased'; did you mean passed?"),
        (b"case_id,passed\n", "sheet:1  there is no column 'criterion'; columns are case_id, passed"),
        (b"case_id,scenario_id,criterion,passed\n", "sheet:1  the column 'case_id' is given twice"),
        (b"case_id,criterion,passed\nc0,good\n", "sheet:2  the row has 2 cells, the header has 3"),
        (b'case_id,criterion,passed\nc0,"good\n', "a quote that was opened is never closed"),
    ],
)
def test_a_file_that_is_no_sheet_is_refused_in_words(desk: Labelling, data: bytes, told: str) -> None:
    desk.plain_run(1)
    assert told in refused(desk, data)[0]


def test_a_file_that_is_not_there_is_told(desk: Labelling) -> None:
    from oloproof.labels.importing import import_sheet

    with pytest.raises(LabelsError, match="cannot be read: No such file"):
        import_sheet(desk.history, desk.root / "none.csv")


def test_an_output_of_any_length_comes_back(desk: Labelling) -> None:
    run = desk.plain_run(1, lambda n: "x" * 200_000)
    before = csv.field_size_limit()
    text = desk.sheet_text(run, desk.draw(run)).removesuffix(",,,\n") + ",pass,,\n"
    assert desk.take(text).added == 1
    assert csv.field_size_limit() == before


def test_a_sheet_says_which_of_several_executions_was_shown(desk: Labelling) -> None:
    run = desk.judged_run(*[entry(n, n, case="c0", repeat=n, verdicts=(PASSED,)) for n in range(5)])
    (row,) = desk.sheet(run)
    desk.take([{**row, "passed": "pass"}])
    (label,) = desk.labels.labels()
    assert (label.repeat, label.execution) == (int(row["repeat"]), int(row["execution"]))


def test_of_very_many_mistakes_the_first_are_told(desk: Labelling) -> None:
    """A sheet of another run is wrong in every row, and its reason would scroll away."""
    run = desk.plain_run(2)
    rows = [
        {"scenario_id": f"x{n}", "run": run.id, "criterion": "good", "passed": "pass", "labelled_by": "ann"}
        for n in range(50)
    ]
    told = refused(desk, rows)
    assert len(told) == 21
    assert told[-1] == "sheet  and 30 more"

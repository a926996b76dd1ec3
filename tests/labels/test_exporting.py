"""The sheet shows people what the judge saw, and nothing of what anybody concluded."""

from __future__ import annotations

import csv
import io
import json

from oloproof.labels.csv_files import COLUMNS
from oloproof.labels.saw import saw_words
from oloproof.records import Verdict
from tests.labels.conftest import SAW, Labelling
from tests.storage.conftest import entry

CONTRACT = "case_id,run,execution,variant,repeat,criterion,input,output,expected,media,saw,passed,labelled_by,note"


def test_the_columns_are_the_agreed_ones_after_a_byte_order_mark(desk: Labelling) -> None:
    run = desk.plain_run(1)
    text = desk.sheet_text(run, desk.draw(run))
    assert text.splitlines()[0] == "\ufeff" + CONTRACT
    assert ",".join(COLUMNS) == CONTRACT


def test_a_row_shows_the_case_its_media_and_what_the_judge_saw(desk: Labelling) -> None:
    media = (desk.recorded("in/a.png", b"1", "input"), desk.recorded("out/b;c.png", b"2"))
    run = desk.judged_run(
        entry(0, {"caption": "é"}, case="ex-1", input_='{"photo":"in/a.png"}', expected={"word": "x"}, media=media,
              variant="dark", repeat=2)
    )  # fmt: skip
    desk.let_see(run)
    (row,) = desk.sheet(run)
    trial = next(desk.history.trials(run))
    assert (row["case_id"], row["run"], row["execution"]) == ("ex-1", run.id, str(trial.execution_id))
    assert (row["variant"], row["repeat"], row["criterion"]) == ("dark", "2", "good")
    assert [json.loads(row[name]) for name in ("input", "output", "expected")] == [
        {"photo": "in/a.png"}, {"caption": "é"}, {"word": "x"},
    ]  # fmt: skip
    assert row["media"] == r"in/a.png;out/b\;c.png"
    assert row["saw"].splitlines() == [
        "output image a.png, 64x48 (upright (by 6))",
        "frame clip.mp4 at 1.250 s, 320x180",
        "transcript clip.mp4: hello there",
    ]
    assert (row["passed"], row["labelled_by"], row["note"]) == ("", "", "")


def test_nothing_that_the_judge_concluded_is_in_the_sheet(desk: Labelling) -> None:
    run = desk.judged_run(
        *[
            entry(
                n, "answer", input_='"question"', verdicts=(Verdict(outcome, "JUDGE-REASON", 0.123, {"D": "DETAIL"}),)
            )
            for n, outcome in enumerate(("pass", "fail"))
        ]
    )
    desk.let_see(run)
    text = desk.sheet_text(run, desk.draw(run), labelled_by="ann")
    for word in (
        "pass,",
        "fail",
        "true",
        "false",
        "JUDGE",
        "SAID",
        "THINK",
        "0.123",
        "DETAIL",
        "MODEL",
        "RUBRIC",
        "ab" * 32,
    ):
        assert word not in text.replace(",passed,", ","), word


def test_saying_what_was_seen_takes_no_word_from_outside_the_media() -> None:
    assert "MODEL" not in saw_words(SAW)
    assert saw_words(None) == saw_words({}) == ""
    assert saw_words({"parts": [{"kind": "text", "text": "x"}, {"kind": "audio", "name": "a.wav"}]}) == "audio a.wav"


def test_the_verdict_does_not_decide_where_a_row_stands(desk: Labelling) -> None:
    passes = [Verdict.passed("x")] * 30
    fails = [Verdict.failed("x")] * 30
    rows = []
    for verdicts in (passes, fails):
        run = desk.judged_run(*[entry(n, verdicts=(verdict,)) for n, verdict in enumerate(verdicts)])
        rows.append([row["case_id"] for row in desk.sheet(run, seed="s")])
    assert rows[0] == rows[1]


def test_rows_are_shuffled_by_the_seed(desk: Labelling) -> None:
    run = desk.plain_run(40)
    drawn = desk.draw(run, 20)
    order = [place.case_id for place in drawn.places]
    rows = [row["case_id"] for row in desk.sheet(run, 20)]
    assert sorted(rows) == sorted(order)
    assert rows != order
    assert rows == [row["case_id"] for row in desk.sheet(run, 20)]


def test_a_case_whose_files_changed_or_are_gone_is_left_out_and_named(desk: Labelling) -> None:
    media = [desk.recorded(f"{name}.png", name.encode()) for name in ("whole", "changed", "gone")]
    run = desk.judged_run(*[entry(n, n, case=one.name[:-4], media=(one,)) for n, one in enumerate(media)])
    (desk.root / "changed.png").write_bytes(b"chAnged")
    (desk.root / "gone.png").unlink()
    assert [row["case_id"] for row in desk.sheet(run)] == ["whole"]


def test_what_a_person_labelled_already_is_left_out_for_that_person_and_guide(desk: Labelling) -> None:
    run = desk.plain_run(3)
    desk.answer(run, {"c0": "pass", "c1": "unsure"}, who="ann")
    drawn = desk.draw(run)

    def left(who: str, guide: str = "1") -> list[str]:
        text = desk.sheet_text(run, drawn, labelled_by=who, guide=guide).removeprefix("\ufeff")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        assert {row["labelled_by"] for row in rows} == {who}
        return sorted(row["case_id"] for row in rows)

    assert left("ann") == ["c2"]
    assert left("bob") == left("ann", guide="2") == ["c0", "c1", "c2"]


def test_hostile_cells_run_in_no_spreadsheet_and_come_back(desk: Labelling) -> None:
    evil = ["=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(1)", "007", "a,b", 'say "hi"', "'quoted", "ünï;cödé"]
    run = desk.judged_run(
        *[entry(n, f"={one}\r\n\x1b[31m\udcff", case=one, media=(desk.recorded(f"m/{n}.png", one.encode()),))
          for n, one in enumerate(evil)]
    )  # fmt: skip
    rows = desk.sheet(run)
    for row in rows:
        assert not any(cell.lstrip().startswith(("=", "+", "-", "@")) for cell in row.values()), row
        assert "\x1b" not in "".join(row.values())
    imported = desk.take([{**row, "passed": "pass"} for row in rows])
    assert imported.added == len(evil)
    assert sorted(label.case_id for label in desk.labels.labels()) == sorted(evil)

"""``oloproof labels`` as people use it: export, fill in, import, look."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from oloproof.cli.labels import labels_command
from oloproof.running import run


@pytest.fixture
def ran(echo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """A project of twelve cases with one complete run."""
    folder = echo(12)
    run(folder.root)
    monkeypatch.chdir(folder.root)
    return folder


def labels(*arguments: str) -> Any:
    """Run ``oloproof labels`` in this process."""
    return CliRunner().invoke(labels_command, arguments)


def filled(text: str, answer: str) -> str:
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows({**row, "passed": answer} for row in rows)
    return out.getvalue()


def test_a_sheet_goes_out_and_comes_back(ran: Any) -> None:
    """Through the real command line."""
    exported = ran.run(
        "labels", "export", "--criterion", "right", "--sample", "5", "--output", "sheets/a.csv", cold=True
    )
    assert (exported.exit, exported.out) == (0, "")
    assert "5 cases of 12 to validate right, seed " in exported.err
    assert "then: oloproof labels import sheets/a.csv --by NAME" in exported.err
    text = (ran.root / "sheets/a.csv").read_text(encoding="utf-8")
    assert text.startswith("\ufeffcase_id,run,execution,")
    ran.write("done.csv", filled(text, "pass"))
    imported = ran.run("labels", "import", "done.csv", "--by", "ann", "--json")
    assert imported.exit == 0
    assert imported.document == {
        "file": "done.csv", "added": 5, "unchanged": 0, "replaced": 0, "skipped": 0,
        "labels": {"validate": 5, "develop": 0}, "warnings": [],
    }  # fmt: skip
    (status,) = json.loads(labels("status", "--json").stdout)["criteria"]
    assert (status["labels"]["validate"], status["pass"], status["needed"]["further"]) == (5, 5, 45)


def test_without_a_file_the_sheet_goes_to_standard_output_and_the_words_do_not(ran: Any) -> None:
    ended = labels("export", "--criterion", "right", "--seed", "abc")
    assert ended.exit_code == 0
    assert len(ended.stdout.splitlines()) == 13
    assert "seed" not in ended.stdout
    assert "note: right asks no model" in ended.stderr
    assert "there are 12 cases to label and not 100" in ended.stderr
    assert "12 cases of 12 to validate right, seed abc; then: oloproof labels import FILE --by NAME" in ended.stderr
    assert "--guide 2" in labels("export", "--criterion", "right", "--guide", "2").stderr


def test_an_import_says_what_became_of_every_row(ran: Any) -> None:
    text = labels("export", "--criterion", "right").stdout
    ran.write("a.csv", filled(text, "fail"))
    assert labels("import", "a.csv", "--by", "ann").stdout == "12 labels added (12 to validate)\n"
    assert labels("import", "a.csv", "--by", "ann").stdout == "0 labels added, 12 unchanged (12 to validate)\n"
    ran.write("a.csv", filled(text, "pass"))
    refused = labels("import", "a.csv", "--by", "ann", "--json")
    assert refused.exit_code == 2
    assert '"exit": 2' in refused.stdout
    (told,) = refused.stderr.splitlines()
    assert "a.csv:2  ann said fail of this before, and says pass now; give --replace" in told
    assert told.endswith("(and so in 11 lines more)")
    assert labels("import", "a.csv", "--by", "ann", "--replace").stdout.startswith("0 labels added, 12 replaced")
    ran.write("a.csv", filled(text, ""))
    assert labels("import", "a.csv").stdout == "0 labels added, 12 rows without an answer yet\n"


def test_what_a_person_did_is_left_out_of_the_next_sheet(ran: Any) -> None:
    ran.write("a.csv", filled(labels("export", "--criterion", "right", "--sample", "4").stdout, "unsure"))
    assert labels("import", "a.csv", "--by", "ann").exit_code == 0
    more = labels("export", "--criterion", "right", "--sample", "6", "--by", "ann")
    assert len(more.stdout.splitlines()) == 3
    assert "4 of 6 cases were labelled by ann already; left out" in more.stderr


def test_rows_picked_by_hand_are_taken_with_a_note(ran: Any) -> None:
    ran.write("a.csv", "scenario_id,criterion,passed\nc3,right,yes\n")
    taken = labels("import", "a.csv", "--by", "ann", "--run", "latest")
    assert taken.stdout == "1 label added (1 to develop)\n"
    assert "note: 1 row stands in no sample of the run" in taken.stderr


def test_the_status_is_read_by_people_too(ran: Any) -> None:
    assert "no sample yet; oloproof labels export --criterion C draws the first" in labels("status").stdout
    ran.write("a.csv", filled(labels("export", "--criterion", "right").stdout, "pass"))
    labels("import", "a.csv", "--by", "ann")
    shown = labels("status", "--criterion", "right").stdout
    assert "12 labels to validate, 0 to develop; 12 pass, 0 fail, 0 unsure; by ann" in shown
    assert "12 of 12" in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("export", "--criterion", "rihgt"), "has no criterion 'rihgt'; did you mean right?"),
        (("export", "nosuch", "--criterion", "right"), "no run is called 'nosuch'"),
        (("export", "--criterion", "right", "--output", "."), "it is a folder"),
        (("import", "none.csv"), "cannot be read: No such file or directory"),
        (("status", "--criterion", "other"), "nothing was sampled yet"),
        (("export",), "Missing option '--criterion'"),
        (("export", "--criterion", "right", "--sample", "0"), "0 is not in the range"),
    ],
)
def test_what_cannot_be_done_ends_with_2_and_says_why(ran: Any, arguments: tuple[str, ...], told: str) -> None:
    ended = labels(*arguments)
    assert ended.exit_code == 2
    assert told in ended.stderr

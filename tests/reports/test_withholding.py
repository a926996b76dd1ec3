"""No export that withholds paths tells where the project lies, whatever failed."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from oloproof.records import Verdict
from oloproof.reports import write_csv, write_html, write_json, write_jsonl, write_junit, write_markdown
from oloproof.reports.withholding import Withholding

from .conftest import Bureau, Told, failed

PATHS = frozenset({"paths"})


@pytest.fixture
def exports(tmp_path):
    """Export a run of failed executions, of a project whose path holds a space, in every form."""
    bureau = Bureau(tmp_path / "my secret" / "shop")
    root = bureau.root
    trials = [
        Told("a", [Verdict.missing(f"cannot record {root}/out/a.png: gone")], error=f"cannot record {root}",
             detail=f"Traceback:\n  File \"{root}/app.py\"\nOSError: [Errno 2] gone: '{root}'"),
        Told("b", [failed(f"cwd={root}, {root}/out/b.png")], error=f"MediaError: cannot record {root}/out/b.png: gone"),
        Told("c", [failed(f"looked into {root}.")]),
        Told("d", [Verdict.invalid(f"({root}) holds nothing")]),
    ]  # fmt: skip
    run = bureau.run("r", trials, ["fits"])
    conclusion, _ = bureau.conclude(run, {"id": "fit", "metric": "fits", "max_failures": 0})
    history, reader = bureau.history, bureau.reader
    out = {name: StringIO() for name in ("json", "jsonl", "csv", "junit", "markdown", "html")}
    write_json(out["json"], history, run, conclusion, reader, withhold=PATHS)
    write_jsonl(out["jsonl"], history, run, reader, withhold=PATHS)
    write_csv(out["csv"], history, run, withhold=PATHS)
    write_junit(out["junit"], history, run, conclusion, withhold=PATHS)
    write_markdown(out["markdown"], history, run, conclusion, withhold=PATHS)
    write_html(out["html"], history, run, conclusion, reader)
    yield {name: stream.getvalue() for name, stream in out.items()}
    bureau.store.close()


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "junit", "markdown", "html"])
def test_a_failed_execution_does_not_tell_where_the_project_lies(exports, form):
    text = exports[form]
    assert "cannot record" in text
    assert "my secret" not in text
    assert "/shop/" not in text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("cannot record /srv/my secret/shop", "cannot record …/shop"),
        ("cannot record /srv/my secret/shop.", "cannot record …/shop."),
        ("cannot record '/srv/my secret/shop': gone", "cannot record '…/shop': gone"),
        ("cannot record /srv/my secret/shop/out/a.png: gone", "cannot record …/a.png: gone"),
        ("cannot record /srv/my secret/shop/a b.png", "cannot record …/a b.png"),
        ("cannot record /tmp/…", "cannot record …/…"),
    ],
)
def test_the_folder_of_the_project_is_cut_also_without_a_file_in_it(text, left):
    assert Withholding(PATHS, Path("/srv/my secret/shop")).text(text) == left


def test_why_a_run_stopped_does_not_tell_where_the_project_lies(tmp_path):
    bureau = Bureau(tmp_path / "shop")
    run = bureau.run("r", [Told("a", [failed()])], ["fits"], state="stopped")
    with bureau.store.writing() as connection:
        connection.execute("UPDATE runs SET error = ?", (f"cannot record {bureau.root}/out/a.png",))
    run = bureau.history.find("r")
    conclusion, _ = bureau.conclude(run)
    out = StringIO()
    write_markdown(out, bureau.history, run, conclusion, withhold=PATHS)
    assert str(tmp_path) not in out.getvalue()
    assert "cannot record …/a.png" in out.getvalue()
    bureau.store.close()

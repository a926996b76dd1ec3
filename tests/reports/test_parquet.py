"""A run as a Parquet file, read back by the library that others read it with."""

from __future__ import annotations

import io
import json

import pyarrow
import pyarrow.parquet
import pytest

from oloproof.records import Verdict
from oloproof.reports import parquet, write_parquet

from .conftest import HOSTILE, Bureau, Told, failed, passed

PATHS = frozenset({"paths"})


def written(bureau: Bureau, run, **options) -> pyarrow.parquet.ParquetFile:
    stream = io.BytesIO()
    write_parquet(stream, bureau.history, run, **options)
    return pyarrow.parquet.ParquetFile(stream)


def test_a_row_is_a_trial_with_the_columns_of_the_csv_and_what_was_given_and_answered(bureau, mixed):
    table = written(bureau, mixed).read()
    assert table.column_names == [
        "case_id", "variant", "repeat", "error", "seconds",
        "fits", "fits.score", "fits.reason", "same_photo", "same_photo.score", "same_photo.reason",
        "slice", "input", "expected", "output", "media",
    ]  # fmt: skip
    first, second, *_ = table.to_pylist()
    assert (first["case_id"], first["repeat"], first["error"], first["seconds"]) == ("mug-1", 0, None, 0.25)
    assert (first["same_photo"], first["same_photo.score"], first["fits.score"]) == ("pass", 0.9, None)
    assert (second["fits"], second["fits.reason"]) == ("fail", "300 px wide; at most 256 allowed")
    assert json.loads(second["expected"]) == {"text": "a blue mug", "n": 2}
    (item,) = second["media"]
    assert (item["role"], item["path"], item["media_type"]) == ("output", "out/wide.png", "image/png")
    assert (item["width"], item["height"], len(item["sha256"])) == (300, 200, 64)


def test_columns_have_types_also_where_nothing_is_known(bureau):
    run = bureau.run("r", [Told("a", [passed()])], ["fits"])
    schema = written(bureau, run).schema_arrow
    assert schema.field("fits.score").type == pyarrow.float64()
    assert schema.field("error").type == pyarrow.string()
    assert pyarrow.types.is_dictionary(schema.field("fits").type)
    assert schema.field("media").type.value_type.field("size").type == pyarrow.int64()


def test_the_file_says_which_run_of_which_system_it_is(bureau, mixed):
    told = written(bureau, mixed).schema_arrow.metadata
    assert told[b"oloproof.run"].decode() == mixed.id
    assert (told[b"oloproof.project"], told[b"oloproof.version"]) == (b"catalogue-media", b"v8")


def test_texts_stay_as_they_are(bureau):
    run = bureau.run("r", [Told("=1+1", [failed(HOSTILE)], output="\ud800")], ["fits"])
    (row,) = written(bureau, run).read().to_pylist()
    assert (row["case_id"], row["fits.reason"]) == ("=1+1", HOSTILE)
    assert json.loads(row["output"]) in ("\ud800", "\\ud800")


def test_a_system_that_failed_has_its_error_and_no_output(bureau):
    told = Told("a", [Verdict.missing("the system failed")], error="boom")
    (row,) = written(bureau, bureau.run("r", [told], ["fits"])).read().to_pylist()
    assert (row["error"], row["output"], row["fits"]) == ("boom", None, "missing")


def test_where_files_lie_is_left_out_when_asked(bureau, mixed):
    stream = io.BytesIO()
    write_parquet(stream, bureau.history, mixed, withhold=PATHS)
    rows = pyarrow.parquet.read_table(stream).to_pylist()
    assert {item["path"] for row in rows for item in row["media"]} == {None}
    assert "wide.png" in {item["name"] for row in rows for item in row["media"]}
    assert "out/" not in json.dumps(rows)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_rows_are_written_in_groups_and_none_is_lost(bureau, monkeypatch, count):
    monkeypatch.setattr(parquet, "GROUP", 2)
    run = bureau.run("r", [Told(f"c{n}", [passed()]) for n in range(count)], ["fits"])
    file = written(bureau, run)
    assert file.num_row_groups == (count + 1) // 2
    assert file.read().column("case_id").to_pylist() == [f"c{n}" for n in range(count)]

"""``json_schema``."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from oloproof.errors import EvaluatorError

RECEIPT = {
    "type": "object",
    "required": ["total", "lines"],
    "properties": {
        "total": {"type": "number"},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number"}}}},
    },
}


def test_an_output_of_the_declared_shape_passes(check: Any) -> None:
    assert check("json_schema", {"total": 1, "lines": []}, schema=RECEIPT).outcome == "pass"
    assert check("json_schema", {"a": 3}, schema={"type": "integer"}, field="a").outcome == "pass"
    assert check("json_schema", 3, schema=False).outcome == "fail"


def test_every_mistake_is_counted_and_the_first_are_told_with_their_places(check: Any) -> None:
    output = {"lines": [{"price": "x"}, {"price": "y"}, {"price": True}, {"price": None}]}
    verdict = check("json_schema", output, schema=RECEIPT)
    assert verdict.outcome == "fail"
    assert verdict.reason.startswith(
        "$: 'total' is a required property; $.lines[0].price: 'x' is not of type 'number'; "
    )
    assert verdict.reason.endswith("and 2 more")
    assert [error["path"] for error in verdict.details["errors"]][-1] == "$.lines[3].price"


def test_text_is_read_as_json_only_where_asked(check: Any) -> None:
    text = json.dumps({"total": 1, "lines": []})
    assert check("json_schema", text, schema=RECEIPT).outcome == "fail"
    assert check("json_schema", text, schema=RECEIPT, parse=True).outcome == "pass"
    assert (
        "no JSON: Expecting value at line 1 column 1" in check("json_schema", "hi", schema=RECEIPT, parse=True).reason
    )
    assert "NaN is not a JSON value" in check("json_schema", '{"total": NaN}', schema=RECEIPT, parse=True).reason
    assert check("json_schema", "[" * 100_000, schema=RECEIPT, parse=True).outcome == "fail"


def test_a_schema_file_lies_beside_the_project_file_and_may_refer_to_its_neighbours(bench: Any) -> None:
    folder = bench.root / "schemas"
    folder.mkdir()
    (folder / "receipt.json").write_text(json.dumps({"properties": {"line": {"$ref": "parts/line.json#/$defs/line"}}}))
    (folder / "parts").mkdir()
    (folder / "parts" / "line.json").write_text(json.dumps({"$defs": {"line": {"$ref": "price.json"}}}))
    (folder / "parts" / "price.json").write_text(json.dumps({"type": "number"}))
    evaluator = bench.evaluator("json_schema", schema="schemas/receipt.json")
    assert bench.judge(evaluator, {"line": 3}).outcome == "pass"
    assert bench.judge(evaluator, {"line": "x"}).outcome == "fail"
    before = evaluator.identity
    (folder / "parts" / "price.json").write_text(json.dumps({"type": "string"}))
    assert bench.evaluator("json_schema", schema="schemas/receipt.json").identity != before


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "objekt"}, "schema.type"),
        ({"properties": {"a": {"minimum": "x"}}}, r"schema.properties.a.minimum"),
        ("no.json", "cannot be read"),
        ({"$ref": "https://example.com/a.json"}, r"schema.\$ref: https://example.com/a.json leads to the network"),
        ({"items": [{"$ref": "../secret.json"}]}, "leads out of the folder"),
        ({"$schema": "https://example.com/draft"}, "no draft that is known"),
    ],
)
def test_a_schema_that_is_itself_wrong_is_refused_before_the_run(check: Any, schema: Any, told: str) -> None:
    with pytest.raises(EvaluatorError, match=told):
        check("json_schema", 1, schema=schema)


def test_a_broken_schema_file_is_refused_with_its_place(bench: Any) -> None:
    (bench.root / "s.json").write_text('{"type": ')
    with pytest.raises(EvaluatorError, match=r"schema s.json is no JSON: Expecting value at line 1 column 10"):
        bench.evaluator("json_schema", schema="s.json")


def test_older_drafts_and_references_within_the_schema_work(check: Any) -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"n": {"type": "integer"}},
        "items": [{"$ref": "#/definitions/n"}],
    }
    assert check("json_schema", [1], schema=schema).outcome == "pass"
    assert check("json_schema", ["a"], schema=schema).outcome == "fail"


def test_a_reference_to_nothing_measures_nothing(check: Any) -> None:
    assert check("json_schema", 1, schema={"$ref": "#/$defs/none"}).outcome == "missing"
    assert check("json_schema", 1, schema={"$ref": "#"}).outcome == "missing"


def test_the_key_is_schema_and_a_property_may_be_called_ref(check: Any) -> None:
    with pytest.raises(ValidationError, match="schema_"):
        check("json_schema", 1, schema_={"type": "number"})
    assert check("json_schema", {"a": 1}, schema={"const": {"$ref": "http://x.y/z"}}).outcome == "fail"

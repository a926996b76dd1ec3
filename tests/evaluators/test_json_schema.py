"""``json_schema``."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from oloproof.errors import EvaluatorError
from oloproof.evaluators import json_schema, schema_patterns
from oloproof.evaluators.schema_patterns import guarded

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


def test_a_reference_without_end_measures_nothing(check: Any) -> None:
    assert check("json_schema", 1, schema={"$ref": "#"}).outcome == "missing"


def test_the_key_is_schema_and_a_property_may_be_called_ref(check: Any) -> None:
    with pytest.raises(ValidationError, match="schema_"):
        check("json_schema", 1, schema_={"type": "number"})
    assert check("json_schema", {"a": 1}, schema={"const": {"$ref": "http://x.y/z"}}).outcome == "fail"


SLOW = "^(a|a|aa)+$"
UNLUCKY = "a" * 47 + "b"
NAMED = {"patternProperties": {SLOW: True}}


@pytest.mark.parametrize(
    ("schema", "output"),
    [
        ({"type": "string", "pattern": SLOW}, UNLUCKY),
        (NAMED, {UNLUCKY: 1}),
        ({**NAMED, "additionalProperties": False}, {UNLUCKY: 1}),
        ({"allOf": [NAMED], "unevaluatedProperties": False}, {UNLUCKY: 1}),
        ({"propertyNames": {"pattern": SLOW}}, {UNLUCKY: 1}),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "pattern": SLOW}, UNLUCKY),
        (
            {
                "$schema": "https://json-schema.org/draft/2019-09/schema",
                "allOf": [NAMED],
                "unevaluatedProperties": False,
            },
            {UNLUCKY: 1},
        ),
        (
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "properties": {"a": {"$ref": "#"}},
                "pattern": SLOW,
            },
            {"a": UNLUCKY},
        ),
    ],
)
def test_a_pattern_that_does_not_end_in_time_measures_nothing(
    check: Any, schema: Any, output: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (json_schema, schema_patterns):
        monkeypatch.setattr(module, "SECONDS", 0.05)
    before = time.process_time()
    verdict = check("json_schema", output, schema=schema)
    assert time.process_time() - before < 10
    assert (verdict.outcome, verdict.details) == ("missing", {"code": "timeout"})
    assert verdict.reason == (
        "the search for '^(a|a|aa)+$' in 48 characters did not end within 0.05 s; make the pattern simpler"
    )


def test_a_pattern_has_a_second(check: Any) -> None:
    before = time.process_time()
    verdict = check("json_schema", UNLUCKY, schema={"pattern": SLOW})
    assert 0.9 < time.process_time() - before < 10
    assert "did not end within 1 s; make the pattern simpler" in verdict.reason


def test_a_pattern_that_hangs_python_is_judged_at_once(check: Any) -> None:
    before = time.process_time()
    assert check("json_schema", UNLUCKY, schema={"type": "string", "pattern": "^(a+)+$"}).outcome == "fail"
    assert time.process_time() - before < 10


def test_a_pattern_in_a_file_that_names_its_draft_ends_in_time_too(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_patterns, "SECONDS", 0.05)
    part = {"$schema": "https://json-schema.org/draft/2020-12/schema", "pattern": SLOW}
    (bench.root / "part.json").write_text(json.dumps(part))
    evaluator = bench.evaluator("json_schema", schema={"items": {"$ref": "part.json"}})
    assert bench.judge(evaluator, [UNLUCKY]).details == {"code": "timeout"}


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"pattern": "("}, r"schema\.pattern"),
        ({"properties": {"pattern": {"pattern": "("}}}, r"schema\.properties\.pattern\.pattern"),
        ({"patternProperties": {"(": True}}, r"schema\.patternProperties"),
        ({"$ref": "#/parts/a", "parts": {"a": {"pattern": "("}}}, r"schema\.parts\.a\.pattern"),
        ({"$ref": "part.json"}, r"part\.json\.pattern"),
    ],
)
def test_a_bad_pattern_is_refused_before_the_run_with_its_place(bench: Any, schema: Any, place: str) -> None:
    (bench.root / "part.json").write_text('{"pattern": "("}')
    with pytest.raises(EvaluatorError, match=place + r": '\(' is no pattern at position 1: missing \)"):
        bench.evaluator("json_schema", schema=schema)


def test_patterns_know_the_classes_of_unicode(check: Any) -> None:
    assert check("json_schema", "Ärger", schema={"pattern": r"^\p{Lu}"}).outcome == "pass"
    assert check("json_schema", "ärger", schema={"pattern": r"^\p{Lu}"}).reason.endswith(r"does not match '^\\p{Lu}'")


@pytest.mark.parametrize(
    "schema",
    [
        {"patternProperties": {"^a": {"type": "number"}}, "additionalProperties": False},
        {"properties": {"b": {}}, "additionalProperties": False},
        {"properties": {"b": {}}, "patternProperties": {"^a": {}}, "additionalProperties": {"type": "number"}},
        {"allOf": [{"patternProperties": {"^a": {}}}], "unevaluatedProperties": False},
        {
            "anyOf": [{"properties": {"a": {"type": "number"}}}, {"properties": {"b": {}}}],
            "unevaluatedProperties": False,
        },
        {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"a": {}}}}, "unevaluatedProperties": {"type": "number"}},
        {
            "if": {"required": ["a"]},
            "then": {"properties": {"a": {}}},
            "else": {"properties": {"b": {}}},
            "unevaluatedProperties": False,
        },
        {"dependentSchemas": {"a": {"properties": {"a": {}, "b": {}}}}, "unevaluatedProperties": False},
        {"allOf": [{"additionalProperties": {"type": "number"}}], "unevaluatedProperties": False},
        {"not": {"pattern": "x"}, "unevaluatedProperties": False},
        {"propertyNames": {"pattern": "^[ab]$"}},
    ],
)
@pytest.mark.parametrize(
    "output", [{}, {"a": 1}, {"b": "x"}, {"a": "y", "b": 2}, {"ab": None}, {"a": 1, "b": 2, "c": 3}, "x", 3]
)
def test_names_are_judged_as_the_library_judges_them(schema: dict[str, Any], output: Any) -> None:
    kind = jsonschema.Draft202012Validator
    ours = [error.message for error in guarded(kind)(schema).iter_errors(output)]
    assert sorted(ours) == sorted(error.message for error in kind(schema).iter_errors(output))


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"$ref": "#/$defs/x"}, r"schema\.\$ref: #/\$defs/x leads nowhere"),
        ({"prefixItems": [{"$ref": "#nowhere"}]}, r"schema\.prefixItems\[0\]\.\$ref: #nowhere leads nowhere"),
        ({"allOf": [{"$dynamicRef": "#none"}]}, r"\$dynamicRef: #none leads nowhere"),
        ({"properties": {"a": {"$ref": "part.json#/$defs/none"}}}, r"schema\.properties\.a\.\$ref: part.json#"),
        ({"$ref": "broken.json"}, r"broken\.json\.items\.\$ref: #/\$defs/gone leads nowhere"),
        ({"allOf": [True], "$ref": "#/allOf/first"}, r"#/allOf/first leads nowhere"),
        ({"$id": "https://x.y/z.json", "$ref": "part.json"}, r"part.json leads nowhere"),
    ],
)
def test_a_reference_that_leads_nowhere_is_refused_before_the_run(bench: Any, schema: Any, told: str) -> None:
    (bench.root / "part.json").write_text('{"$defs": {"a": {}}}')
    (bench.root / "broken.json").write_text('{"items": {"$ref": "#/$defs/gone"}}')
    with pytest.raises(EvaluatorError, match=told):
        bench.evaluator("json_schema", schema=schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"$id": "https://x.y/z.json", "$ref": "#/$defs/a", "$defs": {"a": {"type": "number"}}},
        {"$defs": {"a": {"$anchor": "here", "type": "number"}}, "$ref": "#here"},
        {"$defs": {"a": {"$id": "urn:a", "$ref": "#/$defs/b", "$defs": {"b": {"type": "number"}}}}, "$ref": "urn:a"},
        {"$ref": "part.json#/$defs/a"},
        {"properties": {"enum": {"$ref": "#/$defs/a"}}, "$defs": {"a": True}, "type": "number"},
        {"type": "number", "enum": [1, 2], "default": {"$ref": "#/$defs/x"}},
    ],
)
def test_references_that_lead_somewhere_are_not_refused(bench: Any, schema: Any) -> None:
    part = {"$id": "https://x.y/part.json", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "number"}}}
    Path(bench.root, "part.json").write_text(json.dumps(part))
    evaluator = bench.evaluator("json_schema", schema=schema)
    assert bench.judge(evaluator, 1).outcome == "pass"
    assert bench.judge(evaluator, "a").outcome == "fail"

"""What is read out of a judge's reply, and what is not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.evaluators.judges.replies import Grade, Shape, Unusable, read_reply

DATA = Path(__file__).parents[2] / "data" / "media-cases"
PASS = Shape()
GRADED = Shape({"q": Grade("graded", 0.0, 1.0, pass_at=0.5)})


def rows(name: str) -> list[dict[str, Any]]:
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def as_scores(raw: str | None) -> str | None:
    """The collected replies speak of verdict and score; in ours a graded output may carry both, as pass and value."""
    if raw is None:
        return None
    both = re.sub(r'"verdict":\s*("\w+"),\s*"score":\s*([^,}\s]+)', r'"scores": {"q": {"pass": \1, "value": \2}}', raw)
    return re.sub(r'"verdict":\s*("\w+")', r'"scores": {"q": {"pass": \1}}', both)


@pytest.mark.parametrize("row", rows("MR-47.json"), ids=lambda row: row["id"])
def test_thinking_around_an_answer_never_decides(row: dict[str, Any]) -> None:
    finish = "length" if row["id"] == "cut-json" else "stop"
    found = read_reply(as_scores(row["raw"]), finish, GRADED)

    if row["expect"] is None:
        assert isinstance(found, Unusable)
    else:
        assert not isinstance(found, Unusable)
        assert (found[0].outcome, found[0].score) == (row["expect"]["verdict"], row["expect"]["score"])


@pytest.mark.parametrize("row", rows("MR-50.json"), ids=lambda row: row["id"])
def test_a_judge_that_failed_gives_no_score(row: dict[str, Any]) -> None:
    found = read_reply(as_scores(row["raw"]), "stop", GRADED)

    if row["expect"] == "error":
        assert isinstance(found, Unusable)
        assert found.outcome in ("invalid", "missing")
    else:
        assert not isinstance(found, Unusable)
        assert found[0].outcome == row["expect"]


@pytest.mark.parametrize(
    ("text", "finish", "code", "outcome"),
    [
        ("", "stop", "empty", "missing"),
        (None, "stop", "empty", "missing"),
        ("<think>hm", "stop", "cut_off", "missing"),
        ('{"pass": true', "length", "cut_off", "missing"),
        ("I'm sorry, but I can't help with that.", "stop", "refused", "invalid"),
        ("No.", "refusal", "refused", "invalid"),
        ("", "filtered", "refused", "invalid"),
        ("It looks good, pass.", "stop", "not_json", "invalid"),
        ('{"verdict": "pass"}', "stop", "wrong_shape", "invalid"),
        ('{"pass": 1, "reason": "x"}', "stop", "wrong_shape", "invalid"),
        ('{"pass": null, "reason": "x"}', "stop", "wrong_shape", "invalid"),
        ('[{"pass": true, "reason": "x"}]', "stop", "wrong_shape", "invalid"),
        ('{"pass": true, "reason": "a"} or {"pass": false, "reason": "b"}', "stop", "two_answers", "invalid"),
        ('{"pass": true, "reason": "a", "pass": false}', "stop", "wrong_shape", "invalid"),
        ('So: {"reason": "a", "pass": false, "pass": true}.', "stop", "wrong_shape", "invalid"),
        ('{"pass": false, "reason": "No image was provided."}', "stop", "judge_cannot_see", "invalid"),
        ('{"pass": true, "reason": "I can’t view the attached picture"}', "stop", "judge_cannot_see", "invalid"),
        ('{"result": {"pass": true, "reason": "x"},}', "stop", "not_json", "invalid"),
    ],
)
def test_what_is_no_answer_is_named(text: str | None, finish: str, code: str, outcome: str) -> None:
    found = read_reply(text, finish, PASS)

    assert isinstance(found, Unusable)
    assert (found.code, found.outcome) == (code, outcome)


def test_keys_that_were_not_asked_for_are_shown() -> None:
    """They say how the rubric, or the model, is to be mended."""
    found = read_reply('{"verdict": "good"}', "stop", PASS)
    assert isinstance(found, Unusable)
    assert found.reason == 'the reply holds JSON, but not the wanted keys: \'{"verdict": "good"}\''


@pytest.mark.parametrize(
    ("text", "outcome", "reason"),
    [
        ('{"pass": true, "reason": "the logo is there"}', "pass", "the logo is there"),
        ('{"rationale": "too dark", "pass": false}', "fail", "too dark"),
        ('{"pass": "False", "reason": "x"}', "fail", "x"),
        (
            '{"pass": false, "reason": "I cannot see any logo in it"}',
            "fail",
            "I cannot see any logo in it",
        ),
        ('{"pass": true, "reason": "x"} {"pass": true, "reason": "y"}', "pass", "y"),
        ('Sure {really}: {"pass": true, "reason": "x"}', "pass", "x"),
        ('{"pass": true}', "pass", "the judge gave no reason"),
        ('{"pass": true, "reason": "x", "pass": true}', "pass", "x"),
    ],
)
def test_an_answer_is_found_where_there_is_one(text: str, outcome: str, reason: str) -> None:
    found = read_reply(text, "stop", PASS)

    assert not isinstance(found, Unusable)
    assert [(verdict.outcome, verdict.reason) for verdict in found] == [(outcome, reason)]


def test_several_outputs_come_from_one_reply() -> None:
    shape = Shape({"truthful": Grade("gate"), "beauty": Grade("graded", 0, 5), "clear": Grade("graded", 0, 5, 4)})
    found = read_reply(
        json.dumps(
            {
                "scores": {
                    "truthful": {"reason": "a", "value": False},
                    "beauty": {"reason": "b", "value": 2},
                    "clear": {"reason": "c", "value": 4.5},
                }
            }
        ),
        "stop",
        shape,
    )

    assert not isinstance(found, Unusable)
    assert [(one.outcome, one.score, one.reason) for one in found] == [
        ("fail", None, "a"),
        ("pass", 2.0, "b"),
        ("pass", 4.5, "c"),
    ]


def test_one_output_that_is_missing_makes_the_whole_reply_unusable() -> None:
    shape = Shape({"a": Grade(), "b": Grade()})
    found = read_reply('{"scores": {"a": {"value": true, "reason": "x"}}}', "stop", shape)

    assert isinstance(found, Unusable)
    assert "scores has no b" in found.reason


@pytest.mark.parametrize("value", ["1" + "0" * 400, "-1" + "0" * 400, "1e999", "7"])
def test_a_number_far_outside_of_the_scale_is_no_score_whatever_its_size(value: str) -> None:
    """JSON holds whole numbers that no float can: the judge is told of its mistake, and nothing breaks."""
    found = read_reply(f'{{"scores": {{"q": {{"value": {value}, "reason": "x"}}}}}}', "stop", GRADED)

    assert isinstance(found, Unusable)
    assert (found.code, found.worth_reminding) == ("wrong_shape", True)


@given(st.text(max_size=300))
def test_no_text_at_all_is_read_as_a_score_by_accident(text: str) -> None:
    found = read_reply(text, "stop", PASS)

    assert isinstance(found, Unusable) or '"pass"' in text


@given(st.text(alphabet='{}[]"\\,:abpst <>/think', max_size=200))
def test_hostile_brackets_never_raise(text: str) -> None:
    read_reply(text, "stop", PASS)
    read_reply("{" * 5_000 + text, "stop", PASS)


def test_the_schema_sent_is_one_that_strict_servers_take() -> None:
    schema = Shape({"a": Grade(), "b": Grade("graded")}).schema

    assert schema["required"] == ["scores"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["scores"]["required"] == ["a", "b"]

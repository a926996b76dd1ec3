"""JUnit XML that every CI server can read."""

from __future__ import annotations

from io import StringIO
from xml.etree import ElementTree

from oloproof.reports import write_junit

from .conftest import HOSTILE, RULES, Told, passed


def junit(bureau, run, conclusion, **options):
    stream = StringIO()
    write_junit(stream, bureau.history, run, conclusion, **options)
    return ElementTree.fromstring(stream.getvalue().encode())  # noqa: S314 - we wrote it


def test_there_is_a_suite_for_each_criterion_and_the_rules_come_last(bureau, mixed):
    conclusion, _ = bureau.conclude(mixed, *RULES)
    root = junit(bureau, mixed, conclusion)
    assert root.tag == "testsuites"
    assert [suite.get("name") for suite in root] == ["fits", "same_photo", "rules"]


def test_the_counts_are_those_of_the_tests(bureau, mixed):
    conclusion, _ = bureau.conclude(mixed, *RULES)
    root = junit(bureau, mixed, conclusion)
    for suite in root:
        tags = [child.tag for test in suite for child in test]
        counts = {"tests": len(suite), "failures": tags.count("failure"), "errors": tags.count("error")}
        assert counts == {key: int(suite.get(key)) for key in counts}
    assert int(root.get("tests")) == sum(int(suite.get("tests")) for suite in root)
    assert {key: root[0].get(key) for key in ("tests", "failures", "errors")} == {
        "tests": "6", "failures": "2", "errors": "3",
    }  # fmt: skip


def test_each_outcome_has_its_own_element(bureau, mixed):
    conclusion, _ = bureau.conclude(mixed)
    root = junit(bureau, mixed, conclusion)
    found = {test.get("name"): [(child.tag, child.get("type")) for child in test] for test in root[0]}
    assert found["mug-1"] == []
    assert found["mug-2"] == [("failure", "fail")]
    assert found["clip-1"] == [("error", "invalid")]
    assert found["clip-2"] == [("error", "missing")]
    assert found["crash"] == [("error", "execution_error")]


def test_a_failure_says_why_and_an_error_keeps_its_traceback(bureau, mixed):
    conclusion, _ = bureau.conclude(mixed)
    tests = {test.get("name"): test for test in junit(bureau, mixed, conclusion)[0]}
    assert tests["mug-2"][0].get("message") == "300 px wide; at most 256 allowed"
    assert tests["crash"][0].get("message") == "ValueError: no such picture"
    assert 'app.py", line 3, in describe' in tests["crash"][0].text
    hidden = junit(bureau, mixed, conclusion, withhold=frozenset({"paths"}))
    assert str(bureau.root) not in ElementTree.tostring(hidden, "unicode")


def test_hostile_texts_are_legal_xml_and_come_back_readable(bureau, mixed):
    conclusion, _ = bureau.conclude(mixed)
    hostile = junit(bureau, mixed, conclusion)[0][-1]
    message = hostile[0].get("message")
    assert message == HOSTILE.replace("\x1b", "\\x1b").replace("\x00", "\\x00").replace("\u202e", "\\u202e")


def test_a_rule_that_blocks_is_a_failure_and_one_that_does_not_is_skipped(bureau, mixed):
    conclusion, _ = bureau.conclude(mixed, *RULES, block_on=["FAIL"])
    rules = junit(bureau, mixed, conclusion)[-1]
    assert [(test.get("name"), [child.tag for child in test]) for test in rules] == [
        ("thumbnails-fit", ["failure"]),
        ("photo-floor", ["skipped"]),
    ]
    assert rules[0][0].get("type") == "observed_failures_exceed_limit"
    strict, _ = bureau.conclude(mixed, *RULES)
    assert [test[0].tag for test in junit(bureau, mixed, strict)[-1]] == ["failure", "failure"]


def test_repeats_are_named(bureau):
    run = bureau.run("r", [Told("a", [passed()], repeat=n) for n in range(2)], ["fits"], repeats=2)
    conclusion, _ = bureau.conclude(run)
    assert [test.get("name") for test in junit(bureau, run, conclusion)[0]] == ["a", "a [repeat 1]"]

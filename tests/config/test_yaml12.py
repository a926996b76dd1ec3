from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from oloproof.config import parse_yaml
from oloproof.errors import ConfigError

DATA = Path(__file__).parent.parent / "data" / "yaml"


def _said(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parse_yaml(text, "f.yaml")
    return str(caught.value).splitlines()


TEXTS = """
16:9 1:30 00:05 01:30.5 no off NO yes on y 0123 1_000 5_000_000 2026-01-05
12e4567890123456 0b11 0o9 0xg 1.2.3 + nulls TrUe 1e . 0x 07.5 1,000
"""


@pytest.mark.parametrize("text", TEXTS.split())
def test_text_stays_as_it_was_written(text: str) -> None:
    assert parse_yaml(f"a: {text}", "f").data == {"a": text}


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("FALSE", False), ("null", None), ("~", None), ("", None), ("0", 0), ("-7", -7), ("+7", 7),
     ("0o17", 15), ("0xfF", 255), ("1.10", 1.1), ("1.", 1.0), (".5", 0.5), ("1e3", 1000.0), ("-.inf", -math.inf),
     ("9" * 400, int("9" * 400)), ("!!str 16", "16"), ("!!float 1", 1.0), ("! 12", "12"), ('"1"', "1")],
)  # fmt: skip
def test_the_core_types_are_read(text: str, value: Any) -> None:
    found = parse_yaml(f"a: {text}", "f").data["a"]
    assert (found, type(found)) == (value, type(value))


def test_not_a_number_is_read_for_the_models_to_refuse() -> None:
    assert math.isnan(parse_yaml("a: .nan", "f").data["a"])


def test_pasted_hashes_are_text_or_known_to_have_been_numbers() -> None:
    document = parse_yaml((DATA / "MR-18.yaml").read_text(), "f")
    plain = yaml.compose((DATA / "MR-18.yaml").read_text())
    for key, node in plain.value:
        value = document.data[key.value]
        assert node.value == (value if isinstance(value, str) else document.source((key.value,)))
    numbers = [key for key, value in document.data.items() if not isinstance(value, str)]
    assert numbers == ["reference_b", "reference_g"]


def test_ratios_times_and_words_survive() -> None:
    checks = parse_yaml((DATA / "MR-65.yaml").read_text(), "f").data["checks"]
    assert [value for check in checks for value in check.values()] == [
        "16:9", "9:16", "16:9", "1:1", "21:9", "1:30", "00:05", "01:30.5", "no", "off", "NO", 1.1, "5_000_000",
        "2026-01-05",
    ]  # fmt: skip


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Co"]), max_size=30))
def test_quoted_text_comes_back(text: str) -> None:
    assert parse_yaml(yaml.safe_dump({"a": text}, allow_unicode=True, width=1000, default_style='"'), "f").data == {
        "a": text
    }


@given(st.from_regex(r"[0-9a-f:._+-]{1,24}", fullmatch=True))
def test_an_unquoted_scalar_keeps_its_source_or_is_text(text: str) -> None:
    if text.endswith(":") or text[0] in ":-" or ": " in text or text.startswith(("---", "...")):
        return
    document = parse_yaml(f"a: {text}", "f")
    value = document.data["a"]
    assert document.source(("a",)) == text
    if isinstance(value, str):
        assert value == text
    else:
        assert float(value) == float(int(text, 0) if text.startswith(("0x", "0o")) else text.lstrip("+"))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text("abc 019:.-#&*\n"),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abk", min_size=1), inner, max_size=3),
        max_leaves=10,
    )
)
def test_what_json_writes_is_read_back(value: Any) -> None:
    import json

    text = json.dumps({"a": value}).replace("Infinity", ".inf")
    assert parse_yaml(text, "f").data == {"a": value}


def test_every_place_is_known() -> None:
    document = parse_yaml("a: 1\nb:\n  - x\n  - c: [7, 8]\n", "f")
    assert document.place(("a",)) == (1, 4)
    assert document.key_place(("a",)) == (1, 1)
    assert document.place(("b", 1, "c", 1)) == (4, 12)
    assert document.key_place(("b", 1, "c")) == (4, 5)
    assert document.place(("b", 1, "none", "such")) == (4, 5)
    assert document.place(()) == (1, 1)
    assert parse_yaml("# nothing\n", "f").place(("a",)) is None


def test_an_alias_stands_for_what_it_names() -> None:
    assert parse_yaml("a: &x [1, 2]\nb: *x\n", "f").data == {"a": [1, 2], "b": [1, 2]}


def test_what_is_wrong_is_said_at_once() -> None:
    text = "a: 1\na: 2\nb: !!python/object:os.system x\n3: x\n<<: {c: 1}\nd: *nowhere\na: 3\n"
    text += "null: 1\ntrue: 1\n? [x]\n: 1\n"
    assert _said(text) == [
        "f.yaml:2:1  a: given twice; the first is at line 1, column 1",
        "f.yaml:3:4  b: the tag !!python/object:os.system is not known here; only plain values can be given",
        'f.yaml:4:1  the key 3 is read as a number; quote it: "3"',
        "f.yaml:5:1  merge keys (<<) are not part of YAML 1.2; write the keys out",
        "f.yaml:6:4  d: the alias *nowhere has no finished anchor &nowhere before it",
        "f.yaml:7:1  a: given twice; the first is at line 1, column 1",
        'f.yaml:8:1  the key null is read as nothing; quote it: "null"',
        'f.yaml:9:1  the key true is read as a truth value; quote it: "true"',
        "f.yaml:10:3  a key is a list or a mapping; keys are text",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a:\n\tb: 1", "f.yaml:2:1  a tab is used for indentation; use spaces"),
        ("a: b: c", "f.yaml:1:5  a ':' stands where no key can be; quote the text or mend the indentation"),
        ('a: 1\nb: "x', "f.yaml:2:4  a quote is opened here and never closed"),
        ("a: [1, 2", "f.yaml:2:1  expected ',' or ']' here (opened at line 1, column 4)"),
        ("a: @x", "f.yaml:1:4  unquoted text cannot begin with '@'; put it in quotes"),
        ("a: 1\n---\nb: 2", "f.yaml:2:1  a second YAML document begins here; one file holds one document"),
        ("a: x\0y", "f.yaml:1:5  the character U+0000 cannot be in a YAML file"),
        ("a: &a [*a]", "f.yaml:1:8  a[0]: the alias *a has no finished anchor &a before it"),
        ("a: !!int x", "f.yaml:1:4  a: 'x' is not what its tag !!int says"),
        ("?\n: 1", "f.yaml:1:2  a key is missing before the ':'"),
    ],
)
def test_syntax_is_told_in_plain_words(text: str, said: str) -> None:
    assert _said(text) == [said]


def test_aliases_cannot_blow_up() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert "holds more than 100,000 values once its aliases are expanded" in _said("\n".join(lines))[-1]


def test_depth_is_bounded() -> None:
    assert "nested more than 100 levels deep" in _said("[" * 500 + "]" * 500)[0]
    assert "nested more than 100 levels deep" in _said("[" * 50_000)[0]


def test_the_slower_parser_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oloproof.config.yaml12._LOADER", yaml.SafeLoader)
    assert parse_yaml("a: [16:9, no, 1.10]", "f").data == {"a": ["16:9", "no", 1.1]}
    assert _said("a:\n\tb: 1") == ["f.yaml:2:1  a tab is used for indentation; use spaces"]
    assert "never closed" in _said('a: "x')[0]
    assert "',' or ']'" in _said("a: [1, 2")[0]

"""Finding numbers in text."""

from __future__ import annotations

import json
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oloproof.evaluators.number_formats import value_of
from oloproof.evaluators.number_rules import Rules
from oloproof.evaluators.number_words import numbers_in_words
from oloproof.evaluators.numbers import read_numbers

ROWS = json.loads((Path(__file__).parent.parent / "data" / "numbers_recommended.json").read_text())

OPT_INS: dict[str, Rules] = {
    "- 12": Rules(spaced_minus=True),
    "($1,234.50)": Rules(accounting=True),
    "minus 5": Rules(words=("en",)),
    "negative 5": Rules(words=("en",)),
    "twelve": Rules(words=("en",)),
    "十二": Rules(words=("cjk",)),
    "£1.5m": Rules(magnitudes=True),
    "1.5k": Rules(magnitudes=True),
    "3M": Rules(magnitudes=True),
    "12万": Rules(magnitudes=True),
    "1/2": Rules(fractions=True),
    "3/4": Rules(fractions=True),
}
"""The rows whose reason asks for an option, with that option; every other row is read with none."""


def only(text: str, rules: Rules = Rules()) -> Fraction | None:  # noqa: B008 - frozen
    """Return the value of the one number in a text; None for none, several, or one that is in doubt."""
    found = read_numbers(text, rules)
    return found[0].value if len(found) == 1 else None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: ascii(row["input"])[:30])
def test_every_recommended_reading_is_reached(row: dict[str, Any]) -> None:
    recommended = row["recommended"]
    expected = None if recommended is None else Fraction(Decimal(repr(recommended)))
    assert only(row["input"], OPT_INS.get(row["input"], Rules())) == expected


def test_the_rows_that_take_an_option_are_those_whose_reason_asks_for_one() -> None:
    asking = {row["input"] for row in ROWS if "opt-in" in row["reason"] or "needs an option" in row["reason"]}
    assert asking == set(OPT_INS)


@pytest.mark.parametrize("text", sorted(set(OPT_INS) - {"- 12", "($1,234.50)", "twelve", "十二"}))
def test_without_its_option_a_doubtful_number_is_said_to_be_doubtful(text: str) -> None:
    (found,) = read_numbers(text, Rules())
    assert found.value is None
    assert "set " in found.problem


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("There are 12 items listed.", "12"), ("Answer: 42.", "42"), ("**42**", "42"), ("\\boxed{42}", "42"),
        ('{"answer": 42}', "42"), ("5kg", "5"), ("5,5kg", "5.5"), ("100°C", "100"), ("EUR -3", "-3"), ("-$5", "-5"),
        ("$-5", "-5"), ("USD3", "3"), ("12,50 €", "12.5"), ("50 %", "50"), ("~12", "12"), ("<=12", "12"), ("007", "7"),
        ("1,000.", "1000"), ("12.,", "12"), ("1½", "1.5"), ("the answer—12", "12"), ("GPT-4 says 7", "7"),
        ("On 2026-03-14 at 10:30 there were 4", "4"),
        ("约12个", "12"), ("१२३", "123"), ("１２", "12"), ("1e5.", "100000"),
        ("1.234.567,89", "1234567.89"), ("1,23,456.78", "123456.78"), ("0.30000000000000004", "0.30000000000000004"),
        ("12-year plan", "12"), ("-1,234.5 m/s", "-1234.5"), ("1 000 000 €", "1000000"),
    ],
)  # fmt: skip
def test_a_number_is_found_among_words_marks_and_units(text: str, value: str) -> None:
    assert only(text) == Fraction(value)


@pytest.mark.parametrize("text", ["v1.2", "x-5", "a_1", "1e5x", "16:9", "IPv6", "³", "Ⅳ", "", "nan", "-inf", "3x4"])
def test_identifiers_times_and_ratios_are_no_numbers(text: str) -> None:
    assert read_numbers(text, Rules()) == []


@pytest.mark.parametrize(
    "text",
    ["1.2.3", "1,2,3", "1..2", "--12", "±5", "10³", "5'10", "12,345,67", "1e400", "1e-400", "9" * 310, "1e999999999",
     "10.0.0.1", "3 million", "3kg-5kg"],
)  # fmt: skip
def test_what_only_looks_like_one_number_is_kept_with_its_problem(text: str) -> None:
    assert any(found.value is None and found.problem for found in read_numbers(text, Rules()))


def test_a_locale_fixes_what_comma_and_dot_mean() -> None:
    assert value_of("1.234", "de") == 1234 == value_of("1,234", "en")
    assert value_of("1.234", "en") == Fraction("1.234") == value_of("1,234", "de")
    assert value_of("12,50", "en") is None
    assert value_of("1.234,5", "en") is None
    assert value_of("1,234.5", "de") is None


@settings(deadline=None)  # the machine may be busy
@given(
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**14), max_value=10**14, places=4),
    st.sampled_from(
        [("en", ",", "."), ("de", ".", ","), ("en", " ", "."), ("de", "\u202f", ","), ("en", "'", "."), ("en", "", ".")]
    ),
    st.sampled_from("-−"),
)
def test_a_number_written_in_a_locale_is_read_back(number: Decimal, style: tuple[Any, str, str], minus: str) -> None:
    locale, group, decimal = style
    text = f"{number:,f}".translate(str.maketrans({",": group, ".": decimal, "-": minus}))
    assert only(text, Rules(locale=locale)) == Fraction(number)
    assert only(f"It is {text} EUR.", Rules(locale=locale)) == Fraction(number)


@settings(deadline=None)  # the machine may be busy
@given(st.integers(min_value=-(10**300), max_value=10**300))
def test_a_whole_number_is_read_to_its_last_digit(number: int) -> None:
    assert only(f"= {number}") == number


@settings(deadline=None)  # the machine may be busy
@given(st.text(alphabet="0123456789.,-+/: eE%$€kM½'’_()x\n٣一万", max_size=40), st.booleans())
def test_no_text_breaks_the_reader_and_places_stay_in_order(text: str, on: bool) -> None:
    words: Any = ("en", "cjk") if on else ()
    rules = Rules(accounting=on, magnitudes=on, fractions=on, spaced_minus=on, words=words)
    found = read_numbers(text, rules)
    assert [each.start for each in found] == sorted(each.start for each in found)
    assert all((each.value is None) == bool(each.problem) for each in found)


@pytest.mark.parametrize(
    ("text", "value"),
    [("twenty-five", 25), ("one hundred and twenty-three", 123), ("Two Thousand and six", 2006), ("minus twelve", -12),
     ("three million", 3_000_000), ("zero", 0)],
)  # fmt: skip
def test_english_number_words_are_read_where_asked(text: str, value: int) -> None:
    assert only(text, Rules(words=("en",))) == value


@pytest.mark.parametrize(
    ("text", "value"), [("二〇二六", 2026), ("三百五", 305), ("一万二千", 12_000), ("十", 10), ("两亿", 200_000_000)]
)
def test_chinese_numerals_are_read_where_asked(text: str, value: int) -> None:
    assert [found[2] for found in numbers_in_words(text, ("cjk",))] == [value]


def test_fractions_and_mixed_numbers_are_exact() -> None:
    rules = Rules(fractions=True)
    assert only("1/3", rules) == Fraction(1, 3)
    assert only("2 1/2 cups", rules) == Fraction(5, 2)
    assert only("1/0", rules) is None


def test_a_unit_and_a_currency_are_told_beside_the_number() -> None:
    (price,) = read_numbers("costs US$5 today", Rules())
    (weight,) = read_numbers("5 kg", Rules())
    assert (price.currency, weight.unit, weight.text) == ("US$", "kg", "5")


def test_long_texts_are_read_in_time_that_grows_with_their_length() -> None:
    rules = Rules(accounting=True, magnitudes=True, fractions=True, spaced_minus=True, words=("en", "cjk"))
    for text in ("1" * 50_000, "1," * 25_000, "1-" * 25_000, "-" * 50_000 + "1", "1 234 " * 5_000, "twenty " * 7_000):
        started = time.process_time()
        read_numbers(text, rules)
        assert time.process_time() - started < 3

"""One number in a text being read: its body, what stands on its left, what stands on its right."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from msgspec import Struct

from oloproof.evaluators.number_formats import LONGEST, SPACES, exact, value_of, within_range
from oloproof.evaluators.number_rules import Candidate, Rules

_MINUS = "-\u2212\u2013\u2014"
_VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
FIRST = re.compile(f"[0-9{_VULGAR}]")
_PLAIN = re.compile("[0-9](?:[0-9.,'’_٬٫]*[0-9])?")
_SPACED = re.compile(f"[0-9]{{1,3}}([{SPACES}])[0-9]{{3}}(?:\\1[0-9]{{3}})*(?![0-9])(?:[.,٫][0-9]+)?(?![.,][0-9])")
_MIXED = re.compile(r"([0-9]{1,9})[ \u00a0]([0-9]{1,9})/([0-9]{1,9})(?![0-9/])")
_EXPONENT = re.compile(r"[eE][+\-\u2212]?[0-9]+(?![\w]|[.,][0-9])")
_TAIL = re.compile(r"\w+")
_CLOSES = re.compile(r"\s?[%€$£¥]?\)")
_ENDS = re.compile(r"[.,]\s*$")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
_CURRENCY = re.compile(
    r"(?:[A-Z]{0,2}\$|[€£¥₹₽₩₺₫₪฿]|(?<![A-Za-z])(?:USD|EUR|GBP|JPY|CNY|CHF|INR|AUD|CAD|SEK|NOK|DKK|PLN|BRL|KRW|Rs\.?))$"
)
SIGN_WORD = re.compile(r"(?<!\w)(?:minus|negative)[ \u00a0]$", re.IGNORECASE)
_UNIT = re.compile(r"\s?(?:[%٪％]|per ?cent\b|pct\b)|[ \u00a0]?°[CFK]?|[ \u00a0]?[€$£¥‰]|[A-Za-zµμΩ]+[²³]?")
_AFTER_SPACE = re.compile(
    r"[ \u00a0](kg|g|mg|lbs?|oz|km|m|cm|mm|mi|miles?|ft|feet|inch(?:es)?|s|sec|seconds?|ms|min|minutes?|h|hours?|days?|"
    r"weeks?|months?|years?|px|pixels?|[KMGT]i?B|bytes?|Hz|kHz|MHz|GHz|W|kW|kWh|V|A|l|L|ml|dB|°[CFK]?|[€$£¥]|USD|EUR|GBP|JPY|CNY|CHF)\b"
)
_GLUED = {"k": 3, "K": 3, "m": 6, "M": 6, "mn": 6, "mln": 6, "b": 9, "B": 9, "bn": 9, "tn": 12, "T": 12,
          "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8, "兆": 12}  # fmt: skip
_NEXT_WORD = re.compile(r"[ \u00a0-]?(thousand|million|billion|trillion|mn|mln|bn)\b", re.IGNORECASE)
_NAMED = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12, "mn": 6, "mln": 6, "bn": 9}


class Token(Struct):
    """One number being read: its body in the middle, what stands on its left, what stands on its right."""

    text: str
    written: str
    rules: Rules
    first: int
    floor: int
    start: int = 0
    end: int = 0
    number_end: int = 0
    sign: int = 1
    currency: str = ""
    unit: str = ""
    problem: str = ""
    ignored: bool = False
    value: Fraction | None = None
    candidate: Candidate | None = None

    def read(self) -> int:
        """Read the token and return where the next may begin."""
        body_start = self._body_start()
        body = self._body(body_start)
        joined = self._joined(body)
        if not joined:
            self._value(body)
            self._right()
        self._left(body_start)
        if not self.ignored:
            self._words_and_brackets()
            self._finish()
        return max(self.end, self.first + 1)

    def _body_start(self) -> int:
        """Return where the body begins: at a leading decimal mark when there is one."""
        text, first = self.text, self.first
        mark = first - 1
        if (
            mark >= self.floor
            and text[mark] in ".,٫"
            and (mark == 0 or not (text[mark - 1].isalnum() or text[mark - 1] in ".,…"))
        ):
            return mark
        return first

    def _body(self, start: int) -> str:
        text, first = self.text, self.first
        if text[first] in _VULGAR:
            self.end = first + 1
            return ""
        alone = start == first and not (first and _is_letter(text[first - 1]))
        if self.rules.fractions and (mixed := _MIXED.match(text, first)):
            self.end = mixed.end()
            return mixed.group()
        match = (_SPACED.match(text, first) if alone else None) or _PLAIN.match(text, first)
        assert match is not None  # noqa: S101 - the first character is a digit
        self.end = match.end()
        return text[start : self.end]

    def _joined(self, body: str) -> bool:
        """Take in what is joined to the body by a stroke: ``2026-03-14``, ``10:30``, ``3-5``, ``1/2``."""
        text, parts, strokes = self.text, [body], ""
        if _MIXED.fullmatch(body):
            return False
        while self.end < len(text) and text[self.end] in f"{_MINUS}/:" and (more := _PLAIN.match(text, self.end + 1)):
            strokes += text[self.end]
            parts.append(more.group())
            self.end = more.end()
        if not strokes:
            return False
        tail = _TAIL.match(text, self.end)
        if tail:
            self.end = tail.end()
        if strokes == "/" and not tail and self.rules.fractions and all(part.isdigit() for part in parts):
            self.value = _divided(parts[0], parts[1])
            self.problem = "" if self.value is not None else "divides by zero"
        elif len(parts) > 2 or strokes == ":":
            self.ignored = True
        elif strokes == "/":
            self.problem = "may be a fraction or a date: set fractions: true to read it as a fraction"
        else:
            self.problem = "is a range, not one number"
        return True

    def _value(self, body: str) -> None:
        text = self.text
        if _MIXED.fullmatch(body):
            whole, above, below = _MIXED.fullmatch(body).groups()  # type: ignore[union-attr]
            part = _divided(above, below)
            self.value = None if part is None else int(whole) + part
            self.problem = "" if part is not None else "divides by zero"
            return
        value = Fraction(0) if not body else value_of(body, self.rules.locale)
        if (
            body
            and self.rules.locale == "auto"
            and _THOUSANDS.fullmatch(body)
            and _ENDS.match(text, self.end)
            and text[self.end] == ","
        ):
            value = value_of(body, "de")  # a mark at the very end, as in 1.000, is the decimal mark
        if self.end < len(text) and text[self.end] in _VULGAR and body.isdigit():
            self.end += 1
        if text[self.end - 1] in _VULGAR and value is not None:
            value += Fraction(unicodedata.numeric(text[self.end - 1])).limit_denominator(10)
        exponent = _EXPONENT.match(text, self.end)
        if exponent and value is not None:
            self.end = exponent.end()
            value = _scaled(value, exponent.group()[1:])
        self.value = value
        if value is None:
            self.problem = "is out of range" if len(body) > LONGEST or exponent else "is not one number"

    def _right(self) -> None:
        """Take in a magnitude and a unit; digits after letters make an identifier of it all."""
        text = self.text
        tail = _TAIL.match(text, self.end)
        letters = tail.group() if tail else ""
        if any("0" <= sign <= "9" for sign in letters):
            self.end, self.ignored = tail.end() if tail else self.end, True
            return
        if letters and letters[0] in "⁰¹²³⁴⁵⁶⁷⁸⁹":
            self.end += len(letters)
            self.problem = "is a power, not one number"
            return
        power = self._magnitude(letters)
        if power and self.rules.magnitudes and self.value is not None:
            self.value *= 10**power
        self.number_end = self.end
        unit = _UNIT.match(text, self.end) or _AFTER_SPACE.match(text, self.end)
        if unit:
            self.unit = unit.group().strip()
            if not unit.group()[0].isspace():
                self.end = unit.end()
        elif not text.isascii() and letters and not power and ord(letters[0]) >= 0x2E80:
            self.unit = letters[:1]

    def _magnitude(self, letters: str) -> int:
        """Return the power of ten that follows (``k``, ``million``, ``万``), taking it in, or note the doubt."""
        rules, text = self.rules, self.text
        named = _NEXT_WORD.match(text, self.end)
        if letters and letters == rules.unit:
            return 0
        cjk = letters[:1] if letters[:1] in _GLUED and ord(letters[0]) > 127 else ""
        sign = cjk or letters
        power, length = _GLUED.get(sign, 0), len(sign)
        if sign in ("m", "b") and not (rules.magnitudes or self._currency_before(self.first)):
            power = 0
        if not power and named:
            power, length = _NAMED[named[1].lower()], named.end() - self.end
        if not power:
            return 0
        written = text[self.end : self.end + length].strip()
        self.end += length
        if not rules.magnitudes:
            self.problem = f"may be meant in {written}: set magnitudes: true, or unit: {written}"
        return power

    def _currency_before(self, at: int) -> str:
        left = self.text[max(self.floor, at - 5) : at].rstrip(SPACES)
        match = _CURRENCY.search(left.rstrip(_MINUS + "+").rstrip(SPACES))
        return match.group() if match else ""

    def _left(self, start: int) -> None:
        """Take in sign and currency; a letter or a stroke before the body makes an identifier or a range of it."""
        at = self._sign(start)
        left = self.text[self.floor : at].rstrip(SPACES)
        currency = _CURRENCY.search(left[-5:])
        if currency and len(self.text[self.floor : at]) - len(left) <= 1:
            self.currency = currency.group()
            at = self.floor + len(left) - len(self.currency)
            if self.sign > 0:
                at = self._sign(at)
        elif at == start and at > self.floor and (_is_letter(self.text[at - 1]) or self._underscored(at)):
            self.ignored = True
        self.start = at

    def _underscored(self, at: int) -> bool:
        return self.text[at - 1] == "_" and at - 1 > self.floor and self.text[at - 2].isalnum()

    def _sign(self, at: int) -> int:
        """Read the sign that ends at ``at``; return where it begins."""
        text = self.text
        if at == 0 or text[at - 1] not in f"{_MINUS}+±":
            return at
        sign, before = text[at - 1], text[at - 2] if at > 1 else ""
        if sign == "±":
            self.problem = self.problem or "is a tolerance, not one number"
        elif before and before in f"{_MINUS}+":
            self.problem = self.problem or "has two signs"
        elif before.isalnum() or before in ("%", ")", "]", "}", "°"):
            self._joined_on_the_left(sign, before, at - 1)
            return at
        elif sign != "+":
            self.sign = -1
        return at - 1

    def _joined_on_the_left(self, sign: str, before: str, at: int) -> None:
        """Judge ``X-12``: an identifier after a word, a range after a number, a pause where the stroke is long."""
        word = re.search(r"\w*$", self.text[max(0, at - 40) : at])
        if sign == "+" or (sign == "—" and before.isalpha()):
            return
        if before.isalnum() and word and not any(letter.isdigit() for letter in word.group()):
            self.ignored = True
        else:
            self.problem = self.problem or "is a range, not one number"

    def _words_and_brackets(self) -> None:
        text, rules = self.text, self.rules
        before = text[max(0, self.start - 12) : self.start]
        if SIGN_WORD.search(before):
            if "en" in rules.words:
                self.sign = -1
            else:
                self.problem = self.problem or "follows a word for minus: set words: en to read it"
        elif self.sign > 0 and rules.spaced_minus and re.search(rf"(?:^|[\n:=(])\s*[{_MINUS}] $", before):
            self.sign = -1
        opened = before.endswith("(") and not before[-2:-1].isalnum()
        if rules.accounting and self.sign > 0 and opened and _CLOSES.match(text, self.end):
            self.sign = -1

    def _finish(self) -> None:
        written = self.written
        self.candidate = Candidate(
            start=self.start,
            text=written[self.start : self.end][:60],
            value=None if self.problem or self.value is None else self.sign * self.value,
            unit=self.unit,
            currency=self.currency,
            after=written[self.number_end or self.end :][:40].partition("\n")[0],
            problem=self.problem,
        )


def _is_letter(sign: str) -> bool:
    """Return whether ``sign`` is a letter of a script that puts spaces between words."""
    return sign.isalpha() and ord(sign) < 0x2E80


def _divided(above: str, below: str) -> Fraction | None:
    return Fraction(int(above[:LONGEST]), int(below[:LONGEST])) if int(below[:LONGEST]) else None


def _scaled(value: Fraction, exponent: str) -> Fraction | None:
    power = exact(f"1e{exponent.replace(chr(0x2212), '-')}") if len(exponent) < 6 else None
    if power is None:
        return Fraction(0) if value == 0 else None
    return within_range(value * power)

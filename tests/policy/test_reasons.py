"""The list of reasons is closed: each is used, none beside it is, and each has a sentence."""

from __future__ import annotations

import re
from pathlib import Path

from oloproof import policy
from oloproof.policy import REASONS

ROOM = Path(policy.__file__).parent


def test_the_code_uses_the_listed_reasons_and_no_other() -> None:
    code = "".join(path.read_text() for path in ROOM.glob("*.py") if path.name not in ("reasons.py", "__init__.py"))
    words = set(re.findall(r'"([a-z]+(?:_[a-z]+)+)"', code))
    assert set(REASONS) <= words
    others = words - set(REASONS)
    ends = "minimum maximum threshold margin zero outcome observations limit validated run required baseline cases"
    assert [word for word in sorted(others) if word.rpartition("_")[2] in ends.split()] == []


def test_each_reason_is_explained_in_one_sentence() -> None:
    for code, meaning in REASONS.items():
        assert re.fullmatch(r"[a-z_]+", code)
        assert meaning
        assert not meaning.endswith(".")
        assert meaning[0].islower()

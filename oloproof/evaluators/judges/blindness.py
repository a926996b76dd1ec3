"""Replies in which a judge says that it was shown nothing, or that it will not judge."""

from __future__ import annotations

import re

_CANNOT = "|".join(
    (
        r"cannot", r"can\s?not", r"can['’]t", r"could not", r"couldn['’]t", r"unable to", r"not able to",
        r"do(?: not|n['’]t) have the ability to", r"do(?: not|n['’]t) have access to",
    )
)  # fmt: skip
_SEE = "see|view|open|access|display|look at|hear|listen to|play|watch|process|analy[sz]e|perceive"
_IT = (
    "images?|pictures?|photos?|photographs?|videos?|clips?|frames?|audio|sounds?|recordings?|media|files?|attachments?"
)
_WHICH = r"(?:the |this |these |those |any |your |that )?(?:attached |provided |uploaded |given )?"
_GIVEN = "attached|provided|included|uploaded|shared|received"

_BLIND = re.compile(
    rf"\b(?:I|we)\s*(?:am|['’]m|are)?\s*(?:{_CANNOT})\s+(?:actually |directly |really )?(?:(?:{_SEE})\s+)?"
    rf"{_WHICH}(?:{_IT})\b"
    rf"|\bno (?:{_IT}) (?:was|were|is|are|has been|have been) (?:actually )?(?:{_GIVEN})\b"
    rf"|\b(?:{_IT}) (?:is|was|are|were) not (?:{_GIVEN}|visible to me|accessible to me)\b"
    r"|\bI(?:['’]m| am) a text[- ](?:only|based)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"^\W*(?:I(?:['’]m| am) (?:sorry|unable|not able)|sorry|I (?:can['’]t|cannot|won['’]t|will not|must decline))\b",
    re.IGNORECASE,
)


def says_it_is_blind(text: str) -> str | None:
    """Return the words in which the judge says that it perceived nothing, None when it does not say so.

    «I cannot see any logo in the picture» is an observation and no such word; «I cannot see the picture» is.
    """
    found = _BLIND.search(text)
    return None if found is None else found[0]


def refuses(text: str) -> bool:
    """Whether a text without an answer begins as a refusal does."""
    return _REFUSAL.search(text) is not None

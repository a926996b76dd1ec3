"""The form in which one server and model take a question: found out from refusals, kept in the profile."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from oloproof.providers.messages import ReplyFormat
from oloproof.providers.profiles import Profile
from oloproof.providers.refusals import Refusal

_NEXT: dict[ReplyFormat, ReplyFormat] = {"json_schema": "json_object", "json_object": "text"}
_OTHER_NAME = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_MAY_BE_DROPPED = ("temperature", "seed")

_ABOUT_FORMAT = re.compile(
    r"response[_ ]?format|json[_ ]?(schema|object|mode)|structured[_ ]?output|output[_ ](config|format)|guided|grammar"
    r"|tool_choice|\btools?\b|\bstrict\b|additionalProperties",
    re.IGNORECASE,
)
_UNSUPPORTED = re.compile(
    r"unsupported|(not|n't|no longer) (be )?(support(s|ed)?|permitted|allowed)|unknown|unrecogni[sz]ed|unexpected|extra"
    r"|deprecated|instead|only the default|incompatible|not compatible",
    re.IGNORECASE,
)


class Form(Struct, frozen=True):
    """How the answer is asked for, what the limit of tokens is called, and which parameters are left out."""

    reply_format: ReplyFormat = "json_schema"
    tokens_name: str = "max_tokens"
    dropped: frozenset[str] = frozenset()


def known_form(profile: Profile, tokens_name: str) -> Form:
    """Return the form that ``profile`` holds; where it holds nothing that can be used, the first one to try."""
    reply_format = profile["reply_format"]
    known_name, dropped = profile["tokens_name"], profile["dropped"]
    return Form(
        reply_format if reply_format in (*_NEXT, "text") else "json_schema",
        known_name if known_name in _OTHER_NAME else tokens_name,
        frozenset(dropped if isinstance(dropped, list) else ()) & frozenset(_MAY_BE_DROPPED),
    )


def facts_of(form: Form, with_schema: bool) -> dict[str, Any]:
    """Return what a reply in ``form`` has taught; a question without a schema teaches nothing of formats."""
    facts: dict[str, Any] = {"tokens_name": form.tokens_name, "dropped": sorted(form.dropped)}
    return {"reply_format": form.reply_format, **facts} if with_schema else facts


def adapted(form: Form, refusal: Refusal, with_schema: bool) -> Form | None:
    """Return the form to try after ``refusal``, or None when its words concern nothing that can be changed."""
    unsupported = bool(_UNSUPPORTED.search(refusal.words) or _UNSUPPORTED.search(refusal.code))
    if unsupported and (changed := _without_parameter(form, refusal)):
        return changed
    about = f"{refusal.parameter} {refusal.words}"
    if with_schema and form.reply_format != "text" and _ABOUT_FORMAT.search(about):
        return replace(form, reply_format=_NEXT[form.reply_format])
    return None


def _without_parameter(form: Form, refusal: Refusal) -> Form | None:
    for name in _MAY_BE_DROPPED:
        if name not in form.dropped and _names(refusal, name):
            return replace(form, dropped=form.dropped | {name})
    if _names(refusal, form.tokens_name):
        return replace(form, tokens_name=_OTHER_NAME[form.tokens_name])
    return None


def _names(refusal: Refusal, name: str) -> bool:
    if refusal.parameter:
        return refusal.parameter == name
    return bool(re.search(rf"\b{name}\b", refusal.words))

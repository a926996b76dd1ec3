"""What a server's error means: stop the run, try again, ask in another form, or give this call up.

Codes and words are those that OpenAI, Anthropic, Google, OpenRouter, Azure, Ollama, vLLM, llama.cpp and LM Studio use.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from msgspec import Struct

from oloproof.providers.keys import without_key
from oloproof.providers.replies import NotAReply, object_of, parse_object, text_of

WORDS_SHOWN = 300
_READ = 20_000

Meaning = Literal["refused", "retry", "too_large", "filtered", "bad_request", "server_error"]

RETRIED = frozenset({408, 429, *range(500, 600)} - {501, 505})
"""Passing trouble: 408 is a server's own timeout, and proxies have more of the 5xx for theirs (Cloudflare 520 to 530).

501 and 505 say that the server will never do it.
"""

_NO_MONEY_CODES = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance", "billing_error"}
)
_BAD_KEY_CODES = frozenset({"invalid_api_key", "authentication_error", "invalid_authentication"})
_NO_MONEY = re.compile(
    r"insufficient[_ ](quota|balance|funds|credits?)|credit balance|out of credits|payment required", re.IGNORECASE
)
_MAYBE_NO_MONEY = re.compile(r"exceeded your current quota|billing", re.IGNORECASE)
_BAD_KEY = re.compile(r"api[ _-]?key (is )?(not valid|invalid|expired)|invalid api[ _-]?key", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model\b[^.]{0,80}(not found|does not exist)|no such model|unknown model|invalid model|model_not_found",
    re.IGNORECASE,
)
_TOO_LARGE = re.compile(
    r"too (large|long|big)\b(?!: \d+\. this model)|maximum (context|size|file)|context[_ ](length|window)"
    r"|exceeds? (the |its )?(maximum|limit|max)|request_too_large",
    re.IGNORECASE,
)
_FILTERED = frozenset({"content_filter", "content_policy_violation", "data_inspection_failed"})


class Refusal(Struct, frozen=True):
    """An error of a server: its status, its own code and parameter, and its words without the key, in one line."""

    status: int
    code: str
    parameter: str
    words: str

    def __str__(self) -> str:
        return f"HTTP {self.status}: {self.words}" if self.words else f"HTTP {self.status}"

    def meaning(self, retry_named: bool) -> Meaning:
        """Return what to do about it; ``retry_named`` says that the server named a time to try again."""
        if self._stops(retry_named):
            return "refused"
        if self.status in RETRIED:
            return "retry"
        if self.code in _FILTERED:
            return "filtered"
        if self.status == 413 or (self.status < 500 and self._says(_TOO_LARGE)):
            return "too_large"
        return "server_error" if self.status >= 500 else "bad_request"

    def _stops(self, retry_named: bool) -> bool:
        if 300 <= self.status < 400 or self.status in (401, 402, 403, 404):
            return self.code not in _FILTERED
        if self.status == 429:
            # some servers say «quota» for a limit per minute: those name a time
            says_money = self._says(_NO_MONEY) or self._says(_MAYBE_NO_MONEY)
            return self.code in _NO_MONEY_CODES or (not retry_named and says_money)
        if self.status not in (400, 422, 500):  # gateways pass on with 500 what they were refused themselves
            return False
        refused = self.code in _NO_MONEY_CODES | _BAD_KEY_CODES or self._says(_NO_MONEY) or self._says(_BAD_KEY)
        return refused or (self.status != 500 and self._says(_NO_MODEL))

    def _says(self, pattern: re.Pattern[str]) -> bool:
        return bool(pattern.search(self.words) or pattern.search(self.code))


def refusal_of(status: int, body: bytes, key_variable: str | None) -> Refusal:
    """Return the error that a reply with a bad ``status`` carries, whatever shape its body has."""
    try:
        document: Any = parse_object(body[: 1 << 20])
    except NotAReply:
        document = None
    if document is None:
        return Refusal(status, "", "", clean(body[:_READ].decode("utf-8", "replace"), key_variable))
    error = document.get("error") or document.get("detail") or document.get("message") or document
    fields = object_of(error)
    words = text_of(error) or text_of(fields.get("message")) or text_of(document.get("message")) or repr(error)
    words += _upstream(fields)
    code = text_of(fields.get("code")) or text_of(fields.get("type")) or text_of(document.get("code"))
    return Refusal(status, code[:100], text_of(fields.get("param"))[:100], clean(words, key_variable))


def _upstream(fields: dict[str, Any]) -> str:
    """Return the words of the server behind a router (OpenRouter's ``metadata.raw``)."""
    raw = text_of(object_of(fields.get("metadata")).get("raw"))
    return f" ({raw})" if raw else ""


def hidden_status(document: dict[str, Any]) -> int | None:
    """Return the status that an error inside a reply of status 200 stands for; None if it is no error."""
    if not document.get("error") or "choices" in document or "content" in document:
        return None
    code = object_of(document["error"]).get("code")
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def clean(text: str, key_variable: str | None) -> str:
    """Return a server's words in one line of bounded length, without control characters and without the key."""
    whole = without_key(text[:_READ], key_variable)  # before it is cut, perhaps within the key
    line = " ".join("".join(char if char.isprintable() else " " for char in whole).split())
    return line if len(line) <= WORDS_SHOWN else line[: WORDS_SHOWN - 1] + "…"

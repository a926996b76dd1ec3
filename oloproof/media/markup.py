"""The root element of a document of markup: what tells an SVG picture from a web page that shows one."""

from __future__ import annotations

import re

SEEN_BYTES = 1 << 16
"""How far the root element of a document is looked for: a licence or a list of entities may stand before it."""

_NAME = re.compile(rb"<(?:[\w.-]{1,100}:)?([\w.-]{1,100})(?=[\s/>]|$)")
_MARK = re.compile(rb"\S")
_TEXT_MARKS = (b"\xff\xfe", b"\xfe\xff")


def as_bytes_of_ascii(data: bytes) -> bytes:
    """Return the text of a document without its byte order mark; of UTF-16 text the low half of each character."""
    if data[:2] in _TEXT_MARKS:
        return data[2:].replace(b"\0", b"")
    return data.removeprefix(b"\xef\xbb\xbf")


def root_at(text: bytes) -> int | None:
    """Return where the first tag of ``text`` begins, behind its declaration, comments and document type.

    None when something other than markup comes first or the text ends before.
    """
    at = 0
    while (mark := _MARK.search(text, at)) is not None:
        at = mark.start()
        if text.startswith(b"<!--", at):
            end = text.find(b"-->", at + 4) + 3
        elif text.startswith(b"<?", at):
            end = text.find(b"?>", at + 2) + 2
        elif text.startswith(b"<!", at):
            end = _end_of_type(text, at)
        else:
            return at if text.startswith(b"<", at) else None
        if end <= at:
            return None
        at = end
    return None


def _end_of_type(text: bytes, at: int) -> int:
    """Return where a document type ends; its declarations stand in square brackets. 0 without an end."""
    close, bracket = text.find(b">", at), text.find(b"[", at)
    if 0 <= bracket < close:
        close = text.find(b">", max(text.find(b"]", bracket), at)) if b"]" in text[bracket:] else -1
    return close + 1


def root_name(text: bytes) -> str | None:
    """Return the name of the root element in lower case, without a prefix; None when there is none."""
    at = root_at(text)
    match = _NAME.match(text, at) if at is not None else None
    return match[1].decode("latin-1").lower() if match else None

"""What makes a label what it is: what was shown, for which criterion, by which guide, and who said it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

from oloproof.digests import digest_of
from oloproof.records import MediaItem


def shown_digest(shown_input: Any, output: Any, media: Sequence[MediaItem]) -> str:
    """Return the digest of what a person is shown, in hexadecimal: input, output, and the bytes of the media in order.

    It holds no run, judge or place of a file, so a label stays good for every run that shows the same.
    """
    return digest_of({"input": shown_input, "output": output, "media": [item.sha256 for item in media]})


def label_identity(shown: str, criterion: str, guide: str, labelled_by: str) -> str:
    """Return the digest, in hexadecimal, under which one person has one label for what was shown.

    ``guide`` is the version of the instructions that people label by: another guide asks another question.
    """
    return digest_of({"shown": shown, "criterion": criterion, "guide": guide, "labelled_by": person(labelled_by)})


def person(name: str) -> str:
    """Return a person's name in the one form in which it is kept: composed, without blanks around it."""
    return " ".join(unicodedata.normalize("NFC", name).split())

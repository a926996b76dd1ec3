"""What a judge was shown, part by part, in the order in which it was sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from oloproof.records import MediaItem
from oloproof.reports.case_views import TINY
from oloproof.reports.wording import count_words, visible
from oloproof.storage import StoredRun
from oloproof.workbench.pages.addresses import frame_address, media_address, thumbnail_address

_LONGEST = 4_000
_UNFOLDED = 300


class SeenPicture(Struct, frozen=True):
    """A picture or frame that was sent. ``address`` is None where its file is not as it was.

    ``tiny`` is shown with its pixels crisp. ``item`` is the clip that a frame is of, and ``seconds`` where it stands
    there; both are empty for a picture.
    """

    number: int
    words: str
    time: str
    address: str | None
    thumbnail: str | None
    size: str
    tiny: bool
    item: str
    seconds: str


class SeenPhrase(Struct, frozen=True):
    """A part of a transcript with where it begins and ends, in seconds.

    ``words`` are where each of its words begins, with spaces between, empty where that is not known.
    """

    start: str
    end: str
    text: str
    words: str = ""


class SeenText(Struct, frozen=True):
    """A text that was sent, or what is told of one that stands elsewhere.

    A transcript whose times are known stands in ``phrases`` too; ``item`` is what they are said in, empty where it is
    not as it was. What is the same in every case is ``folded`` when it is long.
    """

    name: str
    text: str
    phrases: tuple[SeenPhrase, ...] = ()
    item: str = ""
    folded: bool = False


class Seen(Struct, frozen=True):
    """Everything that one judgement was made on, and what the model answered."""

    words: str
    pictures: tuple[SeenPicture, ...]
    texts: tuple[SeenText, ...]
    sent: tuple[str, ...]
    said: tuple[str, ...]


def seen_of(run: StoredRun, judge: str, saw: Mapping[str, Any], media: Sequence[MediaItem]) -> Seen:
    """Return what the judge with this hash was shown.

    Files are found by their digests among ``media``, those that are as they were recorded.
    """
    parts = list(saw.get("parts", ()))
    pictures = tuple(_pictures(run, parts, media))
    texts = tuple(_texts(parts, media, str(run.document.get("judges", {}).get(judge, {}).get("rubric") or "")))
    prompt = sum(part.get("kind") in ("text", "transcript") for part in parts)
    sounds = sum(part.get("kind") == "audio" for part in parts)
    counted = [(len(pictures), "picture"), (sounds, "sound"), (prompt, "text")]
    words = ", ".join(count_words(count, noun) for count, noun in counted if count)
    return Seen(
        words=f"{words}, in this order" if words else "nothing was kept of what was shown",
        pictures=pictures,
        texts=texts,
        sent=tuple(str(part["sha256_sent"]) for part in parts if part.get("sha256_sent")),
        said=tuple(visible(str(one))[:_LONGEST] for one in saw.get("said", ()) if one),
    )


def _pictures(run: StoredRun, parts: Sequence[Mapping[str, Any]], media: Sequence[MediaItem]) -> Iterator[SeenPicture]:
    shown = [part for part in parts if part.get("kind") in ("image", "frame")]
    for number, part in enumerate(shown, start=1):
        item, time = _item_of(part, media), part.get("time")
        address = None
        if item is not None:
            address = media_address(run.id, item.id) if time is None else frame_address(run.id, item.id, time)
        small = thumbnail_address(run.id, item.id) if item is not None and time is None else address
        width, height = part.get("width") or 0, part.get("height") or 0
        words = visible(" ".join(str(part[key]) for key in ("role", "kind", "name") if part.get(key)))
        yield SeenPicture(
            number=number,
            words=words,
            time="" if time is None else f"{time:.3f} s",
            address=address,
            thumbnail=small,
            size=f"{width} × {height}" if width and height else "",
            tiny=0 < max(width, height) <= TINY,
            item="" if item is None or time is None else item.id,
            seconds="" if time is None else f"{time:.6f}",
        )


def _item_of(part: Mapping[str, Any], media: Sequence[MediaItem]) -> MediaItem | None:
    """Return the file that a part was made from: of several with the same bytes that of the role it was shown in."""
    same = [item for item in media if item.sha256 == part.get("sha256_recorded")]
    return next((item for item in same if item.role == part.get("role")), same[0] if same else None)


def _texts(parts: Sequence[Mapping[str, Any]], media: Sequence[MediaItem], rubric: str) -> Iterator[SeenText]:
    steps = dict.fromkeys(visible(str(step)) for part in parts for step in part.get("steps", ()))
    for part in parts:
        if part.get("kind") == "transcript":
            yield _transcript(part, media)
        elif part.get("kind") == "audio":
            yield SeenText("Sound", visible(f"{part.get('role', '')} {part.get('name', '')}".strip()))
        elif part.get("kind") == "text" and part.get("text"):
            yield SeenText(visible(str(part.get("name") or "Text")).capitalize(), visible(str(part["text"]))[:_LONGEST])
    if any(part.get("kind") == "text" and part.get("name") == "rubric" for part in parts):
        told = visible(rubric.strip())[:_LONGEST] or "that of the run; it stands in its project file"
        yield SeenText("Rubric", told, folded=len(told) > _UNFOLDED)
    if steps:
        yield SeenText("Prepared", "; ".join(steps))


def _transcript(part: Mapping[str, Any], media: Sequence[MediaItem]) -> SeenText:
    text = visible(str(part.get("text") or "nothing was heard"))[:_LONGEST]
    found = _item_of(part, media)
    item = "" if found is None else found.id
    phrases: list[SeenPhrase] = []
    room = _LONGEST
    for start, end, said, *words in part.get("phrases") or () if item else ():
        shown = visible(str(said))[:room]
        room -= len(shown)
        if shown:
            begins = " ".join(f"{at:.3f}" for at in words[0]) if words else ""
            phrases.append(SeenPhrase(f"{start:.3f}", f"{end:.3f}", shown, begins))
    return SeenText("Transcript", text, tuple(phrases), item)

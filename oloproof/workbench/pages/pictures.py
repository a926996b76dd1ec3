"""Files as a page shows them: where their bytes are, and which pictures can be held against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from oloproof.errors import MediaError, ToolMissing
from oloproof.media import MediaReader
from oloproof.records import Facts, MediaItem
from oloproof.reports.contexts import MediaView
from oloproof.workbench.derived import is_drawn_here
from oloproof.workbench.pages.addresses import (
    frame_address,
    frame_times_address,
    media_address,
    picture_address,
    spectrogram_address,
    thumbnail_address,
)

SHOWN_BY_BROWSERS = frozenset({"jpeg", "png", "apng", "gif", "webp", "avif", "bmp", "ico"})
ROLE_TITLES = {"input": "Input", "output": "Output", "context": "Expected"}


class Medium(Struct, frozen=True):
    """One file in a pane. ``address`` is of its bytes, ``shown`` of what is shown of it, ``thumbnail`` of a small one.

    Of an image ``shown`` is empty where nothing here can draw it; of a clip it is the first frame. ``direct``: browsers
    show pictures of its format. ``alpha``: parts of it may be transparent. ``frames`` is the address of the moments of
    a clip's frames, ``spectrogram`` that of a sound's picture without its last part, the highest frequency; it is empty
    where there is no sound. ``now`` says what lies in the place of a file that is not as it was recorded.
    """

    view: MediaView
    id: str
    address: str
    shown: str
    thumbnail: str
    direct: bool
    alpha: bool
    width: int
    height: int
    frames: str
    spectrogram: str
    now: str


class PairPicture(Struct, frozen=True):
    """A picture that can be held against another (``pair.html.j2``). ``alpha``: parts of it may be transparent."""

    name: str
    address: str
    alpha: bool


def medium_of(reader: MediaReader, run: str, item: MediaItem, view: MediaView) -> Medium:
    """Return how the file ``item`` of a run is shown; ``view`` is what the report tells of it."""
    verified = view.state == "verified"
    direct = item.format in SHOWN_BY_BROWSERS
    facts = _facts(reader, item) if verified else None
    return Medium(
        view=view,
        id=item.id,
        address=media_address(run, item.id),
        shown=_shown(run, item, direct=direct),
        thumbnail=thumbnail_address(run, item.id),
        direct=direct,
        alpha=direct and facts is not None and bool(facts.extras.get("transparency")),
        width=item.width or 0,
        height=item.height or 0,
        frames=frame_times_address(run, item.id),
        spectrogram="" if facts is not None and facts.has_audio is False else spectrogram_address(run, item.id),
        now="" if verified else _now(reader, item),
    )


def _shown(run: str, item: MediaItem, *, direct: bool) -> str:
    if item.kind != "image":
        return frame_address(run, item.id, 0.0) if item.kind == "video" else ""
    if direct:
        return media_address(run, item.id)
    return picture_address(run, item.id) if is_drawn_here(item) else ""


def pair_pictures(media: Iterable[Medium]) -> tuple[PairPicture, ...]:
    """Return the pictures among ``media`` that can be held against each other: all that are as they were recorded.

    Each is named by its role, and by its file where several have that role.
    """
    shown = [one for one in media if is_picture(one)]
    roles = Counter(one.view.role for one in shown)
    return tuple(PairPicture(_name(one.view, roles), one.shown, one.alpha) for one in _output_second(shown))


def is_picture(medium: Medium) -> bool:
    """Return whether a file is an image that can be shown and is as it was recorded."""
    return medium.view.kind == "image" and medium.view.state == "verified" and bool(medium.shown)


def _output_second(media: list[Medium]) -> Iterator[Medium]:
    """Yield the pictures in the order in which they are offered: what came out is held against what came first."""
    before = next((one for one in media if one.view.role != "output"), None)
    output = next((one for one in media if one.view.role == "output"), None)
    first = [one for one in (before, output) if one is not None]
    yield from first
    yield from (one for one in media if all(one is not other for other in first))


def _name(view: MediaView, roles: Counter[str]) -> str:
    title = ROLE_TITLES.get(view.role, view.role)
    return title if roles[view.role] == 1 else f"{title} {view.name}"


def _facts(reader: MediaReader, item: MediaItem) -> Facts | None:
    try:
        return reader.facts(item, "header")
    except (MediaError, ToolMissing, OSError):
        return None


def _now(reader: MediaReader, item: MediaItem) -> str:
    """Return what lies in the place of a file that is not as it was recorded."""
    place = reader.locate(item)
    try:
        return f"{place.stat().st_size:,} bytes, sha256 {reader.digest_of_path(place)}"
    except (MediaError, OSError):
        return "nothing that can be read"

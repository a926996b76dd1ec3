"""Frames and duration of an animation from the table in its file, without decoding."""

from __future__ import annotations

from collections.abc import Callable

from oloproof.media import gif, heif, png, webp
from oloproof.media.binary import Source
from oloproof.media.drafting import Draft

SHORTEST_DELAY, RAISED_DELAY = 0.0105, 0.1
"""Frames that ask for 10 ms or less are shown for 100 ms by browsers and by ffmpeg."""


def shown_delay(delay: float) -> float:
    """Return how long a viewer shows a frame that asks for ``delay`` seconds."""
    return RAISED_DELAY if delay <= SHORTEST_DELAY else delay


def read_animation(source: Source, draft: Draft) -> None:
    """Fill in frames and duration of a GIF, APNG, WebP, AVIF or HEIF from its frame table, without decoding."""
    reader = _TABLES.get(draft.found.format)
    if reader is None:
        return
    delays, plays, cut = reader(source)
    if cut:
        draft.find("truncated", "the file ends before its last frame does")
    if draft.found.format == "gif" and gif.read_gif(source).damaged:
        draft.find("damaged", "something that is no block of a GIF follows a frame; viewers stop there")
    set_frames(draft, delays)
    if len(delays) > 1 and plays is not None:
        draft.extras["plays"] = plays


def set_frames(draft: Draft, delays: list[float]) -> None:
    """Fill in what the ``delays`` of its frames, in seconds, tell: how many there are and how long they last."""
    draft.animated = len(delays) > 1 or bool(draft.animated and draft.has("truncated"))
    draft.frames = len(delays) or None
    draft.duration = None
    if not draft.animated:
        return
    draft.duration = sum(map(shown_delay, delays)) if delays else None
    raised = sum(delay <= SHORTEST_DELAY for delay in delays)
    if raised:
        draft.find("frame_delay_raised", f"{raised} of {len(delays)} frames ask for 10 ms or less: counted as 100 ms")


def _gif_table(source: Source) -> tuple[list[float], int | None, bool]:
    found = gif.read_gif(source)
    return found.delays, found.plays, found.cut


def _png_table(source: Source) -> tuple[list[float], int | None, bool]:
    found = png.read_png(source)
    if not found.promised_frames:
        return [0.0], None, found.cut
    shown = [frame for frame in found.frames if frame.data and not frame.cut]
    cut = found.cut or len(shown) < found.promised_frames
    return [frame.delay for frame in shown], found.plays, cut


def _webp_table(source: Source) -> tuple[list[float], int | None, bool]:
    found = webp.read_webp(source)
    return (found.delays if found.animated else [0.0]), found.plays, found.cut


def _heif_table(source: Source) -> tuple[list[float], int | None, bool]:
    found = heif.read_picture(source)
    if len(found.delays) < 2:
        return [0.0], None, found.cut
    return ([] if found.cut else found.delays), None, found.cut  # nothing decodes part of such a file


_TABLES: dict[str, Callable[[Source], tuple[list[float], int | None, bool]]] = {
    "gif": _gif_table, "png": _png_table, "apng": _png_table, "webp": _webp_table, "avif": _heif_table,
    "heic": _heif_table, "heif": _heif_table,
}  # fmt: skip

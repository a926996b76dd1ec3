"""The one place where a picture is made ready for a model: what is sent, and every step that was taken.

A picture that needs nothing is sent as the very bytes that were recorded. Any other is decoded once, by the function
that also serves the hash and the thumbnail, and encoded anew: PNG where nothing may be lost, else JPEG.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct

from oloproof.errors import MediaUnreadable
from oloproof.media import animation_tables, images
from oloproof.media.binary import Source
from oloproof.media.drafting import DEFAULT, Draft, Limits
from oloproof.media.image_recipe import ENCODED_AS, ImageRecipe
from oloproof.media.preparing_colors import from_primaries
from oloproof.media.preparing_needs import (
    Look,
    color_steps,
    is_opaque,
    look_at,
    refuse_unshowable,
    require_whole,
    wide_by_number,
)

if TYPE_CHECKING:
    from PIL import Image

QUALITY = 95
_FEW_COLORS = 256
_JPEG_SIDE = 65_500
_CLOSE = 1.04
_MOST_TRIES = 20
_CURE = "set `downscale: true` to send a smaller copy, or raise the limit"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A picture as it is sent: its bytes, media type, shown size in pixels, and the steps taken, in order.

    No steps: these are the recorded bytes.
    """

    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int
    steps: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """The digest of what is sent, as hexadecimal digits."""
        return hashlib.sha256(self.data).hexdigest()


def prepare_image(file: BinaryIO, recipe: ImageRecipe, limits: Limits = DEFAULT) -> Prepared:
    """Return the picture in ``file`` as a model may be shown it; ``limits`` bound what is decoded at all.

    Raises:
        MediaUnreadable: with code ``not_an_image``, ``too_large`` (to be decoded here), ``no_decoder``, ``damaged``,
            ``animated`` (show it as frames), ``hdr``, or ``over_limit`` (of the recipe).
        ToolMissing: Pillow is not installed.
    """
    source = Source(file, whole=recipe.max_bytes)  # as a rule all of it is sent
    draft = images.decodable_draft(source, limits)
    animation_tables.read_animation(source, draft)
    look = look_at(source, draft)
    refuse_unshowable(source, draft, look)
    _refuse_size((draft.width or 0, draft.height or 0), recipe)
    steps = color_steps(draft, look)
    plain = not steps and draft.found.media_type in recipe.accepts
    if look.transparent and not (plain and is_opaque(file, draft)):
        steps, plain = (*steps, f"on {recipe.background.lower()}"), False
    require_whole(source, draft, limits, untouched=plain)
    if plain and not draft.has("trailing_data") and _within(source, draft, recipe):
        return Prepared(_bytes_of(source), draft.found.media_type, draft.width or 0, draft.height or 0, ())
    if plain and not look.lossless and source.size > recipe.max_bytes and not recipe.downscale:
        raise _too_many_bytes(source.size, draft.found.format, recipe)
    return _encoded_anew(file, recipe, limits, draft, look, steps)


def _bytes_of(source: Source) -> bytes:
    """Return all bytes of an open file."""
    return b"".join(source.blocks(0))


def _within(source: Source, draft: Draft, recipe: ImageRecipe) -> bool:
    size = draft.width or 0, draft.height or 0
    return source.size <= recipe.max_bytes and _target(size, recipe) == size


def _encoded_anew(
    file: BinaryIO, recipe: ImageRecipe, limits: Limits, draft: Draft, look: Look, steps: tuple[str, ...]
) -> Prepared:
    picture = images.open_upright_srgb(file, background=recipe.background, limits=limits)
    if wide_by_number(draft, look):
        picture = from_primaries(picture, draft.profile or "")
    sent = _fitted(picture, recipe, lossless=look.lossless)
    format_step = () if sent.form == draft.found.format else (f"from {draft.found.format} to {sent.form}",)
    dropped = (
        *(("metadata dropped",) if look.metadata else ()),
        *(("trailing data dropped",) if draft.has("trailing_data") else ()),
    )
    taken = (*steps, *format_step, *_size_step(picture.size, sent.size), *dropped)
    return sent.prepared(taken or (f"encoded as {sent.form} anew",))


def _size_step(before: tuple[int, int], after: tuple[int, int]) -> tuple[str, ...]:
    return () if before == after else (f"from {before[0]}x{before[1]} to {after[0]}x{after[1]}",)


class _Sent(Struct, frozen=True):
    """One encoding: its bytes, ``png`` or ``jpeg``, its size in pixels."""

    data: bytes
    form: str
    size: tuple[int, int]

    def prepared(self, steps: tuple[str, ...]) -> Prepared:
        return Prepared(self.data, ENCODED_AS[self.form], *self.size, steps)


def _fitted(picture: Image.Image, recipe: ImageRecipe, *, lossless: bool) -> _Sent:
    """Return the largest encoding that keeps the limits; raises ``over_limit`` where that takes an undeclared one."""
    exact = lossless or picture.getcolors(_FEW_COLORS) is not None
    sent = _encoded(picture, _target(picture.size, recipe), recipe, exact=exact)
    if len(sent.data) <= recipe.max_bytes:
        return sent
    if not recipe.downscale:
        raise _too_many_bytes(len(sent.data), sent.form, recipe)
    return _reduced(picture, sent, recipe)


def _reduced(picture: Image.Image, over: _Sent, recipe: ImageRecipe) -> _Sent:
    """Search the factor on ``over`` by which its bytes fit, to within 4 %, from a guess by its area."""
    best: _Sent | None = None
    low, high, tried = 0.0, 1.0, over
    factor = 0.98 * (recipe.max_bytes / len(over.data)) ** 0.5
    for _ in range(_MOST_TRIES):
        size = max(1, int(over.size[0] * factor)), max(1, int(over.size[1] * factor))
        tried = _encoded(picture, size, recipe, exact=False)
        if len(tried.data) <= recipe.max_bytes:
            best, low = tried, factor
        elif size == (1, 1):
            break
        else:
            high = factor
        if best is not None and high <= _CLOSE * low:
            break
        factor = (low * high) ** 0.5 if best is not None else high * 0.7
    if best is None:
        raise _too_many_bytes(len(tried.data), tried.form, recipe)
    return best


def _encoded(picture: Image.Image, size: tuple[int, int], recipe: ImageRecipe, *, exact: bool) -> _Sent:
    """Encode at ``size``: as PNG when ``exact``, as JPEG when not or when the PNG has too many bytes."""
    if size != picture.size:
        from PIL import Image

        picture = picture.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
    if ENCODED_AS["png"] in recipe.accepts and (
        exact or ENCODED_AS["jpeg"] not in recipe.accepts or max(size) > _JPEG_SIDE
    ):
        sent = _Sent(_saved(picture, "PNG"), "png", size)
        if len(sent.data) <= recipe.max_bytes or ENCODED_AS["jpeg"] not in recipe.accepts or max(size) > _JPEG_SIDE:
            return sent
    return _Sent(_saved(picture, "JPEG", quality=QUALITY, subsampling=0), "jpeg", size)


def _saved(picture: Image.Image, form: str, **options: Any) -> bytes:
    out = BytesIO()
    clean = picture.copy()
    clean.info = {}  # what a plugin left there would be written out again
    clean.save(out, form, **options)
    return out.getvalue()


def _target(size: tuple[int, int], recipe: ImageRecipe) -> tuple[int, int]:
    """Return the largest size of the same shape within the recipe's sides and pixels."""
    width, height = size
    side = recipe.max_side if ENCODED_AS["png"] in recipe.accepts else min(recipe.max_side or _JPEG_SIDE, _JPEG_SIDE)
    factor = 1.0 if side is None else min(1.0, side / max(width, height, 1))
    if recipe.max_pixels is not None and width * height * factor * factor > recipe.max_pixels:
        factor = (recipe.max_pixels / (width * height)) ** 0.5
    if factor == 1.0:
        return size
    return max(1, int(width * factor + 1e-9)), max(1, int(height * factor + 1e-9))


def _refuse_size(size: tuple[int, int], recipe: ImageRecipe) -> None:
    if recipe.downscale or _target(size, recipe) == size:
        return
    allowed = [
        f"sides of at most {recipe.max_side} pixels" if recipe.max_side is not None else "",
        f"at most {recipe.max_pixels} pixels" if recipe.max_pixels is not None else "",
    ]
    words = " and ".join(filter(None, allowed)) or f"sides of at most {_JPEG_SIDE} pixels in a JPEG"
    raise MediaUnreadable(f"the picture is {size[0]}x{size[1]}; {words} may be sent; {_CURE}", code="over_limit")


def _too_many_bytes(count: int, form: str, recipe: ImageRecipe) -> MediaUnreadable:
    cure = "raise the limit" if recipe.downscale else _CURE
    return MediaUnreadable(
        f"the picture takes {count} bytes as {form.upper()}; at most {recipe.max_bytes} may be sent; {cure}",
        code="over_limit",
    )

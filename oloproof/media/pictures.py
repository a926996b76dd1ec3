"""One picture on its way to being delivered in other forms: opened once, decoded once, for all of them."""

from __future__ import annotations

import hashlib
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING

from oloproof.errors import MediaUnreadable
from oloproof.media import animation_tables, images
from oloproof.media.binary import Source
from oloproof.media.drafting import DEFAULT, Draft, Limits
from oloproof.media.formats import describe
from oloproof.media.preparing_colors import from_primaries
from oloproof.media.preparing_needs import damaged, look_at, refuse_unshowable, require_whole, wide_by_number

if TYPE_CHECKING:
    from PIL import Image


class Picture:
    """A still picture with its bytes. What is asked for is made once and kept.

    ``ours`` was written here a moment ago, so that it is not searched for damage.

    Raises:
        MediaUnreadable: with code ``not_an_image``, ``too_large``, ``no_decoder``, ``damaged``, ``animated``,
            ``several_pages`` or ``hdr``.
        ToolMissing: Pillow is not installed.
    """

    def __init__(self, data: bytes, limits: Limits = DEFAULT, *, ours: bool = False) -> None:
        self.data = data
        self.limits = limits
        self.source = Source(BytesIO(data))
        self.draft: Draft = images.decodable_draft(self.source, limits)
        animation_tables.read_animation(self.source, self.draft)
        self.look = look_at(self.source, self.draft)
        refuse_unshowable(self.source, self.draft, self.look)
        self._refuse_several()
        if not ours and self.format != "png":  # a PNG's checksums are compared before it is opened
            require_whole(self.source, self.draft, limits, untouched=False)

    def _refuse_several(self) -> None:
        pages = self.draft.extras.get("pages", 1)
        if pages > 1:
            raise MediaUnreadable(
                f"{describe(self.format)} of {pages} pictures; which of them is meant is not told: "
                "make that one a file of its own",
                code="several_pages",
            )

    @property
    def format(self) -> str:
        """The format that the bytes tell, such as ``jpeg``."""
        return self.draft.found.format

    @property
    def turned(self) -> bool:
        """Whether a viewer turns or flips what is stored."""
        return self.draft.exif_orientation != 1 and self.format not in ("tiff", "bigtiff")

    @cached_property
    def sha256(self) -> str:
        """The digest of the bytes."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def stored(self) -> Image.Image:
        """The pixels as the decoder gives them: not turned, colours not converted, in the picture's own mode."""
        with images.quiet():
            try:
                opened = images.open_plugin(BytesIO(self.data), self.format)
                opened.load()
            except images.pillow_errors() as error:
                code = "too_large" if images.is_bomb(error) else "damaged"
                if code == "damaged":
                    raise damaged(self.format, str(error)) from error
                raise MediaUnreadable(str(error), code=code) from error
        return opened

    @cached_property
    def view(self) -> Image.Image:
        """The picture as a viewer shows it: upright, on white, in 8-bit sRGB, mode ``RGB``."""
        shown = images.shown_as(self.stored, self.draft)
        return from_primaries(shown, self.draft.profile or "") if wide_by_number(self.draft, self.look) else shown

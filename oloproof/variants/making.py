"""Making one file of another by a recipe, and finding out what is the same: pictures in memory, clips by ffmpeg."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

from msgspec import Struct

from oloproof.config.recipes import FORMS
from oloproof.digests import digest_of
from oloproof.errors import MediaError, MediaUnreadable
from oloproof.media import facts_of
from oloproof.media.clip_recipes import CLIP_RECIPES_VERSION, blank_clip, encode_clip
from oloproof.media.clip_sameness import compare_clips
from oloproof.media.clips import Clip
from oloproof.media.drafting import DEFAULT
from oloproof.media.equipment import package_version, tool_version
from oloproof.media.formats import FORMATS as FILES
from oloproof.media.formats import describe
from oloproof.media.input_files import header_facts
from oloproof.media.picture_recipes import PICTURE_RECIPES_VERSION, blank_picture, encode_recipe
from oloproof.media.pictures import Picture
from oloproof.media.reading import open_regular
from oloproof.media.sameness import EVERYTHING, Sameness, compare_pictures
from oloproof.records import Kind
from oloproof.storage.variant_files import VariantFiles
from oloproof.variants.members import Member

_KINDS: dict[str, tuple[Kind, ...]] = {"blank": ("image", "audio", "video"), "mirror": ("image", "video")}


class Made(Struct, frozen=True):
    """A file that was made: its digest, ending, facts from its header, and what is the same of its source."""

    sha256: str
    ending: str
    size: int
    facts: dict[str, Any]
    same: Sameness

    def as_json(self) -> dict[str, Any]:
        """Return what is kept, so that nothing must be made or compared again."""
        same = [self.same.bytes, self.same.data, self.same.view, self.same.difference]
        return {"sha256": self.sha256, "ending": self.ending, "size": self.size, "facts": self.facts, "same": same}

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Made:
        """Return what :meth:`as_json` kept."""
        return cls(kept["sha256"], kept["ending"], kept["size"], kept["facts"], Sameness(*kept["same"]))


class Tooling:
    """The versions of what makes files: part of the key under which one is found again. Asked for when needed."""

    def tag(self, kind: Kind) -> str:
        """Return a digest of everything that decides which bytes a recipe makes of a file of a kind."""
        return self._pictures if kind == "image" else self._clips

    @cached_property
    def _pictures(self) -> str:
        libraries = [package_version(name) for name in ("pillow", "numpy")]
        return digest_of([PICTURE_RECIPES_VERSION, *libraries])[:16]

    @cached_property
    def _clips(self) -> str:
        return digest_of([CLIP_RECIPES_VERSION, tool_version("ffmpeg")])[:16]


class Original:
    """The file that a case names, opened and decoded once for every recipe.

    ``sha256`` is the digest that it had when the trial was keyed.
    """

    def __init__(self, path: str, sha256: str, kind: Kind | None, format: str) -> None:  # noqa: A002
        self.path, self.sha256, self.kind, self.format = path, sha256, kind, format

    def require_fit(self, member: Member) -> None:
        """Raise ``MediaUnreadable`` with code ``wrong_kind`` when the recipe is for another kind of file."""
        form = FORMS.get(member.recipe)
        kinds = (form.kind,) if form is not None else _KINDS[member.recipe]
        if self.kind not in kinds:
            wanted = " and ".join({"image": "images", "audio": "sounds", "video": "videos"}[kind] for kind in kinds)
            film = self.format in FILES and FILES[self.format].kind == "video"
            found = describe(self.format) + " without pictures" * (film and self.kind == "audio")
            raise MediaUnreadable(
                f"{member.name} is for {wanted}, and this is {found}", path=self.path, code="wrong_kind"
            )

    @cached_property
    def picture(self) -> Picture:
        """The file as a picture; raises ``MediaUnreadable`` when it cannot be delivered in another form."""
        with open_regular(self.path, follow=True) as file:
            data = file.read()
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise MediaError(f"{self.path} was changed while it was read", path=self.path, code="media_changed")
        return Picture(data)

    @cached_property
    def clip(self) -> Clip:
        """The file as a sound or a video."""
        return _clip(Path(self.path), self.kind, self.format)


def _clip(path: Path, kind: Kind | None, format: str) -> Clip:  # noqa: A002
    before = _state(path)

    def check() -> None:
        if _state(path) != before:
            raise MediaError(f"{path} was changed while it was read", path=path, code="media_changed")

    return Clip(path, "audio" if kind == "audio" else "video", format, check, DEFAULT.decode_seconds)


def _state(path: Path) -> tuple[int, int, int] | None:
    with suppress(OSError):
        status = os.stat(path)
        return status.st_ino, status.st_size, status.st_mtime_ns
    return None


def make(original: Original, member: Member, files: VariantFiles) -> Made:
    """Make the file of a member and keep it.

    Raises:
        MediaError: it cannot be made of this file; the text says why.
        ToolMissing: ffmpeg or Pillow is needed and not installed.
    """
    original.require_fit(member)
    return _make_picture(original, member, files) if original.kind == "image" else _make_clip(original, member, files)


def _seed(original: Original, member: Member) -> int:
    return int(digest_of([original.sha256, member.name])[:12], 16)


def _make_picture(original: Original, member: Member, files: VariantFiles) -> Made:
    picture = original.picture
    if member.recipe == "blank":
        made = blank_picture(picture, member.color)
    else:
        made = encode_recipe(picture, member.recipe, member.amount, lambda: _seed(original, member))
    digest = hashlib.sha256(made.data).hexdigest()
    facts = header_facts(facts_of(BytesIO(made.data), path=original.path, depth="header"))
    same = compare_pictures(picture, made, claimed=member.relation == "same_view")
    files.keep_bytes(made.data, digest, made.ending)
    return Made(digest, made.ending, len(made.data), facts, same)


def _make_clip(original: Original, member: Member, files: VariantFiles) -> Made:
    with files.draft() as draft:
        ending, same = _write_clip(original, member, draft)
        with draft.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.seek(0, 2)
            facts = header_facts(facts_of(file, path=draft, depth="header"))
        files.keep(draft, digest, ending)
    return Made(digest, ending, size, facts, EVERYTHING if digest == original.sha256 else same)


def _write_clip(original: Original, member: Member, draft: Path) -> tuple[str, Sameness]:
    clip = original.clip
    if member.recipe == "blank":
        ending = blank_clip(clip, member.color, draft)
    else:
        ending = encode_clip(clip, member.recipe, member.amount, lambda: _seed(original, member), draft)
    with draft.open("rb") as file:
        facts = facts_of(file, path=draft, depth="header")
    if facts.kind != clip.kind:
        return ending, Sameness(False, False, False, f"it is {describe(facts.format)}")
    if facts.duration == 0:
        raise MediaUnreadable("nothing of it would be left", path=original.path, code="over_limit")
    return ending, compare_clips(clip, _clip(draft, facts.kind, facts.format))

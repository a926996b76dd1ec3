"""From a case to what each trial of its family is given, with the evidence of what that is."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from oloproof.errors import MediaError, MediaMissing
from oloproof.media import MediaReader
from oloproof.media.digesting import identity_of
from oloproof.media.input_files import InputFile, input_file, input_item
from oloproof.media.recording import stored_path
from oloproof.media.sameness import EVERYTHING, Sameness
from oloproof.records import ORIGINAL, Case, Delivery, Finding, MediaItem
from oloproof.storage.variant_files import VariantFiles
from oloproof.variants.families import Families
from oloproof.variants.fields import value_of, with_value
from oloproof.variants.making import Made, Original, Tooling, make
from oloproof.variants.members import Member

_LOCKS = 64


class Variation(Struct, frozen=True):
    """One member of a family as a trial gets it: its case, what was delivered, or why it cannot be asked."""

    case: Case
    deliveries: tuple[Delivery, ...] = ()
    problem: str | None = None


class VariantWorkshop:
    """Makes the variants of a run on demand and finds those made before. Safe between threads.

    What was made is remembered by the SHA-256 of its source, its recipe and the versions of the libraries, so that a
    rerun makes nothing; a file that is gone or was changed is made again.
    """

    def __init__(self, families: Families, files: VariantFiles, reader: MediaReader) -> None:
        self.families = families
        self._files = files
        self._reader = reader
        self._tooling = Tooling()
        self._locks = [threading.Lock() for _ in range(_LOCKS)]

    @property
    def root(self) -> Path:
        """The folder of the project."""
        return self._reader.root

    def expect(self, cases: Sequence[Case]) -> None:
        """Read what is known of the files of these cases at once; they are asked for next."""
        found = []
        for path in (case.files[field] for case in cases for field in self.families.fields if field in case.files):
            with suppress(MediaError):  # told when the case is asked for
                found.append(self._reader.digest_of_path(path))
        self._reader.measurements.expect(found)

    def ready(self, case: Case) -> dict[str, Variation] | None:
        """Return the family of a case if nothing of it must be made, None otherwise."""
        return self._family(case, making=False)

    def make(self, case: Case) -> dict[str, Variation]:
        """Return the family of a case, making what there is not.

        Raises:
            ToolMissing: ffmpeg or Pillow is needed and not installed.
        """
        made = self._family(case, making=True)
        assert made is not None  # noqa: S101 - only without making something may be left open
        return made

    def _family(self, case: Case, *, making: bool) -> dict[str, Variation] | None:
        base = self.families.original(case)
        sources = {field: self._source(base, field, making=making) for field in self.families.fields}
        if any(source is None for source in sources.values()):
            return None
        family = _Family(self, case, base, {field: source for field, source in sources.items() if source is not None})
        return family.whole(making=making)

    def _source(self, case: Case, field: str, *, making: bool) -> InputFile | None:
        """Return the file in a field of a case; None where its header must be read first."""
        path = case.files.get(field)
        return InputFile("") if path is None else self.file(path, making=making)

    def file(self, path: str, *, making: bool = True) -> InputFile | None:
        """Return what is known of a file at an absolute path."""
        return input_file(path, self._reader, making=making)

    def made(self, source: InputFile, original: Original, member: Member, *, making: bool) -> tuple[Made, str] | None:
        """Return a member's file and its path; None where it must be made first and ``making`` is not asked for.

        Raises:
            MediaError: it cannot be made.
        """
        original.require_fit(member)
        name = f"variant:{member.recipe}:{member.amount:g}:{member.color}@{self._tooling.tag(original.kind or 'image')}"
        found = self._kept(source.sha256, name)
        if found is not None or not making:
            return found
        with self._locks[int(source.sha256[:2], 16) % _LOCKS]:
            found = self._kept(source.sha256, name)
            if found is None:
                made = make(original, member, self._files)
                if self._reader.digest_of_path(original.path) != source.sha256:
                    path = stored_path(self.root, original.path)
                    raise MediaError(f"{path} was changed while it was read", path=original.path, code="media_changed")
                self._reader.measurements.put(source.sha256, name, made.as_json())
                found = made, self._files.place(made.sha256, made.ending)
                self._reader.memo.remember(identity_of(os.stat(found[1])), made.sha256)
        return found

    def _kept(self, sha256: str, name: str) -> tuple[Made, str] | None:
        kept = self._reader.measurements.get(sha256, name)
        if kept is None:
            return None
        made = Made.from_json(kept)
        place = self._files.place(made.sha256, made.ending)
        try:
            whole = self._reader.digest_of_path(place) == made.sha256
        except MediaMissing:
            whole = False
        return (made, place) if whole else None

    def item(self, field: str, path: str, sha256: str, size: int, facts: dict[str, Any]) -> MediaItem | None:
        """Return the record of a delivered file; None for what is no image, sound or video."""
        return input_item(field, path, sha256, size, facts, self._reader)


class _Family:
    """One case's family while it is put together, member by member."""

    def __init__(self, shop: VariantWorkshop, case: Case, base: Case, sources: dict[str, InputFile]) -> None:
        self._shop, self._case, self._base, self._sources = shop, case, base, sources
        self._originals = {
            field: Original(one.path, one.sha256, one.facts["kind"], one.facts["format"])
            for field, one in sources.items()
            if one.facts is not None
        }
        self._seen: dict[tuple[str, str], str] = {
            (field, one.sha256): ORIGINAL for field, one in sources.items() if one.sha256
        }

    def whole(self, *, making: bool) -> dict[str, Variation] | None:
        """Return every member; None where one must be made first and ``making`` is not asked for."""
        found = {ORIGINAL: self._original()}
        for member in self._shop.families.members(self._case):
            variation = self._variation(member, making=making)
            if variation is None:
                return None
            found[member.name] = variation
        return found

    def _original(self) -> Variation:
        items = ((field, self._item(field, one)) for field, one in self._sources.items())
        return Variation(self._base, tuple(Delivery(field, item) for field, item in items if item is not None))

    def _item(self, field: str, one: InputFile) -> MediaItem | None:
        return None if one.facts is None else self._shop.item(field, one.path, one.sha256, one.size, one.facts)

    def _variation(self, member: Member, *, making: bool) -> Variation | None:
        try:
            return self._of_way(member, making=making)
        except MediaError as error:
            path = self._sources[member.field].path
            where = f"{stored_path(self._shop.root, path)}: " if path and path not in str(error) else ""
            return Variation(self._base, (), f"variant {member.name}: {where}{error}")

    def _of_way(self, member: Member, *, making: bool) -> Variation | None:
        if member.way == "made":
            return self._of_recipe(member, making=making)
        if member.way == "dropped":
            return self._changed(member, None, (Delivery(member.field, None, member.relation),))
        if member.way == "words":
            words = self._shop.families.replacement(self._case, member)
            return self._changed(member, words, (Delivery(member.field, None, member.relation),))
        return self._of_other(member, making=making)

    def _of_recipe(self, member: Member, *, making: bool) -> Variation | None:
        source = self._usable(member)
        found = self._shop.made(source, self._originals[member.field], member, making=making)
        if found is None:
            return None
        made, path = found
        item = self._shop.item(member.field, path, made.sha256, made.size, made.facts)
        return self._delivered(member, path, item, made.sha256, source.sha256, made.same)

    def _usable(self, member: Member) -> InputFile:
        source = self._sources[member.field]
        if source.problem:
            raise MediaError(source.problem)
        if not source.path:
            raise MediaError(f"the case names no file in {member.field}")
        return source

    def _of_other(self, member: Member, *, making: bool) -> Variation | None:
        own = self._sources[member.field].sha256
        for path in self._others(member):
            found = self._shop.file(path, making=making)
            if found is None:
                return None
            if found.problem:
                raise MediaError(found.problem)
            if found.sha256 == own and member.way == "other_case":
                continue
            item = self._item(member.field, found)
            return self._delivered(member, path, item, found.sha256, None, EVERYTHING if found.sha256 == own else None)
        raise MediaError(f"no other case has another file in {member.field}")

    def _others(self, member: Member) -> Iterator[str]:
        if member.way == "other_case":
            yield from self._shop.families.unrelated(self._base, member)
        else:
            yield self._shop.families.replacement(self._case, member)

    def _delivered(
        self,
        member: Member,
        path: str,
        item: MediaItem | None,
        sha256: str,
        source: str | None,
        same: Sameness | None,
    ) -> Variation:
        twin = self._seen.setdefault((member.field, sha256), member.name)
        delivery = Delivery(
            member.field,
            item,
            member.relation,
            source,
            None if same is None else same.bytes,
            None if same is None else same.data,
            None if same is None else same.view,
            "" if same is None else same.difference,
            _finding(member, twin, same),
        )
        changed = self._changed(member, path, (delivery,), path)
        return replace(changed, problem=_refusal(member, same))

    def _changed(
        self, member: Member, value: Any, deliveries: tuple[Delivery, ...], path: str | None = None
    ) -> Variation:
        """Return the case with ``value`` in the member's field, which names the file ``path`` or none."""
        base = self._base
        files = {name: file for name, file in base.files.items() if name != member.field}
        if path is not None:
            files[member.field] = path
        given = with_value(base.input, member.field, value)
        return Variation(replace(base, input=given, files=files, expected=self._expected(member)), deliveries)

    def _expected(self, member: Member) -> Any:
        if member.expected is None:
            return self._base.expected
        other = value_of(self._case, member.expected)
        if isinstance(other, dict) and isinstance(self._base.expected, dict):
            return {**self._base.expected, **other}
        return other


def _finding(member: Member, twin: str, same: Sameness | None) -> Finding | None:
    """Return what is odd about a delivered file: it is another member's, or nothing that was to change did."""
    if twin != member.name:
        return Finding("same_bytes", f"these are the very bytes of {twin}, so it adds no evidence")
    if same is None or member.relation == "same_view" or not same.view:
        return None
    what = "every pixel or sample is the same" if same.data else "it is the same to people"
    done = "degraded" if member.relation == "degraded" else "changed"
    return Finding("changed_nothing", f"{what} as in the original, so nothing was {done}")


def _refusal(member: Member, same: Sameness | None) -> str | None:
    """Return why a variant that is not what it claims to be is not asked, None where it is."""
    if same is None:
        return None
    if member.relation == "same_view" and not same.view:
        return (
            f"variant {member.name} claims to be the same to people and is not: {same.difference}; "
            "it was not asked (relation: degraded makes no such claim)"
        )
    if member.relation == "answer_changes" and same.view:
        return (
            f"variant {member.name} claims another answer, and its file is the same as the original's; it was not asked"
        )
    return None

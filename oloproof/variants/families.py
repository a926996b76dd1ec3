"""The families of a dataset: how many trials they make, and what is wrong with what they are to be made of."""

from __future__ import annotations

import hashlib
import heapq
import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from oloproof.config.variants import ReplacedOptions, VariantOptions
from oloproof.records import ORIGINAL, Case
from oloproof.variants.fields import ABSENT, value_of, without
from oloproof.variants.members import Member, Members, names_in_advance

POOL = 1_000
"""The most files from which the unrelated one of a case is chosen, so that memory does not grow with the dataset."""


class FamilyLook(Struct):
    """What a look over all cases found: the most wordings of a case, and what is wrong, as (case, field, message)."""

    prompts: int = 0
    met: dict[str, int] = field(default_factory=dict)
    problems: list[tuple[Case, str, str]] = field(default_factory=list)


class Families:
    """The variants of a project, for each case. ``base`` is the folder of the dataset, ``root`` of the project."""

    def __init__(self, variants: Sequence[VariantOptions], *, base: Path, root: Path) -> None:
        self.variants = tuple(variants)
        self._base, self._root = base, root
        self._members = Members(variants)
        self._fields = tuple(dict.fromkeys(entry.field for entry in self.variants))
        self.known: Mapping[str, Member] = names_in_advance(self.variants, 0)
        self._sources = [
            condition[1].source
            for entry in self.variants
            if (condition := entry.condition) is not None and isinstance(condition[1], ReplacedOptions)
        ]
        self._taken_out = [name.removeprefix("input.") for name in self._sources if name.startswith("input.")]
        self._pools: dict[tuple[str, int], _Pool] = {
            (member.field, member.seed): _Pool(member.seed, os.path.join(base, ""))
            for member in self.known.values()
            if member.way == "other_case"
        }

    def __bool__(self) -> bool:
        return bool(self.variants)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the input that variants change, in the order of the file."""
        return self._fields

    @property
    def uneven(self) -> bool:
        """Whether cases may differ in how many variants they have."""
        return bool(self._sources)

    @property
    def must_look(self) -> bool:
        """Whether all cases must be looked at before the first trial."""
        return self.uneven or bool(self._pools)

    def look(self, cases: Iterable[Case]) -> FamilyLook:
        """Go over all cases once: draw what unrelated files are chosen from, and find what is missing."""
        found = FamilyLook()
        for case in cases:
            for (name, _), pool in self._pools.items():
                if name in case.files:
                    pool.add(case.files[name])
            for member in self.members(case):
                found.met[member.source] = found.met.get(member.source, 0) + 1
                found.prompts += member.way == "words" and member.index >= found.prompts
                message = self._wrong(case, member)
                if message:
                    found.problems.append((case, member.source, message))
        for pool in self._pools.values():
            pool.settle()
        self.known = names_in_advance(self.variants, found.prompts)
        return found

    def _wrong(self, case: Case, member: Member) -> str:
        """Return what is wrong with the field that a member comes from, nothing when it can be used."""
        if member.way not in ("other_file", "words"):
            return ""
        value = self.replacement(case, member)
        if not isinstance(value, str) or not value:
            what = "the words of a prompt, or a list of them" if member.way == "words" else "the path of a file"
            return f"expected {what}"
        if member.way == "other_file" and not os.path.isfile(value):
            return f"no such file: {value}"
        if member.expected is not None and value_of(case, member.expected) is ABSENT:
            return f"there is no {member.expected}, which says what is expected of {member.name}"
        return ""

    def members(self, case: Case) -> Iterator[Member]:
        """Yield the variants of a case as it stands in the dataset; ``original`` is none of them."""
        return self._members.of(case)

    def names(self, case: Case) -> list[str]:
        """Return the members of a case's family, ``original`` first."""
        return [ORIGINAL, *(member.name for member in self.members(case))]

    def original(self, case: Case) -> Case:
        """Return a case as the system is given it: without the fields that variants come from."""
        if not self._taken_out:
            return case
        files = {name: path for name, path in case.files.items() if not _within(name, self._taken_out)}
        return Case(case.id, without(case.input, self._taken_out), case.expected, case.slice, files, case.line)

    def replacement(self, case: Case, member: Member) -> Any:
        """Return what replaces the field of a member: the absolute path of a file, or words."""
        value = value_of(case, member.source)
        if member.way == "words":
            return value[member.index] if isinstance(value, list) else value
        base = self._base if member.source.startswith("input.") else self._root
        return os.path.join(base, value) if isinstance(value, str) and value else None

    def unrelated(self, case: Case, member: Member) -> Iterator[str]:
        """Yield files of other cases for a member, the chosen one first; the next stands in for one of equal bytes."""
        yield from self._pools[member.field, member.seed].others(case.id, case.files.get(member.field, ""))


def _within(name: str, fields: Sequence[str]) -> bool:
    return any(name == field or name.startswith(f"{field}.") for field in fields)


class _Pool:
    """At most :data:`POOL` files, drawn by their digests under a seed: the same whatever the order of the cases.

    They lie on a ring; each case takes the next one after its own place, so that a case more changes few choices.
    ``folder`` is left out of the digests, so that a moved project chooses the same.
    """

    def __init__(self, seed: int, folder: str) -> None:
        self._seed, self._folder = seed, folder
        self._drawn: list[tuple[int, str]] = []
        self._held: set[str] = set()
        self._ring: list[tuple[int, str]] = []

    def add(self, path: str) -> None:
        """Take one file into account."""
        if path in self._held:
            return
        entry = (-self._place(path.removeprefix(self._folder)), path)
        if len(self._drawn) < POOL:
            heapq.heappush(self._drawn, entry)
            self._held.add(path)
        elif entry > self._drawn[0]:
            self._held.discard(heapq.heapreplace(self._drawn, entry)[1])
            self._held.add(path)

    def settle(self) -> None:
        """Close the draw."""
        self._ring = sorted((-place, path) for place, path in self._drawn)

    def others(self, case: str, own: str) -> Iterator[str]:
        """Yield the files after the place of a case, its own left out."""
        start = bisect_left(self._ring, (self._place(f"case {case}"), ""))
        for _, path in (*self._ring[start:], *self._ring[:start]):
            if path != own:
                yield path

    def _place(self, text: str) -> int:
        seeded = f"{self._seed}\n{text}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.sha256(seeded).digest()[:8])

"""Which cases an address asks for, and the addresses that ask for others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from oloproof.records import ORIGINAL, OUTCOMES, Outcome
from oloproof.reports.wording import one_line
from oloproof.running.deciding import relations_of
from oloproof.storage import StoredRun
from oloproof.storage.case_index import SORTS, Filter, Sort

SLICE = "slice."
EVERY = "all"
"""What stands in an address for all variants at once."""
AMONG = "among"
"""The part of a case's address that holds the variant of the filter it was found by."""
_LONGEST = 200

View = Literal["gallery", "table"]


class Wanted(Struct, frozen=True):
    """The state of a gallery, as its address has it. ``criterion`` is a name, empty for all of them.

    Of a run with variants only the trials of ``variant`` count, of the original unless another or ``all`` is asked for;
    it is empty of a run without. ``families`` is the criterion whose families the page shows, empty for the first;
    ``figures`` shows every figure of them.
    """

    criterion: str = ""
    outcome: Outcome | None = None
    slice: tuple[tuple[str, str], ...] = ()
    text: str = ""
    sort: Sort = "worst"
    view: View = "gallery"
    variant: str = ""
    families: str = ""
    figures: bool = False

    @property
    def only(self) -> str | None:
        """The one variant that counts, None where all of them do."""
        return self.variant if self.variant not in ("", EVERY) else None

    def filter(self, run: StoredRun) -> Filter:
        """Return what the index of the run is asked."""
        names = [entry["criterion"] for entry in run.criteria]
        number = names.index(self.criterion) if self.criterion else None
        return Filter(number, self.outcome, self.slice, self.text, self.sort, self.only)

    def query(self) -> list[tuple[str, str]]:
        """Return the parts of the address, leaving out what is as it is by itself."""
        return [("variant", self._variant), *self._others()]

    def beside(self) -> list[tuple[str, str]]:
        """Return the parts for the address of a case, in which ``variant`` is the one that is shown there."""
        return [("variant", self.only or ""), *self.around()]

    def around(self) -> list[tuple[str, str]]:
        """Return the same without the variant that is shown."""
        return [(AMONG, self._variant), *self._others()]

    @property
    def _variant(self) -> str:
        return "" if self.variant == ORIGINAL else self.variant

    def _others(self) -> list[tuple[str, str]]:
        return [
            ("criterion", self.criterion),
            ("outcome", self.outcome or ""),
            *((SLICE + key, value) for key, value in self.slice),
            ("q", self.text),
            ("sort", "" if self.sort == "worst" else self.sort),
            ("view", "" if self.view == "gallery" else self.view),
            ("families", self.families),
            ("figures", "all" if self.figures else ""),
        ]

    def parts(self) -> Iterator[tuple[str, Wanted]]:
        """Yield each thing that narrows the cases, in words, with the state without it."""
        if self.criterion and self.outcome:
            yield f"{self.criterion} {self.outcome}", replace(self, outcome=None)
        elif self.outcome:
            yield self.outcome, replace(self, outcome=None)
        if self.variant not in ("", ORIGINAL, EVERY):
            yield f"variant {self.variant}", replace(self, variant=ORIGINAL)
        for key, value in self.slice:
            rest = tuple(one for one in self.slice if one != (key, value))
            yield f"{key} {value}", replace(self, slice=rest)
        if self.text:
            yield f"“{self.text}”", replace(self, text="")


def wanted_from(
    query: Mapping[str, str], run: StoredRun, *, variant: str = "variant"
) -> tuple[Wanted, tuple[str, ...]]:
    """Return what an address asks for, and in words what of it this run does not have, which is left out.

    ``variant`` is the part of the address that narrows the cases to one.
    """
    names = [entry["criterion"] for entry in run.criteria]
    variants = variants_of(run)
    criterion, outcome, sort, chosen = (query.get(key, "") for key in ("criterion", "outcome", "sort", variant))
    refused = []
    if criterion and criterion not in names:
        refused.append(f"The run has no criterion {one_line(criterion, 80)}; it has {', '.join(names)}.")
    if outcome and outcome not in OUTCOMES:
        refused.append(f"{one_line(outcome, 80)} is no outcome; there are {', '.join(OUTCOMES)}.")
    if sort and sort not in SORTS:
        refused.append(f"{one_line(sort, 80)} is no order; there are {', '.join(SORTS)}.")
    if chosen and chosen not in (*variants, EVERY):
        refused.append(f"The run has no variant {one_line(chosen, 80)}; it has {', '.join(variants) or 'none'}.")
    slices = [(key[len(SLICE) :], value) for key, value in query.items() if key.startswith(SLICE) and value]
    families = query.get("families", "")
    wanted = Wanted(
        criterion=criterion if criterion in names else "",
        outcome=next((one for one in OUTCOMES if one == outcome), None),
        slice=tuple(sorted(slices)),
        text=query.get("q", "").strip()[:_LONGEST],
        sort=next((one for one in SORTS if one == sort), "worst"),
        view="table" if query.get("view") == "table" else "gallery",
        variant="" if not variants else chosen if chosen in (*variants, EVERY) else ORIGINAL,
        families=families if families in names else "",
        figures=query.get("figures") == "all",
    )
    return wanted, tuple(refused)


def variants_of(run: StoredRun) -> list[str]:
    """Return the members that families of a run have, ``original`` first; nothing where it has no variants."""
    relations = relations_of(run.document)
    return [ORIGINAL, *relations] if relations else []

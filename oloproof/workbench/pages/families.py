"""The families of a run on its page, for one criterion at a time: every cell of the map leads to its case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from oloproof.config.models import RuleOptions
from oloproof.reports.contexts import FamilySection
from oloproof.reports.families import VariantWay, family_cases, family_section, has_families
from oloproof.reports.metric_rows import metric_row
from oloproof.reports.pages import ruled
from oloproof.reports.wording import visible
from oloproof.running.deciding import Conclusion
from oloproof.storage import StoredRun
from oloproof.storage.browsing import Browsing
from oloproof.workbench.pages.addresses import case_address, run_address
from oloproof.workbench.pages.wanted import Wanted


class FamilyChoice(Struct, frozen=True):
    """A criterion whose families can be shown."""

    words: str
    address: str
    chosen: bool


class Families(Struct, frozen=True):
    """The part of the page. ``choices`` are the criteria, nothing where there is one.

    ``figures`` is the address of the same page with the table of all figures, which are too many for every page.
    """

    choices: tuple[FamilyChoice, ...]
    section: FamilySection
    figures: str


def families_of(
    browsing: Browsing, run: StoredRun, conclusion: Conclusion, rules: Mapping[str, RuleOptions], wanted: Wanted
) -> Families | None:
    """Return the families of a run; None where it has no variants or nothing was concluded of it yet."""
    names = [entry["criterion"] for entry in run.criteria]
    if not has_families(run) or not conclusion.metrics or not names:
        return None
    bound = ruled(conclusion.decisions, rules)
    told = [rule.criterion for rule, _ in bound if rule.family is not None]
    criterion = wanted.families or next(iter(told), names[0])
    about = [("criterion", criterion)] if len(names) > 1 else []

    def ways(variant: str) -> VariantWay:
        listed = replace(Wanted(families=wanted.families), variant=variant, criterion=about[0][1] if about else "")
        query = urlencode([("variant", variant), *about], errors="backslashreplace")
        return VariantWay(f"?{query}", run_address(run.id, listed.query(), "cases"))

    section = family_section(
        run,
        criterion,
        conclusion.metrics,
        bound,
        family_cases(browsing, run, criterion),
        lambda case: case_address(run.id, case),
        lambda metric: metric_row(metric, run),
        ways=ways,
        figures=wanted.figures,
    )
    choices = tuple(_choices(run, names, criterion, wanted)) if len(names) > 1 else ()
    return Families(choices, section, run_address(run.id, replace(wanted, figures=True).query(), "figures"))


def _choices(run: StoredRun, names: list[str], criterion: str, wanted: Wanted) -> Iterator[FamilyChoice]:
    for name in names:
        address = run_address(run.id, replace(wanted, families=name).query(), "families")
        yield FamilyChoice(visible(name), address, name == criterion)

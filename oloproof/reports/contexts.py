"""What the pages are told: one frozen class a part, so that a page and its template cannot drift apart.

Templates read these fields and nothing else; texts are plain (templates escape them), numbers are worded already.
Places in drawings are texts in per cent, because a strict content policy forbids inline styles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

Mark = Literal["pass", "fail", "scored", "undecided", "invalid", "missing", "changed"]
"""The shape of a state: disc with tick, square with cross, gauge, half disc, triangle, dashed ring, lozenge."""


class Fact(Struct, frozen=True):
    """A name with its value, both as shown."""

    name: str
    value: str


class Plot(Struct, frozen=True):
    """An interval on its axis. Places are per cent of the width; ``label`` says the drawing in words.

    ``bar`` is the threshold of a rule with its flag to the allowed side (``right``: at least), ``shade_x`` and
    ``shade_width`` that side. ``low_end`` and ``high_end`` are the ends of the axis where it is not that of rates.
    """

    label: str
    x: str
    width: str
    estimate: str | None
    bar: str | None = None
    allowed: Literal["left", "right"] | None = None
    shade_x: str = "0%"
    shade_width: str = "0%"
    low_end: str | None = None
    high_end: str | None = None


class RuleRow(Struct, frozen=True):
    """A rule: what it decided and why. ``instead`` stands where no interval can be drawn."""

    rule: str
    state: str
    mark: Mark
    reason: str
    message: str
    note: str | None
    plot: Plot | None
    instead: str
    estimate: str
    interval: str
    measured: str


class MetricRow(Struct, frozen=True):
    """A metric with every denominator. ``passed`` and ``failed`` are dashes where nothing is counted."""

    criterion: str
    about: str
    plot: Plot | None
    estimate: str
    interval: str
    n: str
    passed: str
    failed: str
    missing: str
    invalid: str
    excluded: str


class SliceRow(Struct, frozen=True):
    """One value of a slice key with its metric. ``address`` leads to its cases, None where there are no such pages."""

    value: str
    address: str | None
    metric: MetricRow


class SliceTable(Struct, frozen=True):
    """How one criterion fares by one slice key, the lowest estimate first; ``more`` tells of values left out."""

    key: str
    rows: tuple[SliceRow, ...]
    more: str


class Slices(Struct, frozen=True):
    """How one criterion fares in the slices of a run."""

    criterion: str
    tables: tuple[SliceTable, ...]


class DeltaPlot(Struct, frozen=True):
    """How far a variant lies from the original, on an axis with the 0 in it. Places are per cent of the width.

    ``bar``, ``allowed`` and the shade are as in :class:`Plot`. ``reaches`` tells at which edge the interval goes on,
    and ``beyond`` that the estimate itself lies past it.
    """

    label: str
    x: str
    width: str
    estimate: str | None
    bar: str | None
    allowed: Literal["left", "right"] | None
    shade_x: str
    shade_width: str
    reaches: tuple[Literal["left", "right"], ...]
    beyond: Literal["left", "right"] | None


class Tick(Struct, frozen=True):
    """A number on an axis at its place; ``anchor`` is the end of the text that stands there."""

    x: str
    words: str
    anchor: Literal["start", "middle", "end"]


class MapCase(Struct, frozen=True):
    """A case of the map of families; ``address`` leads to it, None where it is not shown."""

    name: str
    address: str | None


class FamilyRow(Struct, frozen=True):
    """One variant: how far it moves its cases from the original, in numbers, and which cases these are.

    ``mark`` is that of the rule that bounds it, which ``state`` says in words. ``instead`` stands where there is no
    difference to draw. ``told`` are the counts beside. ``moves`` say what became of each case of the section, by the
    name of a shape; ``words`` say what each of these is, ``summary`` counts them. ``query`` is what the address of a
    case gets for this variant; ``address`` leads to the cases of the variant, None where no page lists them.
    """

    variant: str
    relation: str
    mark: Mark | None
    state: str
    delta: DeltaPlot | None
    instead: str
    estimate: str
    interval: str
    told: tuple[str, ...]
    moves: tuple[str, ...]
    words: Mapping[str, str]
    summary: str
    query: str
    address: str | None


class MoveSign(Struct, frozen=True):
    """A shape of the map with what it says."""

    move: str
    words: str


class FamilySection(Struct, frozen=True):
    """The families of a run for one criterion.

    ``zero`` is the place of no difference, ``band_x`` and ``band_width`` that of the noise floor, None where none was
    measured. ``cases`` are those of the map, of ``most`` at most; ``single`` says that there is one case and so no map.
    ``metrics`` are all figures of the variants, nothing where they are not asked for.
    """

    criterion: str
    sentence: str
    ticks: tuple[Tick, ...]
    zero: str
    band_x: str | None
    band_width: str | None
    rows: tuple[FamilyRow, ...]
    cases: tuple[MapCase, ...]
    most: int
    heading: str
    single: bool
    notes: tuple[str, ...]
    signs: tuple[MoveSign, ...]
    metrics: tuple[MetricRow, ...]


class FamilyMember(Struct, frozen=True):
    """One member of a case's family: what was delivered, what it is to the original, and what was said of it.

    ``fact`` is what was found of the file, or why the member was not asked; sizes and digests are empty without one.
    """

    name: str
    mark: Mark
    word: str
    relation: str
    fact: str
    measured: str
    size: str
    sha256: str
    sha256_short: str


class Value(Struct, frozen=True):
    """An input, output or expected value: prose, or JSON to be set in mono. ``more`` tells what was cut off."""

    title: str
    text: str
    prose: bool
    more: str | None


class MediaView(Struct, frozen=True):
    """One recorded file. ``thumbnail`` is a ``data:`` address of verified bytes, never a path."""

    name: str
    role: str
    kind: str
    place: str
    measured: str
    size: str
    sha256: str
    sha256_short: str
    facts: tuple[Fact, ...]
    state: Literal["verified", "changed", "gone"]
    mark: Mark
    state_words: str
    thumbnail: str | None
    thumbnail_width: int
    thumbnail_height: int
    tiny: bool


class Column(Struct, frozen=True):
    """Input, output or expected, side by side: the value and the pictures that belong to it."""

    value: Value | None
    media: tuple[MediaView, ...]


class VerdictView(Struct, frozen=True):
    """One verdict with its reason and what was measured.

    Of a judge ``judged`` names the model and whether it proved that it sees, and ``saw`` has a line for each medium.
    """

    criterion: str
    outcome: str
    mark: Mark
    word: str
    score: str | None
    reason: str
    details: tuple[Fact, ...]
    evaluator: str
    judged: str | None = None
    saw: tuple[str, ...] = ()


class TrialView(Struct, frozen=True):
    """One trial of a case. ``place`` is its variant and repeat, None where the case has one trial only."""

    place: str | None
    mark: Mark
    word: str
    error: str | None
    source: str
    columns: tuple[Column, ...]
    verdicts: tuple[VerdictView, ...]
    media: tuple[MediaView, ...]


class CaseView(Struct, frozen=True):
    """One case. ``word`` is the worst said of it; ``opened`` says whether it is shown unfolded."""

    id: str
    mark: Mark
    word: str
    summary: str
    slice: tuple[Fact, ...]
    opened: bool
    members: tuple[FamilyMember, ...]
    trials: tuple[TrialView, ...]
    more: str | None


class Banner(Struct, frozen=True):
    """What was decided, in words."""

    state: str
    mark: Mark
    title: str
    sentence: str


class RunPage(Struct, frozen=True):
    """The page of one run. ``cases`` is read once, as the page is written."""

    title: str
    run: str
    project: str
    banner: Banner
    facts: tuple[Fact, ...]
    level: str
    rules: tuple[RuleRow, ...]
    families: tuple[FamilySection, ...]
    metrics: tuple[MetricRow, ...]
    slices: Slices | None
    notices: tuple[Fact, ...]
    cases: Iterable[CaseView]
    cases_words: str
    version: str

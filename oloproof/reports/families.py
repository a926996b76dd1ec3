"""The families of a run as pages show them: how far each variant moves its cases, and which cases these are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from oloproof.config.models import RuleOptions
from oloproof.policy import MOVES, Family, FamilyReader, Measure, Move, answer_reader, families, move_of
from oloproof.policy.wording import bar_words, interval_words, number_words
from oloproof.records import ORIGINAL, Decision, Metric
from oloproof.reports.contexts import FamilyRow, FamilySection, MapCase, Mark, MetricRow, MoveSign
from oloproof.reports.family_figures import (
    VariantFigures,
    change_words,
    figures_of,
    is_in_families,
    noise_floor,
    told_words,
)
from oloproof.reports.family_plots import DeltaAxis, axis_about_zero, delta_plot
from oloproof.reports.plots import Side, per_cent_text
from oloproof.reports.wording import count_words, visible, with_minus_signs
from oloproof.running.deciding import measures_of, relations_of
from oloproof.storage import StoredRun
from oloproof.storage.browsing import Browsing

MOST_CASES = 40
"""How many cases a map shows; fewer of them leave the rest of its width empty."""
_FAR = ("control", "answer_changes")
"""Relations that may lie far from the original: the axis is not stretched for them."""
_STATES: dict[str, Mark] = {
    "PASS": "pass", "FAIL": "fail", "INSUFFICIENT_EVIDENCE": "undecided", "MANUAL_REVIEW": "undecided",
}  # fmt: skip

_SEVERAL = {"broke": "passes in fewer repeats than the original", "fixed": "passes in more repeats than the original"}
_SCORED = {"broke": "scores lower than the original", "fixed": "scores higher than the original"}

AddressOf = Callable[[str], str | None]
"""Where a case is shown; None where it is not."""
MetricRowOf = Callable[[Metric], MetricRow]


class VariantWay(Struct, frozen=True):
    """How a page leads to a variant: by ``query`` behind the address of a case, at ``address`` to all its cases."""

    query: str = ""
    address: str | None = None


_NO_WAY = VariantWay()


class FamilyCases(Struct, frozen=True):
    """The cases that a map shows, in its order, of how many."""

    shown: tuple[Family, ...]
    total: int


class _Bound(Struct, frozen=True):
    """What a rule says of a variant: where its bar stands on the axis, on which side to be, and what was decided."""

    bar: float
    allowed: Side
    mark: Mark
    state: str
    note: str


def has_families(run: StoredRun) -> bool:
    """Return whether a run has variants."""
    return bool(relations_of(run.document))


def family_cases(browsing: Browsing, run: StoredRun, criterion: str) -> FamilyCases:
    """Return the cases that moved most, each with everything that was said of it and answered."""
    number = [entry["criterion"] for entry in run.criteria].index(criterion)
    chosen = browsing.families(run).most_moved(number, MOST_CASES)
    found = {one.case_id: one for one in families(browsing.answers(run, number, cases=chosen))}
    return FamilyCases(tuple(found[case] for case in chosen if case in found), len(browsing.index(run).cases))


def family_section(
    run: StoredRun,
    criterion: str,
    metrics: Sequence[Metric],
    ruled: Sequence[tuple[RuleOptions, Decision]],
    cases: FamilyCases,
    address: AddressOf,
    row_of: MetricRowOf,
    *,
    ways: Callable[[str], VariantWay] = lambda _variant: _NO_WAY,
    figures: bool = True,
    shown: Callable[[str], str] = visible,
) -> FamilySection:
    """Return the families of a run for one criterion.

    ``ruled`` are its rules with what each decided; ``ways`` lead to a variant; ``figures`` adds the table of all of
    them; ``shown`` makes the id of a case safe to show.
    """
    relations, measure = relations_of(run.document), measures_of(run.document)[criterion]
    variants = figures_of(criterion, relations, metrics)
    bounds = {one.variant: _bound(one, criterion, ruled) for one in variants}
    floor = noise_floor(criterion, metrics) if measure.kind == "rate" else None
    axis = _axis(variants, bounds, floor, 100.0 if measure.kind == "rate" else 1.0)
    reader = FamilyReader(measure, answer_reader(measure.answer), relations)
    single = cases.total == 1
    rows = []
    moves: dict[Move, None] = {}
    for one in variants:
        found = [move_of(reader, family, one.variant) for family in cases.shown]
        moves |= dict.fromkeys(found)
        words = _move_words(measure, own=one.variant == ORIGINAL)
        summary = f"{visible(one.variant)}: {_summary(found, words)}"
        told = {move: words[move] for move in dict.fromkeys(found)}
        rows.append(_row(one, bounds[one.variant], axis, tuple(found), told, summary, ways(one.variant)))
    band = (
        None if floor is None or floor.estimate is None else (axis.place(-floor.estimate), axis.place(floor.estimate))
    )
    return FamilySection(
        criterion=visible(criterion),
        sentence=f"How far each variant of a case moves {visible(criterion)} from its original, case by case",
        ticks=axis.ticks(),
        zero=per_cent_text(axis.place(0.0)),
        band_x=None if band is None else per_cent_text(band[0]),
        band_width=None if band is None else per_cent_text(band[1] - band[0]),
        rows=tuple(rows),
        cases=tuple(MapCase(shown(one.case_id), address(one.case_id)) for one in cases.shown),
        most=MOST_CASES,
        heading=_heading(cases),
        single=single,
        notes=tuple(_notes(floor, bounds, drawn=not single)),
        signs=tuple(MoveSign(move, said) for move, said in _move_words(measure).items() if move in moves),
        metrics=tuple(
            row_of(one)
            for one in (metrics if figures else ())
            if criterion in (one.criterion, one.criterion.rpartition(".")[0]) and is_in_families(one, relations)
        ),
    )


def _heading(cases: FamilyCases) -> str:
    if cases.total == 1:
        return "What became of the one case"
    if len(cases.shown) < cases.total:
        return f"The {len(cases.shown)} cases that move most of {cases.total:,}, worst on the left"
    return f"All {count_words(cases.total, 'case')}, those that move most on the left"


def _axis(
    figures: Sequence[VariantFigures], bounds: Mapping[str, _Bound | None], floor: Metric | None, scale: float
) -> DeltaAxis:
    near = [one for one in figures if one.relation not in _FAR and one.delta is not None]
    told = near or [one for one in figures if one.delta is not None]
    ends = [end for one in told if one.delta and one.delta.interval for end in one.delta.interval]
    ends += [bound.bar for one in told if (bound := bounds[one.variant]) is not None]
    if floor is not None and floor.estimate is not None:
        ends += [-floor.estimate, floor.estimate]
    return axis_about_zero(ends, scale)


def _bound(figures: VariantFigures, criterion: str, ruled: Sequence[tuple[RuleOptions, Decision]]) -> _Bound | None:
    """Return what bounds the change of a variant: a rule about it, else one about the worst of its relation."""
    own = [one for one in ruled if one[0].family in ("delta", "gain") and one[0].variant == figures.variant]
    worst = [one for one in ruled if one[0].family == "worst_delta" and one[0].relation == figures.relation]
    for rule, decision in (*own, *worst):
        limit = rule.min if rule.min is not None else rule.max
        if rule.criterion != criterion or rule.slice or limit is None or figures.delta is None:
            continue
        turned = rule.family == "gain"
        allowed: Side = "right" if (rule.min is not None) != turned else "left"
        bar = 0.0 - limit if turned else limit
        is_own = rule.variant == figures.variant
        wanted = (
            f"at {'least' if allowed == 'right' else 'most'} {with_minus_signs(bar_words(bar, figures.delta.kind))}"
        )
        about = "" if is_own else f" of the worst {_words(str(figures.relation))} variant"
        note = f"{visible(rule.id)} wants {wanted}{about}"
        state = decision.state if is_own else _side(figures.delta, bar, allowed, rule)
        return _Bound(bar, allowed, _STATES[state], state, note)
    return None


def _side(delta: Metric, bar: float, allowed: Side, rule: RuleOptions) -> str:
    """Return on which side of the bar a variant lies that a rule about the worst one looks at."""
    ends = delta.interval if rule.decide_on == "interval" else (delta.estimate, delta.estimate)
    if ends is None or ends[0] is None or ends[1] is None:
        return "INSUFFICIENT_EVIDENCE"
    low, high = (ends[0], ends[1]) if allowed == "right" else (-ends[1], -ends[0])
    limit = bar if allowed == "right" else -bar
    return "PASS" if low >= limit else "FAIL" if high < limit else "INSUFFICIENT_EVIDENCE"


def _words(relation: str) -> str:
    return relation.replace("_", " ")


def _move_words(measure: Measure, *, own: bool = False) -> dict[Move, str]:
    """Return what each move says where cases have several repeats or scores, or of the original itself."""
    if own:
        of_original = {move: words.removesuffix(", as the original does") for move, words in MOVES.items()}
        return {**of_original, "same": "has a score"}
    other = _SCORED if measure.kind == "score" else _SEVERAL if measure.repeats > 1 and not measure.binary else {}
    return {move: other.get(move, words) for move, words in MOVES.items()}


def _summary(moves: Sequence[Move], words: Mapping[Move, str]) -> str:
    """Return how many of the cases of a map went which way."""
    counts = Counter(moves)
    return "; ".join(f"{words[move]}: {counts[move]}" for move in MOVES if move in counts) or "no case"


def _row(
    one: VariantFigures,
    bound: _Bound | None,
    axis: DeltaAxis,
    moves: tuple[Move, ...],
    words: Mapping[Move, str],
    summary: str,
    way: VariantWay,
) -> FamilyRow:
    plot, instead = None, "nothing was observed"
    estimate, interval = "–", ""
    shown = one.delta
    if one.variant == ORIGINAL:
        instead = "the rest is measured against it"
    elif one.relation == "answer_changes":
        instead = "another answer is wanted of it, so nothing is compared"
    if shown is not None:
        estimate, interval = change_words(shown)
        if shown.interval is not None:
            label = f"{visible(one.variant)}: change {estimate} {interval}"
            label += "" if bound is None else f"; {bound.note}"
            plot = delta_plot(
                shown.estimate,
                shown.interval,
                axis,
                label=label,
                bar=None if bound is None else bound.bar,
                allowed=None if bound is None else bound.allowed,
            )
    elif one.accuracy is not None:
        estimate, interval = number_words(one.accuracy.estimate, one.accuracy.kind), interval_words(one.accuracy)
    return FamilyRow(
        variant=visible(one.variant),
        relation="baseline" if one.relation is None else _words(one.relation),
        mark=None if bound is None else bound.mark,
        state="" if bound is None else bound.state,
        delta=plot,
        instead=instead,
        estimate=with_minus_signs(estimate),
        interval=with_minus_signs(interval),
        told=told_words(one),
        moves=moves,
        words={str(move): said for move, said in words.items()},
        summary=summary,
        query=way.query,
        address=way.address,
    )


def _notes(floor: Metric | None, bounds: Mapping[str, _Bound | None], *, drawn: bool) -> list[str]:
    """Return what the band and the flags of the drawings stand for."""
    notes = []
    if floor is not None and floor.estimate is not None and drawn:
        hits = (floor.family or {}).get("hits", 0)
        notes.append(
            f"Grey band: the noise floor, ±{floor.estimate * 100:.1f} points. Where nobody could see a difference, the "
            f"answer changed {number_words(floor.estimate, 'rate')}, in {hits:,} of {floor.observed:,} cases."
        )
    flags = list(dict.fromkeys(bound.note for bound in bounds.values() if bound is not None))
    if flags and drawn:
        notes.append(f"Flags: {'; '.join(flags)}.")
    return notes

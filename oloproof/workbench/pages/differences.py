"""The numbers of a comparison as they are shown: the opening sentence, the bar of cases, the differences about 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from oloproof.labels import validations_of
from oloproof.policy import Comparison, Measure
from oloproof.policy.wording import difference_words
from oloproof.records import HUMAN_RATE, ORIGINAL, Decision, Metric
from oloproof.reports.contexts import Mark, Plot
from oloproof.reports.pages import MARKS
from oloproof.reports.plots import difference_axis, difference_plot
from oloproof.reports.wording import count_words, headline, one_line, visible, with_minus_signs
from oloproof.running.deciding import measures_of
from oloproof.storage import Store, StoredRun
from oloproof.workbench.pages.compared import Compared

MINUS = "−"
_GAP = 0.4
"""Per cent of the bar's width that stands between two of its parts."""


class Names(Struct, frozen=True):
    """What the two runs are called: their versions, or their ids where the versions are the same."""

    candidate: str
    baseline: str


class Opening(Struct, frozen=True):
    """What came out, in words."""

    mark: Mark
    state: str
    title: str
    sentence: str


class Segment(Struct, frozen=True):
    """A part of the bar of cases: ``kind`` is both, gained, lost or neither. Empty ones have no width."""

    kind: str
    words: str
    count: str
    x: str
    width: str


class Tick(Struct, frozen=True):
    """A number on the axis of differences; ``anchor`` is the side of it that stands over the tick."""

    place: str
    words: str
    anchor: str


class DifferenceRow(Struct, frozen=True):
    """A criterion: how far the candidate is from the baseline, and what must be known to read that."""

    criterion: str
    address: str
    chosen: bool
    mark: Mark
    verdict: str
    plot: Plot | None
    estimate: str
    interval: str
    counts: str
    unmeasured: str
    notes: tuple[str, ...]


class Ruling(Struct, frozen=True):
    """What a rule that compares concluded."""

    rule: str
    mark: Mark
    state: str
    message: str


def names_of(candidate: StoredRun, baseline: StoredRun) -> Names:
    """Return what the two runs are called on the page."""
    if candidate.system_version != baseline.system_version:
        return Names(one_line(candidate.system_version, 40), one_line(baseline.system_version, 40))
    return Names(visible(candidate.id), visible(baseline.id))


_MOVED = ("worse", "better", "lower", "higher")


def direction(compared: Compared, found: Comparison) -> tuple[Mark, str]:
    """Return what the interval of a difference says: nothing, unless all of it lies on one side of 0."""
    if found.interval is None:
        return "missing", "no data"
    if found.interval[0] <= 0.0 <= found.interval[1]:
        return "undecided", "cannot tell"
    side = "higher" if found.interval[0] > 0.0 else "lower"
    better = compared.better_side(found)
    if not better:
        return "scored", side
    return ("pass", "better") if side == better else ("fail", "worse")


def leading(compared: Compared) -> Comparison | None:
    """Return the criterion that the page begins with: one that got worse, or better; of equals the one most moved."""
    order = (*_MOVED, "cannot tell", "no data")
    return min(
        compared.comparisons,
        key=lambda one: (order.index(direction(compared, one)[1]), -len(one.broken) - len(one.fixed)),
        default=None,
    )


def opening_of(compared: Compared, names: Names) -> Opening:
    """Return the first sentence: what the rules decided, or else where the intervals lie."""
    first = leading(compared)
    if first is None:
        title = f"{names.candidate} and {names.baseline} share nothing that was measured"
        return Opening("missing", "Not comparable", title, one_line(compared.refused, 400) + ".")
    mark, state = _state(compared)
    title = f"{names.candidate} {_did(first)} in {visible(first.criterion)}"
    sentences = [_moved(one) for one in compared.comparisons if direction(compared, one)[1] in _MOVED]
    open_ones = [visible(one.criterion) for one in compared.comparisons if direction(compared, one)[1] == "cannot tell"]
    if open_ones:
        verb = "its interval holds" if len(open_ones) == 1 else "their intervals hold"
        sentences.append(f"Whether {_listed(open_ones)} moved cannot be told: {verb} 0.")
    empty = [visible(one.criterion) for one in compared.comparisons if one.interval is None]
    if empty:
        sentences.append(f"No case was measured in both runs by {_listed(empty)}.")
    decided = headline(compared.decisions)[1] if compared.decisions else ""
    return Opening(mark, state, title, " ".join([decided, *sentences]).strip())


def _state(compared: Compared) -> tuple[Mark, str]:
    state = headline(compared.decisions)[0]
    if state is not None:
        return MARKS[state], state
    said = {direction(compared, one)[1] for one in compared.comparisons}
    if {"worse", "better"} <= said:
        return "undecided", "Better and worse"
    if {"lower", "higher"} <= said and not {"worse", "better"} & said:
        return "scored", "Higher and lower"
    told: tuple[tuple[str, Mark, str], ...] = (
        ("worse", "fail", "Worse"), ("better", "pass", "Better"), ("lower", "scored", "Lower"),
        ("higher", "scored", "Higher"), ("cannot tell", "undecided", "Cannot tell"),
    )  # fmt: skip
    return next(((mark, words) for word, mark, words in told if word in said), ("missing", "No data"))


def _did(found: Comparison) -> str:
    broken, fixed = len(found.broken), len(found.fixed)
    verbs = ("lowers", "raises") if found.passed_in_both is None else ("breaks", "fixes")
    parts = [f"{verb} {count:,}" for verb, count in zip(verbs, (broken, fixed), strict=True) if count]
    if not parts:
        return f"changes none of {count_words(found.matched, 'case')}"
    return f"{' and '.join(parts)} of {count_words(found.matched, 'case')}"


def _moved(found: Comparison) -> str:
    if found.difference is None or found.interval is None:
        return ""
    verb = "falls" if found.difference < 0 else "rises"
    words = signed(difference_words(found.difference, found.interval, found.kind))
    amount, _, interval = words.lstrip(MINUS + "+").partition(" [")
    return (
        f"On the {count_words(found.matched, 'case')} measured in both runs, {visible(found.criterion)} {verb} by "
        f"{amount} [{interval}."
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def signed(words: str) -> str:
    """Return numbers with the sign that is as wide as a plus."""
    return words.replace("-", MINUS).replace("+0.0 ", "0.0 ").replace("+0.000 ", "0.000 ")


_SIDES = {"higher": ("gained", "lost"), "lower": ("lost", "gained"), "": ("raised", "lowered")}
"""What cases with higher and lower scores are, by which are the better ones."""


def segments_of(compared: Compared, found: Comparison) -> tuple[Segment, ...]:
    """Return the bar of the cases of one criterion, each part as wide as it has cases."""
    broken, fixed, both = len(found.broken), len(found.fixed), found.passed_in_both
    if both is None:
        up, down = _SIDES[compared.better_side(found)]
        counts = [("both", "unchanged", found.matched - broken - fixed), (up, "higher", fixed), (down, "lower", broken)]
    else:
        counts = [("both", "pass in both", both), ("gained", "fixed", fixed), ("lost", "broken", broken),
                  ("neither", "fail in both", found.matched - both - broken - fixed)]  # fmt: skip
    there = sum(count > 0 for _, _, count in counts)
    room = 100.0 - _GAP * max(there - 1, 0)
    place, segments = 0.0, []
    for kind, words, count in counts:
        width = room * count / found.matched if found.matched else 0.0
        segments.append(Segment(kind, words, f"{count:,}", f"{place:.3f}%", f"{width:.3f}%" if count else ""))
        place += width + _GAP if count else 0.0
    return tuple(segments)


def reach_of(compared: Compared) -> float:
    """Return how far the common axis reaches to either side of 0, as a share of what each criterion may span."""
    measures = measures_of(compared.candidate.document)
    ends = [
        end / _span(measures[one.criterion]) for one in compared.comparisons if one.interval for end in one.interval
    ]
    return difference_axis(ends)


def ticks_of(reach: float) -> tuple[Tick, ...]:
    """Return the numbers of the axis, in points."""
    anchors = ("start", "middle", "middle", "middle", "end")
    values = [reach * 100 * step for step in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    return tuple(
        Tick(f"{25 * place}%", signed(f"{value:+g}") if value else "0", anchor)
        for place, (value, anchor) in enumerate(zip(values, anchors, strict=True))
    )


def rows_of(
    compared: Compared,
    names: Names,
    store: Store,
    metrics: Sequence[Mapping[str, Metric]],
    chosen: str,
    addresses: Mapping[str, str],
) -> Iterator[DifferenceRow]:
    """Yield a row for each criterion; ``metrics`` are those of candidate and baseline by criterion."""
    reach, measures = reach_of(compared), measures_of(compared.candidate.document)
    for one in compared.comparisons:
        mark, verdict = direction(compared, one)
        words = ""
        if one.difference is not None and one.interval is not None:
            words = signed(difference_words(one.difference, one.interval, one.kind))
        estimate, _, interval = words.partition(" [")
        span = _span(measures[one.criterion])
        yield DifferenceRow(
            criterion=visible(one.criterion),
            address=addresses[one.criterion],
            chosen=one.criterion == chosen,
            mark=mark,
            verdict=verdict,
            plot=_plot(one, span, reach, f"{words}, {verdict}"),
            estimate=estimate or "no data",
            interval=interval.rstrip("]").replace(", ", " to "),
            counts=_counts(one),
            unmeasured=_unmeasured(one, names, metrics),
            notes=tuple(_notes(compared, store, one, measures[one.criterion])),
        )


def _span(measure: Measure) -> float:
    low, high = measure.score_range if measure.kind == "score" else (0.0, 1.0)
    return high - low


def _plot(one: Comparison, span: float, reach: float, label: str) -> Plot | None:
    if one.difference is None or one.interval is None:
        return None
    low, high = one.interval
    return difference_plot(one.difference / span, (low / span, high / span), reach, label)


def _counts(one: Comparison) -> str:
    better, worse = ("higher", "lower") if one.passed_in_both is None else ("fixed", "broken")
    return f"{len(one.fixed):,} {better}, {len(one.broken):,} {worse}"


def _unmeasured(one: Comparison, names: Names, metrics: Sequence[Mapping[str, Metric]]) -> str:
    """Return how many cases pair and how many do not, with what is missing and invalid in either run."""
    parts = [f"{one.matched:,} pairs, {one.unmatched:,} unpaired"]
    for name, found in zip((names.candidate, names.baseline), metrics, strict=True):
        metric = found.get(one.criterion)
        if metric is not None and (metric.missing or metric.invalid):
            parts.append(f"{name}: {metric.missing:,} missing, {metric.invalid:,} invalid")
    return "; ".join(parts)


def whole(metrics: Sequence[Metric]) -> dict[str, Metric]:
    """Return the metrics over all cases as they are, by criterion: what evaluators said, not what people would say."""
    judged = [one for one in metrics if one.estimand != HUMAN_RATE]
    return {one.criterion: one for one in judged if one.variant == ORIGINAL and one.slice is None}


def _notes(compared: Compared, store: Store, one: Comparison, measure: Measure) -> Iterator[str]:
    sides = [
        next(entry for entry in run.criteria if entry["criterion"] == one.criterion)
        for run in (compared.candidate, compared.baseline)
    ]
    who = "judge" if measure.calls_model else "check"
    if sides[0]["digest"] != sides[1]["digest"]:
        yield f"Each run has another {who}, so a difference may be that of the {who}."
    if measure.calls_model:
        yield _standing(store, one.criterion, {str(entry["digest"]) for entry in sides})
    repeats = [run.document["repeats"] for run in (compared.candidate, compared.baseline)]
    if repeats[0] != repeats[1]:
        yield "The runs sum up repeats in different ways."
    if measure.kind == "score":
        low, high = measure.score_range
        yield f"A score from {low:g} to {high:g}; its place on the axis is its share of that range."


def _standing(store: Store, criterion: str, judges: set[str]) -> str:
    """Return what the difference of a judged criterion is worth: it is one of the judge's verdicts, not of people's."""
    newest: dict[str, str] = {}
    for one in validations_of(store, criterion):
        newest.setdefault(one.judge, one.state)
    if {newest.get(judge) for judge in judges} == {"VALIDATED"}:
        return "What the validated judge says in both runs (judge_rate), not the rate of people (human_rate)."
    return "A model says this, and no labels show yet that it agrees with people: the judge is not validated."


def rulings_of(decisions: Sequence[Decision]) -> Iterator[Ruling]:
    """Yield what each rule that compares concluded."""
    for one in decisions:
        yield Ruling(visible(one.rule), MARKS[one.state], one.state, with_minus_signs(one_line(one.message)))

"""The page of one case: what went in, what came out and what was expected, side by side, above the verdicts on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote

from msgspec import Struct
from starlette.responses import Response

from oloproof.media import MediaReader
from oloproof.media.spectrograms import MOST_SECONDS, TOPS
from oloproof.records import ORIGINAL
from oloproof.reports.case_views import LONGEST, MOST_LINES, CaseViews, worst_word
from oloproof.reports.contexts import Fact, Mark, MediaView, TrialView, Value, VerdictView
from oloproof.reports.delivered import shown_media
from oloproof.reports.family_strip import kin_of
from oloproof.reports.withholding import Withholding
from oloproof.reports.wording import WORST_FIRST, is_scored, one_line, outcome_word, visible
from oloproof.storage import StoredRun, StoredTrial
from oloproof.storage.browsing import Browsing
from oloproof.storage.case_index import Neighbours
from oloproof.workbench.pages.addresses import RUNS, case_address, judge_address, run_address
from oloproof.workbench.pages.gallery import MARKS
from oloproof.workbench.pages.judge_states import state_of
from oloproof.workbench.pages.kin import Strip, original_of, said_of, strip_of
from oloproof.workbench.pages.pictures import (
    ROLE_TITLES,
    Medium,
    PairPicture,
    is_picture,
    medium_of,
    pair_pictures,
)
from oloproof.workbench.pages.seen import Seen, seen_of
from oloproof.workbench.pages.shell import Link, NoCase, Shell, Visit, render
from oloproof.workbench.pages.wanted import AMONG, Wanted, wanted_from

_LONGEST, _MOST_LINES = 50_000, 2_000
"""How much of a text is shown where people read it and judge it; lists and reports show its beginning."""


class Pane(Struct, frozen=True):
    """Input, output or expected: its files, and what was said; what is ``long`` scrolls in itself.

    ``nothing`` says so where a system did not fail and gave nothing, else it is empty.
    """

    title: str
    media: tuple[Medium, ...]
    value: Value | None
    long: bool = False
    nothing: str = ""


class JudgeLine(Struct, frozen=True):
    """Who judged: the model and its sight, and whether this judge is validated, in words; its page has more."""

    words: str
    standing: str
    mark: Mark
    address: str


class Told(Struct, frozen=True):
    """A verdict; of a judge who judged and what it saw."""

    verdict: VerdictView
    judge: JudgeLine | None
    seen: Seen | None


class Marker(Struct, frozen=True):
    """A frame that a judge saw, on the time line of its clip; ``words`` say whose it is and when it is shown."""

    number: str
    seconds: str
    words: str


class Sibling(Struct, frozen=True):
    """Another trial of the case. ``key`` is the digit that opens it, empty where there is none."""

    words: str
    mark: Mark
    word: str
    address: str
    current: bool
    key: str


class Way(Struct, frozen=True):
    """Where the case stands among those that match, and the ones beside it."""

    words: str
    previous: Link | None
    next: Link | None


class CaseContext(Struct, frozen=True):
    """The page. ``astray`` says that the address names a trial that is not there, empty where it does not.

    ``pictures`` are those that can be held against each other, ``varied`` when the first two are what the original and
    a variant of it were given; ``zooms``: something is shown that can be enlarged; ``markers`` the frames that
    judges saw, by the id of their clip; ``tops`` up to which frequencies (Hz) sounds can be drawn, and ``most_seconds``
    how much of them.
    """

    shell: Shell
    id: str
    mark: Mark
    word: str
    astray: str
    altered: tuple[MediaView, ...]
    slice: tuple[Fact, ...]
    siblings: tuple[Sibling, ...]
    siblings_words: str
    way: Way
    panes: tuple[Pane, ...]
    pictures: tuple[PairPicture, ...]
    zooms: bool
    varied: bool
    markers: Mapping[str, tuple[Marker, ...]]
    tops: tuple[int, ...]
    most_seconds: int
    trial: TrialView
    verdicts_words: str
    told: tuple[Told, ...]
    strip: Strip | None
    command: str


def case_page(visit: Visit) -> Response:
    """Show one case of a run."""
    run = visit.browsing.find(visit.request.path_params["run"])
    name = visit.request.path_params["case"]
    trials = list(visit.browsing.trials(run, case=name))
    if not trials:
        raise NoCase(run, name)
    wanted, _ = wanted_from(visit.query, run, variant=AMONG)
    number = wanted.filter(run).criterion
    trial = _chosen(trials, visit.query, wanted, number)
    views = whole_views(visit)
    view = views.case(run, [trial], worst_word(trial), 0)
    shown, beside = view.trials[0], visit.browsing.index(run).neighbours(wanted.filter(run), name)
    reader, kin = visit.desk.reader, kin_of(run, trials, trial.repeat)
    panes = tuple(panes_of(reader, run, trial, shown))
    before = original_of(reader, run, kin, trial, views)
    pictures = _pictures(panes, before, trial.variant)
    told = tuple(_told(visit.browsing, run, trial, shown))
    page = CaseContext(
        shell=visit.shell(f"{view.word} {view.id}", run.project, tuple(_crumbs(run, wanted)), view.id),
        id=view.id,
        mark=view.mark,
        word=view.word,
        astray=_astray(trials, visit.query),
        altered=tuple(one for one in shown.media if one.state != "verified"),
        slice=view.slice,
        siblings=tuple(_siblings(run, trials, trial, number, wanted)),
        siblings_words=_siblings_words(run, trials, trial, number),
        way=_way(run, beside, wanted),
        panes=panes if before is None or before.view.kind == "image" else (Pane("Original", (before,), None), *panes),
        pictures=pictures,
        zooms=any(_zooms(one) for pane in panes for one in pane.media),
        varied=before is not None and len(pictures) > 1 and pictures[0].address == before.shown,
        markers=_markers(told),
        tops=TOPS,
        most_seconds=MOST_SECONDS,
        trial=shown,
        verdicts_words=_verdicts_words(shown),
        told=told,
        strip=strip_of(run, kin, trial, number, wanted),
        command=visible(f"oloproof inspect {run.id} --case {quote(trial.case_id)}"),
    )
    return render("case.html.j2", page)


def _chosen(
    trials: Sequence[StoredTrial], query: Mapping[str, str], wanted: Wanted, criterion: int | None
) -> StoredTrial:
    """Return the trial that the address names, or else the worst of those that its filter is about."""
    variant, repeat = query.get("variant") or wanted.only, query.get("repeat")
    named = [
        one
        for one in trials
        if (variant is None or one.variant == variant) and (repeat is None or str(one.repeat) == repeat)
    ]
    worst = ("fail", "invalid", "error", "missing", "pass")
    return min(named or trials, key=lambda one: worst.index(said_of(one, criterion)))


def _astray(trials: Sequence[StoredTrial], query: Mapping[str, str]) -> str:
    """Return in words that the address names a trial that the case does not have; empty where it has it."""
    named = {word: query[word] for word in ("variant", "repeat") if query.get(word)}
    if any(all(str(getattr(one, word)) == value for word, value in named.items()) for one in trials):
        return ""
    words = ", ".join(f"{word} {one_line(value, 60)}" for word, value in named.items())
    return f"This case has no trial of {words}; another one is shown."


def _crumbs(run: StoredRun, wanted: Wanted) -> Iterator[Link]:
    yield Link("Runs", RUNS)
    yield Link(f"{run.id}, {visible(run.system_version)}", run_address(run.id))
    narrowed = ", ".join(words for words, _ in wanted.parts())
    if narrowed:
        yield Link(visible(narrowed), run_address(run.id, wanted.query(), "cases"))


def _siblings(
    run: StoredRun, trials: Sequence[StoredTrial], shown: StoredTrial, criterion: int | None, wanted: Wanted
) -> Iterator[Sibling]:
    """Yield the repeats of the variant that is shown, where there are several."""
    own = [one for one in trials if one.variant == shown.variant]
    for number, one in enumerate(own if len(own) > 1 else (), start=1):
        word = outcome_word(said_of(one, criterion), scored=is_scored(run, criterion))
        place = [("variant", one.variant), ("repeat", str(one.repeat))]
        yield Sibling(
            words=f"repeat {one.repeat}",
            mark=MARKS.get(word, "missing"),
            word=word,
            address=case_address(run.id, one.case_id, [*place, *wanted.around()]),
            current=one is shown,
            key=str(number) if number < 10 else "",
        )


def _siblings_words(run: StoredRun, trials: Sequence[StoredTrial], shown: StoredTrial, criterion: int | None) -> str:
    """Return which variant is shown, how many of its repeats pass, and how many members of the family."""
    own = [one for one in trials if one.variant == shown.variant]
    needed = run.document["repeats"]["pass_when"]
    parts = []
    if len(own) > 1:
        words = _passing(run, own, criterion) + ("" if needed is None else f", needs {needed}")
        parts.append(words if len(own) == len(trials) else f"{visible(shown.variant)}: {words}")
    elif shown.variant != ORIGINAL:
        parts.append(visible(shown.variant))
    if len(own) < len(trials):
        parts.append(f"{_passing(run, trials, criterion)} in the family")
    return "; ".join(parts)


def _passing(run: StoredRun, trials: Sequence[StoredTrial], criterion: int | None) -> str:
    said = sum(said_of(one, criterion) == "pass" for one in trials)
    return f"{said} of {len(trials)} {'scored' if is_scored(run, criterion) else 'pass'}"


def _pictures(panes: Sequence[Pane], before: Medium | None, variant: str) -> tuple[PairPicture, ...]:
    """Return the pictures to hold against each other, of a variant the original's first and what it was given next."""
    media = [one for pane in panes for one in pane.media]
    if before is None or not is_picture(before):
        return pair_pictures(media)
    given = [one for one in media if one.view.role == "input" and is_picture(one)][:1]
    rest = pair_pictures(one for one in media if one not in given)
    own = (PairPicture(visible(variant), one.shown, one.alpha) for one in given)
    return (PairPicture("Original", before.shown, before.alpha), *own, *rest)


def _zooms(medium: Medium) -> bool:
    return medium.view.kind != "audio" and medium.view.state == "verified" and bool(medium.shown)


def _way(run: StoredRun, beside: Neighbours, wanted: Wanted) -> Way:
    def link(words: str, case: str | None) -> Link | None:
        return None if case is None else Link(words, case_address(run.id, case, wanted.beside()))

    told = f"{beside.number:,} of {beside.total:,}" if beside.number else f"not among the {beside.total:,} that match"
    return Way(
        told if beside.total > 1 or not beside.number else "",
        link("Previous", beside.previous),
        link("Next", beside.next),
    )


def whole_views(visit: Visit) -> CaseViews:
    """Return what makes the view of a case whose texts are read whole."""
    hide = Withholding(frozenset(), visit.desk.root)
    return CaseViews(visit.desk.reader, hide, longest=_LONGEST, most_lines=_MOST_LINES)


def panes_of(reader: MediaReader, run: StoredRun, trial: StoredTrial, shown: TrialView) -> Iterator[Pane]:
    """Yield what there is of input, output and expected of a trial; ``shown`` is its view."""
    values = {column.value.title: column.value for column in shown.columns if column.value is not None}
    pairs = list(zip(shown_media(trial), shown.media, strict=True))
    for role, title in ROLE_TITLES.items():
        media = tuple(medium_of(reader, run.id, item, view) for item, view in pairs if item.role == role)
        value = values.get(title)
        nothing = _nothing(trial) if role == "output" and not media else ""
        if media or nothing or (value is not None and value.text):
            yield Pane(title, media, value, value is not None and _is_long(value.text), nothing)


def _nothing(trial: StoredTrial) -> str:
    """Return in words that a system gave nothing; empty where it gave something, or failed."""
    output = trial.execution.output
    if trial.execution.failed or output not in (None, ""):
        return ""
    return "The system said nothing: its output is " + ("null." if output is None else "an empty text.")


def _is_long(text: str) -> bool:
    return len(text) > LONGEST or text.count("\n") >= MOST_LINES


def _markers(told: Iterable[Told]) -> dict[str, tuple[Marker, ...]]:
    """Return for each clip the frames of it that judges saw, by time; what several saw is one mark."""
    found: dict[str, dict[str, list[tuple[int, str]]]] = {}
    for one in told:
        for picture in one.seen.pictures if one.seen is not None else ():
            if picture.item:
                of_clip = found.setdefault(picture.item, {})
                of_clip.setdefault(picture.seconds, []).append((picture.number, one.verdict.criterion))
    return {
        item: tuple(
            Marker(str(by[0][0]), seconds, f"frame {by[0][0]} that {_listed(by)} saw, at {float(seconds):.3f} s")
            for seconds, by in sorted(moments.items(), key=lambda moment: float(moment[0]))
        )
        for item, moments in found.items()
    }


def _listed(by: Sequence[tuple[int, str]]) -> str:
    return " and ".join(f"the judge of {criterion}" for criterion in dict.fromkeys(criterion for _, criterion in by))


def _verdicts_words(shown: TrialView) -> str:
    counts = {word: sum(one.word == word for one in shown.verdicts) for word in (*WORST_FIRST, "scored")}
    told = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    return "; ".join(part for part in (f"of {shown.place}" if shown.place else "", told) if part)


def _told(browsing: Browsing, run: StoredRun, trial: StoredTrial, shown: TrialView) -> Iterator[Told]:
    entries = {visible(entry["criterion"]): entry for entry in run.criteria}
    states = zip(shown_media(trial), shown.media, strict=True)
    verified = [item for item, view in states if view.state == "verified"]
    for verdict in shown.verdicts:
        entry = entries[verdict.criterion]
        judgement = trial.judgements.get(entry.get("evaluator", -1))
        if judgement is None:
            yield Told(verdict, None, None)
            continue
        criterion, judge = entry["criterion"], str(entry["digest"])
        standing, mark = _standing(browsing, criterion, judge)
        address = judge_address(judge, [("criterion", criterion)])
        seen = seen_of(run, judge, judgement.saw, verified)
        yield Told(verdict, JudgeLine(verdict.judged or "judged by a model", standing, mark, address), seen)


def _standing(browsing: Browsing, criterion: str, judge: str) -> tuple[str, Mark]:
    """Return whether a judge was validated, as the newest look at the labels of its criterion found."""
    state = state_of(browsing, criterion, judge)
    if state.validation is not None:
        return state.word, state.mark
    changed = state.reason == "judge_changed"
    return ("another version was validated, not this one" if changed else "not validated", "undecided")

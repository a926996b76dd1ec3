"""Which cases people label: a random sample that no verdict has a say in, the same on every machine.

The frame is every case of a complete run whose execution did not fail and whose verdict of the criterion is usable
(``pass`` or ``fail``), with one execution each, chosen by the seed among its repeats and variants. The order is
ascending SHA-256(seed || case id) and a sample is a prefix of it (permanent random numbers, Ohlsson 1995): a longer
sample extends a shorter one, and two runs sampled by one seed share their cases.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from oloproof.digests import digest_of_text
from oloproof.labels.problems import LabelsError, criterion_number, judge_of
from oloproof.records import Notice
from oloproof.storage import History, StoredRun
from oloproof.storage.labels import Labels, Purpose, StoredSample

DEFAULT_SIZE = 100
MAX_SEED = 200


class Place(Struct, frozen=True):
    """One execution of a case in the order of a sample."""

    case_id: str
    variant: str
    repeat: int


class Drawn(Struct, frozen=True):
    """A sample with the executions that it holds, and what there is to say of it."""

    sample: StoredSample
    places: tuple[Place, ...]
    notices: tuple[Notice, ...] = ()


def order_key(seed: str, case_id: str) -> str:
    """Return what the cases of a frame are ordered by: SHA-256(seed || case id), in hexadecimal."""
    return digest_of_text(seed + case_id)


def frame_of(history: History, run: StoredRun, criterion: str, seed: str) -> list[Place]:
    """Return every case of the run that may be labelled for a criterion, in the order of the seed.

    Raises:
        LabelsError: the run has no such criterion.
    """
    chosen: dict[str, tuple[str, Place]] = {}
    for one in history.observations(run, criterion_number(run, criterion)):
        if one.error or one.outcome not in ("pass", "fail"):
            continue
        choice = digest_of_text(f"{seed}{one.case_id}\n{one.variant}\n{one.repeat}")
        if one.case_id not in chosen or choice < chosen[one.case_id][0]:
            chosen[one.case_id] = choice, Place(one.case_id, one.variant, one.repeat)
    return [place for _, place in sorted(chosen.values(), key=lambda one: order_key(seed, one[1].case_id))]


def members_of(history: History, labels: Labels, run: StoredRun, sample: StoredSample) -> list[Place]:
    """Return the executions that a sample holds, in its order.

    A case that serves the other purpose by now is passed over, and no other moves up into its place.
    """
    barred = _barred(history, labels, sample.criterion, sample.purpose)
    frame = frame_of(history, run, sample.criterion, sample.seed)
    return _free(frame[: sample.size], barred)


def sample_of(history: History, labels: Labels, run: StoredRun, criterion: str) -> StoredSample | None:
    """Return the validation sample of a run, or one carried over from the newest run that has one; None without any.

    A carried sample holds the cases of this run that stand before the end of the other in the order of its seed, so
    it is as random, and labels count again wherever the same was shown.
    """
    own = labels.samples(criterion=criterion, run=run.number, purpose="validate")
    others = own or labels.samples(criterion=criterion, purpose="validate")
    if own or not others:
        return own[0] if own else None
    sample = others[0]
    origin = run_numbered(history, sample.run)
    last = order_key(sample.seed, frame_of(history, origin, criterion, sample.seed)[sample.size - 1].case_id)
    frame = frame_of(history, run, criterion, sample.seed)
    size = sum(order_key(sample.seed, place.case_id) <= last for place in frame)
    return replace(sample, run=run.number, judge=judge_of(run, criterion), size=size, frame=len(frame))


def run_numbered(history: History, number: int) -> StoredRun:
    """Return the run that has a number."""
    return history.numbered([number])[number]


def developed(labels: Labels, criterion: str) -> frozenset[str]:
    """Return the cases that were labelled for development: no judge may be validated on them."""
    return frozenset(one.case_id for one in labels.labels(criterion=criterion, purpose="develop"))


def reserved(history: History, labels: Labels, criterion: str) -> dict[str, str]:
    """Return the cases that stand in a validation sample of any run, each with the id of that run."""
    found: dict[str, str] = {}
    for sample in labels.samples(criterion=criterion, purpose="validate"):
        run = run_numbered(history, sample.run)
        found.update({place.case_id: run.id for place in members_of(history, labels, run, sample)})
    return found


def draw(
    history: History,
    run: StoredRun,
    criterion: str,
    *,
    size: int | None = None,
    seed: str | None = None,
    purpose: Purpose = "validate",
) -> Drawn:
    """Draw a sample of a run for a criterion and record its seed before any label exists.

    ``size`` is 100 by default, or what a sample drawn before holds. Asking for more extends that one; asking for less
    returns its first cases and leaves it as it is. The seed is that of the run's sample, of the criterion's newest
    validation sample, or a new random one.

    Raises:
        LabelsError: the run is not complete or has no such criterion, no case is left, or the run's validation sample
            was drawn by another seed.
    """
    _refuse_unfinished(run)
    judge = judge_of(run, criterion)
    labels = Labels(history.store)
    own = labels.samples(criterion=criterion, run=run.number, purpose=purpose)
    seed = _seed(labels, own, criterion, seed, purpose)
    frame = frame_of(history, run, criterion, seed)
    earlier = next((one for one in own if one.seed == seed), None)
    barred = _barred(history, labels, criterion, purpose)
    drawn = _free(frame[: earlier.size], barred) if earlier else []
    wanted = size or len(drawn) or DEFAULT_SIZE
    places = _free(frame, barred)[:wanted]
    _refuse_nothing(run, criterion, purpose, frame, places)
    reach = frame.index(places[-1]) + 1
    new = StoredSample(secrets.token_hex(8), run.number, criterion, judge, purpose, seed, reach, len(frame))
    kept = labels.keep_sample(new)
    if kept.seed != seed:
        raise _other_seed(run, kept, seed)
    return Drawn(kept, tuple(places), tuple(_notices(run, criterion, wanted, len(places))))


def _refuse_unfinished(run: StoredRun) -> None:
    if run.state != "complete":
        raise LabelsError(f"run {run.id} is {run.state}, so no sample can be drawn of it yet; {run.way_on}")


def _seed(labels: Labels, own: Sequence[StoredSample], criterion: str, seed: str | None, purpose: Purpose) -> str:
    if seed is not None:
        if not (0 < len(seed) <= MAX_SEED and seed.isprintable()):
            raise LabelsError(
                f"a seed is 1 to {MAX_SEED} printable characters, found {seed!r}; leave --seed out for a new one"
            )
        return seed
    if not own and purpose == "validate":
        own = labels.samples(criterion=criterion, purpose="validate")
    return own[0].seed if own else secrets.token_hex(8)


def _barred(history: History, labels: Labels, criterion: str, purpose: Purpose) -> frozenset[str]:
    """Return the cases that a sample of this purpose may not hold: what develops a judge never validates it."""
    if purpose == "validate":
        return developed(labels, criterion)
    validating = labels.labels(criterion=criterion, purpose="validate")
    return frozenset(reserved(history, labels, criterion)) | {one.case_id for one in validating}


def _free(frame: Sequence[Place], barred: frozenset[str]) -> list[Place]:
    return [place for place in frame if place.case_id not in barred]


def _refuse_nothing(
    run: StoredRun, criterion: str, purpose: Purpose, frame: Sequence[Place], places: Sequence[Place]
) -> None:
    if places:
        return
    if not frame:
        raise LabelsError(
            f"run {run.id} has no case with a verdict pass or fail of {criterion}; nothing can be labelled"
        )
    other = "validate" if purpose == "develop" else "develop"
    raise LabelsError(
        f"all {len(frame)} cases of run {run.id} that can be labelled for {criterion} serve the purpose {other}; "
        "a case never serves both, so add cases to the dataset and run it again"
    )


def _other_seed(run: StoredRun, kept: StoredSample, seed: str) -> LabelsError:
    return LabelsError(
        f"run {run.id} has a validation sample of {kept.criterion}, drawn by the seed {kept.seed!r}, not {seed!r}; "
        "a second one could be chosen by its outcome, so leave --seed out to go on with it"
    )


def _notices(run: StoredRun, criterion: str, wanted: int, found: int) -> Iterable[Notice]:
    entry = run.criteria[criterion_number(run, criterion)]
    if not entry["calls_model"]:
        yield Notice(
            "not_a_judge", f"{criterion} asks no model, so its rules decide without labels; they are kept anyway"
        )
    if run.partial:
        yield Notice(
            "partial_run", f"run {run.id} holds a part of the dataset, so the sample speaks for that part only"
        )
    if found < wanted:
        yield Notice("small_frame", f"there are {found} cases to label and not {wanted}; the sample holds them all")

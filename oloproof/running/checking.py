"""``oloproof check``: everything a run would refuse, found before it, and one case tried for real."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from oloproof.config import PolicyOptions, Project
from oloproof.digests import canonical_json
from oloproof.errors import MediaUnreadable, StorageError
from oloproof.evaluators import Registry, Subject
from oloproof.evaluators.image_matches_reference import ImageMatchesReference
from oloproof.evaluators.judges.rubric import RubricJudge
from oloproof.evaluators.media_check import MediaCheck
from oloproof.evaluators.media_options import OF_KINDS, OF_STREAMS, MediaCheckOptions
from oloproof.media import MediaReader, using_reader
from oloproof.media.facts import facts_of, needs_ffmpeg
from oloproof.media.sniffing import Sniffed
from oloproof.policy import SliceFilter
from oloproof.records import Case, Execution, Facts, MediaItem, Notice, Trial, Verdict
from oloproof.running.deciding import measures_of
from oloproof.running.judging import Bench
from oloproof.running.plan import Plan, Selection, make_plan, open_system
from oloproof.running.planning import Prospect, what_rules_can_decide
from oloproof.running.standing import validated_judges
from oloproof.storage import Store
from oloproof.storage.database import FILE, FOLDER
from oloproof.storage.variant_files import VariantFiles
from oloproof.systems import Surroundings, trial_folder
from oloproof.variants import VariantWorkshop

TRIED = "check"
"""What stands for the run's id in the paths of what the tried case writes."""


class Checked(Struct, frozen=True):
    """What a check found: the plan, the tried case with its verdicts, what rules can decide, and what to know."""

    plan: Plan
    case: str
    execution: Execution
    verdicts: Mapping[str, Verdict]
    skipped: Sequence[str]
    prospects: Sequence[Prospect]
    notices: Sequence[Notice] = field(default_factory=tuple)
    unreachable: bool = False
    refused: bool = False

    @property
    def ready(self) -> bool:
        """Whether a run can be started and the tried case was answered and could be evaluated."""
        broken = any(verdict.details.get("code") == "evaluator_error" for verdict in self.verdicts.values())
        return not self.execution.failed and not self.unreachable and not self.refused and not broken

    @property
    def exit_code(self) -> int:
        """0 ready, 1 the tried case went wrong, 2 a run would be refused."""
        return 0 if self.ready else 2 if self.unreachable or self.refused else 1


def check_project(project: Project, registry: Registry) -> Checked:
    """Check a project as a run would, and try its first case with every evaluator that asks no model.

    Raises:
        OloproofError: a run would be refused; the text says why.
    """
    _refuse_unusable_store(project.root)
    plan = make_plan(project, registry, Selection())
    reader = MediaReader(project.root)
    first = next(iter(islice(plan.enumerate(set()), 1)))
    trial = replace(first, case=plan.families.original(first.case))
    free = [evaluator for evaluator in plan.evaluators if not evaluator.calls_model]
    bench = Bench(free)
    open_system(plan, _surroundings(project, plan, reader), 1)
    try:
        with using_reader(reader):
            execution = plan.system.execute(trial)
            verdicts = bench.verdicts(Subject(trial.case, execution, reader, trial.variant, trial.repeat))
        unreachable = plan.system.never_answered
    finally:
        plan.system.close()
        bench.close()
    policy = project.policy or PolicyOptions()
    sliced = _cases_in_slices(plan, policy)
    stopping, possible = _without_ffprobe(plan)
    return Checked(
        plan=plan,
        case=trial.case.id,
        execution=execution,
        verdicts=dict(zip(bench.criteria, verdicts, strict=True)),
        skipped=[evaluator.criterion for evaluator in plan.evaluators if evaluator.calls_model],
        prospects=what_rules_can_decide(
            policy,
            measures_of(plan.document),
            plan.cases,
            sliced,
            repeats=plan.document["repeats"]["count"],
            validated=_validated(plan),
        ),
        notices=[*_notices(project, plan, execution), *_of_variants(plan, first.case, reader), *stopping, *possible],
        unreachable=unreachable,
        refused=bool(stopping),
    )


def _validated(plan: Plan) -> Collection[str]:
    """Return the criteria whose judges were validated; none where nothing was run yet."""
    root = plan.project.root
    if not (root / FOLDER / FILE).exists():
        return ()
    with closing(Store(root, create=False)) as store:
        return validated_judges(store, plan.document)


def _cases_in_slices(plan: Plan, policy: PolicyOptions) -> Mapping[str, int]:
    """Return, for each rule on a slice, how many cases of the dataset have all of its values; one pass for all."""
    wanted = {rule.id: SliceFilter(rule.slice) for rule in policy.rules if rule.slice is not None}
    counts = dict.fromkeys(wanted, 0)
    for case in plan.dataset if wanted else ():
        values = canonical_json(case.slice)
        for rule, has in wanted.items():
            counts[rule] += has(values)
    return counts


def _refuse_unusable_store(root: Path) -> None:
    """Open what earlier runs stored as a run would; where nothing is stored yet, nothing is made.

    Raises:
        StorageError: a run could not store anything there.
    """
    folder = root / FOLDER
    if os.path.lexists(folder) and not folder.is_dir():
        raise StorageError(f"{folder} is not a folder, and runs are stored there; move it away")
    if not os.access(folder if folder.exists() else root, os.W_OK):
        raise StorageError(f"{folder} cannot be written, and runs are stored there; check its permissions")
    file = folder / FILE
    if file.is_dir():
        raise StorageError(f"{file} is a folder, and runs are stored in a file of that name; move it away")
    if file.exists():
        with closing(Store(root, create=False)) as store:
            if store.read_only:
                raise StorageError(f"{file} cannot be written, and runs are stored there; check its permissions")


def _surroundings(project: Project, plan: Plan, reader: MediaReader) -> Surroundings:
    def folder_of(trial: Trial) -> Path:
        return trial_folder(project.outputs, plan.system.name, plan.system.version, TRIED, trial)

    return Surroundings(project.root, project.media_roots, reader, folder_of)


def _notices(project: Project, plan: Plan, execution: Execution) -> list[Notice]:
    found = [Notice(code, message) for code, message in plan.system.notices]
    if plan.system.never_answered:
        name = plan.system.name
        found.append(Notice("never_answered", f"{name} did not answer: start it, or check its address, before a run"))
    if not plan.evaluators:
        found.append(Notice("no_evaluators", "no evaluators: a run would only execute the cases"))
    if project.policy is None or not project.policy.rules:
        found.append(Notice("no_rules", "no rules: a run would decide nothing and exit with 0"))
    else:
        found += _that_a_run_leaves_open(project.policy)
    for one in plan.comparing:
        told = ", ".join(f"{sent} to {host}" for host, sent in one.hosts.items())
        message = (
            f"{one.criterion}: a {one.type} is not asked by a run; oloproof compare --judge asks it and sends {told}"
        )
        found.append(Notice("compares_runs", message))
    found += _that_cannot_read(plan)
    found += _with_nothing_to_show(plan, execution)
    declared = plan.system.identity.get("records", ())
    if declared and not execution.media and not execution.failed:
        found.append(Notice("nothing_recorded", "the system declares media/v1 and recorded nothing for the tried case"))
    return found


def _with_nothing_to_show(plan: Plan, execution: Execution) -> Iterator[Notice]:
    """Yield the judges that would be shown nothing of what the tried case recorded."""
    roles = {"all", *(item.role for item in execution.media)} if execution.media else set()
    for one in plan.evaluators:
        if isinstance(one, RubricJudge) and not execution.failed and one.options.media not in (None, *roles):
            yield Notice("nothing_to_show", f"{one.criterion} would be missing: {one.nothing_recorded()}")


def _that_a_run_leaves_open(policy: PolicyOptions) -> Iterator[Notice]:
    """Yield the rules that compare two runs where they would make every run end with 1."""
    comparing = [rule.id for rule in policy.rules if rule.compares]
    if comparing and "INSUFFICIENT_EVIDENCE" in policy.block_on:
        message = (
            f"{', '.join(comparing)}: a run alone cannot decide a rule that compares two, so every run would be "
            "blocked; keep such rules in a file of their own and decide them by oloproof compare --policy FILE"
        )
        yield Notice("blocks_every_run", message)


def _that_cannot_read(plan: Plan) -> Iterator[Notice]:
    """Yield what passes a picture with another text on it, where nothing else looks at what pictures show."""
    if {one.type for one in plan.evaluators} <= {MediaCheck.type, ImageMatchesReference.type}:
        for one in plan.evaluators:
            if isinstance(one, ImageMatchesReference) and one.options.max_local_difference is None:
                message = (
                    f"{one.criterion}: a perceptual hash cannot read, so a page with another total passes; where "
                    "pictures hold text, give it max_local_difference: 15"
                )
                yield Notice("cannot_read", message)


def _of_variants(plan: Plan, case: Case, reader: MediaReader) -> Iterator[Notice]:
    """Yield what is to be known of the variants of a case, which are made and thrown away again."""
    if not plan.families:
        return
    with tempfile.TemporaryDirectory(prefix="oloproof-check-") as folder:
        made = VariantWorkshop(plan.families, VariantFiles(Path(folder)), reader).make(case)
    for name, variation in made.items():
        if variation.problem is not None:
            yield Notice("variant_refused", f"case {case.id!r}: {variation.problem}")
        for finding in [one.finding for one in variation.deliveries if one.finding is not None]:
            if variation.problem is None:
                yield Notice(finding.code, f"case {case.id!r}, variant {name}: {finding.message}")


def _without_ffprobe(plan: Plan) -> tuple[list[Notice], list[Notice]]:
    """Return, where ffprobe is not installed, what is known to stop a run for it and what may."""
    readers = [evaluator for evaluator in plan.evaluators if evaluator.reads_media]
    if not readers or shutil.which("ffprobe"):
        return [], []
    checks = [one.options for one in readers if isinstance(one, MediaCheck) and one.options.role in ("input", "all")]
    for case in plan.dataset if checks else ():
        for path in case.files.values():
            facts = _header_of(path)
            stopped = next((options for options in checks if facts and _must_probe(facts, options)), None)
            if stopped is not None:
                told = f"case {case.id!r}: {stopped.criterion} needs ffprobe for {path}, and it is not on PATH"
                return [Notice("ffmpeg_missing", f"{told}; install ffmpeg")], []
    may = "ffprobe is not on PATH: a case that records audio or video would stop the run; install ffmpeg"
    return [], [Notice("ffmpeg_missing", may)]


def _header_of(path: str) -> Facts | None:
    try:
        with open(path, "rb") as file:
            return facts_of(file, path=Path(path), depth="header")
    except (OSError, MediaUnreadable):
        return None  # that the file cannot be read is for its case to say


def _must_probe(facts: Facts, options: MediaCheckOptions) -> bool:
    """Return whether a condition asks what the header of an audio or video file does not tell."""
    told = options.looks_at in ("any", facts.kind)
    if told and facts.kind == "video" and options.blank is not None:
        return True
    if not needs_ffmpeg(Sniffed(facts.kind, facts.format, facts.media_type), "probed"):
        return False
    if options.intact:
        return options.only in (None, facts.kind)
    asked = {key.removeprefix("min_").removeprefix("max_") for key in options.model_fields_set}
    names = {"duration"} & asked
    if facts.kind == "video":
        names |= {"width", "height"} if "aspect_ratio" in asked else {"width", "height"} & asked
        names |= {"has_audio"} & asked
    return told and (any(getattr(facts, name) is None for name in names) or any(_untold(facts, asked)))


def _untold(facts: Facts, asked: Collection[str]) -> Iterator[str]:
    """Yield what is asked of the streams of an audio or video file and is not told by its header."""
    kind = facts.kind or ""
    for name in OF_STREAMS:
        if name in asked and kind in OF_KINDS[name] and name not in facts.extras:
            yield name


def check_document(checked: Checked) -> dict[str, Any]:
    """Return what ``check --json`` prints."""
    plan = checked.plan
    return {
        "ready": checked.ready,
        "exit": checked.exit_code,
        "project": plan.project.name,
        "system": {"name": plan.system.name, "version": plan.system.version},
        "cases": plan.cases,
        "trials": plan.trials,
        "relations": plan.document["relations"],
        "tried": {
            "case": checked.case,
            "output": checked.execution.output,
            "error": checked.execution.error,
            "error_detail": checked.execution.error_detail,
            "seconds": checked.execution.seconds,
            "media": [_item(item) for item in checked.execution.media],
            "verdicts": [
                {"criterion": criterion, "outcome": verdict.outcome, "score": verdict.score, "reason": verdict.reason}
                for criterion, verdict in checked.verdicts.items()
            ],
            "not_tried": list(checked.skipped),
        },
        "hosts": [{"host": host, "sent": sent} for host, sent in plan.document["hosts"].items()],
        "rules": [{"rule": one.rule, "metric": one.metric, "can_decide": one.can_decide} for one in checked.prospects],
        "warnings": [{"code": notice.code, "message": notice.message} for notice in checked.notices],
    }


def _item(item: MediaItem) -> dict[str, Any]:
    return {"role": item.role, "kind": item.kind, "path": item.path, "format": item.format, "size": item.size}

"""``oloproof compare --judge``: the cases of two runs put to a model side by side, in both orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from msgspec import Struct, field, to_builtins

from oloproof.config import PolicyOptions, Project
from oloproof.errors import (
    CallFailed,
    EvaluatorError,
    JudgeUnfit,
    MediaDrift,
    MediaMissing,
    ProviderError,
    ProviderUnreachable,
    StorageError,
    ToolMissing,
)
from oloproof.evaluators import Registry, Subject
from oloproof.evaluators.judges.pairwise import BothOrders, PairwiseJudge
from oloproof.evaluators.judges.pairwise_answers import given_text
from oloproof.media import MediaReader
from oloproof.records import ORIGINAL, Judgement
from oloproof.running.deciding import measures_of
from oloproof.running.events import Listener, silent
from oloproof.running.judging import open_judges
from oloproof.running.pairwise.summary import (
    JudgedPair,
    PositionBias,
    WinShare,
    counts_of,
    position_bias,
    win_share,
)
from oloproof.running.questions import answers_to
from oloproof.running.rejudging import reading, subject_of
from oloproof.storage import History, Store, StoredRun, StoredTrial
from oloproof.systems.context import safe_name

_SIGHTS = ("proven", "not_proven", "not_tested")


class Pairing(Struct, frozen=True):
    """The cases of two runs that can be compared, and how many cannot.

    Of each case it is the first repeat of the original. ``one_run_only`` counts cases that stand in one run only,
    ``failed`` those of which an execution gave an error, ``changed`` those whose input is not the same in both.
    """

    pairs: tuple[tuple[Subject, Subject], ...]
    one_run_only: int
    failed: int
    changed: int


class PairwiseResult(Struct, frozen=True):
    """What one pairwise judge says of two runs."""

    judge: PairwiseJudge
    pairing: Pairing
    pairs: tuple[JudgedPair, ...]
    win_share: WinShare
    position_bias: PositionBias
    counts: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return it as ``compare --json`` prints it; ``held_to_labels`` is always false."""
        judge, answers = self.judge, [one for pair in self.pairs for one in (pair.candidate_first, pair.baseline_first)]
        cached = sum(one.stored is not None for one in answers)
        asked = [one for one in answers if one.saw and one.stored is None]
        sights = Counter(str(one.saw["sight"]) for one in answers if one.saw)
        return {
            "criterion": judge.criterion,
            "model": judge.options.model,
            "judge": judge.judge_hash,
            "hosts": [{"host": host, "sent": sent} for host, sent in judge.hosts.items()],
            "held_to_labels": False,
            "pairs": len(self.pairs),
            **self.counts,
            "identical": sum(pair.identical for pair in self.pairs),
            "skipped": {
                "one_run_only": self.pairing.one_run_only,
                "execution_failed": self.pairing.failed,
                "input_differs": self.pairing.changed,
            },
            "win_share": to_builtins(self.win_share),
            "position_bias": to_builtins(self.position_bias),
            "media": judge.options.media,
            "sight": {state: sights[state] for state in _SIGHTS},
            "answers": {"asked": len(asked), "cached": cached},
            "cases": [_pair_document(pair) for pair in self.pairs],
        }


def _pair_document(pair: JudgedPair) -> dict[str, Any]:
    orders = (("candidate", "baseline", pair.candidate_first), ("baseline", "candidate", pair.baseline_first))
    return {
        "case": pair.case,
        "outcome": pair.outcome,
        "orders": [
            {
                "first": first,
                "better": {"A": first, "B": second, "tie": "tie"}.get(one.verdicts[0].details.get("better", "")),
                "outcome": one.verdicts[0].outcome,
                "code": one.verdicts[0].details.get("code"),
                "reason": one.verdicts[0].reason,
                "cached": one.stored is not None,
            }
            for first, second, one in orders
        ],
    }


def pairwise_judges(project: Project, registry: Registry, wanted: str | None = None) -> list[PairwiseJudge]:
    """Return the pairwise judges of a project, or the one that is wanted, ready to be asked.

    Raises:
        EvaluatorError: there is none, the one wanted is none, or one could never work as configured.
    """
    built = [registry.build(options, project.root) for options in project.evaluators]
    found = [one for one in built if isinstance(one, PairwiseJudge)]
    if not found:
        raise EvaluatorError(f"{project.file} declares no pairwise_judge; add one under evaluators: to compare with it")
    names = ", ".join(one.criterion for one in found)
    chosen = [one for one in found if wanted in (None, one.criterion)]
    if not chosen:
        raise EvaluatorError(
            f"no pairwise_judge is called {wanted!r}; there are: {names} (runs are named before --judge)"
        )
    for one in chosen:
        one.prepare_to_compare()
    return chosen


def shares_criteria(candidate: StoredRun, baseline: StoredRun, policy: PolicyOptions | None) -> bool:
    """Whether there is more to compare than what a pairwise judge says: a criterion of both runs, or a rule."""
    after, before = measures_of(candidate.document), measures_of(baseline.document)
    shared = any(name in before and before[name].kind == measure.kind for name, measure in after.items())
    return shared or any(rule.compares for rule in (policy.rules if policy else ()))


def judge_pairs(
    store: Store,
    judge: PairwiseJudge,
    candidate: StoredRun,
    baseline: StoredRun,
    *,
    level: float = 0.95,
    listener: Listener = silent,
) -> PairwiseResult:
    """Put every case that both runs executed to a judge in both orders; what it said before is not asked again.

    What was answered is kept while other pairs are asked about.

    Raises:
        StorageError: the answers could not be kept.
        OloproofError: its provider refuses every question or never answered, or a recorded file changed.
    """
    if store.read_only:
        raise StorageError(f"{store.file} cannot be written, so what the judge answers could not be kept")
    open_judges([judge], store, reuse=True)
    with closing(judge), reading(store, store.root) as reader:
        pairing = pairing_of(History(store), candidate, baseline, reader)
        hidden = _telling(candidate, baseline)
        pairs = _judged(store, judge, pairing, hidden, listener)
        if judge.never_answered:
            raise ProviderUnreachable(f"{judge.never_answered} never answered once; start it, or check its address")
    return PairwiseResult(
        judge, pairing, pairs, win_share(pairs, level), position_bias(pairs, level), counts=counts_of(pairs)
    )


def pairing_of(history: History, candidate: StoredRun, baseline: StoredRun, reader: MediaReader) -> Pairing:
    """Return the cases that two runs have in common, in the order of the candidate's run."""
    before = {trial.case_id: trial for trial in history.trials(baseline) if _counts(trial)}
    pairs, failed, changed, matched = [], 0, 0, 0
    after = 0
    for trial in filter(_counts, history.trials(candidate)):
        after += 1
        other = before.get(trial.case_id)
        if other is None:
            continue
        matched += 1
        pair = subject_of(trial, reader), subject_of(other, reader)
        if trial.execution.failed or other.execution.failed:
            failed += 1
        elif _input_differs(*pair, reader):
            changed += 1
        else:
            pairs.append(pair)
    return Pairing(tuple(pairs), after + len(before) - 2 * matched, failed, changed)


def _counts(trial: StoredTrial) -> bool:
    return trial.variant == ORIGINAL and trial.repeat == 0


def _input_differs(one: Subject, other: Subject, reader: MediaReader) -> bool:
    """Whether two executions were given different things, as far as they recorded them."""
    if given_text(one, reader.root) != given_text(other, reader.root):
        return True
    files = [[(item.kind, item.sha256) for item in subject.items("input")] for subject in (one, other)]
    return all(files) and files[0] != files[1]


def _telling(*runs: StoredRun) -> list[str]:
    """Return the texts that tell which run an answer comes from, as they may stand in paths."""
    names = [f"{run.system_name}@{run.system_version}" for run in runs]
    return list(dict.fromkeys([*(run.id for run in runs), *names, *map(safe_name, names)]))


def _judged(
    store: Store, judge: PairwiseJudge, pairing: Pairing, hidden: Sequence[str], listener: Listener
) -> tuple[JudgedPair, ...]:
    def ask(pair: tuple[Subject, Subject]) -> tuple[JudgedPair, Sequence[Judgement]]:
        found = _both_orders(judge, *pair, hidden)
        return JudgedPair(pair[0].case.id, *found), found

    concurrency = judge.options.concurrency
    return tuple(
        answers_to(
            pairing.pairs,
            ask,
            criterion=judge.criterion,
            store=store,
            concurrency=concurrency,
            listener=listener,
            held_up=lambda: judge.held_up,
        )
    )


def _both_orders(judge: PairwiseJudge, candidate: Subject, baseline: Subject, hidden: Sequence[str]) -> BothOrders:
    case = candidate.case.id
    try:
        return judge.preferences(candidate, baseline, hidden)
    except MediaDrift as error:
        raise error.of_case(case) from None
    except ToolMissing as error:
        raise ToolMissing(f"case {case!r}, {judge.criterion}: {error}") from None
    except (JudgeUnfit, ProviderError) as error:
        raise type(error)(f"case {case!r}: {error}") from None
    except (MediaMissing, CallFailed) as error:
        return (judge.unasked(str(error), error.code),) * 2
    except Exception as error:  # noqa: BLE001 - what breaks on one case has not been measured, and the rest go on
        told = f"{judge.criterion} could not compare this case: {type(error).__name__}: {error}"
        return (judge.unasked(told, "evaluator_error"),) * 2

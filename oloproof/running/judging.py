"""One execution before all evaluators: who may judge it, and what an evaluator's own failure means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from oloproof.errors import CallFailed, JudgeUnfit, MediaDrift, MediaMissing, ProviderError, ToolMissing
from oloproof.evaluators import Evaluator, Subject, judges
from oloproof.providers import NOTHING_COUNTED, Usage
from oloproof.records import Judgement, Verdict
from oloproof.storage import Store, StoredJudgements, StoredProfiles, StoredRun, StoredSights
from oloproof.systems.loops import SharedLoop


def open_judges(
    evaluators: Sequence[Evaluator[Any]], store: Store, *, reuse: bool, resumed: StoredRun | None = None
) -> None:
    """Hand the judges of a run what they share and keep; with ``reuse`` what they said before answers again.

    What they have asked for in a ``resumed`` run is taken off their budgets, which are for the whole of it.
    """
    asking = [evaluator for evaluator in evaluators if evaluator.calls_model]
    if not asking:
        return
    keeping = judges.Keeping(
        judgements=StoredJudgements(store) if reuse else judges.NothingJudged(),
        sights=StoredSights(store),
        profiles=StoredProfiles(store),
    )
    sittings = StoredJudgements(store).sittings(resumed.number) if resumed is not None else []
    for number, evaluator in enumerate(evaluators):
        if evaluator.calls_model:
            own = [one for one in sittings if one.evaluator == number]
            usage = sum((Usage(one.input_tokens, one.output_tokens) for one in own), NOTHING_COUNTED)
            evaluator.open(replace(keeping, used=(sum(one.requests or 0 for one in own), usage)))


class Bench:
    """The evaluators of a run in their order. Async ones run on one loop of their own; called from any thread."""

    def __init__(self, evaluators: Sequence[Evaluator[Any]]) -> None:
        self.evaluators = tuple(evaluators)
        self.criteria = tuple(shape.name for evaluator in evaluators for shape in evaluator.criteria)
        self.scored = tuple(shape.metric_kind == "score" for evaluator in evaluators for shape in evaluator.criteria)
        """Whether the scores of each of ``criteria`` are averaged."""
        self.reporting = tuple(evaluator for evaluator in evaluators for _ in evaluator.criteria)
        """Of each of ``criteria`` the evaluator that reports it: one may report several."""
        self._loop = SharedLoop()

    @property
    def held_up(self) -> str:
        """How long a server makes one of them wait now, which, and why, in words; else empty."""
        return next((words for one in self.evaluators if (words := one.held_up)), "")

    def judgements(self, subject: Subject) -> list[Judgement]:
        """Return what every evaluator says of one execution, in their order.

        Raises:
            MediaDrift: a recorded file changed; stops the run.
            ToolMissing: ffmpeg is needed and not installed; stops the run.
            ProviderError: a model's provider refuses every question; stops the run.
            JudgeUnfit: a judge was given a kind of media that it cannot take; stops the run.
        """
        return [self._judgement(evaluator, subject) for evaluator in self.evaluators]

    def verdicts(self, subject: Subject) -> list[Verdict]:
        """Return the verdicts of every evaluator on one execution, one for each of ``criteria``; raises the same."""
        return [verdict for judgement in self.judgements(subject) for verdict in judgement.verdicts]

    def not_asked(self, reason: str, *, code: str) -> list[Judgement]:
        """Return that nothing could be measured, from every evaluator: what was to be executed could not be."""
        verdict = Verdict.missing(reason, code=code)
        return [Judgement((verdict,) * len(evaluator.criteria)) for evaluator in self.evaluators]

    @staticmethod
    def _not_executed(after: str, error: str | None) -> Verdict:
        reason = f"the system failed: {error}"
        return Verdict("fail" if after == "fail" else "missing", reason, details={"code": "execution_error"})

    def _judgement(self, evaluator: Evaluator[Any], subject: Subject) -> Judgement:
        if subject.execution.failed:
            found: Verdict | Judgement = self._not_executed(
                evaluator.options.on_execution_error, subject.execution.error
            )
        else:
            found = self._found(evaluator, subject)
        if isinstance(found, Judgement):
            return found
        return Judgement((found,) * len(evaluator.criteria))

    def _found(self, evaluator: Evaluator[Any], subject: Subject) -> Verdict | Judgement:
        try:
            found = evaluator.evaluate(subject)
            return found if isinstance(found, (Verdict, Judgement)) else self._loop.result(found)
        except MediaDrift as error:
            raise error.of_case(subject.case.id) from None
        except ToolMissing as error:
            raise ToolMissing(f"case {subject.case.id!r}, {evaluator.criterion}: {error}") from None
        except (JudgeUnfit, ProviderError) as error:
            raise type(error)(f"case {subject.case.id!r}: {error}") from None
        except (MediaMissing, CallFailed) as error:
            return Verdict.missing(str(error), code=error.code)
        except Exception as error:  # noqa: BLE001 - an evaluator that breaks has not measured, and the rest go on
            return Verdict.missing(
                f"{evaluator.criterion} could not evaluate this case: {type(error).__name__}: {error}",
                code="evaluator_error",
            )

    def close(self) -> None:
        """Stop the loop, if one was needed, and let every evaluator give back what it holds."""
        self._loop.close()
        for evaluator in self.evaluators:
            evaluator.close()

"""What a reader of a run should know of its judges: whether they answered, see, and were the same throughout."""

from __future__ import annotations

from collections.abc import Iterator

from oloproof.records import Notice
from oloproof.running.judge_documents import judges_document
from oloproof.storage import History, StoredRun


def judge_notices(history: History, run: StoredRun) -> Iterator[Notice]:
    """Yield what is to be said of the judges of a run whose trials are all judged."""
    for judge in judges_document(history, run):
        names = ", ".join(judge["criteria"])
        unproven = judge["sight"].get("not_proven", 0)
        does = "hears" if judge["sense"] == "hearing" else "sees"
        if unproven:
            yield Notice(
                "sight_not_proven",
                f"{names}: the judge did not prove that it {does}, for {unproven} of {judge['judgements']} judgements; "
                "oloproof evaluators probe tells more, sight_test: require makes such verdicts missing",
            )
        if len(judge["models_served"]) > 1:
            models = ", ".join(judge["models_served"])
            yield Notice(
                "judge_model_changed",
                f"{names}: the judgements of this run come from several models ({models}), some perhaps from the "
                "cache; --fresh=judge asks one model for all of them",
            )
        if len(judge["ffmpeg"]) > 1:
            versions = ", ".join(judge["ffmpeg"])
            yield Notice("ffmpeg_changed", f"{names}: frames were taken by several versions of ffmpeg ({versions})")

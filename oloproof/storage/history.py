"""Reading runs back: which there are, their trials in order, the observations that metrics are made of."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from oloproof.errors import RunNotFound
from oloproof.records import ORIGINAL, Judgement, MediaItem, Verdict
from oloproof.storage.judgements import StoredJudgements
from oloproof.storage.locks import is_alive
from oloproof.storage.observations import Observations
from oloproof.storage.rows import (
    DELIVERED,
    deliveries_from_text,
    execution_from_row,
    media_from_text,
    storable,
    verdict_from_row,
)
from oloproof.storage.sql import marks
from oloproof.storage.store import notices_from_text
from oloproof.storage.stored import DecisionTaken, ErrorCount, StoredRun, StoredTrial

_WHOLE_PAGE = 200
"""Trials with their outputs, which may be large, that are held at once."""

_WITH_EXECUTION = "trials JOIN executions ON executions.id = trials.execution"
_WHOLE = f"""
    SELECT trials.*, executions.input, executions.output, executions.error, executions.detail, executions.media,
        executions.seconds, executions.created
    FROM {_WITH_EXECUTION} WHERE trials.run = ?
"""
"""All that is kept of the trials of a run, but for what was said of them."""


class History(Observations):
    """The runs of one project, for reading."""

    def runs(self) -> list[StoredRun]:
        """Return every run, newest first."""
        return [self._run(row) for row in self.store.rows("SELECT * FROM runs ORDER BY number DESC")]

    def find(self, name: str | None = None) -> StoredRun:
        """Return the run called ``name``: an id, a unique part of one, ``latest`` (the default) or ``latest~1``.

        The version of a system, or ``system@version``, is its newest run; that goes before a part of an id.

        Raises:
            RunNotFound: none or several answer to it, or the name is empty; the text lists the nearest.
        """
        name = "latest" if name is None else name
        if not name:
            told = "give an id, a unique part of one, a version, latest or latest~1"
            raise RunNotFound(f"the name of a run is empty; {told}")
        if name == "latest" or name.startswith("latest~"):
            return self._nth_latest(name)
        name = storable(name)
        found = self.store.rows("SELECT * FROM runs WHERE instr(id, ?) > 0 ORDER BY number DESC", (name,))
        exact = [row for row in found if row["id"] == name] or self._of_version(name)
        if len(exact or found) == 1:
            return self._run((exact or found)[0])
        if not found:
            known = ", ".join(row["id"] for row in self.store.rows("SELECT id FROM runs ORDER BY number DESC LIMIT 5"))
            raise RunNotFound(f"no run is called {name!r}; the newest are {known or 'none yet'}")
        raise RunNotFound(
            f"{len(found)} runs are called {name!r}: {', '.join(row['id'] for row in found[:5])}; give more of the id"
        )

    def _of_version(self, name: str) -> list[Any]:
        """Return the newest run of a version, as a list of none or one."""
        return self.store.rows(
            "SELECT * FROM runs WHERE ? IN (system_version, system_name || '@' || system_version) "
            "ORDER BY number DESC LIMIT 1",
            (name,),
        )

    def _nth_latest(self, name: str) -> StoredRun:
        back = name.partition("~")[2] or "0"
        if not _is_number(back):
            raise RunNotFound(f"{name!r} is no run; latest~1 is the one before the latest")
        rows = self.store.rows("SELECT * FROM runs ORDER BY number DESC LIMIT 1 OFFSET ?", (int(back),))
        if not rows:
            count = self.store.scalar("SELECT count(*) FROM runs")
            raise RunNotFound(f"there is no run {name}: {count} stored in {self.store.file}; oloproof run makes one")
        return self._run(rows[0])

    def numbered(self, numbers: Collection[int]) -> dict[int, StoredRun]:
        """Return those of the runs with these numbers that there are, by number."""
        rows = self.store.rows(f"SELECT * FROM runs WHERE number IN {marks(numbers)}", tuple(numbers))
        return {row["number"]: self._run(row) for row in rows}

    def _run(self, row: Any) -> StoredRun:
        state = row["state"]
        if state == "running" and not is_alive(self.store.folder, row["id"]):
            state = "interrupted"
        return StoredRun(
            row["number"],
            row["id"],
            state,
            row["started"],
            row["finished"],
            row["project"],
            row["system_name"],
            row["system_version"],
            row["config_digest"],
            row["dataset_digest"],
            bool(row["partial"]),
            row["cases"],
            row["trials"],
            json.loads(row["document"]),
            tuple(notices_from_text(row["notices"])),
            row["error"],
        )

    def unfinished(self) -> StoredRun | None:
        """Return the newest run if it was not completed and no process is at it."""
        rows = self.store.rows("SELECT * FROM runs ORDER BY number DESC LIMIT 1")
        run = self._run(rows[0]) if rows else None
        return run if run is not None and run.state in ("interrupted", "stopped") else None

    # what a run holds

    def counts(self, run: StoredRun) -> dict[str, int]:
        """Return how many executions were run, reused and failed, and how many trials there are."""
        query = f"""
            SELECT count(*), sum(trials.cached), count(executions.error) FROM {_WITH_EXECUTION} WHERE trials.run = ?
        """
        total, cached, failed = self.store.rows(query, (run.number,))[0]
        return {"trials": total, "run": total - (cached or 0), "cached": cached or 0, "failed": failed}

    def commonest_error(self, run: StoredRun) -> ErrorCount | None:
        """Return the error that most failed executions of a run had, the earlier one of two that are as common."""
        query = f"""
            SELECT executions.error, count(*), trials.case_id, trials.variant, min(trials.position) AS first
            FROM {_WITH_EXECUTION}
            WHERE trials.run = ? AND executions.error IS NOT NULL
            GROUP BY executions.error ORDER BY count(*) DESC, first LIMIT 1
        """
        return next((ErrorCount(*row[:4]) for row in self.store.rows(query, (run.number,))), None)

    def oldest_reused(self, run: StoredRun) -> float | None:
        """Return when the oldest answer that the run reused was first given."""
        query = f"SELECT min(executions.created) FROM {_WITH_EXECUTION} WHERE trials.run = ? AND trials.cached = 1"
        oldest: float | None = self.store.scalar(query, (run.number,))
        return oldest

    def trials(self, run: StoredRun, *, case: str | None = None) -> Iterator[StoredTrial]:
        """Yield the trials of a run in order, or those of one case."""
        if case is not None:
            yield from self.trials_of(run, [case])
            return
        for page in self._pages(_WHOLE, (run.number,), _WHOLE_PAGE):
            yield from self._whole(run, page)

    def trials_of(self, run: StoredRun, cases: Sequence[str]) -> Iterator[StoredTrial]:
        """Yield the trials of these cases of a run, a batch of cases after the other."""
        for start in range(0, len(cases), _WHOLE_PAGE):
            part = [storable(case) for case in cases[start : start + _WHOLE_PAGE]]
            query = f"{_WHOLE} AND trials.case_id IN {marks(part)}"
            for page in self._pages(query, (run.number, *part), _WHOLE_PAGE, by_place=False):
                yield from self._whole(run, page)

    def _whole(self, run: StoredRun, page: Sequence[Any]) -> Iterator[StoredTrial]:
        """Yield the trials of a page of rows with what was said of each."""
        rows = [row["id"] for row in page]
        found = self._verdicts(rows)
        judged = self._judgements(run, rows)
        for row in page:
            told = found.get(row["id"], [])
            yield StoredTrial(
                row["id"],
                row["position"],
                row["case_id"],
                row["variant"],
                row["repeat"],
                json.loads(row["input"]),
                json.loads(row["expected"]) if row["expected"] else None,
                json.loads(row["slice"]) if row["slice"] else {},
                execution_from_row(row, row["execution"], cached=bool(row["cached"])),
                row["execution"],
                bool(row["cached"]),
                tuple(verdict for verdict, _ in told),
                tuple(reused for _, reused in told),
                judged.get(row["id"], {}),
                deliveries_from_text(row["delivered"], row["id"]),
            )

    def case_ids(self, run: StoredRun) -> list[str]:
        """Return the ids of the cases of a run, in order."""
        query = "SELECT case_id FROM trials WHERE run = ? GROUP BY case_id ORDER BY min(position)"
        return [row[0] for row in self.store.rows(query, (run.number,))]

    def slice_fields(self, run: StoredRun) -> list[str]:
        """Return the fields that the slices of a run's cases have, in the order in which they first stand there."""
        query = "SELECT slice FROM trials WHERE run = ? AND slice IS NOT NULL GROUP BY slice ORDER BY min(position)"
        return list(dict.fromkeys(key for row in self.store.rows(query, (run.number,)) for key in json.loads(row[0])))

    def original_keys(self, run: StoredRun) -> dict[int, bytes]:
        """Return the key of the first execution of each original that is stored, by its place in the run.

        That of an answer that was forgotten is among them; one whose files were edited meanwhile has none.
        """
        query = f"""
            SELECT trials.position, executions.key FROM {_WITH_EXECUTION}
            WHERE trials.run = ? AND trials.variant = ? AND trials.repeat = 0
        """
        keys = ((row[0], row[1]) for row in self.store.rows(query, (run.number, ORIGINAL)))
        return {place: bytes.fromhex(key) if isinstance(key, str) else key for place, key in keys if key}

    def recorded_media(self, run: StoredRun) -> Iterator[tuple[int, str, tuple[MediaItem, ...]]]:
        """Yield (trial row, case id, media) for the trials of a run that recorded media."""
        query = f"""
            SELECT trials.id, trials.case_id, executions.media, executions.id, trials.position FROM {_WITH_EXECUTION}
            WHERE trials.run = ? AND executions.media IS NOT NULL
        """
        for row in self._stream(query, (run.number,)):
            yield row[0], row[1], media_from_text(row[2], row[3])

    def item(self, run: StoredRun, item: str) -> MediaItem | None:
        """Return one recorded or delivered item of a run by its id."""
        number, _, index = item.partition(".")
        if number.startswith(DELIVERED):
            return self._delivered_item(run, number.removeprefix(DELIVERED), index)
        if not (_is_number(number) and _is_number(index)):
            return None
        query = f"SELECT executions.media FROM {_WITH_EXECUTION} WHERE trials.run = ? AND executions.id = ?"
        media = media_from_text(self.store.scalar(query, (run.number, int(number))), int(number))
        return media[int(index)] if int(index) < len(media) else None

    def _delivered_item(self, run: StoredRun, row: str, index: str) -> MediaItem | None:
        if not (_is_number(row) and _is_number(index)):
            return None
        text = self.store.scalar("SELECT delivered FROM trials WHERE run = ? AND id = ?", (run.number, int(row)))
        found = deliveries_from_text(text, int(row))
        return found[int(index)].item if int(index) < len(found) else None

    def findings(self, run: StoredRun) -> list[tuple[str, str, str, int]]:
        """Return what is odd about delivered files: variant, code, an example in words, and in how many cases."""
        query = """
            SELECT trials.variant, json_extract(entry.value, '$.finding[0]') AS code,
                min(json_extract(entry.value, '$.finding[1]')), count(*)
            FROM trials, json_each(trials.delivered) AS entry
            WHERE trials.run = ? AND trials.repeat = 0 AND trials.delivered IS NOT NULL AND code IS NOT NULL
            GROUP BY trials.variant, code
            ORDER BY min(trials.position)
        """
        return [tuple(row) for row in self.store.rows(query, (run.number,))]

    def decisions(self, run: StoredRun) -> list[Mapping[str, Any]]:
        """Return every decision taken on a run, oldest first."""
        query = "SELECT time, exit, document FROM decisions WHERE run = ? ORDER BY id"
        rows = self.store.rows(query, (run.number,))
        return [{"time": when, "exit": exit_code, **json.loads(document)} for when, exit_code, document in rows]

    def newest_decision(self, run: StoredRun) -> DecisionTaken | None:
        """Return by what the last decision on a run was taken; None where there is none."""
        query = "SELECT policy_digest, time, exit FROM decisions WHERE run = ? ORDER BY id DESC LIMIT 1"
        return next((DecisionTaken(*row) for row in self.store.rows(query, (run.number,))), None)

    def last_exits(self) -> dict[int, int]:
        """Return the exit code of the newest decision of each run."""
        query = "SELECT run, exit FROM decisions WHERE id IN (SELECT max(id) FROM decisions GROUP BY run)"
        return {row[0]: row[1] for row in self.store.rows(query)}

    def reused_verdicts(self, run: StoredRun) -> tuple[int, float | None]:
        """Return how many verdicts of a run come from earlier judgements, and when the oldest of those was given."""
        if not any(entry["calls_model"] for entry in run.criteria):
            return 0, None
        reused = """
            SELECT count(*) FROM trials JOIN verdicts ON verdicts.trial = trials.id
            WHERE trials.run = ? AND verdicts.cached = 1
        """
        oldest = """
            SELECT min(judgements.created) FROM trials
            JOIN judged ON judged.trial = trials.id JOIN judgements ON judgements.id = judged.judgement
            WHERE trials.run = ?
        """
        count = self.store.scalar(reused, (run.number,))
        return count, self.store.scalar(oldest, (run.number,)) if count else None

    def _judgements(self, run: StoredRun, rows: list[int]) -> dict[int, dict[int, Judgement]]:
        if not any(entry["calls_model"] for entry in run.criteria):
            return {}
        found: dict[int, dict[int, Judgement]] = {}
        for trial, evaluator, judgement in StoredJudgements(self.store).of_trials(rows):
            found.setdefault(trial, {})[evaluator] = judgement
        return found

    def _verdicts(self, rows: list[int]) -> dict[int, list[tuple[Verdict, bool]]]:
        query = f"SELECT * FROM verdicts WHERE trial IN {marks(rows)} ORDER BY trial, criterion"
        found: dict[int, list[tuple[Verdict, bool]]] = {}
        for row in self.store.rows(query, rows):
            found.setdefault(row["trial"], []).append((verdict_from_row(row), bool(row["cached"])))
        return found


def _is_number(text: str) -> bool:
    """Whether ``text`` is a number that SQLite can hold."""
    return text.isascii() and text.isdecimal() and len(text) <= 18

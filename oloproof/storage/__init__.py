"""The database under ``.oloproof/``: runs, executions, verdicts, decisions, and what was measured on files."""

from oloproof.storage.history import History
from oloproof.storage.judgements import StoredJudgements
from oloproof.storage.measurements import StoredMeasurements
from oloproof.storage.observations import Observation
from oloproof.storage.servers import StoredProfiles, StoredSights
from oloproof.storage.store import Entry, NewRun, OpenRun, Store
from oloproof.storage.stored import StoredRun, StoredTrial

__all__ = [
    "Entry",
    "History",
    "NewRun",
    "Observation",
    "OpenRun",
    "Store",
    "StoredJudgements",
    "StoredMeasurements",
    "StoredProfiles",
    "StoredRun",
    "StoredSights",
    "StoredTrial",
]

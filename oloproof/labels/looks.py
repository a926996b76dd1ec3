"""The looks that were taken at the labels of a criterion: what a run asks before its rules believe a judge."""

from __future__ import annotations

from oloproof.storage import Store
from oloproof.storage.labels import Labels, StoredValidation


def validations_of(store: Store, criterion: str) -> list[StoredValidation]:
    """Return every look at the labels of a criterion, newest first."""
    return Labels(store).validations(criterion=criterion)

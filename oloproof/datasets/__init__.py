"""Where cases come from: JSONL, JSON, CSV, or a folder of media with a table beside it."""

from oloproof.datasets.dataset import Dataset, Summary, open_dataset

__all__ = ["Dataset", "Summary", "open_dataset"]

"""The addresses of pages and media; what stands in an address is the state of the page."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, urlencode

RUNS = "/"
REVIEWS = "/review"
COMPARE = "/compare"
JUDGES = "/judges"
_HASH_DIGITS = 12


def run_address(run: str, query: Iterable[tuple[str, str]] = (), part: str = "") -> str:
    """Return the address of a run's page, with ``part`` the id of a part of it."""
    return _with_query(f"/runs/{quote(run, safe='')}", query) + (f"#{part}" if part else "")


def case_address(run: str, case: str, query: Iterable[tuple[str, str]] = ()) -> str:
    """Return the address of a case's page."""
    return _with_query(f"/runs/{quote(run, safe='')}/cases/{quote(case, safe='')}", query)


def judge_address(judge: str, query: Iterable[tuple[str, str]] = (), part: str = "") -> str:
    """Return the address of a judge's page, by the beginning of its hash, with ``part`` the id of a part of it."""
    return _with_query(f"{JUDGES}/{quote(short_hash(judge), safe='')}", query) + (f"#{part}" if part else "")


def spending_address(judge: str, sample: str) -> str:
    """Return the address of the page that asks before a validation sample is spent; who posts there spends it."""
    return f"{judge_address(judge)}/samples/{quote(sample, safe='')}/spend"


def short_hash(judge: str) -> str:
    """Return the digits of a judge hash that are shown and stand in addresses, as the commands print them."""
    return judge[:_HASH_DIGITS]


def media_address(run: str, item: str) -> str:
    """Return the address of the verified bytes of an item."""
    return f"/media/{quote(run, safe='')}/{quote(item, safe='')}"


def thumbnail_address(run: str, item: str) -> str:
    """Return the address of a small picture of an item: of a clip its first frame, of a sound its wave."""
    return media_address(run, item) + "/thumbnail"


def frame_address(run: str, item: str, time: float) -> str:
    """Return the address of the frame that is shown ``time`` seconds into an item."""
    return f"{media_address(run, item)}/frames/{time:.6f}".rstrip("0").rstrip(".")


def picture_address(run: str, item: str) -> str:
    """Return the address of an image of full size in a format that browsers show."""
    return media_address(run, item) + "/picture"


def frame_times_address(run: str, item: str) -> str:
    """Return the address of the moments at which the frames of a video are shown."""
    return media_address(run, item) + "/frames"


def spectrogram_address(run: str, item: str) -> str:
    """Return the address of the picture of a sound over time and frequency, up to the Hz that are to be added to it."""
    return media_address(run, item) + "/spectrogram/"


def runs_address(query: Iterable[tuple[str, str]]) -> str:
    """Return the address of the list of runs."""
    return _with_query(RUNS, query)


def review_address(criterion: str, query: Iterable[tuple[str, str]] = ()) -> str:
    """Return the address where a criterion is labelled."""
    return _with_query(f"{REVIEWS}/{quote(criterion, safe='')}", query)


def compare_address(candidate: str, baseline: str, query: Iterable[tuple[str, str]] = (), part: str = "") -> str:
    """Return the address of the comparison of two runs, with ``part`` the id of a part of it."""
    runs = [("candidate", candidate), ("baseline", baseline)]
    return _with_query(COMPARE, [*runs, *query]) + (f"#{part}" if part else "")


def _with_query(path: str, query: Iterable[tuple[str, str]]) -> str:
    given = urlencode([(key, value) for key, value in query if value], errors="backslashreplace")
    return f"{path}?{given}" if given else path

"""The addresses of pages and media; what stands in an address is the state of the page."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, urlencode

RUNS = "/"
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


def runs_address(query: Iterable[tuple[str, str]]) -> str:
    """Return the address of the list of runs."""
    return _with_query(RUNS, query)


def _with_query(path: str, query: Iterable[tuple[str, str]]) -> str:
    given = urlencode([(key, value) for key, value in query if value], errors="backslashreplace")
    return f"{path}?{given}" if given else path

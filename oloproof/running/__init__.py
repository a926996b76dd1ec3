"""Planning, executing and deciding runs."""

from oloproof.running.comparing import compare_runs
from oloproof.running.deciding import Conclusion, conclude
from oloproof.running.plan import Selection
from oloproof.running.run import RunResult, run

__all__ = ["Conclusion", "RunResult", "Selection", "compare_runs", "conclude", "run"]

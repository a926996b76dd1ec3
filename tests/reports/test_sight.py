"""Whether a judge proved that it sees stands in every report that leaves the machine."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from xml.etree.ElementTree import fromstring

from oloproof.reports import write_junit, write_markdown
from oloproof.running.deciding import Conclusion
from tests.labels.conftest import SAW, Labelling

NOTHING_DECIDED = Conclusion((), ())


def test_a_comment_and_a_junit_file_say_whether_each_judge_proved_that_it_sees(tmp_path: Path) -> None:
    made = Labelling(tmp_path)
    run = made.plain_run(3)
    made.let_see(run, {**SAW, "sight": "not_proven"})
    markdown, junit = StringIO(), StringIO()
    write_markdown(markdown, made.history, run, NOTHING_DECIDED)
    assert "- judge of good: sight NOT proven\n" in markdown.getvalue()
    write_junit(junit, made.history, run, NOTHING_DECIDED)
    judged, checked = fromstring(junit.getvalue())  # noqa: S314 - we wrote it
    assert [one.attrib for one in judged.iter("property")] == [{"name": "judge", "value": "good: sight NOT proven"}]
    assert list(checked.iter("property")) == []
    made.store.close()

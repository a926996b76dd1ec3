"""A run under way in the browser: its numbers move, its end is told, and nobody reloads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import expect

from tests.workbench.browser.visit import Visit
from tests.workbench.test_live import Project


@dataclass(frozen=True)
class Working:
    """A project of which a run is under way."""

    root: Path


def test_progress_of_a_run_moves_in_place_and_its_end_is_told(visits: Callable[..., Visit], tmp_path: Path) -> None:
    project = Project(tmp_path)
    run = project.begin()
    project.append(run, "pass")
    page = visits(Working(tmp_path)).open("/")
    bar = page.get_by_role("progressbar")
    expect(bar).to_have_attribute("value", "1")
    project.append(run, "pass", "fail", "pass")
    expect(bar).to_have_attribute("value", "4")
    expect(page.locator("#said")).to_contain_text("is half done")
    project.store.finish(run, "complete")
    expect(page.get_by_role("progressbar")).to_have_count(0)
    project.store.close()
    project.desk.close()


def test_what_was_done_before_the_first_word_of_the_server_is_spoken_too(
    visits: Callable[..., Visit], tmp_path: Path
) -> None:
    project = Project(tmp_path)
    run = project.begin()
    project.append(run, "pass")
    visit = visits(Working(tmp_path))
    visit.page.route("**/events*", lambda route: (project.append(run, "pass", "pass", "pass"), route.continue_()))
    page = visit.open("/")
    expect(page.locator("#said")).to_contain_text("is half done")
    project.store.finish(run, "complete")
    expect(page.get_by_role("progressbar")).to_have_count(0)
    project.store.close()
    project.desk.close()

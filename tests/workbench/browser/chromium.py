"""The Chromium of the system, driven by Playwright: no browser is downloaded."""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import Browser, Playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ON_A_MAC = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)


def found_chromium() -> str:
    """Return where Chromium is; ``scripts/ensure_chromium.sh`` installs it."""
    on_path = (shutil.which(name) for name in NAMES)
    in_folders = (place for place in ON_A_MAC if Path(place).exists())
    found = next((place for place in (*on_path, *in_folders) if place is not None), None)
    assert found is not None, "no Chromium is here; sh scripts/ensure_chromium.sh installs it or says how"
    return found


def launch(playwright: Playwright) -> Browser:
    """Start Chromium without a window.

    It shares its memory through files, since containers have little of the other kind, draws in its own process, which
    is one less to start, and asks the network nothing by itself. Its sandbox is off, as the superuser of a container
    cannot have it; it is shown our own pages only.
    """
    quiet = [
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--in-process-gpu",
    ]
    return playwright.chromium.launch(executable_path=found_chromium(), args=quiet)

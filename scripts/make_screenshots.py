"""Take the pictures of docs/workbench.md: ``make screenshots``. Every page, light and dark, wide and narrow."""

import io
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from PIL import Image  # noqa: E402
from playwright.sync_api import Page, sync_playwright  # noqa: E402
from screenshot_families import SHOWN, make_families  # noqa: E402
from screenshot_project import DRIFTED, Shown, make_projects  # noqa: E402

from tests.workbench.browser.chromium import launch  # noqa: E402
from tests.workbench.browser.served import served  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
LOOKS = {"wide": (1440, 900, 1500), "narrow": (390, 844, 1400)}
"""Width and height of the window, and how much of a longer page is shown."""
BEGINS = {"families": "#families"}
"""The heading that a picture begins above; the others begin with the page."""


def pages(shown: Shown, charted: str, products: str, clips: str, charts: str) -> dict[str, str]:
    """Return the address of every page that is shown, on the workbenches at these addresses."""
    newer, older = shown.newer, shown.older
    return {
        "runs": f"{products}/",
        "run": f"{products}/runs/{newer}?criterion=caption_true&outcome=fail&sort=run",
        "table": f"{products}/runs/{newer}?view=table#cases",
        "case": f"{clips}/runs/{shown.of_clips}/cases/rabbit-wakes",
        "families": f"{charts}/runs/{charted}?variant=grayscale&outcome=fail",
        "member": f"{charts}/runs/{charted}/cases/{SHOWN}?variant=grayscale",
        "drift": f"{products}/runs/{newer}/cases/{DRIFTED}",
        "review": f"{products}/review/caption_true?run={older}&reviewer=Jon&at=25",
        "judges": f"{products}/judges",
        "judge": f"{products}/judges",
        "compare": f"{products}/compare?candidate={newer}&baseline={older}&criterion=caption_true",
    }


def main() -> None:
    """Make the projects, open every page in every look, and write the pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        shown = make_projects(Path(folder))
        charted = make_families(Path(folder) / "charts")
        browser = launch(playwright)
        with (
            served(shown.products) as products,
            served(shown.clips) as clips,
            served(Path(folder) / "charts") as charts,
        ):
            for look, (width, height, most) in LOOKS.items():
                for theme in ("light", "dark"):
                    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
                    for name, address in pages(shown, charted, products.url, clips.url, charts.url).items():
                        open_whole(page, name, address)
                        begin = page.locator(BEGINS[name]).bounding_box() if name in BEGINS else None
                        top = 0 if begin is None else int(begin["y"]) - 24
                        keep(page.screenshot(full_page=True), PICTURES / f"{name}-{look}-{theme}.webp", top, most)
                    page.close()
        browser.close()


def open_whole(page: Page, name: str, address: str) -> None:
    """Open a page and wait until every picture near by is there."""
    page.goto(address, wait_until="networkidle" if name not in ("runs", "run", "table") else "load")
    if name == "judge":
        page.get_by_role("link", name="caption_true").first.click()
        page.wait_for_load_state("networkidle")
    page.wait_for_function("[...document.images].every(image => image.loading === 'lazy' || image.complete)")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(300)
    page.evaluate("window.scrollTo(0, 0)")
    page.wait_for_timeout(100)


def keep(picture: bytes, path: Path, top: int, most: int) -> None:
    """Write the part of a picture that begins at ``top``, small."""
    whole = Image.open(io.BytesIO(picture)).convert("RGB")
    whole.crop((0, top, whole.width, min(whole.height, top + most))).save(path, quality=72, method=6)


if __name__ == "__main__":
    main()

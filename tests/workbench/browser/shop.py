"""The project that the browser is shown: captions of pictures, clips and a sound, judged by a model on loopback.

Its two runs are made by the run machinery itself. ``v2`` says two captions right that ``v1`` had wrong, and one wrong
that ``v1`` had right. Afterwards one recorded file is changed and another removed.
"""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from oloproof.running import run
from tests.model_server import ModelServer, Request
from tests.seeing_model import SeeingModel, color_of, verdict
from tests.workbench.conftest import CLIP_COLOURS, SVG, tone

MARKUP = (
    "<script>document.title = 'owned'</script><b id=owned>bold</b>"
    "<img src=http://127.0.0.1:9/leak.png onerror=alert(1)> ![x](http://127.0.0.1:9/leak.png)"
    " <svg onload=alert(2)> </pre></p></main>"
)
"""What a system may say to those who read its outputs."""

SQUARES = tuple(f"square-{number:02}" for number in range(12))
"""Pictures of red and blue by turns."""

SAID = {
    "v1": {"square-01": "blue", "square-03": "blue"},
    "v2": {"square-03": "blue", "square-05": "blue", "square-07": "blue"},
}
"""What each version says of them; of the others that they are red."""

SYSTEM = """\
import shutil
from pathlib import Path
from oloproof import current_case, media_file, system

SAID = {said!r}

@system(name="captioner", version="{version}", records=("media/v1",))
def caption(case):
    source = Path(case["file"])
    if source.stem == "broken":
        raise RuntimeError("the captioner fell over")
    made = current_case().path(source.name)
    shutil.copyfile(source, made)
    current_case().media([media_file(made)])
    return SAID.get(source.stem, "red")
"""

PROJECT = """\
version: 1
project: captions
dataset: {{path: cases.jsonl, media: [file]}}
system: {{callable: "captions_for_browser:caption", records: [media/v1]}}
evaluators:
  - {{type: media_check, criterion: fits, max_width: 100}}
  - type: rubric_judge
    criterion: caption_true
    provider: openai_compatible
    base_url: {url}
    model: eye
    rubric_text: Pass only if the caption names the colour of what is shown.
    media: output
    audio: native
    video_frames: [0.5, 1.5, 2.5]
policy:
  rules:
    - {{id: all-fit, metric: fits, kind: observed_count, max_failures: 0}}
    - {{id: true-captions, metric: caption_true, min: 0.8}}
"""


DRIFTED = (409, 410)
"""How the thumbnails of the file that changed and of the one that is gone are answered."""


@dataclass(frozen=True)
class Shop:
    """A project that was run twice; ``runs`` are the ids, the older one first."""

    root: Path
    runs: tuple[str, str]

    @property
    def run(self) -> str:
        """The address of the newer run."""
        return f"/runs/{self.runs[1]}"

    def case(self, name: str) -> str:
        """Return the address of a case of the newer run."""
        return f"{self.run}/cases/{name}"


def open_shop(root: Path) -> Shop:
    """Make the project and its two runs in ``root``."""
    (root / "media").mkdir()
    rows = list(_rows(root))
    (root / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with ModelServer(SeeingModel(_judge)) as server:
        (root / "oloproof.yaml").write_text(PROJECT.format(url=server.url))
        older, newer = (_ran(root, version) for version in ("v1", "v2"))
    made = {path.stem: path for path in (root / "out").glob("captioner@v2/**/*.png")}
    made["changed"].write_bytes(_picture("blue"))
    made["gone"].unlink()
    return Shop(root, (older, newer))


def _ran(root: Path, version: str) -> str:
    (root / "captions_for_browser.py").write_text(
        SYSTEM.format(version=version, said={**SAID[version], "markup": MARKUP})
    )
    return run(root).run.id


def _rows(root: Path) -> Iterator[dict[str, Any]]:
    media = {f"{name}.png": _picture(("red", "blue")[number % 2]) for number, name in enumerate(SQUARES)}
    media |= {f"{name}.png": _picture("red") for name in ("markup", "changed", "gone", "broken")}
    media |= {"wide.png": _picture("blue", (200, 48)), "voice.wav": tone(), "drawing.svg": SVG}
    media |= {name: _clip(root / "media" / name) for name in ("clip-h264.mp4", "clip-vp9.webm")}
    for file, data in media.items():
        (root / "media" / file).write_bytes(data)
        given = {"file": f"media/{file}"}
        yield {"id": Path(file).stem, "input": given, "slice": {"kind": file.rpartition(".")[2]}}


def _picture(colour: str, size: tuple[int, int] = (64, 48)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, "PNG")
    return out.getvalue()


def _clip(path: Path) -> bytes:
    """Return three seconds of video, each of another colour, in the codec that goes with the name."""
    inputs = [part for colour in CLIP_COLOURS for part in ("-f", "lavfi", "-i", f"color={colour}:s=96x64:r=10:d=1")]
    speed = ("-c:v", "libx264", "-preset", "ultrafast")
    codec = ("-c:v", "libvpx-vp9", "-deadline", "realtime") if path.suffix == ".webm" else speed
    command = ["ffmpeg", "-nostdin", "-y", "-v", "error", *inputs, "-filter_complex", "concat=n=3", *codec]
    subprocess.run([*command, "-pix_fmt", "yuv420p", str(path)], check=True, capture_output=True, timeout=60)
    return path.read_bytes()


def _judge(request: Request, pictures: list[bytes]) -> str:
    seen = [color_of(picture) for picture in pictures]
    named = request.text.rpartition("Output")[2]
    told = next((colour for colour in ("red", "blue") if colour in named), "nothing")
    more = f" {MARKUP}" if MARKUP[:8] in request.text else ""
    return verdict(told in seen, f"the caption says {told}, and what is shown is {', '.join(seen) or 'not seen'}{more}")

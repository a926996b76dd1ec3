"""The projects of which ``make_screenshots.py`` takes pictures: captions of products, judged, labelled and compared.

Nothing in them is a real product or model. The photos of products are drawn by ``draw_example.py``, each before a light
of its own; the other media are those of the demo. The judge is a stand-in on loopback that knows what each file
shows and errs on some; it passes the tests of sight because it really reads the pictures of those. The labels are what
the same table says, except where a person is unsure or sees it differently.
"""

import csv
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from draw_example import PAINTERS, SIZES, backdrop
from PIL import ImageDraw, ImageEnhance, ImageFilter

from oloproof.running import run
from tests.model_server import Answer, ModelServer, Request
from tests.seeing_model import SeeingModel

ROOT = Path(__file__).parent.parent
OF_EACH = 11
DRIFTED = "teapot-04"

CAPTIONS = {
    "mug": (
        "A red mug with its handle on the right.",
        "A red mug without a handle.",
        "the mug has a handle, on its right",
    ),
    "lamp": (
        "A desk lamp with a yellow shade.",
        "A floor lamp with a white shade.",
        "the shade is yellow, and the foot is short",
    ),
    "chair": ("A wooden chair with three slats.", "A wooden stool.", "it has a back of three slats, so it is no stool"),
    "teapot": ("A blue teapot with a lid.", "A blue kettle without a lid.", "a lid with a knob is on it"),
    "plant": (
        "A green plant in a clay pot.",
        "A cactus in a white pot.",
        "the pot is of clay, and the leaves are long and flat",
    ),
    "clock": ("A round clock at ten past ten.", "A round clock at half past three.", "the hands stand at ten past ten"),
    "book": ("Three books in a pile.", "Two books side by side.", "there are three, and they lie on each other"),
    "guitar": ("An acoustic guitar, upright.", "A violin, upright.", "it has a round sound hole, so it is a guitar"),
    "sneaker": ("A pink sneaker with white laces.", "A pair of pink sneakers.", "only one shoe is shown"),
    "umbrella": ("A red and white umbrella, open.", "A red umbrella, folded.", "it is open, and half of it is white"),
    "camera": (
        "A black camera with a round lens.",
        "A pair of black binoculars.",
        "there is one lens and a viewfinder",
    ),
    "bottles": ("Three bottles: green, brown, blue.", "Two green bottles.", "there are three, of three colours"),
    "cat": ("A cat with green eyes.", "A dog that lies on a sofa.", "it is a cat"),
    "coffee": ("A cup of coffee on a saucer.", "A cup of tea.", "what is in the cup is coffee"),
    "astronaut": ("An astronaut in an orange suit.", "A pilot in a green suit.", "the suit is orange"),
    "rocket": (
        "A rocket that takes off at night.",
        "A lighthouse at night.",
        "flames come out below it: it is a rocket",
    ),
    "rabbit-yawns": (
        "A rabbit yawns.",
        "A rabbit eats a carrot.",
        "in no frame does it eat; it opens its mouth to yawn",
    ),
    "rabbit-wakes": ("A rabbit wakes up and stretches.", "A rabbit sleeps.", "it sleeps in the first frame only"),
}
"""Of what a file shows: a true caption, a wrong one, and what is wrong with that."""

DEMO_PHOTOS = ("cat.jpg", "coffee.jpg", "astronaut.jpg", "rocket.jpg")
DEMO_CLIPS = ("rabbit-yawns.mp4", "rabbit-wakes.mp4")

SYSTEM = """\
import json
from pathlib import Path
from oloproof import current_case, media_file, system

SAID = json.loads(Path(__file__).with_name("captions-{version}.json").read_text())

@system(name="describer", version="{version}", records=("media/v1",))
def describe(case):
    photo = Path(case["photo"])
    current_case().media([media_file(photo, role="input")])
    return SAID[photo.stem]
"""

PROJECT = """\
version: 1
project: {name}
dataset: {{path: products.jsonl, media: [photo]}}
system: {{callable: "{module}:describe", records: [media/v1]}}
evaluators:
  - type: rubric_judge
    criterion: caption_true
    provider: openai_compatible
    base_url: {url}
    model: stand-in
    rubric_text: Pass only if everything that the caption says can be seen. A detail that is wrong fails it.
    media: input
    video_frames: 4
  - {{type: media_check, criterion: photo_fits, role: input, max_bytes: 60000}}
  - {{type: regex, criterion: one_sentence, pattern: "^[A-Z][^.]*[.]$"}}
policy:
  rules:
    - {{id: captions-true, metric: caption_true, min: 0.8, estimand: judge_rate}}
    - {{id: one-sentence, metric: one_sentence, min: 0.9}}
    - {{id: photos-fit, metric: photo_fits, kind: observed_count, max_failures: 0}}
"""


@dataclass(frozen=True)
class Shown:
    """Where the two projects lie, and the runs of them that are shown."""

    products: Path
    clips: Path
    older: str
    newer: str
    of_clips: str


def make_projects(folder: Path) -> Shown:
    """Make both projects in ``folder``.

    That of products has three runs, a judge that is held to labels, and a file that was changed; that of clips one run,
    and no labels: a judge is held to each kind of media, and two clips are too few.
    """
    products, clips = folder / "catalogue-media", folder / "catalogue-clips"
    with ModelServer(_model) as server:
        names = _begun(products, server.url, [*_drawn(products), *_copied(products, DEMO_PHOTOS)])
        _ran(products, "v6", _wrong(names, 0.3, 6))
        older = _ran(products, "v7", _wrong(names, 0.26, 7))
        _label(products)
        newer = _ran(products, "v8", _wrong(names, 0.42, 8))
        _begun(clips, server.url, [*_copied(clips, DEMO_CLIPS)])
        of_clips = _ran(clips, "v8", {"rabbit-wakes"})
    (products / "media" / f"{DRIFTED}.jpg").write_bytes((products / "media" / "teapot-05.jpg").read_bytes())
    return Shown(products, clips, older, newer, of_clips)


def _begun(root: Path, url: str, media: list[Path]) -> list[str]:
    """Write the files of a project over these media; returns the ids of its cases."""
    (root / "oloproof.yaml").write_text(PROJECT.format(url=url, name=root.name, module=_module(root)))
    with open(root / "products.jsonl", "w") as rows:
        for path in media:
            shelf = "photos" if path.name in DEMO_PHOTOS else "clips" if path.name in DEMO_CLIPS else "drawn"
            row = {"id": path.stem, "input": {"photo": f"media/{path.name}"}, "slice": {"shelf": shelf}}
            rows.write(json.dumps({**row, "expected": _told_of(path.stem)[0]}) + "\n")
    return [path.stem for path in media]


def _module(root: Path) -> str:
    return root.name.replace("-", "_")


def _drawn(root: Path) -> Iterator[Path]:
    (root / "media").mkdir(parents=True)
    for number in range(OF_EACH):
        for place, paint in enumerate(PAINTERS):
            width, height = SIZES[(place + number) % len(SIZES)]
            light = backdrop(width, height, random.Random(100 * number + place))  # noqa: S311 - a picture, not a secret
            picture = ImageEnhance.Color(light).enhance(0.3)
            paint(ImageDraw.Draw(picture), width, height)
            path = root / "media" / f"{paint.__name__}-{number:02}.jpg"
            picture.filter(ImageFilter.GaussianBlur(0.8)).save(path, quality=80)
            yield path


def _copied(root: Path, names: tuple[str, ...]) -> Iterator[Path]:
    (root / "media").mkdir(parents=True, exist_ok=True)
    for name in names:
        yield Path(shutil.copy(ROOT / "demo" / "media" / name, root / "media" / name))


def _told_of(name: str) -> tuple[str, str, str]:
    return CAPTIONS[name] if name in CAPTIONS else CAPTIONS[name.rpartition("-")[0]]


def _wrong(names: list[str], share: float, seed: int) -> set[str]:
    chance = random.Random(seed)  # noqa: S311
    return {name for name in names if chance.random() < share}


def _ran(root: Path, version: str, wrong: set[str]) -> str:
    names = [json.loads(line)["id"] for line in (root / "products.jsonl").read_text().splitlines()]
    said = {name: _told_of(name)[1 if name in wrong else 0] for name in names}
    (root / f"captions-{version}.json").write_text(json.dumps(said))
    (root / f"{_module(root)}.py").write_text(SYSTEM.format(version=version))
    return run(root).run.id


def _model(request: Request) -> Answer:
    answer = SeeingModel(_judge)(request)
    return replace(answer, body=answer.body.replace(b"served-1", b"stand-in-1"))


def _judge(request: Request, _pictures: list[bytes]) -> str:
    """Answer as a model that sees well and now and then does not."""
    case = request.text.rpartition("output")[0] + request.text
    kind = next(one for one in sorted(CAPTIONS, key=len, reverse=True) if f"{one}." in case or f"{one}-" in case)
    true, wrong, why = CAPTIONS[kind]
    fails = wrong in request.text
    errs = len(request.body) % 23 == 0 and "rabbit" not in kind
    passed = fails if errs else not fails
    reason = (
        f"The caption does not hold: {why}." if not passed else f"Everything it says is there: {true[:-1].lower()}."
    )
    return json.dumps({"pass": passed, "reason": reason})


def _label(root: Path) -> None:
    """Have two people label a blind sample, and hold the judge to it."""
    sheet = ("labels", "export", "--criterion", "caption_true", "--seed")
    _oloproof(root, *sheet, "shop", "--output", "sheet.csv")
    _oloproof(root, *sheet, "look", "--purpose", "develop", "--sample", "36", "--output", "develop.csv")
    for name, person, count in (("sheet", "Mira", 100), ("sheet", "Jon", 24), ("develop", "Mira", 36)):
        _fill(root / f"{name}.csv", root / "filled.csv", count)
        _oloproof(root, "labels", "import", "filled.csv", "--by", person)
    _oloproof(root, "evaluators", "validate")


def _fill(sheet: Path, filled: Path, count: int) -> None:
    with open(sheet, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))[:count]
    for number, row in enumerate(rows):
        is_true = json.loads(row["output"]) == _told_of(row["case_id"])[0]
        if "umbrella" in row["case_id"] and sheet.stem == "develop":
            is_true, row["note"] = False, "I would call that cream, not white"
        row["passed"] = "unsure" if number == 40 else "pass" if is_true else "fail"
    with open(filled, "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _oloproof(root: Path, *arguments: Any) -> None:
    command = [sys.executable, "-c", "from oloproof.cli import main; main()", *arguments]
    subprocess.run(command, cwd=root, check=False, stdout=subprocess.DEVNULL)

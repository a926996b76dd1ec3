"""Problems that people met with judges, MR-39 to MR-57 of the collected media problems, each as its whole kind.

| entry | what went wrong | shown by |
|---|---|---|
| MR-39 | the transcript of silence | here; tests/media/test_sound.py; test_hearing.py, what a transcriber invents |
| MR-40 | the loudness of something too short or silent | here; tests/media/test_sound.py |
| MR-42 | the upload's name and size decide | here; test_hearing.py, pieces; tests/providers/test_transcription.py |
| MR-43 | data URIs and audio parts in many shapes | tests/providers/test_data_uris.py, test_chat.py; here, dropped |
| MR-44 | a local server takes no web address | here; tests/providers/test_chat.py, bytes and never links |
| MR-45 | WebP refused, json_object refused | here, WebP; test_rubric.py, a server that knows no schema |
| MR-47 | thinking text around the answer | test_replies.py, all of MR-47.json; test_rubric.py; test_sight.py |
| MR-49 | 429 is not always «later» | tests/providers/test_calls.py; test_rubric.py, quota, short waits and keys |
| MR-50 | a judge that failed counts as a score | test_replies.py, all of MR-50.json; here, the metric |
| MR-51 | the judge was shown the wrong thing | here |
| MR-52 | the judge was blind and nobody noticed | here; test_sight.py; test_rubric.py, damaged pictures |
| MR-53 | same question, other picture, same cached answer | here; test_rubric.py, what makes another judge |
| MR-55 | repeats that are not repeats | here |
| MR-57 | the verdict follows the order, or ignores the picture | here; tests/running/test_validating.py, the probe |
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from oloproof.config import load_project
from oloproof.evaluators import builtin_registry
from oloproof.media.probes import tone_sound
from oloproof.running.probing import Probed, probe_judge
from oloproof.running.validating import judge_criteria
from oloproof.storage import History, Store
from tests.evaluators.judges.conftest import Judged, picture, reply
from tests.media.conftest import CASES
from tests.model_server import Answer, Request, chat, failing, media_of, praise, prose, transcript
from tests.seeing_model import SeeingModel, color_of, verdict

Make = Callable[[Any], Judged]


def case(name: str) -> bytes:
    return (CASES / name).read_bytes()


def questions(project: Judged) -> list[Request]:
    return [one for one in project.server.requests if one.path.endswith("/chat/completions")]


def media_lines(request: Request) -> list[str]:
    return [line for line in request.text.splitlines() if line.startswith("Medium ") and ": role " in line]


# --- MR-39, MR-40, MR-42: sound ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "told", "sent"),
    [
        ("MR-39-a.wav", "of digital silence", None),
        ("MR-39-b.wav", "under the floor of -65 dBFS for speech", None),
        ("MR-40.wav", "BEGIN TRANSCRIPT", "wav"),
        ("MR-42.wav", "BEGIN TRANSCRIPT", "m4a"),
    ],
)
def test_mr_39_40_42_what_may_hold_speech_is_written_down_under_its_true_name_and_silence_never(
    judged: Make, name: str, told: str, sent: str | None
) -> None:
    def listening(request: Request) -> Answer:
        return transcript("hello") if request.path.endswith("/audio/transcriptions") else chat(reply())

    project = judged(listening)
    project.folder.write("sound.wav", case(name))
    project.cases({"files": ["sound.wav"]})
    project.run(sight_test="off", transcriber={"model": "ear", "base_url": project.server.url})

    uploads = [one.form["file"] for one in project.server.requests if one.path.endswith("/audio/transcriptions")]
    assert [(one.file_name or "").rpartition(".")[2] for one in uploads] == ([] if sent is None else [sent])
    assert told in questions(project)[0].text
    assert project.outcomes() == ["pass"]


# --- MR-43, MR-44, MR-45: how a picture travels --------------------------------------------------------------------


def test_mr_43_a_server_that_drops_the_sound_or_the_picture_is_called_blind(judged: Make) -> None:
    project = judged(praise)
    project.folder.write("tone.wav", tone_sound("LH"))
    project.cases({"files": ["red.png"]}, {"files": ["tone.wav"]})
    project.run(audio="native")

    assert [trial.judgements[0].saw["sight"] for trial in project.trials()] == ["not_proven"] * 2


def test_mr_44_45_any_picture_is_sent_as_the_bytes_of_a_png_or_jpeg_under_its_true_type(judged: Make) -> None:
    project = judged(chat(reply()))
    forms = ("WEBP", "GIF", "BMP", "TIFF", "PNG", "JPEG")
    for form in forms:
        project.folder.write(f"{form}.jpg", picture("blue", form=form))
    project.cases(*({"files": [f"{form}.jpg"]} for form in forms))
    project.run(sight_test="off")

    assert project.server.count == len(forms)
    for request in project.server.requests:
        ((kind, data),) = media_of(request)
        assert kind == f"image/{(Image.open(BytesIO(data)).format or '').lower()}"
        assert kind in ("image/png", "image/jpeg")
        assert color_of(data) == "blue"
        assert "http" not in json.dumps(request.json["messages"])


# --- MR-50: a judge that failed ------------------------------------------------------------------------------------


def test_mr_50_a_failure_of_the_judge_is_in_no_mean_and_counted_beside_it(judged: Make) -> None:
    answers = {"good": chat(reply()), "bad": chat(reply(False)), "prose": prose(), "fault": failing(400)}
    project = judged(
        lambda request: next(answer for word, answer in answers.items() if f"to be {word}" in request.text)
    )
    project.cases(*({"files": ["red.png"], "answer": f"to be {word}"} for word in answers))
    first = project.run(sight_test="off")
    again = project.run(sight_test="off")

    for result in (first, again):
        (metric,) = result.conclusion.metrics
        assert (metric.passed, metric.failed, metric.invalid, metric.missing) == (1, 1, 1, 1)
        assert metric.estimate == 0.5


# --- MR-51: shown the wrong thing ----------------------------------------------------------------------------------

EDITOR = """\
from oloproof import current_case, media_file


def hand_through(case):
    for role in ("input", "output"):
        current_case().media([media_file(name, role=role) for name in case.get(role, [])])
    return case["status"]
"""


@pytest.fixture
def edited(judged: Make) -> Callable[[Any], Judged]:
    """A system that turns the red A into the blue B, and says only that it is done."""

    def make(answer: Any) -> Judged:
        project = judged(answer)
        project.folder.write("app.py", EDITOR)
        project.folder.write("A.png", picture("red"))
        project.folder.write("B.png", picture("blue"))
        project.cases({"input": ["A.png"], "output": ["B.png"], "status": "{'status': 'saved /tmp/B.png'}"})
        return project

    return make


@pytest.mark.parametrize(
    ("media", "shown"),
    [
        ("input", [("input", "A.png", "red")]),
        ("output", [("output", "B.png", "blue")]),
        ("all", [("input", "A.png", "red"), ("output", "B.png", "blue")]),
    ],
)
def test_mr_51_the_picture_of_the_declared_role_is_shown_and_named_by_it(
    edited: Make, media: str, shown: list[tuple[str, str, str]]
) -> None:
    project = edited(chat(reply()))
    project.run(sight_test="off", media=media)

    request = project.server.requests[0]
    assert [color_of(data) for _, data in media_of(request)] == [color for _, _, color in shown]
    assert media_lines(request) == [
        f'Medium {number} of {len(shown)}: role {role}, kind image, name "{name}"'
        for number, (role, name, _) in enumerate(shown, 1)
    ]
    assert [(part["role"], part["name"]) for part in project.saw["parts"][2:]] == [one[:2] for one in shown]


def test_mr_51_a_judge_of_the_output_is_right_where_one_of_the_input_would_be_wrong(edited: Make) -> None:
    project = edited(SeeingModel(lambda _, pictures: verdict([color_of(one) for one in pictures] == ["blue"])))
    project.run(rubric_text="Pass only if the edited picture is blue.")

    assert project.outcomes() == ["pass"]


def test_mr_51_a_status_beside_a_sound_is_no_transcript_of_it(edited: Make) -> None:
    def listening(request: Request) -> Answer:
        return transcript("the words spoken") if request.path.endswith("/transcriptions") else chat(reply())

    project = edited(listening)
    project.folder.write("said.wav", tone_sound("LH"))
    project.cases({"output": ["said.wav"], "status": "synthesis finished: the words written"})
    project.run(sight_test="off", transcriber={"model": "ear", "base_url": project.server.url})

    text = questions(project)[0].text
    output, transcribed = (_between(text, label) for label in ("OUTPUT", "TRANSCRIPT"))
    assert (output, transcribed) == ("synthesis finished: the words written", "the words spoken")
    assert project.saw["parts"][-1]["text"] == "the words spoken"


def _between(text: str, label: str) -> str:
    head, _, rest = text.partition(f"BEGIN {label} ")[2].partition("\n")
    return rest.partition(f"\nEND {label} {head}")[0]


# --- MR-52: blind, and nobody noticed ------------------------------------------------------------------------------


@pytest.mark.parametrize("rubric", ["Pass only if the image is red.", "Pass only if the work is good."])
def test_mr_52_media_that_are_declared_and_not_recorded_stop_the_question_whatever_the_rubric_says(
    judged: Make, rubric: str
) -> None:
    project = judged(praise)
    project.cases({"files": [], "answer": "I made red.png: a splendid image, saved to media://1"})
    project.run(rubric_text=rubric)

    found = project.trials()[0].verdicts[0]
    assert (found.outcome, found.details["code"]) == ("missing", "no_media")
    assert project.server.count == 0


def test_mr_52_one_medium_that_cannot_be_shown_stops_the_whole_question(judged: Make) -> None:
    project = judged(praise)
    unshowable = {"empty": b"", "link": b"media://1", "cut": picture("red")[:60], "damaged": case("MR-01-a.jpg")}
    project.folder.write(
        "app.py",
        """\
        from oloproof import current_case, media_file
        def hand_through(case):
            for name in case["files"]:
                current_case().media([media_file(name, kind="image")])
        """,
    )
    for name, data in unshowable.items():
        project.folder.write(f"{name}.png", data)
    project.cases(*({"files": ["red.png", f"{name}.png"]} for name in unshowable))
    project.run(sight_test="off")

    for name, trial in zip(unshowable, project.trials(), strict=True):
        assert trial.verdicts[0].outcome == "missing"
        assert f"not shown to the judge: {name}.png: " in trial.verdicts[0].reason
    assert project.server.count == 0


def test_mr_52_a_model_that_praises_everything_unseen_is_reported_or_decides_nothing(judged: Make) -> None:
    project = judged(praise)
    project.run()
    assert (project.outcomes(), project.saw["sight"]) == (["pass"], "not_proven")

    result = project.run(sight_test="require")
    assert project.outcomes() == ["missing"]
    assert result.conclusion.metrics[0].missing == 1


def test_mr_52_a_model_that_says_that_it_cannot_see_has_given_no_verdict(judged: Make) -> None:
    project = judged(chat(verdict(False, "I cannot see the image, so it fails")))
    project.run(sight_test="off")

    found = project.trials()[0].verdicts[0]
    assert (found.outcome, found.details["code"]) == ("invalid", "judge_cannot_see")


# --- MR-53: the same question about another picture ----------------------------------------------------------------


def test_mr_53_the_same_name_and_words_with_another_picture_are_asked_anew(judged: Make) -> None:
    one, other = case("MR-53/run_a/frame.png"), case("MR-53/run_b/frame.png")
    project = judged(SeeingModel(lambda _, pictures: verdict(pictures == [one])))
    for name, data in (("run_a/frame.png", one), ("run_b/frame.png", other)):
        project.folder.write(name, data)
    project.cases(*({"files": [f"{run}/frame.png"], "answer": "a frame"} for run in ("run_a", "run_b")))
    project.run(sight_test="off")
    assert project.outcomes() == ["pass", "fail"]

    project.folder.write("run_a/frame.png", other)  # in place
    project.run(sight_test="off")
    assert project.outcomes() == ["fail", "fail"]


def test_mr_53_one_byte_that_no_eye_sees_is_another_file(judged: Make) -> None:
    project = judged(chat(reply()))
    data = picture("red")
    at = data.index(b"IEND") - 4
    text = b"\0\0\0\x03tEXta\0b"
    project.run(sight_test="off")
    project.folder.write("red.png", data[:at] + text + _crc(text[4:]) + data[at:])
    project.run(sight_test="off")

    assert project.server.count == 2


def _crc(chunk: bytes) -> bytes:
    return zlib.crc32(chunk).to_bytes(4, "big")


def test_mr_53_the_order_of_media_is_part_of_the_question(judged: Make) -> None:
    project = judged(chat(reply()))
    project.project["dataset"] = {"path": "cases.jsonl", "media": ["order"]}
    project.folder.write(
        "app.py",
        """\
        from pathlib import Path
        from oloproof import current_case, media_file
        def hand_through(case):
            for name in Path(case["order"]).read_text().split():
                current_case().media([media_file(Path(case["order"]).with_name(name))])
        """,
    )
    project.folder.write("blue.png", picture("blue"))
    project.cases({"order": "order.txt"})
    for order in ("red.png blue.png", "blue.png red.png", "red.png blue.png"):
        project.folder.write("order.txt", order)
        project.run(sight_test="off")

    first, second = project.server.requests
    assert [color_of(data) for _, data in media_of(first)] == ["red", "blue"]
    assert [color_of(data) for _, data in media_of(second)] == ["blue", "red"]


# --- MR-55: repeats ------------------------------------------------------------------------------------------------


def test_mr_55_five_repeats_are_five_questions_and_a_rerun_repeats_their_answers(judged: Make) -> None:
    chance = random.Random(1)
    project = judged(lambda _: chat(reply(chance.random() < 0.5)))
    project.project["repeats"] = 5
    first = project.run(sight_test="off")
    said = project.outcomes()
    assert project.server.count == 5
    assert set(said) == {"pass", "fail"}
    (metric,) = [one for one in first.conclusion.metrics if one.criterion == "right"]
    assert metric.estimate == pytest.approx(said.count("pass") / 5)

    again = project.run(sight_test="off")
    assert (project.server.count, project.outcomes()) == (5, said)
    assert [trial.reused for trial in project.trials()] == [(True,)] * 5
    assert again.executions["cached"] == 5


def test_mr_55_what_is_only_alike_is_asked_for_itself(judged: Make) -> None:
    project = judged(chat(reply()))
    project.cases(
        *({"files": ["red.png"], "answer": text} for text in ("a red square", "a red square.", "A red square"))
    )
    project.run(sight_test="off")

    assert project.server.count == 3


# --- MR-57: the order, or no picture at all ------------------------------------------------------------------------


def probed(project: Judged, cases: int) -> Probed:
    registry = builtin_registry()
    loaded = load_project(project.folder.root, registry.options())
    judge: Any = judge_criteria(loaded, registry, "right")[0].evaluator
    with closing(Store(loaded.root)) as store:
        return probe_judge(loaded, store, judge, run=History(store).find(), cases=cases, seed="1")


def looks_for(wanted: bytes) -> SeeingModel:
    """A model that passes what shows ``wanted``, with or without a white border."""

    def judge(_: Request, pictures: list[bytes]) -> str:
        return verdict(_middle(pictures[0]) == _middle(wanted))

    return SeeingModel(judge)


def _middle(data: bytes) -> bytes:
    shown = Image.open(BytesIO(data)).convert("RGB")
    left, top = shown.width // 2 - 8, shown.height // 2 - 8
    return shown.crop((left, top, left + 16, top + 16)).tobytes()


def test_mr_57_a_probe_says_how_often_the_verdict_moves_without_the_picture_or_with_another(judged: Make) -> None:
    project = judged(looks_for(case("MR-57-a.png")))
    for name in ("a.png", "b.png"):
        project.folder.write(name, case(f"MR-57-{name}"))
    project.cases({"files": ["a.png"]}, {"files": ["b.png"]})
    project.run()
    assert project.outcomes() == ["pass", "fail"]

    moved = {one.change: (one.moved, one.asked) for one in probed(project, 2).movements}
    assert moved == {"again": (0, 2), "blank": (1, 2), "swap": (2, 2), "pad": (0, 2)}


def test_mr_57_a_judge_that_goes_by_the_words_is_moved_by_no_picture(judged: Make) -> None:
    project = judged(SeeingModel(lambda request, _: verdict("splendid" in request.text), blind=True))
    for name in ("a.png", "b.png"):
        project.folder.write(name, case(f"MR-57-{name}"))
    project.cases({"files": ["a.png"], "answer": "splendid"}, {"files": ["b.png"], "answer": "dull"})
    project.run()
    assert project.outcomes() == ["pass", "fail"]

    found = probed(project, 2)
    assert [sight.state for sight in found.sights] == ["not_proven"]
    assert {one.moved for one in found.movements} == {0}
    assert next(one for one in found.movements if one.change == "blank").asked == 2


def test_mr_57_a_recorded_blank_in_place_of_a_picture_is_judged_as_what_it_is(judged: Make) -> None:
    project = judged(looks_for(case("MR-57-a.png")))
    for name in ("a", "blank"):
        project.folder.write(f"{name}.png", case(f"MR-57-{name}.png"))
    project.cases({"files": ["a.png"]}, {"files": ["blank.png"]})
    project.run()

    assert project.outcomes() == ["pass", "fail"]


# --- nothing but what the project asks for -------------------------------------------------------------------------

AUDITED = """\
import json
import sys

sent = []


def hook(event, arguments):
    if event in ("socket.connect", "socket.sendto"):
        sent.append([event, list(arguments[1]) if isinstance(arguments[1], tuple) else str(arguments[1])])
    elif event.startswith(("socket.getaddrinfo", "socket.gethost", "urllib.", "http.client.", "smtplib.", "ftplib.")):
        sent.append([event, str(arguments[0])])


sys.addaudithook(hook)
from oloproof.running import run

found = []
for folder in sys.argv[1:]:
    sent.clear()
    outcome = [metric.passed for metric in run(folder).conclusion.metrics]
    found.append({"passed": outcome, "sent": list(sent)})
print(json.dumps(found))
"""


def test_a_run_speaks_to_its_judge_and_to_nobody_else_and_without_a_judge_to_nobody(
    judged: Make, tmp_path: Path
) -> None:
    project = judged(SeeingModel(lambda *_: verdict(True)))
    project.folder.write("tone.wav", tone_sound("LH"))
    project.cases({"files": ["red.png"]}, {"files": ["tone.wav"]})
    check = {"type": "media_check", "criterion": "whole", "intact": True, "kind": "any"}
    for name, evaluator in (("plain", check), ("judged", {**project.options, "audio": "native"})):
        project.folder.write(f"{name}.yaml", json.dumps({**project.project, "evaluators": [evaluator]}))

    arguments = [sys.executable, "-c", AUDITED, str(tmp_path / "plain.yaml"), str(tmp_path / "judged.yaml")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    plain, asked = json.loads(done.stdout)

    assert plain == {"passed": [2], "sent": []}
    assert asked["passed"] == [2]
    port = int(project.server.url.split(":")[2].partition("/")[0])
    assert ["socket.connect", ["127.0.0.1", port]] in asked["sent"]
    assert {json.dumps(where) for _, where in asked["sent"]} <= {json.dumps(["127.0.0.1", port]), '"127.0.0.1"'}
    assert project.server.count in (4, 5)  # each kind tested once, where there is a voice in words and tones

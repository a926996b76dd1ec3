"""A judge earns its vote: from a blind sample over people's labels to a rule that decides on what people would say."""

from __future__ import annotations

import csv
import io
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from oloproof.config import load_project
from oloproof.digests import digest_of
from oloproof.errors import EvaluatorError, ProviderRefused
from oloproof.evaluators import builtin_registry
from oloproof.labels.csv_files import write_sheet
from oloproof.labels.exporting import sheet_of
from oloproof.labels.gathering import gather
from oloproof.labels.importing import import_sheet
from oloproof.labels.sampling import draw
from oloproof.labels.validating import Bars, Validation
from oloproof.media import MediaReader
from oloproof.policy import reduce_cases, summarize
from oloproof.records import Decision, Metric
from oloproof.reports.judges import unclear_words
from oloproof.running import RunResult, run
from oloproof.running.comparing import compare_runs
from oloproof.running.comparing_notices import comparing_notices
from oloproof.running.deciding import measures_of, policy_of
from oloproof.running.planning import prospects
from oloproof.running.probing import probe_judge
from oloproof.running.standing import human_metric
from oloproof.running.validating import judge_criteria, tried_document, try_judge, validate_judge
from oloproof.storage import History, Store
from oloproof.storage.labels import StoredValidation
from oloproof.storage.probes import Probes
from tests.conftest import Folder
from tests.evaluators.judges.conftest import APP, picture
from tests.model_server import Answer, ModelServer, Request, chat
from tests.seeing_model import SeeingModel, color_of, verdict

CASES = 80
RULES: dict[str, Any] = {"rules": [{"id": "floor", "metric": "right", "min": 0.5}]}


class Desk:
    """A project of red and blue pictures; people pass the red ones."""

    def __init__(self, folder: Folder, server: ModelServer) -> None:
        self.folder, self.server = folder, server
        self.repeats: dict[str, int] | None = None
        self.judge: dict[str, Any] = {
            "type": "rubric_judge", "criterion": "right", "provider": "openai_compatible", "base_url": server.url,
            "model": "eye", "rubric_text": "Pass only if the picture is red.", "media": "output", "kinds": ["image"],
        }  # fmt: skip
        folder.write("app.py", APP)
        for color in ("red", "blue"):
            folder.write(f"{color}.png", picture(color))
        self.colors = {f"c{number:03}": "red" if number % 8 < 5 else "blue" for number in range(CASES)}
        folder.cases(
            [{"id": name, "input": {"files": [f"{color}.png"], "answer": name}} for name, color in self.colors.items()]
        )

    def write(self, **judge: Any) -> None:
        self.judge.update(judge)
        project = {
            "version": 1, "project": "desk", "dataset": "cases.jsonl", "concurrency": 4,
            "system": {"name": "handler", "version": "1", "callable": "app:hand_through", "records": ["media/v1"]},
            "evaluators": [{key: value for key, value in self.judge.items() if value is not None}],
            "policy": RULES, **({"repeats": self.repeats} if self.repeats else {}),
        }  # fmt: skip
        self.folder.write("oloproof.yaml", yaml.safe_dump(project, sort_keys=False))

    def run(self, **judge: Any) -> RunResult:
        self.write(**judge)
        return run(self.folder.root)

    def decision(self, **judge: Any) -> Decision:
        return self.run(**judge).conclusion.decisions[0]

    def label(
        self,
        says: Callable[[str], str],
        *,
        of: str = "color",
        by: str = "ann",
        size: int | None = None,
        purpose: Any = "validate",
    ) -> None:
        """Draw a sample, let a person fill it in by the colour or a column, and take the labels."""
        with self.history() as history:
            found = history.find()
            drawn = draw(history, found, "right", size=size, seed="s", purpose=purpose)
            rows = list(sheet_of(history, found, drawn, MediaReader(self.folder.root)).rows)
            for row in rows:
                row["passed"] = says(self.colors[str(row["case_id"])] if of == "color" else str(row[of]))
            out = io.StringIO(newline="")
            write_sheet(out, rows)
            path = self.folder.write("sheet.csv", out.getvalue().encode("utf-8"))
            import_sheet(history, path, labelled_by=by)

    def history(self) -> Any:
        return OpenedHistory(self.folder.root)

    def validate(self, *, bars: Bars | None = None, **judge: Any) -> Validation:
        self.write(**judge)
        registry = builtin_registry()
        project = load_project(self.folder.root, registry.options())
        with closing(Store(project.root)) as store:
            return validate_judge(project, store, judge_criteria(project, registry, "right")[0], bars)


class OpenedHistory:
    def __init__(self, root: Path) -> None:
        self._store = Store(root)

    def __enter__(self) -> History:
        return History(self._store)

    def __exit__(self, *_: object) -> None:
        self._store.close()


def truthful(color: str) -> str:
    return "pass" if color == "red" else "fail"


def red_passes(_: Request, pictures: list[bytes]) -> str:
    return verdict(bool(pictures) and color_of(pictures[0]) == "red")


def always(_: Request, __: list[bytes]) -> str:
    return verdict(True)


@pytest.fixture
def desk(folder: Folder) -> Iterator[Callable[[Any], Desk]]:
    servers: list[ModelServer] = []

    def make(judge: Any) -> Desk:
        server = ModelServer(SeeingModel(judge))
        server.__enter__()
        servers.append(server)
        return Desk(folder, server)

    yield make
    for server in servers:
        server.__exit__(None, None, None)


Make = Callable[[Any], Desk]


def test_a_judge_decides_nothing_before_labels_and_then_on_what_people_would_say(desk: Make) -> None:
    project = desk(red_passes)
    before = project.decision()
    assert (before.state, before.reason) == ("INSUFFICIENT_EVIDENCE", "judge_not_validated")
    with project.history() as history:
        (digest, identity), *_ = history.find().document["judges"].items()
    assert digest == digest_of(identity)
    assert identity["rubric"] == "Pass only if the picture is red."

    project.label(truthful)
    found = project.validate()
    assert (found.state, found.look) == ("VALIDATED", 1)
    assert found.document["table"] == {"tp": 50, "fn": 0, "fp": 0, "tn": 30}

    after = project.decision()
    assert (after.state, after.reason) == ("PASS", "lower_bound_meets_minimum")
    assert "people would pass (by their labels of this run) 62.5 %" in after.message


def test_a_plan_for_what_people_would_pass_does_not_count_with_the_judges_own_rate(
    desk: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = desk(red_passes)
    monkeypatch.setitem(RULES["rules"][0], "min", 0.62)
    project.run()
    project.label(truthful)
    project.validate()
    assert project.decision().reason == "interval_overlaps_threshold"

    with project.history() as history:
        planned = prospects(history, history.find(), policy_of(history.find()))[0]

    assert planned.message == "more labels and more cases both narrow the interval; how many it takes cannot be told"
    assert planned.can_decide.startswith("decides on what people would pass")
    assert (planned.n, planned.more_at_best) == (CASES, None)


def test_labels_are_taken_over_by_a_rerun_and_nobody_is_asked_again(desk: Make) -> None:
    project = desk(red_passes)
    project.run()
    project.label(truthful)
    project.validate()
    asked = project.server.count

    assert project.decision().state == "PASS"
    assert project.validate().again
    assert project.server.count == asked


def test_a_judge_that_always_passes_is_never_validated(desk: Make) -> None:
    project = desk(always)
    project.run()
    project.label(truthful)
    found = project.validate()

    assert (found.state, found.reason) == ("NOT_VALIDATED", "tnr_below_bar")
    assert project.decision().reason == "judge_not_validated"


def test_a_sample_that_is_drawn_anew_does_not_make_looks_at_the_same_labels_forgotten(desk: Make) -> None:
    """Else a rubric could be tried on them until it passes by luck, each time at the first look's bar."""
    project = desk(red_passes)
    project.run()
    project.label(truthful)
    assert project.validate().look == 1

    project.run(rubric_text="Pass only if it is all red.")
    with project.history() as history:
        draw(history, history.find(), "right", size=CASES, seed="another", purpose="validate")
    found = project.validate()
    assert (found.state, found.look) == ("VALIDATED", 2)


def test_another_judge_needs_its_own_validation_and_is_judged_on_the_same_labels(desk: Make) -> None:
    project = desk(red_passes)
    project.run()
    project.label(truthful)
    project.validate()
    asked = project.server.count

    assert project.decision(rubric_text="Pass only if it is all red.").reason == "judge_changed"
    assert project.server.count == asked + CASES
    found = project.validate()
    assert (found.state, found.look) == ("VALIDATED", 2)
    assert project.server.count == asked + CASES
    assert project.decision().state == "PASS"


def test_labelled_items_are_judged_where_the_judge_never_was(desk: Make) -> None:
    project = desk(red_passes)
    project.run()
    project.label(truthful)
    asked = project.server.count

    found = project.validate(rubric_text="Pass only if it is all red.")
    assert found.state == "VALIDATED"
    assert project.server.count == asked + CASES
    project.run()
    assert project.server.count == asked + CASES  # the run after it asks nothing that the validation asked


def test_answers_that_came_before_a_validation_broke_off_are_not_asked_for_again(desk: Make) -> None:
    project = desk(red_passes)
    project.run()
    project.label(truthful)
    seeing, turns, answered = project.server.answer, itertools.count(), itertools.count()
    half_answered, refused = threading.Event(), threading.Event()

    def refusing_soon(request: Request) -> Any:
        turn = next(turns)
        if turn == 0 or turn > CASES // 2:  # the first one is refused when others after it have their answers
            half_answered.wait(20)
            refused.set()
            return Answer(401, body=b"no money left")
        if turn == 1:  # and this one is under way then
            refused.wait(20)
            time.sleep(0.2)
        if next(answered) == CASES // 2 - 2:
            half_answered.set()
        return seeing(request)

    project.server.answer = refusing_soon
    with pytest.raises(ProviderRefused):
        project.validate(rubric_text="Pass only if it is all red.")
    project.server.answer, broken_off = seeing, project.server.count
    assert project.validate().state == "VALIDATED"
    assert project.server.count - broken_off == CASES - next(answered)


def test_answers_that_come_late_are_a_look_of_their_own_and_the_newest_telling_counts(desk: Make) -> None:
    project = desk(red_passes)
    project.run()
    project.label(truthful)
    seeing = project.server.answer
    project.server.answer = chat("", finish="length")

    cut_off = project.validate(rubric_text="Pass only if it is all red.")
    assert (cut_off.state, cut_off.look) == ("INSUFFICIENT_LABELS", 1)
    assert cut_off.document["unclear"]["human_pass"] == 50
    assert "why most often (80): the reply was cut off at the limit of tokens" in unclear_words(cut_off.document)
    project.server.answer = seeing
    found = project.validate()
    assert (found.state, found.look, found.again) == ("VALIDATED", 2, False)
    assert project.decision().state == "PASS"

    strict = project.validate(bars=Bars(bar=0.99))
    assert (strict.state, strict.look) == ("INSUFFICIENT_LABELS", 3)
    assert project.decision().reason == "judge_not_validated"
    told = project.validate()
    assert (told.state, told.look, told.again) == ("VALIDATED", 2, True)
    assert project.decision().state == "PASS"


def test_a_judge_of_your_own_is_given_the_paths_of_files_as_in_a_run(desk: Make) -> None:
    """Wherever validate is called from: else it finds none of them, and the look at the labels is spent."""
    project = desk(red_passes)
    root = project.folder.root
    app = "from pathlib import Path\n\ndef hand_through(case):\n    return Path(case['file']).read_text()\n"
    project.folder.write("app.py", app)
    project.folder.write("data/note.txt", "red")
    project.folder.cases([{"id": "c000", "input": {"file": "note.txt"}}], "data/cases.jsonl")
    judge = """
        from pathlib import Path
        from oloproof import evaluator

        @evaluator(calls_model=True, version="%s")
        def right(case, output):
            return Path(case.input["file"]).read_text() == output
        """

    def write(version: str) -> None:
        project.folder.write("checks.py", judge % version)
        document = {
            "version": 1,
            "project": "desk",
            "dataset": {"path": "data/cases.jsonl", "media": ["file"]},
            "system": {"name": "reader", "version": "1", "callable": "app:hand_through"},
            "evaluators": [{"type": "custom", "criterion": "right", "callable": "checks:right"}],
        }
        project.folder.write("oloproof.yaml", yaml.safe_dump(document))

    write("1")
    run(root)
    project.label(lambda _: "pass", of="case_id")
    write("2")
    registry = builtin_registry()
    told = load_project(root, registry.options())
    with closing(Store(root)) as store:
        found = validate_judge(told, store, judge_criteria(told, registry, "right")[0])
    assert found.document["table"] == {"tp": 1, "fn": 0, "fp": 0, "tn": 0}


def test_labels_of_one_variant_say_nothing_of_another(desk: Make) -> None:
    project = desk(red_passes)
    project.folder.write("app.py", APP.replace('case.get("files", [])', '[case["file"]]'))
    project.folder.cases([{"id": name, "input": {"file": "red.png"}} for name in list(project.colors)[:24]])
    project.write()
    written = yaml.safe_load((project.folder.root / "oloproof.yaml").read_text())
    written["dataset"] = {"path": "cases.jsonl", "media": ["file"]}
    written["variants"] = [{"delivery": {"field": "file", "apply": ["jpeg-40"]}}]
    project.folder.write("oloproof.yaml", yaml.safe_dump(written))
    run(project.folder.root)
    project.label(lambda variant: "pass" if variant == "original" else "fail", of="variant")

    with project.history() as history:
        found = history.find()
        assert {case.variant for case in gather(history, found, "right").cases} == {"original", "jpeg-40"}
        measures, values = measures_of(found.document), {}
        for variant in ("original", "jpeg-40"):
            seen = list(history.observations(found, 0, variant=variant))
            cases = list(reduce_cases(seen, measures["right"], variant=variant))
            judged = summarize(cases, measures["right"], 0.95, variant=variant)
            values[variant] = human_metric(history, found, judged, measures["right"], cases, VALIDATION)
    assert {variant: metric.estimate for variant, metric in values.items()} == {"original": 1.0, "jpeg-40": 0.0}


def people_of(project: Desk) -> Metric:
    """What people would pass of the newest run of a project, by its labels."""
    with project.history() as history:
        found = history.find()
        measure = measures_of(found.document)["right"]
        cases = list(reduce_cases(history.observations(found, 0), measure))
        return human_metric(history, found, summarize(cases, measure, 0.95), measure, cases, VALIDATION)


@pytest.mark.parametrize("repeats", [None, {"count": 2}])
def test_a_case_that_was_never_answered_is_one_that_people_fail(desk: Make, repeats: dict[str, int] | None) -> None:
    """No judge saw it, so what labels tell of the judge's FAILs, half of which people pass here, is not about it."""
    project = desk(red_passes)
    project.repeats = repeats
    names = list(project.colors)[:48]
    project.folder.cases(
        [
            {"id": name, "input": {"files": [f"{color}.png" if number % 2 else "none.png"], "answer": name}}
            for number, (name, color) in enumerate((name, project.colors[name]) for name in names)
        ]
    )
    project.run(on_execution_error="fail")
    blue = [name for number, name in enumerate(names) if number % 2 and project.colors[name] == "blue"]
    red = [name for number, name in enumerate(names) if number % 2 and project.colors[name] == "red"]
    project.label(lambda name: "pass" if name in (*red, *blue[::2]) else "fail", of="case_id")

    people = people_of(project)
    assert (people.n, people.failed) == (48, 48 - len(red))
    assert people.estimate == pytest.approx((len(red) + len(blue[::2])) / 48)
    assert people.interval is not None
    assert people.interval[1] <= 0.5


def test_a_repeat_without_an_answer_is_one_that_people_fail(desk: Make) -> None:
    """They pass whatever was answered, and of half of the cases every second repeat was not."""
    project = desk(red_passes)
    project.repeats = {"count": 2}
    failing = "    if case['fails'] and current_case().repeat:\n        raise OSError\n    for name"
    project.folder.write("app.py", APP.replace("    for name", failing, 1))
    given = [{"files": ["red.png"], "answer": f"{number}", "fails": number % 2} for number in range(40)]
    project.colors = {f"c{number:03}": "red" for number in range(40)}
    project.folder.cases([{"id": name, "input": one} for name, one in zip(project.colors, given, strict=True)])
    project.run(on_execution_error="fail")
    project.label(lambda _: "pass")

    people = people_of(project)
    assert people.estimate == pytest.approx(0.75)
    assert people.interval is not None
    assert people.interval[0] < 0.75 < people.interval[1]


VALIDATION = StoredValidation("right", "ab" * 32, "cd" * 32, 1, "VALIDATED", "all_bars_cleared", {})


def test_few_labels_settle_nothing_and_say_how_many_would(desk: Make) -> None:
    project = desk(red_passes)
    project.run()
    project.label(truthful, size=30)
    found = project.validate()

    assert (found.state, found.reason) == ("INSUFFICIENT_LABELS", "labels_below_minimum")
    assert "more labels" in found.document["sentence"]
    assert project.decision().reason == "judge_not_validated"


def test_a_sample_that_nobody_labelled_yet_is_not_looked_at(desk: Make) -> None:
    project = desk(red_passes)
    project.run()
    with project.history() as history:
        draw(history, history.find(), "right", size=None, seed="s", purpose="validate")
    with pytest.raises(EvaluatorError, match="nobody has labelled a case of the sample of right yet"):
        project.validate()
    project.label(truthful)
    assert project.validate().look == 1


def test_unsure_labels_count_against_the_judge(desk: Make) -> None:
    project = desk(red_passes)
    project.run()
    project.label(lambda color: "pass" if color == "red" else "unsure")
    found = project.validate()

    assert found.document["unclear"]["judge_fail"] == 30
    assert found.state != "VALIDATED"


def test_a_majority_of_people_is_the_reference(desk: Make) -> None:
    project = desk(red_passes)
    project.run()
    project.label(truthful, by="ann")
    project.label(truthful, by="bob")
    turns = iter(range(CASES))
    project.label(lambda color: truthful("blue" if next(turns) % 20 == 0 else color), by="eve")
    found = project.validate()

    assert found.state == "VALIDATED"
    assert found.document["measures"]["alpha"]["cases"] == CASES


def test_a_rule_may_ask_for_the_judges_own_rate(desk: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    project = desk(red_passes)
    project.run()
    project.label(truthful)
    project.validate()
    monkeypatch.setitem(RULES, "rules", [{"id": "floor", "metric": "right", "min": 0.5, "estimand": "judge_rate"}])

    assert "people would pass" not in project.decision().message
    assert project.decision().state == "PASS"


def test_a_rule_that_asks_for_the_rate_of_people_gets_it_whatever_the_policy_asks_of_judges(
    desk: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge's own rate would be another answer than the one that was asked for."""
    people = {"id": "people", "metric": "right", "min": 0.5, "estimand": "human_rate"}
    monkeypatch.setitem(RULES, "rules", [people, {"id": "any", "metric": "right", "min": 0.5}])
    monkeypatch.setitem(RULES, "require_validated_evaluators", False)
    project = desk(red_passes)
    before = project.run().conclusion.decisions
    project.label(truthful)
    project.validate()
    after = project.run().conclusion.decisions

    assert [one.reason for one in before] == ["judge_not_validated", "lower_bound_meets_minimum"]
    assert [one.state for one in after] == ["PASS", "PASS"]
    assert ["people would pass" in one.message for one in after] == [True, False]


def test_labels_of_one_repeat_tell_the_rate_of_executions_and_not_how_many_of_several_pass(desk: Make) -> None:
    project = desk(red_passes)
    project.repeats = {"count": 2}
    project.run()
    project.label(truthful)
    project.validate()
    each = project.decision()
    project.repeats = {"count": 2, "pass_when": 2}
    both = project.decision()

    assert (each.state, each.reason) == ("PASS", "lower_bound_meets_minimum")
    assert (both.state, both.reason) == ("INSUFFICIENT_EVIDENCE", "human_rate_unknown")
    assert (both.estimate, both.interval) == (None, None)
    assert "estimand: judge_rate decides on the judge's own rate" in both.message


def test_labels_of_another_run_are_carried_over_by_what_they_tell_of_the_judge(desk: Make) -> None:
    project = desk(red_passes)
    project.run()
    project.label(truthful)
    project.validate()
    project.folder.write("red.png", picture("red", (70, 50)))
    project.folder.write("blue.png", picture("blue", (70, 50)))
    carried = project.decision()

    assert "by their labels of another run" in carried.message
    assert carried.estimate == 0.625
    assert carried.state == "PASS"


def test_another_model_behind_the_same_name_than_the_one_that_was_validated_is_told(desk: Make) -> None:
    """It is the same judge by all that the project says, and may answer otherwise."""
    project = desk(red_passes)
    before = project.run().run
    project.label(truthful)
    project.validate()
    project.server.answer = SeeingModel(red_passes, name="served-2")
    same, after = project.run().run, run(project.folder.root, fresh=frozenset({"judge"})).run

    assert [one.code for one in (*before.notices, *same.notices)] == []
    (told,) = after.notices
    assert told.code == "judge_model_changed"
    assert f"right: served-2 answered, where served-1 did in run {before.id}, on which" in told.message
    with project.history() as history:
        (between,) = comparing_notices(history, after, before, compare_runs(history, after, before, None)[0])
    assert between.code == "judge_model_changed"
    assert "answered by served-2 in the candidate and by served-1 in the baseline" in between.message


def test_a_judge_of_ones_own_is_held_to_the_same_labels(desk: Make) -> None:
    project = desk(red_passes)
    project.folder.write(
        "checks.py",
        """\
        from oloproof import evaluator, read_media

        @evaluator(calls_model=True, version="1")
        def right(media):
            return b"red" in media[0].name.encode()
        """,
    )
    own = dict.fromkeys(project.judge) | {"type": "custom", "criterion": "right", "callable": "checks:right"}
    first = project.run(**own)
    assert first.conclusion.decisions[0].reason == "judge_not_validated"
    assert "a host that checks:right chooses" in first.run.document["hosts"]

    project.label(truthful)
    assert project.validate().state == "VALIDATED"
    assert project.decision().state == "PASS"


def test_a_draft_is_tried_on_develop_labels_and_never_on_the_sample_of_a_validation(desk: Make) -> None:
    project = desk(always)
    project.run()
    project.label(truthful)
    registry = builtin_registry()
    loaded = load_project(project.folder.root, registry.options())
    criterion = judge_criteria(loaded, registry, "right")[0]
    with closing(Store(loaded.root)) as store:
        with pytest.raises(EvaluatorError, match="no develop labels"):
            try_judge(loaded, store, criterion)
        document = tried_document(criterion, *try_judge(loaded, store, criterion, spend=True))
        with pytest.raises(EvaluatorError, match="no validate labels"):
            validate_judge(loaded, store, criterion)

    assert document["table"]["fp"] == 30
    assert {one["people"] for one in document["differing"]} == {"fail"}


def test_a_probe_tells_a_judge_that_looks_from_one_that_does_not(desk: Make) -> None:
    project = desk(red_passes)
    project.run()
    looking = _probed(project)
    project.server.answer = SeeingModel(always, blind=True)
    project.run(model="other")
    blind = _probed(project)

    assert [sight.state for sight in looking.sights] == ["proven"]
    assert [sight.state for sight in blind.sights] == ["not_proven"]
    with project.history() as history:
        kept = [Probes(history.store).of(one.judge)[0].document for one in (looking, blind)]
    assert kept == [looking.as_json(), blind.as_json()]
    moved = {one.change: (one.moved, one.asked) for one in looking.movements}
    assert (moved["again"], moved["pad"]) == ((0, 8), (0, 8))
    assert moved["blank"][0] > 0
    assert {one.change: one.moved for one in blind.movements} == {"again": 0, "blank": 0, "swap": 0, "pad": 0}


def _probed(project: Desk) -> Any:
    registry = builtin_registry()
    loaded = load_project(project.folder.root, registry.options())
    judge = judge_criteria(loaded, registry, "right")[0].evaluator
    with closing(Store(loaded.root)) as store:
        return probe_judge(loaded, store, judge, run=History(store).find(), cases=8, seed="1")  # type: ignore[arg-type]


def test_the_sheet_is_blind(desk: Make) -> None:
    project = desk(lambda *_: verdict(True, "a tell-tale reason"))
    project.run(model="tell-tale-model")
    project.label(truthful)
    sheet = (project.folder.root / "sheet.csv").read_text(encoding="utf-8")

    assert "tell-tale" not in sheet
    assert csv.DictReader(io.StringIO(sheet)).fieldnames is not None


def test_a_judge_that_has_to_prove_its_sight_and_does_not_decides_nothing(desk: Make) -> None:
    project = desk(always)
    project.server.answer = SeeingModel(always, blind=True)
    decision = project.decision(sight_test="require")

    assert (decision.state, decision.reason) == ("INSUFFICIENT_EVIDENCE", "sight_not_proven")


def test_two_systems_are_compared_through_a_judge_only_where_its_errors_are_known_on_both(
    desk: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        RULES, "rules", [{"id": "no-worse", "metric": "right", "kind": "non_inferiority", "margin": 0.4}]
    )
    project = desk(red_passes)
    baseline = project.run().run.id
    project.label(truthful)
    project.validate()
    project.folder.cases(
        [
            {"id": name, "input": {"files": [f"{color}.png"], "answer": f"v2 {name}"}}
            for name, color in project.colors.items()
        ]
    )
    candidate = project.run().run.id
    unknown = _compared(project, candidate, baseline)
    assert (unknown.state, unknown.reason) == ("INSUFFICIENT_EVIDENCE", "judge_error_unknown")

    project.label(truthful)
    assert _compared(project, candidate, baseline).state == "PASS"


def _compared(project: Desk, candidate: str, baseline: str) -> Decision:
    with project.history() as history:
        policy = load_project(project.folder.root, builtin_registry().options()).policy
        return compare_runs(history, history.find(candidate), history.find(baseline), policy)[1][0]

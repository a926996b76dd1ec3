from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from oloproof.config import (
    EvaluatorOptions,
    Project,
    load_policy,
    load_project,
    project_document,
    suggestion,
)
from oloproof.digests import digest_of
from oloproof.errors import ConfigError

Load = Callable[..., Project]
Refused = Callable[..., list[str]]
Known = dict[str, type[EvaluatorOptions]]
MEDIA_KEYS = ["min_width", "max_width", "min_count", "has_audio"]


def test_a_project_is_read_and_its_paths_are_resolved(load: Load, folder: Path, good: str) -> None:
    (folder.parent / "shared").mkdir(exist_ok=True)
    project = load(good + "media_roots: [../shared]\noutputs: made\n")
    assert project.name == "thumbnails"
    assert project.file == folder.resolve() / "oloproof.yaml"
    assert project.dataset_path == folder.resolve() / "cases.jsonl"
    assert (project.dataset_folder, project.dataset_table, project.policy_file) == (None, None, None)
    assert project.outputs == folder.resolve() / "made"
    assert project.media_roots == (folder.resolve() / "../shared",)
    assert project.criteria == ("fits", "caption")
    assert project.policy is not None
    assert project.policy.rules[0].effective_kind == "observed_count"


def test_a_file_and_its_folder_name_the_same_project(load: Load, folder: Path, good: str, known: Known) -> None:
    assert load(good) == load_project(folder / "oloproof.yaml", known)


def test_everything_that_is_wrong_is_said_at_once(refused: Refused) -> None:
    said = refused("""\
version: 2
project: 1.10
dataset: data/none.jsonl
system:
  callable: app
  versoin: v2
  timeout: 0
  records: [media/v2]
concurrency: 5000
repeats: 0
evaluators:
  - type: media_chek
    criterion: a
  - type: media_check
    criterion: b
    max_widht: 3
    max_height: "256"
    has_audio: no
    aspect_ratio: 16:9
    frames: [0.5, x]
  - type: media_check
    criterion: b
    frames: {a: 1}
    format: 0x12
    on_execution_error: miss
    max_height: 0123
  - criterion: x y
  - foo
  - type: rubric_judge
    criterion: c
    model: m
    transcriber: {modle: x}
policy:
  confidence_level: 95
  block_on: [FAILS]
  rules:
    - {id: a, metric: bb, min: 1.5}
    - {id: a, metric: b.error_rate, max: 80 %}
    - {id: c, metric: b, kind: observed_count}
    - {metric: b, min: .nan}
bogus: 1
""")
    assert said == [
        "oloproof.yaml:1:10  version: expected 1, found the number 2",
        'oloproof.yaml:2:10  project: expected text, found the number 1.10; quote it: "1.10"',
        "oloproof.yaml:3:10  dataset: no such file or folder: data/none.jsonl; looked in HERE",
        "oloproof.yaml:5:13  system.callable: expected module:function, such as app:describe, found the text 'app'",
        "oloproof.yaml:6:3  system.versoin: unknown field; did you mean version?",
        "oloproof.yaml:7:12  system.timeout: must be greater than 0 and at most 86,400, found 0",
        "oloproof.yaml:8:13  system.records[0]: expected media/v1, found the text 'media/v2'",
        "oloproof.yaml:9:14  concurrency: must be between 1 and 1,024, found 5000",
        "oloproof.yaml:10:10  repeats: must be between 1 and 1,000, found 0",
        "oloproof.yaml:12:11  evaluators[0].type: unknown evaluator type 'media_chek'; did you mean media_check? "
        "known types: media_check, rubric_judge",
        "oloproof.yaml:16:5  evaluators[1].max_widht: unknown field; did you mean max_width?",
        "oloproof.yaml:17:17  evaluators[1].max_height: expected a whole number, found the text '256'; "
        "write 256 without quotes",
        "oloproof.yaml:18:16  evaluators[1].has_audio: expected true or false, found the text 'no'; write false",
        "oloproof.yaml:20:19  evaluators[1].frames[1]: expected a number, found the text 'x'",
        "oloproof.yaml:22:16  evaluators[2].criterion: 'b' is used twice; the first is at oloproof.yaml:15:16; "
        "each evaluator reports under a name of its own",
        "oloproof.yaml:23:13  evaluators[2].frames: expected a whole number or a list, found a mapping",
        'oloproof.yaml:24:13  evaluators[2].format: expected text, found the number 0x12; quote it: "0x12"',
        "oloproof.yaml:25:25  evaluators[2].on_execution_error: expected missing or fail, found the text 'miss'; "
        "did you mean missing?",
        "oloproof.yaml:26:17  evaluators[2].max_height: expected a whole number, found the text '0123'; write 123",
        "oloproof.yaml:27:5  evaluators[3].type: required, and not given; known types: media_check, rubric_judge",
        "oloproof.yaml:28:5  evaluators[4]: expected a mapping (key: value), found the text 'foo'",
        "oloproof.yaml:32:18  evaluators[5].transcriber.model: required, and not given",
        "oloproof.yaml:32:19  evaluators[5].transcriber.modle: unknown field; did you mean model?".replace(
            ":19", ":19"
        ),
        "oloproof.yaml:34:21  policy.confidence_level: must be greater than 0.5 and less than 1, found 95; "
        "95 % is written 0.95",
        "oloproof.yaml:35:14  policy.block_on[0]: expected FAIL, INSUFFICIENT_EVIDENCE or MANUAL_REVIEW, "
        "found the text 'FAILS'; did you mean FAIL?",
        "oloproof.yaml:37:23  policy.rules[0].metric: no evaluator reports bb; did you mean b?",
        "oloproof.yaml:38:12  policy.rules[1].id: 'a' is used twice; the first is at oloproof.yaml:37:12; "
        "ids are unique",
        "oloproof.yaml:38:42  policy.rules[1].max: expected a number, found the text '80 %'; 80 % is written 0.80",
        "oloproof.yaml:39:7  policy.rules[2]: an observed_count rule takes max_failures: and no min: or max:",
        "oloproof.yaml:40:7  policy.rules[3].id: required, and not given",
        "oloproof.yaml:40:24  policy.rules[3].min: expected a finite number, found .nan",
        "oloproof.yaml:41:1  bogus: unknown field; accepted: version, project, dataset, system, evaluators, policy, "
        "concurrency, repeats, variants, outputs, media_roots",
    ]


def test_no_word_of_the_validation_library_gets_through(refused: Refused) -> None:
    written = (
        "version: [1]\nproject: {}\ndataset: [x]\nsystem: x\nconcurrency: a\nrepeats: 1.5\npolicy: 3\n"
        "outputs: ''\nmedia_roots: x\nevaluators: {a: 1}\n"
    )
    text = "\n".join(refused(written))
    for word in ("Input should", "pydantic", "Options", "validator", "https://", "NoneType", "dict", "instance"):
        assert word not in text


def test_short_forms_give_one_error_each(refused: Refused, good: str) -> None:
    said = refused(
        good.replace("dataset: cases.jsonl", "dataset: 5").replace("callable: app:describe", "http: ftp://x")
    )
    assert said == [
        "oloproof.yaml:3:10  dataset: expected a mapping (key: value), found the number 5",
        "oloproof.yaml:5:9  system.http: expected an address that begins with http:// or https://, "
        "found the text 'ftp://x'",
    ]


def test_a_policy_of_the_wrong_kind_gives_one_error(refused: Refused, good: str) -> None:
    assert refused(good.split("policy:")[0] + "policy: 7\n") == [
        "oloproof.yaml:11:9  policy: expected a mapping or text, found the number 7"
    ]


def test_a_password_in_an_address_is_refused(refused: Refused, good: str) -> None:
    said = refused(good.replace("callable: app:describe", "name: x\n  http: https://me:secret@host/x"))
    assert "use headers_env:" in said[0]
    assert "secret" not in said[0]


def test_the_release_policy_beside_the_project_is_found(load: Load, folder: Path, good: str) -> None:
    project = load(good.split("policy:")[0], "rules:\n  - {id: a, metric: caption, min: 0.8}\n")
    assert project.policy_file == folder.resolve() / "release.yaml"
    assert project.policy is not None
    assert project.policy.rules[0].min == 0.8
    assert load(good).policy_file is None


def test_mistakes_of_both_files_come_together(refused: Refused, good: str) -> None:
    said = refused(
        good.split("policy:")[0].replace("max_width", "max_with") + "policy: release.yaml\n",
        "vesion: 1\nrules:\n  - {id: a, metric: caption.eror_rate, min: 0.8}\n"
        "  - {id: b, metric: fits.error_rate, max: 80}\n",
    )
    assert said == [
        "oloproof.yaml:9:5  evaluators[0].max_with: unknown field; did you mean max_width?",
        "release.yaml:1:1  vesion: unknown field; did you mean version?",
        "release.yaml:3:21  rules[0].metric: caption.eror_rate is no metric; did you mean caption.error_rate?",
        "release.yaml:4:43  rules[1].max: a rate lies between 0 and 1; 80 % is written 0.80 (found 80)",
    ]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("media_roots: [nowhere]\n", "media_roots[0]: no such file or folder: nowhere"),
        ("media_roots: [~/shared]\n", "~/shared; looked in HERE; ~ and $NAME stand for nothing here"),
        ("media_roots: [$HOME/a]\n", "$HOME/a; looked in HERE; ~ and $NAME stand for nothing here"),
        ("media_roots: [cases.jsonl]\n", "media_roots[0]: cases.jsonl is a file; name a folder"),
        ("outputs: .oloproof/made\n", "outputs: .oloproof/made lies in .oloproof, where runs are stored"),
    ],
)
def test_folders_that_cannot_be_meant_are_refused(refused: Refused, good: str, written: str, message: str) -> None:
    (told,) = refused(good + written)
    assert message in told


def test_a_command_is_no_line_for_a_shell(refused: Refused, good: str) -> None:
    told = refused(good.replace("callable: app:describe", "command: python app.py"))
    assert any("system.command: a command is a list of arguments" in one for one in told)
    assert any("write command: [python, app.py]" in one for one in told)


def test_a_policy_alone_is_read(folder: Path) -> None:
    (folder / "p.yaml").write_text(
        "rules:\n  - {id: a, metric: x, min: 0.5}\n  - {id: a, metric: y, max_failures: 0}\n"
    )
    with pytest.raises(
        ConfigError, match=r"p.yaml:3:10  rules\[1\].id: 'a' is used twice; the first is at p.yaml:2:10"
    ):
        load_policy(Path("p.yaml"))
    (folder / "p.yaml").write_text("rules: [{id: a, metric: x, min: 0.5}]\n")
    assert load_policy(Path("p.yaml")).rules[0].id == "a"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"# nothing\n", "the file is empty"),
        (b"- a\n", "1:1  expected a mapping (key: value), found a list"),
        (b"hello", "1:1  expected a mapping (key: value), found the text 'hello'"),
        (b"a: 1\nb: caf\xe9\n", "2:7  the byte 0xe9 at offset 11 is not UTF-8; save the file as UTF-8"),
        (b'a: "data\\cases.csv"\n', r"1:9  in double quotes a \ begins an escape; use single quotes, or / in a path"),
        ("a: 1".encode("utf-16"), "1:1  this is UTF-16; save it as UTF-8"),
    ],
)
def test_a_file_that_is_no_yaml_mapping_is_refused(folder: Path, known: Known, content: bytes, said: str) -> None:
    (folder / "oloproof.yaml").write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_project(Path("oloproof.yaml"), known)
    assert said in str(caught.value)
    assert str(caught.value).startswith("oloproof.yaml")


def test_a_byte_order_mark_is_welcome(folder: Path, known: Known, good: str) -> None:
    (folder / "oloproof.yaml").write_bytes(b"\xef\xbb\xbf" + good.encode())
    assert load_project(folder, known).name == "thumbnails"


def test_files_that_are_not_there_are_named(refused: Refused, folder: Path, known: Known, good: str) -> None:
    with pytest.raises(ConfigError, match=r"oloproof\.yaml  no such file; looked in .*; `oloproof init"):
        load_project(folder, known)
    with pytest.raises(
        ConfigError, match=r"nowhere\.yaml  no such file.*`oloproof init \.` writes one, --config names another"
    ):
        load_project(Path("nowhere.yaml"), known)
    with pytest.raises(ConfigError, match=r"`oloproof init shop` writes one"):
        load_project(Path("shop"), known)
    assert refused(good.split("policy:")[0] + "policy: gone.yaml\n") == [
        "oloproof.yaml:11:9  policy: no such file: gone.yaml; looked in HERE"
    ]
    (folder / "data").mkdir()
    assert "data is a folder; name a file or write {folder: ...}" in refused(good.replace("cases.jsonl", "data"))[0]
    table = good.replace("dataset: cases.jsonl", "dataset: {folder: cases.jsonl, table: t.csv}")
    assert [line.split("  ", 1)[1] for line in refused(table)] == [
        "dataset.folder: cases.jsonl is a file; name a folder, or write path: for a JSONL, JSON or CSV file",
        "dataset.table: no such file or folder: t.csv; looked in HERE",
    ]
    assert (
        "code_paths[0]: no such file or folder: lib"
        in refused(good.replace("describe\n", "describe\n  code_paths: [lib]\n"))[0]
    )


def test_the_long_form_is_whole_and_does_not_depend_on_the_place(load: Load, good: str) -> None:
    short = project_document(load(good + "repeats: 3\n"))
    long = project_document(load(good.replace("cases.jsonl", "{path: cases.jsonl}") + "repeats: {count: 3}\n"))
    assert digest_of(short) == digest_of(long)
    assert short["repeats"] == {"count": 3, "pass_when": None}
    assert short["evaluators"][0]["on_execution_error"] == "missing"
    assert json.loads(json.dumps(short)) == short
    assert digest_of(short) != digest_of(project_document(load(good)))


def test_a_criterion_may_not_be_named_like_a_rate(refused: Refused, good: str) -> None:
    assert "error_rate is the name of a rate" in refused(good.replace("criterion: caption", "criterion: error_rate"))[0]


@pytest.mark.parametrize(
    ("written", "told"),
    [("width", "did you mean min_width?"), ("max_widht", "did you mean max_width?"), ("max", "accepted: ")],
)
def test_a_name_that_is_surely_meant_is_told_alone(written: str, told: str) -> None:
    assert suggestion(written, MEDIA_KEYS).startswith(told)
    assert ("accepted: " in suggestion(written, MEDIA_KEYS)) == (told == "accepted: ")


def test_a_name_that_is_hardly_meant_comes_with_all_that_are_accepted() -> None:
    """``min_loudness`` is no slip of ``min_count``: who wrote it must see that there is no such key."""
    told = suggestion("min_loudness", MEDIA_KEYS)
    assert told == "did you mean min_count? accepted: min_width, max_width, min_count, has_audio"

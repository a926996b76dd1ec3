"""The documentation tells the truth: commands run, files load, generated pages are fresh, links lead somewhere."""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from oloproof.config import RATES, load_policy, load_project, parse_yaml
from oloproof.evaluators import builtin_registry
from oloproof.examples import copy_example
from tests.warm import CAN_FORK, Warm

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"^# (?P<name>[\w./-]+\.(?:yaml|py|sh))$")
SHOWN_PORT = "8765"
INSTALLED = Path(sys.executable).parent
INSTALLED_ON = "README.md"
EXPECTED_EXIT = re.compile(r"\s+# exit (?P<code>[0-9]+)$")


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    page: Path
    line: int
    language: str
    argument: str
    body: str

    @property
    def file(self) -> str | None:
        """The file that the block is, told by its first line or beside its language; None for a fragment."""
        if self.argument:
            return self.argument
        match = FILE_NAME.match(self.body.partition("\n")[0])
        return match["name"] if match and self.language in ("yaml", "python") else None


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        language, _, argument = match["info"].strip().partition(" ")
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(page, line, language, argument.strip(), match["body"]))
    return found


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def runs_something(page: Path) -> bool:
    return any(block.language == "console" for block in blocks_of(page))


# --- what is executed ------------------------------------------------------------------------------------------


class Reader:
    """Someone who follows one page from top to bottom in an empty folder."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        self._programs = programs
        self._groups: list[int] = []
        self._port = free_port()

    def leave(self) -> None:
        """End whatever a command left running."""
        for group in self._groups:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)

    def follow(self, block: Block) -> None:
        body = block.body.replace(SHOWN_PORT, self._port)
        if block.language == "console":
            for command, expected in commands_in(body):
                self.type(command, expected, f"{name_of(block.page)}:{block.line}")
        elif block.file is not None:
            target = self.folder / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(body, encoding="utf-8")

    def type(self, command: str, expected: list[str], place: str) -> None:
        wanted = EXPECTED_EXIT.search(command)
        command = EXPECTED_EXIT.sub("", command)
        if re.fullmatch(r"cd [\w./~-]+", command):
            self.folder = (self.folder / command[3:]).resolve()
            assert self.folder.is_dir(), f"{place}: {command}"
            return
        ended, printed = self._run(command)
        code = int(wanted["code"]) if wanted else 0
        assert ended == code, f"{place}: {command}\nended with {ended}, not {code}:\n{printed}"
        for line in expected:
            found = pattern(line).search(masked(printed))
            assert found, f"{place}: {command}\ndoes not print: {line}\nbut:\n{printed}"

    def _run(self, command: str) -> tuple[int, str]:
        with subprocess.Popen(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment(self._programs),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as process:
            self._groups.append(process.pid)
            printed, _ = process.communicate(timeout=120)
        return process.returncode, printed


def free_port() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


def environment(programs: Path = INSTALLED) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "COLUMNS")}
    path = os.pathsep.join([str(programs), str(INSTALLED), kept.get("PATH", "")])
    return {**kept, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100"}


def commands_in(body: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command after a ``$`` with the lines shown under it; a backslash continues a command."""
    command: str | None = None
    shown: list[str] = []
    for line in body.splitlines():
        if command is not None and command.endswith("\\"):
            command = f"{command[:-1]}{line.strip().removeprefix('> ')}"
        elif line.startswith("$ "):
            if command is not None:
                yield command, shown
            command, shown = line[2:], []
        elif line.strip() and line.strip() != "…":
            shown.append(line)
    if command is not None:
        yield command, shown


def masked(text: str) -> str:
    """Return output without what differs from run to run: ids, digests, times."""
    text = re.sub(r"\b\d{8}-\d{6}-[0-9a-f]{4}\b", "RUN", text)
    text = re.sub(r"\b[0-9a-f]{64}\b", "SHA256", text)
    text = re.sub(r"\b\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}Z?", "TIME", text)
    return re.sub(r"\b\d+(\.\d+)? s\b", "N s", text)


def pattern(line: str) -> re.Pattern[str]:
    """Return what a shown line asks for: its words in one line, ``…`` for whatever is left out."""
    parts = [r"[ \t]+".join(re.escape(word) for word in part.split()) for part in masked(line).split("…")]
    return re.compile(r"[^\n]*".join(parts))


@pytest.mark.parametrize("page", [page for page in PAGES if runs_something(page)], ids=name_of)
def test_every_command_of_a_page_runs_in_the_order_of_the_page(page: Path, tmp_path: Path, warm: Warm) -> None:
    """A reader who types a page's commands, and saves its files, sees what the page says.

    The README's are those of the installed program; of the other pages each runs without its start-up.
    """
    installed = name_of(page) == INSTALLED_ON or not CAN_FORK
    reader = Reader(tmp_path, INSTALLED if installed else warm.program())
    try:
        for block in blocks_of(page):
            reader.follow(block)
    finally:
        reader.leave()


# --- what is loaded --------------------------------------------------------------------------------------------

MINIMAL: dict[str, Any] = {
    "version": 1,
    "project": "docs",
    "dataset": "cases.jsonl",
    "system": {"callable": "app:answer"},
}
FRAGMENTS = [block for page in PAGES for block in blocks_of(page) if block.language == "yaml"]


@pytest.mark.parametrize("block", FRAGMENTS, ids=lambda block: f"{name_of(block.page)}:{block.line}")
def test_every_yaml_block_says_what_the_product_takes(block: Block, tmp_path: Path) -> None:
    """A project, a policy, or a part of one: nothing in it is unknown to the models."""
    document = parse_yaml(block.body, "block.yaml")
    assert not document.problems
    load_as_what_it_is(document.data, tmp_path)


def load_as_what_it_is(data: Any, folder: Path) -> None:
    if isinstance(data, dict) and "on" in data and "jobs" in data:
        return  # a CI workflow, which is not ours to check
    if isinstance(data, list):
        data = {"evaluators": data} if "type" in data[0] else {"rules": data}
    if "rules" in data or "block_on" in data or "confidence_level" in data:
        (folder / "policy.yaml").write_text(as_yaml(data), encoding="utf-8")
        load_policy(folder / "policy.yaml")
        return
    project = {**MINIMAL, **data}
    for criterion in named_metrics(project.get("policy")):
        if not any(entry["criterion"] == criterion for entry in project.get("evaluators", [])):
            project.setdefault("evaluators", []).append({"type": "exact_match", "criterion": criterion})
    make_files(project, folder)
    (folder / "oloproof.yaml").write_text(as_yaml(project), encoding="utf-8")
    load_project(folder, builtin_registry().options())


def named_metrics(policy: Any) -> set[str]:
    if not isinstance(policy, dict):
        return set()
    return {rule["metric"].partition(".")[0] for rule in policy["rules"]} - set(RATES)


def make_files(project: dict[str, Any], folder: Path) -> None:
    """Make what the project names, so that only its words are looked at."""
    dataset = project["dataset"] if isinstance(project["dataset"], dict) else {"path": project["dataset"]}
    files = [dataset.get("path"), dataset.get("table")]
    if isinstance(project.get("policy"), str):
        metrics = [entry["criterion"] for entry in project.get("evaluators", [])]
        rules = [{"id": metric, "metric": metric, "max_failures": 0} for metric in metrics]
        (folder / project["policy"]).write_text(as_yaml({"version": 1, "rules": rules}), encoding="utf-8")
    for name in [*files, *project["system"].get("code_paths", [])]:
        if name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("", encoding="utf-8")
    if dataset.get("folder"):
        (folder / dataset["folder"]).mkdir(parents=True, exist_ok=True)


def as_yaml(data: Any) -> str:
    return json.dumps(data)  # JSON is YAML


@pytest.mark.parametrize(
    "block",
    [block for page in PAGES for block in blocks_of(page) if block.language == "python"],
    ids=lambda block: f"{name_of(block.page)}:{block.line}",
)
def test_every_python_block_is_python(block: Block) -> None:
    """Also those that are shown and not run."""
    if is_session(block):
        return
    compile(block.body, f"{name_of(block.page)}:{block.line}", "exec")


def is_session(block: Block) -> bool:
    return block.language in ("python", "pycon") and block.body.startswith(">>>")


@pytest.mark.parametrize("page", [page for page in PAGES if any(map(is_session, blocks_of(page)))], ids=name_of)
def test_every_python_session_answers_as_shown(page: Path) -> None:
    """The sessions of a page are one: a later block knows the names of those before it."""
    text = "\n".join(block.body for block in blocks_of(page) if is_session(block))
    session = doctest.DocTestParser().get_doctest(text, {}, name_of(page), str(page), 0)
    told: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(session, out=told.append)
    assert not told, "".join(told)


# --- what is written from the code -----------------------------------------------------------------------------


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "scripts" / "generate_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATED = generator().PAGES


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_page_is_what_the_code_says_today(name: str) -> None:
    """``make docs`` writes it anew."""
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == GENERATED[name](), "stale: run `make docs`"


# --- what is linked and left out -------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    """To a file of the repository and, where one is named, to a heading of it."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for address in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in address:
            continue
        path, _, anchor = address.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name_of(page)} links to {address}"
        if anchor:
            assert anchor in anchors_of(target), f"{name_of(page)} links to {address}"


def anchors_of(page: Path) -> set[str]:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_on_the_map() -> None:
    """docs/index.md names each page of docs/."""
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)#\s]+)", text))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")} - {"index.md"}
    assert pages <= linked


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_page_installs_by_bare_name(page: Path) -> None:
    """Another package owns the name on the public registry, so everything is installed from the checkout."""
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(pip|uv|pipx)\s+(tool\s+)?(install|run)\s+(-\S+\s+)*['\"]?oloproof", text)


# --- what JSON holds -------------------------------------------------------------------------------------------


def keys_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, entry in value.items():
            yield key
            if key not in ("input", "output", "expected", "details", "facts", "extras", "slice"):
                yield from keys_in(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from keys_in(entry)


COMMANDS = {
    "run": "run --quiet --json",
    "again": "run --quiet --json",
    "case": "inspect --case mug --json",
    "failures": "inspect --failures --json",
    "runs": "runs --json",
    "compare": "compare --json",
    "plan": "plan --json",
    "check": "check --json",
    "doctor": "doctor --json",
    "media": "media data/photos/mug.jpg --json",
}
ALL_IN_ONE_PROCESS = """
import json, os, sys
from oloproof.cli.group import root

for name, line in json.loads(sys.argv[1]).items():
    with open(f"{name}.json", "w") as file:
        os.dup2(file.fileno(), 1)
        try:
            root(line.split(), prog_name="oloproof")
        except SystemExit as end:
            sys.stdout.flush()
            assert not end.code, line
"""


def test_every_key_of_our_json_is_described(tmp_path: Path, warm: Warm) -> None:
    """docs/reference/json.md names each key that the commands print."""
    copy_example("thumbnails", tmp_path)
    typed = warm.python(ALL_IN_ONE_PROCESS, json.dumps(COMMANDS))
    subprocess.run(typed, cwd=tmp_path, env=environment(), check=True, timeout=120)
    described = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        document = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
        absent = {key for key in keys_in(document) if f"`{key}`" not in described}
        assert not absent, f"{name} prints keys that json.md does not describe"

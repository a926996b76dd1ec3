"""Write the pages of docs/ that are made from the code: ``make docs``. A test fails while a committed one is stale."""

import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from oloproof.cli.group import root
from oloproof.config import (
    CommandOptions,
    DatasetOptions,
    EvaluatorOptions,
    HttpOptions,
    Options,
    PolicyOptions,
    ProjectOptions,
    RepeatOptions,
    ReplayOptions,
    RuleOptions,
    SystemOptions,
)
from oloproof.config.families import FAMILY_METRICS, OF_ONE_VARIANT, limits_of
from oloproof.config.recipes import FORMS, RecipeForm
from oloproof.config.variants import CONDITIONS, DEFAULT_RELATIONS, DeliveryOptions, ReplacedOptions, VariantOptions
from oloproof.evaluators import Evaluator, builtin_registry
from oloproof.policy import REASONS

DOCS = Path(__file__).parent.parent / "docs"
NOTE = "<!-- Written by `make docs` from the code; change it there. -->"
WIDTH = 100


# --- evaluators ------------------------------------------------------------------------------------------------


def evaluators_page() -> str:
    """Return the page of all built-in evaluators, made from their docstrings."""
    kinds = list(builtin_registry())
    parts = [
        "# Evaluators",
        NOTE,
        "Each entry of `evaluators:` has a `type`, which is one of those below, and a `criterion`, the name under "
        "which it reports and which rules refer to. It may also say `on_execution_error: fail`: a case whose execution "
        "failed then fails this check; by default it is *missing*.",
        "What an evaluator says of one case is `pass`, `fail`, `invalid` (there is an answer and it cannot be used) or "
        "`missing` (nothing could be measured), always with a reason.",
        "\n".join(f"- [`{kind.type}`](#{kind.type}): {headline(kind)}" for kind in kinds),
        *(part for kind in kinds for part in evaluator_section(kind)),
    ]
    return page(parts)


def headline(kind: type[Evaluator[Any]]) -> str:
    """Return the first sentence of an evaluator's docstring, without its full stop."""
    first = plain(docstring(kind).split("\n\n")[0])
    sentence = re.split(r"(?<=[.])\s", first)[0].rstrip(".")
    return sentence[0].lower() + sentence[1:]


def evaluator_section(kind: type[Evaluator[Any]]) -> Iterator[str]:
    """Yield the section of one evaluator: what it measures, its keys, what passes and fails."""
    yield f"## `{kind.type}`"
    for block in re.split(r"\n\n(?=\S)", docstring(kind)):  # a blank line within an indented block belongs to it
        title, _, body = block.partition("\n")
        if title == "Keys:":
            yield "| key | meaning |\n| --- | --- |\n" + "\n".join(
                f"| {', '.join(f'`{name.strip()}`' for name in names.split(','))} | {cell(plain(text))} |"
                for names, text in entries(body)
            )
        elif title in ("Passes:", "Fails:"):
            yield f"{title}\n\n```text\n{textwrap.dedent(body).rstrip()}\n```"
        else:
            yield plain(block)


def entries(body: str) -> Iterator[tuple[str, str]]:
    """Yield name and text of each ``name: text`` of a docstring's section; deeper lines continue an entry."""
    for entry in re.split(r"\n(?=\S)", textwrap.dedent(body)):
        name, _, text = entry.partition(":")
        yield name.strip(), text


def docstring(value: Any) -> str:
    """Return a cleaned docstring."""
    return inspect.getdoc(value) or ""


def plain(text: str) -> str:
    """Return a paragraph of a docstring as Markdown on one line."""
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"`\1`", text)
    return " ".join(text.replace("``", "`").split())


def cell(text: str) -> str:
    """Return text that may stand in a table."""
    return text.replace("|", "\\|")


# --- the command line ------------------------------------------------------------------------------------------


def cli_page() -> str:
    """Return the page of all commands, made from what ``--help`` prints."""
    parts = ["# Command line", NOTE]
    for words, command, context in commands(root, None, "oloproof"):
        level = "#" * (len(words) if len(words) > 1 else 0)
        parts += [f"{level} `{' '.join(words)}`"] if level else []
        parts.append(help_block(command, context))
    return page(parts)


def commands(
    command: click.Command, parent: click.Context | None, name: str, above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command, click.Context]]:
    """Yield a command and all below it, each with the words that call it."""
    context = click.Context(
        command,
        parent=parent,
        info_name=name,
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        help_option_names=root.context_settings.get("help_option_names"),
    )
    words = (*above, name)
    yield words, command, context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            child = command.get_command(context, below)
            if child is not None:
                yield from commands(child, context, below, words)


def help_block(command: click.Command, context: click.Context) -> str:
    """Return the help of a command as a block of text."""
    lines = (line.rstrip() for line in command.get_help(context).splitlines())
    return "```text\n" + "\n".join(lines) + "\n```"


# --- reason codes ----------------------------------------------------------------------------------------------


def reasons_page() -> str:
    """Return the closed list of reason codes."""
    rows = "\n".join(f"| `{code}` | {cell(text)} |" for code, text in REASONS.items())
    return page(
        [
            "# Reason codes",
            NOTE,
            "Every decision carries one of these codes: in the summary of a run, in JSON and JUnit, and in the report. "
            "The list is closed, so a script may rely on it; the sentence beside a code may change.",
            f"| code | what it says |\n| --- | --- |\n{rows}",
        ]
    )


# --- the project file ------------------------------------------------------------------------------------------

MEANINGS: dict[str, str] = {
    "ProjectOptions.version": "The version of this format. Always 1.",
    "ProjectOptions.project": "What the project is called in runs and reports.",
    "ProjectOptions.dataset": "Where the cases come from: the path of a file, or a mapping, [see below](#dataset).",
    "ProjectOptions.system": "What is evaluated, [see below](#system).",
    "ProjectOptions.evaluators": "The checks, each with its own keys: [Evaluators](evaluators.md).",
    "ProjectOptions.policy": "The path of a policy file, or [the policy itself](#policy). Without the key, a "
    "`release.yaml` beside the project file is used when there is one.",
    "ProjectOptions.concurrency": "How many trials are under way at once.",
    "ProjectOptions.repeats": "How often each case is executed: a number, or a mapping, [see below](#repeats).",
    "ProjectOptions.variants": "What is derived from each case, [see below](#variants): deliveries of a file in "
    "other forms, and conditions.",
    "ProjectOptions.outputs": "The folder under which `current_case().path(name)` gives out places.",
    "ProjectOptions.media_roots": "Folders outside the project in which a command or service may name files.",
    "DatasetOptions.path": "A `.jsonl`, `.json` or `.csv` file. Exactly one of `path` and `folder`.",
    "DatasetOptions.folder": "A folder of media: each file is a case.",
    "DatasetOptions.table": "With `folder`: a file that says more about each file, joined by its name.",
    "DatasetOptions.media": "Fields of `input` (dotted) that name files. They are looked for before the run, reach the "
    "system as absolute paths, and their content decides whether an earlier answer may be reused.",
    "SystemOptions.name": "Its name in runs and reports. Required for a command and a service; a callable may say it "
    "in `@system`.",
    "SystemOptions.version": "Its version. Where `@system` gives one too, the two must agree.",
    "SystemOptions.callable": "A Python function, as `module:function`. Modules beside the project file come first.",
    "SystemOptions.command": "A program: a list of arguments, or [a mapping](#command). No shell is involved.",
    "SystemOptions.http": "A service: its address, or [a mapping](#http).",
    "SystemOptions.replay": "A file of recorded answers in place of a system, or [a mapping](#replay). Its runs are "
    "marked as replays.",
    "SystemOptions.records": "The kinds of artifact it records: `[media/v1]`.",
    "SystemOptions.timeout": "Seconds that one trial may take. A late one fails.",
    "SystemOptions.parameters": "Anything else that makes its answers what they are; part of the key of kept answers.",
    "SystemOptions.code_paths": "Files and folders whose change asks the system anew: prompts, weights, programs.",
    "CommandOptions.run": "The program and its arguments.",
    "CommandOptions.keep": "Whether workers stay, and answer one line of JSON for each line they are sent.",
    "HttpOptions.url": "Where each trial is posted. A password in it is refused.",
    "HttpOptions.headers_env": "Headers, each with the name of the environment variable that holds its value.",
    "HttpOptions.timeout": "Seconds for one answer; wins over that of the system. Without either, 60.",
    "ReplayOptions.path": "A JSON file `{CASE: {VARIANT: [ANSWER, …]}}`, one answer a repeat. `{error: WORDS}` is a "
    "failure that was recorded.",
    "ReplayOptions.cycle": "Whether a list with fewer answers than repeats is gone through again.",
    "RepeatOptions.count": "How often each case is executed.",
    "RepeatOptions.pass_when": "A case passes when so many of its repeats pass. Without it a case counts with the "
    "share of its repeats that pass.",
    "PolicyOptions.version": "The version of this format. Always 1.",
    "PolicyOptions.confidence_level": "The level of every interval.",
    "PolicyOptions.block_on": "The states of a rule that make a run end with exit code 1.",
    "PolicyOptions.require_validated_evaluators": "Whether an evaluator that asks a model decides nothing before "
    "people's labels show that it agrees with them.",
    "PolicyOptions.rules": "What must hold, [see below](#rules).",
    "RuleOptions.id": "The name of the rule; each is unique.",
    "RuleOptions.metric": "A criterion; `CRITERION.error_rate`, `.invalid_rate` or `.missing_rate`; `error_rate` of "
    "all executions; or [one over families](#metrics-over-families).",
    "RuleOptions.kind": "What is compared. Left out, `max_failures` makes it `observed_count` and `min` or `max` makes "
    "it `interval`. `interval_threshold` is another word for `interval`.",
    "RuleOptions.min": "The metric must be at least this.",
    "RuleOptions.max": "The metric may be at most this.",
    "RuleOptions.max_failures": "So many cases may fail. Nothing is decided while what is missing or invalid could "
    "exceed it.",
    "RuleOptions.max_identical_delta": "How far the accuracy of the worst `same_view` variant may lie below the "
    "original's. Cases whose original flips are left out.",
    "RuleOptions.min_lossy_accuracy": "The least accuracy of the worst `degraded` variant, over the same cases.",
    "RuleOptions.max_flaky": "So many cases may pass in some repeats of the original and fail in others.",
    "RuleOptions.margin": "How much worse (or different) is still good enough, for `non_inferiority` and "
    "`equivalence`.",
    "RuleOptions.variant": "The variant of the cases that is read.",
    "RuleOptions.relation": "Which variants a metric called worst is over.",
    "RuleOptions.cohort": "For metrics over families: `strict` leaves out cases whose original flips between its "
    "repeats, and says how many.",
    "RuleOptions.slice": "Only the cases whose `slice` has these values.",
    "RuleOptions.decide_on": "With `min` or `max`: whether the whole `interval` must hold, or the `estimate` alone.",
    "RuleOptions.estimand": "For a judge: whether `human_rate`, the rate at which people would pass the run, "
    "or `judge_rate`, that at which the judge does, is held to the threshold. Without it, `human_rate` while "
    "`require_validated_evaluators` holds; written down, `human_rate` asks for labels whatever that says. A rule with "
    "`max_failures` counts what the judge fails.",
    "RuleOptions.requires_manual_review": "Whether a person must look before it passes.",
    "EvaluatorOptions.type": "Which evaluator it is.",
    "EvaluatorOptions.criterion": "The name under which it reports; each is unique.",
    "EvaluatorOptions.on_execution_error": "What a case whose execution failed is for this check.",
}

MEANINGS |= {
    "VariantOptions.delivery": "A file of the case in other forms, [see below](#delivery).",
    "VariantOptions.text_only": "Null in place of the file: a field, or a mapping with `field` and `relation`.",
    "VariantOptions.blank": "A file of the same size with nothing in it; also takes `color`.",
    "VariantOptions.unrelated": "The file of another case; also takes `seed`, by which it is chosen.",
    "VariantOptions.mirror": "The picture or video with left and right exchanged.",
    "VariantOptions.counterfactual": "Another file with another truth, "
    "[see below](#counterfactual-original_image-prompts).",
    "VariantOptions.original_image": "The file that a changed one was made from.",
    "VariantOptions.prompts": "Other wordings in place of a text of the input.",
    "DeliveryOptions.field": "The field of `input` that names the file.",
    "DeliveryOptions.apply": "[Recipes](recipes.md) by name, such as `jpeg-40`, or with an amount: `{blur: 3}`.",
    "DeliveryOptions.relation": "What the files claim to be, in place of what each recipe claims.",
    "ReplacedOptions.field": "The field of `input` that is replaced.",
    "ReplacedOptions.relation": "What the variant claims to be, in place of what the condition claims.",
    "ReplacedOptions.from": "The field of the case that replaces it: `input.…` or `expected.…`. A case without it has "
    "no such variant, and a field of `input` is then not given to the system.",
    "ReplacedOptions.expected": "A field of the case whose keys replace those of `expected` under this condition.",
}

SECTIONS: tuple[tuple[str, type[Options]], ...] = (
    ("Top level", ProjectOptions),
    ("`dataset`", DatasetOptions),
    ("`system`", SystemOptions),
    ("`command`", CommandOptions),
    ("`http`", HttpOptions),
    ("`replay`", ReplayOptions),
    ("`repeats`", RepeatOptions),
    ("`variants`", VariantOptions),
    ("`delivery`", DeliveryOptions),
    ("`counterfactual`, `original_image`, `prompts`", ReplacedOptions),
    ("`evaluators`", EvaluatorOptions),
    ("`policy`", PolicyOptions),
    ("`rules`", RuleOptions),
)
BEGIN, END = "<!-- keys: written by `make docs` -->", "<!-- end of keys -->"


def project_file_page() -> str:
    """Return the page of the project file: the hand-written text around, the tables of keys made anew."""
    text = (DOCS / "reference" / "project-file.md").read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not rest or END not in rest:
        raise SystemExit(f"docs/reference/project-file.md needs the lines {BEGIN} and {END}")
    tables = "\n\n".join(f"### {title}\n\n{keys_table(model)}" for title, model in SECTIONS)
    return f"{before}{BEGIN}\n\n{tables}\n\n{family_metrics()}\n\n{END}{after}"


def family_metrics() -> str:
    """Return the section of the metrics over families that a rule may name."""
    rows = [f"| `{name}` | {lowest(name)} | {meaning} |" for name, meaning in FAMILY_METRICS.items()]
    rows += ["| `pass^K` | 0 to 1 | all of K repeats pass |", "| `pass@K` | 0 to 1 | one of K repeats passes |"]
    table = "\n".join(["| metric | runs | what it is |", "| --- | --- | --- |", *rows])
    return (
        "### Metrics over families\n\n"
        "Named `CRITERION.METRIC`. A family is a case with its variants and repeats. "
        f"{', '.join(f'`{name}`' for name in OF_ONE_VARIANT)} take `variant:`, those called worst take `relation:`, "
        "and those of labels are told by a `prior_probe`.\n\n" + table
    )


def lowest(name: str) -> str:
    """Return between what a metric lies."""
    low, high = limits_of(name)
    return "from 0" if high > 1 else f"{low:g} to {high:g}"


def keys_table(model: type[Options]) -> str:
    """Return the table of the keys of one mapping: what they take, what holds without them, what they mean."""
    schema = model.model_json_schema()
    rows = ["| key | takes | default | meaning |", "| --- | --- | --- | --- |"]
    for key, entry in schema["properties"].items():
        default = "required" if key in schema.get("required", ()) else default_of(entry)
        meaning = MEANINGS[f"{model.__name__}.{key}"]
        rows.append(f"| `{key}` | {cell(takes(entry, schema))} | {default} | {cell(meaning)} |")
    return "\n".join(rows)


def default_of(entry: Mapping[str, Any]) -> str:
    """Return the default of a key in the words of YAML."""
    value = entry.get("default")
    if value is None:
        return "–"
    if isinstance(value, dict) and value:
        value = value.get("count", value)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{text.replace(chr(39), '')}`"


def takes(entry: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return what may stand for a key, in words."""
    if "$ref" in entry:
        return "mapping"
    if "anyOf" in entry:
        words = [takes(choice, schema) for choice in entry["anyOf"] if choice.get("type") != "null"]
        return " or ".join(dict.fromkeys(words))
    if "const" in entry:
        return f"`{entry['const']}`"
    if "enum" in entry:
        return ", ".join(f"`{value}`" for value in entry["enum"])
    kind = {"string": "text", "integer": "whole number", "number": "number", "boolean": "`true`, `false`"}.get(
        entry.get("type", ""), entry.get("type", "anything")
    )
    if entry.get("type") == "array":
        kind = f"list of {takes(entry.get('items', {}), schema)}"
    if entry.get("type") == "object":
        kind = "mapping"
    return kind + bounds(entry)


def bounds(entry: Mapping[str, Any]) -> str:
    """Return the range of a number in words."""
    signs = {"minimum": "≥ ", "exclusiveMinimum": "> ", "maximum": "≤ ", "exclusiveMaximum": "< "}
    told = [f"{sign}{entry[name]:g}" for name, sign in signs.items() if name in entry]
    return f" {', '.join(told)}" if told else ""


# --- recipes ---------------------------------------------------------------------------------------------------


def recipes_page() -> str:
    """Return the page of all recipes and conditions, made from what the project file may say of them."""
    parts = [
        "# Recipes and conditions",
        NOTE,
        "A recipe delivers a file in another form: `delivery: {field: photo, apply: [jpeg-40, {blur: 3}]}`. Its "
        "variant is called as the recipe with its amount: `jpeg-40`, `blur-3`, `gain--6`. [Test deliveries]"
        "(../how-to/test-deliveries.md) shows how they are used and what the relations claim.",
    ]
    for kind, title in (("image", "Images"), ("audio", "Sounds"), ("video", "Videos")):
        rows = [recipe_row(form) for form in FORMS.values() if form.kind == kind]
        parts += [
            f"## {title}",
            "| recipe | amount | what comes out | relation |\n| --- | --- | --- | --- |\n" + "\n".join(rows),
        ]
    rows = [f"| `{name}` | {condition_words(name)} | `{DEFAULT_RELATIONS[name]}` |" for name in CONDITIONS]
    return page(
        [*parts, "## Conditions", "| condition | what is given | relation |\n| --- | --- | --- |\n" + "\n".join(rows)]
    )


def recipe_row(form: RecipeForm) -> str:
    """Return the line of one recipe."""
    amount = form.amount
    words = "–" if amount is None else f"{amount.noun}, {amount.low:g} to {amount.high:g}"
    words += f"; {amount.default:g} without one" if amount is not None and amount.default is not None else ""
    return f"| `{form.name}` | {words} | {form.does} | `{form.relation}` |"


def condition_words(name: str) -> str:
    """Return what is given under a condition, from what its key means."""
    return (
        re.sub(r",? \[see below\]\([^)]*\)", "", MEANINGS[f"VariantOptions.{name}"]).split(": a field")[0].rstrip(".")
    )


# --- writing ---------------------------------------------------------------------------------------------------


def page(parts: list[str]) -> str:
    """Return a page of these parts."""
    return "\n\n".join(parts) + "\n"


PAGES: Mapping[str, Callable[[], str]] = {
    "reference/cli.md": cli_page,
    "reference/evaluators.md": evaluators_page,
    "reference/project-file.md": project_file_page,
    "reference/reason-codes.md": reasons_page,
    "reference/recipes.md": recipes_page,
}


def main() -> None:
    """Write every generated page that changed."""
    for name, make in PAGES.items():
        path = DOCS / name
        text = make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote docs/{name}", file=sys.stderr)


if __name__ == "__main__":
    main()

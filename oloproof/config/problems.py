"""Turns what a model refuses into problems that a person can mend: the place, what was found, what to write.

No wording, address or class name of the validation library gets through; both are tested.
"""

from __future__ import annotations

import difflib
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path as FilePath
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from oloproof.config.base import InWords
from oloproof.config.sites import Site, bare, existing, fields_of, locate, value_at
from oloproof.config.yaml12 import Document, Path, scalar
from oloproof.errors import Problem

_MAX_SHOWN = 60
_SURE = 0.75
"""How alike two names are where one is a slip of the other; ``min_loudness`` and ``min_count`` share ``min_`` only."""


def shown_path(path: FilePath) -> str:
    """Return ``path`` as it is printed: relative to the current folder where it lies in it."""
    try:
        return str(FilePath(os.path.abspath(path)).relative_to(FilePath.cwd()))
    except (ValueError, OSError):
        return str(path)


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the one of ``names`` that was probably meant by ``name``, None when nothing is near."""
    by_fold = {candidate.casefold(): candidate for candidate in names}
    found = difflib.get_close_matches(name.casefold(), by_fold, n=1, cutoff=0.66)
    return by_fold[found[0]] if found else None


def suggestion(name: str, names: Sequence[str], noun: str = "accepted") -> str:
    """Return ``did you mean …?``, and the whole list of what is accepted unless that is surely what was meant."""
    near = nearest(name, names)
    whole = f"{noun}: {', '.join(names) or 'none'}"
    if near is None:
        return whole
    wrote, meant = name.casefold(), near.casefold()
    sure = wrote in meant or meant in wrote or difflib.SequenceMatcher(None, wrote, meant).ratio() >= _SURE
    return f"did you mean {near}?" if sure else f"did you mean {near}? {whole}"


def found(value: Any, source: str | None = None) -> str:
    """Return ``value`` in plain words; ``source`` is the unquoted text that was written."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return source or str(value).lower()
    if isinstance(value, int | float):
        return f"the number {source or value}"
    if isinstance(value, str):
        return f"the text {_clip(value)!r}" if value else "an empty text"
    return "a list" if isinstance(value, list) else "a mapping"


def _clip(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"


# --- the words -----------------------------------------------------------------------------------------------


def _said_as_number(text: str) -> str | None:
    """Return the number that ``text`` most likely stands for, as it should be written."""
    plain = re.sub(r"(?<=\d)[_,' ](?=\d{3}(?:\D|$))", "", text.strip())
    plain = re.sub(r"^([-+]?)0+(?=\d)", r"\1", plain)
    number = scalar(plain)
    return plain if isinstance(number, int | float) and not isinstance(number, bool) and plain else None


def _number_hint(value: Any, site: Site | None = None) -> str:
    if not isinstance(value, str):
        return ""
    percent = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%\s*", value)
    if percent:
        part = share(float(percent[1]))
        relative = f"relative_{site.path[-1]}" if site is not None and site.path else ""
        is_one = site is not None and site.owner is not None and relative in fields_of(site.owner)
        return f"; {percent[1]} % is {f'{relative}: {part}' if is_one else f'written {part}'}"
    plain = _said_as_number(value)
    if plain is None:
        return ""
    return f"; write {plain} without quotes" if plain == value else f"; write {plain}"


def _expect(what: str) -> Callable[[ErrorDetails, Site, str | None], str]:
    def words(error: ErrorDetails, site: Site, source: str | None) -> str:
        value = error["input"]
        hint = _number_hint(value, site) if "number" in what else ""
        return f"expected {what}, found {found(value, source)}{hint}"

    return words


def _text(error: ErrorDetails, site: Site, source: str | None) -> str:
    value = error["input"]
    message = f"expected text, found {found(value, source)}"
    return f'{message}; quote it: "{source}"' if source else message


def _truth(error: ErrorDetails, site: Site, source: str | None) -> str:
    value = error["input"]
    meant = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
    lowered = str(value).strip().lower()
    if isinstance(value, str) and lowered in ("true", "false"):
        meant[lowered] = f"{lowered} without quotes"
    hint = f"; write {meant[lowered]}" if isinstance(value, str) and lowered in meant else ""
    return f"expected true or false, found {found(value, source)}{hint}"


def _unknown(error: ErrorDetails, site: Site, source: str | None) -> str:
    names = list(fields_of(site.owner)) if site.owner else []
    return f"unknown field; {suggestion(str(site.path[-1]), names)}"


def _missing(error: ErrorDetails, site: Site, source: str | None) -> str:
    return "required, and not given"


def _choice(error: ErrorDetails, site: Site, source: str | None) -> str:
    core, _ = bare(site.annotation)
    choices = [str(choice) for choice in get_args(core)] if get_origin(core) is Literal else []
    value = error["input"]
    if not choices:
        return f"expected {(error.get('ctx') or {}).get('expected', 'another value')}, found {found(value, source)}"
    words = f"expected {_either(choices)}, found {found(value, source)}"
    if source is not None and source in choices and not isinstance(value, str):
        return f'{words}; quote it: "{source}"'
    near = nearest(value, choices) if isinstance(value, str) and len(choices) > 1 else None
    return f"{words}; did you mean {near}?" if near else words


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _range(error: ErrorDetails, site: Site, source: str | None) -> str:
    _, constraints = bare(site.annotation)
    bounds = {name: bound for item in constraints for name, bound in _bounds(item)}
    bounds.update({name: bound for name, bound in (error.get("ctx") or {}).items() if name in _BOUNDS})
    value = error["input"]
    if "ge" in bounds and "le" in bounds:
        asked = f"between {_plain(bounds['ge'])} and {_plain(bounds['le'])}"
    else:
        asked = " and ".join(f"{words} {_plain(bounds[name])}" for name, words in _BOUNDS.items() if name in bounds)
    upper = bounds.get("le", bounds.get("lt"))
    return f"must be {asked}, found {source or value}{percent_hint(value, upper)}"


def _plain(number: float) -> str:
    return f"{number:,g}" if isinstance(number, float) else f"{number:,}"


_BOUNDS = {"gt": "greater than", "ge": "at least", "lt": "less than", "le": "at most"}


def _bounds(item: Any) -> list[tuple[str, Any]]:
    return [(name, getattr(item, name)) for name in _BOUNDS if getattr(item, name, None) is not None]


def percent_hint(value: Any, upper: Any) -> str:
    """Return how a share is written, when ``value`` looks like a percentage of something that ends at 1."""
    if upper is None or upper > 1 or not 1 < value <= 100:
        return ""
    percent = value if value >= 2 else 80
    return f"; {percent:g} % is written {share(percent)}"


def share(percent: float) -> str:
    """Return ``percent`` as a share of one, with at least two digits."""
    text = f"{percent / 100:.4g}"
    return text if len(text) > 3 else f"{percent / 100:.2f}"


def _pattern(error: ErrorDetails, site: Site, source: str | None) -> str:
    _, constraints = bare(site.annotation)
    words = next((item.text for item in constraints if isinstance(item, InWords)), None)
    asked = words or f"what matches {(error.get('ctx') or {}).get('pattern')}"
    return f"expected {asked}, found {found(error['input'])}"


def _length(error: ErrorDetails, site: Site, source: str | None) -> str:
    value, context = error["input"], error.get("ctx") or {}
    noun = "characters" if isinstance(value, str) else "entries"
    count = len(value) if isinstance(value, str | list | dict) else 0
    if "min_length" in context:
        least = context["min_length"]
        return "must not be empty" if least == 1 else f"needs at least {least} {noun}, found {count}"
    return f"takes at most {context.get('max_length')} {noun}, found {count}"


def _own_words(error: ErrorDetails, site: Site, source: str | None) -> str:
    return str((error.get("ctx") or {}).get("error") or error["msg"])


def _tag(error: ErrorDetails, site: Site, source: str | None) -> str:
    context = error.get("ctx") or {}
    names = [name.strip().strip("'") for name in str(context.get("expected_tags", "")).split(",") if name.strip()]
    key = str(context.get("discriminator", "")).strip("'")
    if "tag" not in context:
        return f"needs {key}:" + (f" ({_either(names)})" if names else "")
    return f"{key}: expected {_either(names)}, found {context['tag']!r}"


_MAPPING = _expect("a mapping (key: value)")
_LIST = _expect("a list")
_WORDS: dict[str, Callable[[ErrorDetails, Site, str | None], str]] = {
    "extra_forbidden": _unknown,
    "missing": _missing,
    "string_type": _text,
    "bool_type": _truth,
    "bool_parsing": _truth,
    "int_type": _expect("a whole number"),
    "int_parsing": _expect("a whole number"),
    "int_from_float": _expect("a whole number"),
    "int_parsing_size": _expect("a smaller whole number"),
    "float_type": _expect("a number"),
    "float_parsing": _expect("a number"),
    "finite_number": _expect("a finite number"),
    "literal_error": _choice,
    "enum": _choice,
    "greater_than": _range,
    "greater_than_equal": _range,
    "less_than": _range,
    "less_than_equal": _range,
    "string_pattern_mismatch": _pattern,
    "string_too_short": _length,
    "string_too_long": _length,
    "too_short": _length,
    "too_long": _length,
    "value_error": _own_words,
    "assertion_error": _own_words,
    "list_type": _LIST,
    "tuple_type": _LIST,
    "set_type": _LIST,
    "frozen_set_type": _LIST,
    "dict_type": _MAPPING,
    "mapping_type": _MAPPING,
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "dataclass_type": _MAPPING,
    "union_tag_invalid": _tag,
    "union_tag_not_found": _tag,
}


def _fallback(error: ErrorDetails, site: Site, source: str | None) -> str:
    words = error["msg"].replace("Input should", "must").replace("Value should", "must")
    return f"{words[:1].lower()}{words[1:]}, found {found(error['input'], source)}"


# --- the whole -----------------------------------------------------------------------------------------------

_Located = tuple[ErrorDetails, Site]


def _chosen(located: list[_Located]) -> tuple[list[_Located], dict[Path, tuple[str, ...]]]:
    """Keep the errors of the branches that can be meant; return also the choices of which no branch can be.

    A value of a kind that only one branch takes is meant for that branch. Where several take it, the one with the
    fewest errors is.
    """
    fitting = [(error, site) for error, site in located if all(fits for _, _, fits, _ in site.unions)]
    counts = Counter((path, label) for _, site in fitting for path, label, _, _ in site.unions)
    best: dict[Path, str] = {}
    for (path, label), count in counts.items():
        if path not in best or count < counts[path, best[path]]:
            best[path] = label
    kept = [(error, site) for error, site in fitting if all(best[path] == label for path, label, _, _ in site.unions)]
    undecided: dict[Path, tuple[str, ...]] = {}
    for _, site in located:
        misfit = next(((path, kinds) for path, _, fits, kinds in site.unions if not fits), None)
        if misfit is not None and misfit[0] not in best:
            undecided[misfit[0]] = misfit[1]
    return kept, undecided


def _problem(error: ErrorDetails, site: Site, document: Document, data: Any, base: Path) -> Problem:
    if error["type"] == "missing":
        place = existing(site.path[:-1], data)
        return document.problem((*base, *place), _missing(error, site, None), shown=(*base, *site.path))
    path = (*base, *existing(site.path, data))
    words = _WORDS.get(error["type"], _fallback)
    at_key = error["type"] == "extra_forbidden" or site.on_key
    return document.problem(path, words(error, site, document.source(path)), at_key=at_key)


def problems_from(
    error: ValidationError, model: type[BaseModel], document: Document, data: Any, base: Path = ()
) -> list[Problem]:
    """Return what ``model`` refused in ``data``, the part of ``document`` at ``base``, each with its place."""
    details = error.errors(include_url=False)
    kept, undecided = _chosen([(one, locate(model, one["loc"], data)) for one in details])
    problems = [_problem(one, site, document, data, base) for one, site in kept]
    for path, kinds in undecided.items():
        value = value_at(data, path)
        hint = _number_hint(value) if any("number" in kind for kind in kinds) else ""
        words = f"expected {_either(kinds)}, found {found(value, document.source((*base, *path)))}{hint}"
        problems.append(document.problem((*base, *path), words))
    return list(dict.fromkeys(problems))


def unfit_numbers(data: Any, document: Document, base: Path = ()) -> list[Problem]:
    """Return a problem for every infinity or NaN in ``data``, which no record of a run could hold."""
    if isinstance(data, float) and not math.isfinite(data):
        return [document.problem(base, f"expected a finite number, found {document.source(base)}")]
    items: Iterable[tuple[str | int, Any]] = ()
    if isinstance(data, dict):
        items = data.items()
    elif isinstance(data, list):
        items = enumerate(data)
    return [problem for key, value in items for problem in unfit_numbers(value, document, (*base, key))]

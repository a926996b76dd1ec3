"""YAML 1.2 core types with places: what was written stays what was written.

PyYAML's parser reads the text; its YAML 1.1 types are not used. Only ``true``/``false``, ``null``/``~``/nothing,
whole numbers (decimal, ``0o``, ``0x``) and floats are read as such. ``16:9``, ``no``, ``1_000``, ``2026-01-05`` and
everything with a leading zero, such as ``0123``, are text. So is a number that no float can hold (``12e4567890``).

Aliases are expanded within bounds. Duplicate keys, keys that are not text, merge keys (``<<``, which YAML 1.2 does
not have), tags beyond the core ones and a second document are refused, all that are found at once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml
from msgspec import Struct

from oloproof.errors import ConfigError, Problem

Path = tuple[str | int, ...]
Place = tuple[int, int]

MAX_DEPTH = 100
MAX_NODES = 100_000
MAX_DIGITS = 1000

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_NULLS = frozenset(["", "~", "null", "Null", "NULL"])
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"([-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BARE_KEY = re.compile(r"[\w-]+")


def dotted(path: Path) -> str:
    """Return ``path`` as it is shown to people: ``evaluators[2].max_width``."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _BARE_KEY.fullmatch(part):
            text += f".{part}" if text else part
        else:
            text += f"[{part!r}]"
    return text


def scalar(text: str) -> Any:
    """Return what the plain scalar ``text`` means under the core types; text stays as it is."""
    if text in _NULLS:
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    if len(text) > MAX_DIGITS:
        return text
    if _INT.fullmatch(text):
        return int(text)
    if _BASED.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    special = _SPECIAL.fullmatch(text)
    if special is None:
        return text
    return math.nan if special[1] is None else float(f"{special[1]}inf")


class _Node(Struct):
    """One value with its place. ``value`` is a scalar, a list of nodes, or key → (place of the key, node)."""

    place: Place
    value: Any
    source: str | None = None
    size: int = 1

    def plain(self) -> Any:
        """Return the value without places."""
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        if isinstance(self.value, dict):
            return {key: node.plain() for key, (_, node) in self.value.items()}
        return self.value


class Document:
    """A YAML document: its ``data``, and where each part of it stands.

    ``problems`` holds what is wrong with the YAML itself and did not stop the reading (see :func:`read_yaml`).
    """

    def __init__(self, file: str, root: _Node | None, problems: tuple[Problem, ...] = ()) -> None:
        self.file = file
        self.problems = problems
        self._root = root
        self.data: Any = None if root is None else root.plain()

    def _walk(self, path: Path) -> Iterator[tuple[Place, _Node]]:
        node = self._root
        if node is None:
            return
        yield node.place, node
        for part in path:
            value = node.value
            if isinstance(value, dict) and part in value:
                key_place, node = value[part]
                yield key_place, node
            elif isinstance(value, list) and isinstance(part, int) and 0 <= part < len(value):
                node = value[part]
                yield node.place, node
            else:
                return

    def place(self, path: Path) -> Place | None:
        """Return line and column (from 1) of the value at ``path``, or of its nearest ancestor; None when empty."""
        steps = list(self._walk(path))
        return steps[-1][1].place if steps else None

    def key_place(self, path: Path) -> Place | None:
        """Return line and column of the key that ``path`` ends in; of the value where there is no key."""
        steps = list(self._walk(path))
        return steps[-1][0] if steps else None

    def source(self, path: Path) -> str | None:
        """Return the unquoted scalar at ``path`` exactly as it was written; None for all other values."""
        nodes = list(self._walk(path))
        return nodes[-1][1].source if len(nodes) == len(path) + 1 else None

    def problem(self, path: Path, message: str, *, at_key: bool = False, shown: Path | None = None) -> Problem:
        """Return a problem placed at the value (or the key) of ``path``; ``shown`` is the path to print."""
        place = self.key_place(path) if at_key else self.place(path)
        line, column = place or (None, None)
        return Problem(self.file, message, line, column, dotted(path if shown is None else shown))


class _Composer:
    """Builds nodes from the events of PyYAML's parser, and collects what is wrong on the way."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._events: Iterator[Any] = iter(yaml.parse(text, Loader=_LOADER))
        self._anchors: dict[str, _Node] = {}
        self._size = 0

    def document(self) -> _Node | None:
        """Return the root of the only document, None when there is none."""
        next(self._events)
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return None
        root = self._node(next(self._events), ())
        next(self._events)
        event = next(self._events)
        if not isinstance(event, yaml.StreamEndEvent):
            self._say(_place(event), "a second YAML document begins here; one file holds one document")
        return root

    def _say(self, place: Place, message: str, path: Path = ()) -> None:
        self.problems.append(Problem(self.file, message, *place, dotted(path)))

    def _stop(self, place: Place, message: str) -> ConfigError:
        return ConfigError([*self.problems, Problem(self.file, message, *place)])

    def _node(self, event: Any, path: Path) -> _Node:
        place = _place(event)
        if isinstance(event, yaml.AliasEvent):
            node = self._alias(event, place, path)
        else:
            if len(path) > MAX_DEPTH:
                raise self._stop(place, f"nested more than {MAX_DEPTH} levels deep")
            node = self._content(event, place, path)
            if event.anchor:
                self._anchors[event.anchor] = node
        return node

    def _alias(self, event: Any, place: Place, path: Path) -> _Node:
        target = self._anchors.get(event.anchor)
        if target is None:
            self._say(place, f"the alias *{event.anchor} has no finished anchor &{event.anchor} before it", path)
            return _Node(place, None)
        self._grow(target.size, place)
        return target

    def _grow(self, size: int, place: Place) -> None:
        self._size += size
        if self._size > MAX_NODES:
            raise self._stop(place, f"the document holds more than {MAX_NODES:,} values once its aliases are expanded")

    def _content(self, event: Any, place: Place, path: Path) -> _Node:
        self._grow(1, place)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, place, path)
        kind = "seq" if isinstance(event, yaml.SequenceStartEvent) else "map"
        if event.tag not in (None, "!", _CORE + kind):
            self._say(place, _unknown_tag(event.tag), path)
        return self._list(place, path) if kind == "seq" else self._mapping(place, path)

    def _scalar(self, event: Any, place: Place, path: Path) -> _Node:
        text, tag = event.value, event.tag
        if tag is None and event.implicit[0]:
            return _Node(place, scalar(text), text)
        if tag in (None, "!", _CORE + "str"):
            return _Node(place, text)
        value = scalar(text)
        fits = {
            "null": value is None,
            "bool": isinstance(value, bool),
            "float": isinstance(value, int | float),
        }
        fits["int"] = isinstance(value, int) and not isinstance(value, bool)
        if tag.removeprefix(_CORE) not in fits:
            self._say(place, _unknown_tag(tag), path)
        elif not fits[tag.removeprefix(_CORE)]:
            self._say(place, f"{text!r} is not what its tag !!{tag.removeprefix(_CORE)} says", path)
        elif tag == _CORE + "float":
            value = float(value)
        return _Node(place, value, text)

    def _list(self, place: Place, path: Path) -> _Node:
        items: list[_Node] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._node(event, (*path, len(items))))
        return _Node(place, items, size=1 + sum(node.size for node in items))

    def _mapping(self, place: Place, path: Path) -> _Node:
        entries: dict[str, tuple[Place, _Node]] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key_place = _place(event)
            key_node = self._node(event, path)
            key = self._key(key_node, key_place, path)
            value = self._node(next(self._events), (*path, key))
            if key in entries:
                line, column = entries[key][0]
                message = f"given twice; the first is at line {line}, column {column}"
                self._say(key_place, message, (*path, key))
            else:
                entries[key] = (key_place, value)
        return _Node(place, entries, size=1 + sum(node.size for _, node in entries.values()))

    def _key(self, node: _Node, place: Place, path: Path) -> str:
        if node.source == "<<":
            self._say(place, "merge keys (<<) are not part of YAML 1.2; write the keys out", path)
        elif isinstance(node.value, list | dict):
            self._say(place, "a key is a list or a mapping; keys are text", path)
            return "?"
        elif node.value is None:
            found = (
                f'the key {node.source} is read as nothing; quote it: "{node.source}"'
                if node.source
                else ("a key is missing before the ':'")
            )
            self._say(place, found, path)
        elif not isinstance(node.value, str):
            kind = "a truth value" if isinstance(node.value, bool) else "a number"
            self._say(place, f'the key {node.source} is read as {kind}; quote it: "{node.source}"', path)
        return node.value if isinstance(node.value, str) else node.source or ""


def _place(event: Any) -> Place:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _unknown_tag(tag: str) -> str:
    return f"the tag {tag.replace(_CORE, '!!')} is not known here; only plain values can be given"


_IN_PLAIN_WORDS = {
    "mapping values are not allowed": "a ':' stands where no key can be; quote the text or mend the indentation",
    "block sequence entries are not allowed": "a '-' stands where no list can begin; quote it, or start a new line",
    "could not find expected ':'": "a key without its ':'",
    "did not find expected key": "this does not fit the lines above; look at the indentation and the quotes",
    "expected <block end>": "this does not fit the lines above; look at the indentation and the quotes",
    "found unknown escape character": r"in double quotes a \ begins an escape; use single quotes, or / in a path",
    "exceeded maximum nesting depth": f"nested more than {MAX_DEPTH} levels deep",
}


def _syntax_problem(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    found = error.problem or error.context or "this cannot be read"
    line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
    message = next((words for start, words in _IN_PLAIN_WORDS.items() if found.startswith(start)), "")
    if "cannot start any token" in found or "tab character" in found:
        message = _bad_start(text, mark)
    elif "end of stream" in found and error.context_mark is not None:
        line, column = error.context_mark.line + 1, error.context_mark.column + 1
        message = "a quote is opened here and never closed"
    elif not message and error.context_mark is not None and "flow" in (error.context or ""):
        start = error.context_mark
        closing = "]" if "sequence" in (error.context or "") else "}"
        message = f"expected ',' or '{closing}' here (opened at line {start.line + 1}, column {start.column + 1})"
    return Problem(file, message or f"this is not YAML: {found}", line, column)


def _bad_start(text: str, mark: Any) -> str:
    lines = text.split("\n")
    found = lines[mark.line][mark.column : mark.column + 1] if mark.line < len(lines) else ""
    if found == "\t":
        return "a tab is used for indentation; use spaces"
    return f"unquoted text cannot begin with {found!r}; put it in quotes"


def read_yaml(text: str, file: str) -> Document:
    """Read ``text``; mistakes that leave the rest readable are in the document's ``problems``.

    Raises :class:`ConfigError` where nothing after the mistake can be trusted.
    """
    text = text.removeprefix("\ufeff")
    bad = _FORBIDDEN.search(text)
    if bad is not None:
        line = text.count("\n", 0, bad.start()) + 1
        column = bad.start() - text.rfind("\n", 0, bad.start())
        raise ConfigError([Problem(file, f"the character U+{ord(bad[0]):04X} cannot be in a YAML file", line, column)])
    composer = _Composer(text, file)
    try:
        root = composer.document()
    except yaml.MarkedYAMLError as error:
        raise ConfigError([*composer.problems, _syntax_problem(error, text, file)]) from error
    return Document(file, root, tuple(composer.problems))


def parse_yaml(text: str, file: str) -> Document:
    """Read ``text`` and return it with the place of each value.

    Raises :class:`ConfigError` with every mistake of the YAML itself.
    """
    document = read_yaml(text, file)
    if document.problems:
        raise ConfigError(document.problems)
    return document

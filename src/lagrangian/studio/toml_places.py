"""Where the entries of a TOML text stand: their keys and values as spans of characters.

The text may be half written: what is not understood is passed over, line by line. Values are not read, only found; `tomllib`
reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

Step = str | int
Span = tuple[int, int]
MAX_DEPTH = 40  # arrays and tables inside each other: a description needs a few
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_KEY = re.compile(r"[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"""+|\'\'\'.*?\'\'\'+|"(?:[^"\\\n]|\\[^\n])*"|\'[^\'\n]*\'',
    re.DOTALL,
)
_BARE = re.compile(r"[^\s,\[\]{}#\"'=][^\n,\]}#]*")


@dataclass
class TomlNode:
    """A value or a table. `key` is where it is named, or the header of a table; `span` is the value itself."""

    key: Span
    span: Span
    entries: dict[str, TomlNode] = field(default_factory=dict)
    items: list[TomlNode] = field(default_factory=list)

    def step(self, key: Step) -> TomlNode | None:
        if isinstance(key, int):
            return self.items[key] if 0 <= key < len(self.items) else None
        return self.entries.get(key)

    def find(self, path: tuple[Step, ...]) -> tuple[TomlNode, int]:
        """The node that is nearest to a path, and how many of its steps lead there."""
        node = self
        for count, key in enumerate(path):
            below = node.step(key)
            if below is None:
                return node, count
            node = below
        return node, len(path)


class _TomlSyntaxError(Exception):
    """Something that is no TOML, or not yet."""


def scan_toml(text: str) -> TomlNode:
    """The tree of a text."""
    root = TomlNode((0, 0), (0, 0))
    table, at = root, 0
    while True:
        at = _skip(_BLANK, text, at)
        if at >= len(text):
            return root
        try:
            if text[at] == "[":
                table, at = _read_header(text, at, root)
            else:
                at = _read_entry(text, at, table, 0)
        except _TomlSyntaxError:
            after = text.find("\n", at)
            at = len(text) if after < 0 else after + 1


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _read_header(text: str, at: int, root: TomlNode) -> tuple[TomlNode, int]:
    """`[a.b]` or `[[a.b]]`: the table that it begins."""
    start, is_array = at, text.startswith("[[", at)
    keys, at = _read_dotted_key(text, at + (2 if is_array else 1))
    closing = "]]" if is_array else "]"
    if not text.startswith(closing, at):
        raise _TomlSyntaxError
    end = at + len(closing)
    node = root
    for k, (name, _) in enumerate(keys):
        last = k == len(keys) - 1
        below = node.entries.get(name)
        if below is None:
            below = node.entries[name] = TomlNode((start, end), (start, end))
        if last and is_array:
            below.items.append(TomlNode((start, end), (start, end)))
        elif last and not below.items:
            below.key = below.span = (start, end)
        node = below.items[-1] if below.items else below
    return node, end


def _read_dotted_key(text: str, at: int) -> tuple[list[tuple[str, Span]], int]:
    """The parts of a key, and what comes after it."""
    parts: list[tuple[str, Span]] = []
    while True:
        at = _skip(_SPACE, text, at)
        match = _KEY.match(text, at)
        if match is None:
            raise _TomlSyntaxError
        word = match.group()
        parts.append((word[1:-1] if word[0] in "\"'" else word, match.span()))
        at = _skip(_SPACE, text, match.end())
        if not text.startswith(".", at):
            return parts, at
        at += 1


def _read_entry(text: str, at: int, table: TomlNode, depth: int) -> int:
    """`key = value`, of which the table then knows."""
    keys, at = _read_dotted_key(text, at)
    if not text.startswith("=", at):
        raise _TomlSyntaxError
    at = _skip(_SPACE, text, at + 1)
    node = table
    for name, span in keys[:-1]:
        node = node.entries.setdefault(name, TomlNode(span, span))
    value = _read_value(text, at, depth + 1)
    value.key = (keys[0][1][0], keys[-1][1][1])
    node.entries[keys[-1][0]] = value
    return value.span[1]


def _read_value(text: str, at: int, depth: int) -> TomlNode:
    if depth > MAX_DEPTH:
        raise _TomlSyntaxError
    if text.startswith("[", at):
        return _read_array(text, at, depth)
    if text.startswith("{", at):
        return _read_table(text, at, depth)
    match = _STRING.match(text, at) or _BARE.match(text, at)
    if match is None:
        raise _TomlSyntaxError
    end = match.start() + len(match.group().rstrip())
    return TomlNode((at, end), (at, end))


def _read_array(text: str, at: int, depth: int) -> TomlNode:
    node = TomlNode((at, at), (at, at))
    inner = _skip(_BLANK, text, at + 1)
    while not text.startswith("]", inner):
        item = _read_value(text, inner, depth + 1)
        node.items.append(item)
        inner = _skip(_BLANK, text, item.span[1])
        if text.startswith(",", inner):
            inner = _skip(_BLANK, text, inner + 1)
        elif not text.startswith("]", inner):
            raise _TomlSyntaxError
    node.span = node.key = (at, inner + 1)
    return node


def _read_table(text: str, at: int, depth: int) -> TomlNode:
    node = TomlNode((at, at), (at, at))
    inner = _skip(_BLANK, text, at + 1)
    while not text.startswith("}", inner):
        inner = _skip(_BLANK, text, _read_entry(text, inner, node, depth))
        if text.startswith(",", inner):
            inner = _skip(_BLANK, text, inner + 1)
        elif not text.startswith("}", inner):
            raise _TomlSyntaxError
    node.span = node.key = (at, inner + 1)
    return node

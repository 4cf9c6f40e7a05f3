"""Where the entries of a TOML text stand: their keys and values as spans of characters.

The text may be half written: what is not understood is passed over, line by line. Values are not read, only found; `tomllib`
reads them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

Step = str | int
Span = tuple[int, int]
DEEPEST = 40  # arrays and tables inside each other: a description needs a few
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_KEY = re.compile(r"[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"""+|\'\'\'.*?\'\'\'+|"(?:[^"\\\n]|\\[^\n])*"|\'[^\'\n]*\'',
    re.DOTALL,
)
_BARE = re.compile(r"[^\s,\[\]{}#\"'=][^\n,\]}#]*")


@dataclass
class Node:
    """A value or a table. `key` is where it is named, or the header of a table; `span` is the value itself."""

    key: Span
    span: Span
    entries: dict[str, Node] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)

    def step(self, to: Step) -> Node | None:
        if isinstance(to, int):
            return self.items[to] if 0 <= to < len(self.items) else None
        return self.entries.get(to)

    def find(self, path: tuple[Step, ...]) -> tuple[Node, int]:
        """The node that is nearest to a path, and how many of its steps lead there."""
        node = self
        for count, to in enumerate(path):
            found = node.step(to)
            if found is None:
                return node, count
            node = found
        return node, len(path)


class _Lost(Exception):
    """Something that is no TOML, or not yet."""


def scan(text: str) -> Node:
    """The tree of a text."""
    root = Node((0, 0), (0, 0))
    table, at = root, 0
    while True:
        at = _end(_BLANK, text, at)
        if at >= len(text):
            return root
        try:
            if text[at] == "[":
                table, at = _header(text, at, root)
            else:
                at = _entry(text, at, table, 0)
        except _Lost:
            after = text.find("\n", at)
            at = len(text) if after < 0 else after + 1


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _header(text: str, at: int, root: Node) -> tuple[Node, int]:
    """`[a.b]` or `[[a.b]]`: the table that it begins."""
    start, several = at, text.startswith("[[", at)
    keys, at = _dotted(text, at + (2 if several else 1))
    closing = "]]" if several else "]"
    if not text.startswith(closing, at):
        raise _Lost
    end = at + len(closing)
    node = root
    for k, (name, _) in enumerate(keys):
        last = k == len(keys) - 1
        below = node.entries.get(name)
        if below is None:
            below = node.entries[name] = Node((start, end), (start, end))
        if last and several:
            below.items.append(Node((start, end), (start, end)))
        elif last and not below.items:
            below.key = below.span = (start, end)
        node = below.items[-1] if below.items else below
    return node, end


def _dotted(text: str, at: int) -> tuple[list[tuple[str, Span]], int]:
    """The parts of a key, and what comes after it."""
    found: list[tuple[str, Span]] = []
    while True:
        at = _end(_SPACE, text, at)
        match = _KEY.match(text, at)
        if match is None:
            raise _Lost
        word = match.group()
        found.append((word[1:-1] if word[0] in "\"'" else word, match.span()))
        at = _end(_SPACE, text, match.end())
        if not text.startswith(".", at):
            return found, at
        at += 1


def _entry(text: str, at: int, table: Node, depth: int) -> int:
    """`key = value`, of which the table then knows."""
    keys, at = _dotted(text, at)
    if not text.startswith("=", at):
        raise _Lost
    at = _end(_SPACE, text, at + 1)
    node = table
    for name, span in keys[:-1]:
        node = node.entries.setdefault(name, Node(span, span))
    value = _value(text, at, depth + 1)
    value.key = (keys[0][1][0], keys[-1][1][1])
    node.entries[keys[-1][0]] = value
    return value.span[1]


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise _Lost
    if text.startswith("[", at):
        return _array(text, at, depth)
    if text.startswith("{", at):
        return _table(text, at, depth)
    match = _STRING.match(text, at) or _BARE.match(text, at)
    if match is None:
        raise _Lost
    end = match.start() + len(match.group().rstrip())
    return Node((at, end), (at, end))


def _array(text: str, at: int, depth: int) -> Node:
    node = Node((at, at), (at, at))
    inner = _end(_BLANK, text, at + 1)
    while not text.startswith("]", inner):
        item = _value(text, inner, depth + 1)
        node.items.append(item)
        inner = _end(_BLANK, text, item.span[1])
        if text.startswith(",", inner):
            inner = _end(_BLANK, text, inner + 1)
        elif not text.startswith("]", inner):
            raise _Lost
    node.span = node.key = (at, inner + 1)
    return node


def _table(text: str, at: int, depth: int) -> Node:
    node = Node((at, at), (at, at))
    inner = _end(_BLANK, text, at + 1)
    while not text.startswith("}", inner):
        inner = _end(_BLANK, text, _entry(text, inner, node, depth))
        if text.startswith(",", inner):
            inner = _end(_BLANK, text, inner + 1)
        elif not text.startswith("}", inner):
            raise _Lost
    node.span = node.key = (at, inner + 1)
    return node

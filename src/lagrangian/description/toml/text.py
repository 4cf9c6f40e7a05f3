"""Values as TOML text: strings, keys, arrays, tables. Nothing here knows what a mechanism is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

WIDTH = 120  # of a line, in characters: a longer array is broken
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def format_string(text: str) -> str:
    """A string in quotes; one of several lines over several lines."""
    if "\n" not in text:
        return f'"{_escape(text)}"'
    lines = "\n".join(_escape(line) for line in text.split("\n"))
    return f'"""\n{lines}"""'


def format_key(name: str) -> str:
    """A key, in quotes where it has other signs than letters, digits, _ and -."""
    return name if _BARE.fullmatch(name) else f'"{_escape(name)}"'


def format_number(x: float) -> str:
    """A number that reads back the same to the last bit; a whole one stays one."""
    return repr(x) if type(x) is int and abs(x) < 10**15 else repr(float(x))


def format_array(items: Iterable[str]) -> str:
    """An array on one line, or on several if it is long."""
    texts = list(items)
    line = f"[{', '.join(texts)}]"
    if len(line) <= WIDTH:
        return line
    lines, row = [], ""
    for item in texts:
        if row and len(row) + len(item) > WIDTH - 6:
            lines.append(row)
            row = ""
        row += f"{item}, "
    return "[\n" + "".join(f"    {x.rstrip()}\n" for x in [*lines, row]) + "]"


def format_inline_table(entries: Mapping[str, str]) -> str:
    """A table on one line, as TOML wants it."""
    return f"{{ {', '.join(f'{format_key(k)} = {x}' for k, x in entries.items())} }}"


def format_entries(entries: Mapping[str, str]) -> list[str]:
    """Entries below each other."""
    return [f"{format_key(k)} = {x}" for k, x in entries.items()]


def format_comment(text: str) -> str:
    """A comment, of as many lines as the text has."""
    printable_lines = ("".join(c if c == "\t" or c.isprintable() else " " for c in line) for line in text.splitlines())
    return "\n".join(f"# {line}".rstrip() for line in printable_lines)


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 0x20 or ord(c) == 0x7F else c) for c in text)

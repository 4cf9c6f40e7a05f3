"""Places in a text as the page counts them: lines and columns from 1, in the UTF-16 units of JavaScript's strings."""

from __future__ import annotations

from typing import Any


def units(text: str, at: int) -> int:
    """A place counted in characters, in UTF-16 units."""
    head = text[:at]
    return at if head.isascii() else len(head.encode("utf-16-le", "surrogatepass")) // 2


def characters(text: str, at: int) -> int:
    """A place counted in UTF-16 units, in characters."""
    if text.isascii():
        return min(max(at, 0), len(text))
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * max(at, 0)].decode("utf-16-le", "ignore"))


def line_column(text: str, at: int) -> tuple[int, int]:
    start = text.rfind("\n", 0, at) + 1
    return text.count("\n", 0, at) + 1, units(text[start:], at - start) + 1


def span(text: str, start: int, end: int) -> dict[str, int]:
    """From a place to another, as an editor marks it."""
    line, column = line_column(text, start)
    end_line, end_column = line_column(text, end)
    return {"line": line, "column": column, "end_line": end_line, "end_column": end_column}


def line_span(text: str, line: int, column: int | None = None) -> tuple[int, int]:
    """What a line holds, from its column (in characters, from 1) if one is given; of empty lines, what the last before holds."""
    lines = text.split("\n")
    line = min(max(line, 1), len(lines))
    while line > 1 and not lines[line - 1].strip():
        line, column = line - 1, None
    start = sum(len(x) + 1 for x in lines[: line - 1])
    content = lines[line - 1].rstrip()
    begin = len(content) - len(content.lstrip())
    if column is not None and begin < column - 1 < len(content):
        begin = column - 1
    return start + begin, start + len(content)


def edit(text: str, start: int, end: int, insert: str) -> dict[str, Any]:
    """A change of the text, as an editor makes it."""
    return {"from": units(text, start), "to": units(text, end), "insert": insert}

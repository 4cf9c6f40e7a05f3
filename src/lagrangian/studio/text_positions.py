"""Positions in a text as an editor counts them: lines and columns from 1, offsets in the UTF-16 units of JavaScript's strings."""

from __future__ import annotations

from typing import Any


def utf16_offset(text: str, offset: int) -> int:
    """An offset in characters as an offset in UTF-16 units."""
    head = text[:offset]
    return offset if head.isascii() else len(head.encode("utf-16-le", "surrogatepass")) // 2


def character_offset(text: str, offset: int) -> int:
    """An offset in UTF-16 units as an offset in characters."""
    if text.isascii():
        return min(max(offset, 0), len(text))
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * max(offset, 0)].decode("utf-16-le", "ignore"))


def line_column(text: str, offset: int) -> tuple[int, int]:
    """The line and column of an offset in characters."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, utf16_offset(text[start:], offset - start) + 1


def editor_range(text: str, start: int, end: int) -> dict[str, int]:
    """The range between two offsets in characters, as an editor marks it."""
    line, column = line_column(text, start)
    end_line, end_column = line_column(text, end)
    return {"line": line, "column": column, "end_line": end_line, "end_column": end_column}


def line_span(text: str, line: int, column: int | None = None) -> tuple[int, int]:
    """The span of a line without blanks around it, from a column (in characters, from 1) if one is given.

    For an empty line, it is the span of the last line before it that is not empty.
    """
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


def text_edit(text: str, start: int, end: int, insert: str) -> dict[str, Any]:
    """The edit, as an editor makes it, that replaces what is between two offsets in characters."""
    return {"from": utf16_offset(text, start), "to": utf16_offset(text, end), "insert": insert}

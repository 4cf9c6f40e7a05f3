"""What is wrong with a description, each at its line: an editor marks it there."""

from __future__ import annotations

import re
from typing import Any

from lagrangian.errors import DescriptionError, Message, Part
from lagrangian.studio.positions import line_span, span
from lagrangian.studio.toml_places import Node, Span, Step, scan

_STEPS = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_LINE = re.compile(r":(\d+)$")
_IN_LINE = re.compile(r"\bin line (\d+)")
_TAGS = {"body": "(?:link|body)", "loop": "(?:connect|weld|loop|joint)"}  # what XML formats call a part, where it differs


def problem(text: str, format: str, found: Message | Exception, severity: str = "error") -> dict[str, Any]:  # noqa: A002
    """A problem as the page shows it."""
    told = found.at() if isinstance(found, Message) else None
    if told is None:
        return {**span(text, *line_span(text, 1)), "message": str(found), "remedy": "", "severity": severity}
    named = place(text, format, told)
    nowhere = {"line": None} if named is None and severity == "warning" else {}
    told.where = (
        tuple(x for x in told.where[1:] if not _is_of_file(x)) if told.where and _is_of_file(told.where[0]) else told.where
    )
    remedy, told.remedy = told.remedy, ""
    said = {"message": _sentence(str(told)), "remedy": _sentence(remedy), "severity": severity}
    return {**span(text, *(named or line_span(text, 1))), **nowhere, **said}


def _is_of_file(place: Any) -> bool:
    return isinstance(place, str) and place.startswith("<text>")


def _sentence(text: str) -> str:
    """With a capital letter where a word begins it; names keep theirs."""
    first = text.split(" ", 1)[0]
    return text[0].upper() + text[1:] if first.isalpha() and first.islower() and len(text) > len(first) else text


def place(text: str, format: str, found: Message) -> Span | None:  # noqa: A002
    """Where in the text something is wrong: the line that its reader names, or the entry; None if it has no place."""
    line = getattr(found, "line", None)
    if line is not None:
        return line_span(text, line, getattr(found, "column", None))
    if format != "toml":
        return _in_xml(text, found)
    return _in_toml(text, found)


# -- TOML --------------------------------------------------------------------------------------------------------------


def _in_toml(text: str, found: Message) -> Span:
    root = scan(text)
    node = root
    for where in _places(found):
        if isinstance(where, Part):
            node = element(text, root, where) or node
        elif isinstance(where, str) and not _is_of_file(where):
            below = root if where.startswith("[") else node
            name = where.strip("[]") if where.startswith("[") else where
            node, _ = below.find(_path(below, name))
    if found.argument:
        named, steps = node.find(_path(node, found.argument))
        if steps:  # an entry that is not known, or one whose value is not possible
            return named.key if isinstance(found, DescriptionError) else named.span
    if node is root:
        return line_span(text, 1)
    return node.span if node.key != node.span and not node.entries else node.key


def _places(found: Message) -> list[Any]:
    """From the outermost to the innermost."""
    part = getattr(found, "part", None)
    return [*found.where, *([part] if part is not None else [])]


def _path(node: Node, name: str) -> tuple[Step, ...]:
    """`shapes[0].size` as steps; a name that is there as it is, dots and all, is one."""
    if name in node.entries:
        return (name,)
    return tuple(int(number) if number else word for number, word in _STEPS.findall(name))


def element(text: str, root: Node, where: Part) -> Node | None:
    """The element that describes a part of the mechanism: by its number in the file, else by its name."""
    row = root.entries.get("dh", root).entries.get("row")
    if where.kind == "row":
        return row.items[where.number - 1] if row is not None and 0 < where.number <= len(row.items) else None
    listed = root.entries.get(where.kind)
    items = listed.items if listed is not None else []
    if 0 < where.number <= len(items):
        return items[where.number - 1]
    named = "link" if where.kind == "body" else "name"  # of a row of Denavit and Hartenberg's
    for item in items:
        if _says(text, item, "name", where.name):
            return item
    return next((item for item in row.items if _says(text, item, named, where.name)), row) if row is not None else None


def _says(text: str, item: Node, key: str, name: str) -> bool:
    value = item.entries.get(key)
    return value is not None and text[slice(*value.span)].strip("\"'") == name


# -- XML ---------------------------------------------------------------------------------------------------------------


def _in_xml(text: str, found: Message) -> Span | None:
    for where in reversed(_places(found)):
        if isinstance(where, str) and (line := _LINE.search(where)):
            return line_span(text, int(line.group(1)))
        if isinstance(where, Part) and where.name:
            tag = _TAGS.get(where.kind, re.escape(where.kind))
            pattern = rf"<{tag}\b[^<>]*?\bname\s*=\s*(?:\"{re.escape(where.name)}\"|'{re.escape(where.name)}')[^<>]*>"
            tagged = re.search(pattern, text)
            if tagged:
                return tagged.span()
    named = _IN_LINE.search(str(found))  # one remark may be of several lines: the first of them
    return line_span(text, int(named.group(1))) if named else None

"""Problems of a description as an editor marks them: each with its message, its remedy and the place in the text."""

from __future__ import annotations

import re
from typing import Any

from lagrangian.errors import DescriptionError, MechanismPart, Message
from lagrangian.studio.text_positions import editor_range, line_span
from lagrangian.studio.toml_places import Span, Step, TomlNode, scan_toml

_STEPS = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_LINE = re.compile(r":(\d+)$")
_IN_LINE = re.compile(r"\bin line (\d+)")
_TAGS = {"body": "(?:link|body)", "loop": "(?:connect|weld|loop|joint)"}  # the tags of XML formats, where they differ


def problem_entry(text: str, format: str, problem: Message | Exception, severity: str = "error") -> dict[str, Any]:  # noqa: A002
    """A problem as the page shows it."""
    message = problem.with_places() if isinstance(problem, Message) else None
    if message is None:
        return {**editor_range(text, *line_span(text, 1)), "message": str(problem), "remedy": "", "severity": severity}
    located = problem_span(text, format, message)
    unlocated = {"line": None} if located is None and severity == "warning" else {}
    message.where = (
        tuple(x for x in message.where[1:] if not _is_of_file(x))
        if message.where and _is_of_file(message.where[0])
        else message.where
    )
    remedy, message.remedy = message.remedy, ""
    texts = {"message": _capitalise(str(message)), "remedy": _capitalise(remedy), "severity": severity}
    return {**editor_range(text, *(located or line_span(text, 1))), **unlocated, **texts}


def _is_of_file(place: Any) -> bool:
    return isinstance(place, str) and place.startswith("<text>")


def _capitalise(text: str) -> str:
    """The text with a capital letter, if it begins with a lower-case word and not with a name."""
    first = text.split(" ", 1)[0]
    return text[0].upper() + text[1:] if first.isalpha() and first.islower() and len(text) > len(first) else text


def problem_span(text: str, format: str, problem: Message) -> Span | None:  # noqa: A002
    """The place of a problem in the text: the line that the reader names, or the entry; None if it has no place."""
    line = getattr(problem, "line", None)
    if line is not None:
        return line_span(text, line, getattr(problem, "column", None))
    if format != "toml":
        return _xml_span(text, problem)
    return _toml_span(text, problem)


# -- TOML --------------------------------------------------------------------------------------------------------------


def _toml_span(text: str, problem: Message) -> Span:
    root = scan_toml(text)
    node = root
    for location in _locations(problem):
        if isinstance(location, MechanismPart):
            node = part_node(text, root, location) or node
        elif isinstance(location, str) and not _is_of_file(location):
            below = root if location.startswith("[") else node
            name = location.strip("[]") if location.startswith("[") else location
            node, _ = below.find(_key_path(below, name))
    if problem.argument:
        named_node, steps = node.find(_key_path(node, problem.argument))
        if steps:  # the key of an unknown entry, or an impossible value
            return named_node.key if isinstance(problem, DescriptionError) else named_node.span
    if node is root:
        return line_span(text, 1)
    return node.span if node.key != node.span and not node.entries else node.key


def _locations(problem: Message) -> list[Any]:
    """The places that a message names, from the outermost to the innermost."""
    part = getattr(problem, "part", None)
    return [*problem.where, *([part] if part is not None else [])]


def _key_path(node: TomlNode, name: str) -> tuple[Step, ...]:
    """`shapes[0].size` as steps; a name that is there as it is, dots and all, is one."""
    if name in node.entries:
        return (name,)
    return tuple(int(number) if number else word for number, word in _STEPS.findall(name))


def part_node(text: str, root: TomlNode, where: MechanismPart) -> TomlNode | None:
    """The element that describes a part of the mechanism, found by its number in the file, else by its name."""
    row = root.entries.get("dh", root).entries.get("row")
    if where.kind == "row":
        return row.items[where.number - 1] if row is not None and 0 < where.number <= len(row.items) else None
    elements = root.entries.get(where.kind)
    items = elements.items if elements is not None else []
    if 0 < where.number <= len(items):
        return items[where.number - 1]
    row_key = "link" if where.kind == "body" else "name"  # of a row of Denavit-Hartenberg parameters
    for item in items:
        if _has_value(text, item, "name", where.name):
            return item
    return next((item for item in row.items if _has_value(text, item, row_key, where.name)), row) if row is not None else None


def _has_value(text: str, item: TomlNode, key: str, name: str) -> bool:
    value = item.entries.get(key)
    return value is not None and text[slice(*value.span)].strip("\"'") == name


# -- XML ---------------------------------------------------------------------------------------------------------------


def _xml_span(text: str, problem: Message) -> Span | None:
    for location in reversed(_locations(problem)):
        if isinstance(location, str) and (line := _LINE.search(location)):
            return line_span(text, int(line.group(1)))
        if isinstance(location, MechanismPart) and location.name:
            tag = _TAGS.get(location.kind, re.escape(location.kind))
            pattern = rf"<{tag}\b[^<>]*?\bname\s*=\s*(?:\"{re.escape(location.name)}\"|'{re.escape(location.name)}')[^<>]*>"
            tag_match = re.search(pattern, text)
            if tag_match:
                return tag_match.span()
    line_match = _IN_LINE.search(str(problem))  # the first line that the remark names
    return line_span(text, int(line_match.group(1))) if line_match else None

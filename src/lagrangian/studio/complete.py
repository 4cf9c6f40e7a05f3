"""What could stand where somebody types: tables, entries, types, names of parts, parameters, functions."""

from __future__ import annotations

import re
from typing import Any

from lagrangian.model.expression import FUNCTIONS
from lagrangian.studio.entries import EXAMPLES, REPEATED, UNITS, choices, inner, tables
from lagrangian.studio.positions import characters, units
from lagrangian.studio.toml_places import Node, scan

_HEADER = re.compile(r"^[ \t]*\[\[?[ \t]*([\w.]+)[ \t]*\]\]?", re.MULTILINE)
_OPEN_TABLE = re.compile(r"([\w-]+)\s*=\s*(?:\[[^\[\]]*)?\{([^{}]*)$", re.DOTALL)
_VALUE = re.compile(r"([\w-]+)\s*=\s*([^=]*)$")
BODIES = ("parent", "child", "body", "a", "b", "on")
SPEEDS = ("torque", "equation", "phi", "when", "length", "coefficients")


def completions(text: str, format: str, offset: Any) -> list[dict[str, Any]]:  # noqa: A002
    """The answer to /api/complete; `offset` is where the cursor is."""
    if format != "toml" or not isinstance(offset, int):
        return []
    at = characters(text, offset)
    found = _Place(text, at).proposals()
    to = at + (len(re.match(r"\]*", text[at:]).group()) if found and found[0]["type"] == "class" else 0)  # type: ignore[union-attr]
    return [{**x, "from": units(text, x["from"]), "to": units(text, to)} for x in found]


class _Place:
    """Where the cursor is: in which table, behind what."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at
        before = text[:at]
        self.line = before[before.rfind("\n") + 1 :]
        headers = list(_HEADER.finditer(before))
        self.table = headers[-1].group(1) if headers else ""
        self.since = before[headers[-1].end() :] if headers else before
        self.root = scan(text)

    def proposals(self) -> list[dict[str, Any]]:
        line = self.line
        if re.fullmatch(r"\s*\[{1,2}[\w.]*", line):
            return self._headers(len(line) - len(line.lstrip()))
        if "#" in re.sub(r"\"[^\"]*\"|'[^']*'", "", line):
            return []
        opened = _OPEN_TABLE.search(self.since)
        if opened is not None:
            key, inside = opened.groups()
            return self._in_table(key, inside.rpartition(",")[2] if not _in_brackets(inside) else inside)
        if re.fullmatch(r"\s*[\w-]*", line):
            word = line.strip()
            found = self._keys(tables().get(self.table, ()), word)
            return found + ([] if word else self._headers(len(line)))
        value = _VALUE.search(line)
        return self._value(self.table, *value.groups()) if value is not None else []

    # -- tables and keys -----------------------------------------------------------------------------------------------

    def _headers(self, indent: int) -> list[dict[str, Any]]:
        start = self.at - len(self.line) + indent
        names = [x for x in tables() if x]
        written = [f"[[{x}]]" if x in REPEATED else f"[{x}]" for x in names]
        there = {f"[{x}]" for x in self.root.entries}
        return [_one(x, "class", "", f"{x}\n", start) for x in written if x not in there]

    def _keys(self, keys: tuple[str, ...], word: str, given: set[str] | None = None) -> list[dict[str, Any]]:
        there = self._given() if given is None else given
        return [
            _one(key, "property", UNITS.get(key, ""), f"{key} = {EXAMPLES.get(key, '')}", self.at - len(word))
            for key in keys
            if key not in there
        ]

    def _given(self) -> set[str]:
        """Keys of the table that the cursor is in."""
        after = _HEADER.search(self.text, self.at)
        body = self.since + self.text[self.at : after.start() if after else len(self.text)]
        return set(re.findall(r"^[ \t]*([\w-]+)[ \t]*=", body, re.MULTILINE))

    def _in_table(self, key: str, last: str) -> list[dict[str, Any]]:
        """Inside `key = { ... }`."""
        value = _VALUE.search(last)
        if value is not None:
            return self._value(key, *value.groups())
        word = re.search(r"[\w-]*$", last)
        typed = word.group() if word else ""
        if key in inner():
            return self._keys(inner()[key], typed, set())
        names = self._names("joint", "name") or self._names("dh", "name")
        return [_one(x, "variable", "joint", f"{x} = ", self.at - len(typed)) for x in names]

    # -- values --------------------------------------------------------------------------------------------------------

    def _value(self, table: str, key: str, typed: str) -> list[dict[str, Any]]:
        quoted = _in_string(typed)
        word = re.search(r"[A-Za-z_]\w*$", typed)
        start = self.at - len(word.group() if word else "")
        words = choices(table, key)
        if words:
            return self._texts(words, "enum", "", quoted, typed)
        if table in ("joint", "loop", "frame", "constraint", "spring", "wall", "gravity_compensation", "via") and key in BODIES:
            carried = set(self._names("joint", "child")) if key == "child" else set()
            names = [x for x in self._names("body", "name") if x not in carried]
            return self._texts([*([] if key == "child" else ["ground"]), *names], "variable", "body", quoted, typed)
        if key == "frame":
            return self._texts(self._names("frame", "name"), "variable", "frame", quoted, typed)
        if key in ("actuated", "effective", "unilateral"):
            return [_one(x, "constant", "", x, start) for x in ("true", "false")]
        if key in ("name", "description", "source", "file", "color"):
            return []
        parameters = list(self.root.entries["parameters"].entries) if "parameters" in self.root.entries else []
        quote = "" if quoted else '"'
        found = [_one(x, "variable", "parameter", f"{quote}{x}{quote}", start) for x in parameters]
        found += [_one(x, "function", "", f"{x}(" if quoted else f'"{x}()"', start) for x in FUNCTIONS]
        found.append(_one("pi", "constant", "", f"{quote}pi{quote}", start))
        if key in SPEEDS or table in ("torque", "coefficients"):
            names = self._names("joint", "name")
            found += [_one(x, "variable", "coordinate", f"{quote}{x}{quote}", start) for x in names]
            found += [_one(f"qd_{x}", "variable", "speed", f"{quote}qd_{x}{quote}", start) for x in names]
        return found

    def _texts(self, words: Any, kind: str, detail: str, quoted: bool, typed: str) -> list[dict[str, Any]]:
        """Words in quotes, in place of what is typed of one."""
        begun = re.search(r"[\"']?[^\"',\[\]{}]*$", typed.lstrip())
        start = self.at - len(begun.group() if begun else "")
        closes = quoted and self.text[self.at : self.at + 1] in ("'", '"')
        return [_one(x, kind, detail, f'"{x}' if closes else f'"{x}"', start) for x in words]

    def _names(self, kind: str, key: str) -> list[str]:
        """Names of parts, as they stand in the text."""
        listed = self.root.entries.get(kind)
        items = listed.items if listed is not None else []
        if kind == "dh" and listed is not None and "row" in listed.entries:
            items = listed.entries["row"].items
        return [x for x in (_text(self.text, item.entries.get(key)) for item in items) if x]


def _text(text: str, node: Node | None) -> str:
    return text[slice(*node.span)].strip("\"'") if node is not None else ""


def _in_string(typed: str) -> bool:
    return typed.count('"') % 2 == 1 or typed.count("'") % 2 == 1


def _in_brackets(inside: str) -> bool:
    return inside.count("[") > inside.count("]")


def _one(label: str, kind: str, detail: str, apply: str, start: int) -> dict[str, Any]:
    return {"label": label, "type": kind, "detail": detail, "apply": apply, "from": start}

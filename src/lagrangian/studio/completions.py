"""Completions for a TOML description: tables, entries, types, names of parts, parameters and functions that fit at the cursor.

The entries that each table may have are asked of the readers of descriptions themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from lagrangian.description.toml import elements, motion, reader
from lagrangian.description.toml.table import TomlTable
from lagrangian.model import joints, loops
from lagrangian.model.dh import CONVENTIONS
from lagrangian.model.event import DIRECTIONS
from lagrangian.model.expression import FUNCTIONS
from lagrangian.model.shapes import VISUAL_KINDS
from lagrangian.studio.text_positions import character_offset, utf16_offset
from lagrangian.studio.toml_places import TomlNode, scan_toml

_HEADER = re.compile(r"^[ \t]*\[\[?[ \t]*([\w.]+)[ \t]*\]\]?", re.MULTILINE)
_OPEN_INLINE_TABLE = re.compile(r"([\w-]+)\s*=\s*(?:\[[^\[\]]*)?\{([^{}]*)$", re.DOTALL)
_KEY_AND_VALUE = re.compile(r"([\w-]+)\s*=\s*([^=]*)$")
BODY_KEYS = ("parent", "child", "body", "a", "b", "on")  # whose values are names of bodies
STATE_FORMULA_KEYS = ("torque", "equation", "phi", "when", "length", "coefficients")  # whose formulas may contain q and qd
REPEATED_TABLES = (*reader.ELEMENTS, "dh.row")  # tables with [[...]]
# the value that a new entry is given, and the detail that is shown beside it: the unit of its number, or what it is
EXAMPLE_VALUES = {
    "name": '""',
    "mass": "1.0",
    "center": "[0, 0, 0]",
    "inertia": "[0.01, 0.01, 0.01]",
    "xyz": "[0, 0, 0]",
    "rpy": "[0, 0, 0]",
    "child_xyz": "[0, 0, 0]",
    "a_xyz": "[0, 0, 0]",
    "b_xyz": "[0, 0, 0]",
    "directions": '["x", "y"]',
    "gravity": "[0, 0, -9.81]",
    "t_span": "[0, 5]",
    "actuated": "false",
    "shapes": '[{ shape = "box", size = [0.4, 0.04, 0.04], mass = 1.0 }]',
    "torque": "{ }",
    **{key: example for key, (_, example) in elements.JOINT_PROPERTIES.items()},
}
KEY_DETAILS = {
    "mass": "kg",
    "center": "m, centre of mass",
    "inertia": "kg m², about the centre of mass",
    "xyz": "m, position",
    "rpy": "rad, orientation",
    "axis": "axis of the joint",
    "gravity": "m/s²",
    "t_span": "s, start and end",
    "limits": "limits of position, speed and effort",
    "friction": "at the joint",
    "rotor": "motor behind a gear",
    "spring": "at the joint",
    "actuated": "true if it has a motor",
    "stiffness": "N/m or N m/rad",
    "damping": "N s/m or N m s/rad",
    "radius": "m",
    "length": "m",
    "size": "m",
    "density": "kg/m³",
    "a": "m",
    "d": "m",
    "alpha": "rad",
    "theta": "rad",
    "viscous": "N m s/rad or N s/m",
    "coulomb": "N m or N",
    "lower": "rad or m",
    "upper": "rad or m",
    "speed": "rad/s or m/s",
    "effort": "N m or N",
}


def completions(text: str, format: str, offset: Any) -> list[dict[str, Any]]:  # noqa: A002
    """The answer to /api/complete; `offset` is where the cursor is."""
    if format != "toml" or not isinstance(offset, int):
        return []
    cursor = character_offset(text, offset)
    proposals = _CursorContext(text, cursor).proposals()
    end = cursor + (len(re.match(r"\]*", text[cursor:]).group()) if proposals and proposals[0]["type"] == "class" else 0)  # type: ignore[union-attr]
    return [{**x, "from": utf16_offset(text, x["from"]), "to": utf16_offset(text, end)} for x in proposals]


class _CursorContext:
    """The cursor in its text: in which table it is, and what is before it on its line."""

    def __init__(self, text: str, cursor: int) -> None:
        self.text, self.cursor = text, cursor
        before = text[:cursor]
        self.line = before[before.rfind("\n") + 1 :]
        headers = list(_HEADER.finditer(before))
        self.table = headers[-1].group(1) if headers else ""
        self.table_text = before[headers[-1].end() :] if headers else before
        self.root = scan_toml(text)

    def proposals(self) -> list[dict[str, Any]]:
        line = self.line
        if re.fullmatch(r"\s*\[{1,2}[\w.]*", line):
            return self._header_proposals(len(line) - len(line.lstrip()))
        if "#" in re.sub(r"\"[^\"]*\"|'[^']*'", "", line):
            return []
        inline_table = _OPEN_INLINE_TABLE.search(self.table_text)
        if inline_table is not None:
            key, inside = inline_table.groups()
            return self._inline_table_proposals(key, inside.rpartition(",")[2] if not _in_brackets(inside) else inside)
        if re.fullmatch(r"\s*[\w-]*", line):
            word = line.strip()
            keys = self._key_proposals(table_keys().get(self.table, ()), word)
            return keys + ([] if word else self._header_proposals(len(line)))
        value = _KEY_AND_VALUE.search(line)
        return self._value_proposals(self.table, *value.groups()) if value is not None else []

    # -- tables and keys -----------------------------------------------------------------------------------------------

    def _header_proposals(self, indent: int) -> list[dict[str, Any]]:
        start = self.cursor - len(self.line) + indent
        names = [x for x in table_keys() if x]
        headers = [f"[[{x}]]" if x in REPEATED_TABLES else f"[{x}]" for x in names]
        present = {f"[{x}]" for x in self.root.entries}
        return [_proposal(x, "class", "", f"{x}\n", start) for x in headers if x not in present]

    def _key_proposals(self, keys: tuple[str, ...], typed: str, present: set[str] | None = None) -> list[dict[str, Any]]:
        present_keys = self._present_keys() if present is None else present
        return [
            _proposal(
                key, "property", KEY_DETAILS.get(key, ""), f"{key} = {EXAMPLE_VALUES.get(key, '')}", self.cursor - len(typed)
            )
            for key in keys
            if key not in present_keys
        ]

    def _present_keys(self) -> set[str]:
        """Keys of the table that the cursor is in."""
        after = _HEADER.search(self.text, self.cursor)
        body = self.table_text + self.text[self.cursor : after.start() if after else len(self.text)]
        return set(re.findall(r"^[ \t]*([\w-]+)[ \t]*=", body, re.MULTILINE))

    def _inline_table_proposals(self, key: str, last_entry: str) -> list[dict[str, Any]]:
        """The proposals inside `key = { ... }`."""
        value = _KEY_AND_VALUE.search(last_entry)
        if value is not None:
            return self._value_proposals(key, *value.groups())
        word = re.search(r"[\w-]*$", last_entry)
        typed = word.group() if word else ""
        if key in inline_table_keys():
            return self._key_proposals(inline_table_keys()[key], typed, set())
        names = self._part_names("joint", "name") or self._part_names("dh", "name")
        return [_proposal(x, "variable", "joint", f"{x} = ", self.cursor - len(typed)) for x in names]

    # -- values --------------------------------------------------------------------------------------------------------

    def _value_proposals(self, table: str, key: str, typed: str) -> list[dict[str, Any]]:
        is_quoted = _in_string(typed)
        word = re.search(r"[A-Za-z_]\w*$", typed)
        start = self.cursor - len(word.group() if word else "")
        words = choices(table, key)
        if words:
            return self._quoted_proposals(words, "enum", "", is_quoted, typed)
        if (
            table in ("joint", "loop", "frame", "constraint", "spring", "wall", "gravity_compensation", "via")
            and key in BODY_KEYS
        ):
            joined_bodies = set(self._part_names("joint", "child")) if key == "child" else set()
            names = [x for x in self._part_names("body", "name") if x not in joined_bodies]
            return self._quoted_proposals([*([] if key == "child" else ["ground"]), *names], "variable", "body", is_quoted, typed)
        if key == "frame":
            return self._quoted_proposals(self._part_names("frame", "name"), "variable", "frame", is_quoted, typed)
        if key in ("actuated", "effective", "unilateral"):
            return [_proposal(x, "constant", "", x, start) for x in ("true", "false")]
        if key in ("name", "description", "source", "file", "color"):
            return []
        parameters = list(self.root.entries["parameters"].entries) if "parameters" in self.root.entries else []
        quote = "" if is_quoted else '"'
        proposals = [_proposal(x, "variable", "parameter", f"{quote}{x}{quote}", start) for x in parameters]
        proposals += [_proposal(x, "function", "", f"{x}(" if is_quoted else f'"{x}()"', start) for x in FUNCTIONS]
        proposals.append(_proposal("pi", "constant", "", f"{quote}pi{quote}", start))
        if key in STATE_FORMULA_KEYS or table in ("torque", "coefficients"):
            names = self._part_names("joint", "name")
            proposals += [_proposal(x, "variable", "coordinate", f"{quote}{x}{quote}", start) for x in names]
            proposals += [_proposal(f"qd_{x}", "variable", "speed", f"{quote}qd_{x}{quote}", start) for x in names]
        return proposals

    def _quoted_proposals(self, words: Any, kind: str, detail: str, is_quoted: bool, typed: str) -> list[dict[str, Any]]:
        """Words in quotes, in place of what is typed of one."""
        typed_word = re.search(r"[\"']?[^\"',\[\]{}]*$", typed.lstrip())
        start = self.cursor - len(typed_word.group() if typed_word else "")
        has_closing_quote = is_quoted and self.text[self.cursor : self.cursor + 1] in ("'", '"')
        return [_proposal(x, kind, detail, f'"{x}' if has_closing_quote else f'"{x}"', start) for x in words]

    def _part_names(self, kind: str, key: str) -> list[str]:
        """Names of parts, as they stand in the text."""
        node = self.root.entries.get(kind)
        items = node.items if node is not None else []
        if kind == "dh" and node is not None and "row" in node.entries:
            items = node.entries["row"].items
        return [x for x in (_unquoted_text(self.text, item.entries.get(key)) for item in items) if x]


def _proposal(label: str, kind: str, detail: str, apply: str, start: int) -> dict[str, Any]:
    return {"label": label, "type": kind, "detail": detail, "apply": apply, "from": start}


def _unquoted_text(text: str, node: TomlNode | None) -> str:
    return text[slice(*node.span)].strip("\"'") if node is not None else ""


def _in_string(typed: str) -> bool:
    return typed.count('"') % 2 == 1 or typed.count("'") % 2 == 1


def _in_brackets(inside: str) -> bool:
    return inside.count("[") > inside.count("]")


# ---- what the tables of a description may have


@cache
def table_keys() -> dict[str, tuple[str, ...]]:
    """The entries of each table that a header may begin, such as `joint` or `dh.row`; "" has those of the whole file."""
    constraints = [_known_keys(motion.read_constraint, None, type=kind) for kind in motion.CONSTRAINT_TYPES]
    springs = [_known_keys(elements.read_spring, None, **entries) for entries in ({}, {"length": "0"})]
    return {
        "": tuple(x for x in reader.ENTRIES),
        "body": _known_keys(elements.read_body),
        "joint": _known_keys(elements.read_joint),
        "loop": _known_keys(elements.read_loop),
        "frame": _known_keys(elements.read_frame),
        "constraint": _merge_keys(constraints),
        "spring": _merge_keys(springs),
        "wall": _known_keys(elements.read_wall),
        "gravity_compensation": _known_keys(elements.read_gravity_compensation),
        "payload": _known_keys(elements.apply_payload, None),
        "event": _known_keys(motion.read_event, None),
        "dh": _known_keys(elements.read_dh_arm, ""),
        "dh.row": _known_keys(elements.read_dh_row),
        "initial": _known_keys(motion.read_initial, None),
        "parameters": (),
        "pose": (),
    }


@cache
def inline_table_keys() -> dict[str, tuple[str, ...]]:
    """The entries of tables that are written inside an element: `friction = { ... }`."""
    shapes = [_known_keys(elements.read_shapes, shape=kind) for kind in elements.SHAPE_READERS]
    placement_keys = elements.placement_keys()
    return {
        **{key: _known_keys(read) for key, (read, _) in elements.JOINT_PROPERTIES.items()},
        "shapes": _merge_keys(shapes),
        "visuals": _known_keys(elements.read_visual),
        "base": placement_keys,
        "tool": placement_keys,
    }


def _merge_keys(key_lists: list[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for keys in key_lists for key in keys))


def _known_keys(read: Callable[..., Any], *arguments: Any, **data: str) -> tuple[str, ...]:
    try:
        read(_KeyProbe(data), *arguments)
    except _KnownKeys as known:
        return known.keys
    return ()


class _KnownKeys(Exception):
    """An exception that carries the entries which a reader allows out of the reader."""

    def __init__(self, keys: tuple[str, ...]) -> None:
        self.keys = keys


class _KeyProbe(TomlTable):
    """A table that a reader is given only to learn which entries it checks for."""

    def __init__(self, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data or {}, ("",), {})

    def check_keys(self, *keys: str) -> None:
        raise _KnownKeys(keys)


def choices(table: str, key: str) -> tuple[str, ...]:
    """The words that an entry may have as its value."""
    words: dict[tuple[str, str], Any] = {
        ("joint", "type"): joints.TYPES,
        ("loop", "type"): loops.TYPES,
        ("constraint", "type"): motion.CONSTRAINT_TYPES,
        ("dh", "convention"): CONVENTIONS,
        ("dh.row", "joint"): ("R", "P"),
        ("event", "action"): motion.ACTIONS,
        ("event", "direction"): DIRECTIONS,
        ("shapes", "shape"): elements.SHAPE_READERS,
        ("visuals", "shape"): VISUAL_KINDS,
    }
    if key in ("axis", "axis2", "axis3", "normal", "direction") and (table, key) not in words:
        return ("x", "y", "z", "-x", "-y", "-z")
    return tuple(words.get((table, key), ()))

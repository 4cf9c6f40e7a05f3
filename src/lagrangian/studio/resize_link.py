"""Dragging the end of a link: which number of the TOML text gives its length, and the new value, written in its place.

A link reaches from the joint that carries it to the parts that it carries: other joints, ends of loops, frames. The end that is
dragged moves along the link. Of the numbers that place it, in its own entry or in parameters that the entry names, the one that
changes the length most is changed. Comments and layout stay as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.configuration.poses import body_poses
from lagrangian.description.load import loads
from lagrangian.errors import ArgumentError, LagrangianError
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.studio.models import StudioModel
from lagrangian.studio.request_checks import body_point, read_numbers
from lagrangian.studio.text_positions import line_column, text_edit
from lagrangian.studio.toml_places import Span, TomlNode, scan_toml
from lagrangian.viewer.scene.poses import frame_names

MIN_RATIO = 0.02  # of the length before: a link does not vanish
DIGITS = 4
MAX_HANDLES = 80  # more would hide the mechanism
_NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d+)?")
_QUOTED = re.compile(r"([\"'])(\s*)([^\"']*?)(\s*)\1")


@dataclass(frozen=True)
class LinkEnd:
    """A part that a body carries, at a point of the body; `entries` are the nodes of the text that may place it."""

    kind: str
    name: str
    side: str
    point: np.ndarray
    entries: tuple[TomlNode, ...]


@dataclass(frozen=True)
class NumberLiteral:
    """A number in the text that a length may depend on."""

    name: str
    span: Span
    value: float


def resize_link(model: StudioModel, request: dict[str, Any]) -> dict[str, Any]:
    """The answer to /api/stretch."""
    if model.format != "toml":
        raise ArgumentError(
            "lengths can be dragged in TOML descriptions only",
            remedy="convert this description to TOML first; you can drag joints here, too",
        )
    m, text = model.valid_mechanism, model.text
    body, point = body_point(m, request.get("frame"), request.get("point"))
    q = read_numbers(request["q"], m.nq, "q") if request.get("q") is not None else model.view().q
    T = body_poses(m, q)[body][0]
    to = T[:3, :3].T @ (read_numbers(request.get("to"), 3, "to") - T[:3, 3])
    root = scan_toml(text)
    joint_position = _inner_joint_position(m, body)
    end = _nearest_end(link_ends(m, root, body), joint_position, point)
    direction = end.point - joint_position
    length = float(np.linalg.norm(direction))
    target_length = max(length + float((to - point) @ direction) / length, MIN_RATIO * length)
    literals = _solve_length(text, root, m, body, end, target_length)
    new_text = _rewrite_literals(text, literals)
    return {
        "edits": [text_edit(text, *number.span, _literal_text(number, text)) for number in literals],
        "name": literals[0].name,
        "value": literals[0].value,
        "length": _link_length(loads(new_text), body, end),
        "end": f"{end.kind} {end.name}",
        "line": line_column(text, literals[0].span[0])[0],
    }


def drag_handles(model: StudioModel) -> list[dict[str, Any]]:
    """A handle for each point of a body where a joint, a loop or a frame of the text is."""
    m = model.valid_mechanism
    if model.format != "toml" or len(m.bodies) > MAX_HANDLES:
        return []
    root, numbers, drag_points = scan_toml(model.text), {name: k for k, name in enumerate(frame_names(m))}, []
    for body in (GROUND, *(b.name for b in m.bodies)):
        used_points: list[np.ndarray] = []
        for end in link_ends(m, root, body):
            if not end.entries or any(np.linalg.norm(end.point - p) < 1e-9 for p in used_points):
                continue
            used_points.append(end.point)
            label = f"from the ground's origin to {end.kind} {end.name}" if body == GROUND else f"{body} to {end.kind} {end.name}"
            drag_points.append({"body": body, "frame": numbers[body], "point": [float(x) for x in end.point], "label": label})
    return drag_points[:MAX_HANDLES]


# -- the ends of links --------------------------------------------------------------------------------------------------


def _inner_joint_position(m: Mechanism, body: str) -> np.ndarray:
    """The position of the joint that carries a body, in its frame."""
    carrier = next((j for j in m.joints if j.child == body), None)
    return np.zeros(3) if carrier is None else carrier.child_placement.matrix()[:3, 3]


def link_ends(m: Mechanism, root: TomlNode, body: str) -> list[LinkEnd]:
    """All parts that a body carries, without those at its own joint."""
    carried, rows = [], _dh_rows(root)
    carrier = next((k for k, j in enumerate(m.joints) if j.child == body), -1)
    child_entries = [_entry_node(root, "joint", carrier - len(rows), "child_xyz")] if carrier >= 0 else []
    for k, joint in enumerate(m.joints):
        if joint.parent == body:
            entries = _dh_length_nodes(root, carrier, k) if k < len(rows) else [_entry_node(root, "joint", k - len(rows), "xyz")]
            carried.append(_link_end("joint", joint.name, "", joint.placement.matrix(), [*entries, *child_entries]))
    for k, frame in enumerate(m.frames):
        if frame.body == body:
            tool = root.entries["dh"].entries.get("tool") if "dh" in root.entries and frame.name == "tool" else None
            shift = 1 if rows and any(f.name == "tool" for f in m.frames) else 0
            place = tool.entries.get("xyz") if tool is not None else _entry_node(root, "frame", k - shift, "xyz")
            carried.append(
                _link_end(
                    "frame",
                    frame.name,
                    "",
                    frame.placement.matrix(),
                    [place, *_dh_length_nodes(root, carrier, -1), *child_entries],
                )
            )
    for k, loop in enumerate(m.loops):
        for side, on, placement in (("a", loop.a, loop.a_placement), ("b", loop.b, loop.b_placement)):
            if on == body:
                carried.append(
                    _link_end(
                        "loop", loop.name, side, placement.matrix(), [_entry_node(root, "loop", k, f"{side}_xyz"), *child_entries]
                    )
                )
    joint_position = _inner_joint_position(m, body)
    return [end for end in carried if np.linalg.norm(end.point - joint_position) > 1e-9]


def _link_end(kind: str, name: str, side: str, T: np.ndarray, entries: list[TomlNode | None]) -> LinkEnd:
    return LinkEnd(kind, name, side, T[:3, 3], tuple(x for x in entries if x is not None))


def _entry_node(root: TomlNode, kind: str, k: int, key: str) -> TomlNode | None:
    elements = root.entries.get(kind)
    return elements.items[k].entries.get(key) if elements is not None and 0 <= k < len(elements.items) else None


def _dh_rows(root: TomlNode) -> list[TomlNode]:
    dh = root.entries.get("dh")
    row = dh.entries.get("row") if dh is not None else None
    return row.items if row is not None else []


def _dh_length_nodes(root: TomlNode, *numbers: int) -> list[TomlNode | None]:
    """The lengths in rows of Denavit-Hartenberg parameters, and the position of the base before the first row."""
    rows = _dh_rows(root)
    nodes = [rows[k].entries.get(key) for k in numbers if 0 <= k < len(rows) for key in ("a", "d")]
    base = root.entries["dh"].entries.get("base") if rows and 0 in numbers and -1 in numbers else None
    return [*nodes, base.entries.get("xyz")] if base is not None else nodes


def _nearest_end(carried: list[LinkEnd], inner: np.ndarray, point: np.ndarray) -> LinkEnd:
    """The end whose link, from the joint of the body to it, is nearest to the point; of several in line, the nearest end."""
    if not carried:
        raise ArgumentError("this body has no length: it carries no joint or frame", remedy="add a frame at its end: [[frame]]")

    def distance(end: LinkEnd) -> float:
        along = end.point - inner
        share = float(np.clip((point - inner) @ along / (along @ along), 0.0, 1.0))
        return float(np.linalg.norm(point - inner - share * along))

    min_distance = min(distance(end) for end in carried)
    size = max(float(np.linalg.norm(end.point - inner)) for end in carried)
    return min(
        (x for x in carried if distance(x) < min_distance + 0.02 * size), key=lambda x: float(np.linalg.norm(point - x.point))
    )


# -- the number that is changed -----------------------------------------------------------------------------------------


def _solve_length(text: str, root: TomlNode, m: Mechanism, body: str, end: LinkEnd, target_length: float) -> list[NumberLiteral]:
    """The numbers that give a link its target length, with their new values."""
    inner = _inner_joint_position(m, body)
    length = float(np.linalg.norm(end.point - inner))
    candidates = []
    for number in _literals(text, root, end):
        h = 1e-3 * max(abs(number.value), 1e-2 * length)
        slope = (_length_with(text, [NumberLiteral(number.name, number.span, number.value + h)], body, end) - length) / h
        candidates.append((abs(slope) * max(abs(number.value), 1e-3 * length), slope, number))
    if not candidates or max(candidates, key=lambda x: x[0])[0] < 1e-6 * length:
        raise ArgumentError(
            f"the length to {end.kind} {end.name!r} does not depend on a number that can be changed here",
            remedy="change the expression in the text",
        )
    _, slope, number = max(candidates, key=lambda x: x[0])
    alike_literals = [x for w, _, x in candidates if x.name == number.name and x.value and w > 1e-6 * length]
    # several numbers of one entry grow alike
    if len(alike_literals) > 1 and not any(x.name != number.name for _, _, x in candidates):
        return [_round_literal(NumberLiteral(x.name, x.span, x.value * target_length / length)) for x in alike_literals]
    value = number.value + (target_length - length) / slope
    for _ in range(8):  # most lengths are linear, and there at once
        length_error = _length_with(text, [NumberLiteral(number.name, number.span, value)], body, end) - target_length
        if abs(length_error) < 1e-7 * length:
            break
        value -= length_error / slope
    return [_round_literal(NumberLiteral(number.name, number.span, value))]


def _literals(text: str, root: TomlNode, end: LinkEnd) -> list[NumberLiteral]:
    """The numbers of the entries themselves, and the parameters on which they depend, also through others."""
    literals: dict[Span, NumberLiteral] = {}
    table = root.entries.get("parameters")
    parameters = table.entries if table is not None else {}
    names: list[str] = []
    for entry in end.entries:
        for item in entry.items or [entry]:
            raw = text[slice(*item.span)]
            quoted = _QUOTED.fullmatch(raw)
            if _NUMBER.fullmatch(raw):
                literals[item.span] = NumberLiteral(f"{end.kind} {end.name}", item.span, float(raw.replace("_", "")))
            elif quoted and _NUMBER.fullmatch(quoted[3]):
                start = item.span[0] + 1 + len(quoted[2])
                literals[item.span] = NumberLiteral(f"{end.kind} {end.name}", (start, start + len(quoted[3])), float(quoted[3]))
            elif quoted:
                names += _NAME.findall(quoted[3])
    visited: set[str] = set()
    while names:
        name = names.pop()
        if name in visited or name not in parameters:
            continue
        visited.add(name)
        raw = text[slice(*parameters[name].span)]
        if _NUMBER.fullmatch(raw):
            literals[parameters[name].span] = NumberLiteral(name, parameters[name].span, float(raw.replace("_", "")))
        elif quoted := _QUOTED.fullmatch(raw):
            names += _NAME.findall(quoted[3])
    return list(literals.values())


def _length_with(text: str, numbers: list[NumberLiteral], body: str, end: LinkEnd) -> float:
    """The length with other numbers; an error where these describe no mechanism."""
    try:
        return _link_length(loads(_rewrite_literals(text, numbers, exact=True)), body, end)
    except LagrangianError as error:
        raise ArgumentError(f"the length cannot be changed like this: {error.problem}") from None


def _link_length(m: Mechanism, body: str, end: LinkEnd) -> float:
    parts: dict[str, Any] = {"joint": m.joints, "frame": m.frames, "loop": m.loops}
    part = next(x for x in parts[end.kind] if x.name == end.name)
    placement = getattr(part, f"{end.side}_placement") if end.side else part.placement
    return float(np.linalg.norm(placement.matrix()[:3, 3] - (_inner_joint_position(m, body) if body != GROUND else 0)))


def _rewrite_literals(text: str, numbers: list[NumberLiteral], exact: bool = False) -> str:
    for number in sorted(numbers, key=lambda x: -x.span[0]):
        start, end = number.span
        text = text[:start] + (repr(number.value) if exact else _literal_text(number, text)) + text[end:]
    return text


def _round_literal(number: NumberLiteral) -> NumberLiteral:
    return NumberLiteral(number.name, number.span, float(f"{number.value:.{DIGITS}g}"))


def _literal_text(number: NumberLiteral, text: str) -> str:
    """The text of a number, with a decimal point where the number before had one."""
    digits = f"{number.value:.{DIGITS}g}"
    is_whole = "." not in digits and "e" not in digits
    return f"{digits}.0" if is_whole and "." in text[slice(*number.span)] else digits

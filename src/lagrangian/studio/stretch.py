"""A link dragged longer: which number of the TOML text gives it its length, and its new value, written in its place.

A link reaches from the joint that carries it to what it carries: other joints, ends of loops, frames. Of these the one that was
taken hold of is moved along the link. The numbers that place it, in its own entry or as parameters that the entry names, are
tried, and the one that changes the length most is changed; comments and layout stay as they are.
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
from lagrangian.studio.models import Model
from lagrangian.studio.posing import numbers, on_body
from lagrangian.studio.positions import edit, line_column
from lagrangian.studio.toml_places import Node, Span, scan

SHORTEST = 0.02  # of the length before: a link is not dragged to nothing
DIGITS = 4
_NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d+)?")
_QUOTED = re.compile(r"([\"'])(\s*)([^\"']*?)(\s*)\1")


@dataclass(frozen=True)
class End:
    """Something that a body carries, at a point of it; `entries` are the nodes of the text that may place it."""

    kind: str
    name: str
    side: str
    point: np.ndarray
    entries: tuple[Node, ...]


@dataclass(frozen=True)
class Number:
    """A number in the text that a length may depend on."""

    name: str
    span: Span
    value: float


def stretched(model: Model, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to /api/stretch."""
    if model.format != "toml":
        raise ArgumentError(
            "lengths can be dragged in TOML descriptions only",
            remedy="convert this description to TOML first; you can drag joints here, too",
        )
    m, text = model.read, model.text
    body, point = on_body(m, asked.get("frame"), asked.get("point"))
    q = numbers(asked["q"], m.nq, "q") if asked.get("q") is not None else model.look()["q"]
    T = body_poses(m, q)[body][0]
    to = T[:3, :3].T @ (numbers(asked.get("to"), 3, "to") - T[:3, 3])
    root = scan(text)
    inner = _inner(m, body)
    end = _nearest(ends(m, root, body), inner, point)
    along = end.point - inner
    length = float(np.linalg.norm(along))
    wanted = max(length + float((to - point) @ along) / length, SHORTEST * length)
    changed = _solved(text, root, m, body, end, wanted)
    new = _rewritten(text, changed)
    return {
        "edits": [edit(text, *number.span, _written(number, text)) for number in changed],
        "name": changed[0].name,
        "value": changed[0].value,
        "length": _length(loads(new), body, end),
        "end": f"{end.kind} {end.name}",
        "line": line_column(text, changed[0].span[0])[0],
    }


# -- what a link reaches to ---------------------------------------------------------------------------------------------


def _inner(m: Mechanism, body: str) -> np.ndarray:
    """Where the joint that carries a body is on it."""
    carrier = next((j for j in m.joints if j.child == body), None)
    return np.zeros(3) if carrier is None else carrier.child_placement.matrix()[:3, 3]


def ends(m: Mechanism, root: Node, body: str) -> list[End]:
    """All that a body carries, but what sits where it is carried itself."""
    found, rows = [], _rows(root)
    carrier = next((k for k, j in enumerate(m.joints) if j.child == body), -1)
    own = [_at(root, "joint", carrier - len(rows), "child_xyz")] if carrier >= 0 else []
    for k, joint in enumerate(m.joints):
        if joint.parent == body:
            listed = _of_rows(root, carrier, k) if k < len(rows) else [_at(root, "joint", k - len(rows), "xyz")]
            found.append(_end("joint", joint.name, "", joint.placement.matrix(), [*listed, *own]))
    for k, frame in enumerate(m.frames):
        if frame.body == body:
            tool = root.entries["dh"].entries.get("tool") if "dh" in root.entries and frame.name == "tool" else None
            shift = 1 if rows and any(f.name == "tool" for f in m.frames) else 0
            place = tool.entries.get("xyz") if tool is not None else _at(root, "frame", k - shift, "xyz")
            found.append(_end("frame", frame.name, "", frame.placement.matrix(), [place, *_of_rows(root, carrier, -1), *own]))
    for k, loop in enumerate(m.loops):
        for side, on, placement in (("a", loop.a, loop.a_placement), ("b", loop.b, loop.b_placement)):
            if on == body:
                found.append(_end("loop", loop.name, side, placement.matrix(), [_at(root, "loop", k, f"{side}_xyz"), *own]))
    inner = _inner(m, body)
    return [end for end in found if np.linalg.norm(end.point - inner) > 1e-9]


def _end(kind: str, name: str, side: str, T: np.ndarray, entries: list[Node | None]) -> End:
    return End(kind, name, side, T[:3, 3], tuple(x for x in entries if x is not None))


def _at(root: Node, kind: str, k: int, key: str) -> Node | None:
    listed = root.entries.get(kind)
    return listed.items[k].entries.get(key) if listed is not None and 0 <= k < len(listed.items) else None


def _rows(root: Node) -> list[Node]:
    dh = root.entries.get("dh")
    row = dh.entries.get("row") if dh is not None else None
    return row.items if row is not None else []


def _of_rows(root: Node, *which: int) -> list[Node | None]:
    """The lengths in rows of Denavit and Hartenberg's, and before the first of them that of the base."""
    rows = _rows(root)
    found = [rows[k].entries.get(key) for k in which if 0 <= k < len(rows) for key in ("a", "d")]
    base = root.entries["dh"].entries.get("base") if rows and 0 in which and -1 in which else None
    return [*found, base.entries.get("xyz")] if base is not None else found


def _nearest(found: list[End], inner: np.ndarray, point: np.ndarray) -> End:
    """The end whose link, from where the body is carried to it, is nearest to the point; of several in line, the nearest end."""
    if not found:
        raise ArgumentError("this body has no length: it carries no joint or frame", remedy="add a frame at its end: [[frame]]")

    def off(end: End) -> float:
        along = end.point - inner
        share = float(np.clip((point - inner) @ along / (along @ along), 0.0, 1.0))
        return float(np.linalg.norm(point - inner - share * along))

    least = min(off(end) for end in found)
    size = max(float(np.linalg.norm(end.point - inner)) for end in found)
    return min((x for x in found if off(x) < least + 0.02 * size), key=lambda x: float(np.linalg.norm(point - x.point)))


# -- the number that is changed -----------------------------------------------------------------------------------------


def _solved(text: str, root: Node, m: Mechanism, body: str, end: End, wanted: float) -> list[Number]:
    """The numbers that make the length what is wanted, with their new values."""
    inner = _inner(m, body)
    length = float(np.linalg.norm(end.point - inner))
    tried = []
    for number in _numbers(text, root, end):
        h = 1e-3 * max(abs(number.value), 1e-2 * length)
        slope = (_tried(text, [Number(number.name, number.span, number.value + h)], body, end) - length) / h
        tried.append((abs(slope) * max(abs(number.value), 1e-3 * length), slope, number))
    if not tried or max(tried, key=lambda x: x[0])[0] < 1e-6 * length:
        raise ArgumentError(
            f"the length to {end.kind} {end.name!r} does not depend on a number that can be changed here",
            remedy="change the expression in the text",
        )
    _, slope, number = max(tried, key=lambda x: x[0])
    plain = [x for w, _, x in tried if x.name == number.name and x.value and w > 1e-6 * length]
    if len(plain) > 1 and not any(x.name != number.name for _, _, x in tried):  # several numbers of one entry: all grow alike
        return [_rounded(Number(x.name, x.span, x.value * wanted / length)) for x in plain]
    value = number.value + (wanted - length) / slope
    for _ in range(8):  # most lengths are linear, and there at once
        miss = _tried(text, [Number(number.name, number.span, value)], body, end) - wanted
        if abs(miss) < 1e-7 * length:
            break
        value -= miss / slope
    return [_rounded(Number(number.name, number.span, value))]


def _numbers(text: str, root: Node, end: End) -> list[Number]:
    """The numbers of the entries themselves, and the parameters that they name, however far down."""
    found: dict[Span, Number] = {}
    table = root.entries.get("parameters")
    known = table.entries if table is not None else {}
    names: list[str] = []
    for entry in end.entries:
        for item in entry.items or [entry]:
            raw = text[slice(*item.span)]
            quoted = _QUOTED.fullmatch(raw)
            if _NUMBER.fullmatch(raw):
                found[item.span] = Number(f"{end.kind} {end.name}", item.span, float(raw.replace("_", "")))
            elif quoted and _NUMBER.fullmatch(quoted[3]):
                start = item.span[0] + 1 + len(quoted[2])
                found[item.span] = Number(f"{end.kind} {end.name}", (start, start + len(quoted[3])), float(quoted[3]))
            elif quoted:
                names += _NAME.findall(quoted[3])
    met: set[str] = set()
    while names:
        name = names.pop()
        if name in met or name not in known:
            continue
        met.add(name)
        raw = text[slice(*known[name].span)]
        if _NUMBER.fullmatch(raw):
            found[known[name].span] = Number(name, known[name].span, float(raw.replace("_", "")))
        elif quoted := _QUOTED.fullmatch(raw):
            names += _NAME.findall(quoted[3])
    return list(found.values())


def _tried(text: str, numbers: list[Number], body: str, end: End) -> float:
    """The length with other numbers; as it cannot be used where these make no mechanism."""
    try:
        return _length(loads(_rewritten(text, numbers, exact=True)), body, end)
    except LagrangianError as error:
        raise ArgumentError(f"the length cannot be changed like this: {error.problem}") from None


def _length(m: Mechanism, body: str, end: End) -> float:
    listed: dict[str, Any] = {"joint": m.joints, "frame": m.frames, "loop": m.loops}
    part = next(x for x in listed[end.kind] if x.name == end.name)
    placement = getattr(part, f"{end.side}_placement") if end.side else part.placement
    return float(np.linalg.norm(placement.matrix()[:3, 3] - (_inner(m, body) if body != GROUND else 0)))


def _rewritten(text: str, numbers: list[Number], exact: bool = False) -> str:
    for number in sorted(numbers, key=lambda x: -x.span[0]):
        start, end = number.span
        text = text[:start] + (repr(number.value) if exact else _written(number, text)) + text[end:]
    return text


def _rounded(number: Number) -> Number:
    return Number(number.name, number.span, float(f"{number.value:.{DIGITS}g}"))


def _written(number: Number, text: str) -> str:
    """Plain, with a point where the number before had one."""
    told = f"{number.value:.{DIGITS}g}"
    whole = "." not in told and "e" not in told
    return f"{told}.0" if whole and "." in text[slice(*number.span)] else told

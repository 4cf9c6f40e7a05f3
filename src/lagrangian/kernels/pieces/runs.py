"""Runs of pieces as machine code: pieces are joined, and what neighbours share is handed back to them.

A node is a piece, or two that are joined; its record holds what `algorithms.pieces` calls a node, and for two that are joined
the `Joint` between them. The state of a node is the acceleration of its base and the wrench at its tip.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lagrangian.algorithms import pieces
from lagrangian.algorithms import small_matrix as m
from lagrangian.algorithms.forward_dynamics import ARTICULATED
from lagrangian.algorithms.nested import Template, flatten, size, unflatten
from lagrangian.algorithms.pieces import NODE, SPAN, Joint
from lagrangian.kernels.llvm.builder import INTEGER, Array, Builder
from lagrangian.kernels.llvm.function import traced
from lagrangian.kernels.trace.node import Graph


def length(templates: dict[str, Template]) -> int:
    return sum(size(template) for template in templates.values())


OUTER, ENDS, BETWEEN = length(ARTICULATED), length(NODE), 21 + 36
RECORD = ENDS + BETWEEN  # of a node
END = OUTER + BETWEEN  # of what a run carries, and the joint with it
STATE, TURN = 12, length(SPAN)
RUN_ROW = 4  # of a run: where its pieces begin in `order`, how many they are, its node, whether it carries anything
RUN_POINTERS = ("values", "order", "spans", "speeds", "nodes", "ends", "states")


def functions(declared: set[str], fma: bool) -> list[str]:
    """Straight-line functions of records: the last pointer is where the results go."""
    lines: list[str] = []

    def add(name: str, given: dict[str, int], outputs: Callable[..., Sequence[Any]]) -> None:
        graph = Graph()
        values = [[graph.input(pointer, k) for k in range(count)] for pointer, count in given.items()]
        places = {pointer: (pointer, 0) for pointer in given}
        lines.extend(traced(name, graph, list(outputs(*values)), places, declared, fma))

    add("join", {"inner": ENDS, "outer": ENDS}, _join)
    add("share", {"inner": ENDS, "outer": ENDS, "joint": BETWEEN, "state": STATE}, _share)
    add("carry_on", {"inner": ENDS, "outer": OUTER}, _carry_on)
    add("end", {"inner": ENDS, "outer": OUTER, "joint": BETWEEN, "state": STATE}, _end)
    add("turn", {"span": TURN, "speed": 3}, lambda span, w: pieces.carried_speed(_named(SPAN, span), tuple(w)))
    return lines


def _named(templates: dict[str, Template], values: Sequence[Any]) -> dict[str, Any]:
    flat = iter(values)
    return {name: unflatten(template, flat) for name, template in templates.items()}


def _flat(templates: dict[str, Template], values: dict[str, Any]) -> list[Any]:
    return [x for name in templates for x in flatten(values[name])]


def _joint(values: Sequence[Any]) -> Joint:
    return Joint(m.full(values[:21], 6), [list(values[21 + 6 * i : 27 + 6 * i]) for i in range(6)])


def _flat_joint(joint: Joint) -> list[Any]:
    return [*(joint.K[i][j] for i, j in m.PAIRS), *(x for row in joint.H for x in row)]


def _join(inner: Sequence[Any], outer: Sequence[Any]) -> list[Any]:
    a, b = _named(NODE, inner), _named(NODE, outer)
    between = pieces.joint(a, b)
    return [*_flat(NODE, pieces.joined(a, b, between)), *_flat_joint(between)]


def _share(inner: Sequence[Any], outer: Sequence[Any], joint: Sequence[Any], state: Sequence[Any]) -> list[Any]:
    a, b = _named(NODE, inner), _named(NODE, outer)
    F, acceleration = pieces.shared_state(a, b, _joint(joint), list(state[:6]), list(state[6:]))
    return [*acceleration, *F]


def _carry_on(inner: Sequence[Any], outer: Sequence[Any]) -> list[Any]:
    a, b = _named(NODE, inner), _named(ARTICULATED, outer)
    between = pieces.joint(a, b)
    return [*_flat(ARTICULATED, pieces.carrying(a, b, between)), *_flat_joint(between)]


def _end(inner: Sequence[Any], outer: Sequence[Any], joint: Sequence[Any], state: Sequence[Any]) -> list[Any]:
    a, b = _named(NODE, inner), _named(ARTICULATED, outer)
    y = m.add(m.times(m.transpose(pieces.handles(a)), list(state[:6])), list(flatten(a["b"])))
    F, acceleration = pieces.between(a, _joint(joint), y, pieces.bias(b))
    return [*acceleration, *F]


# -- what a sweep over the items does at a run ----------------------------------------------------------------------------


def steps(declared: set[str], fma: bool) -> list[str]:
    """`run0`, `run1` and `run2`: a run's part in the three sweeps of the articulated-body algorithm."""
    lines: list[str] = []
    for number, write in enumerate((_speeds, _inertia, _accelerations)):
        b = Builder(f"run{number}", ["row", *RUN_POINTERS], declared, fma, internal=True)
        arrays = {name: b.array(name, INTEGER if name in ("row", "order") else "double") for name in b.arguments}
        write(b, **arrays)
        b.leave()
        lines += b.text()
    return lines


def _speeds(b: Builder, row: Array, values: Array, order: Array, spans: Array, speeds: Array, **_: Array) -> None:
    """From piece to piece: how fast its base turns."""
    first, turned = row[0], b.local(3)
    with b.count(row[1]) as k:
        piece = order[first + k]
        b.copy(values, speeds.part(piece * 3), 3)
        b.call("turn", spans.part(piece * TURN), values, turned)
        b.copy(turned, values, 3)


def _inertia(b: Builder, row: Array, values: Array, nodes: Array, ends: Array, **_: Array) -> None:
    """The articulated inertia and bias of the run with all that it carries; this, and the joint with it, is kept."""
    node, found, end = nodes.part(row[2] * RECORD), b.local(END), ends.part(row[2] * END)

    def carrying() -> None:
        b.copy(values, end, OUTER)
        b.call("carry_on", node, values, found)
        b.copy(found, values, OUTER)
        b.copy(found.part(OUTER), end.part(OUTER), BETWEEN)

    b.either(row[3].differs(0), carrying, lambda: b.copy(node, values, OUTER))


def _accelerations(b: Builder, row: Array, values: Array, nodes: Array, ends: Array, states: Array, **_: Array) -> None:
    """The state of the run's node, and the acceleration of its tip."""
    state = states.part(row[2] * STATE)
    b.copy(values, state, 6)

    def carrying() -> None:
        end, found = ends.part(row[2] * END), b.local(STATE)
        b.call("end", nodes.part(row[2] * RECORD), end, end.part(OUTER), state, found)
        b.copy(found, values, 6)
        b.copy(found.part(6), state.part(6), 6)

    b.either(row[3].differs(0), carrying, lambda: b.each(6, lambda k: state.__setitem__(k + 6, 0.0)))


def joints(declared: set[str], fma: bool) -> list[str]:
    """`join_all` and `share_all(joints, nodes, states)`: over rows (inner, outer, both), whose number is the first entry."""
    up = Builder("join_all", ["joints", "nodes"], declared, fma, internal=True)
    rows, nodes = up.array("joints", INTEGER), up.array("nodes")
    with up.count(rows[0]) as k:
        row = rows.part(k * 3 + 1)
        inner, outer, both = (nodes.part(row[j] * RECORD) for j in range(3))
        up.call("join", inner, outer, both)
    up.leave()
    down = Builder("share_all", ["joints", "nodes", "states"], declared, fma, internal=True)
    rows, nodes, states = down.array("joints", INTEGER), down.array("nodes"), down.array("states")
    count, found = rows[0], down.local(STATE)
    with down.count(count) as k:
        row = rows.part((count - k) * 3 - 2)
        inner, outer, both = (nodes.part(row[j] * RECORD) for j in range(3))
        below, above, state = (states.part(row[j] * STATE) for j in range(3))
        down.call("share", inner, outer, both.part(ENDS), state, found)
        down.copy(state, below, 6)
        down.copy(found.part(6), below.part(6), 6)
        down.copy(found, above, 6)
        down.copy(state.part(6), above.part(6), 6)
    down.leave()
    return [*up.text(), *down.text()]

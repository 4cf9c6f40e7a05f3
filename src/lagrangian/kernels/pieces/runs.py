"""Runs of pieces as machine code: pieces are joined, and what neighbours share is handed back to them.

A node is a piece, or two that are joined, or what a run carries at its tip; its record holds what `algorithms.pieces` calls a
node, and for two that are joined the `Joint` between them. The state of a node is the acceleration of its base and the wrench
at its tip. Nothing here depends on a mechanism: the code is compiled once for all of them, and called through its addresses.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from lagrangian.algorithms import inverse_pieces, pieces
from lagrangian.algorithms import small_matrix as m
from lagrangian.algorithms.forward_dynamics import ARTICULATED
from lagrangian.algorithms.inverse_dynamics import MOTION
from lagrangian.algorithms.inverse_pieces import RELATIVE, WRENCH
from lagrangian.algorithms.nested import Template, flatten, size, unflatten
from lagrangian.algorithms.pieces import NODE, SPAN, Joint
from lagrangian.kernels.llvm import cache, jit
from lagrangian.kernels.llvm.builder import INTEGER, Array, Builder, Value
from lagrangian.kernels.llvm.function import traced
from lagrangian.kernels.llvm.target import Target
from lagrangian.kernels.trace.node import Graph


def length(templates: dict[str, Template]) -> int:
    return sum(size(template) for template in templates.values())


OUTER, ENDS, BETWEEN = length(ARTICULATED), length(NODE), 2 * (15 + 6)
RECORD = ENDS + BETWEEN  # of a node
STATE, TURN, BODY = 12, length(SPAN), 10
RELATIVE_MOTION, MOVED = length(RELATIVE), length(MOTION)
# of a run: where its pieces begin in `order`, how many they are, its node, and, where it carries anything, the node of that and
# of both together, else -1
RUN_ROW, JOINT_ROW = 5, 4
FORWARD = ("values", "order", "halves", "spans", "speeds", "nodes", "states", "tips")
INVERSE = ("values", "order", "relative", "motions", "own", "tip_wrenches")
WHOLE = ("row", "order", "joints")  # which of the pointers are to whole numbers


# -- straight-line functions of records ------------------------------------------------------------------------------------


def _straight(declared: set[str], fma: bool) -> list[str]:
    lines: list[str] = []

    def add(name: str, given: dict[str, int], outputs: Callable[..., Sequence[Any]]) -> None:
        graph = Graph()
        values = [[graph.input(pointer, k) for k in range(count)] for pointer, count in given.items()]
        places = {pointer: (pointer, 0) for pointer in given}
        lines.extend(traced(name, graph, list(outputs(*values)), places, declared, fma))

    add("join", {"inner": ENDS, "outer": ENDS}, _join)
    add("carry", {"inner": ENDS, "outer": OUTER}, _carry)
    add("share", {"inner": ENDS, "outer": ENDS, "joint": BETWEEN, "state": STATE}, _share)
    add("weigh", {"node": OUTER, "body": BODY, "speed": 3}, _weigh)
    add("lead", {"relative": RELATIVE_MOTION, "base": MOVED}, _lead)
    add("bear", {"relative": RELATIVE_MOTION, "own": 6, "tip": 6}, _bear)
    add("turn", {"span": TURN, "speed": 3}, lambda span, w: pieces.carried_speed(_named(SPAN, span), tuple(w)))
    return lines


def _named(templates: dict[str, Template], values: Sequence[Any]) -> dict[str, Any]:
    flat = iter(values)
    return {name: unflatten(template, flat) for name, template in templates.items()}


def _lead(relative: Sequence[Any], base: Sequence[Any]) -> list[Any]:
    found = inverse_pieces.carried_motion(_named(RELATIVE, relative), _named(MOTION, base))
    return [x for name in MOTION for x in flatten(found[name])]


def _bear(relative: Sequence[Any], own: Sequence[Any], tip: Sequence[Any]) -> list[Any]:
    found = inverse_pieces.carried_wrench(_named(RELATIVE, relative), _named(WRENCH, own), _named(WRENCH, tip))
    return [x for name in WRENCH for x in flatten(found[name])]


def _weigh(node: Sequence[Any], body: Sequence[Any], w: Sequence[Any]) -> list[Any]:
    parts = (body[0], tuple(body[1:4]), tuple(body[4:]))
    found = pieces.with_body(_named(ARTICULATED, node), parts, tuple(w))
    return [x for name in ARTICULATED for x in flatten(found[name])]


def _join(inner: Sequence[Any], outer: Sequence[Any]) -> list[Any]:
    a, b = _named(NODE, inner), _named(NODE, outer)
    shared = pieces.joint(a, b)
    both = pieces.joined(a, b, shared)
    return [*(x for name in NODE for x in flatten(both[name])), *_flat(shared)]


def _carry(inner: Sequence[Any], outer: Sequence[Any]) -> list[Any]:
    """The same where nothing is beyond the outer one: its handle, and that of both, does not matter."""
    a, b = _named(NODE, inner), _named(ARTICULATED, outer)
    shared = pieces.joint(a, b)
    both = pieces.carrying(a, b, shared)
    return [*(x for name in ARTICULATED for x in flatten(both[name])), *[0] * (ENDS - OUTER), *_flat(shared)]


def _flat(shared: Joint) -> list[Any]:
    return [*m.below(shared.L), *shared.inverse_D, *m.below(shared.N), *shared.inverse_d]


def _share(inner: Sequence[Any], outer: Sequence[Any], joint: Sequence[Any], state: Sequence[Any]) -> list[Any]:
    L, N = m.unit_lower(joint[:15], 6), m.unit_lower(joint[21:36], 6)
    shared = Joint(L, list(joint[15:21]), N, list(joint[36:]))
    a, b = _named(NODE, inner), _named(NODE, outer)
    F, acceleration = pieces.shared_state(a, b, shared, list(state[:6]), list(state[6:]))
    return [*acceleration, *F]


# -- what a sweep over the items does at a run ------------------------------------------------------------------------------


def _speeds(b: Builder, row: Array, values: Array, order: Array, spans: Array, speeds: Array, **_: Array) -> None:
    """From piece to piece: how fast its base turns."""
    first, turned = row[0], b.local(3)
    with b.count(row[1]) as k:
        piece = order[first + k]
        b.copy(values, speeds.part(piece * 3), 3)
        b.call("turn", spans.part(piece * TURN), values, turned)
        b.copy(turned, values, 3)
    with b.when(row[3] >= 0):
        b.copy(values, speeds.part(row[3] * 3), 3)


def _inertia(b: Builder, row: Array, values: Array, halves: Array, speeds: Array, nodes: Array, **_: Array) -> None:
    """The articulated inertia and bias of the run with all that it carries."""

    def carrying() -> None:
        outer, both = nodes.part(row[3] * RECORD), nodes.part(row[4] * RECORD)
        b.call("weigh", values, halves.part(row[3] * BODY), speeds.part(row[3] * 3), outer)
        with b.count(ENDS, OUTER) as k:
            outer[k] = 0.0  # it has no tip
        b.call("carry", nodes.part(row[2] * RECORD), outer, both)
        b.copy(both, values, OUTER)

    b.either(row[3] >= 0, carrying, lambda: b.copy(nodes.part(row[2] * RECORD), values, OUTER))


def _accelerations(b: Builder, row: Array, values: Array, nodes: Array, states: Array, **_: Array) -> None:
    """The state of the run's node, and the acceleration of its tip."""

    def carrying() -> None:
        both = states.part(row[4] * STATE)
        b.copy(values, both, 6)
        b.each(6, lambda k: both.__setitem__(k + 6, 0.0))
        _hand_back(b, row.part(2), nodes, states)
        b.copy(states.part(row[3] * STATE), values, 6)

    def free() -> None:
        state = states.part(row[2] * STATE)
        b.copy(values, state, 6)
        b.each(6, lambda k: state.__setitem__(k + 6, 0.0))

    b.either(row[3] >= 0, carrying, free)


def _motions(b: Builder, row: Array, values: Array, order: Array, relative: Array, motions: Array, **_: Array) -> None:
    """From piece to piece: how its base moves."""
    first, found = row[0], b.local(MOVED)
    with b.count(row[1]) as k:
        piece = order[first + k]
        b.copy(values, motions.part(piece * MOVED), MOVED)
        b.call("lead", relative.part(piece * RELATIVE_MOTION), values, found)
        b.copy(found, values, MOVED)


def _wrenches(
    b: Builder, row: Array, values: Array, order: Array, relative: Array, own: Array, tip_wrenches: Array, **_: Array
) -> None:
    """From piece to piece, inward: the wrench at its tip."""
    first, count, found = row[0], row[1], b.local(6)
    with b.count(count) as k:
        piece = order[first + count - 1 - k]
        b.copy(values, tip_wrenches.part(piece * 6), 6)
        b.call("bear", relative.part(piece * RELATIVE_MOTION), own.part(piece * 6), values, found)
        b.copy(found, values, 6)


# -- all joints ----------------------------------------------------------------------------------------------------------------


def _weigh_all(b: Builder, row: Array, order: Array, halves: Array, speeds: Array, nodes: Array, **_: Array) -> None:
    """All pieces of a run but the first have half of a link before them."""
    found = b.local(OUTER)
    with b.count(row[1], 1) as k:
        piece = order[row[0] + k]
        node = nodes.part(piece * RECORD)
        b.call("weigh", node, halves.part(piece * BODY), speeds.part(piece * 3), found)
        b.copy(found, node, OUTER)


def _join_all(b: Builder, joints: Array, nodes: Array) -> None:
    """Over rows (inner, outer, both, whether anything is beyond them), whose number is the first entry."""
    with b.count(joints[0]) as k:
        row = joints.part(k * JOINT_ROW + 1)
        given = [nodes.part(row[j] * RECORD) for j in range(3)]
        b.either(row[3].differs(0), lambda: b.call("join", *given), lambda: b.call("carry", *given))


def _share_all(b: Builder, joints: Array, nodes: Array, states: Array) -> None:
    """The same rows from the last to the first."""
    count = joints[0]
    with b.count(count) as k:
        _hand_back(b, joints.part((count - 1 - k) * JOINT_ROW + 1), nodes, states)


def _hand_back(b: Builder, row: Array, nodes: Array, states: Array) -> None:
    """The states of two neighbours from that of both together."""
    inner, outer, both = (nodes.part(row[j] * RECORD) for j in range(3))
    below, above, state = (states.part(row[j] * STATE) for j in range(3))
    found = b.local(STATE)
    b.call("share", inner, outer, both.part(ENDS), state, found)
    b.copy(state, below, 6)
    b.copy(found.part(6), below.part(6), 6)
    b.copy(found, above, 6)
    b.copy(state.part(6), above.part(6), 6)


def _disagreement(b: Builder, row: Array, values: Array, order: Array, states: Array, tips: Array, **_: Array) -> None:
    """Into values: the largest difference between a tip's acceleration, as its piece finds it, and that of the base of the next,
    angular and linear; then the largest acceleration of a tip, angular and linear.
    """
    first, last = row[0], row[1] - 1
    with b.count(row[1]) as k:
        tip = tips.part(order[first + k] * 6)
        for j in range(6):
            values[2 + j // 3] = larger(b, values[2 + j // 3], b.absolute(tip[j]))
        carried = b.select(k < last, order[b.select(k < last, first + k + 1, first, INTEGER)], row[3], INTEGER)
        with b.when(carried >= 0):
            base = states.part(carried * STATE)
            for j in range(6):
                values[j // 3] = larger(b, values[j // 3], b.absolute(tip[j] - base[j]))


def larger(b: Builder, x: Value, y: Value) -> Value:
    """The larger of two; NaN where y is."""
    return b.select(y <= x, x, y)


FUNCTIONS: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "speeds": (_speeds, ("row", *FORWARD)),
    "inertia": (_inertia, ("row", *FORWARD)),
    "accelerations": (_accelerations, ("row", *FORWARD)),
    "disagreement": (_disagreement, ("row", *FORWARD)),
    "weigh_all": (_weigh_all, ("row", *FORWARD)),
    "motions": (_motions, ("row", *INVERSE)),
    "wrenches": (_wrenches, ("row", *INVERSE)),
    "join_all": (_join_all, ("joints", "nodes")),
    "share_all": (_share_all, ("joints", "nodes", "states")),
}


@functools.cache
def addresses(target: Target) -> tuple[jit.Code, list[int]]:
    """The code, and where each of `FUNCTIONS` is."""
    _, contents = cache.kept(cache.key("runs of pieces", target.key), lambda: ({}, _compiled(target)))
    code = jit.Code(contents, target)
    return code, [code.address(name) for name in FUNCTIONS]


def _compiled(target: Target) -> bytes:
    declared: set[str] = set()
    lines = _straight(declared, target.fma)
    for name, (write, arguments) in FUNCTIONS.items():
        b = Builder(name, list(arguments), declared, target.fma)
        write(b, **{argument: b.array(argument, INTEGER if argument in WHOLE else "double") for argument in arguments})
        b.leave()
        lines += b.text()
    return jit.compile_object("\n".join([*lines, *sorted(declared)]), target, level=2)

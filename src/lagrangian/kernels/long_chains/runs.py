"""Runs of pieces as machine code: pieces are joined, and what neighbours share is handed back to them.

A node is a piece, or two that are joined, or what a run carries at its tip; its record holds what `algorithms.chain_pieces`
calls a node, and for two that are joined the `PieceCoupling` between them. The state of a node is the acceleration of its base
and the wrench at its tip. Nothing here depends on a mechanism: the code is compiled once for all of them, and called through its
addresses.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from lagrangian.algorithms import chain_pieces
from lagrangian.algorithms import small_matrix as m
from lagrangian.algorithms.chain_pieces import NODE, RELATIVE, SPAN, WRENCH, PieceCoupling
from lagrangian.algorithms.forward_dynamics import ARTICULATED
from lagrangian.algorithms.inverse_dynamics import MOTION
from lagrangian.algorithms.nested import Template, flatten, template_size, unflatten
from lagrangian.kernels.llvm import machine_code, object_cache
from lagrangian.kernels.llvm.emit import write_function
from lagrangian.kernels.llvm.ir import INTEGER, Array, FunctionBuilder, Value
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.trace.node import Graph


def record_length(templates: dict[str, Template]) -> int:
    return sum(template_size(template) for template in templates.values())


ARTICULATED_SIZE, NODE_SIZE, JOINT_SIZE = record_length(ARTICULATED), record_length(NODE), 2 * (15 + 6)
RECORD_SIZE = NODE_SIZE + JOINT_SIZE  # of a node
STATE_SIZE, SPAN_SIZE, BODY_SIZE = 12, record_length(SPAN), 10
RELATIVE_SIZE, MOTION_SIZE = record_length(RELATIVE), record_length(MOTION)
# of a run: where its pieces begin in `order`, how many they are, its node, and, where it carries anything, the node of that and
# of both together, else -1
RUN_ROW, JOINT_ROW = 5, 4
FORWARD_ARGUMENTS = ("values", "order", "halves", "spans", "speeds", "nodes", "states", "tips")
INVERSE_ARGUMENTS = ("values", "order", "relative", "motions", "piece_wrenches", "tip_wrenches")
INTEGER_ARGUMENTS = ("row", "order", "joints")  # which of the pointers are to whole numbers


# -- straight-line functions of records ------------------------------------------------------------------------------------


def _record_functions(declared: set[str], fma: bool) -> list[str]:
    lines: list[str] = []

    def add(name: str, input_sizes: dict[str, int], outputs: Callable[..., Sequence[Any]]) -> None:
        graph = Graph()
        values = [[graph.input(pointer, k) for k in range(count)] for pointer, count in input_sizes.items()]
        places = {pointer: (pointer, 0) for pointer in input_sizes}
        lines.extend(write_function(name, graph, list(outputs(*values)), places, declared, fma))

    add("join", {"inner": NODE_SIZE, "outer": NODE_SIZE}, _join)
    add("join_last", {"inner": NODE_SIZE, "outer": ARTICULATED_SIZE}, _join_last)
    add("share", {"inner": NODE_SIZE, "outer": NODE_SIZE, "joint": JOINT_SIZE, "state": STATE_SIZE}, _share)
    add("add_body", {"node": ARTICULATED_SIZE, "body": BODY_SIZE, "speed": 3}, _add_body)
    add("carry_motion", {"relative": RELATIVE_SIZE, "base": MOTION_SIZE}, _carry_motion)
    add("carry_wrench", {"relative": RELATIVE_SIZE, "piece_wrench": 6, "tip": 6}, _carry_wrench)
    add(
        "tip_angular_velocity",
        {"span": SPAN_SIZE, "speed": 3},
        lambda span, w: chain_pieces.tip_angular_velocity(_record_fields(SPAN, span), tuple(w)),
    )
    return lines


def _record_fields(templates: dict[str, Template], values: Sequence[Any]) -> dict[str, Any]:
    flat = iter(values)
    return {name: unflatten(template, flat) for name, template in templates.items()}


def _carry_motion(relative: Sequence[Any], base: Sequence[Any]) -> list[Any]:
    motion = chain_pieces.tip_motion(_record_fields(RELATIVE, relative), _record_fields(MOTION, base))
    return [x for name in MOTION for x in flatten(motion[name])]


def _carry_wrench(relative: Sequence[Any], piece_wrench: Sequence[Any], tip: Sequence[Any]) -> list[Any]:
    wrench = chain_pieces.base_wrench(
        _record_fields(RELATIVE, relative), _record_fields(WRENCH, piece_wrench), _record_fields(WRENCH, tip)
    )
    return [x for name in WRENCH for x in flatten(wrench[name])]


def _add_body(node: Sequence[Any], body: Sequence[Any], w: Sequence[Any]) -> list[Any]:
    parts = (body[0], tuple(body[1:4]), tuple(body[4:]))
    articulated = chain_pieces.with_body(_record_fields(ARTICULATED, node), parts, tuple(w))
    return [x for name in ARTICULATED for x in flatten(articulated[name])]


def _join(inner: Sequence[Any], outer: Sequence[Any]) -> list[Any]:
    a, b = _record_fields(NODE, inner), _record_fields(NODE, outer)
    joint_factors = chain_pieces.couple_pieces(a, b)
    merged = chain_pieces.join_pieces(a, b, joint_factors)
    return [*(x for name in NODE for x in flatten(merged[name])), *_joint_numbers(joint_factors)]


def _join_last(inner: Sequence[Any], outer: Sequence[Any]) -> list[Any]:
    """The same where nothing is beyond the outer one: its handle, and that of both, does not matter."""
    a, b = _record_fields(NODE, inner), _record_fields(ARTICULATED, outer)
    joint_factors = chain_pieces.couple_pieces(a, b)
    merged = chain_pieces.join_last_piece(a, b, joint_factors)
    return [
        *(x for name in ARTICULATED for x in flatten(merged[name])),
        *[0] * (NODE_SIZE - ARTICULATED_SIZE),
        *_joint_numbers(joint_factors),
    ]


def _joint_numbers(joint_factors: PieceCoupling) -> list[Any]:
    return [
        *m.strict_lower(joint_factors.L),
        *joint_factors.inverse_D,
        *m.strict_lower(joint_factors.N),
        *joint_factors.inverse_d,
    ]


def _share(inner: Sequence[Any], outer: Sequence[Any], joint: Sequence[Any], state: Sequence[Any]) -> list[Any]:
    L, N = m.unit_lower(joint[:15], 6), m.unit_lower(joint[21:36], 6)
    joint_factors = PieceCoupling(L, list(joint[15:21]), N, list(joint[36:]))
    a, b = _record_fields(NODE, inner), _record_fields(NODE, outer)
    F, acceleration = chain_pieces.interface_state(a, b, joint_factors, list(state[:6]), list(state[6:]))
    return [*acceleration, *F]


# -- what a sweep over the items does at a run ------------------------------------------------------------------------------


def _speeds(b: FunctionBuilder, row: Array, values: Array, order: Array, spans: Array, speeds: Array, **_: Array) -> None:
    """Write the loop that computes, from piece to piece, how fast the base of each turns."""
    first, next_speed = row[0], b.local_array(3)
    with b.for_range(row[1]) as k:
        piece = order[first + k]
        b.copy(values, speeds.offset(piece * 3), 3)
        b.call("tip_angular_velocity", spans.offset(piece * SPAN_SIZE), values, next_speed)
        b.copy(next_speed, values, 3)
    with b.if_then(row[3] >= 0):
        b.copy(values, speeds.offset(row[3] * 3), 3)


def _inertia(b: FunctionBuilder, row: Array, values: Array, halves: Array, speeds: Array, nodes: Array, **_: Array) -> None:
    """The articulated inertia and bias of the run with all that it carries."""

    def carrying() -> None:
        outer, merged = nodes.offset(row[3] * RECORD_SIZE), nodes.offset(row[4] * RECORD_SIZE)
        b.call("add_body", values, halves.offset(row[3] * BODY_SIZE), speeds.offset(row[3] * 3), outer)
        with b.for_range(NODE_SIZE, ARTICULATED_SIZE) as k:
            outer[k] = 0.0  # it has no tip
        b.call("join_last", nodes.offset(row[2] * RECORD_SIZE), outer, merged)
        b.copy(merged, values, ARTICULATED_SIZE)

    b.if_else(row[3] >= 0, carrying, lambda: b.copy(nodes.offset(row[2] * RECORD_SIZE), values, ARTICULATED_SIZE))


def _accelerations(b: FunctionBuilder, row: Array, values: Array, nodes: Array, states: Array, **_: Array) -> None:
    """The state of the run's node, and the acceleration of its tip."""

    def carrying() -> None:
        merged = states.offset(row[4] * STATE_SIZE)
        b.copy(values, merged, 6)
        b.for_each(6, lambda k: merged.__setitem__(k + 6, 0.0))
        _hand_back(b, row.offset(2), nodes, states)
        b.copy(states.offset(row[3] * STATE_SIZE), values, 6)

    def free() -> None:
        state = states.offset(row[2] * STATE_SIZE)
        b.copy(values, state, 6)
        b.for_each(6, lambda k: state.__setitem__(k + 6, 0.0))

    b.if_else(row[3] >= 0, carrying, free)


def _motions(b: FunctionBuilder, row: Array, values: Array, order: Array, relative: Array, motions: Array, **_: Array) -> None:
    """Write the loop that computes, from piece to piece, how the base of each moves."""
    first, next_motion = row[0], b.local_array(MOTION_SIZE)
    with b.for_range(row[1]) as k:
        piece = order[first + k]
        b.copy(values, motions.offset(piece * MOTION_SIZE), MOTION_SIZE)
        b.call("carry_motion", relative.offset(piece * RELATIVE_SIZE), values, next_motion)
        b.copy(next_motion, values, MOTION_SIZE)


def _wrenches(
    b: FunctionBuilder,
    row: Array,
    values: Array,
    order: Array,
    relative: Array,
    piece_wrenches: Array,
    tip_wrenches: Array,
    **_: Array,
) -> None:
    """Write the loop that computes, from piece to piece inward, the wrench at the tip of each."""
    first, count, next_wrench = row[0], row[1], b.local_array(6)
    with b.for_range(count) as k:
        piece = order[first + count - 1 - k]
        b.copy(values, tip_wrenches.offset(piece * 6), 6)
        b.call("carry_wrench", relative.offset(piece * RELATIVE_SIZE), piece_wrenches.offset(piece * 6), values, next_wrench)
        b.copy(next_wrench, values, 6)


# -- all joints ----------------------------------------------------------------------------------------------------------------


def _add_bodies(b: FunctionBuilder, row: Array, order: Array, halves: Array, speeds: Array, nodes: Array, **_: Array) -> None:
    """All pieces of a run but the first have half of a link before them."""
    articulated = b.local_array(ARTICULATED_SIZE)
    with b.for_range(row[1], 1) as k:
        piece = order[row[0] + k]
        node = nodes.offset(piece * RECORD_SIZE)
        b.call("add_body", node, halves.offset(piece * BODY_SIZE), speeds.offset(piece * 3), articulated)
        b.copy(articulated, node, ARTICULATED_SIZE)


def _join_all(b: FunctionBuilder, joints: Array, nodes: Array) -> None:
    """Write the loop that joins nodes, over rows (inner, outer, both, whether anything is beyond them).

    The number of rows is the first entry of `joints`.
    """
    with b.for_range(joints[0]) as k:
        row = joints.offset(k * JOINT_ROW + 1)
        records = [nodes.offset(row[j] * RECORD_SIZE) for j in range(3)]
        b.if_else(row[3].differs(0), lambda: b.call("join", *records), lambda: b.call("join_last", *records))


def _share_all(b: FunctionBuilder, joints: Array, nodes: Array, states: Array) -> None:
    """The same rows from the last to the first."""
    count = joints[0]
    with b.for_range(count) as k:
        _hand_back(b, joints.offset((count - 1 - k) * JOINT_ROW + 1), nodes, states)


def _hand_back(b: FunctionBuilder, row: Array, nodes: Array, states: Array) -> None:
    """The states of two neighbours from that of both together."""
    inner, outer, merged = (nodes.offset(row[j] * RECORD_SIZE) for j in range(3))
    below, above, state = (states.offset(row[j] * STATE_SIZE) for j in range(3))
    shared_state = b.local_array(STATE_SIZE)
    b.call("share", inner, outer, merged.offset(NODE_SIZE), state, shared_state)
    b.copy(state, below, 6)
    b.copy(shared_state.offset(6), below.offset(6), 6)
    b.copy(shared_state, above, 6)
    b.copy(state.offset(6), above.offset(6), 6)


def _disagreement(b: FunctionBuilder, row: Array, values: Array, order: Array, states: Array, tips: Array, **_: Array) -> None:
    """Write code that puts two differences and two accelerations into `values`, each angular and linear.

    The differences are the largest between a tip's acceleration, as its piece finds it, and that of the base of the next; the
    accelerations are the largest of a tip.
    """
    first, last = row[0], row[1] - 1
    with b.for_range(row[1]) as k:
        tip = tips.offset(order[first + k] * 6)
        for j in range(6):
            values[2 + j // 3] = larger(b, values[2 + j // 3], b.absolute(tip[j]))
        next_node = b.select(k < last, order[b.select(k < last, first + k + 1, first, INTEGER)], row[3], INTEGER)
        with b.if_then(next_node >= 0):
            base = states.offset(next_node * STATE_SIZE)
            for j in range(6):
                values[j // 3] = larger(b, values[j // 3], b.absolute(tip[j] - base[j]))


def larger(b: FunctionBuilder, x: Value, y: Value) -> Value:
    """The larger of two; NaN where y is."""
    return b.select(y <= x, x, y)


FUNCTIONS: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "speeds": (_speeds, ("row", *FORWARD_ARGUMENTS)),
    "inertia": (_inertia, ("row", *FORWARD_ARGUMENTS)),
    "accelerations": (_accelerations, ("row", *FORWARD_ARGUMENTS)),
    "disagreement": (_disagreement, ("row", *FORWARD_ARGUMENTS)),
    "add_bodies": (_add_bodies, ("row", *FORWARD_ARGUMENTS)),
    "motions": (_motions, ("row", *INVERSE_ARGUMENTS)),
    "wrenches": (_wrenches, ("row", *INVERSE_ARGUMENTS)),
    "join_all": (_join_all, ("joints", "nodes")),
    "share_all": (_share_all, ("joints", "nodes", "states")),
}


@functools.cache
def addresses(target: CPUTarget) -> tuple[machine_code.LoadedCode, list[int]]:
    """The code, and where each of `FUNCTIONS` is."""
    _, contents = object_cache.load_or_store(
        object_cache.key("runs of pieces", target.key), lambda: ({}, _compile_functions(target))
    )
    code = machine_code.LoadedCode(contents, target)
    return code, [code.address(name) for name in FUNCTIONS]


def _compile_functions(target: CPUTarget) -> bytes:
    declared: set[str] = set()
    lines = _record_functions(declared, target.fma)
    for name, (write, arguments) in FUNCTIONS.items():
        b = FunctionBuilder(name, list(arguments), declared, target.fma)
        write(
            b, **{argument: b.array(argument, INTEGER if argument in INTEGER_ARGUMENTS else "double") for argument in arguments}
        )
        b.return_status()
        lines += b.text()
    return machine_code.compile_object("\n".join([*lines, *sorted(declared)]), target, level=2)

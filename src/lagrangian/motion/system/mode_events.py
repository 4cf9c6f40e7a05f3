"""What is zero where the mode of a joint that can be held ends, traced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lagrangian.algorithms.constraints.cholesky import dot
from lagrangian.algorithms.constraints.constrained_dynamics import MechanismState
from lagrangian.kernels.trace.node import Graph
from lagrangian.model.event import PullCondition
from lagrangian.model.expression import functions as f
from lagrangian.motion.system.balance import moves_constraints
from lagrangian.motion.system.event_table import ModeChange
from lagrangian.motion.system.forces import Forces
from lagrangian.motion.system.inputs import ALLOWED, HELD, LOW, SLIP, STUCK, WAY

# the cosine of how far the direction of slip in a plane may turn before it is taken anew
TURNED = 0.5
CONTRADICTS = 1e-6  # accelerations that locks leave to constraints, from which they contradict each other
EDGE = 1e-10  # of what dry friction can hold, as `Rest` counts it


def mode_event(forces: Forces, graph: Graph, state: MechanismState, entry: ModeChange, holding: Sequence[Any]) -> Any:
    """Of friction, and of a stop. `holding` is what holds each speed."""
    j, read = entry.joint, state.tree.reader.number
    joint, held = forces.holdable[j], forces.of_joint(graph, j, HELD)
    force = holding[joint.speed]
    if entry.what == STUCK:
        return _in_disc(forces, graph, state, j, holding) if joint.disc else _friction(forces, graph, state, j, force)
    at = state.q[joint.coordinate]
    room, push = (at - read(joint.lower), force) if entry.what == LOW else (read(joint.upper) - at, -force)
    rests = f.maximum(held, forces.of_joint(graph, j, STUCK))  # then it cannot meet its stop, but for rounding
    away = f.choose(0.5, rests, 1.0, room)
    # at the stop: while it pushes, it holds; what rounding leaves of no force is no pull
    pushes = push + forces.of_joint(graph, j, ALLOWED)
    return f.choose(0.5, forces.of_joint(graph, j, entry.what), pushes, away)


def lock_event(forces: Forces, graph: Graph, state: MechanismState, j: int, qdd: Sequence[Any]) -> Any:
    """Of a lock: a constraint that moves may ask for what it does not let pass, and is then not kept."""
    if not moves_constraints(forces.mechanism):
        return 1.0
    off: Any = 0.0
    for row in state.rows:
        if row.psi:
            left = row.gamma + dot(list(row.psi.values()), [qdd[k] for k in row.psi])
            off = f.maximum(off, f.absolute(left) * (1 / (1 + f.absolute(row.gamma))))
    rests = _largest(forces, graph, j, range(STUCK, SLIP))
    locked = f.choose(0.5, rests, 0.0, forces.of_joint(graph, j, HELD))
    return f.choose(0.5, locked, CONTRADICTS - off, 1.0)


def contact_event(forces: Forces, state: MechanismState, when: PullCondition, multipliers: Sequence[Any]) -> Any:
    """The force by which a contact pushes; what rounding leaves of none counts as a push."""
    row = next(k for k, row in enumerate(state.rows) if row.name in (when.constraint, f"{when.constraint}.contact"))
    return multipliers[row] + state.tree.reader.number(forces.slotted.no_force)


def _largest(forces: Forces, graph: Graph, j: int, which: Sequence[int]) -> Any:
    found: Any = 0.0
    for what in which:
        found = f.maximum(found, forces.of_joint(graph, j, what))
    return found


def _friction(forces: Forces, graph: Graph, state: MechanismState, j: int, force: Any) -> Any:
    joint, held = forces.holdable[j], forces.of_joint(graph, j, HELD)
    assert joint.static is not None
    positive, negative = (state.tree.reader.number(x) for x in joint.static)
    way, allowed = (forces.of_joint(graph, j, k) for k in (WAY, ALLOWED))
    speed = state.qd[joint.speed]
    # stuck: what friction has left, as a part of what it can, with room for rounding: torques that bring a joint to the
    # very edge of slipping, as those of inverse dynamics do, are to be seen to pass it
    left = f.minimum(force + positive, negative - force) * (2 / (positive + negative)) + EDGE
    # stuck by what holds others: it stays at rest with them; slipping: the speed
    stuck = f.choose(0.5, held, left, allowed - f.absolute(speed))
    slipping = f.choose(0.5, held, 1.0, way * speed + allowed)  # held otherwise: nothing happens
    return f.choose(0.5, forces.of_joint(graph, j, STUCK), stuck, slipping)


def _in_disc(forces: Forces, graph: Graph, state: MechanismState, j: int, holding: Sequence[Any]) -> Any:
    """The same of joints whose friction acts together: its size counts, and the speed along the direction of their slip."""
    joint = forces.holdable[j]
    assert joint.static is not None
    square: Any = 0.0
    speed: Any = 0.0
    whole: Any = 0.0
    slow: Any = 1.0
    rests: Any = 0.0
    slips: Any = 0.0
    for k in forces.together(j):
        way, held, stuck, allowed = (forces.of_joint(graph, k, what) for what in (WAY, HELD, STUCK, ALLOWED))
        own = state.qd[forces.holdable[k].speed]
        force = f.choose(0.5, stuck, holding[forces.holdable[k].speed] - forces.of_joint(graph, k, SLIP), 0.0)
        square = square + force * force
        speed, whole = speed + way * own + allowed, whole + own * own
        follows = f.choose(0.5, stuck, 1.0 - held, 0.0)
        slow = f.minimum(slow, f.choose(0.5, follows, allowed - f.absolute(own), 1.0))
        rests, slips = f.maximum(rests, stuck), f.maximum(slips, f.absolute(way))
    left = 1.0 + EDGE - f.sqrt(square) * (1 / state.tree.reader.number(joint.static[0]))
    # at an end, or turned so far that the direction is taken anew
    slipping = f.choose(0.0, slips, speed - TURNED * f.sqrt(whole), 1.0)
    return f.choose(0.5, rests, f.minimum(left, slow), slipping)

"""Accelerations of a mechanism with loops, from what Pinocchio knows: its mass matrix, bias, Jacobians and accelerations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.cli.peers.pinocchio import Pinocchio
from lagrangian.errors import AssemblyError
from lagrangian.model.loops.ball import Ball
from lagrangian.model.loops.fixed import Fixed
from lagrangian.model.loops.point import Point

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

TYPES = (Point, Ball, Fixed)
NEAR = 0.3  # how far from their start the states are, in radians or metres


def unlike(m: Mechanism) -> str:
    """Why loops cannot be compared, '' if they can."""
    other = sorted({loop.type for loop in m.loops if not isinstance(loop.kind, TYPES)})
    if m.constraints:
        return "together with constraints that are not loops"
    return f"of type {', '.join(other)}" if other else ""


def states(m: Mechanism, count: int, seed: int) -> Iterator[tuple[Any, Any, Any]]:
    """Closed configurations around the start, with speeds that keep them so, and torques."""
    from lagrangian import assemble, compile, consistent_speeds  # noqa: A004
    from lagrangian.configuration.coordinates import moved

    dyn, rng = compile(m), np.random.default_rng(seed)
    start = assemble(dyn)
    for _ in range(count):
        try:
            q = assemble(dyn, moved(m, start, NEAR * rng.uniform(-1, 1, m.nv)), starts=0)
            qd = consistent_speeds(dyn, q, rng.normal(size=m.nv))
        except AssemblyError:  # too far off: another
            continue
        yield q, qd, rng.normal(size=m.nv)


def accelerations(peer: Pinocchio, m: Mechanism, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """M qdd + h = tau + J^T lambda with J qdd + J' qd = 0; by least squares, for equations may follow from others."""
    pin, model, data = peer.pin, peer.model, peer.data
    theirs_q, v = q[peer._q], qd[peer._v]
    h = pin.nonLinearEffects(model, data, theirs_q, v)
    M = np.triu(pin.crba(model, data, theirs_q))
    M = M + np.triu(M, 1).T
    pin.forwardKinematics(model, data, theirs_q, v, np.zeros(model.nv))
    pin.computeJointJacobians(model, data, theirs_q)
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    rows, drift = [], []
    for loop in m.loops:
        ends = []
        for body, at in ((loop.a, loop.a_placement), (loop.b, loop.b_placement)):
            joint, place = peer.ids[body], peer._se3(peer.from_joint[body] @ at)
            J = pin.getFrameJacobian(model, data, joint, place, world)
            a = pin.getFrameClassicalAcceleration(model, data, joint, place, world).vector
            ends.append((J, a, (data.oMi[joint] * place).rotation))
        J, a, R = ends[1][0] - ends[0][0], ends[1][1] - ends[0][1], ends[0][2]
        along = [R[:, "xyz".index(d)] for d in loop.directions] if isinstance(loop.kind, Point) else list(np.eye(3))
        rows += [np.array(x) @ J[:3] for x in along]
        drift += [float(np.array(x) @ a[:3]) for x in along]
        if isinstance(loop.kind, Fixed):
            rows, drift = [*rows, *J[3:]], [*drift, *a[3:]]
    J, n = np.array(rows), model.nv
    system = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
    found = np.linalg.lstsq(system, np.concatenate([tau[peer._v] - h, -np.array(drift)]), rcond=1e-12)[0]
    return peer._ours(found[:n])

"""Accelerations of a mechanism with loops, from Pinocchio's mass matrix, bias, Jacobians and accelerations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.errors import AssemblyError
from lagrangian.model.loops.ball import BallLoop
from lagrangian.model.loops.fixed import FixedLoop
from lagrangian.model.loops.point import PointLoop
from lagrangian.peers.pinocchio import PinocchioModel

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism


SUPPORTED_TYPES = (PointLoop, BallLoop, FixedLoop)
MAX_DISTANCE = 0.3  # of states from the start, in radians or metres


def constrained_accelerations(peer: PinocchioModel, m: Mechanism, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """The accelerations of M qdd + h = tau + J^T lambda with J qdd + J' qd = 0.

    They are solved for by least squares, because some equations may follow from others.
    """
    pin, model, data = peer.pin, peer.model, peer.data
    peer_q, v = q[peer.q_index], qd[peer.v_index]
    h = pin.nonLinearEffects(model, data, peer_q, v)
    M = np.triu(pin.crba(model, data, peer_q))
    M = M + np.triu(M, 1).T
    pin.forwardKinematics(model, data, peer_q, v, np.zeros(model.nv))
    pin.computeJointJacobians(model, data, peer_q)
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    rows, biases = [], []
    for loop in m.loops:
        end_kinematics = []
        for body, placement in ((loop.a, loop.a_placement), (loop.b, loop.b_placement)):
            joint, place = peer.ids[body], peer.se3(peer.from_joint[body] @ placement)
            J = pin.getFrameJacobian(model, data, joint, place, world)
            a = pin.getFrameClassicalAcceleration(model, data, joint, place, world).vector
            end_kinematics.append((J, a, (data.oMi[joint] * place).rotation))
        J, a, R = end_kinematics[1][0] - end_kinematics[0][0], end_kinematics[1][1] - end_kinematics[0][1], end_kinematics[0][2]
        constrained_directions = (
            [R[:, "xyz".index(d)] for d in loop.directions] if isinstance(loop.kind, PointLoop) else list(np.eye(3))
        )
        rows += [np.array(x) @ J[:3] for x in constrained_directions]
        biases += [float(np.array(x) @ a[:3]) for x in constrained_directions]
        if isinstance(loop.kind, FixedLoop):
            rows, biases = [*rows, *J[3:]], [*biases, *a[3:]]
    J, n = np.array(rows), model.nv
    system = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
    solution = np.linalg.lstsq(system, np.concatenate([tau[peer.v_index] - h, -np.array(biases)]), rcond=1e-12)[0]
    return peer.to_own_order(solution[:n])


def consistent_states(m: Mechanism, count: int, seed: int) -> Iterator[tuple[Any, Any, Any]]:
    """Closed configurations around the start, with speeds that keep them closed, and torques."""
    from lagrangian import assemble, compile, consistent_speeds  # noqa: A004
    from lagrangian.configuration.coordinates import integrate

    dyn, rng = compile(m), np.random.default_rng(seed)
    start = assemble(dyn)
    for _ in range(count):
        try:
            q = assemble(dyn, integrate(m, start, MAX_DISTANCE * rng.uniform(-1, 1, m.nv)), starts=0)
            qd = consistent_speeds(dyn, q, rng.normal(size=m.nv))
        except AssemblyError:  # too far off: another
            continue
        yield q, qd, rng.normal(size=m.nv)


def unsupported_reason(m: Mechanism) -> str:
    """The reason why the loops of a mechanism cannot be compared; '' if they can."""
    types = sorted({loop.type for loop in m.loops if not isinstance(loop.kind, SUPPORTED_TYPES)})
    if m.constraints:
        return "together with constraints that are not loops"
    return f"of type {', '.join(types)}" if types else ""

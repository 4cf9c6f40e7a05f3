"""Kinematics as shipped: pose, Jacobian, velocity and acceleration of the tips' frames, against derivatives of 4x4 transforms."""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms import kinematics
from lagrangian.equations import kinematics as closed
from lagrangian.equations.algebra.ring import Element, total
from lagrangian.equations.derivations.uicker_kahn import UickerKahn
from lagrangian.equations.reading.link import Pose
from lagrangian.model import vector as v
from lagrangian.proof.certificate import Entries
from lagrangian.proof.recursions import Recursions

LOADS = ("load_Mx", "load_My", "load_Mz", "load_Fx", "load_Fy", "load_Fz")


def entries(recursions: Recursions, traces: UickerKahn) -> Entries:
    """Of every link that carries no other."""
    system = recursions.system
    carriers = {link.parent for link in system.links}
    for number, link in enumerate(system.links):
        if number not in carriers:
            yield from _tip(recursions, traces, link.k, link.name)


def _tip(recursions: Recursions, traces: UickerKahn, j: int, body: str) -> Entries:
    system, n = recursions.system, recursions.system.n
    path = recursions.tree.path(*recursions.tree.place[body])
    frame = system.mechanism.frame(body)
    T = traces.T(j)
    columns = [_column(T, traces.U(j, k)) for k in range(n)]
    J = [[columns[k][a] for k in range(n)] for a in range(6)]
    qd, qdd = [system.speed(k) for k in range(n)], [system.acceleration(k) for k in range(n)]
    zero = system.ring.zero

    def times(row: list[Element], x: list[Element]) -> Element:
        return total((a * b for a, b in zip(row, x, strict=True) if a.poly), zero)

    twist = [times(row, qd) for row in J]
    rates = [times([system.ring.derivative(x, k) for k in range(n)], qd) for x in twist]
    loads = [system.generator(name) for name in LOADS]
    wanted: list[tuple[str, Any, list[Element]]] = [
        ("pose", kinematics.POSE_OF_FRAME, [x for row in T for x in row]),
        ("J", kinematics.JACOBIAN, [x for row in J for x in row]),
        ("J as printed", kinematics.JACOBIAN, [x for row in closed.jacobian(system, frame) for x in row]),
        ("pose as printed", kinematics.POSE_OF_FRAME, [system.ring(x) for x in _flat(closed.frame_pose(system, frame)[1])]),
        ("J q'", kinematics.VELOCITY, twist),
        ("J' q'", kinematics.JACOBIAN_RATE, rates),
        ("J q'' + J' q'", kinematics.ACCELERATION, [times(row, qdd) + rate for row, rate in zip(J, rates, strict=True)]),
        ("J^T F", kinematics.EXTERNAL_TORQUE, [times([row[k] for row in J], loads) for k in range(n)]),
    ]
    for name, algorithm, right in wanted:
        for k, (a, b) in enumerate(zip(recursions.run(algorithm, path), right, strict=True)):
            yield f"{name} of {body!r}, entry {k + 1}", a, b


def _flat(pose: Pose) -> list[Any]:
    return [*(x for row, p in zip(pose.R, pose.p, strict=True) for x in (*row, p)), 0, 0, 0, 1]


def _column(T: Any, U: Any) -> tuple[Any, ...]:
    """Angular velocity, from dR/dq R^T, and velocity of the origin, for a unit rate."""
    R: v.Matrix = tuple(row[:3] for row in T[:3])
    W = v.mat_mat(tuple(row[:3] for row in U[:3]), v.transpose(R))
    return W[2][1], W[0][2], W[1][0], U[0][3], U[1][3], U[2][3]

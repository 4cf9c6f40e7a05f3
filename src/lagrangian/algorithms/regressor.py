"""The regressor: tau = Y(q, qd, qdd) p, linear in each link's ten inertial parameters.

p of a link is (m, h_x, h_y, h_z, I_xx, I_xy, I_xz, I_yy, I_yz, I_zz), first moments and inertia about its frame's origin
(Atkeson, An and Hollerbach 1986).
"""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms.inverse_dynamics import MOTION, ground_acceleration, propagate_motion
from lagrangian.algorithms.link import Link
from lagrangian.algorithms.nested import MATRIX, VECTOR
from lagrangian.algorithms.sweep import Algorithm, OutputLayout, Values, Walk, outward
from lagrangian.model import vector as v


@outward(MOTION, save={"w": VECTOR, "al": VECTOR, "l": VECTOR, "U": MATRIX}, ground=ground_acceleration)
def motions(link: Link, parent: Values) -> tuple[Values, Values]:
    carry = propagate_motion(link, parent)
    return carry, carry


def start_walk(link: Link, k: int) -> Values:
    """The wrench each unit parameter needs."""
    wrenches = [(link.l, v.ZERO)]
    for axis in v.IDENTITY:
        wrenches.append((v.mat_vec(link.U, axis), v.cross(axis, link.l)))
    for entry in range(6):
        E = tuple(int(entry == j) for j in range(6))
        n = v.add(v.sym_vec(E, link.al), v.cross(link.w, v.sym_vec(E, link.w)))  # type: ignore[arg-type]
        wrenches.append((v.ZERO, n))
    return {"f": tuple(f for f, _ in wrenches), "n": tuple(n for _, n in wrenches)}


def step_walk(link: Link, carry: Values) -> tuple[Values, tuple[tuple[Any, ...], ...]]:
    rows = tuple(
        tuple(v.dot(angular, n) + v.dot(linear, f) for f, n in zip(carry["f"], carry["n"], strict=True))
        for angular, linear in link.motion_subspace
    )
    parent_wrenches = [link.wrench_to_parent(f, n) for f, n in zip(carry["f"], carry["n"], strict=True)]
    return {"f": tuple(f for f, _ in parent_wrenches), "n": tuple(n for _, n in parent_wrenches)}, rows


REGRESSOR = Algorithm(
    "regressor",
    ("q", "qd", "qdd"),
    (motions, Walk(start_walk, step_walk, {"f": (VECTOR,) * 10, "n": (VECTOR,) * 10}, per="link", width=10)),
    OutputLayout("pairs"),
)

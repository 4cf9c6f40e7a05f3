"""Inverse dynamics by the recursive Newton-Euler algorithm, in link axes.

The algorithm is that of Luh, Walker and Paul 1980. The matrix `U = [al] + [w][w]` shares products between links, and gives the
moment as in Khalil and Dombre 2002, section 9.3. Gravity is an upward acceleration of the ground. The result contains everything
that the joint must supply: inertial forces, gravity, the rotor's inertia, friction and joint springs.
"""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms.link import Link
from lagrangian.algorithms.nested import MATRIX, SCALAR, VECTOR
from lagrangian.algorithms.sweep import Algorithm, OutputLayout, Values, inward, outward
from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v


def rate_matrix(w: v.Vector, al: v.Vector) -> v.Matrix:
    """Return U with U r = al x r + w x (w x r)."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return (
        (-(yy + zz), xy - al[2], xz + al[1]),
        (xy + al[2], -(xx + zz), yz - al[0]),
        (xz - al[1], yz + al[0], -(xx + yy)),
    )


def rotational_moment(I: v.Symmetric, w: v.Vector, al: v.Vector, U: v.Matrix) -> v.Vector:
    """Return I al + w x I w, with the products that U already has."""
    xx, xy, xz, yy, yz, zz = I
    return (
        al[0] * xx + (w[1] * w[2]) * (zz - yy) - xy * U[2][0] + xz * U[1][0] + yz * (U[1][1] - U[2][2]),
        al[1] * yy + (w[0] * w[2]) * (xx - zz) - yz * U[0][1] + xy * U[2][1] + xz * (U[2][2] - U[0][0]),
        al[2] * zz + (w[0] * w[1]) * (yy - xx) - xz * U[1][2] + yz * U[0][2] + xy * (U[0][0] - U[1][1]),
    )


def propagate_motion(link: Link, parent: Values) -> Values:
    """Return angular velocity, angular acceleration, acceleration of the origin, and U, from those of the parent."""
    wi, ai = link.to_child(parent["w"]), link.to_child(parent["al"])
    li = link.to_child(v.add(parent["l"], v.mat_vec(parent["U"], link.offset)))
    wj, vj = link.joint_motion(link.qd)
    dwj, dvj = link.joint_motion(link.qdd)
    if link.motion_subspace_rate:
        bw, bv = link.bias_acceleration
        dwj = v.add(dwj, bw)
        dvj = v.add(dvj, bv)
    w = v.add(wi, wj)
    al = v.add(v.add(ai, dwj), v.cross(wi, wj))
    l = v.add(v.add(li, dvj), v.cross(v.add(v.scale(2, wi), wj), vj))
    return {"w": w, "al": al, "l": l, "U": rate_matrix(w, al)}


MOTION = {"w": VECTOR, "al": VECTOR, "l": VECTOR, "U": MATRIX}


def ground_acceleration(tree: Tree) -> Values:
    return {"l": v.neg(tree.gravity)}


@outward(MOTION, save={"F": VECTOR, "N": VECTOR}, ground=ground_acceleration)
def accelerations(link: Link, parent: Values) -> tuple[Values, Values]:
    carry = propagate_motion(link, parent)
    U, l = carry["U"], carry["l"]
    F = v.add(v.scale(link.mass, l), v.mat_vec(U, link.h))
    N = v.add(rotational_moment(link.I, carry["w"], carry["al"], U), v.cross(link.h, l))
    return carry, {"F": F, "N": N}


def joint_torques(link: Link, f: v.Vector, n: v.Vector, friction: bool = True) -> tuple[Any, ...]:
    """Return the wrench along each of the joint's axes, and the forces of rotor, friction and spring at the joint itself."""
    torques = []
    for k, (angular, linear) in enumerate(link.motion_subspace):
        torque = v.dot(angular, n) + v.dot(linear, f) + link.rotor * link.qdd[k] + link.spring_torque(k)
        torques.append(torque + link.friction_torque(k) if friction else torque)
    return tuple(torques)


@inward({"f": VECTOR, "n": VECTOR}, per_speed={"torque": SCALAR})
def forces(link: Link, children: Values) -> tuple[Values, Values]:
    f, n = v.add(link.F, children["f"]), v.add(link.N, children["n"])
    torque = joint_torques(link, f, n)
    f, n = link.wrench_to_parent(f, n)
    return {"f": f, "n": n}, {"torque": torque}


@inward({"f": VECTOR, "n": VECTOR}, save={"f": VECTOR, "n": VECTOR})
def reactions(link: Link, children: Values) -> tuple[Values, Values]:
    f, n = v.add(link.F, children["f"]), v.add(link.N, children["n"])
    fp, np = link.wrench_to_parent(f, n)
    return {"f": fp, "n": np}, {"f": f, "n": n}


INVERSE_DYNAMICS = Algorithm(
    "inverse_dynamics", ("q", "qd", "qdd"), (accelerations, forces), OutputLayout("speed", ("torque",)), regrouped=True
)
BIAS = Algorithm("bias", ("q", "qd"), (accelerations, forces), OutputLayout("speed", ("torque",)), regrouped=True)
GRAVITY = Algorithm("gravity", ("q",), (accelerations, forces), OutputLayout("speed", ("torque",)), regrouped=True)
REACTIONS = Algorithm("reactions", ("q", "qd", "qdd"), (accelerations, reactions), OutputLayout("link", ("n", "f")))

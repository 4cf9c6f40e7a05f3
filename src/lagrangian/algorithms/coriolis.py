"""The Coriolis matrix that agrees with the Christoffel symbols, so that M' - 2C is skew.

C = sum_i J_i^T (I_i J_i' + B_i J_i) with `B = (v x* I - I v x + (I v) x) / 2` (Echeandia and Wensing 2021; Niemeyer and Slotine
1991). For a rigid body about its frame's origin B has only two blocks that do not vanish, both on the angular velocity:

    B (w', v') = (-w x S w' - h x (v x w'), -f x w'),   S = tr(I)/2 - I,   f = m v + w x h.

They add up over the links a joint carries, and pass to the parent's frame like wrenches.
"""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms.link import Link
from lagrangian.algorithms.mass_matrix import COMPOSITE, composite_inertia, unit_acceleration_wrench
from lagrangian.algorithms.nested import MATRIX, VECTOR
from lagrangian.algorithms.sweep import Algorithm, OutputLayout, Values, Walk, inward, outward
from lagrangian.model import vector as v

SPEED = {"w": VECTOR, "u": VECTOR}


@outward(SPEED, save=SPEED)
def link_velocities(link: Link, parent: Values) -> tuple[Values, Values]:
    """Angular velocity, and velocity of the origin, in the link's axes."""
    wp = parent["w"]
    wj, vj = link.joint_motion(link.qd)
    w = v.add(link.to_child(wp), wj)
    u = v.add(link.to_child(v.add(parent["u"], v.cross(wp, link.offset))), vj)
    return {"w": w, "u": u}, {"w": w, "u": u}


@inward({**COMPOSITE, "B1": MATRIX, "f": VECTOR}, save={**COMPOSITE, "B1": MATRIX, "f": VECTOR})
def composite_bias(link: Link, children: Values) -> tuple[Values, Values]:
    """Composite inertia, and the blocks of B: B1 = -[w] S - [h][v], and f, whose cross-product matrix is the other block."""
    up, saves = composite_inertia.step(link, children)
    f = v.add(v.scale(link.mass, link.u), v.cross(link.w, link.h))
    B1 = v.mat_sub(v.mat_mat(v.skew(link.h), v.neg_mat(v.skew(link.u))), v.mat_mat(v.skew(link.w), second_moments(link.I)))
    f, B1 = v.add(f, children["f"]), v.mat_add(B1, children["B1"])
    fp = link.to_parent(f)
    # about the parent's origin the moment gains p x force: B1' = B1 - [p][f]
    B1p = v.mat_sub(link.mat_to_parent(B1), v.mat_mat(v.skew(link.offset), v.skew(fp)))
    return {**up, "B1": B1p, "f": fp}, {**saves, "B1": B1, "f": f}


def second_moments(I: v.Symmetric) -> v.Matrix:
    """tr(I)/2 - I: the second moments of mass."""
    xx, xy, xz, yy, yz, zz = I
    return (
        ((yy + zz - xx) / 2, -xy, -xz),
        (-xy, (xx + zz - yy) / 2, -yz),
        (-xz, -yz, (xx + yy - zz) / 2),
    )


def subspace_rate(link: Link, k: int) -> tuple[v.Vector, v.Vector]:
    """Return the rate of a joint's unit motion: the spatial cross product of the link's velocity with it, and its own change."""
    angular, linear = link.motion_subspace[k]
    dw, dv = v.cross(link.w, angular), v.add(v.cross(link.w, linear), v.cross(link.u, angular))
    if link.motion_subspace_rate:
        own_w, own_v = link.motion_subspace_rate[k]
        dw = v.add(dw, own_w)
        dv = v.add(dv, own_v)
    return dw, dv


def start_walk(link: Link, k: int) -> Values:
    """Three wrenches: Ic S' + Bc S, which gives C_ba; Ic S and Bc^T S, which give C_ab."""
    angular, linear = link.motion_subspace[k]
    dw, dv = subspace_rate(link, k)
    f = v.sub(v.add(v.scale(link.m, dv), v.cross(dw, link.hc)), v.cross(link.f, angular))
    n = v.add(v.add(v.sym_vec(link.Ic, dw), v.cross(link.hc, dv)), v.mat_vec(link.B1, angular))
    gf, gn = unit_acceleration_wrench(link, k)
    t = v.add(v.mat_t_vec(link.B1, angular), v.cross(link.f, linear))
    return {"f": f, "n": n, "gf": gf, "gn": gn, "t": t}


def step_walk(link: Link, carry: Values) -> tuple[Values, tuple[tuple[Any, ...], ...]]:
    f, n, gf, gn, t = (carry[k] for k in ("f", "n", "gf", "gn", "t"))
    pairs = []
    for k, (angular, linear) in enumerate(link.motion_subspace):
        dw, dv = subspace_rate(link, k)
        below = v.dot(angular, n) + v.dot(linear, f)
        above = v.dot(dw, gn) + v.dot(dv, gf) + v.dot(angular, t)
        pairs.append((below, above))
    f, n = link.wrench_to_parent(f, n)
    gf, gn = link.wrench_to_parent(gf, gn)
    return {"f": f, "n": n, "gf": gf, "gn": gn, "t": link.to_parent(t)}, tuple(pairs)


CORIOLIS_MATRIX = Algorithm(
    "coriolis_matrix",
    ("q", "qd"),
    (link_velocities, composite_bias, Walk(start_walk, step_walk, dict.fromkeys(("f", "n", "gf", "gn", "t"), VECTOR))),
    OutputLayout("pairs"),
    regrouped=True,
)

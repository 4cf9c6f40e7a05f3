"""Forward dynamics by the articulated-body algorithm (Featherstone 1983; 2008, section 7.3), in link axes.

The articulated inertia is kept in blocks, `[n; f] = [A B; B^T M] [al; l] + [pn; pf]`, with classical accelerations. A joint of
several speeds is eliminated one speed at a time, which is the factorisation of its own small mass matrix.

A locked speed is not eliminated: the links that it carries belong to the link that carries it, and its own acceleration is zero.
So 1/D is multiplied by 1 - locked, and the force that locks it follows from the rest of its equation.
"""

from __future__ import annotations

from typing import Any

from lagrangian.algorithms.inverse_dynamics import ground_acceleration
from lagrangian.algorithms.link import Link, inverse, is_zero
from lagrangian.algorithms.nested import MATRIX, SCALAR, SYMMETRIC, VECTOR, unflatten
from lagrangian.algorithms.sweep import Algorithm, OutputLayout, Values, inward, outward
from lagrangian.model import vector as v
from lagrangian.model.joints.joint_type import UnitTwist


@outward({"w": VECTOR}, save={"pn": VECTOR, "pf": VECTOR, "ca": VECTOR, "cl": VECTOR})
def velocities(link: Link, parent: Values) -> tuple[Values, Values]:
    """Angular velocity, velocity-product forces, and the acceleration that a joint adds without qdd."""
    wp = parent["w"]
    wi = link.to_child(wp)
    wj, vj = link.joint_motion(link.qd)
    w = v.add(wi, wj)
    ca = v.cross(wi, wj)
    turning = v.cross(wp, v.cross(wp, link.offset))  # in the parent's axes
    cl = v.add(link.to_child(turning), v.cross(v.add(v.scale(2, wi), wj), vj))
    if link.motion_subspace_rate:
        bw, bv = link.bias_acceleration
        ca = v.add(ca, bw)
        cl = v.add(cl, bv)
    pn = v.cross(w, v.sym_vec(link.I, w))
    pf = v.cross(w, v.cross(w, link.h))
    return {"w": w}, {"pn": pn, "pf": pf, "ca": ca, "cl": cl}


def unit_coordinate(column: UnitTwist) -> int | None:
    """Return which of the six unit columns a column is; None if it is none of them exactly."""
    six = (*column[0], *column[1])
    ones = [k for k, x in enumerate(six) if not is_zero(x)]
    return ones[0] if len(ones) == 1 and isinstance(six[ones[0]], (int, float)) and six[ones[0]] == 1 else None


def subtract_outer(S: v.Symmetric, g: v.Vector, u: v.Vector) -> v.Symmetric:
    """Return S - g u^T, which is symmetric because g is parallel to u."""
    pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    return tuple(x - g[i] * u[j] for x, (i, j) in zip(S, pairs, strict=True))


def clear_row(S: v.Symmetric, k: int) -> v.Symmetric:
    pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    return tuple(0 if k in pair else x for x, pair in zip(S, pairs, strict=True))  # type: ignore[return-value]


ARTICULATED = {"A": SYMMETRIC, "B": MATRIX, "M": SYMMETRIC, "pn": VECTOR, "pf": VECTOR}


@inward(
    ARTICULATED,
    per_speed={"gn": VECTOR, "gf": VECTOR, "du": SCALAR, "un": VECTOR, "uf": VECTOR, "u": SCALAR, "inverse_D": SCALAR},
)
def articulate(link: Link, children: Values) -> tuple[Values, Values]:
    """The articulated inertia and bias of the link, then the part of them that the joint passes on."""
    A = v.sym_add(link.I, children["A"])
    B = v.mat_add(v.skew(link.h), children["B"])
    m = link.mass
    M = v.sym_add((m, 0, 0, m, 0, m), children["M"])
    pn, pf = v.add(link.pn, children["pn"]), v.add(link.pf, children["pf"])
    saves: dict[str, list[Any]] = {name: [] for name in ("gn", "gf", "du", "un", "uf", "u", "inverse_D")}
    for k, column in enumerate(link.motion_subspace):
        angular, linear = column
        un = v.add(v.sym_vec(A, angular), v.mat_vec(B, linear))
        uf = v.add(v.mat_t_vec(B, angular), v.sym_vec(M, linear))
        D = v.dot(angular, un) + v.dot(linear, uf) + link.rotor
        inverse_D = inverse(D) * (1 - link.locked[k])
        u = link.tau[k] - link.friction_torque(k) - link.spring_torque(k) - (v.dot(angular, pn) + v.dot(linear, pf))
        gn, gf = v.scale(inverse_D, un), v.scale(inverse_D, uf)
        coordinate = unit_coordinate(column)
        is_free = coordinate is not None and is_zero(link.rotor) and is_zero(link.locked[k])
        if is_free:  # its own entry is D / D
            gn, gf = unflatten((VECTOR, VECTOR), (1 if j == coordinate else x for j, x in enumerate((*gn, *gf))))
        A, M = subtract_outer(A, gn, un), subtract_outer(M, gf, uf)
        B = tuple(tuple(B[i][j] - gn[i] * uf[j] for j in range(3)) for i in range(3))  # type: ignore[assignment]
        pn, pf = v.add(pn, v.scale(u, gn)), v.add(pf, v.scale(u, gf))
        if is_free:
            # nothing can be pushed along a free axis: its row and column are zero, exactly
            assert coordinate is not None
            if coordinate < 3:
                A = clear_row(A, coordinate)
                B = tuple((0, 0, 0) if i == coordinate else row for i, row in enumerate(B))  # type: ignore[assignment]
            else:
                M = clear_row(M, coordinate - 3)
                B = tuple(tuple(0 if j == coordinate - 3 else x for j, x in enumerate(row)) for row in B)  # type: ignore[assignment]
        for name, value in zip(saves, (gn, gf, inverse_D * u, un, uf, u, inverse_D), strict=True):
            saves[name].append(value)
    # bias of the joint's velocity products, then to the parent's axes and origin
    pn = v.add(pn, v.add(v.sym_vec(A, link.ca), v.mat_vec(B, link.cl)))
    pf = v.add(pf, v.add(v.mat_t_vec(B, link.ca), v.sym_vec(M, link.cl)))
    A, B, M = link.sym_to_parent(A), link.mat_to_parent(B), link.sym_to_parent(M)
    pf, pn = link.wrench_to_parent(pf, pn)
    A, B = shift_articulated_inertia(link.offset, A, B, M)
    up = {"A": A, "B": B, "M": M, "pn": pn, "pf": pf}
    return up, {name: tuple(values) for name, values in saves.items()}


def shift_articulated_inertia(p: v.Vector, A: v.Symmetric, B: v.Matrix, M: v.Symmetric) -> tuple[v.Symmetric, v.Matrix]:
    """Return the blocks about the parent's origin: B' = B + [p] M, A' = A - B [p] + [p] B'^T."""
    pM = v.transpose(tuple(v.cross(p, row) for row in v.sym_full(M)))  # type: ignore[arg-type]
    Bp = v.mat_add(B, pM)
    # row i of -B [p] is p x (row i of B); row i of B' x p gives, transposed, [p] B'^T
    left = tuple(v.cross(p, row) for row in B)
    right = tuple(v.cross(p, row) for row in Bp)
    pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    return tuple(a + (left[i][j] + right[j][i]) for a, (i, j) in zip(A, pairs, strict=True)), Bp


def acceleration_without_joint(link: Link, parent: Values) -> tuple[v.Vector, v.Vector]:
    """Return the link's angular and linear acceleration without the part of its own joint's qdd."""
    al, l = parent["al"], parent["l"]
    l = v.add(link.to_child(v.add(l, v.cross(al, link.offset))), link.cl)
    return v.add(link.to_child(al), link.ca), l


@outward({"al": VECTOR, "l": VECTOR}, per_speed={"qdd": SCALAR}, ground=ground_acceleration)
def accelerate(link: Link, parent: Values) -> tuple[Values, Values]:
    al, l = acceleration_without_joint(link, parent)
    qdd: list[Any] = [0] * link.nv
    for k in range(link.nv - 1, -1, -1):  # the last speed eliminated is the first known
        qdd[k] = link.du[k] - (v.dot(link.gn[k], al) + v.dot(link.gf[k], l))
        al, l = add_joint_acceleration(link, k, qdd[k], al, l)
    return {"al": al, "l": l}, {"qdd": tuple(qdd)}


def add_joint_acceleration(link: Link, k: int, qdd: Any, al: v.Vector, l: v.Vector) -> tuple[v.Vector, v.Vector]:
    """Return angular and linear acceleration with that of speed k added."""
    angular, linear = link.motion_subspace[k]
    return v.add(al, v.scale(qdd, angular)), v.add(l, v.scale(qdd, linear))


@outward({"al": VECTOR, "l": VECTOR}, per_speed={"qdd_and_lock": (SCALAR, SCALAR)}, ground=ground_acceleration)
def accelerate_or_lock(link: Link, parent: Values) -> tuple[Values, Values]:
    """The accelerations, and the force that locks each locked speed."""
    al, l = acceleration_without_joint(link, parent)
    pairs: list[Any] = [(0, 0)] * link.nv
    for k in range(link.nv - 1, -1, -1):
        residual_torque = link.u[k] - (v.dot(link.un[k], al) + v.dot(link.uf[k], l))
        pairs[k] = link.inverse_D[k] * residual_torque, -(link.locked[k] * residual_torque)
        al, l = add_joint_acceleration(link, k, pairs[k][0], al, l)
    return {"al": al, "l": l}, {"qdd_and_lock": tuple(pairs)}


FORWARD_DYNAMICS = Algorithm(
    "forward_dynamics",
    ("q", "qd", "tau"),
    (velocities, articulate, accelerate),
    OutputLayout("speed", ("qdd",)),
    regrouped=True,
)
# the same where `locked` is 1 for speeds that are locked: qdd, then the forces that lock them
LOCKED_DYNAMICS = Algorithm(
    "locked_dynamics",
    ("q", "qd", "tau", "locked"),
    (velocities, articulate, accelerate_or_lock),
    OutputLayout("speed", ("qdd_and_lock",)),
    regrouped=True,
)

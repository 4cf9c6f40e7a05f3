"""Long chains in pieces, which are swept side by side and then joined: forward dynamics, with a span of O(log N), and inverse.

A piece is a part of an unbranched path. Its equations are solved for what it shows at its two ends, its handles
(Featherstone 1999, "A divide-and-conquer articulated-body algorithm", Int. J. Robotics Research 18(9), part 1): with `a` the
acceleration of what carries it and `F` the wrench that it exerts on what it carries at its tip,

    wrench at its base      = I a + p + Phi F
    acceleration of its tip = Phi^T a + b - La F

where I and p are the articulated inertia and bias of the piece with nothing at its tip. The sweep of the articulated-body
algorithm finds all of this when six columns, the answers to unit wrenches at the tip, are swept along with the bias. Two
neighbours become one piece by solving for what they share, which is the star product of Redheffer (1960): any number of pieces
is joined in a tree, whose depth is the logarithm of their number. With pieces of one link it is Featherstone's algorithm.

Inverse dynamics has nothing to solve for. The motion of a piece's tip follows from that of its base, by the motion of the one
against the other; the wrench at its base follows from that at its tip, by the wrenches of the piece itself. A first sweep finds
each piece's own motion, a second one its wrenches, and a third one its torques, with what the pieces before and after it give.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from lagrangian.algorithms import small_matrix as m
from lagrangian.algorithms.coriolis import SPEED, link_velocities
from lagrangian.algorithms.forward_dynamics import (
    ARTICULATED,
    FORWARD_DYNAMICS,
    acceleration_without_joint,
    add_joint_acceleration,
    articulate,
    unit_coordinate,
    velocities,
)
from lagrangian.algorithms.inverse_dynamics import INVERSE_DYNAMICS, MOTION, accelerations, forces, propagate_motion, rate_matrix
from lagrangian.algorithms.kinematics import POSE, pose_of_link
from lagrangian.algorithms.link import Link, is_zero
from lagrangian.algorithms.nested import MATRIX, SCALAR, VECTOR, flatten, unflatten
from lagrangian.algorithms.sweep import Values, inward, outward
from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v

SIX = (VECTOR, VECTOR)  # an angular and a linear part
HANDLE = {"Phi": (SIX,) * 6, "La": (SCALAR,) * 21, "b": SIX}
NODE = {**ARTICULATED, **HANDLE}
SPAN = {"R": MATRIX, "w": VECTOR}
MOVING = {"w": VECTOR, "al": VECTOR, "l": VECTOR}
UNKNOWN = float("nan")  # the start of a carry that other pieces find


def _identity_orientation(tree: Tree) -> Values:
    return {"R": v.IDENTITY}


@outward(SPAN, ground=_identity_orientation, final_carries=("R", "w"))
def relative_rotations(link: Link, parent: Values) -> tuple[Values, Values]:
    """The rotation of the tip against the base, and its angular velocity against it, in the tip's axes."""
    w = v.add(link.to_child(parent["w"]), link.joint_motion(link.qd)[0])
    return {"R": link.compose(parent["R"]), "w": w}, {}


def tip_angular_velocity(span: Values, w: v.Vector) -> v.Vector:
    """Return the angular velocity of the tip, in its axes, when the base turns with w."""
    return v.add(v.mat_t_vec(span["R"], w), span["w"])


def _unknown_velocity(tree: Tree) -> Values:
    return {"w": (UNKNOWN,) * 3}


velocities_between = replace(velocities, ground=_unknown_velocity)


def _unit_wrenches(tree: Tree) -> Values:
    return {"Phi": tuple(unflatten(SIX, iter(row)) for row in m.identity(6))}


@inward(
    NODE,
    per_speed={"gn": VECTOR, "gf": VECTOR, "du": SCALAR, "dphi": (SCALAR,) * 6},
    ground=_unit_wrenches,
    final_carries=tuple(NODE),
)
def articulate_with_handles(link: Link, outer: Values) -> tuple[Values, Values]:
    """The step of the articulated-body algorithm, and what the joint does to the responses to wrenches at the tip."""
    up, saves = articulate.step(link, outer)
    columns, La = list(outer["Phi"]), list(outer["La"])
    b = list(flatten(outer["b"]))
    scaled = []
    for k, (angular, linear) in enumerate(link.motion_subspace):
        gn, gf, inverse_D = saves["gn"][k], saves["gf"][k], saves["inverse_D"][k]
        phi = [v.dot(angular, n) + v.dot(linear, f) for n, f in columns]
        scaled.append(tuple(inverse_D * x for x in phi))
        La = [x + scaled[k][i] * phi[j] for x, (i, j) in zip(La, m.PAIRS, strict=True)]
        b = [x + y * saves["du"][k] for x, y in zip(b, phi, strict=True)]
        columns = [(v.sub(n, v.scale(x, gn)), v.sub(f, v.scale(x, gf))) for (n, f), x in zip(columns, phi, strict=True)]
        coordinate = unit_coordinate((angular, linear))
        if coordinate is not None and is_zero(link.rotor) and is_zero(link.locked[k]):
            columns = [_clear_entry(column, coordinate) for column in columns]  # no force acts along a free axis
    b = [x + (v.dot(n, link.ca) + v.dot(f, link.cl)) for x, (n, f) in zip(b, columns, strict=True)]
    parent_wrenches = [link.wrench_to_parent(f, n) for n, f in columns]
    handle = {"Phi": tuple((n, f) for f, n in parent_wrenches), "La": tuple(La), "b": unflatten(SIX, iter(b))}
    return {**up, **handle}, {**{name: saves[name] for name in ("gn", "gf", "du")}, "dphi": tuple(scaled)}


def _clear_entry(column: tuple[v.Vector, v.Vector], coordinate: int) -> Any:
    return unflatten(SIX, iter([0 if k == coordinate else x for k, x in enumerate(flatten(column))]))


def _unknown_motion(tree: Tree) -> Values:
    return {**dict.fromkeys(MOVING, (UNKNOWN,) * 3), "F": ((UNKNOWN,) * 3,) * 2}


@outward({**MOVING, "F": SIX}, per_speed={"qdd": SCALAR}, ground=_unknown_motion, final_carries=("al", "l"))
def accelerate_between(link: Link, parent: Values) -> tuple[Values, Values]:
    """Accelerations of a piece whose base has a given motion and whose tip exerts the wrench F.

    The terms of velocities are computed again: in a long chain, that takes less time than to save them and to read them back.
    """
    carry, biases = velocities.step(link, parent)
    link.__dict__.update(biases)
    al, l = acceleration_without_joint(link, parent)
    F = list(flatten(parent["F"]))
    qdd: list[Any] = [0] * link.nv
    for k in range(link.nv - 1, -1, -1):
        tip_torque = sum(x * y for x, y in zip(link.dphi[k], F, strict=True))
        qdd[k] = (link.du[k] - tip_torque) - (v.dot(link.gn[k], al) + v.dot(link.gf[k], l))
        al, l = add_joint_acceleration(link, k, qdd[k], al, l)
    return {**carry, "al": al, "l": l, "F": parent["F"]}, {"qdd": tuple(qdd)}


# -- pieces joined -------------------------------------------------------------------------------------------------------


def with_body(node: Values, body: tuple[Any, v.Vector, v.Symmetric], w: v.Vector) -> Values:
    """Return a piece with a rigid body (mass, h, I), which turns with w, before its first joint.

    A chain is cut through a link, not at a joint: each side has half of its inertia. So the articulated inertia of the outer
    piece, which is singular along its first joint, becomes regular, and as well conditioned as that of the link in one sweep.
    """
    mass, h, I = body
    return {
        **node,
        "A": v.sym_add(node["A"], I),
        "B": v.mat_add(node["B"], v.skew(h)),
        "M": v.sym_add(node["M"], (mass, 0, 0, mass, 0, mass)),
        "pn": v.add(node["pn"], v.cross(w, v.sym_vec(I, w))),
        "pf": v.add(node["pf"], v.cross(w, v.cross(w, h))),
    }


class PieceCoupling(NamedTuple):
    """The factors that couple two neighbours: I = L D L^T of the outer one, and D^-1 + L^T La L = N d N^T, La of the inner one.

    With y the acceleration of the inner one's tip without a wrench there, and z the wrench that the outer one needs without an
    acceleration, the wrench between them is K y + H z, and the acceleration there is H^T (y - La z), where

        K = (I^-1 + La)^-1 = L (N d N^T)^-1 L^T,    H = (E + I La)^-1 = L (N d N^T)^-1 D^-1 L^-1.

    H is not found as E - K La, which loses digits where the outer piece is much heavier than the inner one.
    """

    L: m.Matrix
    inverse_D: m.Vector
    N: m.Matrix
    inverse_d: m.Vector

    def half_K(self, Y: m.Matrix) -> m.Matrix:
        """Return W = N^-1 L^T Y, so that Y^T K Y = W^T d^-1 W."""
        return m.forward_substitute(self.N, m.product(m.transpose(self.L), Y))

    def half_H(self, Z: m.Matrix) -> m.Matrix:
        return m.forward_substitute(self.N, m.scale_rows(self.inverse_D, m.forward_substitute(self.L, Z)))

    def complete_halves(self, halves: m.Matrix) -> m.Matrix:
        """Return K Y or H Z from their halves."""
        return m.product(self.L, m.backward_substitute(self.N, m.scale_rows(self.inverse_d, halves)))

    def H_transposed(self, x: m.Vector) -> m.Vector:
        half = m.backward_substitute(self.N, m.scale_rows(self.inverse_d, self.half_K(m.column(x))))
        return m.flat(m.backward_substitute(self.L, m.scale_rows(self.inverse_D, half)))


def couple_pieces(inner: Values, outer: Values) -> PieceCoupling:
    L, D = m.ldl(articulated_matrix(outer), guarded=True)
    inverse_D = [1 / d for d in D]
    G = m.symmetric_product(m.transpose(L), m.product(m.symmetric_from_upper(inner["La"], 6), L))
    N, d = m.ldl([[x + inverse_D[i] if i == j else x for j, x in enumerate(row)] for i, row in enumerate(G)])
    return PieceCoupling(L, inverse_D, N, [1 / x for x in d])


def articulated_matrix(node: Values) -> m.Matrix:
    A, B, M = v.sym_full(node["A"]), node["B"], v.sym_full(node["M"])
    return [[*A[i], *B[i]] for i in range(3)] + [[B[0][i], B[1][i], B[2][i], *M[i]] for i in range(3)]


def bias_acceleration(node: Values) -> m.Vector:
    return [*node["pn"], *node["pf"]]


def handle_matrix(node: Values) -> m.Matrix:
    """Return Phi, whose columns are the wrenches at the base."""
    return m.transpose([list(flatten(column)) for column in node["Phi"]])


def join_pieces(inner: Values, outer: Values, shared: PieceCoupling) -> Values:
    """Return two neighbours as one piece."""
    La, P, Q = m.symmetric_from_upper(inner["La"], 6), handle_matrix(inner), handle_matrix(outer)
    y, z = list(flatten(inner["b"])), bias_acceleration(outer)
    F, a = solve_interface(inner, shared, y, z)
    HQ = shared.complete_halves(shared.half_H(Q))
    Phi = m.product(P, HQ)
    added = m.symmetric_product(m.transpose(Q), m.product(La, HQ))  # H^T La = La H is symmetric
    b = m.add(list(flatten(outer["b"])), m.matrix_vector(m.transpose(Q), a))
    return {
        **_add_outer_piece(inner, P, shared, F),
        "Phi": tuple(unflatten(SIX, iter(column)) for column in m.transpose(Phi)),
        "La": tuple(x + added[i][j] for x, (i, j) in zip(outer["La"], m.PAIRS, strict=True)),
        "b": unflatten(SIX, iter(b)),
    }


def _add_outer_piece(inner: Values, P: m.Matrix, shared: PieceCoupling, F: m.Vector) -> Values:
    """Return articulated inertia and bias of a piece that carries another: P K P^T is added."""
    W = shared.half_K(m.transpose(P))
    I = m.symmetric_product(m.transpose(W), m.scale_rows(shared.inverse_d, W))
    total = [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(articulated_matrix(inner), I, strict=True)]
    p = m.add(bias_acceleration(inner), m.matrix_vector(P, F))
    return {
        "A": v.sym_from_matrix(tuple(tuple(row[:3]) for row in total[:3])),  # type: ignore[arg-type]
        "B": tuple(tuple(row[3:]) for row in total[:3]),
        "M": v.sym_from_matrix(tuple(tuple(row[3:]) for row in total[3:])),  # type: ignore[arg-type]
        "pn": tuple(p[:3]),
        "pf": tuple(p[3:]),
    }


def join_last_piece(inner: Values, outer: Values, shared: PieceCoupling) -> Values:
    """Return articulated inertia and bias of two neighbours, of which the outer one has nothing at its tip."""
    F, _ = solve_interface(inner, shared, list(flatten(inner["b"])), bias_acceleration(outer))
    return _add_outer_piece(inner, handle_matrix(inner), shared, F)


def solve_interface(inner: Values, shared: PieceCoupling, y: m.Vector, z: m.Vector) -> tuple[m.Vector, m.Vector]:
    """Return the wrench on the outer piece, and the acceleration of its base."""
    halves = m.add(m.flat(shared.half_K(m.column(y))), m.flat(shared.half_H(m.column(z))))
    a = shared.H_transposed(m.sub(y, m.matrix_vector(m.symmetric_from_upper(inner["La"], 6), z)))
    return m.flat(shared.complete_halves(m.column(halves))), a


def interface_state(inner: Values, outer: Values, shared: PieceCoupling, a: m.Vector, F: m.Vector) -> tuple[m.Vector, m.Vector]:
    """Return wrench and acceleration between two neighbours, from the acceleration of their base and the wrench at their tip."""
    y = m.add(m.matrix_vector(m.transpose(handle_matrix(inner)), a), list(flatten(inner["b"])))
    z = m.add(bias_acceleration(outer), m.matrix_vector(handle_matrix(outer), F))
    return solve_interface(inner, shared, y, z)


def wrench_at_fixed_tip(node: Values, a: m.Vector, tip: m.Vector) -> m.Vector:
    """Return F that gives the tip of a piece, or of a whole chain, a known acceleration, by one more 6 x 6 solve.

    La F = Phi^T a + b - tip. La is positive definite where the joints of the piece can move its tip in all directions.
    """
    acceleration_gap = m.sub(m.add(m.matrix_vector(m.transpose(handle_matrix(node)), a), list(flatten(node["b"]))), tip)
    L, D = m.ldl(m.symmetric_from_upper(node["La"], 6))
    return m.flat(m.backward_substitute(L, m.scale_rows([1 / d for d in D], m.forward_substitute(L, m.column(acceleration_gap)))))


FORWARD_IN_PIECES = replace(
    FORWARD_DYNAMICS,
    name="forward_dynamics in pieces",
    sweeps=(relative_rotations, velocities_between, articulate_with_handles, accelerate_between),
)

# -- inverse dynamics ----------------------------------------------------------------------------------------------------

WRENCH = {"f": VECTOR, "n": VECTOR}
RELATIVE = {**POSE, **MOTION, **SPEED}


@outward(RELATIVE, ground=_identity_orientation, final_carries=tuple(RELATIVE))
def relative_motion(link: Link, parent: Values) -> tuple[Values, Values]:
    """The motion of the tip against the base: its position in the base's axes; velocities and accelerations in its own."""
    carry, _ = link_velocities.step(link, parent)
    return {**pose_of_link(link, parent), **propagate_motion(link, parent), "u": carry["u"]}, {}


def tip_motion(span: Values, base: Values) -> Values:
    """Return the motion of the tip of a piece from that of its base."""
    R, x = span["R"], span["x"]
    wb = v.mat_t_vec(R, base["w"])
    w = v.add(wb, span["w"])
    al = v.add(v.add(v.mat_t_vec(R, base["al"]), v.cross(wb, span["w"])), span["al"])
    base_acceleration = v.mat_t_vec(R, v.add(base["l"], v.mat_vec(base["U"], x)))
    l = v.add(v.add(base_acceleration, v.scale(2, v.cross(wb, span["u"]))), span["l"])
    return {"w": w, "al": al, "l": l, "U": rate_matrix(w, al)}


def base_wrench(span: Values, piece: Values, tip: Values) -> Values:
    """Return the wrench at the base of a piece, from its own and that at its tip."""
    f = v.mat_vec(span["R"], tip["f"])
    n = v.add(v.mat_vec(span["R"], tip["n"]), v.cross(span["x"], f))
    return {"f": v.add(piece["f"], f), "n": v.add(piece["n"], n)}


def _unknown_inverse_motion(tree: Tree) -> Values:
    return {**dict.fromkeys(("w", "al", "l"), (UNKNOWN,) * 3), "U": ((UNKNOWN,) * 3,) * 3}


def _unknown_wrench(tree: Tree) -> Values:
    return dict.fromkeys(WRENCH, (UNKNOWN,) * 3)


accelerations_between = replace(accelerations, ground=_unknown_inverse_motion)


@inward(WRENCH, final_carries=tuple(WRENCH))
def piece_wrench(link: Link, outer: Values) -> tuple[Values, Values]:
    """The wrench that a piece needs at its base if nothing is at its tip."""
    f, n = link.wrench_to_parent(v.add(link.F, outer["f"]), v.add(link.N, outer["n"]))
    return {"f": f, "n": n}, {}


forces_between = replace(forces, ground=_unknown_wrench)
INVERSE_IN_PIECES = replace(
    INVERSE_DYNAMICS,
    name="inverse_dynamics in pieces",
    sweeps=(relative_motion, accelerations_between, piece_wrench, forces_between),
)

"""The shipped algorithms run over exact scalars instead of floats, and what their results are compared with.

The tree is built as always (`algorithms.tree.build_tree`), but of exact scalars, and the recursive algorithms on it are the same
functions. Kinematics of the tips' frames are compared with derivatives of 4x4 transforms, and joint reactions with those of
Newton and Euler. Centre of mass and momentum divide by the mass; they are compared at exact points with what 4x4 transforms say:
the first moments are `sum_j T_j (h_j, m_j)`, and angular momentum is the antisymmetric part of `sum_j T_j' J_j T_j^T`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.algorithms import energy, inverse_dynamics, kinematics
from lagrangian.algorithms import tree as trees
from lagrangian.algorithms.link import Link
from lagrangian.algorithms.regroup import regroup
from lagrangian.algorithms.sweep import Algorithm, run
from lagrangian.algorithms.tree import ScalarReader, Tree
from lagrangian.equations import kinematics as exact_kinematics
from lagrangian.equations.algebra.ring import RingElement, sum_elements
from lagrangian.equations.derivations import newton_euler
from lagrangian.equations.derivations.uicker_kahn import TransformMatrix, UickerKahn
from lagrangian.equations.reading.link import Pose
from lagrangian.equations.reading.system import ExactState, SymbolicSystem
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.expression import Expression
from lagrangian.model.joint import Joint
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Transform, rotation_z_to
from lagrangian.proof.certificate import Entries
from lagrangian.proof.points import ExactPoint

LOADS = ("load_Mx", "load_My", "load_Mz", "load_Fx", "load_Fy", "load_Fz")


class Recursions:
    """A system's tree, as it is and regrouped, and the algorithms on it."""

    def __init__(self, system: SymbolicSystem) -> None:
        self.system = system
        self.tree = exact_tree(system)
        self.regrouped = with_folded_constants(regroup(self.tree))
        self.states = {link.k: ExactState(system, link.joint, link.k) for link in system.links}
        self.link_of_speed = {k: i for i, k in enumerate(self.tree.iv)}

    def run(self, algorithm: Algorithm, tree: Tree | None = None) -> list[RingElement]:
        """The result, a flat list of elements, on the tree that the algorithm is shipped with or on a path of it."""
        tree = tree or self.tree_for(algorithm)
        return [self.system.ring(x) for x in run(algorithm, tree, self.links(tree, algorithm.inputs))]

    def run_at(self, point: ExactPoint, algorithm: Algorithm, tau: list[Any] | None = None) -> list[Any]:
        """The result at an exact point, where algorithms that divide can be run as well."""
        tree = point.tree(self.tree_for(algorithm))
        links = self.links_at(point, tree, algorithm.inputs)
        for link in links:
            if tau is not None:
                link.tau = (tau[link.iv],)
        return run(algorithm, tree, links)

    def links_at(
        self, point: ExactPoint, tree: Tree, inputs: tuple[str, ...], evaluate: Callable[[Any], Any] | None = None
    ) -> list[Link]:
        """The links at an exact point; `evaluate` gives the scalar that stands for the value of an element."""
        evaluate = evaluate or point.evaluate
        links = self.links(tree, inputs)
        for link in links:
            if link.kind.turns:
                link.c, link.s = evaluate(link.c), evaluate(link.s)
            exact = link.function
            link.__dict__["function"] = lambda expression, exact=exact: evaluate(exact(expression))
            for name in ("q", "qd", "qdd"):
                if name in link.__dict__:
                    setattr(link, name, tuple(evaluate(x) for x in getattr(link, name)))
        return links

    def tree_for(self, algorithm: Algorithm) -> Tree:
        return self.regrouped if algorithm.regrouped else self.tree

    def links(self, tree: Tree, inputs: tuple[str, ...]) -> list[Link]:
        """The links, with the ring's generators for their state."""
        system = self.system
        links = []
        for i in range(len(tree)):
            link = tree.link(i)
            self.set_state(link, inputs)
            if "wrench" in inputs:
                link.__dict__["wrench"] = tuple(system.generator(f"load_{name}") for name in ("Mx", "My", "Mz", "Fx", "Fy", "Fz"))
            links.append(link)
        return links

    def rotors(self) -> list[Any]:
        """The rotor inertias, by coordinate."""
        return [self._constant("rotor", k) for k in range(self.system.n)]

    def parameters(self) -> list[Any]:
        """Ten inertial parameters a link, in the tree's order."""
        constants = self.tree.constants
        return [x for i in range(len(self.tree)) for name in ("mass", "h", "I") for x in constants[name][i]]

    def _constant(self, name: str, k: int) -> Any:
        return self.tree.constants[name][self.link_of_speed[k], 0]

    def set_state(self, link: Link, inputs: tuple[str, ...]) -> None:
        system, k = self.system, link.iv
        if not link.nv:
            link.q = ()
            return
        link.q = (system.generator(f"q{k + 1}"),)
        state = self.states[k]
        if link.kind.turns:
            link.c, link.s = state.c, state.s
        link.__dict__["function"] = state.function
        if "qd" in inputs:
            link.qd = (system.speed(k),)
        if "qdd" in inputs:
            link.qdd = (system.acceleration(k),)


def exact_tree(system: SymbolicSystem) -> Tree:
    """The tree over a system's ring, without Coulomb friction, which is no polynomial."""
    reader = ExactReader(system)
    tree = trees.build_tree(system.mechanism, reader=reader)
    constants = dict(tree.constants)
    for name in ("coulomb_positive", "coulomb_negative"):
        constants[name] = np.zeros_like(constants[name])
    if system.symbols != "given":
        # inertial parameters are symbols of whole links: seen from the joint's frame, which is the tree's
        rows = {link.k: (link.inertia.in_parent_frame(link.joint_to_link), link.rotor) for link in system.links}
        for name in ("mass", "h", "I", "rotor"):
            constants[name] = constants[name].copy()
        for i, k in enumerate(tree.iv):
            inertia, rotor = rows[k]
            ten = reader.array(list(inertia.inertial_parameters))
            constants["mass"][i], constants["h"][i], constants["I"][i] = ten[:1], ten[1:4], ten[4:]
            constants["rotor"][i] = reader.array([rotor])
    return replace(tree, constants=constants)


class ExactReader(ScalarReader):
    """Reads the mechanism's scalars as elements of a system's ring; numbers the algorithms fold away stay numbers."""

    def __init__(self, system: SymbolicSystem) -> None:
        self.system = system
        self.frame_numbers = {joint.name: number for joint, _, number in system.joint_order}

    def placements(self, joint: Joint) -> tuple[Transform, Transform]:
        number, where = self.frame_numbers.get(joint.name, 0), f"joint {joint.name!r}"
        before = self.system.read_pose(joint.placement, where, "p", number)
        after = self.system.read_pose(joint.child_placement.inverse(), where, "r", number)
        return _placement(before), _placement(after)

    def axis_rotation(self, joint: Joint, axis: v.Vector) -> v.Matrix:
        return self.system.rotations.read(rotation_z_to(axis), f"joint {joint.name!r}")

    def body(self, body: Body) -> tuple[Any, v.Vector, v.Symmetric]:
        if self.system.symbols != "given":  # the links' symbols are put in when the tree is made
            return 0, v.ZERO, (0, 0, 0, 0, 0, 0)
        inertia = self.system.read_vector(body.inertia)
        return self.system.scalars.read(body.mass), self.system.read_vector(body.center), inertia

    def array(self, column: list[Any]) -> np.ndarray:
        column_array = np.array(column, dtype=object)
        flat = column_array.reshape(-1)
        for k, x in enumerate(flat):
            flat[k] = self.scalar(x)
        return column_array

    def rotations(self, R: np.ndarray) -> np.ndarray:
        return R

    def gravity(self, mechanism: Mechanism) -> v.Vector:
        return self.system.gravity

    def number(self, scalar: Any) -> Any:
        return self.system.scalars.read(scalar)

    def vector(self, x: v.Vector) -> v.Vector:
        return self.system.read_vector(x)

    def frame_on_link(self, body_placement: Transform, placement: Transform) -> Transform:
        return body_placement @ _placement(self.system.read_pose(placement, "a frame"))

    def triad(self, axis: v.Vector) -> v.Matrix:
        return self.system.rotations.read(rotation_z_to(axis), "an axis")

    def scalar(self, x: Any) -> Any:
        """An element; or 0, 1, -1. Other integers would become floats where an algorithm divides."""
        return fold_constants(self.system.ring(self.system.scalars.read(x) if isinstance(x, (Expression, float)) else x))


def with_folded_constants(tree: Tree) -> Tree:
    """The tree with zeros and ones as plain numbers again, which regrouping leaves as polynomials."""
    fold = np.frompyfunc(fold_constants, 1, 1)
    return replace(tree, constants={name: fold(array) if array.size else array for name, array in tree.constants.items()})


def fold_constants(x: Any) -> Any:
    """An element; 0, 1 and -1 as plain numbers."""
    if isinstance(x, RingElement) and x.poly.is_constant():
        number = next((c for _, c in x.poly.terms()), 0)
        return int(number) if number in (0, 1, -1) else x
    return x


def kinematics_entries(recursions: Recursions, traces: UickerKahn) -> Entries:
    """Poses, Jacobians, velocities and accelerations of every link that carries no other."""
    system = recursions.system
    carriers = {link.parent for link in system.links}
    for number, link in enumerate(system.links):
        if number not in carriers:
            yield from _tip_entries(recursions, traces, link.k, link.name)


def reaction_entries(recursions: Recursions) -> Entries:
    """Joint reactions, with those of Newton and Euler moved from each link's own frame to its joint's, which is the tree's."""
    wrenches = recursions.run(inverse_dynamics.REACTIONS)
    rows = {k: wrenches[6 * i : 6 * i + 6] for i, k in enumerate(recursions.tree.iv)}
    for link, (f, n) in zip(recursions.system.links, newton_euler.joint_wrenches(recursions.system), strict=True):
        force = v.mat_vec(link.joint_to_link.R, f)
        moment = v.add(v.mat_vec(link.joint_to_link.R, n), v.cross(link.joint_to_link.p, force))
        for k, (a, b) in enumerate(zip(rows[link.k], (*moment, *force), strict=True)):
            yield f"reaction at {link.joint.name!r}, entry {k + 1}", a, b


class MomentumProof:
    """Centre of mass and momentum compared at exact points."""

    def __init__(self, recursions: Recursions, traces: UickerKahn) -> None:
        self.recursions, self.traces, self.n = recursions, traces, recursions.system.n

    def entries(self, points: list[ExactPoint]) -> Entries:
        for number, point in enumerate(points):
            center = self.recursions.run_at(point, energy.CENTER_OF_MASS)
            momentum = self.recursions.run_at(point, energy.MOMENTUM)
            for name, compiled, expected in zip(
                ("centre of mass", "momentum"), (center, momentum), self._center_and_momentum(point), strict=True
            ):
                for k, (a, b) in enumerate(zip(compiled, expected, strict=True)):
                    yield f"{name}, entry {k + 1} at point {number + 1}", a, b

    def _center_and_momentum(self, point: ExactPoint) -> tuple[list[Any], list[Any]]:
        """The centre of mass, and angular momentum about it before linear momentum."""
        mass = total_mass(self.recursions.system, point)
        first: list[Any] = [0] * 3
        linear: list[Any] = [0] * 3
        K: list[list[Any]] = [[0] * 3 for _ in range(3)]
        for j in range(self.n):
            T, J, rate = (
                self._evaluate_transform(point, self.traces.T(j)),
                self._evaluate_transform(point, self.traces.pseudo_inertia(j)),
                self._rate(point, j),
            )
            for a in range(3):
                first[a] += _dot(T[a], J[3])
                linear[a] += _dot(rate[a], J[3])
                weighted = [_dot(rate[a], row) for row in J]
                for b in range(3):
                    K[a][b] += _dot(weighted, T[b])
        center = [x / mass for x in first]
        about = v.cross(tuple(center), tuple(linear))
        angular = [K[2][1] - K[1][2], K[0][2] - K[2][0], K[1][0] - K[0][1]]
        return center, [*(a - b for a, b in zip(angular, about, strict=True)), *linear]

    def _rate(self, point: ExactPoint, j: int) -> list[list[Any]]:
        """T_j' = sum_k U_jk q'_k."""
        total: list[list[Any]] = [[0] * 4 for _ in range(4)]
        for k in range(self.n):
            qd, U = point.evaluate(self.recursions.system.speed(k)), self._evaluate_transform(point, self.traces.U(j, k))
            total = [[x + qd * u for x, u in zip(*rows, strict=True)] for rows in zip(total, U, strict=True)]
        return total

    def _evaluate_transform(self, point: ExactPoint, X: TransformMatrix) -> list[list[Any]]:
        return [[point.evaluate(x) for x in row] for row in X]


def total_mass(system: SymbolicSystem, point: ExactPoint) -> Any:
    return sum(point.evaluate(link.inertia.mass) for link in system.links)


def _placement(pose: Pose) -> Transform:
    return Transform(pose.R, pose.p)


def _tip_entries(recursions: Recursions, traces: UickerKahn, j: int, body: str) -> Entries:
    system, n = recursions.system, recursions.system.n
    path = recursions.tree.path_to_frame(*recursions.tree.body_places[body])
    frame = system.mechanism.frame(body)
    T = traces.T(j)
    columns = [_jacobian_column(T, traces.U(j, k)) for k in range(n)]
    J = [[columns[k][a] for k in range(n)] for a in range(6)]
    qd, qdd = [system.speed(k) for k in range(n)], [system.acceleration(k) for k in range(n)]
    zero = system.ring.zero

    def inner(row: list[RingElement], x: list[RingElement]) -> RingElement:
        return sum_elements((a * b for a, b in zip(row, x, strict=True) if a.poly), zero)

    twist = [inner(row, qd) for row in J]
    rates = [inner([system.ring.derivative(x, k) for k in range(n)], qd) for x in twist]
    loads = [system.generator(name) for name in LOADS]
    comparisons: list[tuple[str, Any, list[RingElement]]] = [
        ("pose", kinematics.POSE_OF_FRAME, [x for row in T for x in row]),
        ("J", kinematics.JACOBIAN, [x for row in J for x in row]),
        ("J as printed", kinematics.JACOBIAN, [x for row in exact_kinematics.jacobian(system, frame) for x in row]),
        (
            "pose as printed",
            kinematics.POSE_OF_FRAME,
            [system.ring(x) for x in _flatten_pose(exact_kinematics.frame_pose(system, frame)[1])],
        ),
        ("J q'", kinematics.VELOCITY, twist),
        ("J' q'", kinematics.JACOBIAN_DOT_QD, rates),
        ("J q'' + J' q'", kinematics.ACCELERATION, [inner(row, qdd) + rate for row, rate in zip(J, rates, strict=True)]),
        ("J^T F", kinematics.EXTERNAL_TORQUE, [inner([row[k] for row in J], loads) for k in range(n)]),
    ]
    for name, algorithm, right in comparisons:
        for k, (a, b) in enumerate(zip(recursions.run(algorithm, path), right, strict=True)):
            yield f"{name} of {body!r}, entry {k + 1}", a, b


def _jacobian_column(T: Any, U: Any) -> tuple[Any, ...]:
    """The angular velocity, from dR/dq R^T, and the velocity of the origin, for a unit rate."""
    R: v.Matrix = tuple(row[:3] for row in T[:3])
    W = v.mat_mat(tuple(row[:3] for row in U[:3]), v.transpose(R))
    return W[2][1], W[0][2], W[1][0], U[0][3], U[1][3], U[2][3]


def _flatten_pose(pose: Pose) -> list[Any]:
    return [*(x for row, p in zip(pose.R, pose.p, strict=True) for x in (*row, p)), 0, 0, 0, 1]


def _dot(x: Any, y: Any) -> Any:
    return sum(a * b for a, b in zip(x, y, strict=True))

"""The equations of motion with multipliers by articulated bodies, for long mechanisms of many loops: work in proportion to links.

Gauss's principle makes M qdd = f + Psi^T lambda, Psi qdd + gamma = 0 a saddle point of a quadratic function of the accelerations
and the multipliers. It is eliminated from the tips to the ground: each joint's acceleration as in the articulated-body algorithm,
each loop's multipliers at the link on which the loop stands, once all its joints are eliminated. The effect of all that a link
carries is then

    1/2 a^T IA a + p^T a - lambda^T (K a + k) - 1/2 lambda^T Lambda lambda,

with a its acceleration and lambda the multipliers of loops that reach further inward. (Bae and Haug 1987; Popov and Vereshchagin
1978; Sathya, Bruyninckx, Decre and Pipeleers 2024.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lagrangian.algorithms.constraints import rows as constraints
from lagrangian.algorithms.constraints.cholesky import BlockLDL, Sparse
from lagrangian.algorithms.constraints.constrained_dynamics import ROUNDING_TOLERANCE, GroupRanks, MechanismState, rank_function
from lagrangian.algorithms.forward_dynamics import clear_row, shift_articulated_inertia, subtract_outer, unit_coordinate
from lagrangian.algorithms.link import Link, inverse, is_zero
from lagrangian.algorithms.tree import Tree
from lagrangian.model import vector as v
from lagrangian.model.expression import functions as f
from lagrangian.model.joints.joint_type import UnitTwist
from lagrangian.model.mechanism import Mechanism

# speeds from which on there may be a choice; how many joints, for every speed, carry the equations of loops; and how many
# speeds there are from the ground to a joint (the root of their mean square): the work through the mass matrix grows with it
MIN_SPEEDS, MAX_CARRIED_RATIO, MAX_MEAN_DEPTH = 20, 2.0, 14.0

SpatialVector = tuple[v.Vector, v.Vector]  # a moment and a force, or an angular and a linear acceleration
ZERO_VECTOR: SpatialVector = (v.ZERO, v.ZERO)


def prefers_articulated_bodies(mechanism: Mechanism, tree: Tree) -> bool:
    """Whether this is shorter than with the mass matrix, through which every loop acts on all others on the same joints.

    It is shorter, too, where a loop closes a long chain, whose mass matrix is full.
    """
    if tree.nv < MIN_SPEEDS:
        return False
    speeds: list[int] = []  # from the ground to each link
    for kind, parent in zip(tree.kind, tree.parent, strict=True):
        speeds.append(kind.nv + (speeds[parent] if parent >= 0 else 0))
    carried_equations = 0
    for loop in mechanism.loops:
        link = tree.lowest_common_ancestor(tree.body_places[loop.a][0], tree.body_places[loop.b][0])
        carried_equations += loop.equation_count * speeds[link] if link >= 0 else 0
    squares = sum(kind.nv * depth**2 for kind, depth in zip(tree.kind, speeds, strict=True))
    return carried_equations > MAX_CARRIED_RATIO * tree.nv or squares > MAX_MEAN_DEPTH**2 * tree.nv


class EliminatedSpeed(NamedTuple):
    """An eliminated speed: its index, column, IA S, 1/D, 1 if it is locked, and psi + K S of every row."""

    speed: int
    column: UnitTwist
    U: SpatialVector
    inverse: Any
    locked: Any
    c: dict[int, Any]


class EliminatedLoops(NamedTuple):
    """Rows that are eliminated on a link: their system, K, and the solutions for K and for the remaining rows."""

    rows: list[int]
    system: BlockLDL
    K: list[SpatialVector]
    for_acceleration: list[SpatialVector]
    coupled_rows: dict[int, tuple[list[Any], list[Any]]]  # of a row that goes on: Lambda beside the rows, and the solution for it


class ArticulatedBody:
    """The effect of all that a link carries, without its right side."""

    def __init__(self) -> None:
        self.A: v.Symmetric = (0,) * 6
        self.B: v.Matrix = (v.ZERO,) * 3
        self.M: v.Symmetric = (0,) * 6
        self.K: dict[int, SpatialVector] = {}
        self.Lambda: dict[int, dict[int, Any]] = {}

    def add(self, A: v.Symmetric, B: v.Matrix, M: v.Symmetric) -> None:
        self.A, self.B, self.M = v.sym_add(self.A, A), v.mat_add(self.B, B), v.sym_add(self.M, M)

    def couple(self, r: int, s: int, x: Any) -> None:
        """Add x to Lambda of two rows."""
        if is_zero(x):
            return
        for i, j in {(r, s), (s, r)}:
            row = self.Lambda.setdefault(i, {})
            row[j] = row.get(j, 0) + x


class ArticulatedConstraints:
    """The multipliers' equations at one state, as in `ConstrainedDynamics`; ranks are for the order of `loop_rows_by_link`."""

    def __init__(
        self,
        state: MechanismState,
        rows: Sequence[constraints.ConstraintRow],
        redundant: bool,
        locked: Mapping[int, Any] | None = None,
        ranks: GroupRanks = (),
    ) -> None:
        self.state, self.rows = state, [row for row in rows if row.psi]
        self._locked, self._redundant, self._ranks = locked or {}, redundant, ranks
        self.ratio: Any = 1.0
        self._thresholds: list[Any] = [0.0] * len(self.rows)
        self._psi: dict[int, dict[int, Any]] = {}  # by speed and row
        for r, row in enumerate(self.rows):
            for k, x in row.psi.items():
                self._psi.setdefault(k, {})[r] = x
        tree = state.tree
        self._rows_by_link = loop_rows_by_link(tree, [(row.name, row.psi) for row in self.rows])
        self._eliminated_speeds: list[list[EliminatedSpeed]] = [[] for _ in range(len(tree))]
        self._eliminated_loops: dict[int, EliminatedLoops] = {}
        bodies = [ArticulatedBody() for _ in range(len(tree) + 1)]  # the last is the ground
        for i in range(len(tree) - 1, -1, -1):
            link, body = state.links[i], bodies[i]
            body.add(link.I, v.skew(link.h), (link.mass, 0, 0, link.mass, 0, link.mass))
            self._eliminate_loops(i, body)
            for k, column in enumerate(link.motion_subspace):
                self._eliminated_speeds[i].append(self._eliminate(link, k, column, body))
            self._pass_to_parent(link, body, bodies[tree.parent[i]])
        self._eliminate_loops(-1, bodies[-1])

    # -- the matrix --------------------------------------------------------------------------------------------------

    def _eliminate(self, link: Link, k: int, column: UnitTwist, body: ArticulatedBody) -> EliminatedSpeed:
        """Eliminate a joint's acceleration: x = 1/D (u - U a + c lambda)."""
        angular, linear = column
        speed = link.iv + k
        un = v.add(v.sym_vec(body.A, angular), v.mat_vec(body.B, linear))
        uf = v.add(v.mat_t_vec(body.B, angular), v.sym_vec(body.M, linear))
        unlocked_inverse = inverse(v.dot(angular, un) + v.dot(linear, uf) + link.rotor)
        locked = self._locked.get(speed, 0)
        inverse_D = unlocked_inverse * (1 - locked) if speed in self._locked else unlocked_inverse
        gn, gf = v.scale(inverse_D, un), v.scale(inverse_D, uf)
        body.A, body.M = subtract_outer(body.A, gn, un), subtract_outer(body.M, gf, uf)
        body.B = tuple(tuple(body.B[i][j] - gn[i] * uf[j] for j in range(3)) for i in range(3))  # type: ignore[assignment]
        coordinate = unit_coordinate(column) if is_zero(link.rotor) and is_zero(locked) else None
        if coordinate is not None:
            _clear_coordinate(body, coordinate)
        psi, c = self._psi.get(speed, {}), {}
        for r in sorted({*body.K, *psi}):
            K = body.K.get(r, ZERO_VECTOR)
            x = psi.get(r, 0) + (v.dot(angular, K[0]) + v.dot(linear, K[1]))
            if not is_zero(x):
                c[r] = x
                self._thresholds[r] = self._thresholds[r] + ROUNDING_TOLERANCE**2 * unlocked_inverse
                reduced = v.sub(K[0], v.scale(x, gn)), v.sub(K[1], v.scale(x, gf))
                body.K[r] = reduced if coordinate is None else _with_entry(reduced, coordinate, -psi.get(r, 0))
        for r, x in c.items():
            scaled = x * inverse_D
            for s, y in c.items():
                if s <= r:
                    body.couple(r, s, scaled * y)
        return EliminatedSpeed(speed, column, (un, uf), inverse_D, locked, c)

    def _eliminate_loops(self, i: int, body: ArticulatedBody) -> None:
        """Eliminate the multipliers of all loops on a link: lambda = -Lambda^-1 (K a + k + Lambda lambda of the others)."""
        rows = [r for r in self._rows_by_link.get(i, ()) if r in body.Lambda]
        if not rows:
            return
        position = {r: k for k, r in enumerate(rows)}
        A: Sparse = [dict(sorted((position[s], x) for s, x in body.Lambda[r].items() if s in position)) for r in rows]
        names = [self.rows[r].name for r in rows]
        rank = rank_function(names, self._ranks) if self._ranks else None
        system = BlockLDL(
            A, self._redundant, [self._thresholds[r] for r in rows], [constraints.row_owner(x) for x in names], rank
        )
        self.ratio = f.minimum(self.ratio, system.ratio)
        K = [body.K.pop(r, ZERO_VECTOR) for r in rows] if i >= 0 else [ZERO_VECTOR] * len(rows)
        remaining_rows = sorted({s for r in rows for s in body.Lambda[r] if s not in position})
        columns = [system.solve([K[k][half][c] for k in range(len(rows))]) for half in range(2) for c in range(3)]
        X = [(tuple(x[k] for x in columns[:3]), tuple(x[k] for x in columns[3:])) for k in range(len(rows))]
        coupled_rows = {}
        for s in remaining_rows:
            coupling = [body.Lambda[s].pop(r, 0) for r in rows]
            coupled_rows[s] = coupling, system.solve(coupling)
        for r in rows:
            del body.Lambda[r]
        self._eliminated_loops[i] = EliminatedLoops(rows, system, K, X, coupled_rows)
        self._stiffen(body, self._eliminated_loops[i])

    def _stiffen(self, body: ArticulatedBody, loops: EliminatedLoops) -> None:
        """Add the effect of eliminated loops to the inertia, and subtract it from the remaining rows."""
        pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
        for (Kn, Kf), (Xn, Xf) in zip(loops.K, loops.for_acceleration, strict=True):
            body.add(
                tuple(Kn[i] * Xn[j] for i, j in pairs),
                tuple(tuple(Kn[i] * Xf[j] for j in range(3)) for i in range(3)),  # type: ignore[arg-type]
                tuple(Kf[i] * Xf[j] for i, j in pairs),
            )
        for s, (coupling, _) in loops.coupled_rows.items():
            Kn, Kf = body.K.get(s, ZERO_VECTOR)
            for x, (Xn, Xf) in zip(coupling, loops.for_acceleration, strict=True):
                if not is_zero(x):
                    Kn, Kf = v.sub(Kn, v.scale(x, Xn)), v.sub(Kf, v.scale(x, Xf))
            body.K[s] = Kn, Kf
            for r, (_, solution) in loops.coupled_rows.items():
                if r <= s:
                    body.couple(s, r, -sum((x * y for x, y in zip(coupling, solution, strict=True)), 0))

    def _pass_to_parent(self, link: Link, body: ArticulatedBody, parent: ArticulatedBody) -> None:
        """Transform a body to the parent's axes and origin."""
        A, B, M = link.sym_to_parent(body.A), link.mat_to_parent(body.B), link.sym_to_parent(body.M)
        A, B = shift_articulated_inertia(link.offset, A, B, M)
        parent.add(A, B, M)
        for r, K in body.K.items():
            n, force = _wrench_to_parent(link, K)
            earlier = parent.K.get(r, ZERO_VECTOR)
            parent.K[r] = v.add(earlier[0], n), v.add(earlier[1], force)
        for r, row in body.Lambda.items():
            for s, x in row.items():
                if s <= r:
                    parent.couple(r, s, x)

    # -- right sides -------------------------------------------------------------------------------------------------

    def acceleration(self, force: Sequence[Any], gamma: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Return qdd, lambda and the forces that lock speeds, for f = `force`; gamma as the rows have it, or stabilised."""
        return self._outward(*self._inward(force, gamma))

    def correction(self, residual: Sequence[Any]) -> list[Any]:
        """Return the smallest x, measured by M, with Psi x = -residual."""
        return self.acceleration([0] * self.state.tree.nv, residual)[0]

    def _inward(self, force: Sequence[Any], gamma: Sequence[Any]) -> tuple[list[Any], dict[int, list[Any]]]:
        """Return the remaining force u along each speed, and Lambda^-1 k of each eliminated loop."""
        tree, links = self.state.tree, self.state.links
        u: list[Any] = [0] * tree.nv
        k = list(gamma)
        p: list[SpatialVector] = [ZERO_VECTOR] * (len(tree) + 1)
        loop_solutions: dict[int, list[Any]] = {}
        for i in range(len(tree) - 1, -2, -1):
            pn, pf = p[i]
            if i in self._eliminated_loops:
                loops = self._eliminated_loops[i]
                y = loop_solutions[i] = loops.system.solve([k[r] for r in loops.rows])
                for (Kn, Kf), x in zip(loops.K, y, strict=True):
                    pn, pf = v.add(pn, v.scale(x, Kn)), v.add(pf, v.scale(x, Kf))
                for s, (coupling, _) in loops.coupled_rows.items():
                    for x, z in zip(coupling, y, strict=True):
                        k[s] = k[s] - x * z
            if i < 0:
                break
            for joint in self._eliminated_speeds[i]:
                angular, linear = joint.column
                torque = u[joint.speed] = force[joint.speed] - (v.dot(angular, pn) + v.dot(linear, pf))
                step = joint.inverse * torque
                pn, pf = v.add(pn, v.scale(step, joint.U[0])), v.add(pf, v.scale(step, joint.U[1]))
                for r, c in joint.c.items():
                    k[r] = k[r] + c * step
            n, force_on = _wrench_to_parent(links[i], (pn, pf))
            earlier = p[tree.parent[i]]
            p[tree.parent[i]] = v.add(earlier[0], n), v.add(earlier[1], force_on)
        return u, loop_solutions

    def _outward(self, u: Sequence[Any], loop_solutions: Mapping[int, list[Any]]) -> tuple[list[Any], list[Any], list[Any]]:
        tree, links = self.state.tree, self.state.links
        x: list[Any] = [0] * tree.nv
        locking_torques: list[Any] = [0] * tree.nv
        multipliers: list[Any] = [0] * len(self.rows)
        motions: list[SpatialVector] = [ZERO_VECTOR] * (len(tree) + 1)
        for i in range(-1, len(tree)):
            if i >= 0:
                link, (al, l) = links[i], motions[tree.parent[i]]
                l = link.to_child(v.add(l, v.cross(al, link.offset)))
                al = link.to_child(al)
                for joint in reversed(self._eliminated_speeds[i]):
                    residual_torque = u[joint.speed] - (v.dot(joint.U[0], al) + v.dot(joint.U[1], l))
                    for r, c in joint.c.items():
                        residual_torque = residual_torque + c * multipliers[r]
                    x[joint.speed] = step = joint.inverse * residual_torque
                    if joint.speed in self._locked:
                        locking_torques[joint.speed] = -(joint.locked * residual_torque)
                    al = v.add(al, v.scale(step, joint.column[0]))
                    l = v.add(l, v.scale(step, joint.column[1]))
                motions[i] = al, l
            if i in self._eliminated_loops:
                self._solve_multipliers(self._eliminated_loops[i], loop_solutions[i], motions[i], multipliers)
        return x, multipliers, locking_torques

    def _solve_multipliers(self, loops: EliminatedLoops, y: Sequence[Any], motion: SpatialVector, multipliers: list[Any]) -> None:
        for j, r in enumerate(loops.rows):
            Xn, Xf = loops.for_acceleration[j]
            total = y[j] + (v.dot(Xn, motion[0]) + v.dot(Xf, motion[1]))
            for s, (_, solution) in loops.coupled_rows.items():
                total = total + solution[j] * multipliers[s]
            multipliers[r] = -total


def loop_rows_by_link(tree: Tree, rows: Sequence[tuple[str, Iterable[int]]]) -> dict[int, list[int]]:
    """Return rows by the link on which their loop stands, or -1 for the ground, in the order of elimination.

    `rows` has the name and the speeds of each row. A loop stands on the outermost link that carries all its joints.
    """
    link_of_speed = {tree.iv[i] + k: i for i in range(len(tree)) for k in range(tree.kind[i].nv)}
    loops: dict[str, tuple[set[int], list[int]]] = {}
    for r, (name, speeds) in enumerate(rows):
        joints, loop_rows = loops.setdefault(constraints.row_owner(name), (set(), []))
        joints.update(link_of_speed[k] for k in speeds)
        loop_rows.append(r)
    rows_by_link: dict[int, list[int]] = {}
    for joints, loop_rows in loops.values():
        paths = [tree.path_to_root(tree.parent[i]) for i in joints]
        common = [link for link, *other_links in zip(*paths, strict=False) if all(x == link for x in other_links)]
        rows_by_link.setdefault(common[-1] if common else -1, []).extend(loop_rows)
    return {i: rows_by_link[i] for i in sorted(rows_by_link, reverse=True)}


def _clear_coordinate(body: ArticulatedBody, coordinate: int) -> None:
    """Make the row and column of a free axis zero, exactly: no force acts along it."""
    if coordinate < 3:
        body.A = clear_row(body.A, coordinate)
        body.B = tuple(v.ZERO if i == coordinate else row for i, row in enumerate(body.B))  # type: ignore[assignment]
    else:
        body.M = clear_row(body.M, coordinate - 3)
        body.B = tuple(tuple(0 if j == coordinate - 3 else x for j, x in enumerate(row)) for row in body.B)  # type: ignore[assignment]


def _with_entry(K: SpatialVector, coordinate: int, x: Any) -> SpatialVector:
    six = [*K[0], *K[1]]
    six[coordinate] = x
    return tuple(six[:3]), tuple(six[3:])


def _wrench_to_parent(link: Link, wrench: SpatialVector) -> SpatialVector:
    force, n = link.wrench_to_parent(wrench[1], wrench[0])
    return n, force

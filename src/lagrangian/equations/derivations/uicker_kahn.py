"""The equations of motion from 4x4 transforms, by Uicker and Kahn: traces of derivatives of transforms with pseudo-inertias.

Uicker, On the dynamic analysis of spatial linkages using 4x4 matrices, 1965; Kahn, The near-minimum-time control of open-loop
articulated kinematic chains, 1969; Paul, Robot Manipulators, 1981, chapter 6. With 0T_j from link j's frame to the world's,

    U_jk = d 0T_j / dq_k,   U_jkm = d U_jk / dq_m,   J_j = integral of r r^T dm over link j,   r = (x, y, z, 1),

    tau_i = sum_k M_ik q''_k + sum_km h_ikm q'_k q'_m + G_i,
    M_ik = sum_j Tr(U_jk J_j U_ji^T) + rotor,   h_ikm = sum_j Tr(U_jkm J_j U_ji^T),   G_i = -sum_j m_j g^T U_ji r_j.

A joint's transform Z has the derivative D Z, so U_jk is the product 0T_j with D put in before joint k; D is constant but for a
joint whose motion subspace changes, whose second derivative has D' besides. What stands in front of both factors of a trace
cancels, for R^T R = 1: there the products start at the lowest joint of the two.
"""

from __future__ import annotations

from typing import Any

from lagrangian.cached import cached_property
from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.reading.link import Pose
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model import vector as v

TransformRow = tuple[Any, Any, Any, Any]
TransformMatrix = tuple[TransformRow, TransformRow, TransformRow, TransformRow]
ZERO_ROW: TransformRow = (0, 0, 0, 0)
IDENTITY: TransformMatrix = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))


class UickerKahn:
    """The trace form. Indices are those of the coordinates, from 0: link j is the one that joint j moves."""

    def __init__(self, system: SymbolicSystem) -> None:
        self.system = system
        self._link_index = {link.k: i for i, link in enumerate(system.links)}  # in the system, parents come before children
        self._paths = [system.path_from_ground(i) for i in range(len(system.links))]
        self._products: dict[tuple[int, int, tuple[int, ...]], TransformMatrix] = {}
        self._weighted_cache: dict[tuple[int, int, int], tuple[TransformRow, TransformRow, TransformRow]] = {}
        self._inertias: dict[int, TransformMatrix] = {}
        self._world_cache: dict[tuple[int, tuple[int, ...]], TransformMatrix] = {}

    # -- transforms and their derivatives ----------------------------------------------------------------------------

    def T(self, j: int) -> TransformMatrix:
        """0T_j, from link j's frame to the world's."""
        return self._world_transform(self._link_index[j], ())

    def U(self, j: int, k: int, m: int | None = None) -> TransformMatrix:
        """U_jk = d 0T_j / dq_k, or U_jkm = d^2 0T_j / dq_k dq_m: zero where link j does not move with those coordinates."""
        return self._world_transform(self._link_index[j], self._link_indices(k) if m is None else self._link_indices(k, m))

    def _link_indices(self, *coordinates: int) -> tuple[int, ...]:
        return tuple(sorted(self._link_index[k] for k in coordinates))

    def _world_transform(self, target: int, differentiated: tuple[int, ...]) -> TransformMatrix:
        if (target, differentiated) not in self._world_cache:
            path = self._paths[target]
            moves = all(mark in path for mark in differentiated)
            X = (
                apply_pose(self.system.links[path[0]].parent_to_joint, self._chain_product(path[0], target, differentiated))
                if moves
                else (ZERO_ROW,) * 4
            )
            self._world_cache[target, differentiated] = self._as_elements(X)
        return self._world_cache[target, differentiated]

    def _chain_product(self, start: int, target: int, differentiated: tuple[int, ...]) -> TransformMatrix:
        """The matrix from just before the joint of link `start` to the frame of link `target`, with D before marked joints."""
        key = (start, target, differentiated)
        if key not in self._products:
            link = self.system.links[start]
            later = tuple(mark for mark in differentiated if mark != start)
            X = IDENTITY
            if start != target:
                child = self._paths[target][len(self._paths[start])]
                X = apply_pose(self.system.links[child].parent_to_joint, self._chain_product(child, target, later))
            x, y, z, last = apply_pose(link.joint_to_link, X)
            if link.turns:
                c, s = link.c, link.s
                x, y = _combine_rows(c, x, -s, y), _combine_rows(s, x, c, y)
            X = (x, y, _combine_rows(1, z, link.joint_translation[2], last), last)
            self._products[key] = self._differentiate(start, X, len(differentiated) - len(later))
        return self._products[key]

    def _differentiate(self, number: int, X: TransformMatrix, order: int) -> TransformMatrix:
        """D X where dZ/dq = D Z: a turn about z, a move along it, or both; the second derivative is (D D + D') X."""
        link = self.system.links[number]
        derivative = X
        for _ in range(order):
            x, y, _z, last = derivative
            advance_row = _combine_rows(link.rise, last, 0, last)
            derivative = (
                (_combine_rows(-1, y, 0, y), x, advance_row, ZERO_ROW)
                if link.turns
                else (ZERO_ROW, ZERO_ROW, advance_row, ZERO_ROW)
            )
        if order == 2:
            x, y, z, last = derivative
            derivative = (x, y, _combine_rows(1, z, link.rise_slope, X[3]), last)
        return derivative

    # -- the equations -----------------------------------------------------------------------------------------------

    def pseudo_inertia(self, j: int) -> TransformMatrix:
        """J_j: second moments of mass, first moments and mass, in link j's own frame."""
        return self._link_pseudo_inertia(self._link_index[j])

    def _link_pseudo_inertia(self, number: int) -> TransformMatrix:
        if number not in self._inertias:
            body, ring = self.system.links[number].inertia, self.system.ring
            xx, xy, xz, yy, yz, zz = body.I
            x, y, z = body.h
            # the inertia tensor has I_xx = integral of y^2 + z^2, I_xy = -integral of x y
            X = (
                (ring(yy + zz - xx) / 2, -xy, -xz, x),
                (-xy, ring(xx + zz - yy) / 2, -yz, y),
                (-xz, -yz, ring(xx + yy - zz) / 2, z),
                (x, y, z, body.mass),
            )
            self._inertias[number] = self._as_elements(X)
        return self._inertias[number]

    def mass_matrix(self) -> list[list[RingElement]]:
        """M_ik, with the rotors on the diagonal."""
        return [list(row) for row in self._mass_matrix]

    @cached_property
    def _mass_matrix(self) -> list[list[RingElement]]:
        n = self.system.n
        M = [[self.system.ring.zero] * n for _ in range(n)]
        for i in range(n):
            for k in range(i, n):
                M[i][k] = M[k][i] = self._trace_sum(i, (k,))
        for link in self.system.links:
            M[link.k][link.k] = M[link.k][link.k] + link.rotor
        return M

    def velocity_coefficients(self) -> dict[tuple[int, int, int], RingElement]:
        """h_ikm with k <= m; h_imk is the same."""
        return dict(self._velocity_coefficients)

    @cached_property
    def _velocity_coefficients(self) -> dict[tuple[int, int, int], RingElement]:
        n = self.system.n
        return {(i, k, m): self._trace_sum(i, (k, m)) for i in range(n) for k in range(n) for m in range(k, n)}

    def gravity(self) -> list[RingElement]:
        """G_i: g is carried to joint i's frame, where the product of U_ji starts."""
        ring = self.system.ring
        G = [ring.zero] * self.system.n
        gravities: list[v.Vector] = []
        for start, link in enumerate(self.system.links):
            g = v.mat_t_vec(link.parent_to_joint.R, gravities[link.parent] if link.parent >= 0 else self.system.gravity)
            gravities.append(v.mat_t_vec(link.joint_to_link.R, link.apply_inverse_joint_rotation(g)))
            for j in self._links_beyond((start,)):
                U = self._chain_product(start, j, (start,))
                moments = self._link_pseudo_inertia(j)[3]  # m_j r_j = (h, m)
                G[link.k] = G[link.k] - sum((g[a] * _dot(U[a], moments) for a in range(3)), ring.zero)
        return G

    def tau(self) -> list[RingElement]:
        """The joints' torques and forces, tau(q, q', q''), with the rotors and without friction and springs."""
        system, tau, M = self.system, self.gravity(), self._mass_matrix
        rates = [system.speed(k) for k in range(system.n)]
        for i in range(system.n):
            for k in range(system.n):
                tau[i] = tau[i] + M[i][k] * system.acceleration(k)
        for (i, k, m), h in self._velocity_coefficients.items():
            tau[i] = tau[i] + h * (rates[k] * rates[m] * (1 if k == m else 2))
        return tau

    def _trace_sum(self, i: int, coordinates: tuple[int, ...]) -> RingElement:
        """The sum over the links j that move with all these coordinates of Tr(U_jk J_j U_ji^T), or with U_jkm."""
        link_index, differentiated = self._link_index[i], self._link_indices(*coordinates)
        start = min(link_index, *differentiated)
        total: Any = self.system.ring.zero
        for j in self._links_beyond((link_index, *differentiated)):
            U, weighted = self._chain_product(start, j, differentiated), self._derivative_times_inertia(start, j, link_index)
            for a in range(3):  # the last rows are zero
                total = total + _dot(U[a], weighted[a])
        return self.system.ring(total)

    def _links_beyond(self, numbers: tuple[int, ...]) -> list[int]:
        return [j for j, path in enumerate(self._paths) if all(number in path for number in numbers)]

    def _derivative_times_inertia(self, start: int, j: int, i: int) -> tuple[TransformRow, TransformRow, TransformRow]:
        """U_ji J_j."""
        if (start, j, i) not in self._weighted_cache:
            J = self._link_pseudo_inertia(j)
            U = self._chain_product(start, j, (i,))
            self._weighted_cache[start, j, i] = tuple(tuple(_dot(U[a], J[b]) for b in range(4)) for a in range(3))  # type: ignore[assignment]
        return self._weighted_cache[start, j, i]

    def _as_elements(self, X: TransformMatrix) -> TransformMatrix:
        return tuple(tuple(self.system.ring(x) for x in row) for row in X)  # type: ignore[return-value]


def apply_pose(pose: Pose, X: TransformMatrix) -> TransformMatrix:
    """[R p; 0 1] X."""
    columns = list(zip(*X, strict=True))
    new_columns = [(*v.add(v.mat_vec(pose.R, (x, y, z)), v.scale(last, pose.p)), last) for x, y, z, last in columns]
    return tuple(zip(*new_columns, strict=True))  # type: ignore[return-value]


def _combine_rows(a: Any, x: TransformRow, b: Any, y: TransformRow) -> TransformRow:
    """a x + b y."""
    return (a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2], a * x[3] + b * y[3])


def _dot(x: TransformRow, y: TransformRow) -> Any:
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3]

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
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.reading.link import Pose
from lagrangian.equations.reading.system import System
from lagrangian.model import vector as v

Row = tuple[Any, Any, Any, Any]
Transform = tuple[Row, Row, Row, Row]
NOTHING: Row = (0, 0, 0, 0)
UNIT: Transform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))


class UickerKahn:
    """The trace form. Indices are those of the coordinates, from 0: link j is the one that joint j moves."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._number = {link.k: i for i, link in enumerate(system.links)}  # in the system, parents come before children
        self._paths = [system.path(i) for i in range(len(system.links))]
        self._products: dict[tuple[int, int, tuple[int, ...]], Transform] = {}
        self._weighted: dict[tuple[int, int, int], tuple[Row, Row, Row]] = {}
        self._inertias: dict[int, Transform] = {}
        self._world: dict[tuple[int, tuple[int, ...]], Transform] = {}

    # -- transforms and their derivatives ----------------------------------------------------------------------------

    def T(self, j: int) -> Transform:
        """0T_j, from link j's frame to the world's."""
        return self._in_world(self._number[j], ())

    def U(self, j: int, k: int, m: int | None = None) -> Transform:
        """U_jk = d 0T_j / dq_k, or U_jkm = d^2 0T_j / dq_k dq_m: zero where link j does not move with those coordinates."""
        return self._in_world(self._number[j], self._numbers(k) if m is None else self._numbers(k, m))

    def _numbers(self, *coordinates: int) -> tuple[int, ...]:
        return tuple(sorted(self._number[k] for k in coordinates))

    def _in_world(self, to: int, marks: tuple[int, ...]) -> Transform:
        if (to, marks) not in self._world:
            path = self._paths[to]
            moves = all(mark in path for mark in marks)
            X = times(self.system.links[path[0]].before, self._product(path[0], to, marks)) if moves else (NOTHING,) * 4
            self._world[to, marks] = self._elements(X)
        return self._world[to, marks]

    def _product(self, start: int, to: int, marks: tuple[int, ...]) -> Transform:
        """From just before the joint of link `start` to the frame of link `to`, with D before each marked joint."""
        key = (start, to, marks)
        if key not in self._products:
            link = self.system.links[start]
            later = tuple(mark for mark in marks if mark != start)
            X = UNIT
            if start != to:
                child = self._paths[to][len(self._paths[start])]
                X = times(self.system.links[child].before, self._product(child, to, later))
            x, y, z, last = times(link.after, X)
            if link.turns:
                c, s = link.c, link.s
                x, y = _row(c, x, -s, y), _row(s, x, c, y)
            X = (x, y, _row(1, z, link.along[2], last), last)
            self._products[key] = self._derived(start, X, len(marks) - len(later))
        return self._products[key]

    def _derived(self, number: int, X: Transform, order: int) -> Transform:
        """D X where dZ/dq = D Z: a turn about z, a move along it, or both; the second derivative is (D D + D') X."""
        link = self.system.links[number]
        found = X
        for _ in range(order):
            x, y, _z, last = found
            along = _row(link.rise, last, 0, last)
            found = (_row(-1, y, 0, y), x, along, NOTHING) if link.turns else (NOTHING, NOTHING, along, NOTHING)
        if order == 2:
            x, y, z, last = found
            found = (x, y, _row(1, z, link.rise_slope, X[3]), last)
        return found

    # -- the equations -----------------------------------------------------------------------------------------------

    def pseudo_inertia(self, j: int) -> Transform:
        """J_j: second moments of mass, first moments and mass, in link j's own frame."""
        return self._inertia(self._number[j])

    def _inertia(self, number: int) -> Transform:
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
            self._inertias[number] = self._elements(X)
        return self._inertias[number]

    def mass_matrix(self) -> list[list[Element]]:
        """M_ik, with the rotors on the diagonal."""
        return [list(row) for row in self._masses]

    @cached_property
    def _masses(self) -> list[list[Element]]:
        n = self.system.n
        M = [[self.system.ring.zero] * n for _ in range(n)]
        for i in range(n):
            for k in range(i, n):
                M[i][k] = M[k][i] = self._traces(i, (k,))
        for link in self.system.links:
            M[link.k][link.k] = M[link.k][link.k] + link.rotor
        return M

    def velocity_coefficients(self) -> dict[tuple[int, int, int], Element]:
        """h_ikm with k <= m; h_imk is the same."""
        return dict(self._velocities)

    @cached_property
    def _velocities(self) -> dict[tuple[int, int, int], Element]:
        n = self.system.n
        return {(i, k, m): self._traces(i, (k, m)) for i in range(n) for k in range(n) for m in range(k, n)}

    def gravity(self) -> list[Element]:
        """G_i: g is carried to joint i's frame, where the product of U_ji starts."""
        ring = self.system.ring
        G = [ring.zero] * self.system.n
        carried: list[v.Vector] = []
        for start, link in enumerate(self.system.links):
            g = v.mat_t_vec(link.before.R, carried[link.parent] if link.parent >= 0 else self.system.gravity)
            carried.append(v.mat_t_vec(link.after.R, link.turned_back(g)))
            for j in self._carried_by((start,)):
                U = self._product(start, j, (start,))
                moments = self._inertia(j)[3]  # m_j r_j = (h, m)
                G[link.k] = G[link.k] - sum((g[a] * _dot(U[a], moments) for a in range(3)), ring.zero)
        return G

    def tau(self) -> list[Element]:
        """The joints' torques and forces, tau(q, q', q''), with the rotors and without friction and springs."""
        system, tau, M = self.system, self.gravity(), self._masses
        rates = [system.speed(k) for k in range(system.n)]
        for i in range(system.n):
            for k in range(system.n):
                tau[i] = tau[i] + M[i][k] * system.acceleration(k)
        for (i, k, m), h in self._velocities.items():
            tau[i] = tau[i] + h * (rates[k] * rates[m] * (1 if k == m else 2))
        return tau

    def _traces(self, i: int, marks: tuple[int, ...]) -> Element:
        """The sum over the links j that move with all these coordinates of Tr(U_jk J_j U_ji^T), or with U_jkm."""
        at, found = self._number[i], self._numbers(*marks)
        start = min(at, *found)
        total: Any = self.system.ring.zero
        for j in self._carried_by((at, *found)):
            U, weighted = self._product(start, j, found), self._orderinertia(start, j, at)
            for a in range(3):  # the last rows are zero
                total = total + _dot(U[a], weighted[a])
        return self.system.ring(total)

    def _carried_by(self, numbers: tuple[int, ...]) -> list[int]:
        return [j for j, path in enumerate(self._paths) if all(number in path for number in numbers)]

    def _orderinertia(self, start: int, j: int, i: int) -> tuple[Row, Row, Row]:
        """U_ji J_j."""
        if (start, j, i) not in self._weighted:
            J = self._inertia(j)
            U = self._product(start, j, (i,))
            self._weighted[start, j, i] = tuple(tuple(_dot(U[a], J[b]) for b in range(4)) for a in range(3))  # type: ignore[assignment]
        return self._weighted[start, j, i]

    def _elements(self, X: Transform) -> Transform:
        return tuple(tuple(self.system.ring(x) for x in row) for row in X)  # type: ignore[return-value]


def times(pose: Pose, X: Transform) -> Transform:
    """[R p; 0 1] X."""
    columns = list(zip(*X, strict=True))
    moved = [(*v.add(v.mat_vec(pose.R, (x, y, z)), v.scale(last, pose.p)), last) for x, y, z, last in columns]
    return tuple(zip(*moved, strict=True))  # type: ignore[return-value]


def _row(a: Any, x: Row, b: Any, y: Row) -> Row:
    """a x + b y."""
    return (a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2], a * x[3] + b * y[3])


def _dot(x: Row, y: Row) -> Any:
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3]

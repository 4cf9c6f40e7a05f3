"""Lagrange's equations of a tree of links: `d/dt dL/dq' - dL/dq = tau` with L = K - V, as M, the Christoffel symbols and G.

Velocities are linear in the rates, `w = sum w_k q'_k` and `v = sum v_k q'_k`; the columns w_k, v_k are kept in each body's own
frame, where its inertia is constant and the polynomials stay short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from lagrangian.equations.algebra.ring import RingElement, sum_elements
from lagrangian.equations.reading.link import SymbolicLink
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model import vector as v

JacobianColumns = dict[int, tuple[v.Vector, v.Vector]]  # per coordinate: angular and linear velocity for a unit rate
StageCallback = Callable[[str, float], None]


def ignore_progress(stage: str, share: float) -> None:
    """Do nothing: the default where no progress is to be reported."""


def jacobian_columns(system: SymbolicSystem, tick: StageCallback = ignore_progress) -> list[JacobianColumns]:
    """The columns of each link's Jacobian, at the link's origin and in its own frame."""
    jacobians: list[JacobianColumns] = []
    for number, link in enumerate(system.links):
        tick("velocities", number / len(system.links))
        jacobians.append(link_columns(link, jacobians[link.parent] if link.parent >= 0 else {}))
    return jacobians


def link_columns(link: SymbolicLink, parent: JacobianColumns) -> JacobianColumns:
    """The columns of one link: those of its parent, carried into the link's frame, and that of its own joint."""
    offset = link.offset
    columns = {k: (link.to_child(w), link.to_child(v.add(u, v.cross(w, offset)))) for k, (w, u) in parent.items()}
    columns[link.k] = link.motion_subspace
    return columns


def link_mass_terms(link: SymbolicLink, columns: JacobianColumns) -> Iterator[tuple[int, int, Any]]:
    """What one link adds to M_jk, for j <= k: w_j.(I w_k + h x v_k) + v_j.(m v_k + w_k x h)."""
    body = link.inertia
    for k, (w, u) in columns.items():
        linear = v.add(v.scale(body.mass, u), v.cross(w, body.h))
        angular = v.add(v.sym_vec(body.I, w), v.cross(body.h, u))
        for j, (wj, uj) in columns.items():
            if j <= k:
                yield j, k, v.dot(wj, angular) + v.dot(uj, linear)


def mass_matrix(
    system: SymbolicSystem, jacobians: list[JacobianColumns], tick: StageCallback = ignore_progress
) -> list[list[RingElement]]:
    """The sum of what the links add to M, and the rotors on its diagonal."""
    n, ring = system.n, system.ring
    M: list[list[Any]] = [[ring.zero] * n for _ in range(n)]
    work = sum(len(columns) ** 2 for columns in jacobians) or 1
    done = 0
    for link, columns in zip(system.links, jacobians, strict=True):
        tick("mass matrix", done / work)
        done += len(columns) ** 2
        for j, k, added in link_mass_terms(link, columns):
            M[j][k] = M[j][k] + added
        M[link.k][link.k] = M[link.k][link.k] + link.rotor
    for j in range(n):
        for k in range(j):
            M[j][k] = M[k][j]
    return M


def gravity_potentials(system: SymbolicSystem) -> list[RingElement]:
    """-m g.p_C of every link; g is carried into each body's frame, and g.p of its origin with it."""
    potentials: list[RingElement] = []
    gravity_at_links: list[tuple[v.Vector, Any]] = []
    for link in system.links:
        g, height = gravity_at_links[link.parent] if link.parent >= 0 else (system.gravity, 0)
        height = height + v.dot(g, link.offset)
        g = link.to_child(g)
        gravity_at_links.append((g, height))
        potentials.append(system.ring(-(link.inertia.mass * height + v.dot(g, link.inertia.h))))
    return potentials


def gravity_potential(system: SymbolicSystem) -> RingElement:
    """-sum m g.p_C."""
    return system.ring(sum_elements(gravity_potentials(system), system.ring.zero))


def gradient(system: SymbolicSystem, x: RingElement) -> list[RingElement]:
    return [system.ring.derivative(x, k) for k in range(system.n)]


class Christoffel:
    """Symbols of the first kind, c_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2; equal for (i, j, k) and (i, k, j)."""

    def __init__(self, system: SymbolicSystem, M: list[list[RingElement]], tick: StageCallback = ignore_progress) -> None:
        n, half = system.n, Fraction(1, 2)
        self.mass_derivatives: dict[tuple[int, int, int], RingElement] = {}  # dM_ij / dq_k, i <= j
        for i in range(n):
            tick("Christoffel symbols", i / n)
            for j in range(i, n):
                for k in range(n):
                    self.mass_derivatives[i, j, k] = system.ring.derivative(M[i][j], k)
        self.symbols: dict[tuple[int, int, int], RingElement] = {}
        for i in range(n):
            for j in range(n):
                for k in range(j, n):
                    twice = self.mass_derivative(i, j, k) + self.mass_derivative(i, k, j) - self.mass_derivative(j, k, i)
                    self.symbols[i, j, k] = twice * half if twice.poly else twice

    @property
    def term_count(self) -> int:
        """The number of terms of all symbols together."""
        return sum(x.term_count for x in self.symbols.values())

    @property
    def nonzero_count(self) -> int:
        """The number of symbols with j <= k that are not zero."""
        return sum(bool(x.poly) for x in self.symbols.values())

    def mass_derivative(self, i: int, j: int, k: int) -> RingElement:
        return self.mass_derivatives[(i, j, k) if i <= j else (j, i, k)]

    def __getitem__(self, key: tuple[int, int, int]) -> RingElement:
        i, j, k = key
        return self.symbols[(i, j, k) if j <= k else (i, k, j)]


def coriolis_matrix(system: SymbolicSystem, christoffel: Christoffel) -> list[list[RingElement]]:
    """C_ij = sum_k c_ijk q'_k."""
    n = system.n
    rates = [system.speed(k) for k in range(n)]
    C = [[system.ring.zero] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                symbol = christoffel[i, j, k]
                if symbol.poly:
                    C[i][j] = C[i][j] + symbol * rates[k]
    return C


def velocity_terms(system: SymbolicSystem, christoffel: Christoffel) -> tuple[list[RingElement], list[RingElement]]:
    """C q' split into its centripetal (q'_j^2) and its Coriolis (q'_j q'_k) terms."""
    n, zero = system.n, system.ring.zero
    rates = [system.speed(k) for k in range(n)]
    centripetal, coriolis = [zero] * n, [zero] * n
    for (i, j, k), symbol in christoffel.symbols.items():
        if not symbol.poly:
            continue
        if j == k:
            centripetal[i] = centripetal[i] + symbol * (rates[j] * rates[j])
        else:
            coriolis[i] = coriolis[i] + symbol * (2 * rates[j] * rates[k])
    return centripetal, coriolis

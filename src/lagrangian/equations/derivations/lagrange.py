"""Lagrange's equations of a tree of links: `d/dt dL/dq' - dL/dq = tau` with L = K - V, as M, the Christoffel symbols and G.

Velocities are linear in the rates, `w = sum w_k q'_k` and `v = sum v_k q'_k`; the columns w_k, v_k are kept in each body's own
frame, where its inertia is constant and the polynomials stay short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from lagrangian.equations.algebra.ring import Element, total
from lagrangian.equations.reading.link import Link
from lagrangian.equations.reading.system import System
from lagrangian.model import vector as v

Columns = dict[int, tuple[v.Vector, v.Vector]]  # per coordinate: angular and linear velocity for a unit rate
Tick = Callable[[str, float], None]


def quiet(what: str, done: float) -> None:
    """Nobody is told."""


def columns(system: System, tick: Tick = quiet) -> list[Columns]:
    """For each link the columns of its Jacobian in its own frame, at its origin."""
    found: list[Columns] = []
    for number, link in enumerate(system.links):
        tick("velocities", number / len(system.links))
        found.append(link_columns(link, found[link.parent] if link.parent >= 0 else {}))
    return found


def link_columns(link: Link, parent: Columns) -> Columns:
    """The columns of one link: those of its parent, carried into the link's frame, and that of its own joint."""
    offset = link.offset
    here = {k: (link.to_child(w), link.to_child(v.add(u, v.cross(w, offset)))) for k, (w, u) in parent.items()}
    here[link.k] = link.column
    return here


def link_mass(link: Link, here: Columns) -> Iterator[tuple[int, int, Any]]:
    """What one link adds to M_jk, for j <= k: w_j.(I w_k + h x v_k) + v_j.(m v_k + w_k x h)."""
    body = link.inertia
    for k, (w, u) in here.items():
        linear = v.add(v.scale(body.mass, u), v.cross(w, body.h))
        angular = v.add(v.sym_vec(body.I, w), v.cross(body.h, u))
        for j, (wj, uj) in here.items():
            if j <= k:
                yield j, k, v.dot(wj, angular) + v.dot(uj, linear)


def mass_matrix(system: System, jacobians: list[Columns], tick: Tick = quiet) -> list[list[Element]]:
    """The sum of what the links add to M, and the rotors on its diagonal."""
    n, ring = system.n, system.ring
    M: list[list[Any]] = [[ring.zero] * n for _ in range(n)]
    work = sum(len(here) ** 2 for here in jacobians) or 1
    done = 0
    for link, here in zip(system.links, jacobians, strict=True):
        tick("mass matrix", done / work)
        done += len(here) ** 2
        for j, k, added in link_mass(link, here):
            M[j][k] = M[j][k] + added
        M[link.k][link.k] = M[link.k][link.k] + link.rotor
    for j in range(n):
        for k in range(j):
            M[j][k] = M[k][j]
    return M


def gravity_potentials(system: System) -> list[Element]:
    """-m g.p_C of every link; g is carried into each body's frame, and g.p of its origin with it."""
    found: list[Element] = []
    carried: list[tuple[v.Vector, Any]] = []
    for link in system.links:
        g, height = carried[link.parent] if link.parent >= 0 else (system.gravity, 0)
        height = height + v.dot(g, link.offset)
        g = link.to_child(g)
        carried.append((g, height))
        found.append(system.ring(-(link.inertia.mass * height + v.dot(g, link.inertia.h))))
    return found


def gravity_potential(system: System) -> Element:
    """-sum m g.p_C."""
    return system.ring(total(gravity_potentials(system), system.ring.zero))


def gradient(system: System, x: Element) -> list[Element]:
    return [system.ring.derivative(x, k) for k in range(system.n)]


class Christoffel:
    """Symbols of the first kind, c_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2; equal for (i, j, k) and (i, k, j)."""

    def __init__(self, system: System, M: list[list[Element]], tick: Tick = quiet) -> None:
        n, half = system.n, Fraction(1, 2)
        self.rates: dict[tuple[int, int, int], Element] = {}  # dM_ij / dq_k, i <= j
        for i in range(n):
            tick("Christoffel symbols", i / n)
            for j in range(i, n):
                for k in range(n):
                    self.rates[i, j, k] = system.ring.derivative(M[i][j], k)
        self.symbols: dict[tuple[int, int, int], Element] = {}
        for i in range(n):
            for j in range(n):
                for k in range(j, n):
                    twice = self.rate(i, j, k) + self.rate(i, k, j) - self.rate(j, k, i)
                    self.symbols[i, j, k] = twice * half if twice.poly else twice

    @property
    def terms(self) -> int:
        """How many terms all of them have."""
        return sum(x.terms for x in self.symbols.values())

    @property
    def count(self) -> int:
        """How many are not zero, of those with j <= k."""
        return sum(bool(x.poly) for x in self.symbols.values())

    def rate(self, i: int, j: int, k: int) -> Element:
        return self.rates[(i, j, k) if i <= j else (j, i, k)]

    def __getitem__(self, key: tuple[int, int, int]) -> Element:
        i, j, k = key
        return self.symbols[(i, j, k) if j <= k else (i, k, j)]


def coriolis_matrix(system: System, christoffel: Christoffel) -> list[list[Element]]:
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


def velocity_terms(system: System, christoffel: Christoffel) -> tuple[list[Element], list[Element]]:
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

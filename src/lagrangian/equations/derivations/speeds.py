"""Kane's equations in generalised speeds that are chosen: u = Y(q) q', q' = W(q) u with W = Y^-1.

Kane and Levinson, Dynamics: Theory and Applications, 1985, sections 2.12 to 6.1. Partial velocities are what multiplies u_r in
the velocities; along each, active and inertia forces add up to nothing: W^T times the equations of the coordinates' rates.

Y has numerators N over constants d, so that W = adj(N) diag(d) / det(N). Where a state is written in speeds, the ring's
generators qd_r stand for u_r and qdd_r for u_r'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lagrangian.equations import forces
from lagrangian.equations.algebra.matrices import adjugate
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.derivations import kane
from lagrangian.equations.derivations.lagrange import Columns, gradient
from lagrangian.equations.reading.link import Link
from lagrangian.equations.reading.system import System
from lagrangian.model import vector as v


@dataclass(frozen=True)
class Quotient:
    """An element over a power of det(N)."""

    above: Element
    power: int


class GeneralisedSpeeds:
    """u = Y q', as rows of coefficients over constants; `determinant` is zero where they are no speeds."""

    def __init__(self, system: System, rows: Sequence[Sequence[Element]], below: Sequence[Element]) -> None:
        ring = system.ring
        self.system = system
        adjoint, determinant = adjugate(ring, rows)
        self.determinant = determinant
        scale = 1
        if determinant.poly.is_constant() and determinant:
            scale, self.determinant = determinant.poly.leading_coefficient(), ring.one
        self.W = [[ring(adjoint[k][r] * below[r]) / scale for r in range(system.n)] for k in range(system.n)]

    # -- states in speeds ----------------------------------------------------------------------------------------------

    def in_speeds(self, x: Element) -> Quotient:
        """An element of q, q', q'' in q, u, u': q' stands over det, q'' over its third power."""
        ring, n, numbers = self.system.ring, self.system.n, self.system.ring.number
        first = [numbers[f"qd{k + 1}"] for k in range(n)]
        second = [numbers[f"qdd{k + 1}"] for k in range(n)]
        parts: dict[int, dict[Any, Any]] = {}
        for monomial, c in x.poly.terms():
            weight = sum(int(monomial[k]) for k in first) + 3 * sum(int(monomial[k]) for k in second)
            parts.setdefault(weight, {})[tuple(int(e) for e in monomial)] = c
        top = max(parts, default=0)
        values = {**dict(zip(first, self._rates, strict=True)), **dict(zip(second, self._accelerations, strict=True))}
        total: Any = ring.zero
        for weight, terms in parts.items():
            part = ring.substitute(Element(ring, ring.context.from_dict(terms)), values)
            total = total + part * self.determinant ** (top - weight)
        return Quotient(ring(total), top)

    @property
    def _rates(self) -> list[Element]:
        """det q' = adj(N) d u."""
        return [self._along(row) for row in self.W]

    def _along(self, row: Sequence[Element]) -> Element:
        total: Any = self.system.ring.zero
        for r, w in enumerate(row):
            total = total + w * self.system.speed(r)
        return self.system.ring(total)

    @property
    def _accelerations(self) -> list[Element]:
        """det^3 q'', from q'' = W u' + W' u, where W' = sum_j dW/dq_j q'_j."""
        system, ring, det = self.system, self.system.ring, self.determinant
        rates, found = self._rates, []
        slopes = [ring.derivative(det, j) for j in range(system.n)]
        for k in range(system.n):
            total: Any = ring.zero
            for r, w in enumerate(self.W[k]):
                total = total + det * det * w * system.acceleration(r)
                for j in range(system.n):
                    turn = det * ring.derivative(w, j) - slopes[j] * w
                    total = total + ring(turn) * rates[j] * system.speed(r)
            found.append(ring(total))
        return found

    # -- forces along the partial velocities -----------------------------------------------------------------------------

    def along(self, x: Sequence[Element]) -> list[Quotient]:
        """W^T x of generalised forces x(q, q', q''), in speeds."""
        found = []
        for r in range(self.system.n):
            total: Any = self.system.ring.zero
            for k, force in enumerate(x):
                total = total + self.W[k][r] * force
            made = self.in_speeds(self.system.ring(total))
            found.append(Quotient(made.above, made.power + 1))
        return found

    def inertia(self) -> list[Quotient]:
        """-F*_r: what the motion takes along every partial velocity, rotors included."""
        return self.along(kane.kane(self.system, gravity=False))

    def potential(self) -> list[Quotient]:
        """What gravity and springs ask for: minus their active forces."""
        system = self.system
        weight = zip(kane.kane(system), kane.kane(system, gravity=False), strict=True)
        springs = gradient(system, forces.joint_spring_potential(system) + forces.other_spring_potential(system))
        return self.along([whole - inertia + s for (whole, inertia), s in zip(weight, springs, strict=True)])

    def friction(self) -> list[Quotient]:
        return self.along(forces.friction(self.system))

    def partial_velocities(self, link: Link, here: Columns) -> tuple[list[v.Vector], list[v.Vector]]:
        """What multiplies u_r in a link's angular velocity, and in m times its centre's velocity, each over det, in its axes."""
        body = link.inertia
        angular, linear = [], []
        for r in range(self.system.n):
            w, p = v.ZERO, v.ZERO
            for k, (wk, uk) in here.items():
                momentum = v.add(v.scale(body.mass, uk), v.cross(wk, body.h))
                w = v.add(w, v.scale(self.W[k][r], wk))
                p = v.add(p, v.scale(self.W[k][r], momentum))
            angular.append(w)
            linear.append(p)
        return angular, linear

"""Kane's equations in generalised speeds that the user chooses, u = Y(q) q', with q' = W(q) u and W = Y^-1.

Kane and Levinson, Dynamics: Theory and Applications, 1985, sections 2.12 to 6.1. Partial velocities are what multiplies u_r in
the velocities; along each of them active and inertia forces add up to zero: W^T times the equations of the coordinates' rates.
Y has numerators N over constants d, so that W = adj(N) diag(d) / det(N). Where a state is written in speeds, the ring's
generators qd_r stand for u_r and qdd_r for u_r'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lagrangian.equations import energies
from lagrangian.equations.algebra.matrices import adjugate
from lagrangian.equations.algebra.ring import RingElement
from lagrangian.equations.derivations.kane import kane_torques
from lagrangian.equations.derivations.lagrange import JacobianColumns, gradient
from lagrangian.equations.reading.link import SymbolicLink
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.model import vector as v


class GeneralisedSpeeds:
    """u = Y q', as rows of coefficients over constants; `determinant` is zero where the rates do not follow from the speeds."""

    def __init__(
        self, system: SymbolicSystem, rows: Sequence[Sequence[RingElement]], denominators: Sequence[RingElement]
    ) -> None:
        ring = system.ring
        self.system = system
        adjoint, determinant = adjugate(ring, rows)
        self.determinant = determinant
        scale = 1
        if determinant.poly.is_constant() and determinant:
            scale, self.determinant = determinant.poly.leading_coefficient(), ring.one
        self.W = [[ring(adjoint[k][r] * denominators[r]) / scale for r in range(system.n)] for k in range(system.n)]

    # -- states in speeds ----------------------------------------------------------------------------------------------

    def in_speeds(self, x: RingElement) -> DeterminantQuotient:
        """An element of q, q', q'' in q, u, u': q' stands over det, q'' over its third power."""
        ring, n, index = self.system.ring, self.system.n, self.system.ring.generator_index
        first = [index[f"qd{k + 1}"] for k in range(n)]
        second = [index[f"qdd{k + 1}"] for k in range(n)]
        parts: dict[int, dict[Any, Any]] = {}
        for monomial, c in x.poly.terms():
            weight = sum(int(monomial[k]) for k in first) + 3 * sum(int(monomial[k]) for k in second)
            parts.setdefault(weight, {})[tuple(int(e) for e in monomial)] = c
        max_power = max(parts, default=0)
        values = {
            **dict(zip(first, self._scaled_rates, strict=True)),
            **dict(zip(second, self._scaled_accelerations, strict=True)),
        }
        total: Any = ring.zero
        for weight, terms in parts.items():
            part = ring.substitute(RingElement(ring, ring.context.from_dict(terms)), values)
            total = total + part * self.determinant ** (max_power - weight)
        return DeterminantQuotient(ring(total), max_power)

    @property
    def _scaled_rates(self) -> list[RingElement]:
        """det q' = adj(N) d u."""
        return [self._speed_combination(row) for row in self.W]

    def _speed_combination(self, row: Sequence[RingElement]) -> RingElement:
        total: Any = self.system.ring.zero
        for r, w in enumerate(row):
            total = total + w * self.system.speed(r)
        return self.system.ring(total)

    @property
    def _scaled_accelerations(self) -> list[RingElement]:
        """det^3 q'', from q'' = W u' + W' u, where W' = sum_j dW/dq_j q'_j."""
        system, ring, det = self.system, self.system.ring, self.determinant
        rates, accelerations = self._scaled_rates, []
        slopes = [ring.derivative(det, j) for j in range(system.n)]
        for k in range(system.n):
            total: Any = ring.zero
            for r, w in enumerate(self.W[k]):
                total = total + det * det * w * system.acceleration(r)
                for j in range(system.n):
                    turn = det * ring.derivative(w, j) - slopes[j] * w
                    total = total + ring(turn) * rates[j] * system.speed(r)
            accelerations.append(ring(total))
        return accelerations

    # -- forces along the partial velocities -----------------------------------------------------------------------------

    def project_forces(self, x: Sequence[RingElement]) -> list[DeterminantQuotient]:
        """W^T x of generalised forces x(q, q', q''), in speeds."""
        quotients = []
        for r in range(self.system.n):
            total: Any = self.system.ring.zero
            for k, force in enumerate(x):
                total = total + self.W[k][r] * force
            quotient = self.in_speeds(self.system.ring(total))
            quotients.append(DeterminantQuotient(quotient.numerator, quotient.power + 1))
        return quotients

    def inertia_forces(self) -> list[DeterminantQuotient]:
        """-F*_r: what the motion takes along every partial velocity, rotors included."""
        return self.project_forces(kane_torques(self.system, gravity=False))

    def potential_forces(self) -> list[DeterminantQuotient]:
        """The generalised forces that balance gravity and springs: minus the active forces of these."""
        system = self.system
        weight = zip(kane_torques(system), kane_torques(system, gravity=False), strict=True)
        springs = gradient(system, energies.joint_spring_potential(system) + energies.other_spring_potential(system))
        return self.project_forces(
            [with_gravity - inertia + s for (with_gravity, inertia), s in zip(weight, springs, strict=True)]
        )

    def friction_forces(self) -> list[DeterminantQuotient]:
        return self.project_forces(energies.friction_forces(self.system))

    def partial_velocities(self, link: SymbolicLink, columns: JacobianColumns) -> tuple[list[v.Vector], list[v.Vector]]:
        """The coefficients of each u_r in a link's angular velocity, and in m times its centre's velocity.

        They are numerators over det, in the link's axes.
        """
        body = link.inertia
        angular, linear = [], []
        for r in range(self.system.n):
            w, p = v.ZERO, v.ZERO
            for k, (wk, uk) in columns.items():
                momentum = v.add(v.scale(body.mass, uk), v.cross(wk, body.h))
                w = v.add(w, v.scale(self.W[k][r], wk))
                p = v.add(p, v.scale(self.W[k][r], momentum))
            angular.append(w)
            linear.append(p)
        return angular, linear


@dataclass(frozen=True)
class DeterminantQuotient:
    """An element over a power of det(N)."""

    numerator: RingElement
    power: int

"""The terms of the equations of motion: M, C, G and F."""

from __future__ import annotations

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.closed_form.parts.basis import Basis
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.errors import ArgumentError


class MotionPart(Basis):
    """What `M q'' + C q' + G + F = tau` is made of."""

    @cached_property
    def q(self) -> FormulaMatrix:
        """The coordinates, as formulas."""
        return self._made.vector("q", [self.system.generator(f"q{k + 1}") for k in range(self.n)])

    @cached_property
    def qd(self) -> FormulaMatrix:
        """The speeds q', as formulas."""
        return self._made.vector("qd", [self.system.speed(k) for k in range(self.n)])

    @cached_property
    def qdd(self) -> FormulaMatrix:
        """The accelerations q'', as formulas."""
        return self._made.vector("qdd", [self.system.acceleration(k) for k in range(self.n)])

    @cached_property
    def M(self) -> FormulaMatrix:
        """The mass matrix M(q), rotors included."""
        made: dict[tuple[int, int], Formula] = {}
        for i in range(self.n):
            for j in range(i, self.n):
                # products of velocities are a known form where each inertial parameter is one symbol
                known = (lambda i=i, j=j: self._velocities.structure(i, j)) if self.system.symbols != "given" else None
                made[i, j] = made[j, i] = self._made.formula(self.derived.M[i][j], known)
        return FormulaMatrix("M", [[made[i, j] for j in range(self.n)] for i in range(self.n)], symmetric=True)

    def christoffel(self, i: int, j: int, k: int) -> Formula:
        """Return a Christoffel symbol of the first kind.

        It is `(dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2`, and `C_ij` is the sum over k of the symbols times `q'_k`.

        Parameters
        ----------
        i, j, k : int
            Indices of coordinates, from 0.

        Returns
        -------
        Formula
            The symbol.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").christoffel(1, 0, 0))
        m2*l1*r2*s2
        """
        for given in (i, j, k):
            if not isinstance(given, (int, np.integer)) or not 0 <= given < self.n:
                raise ArgumentError(f"christoffel: indices run from 0 to {self.n - 1}; {given} is out of range")
        return self._made.formula(self.derived.christoffel[i, j, k])

    @cached_property
    def C(self) -> FormulaMatrix:
        """The Coriolis matrix C(q, q') of the Christoffel symbols, for which dM/dt - 2 C is skew-symmetric."""
        return self._made.matrix("C", lagrange.coriolis_matrix(self.system, self.derived.christoffel))

    @cached_property
    def centripetal(self) -> FormulaMatrix:
        """The part of C q' with squares of speeds."""
        return self._made.vector("centripetal", self._terms.velocity[0])

    @cached_property
    def coriolis(self) -> FormulaMatrix:
        """The part of C q' with products of different speeds."""
        return self._made.vector("coriolis", self._terms.velocity[1])

    @cached_property
    def G(self) -> FormulaMatrix:
        """The generalised forces of gravity and springs, dV/dq."""
        return self._made.vector("G", self._terms.slopes)

    @cached_property
    def gravity(self) -> FormulaMatrix:
        """The part of G that is due to gravity."""
        return self._made.vector("gravity", self.derived.G)

    @cached_property
    def springs(self) -> FormulaMatrix:
        """The part of G that is due to springs."""
        return self._made.vector("springs", self._terms.springs)

    @cached_property
    def F(self) -> FormulaMatrix:
        """The generalised friction forces: viscous friction, Coulomb friction (with sgn) and dampers."""
        return self._made.vector("F", self._terms.friction)

    @cached_property
    def rotors(self) -> FormulaMatrix:
        """What the rotors add to the diagonal of M: gear ratio squared times rotor inertia."""
        return self._made.vector("rotors", self._terms.rotors)

"""The terms of the equations of motion as formulas: M, C, G and F."""

from __future__ import annotations

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.closed_form.equations_part import EquationsPart
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.errors import ArgumentError


class MotionTerms(EquationsPart):
    """The terms of `M q'' + C q' + G + F = tau` as formulas."""

    @cached_property
    def q(self) -> FormulaMatrix:
        """The coordinates, as formulas."""
        return self._factory.vector("q", [self.system.generator(f"q{k + 1}") for k in range(self.n)])

    @cached_property
    def qd(self) -> FormulaMatrix:
        """The speeds q', as formulas."""
        return self._factory.vector("qd", [self.system.speed(k) for k in range(self.n)])

    @cached_property
    def qdd(self) -> FormulaMatrix:
        """The accelerations q'', as formulas."""
        return self._factory.vector("qdd", [self.system.acceleration(k) for k in range(self.n)])

    @cached_property
    def M(self) -> FormulaMatrix:
        """The mass matrix M(q), rotors included."""
        entries: dict[tuple[int, int], Formula] = {}
        for i in range(self.n):
            for j in range(i, self.n):
                # products of velocities are a known form where each inertial parameter is one symbol
                structure = (lambda i=i, j=j: self._jacobian_trees.structure(i, j)) if self.system.symbols != "given" else None
                entries[i, j] = entries[j, i] = self._factory.formula(self.derived.M[i][j], structure)
        return FormulaMatrix("M", [[entries[i, j] for j in range(self.n)] for i in range(self.n)], symmetric=True)

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
        for index in (i, j, k):
            if not isinstance(index, (int, np.integer)) or not 0 <= index < self.n:
                raise ArgumentError(f"christoffel: indices run from 0 to {self.n - 1}; {index} is out of range")
        return self._factory.formula(self.derived.christoffel[i, j, k])

    @cached_property
    def C(self) -> FormulaMatrix:
        """The Coriolis matrix C(q, q') of the Christoffel symbols, for which dM/dt - 2 C is skew-symmetric."""
        return self._factory.matrix("C", lagrange.coriolis_matrix(self.system, self.derived.christoffel))

    @cached_property
    def centripetal(self) -> FormulaMatrix:
        """The part of C q' with squares of speeds."""
        return self._factory.vector("centripetal", self._terms.velocity_terms[0])

    @cached_property
    def coriolis(self) -> FormulaMatrix:
        """The part of C q' with products of different speeds."""
        return self._factory.vector("coriolis", self._terms.velocity_terms[1])

    @cached_property
    def G(self) -> FormulaMatrix:
        """The generalised forces of gravity and springs, dV/dq."""
        return self._factory.vector("G", self._terms.potential_gradient)

    @cached_property
    def gravity(self) -> FormulaMatrix:
        """The part of G that is due to gravity."""
        return self._factory.vector("gravity", self.derived.G)

    @cached_property
    def springs(self) -> FormulaMatrix:
        """The part of G that is due to springs."""
        return self._factory.vector("springs", self._terms.spring_forces)

    @cached_property
    def F(self) -> FormulaMatrix:
        """The generalised friction forces: viscous friction, Coulomb friction (with sgn) and dampers."""
        return self._factory.vector("F", self._terms.friction_forces)

    @cached_property
    def rotors(self) -> FormulaMatrix:
        """What the rotors add to the diagonal of M: gear ratio squared times rotor inertia."""
        return self._factory.vector("rotors", self._terms.rotor_inertias)

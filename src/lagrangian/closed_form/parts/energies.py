"""The energies, as a whole and link by link, and the equations row by row."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial

from lagrangian.cached import cached_property
from lagrangian.closed_form.formulas import Formulas
from lagrangian.closed_form.lines import Row
from lagrangian.closed_form.parts.motion import MotionPart
from lagrangian.equations import energies
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.writing.tree import Name, Tree, add, negated, product


class EnergiesPart(MotionPart):
    """K, V, L = K - V, and `d/dt dL/dq' - dL/dq = tau`, a row for every coordinate."""

    @cached_property
    def kinetic_energy(self) -> Formula:
        """The kinetic energy K = 1/2 q'^T M q'."""
        return self._made.written(self._terms.kinetic_energy, self._kinetic_tree)

    def _kinetic_tree(self) -> Tree:
        rates = [self._name(f"qd{k + 1}") for k in range(self.n)]
        pairs = [(i, j) for i in range(self.n) for j in range(i, self.n)]
        return add(product([self.M[i, j].tree, rates[i], rates[j]], Fraction(1, 2) if i == j else Fraction(1)) for i, j in pairs)

    @cached_property
    def potential_energy(self) -> Formula:
        """The potential energy V of gravity and springs; the height is measured from the world's origin."""
        return self._made.formula(self.derived.V + self._terms.spring_potential)

    @cached_property
    def lagrangian(self) -> Formula:
        """The Lagrangian L = K - V."""
        L = self._terms.kinetic_energy - self.derived.V - self._terms.spring_potential
        return self._made.written(L, lambda: add([self.kinetic_energy.tree, negated(self.potential_energy.tree)]))

    @cached_property
    def kinetic_energies(self) -> Mapping[str, Formula]:
        """The kinetic energy of every link that has inertia, by its name, and of rotors, as "rotor at <joint>".

        Base parameters are sums over several links. These formulas are therefore in the links' own parameters even if the
        equations are grouped.
        """
        made = self._made_ungrouped
        found = {name: made.formula(x) for name, x in energies.kinetic(self.system, self._jacobians).items()}
        for link, here in zip(self.system.links, self._jacobians, strict=True):
            if link.name in found:
                energy = found[link.name].element
                found[link.name] = made.written(energy, partial(energies.written, made.writer, link, here, energy))
        return found

    @cached_property
    def potential_energies(self) -> Mapping[str, Formula]:
        """The potential energy of every link with mass, by its name, and of springs ("spring at <joint>", "spring <name>")."""
        return {name: self._made_ungrouped.formula(x) for name, x in energies.potential(self.system).items()}

    @cached_property
    def tau(self) -> FormulaMatrix:
        """The joint forces of a motion of the open tree, M q'' + C q' + G + F."""
        rows = [self._made.written(x, partial(self._row_tree, i)) for i, x in enumerate(self._terms.torques)]
        return FormulaMatrix("tau", [[x] for x in rows], vector=True)

    def _row_tree(self, i: int) -> Tree:
        """Term by term: what multiplies each acceleration, then velocity terms, potential and friction."""
        inertial = [product([self.M[i, j].tree, self._name(f"qdd{j + 1}")]) for j in range(self.n)]
        velocity = self._made.formula(sum((part[i] for part in self._terms.velocity), self.system.ring.zero))
        return add([*inertial, velocity.tree, self.G[i].tree, self.F[i].tree])

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The whole equation of every coordinate, with tau and the constraint forces on the right."""
        found = []
        for i, coordinate in enumerate(self.coordinates):
            held = [(j, self._made.formula(row.psi[i])) for j, row in enumerate(self._rows_of_constraints)]
            found.append(Row(i, coordinate, self.tau[i], tuple((j, psi) for j, psi in held if not psi.is_zero)))
        return tuple(found)

    def _name(self, generator: str) -> Name:
        return Name(self.writer.names[self.system.ring.number[generator]])

    @cached_property
    def _made_ungrouped(self) -> Formulas:
        return self._made if self.grouping is None else Formulas(self.system, None)

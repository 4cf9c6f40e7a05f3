"""Equations of motion along directions of a frame, as formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.equations.operational_space import CartesianElements
from lagrangian.errors import MechanismError


@dataclass(frozen=True, repr=False)
class CartesianEquations:
    """Equations of motion along directions of a frame, in closed form.

    `EquationsOfMotion.cartesian` returns this object. The equations are `F = M_x x'' + C_x + G_x + F_x`. They are singular where
    `determinant` is zero. With Euler angles they are also singular where a denominator of J is zero, because there the angles
    have no rates.

    Attributes
    ----------
    directions : tuple of str
        The directions, in the order of the rows.
    J : FormulaMatrix
        Jacobian of the frame along the directions.
    determinant : Formula
        Determinant of J.
    M_x : FormulaMatrix
        Mass matrix, J^-T M J^-1.
    C_x, G_x, F_x : FormulaMatrix
        Forces of the speeds, of gravity and springs, and of friction.

    Examples
    --------
    >>> import lagrangian as lg
    >>> tip = lg.derive("two_r").cartesian("tip", ("x", "y"))
    >>> print(tip.determinant)
    l1*l2*s2
    """

    directions: tuple[str, ...]
    J: FormulaMatrix
    determinant: Formula
    M_x: FormulaMatrix
    C_x: FormulaMatrix
    G_x: FormulaMatrix
    F_x: FormulaMatrix

    @staticmethod
    def from_elements(
        formula: Callable[..., Formula], directions: Sequence[str], elements: CartesianElements
    ) -> CartesianEquations:
        """Make the formulas of exact elements; `formula` makes one of a numerator and a denominator."""
        det = elements.determinant
        if not det:
            raise MechanismError(
                f"the Jacobian along {', '.join(directions)} is singular in every configuration: "
                f"these directions are not independent"
            )
        square, denominator = det * det, det.ring.one
        for row in range(len(elements.jacobian)):
            denominator = denominator * elements.row_denominators.denominator(row)
        return CartesianEquations(
            tuple(directions),
            FormulaMatrix(
                "J",
                [[formula(x, elements.row_denominators.denominator(r)) for x in row] for r, row in enumerate(elements.jacobian)],
            ),
            formula(det, denominator),
            FormulaMatrix("M_x", [[formula(x, square) for x in row] for row in elements.M], symmetric=True),
            FormulaMatrix("C_x", [[formula(x, square * elements.row_denominators.square)] for x in elements.C], vector=True),
            FormulaMatrix("G_x", [[formula(x, det)] for x in elements.G], vector=True),
            FormulaMatrix("F_x", [[formula(x, det)] for x in elements.F], vector=True),
        )

    def __str__(self) -> str:
        has_friction = any(not x.is_zero for x in self.F_x)
        heading = f"F = M_x x'' + C_x + G_x{' + F_x' * has_friction} along {', '.join(self.directions)}"
        parts = [heading, f"det J = {self.determinant}", str(self.M_x), str(self.C_x), str(self.G_x)]
        return "\n".join([*parts, str(self.F_x)] if has_friction else parts)

    def __repr__(self) -> str:
        return str(self)

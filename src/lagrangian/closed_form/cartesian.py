"""Equations of motion in the coordinates of a frame, as formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lagrangian.equations.cartesian import CartesianElements
from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import FormulaMatrix


@dataclass(frozen=True, repr=False)
class CartesianEquations:
    """Equations of motion along directions of a frame, in closed form.

    `Equations.cartesian` returns this object. The equations are `F = M_x x'' + C_x + G_x + F_x`. They are singular where
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
    F_x: FormulaMatrix  # friction

    @staticmethod
    def of(formula: Callable[..., Formula], directions: Sequence[str], made: CartesianElements) -> CartesianEquations:
        det = made.determinant
        if not det:
            from lagrangian.errors import MechanismError

            raise MechanismError(
                f"the Jacobian along {', '.join(directions)} is singular in every configuration: "
                f"these directions are not independent"
            )
        square, below = det * det, det.ring.one
        for row in range(len(made.jacobian)):
            below = below * made.over.of(row)
        return CartesianEquations(
            tuple(directions),
            FormulaMatrix("J", [[formula(x, made.over.of(r)) for x in row] for r, row in enumerate(made.jacobian)]),
            formula(det, below),
            FormulaMatrix("M_x", [[formula(x, square) for x in row] for row in made.M], symmetric=True),
            FormulaMatrix("C_x", [[formula(x, square * made.over.square)] for x in made.C], vector=True),
            FormulaMatrix("G_x", [[formula(x, det)] for x in made.G], vector=True),
            FormulaMatrix("F_x", [[formula(x, det)] for x in made.F], vector=True),
        )

    def __str__(self) -> str:
        rubs = any(not x.is_zero for x in self.F_x)
        heading = f"F = M_x x'' + C_x + G_x{' + F_x' * rubs} along {', '.join(self.directions)}"
        parts = [heading, f"det J = {self.determinant}", str(self.M_x), str(self.C_x), str(self.G_x)]
        return "\n".join([*parts, str(self.F_x)] if rubs else parts)

    def __repr__(self) -> str:
        return str(self)

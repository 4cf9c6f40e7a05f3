"""Lines to read that are more than `name = formula`: the whole equation of a coordinate, with its forces, and vectors."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from lagrangian.equations.formula import Formula
from lagrangian.equations.formula_matrix import index
from lagrangian.equations.writing import mathml, text
from lagrangian.equations.writing.lines import WIDTH, broken
from lagrangian.equations.writing.mathml import MathML
from lagrangian.equations.writing.notation import parts, pretty
from lagrangian.equations.writing.tree import Name, Tree, add, product

S = TypeVar("S", text.Style, MathML)
_FORCE = "force:"  # before the name of a force, which no parameter can be called


class Line(Protocol):
    """What a section of the equations may hold beside formulas."""

    @property
    def formulas(self) -> list[Formula]:
        """All formulas in it."""

    def lines(self, style: text.Style, width: int) -> list[str]:
        """The line as text; as several where it is made of parts and wider than `width`."""

    def aligned(self, style: text.Style, widest: float = WIDTH) -> list[str]:
        """The line as rows of an aligned block of LaTeX."""


@dataclass(frozen=True)
class Vector:
    """`name = (x, y, z)`, a component after the other."""

    name: str
    components: tuple[Formula, ...]

    @property
    def formulas(self) -> list[Formula]:
        return list(self.components)

    def lines(self, style: text.Style, width: int) -> list[str]:
        """The vector in one line, or component by component if that is too wide."""
        name = pretty(self.name) if style.times == " " else self.name
        components = [x.written(style) for x in self.components]
        mark = "," if "_" in name else "_"
        whole = f"{name} = ({', '.join(components)})"
        return (
            [whole] if len(whole) <= width else [f"{name}{mark}{axis} = {x}" for axis, x in zip("xyz", components, strict=True)]
        )

    def aligned(self, style: text.Style, widest: float = WIDTH) -> list[str]:
        """The vector as a column."""
        column = r" \\ ".join(x.typeset(style) for x in self.components)
        return [rf"{''.join(parts(self.name))} &= \begin{{pmatrix}} {column} \end{{pmatrix}}"]


@dataclass(frozen=True, repr=False)
class Row:
    """The whole equation of one coordinate, `M_i1 q1'' + ... + C q' + G_i + F_i = tau_i + sum_j Psi_ji lambda_j`.

    Attributes
    ----------
    number : int
        Index of the coordinate, from 0.
    coordinate : str
        The name of the coordinate.
    left : Formula
        The left side.
    multipliers : tuple of (int, Formula)
        For every constraint that acts along the coordinate its index, from 0, and what multiplies its lambda.

    Examples
    --------
    >>> import lagrangian as lg
    >>> row = lg.derive("pendulum").rows[0]
    >>> print(row)
    m*L^2*qdd_theta + m*L*g*cos(theta) = tau1
    >>> row.to_sympy()
    Eq(L**2*m*qdd_theta + L*g*m*cos(theta), tau1)
    """

    number: int  # of the coordinate, from 0
    coordinate: str
    left: Formula
    multipliers: tuple[tuple[int, Formula], ...] = ()

    @property
    def formulas(self) -> list[Formula]:
        return [self.left, *(psi for _, psi in self.multipliers)]

    @property
    def force(self) -> str:
        """The name of what acts along the coordinate: tau1."""
        return f"tau{index(self.number)}"

    @property
    def right(self) -> Tree:
        """tau_i + sum_j Psi_ji lambda_j; the names of the forces are marked, `written` takes the mark off."""
        held = [product([psi.tree, Name(f"{_FORCE}lambda{index(j)}")]) for j, psi in self.multipliers]
        return add([Name(_FORCE + self.force), *held])

    def written(self, style: text.Style) -> str:
        """The equation in one line."""
        return f"{self.left.written(style)} = {_with_forces(style, pretty if style.times == ' ' else str).write(self.right)}"

    def lines(self, style: text.Style, width: int) -> list[str]:
        """The equation in one line, however long."""
        return [self.written(style)]

    def aligned(self, style: text.Style, widest: float = WIDTH) -> list[str]:
        """The equation as rows of an aligned block of LaTeX."""
        right = _with_forces(style, lambda name: "".join(parts(name))).write(self.right)
        first, *others = broken("", self.left.typeset(style), widest)
        rows = [first.replace("&=", "&", 1).strip(), *others]
        return [*rows[:-1], f"{rows[-1]} = {right}"]

    def pieces(self, style: MathML) -> list[str]:
        """As MathML, in pieces between which a line may be broken."""
        right = _with_forces(style, mathml.name).pieces(self.right)
        return [*self.left.pieces(style), f"<mo>=</mo>{right[0]}", *right[1:]]

    def __str__(self) -> str:
        return self.written(text.plain(self.left.writer.notation))

    __repr__ = __str__

    def unicode(self, digits: int | None = None) -> str:
        """With Greek letters, indices and powers as a terminal can show them."""
        return self.written(text.unicode(self.left.writer.notation, text.Rounding(digits)))

    def latex(self, digits: int | None = None) -> str:
        """Typeset, without dollar signs."""
        return " ".join(
            line.replace("&", "", 1).replace(r"\quad", "", 1).strip()
            for line in self.aligned(text.latex(self.left.writer.notation, text.Rounding(digits)))
        )

    def _repr_latex_(self) -> str:
        rows = self.aligned(text.latex(self.left.writer.notation, text.Rounding(6)))
        return r"$\displaystyle \begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}$"

    def to_sympy(self, dynamic: bool = False) -> Any:
        """As a SymPy equation; the forces are the symbols tau1, lambda1 and so on."""
        import sympy

        held = (psi.to_sympy(dynamic) * sympy.Symbol(f"lambda{index(j)}") for j, psi in self.multipliers)
        return sympy.Eq(self.left.to_sympy(dynamic), sum(held, sympy.Symbol(self.force)), evaluate=False)


def _with_forces(style: S, named: Callable[[str], str]) -> S:
    """The style, in which marked names are those of forces."""
    made = copy.copy(style)
    written = style.name

    def name(word: str) -> str:
        return named(word.removeprefix(_FORCE)) if word.startswith(_FORCE) else written(word)

    made.name = name  # type: ignore[method-assign]
    return made

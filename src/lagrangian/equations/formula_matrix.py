"""Matrices and vectors of formulas, with the names under which their entries are printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lagrangian.equations.formula import NOTEBOOK, Formula
from lagrangian.equations.writing import mathml as markup
from lagrangian.equations.writing import text


class FormulaMatrix:
    """A matrix of formulas: `M[0, 1]`, `M.shape`, iteration over rows; a vector has one column, and `G[0]` is its entry."""

    def __init__(self, name: str, rows: Sequence[Sequence[Formula]], symmetric: bool = False, vector: bool = False) -> None:
        self.name = name
        self.rows = tuple(tuple(row) for row in rows)
        self.symmetric, self.vector = symmetric, vector

    @property
    def shape(self) -> tuple[int, ...]:
        if self.vector:
            return (len(self.rows),)
        return len(self.rows), len(self.rows[0]) if self.rows else 0

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Any]:
        return iter(row[0] if self.vector else row for row in self.rows)

    def __getitem__(self, key: Any) -> Any:
        try:
            if self.vector:
                return self.rows[key][0] if isinstance(key, int) else tuple(row[0] for row in self.rows[key])
            if isinstance(key, tuple) and len(key) == 2:
                return self.rows[key[0]][key[1]]
            return self.rows[key]
        except IndexError:
            raise IndexError(f"{self.name} has shape {self.shape}, indices from 0; {key} is outside") from None

    @property
    def entries(self) -> list[tuple[str, Formula]]:
        """Entries with the names they are printed under; of a symmetric matrix the upper triangle."""
        found = []
        for i, row in enumerate(self.rows):
            for j, formula in enumerate(row):
                if not (self.symmetric and j < i):
                    found.append((f"{self.name}{index(i, *(() if self.vector else (j,)))}", formula))
        return found

    @property
    def operators(self) -> int:
        """Of all entries as printed; of a symmetric matrix the upper triangle's."""
        return sum(formula.operators for _, formula in self.entries)

    @property
    def T(self) -> FormulaMatrix:
        turned = [list(column) for column in zip(*self.rows, strict=True)]
        return FormulaMatrix(f"{self.name}^T", turned, self.symmetric)

    def map(self, function: Callable[[Formula], Formula], name: str = "") -> FormulaMatrix:
        """The matrix of the function of every entry."""
        return FormulaMatrix(name or self.name, [[function(x) for x in row] for row in self.rows], self.symmetric, self.vector)

    def diff(self, coordinate: str | int) -> FormulaMatrix:
        return self.map(lambda x: x.diff(coordinate), f"d{self.name}")

    def evaluate(self, q: Any = (), qd: Any = (), qdd: Any = (), **parameters: float) -> Any:
        """A numpy array of the values."""
        import numpy as np

        if not self.rows or not self.rows[0]:
            return np.zeros(self.shape)
        values = [[x.evaluate(q, qd, qdd, **parameters) for x in row] for row in self.rows]
        array = np.array(values, dtype=float).reshape(len(self.rows), -1)
        return array[:, 0] if self.vector else array

    def __str__(self) -> str:
        return "\n".join(f"{name} = {formula}" for name, formula in self.entries) or f"{self.name} has no entries"

    __repr__ = __str__

    def unicode(self, digits: int | None = None) -> str:
        return "\n".join(f"{name} = {formula.unicode(digits)}" for name, formula in self.entries)

    def latex(self, digits: int | None = None) -> str:
        """A typeset matrix."""
        rows = r" \\ ".join(" & ".join(x.latex(digits) for x in row) for row in self.rows)
        return rf"\begin{{bmatrix}} {rows} \end{{bmatrix}}"

    def mathml(self, digits: int | None = None) -> str:
        """A matrix typeset for a page: see `Formula.mathml`."""
        return markup.math(markup.matrix([["".join(x.pieces(self._mathml(digits))) for x in row] for row in self.rows]))

    def _mathml(self, digits: int | None) -> markup.MathML:
        return markup.MathML(self.rows[0][0].writer.notation, text.Rounding(digits))

    def _repr_latex_(self) -> str:
        terms = sum(x.terms for row in self.rows for x in row)
        if terms > NOTEBOOK:
            size = " x ".join(map(str, self.shape))
            words = f"{self.name}, {size}, {terms} terms in all; print() writes it, [i, j] gives an entry"
            return r"$\text{" + words.replace("_", r"\_") + "}$"
        return f"$\\displaystyle {self.latex(6)}$"

    def to_sympy(self, dynamic: bool = False) -> Any:
        """As a SymPy Matrix."""
        import sympy

        return sympy.Matrix([[x.to_sympy(dynamic) for x in row] for row in self.rows])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FormulaMatrix) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash((self.name, self.shape))


def index(*numbers: int) -> str:
    """Indices as printed, from 1; with commas once they have two digits."""
    return (",".join if any(n >= 9 for n in numbers) else "".join)(str(n + 1) for n in numbers)

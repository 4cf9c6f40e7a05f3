"""Matrices and vectors of formulas, with the names under which their entries are printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lagrangian.equations.formula import NOTEBOOK, Formula
from lagrangian.equations.writing import mathml as markup
from lagrangian.equations.writing import text
from lagrangian.errors import ArgumentError


class FormulaMatrix:
    """A matrix of formulas: `M[0, 1]`, `M.shape`, iteration over rows; a vector has one column, and `G[0]` is its entry.

    `+ - * / @` give matrices of formulas; the other operand may have numbers, texts or SymPy expressions in lists.
    """

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

    def diff(self, name: str | int) -> FormulaMatrix:
        """The derivative of every entry: see `Formula.diff`."""
        return self.map(lambda x: x.diff(name), f"d{self.name}")

    def subs(self, values: Mapping[str, Any] | None = None, /, **others: Any) -> FormulaMatrix:
        """Every entry with other things in place of names: see `Formula.subs`."""
        return self.map(lambda x: x.subs(values, **others))

    def expand(self) -> FormulaMatrix:
        """Every entry as a sum of products."""
        return self.map(lambda x: x.expand())

    # -- arithmetic --------------------------------------------------------------------------------------------------

    def _entries_of(self, other: Any) -> FormulaMatrix | None:
        """A matrix of formulas, numbers, texts or SymPy expressions, row by row; a vector as a list."""
        if isinstance(other, FormulaMatrix):
            return other
        rows = other.tolist() if hasattr(other, "tolist") else other
        if not isinstance(rows, (list, tuple)) or not self.rows or not self.rows[0]:
            return None
        vector = not any(isinstance(row, (list, tuple)) for row in rows)
        zero = self.rows[0][0] * 0
        made = [[zero + x for x in ([row] if vector else row)] for row in rows]
        flat = self.vector and all(len(row) == 1 for row in made)  # as SymPy has vectors
        return FormulaMatrix("X", made, vector=vector or flat)

    def _entrywise(self, other: Any, sign: int) -> Any:
        x = self._entries_of(other)
        if x is None:
            return NotImplemented
        if x.shape != self.shape:
            raise ArgumentError(f"{self.name} has shape {self.shape} and {x.name} {x.shape}; a sum needs equal ones")
        rows = [[a + b * sign for a, b in zip(one, two, strict=True)] for one, two in zip(self.rows, x.rows, strict=True)]
        name = f"({self.name} {'+' if sign > 0 else '-'} {x.name})"
        return FormulaMatrix(name, rows, self.symmetric and x.symmetric, self.vector)

    def __add__(self, other: Any) -> Any:
        return self._entrywise(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._entrywise(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __neg__(self) -> FormulaMatrix:
        return self.map(lambda x: -x, f"-{self.name}")

    def __mul__(self, other: Any) -> Any:
        """Every entry times a number, a formula or a text; `@` multiplies matrices."""
        if isinstance(other, FormulaMatrix):
            return NotImplemented
        return self.map(lambda x: x * other, f"({other} {self.name})")

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, FormulaMatrix):
            return NotImplemented
        return self.map(lambda x: x / other, f"({self.name}/{other})")

    def __matmul__(self, other: Any) -> Any:
        """The matrix product; of two vectors their dot product, a formula."""
        x = self._entries_of(other)
        if x is None:
            return NotImplemented
        left = [tuple(row[0] for row in self.rows)] if self.vector else self.rows  # a vector on the left is a row
        if any(len(row) != len(x.rows) for row in left):
            raise ArgumentError(f"{self.name} has shape {self.shape} and {x.name} {x.shape}; their product does not exist")
        rows = [[_dot(row, column) for column in zip(*x.rows, strict=True)] for row in left]
        if self.vector and x.vector:
            return rows[0][0]
        if self.vector:
            rows = [[entry] for entry in rows[0]]
        return FormulaMatrix(f"({self.name} {x.name})", rows, vector=self.vector or x.vector)

    def __rmatmul__(self, other: Any) -> Any:
        x = self._entries_of(other)
        return NotImplemented if x is None else x @ self

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
        """Entry by entry, by proof, with another matrix, one of SymPy, or lists of texts and numbers."""
        x = self._entries_of(other)
        if x is None:
            return isinstance(other, FormulaMatrix) and self.rows == other.rows
        return self.shape == x.shape and self.rows == x.rows

    def __hash__(self) -> int:
        return hash((self.name, self.shape))


def _dot(a: Sequence[Formula], b: Sequence[Formula]) -> Any:
    total: Any = 0
    for x, y in zip(a, b, strict=True):
        total = x * y + total
    return total


def index(*numbers: int) -> str:
    """Indices as printed, from 1; with commas once they have two digits."""
    return (",".join if any(n >= 9 for n in numbers) else "".join)(str(n + 1) for n in numbers)

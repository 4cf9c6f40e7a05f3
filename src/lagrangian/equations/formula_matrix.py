"""Matrices and vectors of formulas, with the names under which their entries are printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lagrangian.equations.formula import MAX_NOTEBOOK_TERMS, Formula, FormulaLike
from lagrangian.equations.writing import printers
from lagrangian.errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np


class FormulaMatrix:
    """A matrix or vector of formulas.

    `M[0, 1]` is an entry, iteration goes over the rows. A vector has one column, and `G[0]` is its entry. `+`, `-`, `*`, `/` and
    `@` give matrices of formulas; the other operand may be a list of numbers, texts or SymPy expressions. `==` compares entry by
    entry, by proof.

    Attributes
    ----------
    name : str
        The name under which entries are printed.
    rows : tuple of tuple of Formula
        The entries.
    symmetric : bool
        Whether only the upper triangle is printed.
    vector : bool
        Whether it is a vector.

    Examples
    --------
    >>> import lagrangian as lg
    >>> eom = lg.derive("two_r")
    >>> eom.M
    M11 = m1*r1^2 + m2*(l1^2 + r2^2 + 2*l1*r2*c2) + I1 + I2
    M12 = m2*(r2^2 + l1*r2*c2) + I2
    M22 = m2*r2^2 + I2
    >>> eom.M @ eom.qdd + eom.C @ eom.qd + eom.G == eom.tau
    True
    """

    def __init__(self, name: str, rows: Sequence[Sequence[Formula]], symmetric: bool = False, vector: bool = False) -> None:
        self.name = name
        self.rows = tuple(tuple(row) for row in rows)
        self.symmetric, self.vector = symmetric, vector

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape: (rows, columns), or (rows,) for a vector."""
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
            raise IndexError(f"{self.name} has shape {self.shape} and indices from 0; {key} is out of range") from None

    @property
    def entries(self) -> list[tuple[str, Formula]]:
        """Entries with the names under which they are printed; for a symmetric matrix, those of the upper triangle."""
        pairs = []
        for i, row in enumerate(self.rows):
            for j, formula in enumerate(row):
                if not (self.symmetric and j < i):
                    pairs.append((f"{self.name}{index_text(i, *(() if self.vector else (j,)))}", formula))
        return pairs

    @property
    def operator_count(self) -> int:
        """Number of operators of all printed entries; for a symmetric matrix, of the upper triangle."""
        return sum(formula.operator_count for _, formula in self.entries)

    @property
    def T(self) -> FormulaMatrix:
        """The transpose."""
        columns = [list(column) for column in zip(*self.rows, strict=True)]
        return FormulaMatrix(f"{self.name}^T", columns, self.symmetric)

    def map(self, function: Callable[[Formula], Formula], name: str = "") -> FormulaMatrix:
        """Apply a function to every entry.

        Parameters
        ----------
        function : callable
            A function of a formula that returns a formula.
        name : str, optional
            The name of the new matrix. The default is the old name.

        Returns
        -------
        FormulaMatrix
            The new matrix.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.derive("two_r").G.map(lambda x: x.subs(g=1), "w")[1]
        m2*r2*c12
        """
        return FormulaMatrix(name or self.name, [[function(x) for x in row] for row in self.rows], self.symmetric, self.vector)

    def diff(self, name: str | int) -> FormulaMatrix:
        """Differentiate every entry; see `Formula.diff`.

        Parameters
        ----------
        name : str or int
            The name of a coordinate, speed, acceleration or parameter, or the index of a coordinate. `"t"` is the time
            derivative.

        Returns
        -------
        FormulaMatrix
            The derivatives.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").M.diff("theta2"))
        dM11 = -2*m2*l1*r2*s2
        dM12 = -m2*l1*r2*s2
        dM22 = 0
        """
        return self.map(lambda x: x.diff(name), f"d{self.name}")

    def subs(self, values: Mapping[str, FormulaLike] | None = None, /, **replacements: FormulaLike) -> FormulaMatrix:
        """Replace names in every entry; see `Formula.subs`.

        Parameters
        ----------
        values : mapping of str to number, str or Formula, optional
            What takes the place of each name.
        **replacements : number, str or Formula
            The same as keywords.

        Returns
        -------
        FormulaMatrix
            The new matrix.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").M.subs(I1=0, I2=0, theta2=0))
        M11 = m1*r1^2 + m2*(l1 + r2)^2
        M12 = m2*r2*(l1 + r2)
        M22 = m2*r2^2
        """
        return self.map(lambda x: x.subs(values, **replacements))

    def expand(self) -> FormulaMatrix:
        """Multiply every entry out.

        Returns
        -------
        FormulaMatrix
            The same matrix, with entries written as sums of products.
        """
        return self.map(lambda x: x.expand())

    # -- arithmetic --------------------------------------------------------------------------------------------------

    def _as_matrix(self, other: Any) -> FormulaMatrix | None:
        """A matrix of formulas, numbers, texts or SymPy expressions, row by row; a vector as a list."""
        if isinstance(other, FormulaMatrix):
            return other
        rows = other.tolist() if hasattr(other, "tolist") else other
        if not isinstance(rows, (list, tuple)) or not self.rows or not self.rows[0]:
            return None
        vector = not any(isinstance(row, (list, tuple)) for row in rows)
        zero = self.rows[0][0] * 0
        formulas = [[zero + x for x in ([row] if vector else row)] for row in rows]
        flat = self.vector and all(len(row) == 1 for row in formulas)  # as SymPy has vectors
        return FormulaMatrix("X", formulas, vector=vector or flat)

    def _entrywise(self, other: Any, sign: int) -> Any:
        x = self._as_matrix(other)
        if x is None:
            return NotImplemented
        if x.shape != self.shape:
            raise ArgumentError(f"{self.name} has shape {self.shape} and {x.name} {x.shape}; the shapes must be equal")
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
        x = self._as_matrix(other)
        if x is None:
            return NotImplemented
        left = [tuple(row[0] for row in self.rows)] if self.vector else self.rows  # a vector on the left is a row
        if any(len(row) != len(x.rows) for row in left):
            raise ArgumentError(f"{self.name} has shape {self.shape} and {x.name} {x.shape}; these shapes cannot be multiplied")
        rows = [[_dot(row, column) for column in zip(*x.rows, strict=True)] for row in left]
        if self.vector and x.vector:
            return rows[0][0]
        if self.vector:
            rows = [[entry] for entry in rows[0]]
        return FormulaMatrix(f"({self.name} {x.name})", rows, vector=self.vector or x.vector)

    def __rmatmul__(self, other: Any) -> Any:
        x = self._as_matrix(other)
        return NotImplemented if x is None else x @ self

    def evaluate(
        self,
        q: Sequence[float] | np.ndarray = (),
        qd: Sequence[float] | np.ndarray = (),
        qdd: Sequence[float] | np.ndarray = (),
        **parameters: float,
    ) -> np.ndarray:
        """Evaluate every entry.

        Parameters
        ----------
        q, qd, qdd : sequence of float, optional
            Coordinates, speeds and accelerations. Those on which the entries depend are needed.
        **parameters : float
            Values of parameters by their names. The default is the values of the mechanism.

        Returns
        -------
        ndarray
            The values, in the shape of the matrix.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").M.evaluate([0.3, 0.8]).round(3))
        [[36.335 10.335]
         [10.335  5.276]]
        """
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
        """Write every entry with Greek letters, subscripts and superscripts for a terminal.

        Parameters
        ----------
        digits : int, optional
            Number of digits to which long numbers are rounded. The default writes them exactly.

        Returns
        -------
        str
            One line for every entry.
        """
        return "\n".join(f"{name} = {formula.unicode(digits)}" for name, formula in self.entries)

    def latex(self, digits: int | None = None) -> str:
        r"""Write the matrix as LaTeX, without dollar signs.

        Parameters
        ----------
        digits : int, optional
            Number of digits to which long numbers are rounded. The default writes them exactly.

        Returns
        -------
        str
            A `bmatrix`.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("pendulum").M.latex())
        \begin{bmatrix} m \, L^{2} \end{bmatrix}
        """
        rows = r" \\ ".join(" & ".join(x.latex(digits) for x in row) for row in self.rows)
        return rf"\begin{{bmatrix}} {rows} \end{{bmatrix}}"

    def mathml(self, digits: int | None = None) -> str:
        """Write the matrix as MathML, which browsers show without further software.

        Parameters
        ----------
        digits : int, optional
            Number of digits to which long numbers are rounded. The default writes them exactly.

        Returns
        -------
        str
            A `math` element.
        """
        return printers.math_element(
            printers.matrix([["".join(x.pieces(self._mathml_style(digits))) for x in row] for row in self.rows])
        )

    def _mathml_style(self, digits: int | None) -> printers.MathML:
        return printers.MathML(self.rows[0][0].writer.notation, printers.NumberFormat(digits))

    def _repr_latex_(self) -> str:
        terms = sum(x.term_count for row in self.rows for x in row)
        if terms > MAX_NOTEBOOK_TERMS:
            size = " x ".join(map(str, self.shape))
            words = f"{self.name}, {size}, {terms} terms in all; print() writes it, [i, j] gives an entry"
            return r"$\text{" + words.replace("_", r"\_") + "}$"
        return f"$\\displaystyle {self.latex(6)}$"

    def to_sympy(self, dynamic: bool = False) -> Any:
        """Return the matrix as a SymPy matrix.

        Parameters
        ----------
        dynamic : bool, default False
            Whether coordinates are functions of t and rates their derivatives. Otherwise all of them are symbols.

        Returns
        -------
        sympy.Matrix
            The matrix.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.derive("two_r").G.to_sympy()[1]
        g*m2*r2*cos(theta1 + theta2)
        """
        import sympy

        return sympy.Matrix([[x.to_sympy(dynamic) for x in row] for row in self.rows])

    def __eq__(self, other: object) -> bool:
        """Entry by entry, by proof, with another matrix, one of SymPy, or lists of texts and numbers."""
        x = self._as_matrix(other)
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


def index_text(*numbers: int) -> str:
    """Indices as printed, from 1; with commas once they have two digits."""
    return (",".join if any(n >= 9 for n in numbers) else "".join)(str(n + 1) for n in numbers)

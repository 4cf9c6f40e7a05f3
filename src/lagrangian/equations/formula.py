"""A formula, as users hold it: exact inside, readable outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from lagrangian.equations.algebra.numbers import value as value_of
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.writing import mathml as markup
from lagrangian.equations.writing import text
from lagrangian.equations.writing.lines import broken
from lagrangian.equations.writing.tree import Name, Product, Tree, operators
from lagrangian.equations.writing.writer import Writer
from lagrangian.errors import ArgumentError, one_of

# matrices with more terms than this are not typeset unasked: a notebook would stand still
NOTEBOOK = 400


class Formula:
    """An exact expression: a polynomial in sines, cosines, coordinates, rates and parameters, or a quotient of two.

    `str` writes it in plain text, notebooks typeset it; `==` is a proof. Arithmetic with formulas and numbers gives formulas.
    """

    __slots__ = ("_form", "_tree", "_under", "denominator", "element", "writer")

    def __init__(
        self,
        writer: Writer,
        element: Element,
        denominator: Element | None = None,
        tree: Callable[[], Tree] | None = None,
    ) -> None:
        """`tree` gives the form in which it is written, where the writer is not to find one."""
        self.writer, self.element = writer, element
        if denominator is not None and denominator.poly.is_constant():
            self.element, denominator = element / denominator, None
        self.denominator = denominator
        self._form = tree
        self._tree: Tree | None = None
        self._under: Tree | None = None

    # -- reading -----------------------------------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        """The formula as it is written; of a quotient, what stands above the line."""
        if self._tree is None:
            self._tree = self.writer.write(self.element) if self._form is None else self._form()
        return self._tree

    @property
    def tree_below(self) -> Tree:
        """What stands below the line."""
        if self._under is None:
            self._under = Product(Fraction(1)) if self.denominator is None else self.writer.write(self.denominator)
        return self._under

    @property
    def operators(self) -> int:
        """How many + - * / and powers it is written with."""
        below = 0 if self.denominator is None else 1 + operators(self.tree_below)
        return operators(self.tree) + below

    @property
    def terms(self) -> int:
        """How many terms it has when multiplied out."""
        return self.element.terms

    def written(self, style: text.Style) -> str:
        top = style.write(self.tree)
        if self.denominator is None:
            return top
        below = style.write(self.tree_below)
        if not isinstance(self.tree, Name):
            top = style.brackets(top)
        return style.over(top, below if isinstance(self.tree_below, Name) else style.brackets(below))

    def __str__(self) -> str:
        return self.written(text.plain(self.writer.notation))

    def __repr__(self) -> str:
        shown = str(self)
        return shown if len(shown) <= 400 else f"{shown[:380]}... ({self.operators} operators)"

    def unicode(self, digits: int | None = None) -> str:
        """With Greek letters, indices and powers as a terminal can show them."""
        return self.written(text.unicode(self.writer.notation, text.Rounding(digits)))

    def latex(self, digits: int | None = None) -> str:
        """Typeset, without dollar signs."""
        return self.typeset(text.latex(self.writer.notation, text.Rounding(digits)))

    def typeset(self, style: text.Style) -> str:
        if self.denominator is None:
            return style.write(self.tree)
        return rf"\frac{{{style.write(self.tree)}}}{{{style.write(self.tree_below)}}}"

    def mathml(self, digits: int | None = None) -> str:
        """Typeset for a page that needs nothing else: browsers show MathML themselves."""
        return markup.math("".join(self.pieces(markup.MathML(self.writer.notation, text.Rounding(digits)))))

    def pieces(self, style: markup.MathML) -> list[str]:
        """As MathML, in pieces between which a line may be broken."""
        if self.denominator is None:
            return style.pieces(self.tree)
        return [f"<mfrac>{style.row(self.tree)}{style.row(self.tree_below)}</mfrac>"]

    def _repr_latex_(self) -> str:
        if self.terms > NOTEBOOK:
            return rf"$\text{{a formula of {self.terms} terms; print() writes it}}$"
        first, *others = broken("", self.latex(6))
        if not others:
            return f"$\\displaystyle {self.latex(6)}$"
        rows = [first.replace("&=", "&", 1).strip(), *others]
        return r"$\displaystyle \begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}$"

    def to_sympy(self, dynamic: bool = False) -> Any:
        """As a SymPy expression; with `dynamic`, coordinates are functions of time and rates their derivatives."""
        from lagrangian.equations.writing.sympy_export import Export

        return Export(self.writer, dynamic).formula(self)

    # -- values ------------------------------------------------------------------------------------------------------

    def evaluate(
        self,
        q: Sequence[float] = (),
        qd: Sequence[float] = (),
        qdd: Sequence[float] = (),
        **parameters: float,
    ) -> float:
        """Its value; parameters have the values of the mechanism unless given."""
        self._check_state(q, qd, qdd)
        given = self.writer.values(q, qd, qdd, parameters)
        result = value_of(self.element, given)
        return result if self.denominator is None else result / value_of(self.denominator, given)

    def _check_state(self, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float]) -> None:
        """What the formula depends on must be given: a rate left out is no rate of zero."""
        needed = {"sine": "q", "cosine": "q", "coordinate": "q", "speed": "qd", "sign": "qd", "acceleration": "qdd"}
        given = {"q": len(q), "qd": len(qd), "qdd": len(qdd)}
        for element in (self.element, self.denominator):
            degrees = element.poly.degrees() if element is not None else ()
            for degree, symbol in zip(degrees, self.element.ring.symbols, strict=False):
                name = needed.get(symbol.kind)
                if degree > 0 and name and not given[name]:
                    raise ArgumentError(f"evaluate: the formula depends on {symbol.name}, and {name} is not given")

    def __bool__(self) -> bool:
        return bool(self.element)

    @property
    def is_zero(self) -> bool:
        """Exactly zero, for every configuration and every parameter."""
        return not self.element

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Formula) and other.element.ring is not self.element.ring:
            return False
        if isinstance(other, (int, float, Fraction, Formula)):
            return not (self - other).element
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self.element, self.denominator))

    def diff(self, coordinate: str | int) -> Formula:
        """The derivative with respect to a coordinate, by its name or number."""
        k = self._coordinate(coordinate)
        ring = self.element.ring
        slope = ring.derivative(self.element, k)
        if self.denominator is None:
            return Formula(self.writer, slope)
        below = self.denominator
        return Formula(self.writer, slope * below - self.element * ring.derivative(below, k), below * below)

    def _coordinate(self, given: str | int) -> int:
        names = self.writer.system.coordinates
        if isinstance(given, int) and not isinstance(given, bool):
            if not -len(names) <= given < len(names):
                raise ArgumentError(f"there are {len(names)} coordinates, numbered from 0; {given} is none of them")
            return given % len(names)
        if given not in names:
            raise ArgumentError(one_of("coordinate", given, names))
        return names.index(given)

    # -- arithmetic --------------------------------------------------------------------------------------------------

    def _other(self, x: Any) -> Formula | None:
        if isinstance(x, Formula):
            if x.element.ring is not self.element.ring:
                raise ArgumentError("the two formulas belong to different equations; derive them together to combine them")
            return x
        if isinstance(x, (int, float, Fraction)) and not isinstance(x, bool):
            return Formula(self.writer, self.element.ring(x))
        return None

    def _combined(self, other: Any, sign: int) -> Any:
        x = self._other(other)
        if x is None:
            return NotImplemented
        if self.denominator is None and x.denominator is None:
            return Formula(self.writer, self.element + sign * x.element)
        one = self.element.ring.one
        a, b = self.denominator or one, x.denominator or one
        if a == b:
            return Formula(self.writer, self.element + sign * x.element, a)
        return Formula(self.writer, self.element * b + sign * (x.element * a), a * b)

    def __add__(self, other: Any) -> Any:
        return self._combined(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._combined(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __neg__(self) -> Formula:
        return Formula(self.writer, -self.element, self.denominator)

    def __mul__(self, other: Any) -> Any:
        x = self._other(other)
        if x is None:
            return NotImplemented
        below = self.denominator
        if x.denominator is not None:
            below = x.denominator if below is None else below * x.denominator
        return Formula(self.writer, self.element.ring(self.element * x.element), below)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        x = self._other(other)
        if x is None:
            return NotImplemented
        if x.is_zero:
            raise ZeroDivisionError("division by a formula that is zero")
        above = self.element if x.denominator is None else self.element * x.denominator
        below = x.element if self.denominator is None else self.denominator * x.element
        return Formula(self.writer, above, below)

    def __pow__(self, exponent: int) -> Formula:
        if not isinstance(exponent, int) or exponent < 0:
            raise ArgumentError(f"a formula is raised to whole powers from 0, not to {exponent!r}")
        result = Formula(self.writer, self.element.ring.one)
        for _ in range(exponent):
            result = result * self
        return result

    def read_back(self) -> bool:
        """Whether the formula as written is exactly the element it was written from: evaluated in the ring, and compared."""
        same = self.writer.read(self.tree) == self.element
        return same and (self.denominator is None or self.writer.read(self.tree_below) == self.denominator)

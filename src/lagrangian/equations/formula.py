"""A formula, as users hold it: exact inside, readable outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from numbers import Real
from typing import Any

from lagrangian.equations import calculus, comparison
from lagrangian.equations.algebra.numbers import value as value_of
from lagrangian.equations.algebra.ring import Element, content
from lagrangian.equations.texts.evaluation import lifted
from lagrangian.equations.writing import mathml as markup
from lagrangian.equations.writing import text
from lagrangian.equations.writing.horner import multiplied_out
from lagrangian.equations.writing.lines import broken
from lagrangian.equations.writing.tree import Name, Power, Product, Sum, Tree, operators
from lagrangian.equations.writing.writer import Writer
from lagrangian.errors import ArgumentError
from lagrangian.model.expression import Expression

# matrices with more terms than this are not typeset unasked: a notebook would stand still
NOTEBOOK = 400


class Formula:
    """An exact expression: a polynomial in sines, cosines, coordinates, rates and parameters, or a quotient of two.

    `str` writes it in plain text, notebooks typeset it. Arithmetic with formulas, numbers, texts and SymPy expressions gives
    formulas. `==` is a proof for all motions and parameters: `eom.M[0, 1] == "m2*(lc2^2 + l1*lc2*cos(q2)) + I2"`.
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
        below, under = style.write(self.tree_below), self.tree_below
        simple = isinstance(under.base if isinstance(under, Power) else under, Name)
        return style.over(style.brackets(top) if isinstance(self.tree, Sum) else top, below if simple else style.brackets(below))

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
                    shown = self.writer.notation.plain(self.writer.names[self.element.ring.number[symbol.name]])
                    raise ArgumentError(f"evaluate: the formula depends on {shown}, and {name} is not given")

    def __bool__(self) -> bool:
        return bool(self.element)

    def __float__(self) -> float:
        if self.names:
            raise ArgumentError(f"the formula depends on {', '.join(self.names)}; evaluate or subs give them values")
        return self.evaluate()

    @property
    def is_zero(self) -> bool:
        """Exactly zero, for every configuration and every parameter."""
        return not self.element

    @property
    def names(self) -> tuple[str, ...]:
        """What it depends on: coordinates by their names, rates as they are printed, qd1 or qd_alpha, and parameters."""
        return calculus.names(self)

    # -- comparison --------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """A proof, with a number, a text, a SymPy expression or another formula: the difference is exactly zero, or is not.

        A text that cannot be read raises an error.
        """
        if isinstance(other, Formula) and other.writer.family is not self.writer.family:
            return False
        x = self._other(other)
        return NotImplemented if x is None else comparison.equal(self, x)

    def __hash__(self) -> int:
        return comparison.hashed(self)

    # -- calculus ----------------------------------------------------------------------------------------------------

    def diff(self, name: str | int) -> Formula:
        """The derivative by a coordinate, a speed, an acceleration or a parameter, by its name or the coordinate's number.

        `diff("t")` is the derivative by time along the motion: `L.diff("theta1'").diff("t") - L.diff("theta1")` is Lagrange's.
        """
        return calculus.derivative(self, name)

    def subs(self, values: Mapping[str, Any] | None = None, /, **others: Any) -> Formula:
        """The formula with numbers, texts or formulas in place of names, all at once: `subs(m2=0, theta2="pi/2")`.

        Rates are names of their own: a coordinate that is replaced by a constant keeps its speed unless that is replaced, too.
        """
        return calculus.substituted(self, {**(values or {}), **others})

    def expand(self) -> Formula:
        """The same formula, written as a sum of products."""
        made = Formula(self.writer, self.element, self.denominator)
        made._tree = multiplied_out(self.tree)
        return made

    # -- arithmetic --------------------------------------------------------------------------------------------------

    def _other(self, x: Any) -> Formula | None:
        """What an operand says, as a formula of the same family."""
        if isinstance(x, Formula):
            if x.writer.family is not self.writer.family:
                raise ArgumentError("the two formulas belong to different equations; derive them together to combine them")
            return x
        if isinstance(x, bool) or not (isinstance(x, (str, Real, Expression)) or hasattr(x, "free_symbols")):
            return None
        return self.read(x)

    def read(self, x: Any) -> Formula:
        """A number, a text or a SymPy expression, read as a formula of the same equations."""
        family = self.writer.family
        writer, (above, below) = family.quotient(family.node(x))
        return Formula.quotient(writer, above, below)

    @staticmethod
    def quotient(writer: Writer, above: Element, below: Element) -> Formula:
        """`above / below`, without the factors that they share."""
        if not below.poly.is_constant() and above:
            shared = above.poly.gcd(below.poly)
            if not shared.is_constant():
                above, below = (Element(x.ring, divmod(x.poly, shared)[0]) for x in (above, below))
            whole = content(below.poly)
            above, below = above / whole, below / whole
        return Formula(writer, above, below if above else None)

    def _together(self, other: Any) -> tuple[Writer, Element, Element, Element, Element] | None:
        """Both formulas in one ring: numerators and denominators."""
        x = self._other(other)
        if x is None:
            return None
        writer = self.writer if self.writer is x.writer else self.writer.family.wider(self.writer, x.writer)
        ring = writer.system.ring
        (a, b), (c, d) = (
            (lifted(f.element, ring), ring.one if f.denominator is None else lifted(f.denominator, ring)) for f in (self, x)
        )
        return writer, a, b, c, d

    def _combined(self, other: Any, sign: int) -> Any:
        both = self._together(other)
        if both is None:
            return NotImplemented
        writer, a, b, c, d = both
        if b.poly == d.poly:
            return Formula.quotient(writer, a + sign * c, b)
        return Formula.quotient(writer, a.ring(a * d) + sign * a.ring(c * b), a.ring(b * d))

    def __add__(self, other: Any) -> Any:
        return self._combined(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._combined(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __neg__(self) -> Formula:
        return Formula(self.writer, -self.element, self.denominator)

    def __pos__(self) -> Formula:
        return self

    def __mul__(self, other: Any) -> Any:
        both = self._together(other)
        if both is None:
            return NotImplemented
        writer, a, b, c, d = both
        return Formula.quotient(writer, a.ring(a * c), a.ring(b * d))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        both = self._together(other)
        if both is None:
            return NotImplemented
        writer, a, b, c, d = both
        if not c:
            raise ZeroDivisionError("division by a formula that is zero")
        return Formula.quotient(writer, a.ring(a * d), a.ring(b * c))

    def __rtruediv__(self, other: Any) -> Any:
        x = self._other(other)
        return NotImplemented if x is None else x / self

    def __pow__(self, exponent: int) -> Formula:
        if isinstance(exponent, bool) or not isinstance(exponent, int):
            raise ArgumentError(f"a formula is raised to whole powers, not to {exponent!r}")
        if exponent < 0:
            return 1 / self**-exponent
        below = None if self.denominator is None else self.denominator**exponent
        return Formula(self.writer, self.element**exponent, below)

    def read_back(self) -> bool:
        """Whether the formula as written is exactly the element it was written from: evaluated in the ring, and compared."""
        same = self.writer.read(self.tree) == self.element
        return same and (self.denominator is None or self.writer.read(self.tree_below) == self.denominator)

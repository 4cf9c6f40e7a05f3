"""A formula, as users hold it: exact inside, readable outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any, Union

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

if TYPE_CHECKING:
    import numpy as np

# matrices with more terms than this are not typeset unasked: a notebook would stand still
NOTEBOOK = 400

FormulaLike = Union[str, float, Fraction, Expression, "Formula"]
"""A number, a text as formulas are printed, a formula; or a SymPy expression."""


class Formula:
    """An exact expression: a polynomial in sines, cosines, coordinates, rates and parameters, or a quotient of two.

    Equations are made of formulas. `str` writes a formula as plain text and notebooks typeset it. Arithmetic with formulas,
    numbers, texts and SymPy expressions gives formulas. `==` decides equality by proof, for all motions and all parameters.

    Attributes
    ----------
    writer : Writer
        The object that writes the formula; it knows the names of the equations.
    element : Element
        The numerator, as an element of a polynomial ring.
    denominator : Element or None
        The denominator; None if there is none.

    Examples
    --------
    >>> import lagrangian as lg
    >>> M = lg.derive("two_r").M
    >>> M[0, 1]
    m2*(r2^2 + l1*r2*c2) + I2
    >>> M[0, 1] == "m2*r2*(r2 + l1*cos(theta2)) + I2"
    True
    >>> print(M[0, 0] - 2 * M[0, 1])
    m1*r1^2 + m2*(l1^2 - r2^2) + I1 - I2
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
        """The formula as it is written; for a quotient, the numerator."""
        if self._tree is None:
            self._tree = self.writer.write(self.element) if self._form is None else self._form()
        return self._tree

    @property
    def tree_below(self) -> Tree:
        """The denominator as it is written."""
        if self._under is None:
            self._under = Product(Fraction(1)) if self.denominator is None else self.writer.write(self.denominator)
        return self._under

    @property
    def operators(self) -> int:
        """Number of operators (+ - * / and powers) in the written formula."""
        below = 0 if self.denominator is None else 1 + operators(self.tree_below)
        return operators(self.tree) + below

    @property
    def terms(self) -> int:
        """Number of terms when the formula is multiplied out."""
        return self.element.terms

    def written(self, style: text.Style) -> str:
        """Write the formula in a style.

        Parameters
        ----------
        style : Style
            How names, products and powers are written.

        Returns
        -------
        str
            The text.
        """
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
        """Write the formula with Greek letters, subscripts and superscripts for a terminal.

        Parameters
        ----------
        digits : int, optional
            Number of digits to which long numbers are rounded. The default writes them exactly.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").G[1].unicode())
        m₂ r₂ g c₁₂
        """
        return self.written(text.unicode(self.writer.notation, text.Rounding(digits)))

    def latex(self, digits: int | None = None) -> str:
        r"""Write the formula as LaTeX, without dollar signs.

        Parameters
        ----------
        digits : int, optional
            Number of digits to which long numbers are rounded. The default writes them exactly.

        Returns
        -------
        str
            The LaTeX source.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").G[1].latex())
        m_{2} \, r_{2} \, g \, c_{12}
        """
        return self.typeset(text.latex(self.writer.notation, text.Rounding(digits)))

    def typeset(self, style: text.Style) -> str:
        """Write the formula in a LaTeX style.

        Parameters
        ----------
        style : Style
            How names, products and powers are written.

        Returns
        -------
        str
            The LaTeX source.
        """
        if self.denominator is None:
            return style.write(self.tree)
        return rf"\frac{{{style.write(self.tree)}}}{{{style.write(self.tree_below)}}}"

    def mathml(self, digits: int | None = None) -> str:
        """Write the formula as MathML, which browsers show without further software.

        Parameters
        ----------
        digits : int, optional
            Number of digits to which long numbers are rounded. The default writes them exactly.

        Returns
        -------
        str
            A `math` element.
        """
        return markup.math("".join(self.pieces(markup.MathML(self.writer.notation, text.Rounding(digits)))))

    def pieces(self, style: markup.MathML) -> list[str]:
        """Write the formula as MathML in pieces, between which a line may be broken.

        Parameters
        ----------
        style : MathML
            How names and numbers are written.

        Returns
        -------
        list of str
            The pieces.
        """
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
        """Return the formula as a SymPy expression.

        Parameters
        ----------
        dynamic : bool, default False
            Whether coordinates are functions of t and rates their derivatives. Otherwise all of them are symbols.

        Returns
        -------
        sympy.Expr
            The expression.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.derive("two_r").G[1].to_sympy()
        g*m2*r2*cos(theta1 + theta2)
        """
        from lagrangian.equations.writing.sympy_export import Export

        return Export(self.writer, dynamic).formula(self)

    # -- values ------------------------------------------------------------------------------------------------------

    def evaluate(
        self,
        q: Sequence[float] | np.ndarray = (),
        qd: Sequence[float] | np.ndarray = (),
        qdd: Sequence[float] | np.ndarray = (),
        **parameters: float,
    ) -> float:
        """Evaluate the formula.

        Parameters
        ----------
        q, qd, qdd : sequence of float, optional
            Coordinates, speeds and accelerations. Those on which the formula depends are needed.
        **parameters : float
            Values of parameters by their names. The default is the values of the mechanism.

        Returns
        -------
        float
            The value.

        Raises
        ------
        ArgumentError
            The formula depends on rates that are not given.

        Examples
        --------
        >>> import lagrangian as lg
        >>> G = lg.derive("two_r").G
        >>> round(G[1].evaluate([0.3, 0.8]), 3)
        32.314
        >>> round(G[1].evaluate([0.3, 0.8], m2=1.0), 3)
        2.594
        """
        self._check_state(q, qd, qdd)
        given = self.writer.values(q, qd, qdd, parameters)
        result = value_of(self.element, given)
        return result if self.denominator is None else result / value_of(self.denominator, given)

    def _check_state(
        self, q: Sequence[float] | np.ndarray, qd: Sequence[float] | np.ndarray, qdd: Sequence[float] | np.ndarray
    ) -> None:
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
            raise ArgumentError(f"the formula depends on {', '.join(self.names)}; give them values with evaluate or subs")
        return self.evaluate()

    @property
    def is_zero(self) -> bool:
        """Whether the formula is exactly zero, for every configuration and every parameter."""
        return not self.element

    @property
    def names(self) -> tuple[str, ...]:
        """Names on which the formula depends: coordinates, rates as they are printed (qd1 or qd_alpha), and parameters."""
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
        """Differentiate the formula.

        Parameters
        ----------
        name : str or int
            The name of a coordinate, speed, acceleration or parameter, or the index of a coordinate. `"t"` is the time derivative
            along the motion.

        Returns
        -------
        Formula
            The derivative.

        Examples
        --------
        >>> import lagrangian as lg
        >>> eom = lg.derive("two_r")
        >>> eom.M[0, 1].diff("theta2")
        -m2*l1*r2*s2
        >>> L = eom.lagrangian
        >>> L.diff("theta1'").diff("t") - L.diff("theta1") == eom.tau[0]
        True
        """
        return calculus.derivative(self, name)

    def subs(self, values: Mapping[str, FormulaLike] | None = None, /, **others: FormulaLike) -> Formula:
        """Replace names by numbers, texts or formulas, all at once.

        Rates are names of their own: if you replace a coordinate by a constant, its speed stays unless you replace it as well.

        Parameters
        ----------
        values : mapping of str to number, str or Formula, optional
            What takes the place of each name.
        **others : number, str or Formula
            The same as keywords.

        Returns
        -------
        Formula
            The new formula.

        Examples
        --------
        >>> import lagrangian as lg
        >>> M = lg.derive("two_r").M
        >>> M[0, 1].subs(theta2="pi/2", r2="l1/2")
        m2*l1^2/4 + I2
        >>> M[0, 1].subs({"I2": 0})
        m2*(r2^2 + l1*r2*c2)
        """
        return calculus.substituted(self, {**(values or {}), **others})

    def expand(self) -> Formula:
        """Multiply the formula out.

        Returns
        -------
        Formula
            The same formula, written as a sum of products.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.derive("two_r").M[0, 1].expand()
        m2*r2^2 + m2*r2*l1*c2 + I2
        """
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

    def read(self, x: FormulaLike) -> Formula:
        """Read a number, a text or a SymPy expression as a formula of the same equations.

        Parameters
        ----------
        x : number, str or SymPy expression
            What to read. A text is written as formulas are printed: `"m2*l1*cos(theta2)"`.

        Returns
        -------
        Formula
            The formula.

        Raises
        ------
        ArgumentError
            The text cannot be read, or a name in it is not in the equations. The message gives the column.

        Examples
        --------
        >>> import lagrangian as lg
        >>> lg.derive("two_r").M[0, 0].read("l1*(cos(theta1)^2 + sin(theta1)^2)")
        l1
        """
        family = self.writer.family
        writer, (above, below) = family.quotient(family.node(x))
        return Formula.quotient(writer, above, below)

    @staticmethod
    def quotient(writer: Writer, above: Element, below: Element) -> Formula:
        """Return a quotient without the factors that its two parts share.

        Parameters
        ----------
        writer : Writer
            The object that writes the formula.
        above, below : Element
            Numerator and denominator.

        Returns
        -------
        Formula
            The quotient.
        """
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
            raise ArgumentError(f"the exponent of a formula must be a whole number; it is {exponent!r}")
        if exponent < 0:
            return 1 / self**-exponent
        below = None if self.denominator is None else self.denominator**exponent
        return Formula(self.writer, self.element**exponent, below)

    def read_back(self) -> bool:
        """Whether the formula as written is exactly the element from which it was written.

        The written form is evaluated in the polynomial ring and compared.

        Returns
        -------
        bool
            True if they are the same.
        """
        same = self.writer.read(self.tree) == self.element
        return same and (self.denominator is None or self.writer.read(self.tree_below) == self.denominator)

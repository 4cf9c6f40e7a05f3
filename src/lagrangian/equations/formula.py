"""A formula, as users hold it: exact inside, readable outside; with its derivatives, and with other things in place of names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any, Union

from lagrangian.equations import comparison
from lagrangian.equations.algebra.numbers import evaluate_element
from lagrangian.equations.algebra.ring import RationalFunction, RingElement, Symbol, content
from lagrangian.equations.reading.system import NUMBER_MEANING
from lagrangian.equations.texts.evaluation import embed
from lagrangian.equations.texts.node import FormulaNode, SymbolReference, expression_to_node, number_node, reference_node
from lagrangian.equations.texts.reader import FormulaNames
from lagrangian.equations.writing import printers
from lagrangian.equations.writing.printers import break_lines
from lagrangian.equations.writing.tree import Name, Power, Product, Sum, Tree, count_operators, distribute
from lagrangian.equations.writing.writer import FormulaWriter
from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.model.expression import Expression, Scalar, call, symbol
from lagrangian.model.expression.derivative import derivative

if TYPE_CHECKING:
    import numpy as np


# formulas and matrices with more terms than this are not typeset in a notebook, which would take too long
MAX_NOTEBOOK_TERMS = 400
_STATE_KINDS = ("coordinate", "speed", "acceleration")

FormulaLike = Union[str, float, Fraction, Expression, "Formula"]
"""A number, a text as formulas are printed, a formula, or a SymPy expression."""


ReferenceKey = tuple[str, int | str]  # what a name stands for: a kind and the index of a coordinate, or a generator's name


class Formula:
    """An exact expression: a polynomial in sines, cosines, coordinates, rates and parameters, or a quotient of two.

    Equations are made of formulas. `str` writes a formula as plain text and notebooks typeset it. Arithmetic with formulas,
    numbers, texts and SymPy expressions gives formulas. `==` decides equality by proof, for all motions and all parameters.

    Attributes
    ----------
    writer : FormulaWriter
        The object that writes the formula; it knows the names of the equations.
    element : RingElement
        The numerator, as an element of a polynomial ring.
    denominator : RingElement or None
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

    __slots__ = ("_denominator_tree", "_make_tree", "_tree", "denominator", "element", "writer")

    def __init__(
        self,
        writer: FormulaWriter,
        element: RingElement,
        denominator: RingElement | None = None,
        tree: Callable[[], Tree] | None = None,
    ) -> None:
        """`tree` makes the form in which the formula is written; without it the writer finds one."""
        self.writer, self.element = writer, element
        if denominator is not None and denominator.poly.is_constant():
            self.element, denominator = element / denominator, None
        self.denominator = denominator
        self._make_tree = tree
        self._tree: Tree | None = None
        self._denominator_tree: Tree | None = None

    # -- reading -----------------------------------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        """The formula as it is written; for a quotient, the numerator."""
        if self._tree is None:
            self._tree = self.writer.write(self.element) if self._make_tree is None else self._make_tree()
        return self._tree

    @property
    def denominator_tree(self) -> Tree:
        """The denominator as it is written."""
        if self._denominator_tree is None:
            self._denominator_tree = Product(Fraction(1)) if self.denominator is None else self.writer.write(self.denominator)
        return self._denominator_tree

    @property
    def operator_count(self) -> int:
        """Number of operators (+ - * / and powers) in the written formula."""
        denominator_count = 0 if self.denominator is None else 1 + count_operators(self.denominator_tree)
        return count_operators(self.tree) + denominator_count

    @property
    def term_count(self) -> int:
        """Number of terms when the formula is multiplied out."""
        return self.element.term_count

    def to_string(self, style: printers.FormulaStyle) -> str:
        """Write the formula in a style.

        Parameters
        ----------
        style : FormulaStyle
            How names, products and powers are written.

        Returns
        -------
        str
            The text.
        """
        numerator = style.write(self.tree)
        if self.denominator is None:
            return numerator
        denominator, denominator_tree = style.write(self.denominator_tree), self.denominator_tree
        simple = isinstance(denominator_tree.base if isinstance(denominator_tree, Power) else denominator_tree, Name)
        return style.fraction(
            style.brackets(numerator) if isinstance(self.tree, Sum) else numerator,
            denominator if simple else style.brackets(denominator),
        )

    def __str__(self) -> str:
        return self.to_string(printers.plain_style(self.writer.notation))

    def __repr__(self) -> str:
        plain_text = str(self)
        return plain_text if len(plain_text) <= 400 else f"{plain_text[:380]}... ({self.operator_count} operators)"

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
        return self.to_string(printers.unicode_style(self.writer.notation, printers.NumberFormat(digits)))

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
        return self.typeset(printers.latex_style(self.writer.notation, printers.NumberFormat(digits)))

    def typeset(self, style: printers.FormulaStyle) -> str:
        """Write the formula in a LaTeX style.

        Parameters
        ----------
        style : FormulaStyle
            How names, products and powers are written.

        Returns
        -------
        str
            The LaTeX source.
        """
        if self.denominator is None:
            return style.write(self.tree)
        return rf"\frac{{{style.write(self.tree)}}}{{{style.write(self.denominator_tree)}}}"

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
        return printers.math_element("".join(self.pieces(printers.MathML(self.writer.notation, printers.NumberFormat(digits)))))

    def pieces(self, style: printers.MathML) -> list[str]:
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
        return [f"<mfrac>{style.row(self.tree)}{style.row(self.denominator_tree)}</mfrac>"]

    def _repr_latex_(self) -> str:
        if self.term_count > MAX_NOTEBOOK_TERMS:
            return rf"$\text{{a formula of {self.term_count} terms; print() writes it}}$"
        first, *later_rows = break_lines("", self.latex(6))
        if not later_rows:
            return f"$\\displaystyle {self.latex(6)}$"
        rows = [first.replace("&=", "&", 1).strip(), *later_rows]
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
        from lagrangian.equations.writing.sympy_export import SympyExporter

        return SympyExporter(self.writer, dynamic).convert_formula(self)

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
        values = self.writer.values(q, qd, qdd, parameters)
        result = evaluate_element(self.element, values)
        return result if self.denominator is None else result / evaluate_element(self.denominator, values)

    def _check_state(
        self, q: Sequence[float] | np.ndarray, qd: Sequence[float] | np.ndarray, qdd: Sequence[float] | np.ndarray
    ) -> None:
        """Raise an error if the formula depends on a part of the state that is not given: a rate left out is no rate of zero."""
        argument_of_kind = {"sine": "q", "cosine": "q", "coordinate": "q", "speed": "qd", "sign": "qd", "acceleration": "qdd"}
        counts = {"q": len(q), "qd": len(qd), "qdd": len(qdd)}
        for element in (self.element, self.denominator):
            degrees = element.poly.degrees() if element is not None else ()
            for k, (degree, generator) in enumerate(zip(degrees, self.element.ring.symbols, strict=False)):
                name = argument_of_kind.get(generator.kind)
                if degree > 0 and name and not counts[name]:
                    printed_name = self.writer.notation.plain(self.writer.names[k])
                    raise ArgumentError(f"evaluate: the formula depends on {printed_name}, and {name} is not given")

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
        return formula_names(self)

    # -- comparison --------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """A proof, with a number, a text, a SymPy expression or another formula: the difference is exactly zero, or is not.

        A text that cannot be read raises an error.
        """
        if isinstance(other, Formula) and other.writer.family is not self.writer.family:
            return False
        x = self._as_operand(other)
        return NotImplemented if x is None else comparison.are_equal(self, x)

    def __hash__(self) -> int:
        return comparison.canonical_hash(self)

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
        return differentiate(self, name)

    def subs(self, values: Mapping[str, FormulaLike] | None = None, /, **replacements: FormulaLike) -> Formula:
        """Replace names by numbers, texts or formulas, all at once.

        Rates are names of their own: if you replace a coordinate by a constant, its speed stays unless you replace it as well.

        Parameters
        ----------
        values : mapping of str to number, str or Formula, optional
            What takes the place of each name.
        **replacements : number, str or Formula
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
        return substitute_generators(self, {**(values or {}), **replacements})

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
        expanded = Formula(self.writer, self.element, self.denominator)
        expanded._tree = distribute(self.tree)
        return expanded

    # -- arithmetic --------------------------------------------------------------------------------------------------

    def _as_operand(self, x: Any) -> Formula | None:
        """An operand as a formula of the same family; None if it is none."""
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
        writer, (numerator, denominator) = family.quotient(family.to_node(x))
        return Formula.quotient(writer, numerator, denominator)

    @staticmethod
    def quotient(writer: FormulaWriter, numerator: RingElement, denominator: RingElement) -> Formula:
        """Return a quotient without the factors that its two parts share.

        Parameters
        ----------
        writer : FormulaWriter
            The object that writes the formula.
        numerator, denominator : RingElement
            Numerator and denominator.

        Returns
        -------
        Formula
            The quotient.
        """
        if not denominator.poly.is_constant() and numerator:
            shared = numerator.poly.gcd(denominator.poly)
            if not shared.is_constant():
                numerator, denominator = (RingElement(x.ring, divmod(x.poly, shared)[0]) for x in (numerator, denominator))
            factor = content(denominator.poly)
            numerator, denominator = numerator / factor, denominator / factor
        return Formula(writer, numerator, denominator if numerator else None)

    def _over_common_ring(self, other: Any) -> tuple[FormulaWriter, RingElement, RingElement, RingElement, RingElement] | None:
        """This formula and another one in one ring: the writer, both numerators and denominators; None if it is no formula."""
        x = self._as_operand(other)
        if x is None:
            return None
        writer = self.writer if self.writer is x.writer else self.writer.family.wider_writer(self.writer, x.writer)
        ring = writer.system.ring
        (a, b), (c, d) = (
            (embed(f.element, ring), ring.one if f.denominator is None else embed(f.denominator, ring)) for f in (self, x)
        )
        return writer, a, b, c, d

    def _add(self, other: Any, sign: int) -> Any:
        common = self._over_common_ring(other)
        if common is None:
            return NotImplemented
        writer, a, b, c, d = common
        if b.poly == d.poly:
            return Formula.quotient(writer, a + sign * c, b)
        return Formula.quotient(writer, a.ring(a * d) + sign * a.ring(c * b), a.ring(b * d))

    def __add__(self, other: Any) -> Any:
        return self._add(other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._add(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __neg__(self) -> Formula:
        return Formula(self.writer, -self.element, self.denominator)

    def __pos__(self) -> Formula:
        return self

    def __mul__(self, other: Any) -> Any:
        common = self._over_common_ring(other)
        if common is None:
            return NotImplemented
        writer, a, b, c, d = common
        return Formula.quotient(writer, a.ring(a * c), a.ring(b * d))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        common = self._over_common_ring(other)
        if common is None:
            return NotImplemented
        writer, a, b, c, d = common
        if not c:
            raise ZeroDivisionError("division by a formula that is zero")
        return Formula.quotient(writer, a.ring(a * d), a.ring(b * c))

    def __rtruediv__(self, other: Any) -> Any:
        x = self._as_operand(other)
        return NotImplemented if x is None else x / self

    def __pow__(self, exponent: int) -> Formula:
        if isinstance(exponent, bool) or not isinstance(exponent, int):
            raise ArgumentError(f"the exponent of a formula must be a whole number; it is {exponent!r}")
        if exponent < 0:
            return 1 / self**-exponent
        denominator = None if self.denominator is None else self.denominator**exponent
        return Formula(self.writer, self.element**exponent, denominator)

    def round_trips(self) -> bool:
        """Whether the formula as written is exactly the element from which it was written.

        The written form is evaluated in the polynomial ring and compared.

        Returns
        -------
        bool
            True if they are the same.
        """
        same = self.writer.to_element(self.tree) == self.element
        return same and (self.denominator is None or self.writer.to_element(self.denominator_tree) == self.denominator)


# -- what a formula depends on -----------------------------------------------------------------------------------------


def reference_key(x: SymbolReference) -> ReferenceKey:
    return (x.kind, x.index) if x.kind != "symbol" else ("symbol", x.name)


def generator_dependencies(writer: FormulaWriter, generator: Symbol) -> set[ReferenceKey]:
    """The references that a generator depends on: itself, or all that a function is made of."""
    if generator.kind in (*_STATE_KINDS, "sign"):
        return {("speed" if generator.kind == "sign" else generator.kind, generator.index)}
    if generator.kind in ("sine", "cosine"):
        return {("coordinate", k) for k, _ in generator.angle}
    square = writer.system.scalars.lengths.get(generator.name)
    if square is not None:
        return element_dependencies(writer, square.square)
    inside = _defining_expression(writer, generator)
    if inside is not None:
        return {
            reference_key(x) for x in expression_to_node(inside, FormulaNames(writer).resolve_symbol).references if x.name != "pi"
        }
    return set() if generator.meaning in (NUMBER_MEANING, "pi") else {("symbol", generator.name)}


def element_dependencies(writer: FormulaWriter, x: RingElement) -> set[ReferenceKey]:
    keys: set[ReferenceKey] = set()
    for generator, degree in zip(x.ring.symbols, x.poly.degrees(), strict=True):
        if degree > 0:
            keys |= generator_dependencies(writer, generator)
    return keys


def _defining_expression(writer: FormulaWriter, generator: Symbol) -> Scalar | None:
    """The expression that a generator is a function of; None if it is none."""
    scalars = writer.system.scalars
    if generator.name in scalars.function_generators:
        expression: Scalar = scalars.function_generators[generator.name][1]
        return expression
    angle = scalars.angles.constant_angles.get(generator.name)
    return None if angle is None else call("sin" if generator.kind == "constant_sine" else "cos", angle)


def formula_names(formula: Formula) -> tuple[str, ...]:
    """Coordinates by their names, rates as they are printed, then the rest in the order of the ring."""
    writer = formula.writer
    keys = element_dependencies(writer, formula.element)
    if formula.denominator is not None:
        keys |= element_dependencies(writer, formula.denominator)
    # c2 is made of c1 and c12, but does not change with q1
    unchanging = {("coordinate", k) for kind, k in keys if kind == "coordinate" and formula.diff(int(k)).is_zero}
    state = sorted((_STATE_KINDS.index(kind), int(k)) for kind, k in keys - unchanging if kind in _STATE_KINDS)
    coordinates, order = writer.system.coordinates, writer.system.ring.generator_index
    rates = {(o, k): writer.names[order[f"q{'d' * o}{k + 1}"]] for o, k in state}
    state_names = [coordinates[k] if o == 0 else writer.notation.plain(rates[o, k]) for o, k in state]
    parameters = sorted((str(name) for kind, name in keys if kind == "symbol"), key=lambda x: (order.get(x, len(order)), x))
    return (*state_names, *(writer.names[order[x]] if x in order else x for x in parameters))


def _resolve_name(formula: Formula, name: Any) -> SymbolReference:
    """The reference that a name stands for, by which a derivative is taken or which is replaced."""
    writer = formula.writer.family.writers[-1]
    known_names = FormulaNames(writer)
    if isinstance(name, int) and not isinstance(name, bool):
        n = writer.system.n
        if not -n <= name < n:
            raise ArgumentError(f"there are {n} coordinates, numbered from 0; {name} is out of range")
        return SymbolReference("coordinate", index=name % n)
    word = str(name)
    if word not in known_names:
        raise ArgumentError(unknown_name_message("name", word, known_names))
    node = known_names[word]
    if node.operation != "reference" or node.parts[0].kind not in (*_STATE_KINDS, "symbol") or node.parts[0].name == "pi":
        raise ArgumentError(f"{word!r} stands for a formula; name a coordinate, a rate or a parameter")
    reference: SymbolReference = node.parts[0]
    return reference


# -- derivatives -------------------------------------------------------------------------------------------------------


def differentiate(formula: Formula, name: Any) -> Formula:
    """The derivative by a name; by "t", the time derivative along the motion."""
    x = _resolve_name(formula, name)
    differentiate_element = _time_derivative if x.kind == "symbol" and x.name == "t" else _partial_derivative
    numerator_derivative = differentiate_element(formula, formula.element, x)
    if formula.denominator is None:
        return numerator_derivative
    numerator, denominator = _as_formula(formula, formula.element), _as_formula(formula, formula.denominator)
    denominator_derivative = differentiate_element(formula, formula.denominator, x)
    return (numerator_derivative * denominator - numerator * denominator_derivative) / (denominator * denominator)


def _as_formula(formula: Formula, element: RingElement) -> Formula:
    return Formula(formula.writer, element)


def _time_derivative(formula: Formula, x: RingElement, _: SymbolReference) -> Formula:
    """d/dt = sum d/dq_k q'_k + sum d/dq'_k q''_k + the explicit dependence on t."""
    ring, n = x.ring, formula.writer.system.n
    total = ring.derivative(x, n)
    for k in range(n):
        if x.poly.degrees()[ring.generator_index[f"qdd{k + 1}"]] > 0:
            raise ArgumentError(f"the formula depends on qdd{k + 1}, whose time derivative is not available")
        total = total + ring(ring.derivative(x, k) * ring.generator(f"qd{k + 1}"))
        total = total + ring(ring.partial_derivative(x, f"qd{k + 1}") * ring.generator(f"qdd{k + 1}"))
    return _as_formula(formula, total)


def _partial_derivative(formula: Formula, x: RingElement, variable: SymbolReference) -> Formula:
    ring = x.ring
    if variable.kind == "coordinate":
        return _as_formula(formula, ring.derivative(x, variable.index))
    if variable.kind != "symbol":
        return _as_formula(
            formula, ring.partial_derivative(x, f"{'qd' if variable.kind == 'speed' else 'qdd'}{variable.index + 1}")
        )
    total = _as_formula(
        formula, ring.partial_derivative(x, variable.name) if variable.name in ring.generator_index else ring.zero
    )
    for generator, degree in zip(ring.symbols, x.poly.degrees(), strict=True):
        if (
            degree > 0
            and generator.name != variable.name
            and reference_key(variable) in generator_dependencies(formula.writer, generator)
        ):
            total = total + _as_formula(formula, ring.partial_derivative(x, generator.name)) * _generator_derivative(
                formula, generator, variable
            )
    return total


def _generator_derivative(formula: Formula, generator: Symbol, variable: SymbolReference) -> Formula:
    """The derivative of a function, which is a generator, by a parameter in it."""
    writer, ring = formula.writer, formula.element.ring
    length = writer.system.scalars.lengths.get(generator.name)
    if length is not None:  # length' = (length^2)' / (2 length), and (1/length)' = -length' / length^2
        itself = _as_formula(formula, ring.generator(generator.name))
        change = _partial_derivative(formula, length.square, variable) / 2
        return change / itself if generator.kind == "root" else -change * itself**3
    expression = _defining_expression(writer, generator)
    expression_derivative = derivative(_as_variable(expression, variable.name), variable.name)  # type: ignore[arg-type]
    node = expression_to_node(
        expression_derivative, lambda x: variable if x.name == variable.name else FormulaNames(writer).resolve_symbol(x)
    )
    quotient_writer, quotient = writer.family.quotient(node)
    return Formula.quotient(quotient_writer, *quotient)


def _as_variable(x: Scalar, name: str) -> Scalar:
    """An expression with a name as a variable, by which a derivative can be taken."""
    if not isinstance(x, Expression) or x.operation in ("pi", "number"):
        return x
    if x.operation == "symbol":
        return symbol(name) if x.name == name else x
    return call(x.operation, *(_as_variable(a, name) for a in x.arguments))


# -- other things in place of names ------------------------------------------------------------------------------------


def substitute_generators(formula: Formula, values: Mapping[Any, Any]) -> Formula:
    """Values in place of names, all at once: every generator that depends on a replaced name is made again of its new parts."""
    replacement_nodes = {reference_key(_resolve_name(formula, name)): _value_node(formula, x) for name, x in values.items()}
    family = formula.writer.family
    parts: dict[int, tuple[FormulaWriter, RationalFunction]] = {}
    for k, generator in enumerate(formula.element.ring.symbols):
        used = any(x is not None and x.poly.degrees()[k] > 0 for x in (formula.element, formula.denominator))
        if used and generator_dependencies(formula.writer, generator) & set(replacement_nodes):
            parts[k] = family.quotient(_replace_references(_generator_node(formula.writer, generator), replacement_nodes))
    if not parts:
        return formula
    writer = formula.writer
    for other, _ in parts.values():
        writer = family.wider_writer(writer, other)
    ring = writer.system.ring
    replacements = {k: (embed(numerator, ring), embed(denominator, ring)) for k, (_, (numerator, denominator)) in parts.items()}
    numerator_formula = _compose(writer, formula.element, replacements)
    if formula.denominator is None:
        return numerator_formula
    return numerator_formula / _compose(writer, formula.denominator, replacements)


def _value_node(formula: Formula, x: Any) -> FormulaNode:
    """A value that takes the place of a name, as a node."""
    if not isinstance(x, Formula):
        return formula.writer.family.to_node(x)
    formula._as_operand(x)  # which must be of the same equations
    numerator = _element_node(x.writer, x.element)
    return (
        numerator
        if x.denominator is None
        else FormulaNode("*", numerator, FormulaNode("inverse", _element_node(x.writer, x.denominator)))
    )


def _element_node(writer: FormulaWriter, x: RingElement) -> FormulaNode:
    terms = []
    for monomial, c in x.poly.terms():
        factors = [number_node(Fraction(int(c.numerator), int(c.denominator)))]
        for k, e in enumerate(monomial):
            if e:
                factors.append(FormulaNode("^", _generator_node(writer, x.ring.symbols[k]), number_node(int(e))))
        terms.append(FormulaNode("*", *factors))
    return FormulaNode("+", *terms) if terms else number_node(0)


def _generator_node(writer: FormulaWriter, generator: Symbol) -> FormulaNode:
    """The node that a generator stands for, which shows everything that it depends on."""
    if generator.kind in (*_STATE_KINDS, "sign"):
        return reference_node(SymbolReference(generator.kind, generator.name, generator.index))
    if generator.kind in ("sine", "cosine"):
        terms = [
            FormulaNode("*", number_node(e), reference_node(SymbolReference("coordinate", f"q{k + 1}", k)))
            for k, e in generator.angle
        ]
        return FormulaNode("sin" if generator.kind == "sine" else "cos", FormulaNode("+", *terms))
    length = writer.system.scalars.lengths.get(generator.name)
    if length is not None:
        root = FormulaNode("sqrt", _element_node(writer, length.square))
        return root if generator.kind == "root" else FormulaNode("inverse", root)
    expression = _defining_expression(writer, generator)
    if expression is not None:
        return expression_to_node(expression, FormulaNames(writer).resolve_symbol)
    if generator.meaning == NUMBER_MEANING:
        return number_node(str(generator.value))
    return reference_node(SymbolReference("symbol", generator.name, value=generator.value))


def _replace_references(node: FormulaNode, values: Mapping[ReferenceKey, FormulaNode]) -> FormulaNode:
    if node.operation == "number":
        return node
    if node.operation == "reference":
        x: SymbolReference = node.parts[0]
        if x.kind == "sign" and ("speed", x.index) in values:
            return FormulaNode("sign", values["speed", x.index])
        return values.get(reference_key(x), node)
    return FormulaNode(node.operation, *(_replace_references(part, values) for part in node.parts))


def _compose(writer: FormulaWriter, x: RingElement, replacements: Mapping[int, RationalFunction]) -> Formula:
    """A polynomial with quotients in place of generators, over the powers of their denominators that it needs."""
    ring = writer.system.ring
    images = [ring.generators[ring.generator_index[s.name]] for s in x.ring.symbols]
    degrees = x.poly.degrees()
    if all(denominator.poly.is_constant() for _, denominator in replacements.values()):
        for k, (numerator, denominator) in replacements.items():
            images[k] = (numerator / denominator).poly
        return Formula.quotient(writer, RingElement(ring, ring.reduce(x.poly.compose(*images, ctx=ring.context))), ring.one)
    groups: dict[tuple[int, ...], dict[Any, Any]] = {}
    for monomial, c in x.poly.terms():
        powers = tuple(int(monomial[k]) for k in replacements)
        groups.setdefault(powers, {})[tuple(0 if k in replacements else e for k, e in enumerate(monomial))] = c
    total = ring.zero
    for powers, terms in groups.items():
        part = RingElement(ring, x.ring.context.from_dict(terms).compose(*images, ctx=ring.context))
        for e, (k, (numerator, denominator)) in zip(powers, replacements.items(), strict=True):
            part = ring(part * numerator**e * denominator ** (max(degrees[k], 0) - e))
        total = total + part
    common_denominator = ring.one
    for k, (_, denominator) in replacements.items():
        common_denominator = ring(common_denominator * denominator ** max(degrees[k], 0))
    return Formula.quotient(writer, total, common_denominator)

"""Formulas of the closed form in C: the same names, the same order, the same brackets.

A parameter is a field of the struct. What else a formula names becomes a local constant: cosines and sines, coordinates and
rates, roots and lengths. They are kept, in the order in which a reader looks for them, and stand above the formulas.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from lagrangian.closed_form.equations import EquationsOfMotion
from lagrangian.equations.algebra.numbers import as_float
from lagrangian.equations.algebra.ring import Symbol
from lagrangian.equations.formula import Formula
from lagrangian.equations.reading.system import NUMBER_MEANING
from lagrangian.equations.writing.printers import NumberFormat
from lagrangian.equations.writing.tree import ONE, Name, Power, Product, Sum, Tree, is_negative
from lagrangian.exports.source.identifiers import IdentifierTable, transliterate
from lagrangian.exports.source.language import ATOM, PRODUCT, ExpressionText
from lagrangian.exports.targets.c import CLanguage
from lagrangian.model.expression import Expression, Scalar, free_symbols

# digits up to which both parts of a fraction are exact as they are written
MAX_EXACT_DIGITS = 15
# where locals of a kind stand: fixed numbers, the state, its cosines and sines, and what is made of them
FIXED, STATE, ANGLE, DERIVED = range(4)
_STATES = {"coordinate": "q", "speed": "qd", "acceleration": "qdd"}


class LocalConstant(NamedTuple):
    """A constant of a function: where it stands among others, its name, its value, and the formula it is known by, if any."""

    order: tuple[Any, ...]
    name: str
    text: str
    formula: str = ""


class FormulaPrinter:
    """`fields` are the struct's, by the names of parameters; `reserved` are names that locals must not have."""

    def __init__(self, eom: EquationsOfMotion, language: CLanguage, fields: Mapping[str, str], reserved: Iterable[str]) -> None:
        self.eom, self.language, self.fields = eom, language, fields
        self._names = IdentifierTable((*language.keywords, *reserved))
        self._texts_by_name: dict[str, ExpressionText] = {}
        self._local_constants: list[LocalConstant] = []

    @property
    def local_constants(self) -> list[LocalConstant]:
        """The constants of all formulas written so far, each after those that it is made of."""
        return sorted(self._local_constants, key=lambda local: local.order)

    # -- formulas ------------------------------------------------------------------------------------------------------

    def formula(self, formula: Formula) -> str:
        """A formula as an expression."""
        top = self._tree(formula.tree)
        return (top if formula.denominator is None else self._operation("div", top, self._tree(formula.denominator_tree))).text

    def scalar(self, x: Scalar) -> str:
        """A number of the description, or an expression of it."""
        return self._expression(x).text

    def _tree(self, tree: Tree) -> ExpressionText:
        if isinstance(tree, Sum):
            return self._sum(tree)
        if isinstance(tree, Product):
            text = self._product(abs(tree.coefficient), tree.factors)
            return ExpressionText(f"-{text.in_context(PRODUCT)}", min(text.precedence, PRODUCT)) if is_negative(tree) else text
        if self._denominator_factor(tree) is not None:
            return self._product(ONE, (tree,))
        return self._multiply(self._factors(tree)) if isinstance(tree, Power) else self._name(tree.name)

    def _factors(self, tree: Tree) -> list[ExpressionText]:
        """A power as its factors."""
        return self._power(self._tree(tree.base), tree.exponent) if isinstance(tree, Power) else [self._tree(tree)]

    def _power(self, base: ExpressionText, exponent: int) -> list[ExpressionText]:
        """Factors: of a name, itself so many times; what is longer is not written twice."""
        if base.precedence == ATOM and base.text.replace("->", "").isidentifier():
            return [base] * exponent
        return [ExpressionText(f"pow{self.language.suffix}({base.text}, {self.language.number(exponent)})")]

    def _sum(self, tree: Sum) -> ExpressionText:
        text = self._tree(tree.terms[0])
        for term in tree.terms[1:]:
            if isinstance(term, Product) and is_negative(term):
                text = self._operation("sub", text, self._product(-term.coefficient, term.factors))
            else:
                text = self._operation("add", text, self._tree(term))
        return text

    def _product(self, coefficient: Fraction, factors: Iterable[Tree]) -> ExpressionText:
        """A positive number times factors, those that are inverses below the line."""
        top, bottom = self._fraction(coefficient)
        above = [text for f in factors if self._denominator_factor(f) is None for text in self._factors(f)]
        below = [text for f in factors if (text := self._denominator_factor(f)) is not None]
        if top != 1 or not above:
            above.insert(0, ExpressionText(self.language.number(top)))
        if bottom != 1:
            below.insert(0, ExpressionText(self.language.number(bottom)))
        return self._operation("div", self._multiply(above), self._multiply(below)) if below else self._multiply(above)

    @staticmethod
    def _fraction(c: Fraction) -> tuple[float, float]:
        """A number as the formula has it: a decimal, or what multiplies and what divides."""
        top, bottom = NumberFormat().fraction_parts(c) if c else ("0", "")
        if max(len(top), len(bottom)) > MAX_EXACT_DIGITS:
            return as_float(c), 1.0
        return float(top or 1), float(bottom or 1)

    def _multiply(self, factors: list[ExpressionText]) -> ExpressionText:
        text = factors[0]
        for factor in factors[1:]:
            text = self._operation("mul", text, factor)
        return text

    def _operation(self, operation: str, *operands: ExpressionText) -> ExpressionText:
        return self.language.formula(operation, operands)

    def _denominator_factor(self, tree: Tree) -> ExpressionText | None:
        """The text that a factor contributes to the denominator; None if it belongs to the numerator."""
        base, exponent = (tree.base, tree.exponent) if isinstance(tree, Power) else (tree, 1)
        symbol = self.eom.notation.symbol(base.name) if isinstance(base, Name) else None
        if symbol is None or symbol.kind != "inverse":
            return None
        scalars = self.eom.system.scalars
        if symbol.name in scalars.lengths:
            text = self._length(symbol.name)
        else:
            text = self._expression(scalars.function_generators[symbol.name][1].arguments[1])
        return self._multiply(self._power(text, exponent)) if exponent > 1 else text

    # -- names ---------------------------------------------------------------------------------------------------------

    def _name(self, name: str) -> ExpressionText:
        if name not in self._texts_by_name:
            symbol = self.eom.notation.symbol(name)
            if symbol is None or symbol.kind in ("sine", "cosine"):
                self._texts_by_name[name] = self._angle(name)
            else:
                self._texts_by_name[name] = self._symbol(name, symbol)
        return self._texts_by_name[name]

    def _symbol(self, name: str, symbol: Symbol) -> ExpressionText:
        scalars, plain_name = self.eom.system.scalars, self.eom.notation.plain(name)
        match symbol.kind:
            case "coordinate" | "speed" | "acceleration":
                array = _STATES[symbol.kind]
                return self._add_local((STATE, len(array), symbol.index), plain_name, f"{array}[{symbol.index}]")
            case "sign":
                return self._add_local((STATE, 9, symbol.index), plain_name, self._sign(f"qd[{symbol.index}]"))
            case "time":
                return ExpressionText("t")
            case "parameter" | "inertial" if symbol.meaning == NUMBER_MEANING:
                return ExpressionText(self.language.number(float(Fraction(name.strip("()")))))
            case "parameter" | "inertial":
                return self._parameter(symbol.meaning or name, symbol.value)
            case "constant_sine" | "constant_cosine":
                function = "sin" if symbol.kind == "constant_sine" else "cos"
                return self._constant(name, self._operation(function, self._expression(scalars.angles.constant_angles[name])))
            case "drive":
                return self._constant(name, self._expression(scalars.drives[name]))
        if symbol.name in scalars.lengths:
            return self._length(symbol.name)
        return self._constant(name, self._expression(scalars.function_generators[symbol.name][1]))

    def _parameter(self, name: str, value: float | None) -> ExpressionText:
        """A field of the struct; what is none, such as pi, is a local."""
        if name in self.fields:
            return ExpressionText(f"p->{self.fields[name]}")
        key = f"parameter {name}"
        if key not in self._texts_by_name:
            self._texts_by_name[key] = self._add_local(
                (FIXED, name), name, self.language.number(math.nan if value is None else value)
            )
        return self._texts_by_name[key]

    def _angle(self, name: str) -> ExpressionText:
        """The cosine or sine of a sum of coordinates; the short name, or `cos_q1_minus_q2` where it is written in full."""
        notation = self.eom.notation
        kind, angle = self.eom.writer.angle_of(name)
        total: ExpressionText | None = None
        for k, times in angle:
            term = ExpressionText(f"q[{k}]")
            term = term if abs(times) == 1 else self._operation("mul", ExpressionText(self.language.number(abs(times))), term)
            if total is None:
                total = term if times > 0 else self._operation("neg", term)
            else:
                total = self._operation("add" if times > 0 else "sub", total, term)
        assert total is not None
        word = notation.meaning(name).replace(" - ", "_minus_") if notation.is_written_in_full(name) else name
        function = "sin" if kind == "sine" else "cos"
        return self._add_local((ANGLE, len(angle), angle, function), word, self._operation(function, total).text)

    def _sign(self, x: str) -> str:
        minus, zero, one = (self.language.number(k) for k in (-1.0, 0.0, 1.0))
        return f"{x} > {zero} ? {one} : {x} < {zero} ? {minus} : {zero}"

    def _length(self, name: str) -> ExpressionText:
        """A length that is the root of its square; its inverse is known by the same local."""
        length = self.eom.system.scalars.lengths[name]
        word = f"{length.quantity}({length.owner})"
        if word not in self._texts_by_name:
            square = Formula(self.eom.writer, length.square)
            text = self._operation("sqrt", ExpressionText(self.formula(square)))
            self._texts_by_name[word] = self._add_local(
                (DERIVED, len(self._local_constants)), word, text.text, f"{word} = sqrt({square})"
            )
        return self._texts_by_name[word]

    def _constant(self, name: str, text: ExpressionText) -> ExpressionText:
        """What the formula has as a root, a function, or a cosine of a constant: in its place if it is short, else a local."""
        if "p->" not in text.text and "[" not in text.text and len(text.text) < 20:
            return text
        return self._add_local((DERIVED, len(self._local_constants)), self._short_name(name), text.text, name)

    def _short_name(self, name: str) -> str:
        """A short name for a function of much: root1."""
        if len(name) <= 16:
            return name
        head = name.partition("(")[0]
        count = 1 + sum(local.name.startswith(f"{head}_") for local in self._local_constants)
        return f"{head if head.isalpha() else 'value'}_{count}"

    def _add_local(self, order: tuple[Any, ...], name: str, text: str, formula: str = "") -> ExpressionText:
        legal = self._names.legal(transliterate(name))
        self._local_constants.append(LocalConstant(order, legal, text, formula))
        return ExpressionText(legal)

    # -- expressions of the description --------------------------------------------------------------------------------

    def _expression(self, x: Any) -> ExpressionText:
        """An expression of the description, node by node."""
        if not isinstance(x, Expression) or x.operation == "number":
            text = self.language.number(float(x))
            return ExpressionText(text) if float(x) >= 0 else ExpressionText(f"({text})")
        if x.operation == "pi":
            return self._parameter("pi", math.pi)
        if x.operation == "symbol":
            if x.value is not None:
                return self._parameter(x.name, x.value)
            return ExpressionText("t") if x.name == "t" else self._name(f"q{self.eom.system.scalars.coordinates[x.name] + 1}")
        if x.operation == "^" and not free_symbols(x.arguments[1]) and float(x.arguments[1]) in (2.0, 3.0, 4.0):
            return self._multiply(self._power(self._expression(x.arguments[0]), int(float(x.arguments[1]))))
        operands = [self._expression(a) for a in x.arguments]
        if x.operation in _ARITHMETIC:
            return self._operation(_ARITHMETIC[x.operation], *operands)
        if x.operation == "sign":
            return ExpressionText(f"({self._sign(operands[0].in_context(PRODUCT))})")
        if x.operation == "piecewise":
            return self.language.choice(f"{operands[0].text} > {self.language.number(0.0)}", operands[1].text, operands[2].text)
        name = {"abs": "fabs", "min": "fmin", "max": "fmax", "^": "pow"}.get(x.operation, x.operation)
        return ExpressionText(f"{name}{self.language.suffix}({', '.join(g.text for g in operands)})")


_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "div", "neg": "neg"}

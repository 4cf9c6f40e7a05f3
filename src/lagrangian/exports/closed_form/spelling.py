"""Formulas of the closed form in C: the same names, the same order, the same brackets.

A parameter is a field of the struct. What else a formula names becomes a local constant: cosines and sines, coordinates and
rates, roots and lengths. They are kept, in the order in which a reader looks for them, and stand above the formulas.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from lagrangian.closed_form.equations import Equations
from lagrangian.equations.algebra.numbers import as_float
from lagrangian.equations.algebra.ring import Symbol
from lagrangian.equations.formula import Formula
from lagrangian.equations.reading.system import NUMBER
from lagrangian.equations.writing.text import Rounding
from lagrangian.equations.writing.tree import ONE, Name, Power, Product, Sum, Tree, is_negative
from lagrangian.exports.languages.c import C
from lagrangian.exports.languages.language import ATOM, PRODUCT, Text
from lagrangian.exports.languages.names import Names, spelled
from lagrangian.model.expression import Expression, Scalar, free_symbols

# digits up to which both parts of a fraction are exact as they are written
EXACT = 15
# where locals of a kind stand: fixed numbers, the state, its cosines and sines, and what is made of them
FIXED, STATE, ANGLE, MADE = range(4)
_STATES = {"coordinate": "q", "speed": "qd", "acceleration": "qdd"}


class Local(NamedTuple):
    """A constant of a function: where it stands among others, its name, its value, and the formula it is known by, if any."""

    order: tuple[Any, ...]
    name: str
    text: str
    formula: str = ""


class Spelling:
    """`fields` are the struct's, by the names of parameters; `taken` are names that locals must not have."""

    def __init__(self, eom: Equations, language: C, fields: Mapping[str, str], taken: Iterable[str]) -> None:
        self.eom, self.language, self.fields = eom, language, fields
        self._names = Names((*language.keywords, *taken))
        self._known: dict[str, Text] = {}
        self._locals: list[Local] = []

    @property
    def locals(self) -> list[Local]:
        """Those of all that was spelled so far, each after those it is made of."""
        return sorted(self._locals, key=lambda local: local.order)

    # -- formulas ------------------------------------------------------------------------------------------------------

    def formula(self, formula: Formula) -> str:
        """A formula as an expression."""
        top = self._tree(formula.tree)
        return (top if formula.denominator is None else self._of("div", top, self._tree(formula.tree_below))).text

    def scalar(self, x: Scalar) -> str:
        """A number of the description, or an expression of it."""
        return self._expression(x).text

    def _tree(self, tree: Tree) -> Text:
        if isinstance(tree, Sum):
            return self._sum(tree)
        if isinstance(tree, Product):
            text = self._product(abs(tree.coefficient), tree.factors)
            return Text(f"-{text.within(PRODUCT)}", min(text.binds, PRODUCT)) if is_negative(tree) else text
        if self._below(tree) is not None:
            return self._product(ONE, (tree,))
        return self._times(self._factors(tree)) if isinstance(tree, Power) else self._name(tree.name)

    def _factors(self, tree: Tree) -> list[Text]:
        """A power as its factors."""
        return self._power(self._tree(tree.base), tree.exponent) if isinstance(tree, Power) else [self._tree(tree)]

    def _power(self, base: Text, exponent: int) -> list[Text]:
        """Factors: of a name, itself so many times; what is longer is not written twice."""
        if base.binds == ATOM and base.text.replace("->", "").isidentifier():
            return [base] * exponent
        return [Text(f"pow{self.language.suffix}({base.text}, {self.language.number(exponent)})")]

    def _sum(self, tree: Sum) -> Text:
        text = self._tree(tree.terms[0])
        for term in tree.terms[1:]:
            if isinstance(term, Product) and is_negative(term):
                text = self._of("sub", text, self._product(-term.coefficient, term.factors))
            else:
                text = self._of("add", text, self._tree(term))
        return text

    def _product(self, coefficient: Fraction, factors: Iterable[Tree]) -> Text:
        """A positive number times factors, those that are inverses below the line."""
        top, bottom = self._fraction(coefficient)
        above = [text for f in factors if self._below(f) is None for text in self._factors(f)]
        below = [text for f in factors if (text := self._below(f)) is not None]
        if top != 1 or not above:
            above.insert(0, Text(self.language.number(top)))
        if bottom != 1:
            below.insert(0, Text(self.language.number(bottom)))
        return self._of("div", self._times(above), self._times(below)) if below else self._times(above)

    @staticmethod
    def _fraction(c: Fraction) -> tuple[float, float]:
        """A number as the formula has it: a decimal, or what multiplies and what divides."""
        top, bottom = Rounding().pieces(c) if c else ("0", "")
        if max(len(top), len(bottom)) > EXACT:
            return as_float(c), 1.0
        return float(top or 1), float(bottom or 1)

    def _times(self, factors: list[Text]) -> Text:
        text = factors[0]
        for factor in factors[1:]:
            text = self._of("mul", text, factor)
        return text

    def _of(self, operation: str, *given: Text) -> Text:
        return self.language.formula(operation, given)

    def _below(self, tree: Tree) -> Text | None:
        """What a factor puts below the line; None if it stands above."""
        base, exponent = (tree.base, tree.exponent) if isinstance(tree, Power) else (tree, 1)
        symbol = self.eom.notation.symbol(base.name) if isinstance(base, Name) else None
        if symbol is None or symbol.kind != "inverse":
            return None
        scalars = self.eom.system.scalars
        if symbol.name in scalars.lengths:
            text = self._length(symbol.name)
        else:
            text = self._expression(scalars.atoms[symbol.name][1].arguments[1])
        return self._times(self._power(text, exponent)) if exponent > 1 else text

    # -- names ---------------------------------------------------------------------------------------------------------

    def _name(self, name: str) -> Text:
        if name not in self._known:
            symbol = self.eom.notation.symbol(name)
            if symbol is None or symbol.kind in ("sine", "cosine"):
                self._known[name] = self._angle(name)
            else:
                self._known[name] = self._symbol(name, symbol)
        return self._known[name]

    def _symbol(self, name: str, symbol: Symbol) -> Text:
        scalars, shown = self.eom.system.scalars, self.eom.notation.plain(name)
        match symbol.kind:
            case "coordinate" | "speed" | "acceleration":
                array = _STATES[symbol.kind]
                return self._local((STATE, len(array), symbol.index), shown, f"{array}[{symbol.index}]")
            case "sign":
                return self._local((STATE, 9, symbol.index), shown, self._sign_of(f"qd[{symbol.index}]"))
            case "time":
                return Text("t")
            case "parameter" | "inertial" if symbol.meaning == NUMBER:
                return Text(self.language.number(float(Fraction(name.strip("()")))))
            case "parameter" | "inertial":
                return self._parameter(symbol.meaning or name, symbol.value)
            case "constant_sine" | "constant_cosine":
                function = "sin" if symbol.kind == "constant_sine" else "cos"
                return self._constant(name, self._of(function, self._expression(scalars.angles.constants[name])))
            case "drive":
                return self._constant(name, self._expression(scalars.drives[name]))
        if symbol.name in scalars.lengths:
            return self._length(symbol.name)
        return self._constant(name, self._expression(scalars.atoms[symbol.name][1]))

    def _parameter(self, name: str, value: float | None) -> Text:
        """A field of the struct; what is none, such as pi, is a local."""
        if name in self.fields:
            return Text(f"p->{self.fields[name]}")
        key = f"parameter {name}"
        if key not in self._known:
            self._known[key] = self._local((FIXED, name), name, self.language.number(math.nan if value is None else value))
        return self._known[key]

    def _angle(self, name: str) -> Text:
        """The cosine or sine of a sum of coordinates; the short name, or `cos_q1_minus_q2` where it is written in full."""
        notation = self.eom.notation
        kind, angle = self.eom.writer.angle_of(name)
        total: Text | None = None
        for k, times in angle:
            one = Text(f"q[{k}]")
            one = one if abs(times) == 1 else self._of("mul", Text(self.language.number(abs(times))), one)
            if total is None:
                total = one if times > 0 else self._of("neg", one)
            else:
                total = self._of("add" if times > 0 else "sub", total, one)
        assert total is not None
        word = notation.meaning(name).replace(" - ", "_minus_") if notation.in_full(name) else name
        function = "sin" if kind == "sine" else "cos"
        return self._local((ANGLE, len(angle), angle, function), word, self._of(function, total).text)

    def _sign_of(self, x: str) -> str:
        minus, zero, one = (self.language.number(k) for k in (-1.0, 0.0, 1.0))
        return f"{x} > {zero} ? {one} : {x} < {zero} ? {minus} : {zero}"

    def _length(self, name: str) -> Text:
        """A length that is the root of its square; its inverse is known by the same local."""
        length = self.eom.system.scalars.lengths[name]
        word = f"{length.word}({length.of})"
        if word not in self._known:
            square = Formula(self.eom.writer, length.square)
            text = self._of("sqrt", Text(self.formula(square)))
            self._known[word] = self._local((MADE, len(self._locals)), word, text.text, f"{word} = sqrt({square})")
        return self._known[word]

    def _constant(self, name: str, text: Text) -> Text:
        """What the formula has as a root, a function, or a cosine of a constant: in its place if it is short, else a local."""
        if "p->" not in text.text and "[" not in text.text and len(text.text) < 20:
            return text
        return self._local((MADE, len(self._locals)), self._word(name), text.text, name)

    def _word(self, name: str) -> str:
        """A short name for a function of much: root1."""
        if len(name) <= 16:
            return name
        head = name.partition("(")[0]
        count = 1 + sum(local.name.startswith(f"{head}_") for local in self._locals)
        return f"{head if head.isalpha() else 'value'}_{count}"

    def _local(self, order: tuple[Any, ...], name: str, text: str, formula: str = "") -> Text:
        legal = self._names.legal(spelled(name))
        self._locals.append(Local(order, legal, text, formula))
        return Text(legal)

    # -- expressions of the description --------------------------------------------------------------------------------

    def _expression(self, x: Any) -> Text:
        """An expression of the description, node by node."""
        if not isinstance(x, Expression) or x.operation == "number":
            text = self.language.number(float(x))
            return Text(text) if float(x) >= 0 else Text(f"({text})")
        if x.operation == "pi":
            return self._parameter("pi", math.pi)
        if x.operation == "symbol":
            if x.value is not None:
                return self._parameter(x.name, x.value)
            return Text("t") if x.name == "t" else self._name(f"q{self.eom.system.scalars.coordinates[x.name] + 1}")
        if x.operation == "^" and not free_symbols(x.arguments[1]) and float(x.arguments[1]) in (2.0, 3.0, 4.0):
            return self._times(self._power(self._expression(x.arguments[0]), int(float(x.arguments[1]))))
        given = [self._expression(a) for a in x.arguments]
        if x.operation in _ARITHMETIC:
            return self._of(_ARITHMETIC[x.operation], *given)
        if x.operation == "sign":
            return Text(f"({self._sign_of(given[0].within(PRODUCT))})")
        if x.operation == "piecewise":
            return self.language.choice(f"{given[0].text} > {self.language.number(0.0)}", given[1].text, given[2].text)
        name = {"abs": "fabs", "min": "fmin", "max": "fmax", "^": "pow"}.get(x.operation, x.operation)
        return Text(f"{name}{self.language.suffix}({', '.join(g.text for g in given)})")


_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "div", "neg": "neg"}

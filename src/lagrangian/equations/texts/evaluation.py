"""Formulas as nodes evaluated in the ring: an element, over another one where the formula divides.

Numbers, powers and products have bounds, so that a short text can neither fill the memory nor run without end.
"""

from __future__ import annotations

import copy
import math
import re
from fractions import Fraction
from math import comb, prod
from typing import Any

from flint import fmpz

from lagrangian.equations.algebra.ring import CosineSine, RationalFunction, Ring, RingElement, Symbol, angle_sum
from lagrangian.equations.reading.lengths import relate_length
from lagrangian.equations.reading.scalars import RingReader
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.equations.texts.node import FormulaNode, SymbolReference, node_to_expression, number_node
from lagrangian.errors import ArgumentError
from lagrangian.model.expression import Expression, Scalar, call, symbol, walk
from lagrangian.model.expression.linear import linear_coefficients

# higher powers, and larger multiples of angles, would fill the memory
MAX_POWER, MAX_MULTIPLE = 100, 24
MAX_DIGITS, MAX_EXPONENT = 1000, 1000  # of a number in a text
MAX_TERMS = 30_000  # of a product of sums, expanded
MAX_BITS = 10_000  # of a coefficient
_NUMBER = re.compile(r"([\d.]+)(?:[eE]([+-]?\d+))?")


def evaluate_node(system: SymbolicSystem, node: FormulaNode) -> RationalFunction:
    """A node's quotient in the system's ring; MissingGenerator is raised if the ring lacks a generator that it needs."""
    return Evaluation(system.scalars.copy()).quotient(node)


def extend_ring(system: SymbolicSystem, node: FormulaNode) -> SymbolicSystem:
    """The same system, with a ring that has the generators that a node needs besides."""
    extended = copy.copy(system)
    extended.scalars = scalars = system.scalars.copy()
    scalars.frozen = False
    if not scalars.angles.uses_fractions:  # angles that were kept as such still are
        scalars.angles.max_odd_angles = math.inf
    scalars.read_until_complete(lambda: Evaluation(scalars).quotient(node))
    for name, length in system.scalars.lengths.items():
        if scalars.ring.symbols[scalars.ring.generator_index[name]].kind == "root":
            relate_length(scalars, length._replace(square=embed(length.square, scalars.ring)))
    scalars.frozen = True
    return extended


def embed(x: RingElement, ring: Ring) -> RingElement:
    """The same element in a ring that has all of its generators, by their names."""
    if x.ring is ring:
        return x
    images = [ring.generators[ring.generator_index[s.name]] for s in x.ring.symbols]
    return RingElement(ring, x.poly.compose(*images, ctx=ring.context))


class Evaluation:
    """Reads nodes into the ring of `scalars`."""

    def __init__(self, scalars: RingReader) -> None:
        self.scalars = scalars

    @property
    def ring(self) -> Ring:
        return self.scalars.ring

    def quotient(self, node: FormulaNode) -> RationalFunction:
        ring = self.ring
        match node.operation:
            case "number":
                return ring(node.parts[0]), ring.one
            case "reference":
                return ring(self.reference_value(node.parts[0])), ring.one
            case "+":
                return self._sum([self.quotient(part) for part in node.parts])
            case "*":
                numerator, denominator = ring.one, ring.one
                for a, b in map(self.quotient, node.parts):
                    numerator, denominator = ring(bounded_product(numerator, a)), ring(bounded_product(denominator, b))
                return check_coefficients(numerator), check_coefficients(denominator)
            case "neg":
                numerator, denominator = self.quotient(node.parts[0])
                return -numerator, denominator
            case "inverse":
                return self._inverse(self.quotient(node.parts[0]))
            case "^":
                return self._power(*node.parts)
            case "sin" | "cos":
                c, s = self._pair(self._argument_expression(node.parts[0]))
                return ring(s if node.operation == "sin" else c), ring.one
            case "tan":
                c, s = (ring(x) for x in self._pair(self._argument_expression(node.parts[0])))
                numerator, denominator = self._inverse((c, ring.one))
                return ring(numerator * s), denominator
            case "sign":
                return self._sign(node.parts[0])
        return ring(self._function_value(node)), ring.one

    def _sum(self, parts: list[RationalFunction]) -> RationalFunction:
        ring = self.ring
        total: dict[Any, RationalFunction] = {}
        for numerator, denominator in parts:  # terms over the same are added up first
            key = str(denominator.poly)
            total[key] = (total[key][0] + numerator, denominator) if key in total else (numerator, denominator)
        numerator, denominator = ring.zero, ring.one
        for a, b in total.values():
            if denominator == b:
                numerator = numerator + a
            else:
                numerator = ring(bounded_product(numerator, b)) + ring(bounded_product(a, denominator))
                denominator = ring(bounded_product(denominator, b))
        return check_coefficients(numerator), check_coefficients(denominator)

    def _power(self, base: FormulaNode, exponent: FormulaNode) -> RationalFunction:
        numerator, denominator = self.quotient(exponent)
        if not (numerator.poly.is_constant() and denominator.poly.is_constant()):
            raise ArgumentError("the exponent of a formula must be a number")
        power = Fraction(str(numerator.poly / denominator.poly.leading_coefficient())) if numerator else Fraction(0)
        if power.denominator == 2:
            root = FormulaNode("sqrt", base)
            return self._power(root, FormulaNode("number", power * 2))
        if power.denominator != 1 or abs(power) > MAX_POWER:
            raise ArgumentError(f"the exponent of a formula must be a whole or half number up to {MAX_POWER}; it is {power}")
        numerator, denominator = self.quotient(base)
        n = int(power)
        if n < 0:
            numerator, denominator = self._inverse((numerator, denominator))
        return bounded_power(numerator, abs(n)), bounded_power(denominator, abs(n))

    def _inverse(self, x: RationalFunction) -> RationalFunction:
        if not x[0]:
            if self.scalars.incomplete:  # what is missing is zero for now
                return self.ring.one, self.ring.one
            raise ArgumentError("a formula divides by zero")
        return x[1], x[0]

    # -- what names stand for ------------------------------------------------------------------------------------------

    def reference_value(self, x: SymbolReference) -> Any:
        scalars = self.scalars
        match x.kind:
            case "coordinate" | "speed" | "acceleration":
                return self.ring.generator(f"{ {'coordinate': 'q', 'speed': 'qd'}.get(x.kind, 'qdd') }{x.index + 1}")
            case "sign":
                name = scalars.sign_name(x.index + 1)
                return scalars.generator(Symbol("sign", name, index=x.index, meaning=f"sign of qd{x.index + 1}"))
            case "sine" | "cosine":
                pair: CosineSine = (1, 0)
                for k, times in x.angle:
                    pair = _bounded_angle_sum(pair, self._multiple_pair(scalars.angles.coordinate_pair(k), times))
                return pair[0] if x.kind == "cosine" else pair[1]
        if x.name == "t":
            return scalars.generator(Symbol("time", "t", meaning="time"))
        if x.name == "pi":
            return scalars.generator(Symbol("parameter", "pi", math.pi, meaning="pi"))
        if x.name in self.ring.generator_index:
            return self.ring.generator(x.name)
        kind = "inertial" if x.name in scalars.inertial_names else "parameter"
        if x.value is not None:
            scalars.check_single_value(x.name, x.value)
        return scalars.generator(Symbol(kind, x.name, x.value, meaning=x.name))

    def _argument_expression(self, node: FormulaNode) -> Scalar:
        """A node as the argument of a function, over coordinates and parameters."""
        check_size(node)

        def resolve(x: SymbolReference) -> Scalar:
            if x.kind == "coordinate":
                return symbol(list(self.scalars.coordinates)[x.index])
            if x.kind != "symbol":
                raise ArgumentError(f"a function of {x.name} is not in these formulas")
            return symbol(x.name) if x.value is None else Expression("symbol", (), x.value, x.name)

        return node_to_expression(node, resolve)

    # -- functions ---------------------------------------------------------------------------------------------------

    def _sign(self, node: FormulaNode) -> RationalFunction:
        """The sign of a speed, as in Coulomb friction, or of anything else."""
        if node.operation == "neg":
            numerator, denominator = self._sign(node.parts[0])
            return -numerator, denominator
        if node.operation == "reference" and node.parts[0].kind == "speed":
            return self.ring(self.reference_value(SymbolReference("sign", index=node.parts[0].index))), self.ring.one
        return self.ring(self._function_value(FormulaNode("sign", node))), self.ring.one

    def _multiple_pair(self, pair: CosineSine, times: int) -> CosineSine:
        result: CosineSine = (1, 0)
        unit_pair = pair if times > 0 else (pair[0], -pair[1])
        for _ in range(abs(times)):
            result = _bounded_angle_sum(result, unit_pair)
        return result

    def _pair(self, angle: Scalar) -> CosineSine:
        """Cosine and sine of an angle; those of sums, and of whole multiples of coordinates and parameters, from their parts'."""
        angles, coordinates = self.scalars.angles, self.scalars.coordinates
        terms = linear_coefficients(angle)
        if terms is None:
            matching = self._matching_pair(angle)
            return matching if matching is not None else angles.pair(angle)
        result: CosineSine = (1, 0)
        for name, factor in terms.items():
            values = {x.name: x for x in _symbols(angle)}
            is_small_integer = factor.denominator == 1 and abs(factor) <= MAX_MULTIPLE
            scaled = f"sin({abs(factor.numerator)}*{name})"
            if name in ("", "pi") or not is_small_integer or scaled in self.ring.generator_index:
                name_symbol = values.get(name, symbol(name)) if name not in ("", "pi") else None
                if name_symbol is not None:
                    part = self._fraction_pair(name_symbol, factor)
                else:
                    part = angles._term_pair(name, factor) if name else angles.decimal_pair(factor)
            else:
                base = angles.coordinate_pair(coordinates[name]) if name in coordinates else angles.pair(values[name])
                part = self._multiple_pair(base, int(factor))
            result = _bounded_angle_sum(result, part)
        return result

    def _fraction_pair(self, angle: Scalar, factor: Fraction) -> CosineSine:
        """Cosine and sine of a fraction of an angle; of multiples of its half, from those of the half."""
        if factor.denominator == 2 and abs(factor) <= MAX_MULTIPLE:
            return self._multiple_pair(self.scalars.angles.pair(angle / 2), factor.numerator)
        return self.scalars.angles.pair(_scale(angle, factor))

    def _matching_pair(self, angle: Scalar) -> CosineSine | None:
        """A pair that the ring has, of an angle that is the same but is written otherwise."""
        candidates = [(name, x) for name, x in self.scalars.angles.constant_angles.items() if name.startswith("sin(")]
        candidates += [
            (name, x.arguments[0]) for name, (_, x) in self.scalars.function_generators.items() if x.operation == "sin"
        ]
        for name, other in candidates:
            cosine = "cos" + name.removeprefix("sin")
            if name in self.ring.generator_index and cosine in self.ring.generator_index and self._is_same(other, angle):
                return self.ring.generator(cosine), self.ring.generator(name)
        return None

    def _is_same(self, a: Scalar, b: Scalar) -> bool:
        return bool(self.ring(self.scalars.read(a)) == self.ring(self.scalars.read(b)))

    def _function_value(self, node: FormulaNode) -> Any:
        """A root, or another function: one that the ring has, if its arguments are the same."""
        arguments = [self._argument_expression(part) for part in node.parts]
        if node.operation == "sqrt":
            root = self._root(arguments[0])
            if root is not None:
                return root
        for name, (_, x) in self.scalars.function_generators.items():
            is_same_function = x.operation == node.operation and name in self.ring.generator_index
            if is_same_function and all(self._is_same(a, b) for a, b in zip(x.arguments, arguments, strict=True)):
                return self.ring.generator(name)
        return self.scalars.read(call(node.operation, *arguments))

    def _root_of_number(self, x: Fraction) -> Any:
        """The root of a number, by its prime factors, so that sqrt(6) is sqrt(2) sqrt(3)."""
        if x < 0:
            raise ArgumentError(f"the square root of {x} is not real")
        root: Any = Fraction(1, x.denominator)
        for prime, e in _prime_factors(x.numerator * x.denominator):
            root = root * prime ** (e // 2) * (self.scalars.read(call("sqrt", prime)) if e % 2 else 1)
        return root

    def _root(self, argument: Scalar) -> Any:
        """The root of a square number, or a rational multiple of a root that the ring has."""
        square = self.ring(self.scalars.read(argument))
        if square.poly.is_constant():
            return self._root_of_number(Fraction(str(square.poly.leading_coefficient()))) if square else 0
        for name, (_, x) in self.scalars.function_generators.items():
            if x.operation != "sqrt" or name not in self.ring.generator_index:
                continue
            other = self.ring(self.scalars.read(x.arguments[0]))
            if other and not other.poly.is_constant():
                ratio = square.poly.leading_coefficient() / other.poly.leading_coefficient()
                factor = _rational_root(Fraction(str(ratio)))
                if factor is not None and square == other * Fraction(str(ratio)):
                    return self.ring.generator(name) * factor
        return None


def _prime_factors(x: int) -> list[tuple[int, int]]:
    return [(int(p), int(e)) for p, e in fmpz(x).factor()]


def _symbols(x: Scalar) -> list[Expression]:
    return [node for node in walk(x) if node.operation == "symbol"]


def _bounded_angle_sum(a: CosineSine, b: CosineSine) -> CosineSine:
    """Cosine and sine of a sum of two angles; an error if they would have too many terms."""
    bounded_product(a[0], b[0])
    return angle_sum(a, b)


def _scale(x: Scalar, factor: Fraction) -> Scalar:
    return x * factor.numerator / factor.denominator


def _rational_root(x: Fraction) -> Fraction | None:
    if x < 0:
        return None
    top, bottom = math.isqrt(x.numerator), math.isqrt(x.denominator)
    return Fraction(top, bottom) if top * top == x.numerator and bottom * bottom == x.denominator else None


def bounded_number(text: str) -> FormulaNode:
    """A number in a text, as the exact fraction that it is."""
    match = _NUMBER.fullmatch(text)
    digits, exponent = (match[1], match[2] or "0") if match else (text, "0")
    if len(digits) > MAX_DIGITS or len(exponent) > 6 or abs(int(exponent)) > MAX_EXPONENT:
        short_text = text if len(text) <= 20 else text[:17] + "..."
        raise ArgumentError(
            f"the number {short_text} has more than {MAX_DIGITS} digits, or an exponent of more than {MAX_EXPONENT}"
        )
    return number_node(text)


def bounded_product(a: Any, b: Any) -> Any:
    """The product of two elements or numbers; an error if it would have too many terms."""
    if (
        isinstance(a, RingElement)
        and isinstance(b, RingElement)
        and min(a.term_count, b.term_count) > 1
        and a.term_count * b.term_count > 20 * MAX_TERMS
    ):
        raise _too_large(f"has {a.term_count} times {b.term_count} terms")
    product = a * b
    if isinstance(product, RingElement) and product.term_count > MAX_TERMS:
        raise _too_large(f"has more than {MAX_TERMS} terms")
    return product


def bounded_power(x: RingElement, n: int) -> RingElement:
    result: RingElement = x.ring.one
    for _ in range(n):
        result = check_coefficients(x.ring(bounded_product(result, x)))
    return result


def check_coefficients(x: RingElement) -> RingElement:
    """The element itself; an error if it has a coefficient that is too long."""
    if any(c.height_bits() > MAX_BITS for c in x.poly.coeffs()):
        raise _too_large(f"has numbers of more than {MAX_BITS} bits")
    return x


def check_size(node: FormulaNode) -> None:
    """Raise an error if the argument of a function would have too many terms when it is expanded."""
    if _count_terms(node) > MAX_TERMS:
        raise _too_large(f"has a function of more than {MAX_TERMS} terms")


def _count_terms(node: FormulaNode) -> int:
    """An upper bound of the number of terms that a node has when it is expanded."""
    match node.operation:
        case "number" | "reference":
            return 1
        case "+":
            return sum(map(_count_terms, node.parts))
        case "*":
            return prod(map(_count_terms, node.parts))
        case "neg" | "inverse":
            return _count_terms(node.parts[0])
        case "^":
            base, exponent = node.parts
            n = exponent.parts[0] if exponent.operation == "number" else Fraction(1)
            t, n = min(_count_terms(base), MAX_TERMS + 1), min(int(abs(n)) + 1, 100)
            return comb(t + n - 1, min(n, t - 1)) if t > 1 else 1
    return max(map(_count_terms, node.parts))  # what it is a function of is expanded, too


def _too_large(reason: str) -> ArgumentError:
    return ArgumentError(f"a formula is too large to be expanded: it {reason}", remedy="compare smaller parts of it")

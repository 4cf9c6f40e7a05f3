"""From what a text says to the element of the ring that it is, over another where it divides."""

from __future__ import annotations

import copy
import math
from fractions import Fraction
from typing import Any

from flint import fmpz

from lagrangian.equations.algebra.exact import Pair, turned
from lagrangian.equations.algebra.ring import Element, Ring, Symbol
from lagrangian.equations.reading import lengths
from lagrangian.equations.reading.scalars import MissingGenerator, Scalars
from lagrangian.equations.reading.system import System
from lagrangian.equations.texts import size
from lagrangian.equations.texts.node import Node, Thing, expression
from lagrangian.errors import ArgumentError
from lagrangian.model.expression import Expression, Scalar, call, symbol
from lagrangian.model.expression.linear import linear

Quotient = tuple[Element, Element]
# higher powers, and multiples of angles, would fill the memory
POWER, TIMES = 100, 24


def evaluated(system: System, node: Node) -> tuple[System, Quotient]:
    """The quotient that a node is, in the system's ring, or in that of a wider system if it needs more generators."""
    try:
        return system, Evaluation(system.scalars.copy()).quotient(node)
    except MissingGenerator:
        wide = widened(system, node)
        return wide, Evaluation(wide.scalars.copy()).quotient(node)


def widened(system: System, node: Node) -> System:
    """The same system, with a ring that has the generators that a node needs besides."""
    made = copy.copy(system)
    made.scalars = scalars = system.scalars.copy()
    scalars.settled_for_good = False
    if not scalars.angles.fractions:  # angles that were kept as such still are
        scalars.angles.few = math.inf
    scalars.settled(lambda: Evaluation(scalars).quotient(node))
    for name, length in system.scalars.lengths.items():
        if scalars.ring.symbols[scalars.ring.number[name]].kind == "root":
            lengths.relate_one(scalars, length._replace(square=lifted(length.square, scalars.ring)))
    scalars.settled_for_good = True
    return made


def lifted(x: Element, ring: Ring) -> Element:
    """The same element in a ring that has all of its generators, by their names."""
    if x.ring is ring:
        return x
    into = [ring.generators[ring.number[s.name]] for s in x.ring.symbols]
    return Element(ring, x.poly.compose(*into, ctx=ring.context))


class Evaluation:
    """Reads nodes into the ring of `scalars`."""

    def __init__(self, scalars: Scalars) -> None:
        self.scalars = scalars

    @property
    def ring(self) -> Ring:
        return self.scalars.ring

    def quotient(self, node: Node) -> Quotient:
        ring = self.ring
        match node.operation:
            case "number":
                return ring(node.parts[0]), ring.one
            case "thing":
                return ring(self.thing(node.parts[0])), ring.one
            case "+":
                return self._sum([self.quotient(part) for part in node.parts])
            case "*":
                above, below = ring.one, ring.one
                for a, b in map(self.quotient, node.parts):
                    above, below = ring(size.product(above, a)), ring(size.product(below, b))
                return size.bounded(above), size.bounded(below)
            case "neg":
                above, below = self.quotient(node.parts[0])
                return -above, below
            case "inverse":
                return self._inverse(self.quotient(node.parts[0]))
            case "^":
                return self._power(*node.parts)
            case "sin" | "cos":
                c, s = self._pair(self._expression(node.parts[0]))
                return ring(s if node.operation == "sin" else c), ring.one
            case "tan":
                c, s = (ring(x) for x in self._pair(self._expression(node.parts[0])))
                above, below = self._inverse((c, ring.one))
                return ring(above * s), below
            case "sign":
                return self._sign(node.parts[0])
        return ring(self._function(node)), ring.one

    def _sum(self, parts: list[Quotient]) -> Quotient:
        ring = self.ring
        total: dict[Any, Quotient] = {}
        for above, below in parts:  # terms over the same are added up first
            key = str(below.poly)
            total[key] = (total[key][0] + above, below) if key in total else (above, below)
        above, below = ring.zero, ring.one
        for a, b in total.values():
            if below == b:
                above = above + a
            else:
                above = ring(size.product(above, b)) + ring(size.product(a, below))
                below = ring(size.product(below, b))
        return size.bounded(above), size.bounded(below)

    def _power(self, base: Node, exponent: Node) -> Quotient:
        above, below = self.quotient(exponent)
        if not (above.poly.is_constant() and below.poly.is_constant()):
            raise ArgumentError("the exponent of a formula must be a number")
        power = Fraction(str(above.poly / below.poly.leading_coefficient())) if above else Fraction(0)
        if power.denominator == 2:
            root = Node("sqrt", base)
            return self._power(root, Node("number", power * 2))
        if power.denominator != 1 or abs(power) > POWER:
            raise ArgumentError(f"the exponent of a formula must be a whole or half number up to {POWER}; it is {power}")
        above, below = self.quotient(base)
        n = int(power)
        if n < 0:
            above, below = self._inverse((above, below))
        return size.power(above, abs(n)), size.power(below, abs(n))

    def _inverse(self, x: Quotient) -> Quotient:
        if not x[0]:
            if self.scalars.unsettled:  # what is missing is zero for now
                return self.ring.one, self.ring.one
            raise ArgumentError("a formula divides by zero")
        return x[1], x[0]

    # -- things ------------------------------------------------------------------------------------------------------

    def thing(self, x: Thing) -> Any:
        scalars = self.scalars
        match x.kind:
            case "coordinate" | "speed" | "acceleration":
                return self.ring.generator(f"{ {'coordinate': 'q', 'speed': 'qd'}.get(x.kind, 'qdd') }{x.index + 1}")
            case "sign":
                name = scalars.sign_name(x.index + 1)
                return scalars.generator(Symbol("sign", name, index=x.index, meaning=f"sign of qd{x.index + 1}"))
            case "sine" | "cosine":
                pair: Pair = (1, 0)
                for k, times in x.angle:
                    pair = _turned(pair, self._multiple(scalars.angles.coordinate_pair(k), times))
                return pair[0] if x.kind == "cosine" else pair[1]
        if x.name == "t":
            return scalars.generator(Symbol("time", "t", meaning="time"))
        if x.name == "pi":
            return scalars.generator(Symbol("parameter", "pi", math.pi, meaning="pi"))
        if x.name in self.ring.number:
            return self.ring.generator(x.name)
        kind = "inertial" if x.name in scalars.inertial else "parameter"
        if x.value is not None:
            scalars.one_value(x.name, x.value)
        return scalars.generator(Symbol(kind, x.name, x.value, meaning=x.name))

    def _expression(self, node: Node) -> Scalar:
        """As the argument of a function, over coordinates and parameters."""
        size.check(node)

        def named(x: Thing) -> Scalar:
            if x.kind == "coordinate":
                return symbol(list(self.scalars.coordinates)[x.index])
            if x.kind != "symbol":
                raise ArgumentError(f"a function of {x.name} is not in these formulas")
            return symbol(x.name) if x.value is None else Expression("symbol", (), x.value, x.name)

        return expression(node, named)

    # -- functions ---------------------------------------------------------------------------------------------------

    def _sign(self, node: Node) -> Quotient:
        """Of a speed, as in Coulomb friction."""
        if node.operation == "neg":
            above, below = self._sign(node.parts[0])
            return -above, below
        if node.operation == "thing" and node.parts[0].kind == "speed":
            return self.ring(self.thing(Thing("sign", index=node.parts[0].index))), self.ring.one
        return self.ring(self._function(Node("sign", node))), self.ring.one

    def _multiple(self, pair: Pair, times: int) -> Pair:
        result: Pair = (1, 0)
        one = pair if times > 0 else (pair[0], -pair[1])
        for _ in range(abs(times)):
            result = _turned(result, one)
        return result

    def _pair(self, angle: Scalar) -> Pair:
        """Cosine and sine: of sums, and of whole multiples of coordinates and parameters, from those of their parts."""
        angles, coordinates = self.scalars.angles, self.scalars.coordinates
        terms = linear(angle)
        if terms is None:
            known = self._same_angle(angle)
            return known if known is not None else angles.pair(angle)
        result: Pair = (1, 0)
        for name, factor in terms.items():
            values = {x.name: x for x in _symbols(angle)}
            whole = factor.denominator == 1 and abs(factor) <= TIMES
            scaled = f"sin({abs(factor.numerator)}*{name})"
            if name in ("", "pi") or not whole or scaled in self.ring.number:
                one = values.get(name, symbol(name)) if name not in ("", "pi") else None
                if one is not None:
                    part = self._fraction(one, factor)
                else:
                    part = angles._term(name, factor) if name else angles.decimal(factor)
            else:
                base = angles.coordinate_pair(coordinates[name]) if name in coordinates else angles.pair(values[name])
                part = self._multiple(base, int(factor))
            result = _turned(result, part)
        return result

    def _fraction(self, one: Scalar, factor: Fraction) -> Pair:
        """Of a fraction of an angle: multiples of a half from the half."""
        if factor.denominator == 2 and abs(factor) <= TIMES:
            return self._multiple(self.scalars.angles.pair(one / 2), factor.numerator)
        return self.scalars.angles.pair(_scaled(one, factor))

    def _same_angle(self, angle: Scalar) -> Pair | None:
        """A pair that the ring has, of an angle that is the same but is written otherwise."""
        known = [(name, x) for name, x in self.scalars.angles.constants.items() if name.startswith("sin(")]
        known += [(name, x.arguments[0]) for name, (_, x) in self.scalars.atoms.items() if x.operation == "sin"]
        for name, other in known:
            cosine = "cos" + name.removeprefix("sin")
            if name in self.ring.number and cosine in self.ring.number and self._same(other, angle):
                return self.ring.generator(cosine), self.ring.generator(name)
        return None

    def _same(self, a: Scalar, b: Scalar) -> bool:
        return bool(self.ring(self.scalars.of(a)) == self.ring(self.scalars.of(b)))

    def _function(self, node: Node) -> Any:
        """A root, or another function: one that the ring has, if its arguments are the same."""
        arguments = [self._expression(part) for part in node.parts]
        if node.operation == "sqrt":
            known = self._root(arguments[0])
            if known is not None:
                return known
        for name, (_, x) in self.scalars.atoms.items():
            known = x.operation == node.operation and name in self.ring.number
            if known and all(self._same(a, b) for a, b in zip(x.arguments, arguments, strict=True)):
                return self.ring.generator(name)
        return self.scalars.of(call(node.operation, *arguments))

    def _root_of_number(self, x: Fraction) -> Any:
        """By prime factors, so that sqrt(6) is sqrt(2) sqrt(3)."""
        if x < 0:
            raise ArgumentError(f"the square root of {x} is not real")
        made: Any = Fraction(1, x.denominator)
        for prime, e in _prime_factors(x.numerator * x.denominator):
            made = made * prime ** (e // 2) * (self.scalars.of(call("sqrt", prime)) if e % 2 else 1)
        return made

    def _root(self, argument: Scalar) -> Any:
        """The root of a square number, or a rational multiple of a root that the ring has."""
        square = self.ring(self.scalars.of(argument))
        if square.poly.is_constant():
            return self._root_of_number(Fraction(str(square.poly.leading_coefficient()))) if square else 0
        for name, (_, x) in self.scalars.atoms.items():
            if x.operation != "sqrt" or name not in self.ring.number:
                continue
            other = self.ring(self.scalars.of(x.arguments[0]))
            if other and not other.poly.is_constant():
                ratio = square.poly.leading_coefficient() / other.poly.leading_coefficient()
                factor = _rational_root(Fraction(str(ratio)))
                if factor is not None and square == other * Fraction(str(ratio)):
                    return self.ring.generator(name) * factor
        return None


def _prime_factors(x: int) -> list[tuple[int, int]]:
    return [(int(p), int(e)) for p, e in fmpz(x).factor()]


def _symbols(x: Scalar) -> list[Expression]:
    from lagrangian.model.expression import walk

    return [node for node in walk(x) if node.operation == "symbol"]


def _turned(a: Pair, b: Pair) -> Pair:
    """Cosine and sine of a sum, unless they are too large."""
    size.product(a[0], b[0])
    return turned(a, b)


def _scaled(x: Scalar, factor: Fraction) -> Scalar:
    return x * factor.numerator / factor.denominator


def _rational_root(x: Fraction) -> Fraction | None:
    if x < 0:
        return None
    top, bottom = math.isqrt(x.numerator), math.isqrt(x.denominator)
    return Fraction(top, bottom) if top * top == x.numerator and bottom * bottom == x.denominator else None

"""Scalars of the model as elements of a ring.

Which generators are needed is known only when all scalars have been read: a generator that is missing is noted and read as zero,
and the reading is done again with a ring that has it (`settled`). Named parameters stay names, decimals become exact fractions;
sines and cosines of sums of angles are expanded (`angles`); what is no polynomial (a root, a quotient, a function of time)
becomes a generator with its own relation and its own derivatives.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from lagrangian.equations.algebra.ring import Element, Ring, Symbol, fraction
from lagrangian.equations.reading.angles import Angles
from lagrangian.errors import MechanismError
from lagrangian.model.expression import Expression, Scalar, call, parameters
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.expression.linear import exact

T = TypeVar("T")

# readings after which new functions must have stopped coming
PASSES = 60
# generators in this order: those that are rewritten by others before the others
_ORDER = (
    *("inverse", "root", "function", "sine", "cosine", "constant_sine", "constant_cosine", "coordinate", "time", "speed"),
    *("acceleration", "sign", "load", "drive", "parameter", "inertial"),
)


class MissingGenerator(MechanismError):
    """Something that the ring of a settled system has no generator for."""


class Length(NamedTuple):
    """A length that is a root: of a spring between points, or a height of a disc's centre; what it is of, and its square."""

    of: str
    square: Element
    word: str = "length"


class Scalars:
    """Reads scalars into the ring of the symbols declared so far; `angles` reads the angles among them."""

    def __init__(
        self, coordinates: Sequence[str], inertial: set[str], masses: set[str], reserved: set[str], names: Sequence[str] = ()
    ) -> None:
        self.coordinates = {name: k for k, name in enumerate(coordinates)}
        self.names = {name: k for k, name in enumerate(names)}  # parameters in the order of the description
        self.inertial, self.masses = inertial, masses
        self.symbols: dict[str, Symbol] = {}
        self.atoms: dict[str, tuple[str, Any]] = {}  # generators that are functions: what of
        self._seen: dict[str, float] = {}
        self.values: dict[str, float] = {}  # of parameters met in angles and functions
        self.lengths: dict[str, Length] = {}  # generators that are a length, or its inverse
        self.drives: dict[str, Scalar] = {}  # generators that are a rate phi'(t)
        self.notes: list[str] = []
        # names of parameters that sines, cosines and signs must not take
        self.reserved = reserved
        self.prefixes = next(
            pair
            for pair in (("s", "c"), ("S", "C"), ("sin", "cos"), ("sine", "cosine"), ("sine_", "cosine_"))
            if not any(re.fullmatch(f"({pair[0]}|{pair[1]})[0-9m_]+", name) for name in reserved)
        )
        self.settled_for_good = False
        # whether a generator is missing, so that what was read is not yet what it will be
        self.unsettled = False
        self.angles = Angles(self)
        for k in range(len(coordinates)):
            number = k + 1
            self.declare(Symbol("coordinate", f"q{number}", index=k, meaning=coordinates[k]))
            self.declare(Symbol("speed", f"qd{number}", index=k, meaning=f"d {coordinates[k]} / dt"))
            self.declare(Symbol("acceleration", f"qdd{number}", index=k, meaning=f"d^2 {coordinates[k]} / dt^2"))
        for name in ("Mx", "My", "Mz", "Fx", "Fy", "Fz"):
            self.declare(Symbol("load", f"load_{name}", meaning=f"{name} of the wrench that acts on the frame"))
        self.ring = self._ring()
        self.unsettled = False

    def copy(self) -> Scalars:
        """Scalars that may be given more generators, and a ring of their own, without a change to these."""
        made = copy.copy(self)
        for name in ("symbols", "atoms", "_seen", "values", "lengths", "drives"):
            setattr(made, name, dict(getattr(self, name)))
        made.angles = copy.copy(self.angles)
        made.angles.scalars = made
        made.angles.constants, made.angles._rough = dict(self.angles.constants), set(self.angles._rough)
        return made

    # -- the ring ----------------------------------------------------------------------------------------------------

    def sign_name(self, number: int) -> str:
        """Of the sign of a speed."""
        name = f"sgn{number}"
        while name in self.reserved:
            name += "_"
        return name

    def declare(self, symbol: Symbol) -> None:
        if symbol.name not in self.symbols:
            self.symbols[symbol.name] = symbol
            self.unsettled = True

    def settled(self, read: Callable[[], T]) -> T:
        """The result of `read` once all generators it needs are there."""
        for _ in range(PASSES):
            self.rebuild()
            result = read()
            if not self.unsettled:
                return result
        raise MechanismError(
            "the expressions of the mechanism contain functions whose derivatives never end; use simpler functions"
        )

    def rebuild(self) -> None:
        """A ring of all that is declared; relations between generators may declare more."""
        for _ in range(PASSES):
            if not self.unsettled:
                return
            self.unsettled = False
            self.ring = self._ring()
        raise MechanismError(
            "the expressions of the mechanism contain functions whose derivatives never end; use simpler functions"
        )

    def _ring(self) -> Ring:
        kinds = {kind: k for k, kind in enumerate(_ORDER)}
        # a pair's sine and cosine side by side; a function before those it is made of
        kinds["cosine"], kinds["constant_cosine"] = kinds["sine"], kinds["constant_sine"]
        kinds["inverse"] = kinds["root"] = kinds["function"]
        order = list(self.symbols.values())
        later = {name: self.names.get(name, len(self.names) + k) for k, name in enumerate(self.symbols)}
        for name in self.symbols:
            if self.symbols[name].kind == "inertial" and name not in self.masses:
                later[name] += len(self.names) + len(order)  # masses stand before moments of inertia
        order.sort(key=lambda s: (kinds[s.kind], -later[s.name] if kinds[s.kind] == kinds["function"] else later[s.name]))
        self.ring = ring = Ring(order)
        for k in range(len(self.coordinates)):
            ring.set_rate(f"q{k + 1}", k, 1)
        if "t" in self.symbols:
            ring.set_rate("t", len(self.coordinates), 1)
        for name in self.symbols:
            symbol = self.symbols[name]
            if symbol.kind not in ("sine", "constant_sine"):
                continue
            other = self.cosine_name(name)
            if other not in self.symbols:
                continue
            s, c = ring.generator(name), ring.generator(other)
            ring.relate_square(name, 1 - c * c)
            for k, sign in symbol.angle:
                ring.set_rate(name, k, sign * c)
                ring.set_rate(other, k, -sign * s)
        self._relate_atoms()
        return ring

    def _relate_atoms(self) -> None:
        ring = self.ring
        for name, (kind, expression) in list(self.atoms.items()):
            if name not in ring.number:
                continue
            if kind == "root":
                ring.relate_square(name, ring(self.of(expression.arguments[0])))
            elif kind == "inverse":
                below = ring(self.of(expression.arguments[1]))
                ring.relate_inverse(name, below)
                over = ring.generator(name)
                for k in range(len(self.coordinates) + 1):
                    ring.set_rate(name, k, -(over * over) * ring.derivative(below, k))
                continue  # by the quotient rule its derivative would be made of ever new quotients
            for coordinate, k in (*self.coordinates.items(), ("t", len(self.coordinates))):
                ring.set_rate(name, k, ring(self.of(derivative(expression, coordinate))))

    def cosine_name(self, sine: str) -> str:
        if self.symbols[sine].kind == "constant_sine":
            return "cos" + sine.removeprefix("sin")
        return self.prefixes[1] + sine.removeprefix(self.prefixes[0])

    def generator(self, symbol: Symbol) -> Any:
        """The generator of a symbol; zero, for now, if the ring does not have it yet."""
        if symbol.name not in self.ring.number:
            if self.settled_for_good:
                raise MissingGenerator(
                    f"{symbol.name!r} is not in these equations; what uses it must be in the mechanism before they are derived"
                )
            self.declare(symbol)
            self.unsettled = True
            return self.ring.zero
        return self.ring.generator(symbol.name)

    # -- scalars -----------------------------------------------------------------------------------------------------

    def of(self, x: Scalar) -> Any:
        """An exact number (int or Fraction), or an element."""
        if isinstance(x, int):
            return x
        if isinstance(x, float):
            return exact(x)
        match x.operation:
            case "symbol":
                return self._symbol(x)
            case "number":
                return exact(float(x))
            case "pi":
                return self.generator(Symbol("parameter", "pi", math.pi, meaning="pi"))
            case "sin":
                return self.angles.pair(x.arguments[0])[1]
            case "cos":
                return self.angles.pair(x.arguments[0])[0]
            case "neg":
                return -self.of(x.arguments[0])
        if x.operation in ("+", "-", "*", "/", "^"):
            a, b = x.arguments
            return self._binary(x, a, b)
        if x.operation == "tan":
            return self.of(call("/", call("sin", *x.arguments), call("cos", *x.arguments)))
        if x.operation == "sqrt":
            return self._root(x)
        return self._atom("function", x)

    def _root(self, x: Expression) -> Any:
        """A root; of what is the square of a number, as cos^2 + sin^2 is, the number."""
        below = self.ring(self.of(x.arguments[0])).poly
        if self.unsettled:
            return self.ring.one  # not all of it has been read: it will be read again
        if below.is_constant() and below.leading_coefficient() >= 0:
            number = fraction(below.leading_coefficient())
            top, bottom = math.isqrt(number.numerator), math.isqrt(number.denominator)
            if Fraction(top * top, bottom * bottom) == number:
                return Fraction(top, bottom)
        return self._atom("root", x)

    def _symbol(self, x: Expression) -> Any:
        if x.value is None:
            if x.name == "t":
                return self.generator(Symbol("time", "t", meaning="time"))
            return self.ring.generator(f"q{self.coordinates[x.name] + 1}")
        kind = "inertial" if x.name in self.inertial else "parameter"
        self.one_value(x.name, x.value)
        return self.generator(Symbol(kind, self.free_name(x.name), x.value, meaning=x.name))

    def one_value(self, name: str, value: float) -> None:
        """A name stands for one number, or the formulas would not say what the mechanism does."""
        if self._seen.setdefault(name, value) != value:
            raise MechanismError(
                f"parameter {name!r} has two values, {self._seen[name]:g} and {value:g}; give one of them another name"
            )

    def free_name(self, name: str) -> str:
        """A parameter's name, or a variant of it if a coordinate's generator is called so."""
        while name in self.symbols and self.symbols[name].kind not in ("parameter", "inertial"):
            name += "_"
        return name

    def _binary(self, x: Expression, a: Scalar, b: Scalar) -> Any:
        if x.operation == "^":
            power = self.of(b)
            if isinstance(power, Fraction) and power.denominator == 2 and power > 0:
                return self.of(call("sqrt", a)) ** power.numerator
            if not isinstance(power, int) or abs(power) > 24:
                return self._atom("function", x)
            if power < 0:
                return self.of(call("/", 1, a if power == -1 else call("^", a, -power)))
            return self.of(a) ** power
        left, right = self.of(a), self.of(b)
        match x.operation:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
        if isinstance(right, (int, Fraction)):
            return Fraction(left) / right if isinstance(left, (int, Fraction)) else left / right
        if isinstance(left, Element) and not right.poly.is_zero():
            quotient, rest = divmod(left.poly, right.poly)
            if rest.is_zero():
                return Element(self.ring, quotient)  # it divides out
        if self.unsettled:
            return left  # not all of it has been read: it will be read again
        return left * (self._inverse_of_product(right) or self._atom("inverse", call("/", 1, b)))

    def _inverse_of_product(self, x: Element) -> Any:
        """Of a number times parameters, 1/(2 l): the number apart from the inverse of every parameter; None of anything else."""
        if len(x.poly) != 1:
            return None
        ((monomial, coefficient),) = x.poly.terms()
        powers = [(self.ring.symbols[k], int(e)) for k, e in enumerate(monomial) if e]
        if any(s.kind not in ("parameter", "inertial") or s.value is None or s.meaning != s.name for s, _ in powers):
            return None
        made: Any = 1 / fraction(coefficient)
        for s, e in powers:
            made = made * self._atom("inverse", call("/", 1, Expression("symbol", (), s.value, s.name))) ** e
        return made

    def _atom(self, kind: str, x: Any) -> Any:
        name = str(x)
        self.values.update(parameters(x))
        self.atoms.setdefault(name, (kind, x))
        return self.generator(Symbol(kind, name, x.value, meaning=name))

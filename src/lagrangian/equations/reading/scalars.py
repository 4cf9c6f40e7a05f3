"""Scalars of the model as elements of a ring.

Which generators are needed is known only when all scalars have been read: a generator that is missing is noted and read as zero,
and the reading is done again with a ring that has it (`settled`). Named parameters stay names, decimals become exact fractions;
sines and cosines of sums of angles are expanded; what is no polynomial (a root, a quotient, a function of time) becomes a
generator with its own relation and its own derivatives.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from lagrangian.equations.algebra.exact import PARTS, ROUNDING, Pair, angle_label, exact, linear, multiple, quarter, turned
from lagrangian.equations.algebra.ring import Element, Ring, Symbol
from lagrangian.errors import MechanismError
from lagrangian.model.expression import PI, Expression, Scalar, call, parameters
from lagrangian.model.expression.derivative import derivative

T = TypeVar("T")

# terms of an angle with more than this many turns, or a fraction of one, are not expanded
MULTIPLE = 3
# as many odd angles stay names; more become fractions
FEW = 3
# readings after which new functions must have stopped coming
PASSES = 60
# generators in this order: those that are rewritten by others before the others
_ORDER = (
    *("inverse", "root", "function", "sine", "cosine", "constant_sine", "constant_cosine", "coordinate", "time", "speed"),
    *("acceleration", "sign", "load", "parameter", "inertial"),
)


class Scalars:
    """Reads scalars into the ring of the symbols declared so far.

    `angles` are the joints' absolute angles: for each, the coordinates it adds up, with their signs; `pair_of` says how
    a coordinate's own cosine and sine come from two of them.
    """

    def __init__(
        self, coordinates: Sequence[str], inertial: set[str], masses: set[str], reserved: set[str], names: Sequence[str] = ()
    ) -> None:
        self.coordinates = {name: k for k, name in enumerate(coordinates)}
        self.names = {name: k for k, name in enumerate(names)}  # parameters in the order of the description
        self.inertial, self.masses = inertial, masses
        self.symbols: dict[str, Symbol] = {}
        self.atoms: dict[str, tuple[str, Any]] = {}  # generators that are functions: what of
        self.angles: list[tuple[tuple[int, int], ...]] = []
        self.angle_of: dict[int, int] = {}  # the absolute angle a coordinate is the last part of
        self.before: dict[int, int | None] = {}  # the absolute angle it is added to
        self._seen: dict[str, float] = {}
        self.values: dict[str, float] = {}  # of parameters met in angles and functions
        self.constants: dict[str, Scalar] = {}  # the angle of every constant sine and cosine
        self.lengths: dict[str, Element] = {}  # of springs, and their inverses: the square of the length
        self.notes: list[str] = []
        # names of parameters that sines, cosines and signs must not take
        self.reserved = reserved
        self.prefixes = next(
            pair
            for pair in (("s", "c"), ("S", "C"), ("sin", "cos"), ("sine", "cosine"), ("sine_", "cosine_"))
            if not any(re.fullmatch(f"({pair[0]}|{pair[1]})[0-9m_]+", name) for name in reserved)
        )
        self.settled_for_good = False
        self._rough: set[float] = set()  # odd constant angles
        self._missing = False
        for k in range(len(coordinates)):
            number = k + 1
            self.declare(Symbol("coordinate", f"q{number}", index=k, meaning=coordinates[k]))
            self.declare(Symbol("speed", f"qd{number}", index=k, meaning=f"d {coordinates[k]} / dt"))
            self.declare(Symbol("acceleration", f"qdd{number}", index=k, meaning=f"d^2 {coordinates[k]} / dt^2"))
        for name in ("Mx", "My", "Mz", "Fx", "Fy", "Fz"):
            self.declare(Symbol("load", f"load_{name}", meaning=f"{name} of the wrench that acts on the frame"))
        self.ring = self._ring()
        self._missing = False

    # -- the ring ----------------------------------------------------------------------------------------------------

    @property
    def fractions(self) -> bool:
        """Whether odd angles have become fractions, which grow with every product."""
        return len(self._rough) > FEW

    def sign_name(self, number: int) -> str:
        """Of the sign of a speed."""
        name = f"sgn{number}"
        while name in self.reserved:
            name += "_"
        return name

    @property
    def unsettled(self) -> bool:
        """Whether a generator is missing, so that what was read is not yet what it will be."""
        return self._missing

    def declare(self, symbol: Symbol) -> None:
        if symbol.name not in self.symbols:
            self.symbols[symbol.name] = symbol
            self._missing = True

    def settled(self, read: Callable[[], T]) -> T:
        """The result of `read` once all generators it needs are there."""
        for _ in range(PASSES):
            self._rebuild()
            result = read()
            if not self._missing:
                return result
        raise MechanismError("the functions in its scalars have derivatives without end; write them with simpler ones")

    def _rebuild(self) -> None:
        """A ring of all that is declared; relations between generators may declare more."""
        for _ in range(PASSES):
            if not self._missing:
                return
            self._missing = False
            self.ring = self._ring()
        raise MechanismError("the functions in its scalars have derivatives without end; write them with simpler ones")

    def set_angles(
        self, angles: list[tuple[tuple[int, int], ...]], angle_of: dict[int, int], before: dict[int, int | None]
    ) -> None:
        """The joints' absolute angles, each a pair of generators."""
        self.angles, self.angle_of, self.before = angles, angle_of, before
        labels = [angle_label(a) for a in angles]
        s, c = self.prefixes
        for angle, label in zip(angles, labels, strict=True):
            self.declare(Symbol("sine", s + label, angle=angle))
            self.declare(Symbol("cosine", c + label, angle=angle))
        self._rebuild()

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
                raise MechanismError(
                    f"{symbol.name!r} is not in these equations; what uses it must be in the mechanism before they are derived"
                )
            self.declare(symbol)
            self._missing = True
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
                return self.pair(x.arguments[0])[1]
            case "cos":
                return self.pair(x.arguments[0])[0]
            case "neg":
                return -self.of(x.arguments[0])
        if x.operation in ("+", "-", "*", "/", "^"):
            a, b = x.arguments
            return self._binary(x, a, b)
        if x.operation == "tan":
            return self.of(call("/", call("sin", *x.arguments), call("cos", *x.arguments)))
        return self._atom("root" if x.operation == "sqrt" else "function", x)

    def _symbol(self, x: Expression) -> Any:
        if x.value is None:
            if x.name == "t":
                return self.generator(Symbol("time", "t", meaning="time"))
            return self.ring.generator(f"q{self.coordinates[x.name] + 1}")
        kind = "inertial" if x.name in self.inertial else "parameter"
        self._one_value(x.name, x.value)
        return self.generator(Symbol(kind, self.free_name(x.name), x.value, meaning=x.name))

    def _one_value(self, name: str, value: float) -> None:
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
        return left * self._atom("inverse", call("/", 1, b))

    def _atom(self, kind: str, x: Any) -> Any:
        name = str(x)
        self.values.update(parameters(x))
        self.atoms.setdefault(name, (kind, x))
        return self.generator(Symbol(kind, name, x.value, meaning=name))

    # -- angles ------------------------------------------------------------------------------------------------------

    def pair(self, angle: Scalar) -> Pair:
        """Cosine and sine of an angle: sums are expanded, quarter turns are exact."""
        for name, value in parameters(angle).items():
            self._one_value(name, value)
            self.values[name] = value
        terms = linear(angle)
        if terms is None:
            return self._whole(angle)
        result: Pair = (1, 0)
        for name, factor in terms.items():
            result = turned(result, self._term(name, factor))
        return result

    def _term(self, name: str, factor: Fraction) -> Pair:
        if name == "pi":
            quarters = round(factor * 2)
            rest = factor - Fraction(quarters, 2)
            result = quarter(quarters)
            return (
                turned(result, self._constant(multiple("pi", rest), rest.numerator * PI / rest.denominator)) if rest else result
            )
        if name == "":
            return self.constant_angle(float(factor))
        whole = factor.denominator == 1 and abs(factor) <= MULTIPLE
        if not whole:
            scaled = abs(factor.numerator) * self._named(name) / factor.denominator
            c, s = self._whole(scaled)
            return (c, s) if factor > 0 else (c, -s)
        result = (1, 0)
        one = self.coordinate_pair(self.coordinates[name]) if name in self.coordinates else self._whole(self._named(name))
        one = one if factor > 0 else (one[0], -one[1])
        for _ in range(abs(factor.numerator)):
            result = turned(result, one)
        return result

    def _named(self, name: str) -> Any:
        """The expression of a name met in an angle."""
        return Expression("symbol", (), self.values.get(name), name)

    def constant_angle(self, angle: float) -> Pair:
        """Cosine and sine of a number of radians: exact for multiples of 15 degrees.

        Others are constants of their own, sin(0.7), as long as there are few of them; many would multiply the terms, and become
        rational points on the circle instead.
        """
        quarters = round(angle / (math.pi / 2))
        rest = angle - quarters * (math.pi / 2)
        parts = round(rest / (math.pi / 12))
        if abs(rest - parts * math.pi / 12) <= ROUNDING:
            return (
                turned(quarter(quarters), self._constant(multiple("pi", Fraction(parts, 12)), parts * PI / 12))
                if parts
                else quarter(quarters)
            )
        key = round(abs(rest), 12)
        if key not in self._rough:
            self._rough.add(key)
            self._missing = True  # whether there are few is known when all are
        if len(self._rough) <= FEW:
            c, s = self._constant(f"{abs(rest):.15g}", abs(rest))
            return turned(quarter(quarters), (c, s if rest > 0 else -s))
        t = Fraction(round(math.tan(rest / 2) * PARTS), PARTS)
        return turned(quarter(quarters), ((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)))

    def _constant(self, name: str, angle: Scalar) -> Pair:
        if name.startswith("-"):
            c, s = self._constant(name[1:], -angle)
            return c, -s
        if name == "pi/6":
            return self.of(call("sqrt", 3)) / 2, Fraction(1, 2)
        if name == "pi/4":
            half = self.of(call("sqrt", 2)) / 2
            return half, half
        value = float(angle)
        self.constants[f"cos({name})"] = self.constants[f"sin({name})"] = angle
        # the sine first: its square is rewritten by the cosine's, which must stand after it
        sine = self.generator(Symbol("constant_sine", f"sin({name})", math.sin(value), meaning=f"sin({name})"))
        return self.generator(Symbol("constant_cosine", f"cos({name})", math.cos(value), meaning=f"cos({name})")), sine

    def _whole(self, angle: Scalar) -> Pair:
        """Of an angle that stays in one piece: a parameter, or a function of coordinates and time."""
        name = str(angle)
        if not isinstance(angle, Expression) or angle.value is not None:
            return self._constant(name, angle)
        for operation in ("sin", "cos"):
            self.atoms.setdefault(f"{operation}({name})", ("function", call(operation, angle)))
        sine = self.generator(Symbol("constant_sine", f"sin({name})", meaning=f"sin({name})"))
        return self.generator(Symbol("constant_cosine", f"cos({name})", meaning=f"cos({name})")), sine

    def coordinate_pair(self, k: int) -> Pair:
        """Of a coordinate: the difference of the absolute angle it ends and the one it starts from."""
        if k not in self.angle_of:  # a length, of which someone takes the cosine
            s, c = self.prefixes
            label = angle_label(((k, 1),))
            sine = self.generator(Symbol("sine", s + label, angle=((k, 1),)))
            return self.generator(Symbol("cosine", c + label, angle=((k, 1),))), sine
        c, s = self.absolute(self.angle_of[k])
        start = self.before[k]
        if start is not None:
            c0, s0 = self.absolute(start)
            c, s = c * c0 + s * s0, s * c0 - c * s0
        sign = dict(self.angles[self.angle_of[k]])[k]
        return (c, s) if sign > 0 else (c, -s)

    def absolute(self, number: int) -> Pair:
        """Cosine and sine of an absolute angle."""
        s, c = self.prefixes
        label = angle_label(self.angles[number])
        return self.ring.generator(c + label), self.ring.generator(s + label)

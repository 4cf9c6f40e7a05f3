"""Scalars of the model as elements of a ring.

Which generators are needed is known only when all scalars have been read. A generator that is missing is noted and read as zero,
and everything is read again in a ring that has it (`RingReader.read_until_complete`). Named parameters stay names, and decimals
become exact fractions. Sines and cosines of sums of angles are expanded (`RingReader.angles`). What is no polynomial, such as a
root, a quotient or a function of time, becomes a generator with its own relation and its own derivatives. Parts of a mechanism
without such a form are refused, with a word on what accepts them.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from lagrangian.equations.algebra.ring import Ring, RingElement, Symbol, as_fraction
from lagrangian.equations.reading.angles import AngleReader
from lagrangian.errors import MechanismError
from lagrangian.model.constraint import (
    Constraint,
    HolonomicConstraint,
    KnifeEdgeConstraint,
    PfaffianConstraint,
    RollingConstraint,
)
from lagrangian.model.expression import Expression, Scalar, call, free_symbols, parameters
from lagrangian.model.expression.derivative import derivative
from lagrangian.model.expression.linear import exact_decimal
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, PointSpring, Spring, Wall

if TYPE_CHECKING:
    from lagrangian.equations.reading.lengths import LengthDefinition


T = TypeVar("T")

# number of readings after which no new function may be needed
MAX_PASSES = 60
# generators in this order: those that are rewritten by others before the others
_GENERATOR_ORDER = (
    *("inverse", "root", "function", "sine", "cosine", "constant_sine", "constant_cosine", "coordinate", "time", "speed"),
    *("acceleration", "sign", "load", "drive", "parameter", "inertial"),
)


class MissingGenerator(MechanismError):
    """Something for which the ring has no generator, and no more can be declared."""


class RingReader:
    """Reads scalars into the ring of the symbols declared so far; `angles` reads the angles among them."""

    def __init__(
        self,
        coordinates: Sequence[str],
        inertial_names: set[str],
        mass_names: set[str],
        reserved_names: set[str],
        parameter_names: Sequence[str] = (),
    ) -> None:
        self.coordinates = {name: k for k, name in enumerate(coordinates)}
        self.parameter_order = {name: k for k, name in enumerate(parameter_names)}  # parameters in the order of the description
        self.inertial_names, self.mass_names = inertial_names, mass_names
        self.symbols: dict[str, Symbol] = {}
        self.function_generators: dict[str, tuple[str, Any]] = {}  # generators that are functions: what of
        self._first_values: dict[str, float] = {}
        self.parameter_values: dict[str, float] = {}  # of parameters met in angles and functions
        self.lengths: dict[str, LengthDefinition] = {}  # generators that are a length, or its inverse
        self.drives: dict[str, Scalar] = {}  # generators that are a rate phi'(t)
        self.notes: list[str] = []
        # names of parameters that sines, cosines and signs must not take
        self.reserved_names = reserved_names
        self.prefixes = next(
            pair
            for pair in (("s", "c"), ("S", "C"), ("sin", "cos"), ("sine", "cosine"), ("sine_", "cosine_"))
            if not any(re.fullmatch(f"({pair[0]}|{pair[1]})[0-9m_]+", name) for name in reserved_names)
        )
        self.frozen = False
        # whether a generator is missing, so that what was read is not yet what it will be
        self.incomplete = False
        self.angles = AngleReader(self)
        for k in range(len(coordinates)):
            number = k + 1
            self.declare(Symbol("coordinate", f"q{number}", index=k, meaning=coordinates[k]))
            self.declare(Symbol("speed", f"qd{number}", index=k, meaning=f"d {coordinates[k]} / dt"))
            self.declare(Symbol("acceleration", f"qdd{number}", index=k, meaning=f"d^2 {coordinates[k]} / dt^2"))
        for name in ("Mx", "My", "Mz", "Fx", "Fy", "Fz"):
            self.declare(Symbol("load", f"load_{name}", meaning=f"{name} of the wrench that acts on the frame"))
        self._build_ring()
        self.incomplete = False

    def copy(self) -> RingReader:
        """A copy that may declare more generators and build a ring of its own, without a change to this reader."""
        duplicate = copy.copy(self)
        for name in ("symbols", "function_generators", "_first_values", "parameter_values", "lengths", "drives"):
            setattr(duplicate, name, dict(getattr(self, name)))
        duplicate.angles = copy.copy(self.angles)
        duplicate.angles.scalars = duplicate
        duplicate.angles.constant_angles, duplicate.angles._odd_angles = (
            dict(self.angles.constant_angles),
            set(self.angles._odd_angles),
        )
        return duplicate

    # -- the ring ----------------------------------------------------------------------------------------------------

    def sign_name(self, number: int) -> str:
        """The name of the sign of a speed."""
        name = f"sgn{number}"
        while name in self.reserved_names:
            name += "_"
        return name

    def declare(self, symbol: Symbol) -> None:
        if symbol.name not in self.symbols:
            self.symbols[symbol.name] = symbol
            self.incomplete = True

    def read_until_complete(self, read: Callable[[], T]) -> T:
        """The result of `read`, called again until the ring has all the generators that it needs."""
        for _ in range(MAX_PASSES):
            self.rebuild_ring()
            result = read()
            if not self.incomplete:
                return result
        raise MechanismError(
            "the expressions of the mechanism contain functions whose derivatives never end; use simpler functions"
        )

    def rebuild_ring(self) -> None:
        """Build the ring of all that is declared, again until relations between generators declare no more."""
        for _ in range(MAX_PASSES):
            if not self.incomplete:
                return
            self.incomplete = False
            self._build_ring()
        raise MechanismError(
            "the expressions of the mechanism contain functions whose derivatives never end; use simpler functions"
        )

    def _build_ring(self) -> None:
        """Set the ring to that of the symbols declared so far, with their relations and derivatives."""
        kinds = {kind: k for k, kind in enumerate(_GENERATOR_ORDER)}
        # a pair's sine and cosine side by side; a function before those it is made of
        kinds["cosine"], kinds["constant_cosine"] = kinds["sine"], kinds["constant_sine"]
        kinds["inverse"] = kinds["root"] = kinds["function"]
        order = list(self.symbols.values())
        positions = {name: self.parameter_order.get(name, len(self.parameter_order) + k) for k, name in enumerate(self.symbols)}
        for name in self.symbols:
            if self.symbols[name].kind == "inertial" and name not in self.mass_names:
                positions[name] += len(self.parameter_order) + len(order)  # masses stand before moments of inertia
        order.sort(key=lambda s: (kinds[s.kind], -positions[s.name] if kinds[s.kind] == kinds["function"] else positions[s.name]))
        self.ring: Ring = Ring(order)
        ring = self.ring
        for k in range(len(self.coordinates)):
            ring.set_derivative(f"q{k + 1}", k, 1)
        if "t" in self.symbols:
            ring.set_derivative("t", len(self.coordinates), 1)
        for name in self.symbols:
            symbol = self.symbols[name]
            if symbol.kind not in ("sine", "constant_sine"):
                continue
            cosine = self.cosine_name(name)
            if cosine not in self.symbols:
                continue
            s, c = ring.generator(name), ring.generator(cosine)
            ring.relate_square(name, 1 - c * c)
            for k, sign in symbol.angle:
                ring.set_derivative(name, k, sign * c)
                ring.set_derivative(cosine, k, -sign * s)
        self._relate_functions()

    def _relate_functions(self) -> None:
        ring = self.ring
        for name, (kind, expression) in list(self.function_generators.items()):
            if name not in ring.generator_index:
                continue
            if kind == "root":
                ring.relate_square(name, ring(self.read(expression.arguments[0])))
            elif kind == "inverse":
                denominator = ring(self.read(expression.arguments[1]))
                ring.relate_inverse(name, denominator)
                inverse = ring.generator(name)
                for k in range(len(self.coordinates) + 1):
                    ring.set_derivative(name, k, -(inverse * inverse) * ring.derivative(denominator, k))
                continue  # by the quotient rule its derivative would be made of ever new quotients
            for coordinate, k in (*self.coordinates.items(), ("t", len(self.coordinates))):
                ring.set_derivative(name, k, ring(self.read(derivative(expression, coordinate))))

    def cosine_name(self, sine: str) -> str:
        if self.symbols[sine].kind == "constant_sine":
            return "cos" + sine.removeprefix("sin")
        return self.prefixes[1] + sine.removeprefix(self.prefixes[0])

    def generator(self, symbol: Symbol) -> Any:
        """The generator of a symbol; zero, for now, if the ring does not have it yet."""
        if symbol.name not in self.ring.generator_index:
            if self.frozen:
                raise MissingGenerator(
                    f"{symbol.name!r} is not in these equations; what uses it must be in the mechanism before they are derived"
                )
            self.declare(symbol)
            self.incomplete = True
            return self.ring.zero
        return self.ring.generator(symbol.name)

    # -- scalars -----------------------------------------------------------------------------------------------------

    def read(self, x: Scalar) -> Any:
        """An exact number (int or Fraction), or an element."""
        if isinstance(x, int):
            return x
        if isinstance(x, float):
            return exact_decimal(x)
        match x.operation:
            case "symbol":
                return self._read_symbol(x)
            case "number":
                return exact_decimal(float(x))
            case "pi":
                return self.generator(Symbol("parameter", "pi", math.pi, meaning="pi"))
            case "sin":
                return self.angles.pair(x.arguments[0])[1]
            case "cos":
                return self.angles.pair(x.arguments[0])[0]
            case "neg":
                return -self.read(x.arguments[0])
        if x.operation in ("+", "-", "*", "/", "^"):
            a, b = x.arguments
            return self._read_binary(x, a, b)
        if x.operation == "tan":
            return self.read(call("/", call("sin", *x.arguments), call("cos", *x.arguments)))
        if x.operation == "sqrt":
            return self._read_root(x)
        return self._function_generator("function", x)

    def _read_root(self, x: Expression) -> Any:
        """A root; a number if the radicand is the square of one, as cos^2 + sin^2 is."""
        radicand = self.ring(self.read(x.arguments[0])).poly
        if self.incomplete:
            return self.ring.one  # not all of it has been read: it will be read again
        if radicand.is_constant() and radicand.leading_coefficient() >= 0:
            number = as_fraction(radicand.leading_coefficient())
            top, bottom = math.isqrt(number.numerator), math.isqrt(number.denominator)
            if Fraction(top * top, bottom * bottom) == number:
                return Fraction(top, bottom)
        return self._function_generator("root", x)

    def _read_symbol(self, x: Expression) -> Any:
        if x.value is None:
            if x.name == "t":
                return self.generator(Symbol("time", "t", meaning="time"))
            return self.ring.generator(f"q{self.coordinates[x.name] + 1}")
        kind = "inertial" if x.name in self.inertial_names else "parameter"
        self.check_single_value(x.name, x.value)
        return self.generator(Symbol(kind, self.free_name(x.name), x.value, meaning=x.name))

    def check_single_value(self, name: str, value: float) -> None:
        """A name stands for one number, or the formulas would not say what the mechanism does."""
        if self._first_values.setdefault(name, value) != value:
            raise MechanismError(
                f"parameter {name!r} has two values, {self._first_values[name]:g} and {value:g}; give one of them another name"
            )

    def free_name(self, name: str) -> str:
        """A parameter's name, or a variant of it if a coordinate's generator is called so."""
        while name in self.symbols and self.symbols[name].kind not in ("parameter", "inertial"):
            name += "_"
        return name

    def _read_binary(self, x: Expression, a: Scalar, b: Scalar) -> Any:
        if x.operation == "^":
            power = self.read(b)
            if isinstance(power, Fraction) and power.denominator == 2 and power > 0:
                return self.read(call("sqrt", a)) ** power.numerator
            if not isinstance(power, int) or abs(power) > 24:
                return self._function_generator("function", x)
            if power < 0:
                return self.read(call("/", 1, a if power == -1 else call("^", a, -power)))
            return self.read(a) ** power
        left, right = self.read(a), self.read(b)
        match x.operation:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
        if isinstance(right, (int, Fraction)):
            return Fraction(left) / right if isinstance(left, (int, Fraction)) else left / right
        if isinstance(left, RingElement) and not right.poly.is_zero():
            quotient, remainder = divmod(left.poly, right.poly)
            if remainder.is_zero():
                return RingElement(self.ring, quotient)  # it divides out
        if self.incomplete:
            return left  # not all of it has been read: it will be read again
        return left * (self._inverse_of_product(right) or self._function_generator("inverse", call("/", 1, b)))

    def _inverse_of_product(self, x: RingElement) -> Any:
        """The inverse of a number times parameters, as of 2 l, made of the inverse of each factor; None of anything else."""
        if len(x.poly) != 1:
            return None
        ((monomial, coefficient),) = x.poly.terms()
        powers = [(self.ring.symbols[k], int(e)) for k, e in enumerate(monomial) if e]
        if any(s.kind not in ("parameter", "inertial") or s.value is None or s.meaning != s.name for s, _ in powers):
            return None
        inverse: Any = 1 / as_fraction(coefficient)
        for s, e in powers:
            inverse = inverse * self._function_generator("inverse", call("/", 1, Expression("symbol", (), s.value, s.name))) ** e
        return inverse

    def _function_generator(self, kind: str, x: Any) -> Any:
        name = str(x)
        self.parameter_values.update(parameters(x))
        self.function_generators.setdefault(name, (kind, x))
        return self.generator(Symbol(kind, name, x.value, meaning=name))


def constraint_scalars(constraint: Constraint) -> list[Any]:
    """The expressions of which a constraint is made; an error if it has no polynomial form."""
    match constraint:
        case PfaffianConstraint():
            return [coefficient for _, coefficient in constraint.coefficients]
        case HolonomicConstraint():
            time_derivative = derivative(constraint.equation, "t")
            for name in sorted(free_symbols(time_derivative) - {"t"}):
                raise MechanismError(
                    f"constraint {constraint.name!r}: its time derivative depends on {name!r}, which the closed form does "
                    f"not support; compile() and simulate() accept it"
                )
            return [constraint.equation]
        case KnifeEdgeConstraint():
            return [*constraint.direction, *constraint.point]
        case RollingConstraint():
            return [constraint.radius, *constraint.center, *constraint.point, *constraint.normal, *(constraint.axis or ())]
    raise MechanismError(
        f"constraint {constraint.name!r}: a Python function has no closed form; write its equations as Pfaffian "
        f"coefficients. compile() and simulate() accept it"
    )


def polynomial_springs(mechanism: Mechanism) -> tuple[Spring, ...]:
    """All springs of the mechanism; an error if there is a wall, or a spring with slack."""
    for spring in mechanism.springs:
        if float(getattr(spring, "slack", 0)):
            raise MechanismError(
                f"spring {spring.name!r}: it is slack over a part of its length, so its force has no closed form. "
                f"Remove it with mechanism.replace(springs=...); compile() and simulate() accept it"
            )
        if isinstance(spring, Wall):
            raise MechanismError(
                f"wall {spring.name!r}: a wall pushes on one side only, so its force has no closed form. "
                f"Remove it with mechanism.replace(springs=...); compile() and simulate() accept it"
            )
    return mechanism.springs


def spring_scalars(spring: Spring) -> list[Any]:
    """The expressions that a spring is made of."""
    if isinstance(spring, GravityCompensation):
        return [spring.factor]
    assert isinstance(spring, (PointSpring, CoordinateSpring))
    length_scalars = [spring.length] if isinstance(spring, CoordinateSpring) else [x for _, point in spring.points for x in point]
    return [*length_scalars, spring.stiffness, spring.rest, spring.damping]

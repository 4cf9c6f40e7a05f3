"""Values in floating point: of elements, of expressions, and of every generator at a given state."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lagrangian.equations.algebra.ring import RingElement, Symbol, as_fraction
from lagrangian.errors import ArgumentError, MechanismError, unknown_name_message
from lagrangian.model.expression import Expression, Scalar, call, free_symbols, parameters

if TYPE_CHECKING:
    from lagrangian.equations.reading.scalars import RingReader

PARAMETER_KINDS = ("parameter", "inertial")


def as_float(c: Fraction) -> float:
    """A coefficient in floating point; an error if it is too large for that."""
    try:
        return float(c)
    except OverflowError:
        raise MechanismError("a number of the description is too large: it exceeds 1e308 in the equations") from None


def evaluate_element(x: RingElement, values: Mapping[str, float] | None = None) -> float:
    """An element in floating point; generators have the values by name, or those of their symbols; NaN where one has none."""
    symbols = x.ring.symbols
    terms = []
    for monomial, c in x.poly.terms():
        term = as_float(as_fraction(c))
        for k, power in enumerate(monomial):
            if power:
                symbol = symbols[k]
                generator_value = (values or {}).get(symbol.name, symbol.value)
                term *= math.nan if generator_value is None else generator_value ** int(power)
        terms.append(term)
    return math.fsum(terms) if all(map(math.isfinite, terms)) else math.nan


def generator_values(
    scalars: RingReader, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float], parameter_values: Mapping[str, float]
) -> dict[str, float]:
    """The value of every generator in one state, by name.

    Coordinates, speeds or accelerations that are empty are zero; `parameter_values` replaces values of parameters by name.
    """
    n = len(scalars.coordinates)
    state = {}
    for name, numbers in (("q", q), ("qd", qd), ("qdd", qdd)):
        if len(numbers) not in (0, n):
            raise ArgumentError(
                f"has {len(numbers)} numbers", argument=name, remedy=f"{n} are needed: {', '.join(scalars.coordinates)}"
            )
        try:
            state[name] = [float(x) for x in numbers] if len(numbers) else [0.0] * n
        except (TypeError, ValueError):
            raise ArgumentError(f"is {numbers!r:.60}", argument=name, remedy=f"{n} numbers are needed: one state") from None
    symbols: Sequence[Symbol] = scalars.ring.symbols
    known_names = {s.name for s in symbols if s.kind in (*PARAMETER_KINDS, "load")} | set(scalars.parameter_values) | {"t"}
    for name in parameter_values:
        if name not in known_names:
            raise ArgumentError(unknown_name_message("parameter", name, sorted(known_names)), concerns="parameters")
    environment: dict[str, Any] = {**dict(zip(scalars.coordinates, state["q"], strict=True)), "t": parameter_values.get("t", 0.0)}
    environment |= scalars.parameter_values | {
        name: x for name, x in parameter_values.items() if name in scalars.parameter_values
    }
    environment |= {s.meaning or s.name: parameter_values.get(s.name, s.value) for s in symbols if s.kind in PARAMETER_KINDS}
    values = {
        s.name: _symbol_value(s, scalars, state, environment, parameter_values) for s in symbols if s.name not in scalars.lengths
    }
    for name, definition in scalars.lengths.items():
        length = math.sqrt(evaluate_element(definition.square, values))
        values[name] = length if scalars.ring.symbols[scalars.ring.generator_index[name]].kind == "root" else 1 / length
    return values


def constant_values(scalars: RingReader, parameter_values: Mapping[str, float]) -> dict[int, float]:
    """The values of generators that are the same in every state, by the index of the generator."""
    symbols: Sequence[Symbol] = scalars.ring.symbols
    environment: dict[str, Any] = (
        scalars.parameter_values
        | {s.meaning or s.name: s.value for s in symbols if s.kind in PARAMETER_KINDS}
        | dict(parameter_values)
    )
    values = {}
    for k, symbol in enumerate(symbols):
        if symbol.name in scalars.function_generators:
            expression = scalars.function_generators[symbol.name][1]
            if not free_symbols(expression):
                values[k] = float(with_values(expression, environment))
        elif symbol.kind in PARAMETER_KINDS:
            values[k] = parameter_values.get(symbol.name, symbol.value)  # type: ignore[arg-type]
        elif symbol.name in scalars.angles.constant_angles:
            angle = float(with_values(scalars.angles.constant_angles[symbol.name], environment))
            values[k] = math.sin(angle) if symbol.kind == "constant_sine" else math.cos(angle)
    return values


def _symbol_value(
    symbol: Symbol,
    scalars: RingReader,
    state: dict[str, list[float]],
    environment: Mapping[str, Any],
    parameter_values: Mapping[str, float],
) -> float:
    match symbol.kind:
        case "sine" | "cosine":
            angle = sum(sign * state["q"][k] for k, sign in symbol.angle)
            return math.sin(angle) if symbol.kind == "sine" else math.cos(angle)
        case "coordinate":
            return state["q"][symbol.index]
        case "speed":
            return state["qd"][symbol.index]
        case "acceleration":
            return state["qdd"][symbol.index]
        case "sign":
            rate = state["qd"][symbol.index]
            return float((rate > 0) - (rate < 0))
        case "time" | "load":
            return parameter_values.get(symbol.name, 0.0)
        case "drive":
            return float(with_values(scalars.drives[symbol.name], environment))
        case "parameter" | "inertial":
            return parameter_values.get(symbol.name, symbol.value)  # type: ignore[arg-type]
    if symbol.name in scalars.function_generators:
        return float(with_values(scalars.function_generators[symbol.name][1], environment))
    angle = float(with_values(scalars.angles.constant_angles[symbol.name], environment))
    return math.sin(angle) if symbol.kind == "constant_sine" else math.cos(angle)


def with_values(x: Scalar, environment: Mapping[str, Any]) -> Scalar:
    """An expression with numbers put in for its names."""
    if not isinstance(x, Expression) or not (free_symbols(x) or parameters(x)):
        return x
    if x.operation == "symbol":
        return environment.get(x.name, x.value)
    return float(call(x.operation, *(with_values(a, environment) for a in x.arguments)))

"""Values: of elements, of expressions, and of every generator at a given state."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from lagrangian.equations.algebra.ring import Element, Symbol, fraction
from lagrangian.errors import ArgumentError, MechanismError, one_of
from lagrangian.model.expression import Expression, Scalar, call, free_symbols, parameters

CONSTANTS = ("parameter", "inertial")


def as_float(c: Fraction) -> float:
    """A coefficient in floating point; an error where it is beyond all of these."""
    try:
        return float(c)
    except OverflowError:
        raise MechanismError("a number of the description is too large: it exceeds 1e308 in the equations") from None


def value(x: Element, given: Mapping[str, float] | None = None) -> float:
    """In floating point; generators by name, or by the values their symbols carry. NaN where one has none."""
    symbols = x.ring.symbols
    terms = []
    for monomial, c in x.poly.terms():
        term = as_float(fraction(c))
        for k, power in enumerate(monomial):
            if power:
                symbol = symbols[k]
                known = (given or {}).get(symbol.name, symbol.value)
                term *= math.nan if known is None else known ** int(power)
        terms.append(term)
    return math.fsum(terms) if all(map(math.isfinite, terms)) else math.nan


def generator_values(
    scalars: Any, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float], given: Mapping[str, float]
) -> dict[str, float]:
    """The value of every generator: of coordinates and rates as given (zero where they are not), of parameters by name."""
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
    known = {s.name for s in symbols if s.kind in (*CONSTANTS, "load")} | set(scalars.values) | {"t"}
    for name in given:
        if name not in known:
            raise ArgumentError(one_of("parameter", name, sorted(known)), concerns="parameters")
    environment = {**dict(zip(scalars.coordinates, state["q"], strict=True)), "t": given.get("t", 0.0)}
    environment |= scalars.values | {name: x for name, x in given.items() if name in scalars.values}
    environment |= {s.meaning or s.name: given.get(s.name, s.value) for s in symbols if s.kind in CONSTANTS}
    found = {s.name: _of(s, scalars, state, environment, given) for s in symbols if s.name not in scalars.lengths}
    for name, of_spring in scalars.lengths.items():
        length = math.sqrt(value(of_spring.square, found))
        found[name] = length if scalars.ring.symbols[scalars.ring.number[name]].kind == "root" else 1 / length
    return found


def constant_values(scalars: Any, given: Mapping[str, float]) -> dict[int, float]:
    """The generators that have the same value in every state, by number."""
    symbols: Sequence[Symbol] = scalars.ring.symbols
    environment = scalars.values | {s.meaning or s.name: s.value for s in symbols if s.kind in CONSTANTS} | dict(given)
    found = {}
    for k, symbol in enumerate(symbols):
        if symbol.name in scalars.atoms:
            expression = scalars.atoms[symbol.name][1]
            if not free_symbols(expression):
                found[k] = float(placed(expression, environment))
        elif symbol.kind in CONSTANTS:
            found[k] = given.get(symbol.name, symbol.value)  # type: ignore[arg-type]
        elif symbol.name in scalars.angles.constants:
            angle = float(placed(scalars.angles.constants[symbol.name], environment))
            found[k] = math.sin(angle) if symbol.kind == "constant_sine" else math.cos(angle)
    return found


def _of(
    symbol: Symbol, scalars: Any, state: dict[str, list[float]], environment: Mapping[str, Any], given: Mapping[str, float]
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
            return given.get(symbol.name, 0.0)
        case "drive":
            return float(placed(scalars.drives[symbol.name], environment))
        case "parameter" | "inertial":
            return given.get(symbol.name, symbol.value)  # type: ignore[arg-type]
    if symbol.name in scalars.atoms:
        return float(placed(scalars.atoms[symbol.name][1], environment))
    angle = float(placed(scalars.angles.constants[symbol.name], environment))
    return math.sin(angle) if symbol.kind == "constant_sine" else math.cos(angle)


def placed(x: Scalar, environment: Mapping[str, float]) -> Scalar:
    """An expression with numbers put in for its names."""
    if not isinstance(x, Expression) or not (free_symbols(x) or parameters(x)):
        return x
    if x.operation == "symbol":
        return environment.get(x.name, x.value)  # type: ignore[arg-type]
    return float(call(x.operation, *(placed(a, environment) for a in x.arguments)))

"""The exact initial state of a motion, as the description or the argument writes it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq

from lagrangian.configuration import state_arguments
from lagrangian.errors import ArgumentError, ArgumentName
from lagrangian.model.expression import PI, Scalar, parse, quantity
from lagrangian.model.expression.scalar import NumberWithSource
from lagrangian.model.initial_state import PartialState
from lagrangian.model.mechanism import Mechanism
from lagrangian.validated_integration.balls import ball, decimal_fraction

Number = Scalar | fmpq
_DECIMAL = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_FACTORS = {"mm": fmpq(1, 1000), "cm": fmpq(1, 100), "ms": fmpq(1, 1000)}  # other units are degrees, or 1


def initial_configuration(mechanism: Mechanism, q0: Any) -> list[Any]:
    """The coordinates as balls, at the precision that is set; quaternions have the length one."""
    coordinates = [ball(x) for x in _initial_coordinates(mechanism, q0)]
    index = 0
    for joint in mechanism.joints:
        if joint.kind.quaternion:
            w, x, y, z = coordinates[index : index + 4]
            length = (w * w + x * x + y * y + z * z).sqrt()
            coordinates[index : index + 4] = [c / length for c in (w, x, y, z)]
        index += joint.kind.nq
    return coordinates


def _initial_coordinates(mechanism: Mechanism, q0: Any) -> list[Any]:
    names = mechanism.coordinate_names
    state_arguments.as_configuration(mechanism, q0)  # which refuses what is no configuration
    if q0 is None:
        initial = mechanism.initial.q
        return [_exact_number(x) for x in (mechanism.neutral() if initial is None else initial)]
    if isinstance(q0, str) and q0.strip() in mechanism.poses:
        return [_exact_number(x) for x in mechanism.poses[q0.strip()]]
    by_name = _by_name(mechanism, q0, names)
    if by_name is None:
        return _in_order(mechanism, q0)
    return [by_name.get(name, x) for name, x in zip(names, _initial_coordinates(mechanism, None), strict=True)]


def initial_speeds(mechanism: Mechanism, q0: Any, qd0: Any) -> list[Any]:
    """The speeds as balls, at the precision that is set; those that are not given are zero."""
    names = mechanism.speed_names
    if qd0 is None:
        qd0 = mechanism.initial.qd if q0 is None else None
    state_arguments.as_speeds(mechanism, qd0)
    if qd0 is None:
        return [ball(0) for _ in names]
    if isinstance(qd0, PartialState):
        qd0 = {name: x for name, x in zip(names, qd0, strict=True) if name in qd0.given_names}
    by_name = _by_name(mechanism, qd0, names)
    if by_name is None:
        return [ball(x) for x in _in_order(mechanism, qd0)]
    return [ball(by_name.get(name, 0)) for name in names]


def _by_name(mechanism: Mechanism, state: Any, names: Sequence[str]) -> dict[str, Any] | None:
    """Numbers by name; None if they are in order."""
    pairs = quantity.parse_assignments(state, ArgumentName("q0")) if isinstance(state, str) else state
    return {name: read_number(mechanism, x) for name, x in pairs.items()} if isinstance(pairs, Mapping) else None


def _in_order(mechanism: Mechanism, state: Any) -> list[Any]:
    if isinstance(state, str):
        text = state.strip()
        inside = text[1:-1] if text[:1] in "([" and len(quantity.split_list(text)) == 1 else text
        return [read_number(mechanism, x) for x in quantity.split_list(inside)]
    return [read_number(mechanism, x) for x in state]


def read_number(mechanism: Mechanism, x: Any) -> Number:
    """A number as it was written: text with its units and parameters, exact fractions, floats as their shortest decimals."""
    if isinstance(x, str):
        bare, unit = quantity.split_unit(x)
        if not unit and _DECIMAL.fullmatch(bare.strip()):
            exact = Fraction(bare.strip())  # as many digits as there are
            return fmpq(exact.numerator, exact.denominator)
        scalar: Any = parse(bare, mechanism.parameters)
        if unit in ("deg", "°"):
            return scalar * PI / 180
        return _scale(scalar, _FACTORS[unit]) if unit in _FACTORS else scalar
    if isinstance(x, Fraction):
        return fmpq(x.numerator, x.denominator)
    return _exact_number(x)


def _scale(scalar: Scalar, factor: fmpq) -> Number:
    return decimal_fraction(scalar) * factor if isinstance(scalar, (int, float)) else scalar / int(factor.denominator)


def _exact_number(x: Any) -> Number:
    if isinstance(x, NumberWithSource):
        return x.source
    return x if isinstance(x, (int, fmpq)) else float(x)


def read_time(mechanism: Mechanism, x: Any, argument: str = "t") -> fmpq:
    """A time as an exact fraction of a second."""
    try:
        seconds = read_number(mechanism, x)
        return seconds if isinstance(seconds, fmpq) else decimal_fraction(float(seconds))
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"is {x!r}; a finite time in seconds is needed", argument=argument) from None

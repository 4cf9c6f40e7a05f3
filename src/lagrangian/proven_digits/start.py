"""Where a motion begins, exactly: as the description or the argument writes it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq

from lagrangian.configuration import reading
from lagrangian.errors import Argument, ArgumentError
from lagrangian.model.configuration import Partial
from lagrangian.model.expression import PI, Scalar, parse, quantity
from lagrangian.model.expression.written import Written
from lagrangian.model.mechanism import Mechanism
from lagrangian.proven_digits.numbers import ball, fraction

Number = Scalar | fmpq
_DECIMAL = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_FACTORS = {"mm": fmpq(1, 1000), "cm": fmpq(1, 100), "ms": fmpq(1, 1000)}  # other units are degrees, or 1


def configuration(mechanism: Mechanism, q0: Any) -> list[Any]:
    """The coordinates as balls, at the precision that is set; quaternions have the length one."""
    found = [ball(x) for x in _coordinates(mechanism, q0)]
    at = 0
    for joint in mechanism.joints:
        if joint.kind.quaternion:
            w, x, y, z = found[at : at + 4]
            length = (w * w + x * x + y * y + z * z).sqrt()
            found[at : at + 4] = [c / length for c in (w, x, y, z)]
        at += joint.kind.nq
    return found


def _coordinates(mechanism: Mechanism, q0: Any) -> list[Any]:
    names = mechanism.coordinate_names
    reading.configuration(mechanism, q0)  # which refuses what is no configuration
    if q0 is None:
        own = mechanism.initial.q
        return [_written(x) for x in (mechanism.neutral() if own is None else own)]
    if isinstance(q0, str) and q0.strip() in mechanism.poses:
        return [_written(x) for x in mechanism.poses[q0.strip()]]
    given = _by_name(mechanism, q0, names)
    if given is None:
        return _in_order(mechanism, q0)
    return [given.get(name, x) for name, x in zip(names, _coordinates(mechanism, None), strict=True)]


def speeds(mechanism: Mechanism, q0: Any, qd0: Any) -> list[Any]:
    """The speeds as balls: those that are not given are zero."""
    names = mechanism.speed_names
    if qd0 is None:
        qd0 = mechanism.initial.qd if q0 is None else None
    reading.speeds(mechanism, qd0)
    if qd0 is None:
        return [ball(0) for _ in names]
    if isinstance(qd0, Partial):
        qd0 = {name: x for name, x in zip(names, qd0, strict=True) if name in qd0.given}
    given = _by_name(mechanism, qd0, names)
    if given is None:
        return [ball(x) for x in _in_order(mechanism, qd0)]
    return [ball(given.get(name, 0)) for name in names]


def _by_name(mechanism: Mechanism, given: Any, names: Sequence[str]) -> dict[str, Any] | None:
    """Numbers by name; None if they are in order."""
    pairs = quantity.listed_pairs(given, Argument("q0")) if isinstance(given, str) else given
    return {name: number(mechanism, x) for name, x in pairs.items()} if isinstance(pairs, Mapping) else None


def _in_order(mechanism: Mechanism, given: Any) -> list[Any]:
    if isinstance(given, str):
        text = given.strip()
        inside = text[1:-1] if text[:1] in "([" and len(quantity.parts(text)) == 1 else text
        return [number(mechanism, x) for x in quantity.parts(inside)]
    return [number(mechanism, x) for x in given]


def number(mechanism: Mechanism, x: Any) -> Number:
    """A number as it was written: text with its units and parameters, exact fractions, floats as their shortest decimals."""
    if isinstance(x, str):
        bare, unit = quantity.split(x)
        if not unit and _DECIMAL.fullmatch(bare.strip()):
            exact = Fraction(bare.strip())  # as many digits as there are
            return fmpq(exact.numerator, exact.denominator)
        scalar: Any = parse(bare, mechanism.parameters)
        if unit in ("deg", "°"):
            return scalar * PI / 180
        return _scaled(scalar, _FACTORS[unit]) if unit in _FACTORS else scalar
    if isinstance(x, Fraction):
        return fmpq(x.numerator, x.denominator)
    return _written(x)


def _scaled(scalar: Scalar, factor: fmpq) -> Number:
    return fraction(scalar) * factor if isinstance(scalar, (int, float)) else scalar / int(factor.denominator)


def _written(x: Any) -> Number:
    if isinstance(x, Written):
        return x.scalar
    return x if isinstance(x, (int, fmpq)) else float(x)


def time(mechanism: Mechanism, x: Any, argument: str = "t") -> fmpq:
    """A time as an exact fraction of a second."""
    try:
        found = number(mechanism, x)
        return found if isinstance(found, fmpq) else fraction(float(found))
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"is {x!r}; a finite time in seconds is needed", argument=argument) from None

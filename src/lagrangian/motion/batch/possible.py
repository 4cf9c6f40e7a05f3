"""Which samples of parameters make a mechanism that cannot be: found for all at once, by what its parts check when they are made.

A sample that is found here is run by itself, where the part that cannot be refuses it and says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lagrangian.model import vector as v
from lagrangian.model.expression.automatic_derivatives import DualArray, SampleEvaluator
from lagrangian.model.mechanism import Mechanism

# numbers of parts that cannot be negative, and those that must be more than zero
NOT_NEGATIVE = ("viscous", "coulomb", "coulomb_negative", "static", "static_negative", "damping", "slack", "stiffness")
POSITIVE = ("length", "radius")
NOT_ZERO = ("ratio", "own")  # of a gear, and of a screw its pitch
ROUNDING = 1e-4  # of moments of inertia, as `model.body.inertia_problem` has it


def impossible(mechanism: Mechanism, values: SampleEvaluator, count: int) -> np.ndarray:
    """Of every sample, whether it is one; what no parameter changes was checked when the mechanism was made."""
    found = np.zeros(count, dtype=bool)
    for body in mechanism.bodies:
        mass, inertia = values.evaluate(body.mass), tuple(values.evaluate(x) for x in body.inertia)
        if not body.effective and any(isinstance(x, DualArray) for x in (mass, *inertia)):
            found |= _impossible_body(_array(mass, count), v.sym_full(tuple(_array(x, count) for x in inertia)))  # type: ignore[arg-type]
    for name, x in _numbers(mechanism):
        lanes = values.evaluate(x) if x is not None else x
        if isinstance(lanes, DualArray):
            found |= lanes.value == 0 if name in NOT_ZERO else lanes.value <= 0 if name in POSITIVE else lanes.value < 0
    for joint in mechanism.joints:
        low, high = (values.evaluate(x) for x in (joint.limits.lower, joint.limits.upper))
        if isinstance(low, DualArray) or isinstance(high, DualArray):
            found |= _array(low, count) > _array(high, count)
    return found


def _numbers(mechanism: Mechanism) -> Iterator[tuple[str, Any]]:
    for joint in mechanism.joints:
        yield from ((name, getattr(joint.friction, name)) for name in NOT_NEGATIVE[:5])
        yield "inertia", joint.rotor.inertia
        yield "ratio", joint.rotor.ratio
        yield "own", joint.kind.type_constant(joint)
    for part in (*mechanism.loops, *mechanism.constraints, *mechanism.springs):
        for name in (*NOT_NEGATIVE[5:], *POSITIVE):
            value = getattr(part, name, None)
            if not isinstance(value, str) and _is_number(value):
                yield name, value


def _is_number(x: Any) -> bool:
    """Whether it has a value: the length of a spring of coordinates has none."""
    try:
        float(x)
    except (TypeError, ValueError):
        return False
    return True


def _impossible_body(mass: np.ndarray, inertia: v.Matrix) -> np.ndarray:
    """A real body has a mass that is not negative, and principal moments of which none exceeds the sum of the others."""
    tensor: np.ndarray = np.moveaxis(np.array(inertia), -1, 0)
    a, b, c = np.moveaxis(np.linalg.eigvalsh(np.where(np.isfinite(tensor), tensor, 0.0)), -1, 0)
    slack = ROUNDING * np.maximum(np.abs(a), np.abs(c)) + 1e-15 * np.abs(mass)
    massless = (mass == 0) & (c > 0)
    found: np.ndarray = (mass < 0) | (a < -slack) | (c > a + b + slack) | massless | ~np.isfinite(mass)
    return found


def _array(x: Any, count: int) -> np.ndarray:
    return x.value if isinstance(x, DualArray) else np.full(count, float(x))

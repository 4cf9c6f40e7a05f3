"""Wrenches from outside on frames of the mechanism: numbers, expressions of the state, or Python functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.algorithms.constraints.world import World
from lagrangian.algorithms.link import is_zero
from lagrangian.errors import ArgumentError, ArgumentName, MechanismError, format_value
from lagrangian.model.expression import Expression, Scalar
from lagrangian.model.frame import Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.torque import TorqueFunction, expression

ENTRIES = ("mx", "my", "mz", "fx", "fy", "fz")
WrenchesLike = Mapping[str, Sequence[float | str | Expression] | np.ndarray | TorqueFunction] | None
"""External wrenches by the names of frames: six numbers or expressions each, moment first, or a function that returns six."""


@dataclass(frozen=True)
class Wrench:
    """On a frame, at its origin, along the world's axes: moment, then force; as `entries`, or all six by `called`."""

    frame: Frame
    entries: tuple[Scalar, ...] = ()
    called: Callable[[Any, Any, Any], Any] | None = None

    @property
    def place(self) -> tuple[Any, ...]:
        """What tells it from others, but for its entries."""
        at = self.frame.placement
        numbers = (*at.position, *(x for row in at.rotation for x in row))
        return self.frame.name, self.frame.body, tuple(float(x) for x in numbers), self.called is not None


def checked(given: Any, mechanism: Mechanism) -> tuple[Wrench, ...]:
    """What `wrenches=` may be."""
    if given is None:
        return ()
    example = '{"tool": (0, 0, 0, 0, 0, -10)}'
    if not isinstance(given, Mapping):
        raise ArgumentError(
            f"is a {type(given).__name__}; a mapping of frames to moment and force is needed: {example}", argument="wrenches"
        )
    return tuple(_wrench(name, entries, mechanism) for name, entries in given.items())


def _wrench(name: Any, given: Any, mechanism: Mechanism) -> Wrench:
    if not isinstance(name, str):
        raise ArgumentError(
            f"frames and bodies are given by their names, as text; this is a {type(name).__name__}",
            where=ArgumentName("wrenches"),
        )
    try:
        frame = mechanism.frame(name)
    except MechanismError as error:
        raise ArgumentError(f"{error}", where=ArgumentName("wrenches")) from None
    if callable(given):
        return Wrench(frame, called=given)
    where = f"wrench on {name!r}"
    if (
        isinstance(given, (str, bytes, Mapping))
        or getattr(given, "ndim", 1) == 0
        or not hasattr(given, "__len__")
        or len(given) != len(ENTRIES)
    ):
        raise ArgumentError(
            f"{where} is {format_value(given)}; six numbers or expressions are needed, ({', '.join(ENTRIES)}), or a function of "
            f"(t, q, qd) that returns them"
        )
    return Wrench(frame, tuple(expression(x, mechanism, f"{where}: {what}") for what, x in zip(ENTRIES, given, strict=True)))


def generalised(world: World, wrenches: Sequence[Wrench], values: Sequence[Any], n: int) -> list[Any]:
    """The sum of J^T F along n speeds, of the six `values` of each, over any scalars."""
    total: list[Any] = [0] * n
    for j, wrench in enumerate(wrenches):
        at = world.frame(wrench.frame.body, wrench.frame.placement)
        for x, along in zip(values[6 * j : 6 * j + 6], (*at.angular_velocity, *at.origin), strict=True):
            if not is_zero(x):
                for k, slope in along.slopes.items():
                    total[k] = total[k] + x * slope
    return total


def by_frame(wrenches: Sequence[Wrench], rows: np.ndarray) -> dict[str, np.ndarray]:
    """Rows of all six entries after each other, as a mapping from frames."""
    return {w.frame.name: rows[:, 6 * j : 6 * j + 6] for j, w in enumerate(wrenches)}

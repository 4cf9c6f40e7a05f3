"""How `q0` and `qd0` are read, everywhere: simulations, pictures, inverse kinematics, linearisations and commands.

| given | which coordinates | the others |
| --- | --- | --- |
| numbers in order | all | |
| the name of a pose | those that the description gives there | neutral, and found so that loops close |
| some by name, `{"theta1": "30deg"}` | those | as in the mechanism's own start, and found so that loops close |
| nothing | those of the description's `[initial]` | neutral, and found so that loops close |

Coordinates that are given by name keep their values while the others close the loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.errors import ArgumentError, is_number, one_of, shown
from lagrangian.model.configuration import Partial
from lagrangian.model.mechanism import Mechanism

LISTED = 12  # names in a message


@dataclass(frozen=True, eq=False)
class Given:
    """A configuration as it was given.

    `q` has all coordinates; those that were not given are where a search for them begins. `names` are the coordinates that
    were given, or None if all were. `where` is what a message calls it.
    """

    mechanism: Mechanism
    q: np.ndarray
    names: tuple[str, ...] | None
    where: str

    @property
    def complete(self) -> bool:
        """Whether every coordinate was given."""
        return self.names is None

    @property
    def held(self) -> tuple[str, ...]:
        """The coordinates that were given by name and have a speed of their own, which can stand still."""
        single = single_coordinates(self.mechanism)
        return tuple(name for name in self.names or () if name in single)


def configuration(mechanism: Mechanism, q0: Any = None, what: str = "q0") -> Given:
    """A configuration: numbers in order, the name of a pose, some coordinates by name, or None for the mechanism's own start."""
    if isinstance(q0, Given):
        return q0
    if q0 is None:
        own = mechanism.initial.q
        return _of_description(mechanism, own if own is not None else Partial(mechanism.neutral()), "[initial] q")
    if isinstance(q0, str):
        if q0 not in mechanism.poses:
            raise ArgumentError(f"{what}: {one_of('pose', q0, mechanism.poses)}")
        return _of_description(mechanism, mechanism.poses[q0], f"pose {q0!r}")
    if isinstance(q0, Partial):
        return _of_description(mechanism, q0, what)
    if isinstance(q0, Mapping):
        q, places = configuration(mechanism).q, {name: k for k, name in enumerate(mechanism.coordinate_names)}
        for name, value in q0.items():
            if name not in places:
                raise ArgumentError(f"{what}: {one_of('coordinate', name, places)}")
            q[places[name]] = number(value, f"{what} of {name!r}")
        return Given(mechanism, normalised(mechanism, q, what), tuple(q0), what)
    return Given(mechanism, normalised(mechanism, vector(q0, mechanism.coordinate_names, what), what), None, what)


def _of_description(mechanism: Mechanism, values: Any, where: str) -> Given:
    q = vector(values, mechanism.coordinate_names, where)
    return Given(mechanism, normalised(mechanism, q, where), values.given if isinstance(values, Partial) else None, where)


def number(given: Any, what: str) -> float:
    """One finite number."""
    if not is_number(given):
        raise ArgumentError(f"{what} is {shown(given)}; a finite number is needed")
    return float(given)


def vector(given: Any, names: tuple[str, ...], what: str) -> np.ndarray:
    """As many finite numbers as there are names."""
    try:
        array = np.array(given, dtype=float)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (len(names),) or not np.isfinite(array).all():
        listed = ", ".join(names[:LISTED]) + ", ..." * (len(names) > LISTED)
        raise ArgumentError(f"{what} is {shown(given)}; {len(names)} finite numbers are needed: {listed}")
    return array


def normalised(mechanism: Mechanism, q: np.ndarray, what: str) -> np.ndarray:
    """q with its quaternions made of length one."""
    at = 0
    for joint in mechanism.joints:
        if joint.type in ("ball", "free"):
            length = float(np.linalg.norm(q[at : at + 4]))
            if length == 0:
                raise ArgumentError(f"{what}: the quaternion of joint {joint.name!r} is zero; (1, 0, 0, 0) is no rotation")
            q[at : at + 4] /= length
        at += joint.kind.nq
    return q

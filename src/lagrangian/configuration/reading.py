"""How `q0` and `qd0` are read, everywhere: simulations, pictures, inverse kinematics, linearisations and commands.

| given | which coordinates | the others |
| --- | --- | --- |
| numbers in order | all | |
| the name of a pose | those that the description gives there | found so that loops close, from neutral on |
| some by name, `{"theta1": "30deg"}`, `"theta1=30deg"` | those | reached from the mechanism's own start |
| nothing | those of the description's `[initial]` | found so that loops close, from neutral on |

Coordinates that are given by name keep their values while the others close the loops. Of a mechanism with other values of its
parameters, the start and the poses are reached from those of the mechanism as it was described: see `continuation`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import floats
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.errors import Argument, ArgumentError, Place, is_number, one_of, shown
from lagrangian.model.configuration import Origin, Partial
from lagrangian.model.expression import quantity
from lagrangian.model.mechanism import Mechanism

LISTED = 12  # names in a message


@dataclass(frozen=True, eq=False)
class Given:
    """A configuration as it was given.

    `q` has all coordinates; those that were not given are where a search for them begins. `names` are the coordinates that
    were given, or None if all were. `where` is what a message calls it. `origin` is what the others are reached from, if that
    is known.
    """

    mechanism: Mechanism
    q: np.ndarray
    names: tuple[str, ...] | None
    where: Place
    origin: Origin | None = None

    @property
    def complete(self) -> bool:
        """Whether every coordinate was given."""
        return self.names is None

    @property
    def held(self) -> tuple[str, ...]:
        """The coordinates that were given by name and have a speed of their own, which can stand still."""
        if not self.names:
            return ()
        single = single_coordinates(self.mechanism)
        return tuple(name for name in self.names if name in single)


def configuration(mechanism: Mechanism, q0: Any = None, argument: str = "q0") -> Given:
    """A configuration: numbers in order, the name of a pose, some coordinates by name, or None for the mechanism's own start.

    `argument` is what the caller calls it.
    """
    where = Argument(argument)
    if isinstance(q0, Given):
        return q0
    if q0 is None:
        own = mechanism.initial.q
        return _of_description(mechanism, own if own is not None else Partial(mechanism.neutral()), "[initial] q")
    if isinstance(q0, str):
        q0 = parsed(mechanism, q0, mechanism.coordinate_names, where)
    if isinstance(q0, str):
        return _of_description(mechanism, mechanism.poses[q0], f"pose {q0!r}")
    if isinstance(q0, Partial):
        return _of_description(mechanism, q0, where)
    if isinstance(q0, Mapping):
        q = configuration(mechanism).q
        for name, value in by_name(mechanism, q0, mechanism.coordinate_names, where, "coordinate").items():
            q[mechanism.coordinate_names.index(name)] = value
        return Given(mechanism, normalised(mechanism, q, where), tuple(q0), where, Origin(mechanism))
    q = in_order(mechanism, q0, mechanism.coordinate_names, argument)
    return Given(mechanism, normalised(mechanism, q, where), None, where)


def _of_description(mechanism: Mechanism, values: Any, where: Place) -> Given:
    q = normalised(mechanism, np.array(values, dtype=float), where)
    return (
        Given(mechanism, q, values.given, where, values.origin)
        if isinstance(values, Partial)
        else Given(mechanism, q, None, where)
    )


def speeds(mechanism: Mechanism, qd0: Any, argument: str = "qd0") -> np.ndarray | dict[str, float] | None:
    """Speeds: numbers in order, or some by name; None stays so."""
    names, where = mechanism.speed_names, Argument(argument)
    if qd0 is None:
        return None
    if isinstance(qd0, str):
        qd0 = parsed(mechanism, qd0, names, where, poses=False)
    if isinstance(qd0, Partial):
        qd0 = {name: x for name, x in zip(names, qd0, strict=True) if name in qd0.given}
    if isinstance(qd0, Mapping):
        return by_name(mechanism, qd0, names, where, "speed")
    return in_order(mechanism, qd0, names, argument)


def parsed(
    mechanism: Mechanism, text: str, names: tuple[str, ...], where: Place, *, poses: bool = True
) -> str | dict[str, float] | list[float]:
    """A text as the command line takes it: a pose's name, `theta1=30deg, theta2=0`, or numbers in order, `30deg, 0`."""
    text = text.strip()
    if poses and text in mechanism.poses:
        return text
    pairs = quantity.listed_pairs(text, where)
    if pairs is not None:
        return by_name(mechanism, pairs, names, where, "coordinate" if poses else "speed")
    if poses and re.fullmatch(r"[^\W\d][\w.-]*", text) and text not in {*mechanism.parameters, "pi"}:
        for note in mechanism.notes:
            if note.startswith(f"pose {text!r} is left out"):
                raise ArgumentError(note, where=where)
        raise ArgumentError(one_of("pose", text, mechanism.poses), where=where, remedy=f"or give numbers, for {_listed(names)}")
    return quantity.numbers(text, where, mechanism.parameters)


def by_name(mechanism: Mechanism, given: Mapping[str, Any], names: tuple[str, ...], where: Place, what: str) -> dict[str, float]:
    """Numbers of some of the names; a text may have a unit, and may use the mechanism's parameters."""
    for name in given:
        if name not in names:
            raise ArgumentError(one_of(what, name, names), where=where)
    return {name: number(mechanism, x, (where, repr(name))) for name, x in given.items()}


def in_order(mechanism: Mechanism, given: Any, names: tuple[str, ...], argument: str) -> np.ndarray:
    """As many finite numbers as there are names."""
    if isinstance(given, (list, tuple)) and any(isinstance(x, str) for x in given):
        given = [number(mechanism, x, Argument(argument)) for x in given]
    try:
        array = floats(given).copy()
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (len(names),) or not np.isfinite(array).all():
        raise ArgumentError(
            f"is {shown(given)}", argument=argument, remedy=f"{len(names)} finite numbers are needed: {_listed(names)}"
        )
    return array


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:LISTED]) + ", ..." * (len(names) > LISTED)


def number(mechanism: Mechanism, given: Any, where: Place | tuple[Place, ...]) -> float:
    """One finite number; a text may have a unit, as "30deg", and may use the mechanism's parameters."""
    places = where if isinstance(where, tuple) else (where,)
    if isinstance(given, str):
        return quantity.number(given, places, mechanism.parameters)
    if not is_number(given):
        raise ArgumentError(f"{shown(given)} is not a finite number", where=places)
    return float(given)


def normalised(mechanism: Mechanism, q: np.ndarray, where: Place) -> np.ndarray:
    """q with its quaternions made of length one."""
    at = 0
    for joint in mechanism.joints:
        if joint.kind.quaternion:
            length = float(np.linalg.norm(q[at : at + 4]))
            if length == 0:
                raise ArgumentError(
                    f"the quaternion of joint {joint.name!r} is zero, which is not a rotation; use (1, 0, 0, 0) for none",
                    where=where,
                )
            q[at : at + 4] /= length
        at += joint.kind.nq
    return q

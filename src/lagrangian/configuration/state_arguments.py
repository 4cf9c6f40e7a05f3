"""Read the arguments `q0` and `qd0` of simulations, pictures, inverse kinematics, linearisations and commands.

| given | which coordinates | the others |
| --- | --- | --- |
| numbers in order | all | |
| the name of a pose | those that the description gives there | computed so that loops close, from neutral on |
| some by name, `{"theta1": "30deg"}`, `"theta1=30deg"` | those | followed from the mechanism's own start |
| nothing | those of the description's `[initial]` | computed so that loops close, from neutral on |

Coordinates that are given by name keep their values while the others close the loops. For a mechanism with new values of its
parameters, start and poses are followed from those of the described mechanism: see `continuation`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import floats
from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.errors import ArgumentError, ArgumentName, Place, format_value, is_number, unknown_name_message
from lagrangian.model.expression import quantity
from lagrangian.model.initial_state import PartialState, StateOrigin
from lagrangian.model.mechanism import Mechanism

MAX_LISTED = 12  # names in a message


@dataclass(frozen=True, eq=False)
class GivenState:
    """A configuration as it was given.

    `q` has all coordinates; those that were not given are the start of the search for them. `given_names` are the coordinates
    that were given, or None if all were. `where` is the place of errors. `origin` is the state from which the other coordinates
    are followed, if it is known.
    """

    mechanism: Mechanism
    q: np.ndarray
    given_names: tuple[str, ...] | None
    where: Place
    origin: StateOrigin | None = None

    @property
    def complete(self) -> bool:
        """Whether every coordinate was given."""
        return self.given_names is None

    @property
    def fixed_coordinates(self) -> tuple[str, ...]:
        """The coordinates that were given by name and can be fixed, because they have a speed of their own."""
        if not self.given_names:
            return ()
        single = single_coordinates(self.mechanism)
        return tuple(name for name in self.given_names if name in single)


def as_configuration(mechanism: Mechanism, q0: Any = None, argument: str = "q0") -> GivenState:
    """A configuration: numbers in order, the name of a pose, some coordinates by name, or None for the mechanism's own start.

    `argument` is the caller's name for it.
    """
    where = ArgumentName(argument)
    if isinstance(q0, GivenState):
        return q0
    if q0 is None:
        initial = mechanism.initial.q
        return _from_description(mechanism, initial if initial is not None else PartialState(mechanism.neutral()), "[initial] q")
    if isinstance(q0, str):
        q0 = parse_state(mechanism, q0, mechanism.coordinate_names, where)
    if isinstance(q0, str):
        return _from_description(mechanism, mechanism.poses[q0], f"pose {q0!r}")
    if isinstance(q0, PartialState):
        return _from_description(mechanism, q0, where)
    if isinstance(q0, Mapping):
        q = as_configuration(mechanism).q
        for name, value in values_by_name(mechanism, q0, mechanism.coordinate_names, where, "coordinate").items():
            q[mechanism.coordinate_names.index(name)] = value
        return GivenState(mechanism, normalise_quaternions(mechanism, q, where), tuple(q0), where, StateOrigin(mechanism))
    q = values_in_order(mechanism, q0, mechanism.coordinate_names, argument)
    return GivenState(mechanism, normalise_quaternions(mechanism, q, where), None, where)


def as_speeds(mechanism: Mechanism, qd0: Any, argument: str = "qd0") -> np.ndarray | dict[str, float] | None:
    """Speeds: numbers in order, or some by name; None stays None."""
    names, where = mechanism.speed_names, ArgumentName(argument)
    if qd0 is None:
        return None
    if isinstance(qd0, str):
        qd0 = parse_state(mechanism, qd0, names, where, poses=False)
    if isinstance(qd0, PartialState):
        qd0 = {name: x for name, x in zip(names, qd0, strict=True) if name in qd0.given_names}
    if isinstance(qd0, Mapping):
        return values_by_name(mechanism, qd0, names, where, "speed")
    return values_in_order(mechanism, qd0, names, argument)


def parse_state(
    mechanism: Mechanism, text: str, names: tuple[str, ...], where: Place, *, poses: bool = True
) -> str | dict[str, float] | list[float]:
    """A text as the command line takes it: a pose's name, `theta1=30deg, theta2=0`, or numbers in order, `30deg, 0`."""
    text = text.strip()
    if poses and text in mechanism.poses:
        return text
    pairs = quantity.parse_assignments(text, where)
    if pairs is not None:
        return values_by_name(mechanism, pairs, names, where, "coordinate" if poses else "speed")
    if poses and re.fullmatch(r"[^\W\d][\w.-]*", text) and text not in {*mechanism.parameters, "pi"}:
        for note in mechanism.notes:
            if note.startswith(f"pose {text!r} is left out"):
                raise ArgumentError(note, where=where)
        raise ArgumentError(
            unknown_name_message("pose", text, mechanism.poses), where=where, remedy=f"or give numbers, for {_list_names(names)}"
        )
    return quantity.parse_quantities(text, where, mechanism.parameters)


def values_by_name(
    mechanism: Mechanism, values: Mapping[str, Any], names: tuple[str, ...], where: Place, noun: str
) -> dict[str, float]:
    """Numbers of some of the names; a text may have a unit, and may use the mechanism's parameters."""
    for name in values:
        if name not in names:
            raise ArgumentError(unknown_name_message(noun, name, names), where=where)
    return {name: as_number(mechanism, x, (where, repr(name))) for name, x in values.items()}


def values_in_order(mechanism: Mechanism, values: Any, names: tuple[str, ...], argument: str) -> np.ndarray:
    """Read one finite number for each name; anything else is an error."""
    if isinstance(values, (list, tuple)) and any(isinstance(x, str) for x in values):
        values = [as_number(mechanism, x, ArgumentName(argument)) for x in values]
    try:
        array = floats(values).copy()
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (len(names),) or not np.isfinite(array).all():
        raise ArgumentError(
            f"is {format_value(values)}",
            argument=argument,
            remedy=f"{len(names)} finite numbers are needed: {_list_names(names)}",
        )
    return array


def as_number(mechanism: Mechanism, value: Any, where: Place | tuple[Place, ...]) -> float:
    """One finite number; a text may have a unit, as "30deg", and may use the mechanism's parameters."""
    places = where if isinstance(where, tuple) else (where,)
    if isinstance(value, str):
        return quantity.parse_quantity(value, places, mechanism.parameters)
    if not is_number(value):
        raise ArgumentError(f"{format_value(value)} is not a finite number", where=places)
    return float(value)


def normalise_quaternions(mechanism: Mechanism, q: np.ndarray, where: Place) -> np.ndarray:
    """q with its quaternions normalised to length 1."""
    start = 0
    for joint in mechanism.joints:
        if joint.kind.quaternion:
            length = float(np.linalg.norm(q[start : start + 4]))
            if length == 0:
                raise ArgumentError(
                    f"the quaternion of joint {joint.name!r} is zero, which is not a rotation; use (1, 0, 0, 0) for none",
                    where=where,
                )
            q[start : start + 4] /= length
        start += joint.kind.nq
    return q


def _from_description(mechanism: Mechanism, values: Any, where: Place) -> GivenState:
    q = normalise_quaternions(mechanism, np.array(values, dtype=float), where)
    return (
        GivenState(mechanism, q, values.given_names, where, values.origin)
        if isinstance(values, PartialState)
        else GivenState(mechanism, q, None, where)
    )


def _list_names(names: tuple[str, ...]) -> str:
    return ", ".join(names[:MAX_LISTED]) + ", ..." * (len(names) > MAX_LISTED)

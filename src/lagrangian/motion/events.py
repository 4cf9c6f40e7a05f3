"""What may happen during a run, and what is then done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, is_number, one_of
from lagrangian.model.expression import Scalar, symbol
from lagrangian.model.loop import Wall
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.torque import expression

# stands for det K*, which no expression of coordinates says so shortly
DEAD_CENTRE = symbol("dead centre")

DIRECTIONS = {"rising": 1, "falling": -1, "both": 0}


@dataclass(frozen=True)
class Lock:
    """The joints stop, as if bolted, from here on: their momentum passes to the rest through the constraints."""

    joints: tuple[str, ...]

    def __init__(self, *joints: str) -> None:
        object.__setattr__(self, "joints", joints)


@dataclass(frozen=True)
class Unlock:
    """The joints that were locked are free again."""

    joints: tuple[str, ...]

    def __init__(self, *joints: str) -> None:
        object.__setattr__(self, "joints", joints)


@dataclass(frozen=True)
class SetTorque:
    """From here on these constant torques act besides the run's own."""

    torques: Mapping[str, float]


@dataclass(frozen=True)
class Kink:
    """Stands for a quantity of a wall at whose zeros its force has a kink: see `algorithms.springs.kinks`."""

    spring: int
    which: int


@dataclass(frozen=True)
class Switch:
    """Stands for what changes its sign where an expression that acts jumps or has a kink: see `model.expression.switching`."""

    argument: Scalar


When = str | Scalar | Kink | Switch | Callable[[float, np.ndarray, np.ndarray], float]

RESTART = "restart"  # the action there: a step ends and another begins, so that none has to pass over a kink


@dataclass(frozen=True)
class Event:
    """A zero of `when`, an expression of t, coordinates and speeds (qd_<name>), or a Python function of (t, q, qd).

    "dead centre" is where the driven joints no longer determine the passive ones.

    `action` is "record", "stop", `Lock(...)`, `Unlock(...)` or `SetTorque({...})`; `direction` which crossings count. An
    expression or a function given to simulate without an `Event` around it stops the run.
    """

    when: When
    action: Any = "record"
    direction: str = "both"
    name: str = ""

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise ArgumentError(f"event: {one_of('direction', self.direction, DIRECTIONS)}", concerns="direction")
        if isinstance(self.when, (Kink, Switch)):
            return
        if not (self.action in ("record", "stop") or isinstance(self.action, (Lock, Unlock, SetTorque))):
            raise ArgumentError(
                f"is {self.action!r}; 'record', 'stop', Lock(...), Unlock(...) or SetTorque({{...}}) is needed",
                where="event",
                argument="action",
            )


@dataclass(frozen=True)
class Happening:
    """An event of a run, as it was found."""

    name: str
    t: float
    q: np.ndarray = field(repr=False)
    qd: np.ndarray = field(repr=False)


def checked(events: Any, mechanism: Mechanism) -> list[Event]:
    """What `events=` may be, with names, and expressions read."""
    if events is None:
        return []
    if isinstance(events, (str, Event)) or callable(events):
        events = [events]
    if not hasattr(events, "__iter__"):
        raise ArgumentError(f"is {events!r}", argument="events", remedy="a list of Event(...) is needed")
    found: list[Event] = []
    for given in events:
        event = given if isinstance(given, Event) else Event(given, "stop")
        when = event.when
        if isinstance(when, str) and when.replace("_", " ").replace("center", "centre") == DEAD_CENTRE.name:
            when = DEAD_CENTRE
        elif not callable(when):
            when = expression(when, mechanism, "event")
        joints = getattr(event.action, "joints", ()) or tuple(getattr(event.action, "torques", ()))
        for value in getattr(event.action, "torques", {}).values():
            if not is_number(value):
                raise ArgumentError(f"event: SetTorque has {value!r}; finite numbers are needed", concerns="events")
        for joint in joints:
            if joint not in mechanism.speed_names:
                raise ArgumentError(f"event: {one_of('joint or speed', joint, mechanism.speed_names)}", concerns="events")
        name = event.name or (str(event.when) if not callable(event.when) else getattr(event.when, "__name__", ""))
        name = f"event {len(found) + 1}" if name in ("", "<lambda>") else name
        found.append(Event(when, event.action, event.direction, name))
    return found


def of_walls(mechanism: Mechanism) -> list[Event]:
    """Where walls are met and left, and where a damped one begins or ceases to let go, which has no name and is not told."""
    found: list[Event] = []
    for i, wall in enumerate(mechanism.springs):
        if isinstance(wall, Wall):
            found.append(Event(Kink(i, 0), RESTART, "falling", f"{wall.body} meets {wall.name}"))
            found.append(Event(Kink(i, 0), RESTART, "rising", f"{wall.body} leaves {wall.name}"))
            if float(wall.damping):
                found.append(Event(Kink(i, 1), RESTART))
    return found

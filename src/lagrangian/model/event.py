"""What may happen during a run, and what is then done. A mechanism may have events of its own: a latch, an end of travel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.errors import ArgumentError, MechanismError, Part, is_number, one_of, placed
from lagrangian.model.expression import Expression, Scalar, free_symbols, parse, symbol

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

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
class SetParameters:
    """From here on parameters of the mechanism have these values, and so has all that is written with them."""

    parameters: Mapping[str, float]


@dataclass(frozen=True)
class SetPayload:
    """From here on this payload is fixed to a frame, in the place of one that an event fixed there before; a mass of 0 releases
    it. What `Mechanism.with_payload` put on stays.

    `center` is its centre of mass in the frame, and `inertia` is about that. It is gripped as it moves along with the gripper:
    speeds do not change. The energy that it brings is in the `work` of "payloads".
    """

    frame: str
    mass: float
    center: Any = (0, 0, 0)
    inertia: Any = (0, 0, 0, 0, 0, 0)


@dataclass(frozen=True)
class Kink:
    """Stands for a quantity of a wall or spring at whose zeros its force has a kink: see `algorithms.springs.kinks`."""

    spring: int
    which: int


@dataclass(frozen=True)
class Pull:
    """Stands for the force of a contact, which only pushes, as a zero of which it would have to begin to pull."""

    constraint: str


@dataclass(frozen=True)
class Switch:
    """Stands for what changes its sign where an expression that acts jumps or has a kink: see `model.expression.switching`."""

    argument: Scalar


When = str | Scalar | Kink | Pull | Switch | Callable[[float, np.ndarray, np.ndarray], float]


@dataclass(frozen=True)
class Event:
    """A zero of `when`, an expression of t, coordinates and speeds (qd_<name>), or a Python function of (t, q, qd).

    "dead centre" is where the driven joints no longer determine the passive ones.

    `action` is "record", "stop", `Lock(...)`, `Unlock(...)`, `SetTorque({...})`, `SetPayload(...)` or `SetParameters({...})`;
    `direction` which crossings count. An expression or a function given to simulate without an `Event` around it stops the run.
    """

    when: When
    action: Any = "record"
    direction: str = "both"
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.direction, str) or self.direction not in DIRECTIONS:
            raise ArgumentError(f"event: {one_of('direction', self.direction, DIRECTIONS)}", concerns="direction")
        if isinstance(self.when, (Kink, Switch)):
            return
        if not is_action(self.action):
            raise ArgumentError(
                f"is {self.action!r}; 'record', 'stop', Lock(...), Unlock(...), SetTorque({{...}}), SetPayload(...) or "
                f"SetParameters({{...}}) is needed",
                where="event",
                argument="action",
            )


def is_action(given: Any) -> bool:
    """Whether it is something that an event can do."""
    actions = (Lock, Unlock, SetTorque, SetParameters, SetPayload)
    return isinstance(given, actions) or (isinstance(given, str) and given in ("record", "stop"))


def joints_of(action: Any) -> tuple[str, ...]:
    """The joints or speeds that an action is about."""
    return tuple(getattr(action, "joints", ())) or tuple(getattr(action, "torques", ()))


def check_action(action: Any, mechanism: Mechanism) -> None:
    """Whether the joints of an action exist, and its torques are numbers."""
    for name in joints_of(action):
        if name not in mechanism.speed_names:
            raise MechanismError(one_of("joint or speed", name, mechanism.speed_names))
    for value in getattr(action, "torques", {}).values():
        if not is_number(value):
            raise MechanismError(f"SetTorque has {value!r}; finite numbers are needed")
    if isinstance(action, SetPayload):
        mechanism.with_payload(action.frame, action.mass, action.center, action.inertia)
    elif isinstance(action, SetParameters):
        for name in action.parameters:
            if name not in mechanism.parameters:
                raise MechanismError(one_of("parameter", name, mechanism.parameters))
        mechanism.with_parameters(action.parameters)


def is_dead_centre(text: str) -> bool:
    return text.replace("_", " ").replace("center", "centre") == DEAD_CENTRE.name


def state_names(mechanism: Mechanism) -> dict[str, Scalar]:
    """What expressions of a mechanism's state may use: parameters, t, coordinates, and speeds as qd_<name>."""
    names: dict[str, Scalar] = {**mechanism.parameters, "t": symbol("t")}
    for name in mechanism.coordinate_names:
        names[name] = symbol(name)
    for name in mechanism.speed_names:
        names[f"qd_{name}"] = symbol(f"qd_{name}")
    return names


def own_events(given: Iterable[Event], mechanism: Mechanism) -> tuple[Event, ...]:
    """The events of a mechanism itself, checked, their expressions read."""
    found: list[Event] = []
    names = state_names(mechanism)
    for event in given:
        if not event.name:
            raise MechanismError("an event has no name", remedy="its name is how a run tells of it")
        with placed(Part("event", event.name)):
            if any(event.name == other.name for other in found):
                raise MechanismError("two events have this name; names must differ")
            if isinstance(event.action, (SetParameters, SetPayload)):
                raise MechanismError(
                    "its action changes numbers of the mechanism", remedy="give the event to simulate(events=...)"
                )
            check_action(event.action, mechanism)
            found.append(replace(event, when=_read(event.when, names)))
    return tuple(found)


def _read(when: When, names: Mapping[str, Scalar]) -> Scalar:
    if when == DEAD_CENTRE or (isinstance(when, str) and is_dead_centre(when)):
        return DEAD_CENTRE
    found = parse(when, names) if isinstance(when, str) else when
    if not isinstance(found, Expression):
        needed = "an expression in text such as 'theta1 - 1.5' is needed; a Python function is given to simulate"
        raise MechanismError(f"is {when!r}", argument="when", remedy=needed)
    for name in sorted(free_symbols(found) - set(names)):
        raise MechanismError(one_of("name", name, names), argument="when")
    if not free_symbols(found):
        raise MechanismError(f"is {found}, which is constant", argument="when", remedy="it has no zero to cross")
    return found


def event_words(event: Event) -> str:
    """When an event of a mechanism takes place, and what it does."""
    way = "" if event.direction == "both" else f", {event.direction}"
    at = f"at a {DEAD_CENTRE.name}" if event.when == DEAD_CENTRE else f"where {event.when} = 0"
    action = event.action
    if isinstance(action, SetTorque):
        does = "sets torques of " + ", ".join(f"{name} to {x:g}" for name, x in action.torques.items())
    elif isinstance(action, (Lock, Unlock)):
        does = f"{'locks' if isinstance(action, Lock) else 'unlocks'} {', '.join(action.joints)}"
    else:
        does = {"stop": "stops the run", "record": "is recorded"}[action]
    return f"{at}{way}: {does}"

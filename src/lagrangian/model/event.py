"""What may happen during a run, and what is then done. A mechanism may have events of its own: a latch, an end of travel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.errors import ArgumentError, MechanismError, MechanismPart, error_location, is_number, unknown_name_message
from lagrangian.model.expression import Expression, Scalar, free_symbols, parse, symbol
from lagrangian.model.vector import InertiaLike, VectorLike

if TYPE_CHECKING:
    from lagrangian.model.mechanism import Mechanism

# stands for det K*, which no expression of coordinates says so shortly
DEAD_CENTRE = symbol("dead centre")

DIRECTIONS = {"rising": 1, "falling": -1, "both": 0}


@dataclass(frozen=True)
class LockJoints:
    """The action of an event that locks joints.

    The joints stop at once, as if bolted, and stay locked. The impact passes their momentum to the rest of the mechanism.

    Parameters
    ----------
    *joints : str
        The names of the joints, or of single speeds of joints with several.

    Examples
    --------
    The elbow of a swinging arm locks when it is stretched:

    >>> import lagrangian as lg
    >>> latch = lg.Event("theta2", lg.LockJoints("theta2"), name="latch")
    >>> motion = lg.simulate("two_r", 2.0, events=[latch])
    >>> bool(abs(motion.qd[-1, 1]) < 1e-9)
    True
    """

    joints: tuple[str, ...]

    def __init__(self, *joints: str) -> None:
        object.__setattr__(self, "joints", joints)


@dataclass(frozen=True)
class UnlockJoints:
    """The action of an event that releases joints which a `LockJoints` has locked.

    Parameters
    ----------
    *joints : str
        The names of the joints, or of single speeds of joints with several.

    Examples
    --------
    >>> import lagrangian as lg
    >>> lock = lg.Event("theta2", lg.LockJoints("theta2"), name="lock")
    >>> release = lg.Event("t - 1.5", lg.UnlockJoints("theta2"), name="release")
    >>> motion = lg.simulate("two_r", 2.0, events=[lock, release])
    >>> bool(abs(motion.qd[-1, 1]) > 0.1)
    True
    """

    joints: tuple[str, ...]

    def __init__(self, *joints: str) -> None:
        object.__setattr__(self, "joints", joints)


@dataclass(frozen=True)
class SetTorque:
    """The action of an event that adds constant torques to those of the simulation.

    Parameters
    ----------
    torques : mapping of str to float
        The torque in N m, or the force in N, by the name of the joint or speed. A later event with the same joint replaces it.

    Examples
    --------
    A torque of 5 N m acts on the pendulum from 0.5 s on:

    >>> import lagrangian as lg
    >>> on = lg.Event("t - 0.5", lg.SetTorque({"theta": 5.0}), name="on")
    >>> lg.simulate("pendulum", 1.0, events=[on]).events[0].t
    0.5
    """

    torques: Mapping[str, float]


@dataclass(frozen=True)
class SetParameters:
    """The action of an event that changes parameters of the mechanism.

    Everything that is written with these parameters follows. Coordinates and speeds do not change.

    Parameters
    ----------
    parameters : mapping of str to float
        The new values by the names of the parameters.

    Examples
    --------
    The mass of the pendulum doubles after 0.5 s:

    >>> import lagrangian as lg
    >>> heavier = lg.Event("t - 0.5", lg.SetParameters({"m": 2.0}), name="heavier")
    >>> motion = lg.simulate("pendulum", 1.0, events=[heavier])
    >>> motion.events[0].name
    'heavier'
    """

    parameters: Mapping[str, float]


@dataclass(frozen=True)
class SetPayload:
    """The action of an event that fixes a payload to a frame, or releases it.

    The payload replaces the one that an earlier event fixed to the same frame; a payload of `Mechanism.with_payload` stays. The
    payload moves with the frame when it is gripped, so that the speeds do not change. The `work` of "payloads" of the motion
    contains the energy that it brings along.

    Parameters
    ----------
    frame : str
        The name of the frame or body.
    mass : float
        The mass in kg; 0 releases the payload.
    center : array_like, optional
        The centre of mass in the frame, in m; the default is its origin.
    inertia : array_like, optional
        The inertia about the centre of mass along the axes of the frame, in kg m²: three principal moments, six entries
        (xx, xy, xz, yy, yz, zz) or a 3x3 matrix. By default the payload is a point mass.

    Examples
    --------
    The arm picks up 3 kg after 0.5 s:

    >>> import lagrangian as lg
    >>> grip = lg.Event("t - 0.5", lg.SetPayload("tip", 3.0), name="grip")
    >>> lg.simulate("two_r", 1.0, events=[grip]).events[0].t
    0.5
    """

    frame: str
    mass: float
    center: VectorLike = (0, 0, 0)
    inertia: InertiaLike = (0, 0, 0, 0, 0, 0)


@dataclass(frozen=True)
class KinkCondition:
    """Stands for a quantity of a wall or spring at whose zeros its force has a kink: see `algorithms.springs.kink_quantities`."""

    spring: int
    index: int


@dataclass(frozen=True)
class PullCondition:
    """Stands for the force of a contact, which only pushes, as a zero of which it would have to begin to pull."""

    constraint: str


@dataclass(frozen=True)
class SwitchCondition:
    """Stands for what changes its sign where an expression that acts jumps or has a kink: see `switching_times`."""

    argument: Scalar


Action = str | LockJoints | UnlockJoints | SetTorque | SetPayload | SetParameters
EventCondition = str | Scalar | KinkCondition | PullCondition | SwitchCondition | Callable[[float, np.ndarray, np.ndarray], float]


@dataclass(frozen=True)
class Event:
    """An event of a simulation: a quantity crosses zero, and an action follows.

    Give events to `simulate`, or to the mechanism itself. An expression or a function that is given to `simulate` without an
    `Event` around it stops the simulation.

    Parameters
    ----------
    when : str, Expression or callable
        The quantity: an expression of t, of coordinates and of speeds, which are called `qd_<name>`; or a function of
        (t, q, qd). The text "dead centre" stands for configurations in which the driven joints no longer determine the
        passive ones.
    action : str, LockJoints, UnlockJoints, SetTorque, SetPayload or SetParameters, optional
        What happens: "record", the default, notes the time; "stop" ends the simulation; the classes say what they do.
    direction : str, optional
        Which crossings count: "rising", "falling" or "both", the default.
    name : str, optional
        The name in the `events` of the motion. Events of a mechanism need one.

    Raises
    ------
    ArgumentError
        If the action or the direction does not exist.

    Examples
    --------
    Stop the pendulum when it passes its lowest point:

    >>> import lagrangian as lg
    >>> lowest = lg.Event("cos(theta)", "stop", "rising", name="lowest")
    >>> motion = lg.simulate("pendulum", 10.0, events=[lowest])
    >>> print(f"{motion.t[-1]:.4f} s")
    0.5920 s
    """

    when: EventCondition
    action: Action = "record"
    direction: str = "both"
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.direction, str) or self.direction not in DIRECTIONS:
            raise ArgumentError(f"event: {unknown_name_message('direction', self.direction, DIRECTIONS)}", concerns="direction")
        if isinstance(self.when, (KinkCondition, SwitchCondition)):
            return
        if not is_action(self.action):
            raise ArgumentError(
                f"is {self.action!r}; it must be 'record', 'stop', LockJoints(...), UnlockJoints(...), SetTorque({{...}}), "
                f"SetPayload(...) or SetParameters({{...}})",
                where="event",
                argument="action",
            )


def is_action(value: Any) -> bool:
    """Whether a value is something that an event can do."""
    actions = (LockJoints, UnlockJoints, SetTorque, SetParameters, SetPayload)
    return isinstance(value, actions) or (isinstance(value, str) and value in ("record", "stop"))


def action_joints(action: Any) -> tuple[str, ...]:
    """The joints or speeds that an action is about."""
    return tuple(getattr(action, "joints", ())) or tuple(getattr(action, "torques", ()))


def check_action(action: Any, mechanism: Mechanism) -> None:
    """Refuse an action that names joints or parameters that do not exist, or values that are no numbers."""
    for name in action_joints(action):
        if name not in mechanism.speed_names:
            raise MechanismError(unknown_name_message("joint or speed", name, mechanism.speed_names))
    for value in getattr(action, "torques", {}).values():
        if not is_number(value):
            raise MechanismError(f"SetTorque has {value!r}; torques must be finite numbers")
    if isinstance(action, SetPayload):
        mechanism.with_payload(action.frame, action.mass, action.center, action.inertia)
    elif isinstance(action, SetParameters):
        for name in action.parameters:
            if name not in mechanism.parameters:
                raise MechanismError(unknown_name_message("parameter", name, mechanism.parameters))
        mechanism.with_parameters(action.parameters)


def is_dead_centre(text: str) -> bool:
    return text.replace("_", " ").replace("center", "centre") == DEAD_CENTRE.name


def state_symbols(mechanism: Mechanism) -> dict[str, Scalar]:
    """What expressions of a mechanism's state may use: parameters, t, coordinates, and speeds as qd_<name>."""
    symbols: dict[str, Scalar] = {**mechanism.parameters, "t": symbol("t")}
    for name in mechanism.coordinate_names:
        symbols[name] = symbol(name)
    for name in mechanism.speed_names:
        symbols[f"qd_{name}"] = symbol(f"qd_{name}")
    return symbols


def validate_events(events: Iterable[Event], mechanism: Mechanism) -> tuple[Event, ...]:
    """The events of a mechanism itself, checked, their expressions read."""
    valid_events: list[Event] = []
    symbols = state_symbols(mechanism)
    for event in events:
        if not event.name:
            raise MechanismError("an event has no name", remedy="give it a name, under which a motion lists it")
        with error_location(MechanismPart("event", event.name)):
            if any(event.name == other.name for other in valid_events):
                raise MechanismError("two events have this name; names must differ")
            if isinstance(event.action, (SetParameters, SetPayload)):
                raise MechanismError(
                    "its action changes the mechanism itself", remedy="give the event to simulate(events=...) instead"
                )
            check_action(event.action, mechanism)
            valid_events.append(replace(event, when=_parse_condition(event.when, symbols)))
    return tuple(valid_events)


def describe_event(event: Event) -> str:
    """When an event of a mechanism takes place, and what it does."""
    direction = "" if event.direction == "both" else f", {event.direction}"
    place = f"at a {DEAD_CENTRE.name}" if event.when == DEAD_CENTRE else f"where {event.when} = 0"
    action = event.action
    if isinstance(action, SetTorque):
        effect = "sets torques of " + ", ".join(f"{name} to {x:g}" for name, x in action.torques.items())
    elif isinstance(action, (LockJoints, UnlockJoints)):
        effect = f"{'locks' if isinstance(action, LockJoints) else 'unlocks'} {', '.join(action.joints)}"
    else:
        effect = "stops the simulation" if action == "stop" else "is recorded"
    return f"{place}{direction}: {effect}"


def _parse_condition(condition: EventCondition, symbols: Mapping[str, Scalar]) -> Scalar:
    if condition == DEAD_CENTRE or (isinstance(condition, str) and is_dead_centre(condition)):
        return DEAD_CENTRE
    expression = parse(condition, symbols) if isinstance(condition, str) else condition
    if not isinstance(expression, Expression):
        remedy = "it must be an expression such as 'theta1 - 1.5'; give a Python function to simulate(events=...)"
        raise MechanismError(f"is {condition!r}", argument="when", remedy=remedy)
    for name in sorted(free_symbols(expression) - set(symbols)):
        raise MechanismError(unknown_name_message("name", name, symbols), argument="when")
    if not free_symbols(expression):
        raise MechanismError(f"is {expression}, which is constant", argument="when", remedy="a constant never crosses zero")
    return expression

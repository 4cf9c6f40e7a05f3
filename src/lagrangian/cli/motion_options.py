"""Options of the commands about motion: the start, what drives the mechanism, and events; and how their texts are read."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.model.expression import quantity

Q0Option = Annotated[
    str | None,
    typer.Option(
        "--q0",
        metavar="STATE",
        help="The coordinates at the start, in rad and m: the name of a pose, all values in order, or some by name, such as "
        "theta1=30deg,theta2=0.1. Default: the start in the description.",
    ),
]
Qd0Option = Annotated[
    str | None,
    typer.Option(
        "--qd0",
        metavar="STATE",
        help="The speeds at the start, in rad/s and m/s: all values in order, or some by name, such as theta1=0.5. Default: the "
        "start in the description, or zero if you give --q0.",
    ),
]
TorqueOption = Annotated[
    list[str] | None,
    typer.Option(
        "--torque",
        metavar="JOINT=EXPR",
        help="Apply a torque in N m, or a force in N, to a joint: an expression of the time t, coordinates and speeds "
        "(qd_NAME). You can repeat this option; --torque 0 removes the torques of the description.",
    ),
]
WrenchOption = Annotated[
    list[str] | None,
    typer.Option(
        "--wrench",
        metavar="FRAME=...",
        help="Apply an external wrench at the origin of a frame: six numbers or expressions along the world's axes, first the "
        "moment in N m, then the force in N. You can repeat this option.",
    ),
]
EventOption = Annotated[
    list[str] | None,
    typer.Option(
        "--event",
        metavar="EXPR",
        help='Stop when this expression becomes zero, or at a "dead centre". You can repeat this option.',
    ),
]
AtEventOption = Annotated[
    list[str] | None,
    typer.Option(
        "--at-event",
        metavar="NAME=ACTION",
        help="Choose what an event of the description does: record, stop, lock:JOINT,... or unlock:JOINT,... "
        "You can repeat this option.",
    ),
]
StabilisationOption = Annotated[
    str,
    typer.Option(
        "--stabilisation",
        metavar="NAME",
        help="The method that keeps constraints from drifting: projection, baumgarte, ggl or none.",
    ),
]


def parse_time(text: str | None) -> Any:
    """The duration, as in `10`, or the start and the end, as in `2:10`."""
    if text is None:
        return None
    try:
        times = [quantity.parse_quantity(x, "--time") for x in quantity.split_list(text, ":")]
    except ArgumentError:
        times = []
    if len(times) not in (1, 2):
        raise ArgumentError(
            f"--time is {text!r}; a duration in seconds is needed, such as 10, or a start and an end, such as 2:10"
        )
    return times[0] if len(times) == 1 else tuple(times)


def parse_torques(texts: list[str] | None) -> Any:
    """The torques by the names of their joints; 0 removes those of the description."""
    if not texts:
        return None
    if [x.strip() for x in texts] == ["0"]:
        return 0
    return quantity.collect_assignments(texts, "--torque")


def parse_wrenches(texts: list[str] | None) -> Any:
    """The wrenches by the names of their frames."""
    if not texts:
        return None
    entries = quantity.collect_assignments(texts, "--wrench")
    return {frame: tuple(quantity.split_list(x.strip("()[]") if x[:1] in "([" else x)) for frame, x in entries.items()}


def parse_events(stop_at: list[str] | None, actions: list[str] | None) -> Any:
    """Events that stop at the zeros of expressions, and new actions for events of the description."""
    from lagrangian.model.event import Event, LockJoints, UnlockJoints

    event_actions: dict[str, Any] = {}
    for action_text in actions or []:
        name, action = quantity.split_assignment(action_text, "--at-event")
        kind, _, joints = action.partition(":")
        if kind in ("lock", "unlock"):
            joint_names = [quantity.unquote(x) for x in quantity.split_list(joints, ",") if x]
            if not joint_names:
                raise ArgumentError(f"--at-event {action_text}: name the joints to {kind}, such as {name}={kind}:theta1")
            event_actions[name] = (LockJoints if kind == "lock" else UnlockJoints)(*joint_names)
        elif kind in ("record", "stop"):
            event_actions[name] = action
        else:
            known_actions = ("record", "stop", "lock:JOINT", "unlock:JOINT")
            raise ArgumentError(f"--at-event {action_text}: {unknown_name_message('action', action, known_actions)}")
    return event_actions | {text: Event(text, "stop") for text in stop_at or []} or None


def parse_quantity_option(text: str | float) -> float:
    """The number of an option, which can have a unit: `60rpm`, `30deg`, `250mm`."""
    try:
        return quantity.parse_quantity(str(text), ())
    except ArgumentError as error:
        raise typer.BadParameter(str(error)) from None

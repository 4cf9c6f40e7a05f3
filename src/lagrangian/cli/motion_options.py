"""What the commands about motion have in common: options for where it begins, what drives it and what it meets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from lagrangian.errors import ArgumentError, unknown_name_message
from lagrangian.model.expression import quantity
from lagrangian.model.expression.quantity import collect_assignments, parse_quantities, parse_quantity, split_list

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


def parse_torques(texts: list[str] | None) -> Any:
    """By their joints; 0 for none."""
    if not texts:
        return None
    if [x.strip() for x in texts] == ["0"]:
        return 0
    return quantity.collect_assignments(texts, "--torque")


def parse_wrenches(texts: list[str] | None) -> Any:
    """By their frames."""
    if not texts:
        return None
    entries = quantity.collect_assignments(texts, "--wrench")
    return {frame: tuple(quantity.split_list(x.strip("()[]") if x[:1] in "([" else x)) for frame, x in entries.items()}


def parse_events(stop_at: list[str] | None, actions: list[str] | None) -> Any:
    """Expressions at whose zeros to stop, and other actions of the description's own events."""
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


# MERGED lagrangian.cli.values: Texts of the command line as times, points and parameters.


def parse_quantity_option(text: str | float) -> float:
    """The number of an option, with a unit if one is written: `60rpm`, `30deg`, `250mm`."""
    try:
        return parse_quantity(str(text), ())
    except ArgumentError as error:
        raise typer.BadParameter(str(error)) from None


def parse_parameters(texts: list[str] | None) -> dict[str, float] | None:
    """--set l1=0.5 --set m1=2, or both with a comma between."""
    if not texts:
        return None
    assignments = collect_assignments([x for text in texts for x in split_list(text)], "--set")
    return {name: parse_quantity(value, f"--set {name}") for name, value in assignments.items()}


def parse_time(text: str | None) -> Any:
    """`10`, or `0:10`."""
    if text is None:
        return None
    try:
        times = [parse_quantity(x, "--time") for x in split_list(text, ":")]
    except ArgumentError:
        times = []
    if len(times) not in (1, 2):
        raise ArgumentError(
            f"--time is {text!r}; a duration in seconds is needed, such as 10, or a start and an end, such as 2:10"
        )
    return times[0] if len(times) == 1 else tuple(times)


def parse_point(text: str, option: str, names: Mapping[str, Any] | None = None) -> list[float]:
    coordinates = parse_quantities(text, option, names)
    if len(coordinates) not in (2, 3):
        raise ArgumentError(f"{option}: {text!r} has {len(coordinates)} numbers; a point is x,y or x,y,z")
    return coordinates


def parse_points(text: str, option: str, least: int, names: Mapping[str, Any] | None = None) -> list[list[float]]:
    """Points with colons between them: `1.2,1.2 : 0.8,1.0`."""
    point_list = [parse_point(x, option, names) for x in split_list(text, ":")]
    if len(point_list) < least:
        raise ArgumentError(
            f"{option}: {text!r} has {len(point_list)} points; {least} are needed, separated by colons, such as 1.2,1.2 : 0.8,1.0"
        )
    return point_list

"""What the commands about motion have in common: options for where it begins, what drives it and what it meets."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lagrangian.errors import ArgumentError, one_of
from lagrangian.model.expression import quantity

Begin = Annotated[
    str | None,
    typer.Option(
        "--q0",
        metavar="STATE",
        help="The coordinates at the start, in rad and m: the name of a pose, all values in order, or some by name, such as "
        "theta1=30deg,theta2=0.1. Default: the start in the description.",
    ),
]
BeginSpeeds = Annotated[
    str | None,
    typer.Option(
        "--qd0",
        metavar="STATE",
        help="The speeds at the start, in rad/s and m/s: all values in order, or some by name, such as theta1=0.5. Default: the "
        "start in the description, or zero if you give --q0.",
    ),
]
Torque = Annotated[
    list[str] | None,
    typer.Option(
        "--torque",
        metavar="JOINT=EXPR",
        help="Apply a torque in N m, or a force in N, to a joint: an expression of the time t, coordinates and speeds "
        "(qd_NAME). You can repeat this option; --torque 0 removes the torques of the description.",
    ),
]
Wrench = Annotated[
    list[str] | None,
    typer.Option(
        "--wrench",
        metavar="FRAME=...",
        help="Apply an external wrench at the origin of a frame: six numbers or expressions along the world's axes, first the "
        "moment in N m, then the force in N. You can repeat this option.",
    ),
]
StopAt = Annotated[
    list[str] | None,
    typer.Option(
        "--event",
        metavar="EXPR",
        help='Stop when this expression becomes zero, or at a "dead centre". You can repeat this option.',
    ),
]
AtEvent = Annotated[
    list[str] | None,
    typer.Option(
        "--at-event",
        metavar="NAME=ACTION",
        help="Choose what an event of the description does: record, stop, lock:JOINT,... or unlock:JOINT,... "
        "You can repeat this option.",
    ),
]
Stabilisation = Annotated[
    str,
    typer.Option(
        "--stabilisation",
        metavar="NAME",
        help="The method that keeps constraints from drifting: projection, baumgarte, ggl or none.",
    ),
]


def torques(given: list[str] | None) -> Any:
    """By their joints; 0 for none."""
    if not given:
        return None
    if [x.strip() for x in given] == ["0"]:
        return 0
    return quantity.pairs(given, "--torque")


def wrenches(given: list[str] | None) -> Any:
    """By their frames."""
    if not given:
        return None
    found = quantity.pairs(given, "--wrench")
    return {frame: tuple(quantity.parts(x.strip("()[]") if x[:1] in "([" else x)) for frame, x in found.items()}


def events(stop_at: list[str] | None, actions: list[str] | None) -> Any:
    """Expressions at whose zeros to stop, and other actions of the description's own events."""
    from lagrangian.model.event import Event, Lock, Unlock

    found: dict[str, Any] = {}
    for given in actions or []:
        name, action = quantity.named(given, "--at-event")
        kind, _, joints = action.partition(":")
        if kind in ("lock", "unlock"):
            named = [quantity.unquoted(x) for x in quantity.parts(joints, ",") if x]
            if not named:
                raise ArgumentError(f"--at-event {given}: name the joints to {kind}, such as {name}={kind}:theta1")
            found[name] = (Lock if kind == "lock" else Unlock)(*named)
        elif kind in ("record", "stop"):
            found[name] = action
        else:
            raise ArgumentError(
                f"--at-event {given}: {one_of('action', action, ('record', 'stop', 'lock:JOINT', 'unlock:JOINT'))}"
            )
    return found | {text: Event(text, "stop") for text in stop_at or []} or None

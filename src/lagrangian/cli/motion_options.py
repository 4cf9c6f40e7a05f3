"""What the commands about motion have in common: options for where it begins, what drives it and what it meets."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lagrangian.errors import ArgumentError, one_of
from lagrangian.model.expression import quantity

_STATE = "A pose's name; numbers in order; or some by name: theta1=30deg,theta2=0.1"

Begin = Annotated[str | None, typer.Option("--q0", metavar="STATE", help=f"Where it begins. {_STATE}")]
BeginSpeeds = Annotated[str | None, typer.Option("--qd0", metavar="STATE", help="How fast it begins, likewise.")]
Torque = Annotated[
    list[str] | None,
    typer.Option("--torque", metavar="JOINT=EXPR", help="Of t, coordinates and speeds (qd_...). May be given again; 0 for none."),
]
Wrench = Annotated[
    list[str] | None,
    typer.Option(
        "--wrench", metavar="FRAME=...", help="Wrench from outside: six numbers or expressions, moment first. May be given again."
    ),
]
StopAt = Annotated[
    list[str] | None,
    typer.Option("--event", metavar="EXPR", help='Stop where it is zero; or "dead centre". May be given again.'),
]
AtEvent = Annotated[
    list[str] | None,
    typer.Option(
        "--at-event",
        metavar="NAME=ACTION",
        help="What an event of the description does: record, stop, lock:JOINT,... or unlock:JOINT,... May be given again.",
    ),
]
Stabilisation = Annotated[
    str, typer.Option("--stabilisation", metavar="NAME", help="Of constraints: projection, baumgarte, ggl, none.")
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
                raise ArgumentError(f"--at-event {given}: name the joints, such as {name}={kind}:theta1")
            found[name] = (Lock if kind == "lock" else Unlock)(*named)
        elif kind in ("record", "stop"):
            found[name] = action
        else:
            raise ArgumentError(
                f"--at-event {given}: {one_of('action', action, ('record', 'stop', 'lock:JOINT', 'unlock:JOINT'))}"
            )
    return found | {text: Event(text, "stop") for text in stop_at or []} or None

"""One `[[event]]` of a TOML description, read and written: when it takes place, and what it does."""

from __future__ import annotations

from typing import Any

from lagrangian.description.toml import text
from lagrangian.description.toml.motion import Coordinates
from lagrangian.description.toml.table import Table, scalar, shown
from lagrangian.description.toml.write_scalars import Scalars
from lagrangian.errors import one_of, placed
from lagrangian.model.event import DEAD_CENTRE, DIRECTIONS, Event, Lock, SetTorque, Unlock, is_dead_centre
from lagrangian.model.expression import Scalar, free_symbols, parse
from lagrangian.model.expression.written import Written

ACTIONS = ("record", "stop", "lock", "unlock", "set_torque")


def event(table: Table, coordinates: Coordinates) -> Event:
    """One `[[event]]`."""
    table.only("name", "when", "direction", "action", "joints", "torque")
    name, when = table.name(), _when(table, coordinates)
    return Event(when, _action(table, coordinates), table.choice("direction", tuple(DIRECTIONS), "both"), name)


def _when(table: Table, coordinates: Coordinates) -> Scalar:
    given = table.text("when")
    if is_dead_centre(given):
        return DEAD_CENTRE
    with placed(*table.at("when")):
        found = parse(given, coordinates.of_state)
    if not free_symbols(found):
        raise table.error(f"{shown(given)} is constant; an expression of coordinates, speeds or t is needed", "when")
    return found


def _action(table: Table, coordinates: Coordinates) -> Any:
    kind = table.choice("action", ACTIONS, "record")
    for entry, users in (("joints", ("lock", "unlock")), ("torque", ("set_torque",))):
        if entry in table and kind not in users:
            raise table.error(f"belongs to the actions {' and '.join(users)}; the action of this event is {kind}", entry)
    if kind in ("lock", "unlock"):
        return (Lock if kind == "lock" else Unlock)(*_joints(table, coordinates))
    if kind == "set_torque":
        return SetTorque(_torques(table, coordinates))
    return kind


def _joints(table: Table, coordinates: Coordinates) -> list[str]:
    given = table.get("joints")
    if not isinstance(given, list) or not given or not all(isinstance(x, str) for x in given):
        raise table.error(f"{shown(given)} is given; an array of names is needed, such as ['theta1']", "joints")
    for name in given:
        if name not in coordinates.qd:
            raise table.error(one_of("joint or speed", name, coordinates.qd), "joints")
    return given


def _torques(table: Table, coordinates: Coordinates) -> dict[str, float]:
    given = table.table("torque", "{ theta1 = 0 }")
    found = {}
    for name, value in given.flat().items():
        if name not in coordinates.qd:
            raise given.error(one_of("joint or speed", name, coordinates.qd))
        found[name] = Written.of(scalar(value, given.at(name), table.names))
    if not found:
        raise table.error("'torque' is missing; give the torques by joint, such as { theta1 = 0 }")
    return found


def entries(s: Scalars, given: Event) -> dict[str, str]:
    """The entries of an event's table."""
    when = text.string(DEAD_CENTRE.name) if given.when == DEAD_CENTRE else s.number(given.when)  # type: ignore[arg-type]
    found = {"name": text.string(given.name), "when": when, "direction": text.string(given.direction)}
    action = given.action
    if isinstance(action, SetTorque):
        torques = text.inline({name: text.number(x) for name, x in action.torques.items()})
        return found | {"action": '"set_torque"', "torque": torques}
    if isinstance(action, (Lock, Unlock)):
        kind = "lock" if isinstance(action, Lock) else "unlock"
        return found | {"action": text.string(kind), "joints": text.array(text.string(x) for x in action.joints)}
    return found | {"action": text.string(str(action))}

"""Read the tables of a TOML description that use coordinates: constraints, poses, the start of a simulation, and events.

Expressions here may use the parameters, time `t`, the coordinates by their names, and the speeds as `qd_<name>`.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from lagrangian.description.toml.table import TomlTable, Where, format_value, parse_scalar, parse_vector
from lagrangian.errors import DescriptionError, MechanismError, error_location, unknown_name_message
from lagrangian.model import vector as v
from lagrangian.model.constraint import (
    EQUALS_SIGN,
    GROUND,
    Constraint,
    HolonomicConstraint,
    KnifeEdgeConstraint,
    PfaffianConstraint,
    RollingConstraint,
)
from lagrangian.model.event import DEAD_CENTRE, DIRECTIONS, Event, LockJoints, SetTorque, UnlockJoints, is_dead_centre
from lagrangian.model.expression import FUNCTIONS, Scalar, free_symbols, parse, symbol
from lagrangian.model.expression.scalar import NumberWithSource
from lagrangian.model.initial_state import InitialState, PartialState
from lagrangian.model.joint import Joint

RESERVED_NAMES = ("t", "pi", *FUNCTIONS)
CONSTRAINT_TYPES = ("pfaffian", "equation", "rolling", "knife_edge")
ACTIONS = ("record", "stop", "lock", "unlock", "set_torque")


def speed_symbol(speed: str) -> str:
    """The name of a speed in expressions."""
    return f"qd_{speed}"


class CoordinateSymbols:
    """The coordinates and speeds of the joints in their order, and their symbols in expressions."""

    def __init__(self, joints: Sequence[Joint], parameters: Mapping[str, Scalar], file: str) -> None:
        self.joints = joints
        self.q_names = [name for j in joints for name in j.coordinate_names]
        self.qd_names = [name for j in joints for name in j.speed_names]
        self.neutral = [x for j in joints for x in j.kind.neutral]
        self.time_symbols: dict[str, Scalar] = {**parameters, "t": symbol("t")}
        self.position_symbols = self._with_symbols(self.time_symbols, self.q_names, file)
        self.state_symbols = self._with_symbols(self.position_symbols, [speed_symbol(s) for s in self.qd_names], file)

    @staticmethod
    def _with_symbols(symbols: Mapping[str, Scalar], added_names: Sequence[str], file: str) -> dict[str, Scalar]:
        extended_symbols = dict(symbols)
        for name in added_names:
            if name in extended_symbols or name in RESERVED_NAMES:
                reason = "reserved in expressions" if name in RESERVED_NAMES else "also a parameter or another coordinate"
                raise DescriptionError(f"the coordinate or speed {name!r} is {reason}; give the joint another name", where=file)
            extended_symbols[name] = symbol(name)
        return extended_symbols


def parse_expression(value: Any, where: Where, symbols: Mapping[str, Scalar]) -> Scalar:
    """A scalar; one that depends on coordinates or time has no value to check."""
    if isinstance(value, str):
        with error_location(*where):
            expression = parse(value, symbols)
            if free_symbols(expression):
                return expression
    return parse_scalar(value, where, symbols)


# -- constraints ---------------------------------------------------------------------------------------------------------


def read_constraint(table: TomlTable, coordinates: CoordinateSymbols) -> Constraint:
    """One `[[constraint]]`; the default of its type follows from its entries."""
    kind = table.choice("type", CONSTRAINT_TYPES, "equation" if "equation" in table else "pfaffian")
    with error_location(*table.places):
        match kind:
            case "equation":
                return _read_equation(table, coordinates)
            case "rolling":
                return _read_rolling(table)
            case "knife_edge":
                return _read_knife_edge(table)
    return _read_pfaffian(table, coordinates)


def _read_equation(table: TomlTable, coordinates: CoordinateSymbols) -> HolonomicConstraint:
    """An equation of coordinates and time, `left = right` or an expression that is zero."""
    table.check_keys("name", "type", "equation", "unilateral")
    text, where = table.text("equation"), table.places_of("equation")
    sides = EQUALS_SIGN.split(text)
    if len(sides) > 2:
        raise table.error(
            f"{format_value(text)} has more than one '='; write 'left = right', or an expression that is zero", "equation"
        )
    left_side, *right_sides = (parse_expression(side, where, coordinates.position_symbols) for side in sides)
    return HolonomicConstraint(
        table.name(), left_side - right_sides[0] if right_sides else left_side, table.boolean("unilateral", False)
    )


def _read_rolling(table: TomlTable) -> RollingConstraint:
    table.check_keys("name", "type", "body", "radius", "center", "axis", "on", "normal", "point", "unilateral")
    return RollingConstraint(
        table.name(),
        table.name("body"),
        table.number("radius", 0),
        table.vector("center", default=v.ZERO),
        table.axis("axis") if "axis" in table else None,
        table.name("on", GROUND),
        table.axis("normal") if "normal" in table else v.Z,
        table.vector("point", default=v.ZERO),
        table.boolean("unilateral", True),
    )


def _read_knife_edge(table: TomlTable) -> KnifeEdgeConstraint:
    table.check_keys("name", "type", "body", "direction", "point")
    if "direction" not in table:
        raise table.error("'direction' is missing; give the direction along which the point does not move, such as 'y'")
    return KnifeEdgeConstraint(table.name(), table.name("body"), table.axis("direction"), table.vector("point", default=v.ZERO))


def _read_pfaffian(table: TomlTable, coordinates: CoordinateSymbols) -> PfaffianConstraint:
    """A constraint phi(t) + sum of coefficient times speed = 0."""
    table.check_keys("name", "type", "coefficients", "phi")
    entries = table.subtable("coefficients", "{ x = 1 }")
    coefficients = []
    for speed, value in entries.flatten().items():
        if speed not in coordinates.qd_names:
            raise entries.error(unknown_name_message("speed", speed, coordinates.qd_names))
        coefficients.append((speed, parse_expression(value, entries.places_of(speed), coordinates.position_symbols)))
    if not coefficients:
        raise table.error("'coefficients' is missing or empty; give the coefficient of each speed, such as {x = 1}")
    return PfaffianConstraint(
        table.name(), tuple(coefficients), parse_expression(table.get("phi", 0), table.places_of("phi"), coordinates.time_symbols)
    )


# -- poses and the start -------------------------------------------------------------------------------------------------


def read_poses(table: TomlTable, coordinates: CoordinateSymbols, skip_incomplete: bool) -> dict[str, tuple[float, ...]]:
    """The `[pose]` table: configurations by name; `skip_incomplete` skips those that the values of parameters make invalid."""
    for name in table.data:
        if name in table.elsewhere:  # otherwise gravity = [...] would be read as a pose with three coordinates
            raise table.error(f"{name!r} {table.elsewhere[name]}")
    configurations = {}
    for name in table.data:
        with contextlib.suppress(DescriptionError) if skip_incomplete else contextlib.nullcontext():
            configurations[name] = _read_configuration(table, name, coordinates)
    return configurations


def read_initial(table: TomlTable, coordinates: CoordinateSymbols) -> InitialState:
    """The `[initial]` table."""
    table.check_keys("q", "qd", "t_span", "torque")
    q = _read_configuration(table, "q", coordinates) if "q" in table else None
    qd = _read_values(table, "qd", coordinates.qd_names, [0.0] * len(coordinates.qd_names)) if "qd" in table else None
    span = None
    if "t_span" in table:
        start, end = (NumberWithSource.from_scalar(x) for x in table.vector("t_span", 2, example=(0, 10)))
        if not start < end:
            raise table.error(f"it runs from {start:g} to {end:g} s; the end must come after the start", "t_span")
        span = (start, end)
    return InitialState(q, qd, span, _read_torques(table.subtable("torque", "{ x = '-3*x' }"), coordinates))


def _read_torques(table: TomlTable, coordinates: CoordinateSymbols) -> tuple[tuple[str, Scalar], ...]:
    torques = []
    for speed, value in table.flatten().items():
        if speed not in coordinates.qd_names:
            joint_speeds = [s for j in coordinates.joints if j.name == speed for s in j.speed_names]
            if joint_speeds:
                raise table.error(f"joint {speed!r} has several speeds; name one of them: {', '.join(joint_speeds)}")
            raise table.error(unknown_name_message("joint or speed", speed, coordinates.qd_names))
        torques.append((speed, parse_expression(value, table.places_of(speed), coordinates.state_symbols)))
    return tuple(torques)


def _read_configuration(table: TomlTable, key: str, coordinates: CoordinateSymbols) -> tuple[float, ...]:
    q = _read_values(table, key, coordinates.q_names, coordinates.neutral)
    start = 0
    for joint in coordinates.joints:
        if joint.kind.quaternion:
            length = math.hypot(*q[start : start + 4])
            if abs(length - 1) > 1e-6:
                problem = f"the quaternion of joint {joint.name!r} has length {length:g}"
                raise MechanismError(problem, where=table.places_of(key), remedy="it must be 1")
        start += joint.kind.nq
    return q


def _read_values(table: TomlTable, key: str, names: Sequence[str], defaults: Sequence[float]) -> tuple[float, ...]:
    """Numbers in order, or some by name; the others have their defaults, or follow from the loops."""
    value = table.get(key)
    if isinstance(value, list):
        if len(value) != len(names):
            shown_names = ", ".join(names[:12]) + (" ..." if len(names) > 12 else "")
            raise table.error(f"{len(value)} numbers are given; {len(names)} are needed: {shown_names or 'none'}", key)
        return tuple(
            NumberWithSource.from_scalar(x) for x in parse_vector(value, table.places_of(key), len(names), table.symbols)
        )
    if not isinstance(value, Mapping):
        raise table.error(f"{format_value(value)} is given; an array of {len(names)} numbers, or a table by name, is needed", key)
    by_name = table.subtable(key)
    values = dict(zip(names, defaults, strict=True))
    for name, x in by_name.flatten().items():
        if name not in values:
            raise by_name.error(unknown_name_message("coordinate" if key != "qd" else "speed", name, names))
        values[name] = NumberWithSource.from_scalar(parse_scalar(x, by_name.places_of(name), table.symbols))
    return tuple(values.values()) if set(by_name.flatten()) == set(names) else PartialState(values.values(), by_name.flatten())


# -- events --------------------------------------------------------------------------------------------------------------


def read_event(table: TomlTable, coordinates: CoordinateSymbols) -> Event:
    """One `[[event]]`."""
    table.check_keys("name", "when", "direction", "action", "joints", "torque")
    name, when = table.name(), _read_condition(table, coordinates)
    return Event(when, _read_action(table, coordinates), table.choice("direction", tuple(DIRECTIONS), "both"), name)


def _read_condition(table: TomlTable, coordinates: CoordinateSymbols) -> Scalar:
    condition = table.text("when")
    if is_dead_centre(condition):
        return DEAD_CENTRE
    with error_location(*table.places_of("when")):
        expression = parse(condition, coordinates.state_symbols)
    if not free_symbols(expression):
        raise table.error(f"{format_value(condition)} is constant; an expression of coordinates, speeds or t is needed", "when")
    return expression


def _read_action(table: TomlTable, coordinates: CoordinateSymbols) -> Any:
    kind = table.choice("action", ACTIONS, "record")
    for entry, users in (("joints", ("lock", "unlock")), ("torque", ("set_torque",))):
        if entry in table and kind not in users:
            raise table.error(f"belongs to the actions {' and '.join(users)}; the action of this event is {kind}", entry)
    if kind in ("lock", "unlock"):
        return (LockJoints if kind == "lock" else UnlockJoints)(*_read_joints(table, coordinates))
    if kind == "set_torque":
        return SetTorque(_read_event_torques(table, coordinates))
    return kind


def _read_joints(table: TomlTable, coordinates: CoordinateSymbols) -> list[str]:
    joints = table.get("joints")
    if not isinstance(joints, list) or not joints or not all(isinstance(x, str) for x in joints):
        raise table.error(f"{format_value(joints)} is given; an array of names is needed, such as ['theta1']", "joints")
    for name in joints:
        if name not in coordinates.qd_names:
            raise table.error(unknown_name_message("joint or speed", name, coordinates.qd_names), "joints")
    return joints


def _read_event_torques(table: TomlTable, coordinates: CoordinateSymbols) -> dict[str, float]:
    entries = table.subtable("torque", "{ theta1 = 0 }")
    torques = {}
    for name, value in entries.flatten().items():
        if name not in coordinates.qd_names:
            raise entries.error(unknown_name_message("joint or speed", name, coordinates.qd_names))
        torques[name] = NumberWithSource.from_scalar(parse_scalar(value, entries.places_of(name), table.symbols))
    if not torques:
        raise table.error("'torque' is missing; give the torques by joint, such as { theta1 = 0 }")
    return torques

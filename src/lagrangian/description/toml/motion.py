"""What a TOML description says in terms of coordinates: constraints, poses, and how a simulation starts.

Expressions here may use the parameters, time `t`, the coordinates by their names, and the speeds as `qd_<name>`.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from lagrangian.description.toml.table import Table, Where, scalar, shown, vector
from lagrangian.errors import DescriptionError, MechanismError, one_of, placed
from lagrangian.model import vector as v
from lagrangian.model.configuration import Initial, Partial
from lagrangian.model.constraint import GROUND, SIDES, Constraint, Holonomic, KnifeEdge, Pfaffian, Rolling
from lagrangian.model.expression import FUNCTIONS, Scalar, free_symbols, parse, symbol
from lagrangian.model.expression.written import Written
from lagrangian.model.joint import Joint

RESERVED = ("t", "pi", *FUNCTIONS)


def speed_symbol(speed: str) -> str:
    """How an expression spells a speed: the entry of `qd` that is called `speed`."""
    return f"qd_{speed}"


class Coordinates:
    """The coordinates and speeds of the joints, in their order, and what expressions may call them."""

    def __init__(self, joints: Sequence[Joint], parameters: Mapping[str, Scalar], file: str) -> None:
        self.joints = joints
        self.q = [name for j in joints for name in j.coordinate_names]
        self.qd = [name for j in joints for name in j.speed_names]
        self.neutral = [x for j in joints for x in j.kind.neutral]
        self.of_time: dict[str, Scalar] = {**parameters, "t": symbol("t")}
        self.of_position = self._with(self.of_time, self.q, file)
        self.of_state = self._with(self.of_position, [speed_symbol(s) for s in self.qd], file)

    @staticmethod
    def _with(names: Mapping[str, Scalar], more: Sequence[str], file: str) -> dict[str, Scalar]:
        together = dict(names)
        for name in more:
            if name in together or name in RESERVED:
                what = "reserved in expressions" if name in RESERVED else "also a parameter or another coordinate"
                raise DescriptionError(f"the coordinate or speed {name!r} is {what}; give the joint another name", where=file)
            together[name] = symbol(name)
        return together


KINDS = ("pfaffian", "equation", "rolling", "knife_edge")


def constraint(table: Table, coordinates: Coordinates) -> Constraint:
    """One `[[constraint]]`; without a type it is what its entries say."""
    kind = table.choice("type", KINDS, "equation" if "equation" in table else "pfaffian")
    with placed(*table.here):
        match kind:
            case "equation":
                return _equation(table, coordinates)
            case "rolling":
                return _rolling(table)
            case "knife_edge":
                return _knife_edge(table)
    return _pfaffian(table, coordinates)


def _equation(table: Table, coordinates: Coordinates) -> Holonomic:
    """An equation of coordinates and time, `left = right` or an expression that is zero."""
    table.only("name", "type", "equation", "unilateral")
    text, at = table.text("equation"), table.at("equation")
    sides = SIDES.split(text)
    if len(sides) > 2:
        raise table.error(f"{shown(text)} has more than one '='; write 'left = right', or an expression that is zero", "equation")
    left, *right = (of_names(side, at, coordinates.of_position) for side in sides)
    return Holonomic(table.name(), left - right[0] if right else left, table.flag("unilateral", False))


def _rolling(table: Table) -> Rolling:
    table.only("name", "type", "body", "radius", "center", "axis", "on", "normal", "point", "unilateral")
    return Rolling(
        table.name(),
        table.name("body"),
        table.number("radius", 0),
        table.vector("center", default=v.ZERO),
        table.axis("axis") if "axis" in table else None,
        table.name("on", GROUND),
        table.axis("normal") if "normal" in table else v.Z,
        table.vector("point", default=v.ZERO),
        table.flag("unilateral", True),
    )


def _knife_edge(table: Table) -> KnifeEdge:
    table.only("name", "type", "body", "direction", "point")
    if "direction" not in table:
        raise table.error("'direction' is missing; give the direction along which the point does not move, such as 'y'")
    return KnifeEdge(table.name(), table.name("body"), table.axis("direction"), table.vector("point", default=v.ZERO))


def _pfaffian(table: Table, coordinates: Coordinates) -> Pfaffian:
    """phi(t) + sum of coefficient times speed = 0."""
    table.only("name", "type", "coefficients", "phi")
    given = table.table("coefficients", "{ x = 1 }")
    coefficients = []
    for speed, value in given.flat().items():
        if speed not in coordinates.qd:
            raise given.error(one_of("speed", speed, coordinates.qd))
        coefficients.append((speed, of_names(value, given.at(speed), coordinates.of_position)))
    if not coefficients:
        raise table.error("'coefficients' is missing or empty; give the coefficient of each speed, such as {x = 1}")
    return Pfaffian(table.name(), tuple(coefficients), of_names(table.get("phi", 0), table.at("phi"), coordinates.of_time))


def of_names(value: Any, at: Where, names: Mapping[str, Scalar]) -> Scalar:
    """A scalar that may depend on coordinates or time, and then has no value to check."""
    if isinstance(value, str):
        with placed(*at):
            found = parse(value, names)
            if free_symbols(found):
                return found
    return scalar(value, at, names)


def _values(table: Table, key: str, names: Sequence[str], rest: Sequence[float]) -> tuple[float, ...]:
    """Numbers in order, or some by name: the rest is left as it is, or follows from the loops."""
    value = table.get(key)
    if isinstance(value, list):
        if len(value) != len(names):
            shown_names = ", ".join(names[:12]) + (" ..." if len(names) > 12 else "")
            raise table.error(f"{len(value)} numbers are given; {len(names)} are needed: {shown_names or 'none'}", key)
        return tuple(Written.of(x) for x in vector(value, table.at(key), len(names), table.names))
    if not isinstance(value, Mapping):
        raise table.error(f"{shown(value)} is given; an array of {len(names)} numbers, or a table by name, is needed", key)
    by_name = table.table(key)
    values = dict(zip(names, rest, strict=True))
    for name, x in by_name.flat().items():
        if name not in values:
            raise by_name.error(one_of("coordinate" if key != "qd" else "speed", name, names))
        values[name] = Written.of(scalar(x, by_name.at(name), table.names))
    return tuple(values.values()) if set(by_name.flat()) == set(names) else Partial(values.values(), by_name.flat())


def _configuration(table: Table, key: str, coordinates: Coordinates) -> tuple[float, ...]:
    q = _values(table, key, coordinates.q, coordinates.neutral)
    at = 0
    for joint in coordinates.joints:
        if joint.kind.quaternion:
            length = math.hypot(*q[at : at + 4])
            if abs(length - 1) > 1e-6:
                length_is = f"the quaternion of joint {joint.name!r} has length {length:g}"
                raise MechanismError(length_is, where=table.at(key), remedy="it must be 1")
        at += joint.kind.nq
    return q


def poses(table: Table, coordinates: Coordinates, where_possible: bool) -> dict[str, tuple[float, ...]]:
    """The `[pose]` table: configurations by name; all, or those that can be computed with the values that parameters have."""
    for name in table.data:
        if name in table.elsewhere:  # else gravity = [...] would be taken for a pose of three coordinates
            raise table.error(f"{name!r} {table.elsewhere[name]}")
    found = {}
    for name in table.data:
        with contextlib.suppress(DescriptionError) if where_possible else contextlib.nullcontext():
            found[name] = _configuration(table, name, coordinates)
    return found


def initial(table: Table, coordinates: Coordinates) -> Initial:
    """The `[initial]` table."""
    table.only("q", "qd", "t_span", "torque")
    q = _configuration(table, "q", coordinates) if "q" in table else None
    qd = _values(table, "qd", coordinates.qd, [0.0] * len(coordinates.qd)) if "qd" in table else None
    span = None
    if "t_span" in table:
        start, end = (Written.of(x) for x in table.vector("t_span", 2, example=(0, 10)))
        if not start < end:
            raise table.error(f"it runs from {start:g} to {end:g} s; the end must come after the start", "t_span")
        span = (start, end)
    return Initial(q, qd, span, _torques(table.table("torque", "{ x = '-3*x' }"), coordinates))


def _torques(table: Table, coordinates: Coordinates) -> tuple[tuple[str, Scalar], ...]:
    found = []
    for speed, value in table.flat().items():
        if speed not in coordinates.qd:
            parts = [s for j in coordinates.joints if j.name == speed for s in j.speed_names]
            if parts:
                raise table.error(f"joint {speed!r} has several speeds; name one of them: {', '.join(parts)}")
            raise table.error(one_of("joint or speed", speed, coordinates.qd))
        found.append((speed, of_names(value, table.at(speed), coordinates.of_state)))
    return tuple(found)

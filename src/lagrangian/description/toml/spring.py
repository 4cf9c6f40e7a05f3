"""Springs, walls and gravity compensations as a TOML description writes them."""

from __future__ import annotations

from lagrangian.description.toml.motion import Coordinates, of_names
from lagrangian.description.toml.table import Table
from lagrangian.errors import placed
from lagrangian.model import vector as v
from lagrangian.model.loop import Wall
from lagrangian.model.mechanism import GROUND
from lagrangian.model.spring import CoordinateSpring, GravityCompensation, Point, PointSpring


def spring(table: Table, coordinates: Coordinates) -> PointSpring | CoordinateSpring:
    """One `[[spring]]`: between two points, or, if it has a `length`, of coordinates."""
    numbers = ("stiffness", "rest", "damping", "slack")
    of = {name: table.number(name, 0) for name in numbers}
    if "length" in table:
        table.only("name", "length", *numbers)
        length = of_names(table.get("length"), table.at("length"), coordinates.of_position)
        with placed(*table.here):
            return CoordinateSpring(table.name(), length, **of)
    table.only("name", "a", "b", "a_point", "b_point", "via", *numbers)
    with placed(*table.here):
        return PointSpring(
            table.name(),
            table.name("a"),
            table.name("b"),
            table.vector("a_point", default=v.ZERO),
            table.vector("b_point", default=v.ZERO),
            **of,
            via=_via(table) if "via" in table else (),
        )


def _via(table: Table) -> tuple[Point, ...]:
    found = []
    for point in table.inline_tables("via"):
        point.only("body", "point")
        found.append((point.name("body"), point.vector("point", default=v.ZERO)))
    return tuple(found)


def wall(table: Table) -> Wall:
    """One `[[wall]]`."""
    table.only("name", "body", "point", "on", "position", "normal", "stiffness", "damping")
    with placed(*table.here):
        return Wall(
            table.name(),
            table.name("body"),
            table.vector("point", default=v.ZERO),
            table.name("on", GROUND),
            table.vector("position", default=v.ZERO),
            table.axis("normal", v.Z),
            table.number("stiffness"),
            table.number("damping", 0),
        )


def compensation(table: Table) -> GravityCompensation:
    """One `[[gravity_compensation]]`."""
    table.only("name", "body", "factor")
    with placed(*table.here):
        return GravityCompensation(table.name(), table.name("body"), table.number("factor", 1))

"""Bodies as a TOML description writes them: by their numbers, or composed of shapes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from lagrangian.description.toml.table import Table, Where, entry_of, shown, vector
from lagrangian.errors import DescriptionError, MechanismWarning, one_of, placed, warn
from lagrangian.model import shapes as solids
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.coerce import symmetric
from lagrangian.model.expression import Expression, Scalar, has_pi
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.placement import Placement
from lagrangian.model.thin import disc, rod
from lagrangian.model.vector import NO_INERTIA

_A_TURN = 2 * math.pi + 0.01  # radians, with room for a rounded 6.2832
_DIMENSIONS = (0.1, 0.2, 0.3)
_ENTRIES = ("xx", "xy", "xz", "yy", "yz", "zz")
INERTIAL = ("mass", "center", "inertia", "inertia_at_origin", "effective")


def placement(table: Table, prefix: str = "") -> Placement:
    """`xyz` with `rpy`, `quaternion` (w, x, y, z) or `rotation` (a matrix); each may carry a prefix such as `child_`."""
    xyz, rpy, quaternion, rotation = placement_keys(prefix)
    table.not_both(rpy, quaternion, rotation)
    position = table.vector(xyz, default=v.ZERO)
    if rotation in table:
        rows, at = table.get(rotation), table.at(rotation)
        if not isinstance(rows, list) or len(rows) != 3:
            wanted = "a 3x3 matrix is needed, such as [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"
            raise DescriptionError(f"{shown(rows)} is given", where=at, remedy=wanted)
        matrix = tuple(vector(row, entry_of(at, i), 3, table.names) for i, row in enumerate(rows))
        with placed(*table.here):
            return Placement.of(Placement(matrix, position), rotation)  # type: ignore[arg-type]
    if quaternion in table:
        wxyz = table.vector(quaternion, 4, example=(1, 0, 0, 0))
        with placed(*table.at(quaternion)):
            return Placement.from_quaternion(position, wxyz)
    angles = table.vector(rpy, default=v.ZERO)
    for i, angle in enumerate(angles):
        doubt_degrees(angle, entry_of(table.at(rpy), i))
    return Placement.from_rpy(position, angles)


def doubt_degrees(angle: Scalar, at: Where) -> None:
    """Warn of a constant angle of more than a turn; what is written with pi is meant in radians."""
    value = float(angle)
    if abs(value) > _A_TURN and not has_pi(angle):
        text = str(angle) if isinstance(angle, Expression) and len(str(angle)) <= 40 else f"{value:g}"
        meant = f'if you mean degrees, write "deg({text})"'
        warn(MechanismWarning(f"{value:g} rad is more than a turn", where=at, remedy=meant))


def placement_keys(prefix: str = "") -> tuple[str, str, str, str]:
    return (prefix + "xyz", prefix + "rpy", prefix + "quaternion", prefix + "rotation")


def _tensor(table: Table, key: str) -> v.Symmetric:
    """Three principal values, a 3x3 matrix, or a table of xx, yy, zz, xy, xz, yz."""
    value, at = table.get(key), table.at(key)
    if isinstance(value, Mapping):
        entries = table.table(key)
        entries.only(*_ENTRIES)
        return tuple(entries.number(k, 0) for k in _ENTRIES)
    if not isinstance(value, list) or len(value) != 3:
        wanted = "write [xx, yy, zz], a 3x3 matrix, or {xx = .., yy = .., zz = .., xy = ..}"
        raise DescriptionError(f"{shown(value)} is given", where=at, remedy=wanted)
    if any(isinstance(x, list) for x in value):
        rows: Any = [vector(row, entry_of(at, i), 3, table.names) for i, row in enumerate(value)]
    else:
        rows = vector(value, at, 3, table.names)
    with placed(*table.here):
        return symmetric(rows, key)


def inertial(table: Table) -> tuple[Any, v.Vector, v.Symmetric]:
    """Mass, centre of mass, and the inertia about it."""
    table.not_both("inertia", "inertia_at_origin")
    mass = table.number("mass", 0)
    center = table.vector("center", default=v.ZERO)
    if "inertia_at_origin" in table:
        about_origin = _tensor(table, "inertia_at_origin")
        shift = v.point_inertia(mass, center)
        return mass, center, tuple(a - b for a, b in zip(about_origin, shift, strict=True))
    return mass, center, _tensor(table, "inertia") if "inertia" in table else NO_INERTIA


def body(table: Table) -> Body:
    """One `[[body]]`."""
    table.only("name", *INERTIAL, "visuals", "shapes")
    name = table.name()
    if "shapes" not in table:
        mass, center, inertia = inertial(table)
        visuals = tuple(visual(item) for item in table.inline_tables("visuals"))
        with placed(*table.here):
            return Body(name, mass, center, inertia, table.flag("effective", False), visuals)
    for key in (*INERTIAL, "visuals"):
        if key in table:
            raise table.error(f"{key!r} and 'shapes' are both given; the shapes determine it already")
    shapes = [part for item in table.inline_tables("shapes") for part in shape(item)]
    with placed(*table.here):
        return Body.from_shapes(name, shapes)


def payload(table: Table, mechanism: Mechanism) -> Mechanism:
    """The mechanism with one `[[payload]]`."""
    table.only("frame", "mass", "center", "inertia", "inertia_at_origin")
    if "mass" not in table:
        raise table.error("it has no mass", "mass")
    with placed(*table.here):
        return mechanism.with_payload(table.name("frame"), *inertial(table))


def visual(table: Table) -> solids.Visual:
    """What to draw: the size is that of the shape of this name, a mesh's is its scale."""
    table.only("shape", "size", "color", "file", *placement_keys())
    kind = table.choice("shape", solids.VISUALS)
    size, color = (table.get(key, []) for key in ("size", "color"))
    for key, value in (("size", size), ("color", color)):
        if not isinstance(value, list):
            raise table.error(f"{shown(value)} is given; an array of numbers is needed", key)
    return solids.Visual(
        kind,
        vector(size, table.at("size"), len(size), table.names),
        placement(table),
        vector(color, table.at("color"), len(color), table.names),  # type: ignore[arg-type]
        table.text("file", ""),
    )


def _holes(table: Table) -> list[tuple[Any, ...]]:
    value = table.get("holes", [])
    if not isinstance(value, list):
        raise table.error(f"{shown(value)} is given; an array of holes [x, y, radius] is needed", "holes")
    return [vector(hole, entry_of(table.at("holes"), i), 3, table.names, (0, 0, 0.01)) for i, hole in enumerate(value)]


def _size(table: Table) -> Any:
    return table.vector("size", example=_DIMENSIONS)


def _weighed(table: Table) -> dict[str, Any]:
    """What every solid has: a place, and a mass or a density."""
    if ("mass" in table) == ("density" in table):
        raise table.error("give either 'mass' or 'density'")
    return {"mass": table.number("mass", None), "density": table.number("density", None), "at": placement(table)}


# each shape: its own keys, and how it is made
SHAPES: dict[str, tuple[tuple[str, ...], Callable[[Table], Any]]] = {
    "box": (("size",), lambda t: solids.box(_size(t), **_weighed(t))),
    "cylinder": (("radius", "length"), lambda t: solids.cylinder(t.number("radius"), t.number("length"), **_weighed(t))),
    "sphere": (("radius",), lambda t: solids.sphere(t.number("radius"), **_weighed(t))),
    "tube": (
        ("outer", "inner", "length"),
        lambda t: solids.tube(t.number("outer"), t.number("inner"), t.number("length"), **_weighed(t)),
    ),
    "capsule": (("radius", "length"), lambda t: solids.capsule(t.number("radius"), t.number("length"), **_weighed(t))),
    "ellipsoid": (("radii",), lambda t: solids.ellipsoid(t.vector("radii", example=_DIMENSIONS), **_weighed(t))),
    "plate": (("size", "holes"), lambda t: solids.plate(_size(t), holes=_holes(t), **_weighed(t))),
    "rod": (
        ("start", "end"),
        lambda t: rod(t.vector("start", default=v.ZERO), t.vector("end", example=(0.5, 0, 0)), mass=t.number("mass")),
    ),
    "disc": (("radius",), lambda t: disc(t.number("radius"), mass=t.number("mass"), at=placement(t))),
    "point": ((), lambda t: solids.point_mass(t.number("mass"), placement(t))),
}


def shape(table: Table) -> tuple[solids.Shape, ...]:
    """One of a body's `shapes`, of which some are made of several."""
    kind = table.text("shape")
    if kind not in SHAPES:
        raise table.error(one_of("shape", kind, SHAPES), "shape")
    keys, make = SHAPES[kind]
    weights = ("mass",) if kind in ("point", "rod", "disc") else ("mass", "density")
    table.only("shape", *keys, *weights, *(placement_keys() if kind != "rod" else ()))
    with placed(*table.here):
        made = make(table)
    return made if isinstance(made, tuple) else (made,)

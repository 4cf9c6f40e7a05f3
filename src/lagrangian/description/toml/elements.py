"""Read parts of a mechanism from tables of a TOML description: bodies and shapes, joints, DH tables, loops, springs, walls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lagrangian.description.toml.motion import CoordinateSymbols, parse_expression
from lagrangian.description.toml.table import TomlTable, Where, format_value, item_places, parse_scalar, parse_vector
from lagrangian.errors import DescriptionError, LagrangianError, MechanismWarning, error_location, unknown_name_message, warn
from lagrangian.model import joints, loops
from lagrangian.model import shapes as solids
from lagrangian.model import vector as v
from lagrangian.model.body import Body
from lagrangian.model.checks import symmetric
from lagrangian.model.dh import CONVENTIONS, DHParameters
from lagrangian.model.expression import Expression, Scalar, has_pi, parse, symbol
from lagrangian.model.expression.scalar import NumberWithSource
from lagrangian.model.frame import Frame
from lagrangian.model.joint import Friction, Joint, JointLimits, JointSpring, Rotor
from lagrangian.model.joints.joint_type import JointType
from lagrangian.model.loop import LoopJoint
from lagrangian.model.loops.loop_type import LoopType
from lagrangian.model.mechanism import GROUND, Mechanism
from lagrangian.model.placement import Transform
from lagrangian.model.spring import BodyPoint, CoordinateSpring, GravityCompensation, PointSpring, Wall
from lagrangian.model.type_entries import EntryKind, TypeEntry
from lagrangian.model.vector import NO_INERTIA

_FULL_TURN = 2 * math.pi + 0.01  # radians, with room for a rounded 6.2832
_EXAMPLE_SIZE = (0.1, 0.2, 0.3)
_ENTRIES = ("xx", "xy", "xz", "yy", "yz", "zz")
INERTIAL_KEYS = ("mass", "center", "inertia", "inertia_at_origin", "effective")
_DH_JOINTS = {"R": "R", "P": "P", "revolute": "R", "prismatic": "P"}
_DH_ALIASES = {
    "modified": ("craig", "khalil", "proximal", "mdh"),
    "standard": ("classic", "classical", "distal", "original", "spong", "corke", "dh"),
}


def read_body(table: TomlTable) -> Body:
    """One `[[body]]`."""
    table.check_keys("name", *INERTIAL_KEYS, "visuals", "shapes")
    name = table.name()
    if "shapes" not in table:
        mass, center, inertia = read_inertial(table)
        visuals = tuple(read_visual(item) for item in table.inline_tables("visuals"))
        with error_location(*table.places):
            return Body(name, mass, center, inertia, table.boolean("effective", False), visuals)
    for key in (*INERTIAL_KEYS, "visuals"):
        if key in table:
            raise table.error(f"{key!r} and 'shapes' are both given; the shapes determine it already")
    shapes = [part for item in table.inline_tables("shapes") for part in read_shapes(item)]
    with error_location(*table.places):
        return Body.from_shapes(name, shapes)


def read_inertial(table: TomlTable) -> tuple[Any, v.Vector, v.Symmetric]:
    """Mass, centre of mass, and the inertia about it."""
    table.check_exclusive("inertia", "inertia_at_origin")
    mass = table.number("mass", 0)
    center = table.vector("center", default=v.ZERO)
    if "inertia_at_origin" in table:
        about_origin = _read_tensor(table, "inertia_at_origin")
        offset_inertia = v.point_inertia(mass, center)
        return mass, center, tuple(a - b for a, b in zip(about_origin, offset_inertia, strict=True))
    return mass, center, _read_tensor(table, "inertia") if "inertia" in table else NO_INERTIA


def read_visual(table: TomlTable) -> solids.Visual:
    """One of the `visuals` of a body: the size is that of the shape, or the scale of a mesh."""
    table.check_keys("shape", "size", "color", "file", *placement_keys())
    kind = table.choice("shape", solids.VISUAL_KINDS)
    size, color = (table.get(key, []) for key in ("size", "color"))
    for key, value in (("size", size), ("color", color)):
        if not isinstance(value, list):
            raise table.error(f"{format_value(value)} is given; an array of numbers is needed", key)
    return solids.Visual(
        kind,
        parse_vector(size, table.places_of("size"), len(size), table.symbols),
        read_placement(table),
        parse_vector(color, table.places_of("color"), len(color), table.symbols),  # type: ignore[arg-type]
        table.text("file", ""),
    )


def apply_payload(table: TomlTable, mechanism: Mechanism) -> Mechanism:
    """A copy of the mechanism with one `[[payload]]`."""
    table.check_keys("frame", "mass", "center", "inertia", "inertia_at_origin")
    if "mass" not in table:
        raise table.error("it has no mass", "mass")
    with error_location(*table.places):
        return mechanism.with_payload(table.name("frame"), *read_inertial(table))


def _read_tensor(table: TomlTable, key: str) -> v.Symmetric:
    """Three principal values, a 3x3 matrix, or a table of xx, yy, zz, xy, xz, yz."""
    value, where = table.get(key), table.places_of(key)
    if isinstance(value, Mapping):
        entries = table.subtable(key)
        entries.check_keys(*_ENTRIES)
        return tuple(entries.number(k, 0) for k in _ENTRIES)
    if not isinstance(value, list) or len(value) != 3:
        remedy = "write [xx, yy, zz], a 3x3 matrix, or {xx = .., yy = .., zz = .., xy = ..}"
        raise DescriptionError(f"{format_value(value)} is given", where=where, remedy=remedy)
    if any(isinstance(x, list) for x in value):
        rows: Any = [parse_vector(row, item_places(where, i), 3, table.symbols) for i, row in enumerate(value)]
    else:
        rows = parse_vector(value, where, 3, table.symbols)
    with error_location(*table.places):
        return symmetric(rows, key)


# -- shapes --------------------------------------------------------------------------------------------------------------


def read_shapes(table: TomlTable) -> tuple[solids.Shape, ...]:
    """One of the `shapes` of a body; some consist of several shapes."""
    kind = table.text("shape")
    if kind not in SHAPE_READERS:
        raise table.error(unknown_name_message("shape", kind, SHAPE_READERS), "shape")
    keys, make_shape = SHAPE_READERS[kind]
    mass_keys = ("mass",) if kind in ("point", "rod", "disc") else ("mass", "density")
    table.check_keys("shape", *keys, *mass_keys, *(placement_keys() if kind != "rod" else ()))
    with error_location(*table.places):
        shapes = make_shape(table)
    return shapes if isinstance(shapes, tuple) else (shapes,)


def _read_holes(table: TomlTable) -> list[tuple[Any, ...]]:
    value = table.get("holes", [])
    if not isinstance(value, list):
        raise table.error(f"{format_value(value)} is given; an array of holes [x, y, radius] is needed", "holes")
    return [
        parse_vector(hole, item_places(table.places_of("holes"), i), 3, table.symbols, (0, 0, 0.01))
        for i, hole in enumerate(value)
    ]


def _read_size(table: TomlTable) -> Any:
    return table.vector("size", example=_EXAMPLE_SIZE)


def _read_mass(table: TomlTable) -> dict[str, Any]:
    """The placement of a solid, and its mass or its density."""
    if ("mass" in table) == ("density" in table):
        raise table.error("give either 'mass' or 'density'")
    return {"mass": table.number("mass", None), "density": table.number("density", None), "at": read_placement(table)}


# the keys of each shape, and the function that makes it
SHAPE_READERS: dict[str, tuple[tuple[str, ...], Callable[[TomlTable], Any]]] = {
    "box": (("size",), lambda t: solids.box(_read_size(t), **_read_mass(t))),
    "cylinder": (("radius", "length"), lambda t: solids.cylinder(t.number("radius"), t.number("length"), **_read_mass(t))),
    "sphere": (("radius",), lambda t: solids.sphere(t.number("radius"), **_read_mass(t))),
    "tube": (
        ("outer", "inner", "length"),
        lambda t: solids.tube(t.number("outer"), t.number("inner"), t.number("length"), **_read_mass(t)),
    ),
    "capsule": (("radius", "length"), lambda t: solids.capsule(t.number("radius"), t.number("length"), **_read_mass(t))),
    "ellipsoid": (("radii",), lambda t: solids.ellipsoid(t.vector("radii", example=_EXAMPLE_SIZE), **_read_mass(t))),
    "plate": (("size", "holes"), lambda t: solids.plate(_read_size(t), holes=_read_holes(t), **_read_mass(t))),
    "rod": (
        ("start", "end"),
        lambda t: solids.rod(t.vector("start", default=v.ZERO), t.vector("end", example=(0.5, 0, 0)), mass=t.number("mass")),
    ),
    "disc": (("radius",), lambda t: solids.disc(t.number("radius"), mass=t.number("mass"), at=read_placement(t))),
    "point": ((), lambda t: solids.point_mass(t.number("mass"), read_placement(t))),
}


# -- joints, loops and frames --------------------------------------------------------------------------------------------


def read_joint(table: TomlTable) -> Joint:
    """One `[[joint]]`."""
    placement_names = (*placement_keys(), *placement_keys("child_"))
    type_entries = [entry.name for kind in joints.TYPES.values() for entry in kind.entries]
    table.check_keys(
        "name", "type", "parent", "child", *placement_names, *dict.fromkeys(type_entries), *JOINT_PROPERTIES, "actuated"
    )
    name, kind = table.name(), joints.TYPES[table.choice("type", tuple(joints.TYPES))]
    with error_location(*table.places):
        for key in (*JOINT_PROPERTIES, "actuated"):
            if key in table:
                joints.refuse_part(kind, key)
        return Joint(
            name,
            kind.name,
            table.name("parent", GROUND),
            table.name("child"),
            read_placement(table),
            read_placement(table, "child_"),
            actuated=table.boolean("actuated", True),
            **_read_type_entries(table, joints.TYPES.values()),
            **_read_joint_properties(table),
        )


def _read_type_entries(table: TomlTable, types: Iterable[JointType | LoopType]) -> dict[str, Any]:
    """The entries of all types that the table has; the model refuses those that its own type does not have."""
    entry_by_name = {entry.name: entry for kind in types for entry in kind.entries}
    return {name: _read_entry(table, entry) for name, entry in entry_by_name.items() if name in table}


def _read_entry(table: TomlTable, entry: TypeEntry) -> Any:
    match entry.kind:
        case EntryKind.AXIS:
            return table.axis(entry.name)
        case EntryKind.NUMBER:
            return table.number(entry.name)
        case EntryKind.FUNCTION:
            value, where = table.get(entry.name), table.places_of(entry.name)
            if not isinstance(value, str):
                return parse_scalar(value, where, table.symbols)
            with error_location(*where):
                return parse(value, {**table.symbols, entry.argument: symbol(entry.argument)})
        case EntryKind.DIRECTIONS:
            value = table.get(entry.name)
            if not isinstance(value, list) or not all(isinstance(d, str) for d in value):
                raise table.error(f"{format_value(value)} is given; an array such as ['x', 'y'] is needed", entry.name)
            return tuple(value)


def _read_joint_properties(table: TomlTable) -> dict[str, Any]:
    """Friction, rotor, spring and limits, as far as the table has them."""
    return {key: read(table.subtable(key, example)) for key, (read, example) in JOINT_PROPERTIES.items() if key in table}


def _read_friction(table: TomlTable) -> Friction:
    table.check_keys("viscous", "coulomb", "coulomb_negative", "static", "static_negative")
    if isinstance(table.get("coulomb", 0), list):
        raise table.error("an array is given; write one number, and `coulomb_negative` for negative speeds", "coulomb")
    optional_values = {name: table.number(name) for name in ("coulomb_negative", "static", "static_negative") if name in table}
    with error_location(*table.places):
        return Friction(table.number("viscous", 0), table.number("coulomb", 0), **optional_values)


def _read_rotor(table: TomlTable) -> Rotor:
    table.check_keys("inertia", "ratio")
    with error_location(*table.places):
        return Rotor(table.number("inertia", 0), table.number("ratio", 1))


def _read_spring(table: TomlTable) -> JointSpring:
    table.check_keys("stiffness", "rest")
    return JointSpring(table.number("stiffness"), table.number("rest", 0))


def _read_limits(table: TomlTable) -> JointLimits:
    table.check_keys("lower", "upper", "speed", "effort")
    bounds = {
        key: NumberWithSource.from_scalar(table.number(key, finite=False))
        for key in ("lower", "upper", "speed", "effort")
        if key in table
    }
    for key in ("speed", "effort"):
        if bounds.get(key, 0) < 0:
            raise table.error(f"it is {bounds[key]:g}; a limit of {key} cannot be negative", key)
    with error_location(*table.places):
        return JointLimits(**bounds)


# the properties of a joint: their readers, and an example for errors
JOINT_PROPERTIES: dict[str, tuple[Callable[[TomlTable], Any], str]] = {
    "friction": (_read_friction, "{ viscous = 0.1, coulomb = 0.2 }"),
    "rotor": (_read_rotor, "{ inertia = 1e-5, ratio = 100 }"),
    "spring": (_read_spring, "{ stiffness = 3, rest = 0 }"),
    "limits": (_read_limits, "{ lower = -1, upper = 1 }"),
}


def read_loop(table: TomlTable) -> LoopJoint:
    """One `[[loop]]`."""
    type_entries = [entry.name for kind in loops.TYPES.values() for entry in kind.entries]
    table.check_keys("name", "type", "a", "b", *placement_keys("a_"), *placement_keys("b_"), *dict.fromkeys(type_entries))
    kind = loops.TYPES[table.choice("type", tuple(loops.TYPES))]
    with error_location(*table.places):
        return LoopJoint(
            table.name(),
            kind.name,
            table.name("a"),
            table.name("b"),
            read_placement(table, "a_"),
            read_placement(table, "b_"),
            **_read_type_entries(table, loops.TYPES.values()),
        )


def read_frame(table: TomlTable) -> Frame:
    """One `[[frame]]`."""
    table.check_keys("name", "body", *placement_keys())
    return Frame(table.name(), table.name("body"), read_placement(table))


# -- Denavit-Hartenberg tables -------------------------------------------------------------------------------------------


def read_dh_arm(table: TomlTable, name: str) -> Mechanism:
    """The arm of a `[dh]` table."""
    table.check_keys("convention", "base", "tool", "row")
    if "convention" not in table:
        raise table.error(f"'convention' is missing; name the convention of the table: {' or '.join(CONVENTIONS)}")
    convention = _read_convention(table)
    rows = [read_dh_row(t) for t in table.elements("row", "[[dh.row]]")]
    if not rows:
        raise table.error("it has no rows; begin each with [[dh.row]]")
    end_placements: dict[str, Any] = {}
    for key in ("base", "tool"):
        if key in table:
            end = table.subtable(key, "{ xyz = [0, 0, 0.4] }")
            end.check_keys(*placement_keys())
            end_placements[key] = read_placement(end)
    with error_location(*table.places):
        try:
            return Mechanism.from_dh(rows, convention=convention, name=name, **end_placements)
        except LagrangianError as error:  # the error names the arm, which has the name of the file
            raise error.without_place(name) from None


def read_dh_row(table: TomlTable) -> DHParameters:
    """One `[[dh.row]]`."""
    table.check_keys("joint", "a", "alpha", "d", "theta", *INERTIAL_KEYS, *JOINT_PROPERTIES, "name", "link")
    mass, center, inertia = read_inertial(table)
    lengths_and_angles = {key: table.number(key, 0) for key in ("a", "alpha", "d", "theta")}
    for key in ("alpha", "theta"):
        warn_of_degrees(lengths_and_angles[key], table.places_of(key))
    return DHParameters(
        joint=_DH_JOINTS[table.choice("joint", tuple(_DH_JOINTS), "R")],
        **lengths_and_angles,
        mass=mass,
        center=center,
        inertia=v.sym_full(inertia),
        effective=table.boolean("effective", False),
        name=table.name("name", ""),
        link=table.name("link", ""),
        **_read_joint_properties(table),
    )


def _read_convention(table: TomlTable) -> str:
    name: str = table.text("convention")
    if name in CONVENTIONS:
        return name
    for convention, aliases in _DH_ALIASES.items():
        if name.strip().lower().removesuffix("'s") in aliases:
            explanation = "proximal, Craig's" if convention == "modified" else "the distal one of Denavit and Hartenberg"
            raise table.error(
                f"there is no DH convention {format_value(name)}; write {convention!r}, which is {explanation}", "convention"
            )
    raise table.error(unknown_name_message("DH convention", name, CONVENTIONS), "convention")


# -- springs, walls and gravity compensation -----------------------------------------------------------------------------


def read_spring(table: TomlTable, coordinates: CoordinateSymbols) -> PointSpring | CoordinateSpring:
    """One `[[spring]]`: between two points, or of coordinates if it has a `length`."""
    numbers = ("stiffness", "rest", "damping", "slack")
    parameters = {name: table.number(name, 0) for name in numbers}
    if "length" in table:
        table.check_keys("name", "length", *numbers)
        length = parse_expression(table.get("length"), table.places_of("length"), coordinates.position_symbols)
        with error_location(*table.places):
            return CoordinateSpring(table.name(), length, **parameters)
    table.check_keys("name", "a", "b", "a_point", "b_point", "via", *numbers)
    with error_location(*table.places):
        return PointSpring(
            table.name(),
            table.name("a"),
            table.name("b"),
            table.vector("a_point", default=v.ZERO),
            table.vector("b_point", default=v.ZERO),
            **parameters,
            via=_read_via_points(table) if "via" in table else (),
        )


def read_wall(table: TomlTable) -> Wall:
    """One `[[wall]]`."""
    table.check_keys("name", "body", "point", "on", "position", "normal", "stiffness", "damping")
    with error_location(*table.places):
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


def read_gravity_compensation(table: TomlTable) -> GravityCompensation:
    """One `[[gravity_compensation]]`."""
    table.check_keys("name", "body", "factor")
    with error_location(*table.places):
        return GravityCompensation(table.name(), table.name("body"), table.number("factor", 1))


def _read_via_points(table: TomlTable) -> tuple[BodyPoint, ...]:
    via_points = []
    for point in table.inline_tables("via"):
        point.check_keys("body", "point")
        via_points.append((point.name("body"), point.vector("point", default=v.ZERO)))
    return tuple(via_points)


# -- placements ----------------------------------------------------------------------------------------------------------


def read_placement(table: TomlTable, prefix: str = "") -> Transform:
    """`xyz` with `rpy`, `quaternion` (w, x, y, z) or `rotation` (a matrix); each may carry a prefix such as `child_`."""
    xyz, rpy, quaternion, rotation = placement_keys(prefix)
    table.check_exclusive(rpy, quaternion, rotation)
    position = table.vector(xyz, default=v.ZERO)
    if rotation in table:
        rows, where = table.get(rotation), table.places_of(rotation)
        if not isinstance(rows, list) or len(rows) != 3:
            remedy = "a 3x3 matrix is needed, such as [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"
            raise DescriptionError(f"{format_value(rows)} is given", where=where, remedy=remedy)
        matrix = tuple(parse_vector(row, item_places(where, i), 3, table.symbols) for i, row in enumerate(rows))
        with error_location(*table.places):
            return Transform.from_value(Transform(matrix, position), rotation)  # type: ignore[arg-type]
    if quaternion in table:
        wxyz = table.vector(quaternion, 4, example=(1, 0, 0, 0))
        with error_location(*table.places_of(quaternion)):
            return Transform.from_quaternion(position, wxyz)
    angles = table.vector(rpy, default=v.ZERO)
    for i, angle in enumerate(angles):
        warn_of_degrees(angle, item_places(table.places_of(rpy), i))
    return Transform.from_rpy(position, angles)


def placement_keys(prefix: str = "") -> tuple[str, str, str, str]:
    return (prefix + "xyz", prefix + "rpy", prefix + "quaternion", prefix + "rotation")


def warn_of_degrees(angle: Scalar, where: Where) -> None:
    """Warn of a constant angle of more than a full turn, which may be in degrees, unless it is written with pi."""
    value = float(angle)
    if abs(value) > _FULL_TURN and not has_pi(angle):
        text = str(angle) if isinstance(angle, Expression) and len(str(angle)) <= 40 else f"{value:g}"
        remedy = f'if you mean degrees, write "deg({text})"'
        warn(MechanismWarning(f"{value:g} rad is more than a turn", where=where, remedy=remedy))

"""Joints of the tree, Denavit-Hartenberg rows, loops, springs, walls and frames as a TOML description writes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lagrangian.description.toml.body import INERTIAL, doubt_degrees, inertial, placement, placement_keys
from lagrangian.description.toml.table import Table, located, scalar, shown, vector
from lagrangian.errors import LagrangianError, one_of
from lagrangian.model import vector as v
from lagrangian.model.dh import CONVENTIONS, DHRow
from lagrangian.model.joint import TYPES, Friction, Joint, JointSpring, Limits, Rotor
from lagrangian.model.loop import LOOP_TYPES, Frame, LoopJoint, PointSpring, Wall
from lagrangian.model.mechanism import GROUND, Mechanism

_DH_JOINTS = {"R": "R", "P": "P", "revolute": "R", "prismatic": "P"}
_DH_ALIASES = {
    "modified": ("craig", "khalil", "proximal", "mdh"),
    "standard": ("classic", "classical", "distal", "original", "spong", "corke", "dh"),
}


def _friction(table: Table) -> Friction:
    table.only("viscous", "coulomb")
    viscous, coulomb = table.number("viscous", 0), table.get("coulomb", 0)
    if isinstance(coulomb, list):
        positive, negative = vector(coulomb, table.at("coulomb"), 2, table.names)
    else:
        positive = negative = scalar(coulomb, table.at("coulomb"), table.names)
    with located(table.here):
        return Friction(viscous, positive, negative)


def _rotor(table: Table) -> Rotor:
    table.only("inertia", "ratio")
    with located(table.here):
        return Rotor(table.number("inertia", 0), table.number("ratio", 1))


def _spring(table: Table) -> JointSpring:
    table.only("stiffness", "rest")
    return JointSpring(table.number("stiffness"), table.number("rest", 0))


def _limits(table: Table) -> Limits:
    table.only("lower", "upper", "speed", "effort")
    given = {key: float(table.number(key, finite=False)) for key in ("lower", "upper", "speed", "effort") if key in table}
    for key in ("speed", "effort"):
        if given.get(key, 0) < 0:
            raise table.error(f"it is {given[key]:g}; a {key} limit is a size, and not negative", key)
    with located(table.here):
        return Limits(**given)


# what sits at a joint: how it is read, and what an error shows of it
_AT_JOINT: dict[str, tuple[Callable[[Table], Any], str]] = {
    "friction": (_friction, "{ viscous = 0.1, coulomb = 0.2 }"),
    "rotor": (_rotor, "{ inertia = 1e-5, ratio = 100 }"),
    "spring": (_spring, "{ stiffness = 3, rest = 0 }"),
    "limits": (_limits, "{ lower = -1, upper = 1 }"),
}

# entries that would mean nothing: a fixed joint does not move, and a ball has no single angle for a spring or a limit
_NOT_AT = {
    "friction": ("fixed",),
    "rotor": ("fixed", "free"),
    "spring": ("fixed", "free", "ball"),
    "limits": ("fixed", "free", "ball"),
    "actuated": ("fixed",),
}


def _at_joint(table: Table) -> dict[str, Any]:
    """Friction, rotor, spring and limits, where they are given."""
    return {key: read(table.table(key, example)) for key, (read, example) in _AT_JOINT.items() if key in table}


def _meaningful(table: Table, key: str, kind: str, kinds: tuple[str, ...]) -> None:
    """An entry that the joint's type does not use is an error, not something to pass over."""
    if key in table and kind not in kinds:
        what = "actuator" if key == "actuated" else key
        raise table.error(f"a {kind} joint has no {what}; only {', '.join(kinds)} have one", key)


def joint(table: Table) -> Joint:
    """One `[[joint]]`."""
    placed = (*placement_keys(), *placement_keys("child_"))
    table.only("name", "type", "parent", "child", *placed, "axis", "axis2", "pitch", "actuated", *_AT_JOINT)
    name, kind = table.name(), table.choice("type", tuple(TYPES))
    _meaningful(table, "axis", kind, tuple(t.name for t in TYPES.values() if t.needs_axis))
    _meaningful(table, "axis2", kind, ("universal",))
    _meaningful(table, "pitch", kind, ("helical",))
    for key, without in _NOT_AT.items():
        _meaningful(table, key, kind, tuple(t for t in TYPES if t not in without))
    if kind == "helical" and "pitch" not in table:
        raise table.error("'pitch' is missing; a helical joint needs its advance in metres per radian")
    with located(table.here):
        return Joint(
            name,
            kind,
            table.name("parent", GROUND),
            table.name("child"),
            placement(table),
            placement(table, "child_"),
            axis=table.axis("axis", v.Z),
            axis2=table.axis("axis2", v.Y),
            pitch=table.number("pitch", 0),
            actuated=table.flag("actuated", True),
            **_at_joint(table),
        )


def loop(table: Table) -> LoopJoint:
    """One `[[loop]]`."""
    table.only("name", "type", "a", "b", *placement_keys("a_"), *placement_keys("b_"), "axis", "axis2", "directions", "length")
    kind = table.choice("type", tuple(LOOP_TYPES))
    _meaningful(table, "axis", kind, ("universal", "cylindrical", "revolute", "prismatic", "planar"))
    _meaningful(table, "axis2", kind, ("universal",))
    _meaningful(table, "directions", kind, ("point",))
    _meaningful(table, "length", kind, ("distance",))
    directions = table.get("directions", ["x", "y", "z"])
    if not isinstance(directions, list) or not all(isinstance(d, str) for d in directions):
        raise table.error(f"{shown(directions)} is given; an array such as ['x', 'y'] is needed", "directions")
    with located(table.here):
        return LoopJoint(
            table.name(),
            kind,
            table.name("a"),
            table.name("b"),
            placement(table, "a_"),
            placement(table, "b_"),
            axis=table.axis("axis", v.Z),
            axis2=table.axis("axis2", v.Y),
            directions=tuple(directions),
            length=table.number("length", 0),
        )


def spring(table: Table) -> PointSpring:
    """One `[[spring]]` between two points."""
    table.only("name", "a", "b", "a_point", "b_point", "stiffness", "rest", "damping")
    with located(table.here):
        return PointSpring(
            table.name(),
            table.name("a"),
            table.name("b"),
            table.vector("a_point", default=v.ZERO),
            table.vector("b_point", default=v.ZERO),
            table.number("stiffness", 0),
            table.number("rest", 0),
            table.number("damping", 0),
        )


def wall(table: Table) -> Wall:
    """One `[[wall]]`."""
    table.only("name", "body", "point", "on", "position", "normal", "stiffness", "damping")
    with located(table.here):
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


def frame(table: Table) -> Frame:
    """One `[[frame]]`."""
    table.only("name", "body", *placement_keys())
    return Frame(table.name(), table.name("body"), placement(table))


def _row(table: Table) -> DHRow:
    table.only("joint", "a", "alpha", "d", "theta", *INERTIAL, *_AT_JOINT, "name", "link")
    mass, center, inertia = inertial(table)
    lengths_and_angles = {key: table.number(key, 0) for key in ("a", "alpha", "d", "theta")}
    for key in ("alpha", "theta"):
        doubt_degrees(lengths_and_angles[key], table.at(key))
    return DHRow(
        joint=_DH_JOINTS[table.choice("joint", tuple(_DH_JOINTS), "R")],
        **lengths_and_angles,
        mass=mass,
        center=center,
        inertia=v.sym_full(inertia),
        effective=table.flag("effective", False),
        name=table.name("name", ""),
        link=table.name("link", ""),
        **_at_joint(table),
    )


def dh_arm(table: Table, name: str) -> Mechanism:
    """The arm of a `[dh]` table, through the model's own reading of DH rows."""
    table.only("convention", "base", "tool", "row")
    if "convention" not in table:
        raise table.error(f"'convention' is missing; say which the table follows: {' or '.join(CONVENTIONS)}")
    convention = _convention(table)
    rows = [_row(t) for t in table.elements("row", "[[dh.row]]")]
    if not rows:
        raise table.error("it has no rows; each begins with [[dh.row]]")
    ends: dict[str, Any] = {}
    for key in ("base", "tool"):
        if key in table:
            end = table.table(key, "{ xyz = [0, 0, 0.4] }")
            end.only(*placement_keys())
            ends[key] = placement(end)
    try:
        return Mechanism.from_dh(rows, convention=convention, name=name, **ends)
    except LagrangianError as error:  # the arm calls itself by its name, which is the file's by default
        raise type(error)(f"{table.here}: {str(error).removeprefix(f'{name}: ')}") from None


def _convention(table: Table) -> str:
    given: str = table.text("convention")
    if given in CONVENTIONS:
        return given
    for convention, aliases in _DH_ALIASES.items():
        if given.strip().lower().removesuffix("'s") in aliases:
            whose = "proximal, Craig's" if convention == "modified" else "distal, Denavit and Hartenberg's own"
            raise table.error(f"there is no DH convention {shown(given)}; write {convention!r}, which is {whose}", "convention")
    raise table.error(one_of("DH convention", given, CONVENTIONS), "convention")

"""Joints of the tree, Denavit-Hartenberg rows, loops and frames as a TOML description writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lagrangian.description.toml.body import INERTIAL, doubt_degrees, inertial, placement, placement_keys
from lagrangian.description.toml.table import Table, scalar, shown
from lagrangian.errors import LagrangianError, one_of, placed
from lagrangian.model import joints, loops
from lagrangian.model import vector as v
from lagrangian.model.dh import CONVENTIONS, DHRow
from lagrangian.model.entries import Entry, Kind
from lagrangian.model.expression import parse, symbol
from lagrangian.model.expression.written import Written
from lagrangian.model.joint import Friction, Joint, JointSpring, Limits, Rotor
from lagrangian.model.joints.joint_type import JointType
from lagrangian.model.loop import Frame, LoopJoint
from lagrangian.model.loops.loop_type import LoopType
from lagrangian.model.mechanism import GROUND, Mechanism

_DH_JOINTS = {"R": "R", "P": "P", "revolute": "R", "prismatic": "P"}
_DH_ALIASES = {
    "modified": ("craig", "khalil", "proximal", "mdh"),
    "standard": ("classic", "classical", "distal", "original", "spong", "corke", "dh"),
}


def _friction(table: Table) -> Friction:
    table.only("viscous", "coulomb", "coulomb_negative", "static", "static_negative")
    if isinstance(table.get("coulomb", 0), list):
        raise table.error("an array is given; write one number, and `coulomb_negative` for negative speeds", "coulomb")
    given = {name: table.number(name) for name in ("coulomb_negative", "static", "static_negative") if name in table}
    with placed(*table.here):
        return Friction(table.number("viscous", 0), table.number("coulomb", 0), **given)


def _rotor(table: Table) -> Rotor:
    table.only("inertia", "ratio")
    with placed(*table.here):
        return Rotor(table.number("inertia", 0), table.number("ratio", 1))


def _spring(table: Table) -> JointSpring:
    table.only("stiffness", "rest")
    return JointSpring(table.number("stiffness"), table.number("rest", 0))


def _limits(table: Table) -> Limits:
    table.only("lower", "upper", "speed", "effort")
    given = {key: Written.of(table.number(key, finite=False)) for key in ("lower", "upper", "speed", "effort") if key in table}
    for key in ("speed", "effort"):
        if given.get(key, 0) < 0:
            raise table.error(f"it is {given[key]:g}; a limit of {key} cannot be negative", key)
    with placed(*table.here):
        return Limits(**given)


# what sits at a joint: how it is read, and what an error shows of it
AT_JOINT: dict[str, tuple[Callable[[Table], Any], str]] = {
    "friction": (_friction, "{ viscous = 0.1, coulomb = 0.2 }"),
    "rotor": (_rotor, "{ inertia = 1e-5, ratio = 100 }"),
    "spring": (_spring, "{ stiffness = 3, rest = 0 }"),
    "limits": (_limits, "{ lower = -1, upper = 1 }"),
}


def _at_joint(table: Table) -> dict[str, Any]:
    """Friction, rotor, spring and limits, where they are given."""
    return {key: read(table.table(key, example)) for key, (read, example) in AT_JOINT.items() if key in table}


def _entries(table: Table, types: Iterable[JointType | LoopType]) -> dict[str, Any]:
    """The entries of any type, where they are given; those that its own type does not have are refused by the model."""
    known = {entry.name: entry for kind in types for entry in kind.entries}
    return {name: _entry(table, entry) for name, entry in known.items() if name in table}


def _entry(table: Table, entry: Entry) -> Any:
    match entry.kind:
        case Kind.AXIS:
            return table.axis(entry.name)
        case Kind.NUMBER:
            return table.number(entry.name)
        case Kind.FUNCTION:
            given, at = table.get(entry.name), table.at(entry.name)
            if not isinstance(given, str):
                return scalar(given, at, table.names)
            with placed(*at):
                return parse(given, {**table.names, entry.argument: symbol(entry.argument)})
        case Kind.DIRECTIONS:
            given = table.get(entry.name)
            if not isinstance(given, list) or not all(isinstance(d, str) for d in given):
                raise table.error(f"{shown(given)} is given; an array such as ['x', 'y'] is needed", entry.name)
            return tuple(given)


def joint(table: Table) -> Joint:
    """One `[[joint]]`."""
    places = (*placement_keys(), *placement_keys("child_"))
    own = [entry.name for kind in joints.TYPES.values() for entry in kind.entries]
    table.only("name", "type", "parent", "child", *places, *dict.fromkeys(own), *AT_JOINT, "actuated")
    name, kind = table.name(), joints.TYPES[table.choice("type", tuple(joints.TYPES))]
    with placed(*table.here):
        for key in (*AT_JOINT, "actuated"):
            if key in table:
                joints.refuse(kind, key)
        return Joint(
            name,
            kind.name,
            table.name("parent", GROUND),
            table.name("child"),
            placement(table),
            placement(table, "child_"),
            actuated=table.flag("actuated", True),
            **_entries(table, joints.TYPES.values()),
            **_at_joint(table),
        )


def loop(table: Table) -> LoopJoint:
    """One `[[loop]]`."""
    own = [entry.name for kind in loops.TYPES.values() for entry in kind.entries]
    table.only("name", "type", "a", "b", *placement_keys("a_"), *placement_keys("b_"), *dict.fromkeys(own))
    kind = loops.TYPES[table.choice("type", tuple(loops.TYPES))]
    with placed(*table.here):
        return LoopJoint(
            table.name(),
            kind.name,
            table.name("a"),
            table.name("b"),
            placement(table, "a_"),
            placement(table, "b_"),
            **_entries(table, loops.TYPES.values()),
        )


def frame(table: Table) -> Frame:
    """One `[[frame]]`."""
    table.only("name", "body", *placement_keys())
    return Frame(table.name(), table.name("body"), placement(table))


def row(table: Table) -> DHRow:
    """One `[[dh.row]]`."""
    table.only("joint", "a", "alpha", "d", "theta", *INERTIAL, *AT_JOINT, "name", "link")
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
        raise table.error(f"'convention' is missing; name the convention of the table: {' or '.join(CONVENTIONS)}")
    convention = _convention(table)
    rows = [row(t) for t in table.elements("row", "[[dh.row]]")]
    if not rows:
        raise table.error("it has no rows; begin each with [[dh.row]]")
    ends: dict[str, Any] = {}
    for key in ("base", "tool"):
        if key in table:
            end = table.table(key, "{ xyz = [0, 0, 0.4] }")
            end.only(*placement_keys())
            ends[key] = placement(end)
    with placed(*table.here):
        try:
            return Mechanism.from_dh(rows, convention=convention, name=name, **ends)
        except LagrangianError as error:  # the arm calls itself by its name, which is the file's
            raise error.without(name) from None


def _convention(table: Table) -> str:
    given: str = table.text("convention")
    if given in CONVENTIONS:
        return given
    for convention, aliases in _DH_ALIASES.items():
        if given.strip().lower().removesuffix("'s") in aliases:
            whose = "proximal, Craig's" if convention == "modified" else "the distal one of Denavit and Hartenberg"
            raise table.error(f"there is no DH convention {shown(given)}; write {convention!r}, which is {whose}", "convention")
    raise table.error(one_of("DH convention", given, CONVENTIONS), "convention")

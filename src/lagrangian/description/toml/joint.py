"""Joints of the tree, Denavit-Hartenberg rows, loops, springs, walls and frames as a TOML description writes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lagrangian.description.toml.body import INERTIAL, doubt_degrees, inertial, placement, placement_keys
from lagrangian.description.toml.table import Table, located, scalar, shown
from lagrangian.errors import LagrangianError, one_of
from lagrangian.model import joints, loops
from lagrangian.model import vector as v
from lagrangian.model.dh import CONVENTIONS, DHRow
from lagrangian.model.entries import Entry, Kind
from lagrangian.model.expression import parse, symbol
from lagrangian.model.joint import Friction, Joint, JointSpring, Limits, Rotor
from lagrangian.model.joints.joint_type import JointType
from lagrangian.model.loop import Frame, LoopJoint, PointSpring, Wall
from lagrangian.model.loops.loop_type import LoopType
from lagrangian.model.mechanism import GROUND, Mechanism

_DH_JOINTS = {"R": "R", "P": "P", "revolute": "R", "prismatic": "P"}
_DH_ALIASES = {
    "modified": ("craig", "khalil", "proximal", "mdh"),
    "standard": ("classic", "classical", "distal", "original", "spong", "corke", "dh"),
}


def _friction(table: Table) -> Friction:
    table.only("viscous", "coulomb", "coulomb_negative")
    negative = table.number("coulomb_negative") if "coulomb_negative" in table else None
    with located(table.here):
        return Friction(table.number("viscous", 0), table.number("coulomb", 0), negative)


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


def _at_joint(table: Table) -> dict[str, Any]:
    """Friction, rotor, spring and limits, where they are given."""
    return {key: read(table.table(key, example)) for key, (read, example) in _AT_JOINT.items() if key in table}


def _refuse_others(table: Table, kind: str, types: Mapping[str, JointType] | Mapping[str, LoopType]) -> None:
    """An entry that the type does not have is an error, not something to pass over."""
    own = {name: _own(t) for name, t in types.items()}
    for key in dict.fromkeys(key for keys in own.values() for key in keys):
        if key in table and key not in own[kind]:
            names = [name for name, keys in own.items() if key in keys]
            what = "actuator" if key == "actuated" else key
            raise table.error(f"a {kind} joint has no {what}; only {', '.join(names)} have one", key)


def _own(kind: JointType | LoopType) -> list[str]:
    """The entries that not every type has."""
    found = [entry.name for entry in kind.entries]
    if isinstance(kind, JointType):
        found += [key for key in (*_AT_JOINT, "actuated") if key not in kind.refuses]
    return found


def _entries(table: Table, kind: JointType | LoopType, what: str) -> dict[str, Any]:
    """The entries of a type, where they are given."""
    found: dict[str, Any] = {}
    for entry in kind.entries:
        if entry.name not in table:
            if entry.default is None:
                raise table.error(f"{entry.name!r} is missing; a {kind.name} {what} needs {entry.meaning}")
            continue
        found[entry.name] = _entry(table, entry)
    return found


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
            with located(at):
                return parse(given, {**table.names, entry.argument: symbol(entry.argument)})
        case Kind.DIRECTIONS:
            given = table.get(entry.name)
            if not isinstance(given, list) or not all(isinstance(d, str) for d in given):
                raise table.error(f"{shown(given)} is given; an array such as ['x', 'y'] is needed", entry.name)
            return tuple(given)


def joint(table: Table) -> Joint:
    """One `[[joint]]`."""
    placed = (*placement_keys(), *placement_keys("child_"))
    own = dict.fromkeys(key for kind in joints.TYPES.values() for key in _own(kind))
    table.only("name", "type", "parent", "child", *placed, *own)
    name, kind = table.name(), joints.TYPES[table.choice("type", tuple(joints.TYPES))]
    _refuse_others(table, kind.name, joints.TYPES)
    entries = _entries(table, kind, "joint")
    with located(table.here):
        return Joint(
            name,
            kind.name,
            table.name("parent", GROUND),
            table.name("child"),
            placement(table),
            placement(table, "child_"),
            actuated=table.flag("actuated", True),
            **entries,
            **_at_joint(table),
        )


def loop(table: Table) -> LoopJoint:
    """One `[[loop]]`."""
    own = dict.fromkeys(key for kind in loops.TYPES.values() for key in _own(kind))
    table.only("name", "type", "a", "b", *placement_keys("a_"), *placement_keys("b_"), *own)
    kind = loops.TYPES[table.choice("type", tuple(loops.TYPES))]
    _refuse_others(table, kind.name, loops.TYPES)
    entries = _entries(table, kind, "loop")
    with located(table.here):
        return LoopJoint(
            table.name(),
            kind.name,
            table.name("a"),
            table.name("b"),
            placement(table, "a_"),
            placement(table, "b_"),
            **entries,
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

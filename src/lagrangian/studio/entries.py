"""The entries that each table of a TOML description may have, asked of its readers themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from lagrangian.description.toml import body, event, joint, motion, reader, spring
from lagrangian.description.toml.table import Table
from lagrangian.model import joints, loops
from lagrangian.model.dh import CONVENTIONS
from lagrangian.model.event import DIRECTIONS
from lagrangian.model.shapes import VISUALS


class _Known(Exception):
    def __init__(self, keys: tuple[str, ...]) -> None:
        self.keys = keys


class _Asked(Table):
    """A table that answers the reader's own question: which entries may it have?"""

    def __init__(self, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data or {}, ("",), {})

    def only(self, *keys: str) -> None:
        raise _Known(keys)


def _keys(read: Callable[..., Any], *more: Any, **data: str) -> tuple[str, ...]:
    try:
        read(_Asked(data), *more)
    except _Known as known:
        return known.keys
    return ()


@cache
def tables() -> dict[str, tuple[str, ...]]:
    """The entries of every table that a header may begin: `joint`, `dh.row`, `initial`; those of the whole file are of ""."""
    constraints = [_keys(motion.constraint, None, type=kind) for kind in motion.KINDS]
    springs = [_keys(spring.spring, None, **given) for given in ({}, {"length": "0"})]
    return {
        "": tuple(x for x in reader.ENTRIES),
        "body": _keys(body.body),
        "joint": _keys(joint.joint),
        "loop": _keys(joint.loop),
        "frame": _keys(joint.frame),
        "constraint": _merged(constraints),
        "spring": _merged(springs),
        "wall": _keys(spring.wall),
        "gravity_compensation": _keys(spring.compensation),
        "payload": _keys(body.payload, None),
        "event": _keys(event.event, None),
        "dh": _keys(joint.dh_arm, ""),
        "dh.row": _keys(joint.row),
        "initial": _keys(motion.initial, None),
        "parameters": (),
        "pose": (),
    }


@cache
def inner() -> dict[str, tuple[str, ...]]:
    """The entries of tables that are written inside an element: `friction = { ... }`."""
    shapes = [_keys(body.shape, shape=kind) for kind in body.SHAPES]
    ends = body.placement_keys()
    return {
        **{key: _keys(read) for key, (read, _) in joint.AT_JOINT.items()},
        "shapes": _merged(shapes),
        "visuals": _keys(body.visual),
        "base": ends,
        "tool": ends,
    }


def _merged(several: list[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for keys in several for key in keys))


REPEATED = (*reader.ELEMENTS, "dh.row")  # tables with [[...]]


def choices(table: str, key: str) -> tuple[str, ...]:
    """The words that an entry may be."""
    found: dict[tuple[str, str], Any] = {
        ("joint", "type"): joints.TYPES,
        ("loop", "type"): loops.TYPES,
        ("constraint", "type"): motion.KINDS,
        ("dh", "convention"): CONVENTIONS,
        ("dh.row", "joint"): ("R", "P"),
        ("event", "action"): event.ACTIONS,
        ("event", "direction"): DIRECTIONS,
        ("shapes", "shape"): body.SHAPES,
        ("visuals", "shape"): VISUALS,
    }
    if key in ("axis", "axis2", "axis3", "normal", "direction") and (table, key) not in found:
        return ("x", "y", "z", "-x", "-y", "-z")
    return tuple(found.get((table, key), ()))


# what an entry is written as, to begin with, and what its number is
EXAMPLES = {
    "name": '""',
    "mass": "1.0",
    "center": "[0, 0, 0]",
    "inertia": "[0.01, 0.01, 0.01]",
    "xyz": "[0, 0, 0]",
    "rpy": "[0, 0, 0]",
    "child_xyz": "[0, 0, 0]",
    "a_xyz": "[0, 0, 0]",
    "b_xyz": "[0, 0, 0]",
    "directions": '["x", "y"]',
    "gravity": "[0, 0, -9.81]",
    "t_span": "[0, 5]",
    "actuated": "false",
    "shapes": '[{ shape = "box", size = [0.4, 0.04, 0.04], mass = 1.0 }]',
    "torque": "{ }",
    **{key: example for key, (_, example) in joint.AT_JOINT.items()},
}
UNITS = {
    "mass": "kg",
    "center": "m, centre of mass",
    "inertia": "kg m², about the centre of mass",
    "xyz": "m, position",
    "rpy": "rad, orientation",
    "axis": "axis of the joint",
    "gravity": "m/s²",
    "t_span": "s, start and end",
    "limits": "limits of position, speed and effort",
    "friction": "at the joint",
    "rotor": "motor behind a gear",
    "spring": "at the joint",
    "actuated": "true if it has a motor",
    "stiffness": "N/m or N m/rad",
    "damping": "N s/m or N m s/rad",
    "radius": "m",
    "length": "m",
    "size": "m",
    "density": "kg/m³",
    "a": "m",
    "d": "m",
    "alpha": "rad",
    "theta": "rad",
    "viscous": "N m s/rad or N s/m",
    "coulomb": "N m or N",
    "lower": "rad or m",
    "upper": "rad or m",
    "speed": "rad/s or m/s",
    "effort": "N m or N",
}

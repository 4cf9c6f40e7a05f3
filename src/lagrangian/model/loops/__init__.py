"""Types of loop joints, one file each. `TYPES` lists them; `register` adds one from outside the package."""

from __future__ import annotations

from lagrangian.errors import MechanismError, Part, one_of, placed
from lagrangian.model.entries import refuse_common
from lagrangian.model.loops.ball import Ball
from lagrangian.model.loops.cylindrical import Cylindrical
from lagrangian.model.loops.distance import Distance
from lagrangian.model.loops.fixed import Fixed
from lagrangian.model.loops.loop_type import Look, LoopType
from lagrangian.model.loops.planar import Planar
from lagrangian.model.loops.point import Point
from lagrangian.model.loops.prismatic import Prismatic
from lagrangian.model.loops.revolute import Revolute
from lagrangian.model.loops.universal import Universal

COMMON = ("name", "type", "a", "b", "a_placement", "b_placement", "own")  # what every loop has

TYPES: dict[str, LoopType] = {
    t.name: t for t in (Point(), Ball(), Universal(), Cylindrical(), Revolute(), Prismatic(), Fixed(), Planar(), Distance())
}


def register(loop_type: LoopType) -> None:
    """Add a type of loop joint, which is then known by its name in Python and in TOML files."""
    if not isinstance(loop_type, LoopType):
        raise MechanismError(f"{loop_type!r} is not a loop type; it must be an instance of a subclass of LoopType")
    with placed(Part("loop type", getattr(loop_type, "name", type(loop_type).__name__))):
        _check(loop_type)
    TYPES[loop_type.name] = loop_type


def _check(loop_type: LoopType) -> None:
    for owed in ("name", "entries", "look", "holds_point"):
        if not hasattr(loop_type, owed):
            raise MechanismError(f"it has no attribute `{owed}`, which `LoopType` describes")
    if not isinstance(loop_type.look, Look):
        raise MechanismError(f"its look is {loop_type.look!r}; one of {', '.join(map(str, Look))} is needed")
    refuse_common(loop_type.entries, COMMON)
    if loop_type.name in TYPES:
        raise MechanismError(f"there is a loop joint type {loop_type.name!r} already; give this one another name")


def named(name: str) -> LoopType:
    """A type by its name."""
    if name not in TYPES:
        raise MechanismError(one_of("loop joint type", name, TYPES))
    return TYPES[name]

"""Types of loop joints, one file each. `TYPES` lists them; `register` adds one from outside the package."""

from __future__ import annotations

from lagrangian.errors import MechanismError, one_of
from lagrangian.model.loops.ball import Ball
from lagrangian.model.loops.cylindrical import Cylindrical
from lagrangian.model.loops.distance import Distance
from lagrangian.model.loops.fixed import Fixed
from lagrangian.model.loops.loop_type import LoopType
from lagrangian.model.loops.planar import Planar
from lagrangian.model.loops.point import Point
from lagrangian.model.loops.prismatic import Prismatic
from lagrangian.model.loops.revolute import Revolute
from lagrangian.model.loops.universal import Universal

TYPES: dict[str, LoopType] = {
    t.name: t for t in (Point(), Ball(), Universal(), Cylindrical(), Revolute(), Prismatic(), Fixed(), Planar(), Distance())
}


def register(loop_type: LoopType) -> None:
    """Add a type of loop joint, which is then known by its name in Python and in TOML files."""
    where = f"loop type {getattr(loop_type, 'name', type(loop_type).__name__)!r}"
    for owed in ("name", "entries", "look", "holds_point"):
        if not hasattr(loop_type, owed):
            raise MechanismError(f"{where} has no `{owed}`; `LoopType` says what that is")
    if loop_type.name in TYPES:
        raise MechanismError(f"there is a loop joint type {loop_type.name!r} already; give this one another name")
    TYPES[loop_type.name] = loop_type


def named(name: str, where: str) -> LoopType:
    """A type by its name."""
    if name not in TYPES:
        raise MechanismError(f"{where}: {one_of('loop joint type', name, TYPES)}")
    return TYPES[name]

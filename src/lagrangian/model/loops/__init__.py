"""Types of loop joints, one file each. `TYPES` lists them; `register` adds one from outside the package."""

from __future__ import annotations

from lagrangian.errors import MechanismError, MechanismPart, error_location, unknown_name_message
from lagrangian.model.loops.ball import BallLoop
from lagrangian.model.loops.cylindrical import CylindricalLoop
from lagrangian.model.loops.distance import DistanceLoop
from lagrangian.model.loops.fixed import FixedLoop
from lagrangian.model.loops.loop_type import AxisLoop, LoopLook, LoopType
from lagrangian.model.loops.planar import PlanarLoop
from lagrangian.model.loops.point import PointLoop
from lagrangian.model.loops.prismatic import PrismaticLoop
from lagrangian.model.loops.revolute import RevoluteLoop
from lagrangian.model.loops.universal import UniversalLoop
from lagrangian.model.type_entries import check_entry_names

COMMON_ENTRIES = ("name", "type", "a", "b", "a_placement", "b_placement", "type_entries")  # what every loop has

TYPES: dict[str, LoopType] = {
    t.name: t
    for t in (
        PointLoop(),
        BallLoop(),
        UniversalLoop(),
        CylindricalLoop(),
        RevoluteLoop(),
        PrismaticLoop(),
        FixedLoop(),
        PlanarLoop(),
        DistanceLoop(),
    )
}


def register(loop_type: LoopType) -> None:
    """Add a type of loop joint, which is then known by its name in Python and in TOML files."""
    if not isinstance(loop_type, LoopType):
        raise MechanismError(f"{loop_type!r} is not a loop type; it must be an instance of a subclass of LoopType")
    with error_location(MechanismPart("loop type", getattr(loop_type, "name", type(loop_type).__name__))):
        _check(loop_type)
    TYPES[loop_type.name] = loop_type


def find_type(name: str) -> LoopType:
    """A type by its name."""
    if name not in TYPES:
        raise MechanismError(unknown_name_message("loop joint type", name, TYPES))
    return TYPES[name]


def _check(loop_type: LoopType) -> None:
    base_by_attribute = dict.fromkeys(("name", "entries", "look", "holds_point"), "LoopType")
    if isinstance(loop_type, AxisLoop):
        base_by_attribute["constrained_freedoms"] = "AxisLoop"
    for attribute, base in base_by_attribute.items():
        if not hasattr(loop_type, attribute):
            raise MechanismError(f"it has no attribute `{attribute}`, which `{base}` describes")
    if not isinstance(loop_type.look, LoopLook):
        raise MechanismError(f"its look is {loop_type.look!r}; one of {', '.join(map(str, LoopLook))} is needed")
    check_entry_names(loop_type.entries, COMMON_ENTRIES)
    if loop_type.name in TYPES:
        raise MechanismError(f"there is a loop joint type {loop_type.name!r} already; give this one another name")

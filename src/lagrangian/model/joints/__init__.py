"""Types of joints, one file each. `TYPES` lists them; `register` adds one from outside the package."""

from __future__ import annotations

from lagrangian.errors import MechanismError, one_of
from lagrangian.model.entries import refuse_common
from lagrangian.model.joints.ball import Ball
from lagrangian.model.joints.cam import Cam
from lagrangian.model.joints.continuous import Continuous
from lagrangian.model.joints.fixed import Fixed
from lagrangian.model.joints.free import Free
from lagrangian.model.joints.gimbal import Gimbal
from lagrangian.model.joints.helical import Helical
from lagrangian.model.joints.joint_type import JointType, Look
from lagrangian.model.joints.planar import Planar
from lagrangian.model.joints.prismatic import Prismatic
from lagrangian.model.joints.revolute import Revolute
from lagrangian.model.joints.universal import Universal

# what every joint has, and no type may call an entry of its own; `placement` is `xyz` and so on in files
COMMON = (
    "name",
    "type",
    "parent",
    "child",
    "placement",
    "child_placement",
    "friction",
    "rotor",
    "spring",
    "limits",
    "actuated",
    "own",
)

TYPES: dict[str, JointType] = {
    t.name: t
    for t in (
        Revolute(),
        Continuous(),
        Prismatic(),
        Helical(),
        Cam(),
        Universal(),
        Gimbal(),
        Ball(),
        Planar(),
        Free(),
        Fixed(),
    )
}


def register(joint_type: JointType) -> None:
    """Add a type of joint, which is then known by its name in Python and in TOML files."""
    if not isinstance(joint_type, JointType):
        raise MechanismError(f"{joint_type!r} is no joint type; an object of a class that derives from JointType is needed")
    where = f"joint type {getattr(joint_type, 'name', type(joint_type).__name__)!r}"
    for owed in ("name", "coordinates", "speeds", "slides", "units", "entries", "refuses", "look", "turns"):
        if not hasattr(joint_type, owed):
            raise MechanismError(f"{where} has no `{owed}`; `JointType` says what that is")
    for owed in ("coordinates", "speeds", "slides", "units", "entries", "refuses"):
        if not isinstance(getattr(joint_type, owed), tuple):
            raise MechanismError(f"{where}: `{owed}` is {getattr(joint_type, owed)!r}; a tuple is needed, such as ('rad',)")
    unknown = sorted(set(joint_type.units) - {"rad", "m", ""})
    if unknown:
        raise MechanismError(f"{where}: its units are {joint_type.units}; they are 'rad', 'm', or '' of a quaternion's parts")
    if not isinstance(joint_type.look, Look):
        raise MechanismError(f"{where}: its look is {joint_type.look!r}; one of {', '.join(map(str, Look))} is needed")
    refuse_common(joint_type.entries, COMMON, where)
    for owed, size in (("units", joint_type.nq), ("slides", joint_type.nv)):
        if len(getattr(joint_type, owed)) != size:
            each = "coordinate" if owed == "units" else "speed"
            raise MechanismError(
                f"{where}: `{owed}` has {len(getattr(joint_type, owed))} entries; one for each of its {size} {each}s is needed"
            )
    if joint_type.name in TYPES:
        raise MechanismError(f"there is a joint type {joint_type.name!r} already; give this one another name")
    TYPES[joint_type.name] = joint_type


def named(name: str, where: str) -> JointType:
    """A type by its name."""
    if name not in TYPES:
        raise MechanismError(f"{where}: {one_of('joint type', name, TYPES)}")
    return TYPES[name]

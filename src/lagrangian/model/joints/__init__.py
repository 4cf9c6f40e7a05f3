"""Types of joints, one file each. `TYPES` lists them; `register` adds one from outside the package."""

from __future__ import annotations

from lagrangian.errors import MechanismError, MechanismPart, error_location, unknown_name_message
from lagrangian.model.joints.ball import Ball
from lagrangian.model.joints.cam import Cam
from lagrangian.model.joints.continuous import Continuous
from lagrangian.model.joints.fixed import Fixed
from lagrangian.model.joints.free import Free
from lagrangian.model.joints.gimbal import Gimbal
from lagrangian.model.joints.helical import Helical
from lagrangian.model.joints.joint_type import JointLook, JointType
from lagrangian.model.joints.planar import Planar
from lagrangian.model.joints.prismatic import Prismatic
from lagrangian.model.joints.revolute import Revolute
from lagrangian.model.joints.universal import Universal
from lagrangian.model.type_entries import check_entry_names

# what every joint has, and no type may call an entry of its own; `placement` is `xyz` and so on in files
COMMON_ENTRIES = (
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
    "type_entries",
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
        raise MechanismError(f"{joint_type!r} is not a joint type; it must be an instance of a subclass of JointType")
    with error_location(MechanismPart("joint type", getattr(joint_type, "name", type(joint_type).__name__))):
        _check(joint_type)
    TYPES[joint_type.name] = joint_type


def find_type(name: str) -> JointType:
    """A type by its name."""
    if name not in TYPES:
        raise MechanismError(unknown_name_message("joint type", name, TYPES))
    return TYPES[name]


def refuse_part(kind: JointType, part: str) -> None:
    """Refuse friction, a rotor, a spring, limits or an actuator (`part`) that would mean nothing at a joint of this type."""
    if part not in kind.refuses:
        return
    allowed = ", ".join(t.name for t in TYPES.values() if part not in t.refuses)
    noun = "actuator" if part == "actuated" else part
    instead = "; use a spring between points" if part == "spring" else ""
    raise MechanismError(f"a {kind.name} joint has no {noun}", where=part, remedy=f"only {allowed} have one{instead}")


def _check(joint_type: JointType) -> None:
    for attribute in ("name", "coordinates", "speeds", "slides", "units", "entries", "refuses", "look", "turns"):
        if not hasattr(joint_type, attribute):
            raise MechanismError(f"it has no attribute `{attribute}`, which `JointType` describes")
    for attribute in ("coordinates", "speeds", "slides", "units", "entries", "refuses"):
        if not isinstance(getattr(joint_type, attribute), tuple):
            raise MechanismError(f"`{attribute}` is {getattr(joint_type, attribute)!r}; a tuple is needed, such as ('rad',)")
    unknown = sorted(set(joint_type.units) - {"rad", "m", ""})
    if unknown:
        raise MechanismError(f"its units are {joint_type.units}; each must be 'rad', 'm', or '' for a component of a quaternion")
    if not isinstance(joint_type.look, JointLook):
        raise MechanismError(f"its look is {joint_type.look!r}; one of {', '.join(map(str, JointLook))} is needed")
    check_entry_names(joint_type.entries, COMMON_ENTRIES)
    for attribute, size in (("units", joint_type.nq), ("slides", joint_type.nv)):
        if len(getattr(joint_type, attribute)) != size:
            each = "coordinate" if attribute == "units" else "speed"
            raise MechanismError(
                f"`{attribute}` has {len(getattr(joint_type, attribute))} entries; there must be one for each {each}, "
                f"{size} in total"
            )
    if joint_type.name in TYPES:
        raise MechanismError(f"there is a joint type {joint_type.name!r} already; give this one another name")

"""The friction of a joint, as URDF and SDF give it: one viscous and one dry coefficient."""

from __future__ import annotations

from lagrangian.description.xml import Element
from lagrangian.model.joint import Friction


def read_joint_friction(element: Element, damping: float, friction: float) -> Friction:
    """The friction that a `<dynamics>` element gives."""
    for attribute, value in (("damping", damping), ("friction", friction)):
        if value < 0:
            raise element.error(f"{attribute} is {value:g}; it cannot be negative, or it would drive the joint")
    return Friction(damping, friction, friction)

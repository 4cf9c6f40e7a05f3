"""Where an element of a URDF is: its <origin>."""

from __future__ import annotations

import math

from lagrangian.description.xml import Element, numbers
from lagrangian.model.placement import Placement

_ZERO = (0.0, 0.0, 0.0)


def origin(element: Element) -> Placement:
    """The <origin> of an element; none is no offset."""
    found = element.find("origin")
    if found is None:
        return Placement()
    xyz, rpy = numbers(found, "xyz", 3, _ZERO), numbers(found, "rpy", 3, _ZERO)
    if "quat_xyzw" in found.attributes:
        return _turned(found, xyz)
    if rpy == _ZERO:
        return Placement(position=xyz)  # type: ignore[arg-type]
    return Placement.from_rpy(xyz, rpy)


def _turned(found: Element, xyz: tuple[float, ...]) -> Placement:
    """An origin with a quaternion, whose real part URDF has last; its length does not matter."""
    if "rpy" in found.attributes:
        raise found.error("has rpy and quat_xyzw; give the orientation in one way")
    x, y, z, w = numbers(found, "quat_xyzw", 4)
    if not math.hypot(x, y, z, w) > 1e-14:
        raise found.error("quat_xyzw is a quaternion of length 0; the identity is 0 0 0 1")
    if (x, y, z) == _ZERO:
        return Placement(position=xyz)  # type: ignore[arg-type]
    return Placement.from_quaternion(xyz, (w, x, y, z))

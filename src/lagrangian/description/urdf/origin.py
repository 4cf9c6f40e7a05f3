"""The <origin> of an element of a URDF."""

from __future__ import annotations

import math

from lagrangian.description.xml import Element, number_attributes
from lagrangian.model.placement import Transform

_ZERO = (0.0, 0.0, 0.0)


def read_origin(element: Element) -> Transform:
    """The placement in the <origin> of an element; without one, the identity."""
    origin_element = element.find("origin")
    if origin_element is None:
        return Transform()
    xyz, rpy = number_attributes(origin_element, "xyz", 3, _ZERO), number_attributes(origin_element, "rpy", 3, _ZERO)
    if "quat_xyzw" in origin_element.attributes:
        return _placement_from_quaternion(origin_element, xyz)
    if rpy == _ZERO:
        return Transform(position=xyz)  # type: ignore[arg-type]
    return Transform.from_rpy(xyz, rpy)


def _placement_from_quaternion(origin_element: Element, xyz: tuple[float, ...]) -> Transform:
    """An origin with a quaternion, whose real part URDF has last; its length does not matter."""
    if "rpy" in origin_element.attributes:
        raise origin_element.error("has rpy and quat_xyzw; give the orientation in one way")
    x, y, z, w = number_attributes(origin_element, "quat_xyzw", 4)
    if not math.hypot(x, y, z, w) > 1e-14:
        raise origin_element.error("quat_xyzw is a quaternion of length 0; the identity is 0 0 0 1")
    if (x, y, z) == _ZERO:
        return Transform(position=xyz)  # type: ignore[arg-type]
    return Transform.from_quaternion(xyz, (w, x, y, z))

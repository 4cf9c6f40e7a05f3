"""Typed access to the texts of elements of SDF: numbers, booleans, poses."""

from __future__ import annotations

import math
from typing import Any

from lagrangian.description.xml import Element, parse_numbers
from lagrangian.errors import unknown_name_message
from lagrangian.model.placement import Transform

_TRUE, _FALSE = ("true", "1"), ("false", "0")
_REQUIRED: Any = object()
_FORMATS = {"euler_rpy": 6, "quat_xyzw": 7}


def child_text(element: Element, tag: str, default: Any = _REQUIRED) -> str:
    """The text of a child, such as the name of a joint's parent: there, and not empty, unless a default is given."""
    child = element.find(tag)
    if child is not None and child.text:
        return child.text
    if default is not _REQUIRED:
        return default
    if child is None:
        raise element.error(f"has no {tag}; it needs <{tag}>...</{tag}>")
    raise child.error("is empty")


def child_vector(element: Element, tag: str, count: int, default: tuple[float, ...]) -> tuple[float, ...]:
    """The numbers of a child; one that is missing or empty has the default."""
    child = element.find(tag)
    return default if child is None or not child.text else parse_numbers(child, tag, child.text, count)


def child_number(element: Element, tag: str, default: float, *, infinite: bool = False) -> float:
    """The number of a child; one that is missing or empty has the default."""
    child = element.find(tag)
    return default if child is None or not child.text else parse_numbers(child, tag, child.text, 1, infinite=infinite)[0]


def child_boolean(element: Element, tag: str, default: bool = False) -> bool:
    """The boolean of a child; one that is missing or empty has the default."""
    child = element.find(tag)
    return default if child is None or not child.text else _parse_boolean(child, tag, child.text)


def boolean_attribute(element: Element, attribute: str) -> bool:
    """The boolean of an attribute; a missing one is false."""
    return _parse_boolean(element, attribute, element.attributes.get(attribute, "false"))


def read_pose(element: Element) -> Transform:
    """The <pose> of an element; a missing or empty one is the identity."""
    child = element.find("pose")
    if child is None or not child.text:
        return Transform()
    rotation_format = child.attributes.get("rotation_format", "euler_rpy")
    if rotation_format not in _FORMATS:
        raise child.error(f"rotation_format: {unknown_name_message('format', rotation_format, _FORMATS)}")
    values = parse_numbers(child, "pose", child.text, _FORMATS[rotation_format])
    xyz, rotation = values[:3], values[3:]
    if not any(rotation) and rotation_format == "euler_rpy":
        return Transform(position=xyz)  # type: ignore[arg-type]
    degrees = boolean_attribute(child, "degrees")
    if rotation_format == "euler_rpy":
        return Transform.from_rpy(xyz, [math.radians(angle) for angle in rotation] if degrees else rotation)
    if degrees:
        raise child.error("has degrees and a quaternion; degrees apply to roll, pitch and yaw only")
    x, y, z, w = rotation
    if not math.hypot(x, y, z, w) > 1e-14:
        raise child.error("is a quaternion of length 0; the identity is 0 0 0 1")
    if not any((x, y, z)):
        return Transform(position=xyz)  # type: ignore[arg-type]
    return Transform.from_quaternion(xyz, (w, x, y, z))


def relative_to(element: Element) -> str:
    """The frame in which the <pose> of an element is given; "" for the default."""
    child = element.find("pose")
    return "" if child is None else child.attributes.get("relative_to", "")


def _parse_boolean(element: Element, name: str, value: str) -> bool:
    text = value.strip().lower()
    if text not in (*_TRUE, *_FALSE):
        raise element.error(f"{name}: {unknown_name_message('truth value', value, (*_TRUE, *_FALSE))}")
    return text in _TRUE

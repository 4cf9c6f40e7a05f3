"""Typed access to what SDF writes as the text of elements: numbers, truth values, poses."""

from __future__ import annotations

import math
from typing import Any

from lagrangian.description.xml import Element, numbers_of
from lagrangian.errors import one_of
from lagrangian.model.placement import Placement

_TRUE, _FALSE = ("true", "1"), ("false", "0")
_REQUIRED: Any = object()
_FORMATS = {"euler_rpy": 6, "quat_xyzw": 7}


def word(element: Element, tag: str, default: Any = _REQUIRED) -> str:
    """The text of a child, such as the name of a joint's parent: there, and not empty, unless a default is given."""
    child = element.find(tag)
    if child is not None and child.text:
        return child.text
    if default is not _REQUIRED:
        return default
    if child is None:
        raise element.error(f"has no {tag}; it needs <{tag}>...</{tag}>")
    raise child.error("is empty")


def vector(element: Element, tag: str, count: int, default: tuple[float, ...]) -> tuple[float, ...]:
    """The numbers of a child; one that is missing or empty has the default."""
    child = element.find(tag)
    return default if child is None or not child.text else numbers_of(child, tag, child.text, count)


def number(element: Element, tag: str, default: float, *, infinite: bool = False) -> float:
    """The number of a child; one that is missing or empty has the default."""
    child = element.find(tag)
    return default if child is None or not child.text else numbers_of(child, tag, child.text, 1, infinite=infinite)[0]


def truth(element: Element, tag: str, default: bool = False) -> bool:
    """A child that says true or false."""
    child = element.find(tag)
    return default if child is None or not child.text else _truth(child, tag, child.text)


def truth_of(element: Element, attribute: str) -> bool:
    """An attribute that says true or false; none says false."""
    return _truth(element, attribute, element.attributes.get(attribute, "false"))


def _truth(element: Element, name: str, given: str) -> bool:
    text = given.strip().lower()
    if text not in (*_TRUE, *_FALSE):
        raise element.error(f"{name}: {one_of('truth value', given, (*_TRUE, *_FALSE))}")
    return text in _TRUE


def pose(element: Element) -> Placement:
    """The <pose> of an element; none, and an empty one, is no offset."""
    child = element.find("pose")
    if child is None or not child.text:
        return Placement()
    form = child.attributes.get("rotation_format", "euler_rpy")
    if form not in _FORMATS:
        raise child.error(f"rotation_format: {one_of('format', form, _FORMATS)}")
    given = numbers_of(child, "pose", child.text, _FORMATS[form])
    xyz, turn = given[:3], given[3:]
    if not any(turn) and form == "euler_rpy":
        return Placement(position=xyz)  # type: ignore[arg-type]
    degrees = truth_of(child, "degrees")
    if form == "euler_rpy":
        return Placement.from_rpy(xyz, [math.radians(angle) for angle in turn] if degrees else turn)
    if degrees:
        raise child.error("has degrees and a quaternion; degrees apply to roll, pitch and yaw only")
    x, y, z, w = turn
    if not math.hypot(x, y, z, w) > 1e-14:
        raise child.error("is a quaternion of length 0; the identity is 0 0 0 1")
    if not any((x, y, z)):
        return Placement(position=xyz)  # type: ignore[arg-type]
    return Placement.from_quaternion(xyz, (w, x, y, z))


def relative_to(element: Element) -> str:
    """What the <pose> of an element is given in; "" where that is the default."""
    child = element.find("pose")
    return "" if child is None else child.attributes.get("relative_to", "")

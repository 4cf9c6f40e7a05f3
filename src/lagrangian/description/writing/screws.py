"""Screws as a turn and a slide that follows it: how far they advance, as a polynomial of the angle."""

from __future__ import annotations

from typing import NoReturn

from lagrangian.description.writing.formulas import polynomial
from lagrangian.errors import DescriptionError, Part
from lagrangian.model.joint import Joint
from lagrangian.model.joints.cam import ANGLE


def advance(joint: Joint, degree: int, format: str) -> tuple[float, ...]:  # noqa: A002
    """The coefficients, from the constant on; an error where a format has no place for it."""
    if joint.type == "helical":
        return (0.0, float(joint.pitch))
    found = polynomial(joint.advance, ANGLE, degree) if joint.type == "cam" else None
    return refuse(joint, format) if found is None else found


def refuse(joint: Joint, format: str) -> NoReturn:  # noqa: A002
    """The error of a joint that a format has not."""
    raise DescriptionError(
        f"a {joint.type} joint of this form cannot be written as {format}",
        where=Part("joint", joint.name),
        remedy="write the mechanism as TOML, or describe the joint by revolute and prismatic joints",
    )

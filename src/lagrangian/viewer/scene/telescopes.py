"""Rods that slide: in a sleeve, or in a body that is their tube, as the legs of a platform are."""

from __future__ import annotations

import math

import numpy as np

from lagrangian.model.joints.joint_type import Look
from lagrangian.viewer.scene import primitives as p
from lagrangian.viewer.scene.outline import Outline, along
from lagrangian.viewer.scene.primitives import Mesh


def telescopes(outline: Outline, r: float) -> bool:
    """Whether a sliding body is a rod along its axis, by its centre of mass, and not a carriage."""
    if outline.joint is None or outline.joint.kind.look is not Look.SLIDE or outline.axis is None:
        return False
    arm, axis = outline.center - outline.at, outline.axis
    far = float(arm @ axis)
    if abs(far) < 2 * r or np.linalg.norm(arm - far * axis) > abs(far):
        return False
    away = [x.point - outline.at for x in outline.places]
    return all(float(np.linalg.norm(d - (d @ axis) * axis)) < r for d in away)


def is_tube(parent: Outline, at: np.ndarray, axis: np.ndarray, r: float) -> bool:
    """Whether a rod that slides along this axis of another body slides in it: its mass lies along the axis."""
    arm = parent.center - at
    return bool(np.linalg.norm(arm) > 2 * r and np.linalg.norm(np.cross(arm, axis)) < 0.2 * np.linalg.norm(arm))


def tube(outline: Outline, parent: Outline, r: float) -> tuple[float, float] | None:
    """Where along the axis of a rod's joint its tube is held, and where it ends; None if it slides in none."""
    joint = outline.joint
    if joint is None or parent.body is None or not telescopes(outline, r):
        return None
    at, axis = np.array(joint.placement.position, dtype=float), along(joint.placement, joint.axis)
    if not is_tube(parent, at, axis, r):
        return None
    held, middle = float((parent.at - at) @ axis), float((parent.center - at) @ axis)
    return held, 2 * middle - held


def room_in_tube(outline: Outline, parent: Outline, span: tuple[float, float], r: float) -> float:
    """How long a rod may be that never comes out of its tube where that is held: `span` is how far it slides.

    A real rod is no longer, whatever a description says of its mass.
    """
    found = tube(outline, parent, r)
    if found is None:
        return math.inf
    room = min(_inward(outline) * (found[0] - x) for x in span)
    return room - 2 * r if room > 4 * r else math.inf


def stem(outline: Outline, parent: Outline, drawn: np.ndarray, span: tuple[float, float], r: float) -> Mesh | None:
    """What is missing of a rod, in its own frame: it reaches its sleeve, or into its tube, wherever it slides to.

    `drawn` are the points of the rod (n, 3); in its frame the sleeve is at minus the joint's coordinate.
    """
    if not telescopes(outline, r) or outline.axis is None or not len(drawn):
        return None
    at = (drawn - outline.at) @ outline.axis
    least, most = float(at.min()) + r, float(at.max()) - r  # inside of its round ends
    low, high = min(least, -span[1]), max(most, -span[0])
    found = tube(outline, parent, r)
    if found is not None:
        inward = _inward(outline)
        end = found[1] - (span[1] if inward < 0 else span[0])  # of the tube, where the rod is farthest out of it
        low, high = (min(least, end), most) if inward < 0 else (least, max(most, end))
    if low > least - r and high < most + r:
        return None
    return p.bar(outline.at + low * outline.axis, outline.at + high * outline.axis, 0.7 * r, 0.7 * r)


def _inward(outline: Outline) -> float:
    """To which side along its axis a rod lies."""
    assert outline.axis is not None
    return math.copysign(1.0, float((outline.center - outline.at) @ outline.axis))

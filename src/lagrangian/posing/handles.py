"""Handles by which a mechanism is moved: one number for every degree of freedom of every joint.

Most are coordinates. A ball or free joint, whose coordinates are a quaternion, has its rotation vector and its position instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lagrangian.model.mechanism import Mechanism
from lagrangian.model.rotation import quaternion

COORDINATE, ROTATION, POSITION = "coordinate", "rotation", "position"


@dataclass(frozen=True)
class Handle:
    """One degree of freedom of a joint: its value is a coordinate, or a component of a rotation vector or of a position."""

    name: str
    joint: int
    kind: str  # COORDINATE, ROTATION or POSITION
    component: int
    iq: int  # where the joint's coordinates begin in q
    iv: int  # and its speeds in qd
    angle: bool  # in radians; in metres otherwise
    actuated: bool
    lower: float = -math.inf
    upper: float = math.inf

    def text(self, value: float) -> str:
        """Return a value with its unit: degrees or metres."""
        return f"{math.degrees(value):.1f}°" if self.angle else f"{value:.4g} m"


def joint_handles(mechanism: Mechanism) -> tuple[Handle, ...]:
    """Return all handles in the order of the speeds; but the position of a free joint follows its rotation, as in q."""
    handle_list: list[Handle] = []
    iq = iv = 0
    for k, joint in enumerate(mechanism.joints):
        limits = (float(joint.limits.lower), float(joint.limits.upper))
        if joint.kind.quaternion:
            for c, axis in enumerate("xyz"):
                handle_list.append(Handle(f"{joint.name}.r{axis}", k, ROTATION, c, iq, iv, True, joint.actuated))
            for c, axis in enumerate("xyz"[: joint.kind.nq - 4]):
                handle_list.append(Handle(f"{joint.name}.{axis}", k, POSITION, c, iq, iv, False, joint.actuated))
        else:
            for c, (name, slides) in enumerate(zip(joint.coordinate_names, joint.slides, strict=True)):
                handle_list.append(Handle(name, k, COORDINATE, c, iq, iv, not slides, joint.actuated, *limits))
        iq, iv = iq + joint.kind.nq, iv + joint.kind.nv
    return tuple(handle_list)


def handle_values(all_handles: Sequence[Handle], q: np.ndarray, previous: np.ndarray | None = None) -> np.ndarray:
    """Return the value of every handle. Rotation vectors are nearest to the `previous`: they do not jump at half a turn."""
    numbers = np.zeros(len(all_handles))
    for k, h in enumerate(all_handles):
        if h.kind == COORDINATE:
            numbers[k] = q[h.iq + h.component]
        elif h.kind == POSITION:
            numbers[k] = q[h.iq + 4 + h.component]
        elif h.component == 0:
            r = quaternion.logarithm(q[h.iq : h.iq + 4])
            if previous is not None:
                r = _nearest_rotation_vector(r, previous[k : k + 3])
            numbers[k : k + 3] = r
    return numbers


def handle_jacobian(all_handles: Sequence[Handle], q: np.ndarray, values: np.ndarray, nv: int) -> np.ndarray:
    """Return the rates of the handles' values by the speeds: (handles, nv)."""
    jacobian = np.zeros((len(all_handles), nv))
    for k, h in enumerate(all_handles):
        if h.kind == COORDINATE:
            jacobian[k, h.iv + h.component] = 1.0
        elif h.component:  # all three at once
            continue
        elif h.kind == POSITION:
            jacobian[k : k + 3, h.iv + 3 : h.iv + 6] = quaternion.matrix(q[h.iq : h.iq + 4])
        else:
            jacobian[k : k + 3, h.iv : h.iv + 3] = _rate_of_rotation_vector(values[k : k + 3])
    return jacobian


def _nearest_rotation_vector(r: np.ndarray, previous: np.ndarray) -> np.ndarray:
    """Return the rotation vector of the same rotation, less than a whole turn, that is nearest to the last."""
    angle = float(np.linalg.norm(r))
    if angle < 1e-9:
        return r
    other = r * (1 - 2 * np.pi / angle)
    return other if np.linalg.norm(other - previous) < np.linalg.norm(r - previous) else r


def _rate_of_rotation_vector(r: np.ndarray) -> np.ndarray:
    """Return E in r' = E w, with the angular velocity w along the rotated axes (Bullo and Murray 1995)."""
    cross, angle = quaternion.skew(r), float(np.linalg.norm(r))
    if angle < 1e-4:
        factor = 1 / 12
    else:
        factor = (1 - 0.5 * angle / math.tan(0.5 * angle)) / angle**2
    E: np.ndarray = np.eye(3) + 0.5 * cross + factor * cross @ cross
    return E

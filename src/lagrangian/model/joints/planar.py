"""A planar joint: the child slides along the x and y axes of a frame whose z is `axis`, then turns about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.model import vector as v
from lagrangian.model.joints.compound import Compound
from lagrangian.model.joints.joint_type import JointLook, JointStep
from lagrangian.model.joints.prismatic import Prismatic
from lagrangian.model.joints.revolute import Revolute
from lagrangian.model.joints.screw import AXIS
from lagrangian.model.placement import rotation_z_to

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint


class Planar(Compound):
    name = "planar"
    coordinates = ("x", "y", "angle")
    speeds = ("vx", "vy", "w")
    slides = (True, True, False)
    units = ("m", "m", "rad")
    entries = (AXIS,)
    look = JointLook.PLANE
    plane = (0, 1)

    @property
    def frame_rate_matrices(self) -> tuple[np.ndarray, ...]:
        return (np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),)

    def check(self, joint: Joint) -> None:
        return

    def steps(self, joint: Joint) -> tuple[JointStep, ...]:
        x, y, z = v.transpose(rotation_z_to(joint.axis))
        return (JointStep("x", Prismatic(), x), JointStep("y", Prismatic(), y), JointStep("angle", Revolute(), z))

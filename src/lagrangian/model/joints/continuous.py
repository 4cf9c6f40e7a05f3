"""A continuous joint: a revolute joint that turns without end, as URDF calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.model.joints.joint_type import JointStep
from lagrangian.model.joints.revolute import Revolute

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint


class Continuous(Revolute):
    name = "continuous"

    def steps(self, joint: Joint) -> tuple[JointStep, ...]:
        return (JointStep("", Revolute(), joint.axis),)  # so that links of both types share compiled code

"""A free joint: nothing holds the child; a quaternion and a position, and the child's angular and linear velocity along its own
axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, cos, sin, symbol
from lagrangian.model.joints.ball import YAW_PITCH_ROLL, Ball, angular_velocity_by_angles
from lagrangian.model.joints.joint_rotation import JointRotation, MatrixRotation
from lagrangian.model.joints.joint_type import Combination, JointLook, JointState, JointStep, JointType, UnitTwist
from lagrangian.model.joints.prismatic import Prismatic
from lagrangian.model.rotation import quaternion

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint

BALL = Ball()
SLIDES = (JointStep("px", Prismatic(), v.X), JointStep("py", Prismatic(), v.Y), JointStep("pz", Prismatic(), v.Z))


class Free(JointType):
    name = "free"
    coordinates = ("w", "x", "y", "z", "px", "py", "pz")
    speeds = ("wx", "wy", "wz", "vx", "vy", "vz")
    slides = (False, False, False, True, True, True)
    units = ("", "", "", "", "m", "m", "m")
    entries = ()
    refuses = ("rotor", "spring", "limits")
    look = JointLook.NOTHING
    turns = False
    quaternion = True

    def check(self, joint: Joint) -> None:
        return

    def steps(self, joint: Joint) -> tuple[JointStep, ...]:
        return (JointStep("", self),)

    def single_steps(self, joint: Joint) -> tuple[JointStep, ...]:
        return (*SLIDES, *YAW_PITCH_ROLL)

    def speed_combinations(self, joint: Joint) -> dict[str, Combination]:
        R = _rotation_by_angles(joint)
        slides = [f"{joint.name}.{step.label}" for step in SLIDES]
        linear = [tuple((name, R[k][column]) for k, name in enumerate(slides)) for column in range(3)]
        return dict(zip(joint.speed_names, [*angular_velocity_by_angles(joint), *linear], strict=True))

    def type_constant(self, joint: Joint) -> Scalar:
        return 0

    def table_notes(self, joint: Joint) -> list[str]:
        return []

    @property
    def neutral(self) -> tuple[float, ...]:
        return (*BALL.neutral, 0.0, 0.0, 0.0)

    def random(self, joint: Joint, rng: np.random.Generator) -> list[float]:
        return [*BALL.random(joint, rng), *(float(x) for x in rng.uniform(-1, 1, 3))]

    def normalise_coordinates(self, q: Sequence[Any]) -> list[Any]:
        return [*BALL.normalise_coordinates(q[:4]), *q[4:]]

    def integrate(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        displacement = np.einsum("...ij,...j->...i", quaternion.matrix(q[..., :4]), step[..., 3:])
        return np.concatenate([BALL.integrate(q[..., :4], step[..., :3]), q[..., 4:] + displacement], axis=-1)

    def coordinate_rates(self, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        # p' = R u
        return [*quaternion.rate(q[:4], qd[:3]), *v.mat_vec(quaternion.rotation(q[:4]), tuple(qd[3:]))]

    def coordinate_biases(self, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        # p'' = R (w x u)
        acceleration = v.cross(tuple(qd[:3]), tuple(qd[3:]))
        return [*BALL.coordinate_biases(q[:4], qd[:3]), *v.mat_vec(quaternion.rotation(q[:4]), acceleration)]

    def displacement_transport(self, qd: np.ndarray) -> np.ndarray:
        turning = quaternion.skew(qd[:3])
        return np.block([[turning, np.zeros((3, 3))], [quaternion.skew(qd[3:]), turning]])

    @property
    def frame_rate_matrices(self) -> tuple[np.ndarray, ...]:
        return tuple(np.kron(np.eye(2), turn) for turn in BALL.frame_rate_matrices)

    def rotation(self, state: JointState) -> JointRotation:
        return MatrixRotation(quaternion.rotation(state.q[:4]))

    def translation(self, state: JointState) -> v.Vector:
        return state.q[4:7]

    def motion_subspace(self, state: JointState) -> tuple[UnitTwist, ...]:
        turning = tuple((axis, v.ZERO) for axis in v.IDENTITY)
        return turning + tuple((v.ZERO, axis) for axis in v.IDENTITY)

    def motion_subspace_rate(self, state: JointState) -> tuple[UnitTwist, ...]:
        return ()


def _rotation_by_angles(joint: Joint) -> v.Matrix:
    """R = Rz(yaw) Ry(pitch) Rx(roll)."""
    angles = [symbol(f"{joint.name}.{label}") for label in ("yaw", "pitch", "roll")]
    (cy, sy), (cp, sp), (cr, sr) = ((cos(a), sin(a)) for a in angles)
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )

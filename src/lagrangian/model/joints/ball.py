"""A ball joint: the child turns in any way; a quaternion (w, x, y, z), and the angular velocity along the child's axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.errors import MechanismError
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, cos, sin, symbol
from lagrangian.model.expression import functions as f
from lagrangian.model.joints.joint_rotation import JointRotation, MatrixRotation
from lagrangian.model.joints.joint_type import Combination, Inertia, JointLook, JointState, JointStep, JointType, UnitTwist
from lagrangian.model.joints.revolute import Revolute
from lagrangian.model.rotation import quaternion

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint

# of the closed form: R = Rz(yaw) Ry(pitch) Rx(roll)
YAW_PITCH_ROLL = (JointStep("yaw", Revolute(), v.Z), JointStep("pitch", Revolute(), v.Y), JointStep("roll", Revolute(), v.X))


class Ball(JointType):
    name = "ball"
    coordinates = ("w", "x", "y", "z")
    speeds = ("wx", "wy", "wz")
    slides = (False, False, False)
    units = ("", "", "", "")
    entries = ()
    refuses = ("limits",)
    look = JointLook.BALL
    turns = False  # it has no single angle
    quaternion = True

    def check(self, joint: Joint) -> None:
        if float(joint.spring.rest):
            raise MechanismError(
                f"is {float(joint.spring.rest):g}",
                where="spring",
                argument="rest",
                remedy="the spring of a ball joint is relaxed where the two joint frames coincide; rotate the placement instead",
            )

    def steps(self, joint: Joint) -> tuple[JointStep, ...]:
        return (JointStep("", self),)

    def single_steps(self, joint: Joint) -> tuple[JointStep, ...]:
        return YAW_PITCH_ROLL

    def speed_combinations(self, joint: Joint) -> dict[str, Combination]:
        return dict(zip(joint.speed_names, angular_velocity_by_angles(joint), strict=True))

    def type_constant(self, joint: Joint) -> Scalar:
        return 0

    def table_notes(self, joint: Joint) -> list[str]:
        return []

    @property
    def neutral(self) -> tuple[float, ...]:
        return (1.0, 0.0, 0.0, 0.0)

    def random(self, joint: Joint, rng: np.random.Generator) -> list[float]:
        q = rng.normal(size=4)
        return [float(x) for x in q / np.linalg.norm(q)]

    def normalise_coordinates(self, q: Sequence[Any]) -> list[Any]:
        scale = 1 / f.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        return [x * scale for x in q]

    def integrate(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        product = quaternion.product(q, quaternion.exponential(step))
        unit: np.ndarray = product / np.linalg.norm(product, axis=-1, keepdims=True)
        return unit

    def coordinate_rates(self, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        return quaternion.rate(q, qd)

    def coordinate_biases(self, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        return quaternion.rate(quaternion.rate(q, qd), qd)

    def stretch(self, q: Sequence[Any], rest: Any) -> tuple[Any, ...]:
        return quaternion.shortest_rotation_vector(q)

    def displacement_transport(self, qd: np.ndarray) -> np.ndarray:
        return quaternion.skew(qd)

    @property
    def frame_rate_matrices(self) -> tuple[np.ndarray, ...]:
        return tuple(quaternion.skew(axis) for axis in np.eye(3))

    def rotation(self, state: JointState) -> JointRotation:
        return MatrixRotation(quaternion.rotation(state.q))

    def translation(self, state: JointState) -> v.Vector:
        return v.ZERO

    def motion_subspace(self, state: JointState) -> tuple[UnitTwist, ...]:
        return tuple((axis, v.ZERO) for axis in v.IDENTITY)

    def motion_subspace_rate(self, state: JointState) -> tuple[UnitTwist, ...]:
        return ()

    def regroupable_inertia(self, body: Inertia) -> Inertia:
        return body[0], v.ZERO, (0, 0, 0, 0, 0, 0)  # a point mass at the centre


def angular_velocity_by_angles(joint: Joint) -> list[Combination]:
    """The angular velocity along the child's axes, in the rates of yaw, pitch and roll."""
    yaw, pitch, roll = (f"{joint.name}.{label}" for label in ("yaw", "pitch", "roll"))
    cos_pitch, sin_pitch = cos(symbol(pitch)), sin(symbol(pitch))
    cos_roll, sin_roll = cos(symbol(roll)), sin(symbol(roll))
    return [
        ((roll, 1), (yaw, -sin_pitch)),
        ((pitch, cos_roll), (yaw, sin_roll * cos_pitch)),
        ((pitch, -sin_roll), (yaw, cos_roll * cos_pitch)),
    ]

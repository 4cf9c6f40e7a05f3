"""A free joint: nothing holds the child; a quaternion and a position, and the child's angular and linear velocity along its own
axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, cos, sin, symbol
from lagrangian.model.joints.ball import TURNS, Ball, angular_velocity_by_angles
from lagrangian.model.joints.joint_type import Column, Combination, JointType, Look, State, Step
from lagrangian.model.joints.prismatic import Prismatic
from lagrangian.model.joints.turn import AnyTurn, Turn
from lagrangian.model.rotation import quaternion

if TYPE_CHECKING:
    from lagrangian.model.joint import Joint

BALL = Ball()
SLIDES = (Step("px", Prismatic(), v.X), Step("py", Prismatic(), v.Y), Step("pz", Prismatic(), v.Z))


class Free(JointType):
    name = "free"
    coordinates = ("w", "x", "y", "z", "px", "py", "pz")
    speeds = ("wx", "wy", "wz", "vx", "vy", "vz")
    slides = (False, False, False, True, True, True)
    units = ("", "", "", "", "m", "m", "m")
    entries = ()
    refuses = ("rotor", "spring", "limits")
    look = Look.NOTHING
    turns = False
    quaternion = True

    def check(self, joint: Joint) -> None:
        return

    def steps(self, joint: Joint) -> tuple[Step, ...]:
        return (Step("", self),)

    def single_steps(self, joint: Joint) -> tuple[Step, ...]:
        return (*SLIDES, *TURNS)

    def speeds_by_steps(self, joint: Joint) -> dict[str, Combination]:
        R = _rotation_by_angles(joint)
        slides = [f"{joint.name}.{step.label}" for step in SLIDES]
        linear = [tuple((name, R[k][column]) for k, name in enumerate(slides)) for column in range(3)]
        return dict(zip(joint.speed_names, [*angular_velocity_by_angles(joint), *linear], strict=True))

    def own(self, joint: Joint) -> Scalar:
        return 0

    def words(self, joint: Joint) -> list[str]:
        return []

    @property
    def neutral(self) -> tuple[float, ...]:
        return (*BALL.neutral, 0.0, 0.0, 0.0)

    def random(self, joint: Joint, rng: np.random.Generator) -> list[float]:
        return [*BALL.random(joint, rng), *(float(x) for x in rng.uniform(-1, 1, 3))]

    def normalised(self, q: Sequence[Any]) -> list[Any]:
        return [*BALL.normalised(q[:4]), *q[4:]]

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        along = np.einsum("...ij,...j->...i", quaternion.matrix(q[..., :4]), step[..., 3:])
        return np.concatenate([BALL.moved(q[..., :4], step[..., :3]), q[..., 4:] + along], axis=-1)

    def coordinate_rates(self, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        # p' = R u
        return [*quaternion.rate(q[:4], qd[:3]), *v.mat_vec(quaternion.rotation(q[:4]), tuple(qd[3:]))]

    def coordinate_biases(self, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        # p'' = R (w x u)
        carried = v.cross(tuple(qd[:3]), tuple(qd[3:]))
        return [*BALL.coordinate_biases(q[:4], qd[:3]), *v.mat_vec(quaternion.rotation(q[:4]), carried)]

    def carried(self, qd: np.ndarray) -> np.ndarray:
        turning = quaternion.skew(qd[:3])
        return np.block([[turning, np.zeros((3, 3))], [quaternion.skew(qd[3:]), turning]])

    @property
    def turnings(self) -> tuple[np.ndarray, ...]:
        return tuple(np.kron(np.eye(2), turn) for turn in BALL.turnings)

    def turn(self, state: State) -> Turn:
        return AnyTurn(quaternion.rotation(state.q[:4]))

    def shift(self, state: State) -> v.Vector:
        return state.q[4:7]

    def columns(self, state: State) -> tuple[Column, ...]:
        turning = tuple((axis, v.ZERO) for axis in v.IDENTITY)
        return turning + tuple((v.ZERO, axis) for axis in v.IDENTITY)

    def column_rates(self, state: State) -> tuple[Column, ...]:
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

"""Frames: where they are, how they move, and the equations of motion along their directions."""

from __future__ import annotations

from collections.abc import Sequence

from lagrangian.closed_form.cartesian import CartesianEquations
from lagrangian.closed_form.choices import chosen_frame, euler_jacobian, square_jacobian
from lagrangian.closed_form.parts.basis import Basis
from lagrangian.equations import cartesian, kinematics
from lagrangian.equations.formula_matrix import FormulaMatrix
from lagrangian.model.loop import DIRECTIONS, Frame
from lagrangian.model.rotation.euler import ANGLES


class FramesPart(Basis):
    """Poses, Jacobians and Cartesian equations of frames."""

    def pose(self, frame: str | Frame) -> FormulaMatrix:
        """The frame's 4x4 homogeneous matrix in the world."""
        _, pose = kinematics.frame_pose(self.system, chosen_frame(self.mechanism, frame))
        return self._made.matrix("T", [*([*row, p] for row, p in zip(pose.R, pose.p, strict=True)), [0, 0, 0, 1]])

    def jacobian(self, frame: str | Frame) -> FormulaMatrix:
        """J, 6 x n: (angular velocity, velocity of the origin) = J q', along the world's axes."""
        return self._made.matrix("J", kinematics.jacobian(self.system, chosen_frame(self.mechanism, frame)))

    def external(self, frame: str | Frame) -> FormulaMatrix:
        """J^T F: the generalised forces of a wrench (load_Mx .. load_Fz, at the frame's origin) that acts on a frame."""
        J = kinematics.jacobian(self.system, chosen_frame(self.mechanism, frame))
        wrench = [self.system.generator(f"load_{name}") for name in ("Mx", "My", "Mz", "Fx", "Fy", "Fz")]
        made = [sum((J[row][k] * wrench[row] for row in range(6)), self.system.ring.zero) for k in range(self.n)]
        return self._made.vector("Q", made)

    def cartesian(
        self, frame: str | Frame, directions: Sequence[str] | None = None, *, euler: str | None = None
    ) -> CartesianEquations:
        """M_x, C_x, G_x of a frame along as many directions as there are coordinates, such as ("x", "y") for a planar 2R arm.

        With `euler`, a sequence such as "ZYX", Euler angles alpha, beta, gamma take the place of wx, wy, wz. A root in the rate
        of beta is taken as the polynomial whose square it is, which is right where that is positive.
        """
        over = None
        if euler is None:
            directions = DIRECTIONS if directions is None else directions
            J = square_jacobian(self.system, frame, directions)
        else:
            directions = (*ANGLES, *DIRECTIONS[3:]) if directions is None else directions
            J, over = euler_jacobian(self.system, frame, directions, euler)
        velocity = [a + b for a, b in zip(*self._terms.velocity, strict=True)]
        made = cartesian.cartesian(self.system, J, self.derived.M, velocity, self._terms.slopes, self._terms.friction, over)
        return CartesianEquations.of(self._made.quotient, directions, made)

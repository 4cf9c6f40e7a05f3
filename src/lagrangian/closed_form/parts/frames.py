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
        """Return the pose of a frame in the world.

        Parameters
        ----------
        frame : str or Frame
            The name of a frame or of a body, or a frame.

        Returns
        -------
        FormulaMatrix, shape (4, 4)
            Homogeneous matrix.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").pose("tip")[0, 3])  # the x coordinate
        l1*c1 + l2*c12
        """
        _, pose = kinematics.frame_pose(self.system, chosen_frame(self.mechanism, frame))
        return self._made.matrix("T", [*([*row, p] for row, p in zip(pose.R, pose.p, strict=True)), [0, 0, 0, 1]])

    def jacobian(self, frame: str | Frame) -> FormulaMatrix:
        """Return the Jacobian of a frame.

        Parameters
        ----------
        frame : str or Frame
            The name of a frame or of a body, or a frame.

        Returns
        -------
        FormulaMatrix, shape (6, n)
            J: the angular velocity, then the velocity of the origin, along the world's axes, are J q'.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").jacobian("tip")[3])  # the row of x
        (-l1*s1 - l2*s12, -l2*s12)
        """
        return self._made.matrix("J", kinematics.jacobian(self.system, chosen_frame(self.mechanism, frame)))

    def external(self, frame: str | Frame) -> FormulaMatrix:
        """Return the generalised forces of a wrench that acts on a frame, J^T F.

        Parameters
        ----------
        frame : str or Frame
            The name of a frame or of a body, or a frame. The wrench acts at its origin.

        Returns
        -------
        FormulaMatrix, shape (n,)
            The forces; `load_Mx`, `load_My`, `load_Mz`, `load_Fx`, `load_Fy` and `load_Fz` are the components of the wrench.

        Examples
        --------
        >>> import lagrangian as lg
        >>> print(lg.derive("two_r").external("tip"))
        Q1 = load_Fy*(l1*c1 + l2*c12) + load_Mz - load_Fx*(l1*s1 + l2*s12)
        Q2 = load_Mz - load_Fx*l2*s12 + load_Fy*l2*c12
        """
        J = kinematics.jacobian(self.system, chosen_frame(self.mechanism, frame))
        wrench = [self.system.generator(f"load_{name}") for name in ("Mx", "My", "Mz", "Fx", "Fy", "Fz")]
        made = [sum((J[row][k] * wrench[row] for row in range(6)), self.system.ring.zero) for k in range(self.n)]
        return self._made.vector("Q", made)

    def cartesian(
        self, frame: str | Frame, directions: Sequence[str] | None = None, *, euler: str | None = None
    ) -> CartesianEquations:
        """Return the equations of motion along directions of a frame.

        Parameters
        ----------
        frame : str or Frame
            The name of a frame or of a body, or a frame.
        directions : sequence of str, optional
            As many different directions as there are coordinates, of `"wx"`, `"wy"`, `"wz"`, `"x"`, `"y"`, `"z"`; by default all
            six. With `euler`, the first three are `"alpha"`, `"beta"` and `"gamma"`.
        euler : str, optional
            Sequence of Euler angles that replace the angular directions, such as `"ZYX"`. A root in the rate of beta is written
            as the polynomial whose square it is, which is right where that polynomial is positive.

        Returns
        -------
        CartesianEquations
            M_x, C_x, G_x, F_x, the Jacobian and its determinant.

        Raises
        ------
        ArgumentError
            The number of directions is not the number of coordinates, or a direction is unknown.
        MechanismError
            The directions are not independent in any configuration.

        Examples
        --------
        >>> import lagrangian as lg
        >>> tip = lg.derive("two_r").cartesian("tip", ("x", "y"))
        >>> print(tip.determinant)
        l1*l2*s2
        >>> print(tip.G_x[0])
        (m2*l1*(l2 - r2) + m1*l2*r1)*g*c1*c12/(l1*l2*s2)
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

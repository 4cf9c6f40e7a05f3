"""Impedance control: a frame that yields to forces as a spring and a damper do (Hogan 1985)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.control.cartesian_controller import CartesianController
from lagrangian.control.controller import as_gains
from lagrangian.errors import ArgumentError, format_value
from lagrangian.public import public


@public
@dataclass(frozen=True, repr=False, eq=False)
class Impedance(CartesianController):
    """Make a frame yield to forces like a spring and a damper.

    Along the controlled directions the frame obeys M_x e'' + D e' + K e = -F_external with the error e = x_d - x. The inertia M_x
    stays the mechanism's own, so that no force has to be measured. A constant force F moves the frame by K^-1 F.

    Parameters
    ----------
    model : Mechanism, str, path or Dynamics
        The model of the mechanism that is controlled.
    path : CartesianPath or array_like
        The path of the frame, or a point (x, y), (x, y, z) or a 4x4 pose to hold.
    frame : str or Frame, optional
        The frame, if the path does not name it.
    directions : str or iterable of str, optional
        Those of "wx", "wy", "wz", "x", "y", "z" that are controlled. The default is all that the path leads.
    posture : array_like, mapping or str, optional
        A configuration, values of some coordinates, or the name of a pose, which attracts the freedom that the path leaves.
        Without it that freedom is only damped.
    posture_frequency : float
        The frequency of this attraction in rad/s; it is critically damped. The default is 5.
    friction : bool
        Whether to compensate the friction of the model. The default is True.
    threshold : float
        How near a singular configuration a direction is faded out, as for `Dynamics.cartesian`. The default is 0.02.
    stiffness : array_like
        The stiffness K, in N/m, and in N m/rad about wx, wy and wz: one number, one for each direction, or a matrix. It is
        required.
    damping : float
        The damping ratio of every mode of K and M_x. The default is 1.

    Raises
    ------
    ArgumentError
        If the stiffness is missing, or is not symmetric and positive semidefinite.

    Notes
    -----
    The idea is due to Hogan (1985). The damping matrix is D = 2 zeta A (A^-1 K A^-1)^1/2 A with A = M_x^1/2.

    Examples
    --------
    A force of 5 N displaces a frame with a stiffness of 500 N/m by 10 mm:

    >>> import lagrangian as lg
    >>> arm = lg.library("two_r")
    >>> controller = lg.control.Impedance(arm, (1.2, 0.4), frame="tip", stiffness=500.0)
    >>> start = lg.inverse_kinematics(arm, (1.2, 0.4), "tip")
    >>> motion = lg.simulate(arm, 4.0, q0=start, torque=controller, wrenches={"tip": (0, 0, 0, 5, 0, 0)})
    >>> round(float(lg.compile(arm).pose(motion.q[-1], "tip")[0, 3]), 4)
    1.21
    """

    stiffness: ArrayLike | None = field(default=None, kw_only=True)
    damping: float = field(default=1.0, kw_only=True)

    def _prepare(self) -> None:
        super()._prepare()
        k = len(self._controlled_directions)
        if self.stiffness is None:
            raise ArgumentError(
                f"`stiffness` is needed, in N/m (N m/rad about wx, wy, wz): a number, one for each of "
                f"{', '.join(self._controlled_directions)}, or a matrix",
                concerns="stiffness",
            )
        try:
            K = floats(self.stiffness)
        except (TypeError, ValueError):
            raise ArgumentError(f"is {format_value(self.stiffness)}", argument="stiffness", remedy="numbers are needed") from None
        if K.ndim == 2:
            is_valid = K.shape == (k, k) and np.isfinite(K).all() and np.allclose(K, K.T) and np.linalg.eigvalsh(K).min() >= 0
            if not is_valid:
                raise ArgumentError(
                    f"is a matrix of shape {K.shape}",
                    argument="stiffness",
                    remedy=f"a symmetric positive semidefinite matrix of shape ({k}, {k}) is needed",
                )
        else:
            K = np.diag(as_gains("stiffness", self.stiffness, self._controlled_directions))
        self._set_fields(stiffness=K, damping=float(as_gains("damping", self.damping, ("all",))[0]))

    def __call__(self, t: float, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        q, qd = self._state(q, qd)
        task = self.task_state(t, q, qd)
        K = np.asarray(self.stiffness)
        D = damping_matrix(task.equations.M_x, K, self.damping)
        force = task.equations.M_x @ task.path_acceleration + D @ task.error_rate + K @ task.error
        return self.joint_forces(t, q, qd, task, force)


def damping_matrix(M: np.ndarray, K: np.ndarray, ratio: float) -> np.ndarray:
    """The matrix D with which every mode of M e'' + D e' + K e = 0 has the damping ratio; zero along directions without mass."""
    masses, axes = np.linalg.eigh(M)
    root = np.sqrt(np.maximum(masses, 0.0))
    inverse = np.where(root > 1e-6 * root.max(initial=0.0), 1 / np.where(root > 0, root, 1.0), 0.0)
    A, A_inverse = (axes * root) @ axes.T, (axes * inverse) @ axes.T
    squares, modes = np.linalg.eigh(A_inverse @ K @ A_inverse)
    D: np.ndarray = 2 * ratio * A @ (modes * np.sqrt(np.maximum(squares, 0.0))) @ modes.T @ A
    return D

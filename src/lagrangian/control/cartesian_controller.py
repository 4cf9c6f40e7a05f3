"""The base class of the controllers of a frame: its error, the equations along its directions, and the remaining freedom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.control.controller import Controller, as_gains
from lagrangian.control.reference import CartesianReference, pose_error
from lagrangian.errors import ArgumentError, ArgumentName, SingularWarning, warn
from lagrangian.kernels.operational_space import OperationalSpaceDynamics, cartesian
from lagrangian.model.frame import TWIST_COMPONENTS, Frame
from lagrangian.paths.arguments import as_coordinates
from lagrangian.types import State

# how near a singular configuration a direction is faded out: joints move fifty times as fast along it as elsewhere
FADE_THRESHOLD = 0.02


@dataclass(frozen=True, eq=False)
class TaskState:
    """The state of a task along its controlled directions: the error of the frame, and the motion along its path."""

    equations: OperationalSpaceDynamics
    error: np.ndarray
    error_rate: np.ndarray
    frame_velocity: np.ndarray
    path_acceleration: np.ndarray
    path_joint_speeds: np.ndarray  # those of the joints along the path


@dataclass(frozen=True, repr=False, eq=False)
class CartesianController(Controller):
    """The base class of the controllers of a frame.

    They share their errors and their treatment of the remaining freedom. The error of the orientation is the rotation vector of
    R_d R^T along the world's axes. If the mechanism has more degrees of freedom than the path leads, `posture` attracts the rest
    in the null space; without it the rest is only damped. Near a singular configuration the direction that is lost is not
    accelerated, and the controller warns once with a `SingularWarning`.

    Attributes
    ----------
    frame : str or Frame
        The frame that follows the path.
    directions : tuple of str
        Those of "wx", "wy", "wz", "x", "y", "z" that are controlled.
    posture : array_like, mapping, str or None
        The configuration that attracts the remaining freedom.
    posture_frequency : float
        The frequency of this attraction in rad/s; it is critically damped.
    friction : bool
        Whether the friction of the model is compensated.
    threshold : float
        How near a singular configuration a direction is faded out, as for `Dynamics.cartesian`.
    """

    frame: str | Frame | None = field(default=None, kw_only=True)
    directions: str | Iterable[str] | None = field(default=None, kw_only=True)
    posture: State = field(default=None, kw_only=True)
    posture_frequency: float = field(default=5.0, kw_only=True)
    friction: bool = field(default=True, kw_only=True)
    threshold: float = field(default=FADE_THRESHOLD, kw_only=True)

    def _prepare(self) -> None:
        mechanism = self.dynamics.mechanism
        reference = CartesianReference.from_path(self.path, mechanism, self.frame, self.directions)
        self._set_fields(_reference=reference, frame=reference.frame, _warning_times=[])
        self._set_directions(reference.directions, reference.directions)
        self._set_fields(posture_frequency=float(as_gains("posture_frequency", self.posture_frequency, ("posture",))[0]))
        indices = single_coordinates(mechanism)
        posture_values: dict[str, float] = {}
        if self.posture is not None:
            names = tuple(self.posture) if isinstance(self.posture, Mapping) else None
            values = as_coordinates(self.posture, names, "posture", mechanism)
            posture_values = {
                n: x for n, x in zip(names or mechanism.coordinate_names, values.tolist(), strict=True) if n in indices
            }
            for name in names or ():
                if name not in indices:
                    raise ArgumentError(
                        f"{name!r} is not a coordinate with a speed of its own: {', '.join(indices)}",
                        where=ArgumentName("posture"),
                    )
        iq, iv = (np.array([indices[n][k] for n in posture_values], dtype=int) for k in (0, 1))
        self._set_fields(_posture=(iq, iv, np.array(list(posture_values.values()))))

    def _set_directions(self, directions: tuple[str, ...], prescribed: tuple[str, ...]) -> None:
        """Set the controlled directions, of which the path leads the prescribed ones."""
        rows = np.array([TWIST_COMPONENTS.index(d) for d in directions], dtype=int)
        self._set_fields(directions=directions, _rows=rows, _is_prescribed=np.array([float(d in prescribed) for d in directions]))

    @property
    def _controlled_directions(self) -> tuple[str, ...]:
        """The directions that are controlled."""
        directions: tuple[str, ...] = self.__dict__["directions"]
        return directions

    def task_state(self, t: float, q: np.ndarray, qd: np.ndarray) -> TaskState:
        """Return the error of the frame and the motion along its path, for the controlled directions.

        Parameters
        ----------
        t : float
            The time in seconds.
        q, qd : numpy.ndarray
            Coordinates and speeds.

        Returns
        -------
        TaskState
            The Cartesian dynamics, the error and its rate, the velocity of the frame and the acceleration of the path.
        """
        dyn = self.dynamics
        reference: CartesianReference = self.reference
        rows, prescribed = self.__dict__["_rows"], self.__dict__["_is_prescribed"]
        pose, velocity, acceleration = reference(t)
        velocity, acceleration = velocity[rows] * prescribed, acceleration[rows] * prescribed
        equations = cartesian(dyn, q, qd, reference.frame, self._controlled_directions, t, self.threshold, warn=False)
        warning_times: list[float] = self.__dict__["_warning_times"]
        if equations.singular and not warning_times:  # once, not at every step
            warning_times.append(t)
            warn(
                f"{self!r}: {equations.frame!r} came near a singular configuration at t = {t:.6g} s; the direction that is "
                f"lost there is left out",
                SingularWarning,
            )
        frame_velocity = equations.J @ qd
        error = pose_error(pose, dyn.pose(q, reference.frame))[rows] * prescribed
        return TaskState(equations, error, velocity - frame_velocity, frame_velocity, acceleration, equations.J_bar @ velocity)

    def joint_forces(self, t: float, q: np.ndarray, qd: np.ndarray, task: TaskState, force: np.ndarray) -> np.ndarray:
        """Return the joint forces for a force at the frame, with compensation and posture.

        They are J^T (force - M_x J' qd) + C qd + G + F and the posture in the null space, brought about by actuators alone.

        Parameters
        ----------
        t : float
            The time in seconds.
        q, qd : numpy.ndarray
            Coordinates and speeds.
        task : TaskState
            The state of the task there.
        force : numpy.ndarray
            The force along the controlled directions.

        Returns
        -------
        numpy.ndarray
            The joint forces.
        """
        equations, w = task.equations, self.posture_frequency
        iq, iv, posture = self.__dict__["_posture"]
        posture_acceleration = -2 * w * qd
        posture_acceleration[iv] += w * w * (posture - q[iq])
        tau = self.actuated_joints.bias(q, qd, task.path_joint_speeds if self.friction else None)
        tau = (
            tau
            + equations.J.T @ (force - equations.M_x @ equations.J_dot_qd)
            + equations.N_T @ (self.dynamics.mass_matrix(q) @ posture_acceleration)
        )
        return self.actuated_joints.torques(t, q, tau)

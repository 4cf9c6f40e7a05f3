"""What controllers of a frame share: its error, the equations along its directions, and what the remaining freedom does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.control.controller import Controller, gains
from lagrangian.control.reference import CartesianReference, pose_error
from lagrangian.errors import Argument, ArgumentError, SingularWarning, warn
from lagrangian.kernels.cartesian import CartesianDynamics, cartesian
from lagrangian.model.loop import DIRECTIONS, Frame
from lagrangian.paths.argument_checks import coordinates
from lagrangian.types import State

# how near a singular configuration a controller fades a direction out: there its joints move fifty times as fast as elsewhere
NEAR = 0.02


@dataclass(frozen=True, eq=False)
class Situation:
    """Along the directions that are controlled: the error of the frame, and what its path wants."""

    x: CartesianDynamics
    error: np.ndarray
    rate: np.ndarray
    velocity: np.ndarray  # of the frame
    acceleration: np.ndarray  # of the path
    moving: np.ndarray  # the joints' speeds along the path


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
    threshold: float = field(default=NEAR, kw_only=True)

    def _prepare(self) -> None:
        mechanism = self.dynamics.mechanism
        reference = CartesianReference.of(self.path, mechanism, self.frame, self.directions)
        self._keep(_reference=reference, frame=reference.frame, _told=[])
        self._control(reference.directions, reference.directions)
        self._keep(posture_frequency=float(gains("posture_frequency", self.posture_frequency, ("posture",))[0]))
        places = single_coordinates(mechanism)
        led: dict[str, float] = {}
        if self.posture is not None:
            named = tuple(self.posture) if isinstance(self.posture, Mapping) else None
            values = coordinates(self.posture, named, "posture", mechanism)
            led = {n: x for n, x in zip(named or mechanism.coordinate_names, values.tolist(), strict=True) if n in places}
            for name in named or ():
                if name not in places:
                    raise ArgumentError(
                        f"{name!r} is not a coordinate with a speed of its own: {', '.join(places)}", where=Argument("posture")
                    )
        iq, iv = (np.array([places[n][k] for n in led], dtype=int) for k in (0, 1))
        self._keep(_posture=(iq, iv, np.array(list(led.values()))))

    def _control(self, directions: tuple[str, ...], led: tuple[str, ...]) -> None:
        """What is controlled, and which of it by the path."""
        rows = np.array([DIRECTIONS.index(d) for d in directions], dtype=int)
        self._keep(directions=directions, _rows=rows, _led=np.array([float(d in led) for d in directions]))

    @property
    def _controlled(self) -> tuple[str, ...]:
        """The directions that are controlled."""
        found: tuple[str, ...] = self.__dict__["directions"]
        return found

    def situation(self, t: float, q: np.ndarray, qd: np.ndarray) -> Situation:
        """Return the error of the frame and what its path wants, along the controlled directions.

        Parameters
        ----------
        t : float
            The time in seconds.
        q, qd : numpy.ndarray
            Coordinates and speeds.

        Returns
        -------
        Situation
            The Cartesian dynamics, the error and its rate, the velocity of the frame and the acceleration of the path.
        """
        dyn = self.dynamics
        reference: CartesianReference = self.reference
        rows, led = self.__dict__["_rows"], self.__dict__["_led"]
        pose, velocity, acceleration = reference(t)
        velocity, acceleration = velocity[rows] * led, acceleration[rows] * led
        x = cartesian(dyn, q, qd, reference.frame, self._controlled, t, self.threshold, warn=False)
        told: list[float] = self.__dict__["_told"]
        if x.singular and not told:  # once, not at every step
            told.append(t)
            warn(
                f"{self!r}: {x.frame!r} came near a singular configuration at t = {t:.6g} s; the direction that is "
                f"lost there is left out",
                SingularWarning,
            )
        moving = x.J @ qd
        error = pose_error(pose, dyn.pose(q, reference.frame))[rows] * led
        return Situation(x, error, velocity - moving, moving, acceleration, x.J_bar @ velocity)

    def joint_forces(self, t: float, q: np.ndarray, qd: np.ndarray, now: Situation, force: np.ndarray) -> np.ndarray:
        """Return the joint forces for a force at the frame, with compensation and posture.

        They are J^T (force - M_x J' qd) + C qd + G + F and the posture in the null space, brought about by actuators alone.

        Parameters
        ----------
        t : float
            The time in seconds.
        q, qd : numpy.ndarray
            Coordinates and speeds.
        now : Situation
            The situation there.
        force : numpy.ndarray
            The force along the controlled directions.

        Returns
        -------
        numpy.ndarray
            The joint forces.
        """
        x, w = now.x, self.posture_frequency
        iq, iv, wanted = self.__dict__["_posture"]
        idle = -2 * w * qd
        idle[iv] += w * w * (wanted - q[iq])
        tau = self.drives.bias(q, qd, now.moving if self.friction else None)
        tau = tau + x.J.T @ (force - x.M_x @ x.J_dot_qd) + x.N_T @ (self.dynamics.mass_matrix(q) @ idle)
        return self.drives.torques(t, q, tau)

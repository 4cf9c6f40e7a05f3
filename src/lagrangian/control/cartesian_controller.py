"""What controllers of a frame share: its error, the equations along its directions, and what the remaining freedom does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.control.controller import Controller, gains
from lagrangian.control.reference import CartesianReference, pose_error
from lagrangian.errors import Argument, ArgumentError, SingularWarning, warn
from lagrangian.kernels.cartesian import CartesianDynamics, cartesian
from lagrangian.model.loop import DIRECTIONS
from lagrangian.paths.argument_checks import coordinates

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
    """A path of a frame, or a point or 4x4 pose to be at. `frame` and `directions` are the path's own unless they are given.

    The orientation's error is the rotation vector of R_d R^T along the world's axes. Where the mechanism has more freedom than
    the path leads, `posture` (coordinates, a mapping of some, or a pose's name) draws the rest, in the null space, with
    `posture_frequency` (rad/s), critically damped; without it the rest is only damped. Near a singular configuration the
    direction that is lost is not accelerated, and a `SingularWarning` says so once; `threshold` is how near, as for
    `dyn.cartesian`. `friction` compensates the model's; of dry friction that of the joint speeds wanted.
    """

    frame: Any = field(default=None, kw_only=True)
    directions: Any = field(default=None, kw_only=True)
    posture: Any = field(default=None, kw_only=True)
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
            named = tuple(self.posture) if not isinstance(self.posture, str) and hasattr(self.posture, "keys") else None
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

    def situation(self, t: float, q: np.ndarray, qd: np.ndarray) -> Situation:
        dyn = self.dynamics
        reference: CartesianReference = self.reference
        rows, led = self.__dict__["_rows"], self.__dict__["_led"]
        pose, velocity, acceleration = reference(t)
        velocity, acceleration = velocity[rows] * led, acceleration[rows] * led
        x = cartesian(dyn, q, qd, reference.frame, self.directions, t, self.threshold, warn=False)
        told: list[float] = self.__dict__["_told"]
        if x.singular and not told:  # once, not at every step
            told.append(t)
            warn(
                f"{self!r}: {x.frame!r} came near a singular configuration at t = {t:.6g} s; what it cannot do there is left out",
                SingularWarning,
            )
        moving = x.J @ qd
        error = pose_error(pose, dyn.pose(q, reference.frame))[rows] * led
        return Situation(x, error, velocity - moving, moving, acceleration, x.J_bar @ velocity)

    def joint_forces(self, t: float, q: np.ndarray, qd: np.ndarray, now: Situation, force: np.ndarray) -> np.ndarray:
        """J^T (force - M_x J' qd) + C qd + G + F, and the posture in the null space: of actuators alone."""
        x, w = now.x, self.posture_frequency
        iq, iv, wanted = self.__dict__["_posture"]
        idle = -2 * w * qd
        idle[iv] += w * w * (wanted - q[iq])
        tau = self.drives.bias(q, qd, now.moving if self.friction else None)
        tau = tau + x.J.T @ (force - x.M_x @ x.J_dot_qd) + x.N_T @ (self.dynamics.mass_matrix(q) @ idle)
        return self.drives.torques(t, q, tau)

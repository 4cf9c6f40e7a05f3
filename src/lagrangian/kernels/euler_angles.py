"""A frame's orientation by Euler angles in its equations of motion: w = E phi', so that J of the angles is E^-1 J.

With x = (phi, p) and T = diag(E, 1), the equations along w and p become those of x (G27):

    M_phi = T^T M_x T,   C_phi = T^T (C_x + M_x (E' phi', 0)),   G_phi = T^T G_x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.errors import ArgumentError, SingularWarning, warn
from lagrangian.model.loop import DIRECTIONS
from lagrangian.model.rotation.euler import ANGLES, Sequence

NAMES = (*ANGLES, *DIRECTIONS[3:])
LOCKED = 1e-6  # |det E| below which the angles have no rates
NEAR = 0.02  # and below which they are said to be near gimbal lock: 1.1 degrees


@dataclass(frozen=True)
class Orientation:
    """The angles of a frame at some states, with E of w = E phi', the rates phi' and E' phi'."""

    E: np.ndarray
    rates: np.ndarray
    drift: np.ndarray

    @staticmethod
    def of(angles: str, R: np.ndarray, w: np.ndarray, frame: str, known: np.ndarray, warned: bool) -> Orientation:
        """At states of rotation matrices R and angular velocities w; what is not `known` is not looked at."""
        sequence = Sequence.named(angles)
        phi = sequence.angles(R)
        wide = np.where(known, sequence.openness(phi), 1.0)
        phi = np.where(known[:, None], phi, sequence.angles(sequence.rotation(np.full((1, 3), 0.5))))
        worst = int(np.argmin(wide))
        if wide[worst] < NEAR:
            beta = np.degrees(phi[worst, 1])
            state = f" at state {worst}" if len(wide) > 1 else ""
            where = f"the {sequence.name} angles of {frame!r} are singular where beta is {sequence.locked_at}"
            at = f"{where}; it is {beta:.6g}{state}"
            advice = "use another sequence, or the directions wx, wy, wz"
            if wide[worst] < LOCKED:
                raise ArgumentError(f"cartesian: gimbal lock: {at}; {advice}", concerns="euler")
            if warned:
                faster = f"rates of alpha and gamma are up to {1 / wide[worst]:.3g} times the angular velocity"
                warn(f"near gimbal lock: {at}. The {faster}; {advice}", SingularWarning)
        E = sequence.rates_matrix(phi)
        rates = np.linalg.solve(E, w[:, :, None])[:, :, 0]
        return Orientation(E, rates, sequence.drift(phi, rates))

    def whole(self, rows: list[int]) -> bool:
        """Whether all three angles are among the rows of (phi, p)."""
        return {0, 1, 2} <= set(rows)

    def combinations(self, T: np.ndarray, rows: list[int]) -> np.ndarray:
        """Combinations of angular velocities and speeds, as rows, in terms of rates of the angles, if all three are asked for."""
        if not self.whole(rows):
            return T
        turning = [rows.index(k) for k in range(3)]
        made = T.copy()
        made[:, :, turning] = T[:, :, turning] @ self.E
        return made

    def jacobian(self, J: np.ndarray) -> np.ndarray:
        """Of (phi, p), from J of (w, p): (n, 6, nv)."""
        return np.concatenate([np.linalg.solve(self.E, J[:, :3]), J[:, 3:]], axis=1)

    def acceleration(self, a: np.ndarray) -> np.ndarray:
        """(phi'', p'') of the accelerations (w', p''): (n, 6)."""
        turning = np.linalg.solve(self.E, (a[:, :3] - self.drift)[:, :, None])[:, :, 0]
        return np.concatenate([turning, a[:, 3:]], axis=1)

"""Friction of the joints as numbers: viscous, and dry (Coulomb)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lagrangian.model.mechanism import Mechanism

if TYPE_CHECKING:
    pass


# MERGED lagrangian.kernels.friction: Friction of the joints: viscous, and dry (Coulomb).


@dataclass(frozen=True)
class FrictionConstants:
    """One number for every speed; dry friction may differ between the two ways.

    `planes` are speeds whose dry friction acts together: it is against the direction of their velocity, whatever that is.
    """

    viscous: np.ndarray
    coulomb_positive: np.ndarray
    coulomb_negative: np.ndarray
    planes: tuple[tuple[int, ...], ...] = ()

    @property
    def lossy(self) -> bool:
        """Whether there is any."""
        return bool(self.viscous.any() or self.coulomb_positive.any() or self.coulomb_negative.any())

    def forces(self, qd: np.ndarray) -> np.ndarray:
        """What friction takes at speeds."""
        return self.viscous * qd + self.dry_forces(qd)

    def dry_forces(self, qd: np.ndarray) -> np.ndarray:
        """What dry friction takes; it is 0 at rest."""
        back = np.where(qd < 0, -self.coulomb_negative, 0.0 * qd)
        forces: np.ndarray = np.where(qd > 0, self.coulomb_positive, back)
        return self._set_plane_forces(qd, forces) if self.planes else forces

    def plane_forces(self, qd: np.ndarray) -> np.ndarray:
        """The part that acts in planes: no one link has it."""
        return self._set_plane_forces(qd, np.zeros_like(qd))

    def _set_plane_forces(self, qd: np.ndarray, forces: np.ndarray) -> np.ndarray:
        for plane in map(list, self.planes):
            plane_speeds = qd[..., plane]
            speed = np.linalg.norm(plane_speeds, axis=-1, keepdims=True)
            forces[..., plane] = self.coulomb_positive[plane] * plane_speeds / np.where(speed > 0, speed, 1.0)
        return forces


def friction_constants(mechanism: Mechanism) -> FrictionConstants:
    """In the order of the speeds."""
    frictions = [joint.friction for joint in mechanism.joints for _ in range(joint.kind.nv)]
    viscous, positive, negative = (
        np.array([float(getattr(x, name) or 0) for x in frictions]) for name in ("viscous", "coulomb", "coulomb_negative")
    )
    planes, iv = [], 0
    for joint in mechanism.joints:
        if joint.friction_plane:
            planes.append(tuple(iv + k for k in joint.friction_plane))
        iv += joint.kind.nv
    return FrictionConstants(viscous, positive, negative, tuple(planes))

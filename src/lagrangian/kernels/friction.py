"""Friction of the joints: viscous, and dry (Coulomb)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.model.mechanism import Mechanism


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
        return self.viscous * qd + self.dry(qd)

    def dry(self, qd: np.ndarray) -> np.ndarray:
        """What dry friction takes; it is 0 at rest."""
        back = np.where(qd < 0, -self.coulomb_negative, 0.0 * qd)
        found: np.ndarray = np.where(qd > 0, self.coulomb_positive, back)
        return self._turned(qd, found) if self.planes else found

    def in_planes(self, qd: np.ndarray) -> np.ndarray:
        """The part that acts in planes: no one link has it."""
        return self._turned(qd, np.zeros_like(qd))

    def _turned(self, qd: np.ndarray, found: np.ndarray) -> np.ndarray:
        for plane in map(list, self.planes):
            own = qd[..., plane]
            size = np.linalg.norm(own, axis=-1, keepdims=True)
            found[..., plane] = self.coulomb_positive[plane] * own / np.where(size > 0, size, 1.0)
        return found


def friction_constants(mechanism: Mechanism) -> FrictionConstants:
    """In the order of the speeds."""
    each = [joint.friction for joint in mechanism.joints for _ in range(joint.kind.nv)]
    viscous, positive, negative = (
        np.array([float(getattr(x, name) or 0) for x in each]) for name in ("viscous", "coulomb", "coulomb_negative")
    )
    planes, iv = [], 0
    for joint in mechanism.joints:
        if joint.rubbing_plane:
            planes.append(tuple(iv + k for k in joint.rubbing_plane))
        iv += joint.kind.nv
    return FrictionConstants(viscous, positive, negative, tuple(planes))

"""Friction of the joints as numbers: viscous, and dry (Coulomb)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lagrangian.model.mechanism import Mechanism


@dataclass(frozen=True)
class FrictionConstants:
    """The numbers of friction, one for every speed; dry friction may differ between the two directions.

    `planar_speeds` are groups of speeds whose dry friction acts together: it opposes the direction of their velocity, whatever
    that is.
    """

    viscous: np.ndarray
    coulomb_positive: np.ndarray
    coulomb_negative: np.ndarray
    planar_speeds: tuple[tuple[int, ...], ...] = ()

    @property
    def lossy(self) -> bool:
        """Whether there is any friction."""
        return bool(self.viscous.any() or self.coulomb_positive.any() or self.coulomb_negative.any())

    def forces(self, qd: np.ndarray) -> np.ndarray:
        """The friction forces at speeds."""
        return self.viscous * qd + self.dry_forces(qd)

    def dry_forces(self, qd: np.ndarray) -> np.ndarray:
        """The forces of dry friction; they are 0 at rest."""
        back = np.where(qd < 0, -self.coulomb_negative, 0.0 * qd)
        forces: np.ndarray = np.where(qd > 0, self.coulomb_positive, back)
        for plane, plane_forces in self._forces_in_planes(qd):
            forces[..., plane] = plane_forces
        return forces

    def plane_forces(self, qd: np.ndarray) -> np.ndarray:
        """The part of the forces of dry friction that acts in planes: no single link has it."""
        forces = np.zeros_like(qd)
        for plane, plane_forces in self._forces_in_planes(qd):
            forces[..., plane] = plane_forces
        return forces

    def _forces_in_planes(self, qd: np.ndarray) -> Iterator[tuple[list[int], np.ndarray]]:
        """Yield the groups of speeds whose dry friction acts together, each with its forces."""
        for plane in map(list, self.planar_speeds):
            plane_speeds = qd[..., plane]
            speed = np.linalg.norm(plane_speeds, axis=-1, keepdims=True)
            yield plane, self.coulomb_positive[plane] * plane_speeds / np.where(speed > 0, speed, 1.0)


def friction_constants(mechanism: Mechanism) -> FrictionConstants:
    """The friction of a mechanism's joints, in the order of the speeds."""
    frictions = [joint.friction for joint in mechanism.joints for _ in range(joint.kind.nv)]
    viscous, positive, negative = (
        np.array([float(getattr(x, name) or 0) for x in frictions]) for name in ("viscous", "coulomb", "coulomb_negative")
    )
    planar_speeds, iv = [], 0
    for joint in mechanism.joints:
        if joint.friction_plane:
            planar_speeds.append(tuple(iv + k for k in joint.friction_plane))
        iv += joint.kind.nv
    return FrictionConstants(viscous, positive, negative, tuple(planar_speeds))

"""Springs and dampers in line between two points: energy, and the generalised forces they exert.

With d the vector from a to b and s its length, the tension is k (s - rest) + c s' along d. It acts on the two points, and through
their Jacobians on the joints, by virtual work.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.algorithms import kinematics
from lagrangian.kernels.kernel import prepare
from lagrangian.model.loop import Frame, PointSpring
from lagrangian.model.placement import Placement

if TYPE_CHECKING:
    from lagrangian.kernels.store import Kernels


class Springs:
    """The springs of a mechanism at given states (rows)."""

    def __init__(self, kernels: Kernels, q: Any, qd: Any = None) -> None:
        self.kernels = kernels
        tree = kernels.tree
        if qd is None:
            (self.q,), self.batch = prepare("springs", ("q",), (tree.nq,), (q,))
            self.qd = np.zeros((len(self.q), tree.nv))
        else:
            (self.q, self.qd), self.batch = prepare("springs", ("q", "qd"), (tree.nq, tree.nv), (q, qd))

    def ends(self, spring: PointSpring) -> tuple[Frame, Frame]:
        """Frames at the two points."""
        return (
            Frame(f"{spring.name} a", spring.a, Placement(position=spring.point_a)),
            Frame(f"{spring.name} b", spring.b, Placement(position=spring.point_b)),
        )

    def _vector(self, spring: PointSpring) -> np.ndarray:
        a, b = (self.kernels.of_frame(kinematics.POSE_OF_FRAME, f, (4, 4))(self.q)[:, :3, 3] for f in self.ends(spring))
        found: np.ndarray = b - a
        return found

    def pull(self, spring: PointSpring, elastic: bool = True, viscous: bool = True) -> np.ndarray:
        """The force on the point of body a, in the world; the other point feels its opposite."""
        d = self._vector(spring)
        stiffness, rest, damping = float(spring.stiffness), float(spring.rest), float(spring.damping)
        force = np.zeros_like(d)
        length = np.linalg.norm(d, axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            if elastic:
                # a spring without rest length pulls by k d, also where its ends meet and it has no direction
                force = force + (stiffness * d if rest == 0 else stiffness * (length - rest) * d / length)
            if viscous and damping:
                a, b = (self.kernels.of_frame(kinematics.VELOCITY, f, (6,))(self.q, self.qd)[:, 3:] for f in self.ends(spring))
                direction = d / length
                force = force + damping * np.sum(direction * (b - a), axis=1, keepdims=True) * direction
        return force

    def forces(self, elastic: bool = True, viscous: bool = True) -> Iterator[tuple[Frame, np.ndarray]]:
        """Every end, and the force on it."""
        for spring in self.kernels.mechanism.springs:
            pull = self.pull(spring, elastic, viscous)
            a, b = self.ends(spring)
            yield a, pull
            yield b, -pull

    def torque(self, elastic: bool = True, viscous: bool = True) -> np.ndarray:
        """The generalised force of all springs, dampers, or both."""
        nv = self.kernels.tree.nv
        total = np.zeros((len(self.q), nv))
        for frame, force in self.forces(elastic, viscous):
            wrench = np.hstack([np.zeros_like(force), force])
            total += self.kernels.of_frame(kinematics.EXTERNAL_TORQUE, frame, (nv,))(self.q, wrench)
        return total[0] if self.batch is None else total

    def energy(self) -> Any:
        total = np.zeros(len(self.q))
        for spring in self.kernels.mechanism.springs:
            stretch = np.linalg.norm(self._vector(spring), axis=1) - float(spring.rest)
            total += 0.5 * float(spring.stiffness) * stretch**2
        return float(total[0]) if self.batch is None else total

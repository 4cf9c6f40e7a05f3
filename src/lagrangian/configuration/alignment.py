"""Loops that keep two frames turned alike, closed the right way round.

Their equations say that axes are perpendicular to others, which half a turn leaves true: they have several roots, and Newton's
method from afar ends in any of them, or between them. With the differences of the axes themselves beside them there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.configuration.poses import body_poses
from lagrangian.model.joints.displacement import displacement
from lagrangian.model.mechanism import GROUND
from lagrangian.model.placement import Placement

if TYPE_CHECKING:
    from lagrangian.configuration.loops import Loops

STEP = 1e-6  # rad or m, of central differences of joints
APART = 0.5  # of axes that are one where the loop is closed, and two units apart the other way round


class Alignment:
    """The equations of loops and, of those that keep an orientation, how far the axes of the two frames are apart."""

    def __init__(self, loops: Loops) -> None:
        self.loops, self.mechanism = loops, loops.mechanism
        self._turned_alike = [loop for loop in self.mechanism.loops if loop.kind.keeps_orientation]

    def __bool__(self) -> bool:
        """Whether there is such a loop."""
        return bool(self._turned_alike)

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.hstack([self.loops.residual(q, t, rows), self._apart(q)])

    def matrix(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        poses = body_poses(self.mechanism, q)
        turning, slopes = self._turning(q, poses), []
        for loop in self._turned_alike:
            a, b = (
                np.cross((turning * self._moving[body])[:, None], _axes(poses, body, at)[:, :, None])
                for body, at in ((loop.a, loop.a_placement), (loop.b, loop.b_placement))
            )  # (rows, axes, speeds, 3)
            slopes.append(np.swapaxes(a - b, 2, 3).reshape(len(q), 6, -1))
        return np.concatenate([self.loops.matrix(q, t, rows), *slopes], axis=1)

    def _turning(self, q: np.ndarray, poses: dict[str, np.ndarray]) -> np.ndarray:
        """The angular velocity that each speed gives to what it moves, in the world: (rows, speeds, 3)."""
        found: list[np.ndarray] = []
        iq = 0
        for joint in self.mechanism.joints:
            own, iq = q[:, iq : iq + joint.kind.nq], iq + joint.kind.nq
            if not joint.kind.nv:
                continue
            steps = STEP * np.eye(joint.kind.nv)
            ends = [joint.kind.moved(own, sign * step) for step in steps for sign in (1, -1)]
            turned = displacement(joint, np.concatenate([own, *ends])).reshape(-1, len(q), 4, 4)[..., :3, :3]
            W = (turned[1::2] - turned[2::2]) @ np.swapaxes(turned[0], 1, 2) / (2 * STEP)
            before = (poses[joint.parent] @ joint.placement.matrix())[:, :3, :3]
            found += list(np.einsum("nij,knj->kni", before, np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)))
        return np.stack(found, axis=1) if found else np.zeros((len(q), 0, 3))

    def met(self, q: np.ndarray) -> np.ndarray:
        """Of each configuration, whether no loop is closed the wrong way round."""
        return np.abs(self._apart(np.atleast_2d(q))).max(axis=1, initial=0.0) < APART

    def _apart(self, q: np.ndarray) -> np.ndarray:
        """Two axes of the frame on a less those of the frame on b, of every such loop."""
        if not self:
            return np.zeros((len(q), 0))
        poses = body_poses(self.mechanism, q)
        gaps = [_axes(poses, x.a, x.a_placement) - _axes(poses, x.b, x.b_placement) for x in self._turned_alike]
        return np.stack(gaps, axis=1).reshape(len(q), -1)

    @cached_property
    def _moving(self) -> dict[str, np.ndarray]:
        """Of each body, which speeds move it: (speeds, 1)."""
        found, at = {GROUND: np.zeros((self.loops.dyn.nv, 1))}, {}
        first = np.cumsum([0, *(joint.kind.nv for joint in self.mechanism.joints)])
        for joint, k in zip(self.mechanism.joints, first, strict=False):
            at[joint.name] = slice(int(k), int(k) + joint.kind.nv)
        for joint in self.mechanism.outward():
            found[joint.child] = found[joint.parent].copy()
            found[joint.child][at[joint.name]] = 1.0
        return found


def _axes(poses: dict[str, np.ndarray], body: str, at: Placement) -> np.ndarray:
    """Two axes of a frame on a body, as rows, in the world."""
    return np.swapaxes((poses[body] @ at.matrix())[:, :3, :2], 1, 2)

"""Loops that keep two frames turned alike, closed the right way round.

Their equations say that axes are perpendicular to others, which half a turn leaves true: they have several roots, and Newton's
method from afar ends in any of them, or between them. With the differences of the axes themselves beside them there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lagrangian.configuration.coordinates import moved
from lagrangian.configuration.poses import body_poses

if TYPE_CHECKING:
    from lagrangian.configuration.loops import Loops

STEP = 1e-6  # rad or m, of central differences
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
        steps = STEP * np.eye(self.loops.dyn.nv)
        there, back = (moved(self.mechanism, q[:, None, :], sign * steps) for sign in (1, -1))
        apart = [self._apart(side.reshape(-1, q.shape[1])) for side in (there, back)]
        slopes = ((apart[0] - apart[1]) / (2 * STEP)).reshape(len(q), len(steps), -1)
        return np.concatenate([self.loops.matrix(q, t, rows), np.swapaxes(slopes, 1, 2)], axis=1)

    def met(self, q: np.ndarray) -> np.ndarray:
        """Of each configuration, whether no loop is closed the wrong way round."""
        return np.abs(self._apart(np.atleast_2d(q))).max(axis=1, initial=0.0) < APART

    def _apart(self, q: np.ndarray) -> np.ndarray:
        """Two axes of the frame on a less those of the frame on b, of every such loop."""
        poses = body_poses(self.mechanism, q)
        return np.hstack(
            [
                ((poses[x.a] @ x.a_placement.matrix()) - (poses[x.b] @ x.b_placement.matrix()))[:, :3, :2].reshape(len(q), 6)
                for x in self._turned_alike
            ]
            or [np.zeros((len(q), 0))]
        )

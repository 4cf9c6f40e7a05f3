"""Six revolute joints of which the last three axes, or the first three, meet in one point: all (up to eight) solutions.

The wrist's centre is moved by the first three joints alone, and its place follows from the pose (Pieper 1968): `three_r` finds
those angles. The last three then make the rotation that is left, in two ways each, by spherical trigonometry: their axes need not
be perpendicular.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lagrangian.kinematics.screws import Chain, across, length, turn_between, turned
from lagrangian.kinematics.three_r import ThreeR
from lagrangian.model import vector as v

MEET = 1e-5  # of the arm's size: axes this near to each other meet; descriptions are rounded, and Newton's steps put it right
ACCEPT = 1e-10  # a pose missed by more, in radians or of the arm's size, is not reached
SINGULAR = 1e-12  # radians: axes 4 and 6 this near to aligned are so


@dataclass(frozen=True, eq=False)
class SphericalWrist:
    chain: Chain
    arm: ThreeR
    centre: v.Vector  # of the wrist, at q = 0
    size: float
    mirrored: bool  # the first three axes meet: solved as seen from the frame

    @staticmethod
    def of(chain: Chain) -> SphericalWrist | None:
        """None if there are not six axes with three that meet at one end, or the others leave the centre on a surface."""
        if len(chain) != 6:
            return None
        found = _wrist(chain, False)
        return found if found is not None else _wrist(chain.reversed(), True)

    def solve(self, pose: np.ndarray) -> np.ndarray:
        """A row of angles in the mechanism's order for each solution; the same one may come more than once.

        Where axes 4 and 6 are aligned only the sum of their turns counts: q4 = 0 is taken.
        """
        if self.mirrored:
            pose = np.linalg.inv(pose)
        moved = pose @ np.linalg.inv(self.chain.home)
        target: v.Vector = tuple((moved[:3, :3] @ self.centre + moved[:3, 3]).tolist())
        wrist = _Wrist.of(self.chain.axes, moved[:3, :3])
        rows = [(*arm, *rest) for arm in self.arm.solve(target) for rest in wrist.solve(arm)]
        if not rows:
            return np.zeros((0, 6))
        angles, miss = self.chain.refine(np.array(rows), pose, self.size)
        found = np.empty_like(angles)
        found[:, list(self.chain.places)] = angles
        return found[miss <= ACCEPT]


def _wrist(chain: Chain, mirrored: bool) -> SphericalWrist | None:
    W: np.ndarray = np.array(chain.axes)
    P: np.ndarray = np.array(chain.points)
    if min(length(v.cross(chain.axes[k], chain.axes[k + 1])) for k in (3, 4)) < MEET:
        return None
    # the point nearest to the three lines
    planes = np.eye(3) - W[3:, :, None] * W[3:, None, :]
    centre = np.linalg.solve(planes.sum(axis=0), np.einsum("kij,kj->i", planes, P[3:]))
    off = np.linalg.norm(np.einsum("kij,kj->ki", planes, centre - P[3:]), axis=1).max()
    point: v.Vector = tuple(centre.tolist())
    arm = ThreeR.of(chain.axes[:3], chain.points[:3], point)
    if arm is None or off > MEET * arm.size:
        return None
    size = arm.size + float(np.linalg.norm(chain.home[:3, 3] - centre))
    return SphericalWrist(chain, arm, point, size, mirrored)


@dataclass(frozen=True, eq=False)
class _Wrist:
    """Three axes through one point, and the rotation that all six joints are to make."""

    axes: tuple[v.Vector, ...]
    last: v.Vector  # axis 6, turned by that rotation
    side: v.Vector  # a vector across axis 6
    side_turned: v.Vector
    before: float  # the angle between axes 4 and 5
    after: float  # between 5 and 6
    level: float  # q5 that brings axis 6 nearest to axis 4

    @staticmethod
    def of(axes: tuple[v.Vector, ...], R: np.ndarray) -> _Wrist:
        _, _, _, w4, w5, w6 = axes
        side = across(w6, w5)
        last, side_turned = (tuple((R @ x).tolist()) for x in (w6, side))
        return _Wrist(axes, last, side, side_turned, _angle(w4, w5), _angle(w5, w6), turn_between(w5, w6, w4))

    def solve(self, arm: tuple[float, float, float]) -> list[tuple[float, float, float]]:
        """(q4, q5, q6) that make what the first three joints leave to be made."""
        t, n = self.last, self.side_turned
        for w, q in zip(self.axes[:3], arm, strict=True):
            t, n = turned(w, -q, t), turned(w, -q, n)
        w4, w5, w6 = self.axes[3:]
        found = []
        for q5 in self._middle(_angle(w4, t)):
            u = turned(w5, q5, w6)
            q4 = turn_between(w4, u, t) if length(v.cross(w4, u)) > SINGULAR else 0.0
            q6 = turn_between(w6, self.side, turned(w5, -q5, turned(w4, -q4, n)))
            found.append((q4, q5, q6))
        return found

    def _middle(self, between: float) -> list[float]:
        """q5 that makes the angle between axes 4 and 6; by half angles, which are exact where it is near its ends."""
        a, b = self.before, self.after
        low, high = abs(a - b), min(a + b, 2 * math.pi - a - b)
        if between < low - MEET or between > high + MEET:
            return []
        if between <= low + SINGULAR:
            return [self.level]
        if between >= high - SINGULAR:
            return [self.level + math.pi]
        sine = math.sin((between + a - b) / 2) * math.sin((between - a + b) / 2)
        cosine = math.sin((a + b + between) / 2) * math.sin((a + b - between) / 2)
        bend = 2 * math.atan2(math.sqrt(sine), math.sqrt(cosine))
        return [self.level - bend, self.level + bend]


def _angle(a: v.Vector, b: v.Vector) -> float:
    """Between two unit vectors; exact for small angles too."""
    return math.atan2(length(v.cross(a, b)), v.dot(a, b))

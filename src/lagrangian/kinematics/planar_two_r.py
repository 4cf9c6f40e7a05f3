"""Both elbows of two parallel revolute axes, by the law of cosines. The axes may stand anywhere, and turn opposite ways."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.kinematics.screws import Chain, across, length, turn_between, turned
from lagrangian.model import vector as v

PARALLEL = 1e-9
REACH = 1e-10  # of the arm's length: a point that is missed by less is reached
FOLD = 1e-14  # of the arm's length: this near to stretched or folded the two elbows are one


@dataclass(frozen=True, eq=False)
class PlanarTwoR:
    """The plane's normal w, the first axis's point in it, and both links as vectors across w at q = 0."""

    w: v.Vector
    base: v.Vector
    first: v.Vector
    second: v.Vector
    sense: float  # -1 if the second axis points the other way
    height: float  # of the plane the frame moves in, along w

    @staticmethod
    def of(chain: Chain) -> PlanarTwoR | None:
        """None if there are not two parallel axes, or one of them cannot move the frame's origin by itself."""
        if len(chain) != 2:
            return None
        w, other = chain.axes
        tip = tuple(chain.home[:3, 3].tolist())
        first, second = across(w, v.sub(chain.points[1], chain.points[0])), across(w, v.sub(tip, chain.points[1]))
        l1, l2 = length(first), length(second)
        if length(v.cross(w, other)) > PARALLEL or min(l1, l2) <= PARALLEL * max(l1, l2):
            return None
        sense = math.copysign(1.0, v.dot(w, other))
        return PlanarTwoR(w, chain.points[0], first, second, sense, v.dot(w, tip))

    def solve(self, point: np.ndarray) -> list[tuple[float, float]]:
        """The angles that bring the frame's origin to a point of three numbers, or of the two x and y."""
        target = self._target(point)
        l1, l2 = length(self.first), length(self.second)
        slack = REACH * (l1 + l2)
        r = across(self.w, v.sub(target, self.base))
        d = length(r)
        if not (abs(v.dot(self.w, target) - self.height) <= slack and abs(l1 - l2) - slack <= d <= l1 + l2 + slack):
            return []
        # d^2 = l1^2 + l2^2 + 2 l1 l2 cos(psi), by half angles: exact near stretched and folded too
        stretched, folded = l1 + l2 - d, d - abs(l1 - l2)
        nearest = FOLD * (l1 + l2)
        if stretched <= nearest:
            bends = [0.0]
        elif folded <= nearest:
            bends = [math.pi]
        else:
            bend = 2 * math.atan2(math.sqrt(stretched * (l1 + l2 + d)), math.sqrt(folded * (d + abs(l1 - l2))))
            bends = [bend, -bend]
        found = []
        for bend in bends:
            q2 = bend - turn_between(self.w, self.first, self.second)
            tip = v.add(self.first, turned(self.w, q2, self.second))
            q1 = 0.0 if d <= nearest else turn_between(self.w, tip, r)  # folded onto the first axis: any will do
            found.append((q1, self.sense * q2))
        return found

    def _target(self, point: np.ndarray) -> v.Vector:
        if len(point) == 3:
            return tuple(point.tolist())
        x, y = point.tolist()
        if abs(self.w[2]) < PARALLEL:
            raise ArgumentError(
                "x and y do not determine a point in the plane of the arm, which is perpendicular to theirs; give x, y and z"
            )
        return (x, y, (self.height - self.w[0] * x - self.w[1] * y) / self.w[2])

"""Three revolute joints that bring a point to a place: all (up to four) solutions, for axes that lie in any way.

After Pieper (1968), without link frames. Turned back by the first joint the wanted place is y(q1), and turned by the third the
point is x(q3), both on circles; the second joint can bring x to y if they are equally high along its axis and equally far from a
point on it. Both conditions are linear in the cosines and sines,

    a_k . (cos q1, sin q1) = b_k . (cos q3, sin q3) + d_k,   k = 0, 1,

and b_0, b_1 are made orthogonal. If one of them is zero (axes 2 and 3 parallel, or meeting), its equation gives q1, and the
other q3. If not, cos^2 q3 + sin^2 q3 = 1 is an equation of z = exp(i q1), of fourth degree and its own conjugate read
backwards: its roots on the unit circle are the solutions. There is no tangent of half an angle that could be infinite.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lagrangian.kinematics.screws import across, length, turn_between, turned
from lagrangian.model import vector as v

# Relative to the arm's size:
IDLE = 1e-6  # axes this near to parallel or meeting are taken to be so, and what that misses is left to Newton's steps
SLACK = 1e-4  # roots beyond reach by less are tried: what they miss in the end decides
FOLD = 2e-14  # this near to the edge of the reach two solutions are one
EXACT = 1e-15  # equations met this well are not refined further
ON_AXIS = 1e-11  # a point this near to an axis is not moved by it

STEPS = 20

Row = tuple[float, float]


@dataclass(frozen=True, eq=False)
class ThreeR:
    axes: Sequence[v.Vector]
    points: Sequence[v.Vector]  # nearest to the point that is moved
    size: float
    circle: tuple[v.Vector, v.Vector, v.Vector]  # x(q3) = circle . (1, cos q3, sin q3)
    first: tuple[v.Vector, v.Vector]  # a_k = first[k] . the circle of y
    rows: tuple[Row, Row]  # b_k
    reduced: int  # the k from whose equation `share` of the other is taken
    share: float
    reach: float  # no place further than this from the first point can be met

    @staticmethod
    def of(axes: Sequence[v.Vector], points: Sequence[v.Vector], point: v.Vector) -> ThreeR | None:
        """None if the three joints move the point on a surface or a curve only."""
        w1, w2, w3 = axes
        feet = [v.add(p, v.scale(v.dot(w, v.sub(point, p)), w)) for w, p in zip(axes, points, strict=True)]
        size = max(length(v.sub(point, p)) for p in feet)
        arm = v.sub(point, feet[2])
        if size == 0 or length(arm) <= IDLE * size:
            return None
        p1, p2 = feet[0], v.add(feet[1], v.scale(v.dot(w2, v.sub(feet[2], feet[1])), w2))
        circle = (feet[2], arm, v.cross(w3, arm))
        first = [w2, v.scale(1 / size, v.sub(p1, p2))]
        third = [w2, v.scale(1 / size, v.sub(feet[2], p2))]
        rows = [(v.dot(h, circle[1]), v.dot(h, circle[2])) for h in third]
        i, j = (0, 1) if math.hypot(*rows[1]) >= math.hypot(*rows[0]) else (1, 0)
        scale2 = rows[j][0] ** 2 + rows[j][1] ** 2
        if scale2 <= (IDLE * length(arm)) ** 2:
            return None  # axes 2 and 3 are one
        share = (rows[i][0] * rows[j][0] + rows[i][1] * rows[j][1]) / scale2
        rows[i] = (rows[i][0] - share * rows[j][0], rows[i][1] - share * rows[j][1])
        first[i] = v.sub(first[i], v.scale(share, first[j]))
        needed = [i] if math.hypot(*rows[i]) <= IDLE * length(arm) else [0, 1]
        if all(length(across(w1, first[k])) <= IDLE for k in needed):
            return None  # all parallel, all meeting, or axes 1 and 2 are one
        reach = length(v.sub(p2, p1)) + length(v.sub(feet[2], p2)) + length(arm)
        return ThreeR(axes, (p1, p2, feet[2]), size, circle, (first[0], first[1]), (rows[0], rows[1]), i, share, reach)

    def solve(self, target: v.Vector) -> list[tuple[float, float, float]]:
        """Angles that bring the point to the target; some of them may miss it, where they are only nearly solutions.

        Where the target is on an axis that does not move it, that joint's angle is 0.
        """
        w1, w2, _ = self.axes
        p1, p2, _ = self.points
        if length(v.sub(target, p1)) > self.reach + SLACK * self.size:
            return []
        middle = v.add(p1, v.scale(v.dot(w1, v.sub(target, p1)), w1))
        e1 = v.sub(target, middle)
        f1 = v.cross(w1, e1)
        radius = length(e1)
        a = [(v.dot(g, e1), -v.dot(g, f1)) for g in self.first]
        d = self._constants(middle, radius)
        still = radius <= ON_AXIS * self.size
        i, j = self.reduced, 1 - self.reduced
        pairs: list[tuple[float, float]] = []
        idle = math.hypot(*self.rows[i])
        if idle <= IDLE * length(self.circle[1]):
            for q1 in [0.0] if still else self._angles(a[i], d[i], idle):
                pairs += [(q1, q3) for q3 in self._angles(self.rows[j], _along(a[j], q1) - d[j], idle)]
        else:
            for q1 in [0.0] if still else self._quartic(a, d):
                pairs.append((q1, self._third(q1, a, d)))
        found = []
        centre, cosine, sine = self.circle
        for start in pairs:
            q1, q3 = start if still else self._refined(*start, a, d)
            x = v.add(centre, v.add(v.scale(math.cos(q3), cosine), v.scale(math.sin(q3), sine)))
            x, y = v.sub(x, p2), v.sub(v.add(middle, turned(w1, -q1, e1)), p2)
            on_axis = length(across(w2, x)) <= ON_AXIS * self.size
            found.append((q1, 0.0 if on_axis else turn_between(w2, x, y), q3))
        return found

    def _constants(self, middle: v.Vector, radius: float) -> list[float]:
        """d_0 of the heights along axis 2, d_1 of the squared distances from p2, over twice the size."""
        _, w2, _ = self.axes
        p2 = self.points[1]
        centre, arm, _ = self.circle
        x, y = v.sub(centre, p2), v.sub(middle, p2)
        squares = v.dot(x, x) + v.dot(arm, arm) - v.dot(y, y) - radius * radius
        d = [v.dot(w2, v.sub(centre, middle)), squares / (2 * self.size)]
        d[self.reduced] -= self.share * d[1 - self.reduced]
        return d

    def _angles(self, row: Row, value: float, error: float) -> list[float]:
        """The angles with row . (cos, sin) = value, and this error in it: two where there may be two."""
        reach = math.hypot(*row)
        if abs(value) > reach + SLACK * self.size:
            return []
        middle = math.atan2(row[1], row[0])
        if reach - abs(value) <= FOLD * self.size:
            if error <= FOLD * self.size:
                return [middle if value > 0 else middle + math.pi]
            value = math.copysign(max(0.0, reach - error), value)
        half = 2 * math.atan2(math.sqrt(reach - value), math.sqrt(reach + value))
        return [middle - half, middle + half]

    def _quartic(self, a: list[Row], d: list[float]) -> list[float]:
        """q1 with sum_k ((a_k . (cos, sin) - d_k) / |b_k|)^2 = 1."""
        b0, b1 = (row[0] ** 2 + row[1] ** 2 for row in self.rows)
        top, next_, middle = 0j, 0j, -b0 * b1
        for (c, s), k, weight in ((a[0], d[0], b1), (a[1], d[1], b0)):
            m = complex(c, -s) / 2
            top += weight * m * m
            next_ -= weight * 2 * k * m
            middle += weight * (2 * abs(m) ** 2 + k * k)
        if abs(top) < 1e-14 * max(abs(next_), abs(middle)):
            top = 0j
        roots = np.roots([top, next_, middle, next_.conjugate(), top.conjugate()])
        return [cmath.phase(z) for z in roots.tolist() if abs(abs(z) - 1) < 1e-3]

    def _third(self, q1: float, a: list[Row], d: list[float]) -> float:
        """q3 from both equations at once, the rows being orthogonal."""
        c = s = 0.0
        for row, ak, dk in zip(self.rows, a, d, strict=True):
            k = (_along(ak, q1) - dk) / (row[0] ** 2 + row[1] ** 2)
            c, s = c + k * row[0], s + k * row[1]
        return math.atan2(s, c)

    def _refined(self, q1: float, q3: float, a: list[Row], d: list[float]) -> tuple[float, float]:
        """Levenberg and Marquardt's steps on both equations: Newton's, but short where two solutions meet."""
        f = self._left(q1, q3, a, d)
        miss = f[0] * f[0] + f[1] * f[1]
        damping = 1.0
        for _ in range(STEPS):
            if miss < EXACT * EXACT:
                break
            g = [_along(_slope(ak), q1) / self.size for ak in a]
            h = [-_along(_slope(bk), q3) / self.size for bk in self.rows]
            added = damping * miss
            gg, gh, hh = g[0] ** 2 + g[1] ** 2 + added, g[0] * h[0] + g[1] * h[1], h[0] ** 2 + h[1] ** 2 + added
            gf, hf = g[0] * f[0] + g[1] * f[1], h[0] * f[0] + h[1] * f[1]
            det = gg * hh - gh * gh
            if det <= 0:
                break
            s1, s3 = q1 - (hh * gf - gh * hf) / det, q3 - (gg * hf - gh * gf) / det
            after = self._left(s1, s3, a, d)
            left = after[0] * after[0] + after[1] * after[1]
            if left < miss:
                q1, q3, f, miss, damping = s1, s3, after, left, damping / 10
            else:
                damping *= 100
        return q1, q3

    def _left(self, q1: float, q3: float, a: list[Row], d: list[float]) -> list[float]:
        """What the two equations miss."""
        return [(_along(ak, q1) - _along(bk, q3) - dk) / self.size for ak, bk, dk in zip(a, self.rows, d, strict=True)]


def _slope(row: Row) -> Row:
    return (row[1], -row[0])


def _along(row: Row, angle: float) -> float:
    return row[0] * math.cos(angle) + row[1] * math.sin(angle)

"""Analytic inverse kinematics of 6R arms whose last three axes, or first three, meet in one point: all (up to eight) solutions.

The first three joints alone move the wrist's centre, and its position follows from the pose (Pieper 1968): `ThreeR` finds their
angles. The last three joints then make the remaining rotation, in two ways each, by spherical trigonometry: their axes need not
be perpendicular.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lagrangian.kinematics.screws import SerialChain, angle_about, length, perpendicular_part, rotate_vector
from lagrangian.model import vector as v

MEETING_TOLERANCE = 1e-5  # of the arm's size: nearer axes meet; descriptions are rounded, and Newton's method corrects that
POSE_TOLERANCE = 1e-10  # radians or parts of the arm's size: a pose with a larger deviation is not reached
ALIGNMENT_TOLERANCE = 1e-12  # radians: axes 4 and 6 with a smaller angle are aligned

# relative to the arm's size
DEGENERACY_TOLERANCE = 1e-6  # axes nearer to parallel or meeting count as such; Newton's method corrects the difference
REACH_SLACK = 1e-4  # roots that are beyond the reach by less are tried, and their final deviation decides
FOLD_TOLERANCE = 2e-14  # nearer to the edge of the reach, two solutions are one
CONVERGENCE_TOLERANCE = 1e-15  # equations with a smaller residual are not refined further
ON_AXIS_TOLERANCE = 1e-11  # a point nearer to an axis is not moved by it
MAX_STEPS = 20
Row = tuple[float, float]


@dataclass(frozen=True, eq=False)
class SphericalWrist:
    """A 6R arm with a spherical wrist."""

    chain: SerialChain
    arm: ThreeR
    centre: v.Vector  # of the wrist, at q = 0
    size: float
    mirrored: bool  # the first three axes meet: solved as seen from the frame

    @staticmethod
    def from_chain(chain: SerialChain) -> SphericalWrist | None:
        """Return the arm; None unless there are six axes, three meet at one end, and the others move their centre in space."""
        if len(chain) != 6:
            return None
        wrist = _find_wrist(chain, False)
        return wrist if wrist is not None else _find_wrist(chain.reverse(), True)

    def solve(self, pose: np.ndarray) -> np.ndarray:
        """Return a row of angles in the mechanism's order for each solution; one may come more than once.

        Where axes 4 and 6 are aligned only the sum of q4 and q6 counts: q4 = 0 is taken.
        """
        if self.mirrored:
            pose = np.linalg.inv(pose)
        displacement = pose @ np.linalg.inv(self.chain.home)
        target: v.Vector = tuple((displacement[:3, :3] @ self.centre + displacement[:3, 3]).tolist())
        wrist = _WristSolver.from_axes(self.chain.axes, displacement[:3, :3])
        rows = [(*arm_angles, *wrist_angles) for arm_angles in self.arm.solve(target) for wrist_angles in wrist.solve(arm_angles)]
        if not rows:
            return np.zeros((0, 6))
        angles, deviation = self.chain.refine(np.array(rows), pose, self.size)
        solutions = np.empty_like(angles)
        solutions[:, list(self.chain.coordinate_indices)] = angles
        return solutions[deviation <= POSE_TOLERANCE]


def _find_wrist(chain: SerialChain, mirrored: bool) -> SphericalWrist | None:
    W: np.ndarray = np.array(chain.axes)
    P: np.ndarray = np.array(chain.points)
    if min(length(v.cross(chain.axes[k], chain.axes[k + 1])) for k in (3, 4)) < MEETING_TOLERANCE:
        return None
    # the point nearest to the three lines
    planes = np.eye(3) - W[3:, :, None] * W[3:, None, :]
    centre = np.linalg.solve(planes.sum(axis=0), np.einsum("kij,kj->i", planes, P[3:]))
    distance = np.linalg.norm(np.einsum("kij,kj->ki", planes, centre - P[3:]), axis=1).max()
    point: v.Vector = tuple(centre.tolist())
    arm = ThreeR.from_axes(chain.axes[:3], chain.points[:3], point)
    if arm is None or distance > MEETING_TOLERANCE * arm.size:
        return None
    size = arm.size + float(np.linalg.norm(chain.home[:3, 3] - centre))
    return SphericalWrist(chain, arm, point, size, mirrored)


@dataclass(frozen=True, eq=False)
class _WristSolver:
    """Three axes through one point, and the rotation that all six joints are to make."""

    axes: tuple[v.Vector, ...]
    last: v.Vector  # axis 6, turned by that rotation
    side: v.Vector  # a vector across axis 6
    side_turned: v.Vector
    angle_45: float  # the angle between axes 4 and 5
    angle_56: float  # between 5 and 6
    aligned_angle: float  # q5 that brings axis 6 nearest to axis 4

    @staticmethod
    def from_axes(axes: tuple[v.Vector, ...], R: np.ndarray) -> _WristSolver:
        _, _, _, w4, w5, w6 = axes
        side = perpendicular_part(w6, w5)
        last, side_turned = (tuple((R @ x).tolist()) for x in (w6, side))
        return _WristSolver(axes, last, side, side_turned, _angle(w4, w5), _angle(w5, w6), angle_about(w5, w6, w4))

    def solve(self, arm_angles: tuple[float, float, float]) -> list[tuple[float, float, float]]:
        """Return (q4, q5, q6) for the rotation that the first three joints leave."""
        t, n = self.last, self.side_turned
        for w, q in zip(self.axes[:3], arm_angles, strict=True):
            t, n = rotate_vector(w, -q, t), rotate_vector(w, -q, n)
        w4, w5, w6 = self.axes[3:]
        solutions = []
        for q5 in self._middle_angles(_angle(w4, t)):
            u = rotate_vector(w5, q5, w6)
            q4 = angle_about(w4, u, t) if length(v.cross(w4, u)) > ALIGNMENT_TOLERANCE else 0.0
            q6 = angle_about(w6, self.side, rotate_vector(w5, -q5, rotate_vector(w4, -q4, n)))
            solutions.append((q4, q5, q6))
        return solutions

    def _middle_angles(self, between: float) -> list[float]:
        """Return q5 for an angle between axes 4 and 6; by half angles, which are exact near the ends of its range."""
        a, b = self.angle_45, self.angle_56
        low, high = abs(a - b), min(a + b, 2 * math.pi - a - b)
        if between < low - MEETING_TOLERANCE or between > high + MEETING_TOLERANCE:
            return []
        if between <= low + ALIGNMENT_TOLERANCE:
            return [self.aligned_angle]
        if between >= high - ALIGNMENT_TOLERANCE:
            return [self.aligned_angle + math.pi]
        sine = math.sin((between + a - b) / 2) * math.sin((between - a + b) / 2)
        cosine = math.sin((a + b + between) / 2) * math.sin((a + b - between) / 2)
        bend = 2 * math.atan2(math.sqrt(sine), math.sqrt(cosine))
        return [self.aligned_angle - bend, self.aligned_angle + bend]


def _angle(a: v.Vector, b: v.Vector) -> float:
    """Return the angle between two unit vectors; it is exact for small angles too."""
    return math.atan2(length(v.cross(a, b)), v.dot(a, b))


@dataclass(frozen=True, eq=False)
class ThreeR:
    """Three revolute joints that bring a point to a target: all (up to four) solutions, for axes that lie in any way.

    After Pieper (1968), without link frames. Turned back by the first joint the target is y(q1), and turned by the third the
    point is x(q3), both on circles; the second joint can bring x to y if they are equally high along its axis and equally far
    from a point on it. Both conditions are linear in the cosines and sines,

        a_k . (cos q1, sin q1) = b_k . (cos q3, sin q3) + d_k,   k = 0, 1,

    and b_0, b_1 are made orthogonal. If one of them is zero (axes 2 and 3 parallel, or meeting), its equation gives q1, and the
    other q3. If not, cos^2 q3 + sin^2 q3 = 1 is an equation of z = exp(i q1), of fourth degree and its own conjugate read
    backwards: its roots on the unit circle are the solutions. There is no tangent of half an angle that could be infinite.
    """

    axes: Sequence[v.Vector]
    points: Sequence[v.Vector]  # nearest to the point that is moved
    size: float
    circle: tuple[v.Vector, v.Vector, v.Vector]  # x(q3) = circle . (1, cos q3, sin q3)
    first: tuple[v.Vector, v.Vector]  # a_k = first[k] . the circle of y
    rows: tuple[Row, Row]  # b_k
    reduced_index: int  # the k from whose equation `share` of the other is taken
    share: float
    reach: float  # no point further than this from the first one can be reached

    @staticmethod
    def from_axes(axes: Sequence[v.Vector], points: Sequence[v.Vector], point: v.Vector) -> ThreeR | None:
        """Return the joints for a point that they move; None if they move it on a surface or a curve only."""
        w1, w2, w3 = axes
        feet = [v.add(p, v.scale(v.dot(w, v.sub(point, p)), w)) for w, p in zip(axes, points, strict=True)]
        size = max(length(v.sub(point, p)) for p in feet)
        arm = v.sub(point, feet[2])
        if size == 0 or length(arm) <= DEGENERACY_TOLERANCE * size:
            return None
        p1, p2 = feet[0], v.add(feet[1], v.scale(v.dot(w2, v.sub(feet[2], feet[1])), w2))
        circle = (feet[2], arm, v.cross(w3, arm))
        first = [w2, v.scale(1 / size, v.sub(p1, p2))]
        third = [w2, v.scale(1 / size, v.sub(feet[2], p2))]
        rows = [(v.dot(h, circle[1]), v.dot(h, circle[2])) for h in third]
        i, j = (0, 1) if math.hypot(*rows[1]) >= math.hypot(*rows[0]) else (1, 0)
        scale2 = rows[j][0] ** 2 + rows[j][1] ** 2
        if scale2 <= (DEGENERACY_TOLERANCE * length(arm)) ** 2:
            return None  # axes 2 and 3 are one
        share = (rows[i][0] * rows[j][0] + rows[i][1] * rows[j][1]) / scale2
        rows[i] = (rows[i][0] - share * rows[j][0], rows[i][1] - share * rows[j][1])
        first[i] = v.sub(first[i], v.scale(share, first[j]))
        needed = [i] if math.hypot(*rows[i]) <= DEGENERACY_TOLERANCE * length(arm) else [0, 1]
        if all(length(perpendicular_part(w1, first[k])) <= DEGENERACY_TOLERANCE for k in needed):
            return None  # all parallel, all meeting, or axes 1 and 2 are one
        reach = length(v.sub(p2, p1)) + length(v.sub(feet[2], p2)) + length(arm)
        return ThreeR(axes, (p1, p2, feet[2]), size, circle, (first[0], first[1]), (rows[0], rows[1]), i, share, reach)

    def solve(self, target: v.Vector) -> list[tuple[float, float, float]]:
        """Return angles that bring the point to the target, exactly or nearly: roots just beyond the reach are among them.

        Where the target is on an axis that does not move it, that joint's angle is 0.
        """
        w1, w2, _ = self.axes
        p1, p2, _ = self.points
        if length(v.sub(target, p1)) > self.reach + REACH_SLACK * self.size:
            return []
        middle = v.add(p1, v.scale(v.dot(w1, v.sub(target, p1)), w1))
        e1 = v.sub(target, middle)
        f1 = v.cross(w1, e1)
        radius = length(e1)
        a = [(v.dot(g, e1), -v.dot(g, f1)) for g in self.first]
        d = self._constants(middle, radius)
        on_first_axis = radius <= ON_AXIS_TOLERANCE * self.size
        i, j = self.reduced_index, 1 - self.reduced_index
        pairs: list[tuple[float, float]] = []
        row_norm = math.hypot(*self.rows[i])
        if row_norm <= DEGENERACY_TOLERANCE * length(self.circle[1]):
            for q1 in [0.0] if on_first_axis else self._angles(a[i], d[i], row_norm):
                pairs += [(q1, q3) for q3 in self._angles(self.rows[j], _evaluate_row(a[j], q1) - d[j], row_norm)]
        else:
            for q1 in [0.0] if on_first_axis else self._quartic(a, d):
                pairs.append((q1, self._third_angle(q1, a, d)))
        solutions = []
        centre, cosine, sine = self.circle
        for start in pairs:
            q1, q3 = start if on_first_axis else self._refine(*start, a, d)
            x = v.add(centre, v.add(v.scale(math.cos(q3), cosine), v.scale(math.sin(q3), sine)))
            x, y = v.sub(x, p2), v.sub(v.add(middle, rotate_vector(w1, -q1, e1)), p2)
            on_axis = length(perpendicular_part(w2, x)) <= ON_AXIS_TOLERANCE * self.size
            solutions.append((q1, 0.0 if on_axis else angle_about(w2, x, y), q3))
        return solutions

    def _constants(self, middle: v.Vector, radius: float) -> list[float]:
        """Return d_0, from the heights along axis 2, and d_1, from the squared distances from p2, over twice the size."""
        _, w2, _ = self.axes
        p2 = self.points[1]
        centre, arm, _ = self.circle
        x, y = v.sub(centre, p2), v.sub(middle, p2)
        squares = v.dot(x, x) + v.dot(arm, arm) - v.dot(y, y) - radius * radius
        d = [v.dot(w2, v.sub(centre, middle)), squares / (2 * self.size)]
        d[self.reduced_index] -= self.share * d[1 - self.reduced_index]
        return d

    def _angles(self, row: Row, value: float, error: float) -> list[float]:
        """Return the angles with row . (cos, sin) = value, where value has an error: two where there may be two."""
        reach = math.hypot(*row)
        if abs(value) > reach + REACH_SLACK * self.size:
            return []
        middle = math.atan2(row[1], row[0])
        if reach - abs(value) <= FOLD_TOLERANCE * self.size:
            if error <= FOLD_TOLERANCE * self.size:
                return [middle if value > 0 else middle + math.pi]
            value = math.copysign(max(0.0, reach - error), value)
        half = 2 * math.atan2(math.sqrt(reach - value), math.sqrt(reach + value))
        return [middle - half, middle + half]

    def _quartic(self, a: list[Row], d: list[float]) -> list[float]:
        """Return q1 with sum_k ((a_k . (cos, sin) - d_k) / |b_k|)^2 = 1."""
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

    def _third_angle(self, q1: float, a: list[Row], d: list[float]) -> float:
        """Return q3 from both equations at once, the rows being orthogonal."""
        c = s = 0.0
        for row, ak, dk in zip(self.rows, a, d, strict=True):
            k = (_evaluate_row(ak, q1) - dk) / (row[0] ** 2 + row[1] ** 2)
            c, s = c + k * row[0], s + k * row[1]
        return math.atan2(s, c)

    def _refine(self, q1: float, q3: float, a: list[Row], d: list[float]) -> tuple[float, float]:
        """Refine a solution by Levenberg and Marquardt's method, whose steps are short where two solutions meet."""
        f = self._residual(q1, q3, a, d)
        square = f[0] * f[0] + f[1] * f[1]
        damping = 1.0
        for _ in range(MAX_STEPS):
            if square < CONVERGENCE_TOLERANCE * CONVERGENCE_TOLERANCE:
                break
            g = [_evaluate_row(_row_derivative(ak), q1) / self.size for ak in a]
            h = [-_evaluate_row(_row_derivative(bk), q3) / self.size for bk in self.rows]
            damping_term = damping * square
            gg, gh, hh = g[0] ** 2 + g[1] ** 2 + damping_term, g[0] * h[0] + g[1] * h[1], h[0] ** 2 + h[1] ** 2 + damping_term
            gf, hf = g[0] * f[0] + g[1] * f[1], h[0] * f[0] + h[1] * f[1]
            det = gg * hh - gh * gh
            if det <= 0:
                break
            s1, s3 = q1 - (hh * gf - gh * hf) / det, q3 - (gg * hf - gh * gf) / det
            new_residual = self._residual(s1, s3, a, d)
            new_square = new_residual[0] * new_residual[0] + new_residual[1] * new_residual[1]
            if new_square < square:
                q1, q3, f, square, damping = s1, s3, new_residual, new_square, damping / 10
            else:
                damping *= 100
        return q1, q3

    def _residual(self, q1: float, q3: float, a: list[Row], d: list[float]) -> list[float]:
        """Return the residual of the two equations."""
        return [
            (_evaluate_row(ak, q1) - _evaluate_row(bk, q3) - dk) / self.size for ak, bk, dk in zip(a, self.rows, d, strict=True)
        ]


def _evaluate_row(row: Row, angle: float) -> float:
    return row[0] * math.cos(angle) + row[1] * math.sin(angle)


def _row_derivative(row: Row) -> Row:
    return (row[1], -row[0])

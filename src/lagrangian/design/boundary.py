"""The boundary of a plane workspace: polygons through points that lie on it, refined until their area is known.

Marching squares (Lorensen and Cline 1987, in the plane) joins the boundary's points on the edges of a grid, with the inside on
the left. Corners are located where the boundary stands out from a side. Each side is then halved, at the point of the boundary
across its middle: the area that a polygon misses of an arc falls by four each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lagrangian.design.grid import ReachabilityGrid
from lagrangian.design.reach_solver import HALVINGS, ReachSolver

MIN_RELATIVE_ERROR = 1e-7  # of the area: no smaller error is claimed
MAX_SHIFT = 2.0  # cells of the grid: how far from where it is sought the boundary may be
REFINEMENTS = 2  # times that all sides are halved
CORNER_HEIGHT = 0.03  # of a side's length: where the boundary stands out further from it, there is a corner
MAX_PUSHES = 12  # times that points next to those that moved are tried again
MAX_CORNER_HALVINGS = 12  # of a side across a corner
MIN_SIDE_LENGTH = 2e-4  # of the extent: shorter sides are not halved
SEARCH_DISTANCES = (0.02, 0.06, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # in side lengths: distances at which the boundary is sought


def trace_outline(grid: ReachabilityGrid) -> WorkspaceOutline:
    """The boundary around the nodes of a grid that are reached."""
    refiner = PolygonRefiner(grid.solver, MAX_SHIFT * float(grid.spacing.max()))
    cornered = [
        refiner.refine_corners(refiner.add_limit_corners(refiner.push_outwards(polygon))) for polygon in _march_squares(grid)
    ]
    outer = _outer_polygon_indices([polygon for polygon, _ in cornered])
    polygons, open_area = [cornered[k][0] for k in outer], sum(cornered[k][1] for k in outer)
    areas = [sum(polygon.area for polygon in polygons)]
    for _ in range(REFINEMENTS):
        polygons = [refiner.halve_sides(polygon) for polygon in polygons]
        areas.append(sum(polygon.area for polygon in polygons))
    previous_area, area = (b + (b - a) / 3 for a, b in pairwise(areas))  # errors fall by four
    return WorkspaceOutline(polygons, area, max(abs(area - previous_area) + open_area, MIN_RELATIVE_ERROR * abs(area)))


@dataclass(frozen=True, eq=False)
class WorkspaceOutline:
    """All polygons of a boundary, the area within them, and an estimate of its error."""

    polygons: list[BoundaryPolygon]
    area: float
    error: float


def _march_squares(grid: ReachabilityGrid) -> list[BoundaryPolygon]:
    """Polygons through the boundary's points on the grid's edges."""
    points_by_edge: dict[tuple[int, int, int], tuple[np.ndarray, np.ndarray]] = {}
    for axis in (0, 1):
        for (i, j), position, q in zip(*grid.boundary_crossings(axis, HALVINGS), strict=True):
            points_by_edge[axis, int(i), int(j)] = position, q
    next_edge = _link_edges(grid.reached)
    polygons = []
    while next_edge:
        first = edge = next(iter(next_edge))
        chain = []
        while edge in next_edge:
            chain.append(edge)
            edge = next_edge.pop(edge)
        assert edge == first
        polygons.append(
            BoundaryPolygon(np.array([points_by_edge[e][0] for e in chain]), np.array([points_by_edge[e][1] for e in chain]))
        )
    return [polygon for polygon in polygons if len(polygon.positions) > 2]


def _link_edges(inside: np.ndarray) -> dict[tuple[int, int, int], tuple[int, int, int]]:
    """For each edge that the boundary crosses, the next one: (axis, i, j) is the edge from node (i, j) along the axis."""
    next_edge: dict[tuple[int, int, int], tuple[int, int, int]] = {}
    count = inside[:-1, :-1].astype(int) + inside[1:, :-1] + inside[1:, 1:] + inside[:-1, 1:]
    for i, j in np.argwhere((count > 0) & (count < 4)).tolist():
        corners = [bool(inside[i, j]), bool(inside[i + 1, j]), bool(inside[i + 1, j + 1]), bool(inside[i, j + 1])]
        edges = [(0, i, j), (1, i + 1, j), (0, i, j + 1), (1, i, j)]  # anticlockwise, each from its corner on
        for k in range(4):
            if corners[k] and not corners[(k + 1) % 4]:  # going round, the inside is left here; back to where it was entered
                entry = k
                while corners[entry % 4]:
                    entry -= 1
                next_edge[edges[k]] = edges[entry % 4]
    return next_edge


def _outer_polygon_indices(polygons: list[BoundaryPolygon]) -> list[int]:
    """The polygons that lie in no other: at first the tip of a spike that is thinner than the grid is a polygon of its own."""

    def contains(polygon: BoundaryPolygon, p: np.ndarray) -> bool:
        a, b = polygon.positions, np.roll(polygon.positions, -1, axis=0)
        straddles = (a[:, 1] > p[1]) != (b[:, 1] > p[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            x = a[:, 0] + (p[1] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
        return bool((straddles & (x > p[0])).sum() % 2)

    def is_enclosed(k: int) -> bool:
        """Whether a polygon lies in a larger one, and not in a hole of that."""
        middle, area = polygons[k].positions.mean(axis=0), polygons[k].area
        enclosing = [p for j, p in enumerate(polygons) if j != k and abs(p.area) > abs(area) and contains(p, middle)]
        return not enclosing if area <= 0 else bool(sum(np.sign(p.area) for p in enclosing) > 0)

    return [k for k in range(len(polygons)) if not is_enclosed(k)]


@dataclass(frozen=True, eq=False)
class PolygonRefiner:
    """Refines polygons; no point moves further than `max_shift`, in metres, from where it is sought."""

    solver: ReachSolver
    max_shift: float

    def halve_sides(self, polygon: BoundaryPolygon) -> BoundaryPolygon:
        """The polygon with every side halved, at the boundary's point across its middle."""
        next_positions = np.roll(polygon.positions, -1, axis=0)
        positions, q, _ = self._boundary_across(polygon.positions, next_positions, polygon.q, np.roll(polygon.q, -1, axis=0))
        return BoundaryPolygon(
            np.stack([polygon.positions, positions], axis=1).reshape(-1, 2),
            np.stack([polygon.q, q], axis=1).reshape(2 * len(q), -1),
        )

    def add_limit_corners(self, polygon: BoundaryPolygon) -> BoundaryPolygon:
        """The polygon with the corners at which the boundary passes from the limit of one joint to that of another."""
        p, next_positions = polygon.positions, np.roll(polygon.positions, -1, axis=0)
        q, is_corner = self.solver.limit_corners(polygon.q, np.roll(polygon.q, -1, axis=0))
        positions = self.solver.positions(q)
        is_corner &= np.linalg.norm(positions - (p + next_positions) / 2, axis=1) < SEARCH_DISTANCES[-1] * np.linalg.norm(
            next_positions - p, axis=1
        )
        used = np.stack([np.ones_like(is_corner), is_corner], axis=1).ravel()
        corner_positions = np.stack([p, positions], axis=1).reshape(-1, 2)[used]
        return BoundaryPolygon(corner_positions, np.stack([polygon.q, q], axis=1).reshape(2 * len(q), -1)[used])

    def refine_corners(self, polygon: BoundaryPolygon) -> tuple[BoundaryPolygon, float]:
        """The polygon with sides halved towards the corners of the boundary, and the area that stays uncertain there."""
        open_area = 0.0
        order, p, q = np.arange(len(polygon.positions), dtype=float), polygon.positions, polygon.q
        sides = np.stack([np.arange(len(p)), np.roll(np.arange(len(p)), -1)], axis=1)
        min_length = MIN_SIDE_LENGTH * float(np.ptp(p, axis=0).max())
        for depth in range(MAX_CORNER_HALVINGS):
            a, b = p[sides[:, 0]], p[sides[:, 1]]
            between, configurations, located = self._boundary_across(a, b, q[sides[:, 0]], q[sides[:, 1]])
            length = np.linalg.norm(b - a, axis=1)
            height = np.linalg.norm(between - (a + b) / 2, axis=1)
            stands_out = height > CORNER_HEIGHT * length
            corner = stands_out & (length > min_length)
            open_area += float((length * height)[stands_out & ~corner].sum() + (length**2)[~located].sum()) / 2
            if not corner.any():
                break
            number = len(p) + np.arange(int(corner.sum()))
            step = 2.0 ** -(depth + 1)
            order = np.append(order, order[sides[corner, 0]] + step)
            p, q = np.vstack([p, between[corner]]), np.vstack([q, configurations[corner]])
            sides = np.concatenate([np.stack([sides[corner, 0], number], axis=1), np.stack([number, sides[corner, 1]], axis=1)])
        sequence = np.argsort(order)
        return BoundaryPolygon(p[sequence], q[sequence]), open_area

    def push_outwards(self, polygon: BoundaryPolygon) -> BoundaryPolygon:
        """The polygon with points moved outwards as far as the configurations of their neighbours reach, again and again."""
        p, q, small = polygon.positions.copy(), polygon.q.copy(), 1e-8 * float(np.ptp(polygon.positions, axis=0).max())
        n, active = len(p), np.arange(len(p))
        for _ in range(MAX_PUSHES):
            previous, following = (active - 1) % n, (active + 1) % n
            positions, configurations, _ = self._boundary_outwards(
                p[active], _outward_normals((p[following] - p[previous]) / 2), q[previous], q[following]
            )
            advanced = np.linalg.norm(positions - p[active], axis=1) > small
            moved_points = active[advanced]
            p[moved_points], q[moved_points] = positions[advanced], configurations[advanced]
            active = np.unique(np.concatenate([moved_points - 1, moved_points + 1]) % n)
            if not len(active):
                break
        return BoundaryPolygon(p, q)

    def _boundary_across(
        self, a: np.ndarray, b: np.ndarray, q_a: np.ndarray, q_b: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The boundary's points on the lines across the middles of sides, their configurations, and which were found."""
        return self._boundary_outwards((a + b) / 2, _outward_normals(b - a), q_a, q_b)

    def _boundary_outwards(
        self, start: np.ndarray, direction: np.ndarray, q_a: np.ndarray, q_b: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The boundary's points on lines outwards from positions, or inwards from those outside; the start if none is found."""
        configurations, reachable = self.solver.solve_from_both(start, q_a, q_b)
        inside, outside, sense = start.copy(), start.copy(), direction * np.where(reachable, 1.0, -1.0)[:, None]
        inside_known, outside_known = reachable.copy(), ~reachable  # a position that is reached, and one that is not
        for distance in SEARCH_DISTANCES:
            k = np.flatnonzero(~(inside_known & outside_known) & (distance * np.linalg.norm(direction, axis=1) < self.max_shift))
            trial_q, reached = self.solver.solve_from_both(start[k] + distance * sense[k], q_a[k], q_b[k])
            reached_rows, missed_rows = k[reached], k[~reached]
            inside[reached_rows], configurations[reached_rows], outside[missed_rows] = (
                start[reached_rows] + distance * sense[reached_rows],
                trial_q[reached],
                start[missed_rows] + distance * sense[missed_rows],
            )
            inside_known[reached_rows], outside_known[missed_rows] = True, True
        located = inside_known & outside_known
        first_guess = np.where(located[:, None], configurations, q_a)
        positions, q = self.solver.furthest_reachable(first_guess, np.where(located[:, None], q_b, q_a), inside, outside)
        return np.where(located[:, None], positions, start), np.where(located[:, None], q, q_a), located


def _outward_normals(side: np.ndarray) -> np.ndarray:
    """The normals of sides to the outside: the inside is on the left."""
    return np.stack([side[:, 1], -side[:, 0]], axis=1)


@dataclass(frozen=True, eq=False)
class BoundaryPolygon:
    """A closed polygon of positions on the boundary (n, 2), with the configurations that reach them; clockwise around a hole."""

    positions: np.ndarray
    q: np.ndarray

    @property
    def area(self) -> float:
        """Positive around what is reached, negative around a hole."""
        x, y = self.positions.T
        return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))

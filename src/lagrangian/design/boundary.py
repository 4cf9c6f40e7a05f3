"""The boundary of a workspace: in a plane, polygons around an area; in space, a mesh around a volume.

In a plane, marching squares (Lorensen and Cline 1987) joins the boundary's points on the edges of a grid, with the inside on the
left. Corners are located where the boundary stands out from a side. Each side is then halved, at the point of the boundary across
its middle: the area that a polygon misses of an arc falls by four each time.

In space, there is one vertex in every cell of the grid that the boundary passes, where the planes that touch the boundary at its
points on the cell's edges meet, as nearly as they do: so it lies on rims and corners, where joints reach two limits or three.
Every such edge is a quadrilateral of the four cells around it (dual contouring: Ju, Losasso, Schaefer and Warren, SIGGRAPH 2002).
The volume is that within the mesh, by the divergence theorem. Lines of the grid, of which the boundary's points give the length
inside, give one more value along each axis: how far these differ tells how far the volume is off.

The normals of the boundary follow from the configurations that reach it. There no motion that the joints are free to make leads
out: the velocities of the frame, with joints at limits fixed and loops closed, lack one direction, and that is the normal. It is
the left null vector of the Jacobian along those motions.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lagrangian.configuration.coordinates import speed_scales
from lagrangian.design.grid import ReachabilityGrid
from lagrangian.design.reach_solver import HALVINGS, ReachSolver

# for polygons in a plane
MIN_RELATIVE_ERROR = 1e-7  # of the area: no smaller error is claimed
MAX_SHIFT = 2.0  # cells of the grid: how far from where it is sought the boundary may be
REFINEMENTS = 2  # how often all sides are halved
CORNER_HEIGHT = 0.03  # of a side's length: where the boundary stands out further from it, there is a corner
MAX_PUSHES = 12  # how often the neighbours of points that moved are tried
MAX_CORNER_HALVINGS = 12  # of a side across a corner
MIN_SIDE_LENGTH = 2e-4  # of the extent: shorter sides are not halved
SEARCH_DISTANCES = (0.02, 0.06, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # in side lengths: distances at which the boundary is sought
# for a mesh in space
SURFACE_HALVINGS = 14  # of an edge: finer than the accuracy of a volume from lines of the grid
MIN_EIGENVALUE = 0.02  # of the largest: along directions in which the planes agree more, a vertex stays at the mean of its points
MAX_OVERHANG = 0.5  # of a cell: how far outside its cell a vertex may lie, where a rim passes beside it
LIMIT_TOLERANCES = (1e-7, 1e-5, 1e-3)  # rad or m: a joint nearer to its limit is at it; the first that gives a normal counts
LOST_RATIO = 0.1  # of the second singular value: where the least is smaller, a direction is lost
MIN_SECOND_VALUE = 1e-3  # of the largest: where the second is smaller two are lost, and there is no unique normal
CONSTRAINT_RANK_TOLERANCE = 1e-10


# -- in a plane --------------------------------------------------------------------------------------------------------


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
    """The edge that follows each edge which the boundary crosses: (axis, i, j) is the edge from node (i, j) along the axis."""
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


# -- in space ----------------------------------------------------------------------------------------------------------


def contour_surface(grid: ReachabilityGrid) -> WorkspaceSurface:
    """The surface around the nodes of a grid that are reached."""
    crossings = [grid.boundary_crossings(axis, SURFACE_HALVINGS) for axis in range(3)]
    volumes = np.array([_volume_by_lines(grid, axis, *crossings[axis][:2]) for axis in range(3)])
    coarse = np.array([_volume_by_lines(grid, axis, *crossings[axis][:2], stride=2) for axis in range(3)])
    vertices, faces = _dual_contour(grid, crossings)
    volume, by_lines = _enclosed_volume(vertices, faces), float(volumes.mean())
    error = max(float(np.ptp(volumes)) / 2, abs(by_lines - float(coarse.mean())) / 3, abs(volume - by_lines))
    positions, q = (np.concatenate([c[k] for c in crossings]) for k in (1, 2))
    return WorkspaceSurface(vertices, faces, positions, q, volume, error)


@dataclass(frozen=True, eq=False)
class WorkspaceSurface:
    """A mesh of `vertices` (n, 3) and quadrilaterals `faces` (m, 4), normals outwards; `positions` lie on the boundary itself."""

    vertices: np.ndarray
    faces: np.ndarray
    positions: np.ndarray
    q: np.ndarray
    volume: float
    error: float


def _enclosed_volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    """The volume within a closed mesh: each quadrilateral as two triangles, each with the origin a tetrahedron."""
    a, b, c, d = np.moveaxis(vertices[faces], 1, 0)
    return abs(float(np.einsum("ij,ij->", a, np.cross(b, c)) + np.einsum("ij,ij->", a, np.cross(c, d)))) / 6


def _volume_by_lines(grid: ReachabilityGrid, axis: int, lower: np.ndarray, positions: np.ndarray, stride: int = 1) -> float:
    """The volume as the lengths inside of all lines along an axis, times the area that each stands for."""
    reached = np.moveaxis(grid.reached, axis, 0)
    full_length = (reached[:-1] & reached[1:]).sum(axis=0) * grid.spacing[axis]
    other_axes = [k for k in range(3) if k != axis]
    upper = grid.reached[tuple(lower.T)]
    distances = positions[:, axis] - grid.node_positions(lower)[:, axis]
    partial_length = np.where(upper, distances, grid.spacing[axis] - distances)
    length = full_length.astype(float)
    np.add.at(length, (lower[:, other_axes[0]], lower[:, other_axes[1]]), partial_length)
    return float(length[::stride, ::stride].sum()) * stride**2 * float(grid.spacing[other_axes].prod())


def _dual_contour(
    grid: ReachabilityGrid, crossings: list[tuple[np.ndarray, np.ndarray, np.ndarray]]
) -> tuple[np.ndarray, np.ndarray]:
    """The vertices and quadrilaterals of dual contouring."""
    cells = _Cells(tuple(n - 1 for n in grid.reached.shape))
    quads: list[np.ndarray] = []
    for axis, (lower, positions, q) in enumerate(crossings):
        u, v = np.eye(3, dtype=int)[[k for k in range(3) if k != axis]]
        cells_around = np.stack([lower - u - v, lower - v, lower, lower - u], axis=1)  # the cells around the edge
        normals, determined = boundary_normals(grid.solver, q)
        for k in range(4):
            cells.add(cells_around[:, k], positions, normals * determined[:, None])
        outward = grid.reached[tuple(lower.T)] ^ (axis == 1)
        quads.append(np.where(outward[:, None, None], cells_around, cells_around[:, ::-1]))
    label = np.cumsum(cells.used).reshape(cells.used.shape) - 1
    faces = label[tuple(np.moveaxis(np.concatenate(quads), 2, 0))]
    corner = grid.node_positions(np.argwhere(cells.used))
    margin = MAX_OVERHANG * grid.spacing
    return np.clip(cells.vertices(), corner - margin, corner + grid.spacing + margin), faces


class _Cells:
    """The sums that determine the vertex x of every cell, over the boundary's points p with normals n.

    The vertex minimises the sum of (n . (x - p))^2, and stays next to the mean of the points where that leaves a choice.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.number, self.points = np.zeros(shape), np.zeros((*shape, 3))
        self.matrix, self.right = np.zeros((*shape, 3, 3)), np.zeros((*shape, 3))

    @property
    def used(self) -> np.ndarray:
        return self.number > 0

    def add(self, cells: np.ndarray, p: np.ndarray, n: np.ndarray) -> None:
        index = tuple(cells.T)
        np.add.at(self.number, index, 1)
        np.add.at(self.points, index, p)
        np.add.at(self.matrix, index, n[:, :, None] * n[:, None])
        np.add.at(self.right, index, n * (n * p).sum(axis=1, keepdims=True))

    def vertices(self) -> np.ndarray:
        mean = self.points[self.used] / self.number[self.used][:, None]
        A, b = self.matrix[self.used], self.right[self.used]
        size, axes = np.linalg.eigh(A)
        determined = size > np.maximum(MIN_EIGENVALUE * size[:, -1:], 1e-12)
        slopes = np.einsum("nki,nk->ni", axes, b - np.einsum("nij,nj->ni", A, mean))
        step = np.where(determined, slopes / np.where(determined, size, 1.0), 0.0)
        vertices: np.ndarray = mean + np.einsum("nki,ni->nk", axes, step)
        return vertices


def boundary_normals(solver: ReachSolver, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normals of the boundary, of either sense, at rows of configurations on it, and which of them are determined."""
    directions, determined = np.zeros((len(q), 3)), np.zeros(len(q), dtype=bool)
    for distance in LIMIT_TOLERANCES:
        remaining = np.flatnonzero(~determined)
        directions[remaining], determined[remaining] = _lost_direction(solver, q[remaining], distance)
    return directions, determined


def _lost_direction(solver: ReachSolver, q: np.ndarray, distance: float) -> tuple[np.ndarray, np.ndarray]:
    """The direction that the frame loses with joints fixed that are so near to a limit, and whether it is unique."""
    dyn, bounds = solver.dyn, solver.bounds
    scales, coordinates = speed_scales(dyn.mechanism), q[:, bounds.iq]
    free = np.ones((len(q), dyn.nv))
    free[:, bounds.iv] = (np.abs(coordinates - bounds.low) > distance) & (np.abs(coordinates - bounds.high) > distance)
    J = solver.basis @ np.asarray(dyn.jacobian(q, solver.frame))[:, 3:] * scales * free[:, None]
    if dyn.mechanism.equation_count:
        psi = dyn.constraint_jacobian(q)[:, dyn.holonomic] * scales * free[:, None]
        J = J - J @ np.linalg.pinv(psi, rcond=CONSTRAINT_RANK_TOLERANCE) @ psi
    U, s, _ = np.linalg.svd(J, full_matrices=True)
    s = np.pad(s, ((0, 0), (0, 3 - s.shape[1])))
    return U[:, :, 2], (s[:, 2] < LOST_RATIO * s[:, 1]) & (s[:, 1] > MIN_SECOND_VALUE * s[:, 0])

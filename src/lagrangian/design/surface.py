"""The boundary of a workspace in space: a mesh through points on it, and the volume within.

In every cell of the grid that the boundary passes there is one vertex, where the planes that touch the boundary at its points on
the cell's edges meet, as nearly as they do: so it lies on rims and corners, where joints reach two limits or three. Every such
edge is a quadrilateral of the four cells around it (dual contouring: Ju, Losasso, Schaefer and Warren, SIGGRAPH 2002). The volume
is that within the mesh, by the divergence theorem. Lines of the grid, of which the boundary's points give the length inside, give
one more value along each axis: how far these differ tells how far the volume is off.

The normals of the boundary follow from the configurations that reach it. There no motion that the joints are free to make leads
out: the velocities of the frame, with joints at limits fixed and loops closed, lack one direction, and that is the normal. It is
the left null vector of the Jacobian along those motions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.design.freedom import speed_scales
from lagrangian.design.grid import ReachabilityGrid
from lagrangian.design.reach_solver import ReachSolver

HALVINGS = 14  # of an edge: finer than the accuracy of a volume from lines of the grid
MIN_EIGENVALUE = 0.02  # of the largest: along directions in which the planes agree more, a vertex stays at the mean of its points
MAX_OVERHANG = 0.5  # of a cell: how far outside its cell a vertex may lie, where a rim passes beside it
AT_LIMIT = (1e-7, 1e-5, 1e-3)  # rad or m: a joint nearer to its limit is at it; the first that gives a normal counts
LOST_RATIO = 0.1  # of the second singular value: where the least is smaller, a direction is lost
MIN_SECOND_VALUE = 1e-3  # of the largest: where the second is smaller two are lost, and there is no unique normal
CONSTRAINT_RANK_TOLERANCE = 1e-10


def contour_surface(grid: ReachabilityGrid) -> WorkspaceSurface:
    """The surface around the nodes of a grid that are reached."""
    crossings = [grid.boundary_crossings(axis, HALVINGS) for axis in range(3)]
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
    """For every cell the sums over the boundary's points p with normals n that determine its vertex x.

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
    for distance in AT_LIMIT:
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

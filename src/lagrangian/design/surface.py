"""The boundary of a workspace in space: a mesh through points on it, and the volume within.

In every cell of the grid that the boundary passes there is one vertex, where the planes that touch the boundary at its points on
the cell's edges meet, as nearly as they do: so it lies on rims and corners, where joints reach two limits or three. Every such
edge is a quadrilateral of the four cells around it (dual contouring: Ju, Losasso, Schaefer and Warren, SIGGRAPH 2002). The volume
is that within the mesh, by the divergence theorem. Lines of the grid, of which the boundary's points give the length inside, give
one more value along each axis: how far these differ tells how far the volume is off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.design.grid import Grid
from lagrangian.design.normals import normals

HALVINGS = 14  # of an edge: finer than what a grid's lines tell of a volume
FLAT = 0.02  # of the greatest: where planes differ by less across a direction, they do not tell where to go along it
BEYOND = 0.5  # of a cell: how far from it its vertex may lie, where a rim passes beside it


@dataclass(frozen=True, eq=False)
class Surface:
    """A mesh of `vertices` (n, 3) and quadrilaterals `faces` (m, 4), whose normals point out; points on the boundary itself."""

    vertices: np.ndarray
    faces: np.ndarray
    places: np.ndarray
    q: np.ndarray
    volume: float
    error: float


def surface(grid: Grid) -> Surface:
    """The boundary of what a grid's nodes reach."""
    crossings = [grid.crossings(axis, HALVINGS) for axis in range(3)]
    volumes = np.array([_volume(grid, axis, *crossings[axis][:2]) for axis in range(3)])
    coarse = np.array([_volume(grid, axis, *crossings[axis][:2], stride=2) for axis in range(3)])
    vertices, faces = _contoured(grid, crossings)
    volume, by_lines = _enclosed(vertices, faces), float(volumes.mean())
    error = max(float(np.ptp(volumes)) / 2, abs(by_lines - float(coarse.mean())) / 3, abs(volume - by_lines))
    places, q = (np.concatenate([c[k] for c in crossings]) for k in (1, 2))
    return Surface(vertices, faces, places, q, volume, error)


def _enclosed(vertices: np.ndarray, faces: np.ndarray) -> float:
    """The volume within a closed mesh: each quadrilateral as two triangles, each with the origin a tetrahedron."""
    a, b, c, d = np.moveaxis(vertices[faces], 1, 0)
    return abs(float(np.einsum("ij,ij->", a, np.cross(b, c)) + np.einsum("ij,ij->", a, np.cross(c, d)))) / 6


def _volume(grid: Grid, axis: int, lower: np.ndarray, places: np.ndarray, stride: int = 1) -> float:
    """The lengths inside of all lines along an axis, times the square that each stands for."""
    a = np.moveaxis(grid.reached, axis, 0)
    whole = (a[:-1] & a[1:]).sum(axis=0) * grid.spacing[axis]
    others = [k for k in range(3) if k != axis]
    upper = grid.reached[tuple(lower.T)]
    along = places[:, axis] - grid.at(lower)[:, axis]
    part = np.where(upper, along, grid.spacing[axis] - along)
    length = whole.astype(float)
    np.add.at(length, (lower[:, others[0]], lower[:, others[1]]), part)
    return float(length[::stride, ::stride].sum()) * stride**2 * float(grid.spacing[others].prod())


def _contoured(grid: Grid, crossings: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and quadrilaterals."""
    cells = _Cells(tuple(n - 1 for n in grid.reached.shape))
    around: list[np.ndarray] = []
    for axis, (lower, places, q) in enumerate(crossings):
        u, v = np.eye(3, dtype=int)[[k for k in range(3) if k != axis]]
        beside = np.stack([lower - u - v, lower - v, lower, lower - u], axis=1)  # the cells around the edge
        normal, known = normals(grid.reaching, q)
        for k in range(4):
            cells.add(beside[:, k], places, normal * known[:, None])
        outward = grid.reached[tuple(lower.T)] ^ (axis == 1)
        around.append(np.where(outward[:, None, None], beside, beside[:, ::-1]))
    label = np.cumsum(cells.used).reshape(cells.used.shape) - 1
    faces = label[tuple(np.moveaxis(np.concatenate(around), 2, 0))]
    corner = grid.at(np.argwhere(cells.used))
    room = BEYOND * grid.spacing
    return np.clip(cells.vertices(), corner - room, corner + grid.spacing + room), faces


class _Cells:
    """Of every cell, the sums over the boundary's points p with normals n that a vertex x is found from.

    It makes the sum of (n . (x - p))^2 least, and stays next to the mean of the points where that leaves a choice.
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
        size, along = np.linalg.eigh(A)
        told = size > np.maximum(FLAT * size[:, -1:], 1e-12)
        off = np.einsum("nki,nk->ni", along, b - np.einsum("nij,nj->ni", A, mean))
        step = np.where(told, off / np.where(told, size, 1.0), 0.0)
        found: np.ndarray = mean + np.einsum("nki,ni->nk", along, step)
        return found

"""The boundary of a workspace in space: a mesh through points on it, and the volume within.

In every cell of the grid that the boundary passes there is one vertex, at the mean of the boundary's points on the cell's edges;
every such edge is a quadrilateral of the four cells around it (naive surface nets: Gibson 1998). The volume is that within the
mesh, by the divergence theorem. Lines of the grid, of which the boundary's points give the length inside, give one more value
along each axis: how far these differ tells how far the volume is off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.design.grid import Grid

HALVINGS = 14  # of an edge: finer than what a grid's lines tell of a volume


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
    vertices, faces = _nets(grid, [(lower, places) for lower, places, _ in crossings])
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


def _nets(grid: Grid, crossings: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and quadrilaterals."""
    shape = tuple(n - 1 for n in grid.reached.shape)
    total, number = np.zeros((*shape, 3)), np.zeros(shape)
    around: list[np.ndarray] = []
    for axis, (lower, places) in enumerate(crossings):
        u, v = np.eye(3, dtype=int)[[k for k in range(3) if k != axis]]
        cells = np.stack([lower - u - v, lower - v, lower, lower - u], axis=1)  # around the edge
        for k in range(4):
            index = tuple(cells[:, k].T)
            np.add.at(total, index, places)
            np.add.at(number, index, 1)
        outward = grid.reached[tuple(lower.T)] ^ (axis == 1)
        around.append(np.where(outward[:, None, None], cells, cells[:, ::-1]))
    used = number > 0
    label = np.cumsum(used).reshape(shape) - 1
    faces = label[tuple(np.moveaxis(np.concatenate(around), 2, 0))]
    return total[used] / number[used][:, None], faces

"""The boundary of a plane workspace: polygons through points that lie on it, refined until their area is known.

Marching squares (Lorensen and Cline 1987, in the plane) joins the boundary's points on the edges of a grid, with the inside on
the left. Each side is then halved: what a polygon misses of an arc falls by four each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lagrangian.design.grid import Grid
from lagrangian.design.reaching import HALVINGS
from lagrangian.design.refine import Loop, Refined

SURE = 1e-7  # of the area: less is not claimed
CELLS = 2.0  # of the grid: how far from where it is sought the boundary is looked for
REFINED = 2  # times that all sides are halved


@dataclass(frozen=True, eq=False)
class Outline:
    """All polygons of a boundary, the area within them, and how far off it may be."""

    loops: list[Loop]
    area: float
    error: float


def outline(grid: Grid) -> Outline:
    """The boundary of what a grid's nodes reach."""
    of = Refined(grid.reaching, CELLS * float(grid.spacing.max()))
    cornered = [of.with_corners(of.between_limits(of.pushed(loop))) for loop in _marched(grid)]
    kept = _outermost([loop for loop, _ in cornered])
    loops, open_ = [cornered[k][0] for k in kept], sum(cornered[k][1] for k in kept)
    areas = [sum(loop.area for loop in loops)]
    for _ in range(REFINED):
        loops = [of.halved(loop) for loop in loops]
        areas.append(sum(loop.area for loop in loops))
    before, area = (b + (b - a) / 3 for a, b in pairwise(areas))  # errors fall by four
    return Outline(loops, area, max(abs(area - before) + open_, SURE * abs(area)))


def _outermost(loops: list[Loop]) -> list[int]:
    """Without pieces that lie in others: the tip of a spike that is thinner than the grid is a piece of its own at first."""

    def inside(p: np.ndarray, loop: Loop) -> bool:
        a, b = loop.places, np.roll(loop.places, -1, axis=0)
        across = (a[:, 1] > p[1]) != (b[:, 1] > p[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            x = a[:, 0] + (p[1] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
        return bool((across & (x > p[0])).sum() % 2)

    def within(k: int) -> bool:
        """Whether a piece lies in a larger one, and not in a hole of that."""
        middle, area = loops[k].places.mean(axis=0), loops[k].area
        around = [loop for j, loop in enumerate(loops) if j != k and abs(loop.area) > abs(area) and inside(middle, loop)]
        return not around if area <= 0 else bool(sum(np.sign(loop.area) for loop in around) > 0)

    return [k for k in range(len(loops)) if not within(k)]


def _marched(grid: Grid) -> list[Loop]:
    """Polygons through the boundary's points on the grid's edges."""
    at: dict[tuple[int, int, int], tuple[np.ndarray, np.ndarray]] = {}
    for axis in (0, 1):
        for (i, j), place, q in zip(*grid.crossings(axis, HALVINGS), strict=True):
            at[axis, int(i), int(j)] = place, q
    after = _joined(grid.reached)
    loops = []
    while after:
        first = edge = next(iter(after))
        chain = []
        while edge in after:
            chain.append(edge)
            edge = after.pop(edge)
        assert edge == first
        loops.append(Loop(np.array([at[e][0] for e in chain]), np.array([at[e][1] for e in chain])))
    return [loop for loop in loops if len(loop.places) > 2]


def _joined(inside: np.ndarray) -> dict[tuple[int, int, int], tuple[int, int, int]]:
    """Which edge of the grid the boundary goes on to from each: (axis, i, j) is the edge from node (i, j) along the axis."""
    after: dict[tuple[int, int, int], tuple[int, int, int]] = {}
    count = inside[:-1, :-1].astype(int) + inside[1:, :-1] + inside[1:, 1:] + inside[:-1, 1:]
    for i, j in np.argwhere((count > 0) & (count < 4)).tolist():
        corners = [bool(inside[i, j]), bool(inside[i + 1, j]), bool(inside[i + 1, j + 1]), bool(inside[i, j + 1])]
        edges = [(0, i, j), (1, i + 1, j), (0, i, j + 1), (1, i, j)]  # counter-clockwise, each from its corner on
        for k in range(4):
            if corners[k] and not corners[(k + 1) % 4]:  # going round, the inside is left here; back to where it was entered
                e = k
                while corners[e % 4]:
                    e -= 1
                after[edges[k]] = edges[e % 4]
    return after

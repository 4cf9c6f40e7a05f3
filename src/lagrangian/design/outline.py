"""The boundary of a plane workspace: polygons through points that lie on it, refined until their area is known.

Marching squares (Lorensen and Cline 1987, in the plane) joins the boundary's points on the edges of a grid, with the inside on
the left. Each side is then halved at the boundary's point across its middle: what a polygon misses of an arc falls by four each
time.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lagrangian.design.grid import Grid
from lagrangian.design.reaching import HALVINGS, Reaching

REFINED = 2  # times that all sides are halved
CORNER = 0.03  # of a side's length: what the boundary stands out from it by; more is no arc of this grid
DEEP, SHORTEST = 12, 2e-4  # times that a side across a corner is halved, and of the extent: sides that are not
AWAY = (0.02, 0.06, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # side lengths within which the boundary is sought


@dataclass(frozen=True, eq=False)
class Loop:
    """A closed polygon of boundary places (n, 2), with the configurations that reach them; clockwise around a hole."""

    places: np.ndarray
    q: np.ndarray

    @property
    def area(self) -> float:
        """Positive around what is reached, negative around a hole."""
        x, y = self.places.T
        return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


@dataclass(frozen=True, eq=False)
class Outline:
    """All polygons of a boundary, the area within them, and how far off it may be."""

    loops: list[Loop]
    area: float
    error: float


def outline(grid: Grid) -> Outline:
    """The boundary of what a grid's nodes reach."""
    of = grid.reaching
    cornered = [_with_corners(of, _between_limits(of, _pushed(of, loop))) for loop in _marched(grid)]
    loops, open_ = [loop for loop, _ in cornered], sum(x for _, x in cornered)
    areas = [sum(loop.area for loop in loops)]
    for _ in range(REFINED):
        loops = [_halved(of, loop) for loop in loops]
        areas.append(sum(loop.area for loop in loops))
    before, area = (b + (b - a) / 3 for a, b in pairwise(areas))  # errors fall by four
    return Outline(loops, area, abs(area - before) + open_ + 1e-10 * abs(area))


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


def _halved(reaching: Reaching, loop: Loop) -> Loop:
    """With the boundary's point across the middle of every side between its ends."""
    ahead = np.roll(loop.places, -1, axis=0)
    places, q, _ = _across(reaching, loop.places, ahead, loop.q, np.roll(loop.q, -1, axis=0))
    return Loop(np.stack([loop.places, places], axis=1).reshape(-1, 2), np.stack([loop.q, q], axis=1).reshape(2 * len(q), -1))


def _between_limits(reaching: Reaching, loop: Loop) -> Loop:
    """With the corners at which the boundary passes from the limit of one joint to that of another."""
    p, ahead = loop.places, np.roll(loop.places, -1, axis=0)
    q, found = reaching.corners(loop.q, np.roll(loop.q, -1, axis=0))
    places = reaching.places(q)
    found &= np.linalg.norm(places - (p + ahead) / 2, axis=1) < AWAY[-1] * np.linalg.norm(ahead - p, axis=1)
    kept = np.stack([np.ones_like(found), found], axis=1).ravel()
    rows = np.stack([p, places], axis=1).reshape(-1, 2)[kept]
    return Loop(rows, np.stack([loop.q, q], axis=1).reshape(2 * len(q), -1)[kept])


def _with_corners(reaching: Reaching, loop: Loop) -> tuple[Loop, float]:
    """With sides halved again and again where the boundary stands out from them, towards its corners; and the area left open."""
    open_ = 0.0
    order, p, q = np.arange(len(loop.places), dtype=float), loop.places, loop.q
    sides = np.stack([np.arange(len(p)), np.roll(np.arange(len(p)), -1)], axis=1)
    least = SHORTEST * float(np.ptp(p, axis=0).max())
    for depth in range(DEEP):
        a, b = p[sides[:, 0]], p[sides[:, 1]]
        between, found, sure = _across(reaching, a, b, q[sides[:, 0]], q[sides[:, 1]])
        length = np.linalg.norm(b - a, axis=1)
        height = np.linalg.norm(between - (a + b) / 2, axis=1)
        stands_out = height > CORNER * length
        corner = stands_out & (length > least)
        open_ += float((length * height)[stands_out & ~corner].sum() + (length**2)[~sure].sum()) / 2
        if not corner.any():
            break
        number = len(p) + np.arange(int(corner.sum()))
        step = 2.0 ** -(depth + 1)
        order = np.append(order, order[sides[corner, 0]] + step)
        p, q = np.vstack([p, between[corner]]), np.vstack([q, found[corner]])
        sides = np.concatenate([np.stack([sides[corner, 0], number], axis=1), np.stack([number, sides[corner, 1]], axis=1)])
    kept = np.argsort(order)
    return Loop(p[kept], q[kept]), open_


def _pushed(reaching: Reaching, loop: Loop) -> Loop:
    """With points that can be passed moved on: neighbours may be of a branch that reaches further."""
    before, ahead = (np.roll(loop.places, k, axis=0) for k in (1, -1))
    places, q, _ = _out_of(
        reaching, loop.places, _right_of((ahead - before) / 2), np.roll(loop.q, 1, axis=0), np.roll(loop.q, -1, axis=0)
    )
    moved = np.linalg.norm(places - loop.places, axis=1) > 1e-8 * float(np.ptp(loop.places, axis=0).max())
    return Loop(np.where(moved[:, None], places, loop.places), np.where(moved[:, None], q, loop.q))


def _across(
    reaching: Reaching, a: np.ndarray, b: np.ndarray, q_a: np.ndarray, q_b: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The boundary's points on the lines across the middles of sides, their configurations, and which were found."""
    return _out_of(reaching, (a + b) / 2, _right_of(b - a), q_a, q_b)


def _right_of(side: np.ndarray) -> np.ndarray:
    """Where outside is: the inside is on the left."""
    return np.stack([side[:, 1], -side[:, 0]], axis=1)


def _out_of(
    reaching: Reaching, start: np.ndarray, out: np.ndarray, q_a: np.ndarray, q_b: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The boundary's points on the lines outwards from places, or inwards from those that are outside; start where none is."""
    there, good = reaching.reached_from(start, q_a, q_b)
    inside, outside, way = start.copy(), start.copy(), out * np.where(good, 1.0, -1.0)[:, None]
    known, bounded = good.copy(), ~good  # a place that is reached, and one that is not
    for far in AWAY:
        k = np.flatnonzero(~(known & bounded))
        tried, reached = reaching.reached_from(start[k] + far * way[k], q_a[k], q_b[k])
        won, lost = k[reached], k[~reached]
        inside[won], there[won], outside[lost] = start[won] + far * way[won], tried[reached], start[lost] + far * way[lost]
        known[won], bounded[lost] = True, True
    found = known & bounded
    near = np.where(found[:, None], there, q_a)
    places, q = reaching.furthest(near, np.where(found[:, None], q_b, q_a), inside, outside)
    return np.where(found[:, None], places, start), np.where(found[:, None], q, q_a), found

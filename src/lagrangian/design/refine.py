"""Polygons through the boundary of a workspace, refined: sides halved at the points across their middles, and corners found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lagrangian.design.reaching import Reaching

CORNER = 0.03  # of a side's length: what the boundary stands out from it by; more is no arc of this grid
PUSHES = 12  # times that points next to those that moved are tried again
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
class Refined:
    """How polygons are refined; no point moves further than `most`, in metres, from where it is sought."""

    reaching: Reaching
    most: float

    def halved(self, loop: Loop) -> Loop:
        """With the boundary's point across the middle of every side between its ends."""
        ahead = np.roll(loop.places, -1, axis=0)
        places, q, _ = self._across(loop.places, ahead, loop.q, np.roll(loop.q, -1, axis=0))
        return Loop(np.stack([loop.places, places], axis=1).reshape(-1, 2), np.stack([loop.q, q], axis=1).reshape(2 * len(q), -1))

    def between_limits(self, loop: Loop) -> Loop:
        """With the corners at which the boundary passes from the limit of one joint to that of another."""
        p, ahead = loop.places, np.roll(loop.places, -1, axis=0)
        q, found = self.reaching.corners(loop.q, np.roll(loop.q, -1, axis=0))
        places = self.reaching.places(q)
        found &= np.linalg.norm(places - (p + ahead) / 2, axis=1) < AWAY[-1] * np.linalg.norm(ahead - p, axis=1)
        kept = np.stack([np.ones_like(found), found], axis=1).ravel()
        rows = np.stack([p, places], axis=1).reshape(-1, 2)[kept]
        return Loop(rows, np.stack([loop.q, q], axis=1).reshape(2 * len(q), -1)[kept])

    def with_corners(self, loop: Loop) -> tuple[Loop, float]:
        """With sides halved again where the boundary stands out from them, towards its corners; and the area left open."""
        open_ = 0.0
        order, p, q = np.arange(len(loop.places), dtype=float), loop.places, loop.q
        sides = np.stack([np.arange(len(p)), np.roll(np.arange(len(p)), -1)], axis=1)
        least = SHORTEST * float(np.ptp(p, axis=0).max())
        for depth in range(DEEP):
            a, b = p[sides[:, 0]], p[sides[:, 1]]
            between, found, sure = self._across(a, b, q[sides[:, 0]], q[sides[:, 1]])
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

    def pushed(self, loop: Loop) -> Loop:
        """With points that can be passed moved on: neighbours may be of a branch that reaches further, and so on from these."""
        p, q, small = loop.places.copy(), loop.q.copy(), 1e-8 * float(np.ptp(loop.places, axis=0).max())
        n, some = len(p), np.arange(len(p))
        for _ in range(PUSHES):
            before, ahead = (some - 1) % n, (some + 1) % n
            places, found, _ = self._out_of(p[some], _right_of((p[ahead] - p[before]) / 2), q[before], q[ahead])
            further = np.linalg.norm(places - p[some], axis=1) > small
            moved = some[further]
            p[moved], q[moved] = places[further], found[further]
            some = np.unique(np.concatenate([moved - 1, moved + 1]) % n)
            if not len(some):
                break
        return Loop(p, q)

    def _across(
        self, a: np.ndarray, b: np.ndarray, q_a: np.ndarray, q_b: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The boundary's points on the lines across the middles of sides, their configurations, and which were found."""
        return self._out_of((a + b) / 2, _right_of(b - a), q_a, q_b)

    def _out_of(
        self, start: np.ndarray, out: np.ndarray, q_a: np.ndarray, q_b: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The boundary's points on lines outwards from places, or inwards from those that are outside; start where none is."""
        there, good = self.reaching.reached_from(start, q_a, q_b)
        inside, outside, way = start.copy(), start.copy(), out * np.where(good, 1.0, -1.0)[:, None]
        known, bounded = good.copy(), ~good  # a place that is reached, and one that is not
        for far in AWAY:
            k = np.flatnonzero(~(known & bounded) & (far * np.linalg.norm(out, axis=1) < self.most))
            tried, reached = self.reaching.reached_from(start[k] + far * way[k], q_a[k], q_b[k])
            won, lost = k[reached], k[~reached]
            inside[won], there[won], outside[lost] = start[won] + far * way[won], tried[reached], start[lost] + far * way[lost]
            known[won], bounded[lost] = True, True
        found = known & bounded
        near = np.where(found[:, None], there, q_a)
        places, q = self.reaching.furthest(near, np.where(found[:, None], q_b, q_a), inside, outside)
        return np.where(found[:, None], places, start), np.where(found[:, None], q, q_a), found


def _right_of(side: np.ndarray) -> np.ndarray:
    """Where outside is: the inside is on the left."""
    return np.stack([side[:, 1], -side[:, 0]], axis=1)

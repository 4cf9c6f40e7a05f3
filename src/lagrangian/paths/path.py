"""Paths over time: of joints, or of a frame; positions, speeds and accelerations, each exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lagrangian.arguments import floats
from lagrangian.errors import ArgumentError, is_number, one_of, shown
from lagrangian.model.loop import DIRECTIONS, TURNS
from lagrangian.model.rotation import quaternion

Values = tuple[np.ndarray, np.ndarray, np.ndarray]
# a function of times (n,) since the path's beginning: values and their two derivatives, (n, k) each
Motion = Callable[[np.ndarray], Values]
MEET = 1e-9  # how near the end of one path must be to the beginning of the next


@dataclass(frozen=True, eq=False)
class Path:
    """Something to follow from `start` to `end`, in seconds.

    `breaks` are times between where its acceleration jumps, `corners` those where it is less smooth than elsewhere.
    """

    duration: float
    start: float = field(default=0.0, kw_only=True)
    breaks: tuple[float, ...] = field(default=(), kw_only=True)
    corners: tuple[float, ...] = field(default=(), kw_only=True)

    @property
    def end(self) -> float:
        return self.start + self.duration

    def beginning(self, t: float) -> Any:
        """The same path, begun at another time."""
        if not is_number(t):
            raise ArgumentError(f"the path is to begin at {shown(t)}; a number of seconds is needed", concerns="t")
        later = float(t) - self.start
        breaks, corners = (tuple(x + later for x in times) for times in (self.breaks, self.corners))
        return replace(self, start=float(t), breaks=breaks, corners=corners)

    def times(self, rows: int) -> np.ndarray:
        """So many times from start to end."""
        return np.linspace(self.start, self.end, rows)

    def _since(self, t: Any) -> np.ndarray:
        """Times since the beginning, checked."""
        try:
            times = np.atleast_1d(floats(t)) - self.start
        except (TypeError, ValueError):
            raise ArgumentError(f"is {shown(t)}", argument="t", remedy="a time, or an array of times, is needed") from None
        room = 1e-9 * max(1.0, abs(self.start), abs(self.end))
        if times.ndim != 1 or not (np.all(times >= -room) and np.all(times <= self.duration + room)):
            raise ArgumentError(f"the path is from {self.start:g} to {self.end:g} s; t is {shown(t, 80)}", concerns="t")
        return np.clip(times, 0.0, self.duration)


@dataclass(frozen=True, eq=False)
class JointPath(Path):
    """Coordinates over time: `path(t)` gives (q, qd, qdd), of one time or of many.

    `names` are the coordinates it leads; None stands for all of a mechanism's, in its order.
    """

    motion: Motion = field(kw_only=True)
    names: tuple[str, ...] | None = field(default=None, kw_only=True)

    def __call__(self, t: Any) -> Values:
        q, qd, qdd = self.motion(self._since(t))
        return (q[0], qd[0], qdd[0]) if np.ndim(t) == 0 else (q, qd, qdd)

    @property
    def size(self) -> int:
        return len(self(self.start)[0])

    def __repr__(self) -> str:
        what = ", ".join(self.names) if self.names is not None else f"{self.size} coordinates"
        return f"<JointPath of {what}: {self.start:g} to {self.end:g} s>"


@dataclass(frozen=True, eq=False)
class CartesianPath(Path):
    """A frame over time: `path(t)` gives (pose, velocity, acceleration), 4x4 and six each, angular first, the world's axes.

    `directions` are those of ("wx", "wy", "wz", "x", "y", "z") it leads: a path of points leaves the orientation free.
    """

    position: Motion = field(kw_only=True)
    orientation: Motion | None = field(default=None, kw_only=True)  # quaternions, angular velocity and acceleration
    frame: str | None = field(default=None, kw_only=True)
    directions: tuple[str, ...] = field(default=DIRECTIONS[3:], kw_only=True)

    def __post_init__(self) -> None:
        for direction in self.directions:
            if direction not in DIRECTIONS:
                raise ArgumentError(f"the path's directions: {one_of('direction', direction, DIRECTIONS)}", concerns="directions")
        if self.orientation is None and any(d in TURNS for d in self.directions):
            raise ArgumentError("the path has no orientation, so it cannot lead wx, wy or wz", concerns="directions")

    def __call__(self, t: Any) -> Values:
        since = self._since(t)
        n = len(since)
        pose, velocity, acceleration = np.broadcast_to(np.eye(4), (n, 4, 4)).copy(), np.zeros((n, 6)), np.zeros((n, 6))
        pose[:, :3, 3], velocity[:, 3:], acceleration[:, 3:] = self.position(since)
        if self.orientation is not None:
            turn, velocity[:, :3], acceleration[:, :3] = self.orientation(since)
            pose[:, :3, :3] = quaternion.matrix(turn)
        return (pose[0], velocity[0], acceleration[0]) if np.ndim(t) == 0 else (pose, velocity, acceleration)

    def __repr__(self) -> str:
        of = f" of {self.frame!r}" if self.frame else ""
        return f"<CartesianPath{of} along {', '.join(self.directions)}: {self.start:g} to {self.end:g} s>"


@dataclass(frozen=True, eq=False)
class Run:
    """A curve run through by a timing: derivatives by time from those by s."""

    curve: Callable[[np.ndarray], Values]
    timing: Callable[[np.ndarray], Values]

    def __call__(self, t: np.ndarray) -> Values:
        s, sd, sdd = self.timing(t)
        x, slope, curvature = self.curve(s)
        return x, slope * sd[:, None], curvature * (sd * sd)[:, None] + slope * sdd[:, None]


def reached(timing: Any, *curves: Any) -> tuple[float, ...]:
    """When a timing comes to the inner knots of splines."""
    found = {float(x) for curve in curves for x in getattr(curve, "knots", ())[1:-1]}
    s = np.array(sorted(found))
    low, high = np.zeros(len(s)), np.full(len(s), float(timing.duration))
    for _ in range(60 if len(s) else 0):
        middle = 0.5 * (low + high)
        before = timing(middle)[0] < s
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return tuple(float(x) for x in high)


@dataclass(frozen=True, eq=False)
class Joined:
    """Several motions one after the other."""

    motions: tuple[Motion, ...]
    starts: np.ndarray  # when each begins

    def __call__(self, t: np.ndarray) -> Values:
        at = np.clip(np.searchsorted(self.starts, t, side="right") - 1, 0, len(self.motions) - 1)
        made: list[np.ndarray] | None = None
        for k in np.unique(at) if len(at) else [0]:
            here = at == k
            found = self.motions[k](t[here] - self.starts[k])
            if made is None:
                made = [np.empty((len(t), x.shape[1])) for x in found]
            for whole, part in zip(made, found, strict=True):
                whole[here] = part
        assert made is not None
        return made[0], made[1], made[2]


def sequence(paths: Sequence[Any]) -> Any:
    """Paths one after the other, as one: all of joints, or all of the same frame; each begins where the one before ends."""
    if not paths or not all(isinstance(p, Path) for p in paths):
        raise ArgumentError("a sequence needs paths, such as paths.sequence(a, b)", concerns="paths")
    first = paths[0]
    duration, starts, breaks, corners = 0.0, [], [], []
    for k, path in enumerate(paths):
        _fits(first, path, k)
        if k:
            _meets(paths[k - 1], path, k)
            breaks.append(first.start + duration)
        breaks += [first.start + duration + x - path.start for x in path.breaks]
        corners += [first.start + duration + x - path.start for x in path.corners]
        starts.append(duration)
        duration += path.duration
    begin = np.array(starts)

    def joined(motions: Sequence[Any]) -> Joined:
        return Joined(tuple(motions), begin)

    common: dict[str, Any] = {"duration": duration, "breaks": tuple(breaks), "corners": tuple(corners)}
    if isinstance(first, JointPath):
        return replace(first, motion=joined([p.motion for p in paths]), **common)
    turned = None if first.orientation is None else joined([p.orientation for p in paths])
    return replace(first, position=joined([p.position for p in paths]), orientation=turned, **common)


def _fits(first: Any, path: Any, k: int) -> None:
    same = type(path) is type(first)
    if same and isinstance(path, JointPath):
        same = path.names == first.names and path.size == first.size
    elif same:
        same = (path.frame, path.directions) == (first.frame, first.directions)
    if not same:
        raise ArgumentError(
            f"path {k + 1} of the sequence, {path!r}, does not lead what the first does, {first!r}", concerns="paths"
        )


def _meets(before: Any, after: Any, k: int) -> None:
    for what, a, b in zip(("place", "speed"), before(before.end)[:2], after(after.start)[:2], strict=True):
        off = float(np.abs(a - b).max())
        if off > MEET * max(1.0, float(np.abs(a).max())):
            raise ArgumentError(
                f"path {k + 1} of the sequence begins with another {what} than path {k} ends with, {off:.3g} away; "
                f"paths from rest to rest, such as those with timing='quintic', join",
                concerns="paths",
            )

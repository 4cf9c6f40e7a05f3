"""Work along a run, by Gauss's quadrature over the integrator's own interpolation of every step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre

from lagrangian.motion.quadrature import rule
from lagrangian.motion.run.trajectory import Trajectory
from lagrangian.motion.solver.segment import Segment
from lagrangian.motion.system.prepared import prepared

NODES = 8
CHUNK = 2048  # steps at a time, so that long runs need little memory
# what the last coefficients of a step's power may be, of the largest power; where they are larger, the step is halved; steps
# that are shorter than the mean may have larger ones, as they add less to the work
TAIL = 1e-11
HALVINGS = 6
# of a power that has noise, the coefficients of neither half are smaller than this part of those of the whole: it stays as it is
NOISE = 0.25


@dataclass
class Pieces:
    """Parts of the steps of a segment, in the order of time: which step, from when and until when."""

    segment: Segment
    step: np.ndarray
    start: np.ndarray
    end: np.ndarray

    def times(self, at: np.ndarray) -> np.ndarray:
        """Places between 0 and 1 in every piece, as times."""
        found: np.ndarray = self.start[:, None] + (self.end - self.start)[:, None] * at
        return found

    def states(self, trajectory: Trajectory, times: np.ndarray) -> np.ndarray:
        """States at times (pieces, places), one row after the other."""
        steps = self.segment.steps[self.step, :2]
        theta = (times - steps[:, :1]) / steps[:, 1:]
        return trajectory.replayed(self.segment, np.repeat(self.step, times.shape[1]), theta.ravel())

    def some(self, which: np.ndarray | slice) -> Pieces:
        return Pieces(self.segment, self.step[which], self.start[which], self.end[which])


def whole_steps(trajectory: Trajectory) -> Iterator[Pieces]:
    """All steps of a run, some at a time."""
    for segment in trajectory.segments:
        starts = segment.steps[:, 0]
        ends = np.append(starts[1:], segment.until)
        for first in range(0, len(starts), CHUNK):
            some = slice(first, min(first + CHUNK, len(starts)))
            yield Pieces(segment, np.arange(some.start, some.stop), starts[some], ends[some])


def work(trajectory: Trajectory, t: np.ndarray) -> dict[str, np.ndarray]:
    """What torques, friction, moving constraints and wrenches have done until each of the times.

    And what impacts took, and payloads and parameters brought that events set.
    """
    nv, constrained = trajectory.dyn.nv, bool(trajectory.dyn.mechanism.equation_count)
    if idle(trajectory):
        none = {"torque": np.zeros((len(t), nv)), "friction": np.zeros((len(t), nv))}
        return {**none, **({"constraints": np.zeros(len(t))} if constrained else {}), **_at_once(trajectory, t)}
    total = np.zeros(2 * nv + 2)
    found = np.zeros((len(t), 2 * nv + 2))
    row, largest = 0, 0.0
    for pieces in whole_steps(trajectory):
        pieces, coefficients = _resolved(trajectory, pieces, largest)
        largest = max(largest, _size(coefficients))
        until = row + int(np.searchsorted(t[row:], pieces.end[-1], side="right"))
        found[row:until], total = _until(pieces, coefficients, t[row:until], total)
        row = until
    found[row:] = total
    result = {"torque": found[:, :nv], "friction": found[:, nv : 2 * nv]}
    if constrained:
        result["constraints"] = found[:, 2 * nv]
    if trajectory.supply.source.wrenches:
        result["wrenches"] = found[:, 2 * nv + 1]
    return {**result, **_at_once(trajectory, t)}


def _until(pieces: Pieces, coefficients: np.ndarray, t: np.ndarray, total: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Work until times within some pieces, and until their end; `total` is what was done before them."""
    _, _, integral = rule(NODES)
    width = (pieces.end - pieces.start)[:, None]
    grown = width * coefficients[:, 0]
    before = total + np.vstack([np.zeros_like(total), np.cumsum(grown, axis=0)[:-1]])
    here = np.clip(np.searchsorted(pieces.start, t, side="right") - 1, 0, len(pieces.start) - 1)
    x = 2 * (t - pieces.start[here]) / np.where(width > 0, width, 1.0)[here, 0] - 1  # a step of rounding alone has no width
    basis = legendre.legvander(x, NODES) @ integral.T
    part = np.einsum("rk,rkc->rc", basis, coefficients[here])
    return before[here] + 0.5 * width[here] * part, total + grown.sum(axis=0)


def _resolved(trajectory: Trajectory, pieces: Pieces, largest: float) -> tuple[Pieces, np.ndarray]:
    """Pieces short enough for the power over each to be a polynomial, and its coefficients.

    Steps are as long as the motion allows, and the forces along it may vary faster: those of a motion that is led, say.
    `largest` is the power before: beside it, that of a mechanism which has come to rest is rounding, and no polynomial.
    """
    at, fit, _ = rule(NODES)
    mean = (trajectory.t - trajectory.start) / max(1, trajectory.accepted)
    coefficients = np.einsum("kn,snc->skc", fit, power(trajectory, pieces, (at + 1) / 2))
    noisy = np.zeros(len(coefficients), dtype=bool)
    for _ in range(HALVINGS):
        size = max(largest, _size(coefficients))
        tail, width = _tail(coefficients), pieces.end - pieces.start
        with np.errstate(invalid="ignore"):
            rough = (tail * np.minimum(width, mean) > TAIL * size * mean) & ~noisy
        if not rough.any():
            break
        middle = 0.5 * (pieces.start + pieces.end)
        new = pieces.some(np.repeat(np.flatnonzero(rough), 2))
        new.end[::2] = new.start[1::2] = middle[rough]
        fresh = np.einsum("kn,snc->skc", fit, power(trajectory, new, (at + 1) / 2))
        same = _tail(fresh).reshape(-1, 2).min(axis=1) > NOISE * tail[rough]
        kept = pieces.some(~rough)
        order = np.argsort(np.concatenate([kept.start, new.start]), kind="stable")
        pieces = Pieces(
            pieces.segment,
            *(np.concatenate([a, b])[order] for a, b in ((kept.step, new.step), (kept.start, new.start), (kept.end, new.end))),
        )
        coefficients = np.concatenate([coefficients[~rough], fresh])[order]
        noisy = np.concatenate([noisy[~rough], np.repeat(same, 2)])[order]
    return pieces, coefficients


def _tail(coefficients: np.ndarray) -> np.ndarray:
    """How large the last coefficients of every piece are."""
    found: np.ndarray = np.abs(coefficients[:, -2:]).max(axis=(1, 2))
    return found


def _size(coefficients: np.ndarray) -> float:
    return float(np.abs(coefficients).max(initial=0.0))


def _at_once(trajectory: Trajectory, t: np.ndarray) -> dict[str, np.ndarray]:
    """By how much the energy has changed at once until each of the times, by what changed it."""
    found: dict[str, np.ndarray] = {}
    for when, change, what in [*((when, change, "impacts") for when, change in trajectory.impacts), *trajectory.changes]:
        found[what] = found.get(what, np.zeros(len(t))) + np.where(t >= when, change, 0.0)
    return found


def idle(trajectory: Trajectory) -> bool:
    """Whether nothing does work but what is in the potential energy: no torque, wrench or friction, no constraint that moves."""
    source = trajectory.supply.source
    driven = source.formulas or source.external or source.adjustable or source.traced is not None or source.wrenches
    return not driven and prepared(trajectory.dyn).conservative


def power(trajectory: Trajectory, pieces: Pieces, at: np.ndarray) -> np.ndarray:
    """(pieces, places, power of every torque, friction force, of all moving constraints, and of all wrenches)."""
    dyn, times = trajectory.dyn, pieces.times(at)
    y = pieces.states(trajectory, times)
    y = trajectory.settled_in(pieces.segment, times.ravel(), y)
    out = trajectory.outputs_in(pieces.segment, times.ravel(), y)
    qd = y[:, dyn.nq :]
    moving = -np.einsum("sm,sm->s", out["multipliers"], out["phi"])[:, None]
    pushed = np.einsum("sn,sn->s", out["loads"], qd)[:, None] if "loads" in out else np.zeros_like(moving)
    found = np.hstack([out["tau"] * qd, -out["friction"] * qd, moving, pushed])
    return found.reshape(len(pieces.start), len(at), 2 * dyn.nv + 2)

"""Inverse kinematics of one place: damped least squares within the joints' limits, for any mechanism, loops included.

Nakamura and Hanafusa 1986, Wampler 1986; the damping is Levenberg's and Marquardt's. From many starts if need be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.configuration.assemble import dynamics_of, guess, moved, number, same, single_coordinates, turned
from lagrangian.description.mechanism_of import MechanismLike
from lagrangian.errors import ArgumentError, ReachError, is_number, shown
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kinematics.goal import FrameGoal, JointGoal, Requirements, told
from lagrangian.model.loop import DIRECTIONS, Frame
from lagrangian.model.mechanism import Mechanism
from lagrangian.paths.arguments import different, place

STARTS, ITERATIONS = 60, 150
MET = 1e-11  # residuals, as parts of the mechanism's size, that count as none


def inverse_kinematics(
    mechanism: MechanismLike | Dynamics,
    target: Any,
    frame: str | Frame | None = None,
    q0: Any = None,
    *,
    directions: Sequence[str] | None = None,
    limits: bool = True,
    every: bool = False,
    starts: int = STARTS,
    t: float = 0.0,
) -> Any:
    """A configuration that brings `frame` to `target`: a point (x, y) or (x, y, z), or a 4x4 pose. Loops stay closed.

    `target` may also map coordinates to values, for a mechanism with loops whose other coordinates follow. `q0` is where to begin
    (an array, a mapping, or the name of a pose): the solution is one near to it. `directions` says which of wx, wy, wz, x, y, z
    count; otherwise those the target has. With `every`, all configurations are given, as a list: in closed form for planar 2R
    arms and 6R arms with a spherical wrist, else those that are found from many starts.
    """
    dyn = dynamics_of(mechanism)
    if isinstance(starts, bool) or not isinstance(starts, (int, np.integer)) or starts < 0:
        raise ArgumentError(f"starts is {starts!r:.60}; a whole number, not negative, is needed")
    if not is_number(t):
        raise ArgumentError(f"t is {t!r:.60}; a finite time is needed")
    if not isinstance(limits, (bool, np.bool_)):
        raise ArgumentError(f"limits is {limits!r:.60}; True or False is needed")
    if isinstance(target, Mapping) and not target:
        raise ArgumentError("the target has no coordinates; give some, such as {'theta1': 0.5}, or a place of a frame")
    if isinstance(target, Mapping):
        if frame is not None or directions is not None:
            raise ArgumentError("the target is of coordinates, so it has no frame and no directions")
        goal: Any = JointGoal(dyn, tuple(target))
        wanted = np.array([[number(x, f"the target of {n!r}") for n, x in target.items()]])
    else:
        goal, wanted = _frame_goal(dyn, target, frame, directions)
    if not every:
        return reach(Requirements(dyn, goal), wanted[0], q0, t, limits, starts)
    return _every(dyn, goal, wanted, q0, t, limits, starts)


def _frame_goal(dyn: Dynamics, target: Any, frame: Any, directions: Any) -> tuple[FrameGoal, np.ndarray]:
    if frame is None:
        raise ArgumentError(
            "does not say which frame is to get there",
            argument="frame",
            remedy=f"give one of {', '.join(list(dyn.mechanism._frames)[:20])}",
        )
    try:
        x = np.asarray(target, dtype=float)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.shape not in ((2,), (3,), (4, 4)) or not np.isfinite(x).all():
        raise ArgumentError(f"the target is {shown(target)}; a point (x, y) or (x, y, z), or a 4x4 pose, is needed")
    pose = np.eye(4)
    if x.ndim == 2:
        place(x, "the target")  # which says if it is no pose
        pose[:] = x
    else:
        pose[: len(x), 3] = x
    led = different(directions, "directions") or (DIRECTIONS if x.ndim == 2 else DIRECTIONS[3 : 3 + len(x)])
    if x.ndim == 1 and any(d.startswith("w") for d in led):
        raise ArgumentError("the target is a point, so it has no directions wx, wy, wz; give a 4x4 pose")
    return FrameGoal(dyn, frame, led), pose[None]


def bounds(model: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Of every speed's coordinate; those of joints with quaternions have none."""
    low, high = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    for name, (_, iv) in single_coordinates(model).items():
        joint = next(j for j in model.joints if name in j.coordinate_names)
        low[iv], high[iv] = float(joint.limits.lower), float(joint.limits.upper)
    return low, high


def reach(requirements: Requirements, wanted: np.ndarray, q0: Any, t: float, limits: bool, starts: int) -> np.ndarray:
    """From q0, and then from ever further away from it, until all equations are met; of several, the nearest to q0.

    Where q0 names some coordinates only, it is these that count.
    """
    model = requirements.dyn.mechanism
    box = Box(model, limits)
    begin = box.turned(requirements.dyn, guess(requirements.dyn, q0))
    near, miss = descend(requirements, wanted, begin[None], t, limits)
    named = [iq for name, (iq, _) in single_coordinates(model).items() if isinstance(q0, Mapping) and name in q0]
    if miss[0] <= MET and not named:
        return near[0]
    if starts:
        rng = np.random.default_rng(0)
        spread = np.pi * (np.arange(1, starts + 1) / starts)[:, None]
        others = box.anywhere(moved(model, begin, spread * rng.normal(size=(starts, model.nv))), rng)
        others[:, named] = begin[named]
        more, off = descend(requirements, wanted, others, t, limits)
        near, miss = np.vstack([near, more]), np.append(miss, off)
        met = np.flatnonzero(miss <= MET)
        if met.size:
            away = np.abs(near[met] - begin)[:, named or slice(None)].max(axis=1)
            return near[met[np.argmin(np.round(away, 9))]]
    best = near[np.argmin(miss)]
    off = requirements.residual(best[None], wanted[None], np.array([t]))[0]
    kept = " within the limits of its joints" if limits and np.isfinite(np.concatenate(bounds(model))).any() else ""
    raise ReachError(
        f"{model.name}: out of reach{kept}: at the nearest place found {told(requirements.names, off)}. "
        f"The target may be too far, or ask for more directions than the mechanism can move in"
    )


def descend(of: Requirements, wanted: np.ndarray, q: np.ndarray, t: float, limits: bool) -> tuple[np.ndarray, np.ndarray]:
    """Levenberg and Marquardt's steps towards one target from many starts at once: where they end, and by how much they miss.

    Misses are the worst residual of each, as a part of the mechanism's size.
    """
    model, n = of.dyn.mechanism, len(q)
    box = Box(model, limits)
    q, times = box.inside(q), np.full(n, float(t))
    target = np.broadcast_to(wanted, (n, *wanted.shape))
    r = of.residual(q, target, times)
    error, damping, size = (r * r).sum(axis=1), np.full(n, 1e-9), np.ones(n)
    going = np.ones(n, dtype=bool)
    for _ in range(ITERATIONS):
        going &= np.abs(r).max(axis=1, initial=0.0) > 1e-14 * size
        k = np.flatnonzero(going)
        if not k.size:
            break
        A = of.matrix(q[k], times[k], positions=True)
        size[k] = np.maximum(1.0, np.abs(A).max(axis=(1, 2), initial=0.0))
        trial = moved(model, q[k], box.step(q[k], A, r[k], damping[k]))
        after = of.residual(trial, target[k], times[k])
        new = (after * after).sum(axis=1)
        better = new < error[k]
        slow = better & (new > 0.25 * error[k]) & (new < 1e-24)
        stuck = ~better & ((damping[k] > 1e8) | (error[k] < 1e-26))
        damping[k] = np.where(better, np.maximum(damping[k] / 10, 1e-12), np.maximum(1e-6, 10 * damping[k]))
        kept = k[better]
        q[kept], r[kept], error[kept] = trial[better], after[better], new[better]
        going[k[slow | stuck]] = False
    return q, np.abs(r).max(axis=1, initial=0.0) / size


class Box:
    """The limits of the joints, and steps that keep them."""

    def __init__(self, model: Mechanism, limits: bool) -> None:
        low, high = bounds(model)
        self.low, self.high = (low, high) if limits else (np.full_like(low, -np.inf), np.full_like(high, np.inf))
        places = list(single_coordinates(model).values())
        self.iq, self.iv = [q for q, _ in places], [v for _, v in places]

    def inside(self, q: np.ndarray) -> np.ndarray:
        q = q.copy()
        q[:, self.iq] = np.clip(q[:, self.iq], self.low[self.iv], self.high[self.iv])
        return q

    def turned(self, dyn: Dynamics, q: np.ndarray) -> np.ndarray:
        """Angles outside their limits brought inside by whole turns where these do it, and to the nearest limit where not."""
        q, angles = q.copy(), set(dyn.angles)
        for iq, low, high in zip(self.iq, self.low[self.iv], self.high[self.iv], strict=True):
            if iq in angles and not low <= q[iq] <= high:
                turns = np.ceil((low - q[iq]) / (2 * np.pi)) if q[iq] < low else np.floor((high - q[iq]) / (2 * np.pi))
                there = q[iq] + 2 * np.pi * turns
                q[iq] = there if low <= there <= high else q[iq]
        return self.inside(q[None])[0]

    def anywhere(self, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Coordinates that lie outside drawn again between their limits: at these few places are reached from."""
        low, high = self.low[self.iv], self.high[self.iv]
        at, bounded = q[:, self.iq], np.isfinite(high - low)
        outside = bounded & ((at < low) | (at > high))
        drawn = rng.uniform(np.where(bounded, low, 0.0), np.where(bounded, high, 1.0), at.shape)
        q[:, self.iq] = np.where(outside, drawn, at)
        return q

    def step(self, q: np.ndarray, A: np.ndarray, r: np.ndarray, damping: np.ndarray) -> np.ndarray:
        """Damped steps, at most 1 rad or m long; joints they would take past their limits go there, and others make up for it."""
        at = np.zeros((len(q), len(self.low)))
        at[:, self.iv] = q[:, self.iq]
        free, step = np.ones(at.shape, dtype=bool), np.zeros(at.shape)
        for _ in range(3):
            B = A * free[:, None, :]
            gram = B @ np.swapaxes(B, 1, 2)
            scale = np.maximum(np.trace(gram, axis1=1, axis2=2) / max(1, A.shape[1]), 1e-300)
            gram += (np.maximum(damping, 1e-14) * scale)[:, None, None] * np.eye(A.shape[1])
            right = r + np.einsum("nij,nj->ni", A, np.where(free, 0.0, step))
            move = -np.einsum("nij,ni->nj", B, np.linalg.solve(gram, right[..., None])[..., 0])
            move *= np.minimum(1.0, 1.0 / np.maximum(np.abs(move).max(axis=1, keepdims=True), 1e-300))
            step = np.where(free, move, step)
            past = free & ((at + step < self.low) | (at + step > self.high))
            if not past.any():
                break
            step = np.where(past, np.clip(at + step, self.low, self.high) - at, step)
            free &= ~past
        return step


def _every(dyn: Dynamics, goal: Any, wanted: np.ndarray, q0: Any, t: float, limits: bool, starts: int) -> list[np.ndarray]:
    from lagrangian.kinematics.branches import branches, within_limits

    model, requirements = dyn.mechanism, Requirements(dyn, goal)
    if isinstance(goal, FrameGoal) and not model.equations:
        exact = branches(model, _closed(goal, wanted[0]), goal.frame) if _complete(goal, dyn, guess(dyn, q0)) else None
        if exact is not None:
            kept = [q for q in exact if not limits or within_limits(model, q)]
            if not kept:
                raise ReachError(f"{model.name}: out of reach{' within the limits of its joints' * bool(exact)}")
            return kept
    first = reach(requirements, wanted[0], q0, t, limits, starts)
    rank, _ = requirements.rank(first[None], np.array([t]), positions=True)
    if rank[0] < dyn.nv:
        raise ReachError(
            f"{model.name}: {dyn.nv - rank[0]} of its motions leave the target where it is, so there are infinitely many "
            f"configurations; without `every` one near q0 is given"
        )
    rng, found = np.random.default_rng(0), [first]
    begun = np.array([model.random_configuration(rng) for _ in range(8 * starts)])
    ended, miss = descend(requirements, wanted[0], begun, t, limits)
    for q in ended[miss <= MET]:
        if not any(same(dyn, q, other) for other in found):
            found.append(q if limits and not within_limits(model, turned(dyn, q)) else turned(dyn, q))
    return found


def _complete(goal: FrameGoal, dyn: Dynamics, q: np.ndarray) -> bool:
    """Whether the goal is one that closed forms are for: a pose of six joints, or a point of two."""
    led = set(goal.names)
    if dyn.nv == 2 and led == {"x", "y"}:  # as long as it moves in that plane
        return not np.abs(dyn.jacobian(q, goal.frame)[5]).max() > 1e-9
    return led == set(DIRECTIONS) if dyn.nv == 6 else dyn.nv == 2 and led == {"x", "y", "z"}


def _closed(goal: FrameGoal, pose: np.ndarray) -> np.ndarray:
    return pose if len(goal.names) == 6 else pose[: len(goal.names), 3]

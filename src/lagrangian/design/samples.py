"""Configurations drawn between the limits of a mechanism's joints, with loops closed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lagrangian.configuration.bounds import Bounds
from lagrangian.configuration.coordinates import moved, periodic_coordinates, single_coordinates
from lagrangian.configuration.loops import CLOSED, Loops
from lagrangian.design.freedom import units_of
from lagrangian.design.linkage import interval, within_limits
from lagrangian.errors import Argument, ArgumentError, AssemblyError, one_of
from lagrangian.kernels.cartesian import freedom
from lagrangian.kernels.dynamics import Dynamics

LOOKED_AT = 64  # samples at which the rank of a Jacobian is taken
FLAT = 1e-9  # of the extent


def ranges_of(dyn: Dynamics, over: Any, limits: bool) -> Bounds:
    """The joints' limits, with the ranges that the caller gives in their place; a slide that is drawn from needs some."""
    bounds, given = Bounds(dyn.mechanism, limits), over if over is not None else {}
    if not isinstance(given, Mapping):
        raise ArgumentError("must map coordinates to ranges", argument="over", remedy="for example {'theta1': (-1.5, 1.5)}")
    for name, span in given.items():
        if name not in bounds.names:
            raise ArgumentError(one_of("coordinate", name, bounds.names), where=Argument("over"))
        made, k = interval(span), bounds.names.index(name)
        assert made is not None
        bounds.low[k], bounds.high[k] = within_limits(bounds, name, made)
    turning = set(periodic_coordinates(dyn.mechanism))
    drawn = _drawn(dyn)
    for name, iq, low, high in zip(bounds.names, bounds.iq, bounds.low, bounds.high, strict=True):
        if name in drawn and iq not in turning and not math.isfinite(high - low):
            raise ArgumentError(
                f"{dyn.mechanism.name}: {name!r} has no limits, so the workspace is unbounded",
                concerns="over",
                remedy=f"give its range, {Argument('over', {name: (0.0, 1.0)})}",
            )
    return bounds


def _drawn(dyn: Dynamics) -> list[str]:
    """The coordinates that are drawn: all of a tree, the actuated ones where loops determine the others."""
    model, places = dyn.mechanism, single_coordinates(dyn.mechanism)
    if not model.equations:
        return list(places)
    driven = [n for j in model.joints if j.actuated for n in j.coordinate_names if n in places]
    if not driven:
        raise ArgumentError(f"{model.name} has loops, but none of its joints is actuated; mark the joints that drive it")
    return driven


def sampled(dyn: Dynamics, bounds: Bounds, number: int, seed: int, start: np.ndarray | None) -> np.ndarray:
    """Rows of configurations within bounds: evenly spread (Sobol), loops closed from the start and from random ones."""
    from scipy.stats import qmc

    model, rng, names = dyn.mechanism, np.random.default_rng(seed), _drawn(dyn)
    q = np.tile(model.neutral() if start is None else start, (number, 1))
    places = [bounds.names.index(n) for n in names]
    low = np.array([bounds.low[k] if math.isfinite(bounds.low[k]) else _below(bounds.high[k]) for k in places])
    high = np.array([bounds.high[k] if math.isfinite(bounds.high[k]) else low[i] + 2 * math.pi for i, k in enumerate(places)])
    if places:
        spread = qmc.Sobol(len(places), seed=rng).random_base2(math.ceil(math.log2(number)))[:number]
        q[:, [bounds.iq[k] for k in places]] = low + spread * (high - low)
    if start is None:
        return _turned(dyn, q, rng)
    return _closed(dyn, q, bounds, tuple(names), start, rng)


def _below(high: float) -> float:
    """Where a turn begins that ends at a limit, or around zero where there is none."""
    return high - 2 * math.pi if math.isfinite(high) else -math.pi


def _turned(dyn: Dynamics, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """With joints that have quaternions at random orientations; those that fly are no workspace."""
    at = 0
    for joint in dyn.mechanism.joints:
        if joint.kind.nq != joint.kind.nv:
            if any(joint.slides):
                raise ArgumentError(
                    f"{dyn.mechanism.name}: joint {joint.name!r} leaves a body free, so the workspace is unbounded"
                )
            turns = rng.normal(size=(len(q), 4))
            q[:, at : at + 4] = turns / np.linalg.norm(turns, axis=1, keepdims=True)
        at += joint.kind.nq
    return q


def _closed(
    dyn: Dynamics, q: np.ndarray, bounds: Bounds, held: tuple[str, ...], start: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Those whose loops close within the limits: half of them from where the start has the others, half from anywhere."""
    loops, model = Loops(dyn, 0.0, held), dyn.mechanism
    away = rng.uniform(-np.pi, np.pi, (len(q), dyn.nv)) * loops.free * units_of(model)
    away[: len(q) // 2] = 0.0
    found = loops.nearest(moved(model, q, away))
    rows = bounds.turned_inside(found.q)
    good = (found.miss <= CLOSED) & loops.alignment.met(rows) & ~bounds.outside(rows).any(axis=1)
    kept = np.vstack([start[None], rows[good]]) if not bounds.outside(start).any() else rows[good]
    if not len(kept):
        raise AssemblyError(
            f"{model.name}: the loops could not be closed within the limits in any of {len(q)} samples; try more samples, or a q0"
        )
    return kept


def moving_rank(dyn: Dynamics, q: np.ndarray, frame: str) -> int:
    """In how many directions a frame moves, at most samples."""
    some = q[:: max(1, len(q) // LOOKED_AT)]
    N = freedom(dyn, some, np.zeros((len(some), dyn.nv)), 0.0)[0]
    J = np.asarray(dyn.jacobian(some, frame))[:, 3:]
    s = np.linalg.svd(J if N is None else J @ N, compute_uv=False)
    return int((s > 1e-6 * max(float(s.max()), 1e-300)).sum(axis=1).max()) if s.max() > 1e-12 else 0


def plane_of(points: np.ndarray) -> np.ndarray | None:
    """Two directions of the plane that points lie in, of the world's axes where they do; None if they lie in none."""
    away = points - points.mean(axis=0)
    _, s, Vt = np.linalg.svd(away, full_matrices=False)
    if s[2] > FLAT * s[0]:
        return None
    normal = Vt[2]
    k = int(np.argmax(np.abs(normal)))
    if abs(normal[k]) > 1 - 1e-12:
        return np.eye(3)[[i for i in range(3) if i != k]]
    return Vt[:2]

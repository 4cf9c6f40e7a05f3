"""Samples of a workspace: configurations drawn between the limits of the joints, with loops closed, and what they span."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lagrangian.configuration.coordinates import (
    CoordinateBounds,
    integrate,
    periodic_coordinates,
    single_coordinates,
    speed_scales,
)
from lagrangian.configuration.loop_closure import CLOSED_TOLERANCE, LoopClosure
from lagrangian.design.linkage import as_interval, check_range_within_limits
from lagrangian.errors import ArgumentError, ArgumentName, AssemblyError, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.operational_space import constraint_null_space

RANK_SAMPLES = 64  # samples at which the rank of a Jacobian is taken
FLATNESS_TOLERANCE = 1e-9  # of the extent: points that are nearer to a plane lie in it


def sampling_bounds(dyn: Dynamics, over: Any, limits: bool) -> CoordinateBounds:
    """The limits of the joints, with the caller's ranges in their place; a slide that is sampled needs either."""
    bounds, ranges = CoordinateBounds(dyn.mechanism, limits), over if over is not None else {}
    if not isinstance(ranges, Mapping):
        raise ArgumentError("must map coordinates to ranges", argument="over", remedy="for example {'theta1': (-1.5, 1.5)}")
    for name, span in ranges.items():
        if name not in bounds.names:
            raise ArgumentError(unknown_name_message("coordinate", name, bounds.names), where=ArgumentName("over"))
        ends, k = as_interval(span), bounds.names.index(name)
        assert ends is not None
        bounds.low[k], bounds.high[k] = check_range_within_limits(bounds, name, ends)
    periodic = set(periodic_coordinates(dyn.mechanism))
    sampled_names = _sampled_coordinates(dyn)
    for name, iq, low, high in zip(bounds.names, bounds.iq, bounds.low, bounds.high, strict=True):
        if name in sampled_names and iq not in periodic and not math.isfinite(high - low):
            raise ArgumentError(
                f"{dyn.mechanism.name}: {name!r} has no limits, so the workspace is unbounded",
                concerns="over",
                remedy=f"give its range, {ArgumentName('over', {name: (0.0, 1.0)})}",
            )
    return bounds


def _sampled_coordinates(dyn: Dynamics) -> list[str]:
    """The coordinates that are drawn: all of a tree, the actuated ones where loops determine the others."""
    model, indices = dyn.mechanism, single_coordinates(dyn.mechanism)
    if not model.equation_count:
        return list(indices)
    driven = [n for j in model.joints if j.actuated for n in j.coordinate_names if n in indices]
    if not driven:
        raise ArgumentError(f"{model.name} has loops, but none of its joints is actuated; mark the joints that drive it")
    return driven


def sample_configurations(
    dyn: Dynamics, bounds: CoordinateBounds, number: int, seed: int, start: np.ndarray | None
) -> np.ndarray:
    """Configurations within bounds, evenly spread (Sobol); loops are closed from the start and from random configurations."""
    from scipy.stats import qmc

    model, rng, names = dyn.mechanism, np.random.default_rng(seed), _sampled_coordinates(dyn)
    q = np.tile(model.neutral() if start is None else start, (number, 1))
    indices = [bounds.names.index(n) for n in names]
    low = np.array([bounds.low[k] if math.isfinite(bounds.low[k]) else _turn_start(bounds.high[k]) for k in indices])
    high = np.array([bounds.high[k] if math.isfinite(bounds.high[k]) else low[i] + 2 * math.pi for i, k in enumerate(indices)])
    if indices:
        spread = qmc.Sobol(len(indices), seed=rng).random_base2(math.ceil(math.log2(number)))[:number]
        q[:, [bounds.iq[k] for k in indices]] = low + spread * (high - low)
    if start is None:
        return _randomise_orientations(dyn, q, rng)
    return _close_samples(dyn, q, bounds, tuple(names), start, rng)


def _turn_start(high: float) -> float:
    """The beginning of a turn that ends at a limit, or of one around zero if there is no limit."""
    return high - 2 * math.pi if math.isfinite(high) else -math.pi


def _randomise_orientations(dyn: Dynamics, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Configurations with joints that have quaternions at random orientations; a free joint has no bounded workspace."""
    column = 0
    for joint in dyn.mechanism.joints:
        if joint.kind.nq != joint.kind.nv:
            if any(joint.slides):
                raise ArgumentError(
                    f"{dyn.mechanism.name}: joint {joint.name!r} leaves a body free, so the workspace is unbounded"
                )
            quaternions = rng.normal(size=(len(q), 4))
            q[:, column : column + 4] = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
        column += joint.kind.nq
    return q


def _close_samples(
    dyn: Dynamics, q: np.ndarray, bounds: CoordinateBounds, fixed: tuple[str, ...], start: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Samples whose loops close within the limits, from passive coordinates as at the start (half of them) or at random."""
    loops, model = LoopClosure(dyn, 0.0, fixed), dyn.mechanism
    offsets = rng.uniform(-np.pi, np.pi, (len(q), dyn.nv)) * loops.free * speed_scales(model)
    offsets[: len(q) // 2] = 0.0
    solutions = loops.nearest(integrate(model, q, offsets))
    rows = bounds.wrap_inside(solutions.q)
    valid = (solutions.violation <= CLOSED_TOLERANCE) & loops.alignment.is_aligned(rows) & ~bounds.is_outside(rows).any(axis=1)
    closed_rows = np.vstack([start[None], rows[valid]]) if not bounds.is_outside(start).any() else rows[valid]
    if not len(closed_rows):
        raise AssemblyError(
            f"{model.name}: the loops could not be closed within the limits in any of {len(q)} samples; try more samples, or a q0"
        )
    return closed_rows


def moving_rank(dyn: Dynamics, q: np.ndarray, frame: str) -> int:
    """The number of directions in which a frame can move, in generic configurations."""
    subset = q[:: max(1, len(q) // RANK_SAMPLES)]
    N = constraint_null_space(dyn, subset, np.zeros((len(subset), dyn.nv)), 0.0)[0]
    J = np.asarray(dyn.jacobian(subset, frame))[:, 3:]
    s = np.linalg.svd(J if N is None else J @ N, compute_uv=False)
    return int((s > 1e-6 * max(float(s.max()), 1e-300)).sum(axis=1).max()) if s.max() > 1e-12 else 0


def plane_basis(points: np.ndarray) -> np.ndarray | None:
    """Two unit vectors of the plane that points lie in, axes of the world if possible; None if they lie in no plane."""
    offsets = points - points.mean(axis=0)
    _, s, Vt = np.linalg.svd(offsets, full_matrices=False)
    if s[2] > FLATNESS_TOLERANCE * s[0]:
        return None
    normal = Vt[2]
    k = int(np.argmax(np.abs(normal)))
    if abs(normal[k]) > 1 - 1e-12:
        return np.eye(3)[[i for i in range(3) if i != k]]
    return Vt[:2]

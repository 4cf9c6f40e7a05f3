"""Whether places can be reached: Newton's method for many places at once, within the joints' limits and with loops closed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.configuration.coordinates import CoordinateBounds, integrate, periodic_coordinates, single_coordinates
from lagrangian.configuration.loop_closure import CLOSED_TOLERANCE, LoopClosure
from lagrangian.configuration.newton import Newton
from lagrangian.design.freedom import speed_scales
from lagrangian.design.linkage import as_interval, check_range_within_limits
from lagrangian.errors import ArgumentError, ArgumentName, AssemblyError, unknown_name_message
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.operational_space import constraint_null_space
from lagrangian.model.mechanism import Mechanism

POSITION_TOLERANCE = 1e-11  # of the slopes' size: places that are missed by less are reached
TRIES, NEARBY = 30, 18  # steps of Newton's method, from afar and from the place before
HALVINGS = 30
AT_LIMIT = 1e-7  # rad or m


@dataclass(eq=False)
class ReachSolver:
    """Places of a frame's origin, in coordinates along `basis` (k, 3) about `origin`, as equations for Newton's method."""

    dyn: Dynamics
    frame: str
    basis: np.ndarray
    origin: np.ndarray
    bounds: CoordinateBounds
    _targets: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)), init=False)

    def __post_init__(self) -> None:
        self._loops = LoopClosure(self.dyn)
        self._newton = Newton(self, bounds=self.bounds, iterations=TRIES)
        self._nearby = Newton(self, bounds=self.bounds, iterations=NEARBY)

    @property
    def mechanism(self) -> Mechanism:
        return self.dyn.mechanism

    def positions(self, q: np.ndarray) -> np.ndarray:
        """Where the frame is at rows of configurations."""
        positions: np.ndarray = (np.asarray(self.dyn.pose(q, self.frame))[:, :3, 3] - self.origin) @ self.basis.T
        return positions

    def to_world(self, positions: np.ndarray) -> np.ndarray:
        """Places as points (x, y, z)."""
        points: np.ndarray = positions @ self.basis + self.origin
        return points

    def residual(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        error = self.positions(q) - self._targets[rows]
        return np.hstack([self.dyn.loop_residual(q), error]) if self._loops else error

    def jacobian(self, q: np.ndarray, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        J: np.ndarray = self.basis @ np.asarray(self.dyn.jacobian(q, self.frame))[:, 3:]
        return np.concatenate([self.dyn.constraint_jacobian(q)[:, self.dyn.holonomic], J], axis=1) if self._loops else J

    def solve(self, targets: np.ndarray, guess: np.ndarray, nearby: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Configurations that bring the frame to places, from rows to begin with; and which of them do."""
        if not len(targets):
            return guess, np.zeros(0, dtype=bool)
        self._targets = targets
        solution = (self._nearby if nearby else self._newton).solve(guess)
        converged = solution.violation <= POSITION_TOLERANCE
        return solution.q, converged & self._loops.alignment.is_aligned(solution.q) if self._loops else converged

    def limit_corners(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Configurations in which the joints are at limits that have them in neighbours a or b; and which there are.

        Where the boundary passes from one limit to another, it has a corner in which both hold.
        """
        iq, low, high = self.bounds.iq, self.bounds.low, self.bounds.high
        limit = [
            np.where(np.abs(q[:, iq] - low) < AT_LIMIT, low, np.where(np.abs(q[:, iq] - high) < AT_LIMIT, high, np.nan))
            for q in (a, b)
        ]
        gained, given_up = np.isnan(limit[0]) & ~np.isnan(limit[1]), ~np.isnan(limit[0]) & np.isnan(limit[1])
        change = np.asarray(gained.any(axis=1) & given_up.any(axis=1))
        limit_values = np.where(np.isnan(limit[0]), limit[1], limit[0])
        q, is_corner = a.copy(), change.copy()
        q[:, iq] = np.where(np.isnan(limit_values) | ~change[:, None], q[:, iq], limit_values)
        for k in np.flatnonzero(change) if self._loops else ():
            names = [n for n, x in zip(self.bounds.names, limit_values[k], strict=True) if not np.isnan(x)]
            closed = LoopClosure(self.dyn, 0.0, names).nearest(q[k])
            q[k], is_corner[k] = (
                closed.q[0],
                closed.violation[0] <= POSITION_TOLERANCE and not self.bounds.is_outside(closed.q[0]).any(),
            )
        return q, is_corner

    def solve_from_both(
        self, targets: np.ndarray, a: np.ndarray, b: np.ndarray, nearby: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same from two rows to begin with for each place, which may be of different branches."""
        n = len(targets)
        q, converged = self.solve(np.vstack([targets, targets]), np.vstack([a, b]), nearby)
        return np.where(converged[:n, None], q[:n], q[n:]), converged[:n] | converged[n:]

    def furthest_reachable(
        self, a: np.ndarray, b: np.ndarray, inside: np.ndarray, outside: np.ndarray, halvings: int = HALVINGS
    ) -> tuple[np.ndarray, np.ndarray]:
        """The last places that can be reached on the ways from places inside to places outside, from configurations a or b."""
        low, high, configurations = np.zeros(len(a)), np.ones(len(a)), a.copy()
        for _ in range(halvings):
            middle = (low + high) / 2
            q, converged = self.solve_from_both(inside + middle[:, None] * (outside - inside), configurations, b, nearby=True)
            configurations = np.where(converged[:, None], q, configurations)
            low, high = np.where(converged, middle, low), np.where(converged, high, middle)
        return inside + low[:, None] * (outside - inside), configurations


# MERGED lagrangian.design.samples: Configurations drawn between the limits of a mechanism's joints, with loops closed.

RANK_SAMPLES = 64  # samples at which the rank of a Jacobian is taken
FLAT = 1e-9  # of the extent


def sampling_bounds(dyn: Dynamics, over: Any, limits: bool) -> CoordinateBounds:
    """The joints' limits, with the ranges that the caller gives in their place; a slide that is drawn from needs some."""
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
    model, places = dyn.mechanism, single_coordinates(dyn.mechanism)
    if not model.equation_count:
        return list(places)
    driven = [n for j in model.joints if j.actuated for n in j.coordinate_names if n in places]
    if not driven:
        raise ArgumentError(f"{model.name} has loops, but none of its joints is actuated; mark the joints that drive it")
    return driven


def sample_configurations(
    dyn: Dynamics, bounds: CoordinateBounds, number: int, seed: int, start: np.ndarray | None
) -> np.ndarray:
    """Rows of configurations within bounds: evenly spread (Sobol), loops closed from the start and from random ones."""
    from scipy.stats import qmc

    model, rng, names = dyn.mechanism, np.random.default_rng(seed), _sampled_coordinates(dyn)
    q = np.tile(model.neutral_configuration() if start is None else start, (number, 1))
    places = [bounds.names.index(n) for n in names]
    low = np.array([bounds.low[k] if math.isfinite(bounds.low[k]) else _turn_start(bounds.high[k]) for k in places])
    high = np.array([bounds.high[k] if math.isfinite(bounds.high[k]) else low[i] + 2 * math.pi for i, k in enumerate(places)])
    if places:
        spread = qmc.Sobol(len(places), seed=rng).random_base2(math.ceil(math.log2(number)))[:number]
        q[:, [bounds.iq[k] for k in places]] = low + spread * (high - low)
    if start is None:
        return _randomise_orientations(dyn, q, rng)
    return _close_samples(dyn, q, bounds, tuple(names), start, rng)


def _turn_start(high: float) -> float:
    """Where a turn begins that ends at a limit, or around zero where there is none."""
    return high - 2 * math.pi if math.isfinite(high) else -math.pi


def _randomise_orientations(dyn: Dynamics, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """With joints that have quaternions at random orientations; those that fly are no workspace."""
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
    """Those whose loops close within the limits: half of them from where the start has the others, half from anywhere."""
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
    """In how many directions a frame moves, at most samples."""
    subset = q[:: max(1, len(q) // RANK_SAMPLES)]
    N = constraint_null_space(dyn, subset, np.zeros((len(subset), dyn.nv)), 0.0)[0]
    J = np.asarray(dyn.jacobian(subset, frame))[:, 3:]
    s = np.linalg.svd(J if N is None else J @ N, compute_uv=False)
    return int((s > 1e-6 * max(float(s.max()), 1e-300)).sum(axis=1).max()) if s.max() > 1e-12 else 0


def plane_basis(points: np.ndarray) -> np.ndarray | None:
    """Two directions of the plane that points lie in, of the world's axes where they do; None if they lie in none."""
    offsets = points - points.mean(axis=0)
    _, s, Vt = np.linalg.svd(offsets, full_matrices=False)
    if s[2] > FLAT * s[0]:
        return None
    normal = Vt[2]
    k = int(np.argmax(np.abs(normal)))
    if abs(normal[k]) > 1 - 1e-12:
        return np.eye(3)[[i for i in range(3) if i != k]]
    return Vt[:2]

"""A mechanism that follows a path: coordinates, speeds and accelerations of all joints at any time, on one branch.

    A(q) qd = b,    A(q) qdd = b' - A' qd,    A = [Psi; J]

with the constraints' rows above those of the path (for serial arms A is the Jacobian). The branch is kept by going along the
path in steps short enough for Newton's method to stay near what the step before foretells (Allgower and Georg, Numerical
Continuation Methods, 1990). Where coordinates are left free by position, in redundant arms and under rolling, the smallest speeds
are integrated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.configuration.coordinates import moved
from lagrangian.configuration.loops import Loops
from lagrangian.configuration.newton import Newton
from lagrangian.errors import ArgumentError, PathWarning, ReachError, warn
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kernels.linear import least_norm
from lagrangian.kinematics import least_speeds
from lagrangian.kinematics.chebyshev import Series
from lagrangian.kinematics.inverse_kinematics import MET, STARTS, reach
from lagrangian.kinematics.requirements import JointGoal, Requirements, Towards, goal_of, overled, told
from lagrangian.paths.path import CartesianPath, JointPath

Path = JointPath | CartesianPath
FORETOLD = 0.05  # rad or m: by how much a step may miss what was foretold
# smallest singular values of A, its rows brought to about one: from which on nothing is said, and below which coordinates that
# are found to MET are those of the singularity itself
NEAR_SINGULAR, SINGULAR = 1e-2, 1e-5
CHUNK = 4096  # states at a time
LOOKED_AT = 4001  # times at which speeds are looked at for a change of sign


@dataclass(frozen=True, eq=False)
class Knot:
    """A state on the way."""

    t: float
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


class Follower:
    """`follower(t)` gives (q, qd, qdd) at times of the path, rows first."""

    def __init__(
        self,
        dyn: Dynamics,
        path: Path,
        frame: Any = None,
        q0: Any = None,
        limits: bool = True,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        self.dyn, self.path = dyn, path
        self.goal = goal_of(dyn, path, frame)
        self.requirements = Requirements(dyn, self.goal)
        self.direct = (
            isinstance(self.goal, JointGoal) and not self.requirements.constrained and len(self.goal.names) == dyn.nv == dyn.nq
        )
        self.holonomic = bool(self.requirements.holonomic.all())
        self.failure: ReachError | None = None
        self.knots: list[Knot] = []
        if self.direct and q0 is not None:
            raise ArgumentError(
                "the path prescribes all joints and therefore its start; q0 is for paths that leave a choice", concerns="q0"
            )
        if not self.direct:
            self._begin(q0, limits)
            self._advance(progress)

    def __call__(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        wanted, velocity, acceleration = self.path(t)
        if self.direct:
            return tuple(self._in_order(x) for x in (wanted, velocity, acceleration))  # type: ignore[return-value]
        parts = [
            self._rows(t[k : k + CHUNK], *(x[k : k + CHUNK] for x in (wanted, velocity, acceleration)))
            for k in range(0, len(t), CHUNK)
        ]
        q, qd, qdd = (np.vstack(part) for part in zip(*parts, strict=True))
        return q, qd, qdd

    def _in_order(self, x: np.ndarray) -> np.ndarray:
        assert isinstance(self.goal, JointGoal)
        whole = np.empty_like(x)
        whole[:, self.goal.iv] = x
        return whole

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        """Times between start and end at which torques jump: with its accelerations, and where dry friction turns."""
        found = list(self.path.breaks)
        constants = self.dyn.friction_constants
        dry = np.flatnonzero(constants.coulomb_positive + constants.coulomb_negative)
        if dry.size:
            t = self.path.times(LOOKED_AT)
            turned = np.sign(self(t)[1][:, dry])
            at, which = np.nonzero(turned[1:] * turned[:-1] < 0)
            low, high, before = t[at], t[at + 1], turned[at, which]
            for _ in range(60 if at.size else 0):  # all at once, by halving
                middle = 0.5 * (low + high)
                same = np.sign(self(middle)[1][np.arange(len(at)), dry[which]]) == before
                low, high = np.where(same, middle, low), np.where(same, high, middle)
            found += list(high)
            # and where one passes through zero at a time that was looked at
            at, _ = np.nonzero((turned[1:-1] == 0) & (turned[:-2] * turned[2:] < 0))
            found += list(t[at + 1])
        return tuple(sorted(set(found)))

    def dry_friction(self, t: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Of joints at rest, whose speed does not show it: that of the way they are about to go, or at the end have come."""
        constants = self.dyn.friction_constants
        found = np.zeros_like(qd)
        resting = (qd == 0) & (constants.coulomb_positive + constants.coulomb_negative > 0)
        for plane in map(list, constants.planes):
            resting[:, plane] = resting[:, plane].all(axis=1, keepdims=True)
        rows = np.flatnonzero(resting.any(axis=1))
        if rows.size:
            near = 1e-6 * self.path.duration
            beside = np.where(t[rows] + near <= self.path.end, t[rows] + near, t[rows] - near)
            speed = self(np.clip(beside, self.path.start, self.path.end))[1]
            found[rows] = np.where(resting[rows], constants.dry(speed), 0.0)
        return found

    # -- along the path ----------------------------------------------------------------------------------------------

    def _begin(self, q0: Any, limits: bool) -> None:
        t = self.path.start
        wanted, velocity, acceleration = self.path(np.array([t]))
        try:
            q = reach(self.requirements, wanted[0], q0, t, limits, STARTS)
        except ReachError as error:
            raise _at(t, f"the start of the path cannot be reached: {error}{overled(self.requirements)}") from None
        when = np.array([t])
        of, beside = self.requirements, self._beside(q, t)
        self.rank = int(of.rank(beside, when)[0][0])
        self.integrated = int(of.rank(beside, when, positions=True)[0][0]) < self.dyn.nv
        least = float(of.rank(q[None], when)[1][0, self.rank - 1]) if self.rank else 1.0
        if least < SINGULAR:
            raise _at(t, self._singular(t, q, least))
        self.knots.append(self._knot(t, q[None], velocity, acceleration))

    def _beside(self, q: np.ndarray, t: float) -> np.ndarray:
        """A configuration near one, its loops closed, which is not singular where the one may be."""
        model = self.dyn.mechanism
        beside = moved(model, q[None], 1e-2 * np.random.default_rng(0).normal(size=(1, model.nv)))
        return Newton(Loops(self.dyn), damped=False, iterations=8).solve(beside, t).q

    def _knot(self, t: float, q: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray) -> Knot:
        qd, qdd = self._rates(q, velocity, acceleration, np.array([t]))
        return Knot(t, q[0], qd[0], qdd[0])

    def _rates(
        self, q: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray, t: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        of = self.requirements
        A = of.matrix(q, t)
        full = self.rank == self.dyn.nv
        qd = least_norm(A, of.speeds(q, velocity, t), full)
        self._check_speeds(A, qd, of.speeds(q, velocity, t), t)
        qdd = least_norm(A, of.accelerations(q, qd, acceleration, t), full)
        if self.rank < self.dyn.nv:
            qdd = qdd + least_speeds.null_acceleration(of, A, q, qd, t)
        return qd, qdd

    def _check_speeds(self, A: np.ndarray, qd: np.ndarray, wanted: np.ndarray, t: np.ndarray) -> None:
        off = np.einsum("nij,nj->ni", A, qd) - wanted
        scale = 1 + np.abs(wanted).max(axis=1) + np.abs(qd).max(axis=1)
        bad = np.abs(off).max(axis=1, initial=0.0) > 1e-7 * scale
        if bad.any():
            k = int(np.argmax(bad))
            names = (*self.dyn.constraint_names, *self.goal.names)
            raise _at(t[k], f"no speeds follow the path at t = {t[k]:.6g} s: {told(names, off[k])} per second")

    def _advance(self, progress: Callable[[float], None] | None) -> None:
        """Knots from the beginning to the end, as far apart as Newton's method allows."""
        path = self.path
        end, least = path.end, 1e-10 * path.duration
        h = path.duration / 64
        stops = [*path.breaks, end]
        while self.knots[-1].t < end:
            knot = self.knots[-1]
            stop = next(x for x in stops if x > knot.t)
            t = knot.t + h if knot.t + 1.5 * h < stop else stop
            found = self._step(knot, t)
            if found is None:
                h = 0.5 * min(h, t - knot.t)
                if h < least:
                    self._stuck(knot)
                continue
            self.knots.append(found)
            if progress is not None:
                progress(t)
            h = min(1.5 * max(h, t - knot.t), path.duration / 16)

    def _step(self, knot: Knot, t: float) -> Knot | None:
        """The next knot, if the step was short enough."""
        when = np.array([t])
        wanted, velocity, acceleration = self.path(when)
        if self.integrated:
            foretold = least_speeds.integrated(self, knot, when, check=True)
            if foretold is None:
                return None
        else:
            foretold = self._foretold([knot], when)
        q, moved_by, met = self._newton(foretold, wanted, when)
        if not met[0] or moved_by[0] > FORETOLD:
            return None
        if self._side(q, when) * self._side(knot.q[None], np.array([knot.t])) < 0:  # it got to another branch
            return None
        try:
            return self._knot(t, q, velocity, acceleration)
        except ReachError as error:
            self.failure = error
            return None

    def _side(self, q: np.ndarray, t: np.ndarray) -> float:
        """The sign of det A, which changes at singularities alone; of rows that depend on each other it says nothing."""
        A = self.requirements.matrix(q, t)
        return float(np.linalg.slogdet(A)[0][0]) if A.shape[1] == A.shape[2] == self.rank else 1.0

    def _foretold(self, knots: list[Knot], t: np.ndarray) -> np.ndarray:
        """By speeds and accelerations of the knot before."""
        h = (t - np.array([k.t for k in knots]))[:, None]
        q, qd, qdd = (np.array([getattr(k, name) for k in knots]) for name in ("q", "qd", "qdd"))
        return moved(self.dyn.mechanism, q, h * qd + 0.5 * h * h * qdd)

    def _newton(self, q: np.ndarray, wanted: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates that meet all equations, how far they were, and whether they do."""
        newton = Newton(Towards(self.requirements, wanted), damped=False, iterations=8, reach=100 * FORETOLD)
        found = newton.solve(q, t)
        return found.q, found.way, found.miss <= 10 * MET

    def _rows(
        self, t: np.ndarray, wanted: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if self.integrated:
            q = moved(self.dyn.mechanism, self._series.many(t), np.zeros((len(t), self.dyn.nv)))
        else:
            q = self._foretold([self.knots[k] for k in self._before(t)], t)
        q, _, met = self._newton(q, wanted, t)
        if not met.all():
            when = float(t[np.argmin(met)])
            raise _at(when, f"the path cannot be followed at t = {when:.6g} s")
        return (q, *self._rates(q, velocity, acceleration, t))

    def _before(self, t: np.ndarray) -> np.ndarray:
        return np.clip(np.searchsorted([k.t for k in self.knots], t, side="right") - 1, 0, len(self.knots) - 1)

    @cached_property
    def _series(self) -> Series:
        """Integrated coordinates, so that each time costs no step of its own."""

        def values(t: np.ndarray) -> np.ndarray:
            before, q = self._before(t), np.empty((len(t), self.dyn.nq))
            for k in np.unique(before):
                found = least_speeds.integrated(self, self.knots[k], t[before == k])
                assert found is not None
                q[before == k] = found
            return q

        return Series.of(values, self.path.start, self.path.end, [*(k.t for k in self.knots), *self.path.corners], pieces=1)

    # -- what is in the way ------------------------------------------------------------------------------------------

    def inspect(self, t: np.ndarray, q: np.ndarray) -> None:
        """Say where on the path the mechanism is singular, or nearly so: an error at a row, a warning near to it."""
        if self.direct or not self.rank:
            return
        least = [self.requirements.rank(q[k : k + CHUNK], t[k : k + CHUNK])[1][:, self.rank - 1] for k in range(0, len(t), CHUNK)]
        smallest = np.concatenate(least)
        worst = int(np.argmin(smallest))
        if smallest[worst] < SINGULAR:
            first = int(np.argmax(smallest < SINGULAR))
            raise _at(t[first], self._singular(t[first], q[first], smallest[first]))
        if smallest[worst] < NEAR_SINGULAR:
            warn(
                f"{self.dyn.mechanism.name}: the path passes near a singularity at t = {t[worst]:.6g} s: the smallest singular "
                f"value is {smallest[worst]:.2g}, and speeds and torques may be large there",
                PathWarning,
            )

    def _told(self, q: np.ndarray) -> str:
        """Where the path ends; digits beyond the fifth are not those of the place, but of where the search for it stopped."""
        names = self.dyn.mechanism.coordinate_names[:8]
        return ", ".join(f"{name} = {round(float(x), 5) + 0.0:.6g}" for name, x in zip(names, q, strict=False))

    def _singular(self, t: float, q: np.ndarray, least: float) -> str:
        at = self._told(q)
        return (
            f"{self.dyn.mechanism.name}: the path meets a singularity at t = {t:.6g} s ({at}): the smallest singular value is "
            f"{least:.2g}, and the speeds are not determined there. Try another branch (q0) or a path that avoids it"
        )

    def _stuck(self, knot: Knot) -> None:
        """Why no step, however short, goes on from here."""
        t, model = knot.t, self.dyn.mechanism
        s = self.requirements.rank(knot.q[None], np.array([t]))[1][0]
        least = float(s[self.rank - 1]) if self.rank else 1.0
        ahead = min(t + 0.02 * self.path.duration, self.path.end)
        at = self._told(knot.q)
        try:
            reach(self.requirements, self.path(np.array([ahead]))[0][0], knot.q, ahead, False, 4)
        except ReachError as error:
            more = overled(self.requirements)
            raise _at(
                t, f"the path leaves the mechanism's reach at t = {t:.6g} s ({at}). A little later, {error}{more}"
            ) from None
        if least > NEAR_SINGULAR:
            kept = " A rolling body must roll along its path: prescribe its wheels or all of its coordinates." * (
                not self.holonomic
            )
            why = self.failure or "no configuration near the last one follows it on the same branch"
            raise _at(t, f"{model.name}: the path cannot be followed from t = {t:.6g} s on ({at}): {why}.{kept}")
        raise _at(t, self._singular(t, knot.q, least))


def _at(t: float, message: str) -> ReachError:
    return ReachError(message, t=float(t))

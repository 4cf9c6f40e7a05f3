"""Paths that excite a mechanism's parameters: finite Fourier series whose coefficients make the base regressor well conditioned.

    qd(t) = sum_k a_k cos(k w t) + b_k sin(k w t),   k = 1 .. harmonics,   w = 2 pi / period

(Swevers, Ganseman, Tukel, De Schutter and Van Brussel 1997). Such a path is periodic, so that a record can be averaged over its
periods; its frequencies are known, so that recorded coordinates can be differentiated by fitting the same series; with
sum a_k = 0 and sum k b_k = 0 it starts and ends every period at rest, without a jump of the acceleration.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.configuration.start import as_dynamics
from lagrangian.description.mechanism_like import MechanismLike
from lagrangian.errors import ArgumentError, is_number
from lagrangian.identification.base_parameters import ParameterGrouping
from lagrangian.identification.identify import find_base_parameters, make_regression
from lagrangian.identification.regression import Regression
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism
from lagrangian.paths.curves import ValuesAndDerivatives
from lagrangian.paths.path import JointPath
from lagrangian.types import Progress

SLIDE_LIMITS, ANGLE_LIMITS = (1.0, 1.0, 5.0), (math.pi, 2.0, 8.0)  # default limits of position, speed and acceleration
STARTS = 24  # random paths, of which the best is improved
LIMIT_SHARE = 0.995  # of the limits, between whose samples the path goes a little further


@dataclass(frozen=True, eq=False)
class FourierSeries:
    """q and its derivatives at times (n,), by the coefficients a and b above, (harmonics, coordinates)."""

    period: float
    offset: np.ndarray
    a: np.ndarray
    b: np.ndarray

    def __call__(self, t: np.ndarray) -> ValuesAndDerivatives:
        w = 2 * np.pi / self.period * np.arange(1, len(self.a) + 1)
        phase = t[:, None] * w
        c, s, a, b = np.cos(phase), np.sin(phase), self.a, self.b
        return self.offset + (s / w) @ a - (c / w) @ b, c @ a + s @ b, (c * w) @ b - (s * w) @ a


@dataclass(frozen=True, eq=False)
class FourierTrajectory(JointPath):
    """A periodic path of all coordinates that excites the parameters of a mechanism.

    `excitation_trajectory` returns it. It is a `JointPath`, and also has these attributes.

    Attributes
    ----------
    mechanism : Mechanism
        The mechanism.
    condition : float
        The condition number of the regressor along the path.
    initial_condition : float
        The condition number along the first random path, before optimisation.
    evaluations : int
        The number of paths that were tried.
    parameters : int
        The number of parameters in the regressor.
    period : float
        The period in s.
    harmonics : int
        The number of harmonics.

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.excitation_trajectory("pendulum", period=4.0, harmonics=3, iterations=5)
    >>> path
    <FourierTrajectory of 'pendulum': 3 harmonics of 4 s>
    >>> path.condition < path.initial_condition
    True
    """

    motion: FourierSeries = field(kw_only=True)
    mechanism: Mechanism = field(kw_only=True)
    condition: float = field(kw_only=True)
    initial_condition: float = field(kw_only=True)
    evaluations: int = field(kw_only=True)
    parameters: int = field(kw_only=True)

    @property
    def period(self) -> float:
        """The period of the path, in s."""
        return self.motion.period

    @property
    def harmonics(self) -> int:
        """The number of harmonics of the path."""
        return len(self.motion.a)

    def __repr__(self) -> str:
        return f"<FourierTrajectory of {self.mechanism.name!r}: {self.harmonics} harmonics of {self.period:g} s>"

    def __str__(self) -> str:
        q, qd, qdd = self.motion(np.linspace(0, self.period, 2001))
        tau = np.abs(as_dynamics(self.mechanism).inverse_dynamics(q, qd, qdd)).max(axis=0)
        name_width = max(5, *(len(name) for name in self.mechanism.coordinate_names))
        lines = [
            f"Excitation trajectory of {self.mechanism.name}: {self.harmonics} harmonics of {self.period:g} s, "
            f"for {self.duration:g} s",
            f"condition number of the regressor of {self.parameters} parameters: {self.initial_condition:.4g} before, "
            f"{self.condition:.4g} after {self.evaluations} paths",
            "",
            f"{'':<{name_width}}  {'from':>9} {'to':>9} {'speed':>9} {'accel.':>9} {'force':>9}",
        ]
        for k, name in enumerate(self.mechanism.coordinate_names):
            x = (q[:, k].min(), q[:, k].max(), np.abs(qd[:, k]).max(), np.abs(qdd[:, k]).max(), tau[k])
            lines.append(f"{name:<{name_width}}  " + " ".join(f"{v:9.4g}" for v in x))
        lines.append("(The columns speed, accel. and force hold the largest values; the force is that of the description.)")
        return "\n".join(lines)


def excitation_trajectory(
    mechanism: MechanismLike | Dynamics,
    period: float = 10.0,
    harmonics: int = 5,
    *,
    periods: int = 1,
    q_limits: tuple[ArrayLike, ArrayLike] | None = None,
    qd_limits: ArrayLike | None = None,
    qdd_limits: ArrayLike | None = None,
    friction: bool | str = True,
    rotors: bool = False,
    rest: bool = True,
    samples: int | None = None,
    iterations: int = 30,
    seed: int = 0,
    progress: Progress = None,
) -> FourierTrajectory:
    """Find a path along which `identify` can tell the parameters of a mechanism apart.

    The path is a finite Fourier series that keeps the limits and makes the condition number of the regressor small. The best
    of many random paths is improved by descent (L-BFGS). You can stop the search with Ctrl-C; the best path so far is then
    returned.

    Parameters
    ----------
    mechanism : Mechanism, str, path or Dynamics
        A mechanism without constraints and without ball or free joints.
    period : float
        The period in s. The default is 10.
    harmonics : int
        The number of harmonics. The default is 5.
    periods : int
        How many periods the path takes. The default is 1.
    q_limits : tuple of array_like, optional
        The lower and the upper limits of the coordinates, each one number or one for each coordinate. The default is the limits
        of the joints, and half a turn either way (1 m for slides) where there are none.
    qd_limits : array_like, optional
        The largest speeds. The default is the speed limits of the joints, and 2 rad/s (1 m/s) where there are none.
    qdd_limits : array_like, optional
        The largest accelerations. The default is 8 rad/s^2 (5 m/s^2).
    friction : bool or str
        The friction that is identified, as in `identify`. The default is True.
    rotors : bool
        Whether rotors are identified, as in `identify`. The default is False.
    rest : bool
        Whether the path starts and ends each period at rest, without acceleration. The default is True.
    samples : int, optional
        The number of times of a period at which the regressor is evaluated. The default follows from the number of parameters.
    iterations : int
        The largest number of descent steps. The default is 30.
    seed : int
        The seed of the random paths. The same seed gives the same path.
    progress : callable, optional
        A function of (done, total) steps, which is called after each step.

    Returns
    -------
    FourierTrajectory
        The path. `print` writes its limits and condition numbers.

    Raises
    ------
    ArgumentError
        If the mechanism has constraints, or if limits leave no room.

    See Also
    --------
    identify : Identify parameters from a record.

    Notes
    -----
    Such series are due to Swevers, Ganseman, Tukel, De Schutter and Van Brussel (1997). The columns of the regressor are
    scaled to length one.

    Examples
    --------
    >>> import lagrangian as lg
    >>> path = lg.excitation_trajectory("pendulum", period=4.0, harmonics=3, iterations=5)
    >>> path.duration, path.parameters
    (4.0, 6)
    """
    dyn = as_dynamics(mechanism)
    mechanism = dyn.mechanism
    if mechanism.equation_count:
        raise ArgumentError(
            f"excitation_trajectory: {mechanism.name} has constraints, which a Fourier series of all coordinates does not keep; "
            f"drive its actuated joints along a path of your own, and give the record to `identify`"
        )
    if mechanism.nq != mechanism.nv or not mechanism.nv:
        raise ArgumentError(f"excitation_trajectory: {mechanism.name} must have joints that move, and no ball or free joints")
    period = _positive_number(period, "period")
    _check_counts(harmonics, periods, iterations, seed, 2 if rest else 1)
    if progress is not None and not callable(progress):
        raise ArgumentError(
            f"is {progress!r:.60}",
            where="excitation_trajectory",
            argument="progress",
            remedy="a function of (done, total) is needed",
        )
    bounds = _motion_limits(mechanism, q_limits, qd_limits, qdd_limits)
    regression = make_regression(dyn, friction, False, rotors, None)
    grouping = find_base_parameters(regression)
    min_samples = -(-len(grouping) // dyn.nv)
    if samples is not None and (isinstance(samples, bool) or not isinstance(samples, (int, np.integer)) or samples < min_samples):
        raise ArgumentError(
            f"is {samples!r:.60}; a whole number of at least {min_samples} is needed, for {len(grouping)} "
            f"parameters and {dyn.nv} equations a sample",
            where="excitation_trajectory",
            argument="samples",
        )
    search = _ExcitationSearch(dyn, (period, int(harmonics), rest, samples), bounds, (regression, grouping))
    x, initial_condition, condition = search.run(int(iterations), seed, progress)
    return search.trajectory(x, int(periods), initial_condition, condition)


def _check_counts(harmonics: int, periods: int, iterations: int, seed: int, min_harmonics: int) -> None:
    counts = (("harmonics", harmonics, min_harmonics), ("periods", periods, 1), ("iterations", iterations, 0), ("seed", seed, 0))
    for name, count, minimum in counts:
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < minimum:
            raise ArgumentError(
                f"is {count!r:.60}",
                where="excitation_trajectory",
                argument=name,
                remedy=f"a whole number of at least {minimum} is needed",
            )


class _ExcitationSearch:
    """The search for coefficients of a Fourier series whose regressor has a small condition number."""

    def __init__(
        self,
        dyn: Dynamics,
        series: tuple[float, int, bool, int | None],
        bounds: tuple[np.ndarray, ...],
        base: tuple[Regression, ParameterGrouping],
    ) -> None:
        from scipy.linalg import null_space

        period, harmonics, rest, samples = series
        self.dyn, self.period, self.bounds, self.evaluations = dyn, period, bounds, 0
        self.regression, self.grouping = base
        k = np.arange(1, harmonics + 1)
        # coefficients (a, b) of one coordinate that start at rest
        self.coefficient_basis = (
            null_space(np.array([[*np.ones(harmonics), *(0.0 * k)], [*(0.0 * k), *k]])) if rest else np.eye(2 * harmonics)
        )
        self.shape = (self.coefficient_basis.shape[1] + 1, dyn.nv)
        w = 2 * np.pi / period * k
        count = samples or max(10 * harmonics, int(np.ceil(3 * len(self.grouping) / dyn.nv)))
        t = (np.arange(count) + 0.5) * period / count
        fine = np.arange(40 * harmonics) * period / (40 * harmonics)
        self.coarse, self.fine = (self._series(times, w) for times in (t, fine))

    def _series(self, t: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, ...]:
        """The matrices from the free coefficients of a coordinate to q, qd and qdd at times."""
        c, s = np.cos(np.outer(t, w)), np.sin(np.outer(t, w))
        return tuple(np.hstack(x) @ self.coefficient_basis for x in ((s / w, -c / w), (c, s), (-s * w, c * w)))

    def coefficients(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The coefficients within the limits, (paths, free, n), with each coordinate scaled to meet a limit; and the offsets."""
        shapes, offset_variables = x[:, :-1], x[:, -1]
        lower, upper, speed, acceleration = self.bounds
        q, qd, qdd = (B @ shapes for B in self.fine)
        low, high = q.min(axis=1), q.max(axis=1)
        scale = np.minimum((upper - lower) / np.maximum(high - low, 1e-12), speed / np.maximum(np.abs(qd).max(axis=1), 1e-12))
        scale = LIMIT_SHARE * np.minimum(scale, acceleration / np.maximum(np.abs(qdd).max(axis=1), 1e-12))
        room = (upper - lower) - scale * (high - low)
        share = 0.5 * (1 + np.tanh(offset_variables))  # where in the room that is left
        return shapes * scale[:, None], lower - scale * low + share * room

    def conditions(self, x: np.ndarray) -> np.ndarray:
        """The logarithm of the condition number of each path in x, (paths, free + 1, n)."""
        shapes, offsets = self.coefficients(x)
        q, qd, qdd = (B @ shapes for B in self.coarse)
        paths, n = len(x), self.dyn.nv
        q, qd, qdd = (y.reshape(-1, n) for y in (q + offsets[:, None], qd, qdd))
        Y = self.regression.regressor(q, qd, qdd, self.grouping.columns).reshape(paths, -1, len(self.grouping))
        self.evaluations += paths
        gram = np.einsum("pri,prj->pij", Y, Y, optimize=True) if paths == 1 else Y.transpose(0, 2, 1) @ Y
        size = np.sqrt(np.maximum(np.einsum("pii->pi", gram), 1e-300))
        values = np.linalg.eigvalsh(gram / (size[:, :, None] * size[:, None, :]))
        log_conditions: np.ndarray = 0.5 * np.log(values[:, -1] / np.maximum(values[:, 0], 1e-16 * values[:, -1]))
        return log_conditions

    def run(self, iterations: int, seed: int, progress: Progress) -> tuple[np.ndarray, float, float]:
        from scipy.optimize import minimize

        rng = np.random.default_rng(seed)
        starts = rng.normal(size=(STARTS, *self.shape))
        log_conditions = np.concatenate([self.conditions(starts[k : k + 4]) for k in range(0, STARTS, 4)])
        initial_condition = float(np.exp(log_conditions[0]))
        best = [float(log_conditions.min()), starts[int(np.argmin(log_conditions))]]
        step = [0]

        def condition_and_gradient(flat: np.ndarray) -> tuple[float, np.ndarray]:
            x = flat.reshape(self.shape)
            h = 1e-5
            shifted = np.broadcast_to(x, (len(flat), *self.shape)) + h * np.eye(len(flat)).reshape(-1, *self.shape)
            trials = np.concatenate([x[None], shifted])
            values = np.concatenate([self.conditions(part) for part in np.array_split(trials, min(8, len(trials)))])
            if values[0] < best[0]:
                best[:] = [float(values[0]), x.copy()]
            return float(values[0]), (values[1:] - values[0]) / h

        def report_step(_: Any) -> None:
            step[0] += 1
            if progress is not None:
                progress(step[0], iterations)

        if iterations:
            with suppress(KeyboardInterrupt):  # the best path until then is a result, too
                minimize(
                    condition_and_gradient,
                    best[1].ravel(),
                    jac=True,
                    method="L-BFGS-B",
                    callback=report_step,
                    options={"maxiter": iterations},
                )
        return best[1], initial_condition, float(np.exp(best[0]))

    def trajectory(self, x: np.ndarray, periods: int, initial_condition: float, condition: float) -> FourierTrajectory:
        shapes, offsets = self.coefficients(x[None])
        series = FourierSeries(self.period, offsets[0], *np.split(self.coefficient_basis @ shapes[0], 2))
        return FourierTrajectory(
            self.period * periods,
            motion=series,
            mechanism=self.dyn.mechanism,
            condition=condition,
            initial_condition=initial_condition,
            evaluations=self.evaluations,
            parameters=len(self.grouping),
        )


def _motion_limits(mechanism: Mechanism, q: Any, qd: Any, qdd: Any) -> tuple[np.ndarray, ...]:
    """The lower and upper limit, the largest speed and the largest acceleration of every coordinate."""
    n = mechanism.nv
    rows: list[tuple[float, ...]] = []
    for joint in mechanism.joints:
        for unit in joint.kind.units:
            span, speed, acceleration = SLIDE_LIMITS if unit == "m" else ANGLE_LIMITS
            low, high, speed_limit = joint.limits.lower, joint.limits.upper, joint.limits.speed
            if not math.isfinite(low):
                low = high - 2 * span if math.isfinite(high) else -span
            if not math.isfinite(high):
                high = low + 2 * span
            rows.append((low, high, speed_limit if math.isfinite(speed_limit) else speed, acceleration))
    lower, upper, max_speed, max_acceleration = np.array(rows, dtype=float).T.copy()
    if q is not None:
        if not isinstance(q, (tuple, list, np.ndarray)) or len(q) != 2:
            raise ArgumentError(
                "must be (lower, upper), each a number or one for every coordinate",
                where="excitation_trajectory",
                argument="q_limits",
            )
        lower, upper = (_per_coordinate(x, n, f"q_limits[{k}]", signed=True) for k, x in enumerate(q))
    if np.any(lower >= upper):
        k = int(np.argmax(lower >= upper))
        raise ArgumentError(
            f"excitation_trajectory: the lower limit of {mechanism.coordinate_names[k]}, {lower[k]:g}, must be below the upper "
            f"one, {upper[k]:g}",
            concerns="q_limits",
        )
    max_speed = max_speed if qd is None else _per_coordinate(qd, n, "qd_limits")
    max_acceleration = max_acceleration if qdd is None else _per_coordinate(qdd, n, "qdd_limits")
    return lower, upper, max_speed, max_acceleration


def _per_coordinate(value: Any, count: int, argument: str, signed: bool = False) -> np.ndarray:
    try:
        x = np.broadcast_to(floats(value), (count,)).copy()
    except (TypeError, ValueError):
        raise ArgumentError(
            f"is {value!r}", where="excitation_trajectory", argument=argument, remedy=f"a number, or {count} of them, is needed"
        ) from None
    if not np.isfinite(x).all() or (not signed and np.any(x <= 0)):
        raise ArgumentError(
            f"is {value!r}",
            where="excitation_trajectory",
            argument=argument,
            remedy=f"{'finite' if signed else 'positive'} numbers are needed",
        )
    return x


def _positive_number(value: Any, argument: str) -> float:
    if not is_number(value) or value <= 0:
        raise ArgumentError(
            f"is {value!r}", where="excitation_trajectory", argument=argument, remedy="a positive number is needed"
        )
    return float(value)

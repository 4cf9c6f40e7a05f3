"""The result of inverse dynamics along a path: rows of states and forces, work, and the torques as a function of time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import array, count, floats
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, PathWarning, warn
from lagrangian.inverse_dynamics.actuation import actuator_torques
from lagrangian.inverse_dynamics.wrenches import ExternalWrenches
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kinematics.chebyshev import ChebyshevSeries
from lagrangian.kinematics.follower import Follower
from lagrangian.motion.motion import Motion
from lagrangian.motion.status import Ending, Status
from lagrangian.paths.path import JointPath
from lagrangian.types import Times

MIN_INTERVALS, DENSE_ROWS = 256, 20_000  # of the quadrature of work: the fewest intervals; more rows than this are dense enough
NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)
CHUNK = 8192  # states at a time


class InverseDynamicsResult(Motion):
    """The motion of a mechanism along a path, with the torques for it.

    `inverse` returns it. It has the rows and methods of a `Motion`, and the attributes below.

    Attributes
    ----------
    t : numpy.ndarray
        The times of the rows, in s.
    q, qd, qdd : numpy.ndarray
        Coordinates, speeds and accelerations, one row for each time.
    tau : numpy.ndarray
        The torques or forces of the joints, in N m or N, one column for each speed. They are zero at passive joints.
    multipliers : numpy.ndarray
        The Lagrange multipliers of the constraints.
    torque : callable
        The torques as a function of time, for `simulate`.
    joint_path : JointPath
        The coordinates of all joints as a path.
    start : dict
        The arguments q0, qd0 and t_span with which `simulate` begins where the path does.

    Examples
    --------
    Feed the torques forward into a simulation, and see how far it is from the path at the end:

    >>> import lagrangian as lg
    >>> motion = lg.inverse("two_r", lg.paths.joint_line([0.0, 0.0], [1.0, -0.5], 1.0))
    >>> run = lg.simulate("two_r", torque=motion.torque, **motion.start)
    >>> bool(abs(run.q[-1] - motion.q[-1]).max() < 1e-6)
    True
    """

    def __init__(
        self, *, follower: Follower | None = None, external_wrenches: ExternalWrenches | None = None, **rows: Any
    ) -> None:
        super().__init__(**rows)
        self.follower, self.external_wrenches = follower, external_wrenches

    def _require_path(self) -> tuple[Follower, ExternalWrenches]:
        if self.follower is None or self.external_wrenches is None:
            raise ArgumentError("this result comes from a motion or from a file, so there is no path to evaluate")
        return self.follower, self.external_wrenches

    @cached_property
    def torque(self) -> Feedforward:
        """The torques as a function of time, for `simulate(mechanism, torque=motion.torque, **motion.start)`."""
        follower, external_wrenches = self._require_path()

        def values(t: np.ndarray) -> np.ndarray:
            return torques(follower.dyn, external_wrenches, t, *follower(t))[0]

        path = follower.path
        discontinuities = (*follower.discontinuities, *external_wrenches.discontinuities(path.start, path.end))
        return Feedforward(
            ChebyshevSeries.interpolate(values, path.start, path.end, (*discontinuities, *path.corners)), discontinuities
        )

    @cached_property
    def joint_path(self) -> JointPath:
        """The coordinates of all joints as a path of joints.

        For a path of a frame, or a mechanism with loops, this is the motion that the joints make.

        Examples
        --------
        >>> import lagrangian as lg
        >>> motion = lg.inverse("two_r", lg.paths.circle((1.0, 0.5), 0.2, duration=4.0), frame="tip")
        >>> motion.joint_path
        <JointPath of 2 coordinates: 0 to 4 s>
        """
        follower, _ = self._require_path()
        path, n = follower.path, follower.dyn.nv
        if follower.dyn.nq != n:
            raise ArgumentError("a path of joints cannot lead ball and free joints, whose coordinates are quaternions")
        series = ChebyshevSeries.interpolate(
            lambda t: np.hstack(follower(t)), path.start, path.end, (*path.discontinuities, *path.corners)
        )

        def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            x = series.evaluate_many(t + path.start)
            return x[:, :n], x[:, n : 2 * n], x[:, 2 * n :]

        return JointPath(path.duration, motion=motion, start=path.start, discontinuities=path.discontinuities)

    @property
    def start(self) -> dict[str, Any]:
        """The arguments with which `simulate` begins where the path begins: q0, qd0 and t_span."""
        return {"q0": self.q[0], "qd0": self.qd[0], "t_span": (float(self.t[0]), self.last)}

    @property
    def first(self) -> float:
        """The time at which the path begins, in s."""
        return self.follower.path.start if self.follower is not None else float(self.t[0])

    @property
    def last(self) -> float:
        """The time at which the path ends, in s."""
        return self.follower.path.end if self.follower is not None else float(self.t[-1])

    def __call__(self, t: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        if self.follower is None:
            return super().__call__(t)
        q, qd, _ = self.follower(np.atleast_1d(array(t, "t")))
        return (q[0], qd[0]) if np.ndim(t) == 0 else (q, qd)

    def resample(self, t: Times) -> InverseDynamicsResult:
        """Return the same motion with other rows.

        Parameters
        ----------
        t : int or array_like
            The number of rows, or their times in s.

        Returns
        -------
        InverseDynamicsResult
            The motion with these rows.

        Examples
        --------
        >>> import lagrangian as lg
        >>> motion = lg.inverse("two_r", lg.paths.joint_line([0.0, 0.0], [1.0, -0.5], 1.0))
        >>> len(motion.resample(11).t)
        11
        """
        follower, external_wrenches = self._require_path()
        times = row_times(t, follower.path)
        return motion_along_path(follower.dyn, external_wrenches, follower, times, follower(times))

    def error_against(self, rtol: float | None = None, atol: float | None = None, method: str = "BDF") -> float:
        """Raise an error: a motion along a path is not integrated, so that no other integrator can check it.

        Parameters
        ----------
        rtol, atol : float, optional
            Not used.
        method : str
            Not used.

        Returns
        -------
        float
            Never.

        Raises
        ------
        ArgumentError
            Always.
        """
        raise ArgumentError(
            "a motion along a path is not integrated; simulate(mechanism, torque=motion.torque, **motion.start) integrates it"
        )

    def __getstate__(self) -> dict[str, Any]:
        state = {k: x for k, x in super().__getstate__().items() if k not in ("torque", "joint_path")}
        return {**state, "follower": None, "external_wrenches": None}

    def summary(self, events: int | None = 20) -> str:
        lines = [super().summary(events)]
        assert self.mechanism is not None
        units = ["N" if slides else "N m" for joint in self.mechanism.joints for slides in joint.slides]
        span = float(self.t[-1] - self.t[0])
        for k, (name, unit) in enumerate(zip(self.speed_names, units, strict=True)):
            tau = self.tau[:, k]
            if np.abs(tau).max(initial=0.0) > 0:
                squares = float(0.5 * np.diff(self.t) @ (tau[1:] ** 2 + tau[:-1] ** 2))
                rms = math.sqrt(squares / span) if span else abs(float(tau[0]))
                lines.append(f"{name}: {tau.min():.5g} to {tau.max():.5g} {unit}, RMS {rms:.5g} {unit}")
        return "\n".join(lines)


def motion_along_path(
    dyn: Dynamics,
    external_wrenches: ExternalWrenches,
    follower: Follower | None,
    t: np.ndarray,
    states: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> InverseDynamicsResult:
    """Return the result with rows at given times and states."""
    q, qd, qdd = states
    model = dyn.mechanism
    resting_friction = follower.resting_friction(t, qd) if follower is not None else 0.0
    tau, multipliers = torques(dyn, external_wrenches, t, q, qd, qdd, resting_friction)
    forces, drift, rate = np.zeros_like(tau), np.zeros(len(t)), np.zeros(len(t))
    if model.equation_count:
        forces = np.einsum("smn,sm->sn", dyn.constraint_jacobian(q, t), multipliers)
        rate = np.abs(dyn.constraint_rate(q, qd, t)).max(axis=1)
        if dyn.holonomic.any():
            drift = np.abs(dyn.closure(q, t)).max(axis=1)
    _warn_of_effort(dyn, t, tau)
    return InverseDynamicsResult(
        mechanism=model,
        name=model.name,
        t=t,
        q=q,
        qd=qd,
        qdd=qdd,
        tau=tau,
        friction=np.asarray(dyn.friction(qd, q=q)) + resting_friction,
        multipliers=multipliers,
        constraint_forces=forces,
        kinetic_energy=np.asarray(dyn.kinetic_energy(q, qd)),
        potential_energy=np.asarray(dyn.potential_energy(q)),
        work=work(dyn, external_wrenches, follower, t, states, (tau, multipliers)),
        drift=drift,
        rate_drift=rate,
        coordinate_names=model.coordinate_names,
        speed_names=model.speed_names,
        constraint_names=dyn.constraint_names,
        ending=Ending(Status.FINISHED, float(t[-1]), reason=f"torques along the path, t = {t[0]:g} to {t[-1]:g} s"),
        statistics={"method": "inverse dynamics", "adaptive": False, "rtol": 0.0, "atol": 0.0},
        wrenches=external_wrenches(t, q, qd),
        follower=follower,
        external_wrenches=external_wrenches,
    )


def row_times(t_eval: Any, path: Any) -> np.ndarray:
    """Return the times of rows: a number of them, or those given."""
    if isinstance(t_eval, (int, np.integer)) and not isinstance(t_eval, bool):
        return path.times(count(t_eval, "t_eval", "rows", least=2))
    try:
        times = floats(t_eval)
    except (TypeError, ValueError):
        times = np.zeros(0)
    if times.ndim != 1 or not times.size or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise ArgumentError("must be a number of rows, or an array of finite, increasing times", argument="t_eval")
    tolerance = 1e-9 * max(1.0, abs(path.start), abs(path.end))
    if times[0] < path.start - tolerance or times[-1] > path.end + tolerance:
        problem = f"goes to {times[-1]:g}" if times[-1] > path.end + tolerance else f"begins at {times[0]:g}"
        raise ArgumentError(f"must be within the path's {path.start:g} to {path.end:g} s; it {problem}", argument="t_eval")
    return times


def _warn_of_effort(dyn: Dynamics, t: np.ndarray, tau: np.ndarray) -> None:
    limits = [float(j.limits.effort) for j in dyn.mechanism.joints for _ in range(j.kind.nv)]
    units = ["N" if slides else "N m" for joint in dyn.mechanism.joints for slides in joint.slides]
    for k, (name, limit, unit) in enumerate(zip(dyn.mechanism.speed_names, limits, units, strict=True)):
        row = int(np.argmax(np.abs(tau[:, k])))
        if math.isfinite(limit) and abs(tau[row, k]) > limit * (1 + 1e-9):
            warn(
                f"{dyn.mechanism.name}: {name} needs {abs(tau[row, k]):.4g} {unit} at t = {t[row]:.6g} s; its limit of effort is "
                f"{limit:g} {unit}",
                PathWarning,
            )


@dataclass(frozen=True, eq=False)
class Feedforward:
    """The torques of a path as a function of time alone; before and after the path they are those of its ends."""

    series: ChebyshevSeries
    discontinuities: tuple[float, ...]

    def __call__(self, t: float, q: Any = None, qd: Any = None) -> np.ndarray:
        return self.series(t)


def torques(
    dyn: Dynamics,
    external_wrenches: ExternalWrenches,
    t: np.ndarray,
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
    resting_friction: Any = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the torques of the actuated joints, and the multipliers; `resting_friction` is that of joints at rest."""
    h = dyn.inverse_dynamics(q, qd, qdd, external_wrenches(t, q, qd) or None) + resting_friction
    if not dyn.mechanism.equation_count:
        return actuator_torques(dyn, q, h, t)
    parts = [actuator_torques(dyn, q[k : k + CHUNK], h[k : k + CHUNK], t[k : k + CHUNK]) for k in range(0, len(t), CHUNK)]
    tau, multipliers = (np.vstack(x) for x in zip(*parts, strict=True))
    return tau, multipliers


def work(
    dyn: Dynamics,
    external_wrenches: ExternalWrenches,
    follower: Follower | None,
    t: np.ndarray,
    states: Any,
    forces: Any,
) -> dict[str, np.ndarray]:
    """Return the work up to each row, by its source: torques, friction, external wrenches and constraints that move.

    Gaussian quadrature finds it between the rows, and between more times if the rows are few. Simpson's rule finds it if the
    rows are dense, or if there is no path to evaluate. `forces` are the torques and multipliers of the rows.
    """
    n = dyn.nv
    if follower is None or len(t) > DENSE_ROWS or len(t) < 2:
        from scipy.integrate import cumulative_simpson

        power = _powers(dyn, external_wrenches, t, states, *forces)
        cumulative = cumulative_simpson(power, x=t, axis=0, initial=0.0) if len(t) > 2 else _trapezoid(power, t)
    else:
        jumps = external_wrenches.discontinuities(float(t[0]), float(t[-1]))
        inner = [x for x in (*follower.discontinuities, *jumps, *follower.path.corners) if t[0] < x < t[-1]]
        ends = np.unique(np.concatenate([t, inner, np.linspace(t[0], t[-1], MIN_INTERVALS + 1)]))
        width = np.diff(ends)
        times = (ends[:-1, None] + width[:, None] * (NODES + 1) / 2).ravel()
        node_states = follower(times)
        power = _powers(dyn, external_wrenches, times, node_states, *torques(dyn, external_wrenches, times, *node_states))
        parts = 0.5 * width[:, None] * np.einsum("snc,n->sc", power.reshape(len(width), len(NODES), -1), WEIGHTS)
        totals = np.vstack([np.zeros(parts.shape[1]), np.cumsum(parts, axis=0)])
        cumulative = totals[np.searchsorted(ends, t)]
    work_by_source = {"torque": cumulative[:, :n], "friction": cumulative[:, n : 2 * n]}
    if external_wrenches.wrenches:
        work_by_source["wrenches"] = cumulative[:, 2 * n]
    if dyn.mechanism.equation_count:
        work_by_source["constraints"] = cumulative[:, 2 * n + 1]
    return work_by_source


def _powers(
    dyn: Dynamics, external_wrenches: ExternalWrenches, t: np.ndarray, states: Any, tau: np.ndarray, multipliers: np.ndarray
) -> np.ndarray:
    """Return the power of each torque, of friction at each speed, of all external wrenches, and of all constraints that move."""
    q, qd, _ = states
    wrenches = external_wrenches(t, q, qd)
    external = np.broadcast_to(dyn.external_torque(q, wrenches), qd.shape) if wrenches else np.zeros_like(qd)
    constraint_power = np.zeros(len(t))
    if dyn.mechanism.equation_count:
        constraint_power = -np.einsum("sm,sm->s", multipliers, dyn.constraint_rate(q, np.zeros_like(qd), t))
    friction = np.asarray(dyn.friction(qd, q=q))
    return np.hstack([tau * qd, -friction * qd, (external * qd).sum(axis=1)[:, None], constraint_power[:, None]])


def _trapezoid(power: np.ndarray, t: np.ndarray) -> np.ndarray:
    steps = 0.5 * np.diff(t)[:, None] * (power[1:] + power[:-1])
    return np.vstack([np.zeros((1, power.shape[1])), np.cumsum(steps, axis=0)])

"""The motion along a path: rows of states and forces, as of a run, and the torques as a function of time."""

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
from lagrangian.inverse_dynamics.work import work
from lagrangian.inverse_dynamics.wrenches import Outside
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.kinematics.chebyshev import Series
from lagrangian.kinematics.follower import Follower
from lagrangian.motion.motion import Motion
from lagrangian.motion.status import Ending, Status
from lagrangian.paths.path import JointPath
from lagrangian.types import Times

CHUNK = 8192  # states at a time


class PathMotion(Motion):
    """The motion of a mechanism along a path, with the torques for it.

    `inverse` returns a path motion. It has the rows and methods of a `Motion`, and the attributes below.

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

    def __init__(self, *, follower: Follower | None = None, outside: Outside | None = None, **given: Any) -> None:
        super().__init__(**given)
        self.follower, self.outside = follower, outside

    def _followed(self) -> tuple[Follower, Outside]:
        if self.follower is None or self.outside is None:
            raise ArgumentError("this result comes from a motion or from a file, so there is no path to evaluate")
        return self.follower, self.outside

    @cached_property
    def torque(self) -> Feedforward:
        """The torques as a function of time, for `simulate(mechanism, torque=motion.torque, **motion.start)`."""
        follower, outside = self._followed()

        def values(t: np.ndarray) -> np.ndarray:
            return torques(follower.dyn, outside, t, *follower(t))[0]

        path = follower.path
        breaks = (*follower.breaks, *outside.breaks(path.start, path.end))
        return Feedforward(Series.of(values, path.start, path.end, (*breaks, *path.corners)), breaks)

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
        follower, _ = self._followed()
        path, n = follower.path, follower.dyn.nv
        if follower.dyn.nq != n:
            raise ArgumentError("a path of joints cannot lead ball and free joints, whose coordinates are quaternions")
        series = Series.of(lambda t: np.hstack(follower(t)), path.start, path.end, (*path.breaks, *path.corners))

        def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            x = series.many(t + path.start)
            return x[:, :n], x[:, n : 2 * n], x[:, 2 * n :]

        return JointPath(path.duration, motion=motion, start=path.start, breaks=path.breaks)

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

    def resample(self, t: Times) -> PathMotion:
        """Return the same motion with other rows.

        Parameters
        ----------
        t : int or array_like
            The number of rows, or their times in s.

        Returns
        -------
        PathMotion
            The motion with these rows.

        Examples
        --------
        >>> import lagrangian as lg
        >>> motion = lg.inverse("two_r", lg.paths.joint_line([0.0, 0.0], [1.0, -0.5], 1.0))
        >>> len(motion.resample(11).t)
        11
        """
        follower, outside = self._followed()
        times = rows_of(t, follower.path)
        return along(follower.dyn, outside, follower, times, follower(times))

    def second_opinion(self, rtol: float | None = None, atol: float | None = None, method: str = "BDF") -> float:
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
        kept = {k: x for k, x in super().__getstate__().items() if k not in ("torque", "joint_path")}
        return {**kept, "follower": None, "outside": None}

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


@dataclass(frozen=True, eq=False)
class Feedforward:
    """Torques of a path as a function of time alone; before and after it, those of its ends."""

    series: Series
    breaks: tuple[float, ...]

    def __call__(self, t: float, q: Any = None, qd: Any = None) -> np.ndarray:
        return self.series(t)


def torques(
    dyn: Dynamics, outside: Outside, t: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, resting: Any = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Of the actuated joints, and the multipliers; `resting` is the dry friction of joints at rest."""
    h = dyn.inverse_dynamics(q, qd, qdd, outside(t, q, qd) or None) + resting
    if not dyn.mechanism.equations:
        return actuator_torques(dyn, q, h, t)
    parts = [actuator_torques(dyn, q[k : k + CHUNK], h[k : k + CHUNK], t[k : k + CHUNK]) for k in range(0, len(t), CHUNK)]
    tau, multipliers = (np.vstack(x) for x in zip(*parts, strict=True))
    return tau, multipliers


def along(
    dyn: Dynamics,
    outside: Outside,
    follower: Follower | None,
    t: np.ndarray,
    states: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> PathMotion:
    """The rows at given times and states."""
    q, qd, qdd = states
    model = dyn.mechanism
    resting = follower.dry_friction(t, qd) if follower is not None else 0.0
    tau, multipliers = torques(dyn, outside, t, q, qd, qdd, resting)
    forces, drift, rate = np.zeros_like(tau), np.zeros(len(t)), np.zeros(len(t))
    if model.equations:
        forces = np.einsum("smn,sm->sn", dyn.constraint_jacobian(q, t), multipliers)
        rate = np.abs(dyn.constraint_rate(q, qd, t)).max(axis=1)
        if dyn.holonomic.any():
            drift = np.abs(dyn.closure(q, t)).max(axis=1)
    _warn_of_effort(dyn, t, tau)
    return PathMotion(
        mechanism=model,
        name=model.name,
        t=t,
        q=q,
        qd=qd,
        qdd=qdd,
        tau=tau,
        friction=np.asarray(dyn.friction(qd, q=q)) + resting,
        multipliers=multipliers,
        constraint_forces=forces,
        kinetic_energy=np.asarray(dyn.kinetic_energy(q, qd)),
        potential_energy=np.asarray(dyn.potential_energy(q)),
        work=work(dyn, outside, follower, t, states, (tau, multipliers), torques),
        drift=drift,
        rate_drift=rate,
        coordinate_names=model.coordinate_names,
        speed_names=model.speed_names,
        constraint_names=dyn.constraint_names,
        ending=Ending(Status.FINISHED, float(t[-1]), reason=f"torques along the path, t = {t[0]:g} to {t[-1]:g} s"),
        statistics={"method": "inverse dynamics", "adaptive": False, "rtol": 0.0, "atol": 0.0},
        wrenches=outside(t, q, qd),
        follower=follower,
        outside=outside,
    )


def rows_of(given: Any, path: Any) -> np.ndarray:
    """The times of rows: so many, or those given."""
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        return path.times(count(given, "t_eval", "rows", least=2))
    try:
        times = floats(given)
    except (TypeError, ValueError):
        times = np.zeros(0)
    if times.ndim != 1 or not times.size or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise ArgumentError("must be a number of rows, or an array of finite, increasing times", argument="t_eval")
    room = 1e-9 * max(1.0, abs(path.start), abs(path.end))
    if times[0] < path.start - room or times[-1] > path.end + room:
        goes = f"goes to {times[-1]:g}" if times[-1] > path.end + room else f"begins at {times[0]:g}"
        raise ArgumentError(f"must be within the path's {path.start:g} to {path.end:g} s; it {goes}", argument="t_eval")
    return times


def _warn_of_effort(dyn: Dynamics, t: np.ndarray, tau: np.ndarray) -> None:
    limits = [float(j.limits.effort) for j in dyn.mechanism.joints for _ in range(j.kind.nv)]
    units = ["N" if slides else "N m" for joint in dyn.mechanism.joints for slides in joint.slides]
    for k, (name, most, unit) in enumerate(zip(dyn.mechanism.speed_names, limits, units, strict=True)):
        at = int(np.argmax(np.abs(tau[:, k])))
        if math.isfinite(most) and abs(tau[at, k]) > most * (1 + 1e-9):
            warn(
                f"{dyn.mechanism.name}: {name} needs {abs(tau[at, k]):.4g} {unit} at t = {t[at]:.6g} s; its limit of effort is "
                f"{most:g} {unit}",
                PathWarning,
            )

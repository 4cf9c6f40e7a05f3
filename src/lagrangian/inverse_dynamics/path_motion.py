"""The motion along a path: rows of states and forces, as of a run, and the torques as a function of time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

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

CHUNK = 8192  # states at a time


class PathMotion(Motion):
    """The motion along a path, with the torques for it.

    `torque` is a source for `simulate`, `joint_path` a path of all joints.
    """

    def __init__(self, *, follower: Follower | None = None, outside: Outside | None = None, **given: Any) -> None:
        super().__init__(**given)
        self.follower, self.outside = follower, outside

    def _followed(self) -> tuple[Follower, Outside]:
        if self.follower is None or self.outside is None:
            raise ArgumentError("these rows are of another motion, or of a file, not of a path that can be followed again")
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
        """All coordinates as a path of their own: of a path of a frame, or through loops, what the joints do."""
        follower, _ = self._followed()
        path, n = follower.path, follower.dyn.nv
        if follower.dyn.nq != n:
            raise ArgumentError("a path of joints has no quaternions; ball and free joints are led by paths of a frame")
        series = Series.of(lambda t: np.hstack(follower(t)), path.start, path.end, (*path.breaks, *path.corners))

        def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            x = series.many(t + path.start)
            return x[:, :n], x[:, n : 2 * n], x[:, 2 * n :]

        return JointPath(path.duration, motion=motion, start=path.start, breaks=path.breaks)

    @property
    def start(self) -> dict[str, Any]:
        """What `simulate` needs to begin where the path does: q0, qd0 and the time span."""
        return {"q0": self.q[0], "qd0": self.qd[0], "t_span": (float(self.t[0]), self.last)}

    @property
    def first(self) -> float:
        return self.follower.path.start if self.follower is not None else float(self.t[0])

    @property
    def last(self) -> float:
        return self.follower.path.end if self.follower is not None else float(self.t[-1])

    def __call__(self, t: Any) -> tuple[np.ndarray, np.ndarray]:
        if self.follower is None:
            return super().__call__(t)
        q, qd, _ = self.follower(np.atleast_1d(array(t, "t")))
        return (q[0], qd[0]) if np.ndim(t) == 0 else (q, qd)

    def resample(self, t: Any) -> PathMotion:
        follower, outside = self._followed()
        times = rows_of(t, follower.path)
        return along(follower.dyn, outside, follower, times, follower(times))

    def second_opinion(self, rtol: float | None = None, atol: float | None = None, method: str = "BDF") -> float:
        raise ArgumentError("nothing was integrated here; simulate(mechanism, torque=motion.torque, **motion.start) does it")

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
        raise ArgumentError("is needed as a number of rows, or as an array of finite times that increase", argument="t_eval")
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

"""The result of a run: rows of states and forces, energies and work, events, and how well it all balances."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.errors import ArgumentError, EndedEarlyWarning, SimulationWarning, warn
from lagrangian.kernels.dynamics import compile as compiled
from lagrangian.kernels.linear import minimum_norm
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion import balance, dead_centre
from lagrangian.motion.events import DEAD_CENTRE, Happening
from lagrangian.motion.over_limits import over_limits
from lagrangian.motion.second_opinion import second_opinion
from lagrangian.motion.showing import ShownMotion
from lagrangian.motion.status import Ending, Status
from lagrangian.motion.wrench import by_frame

if TYPE_CHECKING:
    from lagrangian.motion.record import Record


STILL = "energy balance: nothing moved"


@dataclass(eq=False, kw_only=True)
class Motion(ShownMotion):
    """Rows over time `t`: coordinates `q`, speeds `qd`, accelerations `qdd`, joint forces `tau`, and what follows from them.

    `friction` is what friction takes at every speed, `multipliers` are the forces of the constraints, `constraint_forces` their
    Psi^T lambda. `work` holds what was done until each row by "torque" and "friction" (by speed), by "constraints" that move, by
    "wrenches" from outside, and in "impacts". `balance` is the change of energy less all work: zero, but for the error of the
    integration. `drift` and `rate_drift` are the largest violation of a constraint, and of its rate, at every row. `wrenches` are
    those from outside by their frames, each (rows, 6), moment first. `ending` says how it ended, and `status` is its kind.
    """

    mechanism: Mechanism | None
    name: str
    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    friction: np.ndarray
    multipliers: np.ndarray
    constraint_forces: np.ndarray
    kinetic_energy: np.ndarray
    potential_energy: np.ndarray
    work: dict[str, np.ndarray]
    drift: np.ndarray
    rate_drift: np.ndarray
    coordinate_names: tuple[str, ...]
    speed_names: tuple[str, ...]
    constraint_names: tuple[str, ...]
    ending: Ending
    events: list[Happening] = field(default_factory=list)
    statistics: dict[str, Any] = field(default_factory=dict)
    course: Record | None = field(default=None, repr=False, compare=False)
    wrenches: dict[str, np.ndarray] = field(default_factory=dict)
    without_mechanism = ""  # of a motion read from a file that has no mechanism: why not

    @classmethod
    def of(cls, course: Record, ending: Ending) -> Motion:
        """The rows a run has filled."""
        rows = course.filled
        t, y = course.grid[:rows], course.rows[:rows]
        if not rows and not course.stretches:  # it ended before its first step: the start is what there is
            t, y = np.array([course.t]), course.y.reshape(1, -1)
        if rows < len(course.grid) and course.stretches and (not rows or course.t > t[-1]):
            # where it stopped is a row too
            t, y = np.append(t, course.t), np.vstack([y, course.states(np.array([course.t]))])
        return cls._at(course, t, y, ending)

    @classmethod
    def _at(cls, course: Record, t: np.ndarray, y: np.ndarray, ending: Ending) -> Motion:
        dyn = course.dyn
        between = course.drift_of(t, y)
        y, out = course.outputs_at(t, y)
        nq, nv, m = dyn.nq, dyn.nv, dyn.mechanism.equations
        q, qd = y[:, :nq], y[:, nq:]
        multipliers = out["multipliers"]
        forces = np.zeros((len(t), nv))
        if m and len(t):
            psi = dyn.constraint_jacobian(q, t)
            if course.settings.redundant:
                multipliers = minimum_norm(psi, multipliers)
            forces = np.einsum("smn,sm->sn", psi, multipliers)
        drift, rate = course.violations(t, y)
        events = list(course.happenings)
        if m and not any(e.when is DEAD_CENTRE for e in course.events):
            for at, state in dead_centre.found_in(dyn, t, q, lambda times: course.settled(times, course.states(times))):
                events.append(Happening(dead_centre.NAME, at, state[:nq], state[nq:]))
            events.sort(key=lambda e: e.t)
        T = dyn.kinetic_energy(q, qd) if len(t) else np.zeros(0)
        V = dyn.potential_energy(q) if len(t) else np.zeros(0)
        statistics = {
            **course.statistics,
            "method": course.settings.method.name,
            "adaptive": course.settings.method.adaptive,
            "rtol": course.settings.rtol,
            "atol": course.settings.atol,
            "evaluations": course.evaluations,
            "drift_at_steps": course.drift_at_steps,
            "drift_between_steps": between,
            "independence": course.ratio,
        }
        return cls(
            mechanism=dyn.mechanism,
            name=dyn.mechanism.name,
            t=t,
            q=q,
            qd=qd,
            qdd=out["qdd"],
            tau=out["tau"],
            friction=out["friction"],
            multipliers=multipliers,
            constraint_forces=forces,
            kinetic_energy=np.asarray(T),
            potential_energy=np.asarray(V),
            work=balance.work(course, t),
            drift=drift,
            rate_drift=rate,
            coordinate_names=dyn.mechanism.coordinate_names,
            speed_names=dyn.mechanism.speed_names,
            constraint_names=dyn.constraint_names,
            ending=ending,
            events=events,
            statistics=statistics,
            course=course,
            wrenches=by_frame(course.source.wrenches, out["wrenches"]) if "wrenches" in out else {},
        )

    def __getstate__(self) -> dict[str, Any]:
        """All but the compiled run: a copy has its rows, as one read from a file does."""
        return {**self.__dict__, "course": None}

    # -- how it ended ------------------------------------------------------------------------------------------------

    @property
    def status(self) -> Status:
        """Why it ends where it does."""
        return self.ending.status

    @property
    def success(self) -> bool:
        """Whether the run ended as it was asked to: at the end of its time, or by an event that was to stop it."""
        return self.status.success

    @property
    def message(self) -> str:
        """The ending as a sentence."""
        return self.ending.message

    # -- energy ------------------------------------------------------------------------------------------------------

    @property
    def energy(self) -> np.ndarray:
        """Kinetic and potential."""
        return self.kinetic_energy + self.potential_energy

    @property
    def total_work(self) -> np.ndarray:
        """Of everything that is not in the potential energy, since the beginning."""
        parts = [np.asarray(w).reshape(len(self.t), -1).sum(axis=1) for w in self.work.values()]
        return np.sum(parts, axis=0) if parts else np.zeros(len(self.t))

    @property
    def balance(self) -> np.ndarray:
        """Change of energy less work."""
        if not len(self.t):
            return np.zeros(0)
        work = self.total_work
        return self.energy - self.energy[0] - (work - work[0])

    @property
    def energy_scale(self) -> float:
        """What energies are measured by: the most that was moved."""
        if not len(self.t):
            return 1.0
        V = self.potential_energy
        done = max((float(np.abs(w).max()) for w in self.work.values() if np.size(w)), default=0.0)
        return max(float(self.kinetic_energy.max()), float(V.max() - V.min()), done, 1e-300)

    def warn(self) -> None:
        """Say what is worse than the tolerances promise, or that the run ended early."""
        if not self.success:
            warn(f"{self.name}: {self.message}", EndedEarlyWarning)
        rtol, steps = float(self.statistics["rtol"]), max(1, int(self.statistics["accepted"]))
        if not len(self.t) or not self.statistics["adaptive"]:  # a fixed step promises nothing
            return
        # of a motion that hardly moves, the stored energy is the measure
        stored = float(np.abs(self.kinetic_energy).max() + np.abs(self.potential_energy).max())
        off = max(0.0, float(np.abs(self.balance).max()) - 1e-10 * stored) / self.energy_scale
        if off > max(100, steps) * rtol:
            warn(
                f"{self.name}: the energy balance is off by {off:.2g} of what was moved, more than rtol = {rtol:g} promises over "
                f"{steps} steps; torques or events may not be smooth, or a smaller rtol is needed",
                SimulationWarning,
            )
        drift = float(self.statistics["drift_between_steps"])
        if drift > max(100, steps) * rtol:
            warn(
                f"{self.name}: constraints drift by up to {drift:.2g}, more than rtol = {rtol:g} promises; use "
                f"stabilisation='projection', or a smaller rtol",
                SimulationWarning,
            )

    # -- at other times ----------------------------------------------------------------------------------------------

    def __call__(self, t: Any) -> tuple[np.ndarray, np.ndarray]:
        """q and qd at any time of the run, or at several: from the integrator's own interpolation."""
        times = np.atleast_1d(np.asarray(t, dtype=float))
        inside = (
            (times >= self.first - 1e-12) & (times <= self.last + 1e-12) if len(self.t) else np.zeros(times.shape, dtype=bool)
        )
        if not inside.all():
            raise ArgumentError(f"the run is from {self.first:g} to {self.last:g} s")
        if self.course is not None:
            y = self.course.settled(times, self.course.states(times))
            q, qd = y[:, : self.q.shape[1]], y[:, self.q.shape[1] :]
        else:
            q, qd = balance.hermite(self.t, self.q, self.qd, self.qdd, times)
        return (q[0], qd[0]) if np.ndim(t) == 0 else (q, qd)

    @property
    def first(self) -> float:
        """The time it began."""
        return self.course.start if self.course is not None else float(self.t[0])

    @property
    def last(self) -> float:
        """The time that was reached."""
        return float(self.course.t) if self.course is not None else float(self.t[-1])

    def resample(self, t: Any) -> Motion:
        """The same run with other rows: a number of them, or their times."""
        if self.course is None:
            raise ArgumentError("a motion that was read from a file has the rows it was saved with; motion(t) interpolates them")
        times = np.linspace(self.first, self.last, int(t)) if np.ndim(t) == 0 else np.asarray(t, dtype=float)
        if times[0] < self.first - 1e-12 or times[-1] > self.last + 1e-12 or np.any(np.diff(times) <= 0):
            raise ArgumentError(f"times must increase, from {self.first:g} to {self.last:g} s")
        return Motion._at(self.course, times, self.course.states(times), self.ending)

    def second_opinion(self, rtol: float | None = None, atol: float | None = None, method: str = "BDF") -> float:
        """The largest difference of a coordinate or speed to what SUNDIALS finds for the same equations."""
        if self.course is None:
            raise ArgumentError("a motion that was read from a file has no equations to solve again")
        rtol = float(self.statistics["rtol"]) if rtol is None else rtol
        atol = float(self.statistics["atol"]) if atol is None else atol
        other = second_opinion(self.course, self.t, rtol, atol, method)
        return float(np.abs(other - np.hstack([self.q, self.qd])).max())

    def model(self, who: str = "this needs") -> Mechanism:
        """The mechanism; without one, an error that says why, and what to do."""
        if self.mechanism is None:
            why = f": it {self.without_mechanism}" if self.without_mechanism else ""
            raise ArgumentError(
                f"{who} the mechanism, which the file does not have{why}; give it yourself: lagrangian.read(path, mechanism)"
            )
        return self.mechanism

    @cached_property
    def reactions(self) -> np.ndarray:
        """The wrench each joint exerts on its child, (rows, joints, 6), moment first: see `Dynamics.reactions`."""
        dyn = self.course.dyn if self.course is not None else compiled(self.model("reactions need"))
        lam = self.multipliers if len(self.constraint_names) else None
        return np.asarray(dyn.reactions(self.q, self.qd, self.qdd, wrenches=self.wrenches, multipliers=lam, t=self.t))

    def to_xarray(self) -> Any:
        """All rows as an xarray Dataset, with names and units."""
        from lagrangian.motion.files import dataset

        return dataset(self)

    def save(self, path: Any) -> Any:
        """Write a netCDF file (.nc), which `lagrangian.read` and many other tools open; or its rows as text (.csv)."""
        from lagrangian.motion.files import save

        return save(self, path)

    def summary(self, events: int | None = 20) -> str:
        """How it went, in a few lines, with this many of its events; None leaves them out."""
        off = float(np.abs(self.balance).max()) if len(self.t) else 0.0
        s = self.statistics
        lines = [
            f"{self.name}: {self.message}",
            f"{len(self.t)} rows, "
            + (f"{s['accepted']} steps ({s['rejected']} rejected) of " if "accepted" in s else "by ")
            + s["method"]
            + (f", rtol {s['rtol']:g}" if s["adaptive"] else ""),
            f"energy balance: off by {off:.2g} J of {self.energy_scale:.3g} J moved" if self.energy_scale > 1e-300 else STILL,
        ]
        if len(self.constraint_names):
            rate = float(self.rate_drift.max(initial=0.0))
            if "accepted" in s:
                drift = f"{s['drift_at_steps']:.1g} at the steps, {s['drift_between_steps']:.1g} between"
            else:
                drift = f"{float(self.drift.max(initial=0.0)):.1g}"
            lines.append(f"constraint drift: {drift}; of rates {rate:.1g} in the rows")
        lines += over_limits(self)
        if events is None:
            return "\n".join(lines)
        lines += [f"{e.name} at t = {e.t:.9g} s" for e in self.events[:events]]
        if len(self.events) > events:
            lines.append(f"... and {len(self.events) - events} more events")
        return "\n".join(lines)

    def __repr__(self) -> str:
        end = f"{self.t[0]:g} to {self.last:g} s" if len(self.t) else "nothing"
        return f"<Motion of {self.name!r}: {len(self.t)} rows, {end}; {self.message}>"

    def __str__(self) -> str:
        return self.summary()

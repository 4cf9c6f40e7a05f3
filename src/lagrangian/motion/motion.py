"""The result of a run: rows of states and forces, energies and work, events, and how well it all balances."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from lagrangian.arguments import array, count, number
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, SimulationWarning, warn
from lagrangian.kernels.dynamics import compile as compiled
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.events import Happening
from lagrangian.motion.result import accuracy
from lagrangian.motion.result.hermite import hermite
from lagrangian.motion.result.over_limits import over_limits
from lagrangian.motion.result.rows import Rows
from lagrangian.motion.result.second_opinion import second_opinion
from lagrangian.motion.showing import ShownMotion
from lagrangian.motion.status import Ending, Status

if TYPE_CHECKING:
    import xarray

    from lagrangian.motion.run.trajectory import Trajectory

STILL = "energy balance: nothing moved"

T = TypeVar("T")


def _copied(value: Any) -> Any:
    """Arrays of the motion's own: what is computed later does not see what a caller did to them."""
    if isinstance(value, dict):
        return {name: _copied(part) for name, part in value.items()}
    return value.copy() if isinstance(value, (np.ndarray, list)) else value


class Quantity(Generic[T]):
    """Something that a motion has at its rows: given, or computed from its run when first asked for, and then kept."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, motion: Any, owner: type | None = None) -> T:
        if motion is None:
            return self  # type: ignore[return-value]
        value: T = _copied(getattr(motion._rows, self.name))
        motion.__dict__[self.name] = value  # from now on Python finds it there
        return value


class Motion(ShownMotion):
    """Rows over time `t`: coordinates `q`, speeds `qd`, accelerations `qdd`, joint forces `tau`, and what follows from them.

    `friction` is what friction takes at every speed, `multipliers` are the forces of the constraints, `constraint_forces` their
    Psi^T lambda. `work` holds what was done until each row by "torque" and "friction" (by speed), by "constraints" that move, by
    "wrenches" from outside, in "impacts", and by "payloads" and "parameters" that events set. `balance` is the change of energy
    less all work: zero, but for the error of the integration. `drift` and `rate_drift` are the largest violation of a constraint,
    and of its rate, at every row. `wrenches` are those from outside by their frames, each (rows, 6), moment first. `ending` says
    how it ended, and `status` is its kind.

    The motion of a run computes these when they are first asked for; other motions are given them by name.
    """

    q = Quantity[np.ndarray]()
    qd = Quantity[np.ndarray]()
    qdd = Quantity[np.ndarray]()
    tau = Quantity[np.ndarray]()
    friction = Quantity[np.ndarray]()
    multipliers = Quantity[np.ndarray]()
    constraint_forces = Quantity[np.ndarray]()
    kinetic_energy = Quantity[np.ndarray]()
    potential_energy = Quantity[np.ndarray]()
    drift = Quantity[np.ndarray]()
    rate_drift = Quantity[np.ndarray]()
    work = Quantity[dict[str, np.ndarray]]()
    wrenches = Quantity[dict[str, np.ndarray]]()
    events = Quantity[list[Happening]]()
    statistics = Quantity[dict[str, Any]]()

    def __init__(
        self,
        *,
        mechanism: Mechanism | None,
        name: str,
        t: np.ndarray,
        coordinate_names: tuple[str, ...],
        speed_names: tuple[str, ...],
        constraint_names: tuple[str, ...],
        ending: Ending,
        rows: Rows | None = None,
        **given: Any,
    ) -> None:
        self.mechanism, self.name, self.t, self.ending = mechanism, name, t, ending
        self.coordinate_names, self.speed_names, self.constraint_names = coordinate_names, speed_names, constraint_names
        self.without_mechanism = ""  # of a motion read from a file that has no mechanism: why not
        self._rows = rows
        if rows is None:
            given = {"wrenches": {}, "events": [], "statistics": {}, **given}
            wrong = [x for x in given if x not in QUANTITIES] or [x for x in QUANTITIES if x not in given]
            if wrong:
                raise ArgumentError(f"Motion: {wrong[0]!r}; {', '.join(QUANTITIES)} are needed, each by its name")
        self.__dict__.update(given)

    @classmethod
    def of(cls, trajectory: Trajectory, ending: Ending, t: np.ndarray, y: np.ndarray) -> Motion:
        """The motion of a run at some times, at which its interpolation gives the states y."""
        dyn = trajectory.dyn
        return cls(
            mechanism=dyn.mechanism,
            name=dyn.mechanism.name,
            t=t,
            coordinate_names=dyn.mechanism.coordinate_names,
            speed_names=dyn.mechanism.speed_names,
            constraint_names=dyn.constraint_names,
            ending=ending,
            rows=Rows(trajectory, t, y),
        )

    def ask(self) -> None:
        """Compute at once what depends on Python functions, which may give something else later."""
        if self._rows is not None:
            self._rows.ask()

    @property
    def rows(self) -> Rows | None:
        """What computes the quantities of a run; nothing of a motion that was not integrated, or was read from a file."""
        return self._rows

    @property
    def trajectory(self) -> Trajectory | None:
        """What the run has computed; nothing of a motion that was not integrated, or was read from a file."""
        return self._rows.trajectory if self._rows is not None else None

    def __getstate__(self) -> dict[str, Any]:
        """All but the compiled run: a copy has its rows, as one read from a file does."""
        computed = {name: getattr(self, name) for name in QUANTITIES}
        return {**self.__dict__, **computed, "_rows": None}

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
        """Say what is worse than the tolerances promise."""
        for told in accuracy.worse_than_promised(self):
            warn(f"{self.name}: {told}", SimulationWarning)

    # -- at other times ----------------------------------------------------------------------------------------------

    def __call__(self, t: Any) -> tuple[np.ndarray, np.ndarray]:
        """q and qd at any time of the run, or at several: from the integrator's own interpolation."""
        times = np.atleast_1d(array(t, "t"))
        if times.ndim != 1:
            raise ArgumentError(f"has the shape {times.shape}", argument="t", remedy="a number, or a list of numbers, is needed")
        inside = (
            (times >= self.first - 1e-12) & (times <= self.last + 1e-12) if len(self.t) else np.zeros(times.shape, dtype=bool)
        )
        if not inside.all():
            raise ArgumentError(f"the run is from {self.first:g} to {self.last:g} s", concerns="t")
        run = self.trajectory
        if run is not None:
            y = run.settled(times, run.states(times))
            q, qd = y[:, : run.dyn.nq], y[:, run.dyn.nq :]
        else:
            q, qd = hermite(self.t, self.q, self.qd, self.qdd, times)
        return (q[0], qd[0]) if np.ndim(t) == 0 else (q, qd)

    @property
    def first(self) -> float:
        """The time it began."""
        run = self.trajectory
        return run.start if run is not None else float(self.t[0])

    @property
    def last(self) -> float:
        """The time that was reached."""
        run = self.trajectory
        return float(run.t) if run is not None else float(self.t[-1])

    def resample(self, t: Any) -> Motion:
        """The same run with other rows: a number of them, or their times."""
        run = self.trajectory
        if run is None:
            raise ArgumentError("a motion that was read from a file has the rows it was saved with; motion(t) interpolates them")
        times = np.linspace(self.first, self.last, count(t, "t", "rows", least=2)) if np.ndim(t) == 0 else array(t, "t")
        if times.ndim != 1 or not times.size:
            raise ArgumentError(f"has shape {times.shape}; a number of rows, or their times, are needed", argument="t")
        if times[0] < self.first - 1e-12 or times[-1] > self.last + 1e-12 or np.any(np.diff(times) <= 0):
            raise ArgumentError(f"times must increase, from {self.first:g} to {self.last:g} s", concerns="t")
        return Motion.of(run, self.ending, times, run.states(times))

    def second_opinion(self, rtol: float | None = None, atol: float | None = None, method: str = "BDF") -> float:
        """The largest difference of a coordinate or speed to what SUNDIALS finds for the same equations."""
        run = self.trajectory
        if run is None:
            raise ArgumentError("a motion that was read from a file has no equations to solve again")
        rtol = float(self.statistics["rtol"]) if rtol is None else number(rtol, "rtol", least=1e-15, most=1.0)
        atol = float(self.statistics["atol"]) if atol is None else number(atol, "atol", least=1e-300)
        other = second_opinion(run, self.t, rtol, atol, method)
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
        run = self.trajectory
        every = np.arange(len(self.t))
        parts = [(compiled(self.model("reactions need")), every)] if run is None else run.by_mechanism(self.t)
        found = np.zeros((len(self.t), len(parts[0][0].mechanism.joints), 6))
        for dyn, mine in parts:
            lam = self.multipliers[mine] if len(self.constraint_names) else None
            wrenches = {name: rows[mine] for name, rows in self.wrenches.items()}
            found[mine] = dyn.reactions(self.q[mine], self.qd[mine], self.qdd[mine], wrenches, lam, self.t[mine])
        return found

    def to_xarray(self) -> xarray.Dataset:
        """All rows as an xarray Dataset, with names and units."""
        from lagrangian.motion.files import dataset

        return dataset(self)

    def save(self, path: str | Path, angles: str = "radians") -> Path:
        """Write a netCDF file (.nc), which `lagrangian.read` and many other tools open; or its rows as text (.csv).

        The `angles` of a .csv may be in "degrees"; a netCDF file has radians.
        """
        from lagrangian.motion.files import save

        return save(self, path, angles)

    def summary(self, events: int | None = 20) -> str:
        """How it went, in a few lines, with this many of its events; None leaves them out."""
        if events is not None:
            events = count(events, "events", "events", least=0)
        off = float(np.abs(self.balance).max()) if len(self.t) else 0.0
        s = self.statistics
        lines = [
            f"{self.name}: {self.message}",
            f"{len(self.t)} rows, "
            + (f"{s['accepted']} steps ({s['rejected']} rejected) of " if "accepted" in s else "by ")
            + s["method"]
            + (f", rtol {s['rtol']:g}" if s["adaptive"] else ""),
            STILL
            if not len(self.t) or accuracy.stands(self)
            else f"energy balance: off by {off:.2g} J of {self.energy_scale:.3g} J moved",
        ]
        if len(self.constraint_names):
            rate = float(self.rate_drift.max(initial=0.0))
            if "accepted" in s:
                drift = f"{s['drift_at_steps']:.1g} at the steps, {s['drift_between_steps']:.1g} between"
            else:
                drift = f"{float(self.drift.max(initial=0.0)):.1g}"
            kept = [str(s.get("stabilisation", "")), *(f"{name} {s[name]:g}/s" for name in ("alpha", "beta") if name in s)]
            by = f" ({', '.join(kept)})" if kept[0] not in ("", "projection") else ""
            lines.append(f"constraint drift: {drift}; of rates {rate:.1g} in the rows{by}")
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


QUANTITIES = tuple(name for name, found in vars(Motion).items() if isinstance(found, Quantity))

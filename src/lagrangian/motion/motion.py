"""The result of a run: rows of states and forces, energies and work, events, and how well it all balances."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

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
from lagrangian.types import Times

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
    """The motion of a mechanism over time, with its forces and energies.

    `simulate` returns a motion; `read` reads one from a file. A motion is a table with a row for each time of `t`. The steps of
    the integrator are independent of the rows: `motion(t)` interpolates between the steps, and `resample` returns the same
    motion with other rows. Forces, energies and work are computed when you first use them.

    Attributes
    ----------
    t : ndarray
        The times of the rows, in s.
    q, qd, qdd : ndarray
        Coordinates, speeds and accelerations, one row for each time, in rad or m and s.
    tau : ndarray
        The torques or forces of the joints, in N m or N, one column for each speed.
    friction : ndarray
        The friction torques or forces at the joints, in N m or N.
    multipliers : ndarray
        The Lagrange multipliers of the constraint equations, in N or N m.
    constraint_forces : ndarray
        The generalised forces of the constraints, Psi^T lambda, in N m or N.
    kinetic_energy, potential_energy : ndarray
        Energies at every row, in J.
    work : dict of ndarray
        The work done since the beginning, in J, by its source: "torque" and "friction" (a column for each speed), "constraints"
        (those that depend on time), "wrenches", "impacts", "payloads" and "parameters".
    drift, rate_drift : ndarray
        The largest violation of a constraint equation at every row, and that of its time derivative.
    wrenches : dict of ndarray
        The external wrenches by the names of their frames, each with the shape (rows, 6), moment first.
    events : list
        The events that took place, each with `name`, `t`, `q` and `qd`.
    statistics : dict
        What the integrator did: its method, tolerances, numbers of steps and evaluations.
    mechanism : Mechanism or None
        The mechanism; None if the motion was read from a file that does not contain it.
    name : str
        The name of the mechanism.
    coordinate_names, speed_names, constraint_names : tuple of str
        The names of the columns of `q`, of `qd` and of `multipliers`.
    ending : Ending
        How the motion ended.

    See Also
    --------
    simulate : Simulate the motion of a mechanism.
    Motions : Many motions of one mechanism.

    Examples
    --------
    >>> import lagrangian as lg
    >>> motion = lg.simulate("pendulum", 2, t_eval=5)
    >>> print(motion.t, motion.q[:, 0].round(3))
    [0.  0.5 1.  1.5 2. ] [3.142 4.311 6.117 5.797 3.796]
    >>> q, qd = motion(0.25)
    >>> print(q.round(4), qd.round(4))
    [3.4472] [2.4296]
    >>> print(f"{abs(motion.energy_balance).max():.0e} J")
    3e-08 J
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
                raise ArgumentError(f"Motion: {wrong[0]!r} is missing or unknown; give {', '.join(QUANTITIES)} by name")
        self.__dict__.update(given)

    @classmethod
    def of(cls, trajectory: Trajectory, ending: Ending, t: np.ndarray, y: np.ndarray) -> Motion:
        """Make the motion of a run at some times.

        Parameters
        ----------
        trajectory : Trajectory
            What the run has computed.
        ending : Ending
            How the run ended.
        t : ndarray
            The times of the rows, in s.
        y : ndarray
            The interpolated states at these times, coordinates and then speeds.

        Returns
        -------
        Motion
            The motion with these rows.
        """
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
        """Compute at once what depends on your Python functions, which may return something else later."""
        if self._rows is not None:
            self._rows.ask()

    @property
    def rows(self) -> Rows | None:
        """What computes the quantities of the rows; None for a motion that was read from a file or not integrated."""
        return self._rows

    @property
    def trajectory(self) -> Trajectory | None:
        """The steps that the run has computed; None for a motion that was read from a file or not integrated."""
        return self._rows.trajectory if self._rows is not None else None

    def __getstate__(self) -> dict[str, Any]:
        """All but the compiled run: a copy has its rows, as one read from a file does."""
        computed = {name: getattr(self, name) for name in QUANTITIES}
        return {**self.__dict__, **computed, "_rows": None}

    # -- how it ended ------------------------------------------------------------------------------------------------

    @property
    def status(self) -> Status:
        """Why the motion ended, as a `Status`."""
        return self.ending.status

    @property
    def success(self) -> bool:
        """Whether the motion reached the end of its time span, or an event whose action is to stop it."""
        return self.status.success

    @property
    def message(self) -> str:
        """How the motion ended, in words."""
        return self.ending.message

    # -- energy ------------------------------------------------------------------------------------------------------

    @property
    def energy(self) -> np.ndarray:
        """The sum of kinetic and potential energy at every row, in J."""
        return self.kinetic_energy + self.potential_energy

    @property
    def total_work(self) -> np.ndarray:
        """The work of all forces that are not part of the potential energy, since the beginning, in J."""
        parts = [np.asarray(w).reshape(len(self.t), -1).sum(axis=1) for w in self.work.values()]
        return np.sum(parts, axis=0) if parts else np.zeros(len(self.t))

    @property
    def energy_balance(self) -> np.ndarray:
        """The energy balance at every row, in J: the change of energy since the beginning minus the work done.

        It is zero for an exact solution, so that it measures the error of the integration.
        """
        if not len(self.t):
            return np.zeros(0)
        work = self.total_work
        return self.energy - self.energy[0] - (work - work[0])

    @property
    def energy_scale(self) -> float:
        """The scale of the energy balance, in J: the largest kinetic energy, range of potential energy, or work."""
        if not len(self.t):
            return 1.0
        V = self.potential_energy
        done = max((float(np.abs(w).max()) for w in self.work.values() if np.size(w)), default=0.0)
        return max(float(self.kinetic_energy.max()), float(V.max() - V.min()), done, 1e-300)

    def warn(self) -> None:
        """Warn if the energy balance or the constraint drift is worse than the tolerances promise."""
        for told in accuracy.worse_than_promised(self):
            warn(f"{self.name}: {told}", SimulationWarning)

    # -- at other times ----------------------------------------------------------------------------------------------

    def __call__(self, t: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return the coordinates and speeds at any time, from the integrator's own interpolation.

        Parameters
        ----------
        t : float or array_like
            A time, or several, in s, between `first` and `last`.

        Returns
        -------
        q, qd : ndarray
            The coordinates and the speeds; for several times, with a row for each.

        Raises
        ------
        ArgumentError
            If a time is outside the motion.
        """
        times = np.atleast_1d(array(t, "t"))
        if times.ndim != 1:
            raise ArgumentError(f"has the shape {times.shape}", argument="t", remedy="a number, or a list of numbers, is needed")
        inside = (
            (times >= self.first - 1e-12) & (times <= self.last + 1e-12) if len(self.t) else np.zeros(times.shape, dtype=bool)
        )
        if not inside.all():
            raise ArgumentError(f"it is outside the motion, which lasts from {self.first:g} to {self.last:g} s", concerns="t")
        run = self.trajectory
        if run is not None:
            y = run.settled(times, run.states(times))
            q, qd = y[:, : run.dyn.nq], y[:, run.dyn.nq :]
        else:
            q, qd = hermite(self.t, self.q, self.qd, self.qdd, times)
        return (q[0], qd[0]) if np.ndim(t) == 0 else (q, qd)

    @property
    def first(self) -> float:
        """The time at which the motion begins, in s."""
        run = self.trajectory
        return run.start if run is not None else float(self.t[0])

    @property
    def last(self) -> float:
        """The time that the motion reaches, in s."""
        run = self.trajectory
        return float(run.t) if run is not None else float(self.t[-1])

    def resample(self, t: Times) -> Motion:
        """Return the same motion with other rows. Nothing is integrated again.

        Parameters
        ----------
        t : int or array_like
            The number of rows, evenly spaced in time, or their times in s.

        Returns
        -------
        Motion
            The motion with these rows.

        Raises
        ------
        ArgumentError
            If the times do not increase or are outside the motion, or if the motion was read from a file.

        Examples
        --------
        >>> import lagrangian as lg
        >>> motion = lg.simulate("pendulum", 2)
        >>> print(len(motion.t), len(motion.resample(21).t))
        1001 21
        """
        run = self.trajectory
        if run is None:
            raise ArgumentError("a motion that was read from a file cannot be resampled; motion(t) interpolates its rows")
        times = np.linspace(self.first, self.last, count(t, "t", "rows", least=2)) if np.ndim(t) == 0 else array(t, "t")
        if times.ndim != 1 or not times.size:
            raise ArgumentError(f"has shape {times.shape}; a number of rows, or their times, are needed", argument="t")
        if times[0] < self.first - 1e-12 or times[-1] > self.last + 1e-12 or np.any(np.diff(times) <= 0):
            raise ArgumentError(f"times must increase, from {self.first:g} to {self.last:g} s", concerns="t")
        return Motion.of(run, self.ending, times, run.states(times))

    def error_against(self, rtol: float | None = None, atol: float | None = None, method: str = "BDF") -> float:
        """Solve the same equations with SUNDIALS, and return the largest difference of a coordinate or speed.

        This needs the package scikit-sundae: `pip install 'lagrangian[sundials]'`.

        Parameters
        ----------
        rtol, atol : float, optional
            The tolerances of SUNDIALS; those of the motion by default.
        method : str, optional
            Its method, "BDF" (the default) or "Adams".

        Returns
        -------
        float
            The largest absolute difference over all rows.
        """
        run = self.trajectory
        if run is None:
            raise ArgumentError("a motion that was read from a file has no equations that could be solved again")
        rtol = float(self.statistics["rtol"]) if rtol is None else number(rtol, "rtol", least=1e-15, most=1.0)
        atol = float(self.statistics["atol"]) if atol is None else number(atol, "atol", least=1e-300)
        other = second_opinion(run, self.t, rtol, atol, method)
        return float(np.abs(other - np.hstack([self.q, self.qd])).max())

    def model(self, who: str = "this needs") -> Mechanism:
        """Return the mechanism, or raise an error that says why there is none and what to do.

        Parameters
        ----------
        who : str, optional
            What needs the mechanism, as the beginning of the error message.

        Returns
        -------
        Mechanism
            The mechanism.

        Raises
        ------
        ArgumentError
            If the motion was read from a file that does not contain its mechanism.
        """
        if self.mechanism is None:
            why = f": it {self.without_mechanism}" if self.without_mechanism else ""
            raise ArgumentError(
                f"{who} the mechanism, which the file does not contain{why}; give it yourself: lagrangian.read(path, mechanism)"
            )
        return self.mechanism

    @cached_property
    def reactions(self) -> np.ndarray:
        """The reactions of the joints, with the shape (rows, joints, 6).

        Each is the wrench that a joint exerts on its child body, moment first, in N m and N: see `Dynamics.reactions`.
        """
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
        """Return all rows as an xarray `Dataset`, with names and units."""
        from lagrangian.motion.files import dataset

        return dataset(self)

    def save(self, path: str | os.PathLike[str], angles: str = "radians") -> Path:
        """Write the motion to a netCDF file or its rows to a CSV file.

        A netCDF file holds everything, with the mechanism. `read` opens it, as do xarray, MATLAB and other programs.

        Parameters
        ----------
        path : str or path
            The file. Its suffix, .nc or .csv, decides the format.
        angles : str, optional
            The unit of angles in a CSV file, "radians" (the default) or "degrees". A netCDF file always has radians.

        Returns
        -------
        Path
            The file that was written.

        Raises
        ------
        ArgumentError
            If the suffix is neither .nc nor .csv.

        Examples
        --------
        >>> import lagrangian as lg
        >>> motion = lg.simulate("pendulum", 2)
        >>> motion.save("swing.csv", angles="degrees").name
        'swing.csv'
        """
        from lagrangian.motion.files import save

        return save(self, path, angles)

    def summary(self, events: int | None = 20) -> str:
        """Describe the motion in a few lines: its ending, the integrator, the energy balance, the drift and the events.

        Parameters
        ----------
        events : int or None, optional
            The largest number of events to list, 20 by default; None lists no events.

        Returns
        -------
        str
            The lines that `print(motion)` prints.
        """
        if events is not None:
            events = count(events, "events", "events", least=0)
        off = float(np.abs(self.energy_balance).max()) if len(self.t) else 0.0
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
                drift = f"{s['drift_at_steps']:.1g} at the steps, {s['drift_between_steps']:.1g} between them"
            else:
                drift = f"{float(self.drift.max(initial=0.0)):.1g}"
            kept = [str(s.get("stabilisation", "")), *(f"{name} {s[name]:g}/s" for name in ("alpha", "beta") if name in s)]
            by = f" ({', '.join(kept)})" if kept[0] not in ("", "projection") else ""
            lines.append(f"constraint drift: {drift}; rate drift: {rate:.1g} at the rows{by}")
        lines += over_limits(self)
        if events is None:
            return "\n".join(lines)
        lines += [f"{e.name} at t = {e.t:.9g} s" for e in self.events[:events]]
        if len(self.events) > events:
            more = len(self.events) - events
            lines.append(f"... and {more} more event{'s' if more > 1 else ''}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        end = f"{self.t[0]:g} to {self.last:g} s" if len(self.t) else "nothing"
        return f"<Motion of {self.name!r}: {len(self.t)} rows, {end}; {self.message}>"

    def __str__(self) -> str:
        return self.summary()


QUANTITIES = tuple(name for name, found in vars(Motion).items() if isinstance(found, Quantity))

"""Quantities at the rows of a run, each computed when it is first asked for."""

from __future__ import annotations

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.kernels.least_squares import minimum_norm_multipliers
from lagrangian.motion import dead_centre
from lagrangian.motion.events import Happening
from lagrangian.motion.result.work import work
from lagrangian.motion.run.trajectory import Outputs, Trajectory
from lagrangian.motion.wrench import by_frame


class Rows:
    """Everything of a run at times `t`, at which the integrator's interpolation gives the states `y`."""

    def __init__(self, trajectory: Trajectory, t: np.ndarray, y: np.ndarray) -> None:
        self.trajectory, self.dyn = trajectory, trajectory.dyn
        # copies: what is asked for later is computed from them, whatever has been done to the arrays of the motion
        self.t, self.interpolated = t.copy(), y.copy()

    def ask(self) -> None:
        """Compute at once what Python functions of torques and wrenches are asked for: later they may give something else."""
        _ = self._outputs, self.work

    @cached_property
    def _y(self) -> np.ndarray:
        return self.trajectory.settled(self.t, self.interpolated)

    @cached_property
    def q(self) -> np.ndarray:
        return self._y[:, : self.dyn.nq]

    @cached_property
    def qd(self) -> np.ndarray:
        return self._y[:, self.dyn.nq :]

    @cached_property
    def _outputs(self) -> Outputs:
        return self.trajectory.outputs(self.t, self._y)

    @cached_property
    def qdd(self) -> np.ndarray:
        return self._outputs["qdd"]

    @cached_property
    def tau(self) -> np.ndarray:
        return self._outputs["tau"]

    @cached_property
    def friction(self) -> np.ndarray:
        return self._outputs["friction"]

    @cached_property
    def _psi(self) -> np.ndarray | None:
        if not self.dyn.mechanism.equation_count or not len(self.t):
            return None
        psi: np.ndarray = self.dyn.constraint_jacobian(self.q, self.t)
        return psi

    @cached_property
    def multipliers(self) -> np.ndarray:
        found = self._outputs["multipliers"]
        if self._psi is not None and self.trajectory.settings.redundant:
            return minimum_norm_multipliers(self._psi, found)
        return found

    @cached_property
    def constraint_forces(self) -> np.ndarray:
        if self._psi is None:
            return np.zeros((len(self.t), self.dyn.nv))
        found: np.ndarray = np.einsum("smn,sm->sn", self._psi, self.multipliers)
        return found

    @cached_property
    def wrenches(self) -> dict[str, np.ndarray]:
        wrenches = self.trajectory.supply.source.wrenches
        return by_frame(wrenches, self._outputs["wrenches"]) if wrenches else {}

    @cached_property
    def kinetic_energy(self) -> np.ndarray:
        found = np.zeros(len(self.t))
        for dyn, mine in self.trajectory.by_mechanism(self.t):
            found[mine] = dyn.kinetic_energy(self.q[mine], self.qd[mine])
        return found

    @cached_property
    def potential_energy(self) -> np.ndarray:
        found = np.zeros(len(self.t))
        for dyn, mine in self.trajectory.by_mechanism(self.t):
            found[mine] = dyn.potential_energy(self.q[mine])
        return found

    @cached_property
    def work(self) -> dict[str, np.ndarray]:
        return work(self.trajectory, self.t)

    @cached_property
    def drift(self) -> np.ndarray:
        return self.trajectory.violations(self.t, self._y)

    @cached_property
    def rate_drift(self) -> np.ndarray:
        return self.trajectory.rate_violations(self.t, self._y)

    @cached_property
    def drift_between_steps(self) -> float:
        """The largest violation of a constraint, before rows are moved onto them."""
        return float(self.trajectory.violations(self.t, self.interpolated).max(initial=0.0))

    @cached_property
    def events(self) -> list[Happening]:
        """Those that were told in the run, and dead centres."""
        run, dyn = self.trajectory, self.dyn
        found = list(run.happenings)
        if dyn.mechanism.equation_count and not run.watches_dead_centres:
            between = dead_centre.found_in(dyn, self.t, self.q, lambda times: run.settled(times, run.states(times)))
            found += [Happening(dead_centre.NAME, at, state[: dyn.nq], state[dyn.nq :]) for at, state in between]
            found.sort(key=lambda e: e.t)
        return found

    @cached_property
    def statistics(self) -> dict[str, object]:
        """How the run was made, and how well its constraints are kept."""
        run = self.trajectory
        since = {} if run.stiff_since is None else {"stiff_since": run.stiff_since}
        return {
            "accepted": run.accepted,
            "rejected": run.rejected,
            **since,
            "method": run.settings.method.name,
            "adaptive": run.settings.method.adaptive,
            "rtol": run.settings.rtol,
            "atol": run.settings.atol,
            "evaluations": run.evaluations,
            **(run.settings.stabilisation.to_dict() if self.dyn.mechanism.equation_count else {}),
            "drift_at_steps": run.drift_at_steps,
            "drift_between_steps": self.drift_between_steps,
            "independence": run.independence,
        }

"""What a run has computed so far, and everything that can be computed again from it: states, forces, drift at any time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion import torque
from lagrangian.motion.events import Event, Happening
from lagrangian.motion.inputs import Stabilisation
from lagrangian.motion.integrators.method import Method
from lagrangian.motion.problem import Problem
from lagrangian.motion.solver import Solver
from lagrangian.motion.torque import Torque


@dataclass
class Settings:
    """How a run is made."""

    method: Method
    rtol: float = 1e-8
    atol: float = 1e-10
    stabilisation: Stabilisation = field(default_factory=Stabilisation)
    step: float | None = None  # the first, or of a method without error estimate every one
    largest: float = np.inf
    limits: bool = True
    restitution: float = 0.0
    redundant: bool = False
    max_steps: int = 20_000_000
    stiff: Method | None = None  # the method to change to when the motion turns out to be stiff


@dataclass
class Stretch:
    """A part of a run with one solver and one u: what is needed to compute anything of it again."""

    solver: Solver
    u: np.ndarray
    steps: np.ndarray  # (t, h, y) of every step
    until: float


class Record:
    """Rows, stretches of steps, events, impacts."""

    problem: Problem
    events: Sequence[Event]

    _jump: float = np.inf  # the next time at which torques of a function jump

    def __init__(self, dyn: Dynamics, source: Torque, settings: Settings, t0: float, y0: np.ndarray, grid: np.ndarray) -> None:
        self.dyn, self.source, self.settings, self.grid = dyn, source, settings, grid
        self.t, self.y = t0, np.array(y0, dtype=float)
        self.rows = np.empty((len(grid), len(y0)))
        self.filled = 0
        self.stretches: list[Stretch] = []
        self.happenings: list[Happening] = []
        self.impacts: list[tuple[float, float]] = []  # when, and by how much the energy changed
        self.statistics: dict[str, Any] = {"accepted": 0, "rejected": 0}
        self.ratio = 1.0

    @property
    def start(self) -> float:
        """When it began."""
        return float(self.stretches[0].steps[0, 0]) if self.stretches else self.t

    @property
    def evaluations(self) -> int:
        """Of the equations of motion, about: stages times steps tried."""
        return (self.statistics["accepted"] + self.statistics["rejected"]) * self.settings.method.last

    def states(self, times: np.ndarray) -> np.ndarray:
        """Interpolated states at times of the run, in order."""
        found = np.empty((len(times), self.problem.size))
        for stretch, mine in self.by_stretch(times):
            step = np.clip(np.searchsorted(stretch.steps[:, 0], times[mine], side="right") - 1, 0, len(stretch.steps) - 1)
            found[mine] = self._replayed(stretch, step, times[mine])
        return found

    def states_of(self, stretch: Stretch, steps: slice, times: np.ndarray) -> np.ndarray:
        """States at times (steps, nodes) within some steps of a stretch."""
        which = np.repeat(np.arange(steps.start, steps.stop), times.shape[1])
        return self._replayed(stretch, which, times.ravel())

    def _replayed(self, stretch: Stretch, which: np.ndarray, times: np.ndarray) -> np.ndarray:
        theta = (times - stretch.steps[which, 0]) / stretch.steps[which, 1]
        self._jump = self.source.jump(float(stretch.steps[0, 0]) if len(stretch.steps) else np.inf)
        return stretch.solver.replay(stretch.steps, stretch.u, which, theta, self.settings.rtol, self.settings.atol)

    def outputs_in(self, stretch: Stretch, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """States on the constraints, forces and accelerations, at times within one stretch."""
        problem = stretch.solver.problem
        nq = problem.nq
        u = self._repeated(stretch, len(t))
        y = self._projected(stretch, t, y, u)
        if self.source.asks:
            u = np.array([self.inputs_at(stretch, float(at), state) for at, state in zip(t, y, strict=True)]).reshape(len(t), -1)
        if problem.large:
            return y, self._large_outputs(stretch, t, y, u)
        sizes = problem.output_sizes
        out = stretch.solver.kernel("outputs")(y[:, :nq], y[:, nq:], u, t[:, None])
        parts = np.split(out, np.cumsum(list(sizes.values()))[:-1], axis=1)
        return y, dict(zip(sizes, parts, strict=True))

    @staticmethod
    def _repeated(stretch: Stretch, count: int) -> np.ndarray:
        u = np.repeat(stretch.u[None], count, axis=0)
        places = stretch.solver.problem.inputs
        u[:, [places.torque_function, places.event_function]] = 0.0  # addresses are no numbers
        u[:, places.data :] = 0.0
        return u

    def _large_outputs(self, stretch: Stretch, t: np.ndarray, y: np.ndarray, u: np.ndarray) -> dict[str, np.ndarray]:
        """Without constraints, from the functions of the tree."""
        problem = stretch.solver.problem
        q, qd = y[:, : problem.nq], y[:, problem.nq :]
        tau = stretch.solver.kernel("torques_alone")(q, qd, u, t[:, None])
        none = np.zeros((len(t), 0))
        friction = self.dyn.friction(qd)
        sizes, loads = list(problem.load_sizes.values()), {}
        if sizes:
            found = stretch.solver.kernel("loads")(q, qd, u, t[:, None])
            loads = dict(zip(problem.load_sizes, np.split(found, [sizes[0]], axis=1), strict=True))
        return {
            **loads,
            "tau": tau,
            "qdd": self.dyn.forward_dynamics(q, qd, tau + loads["loads"] if loads else tau),
            "friction": friction,
            "multipliers": none,
            "holding": none,
            "phi": none,
        }

    def inputs_at(self, stretch: Stretch, t: float, y: np.ndarray) -> np.ndarray:
        """u of a stretch, with what Python functions give."""
        problem = stretch.solver.problem
        u = stretch.u.copy()
        u[[problem.inputs.torque_function, problem.inputs.event_function]] = 0.0
        u[problem.inputs.data :] = 0.0
        if self.source.asks:
            try:
                self.ask_into(u, t, y)
            except Exception:  # it failed in the run, or would now: what it cannot say is not known
                self.forget_in(u)
        return u

    def ask_into(self, u: np.ndarray, t: float, y: np.ndarray) -> None:
        """Write into u what Python functions give at a state: torques and wrenches."""
        nq, nv, first = self.problem.nq, self.problem.nv, self.problem.inputs.wrench
        if self.source.called is not None:
            u[:nv] = torque.checked(self.source.called(t, y[:nq].copy(), y[nq:].copy()), nv, t)
        for j, wrench in enumerate(self.source.wrenches):
            if wrench.called is not None:
                found = wrench.called(t, y[:nq].copy(), y[nq:].copy())
                u[first + 6 * j : first + 6 * j + 6] = torque.checked(
                    found, 6, t, f"the function of the wrench on {wrench.frame.name!r}"
                )

    def forget_in(self, u: np.ndarray) -> None:
        """What Python functions failed to give is not known."""
        if self.source.called is not None:
            u[: self.problem.nv] = np.nan
        u[self.problem.inputs.wrench : self.problem.inputs.joint(0)] = np.nan

    def _projected(self, stretch: Stretch, t: np.ndarray, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        problem = stretch.solver.problem
        if not problem.projects or not len(t):
            return y
        kernel = stretch.solver.kernel("projected")
        for _ in range(2):
            y = kernel(y[:, : problem.nq], y[:, problem.nq :], u, t[:, None])
        return y

    def by_stretch(self, t: np.ndarray) -> list[tuple[Stretch, np.ndarray]]:
        begins = np.array([s.steps[0, 0] for s in self.stretches])
        of = np.clip(np.searchsorted(begins, t, side="right") - 1, 0, max(0, len(begins) - 1))
        return [(self.stretches[k], np.flatnonzero(of == k)) for k in np.unique(of)] if len(begins) else []

    def outputs_at(self, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The same at any times of the run."""
        nv, m = self.problem.nv, self.dyn.mechanism.equations
        y = y.copy()
        found = {"tau": nv, "qdd": nv, "friction": nv, "multipliers": m, "phi": m, **self.problem.load_sizes}
        out = {name: np.zeros((len(t), size)) for name, size in found.items()}
        for stretch, mine in self.by_stretch(t):
            y[mine], here = self.outputs_in(stretch, t[mine], y[mine])
            for name in out:
                out[name][mine] = here[name]
        return y, out

    def settled(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Interpolated states moved onto the constraints."""
        y = y.copy()
        for stretch, mine in self.by_stretch(t):
            y[mine] = self._projected(stretch, t[mine], y[mine], self._repeated(stretch, len(mine)))
        return y

    def violations(self, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The largest error of a constraint, and of its rate, for every state."""
        nq = self.problem.nq
        if not self.dyn.mechanism.equations or not len(t):
            return np.zeros(len(t)), np.zeros(len(t))
        rate = np.abs(self.dyn.constraint_rate(y[:, :nq], y[:, nq:], t)).max(axis=1)
        if not self.dyn.holonomic.any():
            return np.zeros(len(t)), rate
        return np.abs(self.dyn.closure(y[:, :nq], t)).max(axis=1), rate

    def drift_of(self, t: np.ndarray, y: np.ndarray) -> float:
        return float(self.violations(t, y)[0].max(initial=0.0))

    @property
    def drift_at_steps(self) -> float:
        return max((self.drift_of(s.steps[:, 0], np.ascontiguousarray(s.steps[:, 2:])) for s in self.stretches), default=0.0)

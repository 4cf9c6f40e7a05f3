"""What a run has computed so far, and everything that can be computed again from it: states, forces, drift at any time."""

from __future__ import annotations

import numpy as np

from lagrangian.configuration.start import as_dynamics
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion.events import Happening
from lagrangian.motion.run.supply import Supply, without_addresses
from lagrangian.motion.settings import Settings
from lagrangian.motion.solver import places
from lagrangian.motion.solver.segment import Segment
from lagrangian.motion.solver.stepper import Stepper
from lagrangian.motion.system.inputs import STUCK
from lagrangian.motion.system.programs import acting_sizes, load_sizes, output_sizes
from lagrangian.motion.system.system import System

Outputs = dict[str, np.ndarray]


class Trajectory:
    """Rows, segments of steps, events, impacts."""

    def __init__(self, dyn: Dynamics, supply: Supply, settings: Settings, t0: float, y0: np.ndarray, grid: np.ndarray) -> None:
        self.dyn, self.supply, self.settings, self.grid = dyn, supply, settings, grid
        self.t, self.y = t0, np.array(y0, dtype=float)  # where it has come to
        self.rows = np.empty((len(grid), len(y0)))
        self.filled = 0
        self.segments: list[Segment] = []
        self.happenings: list[Happening] = []
        self.impacts: list[tuple[float, float]] = []  # when, and by how much the energy changed
        self.changes: list[tuple[float, float, str]] = []  # the same of payloads and parameters that events set, and which it was
        self.accepted = self.rejected = self.kept = 0
        self.independence = 1.0  # the least of the constraints
        self.stiff_since: float | None = None
        self.watches_dead_centres = False  # whether an event does: then they are not looked for in the rows

    def take(self, stepper: Stepper) -> None:
        """Take over what a stepper has computed."""
        stepper.close()
        self.filled += stepper.rows_filled  # it wrote into our rows
        self.segments += stepper.segments
        self.kept += sum(segment.dense.size for segment in stepper.segments if segment.dense is not None)
        self.t, self.y = stepper.t, stepper.y.copy()
        self.accepted += int(stepper.c[places.ACCEPTED])
        self.rejected += int(stepper.c[places.REJECTED])
        self.independence = min(self.independence, float(stepper.s[places.RATIO]))

    @property
    def system(self) -> System:
        return self.supply.system

    @property
    def start(self) -> float:
        """When it began."""
        return self.segments[0].start if self.segments else self.t

    @property
    def evaluations(self) -> int:
        """Of the equations of motion, about: stages times steps tried."""
        return (self.accepted + self.rejected) * self.settings.method.last

    @property
    def ends_with_row(self) -> bool:
        """Whether there is a row where it stopped, or nothing to compute one from."""
        filled = self.filled
        return not self.segments or filled == len(self.grid) or (filled > 0 and not self.t > self.grid[filled - 1])

    def all_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and states of the rows that were reached. Where it stopped is a row too."""
        if self.ends_with_row:
            return self.rows_before_the_end()
        t, y = self.grid[: self.filled], self.rows[: self.filled]
        return np.append(t, self.t), np.vstack([y, self.states(np.array([self.t]))])

    def rows_before_the_end(self) -> tuple[np.ndarray, np.ndarray]:
        """Those that were computed on the way; if there is none, where it began."""
        if self.filled:
            return self.grid[: self.filled], self.rows[: self.filled]
        first = self.segments[0].steps[0] if self.segments else np.array([self.t, 0.0, *self.y])
        return first[:1], first[2:].reshape(1, -1)

    # -- states ------------------------------------------------------------------------------------------------------

    def by_segment(self, t: np.ndarray) -> list[tuple[Segment, np.ndarray]]:
        """The segments, each with the numbers of the times that are in it."""
        if len(self.segments) == 1:
            return [(self.segments[0], np.arange(len(t)))]
        begins = np.array([s.start for s in self.segments])
        of = np.clip(np.searchsorted(begins, t, side="right") - 1, 0, max(0, len(begins) - 1))
        return [(self.segments[k], np.flatnonzero(of == k)) for k in np.unique(of)] if len(begins) else []

    def by_mechanism(self, t: np.ndarray) -> list[tuple[Dynamics, np.ndarray]]:
        """The mechanism, with the numbers of the times: several, where events change its parameters or its payload."""
        own = self.dyn.mechanism
        if all(segment.solver.system.mechanism is own for segment in self.segments):
            return [(self.dyn, np.arange(len(t)))]
        return [(as_dynamics(segment.solver.system.mechanism), mine) for segment, mine in self.by_segment(t)]

    def states(self, times: np.ndarray) -> np.ndarray:
        """Interpolated states at times of the run, in order."""
        found = np.empty((len(times), self.system.size))
        for segment, mine in self.by_segment(times):
            step = np.clip(np.searchsorted(segment.steps[:, 0], times[mine], side="right") - 1, 0, len(segment.steps) - 1)
            theta = (times[mine] - segment.steps[step, 0]) / segment.steps[step, 1]
            found[mine] = self.replayed(segment, step, theta)
        return found

    def replayed(self, segment: Segment, which: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """States of a segment at the parts `theta` of the steps `which`."""
        self.supply.jump = self.supply.source.jump(segment.start if len(segment.steps) else np.inf)
        found = segment.solver.replay(segment, which, theta, self.settings.rtol, self.settings.atol)
        if self.supply.error is not None and not isinstance(self.supply.error, Exception):  # Ctrl-C, which could not pass before
            raise self.supply.error
        return found

    def settled(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Interpolated states moved onto the constraints; where speeds change at once, as they are afterwards."""
        if not self.system.projects and len(self.segments) == 1:
            return y
        y = y.copy()
        for segment, mine in self.by_segment(t):
            y[mine[t[mine] == segment.start]] = segment.steps[0, 2:]
            y[mine] = self.settled_in(segment, t[mine], y[mine])
        return y

    def settled_in(self, segment: Segment, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The same within one segment."""
        system = segment.solver.system
        if not system.projects or not len(t):
            return y
        u = self._inputs(segment, len(t))
        for _ in range(2):
            y = segment.solver.programs.projected(y[:, : system.nq], y[:, system.nq :], u, t[:, None])
        return y

    # -- forces ------------------------------------------------------------------------------------------------------

    def outputs_in(self, segment: Segment, t: np.ndarray, y: np.ndarray) -> Outputs:
        """Forces and accelerations at times within one segment: see `output_sizes`."""
        system = segment.solver.system
        u = self._inputs_at(segment, t, y)
        if system.responds and not system.constrained:
            return self._by_response(segment, t, y, u)
        out = segment.solver.programs.outputs(y[:, : system.nq], y[:, system.nq :], u, t[:, None])
        return _parted(out, output_sizes(system))

    def event_values(self, segment: Segment, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """What is zero where an event takes place, of all events, at times within one segment: (times, events)."""
        system, table = segment.solver.system, segment.solver.system.table
        q, qd = y[:, : system.nq], y[:, system.nq :]
        found = np.empty((len(t), len(table)))
        if table.compiled:
            u = self._inputs_at(segment, t, y)
            response = self._responses(segment, t, y, u) if table.has_forces else np.zeros((len(t), system.responses))
            found[:, : len(table.compiled)] = segment.solver.programs.event_values(q, qd, u, t[:, None], response)
        for k, function in enumerate(table.functions, len(table.compiled)):
            found[:, k] = [
                self.supply.call(function, float(at), *state) for at, *state in zip(t, q.copy(), qd.copy(), strict=True)
            ]
        return found

    def _inputs_at(self, segment: Segment, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """u at every state, with what Python functions give there."""
        if not self.supply.source.asks:
            return self._inputs(segment, len(t))
        system = segment.solver.system
        u = [self.supply.inputs_at(segment.u, system, float(at), state) for at, state in zip(t, y, strict=True)]
        return np.array(u).reshape(len(t), -1)

    @staticmethod
    def _inputs(segment: Segment, count: int) -> np.ndarray:
        return np.repeat(without_addresses(segment.u, segment.solver.system)[None], count, axis=0)

    @staticmethod
    def _responses(segment: Segment, t: np.ndarray, y: np.ndarray, u: np.ndarray) -> np.ndarray:
        """What the system answers at every state: u with the addresses that its code reads."""
        given, at = u.copy(), segment.solver.system.inputs.data
        given[:, at:] = segment.u[at:]
        return segment.solver.responses(given, t, y)

    def _by_response(self, segment: Segment, t: np.ndarray, y: np.ndarray, u: np.ndarray) -> Outputs:
        """Without constraints: what acts, and what the run itself computes of it."""
        system, nq, nv = segment.solver.system, self.system.nq, self.system.nv
        out = _parted(segment.solver.programs.acting(y[:, :nq], y[:, nq:], u, t[:, None]), acting_sizes(system))
        found = self._responses(segment, t, y, u)
        for j, joint in enumerate(system.holdable):
            # friction that holds is what holds, with the other sign
            out["friction"][:, joint.speed] -= u[:, system.inputs.joint(j) + STUCK] * found[:, nv + joint.speed]
        none = np.zeros((len(t), 0))
        return {**out, "qdd": found[:, :nv], "multipliers": none, "phi": none}

    def outputs(self, t: np.ndarray, y: np.ndarray) -> Outputs:
        """The same at any times of the run."""
        parts = self.by_segment(t)
        if len(parts) == 1:
            return self.outputs_in(parts[0][0], t, y)
        nv, m = self.system.nv, self.dyn.mechanism.equation_count
        sizes = {"tau": nv, "qdd": nv, "friction": nv, "multipliers": m, "phi": m, **load_sizes(self.system)}
        out = {name: np.zeros((len(t), size)) for name, size in sizes.items()}
        for segment, mine in parts:
            here = self.outputs_in(segment, t[mine], y[mine])
            for name, values in out.items():
                values[mine] = here[name]
        return out

    # -- constraints -------------------------------------------------------------------------------------------------

    def violations(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The largest error of a constraint, for every state."""
        if not self.dyn.mechanism.equation_count or not len(t) or not self.dyn.holonomic.any():
            return np.zeros(len(t))
        found: np.ndarray = np.abs(self.dyn.closure(y[:, : self.system.nq], t)).max(axis=1)
        return found

    def rate_violations(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The largest error of a constraint's rate, for every state."""
        if not self.dyn.mechanism.equation_count or not len(t):
            return np.zeros(len(t))
        nq = self.system.nq
        found: np.ndarray = np.abs(self.dyn.constraint_rate(y[:, :nq], y[:, nq:], t)).max(axis=1)
        return found

    @property
    def drift_at_steps(self) -> float:
        return max((float(self.violations(s.steps[:, 0], s.steps[:, 2:]).max(initial=0.0)) for s in self.segments), default=0.0)


def _parted(out: np.ndarray, sizes: dict[str, int]) -> Outputs:
    """Columns by their names."""
    found, at = {}, 0
    for name, size in sizes.items():
        found[name] = out[:, at : at + size]
        at += size
    return found

"""Samples simulated many at a time, one in each SIMD lane, where the outputs of the study follow from the states alone.

The results equal those of single simulations bit for bit. Samples for which that does not hold, such as those that an event
stopped or that could not begin, are left to be simulated one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.configuration import state_arguments
from lagrangian.configuration.start import as_dynamics
from lagrangian.errors import LagrangianError
from lagrangian.model.expression import parameters
from lagrangian.model.expression.scalar import NumberWithSource
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.simulate import simulate
from lagrangian.motion.status import Status
from lagrangian.studies.job import StudyJob, has_callbacks
from lagrangian.studies.quantities import StateFunction, dynamics_quantities, state_quantities
from lagrangian.studies.reductions import MotionQuantities, OutputColumn
from lagrangian.studies.varied_names import SPEED

if TYPE_CHECKING:
    from lagrangian.motion.motions import Motions

MAX_NUMBERS = 4_000_000  # of the states that are kept at a time
MIN_BATCH = 8  # so many samples, or fewer, are computed one at a time: lanes would not pay

StoreOutputs = Callable[[np.ndarray, dict[str, np.ndarray]], None]  # takes indices of samples, and their outputs by name


class BatchSimulation:
    """The simulation of a job's samples in lanes; `is_applicable` says whether that is possible for the job."""

    def __init__(
        self, job: StudyJob, columns: Iterable[OutputColumn], times: np.ndarray, row_indices: dict[str, np.ndarray]
    ) -> None:
        model = job.mechanism
        assert model is not None
        self.job, self.model, self.columns, self.times, self.row_indices = job, model, list(columns), times, row_indices
        # positions and energies are computed with the numbers of the mechanism, which may not differ between the samples then
        self.functions = (
            state_quantities(model) if job.names.parameters else {**dynamics_quantities(model), **state_quantities(model)}
        )
        self.is_applicable = (
            not model.equation_count and not has_callbacks(job.run) and self._keeps_states() and self._starts_independently()  # type: ignore[arg-type]
        )

    def _keeps_states(self) -> bool:
        available = {*self.functions, "t"}
        return all(column.quantities <= available and not column.uses_events for column in self.columns)

    def _starts_independently(self) -> bool:
        """Whether no start is varied that is written with parameters which are varied, too."""
        names, initial = self.job.names, self.model.initial
        settings = self.job.settings()
        named_starts = [x for key in ("q0", "qd0") if isinstance(x := settings.get(key), (str, Mapping))]
        if named_starts and names.parameters and (names.coordinates or names.speeds):
            return False  # they may be written with parameters, too
        start_expressions = [x.source for part in (initial.q, initial.qd) for x in part or () if isinstance(x, NumberWithSource)]
        start_varies = any(parameters(x).keys() & set(names.parameters) for x in start_expressions)
        return not (start_varies and (names.coordinates or names.speeds))

    def run(self, values: np.ndarray, store: StoreOutputs) -> np.ndarray:
        """Simulate samples, pass their outputs to `store`, and return the indices of those that remain."""
        size = max(MIN_BATCH, MAX_NUMBERS // (len(self.times) * (self.model.nq + self.model.nv)))
        index = np.arange(len(values))
        remaining = [self._run_piece(values, index[k : k + size], store) for k in range(0, len(index), size)]
        return np.sort(np.concatenate([*remaining, index[:0]]))

    def _run_piece(self, values: np.ndarray, index: np.ndarray, store: StoreOutputs) -> np.ndarray:
        """Simulate some samples; where one of them fails, try each half by itself."""
        if len(index) <= MIN_BATCH:
            return index
        try:
            motions = self._simulate(values[index])
        except LagrangianError:
            half = len(index) // 2
            return np.concatenate([self._run_piece(values, part, store) for part in (index[:half], index[half:])])
        if (motions.status == Status.INTERRUPTED).any():
            raise KeyboardInterrupt
        finished = motions.status == Status.FINISHED
        if finished.any():
            rows = ManyMotions(self, motions, values[index], finished)
            store(
                index[finished],
                {column.name: column.evaluate(rows, self.row_indices.get(column.name)) for column in self.columns},
            )
        return index[~finished]

    def _simulate(self, values: np.ndarray) -> Motions:
        names, column = self.job.names, dict(zip(self.job.design.names, values.T, strict=True))
        settings = self.job.settings()
        q0, qd0 = settings.pop("q0", None), settings.pop("qd0", None)
        if names.coordinates or names.speeds:
            if q0 is None and qd0 is None:
                qd0 = self.model.initial.qd
            start = state_arguments.as_configuration(self.model, q0).q
            speeds = _start_speeds(self.model, qd0)
            q0 = _tile_with_columns(
                start, len(values), {self.model.coordinate_names.index(n): column[n] for n in names.coordinates}
            )
            speed_columns = {self.model.speed_names.index(n.removeprefix(SPEED)): column[n] for n in names.speeds}
            qd0 = _tile_with_columns(speeds, len(values), speed_columns)
        varied = {name: column[name] for name in names.parameters}
        options: dict[str, Any] = {**settings, "q0": q0, "qd0": qd0, "parameters": varied or None, "t_eval": self.times}
        motions: Motions = simulate(self.model, **options, keep="rows", threads=1)
        return motions


def _start_speeds(model: Mechanism, start_argument: Any) -> np.ndarray:
    """All speeds of a mechanism without constraints; those that are not given are zero."""
    speeds = state_arguments.as_speeds(model, start_argument)
    if isinstance(speeds, np.ndarray):
        return speeds
    return np.array([(speeds or {}).get(name, 0.0) for name in model.speed_names])


def _tile_with_columns(numbers: np.ndarray, count: int, columns: dict[int, np.ndarray]) -> np.ndarray:
    rows = np.tile(numbers, (count, 1))
    for k, values in columns.items():
        rows[:, k] = values
    return rows


class ManyMotions(MotionQuantities):
    """The rows of motions that all reached the end."""

    def __init__(self, batch: BatchSimulation, motions: Motions, values: np.ndarray, finished: np.ndarray) -> None:
        self.batch, self.values = batch, values[finished]
        self.q, self.qd = motions.q[finished], motions.qd[finished]

    def __len__(self) -> int:
        return len(self.q)

    @property
    def t(self) -> np.ndarray:
        return self.batch.times

    def quantity(self, name: str) -> np.ndarray:
        if name == "t":
            return np.tile(self.t, (len(self), 1))
        function: StateFunction = self.batch.functions[name]
        flat = [x.reshape(-1, x.shape[2]) for x in (self.q, self.qd)]
        return function(as_dynamics(self.batch.model), *flat).reshape(len(self), -1)

    def parameter(self, name: str) -> np.ndarray:
        names = self.batch.job.design.names
        if name in self.batch.job.names.parameters:
            column: np.ndarray = self.values[:, names.index(name)]
            return column
        own_value = self.batch.model.parameters[name]
        if not parameters(own_value).keys() & set(self.batch.job.names.parameters):
            return np.full(len(self), float(own_value))
        return np.array([self._dependent_parameter(row, name) for row in self.values])

    def _dependent_parameter(self, row: np.ndarray, name: str) -> float:
        """The value of a parameter that may follow from those that are varied."""
        design, names = self.batch.job.design, self.batch.job.names
        varied = {n: float(row[design.names.index(n)]) for n in names.parameters}
        return float(self.batch.model.with_parameters(varied).parameters[name])

    def event_times(self, event: str) -> list[float]:
        """Not available: samples with outputs at events are computed one at a time, see `BatchSimulation.is_applicable`."""
        raise NotImplementedError

    def at_time(self, t: float) -> MotionQuantities:
        raise NotImplementedError

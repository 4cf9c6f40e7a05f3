"""Samples simulated many at a time, one a SIMD lane, where what is kept of them follows from their states.

The numbers are the same bits as one at a time. Samples for which that is not so, such as those that an event stopped or that
could not begin, are left to be made one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.configuration import reading
from lagrangian.configuration.dynamics_of import dynamics_of
from lagrangian.errors import LagrangianError
from lagrangian.model.expression import parameters
from lagrangian.model.expression.written import Written
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.simulate import simulate
from lagrangian.motion.status import Status
from lagrangian.studies.job import Job, asks
from lagrangian.studies.keep import Kept, Rows
from lagrangian.studies.names import SPEED
from lagrangian.studies.quantities import OfState, of_dynamics, of_state

if TYPE_CHECKING:
    from lagrangian.motion.motions import Motions

NUMBERS = 4_000_000  # of the states that are kept at a time
FEW = 8  # samples that are made one at a time: lanes would not pay

Put = Callable[[np.ndarray, dict[str, np.ndarray]], None]  # is given indices of samples, and what is kept of them


class Lanes:
    """How the samples of a job are simulated in lanes; whether that `serves` it."""

    def __init__(self, job: Job, columns: Iterable[Kept], times: np.ndarray, places: dict[str, np.ndarray]) -> None:
        model = job.mechanism
        assert model is not None
        self.job, self.model, self.columns, self.times, self.places = job, model, list(columns), times, places
        # positions and energies are computed with the numbers of the mechanism, which may not differ between the samples then
        self.functions = of_state(model) if job.names.parameters else {**of_dynamics(model), **of_state(model)}
        self.serves = not model.equations and not asks(job.run) and self._keeps_states() and self._starts_alike()  # type: ignore[arg-type]

    def _keeps_states(self) -> bool:
        known = {*self.functions, "t"}
        return all(column.quantities <= known and not column.of_events for column in self.columns)

    def _starts_alike(self) -> bool:
        """A start that is varied is not written with parameters that are varied, too."""
        names, initial = self.job.names, self.model.initial
        settings = self.job.settings()
        given = [x for key in ("q0", "qd0") if isinstance(x := settings.get(key), (str, Mapping))]
        if given and names.parameters and (names.coordinates or names.speeds):
            return False  # they may be written with parameters, too
        written = [x.scalar for part in (initial.q, initial.qd) for x in part or () if isinstance(x, Written)]
        follows = any(parameters(x).keys() & set(names.parameters) for x in written)
        return not (follows and (names.coordinates or names.speeds))

    def go(self, values: np.ndarray, put: Put) -> np.ndarray:
        """Simulate samples, tell of what is kept, and give the indices of those that are left."""
        size = max(FEW, NUMBERS // (len(self.times) * (self.model.nq + self.model.nv)))
        index = np.arange(len(values))
        left = [self._piece(values, index[k : k + size], put) for k in range(0, len(index), size)]
        return np.sort(np.concatenate([*left, index[:0]]))

    def _piece(self, values: np.ndarray, index: np.ndarray, put: Put) -> np.ndarray:
        """The same for some; where one cannot be, those that can are found by halves."""
        if len(index) <= FEW:
            return index
        try:
            motions = self._motions(values[index])
        except LagrangianError:
            half = len(index) // 2
            return np.concatenate([self._piece(values, part, put) for part in (index[:half], index[half:])])
        if (motions.status == Status.INTERRUPTED).any():
            raise KeyboardInterrupt
        good = motions.status == Status.FINISHED
        if good.any():
            many = ManyMotions(self, motions, values[index], good)
            put(index[good], {column.name: column.of(many, self.places.get(column.name)) for column in self.columns})
        return index[~good]

    def _motions(self, values: np.ndarray) -> Motions:
        names, column = self.job.names, dict(zip(self.job.design.names, values.T, strict=True))
        settings = self.job.settings()
        q0, qd0 = settings.pop("q0", None), settings.pop("qd0", None)
        if names.coordinates or names.speeds:
            if q0 is None and qd0 is None:
                qd0 = self.model.initial.qd
            start = reading.configuration(self.model, q0).q
            speeds = _speeds(self.model, qd0)
            q0 = _varied(start, len(values), {self.model.coordinate_names.index(n): column[n] for n in names.coordinates})
            at = {self.model.speed_names.index(n.removeprefix(SPEED)): column[n] for n in names.speeds}
            qd0 = _varied(speeds, len(values), at)
        varied = {name: column[name] for name in names.parameters}
        options: dict[str, Any] = {**settings, "q0": q0, "qd0": qd0, "parameters": varied or None, "t_eval": self.times}
        found: Motions = simulate(self.model, **options, keep="rows", threads=1)
        return found


def _speeds(model: Mechanism, given: Any) -> np.ndarray:
    """All speeds of a mechanism without constraints; those that were not said are zero."""
    speeds = reading.speeds(model, given)
    if isinstance(speeds, np.ndarray):
        return speeds
    return np.array([(speeds or {}).get(name, 0.0) for name in model.speed_names])


def _varied(numbers: np.ndarray, count: int, columns: dict[int, np.ndarray]) -> np.ndarray:
    found = np.tile(numbers, (count, 1))
    for k, values in columns.items():
        found[:, k] = values
    return found


class ManyMotions(Rows):
    """The rows of motions that all reached the end."""

    def __init__(self, lanes: Lanes, motions: Motions, values: np.ndarray, good: np.ndarray) -> None:
        self.lanes, self.values = lanes, values[good]
        self.q, self.qd = motions.q[good], motions.qd[good]

    def __len__(self) -> int:
        return len(self.q)

    @property
    def t(self) -> np.ndarray:
        return self.lanes.times

    def quantity(self, name: str) -> np.ndarray:
        if name == "t":
            return np.tile(self.t, (len(self), 1))
        function: OfState = self.lanes.functions[name]
        flat = [x.reshape(-1, x.shape[2]) for x in (self.q, self.qd)]
        return function(dynamics_of(self.lanes.model), *flat).reshape(len(self), -1)

    def parameter(self, name: str) -> np.ndarray:
        names = self.lanes.job.design.names
        if name in self.lanes.job.names.parameters:
            column: np.ndarray = self.values[:, names.index(name)]
            return column
        given = self.lanes.model.parameters[name]
        if not parameters(given).keys() & set(self.lanes.job.names.parameters):
            return np.full(len(self), float(given))
        return np.array([self._followed(row, name) for row in self.values])

    def _followed(self, row: np.ndarray, name: str) -> float:
        """A parameter that may follow from those that are varied."""
        design, names = self.lanes.job.design, self.lanes.job.names
        varied = {n: float(row[design.names.index(n)]) for n in names.parameters}
        return float(self.lanes.model.with_parameters(varied).parameters[name])

    def times(self, event: str) -> list[float]:
        """Samples of which something is kept at events are made one at a time: see `Lanes.serves`."""
        raise NotImplementedError

    def at(self, t: float) -> Rows:
        raise NotImplementedError

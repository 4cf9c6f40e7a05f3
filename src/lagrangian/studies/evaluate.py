"""The samples of a chunk, computed one after the other: what is kept of each motion, or why there is none."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import array
from lagrangian.configuration import reading
from lagrangian.errors import Argument, ArgumentError, AssemblyWarning, LagrangianError, SimulationError, one_of
from lagrangian.kernels.dynamics import compile as compiled
from lagrangian.model.configuration import Origin, Partial
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.revision import followed
from lagrangian.motion import arguments
from lagrangian.motion.finish import on_interrupt
from lagrangian.motion.motion import Motion
from lagrangian.motion.simulate import ROWS, simulate
from lagrangian.motion.status import Status
from lagrangian.studies import keep as keeping
from lagrangian.studies.job import Function, Job
from lagrangian.studies.lanes import Lanes
from lagrangian.studies.names import SPEED
from lagrangian.studies.quantities import OneMotion, known

REASON = 300  # characters


@dataclass(frozen=True)
class Results:
    """Columns of numbers, with a row for each sample, and the samples that failed: their rows, and why.

    What a sample that failed has no number for is NaN.
    """

    columns: dict[str, np.ndarray]
    failed: dict[int, str]


class Misfit(ArgumentError):
    """What a function gives is nothing that a study can keep: every sample would fail."""


def evaluate(job: Job, values: np.ndarray, first: int = 0) -> Results:
    """What is kept of these samples, a row of `values` each, from the study's sample `first` on."""
    found: dict[str, np.ndarray] = {}
    failed: dict[int, str] = {}

    def put(index: np.ndarray, kept: Mapping[str, np.ndarray]) -> None:
        for name, numbers in kept.items():
            found.setdefault(name, np.full((len(values), *numbers.shape[1:]), np.nan))[index] = numbers

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        left = range(len(values))
        if callable(job.run):
            one = _called(job)
        else:
            simulation = Simulation(job)
            one = simulation.one
            if simulation.lanes.serves:
                left = simulation.lanes.go(values, put).tolist()
        for k in left:
            try:
                _put(found, k, len(values), one(dict(zip(job.design.names, values[k].tolist(), strict=True))))
                if callable(job.run):
                    _check_numbers(found, k)
            except (Exception, SystemExit) as error:  # of any kind: the others go on
                if isinstance(error, Misfit) and first + k == 0:
                    raise
                failed[k] = _reason(error)
    return Results(found, failed)


def _check_numbers(found: Mapping[str, np.ndarray], k: int) -> None:
    """A function that gives NaN has no result: its sample is told of, and its other numbers are kept."""
    missing = [name for name, column in found.items() if np.isnan(column[k]).all()]
    if missing:
        raise SimulationError(f"run returned NaN for {', '.join(map(repr, missing))}")


def _put(found: dict[str, np.ndarray], k: int, count: int, numbers: Mapping[str, Any]) -> None:
    for name, given in numbers.items():
        value = array(given, repr(name), "run")
        if value.ndim > 1:
            raise SimulationError(f"{name!r} has shape {value.shape}; a number, or a list of them, is needed")
        column = found.setdefault(name, np.full((count, *value.shape), np.nan))
        if column.shape[1:] != value.shape:
            raise SimulationError(f"{name!r} has shape {value.shape} here, and {column.shape[1:]} before")
        column[k] = value


def _reason(error: BaseException) -> str:
    text = str(error) if isinstance(error, LagrangianError) else f"{type(error).__name__}: {error}"
    return text if len(text) <= REASON else text[: REASON - 4] + " ..."


# -- simulations --------------------------------------------------------------------------------------------------------


class Simulation:
    """What is kept of a job's motions, and at which times they are needed for it."""

    def __init__(self, job: Job) -> None:
        model = job.mechanism
        assert model is not None
        assert job.keep is not None
        assert not callable(job.run)
        constraints = compiled(model).constraint_names
        self.job, self.columns = job, keeping.kept(job.keep, model, job.run.get("events"), constraints)
        self.readings = known(model, constraints)
        rows = arguments.grid(job.run.get("t_eval", ROWS), *job.span)
        self.times, self.places = keeping.times_of(self.columns, rows, job.span)
        self.lanes = Lanes(job, self.columns, self.times, self.places)

    def one(self, sample: Mapping[str, float]) -> dict[str, Any]:
        """What is kept of one sample."""
        motion = OneMotion(motion_of(self.job, sample, t_eval=self.times), self.readings)
        return {column.name: column.of(motion, self.places.get(column.name))[0] for column in self.columns}


def rows_in_lanes(job: Job) -> int:
    """How many rows are kept of samples that are simulated many at a time; 0 where they are not."""
    simulation = Simulation(job)
    return len(simulation.times) if simulation.lanes.serves else 0


def motion_of(job: Job, sample: Mapping[str, float], **options: Any) -> Motion:
    """The motion of one sample; an error if it did not end as it was asked to."""
    assert job.mechanism is not None
    model, settings = job.mechanism, job.settings()
    if job.names.parameters:
        values = {name: sample[name] for name in job.names.parameters}
        model, settings = model.with_parameters(values), followed(model, values, settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error", AssemblyWarning)  # a sample in another assembly would be one of another linkage
        try:
            motion = simulate(model, **{**settings, **_start(job, model, sample), **options})
        except AssemblyWarning as told:
            raise SimulationError(str(told)) from None
    if motion.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    if not motion.success:
        raise SimulationError(motion.message)
    return motion


def _start(job: Job, model: Mechanism, sample: Mapping[str, float]) -> dict[str, Any]:
    """`q0` and `qd0` of a sample: those of the run, or else the mechanism's own, with what is varied in their place."""
    assert not callable(job.run)
    q = {name: sample[name] for name in job.names.coordinates}
    qd = {name.removeprefix(SPEED): sample[name] for name in job.names.speeds}
    if not q and not qd:
        return {}
    q0, qd0 = job.run.get("q0"), job.run.get("qd0")
    if qd0 is None and q0 is None:
        qd0 = model.initial.qd  # which simulate would take for zero if a start were given without it
    return {"q0": _configuration(model, q0, q), "qd0": _speeds(model, qd0, qd)}


def _configuration(model: Mechanism, given: Any, values: dict[str, float]) -> Any:
    """A start with other values of some coordinates; of a mechanism with loops the rest is found from there."""
    start = reading.configuration(model, given)
    q = start.q.copy()
    for name, value in values.items():
        q[model.coordinate_names.index(name)] = value
    if start.complete and not (model.equations and values):
        return q
    return Partial(q.tolist(), dict.fromkeys((*(start.names or ()), *values)), Origin(model, given))


def _speeds(model: Mechanism, given: Any, values: dict[str, float]) -> Any:
    start = reading.speeds(model, given)
    if start is None or isinstance(start, dict):
        return {**(start or {}), **values}
    for name, value in values.items():
        start[model.speed_names.index(name)] = value
    return Partial(start.tolist(), values) if model.equations and values else start


# -- functions ----------------------------------------------------------------------------------------------------------


def _called(job: Job) -> Any:
    """The function that computes one sample by the user's."""
    function = job.function
    assert function is not None

    def one(sample: dict[str, float]) -> Mapping[str, Any]:
        model = job.mechanism
        if model is not None and job.names.parameters:
            model = model.with_parameters({name: sample[name] for name in job.names.parameters})
        found = _interruptible(function, model, sample)
        if found is None:
            remedy = "it must return a number or a mapping of names to numbers, or raise an error if there is no result"
            raise Misfit("the function returned None", where=Argument("run"), remedy=remedy)
        if not isinstance(found, Mapping):
            found = {"value": found}
        if job.keep is None:
            return found
        for name in job.keep:
            if name not in found:
                raise Misfit(one_of("result of the function called", name, map(str, found)), where=Argument("keep"))
        return {name: found[name] for name in job.keep}

    return one


def _interruptible(function: Function, model: Mechanism | None, sample: dict[str, float]) -> Any:
    """What the function gives. Ctrl-C ends the study, also where a run within the function would return what it has."""
    heard = False

    def stop() -> None:
        nonlocal heard
        heard = True
        raise KeyboardInterrupt

    with on_interrupt(stop):
        try:
            found = function(model, sample)
        except BaseException:
            if heard:
                raise KeyboardInterrupt from None
            raise
    if heard:
        raise KeyboardInterrupt
    return found

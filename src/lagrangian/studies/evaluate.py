"""The samples of a chunk, computed one after the other: the outputs of each, or the reason why it failed."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import array
from lagrangian.configuration import state_arguments
from lagrangian.errors import ArgumentError, ArgumentName, AssemblyWarning, LagrangianError, SimulationError, unknown_name_message
from lagrangian.kernels.dynamics import compile as compile_mechanism
from lagrangian.model.initial_state import PartialState, StateOrigin
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.parameters import substitute_parameters
from lagrangian.motion import arguments
from lagrangian.motion.finish import on_interrupt
from lagrangian.motion.motion import Motion
from lagrangian.motion.simulate import ROWS, simulate
from lagrangian.motion.status import Status
from lagrangian.studies import reductions
from lagrangian.studies.batches import BatchSimulation
from lagrangian.studies.job import Function, StudyJob
from lagrangian.studies.quantities import OneMotion, quantity_readers
from lagrangian.studies.varied_names import SPEED

MAX_REASON_LENGTH = 300  # characters


@dataclass(frozen=True)
class ChunkResults:
    """Columns of numbers, with a row for each sample, and the samples that failed: their rows, and why.

    What a sample that failed has no number for is NaN.
    """

    columns: dict[str, np.ndarray]
    failed: dict[int, str]


class UnusableResultError(ArgumentError):
    """A function returns something that a study cannot keep, so that every sample would fail."""


def evaluate_samples(job: StudyJob, values: np.ndarray, first: int = 0) -> ChunkResults:
    """Compute the outputs of samples: `values` has a row for each, and the first is the study's sample `first`."""
    columns: dict[str, np.ndarray] = {}
    failed: dict[int, str] = {}

    def store(index: np.ndarray, outputs: Mapping[str, np.ndarray]) -> None:
        for name, numbers in outputs.items():
            columns.setdefault(name, np.full((len(values), *numbers.shape[1:]), np.nan))[index] = numbers

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        remaining = range(len(values))
        if callable(job.run):
            compute_sample = _function_evaluator(job)
        else:
            simulation = SampleSimulation(job)
            compute_sample = simulation.simulate_sample
            if simulation.batch.is_applicable:
                remaining = simulation.batch.run(values, store).tolist()
        for k in remaining:
            try:
                _store_outputs(
                    columns, k, len(values), compute_sample(dict(zip(job.design.names, values[k].tolist(), strict=True)))
                )
                if callable(job.run):
                    _check_numbers(columns, k)
            except (Exception, SystemExit) as error:  # of any kind: the others go on
                if isinstance(error, UnusableResultError) and first + k == 0:
                    raise
                failed[k] = _failure_reason(error)
    return ChunkResults(columns, failed)


def _check_numbers(columns: Mapping[str, np.ndarray], k: int) -> None:
    """Raise an error for a sample whose function returned NaN; its other numbers are kept."""
    nan_names = [name for name, column in columns.items() if np.isnan(column[k]).all()]
    if nan_names:
        raise SimulationError(f"run returned NaN for {', '.join(map(repr, nan_names))}")


def _store_outputs(columns: dict[str, np.ndarray], k: int, count: int, outputs: Mapping[str, Any]) -> None:
    for name, output in outputs.items():
        value = array(output, repr(name), "run")
        if value.ndim > 1:
            raise SimulationError(f"{name!r} has shape {value.shape}; a number, or a list of them, is needed")
        column = columns.setdefault(name, np.full((count, *value.shape), np.nan))
        if column.shape[1:] != value.shape:
            raise SimulationError(f"{name!r} has shape {value.shape} here, and {column.shape[1:]} before")
        column[k] = value


def _failure_reason(error: BaseException) -> str:
    text = str(error) if isinstance(error, LagrangianError) else f"{type(error).__name__}: {error}"
    return text if len(text) <= MAX_REASON_LENGTH else text[: MAX_REASON_LENGTH - 4] + " ..."


# -- simulations --------------------------------------------------------------------------------------------------------


class SampleSimulation:
    """The simulation of single samples: the outputs of their motions, and the times at which these need the motions."""

    def __init__(self, job: StudyJob) -> None:
        model = job.mechanism
        assert model is not None
        assert job.keep is not None
        assert not callable(job.run)
        constraints = compile_mechanism(model).constraint_names
        self.job, self.columns = job, reductions.as_output_columns(job.keep, model, job.run.get("events"), constraints)
        self.readers = quantity_readers(model, constraints)
        rows = arguments.grid(job.run.get("t_eval", ROWS), *job.span)
        self.times, self.row_indices = reductions.output_times(self.columns, rows, job.span)
        self.batch = BatchSimulation(job, self.columns, self.times, self.row_indices)

    def simulate_sample(self, sample: Mapping[str, float]) -> dict[str, Any]:
        """Simulate one sample and return its outputs."""
        motion = OneMotion(sample_motion(self.job, sample, t_eval=self.times), self.readers)
        return {column.name: column.evaluate(motion, self.row_indices.get(column.name))[0] for column in self.columns}


def batch_row_count(job: StudyJob) -> int:
    """The number of rows of each sample if samples are simulated many at a time, else 0."""
    simulation = SampleSimulation(job)
    return len(simulation.times) if simulation.batch.is_applicable else 0


def sample_motion(job: StudyJob, sample: Mapping[str, float], **options: Any) -> Motion:
    """Simulate one sample; a motion that did not reach its end is an error."""
    assert job.mechanism is not None
    model, settings = job.mechanism, job.settings()
    if job.names.parameters:
        values = {name: sample[name] for name in job.names.parameters}
        model, settings = model.with_parameters(values), substitute_parameters(model, values, settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error", AssemblyWarning)  # a sample in another assembly would be one of another linkage
        try:
            motion = simulate(model, **{**settings, **_start_arguments(job, model, sample), **options})
        except AssemblyWarning as warning:
            raise SimulationError(str(warning)) from None
    if motion.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    if not motion.success:
        raise SimulationError(motion.message)
    return motion


def _start_arguments(job: StudyJob, model: Mechanism, sample: Mapping[str, float]) -> dict[str, Any]:
    """The arguments `q0` and `qd0` of a sample: those of the run or the mechanism's own, with the varied values in them."""
    assert not callable(job.run)
    q = {name: sample[name] for name in job.names.coordinates}
    qd = {name.removeprefix(SPEED): sample[name] for name in job.names.speeds}
    if not q and not qd:
        return {}
    q0, qd0 = job.run.get("q0"), job.run.get("qd0")
    if qd0 is None and q0 is None:
        qd0 = model.initial.qd  # which simulate would take for zero if a start were given without it
    return {"q0": _varied_configuration(model, q0, q), "qd0": _varied_speeds(model, qd0, qd)}


def _varied_configuration(model: Mechanism, start_argument: Any, values: dict[str, float]) -> Any:
    """A start with other values of some coordinates; in a mechanism with loops the other coordinates follow from them."""
    start = state_arguments.as_configuration(model, start_argument)
    q = start.q.copy()
    for name, value in values.items():
        q[model.coordinate_names.index(name)] = value
    if start.complete and not (model.equation_count and values):
        return q
    return PartialState(q.tolist(), dict.fromkeys((*(start.given_names or ()), *values)), StateOrigin(model, start_argument))


def _varied_speeds(model: Mechanism, start_argument: Any, values: dict[str, float]) -> Any:
    start = state_arguments.as_speeds(model, start_argument)
    if start is None or isinstance(start, dict):
        return {**(start or {}), **values}
    for name, value in values.items():
        start[model.speed_names.index(name)] = value
    return PartialState(start.tolist(), values) if model.equation_count and values else start


# -- functions ----------------------------------------------------------------------------------------------------------


def _function_evaluator(job: StudyJob) -> Any:
    """Return a function that computes one sample with the user's function."""
    function = job.function
    assert function is not None

    def evaluate_sample(sample: dict[str, float]) -> Mapping[str, Any]:
        model = job.mechanism
        if model is not None and job.names.parameters:
            model = model.with_parameters({name: sample[name] for name in job.names.parameters})
        result = _call_interruptibly(function, model, sample)
        if result is None:
            remedy = "it must return a number or a mapping of names to numbers, or raise an error if there is no result"
            raise UnusableResultError("the function returned None", where=ArgumentName("run"), remedy=remedy)
        if not isinstance(result, Mapping):
            result = {"value": result}
        if job.keep is None:
            return result
        for name in job.keep:
            if name not in result:
                raise UnusableResultError(
                    unknown_name_message("result of the function called", name, map(str, result)), where=ArgumentName("keep")
                )
        return {name: result[name] for name in job.keep}

    return evaluate_sample


def _call_interruptibly(function: Function, model: Mechanism | None, sample: dict[str, float]) -> Any:
    """Call the user's function. Ctrl-C ends the study, even where a simulation inside the function would return early."""
    interrupted = False

    def stop() -> None:
        nonlocal interrupted
        interrupted = True
        raise KeyboardInterrupt

    with on_interrupt(stop):
        try:
            result = function(model, sample)
        except BaseException:
            if interrupted:
                raise KeyboardInterrupt from None
            raise
    if interrupted:
        raise KeyboardInterrupt
    return result

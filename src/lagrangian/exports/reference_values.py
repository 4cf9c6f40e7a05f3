"""Reference values for exported code: its routines, run here at some states.

The states are the mechanism's own start, where it has constraints, and random ones. Straight-line code is run in Python, one
state at a time; loops over links are compiled for this machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lagrangian.configuration.assemble import assemble
from lagrangian.configuration.consistent_speeds import consistent_speeds
from lagrangian.errors import LagrangianError
from lagrangian.functions.routine import CallSequence, CallStep, LinkLoops, Package, Routine, RoutineArgument, StraightLineCode
from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.programs.sweeps import TreeProgram
from lagrangian.kernels.trace.node import PREPARED, Trace
from lagrangian.kernels.trace.replay import replay
from lagrangian.model.mechanism import Mechanism

Arrays = Mapping[str, Sequence[float]]
SEED = 20
STATES = 3

# the largest error of results, as a part of the largest number of an output or of 1, for numbers of so many bits
TOLERANCE = {64: 1e-10, 32: 2e-3}
LONG_MECHANISM = 60  # coordinates, beyond which one state with few digits will do
MAX_COMPARED_ENTRIES, SAMPLED_ENTRIES = 400, 40  # of an output, beyond which only some are compared; and how many


def reference_cases(mechanism: Mechanism, package: Package) -> Iterator[ReferenceCase]:
    """All routines at some states."""
    is_long = len(package.coordinates) > LONG_MECHANISM
    names_so_far: set[str] = set()
    for k, state in enumerate(sample_states(mechanism, 1 if is_long else STATES)):
        sample = {name: x.round(2) if name != "h" else x for name, x in state.items()} if is_long else state
        for routine in package.routines:
            case_inputs = routine_inputs(routine, sample)
            values = evaluate_routine(package, routine, case_inputs)
            if all(map(math.isfinite, values)):  # a description may have roots or logarithms that do not exist everywhere
                case = ReferenceCase(routine, k, case_inputs, list(_expected_entries(routine, values)))
                arrays = {case.array_name(name): x for name, x in case_inputs.items()}
                yield replace(case, new_arrays={name: x for name, x in arrays.items() if name not in names_so_far})
                names_so_far |= arrays.keys()


@dataclass(frozen=True)
class ReferenceCase:
    """A routine at a state, which has a number: its inputs by name, and the outputs that are expected.

    Several routines are given the same arrays of a state: `new_arrays` are those that no case before has, by name.
    """

    routine: Routine
    state: int
    inputs: dict[str, list[float]]
    expected: list[ExpectedEntries]
    new_arrays: dict[str, list[float]] = field(default_factory=dict)

    def array_name(self, input_name: str) -> str:
        """The name, in a test program, of the array that holds an input at the state."""
        return f"state{self.state}_{input_name}"


@dataclass(frozen=True)
class ExpectedEntries:
    """Entries of an output, by their places in it."""

    output: RoutineArgument
    places: list[int]
    values: list[float]

    @property
    def is_complete(self) -> bool:
        return len(self.places) == self.output.size


def _expected_entries(routine: Routine, values: list[float]) -> Iterator[ExpectedEntries]:
    at = 0
    for x in routine.outputs:
        places = (
            list(range(x.size))
            if x.size <= MAX_COMPARED_ENTRIES
            else [k * (x.size - 1) // (SAMPLED_ENTRIES - 1) for k in range(SAMPLED_ENTRIES)]
        )
        yield ExpectedEntries(x, places, [values[at + k] for k in places])
        at += x.size


def sample_states(mechanism: Mechanism, count: int) -> Iterator[dict[str, np.ndarray]]:
    """Values of every input that a routine may have, by name."""
    rng = np.random.default_rng(SEED)
    for _ in range(count):
        q, qd = _sample_state(mechanism, rng)
        n = mechanism.nv
        state = {name: rng.uniform(-1, 1, n) for name in ("qdd", "tau", "qd_desired", "qdd_desired")}
        state |= {"q": q, "qd": qd, "q_desired": rng.uniform(-1, 1, mechanism.nq)}
        state |= {"kp": rng.uniform(1, 9, n), "kd": rng.uniform(1, 3, n), "wrench": rng.uniform(-1, 1, 6)}
        state |= {"multipliers": rng.uniform(-1, 1, mechanism.equation_count), "t": rng.uniform(0, 1, 1), "h": np.array([1e-3])}
        yield state


def _sample_state(mechanism: Mechanism, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    q, qd = mechanism.random_configuration(rng), rng.uniform(-1, 1, mechanism.nv)
    if not mechanism.equation_count:
        return np.asarray(q, dtype=float), qd
    try:
        q = np.asarray(assemble(mechanism), dtype=float)
        return q, np.asarray(consistent_speeds(mechanism, q, qd), dtype=float)
    except LagrangianError:  # equations are defined off the constraints as well
        return np.asarray(q, dtype=float), qd


def routine_inputs(routine: Routine, state: dict[str, np.ndarray]) -> dict[str, list[float]]:
    """The inputs of a routine at a state, by name."""
    return {x.name: np.asarray(state[x.name], dtype=float).ravel().tolist() for x in routine.inputs}


def evaluate_routine(package: Package, routine: Routine, inputs: Arrays) -> list[float]:
    """The results of a routine, all outputs one after the other."""
    arrays, model_constants = dict(inputs), evaluate_constants(package)

    def read(name: str, index: int) -> float:
        return model_constants[index] if name == PREPARED else float(arrays[name][index])

    body = routine.body
    if isinstance(body, StraightLineCode):
        return [float(x) for x in replay(body.trace, read)]
    if isinstance(body, LinkLoops):
        kernel = Kernel(TreeProgram(body.algorithm, body.tree))
        return [float(x) for x in np.ravel(kernel(*(inputs[name] for name in body.algorithm.inputs)))]

    def call(other: Routine, inputs: dict[str, Any]) -> Any:
        return evaluate_routine(package, other, inputs)

    def compute(trace: Trace, arrays_so_far: dict[str, Any]) -> Any:
        arrays.update(arrays_so_far)
        return [float(x) for x in replay(trace, read)]

    routines = {x.name: x for x in package.routines}
    return [x for output in evaluate_sequence(routine, inputs, routines, call, compute) for x in output]


def evaluate_constants(package: Package) -> list[float]:
    """The constants of the model for the values that the parameters have."""
    return [float(x) for x in replay(package.preparation, lambda name, index: package.parameters[index].value)]


def evaluate_sequence(
    routine: Routine,
    inputs: Mapping[str, Any],
    routines: Mapping[str, Routine],
    call: Callable[[Routine, dict[str, Any]], Any],
    compute: Callable[[Trace, dict[str, Any]], Any],
) -> list[Any]:
    """The outputs of a routine that is a sequence of steps, over any arrays that can be sliced.

    `call` runs another routine on its inputs by name, and `compute` a trace on all that is known; both give one array.
    """
    body = routine.body
    assert isinstance(body, CallSequence)
    arrays = dict(inputs)
    sizes = {**body.arrays, **{x.name: x.size for x in routine.outputs}}
    for step in body.steps:
        if isinstance(step, CallStep):
            other = routines[step.routine]
            values = call(other, {x.name: arrays[name] for x, name in zip(other.inputs, step.inputs, strict=True)})
        else:
            values = compute(step.trace, arrays)
        for name in step.outputs:
            arrays[name], values = values[: sizes[name]], values[sizes[name] :]
    return [arrays[x.name] for x in routine.outputs]

"""Routines run here, one state at a time: reference values for the code that is written of them.

Straight-line code is run in Python; loops over links are compiled for this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lagrangian.exports.routine import Call, Package, Rolled, Routine, Straight
from lagrangian.exports.routine import Sequence as Calls
from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.programs.sweeps import Sweeps
from lagrangian.kernels.trace.node import PREPARED, Trace
from lagrangian.kernels.trace.replay import replay

Arrays = Mapping[str, Sequence[float]]


def constants(package: Package) -> list[float]:
    """The constants of the model for the values that the parameters have."""
    return [float(x) for x in replay(package.preparation, lambda name, index: package.parameters[index].value)]


def evaluated(package: Package, routine: Routine, given: Arrays) -> list[float]:
    """What a routine gives, all outputs one after the other."""
    found, prepared = dict(given), constants(package)

    def read(name: str, index: int) -> float:
        return prepared[index] if name == PREPARED else float(found[name][index])

    body = routine.body
    if isinstance(body, Straight):
        return [float(x) for x in replay(body.trace, read)]
    if isinstance(body, Rolled):
        kernel = Kernel(Sweeps(body.algorithm, body.tree))
        return [float(x) for x in np.ravel(kernel(*(given[name] for name in body.algorithm.inputs)))]

    def call(other: Routine, inputs: dict[str, Any]) -> Any:
        return evaluated(package, other, inputs)

    def compute(trace: Trace, known: dict[str, Any]) -> Any:
        found.update(known)
        return [float(x) for x in replay(trace, read)]

    called = {x.name: x for x in package.routines}
    return [x for output in in_steps(routine, given, called, call, compute) for x in output]


def in_steps(
    routine: Routine,
    given: Mapping[str, Any],
    called: Mapping[str, Routine],
    call: Callable[[Routine, dict[str, Any]], Any],
    compute: Callable[[Trace, dict[str, Any]], Any],
) -> list[Any]:
    """The outputs of a routine that is a sequence of steps, over any arrays that can be sliced.

    `call` runs another routine on its inputs by name, and `compute` a trace on all that is known; both give one array.
    """
    body = routine.body
    assert isinstance(body, Calls)
    found = dict(given)
    sizes = {**body.arrays, **{x.name: x.size for x in routine.outputs}}
    for step in body.steps:
        if isinstance(step, Call):
            other = called[step.routine]
            values = call(other, {x.name: found[name] for x, name in zip(other.inputs, step.inputs, strict=True)})
        else:
            values = compute(step.trace, found)
        for name in step.outputs:
            found[name], values = values[: sizes[name]], values[sizes[name] :]
    return [found[x.name] for x in routine.outputs]

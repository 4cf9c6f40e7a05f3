"""Routines run here, one state at a time: reference values for the code that is written of them.

Straight-line code is run in Python; loops over links are compiled for this machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lagrangian.exports.routine import Call, Package, Rolled, Routine, Straight
from lagrangian.kernels.kernel import Kernel
from lagrangian.kernels.programs.sweeps import Sweeps
from lagrangian.kernels.trace.node import PREPARED
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
    sizes = {**body.arrays, **{x.name: x.size for x in routine.outputs}}
    called = {x.name: x for x in package.routines}
    for step in body.steps:
        if isinstance(step, Call):
            other = called[step.routine]
            values = evaluated(package, other, {x.name: found[name] for x, name in zip(other.inputs, step.inputs, strict=True)})
        else:
            values = [float(x) for x in replay(step.trace, read)]
        for name in step.outputs:
            found[name], values = values[: sizes[name]], values[sizes[name] :]
    return [x for output in routine.outputs for x in found[output.name]]

"""Routines: functions of arrays as they are exported, free of any language. A target writes them in its own.

A routine reads its inputs and the constants of the model, and writes its outputs. Its body is one of three:

- `StraightLineCode`: straight-line code, a trace;
- `LinkLoops`: loops over the links of a long mechanism, with the step of each kind of joint as a trace;
- `CallSequence`: calls of other routines, with straight-line code between them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from lagrangian.algorithms.sweep import Algorithm
from lagrangian.algorithms.tree import Tree
from lagrangian.functions.parameters import Parameter
from lagrangian.kernels.rolled.trace import SweepProgram
from lagrangian.kernels.trace.node import Trace


@dataclass(frozen=True)
class RoutineArgument:
    """An array of numbers. A shape of () is a single number; matrices are row by row. `entries` name its numbers."""

    name: str
    shape: tuple[int, ...]
    about: str
    entries: tuple[str, ...] = ()
    output: bool = False

    @property
    def size(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True)
class StraightLineCode:
    """Straight-line code. Inputs of the trace are (name, index) of the routine's inputs, or (`PREPARED`, place) of constants.

    Its outputs are those of the routine, one after the other.
    """

    trace: Trace


@dataclass(frozen=True)
class LinkLoops:
    """Loops over the links of a tree, whose numbers are data: no constants of the model are read."""

    algorithm: Algorithm
    tree: Tree
    program: SweepProgram


@dataclass(frozen=True)
class CallStep:
    """A call of another routine: its inputs and outputs by the names that arrays have in the sequence."""

    routine: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class ComputeStep:
    """Straight-line code between calls: its trace reads arrays of the sequence, and its outputs fill others, in order."""

    trace: Trace
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class CallSequence:
    """Steps one after the other; `arrays` are those that are neither inputs nor outputs, with their sizes."""

    steps: tuple[CallStep | ComputeStep, ...]
    arrays: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Routine:
    """A function: its name, what it computes, its inputs and its outputs."""

    name: str
    about: str
    inputs: tuple[RoutineArgument, ...]
    outputs: tuple[RoutineArgument, ...]
    body: StraightLineCode | LinkLoops | CallSequence
    hidden: bool = False  # whether it is a part of another routine, the only one that calls it

    @property
    def size(self) -> int:
        """The number of numbers in all outputs."""
        return sum(x.size for x in self.outputs)

    def traces(self) -> Iterator[Trace]:
        """Yield the traces that read constants of the model."""
        match self.body:
            case StraightLineCode(trace):
                yield trace
            case CallSequence(steps):
                yield from (step.trace for step in steps if isinstance(step, ComputeStep))


@dataclass(frozen=True)
class Package:
    """All that is exported of one mechanism: its routines, each after those that it calls, and its parameters.

    `preparation` computes the constants that routines read from the parameters, its inputs `NUMBERS`.
    """

    name: str
    parameters: tuple[Parameter, ...]
    preparation: Trace
    routines: tuple[Routine, ...]
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    notes: tuple[str, ...] = ()

"""What a kernel is made from: a function of arrays, how it is compiled, and what tells it from any other."""

from __future__ import annotations

import ctypes
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lagrangian.algorithms.structure import SlotNumbers
from lagrangian.kernels.llvm import machine_code, target, unrolled
from lagrangian.kernels.trace.node import Graph, Trace, trace_reading_all_inputs

Header = dict[str, Any]
_NO_TABLE = np.zeros(1, dtype=np.int64)

# operations up to which choosing instructions and registers with care is worth its time
MAX_OPTIMISED_OPERATIONS = 12_000


class Program(ABC):
    """Inputs by name and size, the shape of the result for one state, and which entries of q are angles."""

    name: str
    inputs: Sequence[str]
    sizes: Sequence[int]
    shape: tuple[int, ...]
    angles: Sequence[int]

    @property
    def size(self) -> int:
        """How many numbers the result has."""
        return math.prod(self.shape)

    @abstractmethod
    def key(self) -> tuple[str | bytes | int, ...]:
        """All that the code depends on."""

    @abstractmethod
    def compile(self, cpu_target: target.CPUTarget, width: int) -> tuple[Header, bytes]:
        """Compile the code for `width` states at once; return a header that describes it, and the code."""

    def for_single_state(self, cpu_target: target.CPUTarget) -> Program:
        """The program for a single state, where another is faster; its results may differ by rounding."""
        return self

    @abstractmethod
    def data(self, header: Header, code: machine_code.LoadedCode) -> list[np.ndarray]:
        """Arrays that compiled code reads besides its inputs."""


def prepare_constants(numbers: np.ndarray, size: int, code: machine_code.LoadedCode) -> np.ndarray:
    """The numbers of a description, and behind them what code for all of its structure prepares from them."""
    constants = np.zeros(max(1, size))
    constants[: len(numbers)] = numbers
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.address("prepare"))(constants.ctypes.data)
    return constants


def compile_unrolled(
    program: Program, trace: Trace, cpu_target: target.CPUTarget, width: int, number_count: int
) -> tuple[Header, bytes]:
    """A trace as straight-line code; very long code is assembled with little effort, as more would take minutes.

    A trace has no common subexpressions, no dead code and is in a good order: LLVM's passes would find nothing to improve.
    """
    code = unrolled.unrolled_code(
        trace, tuple(program.inputs), list(program.sizes), program.size, cpu_target, width, number_count
    )
    scratch = unrolled.scratch_size(list(program.sizes), program.size, width)
    header = {"form": "unrolled", "scratch": scratch, "operations": trace.operations, "numbers": code.numbers}
    return header, machine_code.compile_object(
        code.ir, cpu_target, 1 if trace.operations + program.size <= MAX_OPTIMISED_OPERATIONS else 0, passes=()
    )


class TracedProgram(Program):
    """A function given by what it records on a graph: `outputs(graph)` are its results. `digest` names it.

    `numbers` are those that it reads as the graph's inputs `NUMBERS`; they are no part of what names it.

    A shape that is a whole number is the length of a vector, as in numpy. Inputs that no result depends on are read too if
    `reads_all`, so that NaN in them is not hidden; where all are known to be finite, that is not needed.
    """

    def __init__(
        self,
        name: str,
        inputs: dict[str, int],
        shape: int | tuple[int, ...],
        angles: Sequence[int],
        outputs: Callable[[Graph], list[Any]],
        digest: bytes,
        numbers: SlotNumbers | np.ndarray | None = None,
        reads_all: bool = True,
    ) -> None:
        self.name, self.inputs, self.sizes = name, tuple(inputs), list(inputs.values())
        self._make_trace = trace_reading_all_inputs if reads_all else Trace
        self.shape, self.angles = (shape,) if isinstance(shape, int) else shape, angles
        self._outputs, self._digest = outputs, digest
        self.numbers = np.zeros(0) if numbers is None else numbers

    def key(self) -> tuple[str | bytes | int, ...]:
        return self.name, self._digest

    def trace(self, limit: int | None = None) -> Trace:
        """The operations of the program, which read the numbers as inputs; more than the limit raise `GraphTooLargeError`."""
        graph = Graph(limit)
        for name, size in zip(self.inputs, self.sizes, strict=True):
            for k in range(size):
                graph.input(name, k)
        return self._make_trace(graph, self._outputs(graph))

    def compile(self, cpu_target: target.CPUTarget, width: int) -> tuple[Header, bytes]:
        return compile_unrolled(self, self.trace(), cpu_target, width, len(self.numbers))

    def data(self, header: Header, code: machine_code.LoadedCode) -> list[np.ndarray]:
        values = self.numbers.values if isinstance(self.numbers, SlotNumbers) else self.numbers
        return [prepare_constants(values, header["numbers"], code), _NO_TABLE]

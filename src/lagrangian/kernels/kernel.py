"""A program, compiled, as a function of one state or many.

A `Kernel` brings its arguments into rows of doubles, chooses the machine code for so many states, compiling it at the first call,
and runs it, on several threads where that pays. If a result is not finite although the arguments are, it warns, with the reason
where one can be found.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import floats
from lagrangian.errors import ArgumentError, MechanismWarning, warn
from lagrangian.kernels.llvm import blocks, helpers, math, object_cache, target, vectorcall
from lagrangian.kernels.llvm.object_cache import load_or_compile
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.program import MAX_OPTIMISED_OPERATIONS, Program

Wrenches = Mapping[str, ArrayLike] | None

# states after which code for many at once is compiled, and the same for long code: for fewer, that takes longer than it saves
MIN_VECTORISED_STATES, MIN_VECTORISED_STATES_OF_LONG = 4_000, 40_000
SINGLE_STATE = 0  # the width under which the code for a single state is kept

MIN_PARALLEL_WORK = 8_000_000  # states times operations, below which threads cost more than they bring

CACHE_LINE = 8  # doubles

_READABLE_TYPES = frozenset(map(np.dtype, (np.float64, np.int64)))
_addressof = ctypes.addressof
_from_buffer: Any = ctypes.c_char.from_buffer  # arrays are buffers, though their type does not say so
_SUPPRESSED: ContextVar[bool] = ContextVar("suppressed", default=False)
_compile_lock = threading.RLock()


class Kernel:
    """A compiled function of one state, `(n,)` arrays, or of a batch, `(batch, n)`; it is compiled when first called."""

    def __init__(self, program: Program, threads: Threads | None = None, not_finite: NonFiniteReporter | None = None) -> None:
        self.program, self._size = program, program.size
        self._not_finite = not_finite  # nothing where the caller looks at the results
        self._threads = threads or Threads()
        self._batched_states = 0  # states so far
        self._codes: dict[tuple[CPUTarget, int], MachineCode] = {}
        self._contexts: list[vectorcall.CallContext] = []
        self._scratch: np.ndarray | None = None  # of the entries for one state, which Python's lock keeps apart

    def __call__(self, *arguments: Any) -> Any:
        program = self.program
        arrays, batch = as_rows(program.name, program.inputs, program.sizes, arguments)
        count = 1 if batch is None else batch
        out = allocate_results(program.name, count, self._size)
        if count and self._size:
            self._run(arrays, out, count)
        if batch is None:
            return out.reshape(program.shape) if program.shape else float(out[0, 0])
        return out.reshape((count, *program.shape))

    def _run(self, arrays: list[np.ndarray], out: np.ndarray, count: int) -> None:
        code = self._select_code(count)
        q = arrays[0]
        flags = self._threads.run_in_parallel(lambda a, b: code.run(arrays, q, out, a, b), count, code.operations)
        if flags & blocks.ANGLE_TOO_LARGE:
            reduced = self._reduce_angles(q)
            flags = self._threads.run_in_parallel(lambda a, b: code.run(arrays, reduced, out, a, b), count, code.operations)
        if flags & blocks.RESULT_NOT_FINITE and self._not_finite is not None:
            self._not_finite.warn_if_needed(self.program.name, arrays, out)

    def _reduce_angles(self, q: np.ndarray) -> np.ndarray:
        """q with angles beyond what the code's sine and cosine reduce within one turn."""
        angles = q.copy()
        with np.errstate(invalid="ignore"):
            values = angles[:, self.program.angles]
            large = np.abs(values) > math.largest_angle(target.current().fma)
            angles[:, self.program.angles] = np.where(large, np.arctan2(np.sin(values), np.cos(values)), values)
        return angles

    def _select_code(self, count: int) -> MachineCode:
        """The code for states one after the other, or for many at once; compiled, or taken from the cache, when first needed.

        Both give the same bits, so that small batches can go through the former. A single state may have code of its own.
        """
        cpu_target = target.current()
        if count == 1:
            return self._single_state_code(cpu_target)
        self._batched_states += count
        single = self._codes.get((cpu_target, 1))
        is_long = single is not None and single.code_size > MAX_OPTIMISED_OPERATIONS
        minimum = MIN_VECTORISED_STATES_OF_LONG if is_long else MIN_VECTORISED_STATES
        width = cpu_target.width if self._batched_states >= minimum else 1
        return self._machine_code(self.program, cpu_target, width)

    def _machine_code(self, program: Program, cpu_target: CPUTarget, width: int) -> MachineCode:
        code = self._codes.get((cpu_target, width))
        if code is None:
            with _compile_lock:  # of two threads that ask at once, one compiles: code that is in use must not be replaced
                code = self._codes.get((cpu_target, width))
                if code is None:
                    code = self._codes[cpu_target, width] = MachineCode(program, cpu_target, width)
        return code

    def _single_state_code(self, cpu_target: CPUTarget) -> MachineCode:
        code = self._codes.get((cpu_target, SINGLE_STATE))
        if code is None:
            with _compile_lock:
                program = self.program.for_single_state(cpu_target)
                code = self._machine_code(program, cpu_target, 1 if program is self.program else SINGLE_STATE)
                code.enable_helpers(self._threads)
                self._codes[cpu_target, SINGLE_STATE] = code
                self._set_contexts(code)
        return code

    def with_fast_entry(self, python: Callable[..., Any], name: str, signature: str, doc: str) -> Callable[..., Any]:
        """The function `python`, but calls with one state go straight to machine code, once there is some for one state."""
        text = f"{name}({signature})\n--\n\n{doc}"
        sizes, shape = self.program.sizes, self.program.shape
        function, context = vectorcall.wrap_function(python, name=name, doc=text, sizes=sizes, shape=shape, owner=self)
        if context is not None:
            self._contexts.append(context)
            code = self._codes.get((target.current(), SINGLE_STATE))
            if code is not None:
                self._set_contexts(code)
        return function

    def _set_contexts(self, code: MachineCode) -> None:
        """Give the entries for one state their code."""
        if self._scratch is None or len(self._scratch) < code.scratch + CACHE_LINE:
            self._scratch = np.empty(code.scratch + CACHE_LINE)
        parameters, table = code.addresses
        for context in self._contexts:
            context.set_code(code.address, aligned_address(self._scratch), parameters, table)


class MachineCode:
    """The machine code of a program for one vector width, with all that a call of it needs.

    It is shared with programs of the same structure, taken from the cache, or compiled. It reads `data` besides the inputs.
    """

    def __init__(self, program: Program, target: CPUTarget, width: int) -> None:
        name = object_cache.key(*program.key(), target.key, width)
        header, self._code = load_or_compile(name, target, lambda: program.compile(target, width))
        self.address = self._code.address("kernel")
        self._blocks, self._run = blocks.block_runner(target)
        self._strides = np.array([8 * n for n in (*program.sizes, program.sizes[0])], dtype=np.int64)
        self._fixed_arguments = address(self._strides), len(self._strides), program.size, blocks.block_length(program.size)
        self.scratch = int(header["scratch"])
        self.operations = int(header["operations"])
        # numbers that are read and written one by one are as much code as operations are
        written_out = header["form"] == "unrolled"
        self.code_size = self.operations + (sum(program.sizes) + program.size if written_out else 0)
        self.data = program.data(header, self._code)
        self._gate: int | None = header.get("gate")
        self.addresses = [address(a) for a in self.data]

    def run(self, arrays: list[np.ndarray], angles: np.ndarray, output: np.ndarray, first: int, last: int) -> int:
        """Compute rows `first` to `last`, and return the flags of `blocks`.

        The angles are q once more, or q within one turn. Addresses are taken as few times as can be: that is slow.
        """
        pointers = [_data_address(a) + first * a.strides[0] for a in arrays]
        pointers.append(pointers[0] if angles is arrays[0] else _data_address(angles) + first * angles.strides[0])
        pointer_table = (ctypes.c_void_p * (len(pointers) + len(self.data)))(*pointers, *self.addresses)
        scratch = np.empty(self.scratch + CACHE_LINE)
        output_address = _data_address(output) + first * output.strides[0]
        strides, rows, size, block = self._fixed_arguments
        flags: int = self._run(
            self.address,
            ctypes.addressof(pointer_table),
            strides,
            rows,
            output_address,
            size,
            aligned_address(scratch),
            last - first,
            block,
        )
        return flags

    def enable_helpers(self, threads: Threads) -> None:
        """Let other threads help with one state, where the code can be helped."""
        if self._gate is not None:
            self.data[1][self._gate] = address(threads.helper_gate())


def address(array: np.ndarray) -> int:
    """Where the numbers of an array are, which compiled code reads as doubles, or as integers of 64 bits, side by side.

    Every array that is no argument of a kernel comes by here; `as_rows` sees to those. numpy takes several times as long to give
    an address, and a run asks for dozens.
    """
    if array.dtype not in _READABLE_TYPES:
        raise TypeError(f"compiled code cannot read an array of {array.dtype}")
    return _addressof(_from_buffer(array)) if array.size else array.ctypes.data  # which refuses what is not side by side


def aligned_zeros(size: int, dtype: type = float) -> np.ndarray:
    """An array of zeros, the first of which starts a cache line."""
    buffer: np.ndarray = np.zeros(size + CACHE_LINE, dtype=dtype)
    first = (aligned_address(buffer) - buffer.ctypes.data) // 8
    return buffer[first : first + size]


def aligned_address(buffer: np.ndarray) -> int:
    """The first address in an array that starts a cache line, from where on no vector straddles two of them."""
    first = _data_address(buffer)
    return first + -first % (8 * CACHE_LINE)


def _data_address(array: np.ndarray) -> int:
    """Where the numbers of an array are whose rows stand side by side; this is fast for an array that may be written to."""
    return _addressof(_from_buffer(array)) if array.flags.writeable and array.size else int(array.ctypes.data)


def as_rows(
    where: str, names: Sequence[str], sizes: Sequence[int], arguments: Sequence[Any]
) -> tuple[list[np.ndarray], int | None]:
    """Arguments as contiguous float64 rows, and the batch size; None for a single state."""
    if len(arguments) != len(names):
        raise ArgumentError(f"{where} takes {len(names)} arguments ({', '.join(names)}), not {len(arguments)}")
    arrays: list[np.ndarray] = []
    batch: int | None = None
    for name, n, argument in zip(names, sizes, arguments, strict=True):
        array = argument if type(argument) is np.ndarray and argument.dtype == np.float64 else _as_floats(where, name, argument)
        if array.ndim not in (1, 2) or array.shape[-1] != n:
            remedy = f"({n},) for one state or (batch, {n}) for many is needed"
            raise ArgumentError(f"has shape {array.shape}", where=where, argument=name, remedy=remedy)
        if array.ndim == 2:
            if batch not in (None, 1, len(array)) and len(array) != 1:
                message = f"has {len(array)} rows where another argument has {batch}"
                raise ArgumentError(message, where=where, argument=name, remedy="they must agree")
            batch = len(array) if batch in (None, 1) else batch
        arrays.append(array)
    rows = 1 if batch is None else batch
    return [a if a.ndim == 2 and len(a) == rows and a.flags.c_contiguous else _contiguous_rows(a, rows) for a in arrays], batch


def _contiguous_rows(array: np.ndarray, rows: int) -> np.ndarray:
    """Contiguous rows; a single one is repeated."""
    if array.ndim == 2 and len(array) == rows:
        return np.ascontiguousarray(array)
    return np.ascontiguousarray(
        array.reshape(1, -1) if array.ndim == 1 and rows == 1 else np.broadcast_to(array, (rows, array.shape[-1]))
    )


def _as_floats(where: str, name: str, argument: Any) -> np.ndarray:
    try:
        return floats(argument)
    except TypeError as error:
        raise ArgumentError(str(error), where=where, argument=name, remedy="real numbers (float64) are needed") from None


def as_wrench_mapping(wrenches: Wrenches) -> Mapping[str, ArrayLike]:
    """Wrenches as a mapping from frames; anything else is refused."""
    if wrenches is None:
        return {}
    if not isinstance(wrenches, Mapping):
        example = '{"tool": (mx, my, mz, fx, fy, fz)}'
        raise ArgumentError(
            f"is a {type(wrenches).__name__}",
            argument="wrenches",
            remedy=f"a mapping from frames to moment and force is needed: {example}",
        )
    return wrenches


def allocate_results(where: str, count: int, size: int) -> np.ndarray:
    """Allocate the array for the results of `count` states. It starts a cache line: whole vectors then never straddle two."""
    try:
        if count * size <= 64:
            return np.empty((count, size))
        buffer = np.empty(count * size + 8)
    except MemoryError:
        gigabytes = count * size * 8 / 1e9
        raise ArgumentError(f"{where}: the result would take {gigabytes:.0f} GB; there is not that much memory") from None
    start = (-buffer.ctypes.data // 8) % 8
    return buffer[start : start + count * size].reshape(count, size)


@dataclass(frozen=True)
class NonFiniteReporter:
    """Warns of results that are not finite. `find_reason` gives the reason at some coordinates, or '' if it finds none."""

    where: str
    find_reason: Callable[[np.ndarray], str] | None = None

    def warn_if_needed(self, name: str, arrays: list[np.ndarray], out: np.ndarray) -> None:
        """Warn of rows of results that are not finite, unless an argument is not, either."""
        if _SUPPRESSED.get():
            return
        bad_rows = ~np.isfinite(out).all(axis=1)
        for array in arrays:
            bad_rows &= np.isfinite(array).all(axis=1)
        if not bad_rows.any():
            return
        first = int(np.argmax(bad_rows))
        reason = self.find_reason(arrays[0][first]) if self.find_reason is not None else ""
        states = f" in {int(bad_rows.sum())} of {len(bad_rows)} states, first in state {first}" if len(bad_rows) > 1 else ""
        cause = reason or "the equations are singular there, or an intermediate result overflows"
        warn(MechanismWarning(f"{name} is not finite{states}: {cause}", where=self.where))


@contextmanager
def suppress_finite_checks() -> Iterator[None]:
    """Give no warnings in a block: the caller checks the results itself, as a search does that tries many configurations."""
    token = _SUPPRESSED.set(True)
    try:
        yield
    finally:
        _SUPPRESSED.reset(token)


@dataclass
class Threads:
    """How many threads a large batch, or one state of a long chain, may use; shared by the kernels of one mechanism."""

    count: int = 1
    _gate: np.ndarray = field(default_factory=lambda: np.zeros(2, dtype=np.int64), repr=False, compare=False)

    def set_count(self, count: int) -> None:
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise ArgumentError(f"is {count!r}; a whole number of at least 1 is needed", argument="threads")
        self.count = int(count)
        self._gate[1] = self.count - 1

    def helper_gate(self) -> np.ndarray:
        """Start the helpers, and return where code for one state finds them, and how many of them may help.

        A process that others started to share their work has no helpers.
        """
        if not self._gate[0] and multiprocessing.parent_process() is None:
            helper_words = helpers.start_helpers(min(available_cores() - 1, helpers.MAX_HELPERS), target.current())
            self._gate[:] = (0 if helper_words is None else helper_words.ctypes.data), self.count - 1
        return self._gate

    def run_in_parallel(self, run: Callable[[int, int], int], count: int, operations: int) -> int:
        """Call `run(first, last)` over `count` states, in one piece or in several, and return the flags of all pieces.

        Machine code is called through ctypes, which lets go of Python's lock meanwhile.
        """
        if self.count == 1 or count * operations <= MIN_PARALLEL_WORK or count < 16 * self.count:
            return run(0, count)
        step = -(-count // self.count)
        step += -step % 8
        pieces = [(a, min(a + step, count)) for a in range(0, count, step)]
        try:
            jobs = [_pool(self.count).submit(run, a, b) for a, b in pieces[1:]]
        except RuntimeError:  # the interpreter is shutting down and starts no more threads
            return run(0, count)
        flags = [run(*pieces[0])]
        return reduce(or_, [*flags, *(job.result() for job in jobs)])


def available_cores() -> int:
    """The number of processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="lagrangian")


def _reset_after_fork() -> None:
    """A forked child has none of its parent's threads, nor what they held."""
    global _compile_lock
    _compile_lock = threading.RLock()
    _pool.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)

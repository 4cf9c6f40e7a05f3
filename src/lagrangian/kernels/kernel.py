"""A program, compiled, as a function of one state or many."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError
from lagrangian.kernels.llvm import cache as store
from lagrangian.kernels.llvm import fastcall, jit, sincos, target
from lagrangian.kernels.program import Header, Program

# states times operations below which threads cost more than they bring
THREAD_WORK = 8_000_000

_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


class _Variant:
    """The machine code for one vector width."""

    def __init__(self, header: Header, code: bytes, chosen: target.Target, data: list[np.ndarray]) -> None:
        self.code = jit.Code(code, chosen)
        self.address = self.code.address("kernel")
        self.function = _SIGNATURE(self.address)
        self.scratch = int(header["scratch"])
        self.operations = int(header["operations"])
        self.data = data


@dataclass
class Threads:
    """How many threads a large batch may use; shared by the kernels of one mechanism."""

    count: int


class Kernel:
    """Callable with one state, `(n,)` arrays, or a batch, `(batch, n)`."""

    def __init__(self, program: Program, shape: tuple[int, ...], threads: Threads) -> None:
        self.program = program
        self.shape = shape
        self.sizes, self.size = program.sizes, program.size
        self._threads = threads
        self._variants: dict[tuple[target.Target, int], _Variant] = {}
        self._entries: list[fastcall.Context] = []
        self._scratch: np.ndarray | None = None  # of the entries for one state, which Python's lock keeps apart

    # -- compiling ---------------------------------------------------------------------------------------------------

    def variant(self, many: bool) -> _Variant:
        """The code for one state, or for many; compiled, or taken from the cache, when first asked for."""
        chosen = target.current()
        width = chosen.width if many else 1
        found = self._variants.get((chosen, width))
        if found is None:
            with _compiling:  # of two threads that ask at once, one compiles: code that is in use must not be replaced
                found = self._variants.get((chosen, width)) or self._make(chosen, width)
        return found

    def _make(self, chosen: target.Target, width: int) -> _Variant:
        name = store.key(*self.program.key(), chosen.key, width)
        found = store.load(name)
        if found is None:
            header, code = self.program.compile(chosen, width)
            store.store(name, header, code)
        else:
            header, code = found
        variant = self._variants[chosen, width] = _Variant(header, code, chosen, self.program.data(header))
        if width == 1:
            self._serve(variant)
        return variant

    # -- running -----------------------------------------------------------------------------------------------------

    def __call__(self, *arguments: Any) -> Any:
        arrays, batch = prepare(self.program.name, self.program.inputs, self.sizes, arguments)
        count = 1 if batch is None else batch
        try:
            out = _aligned((count, self.size))
        except MemoryError:
            gigabytes = count * self.size * 8 / 1e9
            raise ArgumentError(
                f"{self.program.name}: the result would take {gigabytes:.0f} GB; there is not that much memory"
            ) from None
        if count and self.size:
            self._run(arrays, out, count)
        if batch is None:
            return out.reshape(self.shape) if self.shape else float(out[0, 0])
        return out.reshape((count, *self.shape))

    def _run(self, arrays: list[np.ndarray], out: np.ndarray, count: int) -> None:
        variant = self.variant(many=count > 1)
        if self._spread(variant, arrays, arrays[0], out, count):
            # an angle beyond what the kernel's sincos reduces: give it the same angle within one turn
            angles = arrays[0].copy()
            with np.errstate(invalid="ignore"):
                turned = angles[:, self.program.angles]
                large = np.abs(turned) > sincos.limit(target.current().fma)
                angles[:, self.program.angles] = np.where(large, np.arctan2(np.sin(turned), np.cos(turned)), turned)
            self._spread(variant, arrays, angles, out, count)

    def _spread(self, variant: _Variant, arrays: list[np.ndarray], angles: np.ndarray, out: np.ndarray, count: int) -> bool:
        """Run in one piece, or in several on threads; ctypes lets go of Python's lock meanwhile."""
        threads = self._threads.count
        if threads > 1 and count * variant.operations > THREAD_WORK and count >= 16 * threads:
            step = -(-count // threads)
            step += -step % 8
            pieces = [(a, min(a + step, count)) for a in range(0, count, step)]
            try:
                jobs = [_pool(threads).submit(_piece, variant, arrays, angles, out, a, b) for a, b in pieces[1:]]
            except RuntimeError:  # the interpreter is shutting down and starts no more threads
                return _piece(variant, arrays, angles, out, 0, count)
            flags = [_piece(variant, arrays, angles, out, *pieces[0])]
            return any([*flags, *(job.result() for job in jobs)])
        return _piece(variant, arrays, angles, out, 0, count)

    def fast(self, python: Callable[..., Any], name: str, signature: str, doc: str) -> Callable[..., Any]:
        """`python`, with the entry for one state in front of it; the code for one state is compiled at the first such call."""
        text = f"{name}({signature})\n--\n\n{doc}"
        function, context = fastcall.wrap(python, name=name, doc=text, sizes=self.sizes, shape=self.shape, alive=self)
        if context is not None:
            self._entries.append(context)
            chosen = target.current()
            if (chosen, 1) in self._variants:
                self._serve(self._variants[chosen, 1])
        return function

    def _serve(self, variant: _Variant) -> None:
        """Give the entries for one state their code."""
        if self._scratch is None or len(self._scratch) < variant.scratch:
            self._scratch = np.empty(max(1, variant.scratch))
        parameters, table = (a.ctypes.data for a in variant.data) if variant.data else (0, 0)
        for context in self._entries:
            context.serve(variant.address, self._scratch.ctypes.data, parameters, table)


def _piece(variant: _Variant, arrays: list[np.ndarray], angles: np.ndarray, out: np.ndarray, first: int, last: int) -> bool:
    inputs = [*(a[first:last] for a in (*arrays, angles)), *variant.data]
    pointers = (ctypes.c_void_p * len(inputs))(*(a.ctypes.data for a in inputs))
    scratch = np.empty(max(1, variant.scratch))
    part = out[first:last]
    return bool(variant.function(ctypes.addressof(pointers), part.ctypes.data, scratch.ctypes.data, last - first))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="lagrangian")


_compiling = threading.RLock()


def _in_child() -> None:
    """A forked child has none of its parent's threads, nor what they held."""
    global _compiling
    _compiling = threading.RLock()
    _pool.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


def prepare(
    where: str, names: Sequence[str], sizes: Sequence[int], arguments: Sequence[Any]
) -> tuple[list[np.ndarray], int | None]:
    """Arguments as contiguous float64 rows, and the batch size; None for a single state."""
    if len(arguments) != len(names):
        raise ArgumentError(f"{where} takes {len(names)} arguments ({', '.join(names)}), not {len(arguments)}")
    arrays: list[np.ndarray] = []
    batch: int | None = None
    for name, n, given in zip(names, sizes, arguments, strict=True):
        array = given if type(given) is np.ndarray and given.dtype == np.float64 else _as_float(where, name, given)
        if array.ndim not in (1, 2) or array.shape[-1] != n:
            raise ArgumentError(
                f"{where}: {name} has shape {array.shape}; ({n},) for one state or (batch, {n}) for many is needed"
            )
        if array.ndim == 2:
            if batch not in (None, 1, len(array)) and len(array) != 1:
                raise ArgumentError(f"{where}: {name} has {len(array)} rows where another argument has {batch}; they must agree")
            batch = len(array) if batch in (None, 1) else batch
        arrays.append(array)
    rows = 1 if batch is None else batch
    return [a if a.ndim == 2 and len(a) == rows and a.flags.c_contiguous else _rows(a, rows) for a in arrays], batch


def _aligned(shape: tuple[int, int]) -> np.ndarray:
    """An array that starts a cache line: whole vectors then never straddle two."""
    size = shape[0] * shape[1]
    if size <= 64:
        return np.empty(shape)
    room = np.empty(size + 8)
    start = (-room.ctypes.data // 8) % 8
    return room[start : start + size].reshape(shape)


def _rows(array: np.ndarray, rows: int) -> np.ndarray:
    """Contiguous rows; a single one is repeated."""
    return np.ascontiguousarray(
        array.reshape(1, -1) if array.ndim == 1 and rows == 1 else np.broadcast_to(array, (rows, array.shape[-1]))
    )


def _as_float(where: str, name: str, given: Any) -> np.ndarray:
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise ArgumentError(f"{where}: {name} is not an array of numbers: {error}") from None
    if array.size == 0 and array.dtype == object:
        array = array.astype(float)
    if array.dtype.kind not in "fiub":
        raise ArgumentError(f"{where}: {name} is an array of {array.dtype}; real numbers (float64) are needed")
    return array.astype(np.float64, copy=False)

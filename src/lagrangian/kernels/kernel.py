"""One algorithm, compiled for one tree, as a function of one state or many."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from lagrangian.algorithms.factorised import solve
from lagrangian.algorithms.forward_dynamics import FORWARD_DYNAMICS
from lagrangian.algorithms.inverse_dynamics import BIAS
from lagrangian.algorithms.link import TURNS, Link
from lagrangian.algorithms.mass_matrix import MASS_MATRIX
from lagrangian.algorithms.regroup import regroup
from lagrangian.algorithms.sweep import Algorithm, run
from lagrangian.algorithms.tree import Tree
from lagrangian.errors import ArgumentError
from lagrangian.kernels import cache as store
from lagrangian.kernels import fastcall, jit, rolled, sincos, target, unrolled
from lagrangian.kernels.rolled_trace import WHOLE
from lagrangian.kernels.trace import Graph, TooLarge, Trace

# past this many links, or operations, straight-line code takes seconds to compile, and a loop over the links is used
UNROLL_LINKS = 64
UNROLL_OPERATIONS = 9_000
# forward dynamics through the mass matrix grows with the cube of the depth: not worth counting past this many speeds
FACTORISE_SPEEDS = 30
# states times operations below which threads cost more than they bring
THREAD_WORK = 8_000_000

_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


def links(tree: Tree, inputs: Sequence[str], value: Callable[[str, int], Any], cos: Any, sin: Any) -> list[Link]:
    """The tree's links with their state: `value(name, index)` for each entry of the inputs."""
    made = []
    for i in range(len(tree)):
        link = tree.link(i)
        for name in inputs:
            if name in WHOLE:
                state = tuple(value(name, k) for k in range(WHOLE[name]))
            elif name == "q":
                state = tuple(value(name, link.iq + k) for k in range(link.nq))
            else:
                state = tuple(value(name, link.iv + k) for k in range(link.nv))
            setattr(link, name, state)
        if link.kind in TURNS:
            link.c, link.s = cos(link.q[0]), sin(link.q[0])
        made.append(link)
    return made


def trace_unrolled(algorithm: Algorithm, tree: Tree, limit: int | None = None) -> Trace:
    """The straight-line operations of an algorithm; forward dynamics by whichever of its two ways takes fewer."""
    if algorithm.regrouped:
        tree = regroup(tree)

    def traced(compute: Callable[[Graph, list[Link]], list[Any]]) -> Trace:
        graph = Graph(limit)
        state = links(tree, algorithm.inputs, graph.input, lambda x: x.cos(), lambda x: x.sin())
        results = compute(graph, state)
        found = Trace(graph, results)
        if results and found.unused:
            first = graph.node(results[0])
            for unused in found.unused:
                first = first.touched_by(unused)
            found = Trace(graph, [first, *results[1:]])
        return found

    def factorised(graph: Graph, state: list[Link]) -> list[Any]:
        M, bias = run(MASS_MATRIX, tree, state), run(BIAS, tree, state)
        return solve(tree, M, [graph.input("tau", k) - b for k, b in enumerate(bias)])

    found = traced(lambda graph, state: run(algorithm, tree, state))
    if algorithm is FORWARD_DYNAMICS and tree.nv <= FACTORISE_SPEEDS:
        with contextlib.suppress(TooLarge):
            found = min(found, traced(factorised), key=lambda t: t.operations)
    return found


class _Variant:
    """The machine code for one vector width."""

    def __init__(self, header: dict[str, Any], code: bytes, chosen: target.Target, tree: Tree) -> None:
        self.code = jit.Code(code, chosen)
        self.address = self.code.address("kernel")
        self.function = _SIGNATURE(self.address)
        self.scratch = int(header["scratch"])
        self.operations = int(header["operations"])
        self.data: list[np.ndarray] = []
        if header["form"] == "rolled":
            self.data = [rolled.parameter_array(tree, [tuple(c) for c in header["parameters"]]), rolled.table(tree)]


@dataclass
class Threads:
    """How many threads a large batch may use; shared by the kernels of one mechanism."""

    count: int


class Kernel:
    """Callable with one state, `(n,)` arrays, or a batch, `(batch, n)`."""

    def __init__(self, algorithm: Algorithm, tree: Tree, shape: tuple[int, ...], threads: Threads) -> None:
        self.algorithm = algorithm
        self.tree = tree
        self.shape = shape
        self.names = algorithm.inputs
        self.sizes = [tree.nq if n == "q" else WHOLE.get(n, tree.nv) for n in self.names]
        self.size = algorithm.columns(tree)
        self._threads = threads
        self._variants: dict[tuple[target.Target, int], _Variant] = {}
        self._entries: list[fastcall.Context] = []
        self._scratch: np.ndarray | None = None  # of the entries for one state, which Python's lock keeps apart
        self._angles = [tree.iq[i] for i, kind in enumerate(tree.kind) if kind in TURNS]

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
        name = store.key(self.algorithm.name, self.tree.fingerprint(), chosen.key, width, UNROLL_LINKS, UNROLL_OPERATIONS)
        found = store.load(name)
        if found is None:
            header, code = self._compile(chosen, width)
            store.store(name, header, code)
        else:
            header, code = found
        variant = self._variants[chosen, width] = _Variant(header, code, chosen, self.tree)
        if width == 1:
            self._serve(variant)
        return variant

    def _compile(self, chosen: target.Target, width: int) -> tuple[dict[str, Any], bytes]:
        if len(self.tree) <= UNROLL_LINKS:
            try:
                trace = trace_unrolled(self.algorithm, self.tree, limit=3 * UNROLL_OPERATIONS)
            except TooLarge:
                trace = None
            if trace is not None and trace.operations <= UNROLL_OPERATIONS:
                ir = unrolled.module(trace, self.names, self.sizes, self.size, chosen, width)
                scratch = unrolled.scratch_size(self.sizes, self.size, width)
                return {"form": "unrolled", "scratch": scratch, "operations": trace.operations}, jit.compile_object(ir, chosen)
        loop = rolled.module(self.algorithm, self.tree, self.names, self.sizes, chosen, width)
        operations = 100 * len(self.tree) + self.size
        header = {"form": "rolled", "scratch": loop.scratch, "operations": operations, "parameters": loop.parameters}
        return header, jit.compile_object(loop.ir, chosen, level=2)

    # -- running -----------------------------------------------------------------------------------------------------

    def __call__(self, *arguments: Any) -> Any:
        arrays, batch = prepare(self.algorithm.name, self.names, self.sizes, arguments)
        count = 1 if batch is None else batch
        try:
            out = _aligned((count, self.size))
        except MemoryError:
            gigabytes = count * self.size * 8 / 1e9
            raise ArgumentError(
                f"{self.algorithm.name}: the result would take {gigabytes:.0f} GB; there is not that much memory"
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
                turned = angles[:, self._angles]
                large = np.abs(turned) > sincos.limit(target.current().fma)
                angles[:, self._angles] = np.where(large, np.arctan2(np.sin(turned), np.cos(turned)), turned)
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

"""A program, compiled, as a function of one state or many."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from lagrangian.kernels.arguments import result_rows, rows_of
from lagrangian.kernels.code import LINE, MachineCode, start_of_line
from lagrangian.kernels.llvm import blocks, fastcall, sincos, target
from lagrangian.kernels.not_finite import NotFinite
from lagrangian.kernels.program import OPTIMISED, Program
from lagrangian.kernels.threads import Threads

# states after which code for many at once is compiled: for fewer, that takes longer than it saves; and the same of long code
MANY, MANY_OF_LONG = 4_000, 40_000
ONE = 0  # the width under which the code for a single state is kept


class Kernel:
    """Callable with one state, `(n,)` arrays, or a batch, `(batch, n)`; compiled when first called."""

    def __init__(self, program: Program, threads: Threads | None = None, not_finite: NotFinite | None = None) -> None:
        self.program, self._size = program, program.size
        self._not_finite = not_finite  # nothing where the caller looks at the results
        self._threads = threads or Threads()
        self._in_batches = 0  # states so far
        self._codes: dict[tuple[target.Target, int], MachineCode] = {}
        self._entries: list[fastcall.Context] = []
        self._scratch: np.ndarray | None = None  # of the entries for one state, which Python's lock keeps apart

    def __call__(self, *arguments: Any) -> Any:
        program = self.program
        arrays, batch = rows_of(program.name, program.inputs, program.sizes, arguments)
        count = 1 if batch is None else batch
        out = result_rows(program.name, count, self._size)
        if count and self._size:
            self._run(arrays, out, count)
        if batch is None:
            return out.reshape(program.shape) if program.shape else float(out[0, 0])
        return out.reshape((count, *program.shape))

    def _run(self, arrays: list[np.ndarray], out: np.ndarray, count: int) -> None:
        code = self._code(count)
        q = arrays[0]
        flags = self._threads.share(lambda a, b: code.run(arrays, q, out, a, b), count, code.operations)
        if flags & blocks.LARGE:
            turned = self._reduced(q)
            flags = self._threads.share(lambda a, b: code.run(arrays, turned, out, a, b), count, code.operations)
        if flags & blocks.NOT_FINITE and self._not_finite is not None:
            self._not_finite.say(self.program.name, arrays, out)

    def _reduced(self, q: np.ndarray) -> np.ndarray:
        """q with angles beyond what the code's sine and cosine reduce within one turn."""
        angles = q.copy()
        with np.errstate(invalid="ignore"):
            turned = angles[:, self.program.angles]
            large = np.abs(turned) > sincos.limit(target.current().fma)
            angles[:, self.program.angles] = np.where(large, np.arctan2(np.sin(turned), np.cos(turned)), turned)
        return angles

    def _code(self, count: int) -> MachineCode:
        """The code for states one after the other, or for many at once; compiled, or taken from the cache, when first needed.

        Both give the same bits, so that small batches can go through the former. A single state may have code of its own.
        """
        chosen = target.current()
        if count == 1:
            return self._code_for_one(chosen)
        self._in_batches += count
        one = self._codes.get((chosen, 1))
        many = MANY_OF_LONG if one is not None and one.length > OPTIMISED else MANY
        width = chosen.width if self._in_batches >= many else 1
        return self._compiled(self.program, chosen, width)

    def _compiled(self, program: Program, chosen: target.Target, width: int) -> MachineCode:
        found = self._codes.get((chosen, width))
        if found is None:
            with _compiling:  # of two threads that ask at once, one compiles: code that is in use must not be replaced
                found = self._codes.get((chosen, width))
                if found is None:
                    found = self._codes[chosen, width] = MachineCode(program, chosen, width)
        return found

    def _code_for_one(self, chosen: target.Target) -> MachineCode:
        found = self._codes.get((chosen, ONE))
        if found is None:
            with _compiling:
                program = self.program.for_one(chosen)
                found = self._compiled(program, chosen, 1 if program is self.program else ONE)
                found.share(self._threads)
                self._codes[chosen, ONE] = found
                self._serve(found)
        return found

    def direct(self, python: Callable[..., Any], name: str, signature: str, doc: str) -> Callable[..., Any]:
        """`python`, but calls with one state go straight to machine code, once there is some for one state."""
        text = f"{name}({signature})\n--\n\n{doc}"
        sizes, shape = self.program.sizes, self.program.shape
        function, context = fastcall.wrap(python, name=name, doc=text, sizes=sizes, shape=shape, alive=self)
        if context is not None:
            self._entries.append(context)
            compiled = self._codes.get((target.current(), ONE))
            if compiled is not None:
                self._serve(compiled)
        return function

    def _serve(self, code: MachineCode) -> None:
        """Give the entries for one state their code."""
        if self._scratch is None or len(self._scratch) < code.scratch + LINE:
            self._scratch = np.empty(code.scratch + LINE)
        parameters, table = code.addresses
        for context in self._entries:
            context.serve(code.address, start_of_line(self._scratch), parameters, table)


_compiling = threading.RLock()


def _in_child() -> None:
    """A forked child has none of its parent's threads, nor what they held."""
    global _compiling
    _compiling = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)

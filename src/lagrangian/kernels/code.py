"""The machine code of a program for one vector width, with all that a call of it needs."""

from __future__ import annotations

import ctypes

import numpy as np

from lagrangian.kernels.llvm import cache, jit
from lagrangian.kernels.llvm.target import Target
from lagrangian.kernels.program import Program

# i64 kernel(ptr inputs, ptr output, ptr scratch, i64 states)
_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


class MachineCode:
    """Taken from the cache, or compiled. It reads `data` besides the program's inputs."""

    def __init__(self, program: Program, target: Target, width: int) -> None:
        name = cache.key(*program.key(), target.key, width)
        header, contents = cache.kept(name, lambda: program.compile(target, width))
        self._code = jit.Code(contents, target)
        self.address = self._code.address("kernel")
        self._function = _SIGNATURE(self.address)
        self.scratch = int(header["scratch"])
        self.operations = int(header["operations"])
        self.data = program.data(header)

    def run(self, inputs: list[np.ndarray], output: np.ndarray, first: int, last: int) -> bool:
        """Rows `first` to `last`; whether an angle was too large for the code's own sine and cosine."""
        arrays = [*(a[first:last] for a in inputs), *self.data]
        pointers = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
        scratch = np.empty(max(1, self.scratch))
        part = output[first:last]
        return bool(self._function(ctypes.addressof(pointers), part.ctypes.data, scratch.ctypes.data, last - first))

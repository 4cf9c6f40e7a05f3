"""The machine code of a program for one vector width, with all that a call of it needs."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from lagrangian.kernels.llvm import blocks, cache
from lagrangian.kernels.llvm.loaded import loaded
from lagrangian.kernels.llvm.target import Target
from lagrangian.kernels.program import Program
from lagrangian.kernels.threads import Threads

# doubles in a cache line
LINE = 8

_READ = frozenset(map(np.dtype, (np.float64, np.int64)))
_addressof = ctypes.addressof
_from_buffer: Any = ctypes.c_char.from_buffer  # arrays are buffers, though their type does not say so


def address(array: np.ndarray) -> int:
    """Where the numbers of an array are, which compiled code reads as doubles, or as integers of 64 bits, side by side.

    Every array that is no argument of a kernel comes by here; `arguments.rows_of` sees to those. numpy takes several times as
    long to say an address, and a run asks for dozens.
    """
    if array.dtype not in _READ:
        raise TypeError(f"compiled code cannot read an array of {array.dtype}")
    return _addressof(_from_buffer(array)) if array.size else array.ctypes.data  # which refuses what is not side by side


class MachineCode:
    """Shared with programs of the same structure, taken from the cache, or compiled. It reads `data` besides the inputs."""

    def __init__(self, program: Program, target: Target, width: int) -> None:
        name = cache.key(*program.key(), target.key, width)
        header, self._code = loaded(name, target, lambda: program.compile(target, width))
        self.address = self._code.address("kernel")
        self._blocks, self._run = blocks.runner(target)
        self._strides = np.array([8 * n for n in (*program.sizes, program.sizes[0])], dtype=np.int64)
        self._fixed = address(self._strides), len(self._strides), program.size, blocks.length(program.size)
        self.scratch = int(header["scratch"])
        self.operations = int(header["operations"])
        # numbers that are read and written one by one are as much code as operations are
        written_out = header["form"] == "unrolled"
        self.length = self.operations + (sum(program.sizes) + program.size if written_out else 0)
        self.data = program.data(header, self._code)
        self._gate: int | None = header.get("gate")
        self.addresses = [address(a) for a in self.data]

    def run(self, arrays: list[np.ndarray], angles: np.ndarray, output: np.ndarray, first: int, last: int) -> int:
        """Rows `first` to `last`; the flags of `blocks`.

        The angles are q once more, or q within one turn. Addresses are taken as few times as can be: that is slow.
        """
        pointers = [_beginning(a) + first * a.strides[0] for a in arrays]
        pointers.append(pointers[0] if angles is arrays[0] else _beginning(angles) + first * angles.strides[0])
        given = (ctypes.c_void_p * (len(pointers) + len(self.data)))(*pointers, *self.addresses)
        room = np.empty(self.scratch + LINE)
        to = _beginning(output) + first * output.strides[0]
        strides, rows, size, block = self._fixed
        found: int = self._run(
            self.address, ctypes.addressof(given), strides, rows, to, size, start_of_line(room), last - first, block
        )
        return found

    def share(self, threads: Threads) -> None:
        """Let other threads help with one state, where the code can be helped."""
        if self._gate is not None:
            self.data[1][self._gate] = address(threads.gate())


def on_a_line(size: int, dtype: type = float) -> np.ndarray:
    """So many zeros, the first of which starts a cache line."""
    room: np.ndarray = np.zeros(size + LINE, dtype=dtype)
    first = (start_of_line(room) - room.ctypes.data) // 8
    return room[first : first + size]


def start_of_line(room: np.ndarray) -> int:
    """The first address in an array that starts a cache line, from where on no vector straddles two of them."""
    first = _beginning(room)
    return first + -first % (8 * LINE)


def _beginning(array: np.ndarray) -> int:
    """Where the numbers of an array are whose rows stand side by side; of one that may be written to, as fast as can be."""
    return _addressof(_from_buffer(array)) if array.flags.writeable and array.size else int(array.ctypes.data)

"""One of several states that stand side by side in memory."""

from __future__ import annotations

from typing import Any

from lagrangian.kernels.llvm.ir import Array, Operand, Value


class Lane:
    """An entry of one lane in arrays of all."""

    def __init__(self, array: Array, width: int, of: Value) -> None:
        self.array, self.width, self.of = array, width, of

    def __getitem__(self, i: Any) -> Value:
        return self.array[i * self.width + self.of]

    def __setitem__(self, i: Any, value: Operand) -> None:
        self.array[i * self.width + self.of] = value

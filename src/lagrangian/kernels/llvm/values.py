"""Values of functions that are written with a `Builder`: SSA values with operators, variables, arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from lagrangian.kernels.llvm.builder import Builder

DOUBLE, INTEGER, TRUTH, POINTER = "double", "i64", "i1", "ptr"

Operand = Union["Value", "Variable", int, float]


class Value:
    """An SSA value."""

    __slots__ = ("builder", "text", "type")

    def __init__(self, builder: Builder, type: str, text: str) -> None:  # noqa: A002
        self.builder, self.type, self.text = builder, type, text

    def _binary(self, real: str, whole: str, other: Operand, swapped: bool = False) -> Value:
        other = self.builder.value(other, self.type)
        a, b = (other, self) if swapped else (self, other)
        return self.builder.put(self.type, f"{real if self.is_real else whole} {self.type} {a.text}, {b.text}")

    @property
    def is_real(self) -> bool:
        return self.type == self.builder.real_type

    def __add__(self, other: Operand) -> Value:
        return self._binary("fadd", "add", other)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Value:
        return self._binary("fsub", "sub", other)

    def __rsub__(self, other: Operand) -> Value:
        return self._binary("fsub", "sub", other, swapped=True)

    def __mul__(self, other: Operand) -> Value:
        return self._binary("fmul", "mul", other)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Value:
        return self._binary("fdiv", "sdiv", other)

    def __rtruediv__(self, other: Operand) -> Value:
        return self._binary("fdiv", "sdiv", other, swapped=True)

    def __neg__(self) -> Value:
        return self.builder.put(self.type, f"fneg {self.type} {self.text}") if self.is_real else 0 - self

    def _compare(self, real: str, whole: str, other: Operand) -> Value:
        other = self.builder.value(other, self.type)
        if self.is_real:
            return self.builder.put(self.builder.mask, f"fcmp {real} {self.type} {self.text}, {other.text}")
        return self.builder.put(TRUTH, f"icmp {whole} i64 {self.text}, {other.text}")

    def __lt__(self, other: Operand) -> Value:
        return self._compare("olt", "slt", other)

    def __le__(self, other: Operand) -> Value:
        return self._compare("ole", "sle", other)

    def __gt__(self, other: Operand) -> Value:
        return self._compare("ogt", "sgt", other)

    def __ge__(self, other: Operand) -> Value:
        return self._compare("oge", "sge", other)

    def equals(self, other: Operand) -> Value:
        return self._compare("oeq", "eq", other)

    def differs(self, other: Operand) -> Value:
        return self._compare("une", "ne", other)

    def __and__(self, other: Operand) -> Value:
        return self._binary("", "and", other)

    def __or__(self, other: Operand) -> Value:
        return self._binary("", "or", other)

    def __invert__(self) -> Value:
        return self.builder.put(self.type, f"xor {self.type} {self.text}, {self.builder.value(True, self.type).text}")


class Variable:
    """A place in memory for one value."""

    def __init__(self, builder: Builder, type: str) -> None:  # noqa: A002
        self.builder, self.type = builder, builder.spelled(type)
        type = self.type  # noqa: A001
        self.at = builder.reserve(f"alloca {type}")

    def get(self) -> Value:
        return self.builder.put(self.type, f"load {self.type}, ptr {self.at}")

    def set(self, value: Operand) -> None:
        self.builder.line(f"store {self.type} {self.builder.value(value, self.type).text}, ptr {self.at}")


class Array:
    """Values in a row, from a pointer on."""

    def __init__(self, builder: Builder, pointer: str, type: str = DOUBLE) -> None:  # noqa: A002
        self.builder, self.pointer, self.type = builder, pointer, builder.spelled(type)

    def address(self, index: Any) -> str:
        if isinstance(index, int) and index == 0:
            return self.pointer
        index = self.builder.value(index, INTEGER)
        return self.builder.put(POINTER, f"getelementptr {self.type}, ptr {self.pointer}, i64 {index.text}").text

    def part(self, index: Any) -> Array:
        """The array from `index` on."""
        return Array(self.builder, self.address(index), self.type)

    def as_type(self, type: str) -> Array:  # noqa: A002
        """The same memory with values of another type."""
        return Array(self.builder, self.pointer, type)

    def __getitem__(self, index: Any) -> Value:
        return self.builder.put(self.type, f"load {self.type}, ptr {self.address(index)}, align 8")

    def __setitem__(self, index: Any, value: Operand) -> None:
        self.builder.line(f"store {self.type} {self.builder.value(value, self.type).text}, ptr {self.address(index)}, align 8")

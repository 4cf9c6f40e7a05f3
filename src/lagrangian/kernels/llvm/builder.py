"""LLVM IR for programs with loops and branches, written in Python: values with operators, variables, arrays, blocks.

Traced code is straight-line; what goes around it (a time loop, root finding, a linear solve) is written with this. Values are
doubles, 64-bit integers or truth values; every operator appends an instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

from lagrangian.kernels.llvm.emit import hexadecimal

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
        return self.builder.put(self.type, f"{real if self.type == DOUBLE else whole} {self.type} {a.text}, {b.text}")

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
        return self.builder.put(DOUBLE, f"fneg double {self.text}") if self.type == DOUBLE else 0 - self

    def _compare(self, real: str, whole: str, other: Operand) -> Value:
        other = self.builder.value(other, self.type)
        kind = f"fcmp {real} double" if self.type == DOUBLE else f"icmp {whole} i64"
        return self.builder.put(TRUTH, f"{kind} {self.text}, {other.text}")

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
        return self.builder.put(TRUTH, f"xor i1 {self.text}, true")


class Variable:
    """A place in memory for one value."""

    def __init__(self, builder: Builder, type: str) -> None:  # noqa: A002
        self.builder, self.type = builder, type
        self.at = builder.reserve(f"alloca {type}")

    def get(self) -> Value:
        return self.builder.put(self.type, f"load {self.type}, ptr {self.at}")

    def set(self, value: Operand) -> None:
        self.builder.line(f"store {self.type} {self.builder.value(value, self.type).text}, ptr {self.at}")


class Array:
    """Values in a row, from a pointer on."""

    def __init__(self, builder: Builder, pointer: str, type: str = DOUBLE) -> None:  # noqa: A002
        self.builder, self.pointer, self.type = builder, pointer, type

    def address(self, index: Any) -> str:
        if isinstance(index, int) and index == 0:
            return self.pointer
        index = self.builder.value(index, INTEGER)
        return self.builder.put(POINTER, f"getelementptr {self.type}, ptr {self.pointer}, i64 {index.text}").text

    def part(self, index: Any) -> Array:
        """The array from `index` on."""
        return Array(self.builder, self.address(index), self.type)

    def __getitem__(self, index: Any) -> Value:
        return self.builder.put(self.type, f"load {self.type}, ptr {self.address(index)}, align 8")

    def __setitem__(self, index: Any, value: Operand) -> None:
        self.builder.line(f"store {self.type} {self.builder.value(value, self.type).text}, ptr {self.address(index)}, align 8")


class Builder:
    """One function. `arguments` are named pointers; it returns a 64-bit integer, or nothing if it is internal."""

    def __init__(self, name: str, arguments: list[str], declared: set[str], fma: bool, internal: bool = False) -> None:
        self.name, self.arguments, self.declared, self.fma_available = name, arguments, declared, fma
        self.internal = internal
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._ended = False

    # -- instructions ------------------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self._lines.append(f"  {text}")

    def put(self, type: str, instruction: str) -> Value:  # noqa: A002
        self._count += 1
        name = f"%v{self._count}"
        self.line(f"{name} = {instruction}")
        return Value(self, type, name)

    def reserve(self, instruction: str) -> str:
        """Memory of this call: taken once, when the function is entered."""
        self._count += 1
        name = f"%m{self._count}"
        self._entry.append(f"  {name} = {instruction}")
        return name

    def value(self, x: Operand, type: str) -> Value:  # noqa: A002
        if isinstance(x, Value):
            return x
        if isinstance(x, Variable):
            return x.get()
        if type == DOUBLE:
            return Value(self, DOUBLE, hexadecimal(float(x)))
        if type == TRUTH:
            return Value(self, TRUTH, "true" if x else "false")
        return Value(self, INTEGER, str(int(x)))

    def array(self, argument: str, type: str = DOUBLE) -> Array:  # noqa: A002
        """A pointer argument as an array."""
        return Array(self, f"%{argument}", type)

    def local(self, size: int) -> Array:
        return Array(self, self.reserve(f"alloca [{max(1, size)} x double], align 64"))

    def variable(self, value: Operand, type: str = DOUBLE) -> Variable:  # noqa: A002
        found = Variable(self, type)
        found.set(value)
        return found

    def select(self, condition: Value, yes: Operand, no: Operand, type: str = DOUBLE) -> Value:  # noqa: A002
        yes, no = self.value(yes, type), self.value(no, type)
        return self.put(type, f"select i1 {condition.text}, {type} {yes.text}, {type} {no.text}")

    def intrinsic(self, name: str, *arguments: Operand) -> Value:
        given = [self.value(a, DOUBLE).text for a in arguments]
        self.declared.add(f"declare double @llvm.{name}.f64({', '.join(['double'] * len(given))})")
        return self.put(DOUBLE, f"call double @llvm.{name}.f64({', '.join(f'double {a}' for a in given)})")

    def absolute(self, x: Operand) -> Value:
        return self.intrinsic("fabs", x)

    def maximum(self, a: Operand, b: Operand) -> Value:
        return self.intrinsic("maxnum", a, b)

    def minimum(self, a: Operand, b: Operand) -> Value:
        return self.intrinsic("minnum", a, b)

    def sqrt(self, x: Operand) -> Value:
        return self.intrinsic("sqrt", x)

    def real(self, x: Value) -> Value:
        return self.put(DOUBLE, f"sitofp i64 {x.text} to double")

    def whole(self, x: Value) -> Value:
        return self.put(INTEGER, f"fptosi double {x.text} to i64")

    def power(self, x: Operand, y: float) -> Value:
        """x^y, x positive."""
        self.declared.add("declare double @pow(double, double) nounwind willreturn memory(none)")
        return self.put(DOUBLE, f"call double @pow(double {self.value(x, DOUBLE).text}, double {hexadecimal(y)})")

    def fma(self, a: Operand, b: Operand, c: Operand) -> Value:
        if self.fma_available:
            return self.intrinsic("fma", a, b, c)
        return self.value(a, DOUBLE) * b + c

    def combination(self, start: Value, terms: list[tuple[float, Value]], factor: Value) -> Value:
        """start + factor sum of coefficient times value."""
        total: Value | None = None
        for coefficient, value in terms:
            if coefficient == 0:
                continue
            total = value * coefficient if total is None else self.fma(value, coefficient, total)
        return start if total is None else self.fma(factor, total, start)

    def call(self, name: str, *arguments: Array | Value) -> None:
        """A function of the module that takes pointers and returns nothing."""
        given = ", ".join(f"ptr {a.pointer}" if isinstance(a, Array) else f"{a.type} {a.text}" for a in arguments)
        self.line(f"call void @{name}({given})")

    def call_through(self, pointer: Array, *arguments: Array) -> None:
        """A C function by its address, kept in an array."""
        address = self.put(POINTER, f"load ptr, ptr {pointer.pointer}")
        self.line(f"call void {address.text}({', '.join(f'ptr {a.pointer}' for a in arguments)})")

    def copy(self, source: Array, target: Array, size: int) -> None:
        self.each(size, lambda i: target.__setitem__(i, source[i]))

    # -- control -----------------------------------------------------------------------------------------------------

    def _label(self, what: str) -> str:
        self._count += 1
        return f"{what}{self._count}"

    def _begin(self, label: str) -> None:
        self._lines.append(f"{label}:")
        self._ended = False

    def _branch(self, label: str) -> None:
        if not self._ended:
            self.line(f"br label %{label}")

    @contextmanager
    def when(self, condition: Value) -> Iterator[None]:
        yes, after = self._label("yes"), self._label("after")
        self.line(f"br i1 {condition.text}, label %{yes}, label %{after}")
        self._begin(yes)
        yield
        self._branch(after)
        self._begin(after)

    def either(self, condition: Value, yes: Callable[[], None], no: Callable[[], None]) -> None:
        a, b, after = self._label("yes"), self._label("no"), self._label("after")
        self.line(f"br i1 {condition.text}, label %{a}, label %{b}")
        for label, body in ((a, yes), (b, no)):
            self._begin(label)
            body()
            self._branch(after)
        self._begin(after)

    @contextmanager
    def loop(self, condition: Callable[[], Value]) -> Iterator[Callable[[], None]]:
        """While the condition holds; what it yields leaves the loop."""
        head, body, after = self._label("head"), self._label("body"), self._label("after")
        self._branch(head)
        self._begin(head)
        self.line(f"br i1 {condition().text}, label %{body}, label %{after}")
        self._begin(body)

        def leave() -> None:
            self._branch(after)
            self._ended = True

        yield leave
        self._branch(head)
        self._begin(after)

    @contextmanager
    def count(self, n: Operand, first: Operand = 0) -> Iterator[Any]:
        """For index first, ..., n - 1."""
        index = self.variable(first, INTEGER)
        with self.loop(lambda: index.get() < n):
            now = index.get()
            yield now
            index.set(now + 1)

    def each(self, n: int, body: Callable[[Any], None], unroll: int = 24) -> None:
        """For every index below a fixed n: written out where there are few."""
        if n <= unroll:
            for i in range(n):
                body(i)
            return
        with self.count(n) as i:
            body(i)

    def leave(self, status: Operand = 0) -> None:
        """Return from the function."""
        self.line("ret void" if self.internal else f"ret i64 {self.value(status, INTEGER).text}")
        self._ended = True

    def text(self) -> list[str]:
        given = ", ".join(f"ptr noalias %{a}" for a in self.arguments)
        head = f"define {'internal void' if self.internal else 'i64'} @{self.name}({given}) nounwind {{"
        return [head, "entry:", *self._entry, "  br label %start", "start:", *self._lines, "}"]

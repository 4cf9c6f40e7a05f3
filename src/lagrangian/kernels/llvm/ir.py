"""LLVM IR for programs with loops and branches, written in Python: values with operators, variables, arrays, blocks.

Traced code is straight-line; what goes around it (a time loop, root finding, a linear solve) is written with this. Values are
doubles, 64-bit integers or truth values; every operator appends an instruction.

A function may be written for several states at once, each in a lane of a vector: then a double is a vector of them, arrays hold
such vectors, and what compares them is true in some lanes. Integers and loops are the same for all lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

from lagrangian.kernels.llvm import math
from lagrangian.kernels.llvm.emit import hexadecimal

DOUBLE, INTEGER, TRUTH, POINTER = "double", "i64", "i1", "ptr"
Operand = Union["Value", "LocalVariable", int, float]


class FunctionBuilder:
    """One function. `arguments` are named pointers; it returns a 64-bit integer, or nothing if it is internal."""

    def __init__(
        self, name: str, arguments: list[str], declared: set[str], fma: bool, internal: bool = False, width: int = 1
    ) -> None:
        self.width = width
        self.real_type = DOUBLE if width == 1 else f"<{width} x double>"
        self.mask = TRUTH if width == 1 else f"<{width} x i1>"
        self.name, self.arguments, self.declared, self.has_fma = name, arguments, declared, fma
        self.internal = internal
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._ended = False

    # -- instructions ------------------------------------------------------------------------------------------------

    def type_name(self, type: str) -> str:  # noqa: A002
        """What LLVM calls a type: that of a double is of as many as there are lanes."""
        return self.real_type if type == DOUBLE else type

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
        if isinstance(x, LocalVariable):
            return x.get()
        if type in (DOUBLE, self.real_type):
            text = hexadecimal(float(x))
            return Value(self, self.real_type, text if self.width == 1 else f"splat (double {text})")
        if type in (TRUTH, self.mask):
            text = "true" if x else "false"
            return Value(self, type, text if type == TRUTH else f"splat (i1 {text})")
        return Value(self, INTEGER, str(int(x)))

    def array(self, argument: str, type: str = DOUBLE) -> Array:  # noqa: A002
        """A pointer argument as an array."""
        return Array(self, f"%{argument}", type)

    def local_array(self, size: int) -> Array:
        return Array(self, self.reserve(f"alloca [{max(1, size)} x {self.real_type}], align 64"))

    def variable(self, value: Operand, type: str = DOUBLE) -> LocalVariable:  # noqa: A002
        local_variable = LocalVariable(self, type)
        local_variable.set(value)
        return local_variable

    def select(self, condition: Value, yes: Operand, no: Operand, type: str = DOUBLE) -> Value:  # noqa: A002
        yes, no, type = self.value(yes, type), self.value(no, type), self.type_name(type)  # noqa: A001
        return self.put(type, f"select {condition.type} {condition.text}, {type} {yes.text}, {type} {no.text}")

    def intrinsic(self, name: str, *arguments: Operand) -> Value:
        operands, real = [self.value(a, DOUBLE).text for a in arguments], self.real_type
        function = f"@llvm.{name}.f64" if self.width == 1 else f"@llvm.{name}.v{self.width}f64"
        self.declared.add(f"declare {real} {function}({', '.join([real] * len(operands))})")
        return self.put(real, f"call {real} {function}({', '.join(f'{real} {a}' for a in operands)})")

    def absolute(self, x: Operand) -> Value:
        return self.intrinsic("fabs", x)

    def maximum(self, a: Operand, b: Operand) -> Value:
        return self._extremum(a, b, lambda x, y: x > y)

    def minimum(self, a: Operand, b: Operand) -> Value:
        return self._extremum(a, b, lambda x, y: x < y)

    def _extremum(self, a: Operand, b: Operand, better: Callable[[Value, Value], Value]) -> Value:
        """The better of two, or the one that is a number: written out, so that all processors have the same bits.

        Of two zeros LLVM's own functions, and those of the C library, give either.
        """
        x, y = self.value(a, DOUBLE), self.value(b, DOUBLE)
        better_value = self.select(better(x, y), x, y)
        is_none = self.put(self.mask, f"fcmp uno {self.real_type} {y.text}, {y.text}")
        return self.select(is_none, x, better_value)

    def sqrt(self, x: Operand) -> Value:
        return self.intrinsic("sqrt", x)

    def to_double(self, x: Value) -> Value:
        return self.put(DOUBLE, f"sitofp i64 {x.text} to double")

    def to_integer(self, x: Value) -> Value:
        return self.put(INTEGER, f"fptosi double {x.text} to i64")

    def power(self, x: Operand, y: float) -> Value:
        """x^y, x positive, to nine digits: more than a step size needs."""
        return math.emit_power(self, self.value(x, DOUBLE), y)

    def broadcast(self, condition: Value) -> Value:
        """A condition that is the same for all lanes, as a vector with a copy in every lane."""
        if self.width == 1 or condition.type != TRUTH:
            return condition
        first_lane = self.put(self.mask, f"insertelement {self.mask} poison, i1 {condition.text}, i32 0").text
        zeros = f"<{self.width} x i32> zeroinitializer"
        return self.put(self.mask, f"shufflevector {self.mask} {first_lane}, {self.mask} poison, {zeros}")

    def any(self, condition: Value) -> Value:
        """Whether it is true in any lane."""
        if condition.type == TRUTH:
            return condition
        return self.put(TRUTH, f"icmp ne i{self.width} {self._bits(condition)}, 0")

    def bits(self, condition: Value) -> Value:
        """The lanes in which it is true, as bits of an integer."""
        return self.put(INTEGER, f"zext i{self.width} {self._bits(condition)} to i64")

    def _bits(self, condition: Value) -> str:
        return self.put("", f"bitcast {condition.type} {condition.text} to i{self.width}").text

    def fma(self, a: Operand, b: Operand, c: Operand) -> Value:
        if self.has_fma:
            return self.intrinsic("fma", a, b, c)
        return self.value(a, DOUBLE) * b + c

    def linear_combination(self, terms: list[tuple[float, Value]], start: Value | None = None) -> Value | None:
        """start + sum of coefficient times value; nothing of no terms."""
        total = start
        for coefficient, value in terms:
            if coefficient != 0:
                total = value * coefficient if total is None else self.fma(value, coefficient, total)
        return total

    def scaled_combination(self, start: Value, terms: list[tuple[float, Value]], factor: Value) -> Value:
        """start + factor sum of coefficient times value."""
        total = self.linear_combination(terms)
        return start if total is None else self.fma(factor, total, start)

    def call(self, name: str, *arguments: Array | Value) -> None:
        """A function of the module that takes pointers and returns nothing."""
        arguments_text = ", ".join(f"ptr {a.pointer}" if isinstance(a, Array) else f"{a.type} {a.text}" for a in arguments)
        self.line(f"call void @{name}({arguments_text})")

    def address_of(self, array: Array) -> Value:
        """Where an array begins, as an integer."""
        return self.put(INTEGER, f"ptrtoint ptr {array.pointer} to i64")

    def call_pointer(self, pointer: Array, *arguments: Array) -> None:
        """A C function by its address, kept in an array."""
        address = self.put(POINTER, f"load ptr, ptr {pointer.pointer}")
        self.line(f"call void {address.text}({', '.join(f'ptr {a.pointer}' for a in arguments)})")

    def call_pointer_for_integer(self, pointer: Array, *arguments: Array) -> Value:
        """A function of compiled code by its address, kept in an array, that returns a 64-bit integer."""
        address = self.put(POINTER, f"load ptr, ptr {pointer.pointer}")
        return self.put(INTEGER, f"call i64 {address.text}({', '.join(f'ptr {a.pointer}' for a in arguments)})")

    def copy(self, source: Array, target: Array, size: int) -> None:
        self.for_each(size, lambda i: target.__setitem__(i, source[i]))

    def copy_where(self, condition: Value, source: Array, target: Array, size: int) -> None:
        """Copy in those lanes in which it is true."""
        if condition.type == TRUTH:
            with self.if_then(condition):
                self.copy(source, target, size)
        else:
            self.for_each(size, lambda i: target.__setitem__(i, self.select(condition, source[i], target[i])))

    # -- control -----------------------------------------------------------------------------------------------------

    def _label(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def _begin(self, label: str) -> None:
        self._lines.append(f"{label}:")
        self._ended = False

    def _branch(self, label: str) -> None:
        if not self._ended:
            self.line(f"br label %{label}")

    @contextmanager
    def if_then(self, condition: Value) -> Iterator[None]:
        yes, after = self._label("yes"), self._label("after")
        self.line(f"br i1 {condition.text}, label %{yes}, label %{after}")
        self._begin(yes)
        yield
        self._branch(after)
        self._begin(after)

    def if_else(self, condition: Value, yes: Callable[[], None], no: Callable[[], None]) -> None:
        a, b, after = self._label("yes"), self._label("no"), self._label("after")
        self.line(f"br i1 {condition.text}, label %{a}, label %{b}")
        for label, body in ((a, yes), (b, no)):
            self._begin(label)
            body()
            self._branch(after)
        self._begin(after)

    @contextmanager
    def while_loop(self, condition: Callable[[], Value]) -> Iterator[Callable[[], None]]:
        """Write a loop that runs while the condition holds; the function that is yielded leaves the loop."""
        head, body, after = self._label("head"), self._label("body"), self._label("after")
        self._branch(head)
        self._begin(head)
        self.line(f"br i1 {condition().text}, label %{body}, label %{after}")
        self._begin(body)

        def break_loop() -> None:
            self._branch(after)
            self._ended = True

        yield break_loop
        self._branch(head)
        self._begin(after)

    @contextmanager
    def for_range(self, n: Operand, first: Operand = 0) -> Iterator[Any]:
        """Write a loop over index first, ..., n - 1, and yield the index."""
        index = self.variable(first, INTEGER)
        with self.while_loop(lambda: index.get() < n):
            current = index.get()
            yield current
            index.set(current + 1)

    def for_each(self, n: int, body: Callable[[Any], None], unroll: int = 24) -> None:
        """Write the body for every index below a fixed n: one copy for each if there are few, else a loop."""
        if n <= unroll:
            for i in range(n):
                body(i)
            return
        with self.for_range(n) as i:
            body(i)

    def return_status(self, status: Operand = 0) -> None:
        """Return from the function."""
        self.line("ret void" if self.internal else f"ret i64 {self.value(status, INTEGER).text}")
        self._ended = True

    def text(self) -> list[str]:
        parameters = ", ".join(f"ptr noalias %{a}" for a in self.arguments)
        stack = f" alignstack({8 * self.width})" if self.width > 2 else ""
        head = f"define {'internal void' if self.internal else 'i64'} @{self.name}({parameters}) nounwind{stack} {{"
        return [head, "entry:", *self._entry, "  br label %start", "start:", *self._lines, "}"]


class Value:
    """An SSA value of a function, with operators."""

    __slots__ = ("builder", "text", "type")

    def __init__(self, builder: FunctionBuilder, type: str, text: str) -> None:  # noqa: A002
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


class LocalVariable:
    """A place in memory for one value."""

    def __init__(self, builder: FunctionBuilder, type: str) -> None:  # noqa: A002
        self.builder, self.type = builder, builder.type_name(type)
        type = self.type  # noqa: A001
        self.pointer = builder.reserve(f"alloca {type}")

    def get(self) -> Value:
        return self.builder.put(self.type, f"load {self.type}, ptr {self.pointer}")

    def set(self, value: Operand) -> None:
        self.builder.line(f"store {self.type} {self.builder.value(value, self.type).text}, ptr {self.pointer}")


class Array:
    """Values in a row, from a pointer on."""

    def __init__(self, builder: FunctionBuilder, pointer: str, type: str = DOUBLE) -> None:  # noqa: A002
        self.builder, self.pointer, self.type = builder, pointer, builder.type_name(type)

    def address(self, index: Any) -> str:
        if isinstance(index, int) and index == 0:
            return self.pointer
        index = self.builder.value(index, INTEGER)
        return self.builder.put(POINTER, f"getelementptr {self.type}, ptr {self.pointer}, i64 {index.text}").text

    def offset(self, index: Any) -> Array:
        """The array from `index` on."""
        return Array(self.builder, self.address(index), self.type)

    def as_type(self, type: str) -> Array:  # noqa: A002
        """The same memory with values of another type."""
        return Array(self.builder, self.pointer, type)

    def __getitem__(self, index: Any) -> Value:
        return self.builder.put(self.type, f"load {self.type}, ptr {self.address(index)}, align 8")

    def __setitem__(self, index: Any, value: Operand) -> None:
        self.builder.line(f"store {self.type} {self.builder.value(value, self.type).text}, ptr {self.address(index)}, align 8")

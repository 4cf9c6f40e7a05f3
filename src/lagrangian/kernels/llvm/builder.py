"""LLVM IR for programs with loops and branches, written in Python: values with operators, variables, arrays, blocks.

Traced code is straight-line; what goes around it (a time loop, root finding, a linear solve) is written with this. Values are
doubles, 64-bit integers or truth values; every operator appends an instruction.

A function may be written for several states at once, each in a lane of a vector: then a double is a vector of them, arrays hold
such vectors, and what compares them is true in some lanes. Integers and loops are the same for all lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lagrangian.kernels.llvm import power
from lagrangian.kernels.llvm.emit import hexadecimal
from lagrangian.kernels.llvm.values import DOUBLE, INTEGER, POINTER, TRUTH, Array, Operand, Value, Variable

__all__ = ["DOUBLE", "INTEGER", "POINTER", "TRUTH", "Array", "Builder", "Operand", "Value", "Variable"]


class Builder:
    """One function. `arguments` are named pointers; it returns a 64-bit integer, or nothing if it is internal."""

    def __init__(
        self, name: str, arguments: list[str], declared: set[str], fma: bool, internal: bool = False, width: int = 1
    ) -> None:
        self.width = width
        self.real_type = DOUBLE if width == 1 else f"<{width} x double>"
        self.mask = TRUTH if width == 1 else f"<{width} x i1>"
        self.name, self.arguments, self.declared, self.fma_available = name, arguments, declared, fma
        self.internal = internal
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._ended = False

    # -- instructions ------------------------------------------------------------------------------------------------

    def spelled(self, type: str) -> str:  # noqa: A002
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
        if isinstance(x, Variable):
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

    def local(self, size: int) -> Array:
        return Array(self, self.reserve(f"alloca [{max(1, size)} x {self.real_type}], align 64"))

    def variable(self, value: Operand, type: str = DOUBLE) -> Variable:  # noqa: A002
        found = Variable(self, type)
        found.set(value)
        return found

    def select(self, condition: Value, yes: Operand, no: Operand, type: str = DOUBLE) -> Value:  # noqa: A002
        yes, no, type = self.value(yes, type), self.value(no, type), self.spelled(type)  # noqa: A001
        return self.put(type, f"select {condition.type} {condition.text}, {type} {yes.text}, {type} {no.text}")

    def intrinsic(self, name: str, *arguments: Operand) -> Value:
        given, real = [self.value(a, DOUBLE).text for a in arguments], self.real_type
        called = f"@llvm.{name}.f64" if self.width == 1 else f"@llvm.{name}.v{self.width}f64"
        self.declared.add(f"declare {real} {called}({', '.join([real] * len(given))})")
        return self.put(real, f"call {real} {called}({', '.join(f'{real} {a}' for a in given)})")

    def absolute(self, x: Operand) -> Value:
        return self.intrinsic("fabs", x)

    def maximum(self, a: Operand, b: Operand) -> Value:
        return self._either_number(a, b, lambda x, y: x > y)

    def minimum(self, a: Operand, b: Operand) -> Value:
        return self._either_number(a, b, lambda x, y: x < y)

    def _either_number(self, a: Operand, b: Operand, better: Callable[[Value, Value], Value]) -> Value:
        """The better of two, or the one that is a number: written out, so that all processors have the same bits.

        Of two zeros LLVM's own functions, and those of the C library, give either.
        """
        x, y = self.value(a, DOUBLE), self.value(b, DOUBLE)
        chosen = self.select(better(x, y), x, y)
        is_none = self.put(self.mask, f"fcmp uno {self.real_type} {y.text}, {y.text}")
        return self.select(is_none, x, chosen)

    def sqrt(self, x: Operand) -> Value:
        return self.intrinsic("sqrt", x)

    def real(self, x: Value) -> Value:
        return self.put(DOUBLE, f"sitofp i64 {x.text} to double")

    def whole(self, x: Value) -> Value:
        return self.put(INTEGER, f"fptosi double {x.text} to i64")

    def power(self, x: Operand, y: float) -> Value:
        """x^y, x positive, to nine digits: more than a step size needs."""
        return power.emit(self, self.value(x, DOUBLE), y)

    def everywhere(self, condition: Value) -> Value:
        """What is the same for all lanes, in every lane."""
        if self.width == 1 or condition.type != TRUTH:
            return condition
        one = self.put(self.mask, f"insertelement {self.mask} poison, i1 {condition.text}, i32 0").text
        zeros = f"<{self.width} x i32> zeroinitializer"
        return self.put(self.mask, f"shufflevector {self.mask} {one}, {self.mask} poison, {zeros}")

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
        if self.fma_available:
            return self.intrinsic("fma", a, b, c)
        return self.value(a, DOUBLE) * b + c

    def weighted(self, terms: list[tuple[float, Value]], start: Value | None = None) -> Value | None:
        """start + sum of coefficient times value; nothing of no terms."""
        total = start
        for coefficient, value in terms:
            if coefficient != 0:
                total = value * coefficient if total is None else self.fma(value, coefficient, total)
        return total

    def combination(self, start: Value, terms: list[tuple[float, Value]], factor: Value) -> Value:
        """start + factor sum of coefficient times value."""
        total = self.weighted(terms)
        return start if total is None else self.fma(factor, total, start)

    def call(self, name: str, *arguments: Array | Value) -> None:
        """A function of the module that takes pointers and returns nothing."""
        given = ", ".join(f"ptr {a.pointer}" if isinstance(a, Array) else f"{a.type} {a.text}" for a in arguments)
        self.line(f"call void @{name}({given})")

    def address_of(self, array: Array) -> Value:
        """Where an array begins, as an integer."""
        return self.put(INTEGER, f"ptrtoint ptr {array.pointer} to i64")

    def call_through(self, pointer: Array, *arguments: Array) -> None:
        """A C function by its address, kept in an array."""
        address = self.put(POINTER, f"load ptr, ptr {pointer.pointer}")
        self.line(f"call void {address.text}({', '.join(f'ptr {a.pointer}' for a in arguments)})")

    def call_for(self, pointer: Array, *arguments: Array) -> Value:
        """A function of compiled code by its address, kept in an array, that returns a 64-bit integer."""
        address = self.put(POINTER, f"load ptr, ptr {pointer.pointer}")
        return self.put(INTEGER, f"call i64 {address.text}({', '.join(f'ptr {a.pointer}' for a in arguments)})")

    def copy(self, source: Array, target: Array, size: int) -> None:
        self.each(size, lambda i: target.__setitem__(i, source[i]))

    def copy_where(self, condition: Value, source: Array, target: Array, size: int) -> None:
        """Copy in those lanes in which it is true."""
        if condition.type == TRUTH:
            with self.when(condition):
                self.copy(source, target, size)
        else:
            self.each(size, lambda i: target.__setitem__(i, self.select(condition, source[i], target[i])))

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
        stack = f" alignstack({8 * self.width})" if self.width > 2 else ""
        head = f"define {'internal void' if self.internal else 'i64'} @{self.name}({given}) nounwind{stack} {{"
        return [head, "entry:", *self._entry, "  br label %start", "start:", *self._lines, "}"]

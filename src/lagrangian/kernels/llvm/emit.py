"""LLVM IR, as text, for traced operations: on one double, or on a vector of states."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from lagrangian.kernels.llvm import sincos
from lagrangian.kernels.trace.node import LIBRARY
from lagrangian.kernels.trace.pieces import KEPT
from lagrangian.kernels.trace.schedule import Schedule

Load = Callable[[str, Any, bool], str]
Store = Callable[[int, str], None]


def hexadecimal(x: float) -> str:
    """A double as LLVM writes it exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


def attributes(width: int) -> str:
    """The attributes of a function over vectors of `width` doubles.

    Calls keep the stack aligned to 16 bytes only, and LLVM does not align it for values it spills: without `alignstack`, in every
    second process half of the longer vectors on it straddle two cache lines, which costs a third of the speed.
    """
    return "noinline nounwind" if width <= 2 else f"noinline nounwind alignstack({8 * width})"


class Emitter:
    """Appends instructions to `lines`; `width` states at once. Temporaries are numbered from `first`."""

    def __init__(
        self, lines: list[str], width: int, fma: bool, declared: set[str] | None = None, first: int = 0, hurried: bool = False
    ) -> None:
        self.lines = lines
        self.hurried = hurried  # whether short waits count more than few operations
        self.width = width
        self.has_fma = fma
        self.type = "double" if width == 1 else f"<{width} x double>"
        self.integer = "i64" if width == 1 else f"<{width} x i64>"
        self.mask = "i1" if width == 1 else f"<{width} x i1>"
        self.suffix = "f64" if width == 1 else f"v{width}f64"
        self._count = first
        self._sincos: dict[str, tuple[str, str]] = {}
        self.declared: set[str] = set() if declared is None else declared  # the intrinsics that are used
        self.large: str | None = None  # where some angle was beyond what sincos reduces

    def temporary(self) -> str:
        self._count += 1
        return f"%t{self._count}"

    def put(self, instruction: str) -> str:
        """An instruction with a result."""
        name = self.temporary()
        self.lines.append(f"  {name} = {instruction}")
        return name

    def constant(self, x: float) -> str:
        return hexadecimal(x) if self.width == 1 else f"splat (double {hexadecimal(x)})"

    def whole(self, n: int) -> str:
        return str(n) if self.width == 1 else f"splat (i64 {n})"

    def binary(self, operation: str, a: str, b: str) -> str:
        return self.put(f"{operation} {self.type} {a}, {b}")

    def negative(self, a: str) -> str:
        return self.put(f"fneg {self.type} {a}")

    def call(self, function: str, *args: str) -> str:
        name = f"@llvm.{function}.{self.suffix}"
        self.declared.add(f"declare {self.type} {name}({', '.join([self.type] * len(args))})")
        return self.put(f"call {self.type} {name}({', '.join(f'{self.type} {a}' for a in args)})")

    def fma(self, a: str, b: str, c: str) -> str:
        if self.has_fma:
            return self.call("fma", a, b, c)
        return self.binary("fadd", self.binary("fmul", a, b), c)

    def load(self, base: str, offset: int) -> str:
        """The value at `offset` doubles, or vectors, from a pointer."""
        at = self.put(f"getelementptr double, ptr {base}, i64 {offset * self.width}") if offset else base
        return self.put(f"load {self.type}, ptr {at}, align 8")

    def load_one(self, base: str, offset: int) -> str:
        """The double at `offset` from a pointer, in every lane."""
        at = self.put(f"getelementptr double, ptr {base}, i64 {offset}") if offset else base
        return self.spread(self.put(f"load double, ptr {at}, align 8"))

    def store(self, value: str, base: str, offset: int) -> None:
        at = self.put(f"getelementptr double, ptr {base}, i64 {offset * self.width}") if offset else base
        self.lines.append(f"  store {self.type} {value}, ptr {at}, align 8")

    def spread(self, value: str) -> str:
        """A scalar in every lane."""
        if self.width == 1:
            return value
        first = self.put(f"insertelement {self.type} poison, double {value}, i32 0")
        return self.put(f"shufflevector {self.type} {first}, {self.type} poison, <{self.width} x i32> zeroinitializer")

    def sin_and_cos(self, x: str) -> tuple[str, str]:
        if x not in self._sincos:
            beyond = self.put(f"fcmp ogt {self.type} {self.call('fabs', x)}, {self.constant(sincos.limit(self.has_fma))}")
            self.large = beyond if self.large is None else self.put(f"or {self.mask} {self.large}, {beyond}")
            self._sincos[x] = sincos.emit(self, x)
        return self._sincos[x]

    def any_large(self) -> str:
        """An i1: whether any angle was too large in any lane."""
        if self.large is None:
            return "false"
        if self.width == 1:
            return self.large
        bits = self.put(f"bitcast {self.mask} {self.large} to i{self.width}")
        return self.put(f"icmp ne i{self.width} {bits}, 0")

    def write(self, scheduled: Schedule, load: Load, store: Store) -> None:
        """All operations of a schedule. `load(name, index, angle)` gives an input, `store(position, value)` takes an output."""
        values = {k: self.constant(x) for k, x in scheduled.constants.items()}
        for name, result, given in scheduled.operations:
            if name == "output":
                store(given[0], values[given[1]])
            elif name == "keep":
                self.store(values[given[1]], f"%{KEPT}", given[0])
            elif name in ("input", "angle"):
                values[result] = load(given[0], given[1], name == "angle")
            else:
                values[result] = self._operation(name, *(values[k] for k in given))

    def _operation(self, name: str, *given: str) -> str:
        match name:
            case "add" | "sub" | "mul" | "div":
                return self.binary(f"f{name}", *given)
            case "fma":
                return self.fma(*given)
            case "neg":
                return self.negative(*given)
            case "sin" | "cos":
                return self.sin_and_cos(*given)[name == "cos"]
            case "sqrt":
                return self.call("sqrt", *given)
            case "touch":
                a, b = given
                return self.fma(b, self.constant(0.0), a)
            case "by_sign":
                return self._by_sign(*given)
            case "choose":
                return self._choose(*given)
        if name in LIBRARY:
            return self._library(name, *given)
        raise AssertionError(f"no emission for {name}")

    def _by_sign(self, x: str, positive: str, negative: str) -> str:
        zero = self.constant(0.0)
        above = self.put(f"fcmp ogt {self.type} {x}, {zero}")
        below = self.put(f"fcmp olt {self.type} {x}, {zero}")
        # 0 at 0, NaN of NaN: x itself in both cases
        rest = self.put(f"select {self.mask} {below}, {self.type} {negative}, {self.type} {x}")
        return self.put(f"select {self.mask} {above}, {self.type} {positive}, {self.type} {rest}")

    def _choose(self, a: str, b: str, x: str, y: str) -> str:
        less = self.put(f"fcmp olt {self.type} {a}, {b}")
        return self.put(f"select {self.mask} {less}, {self.type} {x}, {self.type} {y}")

    def _library(self, name: str, *args: str) -> str:
        """A function of the C library, on one lane after the other."""
        self.declared.add(f"declare double @{name}({', '.join(['double'] * len(args))}) nounwind willreturn memory(none)")
        if self.width == 1:
            return self.put(f"call double @{name}({', '.join(f'double {a}' for a in args)})")
        result = "poison"
        for lane in range(self.width):
            parts = [self.put(f"extractelement {self.type} {a}, i32 {lane}") for a in args]
            one = self.put(f"call double @{name}({', '.join(f'double {a}' for a in parts)})")
            result = self.put(f"insertelement {self.type} {result}, double {one}, i32 {lane}")
        return result

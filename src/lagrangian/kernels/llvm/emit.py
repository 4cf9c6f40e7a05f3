"""LLVM IR, as text, for traced operations: on one double, or on a vector of states."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from lagrangian.kernels.llvm import sincos
from lagrangian.kernels.trace.node import LIBRARY, arguments, schedule


def hexadecimal(x: float) -> str:
    """A double as LLVM writes it exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


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

    def graph(
        self,
        nodes: Sequence[tuple[Any, ...]],
        outputs: Sequence[int],
        load: Callable[[str, int, bool], str],
        store: Callable[[int, str], None],
    ) -> None:
        """All operations, in a good order. `load(name, index, angle)` gives an input, `store(position, value)` takes an output.

        A product used once, by a sum, becomes a fused multiply-add: written out here, not left to the compiler, so that every
        width rounds alike.
        """
        uses = [0] * len(nodes)
        for node in nodes:
            for a in arguments(node):
                uses[a] += 1
        for k in outputs:
            uses[k] += 1
        fused = set()
        if self.has_fma:
            for node in nodes:
                if node[0] in ("add", "sub"):
                    one = next((a for a in reversed(node[1:]) if nodes[a][0] == "mul" and uses[a] == 1 and a not in fused), None)
                    if one is not None:
                        fused.add(one)
        values: dict[int, str] = {}

        def value(k: int) -> str:
            return self.constant(nodes[k][1]) if nodes[k][0] == "constant" else values[k]

        def emit(k: int) -> str:
            node = nodes[k]
            match node[0]:
                case "input":
                    return load(node[1], node[2], False)
                case "sin" | "cos":
                    inner = nodes[node[1]]
                    x = load(inner[1], inner[2], True) if inner[0] == "input" else value(node[1])
                    return self.sin_and_cos(x)[node[0] == "cos"]
                case "add" | "sub":
                    return self._sum(node, nodes, fused, value)
                case "mul":
                    return self.binary("fmul", value(node[1]), value(node[2]))
                case "div":
                    return self.binary("fdiv", value(node[1]), value(node[2]))
                case "neg":
                    return self.negative(value(node[1]))
                case "sqrt":
                    return self.call("sqrt", value(node[1]))
                case "touch":
                    return self.fma(value(node[2]), self.constant(0.0), value(node[1]))
                case "by_sign":
                    return self._by_sign(*(value(a) for a in node[1:]))
                case "choose":
                    return self._choose(*(value(a) for a in node[1:]))
            if node[0] in LIBRARY:
                return self._library(node[0], *(value(a) for a in node[1:]))
            raise AssertionError(f"no emission for {node[0]}")

        only_angles = _only_angles(nodes, outputs)
        for what, k in schedule(nodes, outputs):
            if what == "output":
                store(k, value(outputs[k]))
            elif nodes[k][0] != "constant" and k not in fused and k not in only_angles:
                values[k] = emit(k)

    def _sum(self, node: tuple[Any, ...], nodes: Any, fused: set[int], value: Callable[[int], str]) -> str:
        operation, a, b = node
        if b in fused:
            x, y = value(nodes[b][1]), value(nodes[b][2])
            return self.fma(x if operation == "add" else self.negative(x), y, value(a))
        if a in fused:
            x, y = value(nodes[a][1]), value(nodes[a][2])
            return self.fma(x, y, value(b) if operation == "add" else self.negative(value(b)))
        return self.binary("fadd" if operation == "add" else "fsub", value(a), value(b))

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


def _only_angles(nodes: Sequence[tuple[Any, ...]], outputs: Sequence[int]) -> set[int]:
    """Inputs read by sin and cos alone: they are loaded as angles, and not a second time as coordinates."""
    direct = {a for node in nodes if node[0] not in ("sin", "cos") for a in arguments(node)} | set(outputs)
    return {k for k, node in enumerate(nodes) if node[0] == "input" and k not in direct}

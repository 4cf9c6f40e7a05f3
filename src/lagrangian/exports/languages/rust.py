"""Rust without its standard library: no allocation, and the mathematical functions of C in one module, `math`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lagrangian.exports.languages.language import FUNCTIONS, Language, Text, in_32_bits, wrapped
from lagrangian.exports.routine import Argument, Routine
from lagrangian.kernels.trace.node import NUMBERS

_WORDS = (
    "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref"
    " return self Self static struct super trait true type unsafe use where while"
    " abstract become box do final gen macro override priv try typeof union unsized virtual yield"
    " f32 f64 i32 usize bool str core std alloc math"
)
KEYWORDS = frozenset(_WORDS.split())


class Rust(Language):
    """`real` is "f64" or "f32"; `fields` are the parameters."""

    keywords = KEYWORDS
    whole = 2_000  # every `let` begins a scope within the one before, and too many of them overflow the compiler's stack
    functions: Mapping[str, str] = MappingProxyType({name: f"math::{name}" for name in FUNCTIONS})

    def __init__(self, real: str, constants: int, fields: Sequence[str]) -> None:
        self.real, self.constants, self.fields = real, constants, fields
        self._given: set[str] = set()  # what is given to the function that is being written

    def number(self, x: float) -> str:
        if math.isnan(x):
            return f"{self.real}::NAN"
        if math.isinf(x):
            return f"{self.real}::INFINITY" if x > 0 else f"{self.real}::NEG_INFINITY"
        return in_32_bits(x) if self.real == "f32" else repr(float(x))

    def element(self, array: str, index: str | int) -> str:
        if isinstance(index, int):
            return f"{array}[{index}]"
        return f"{array}[{index if index.isidentifier() else f'({index})'} as usize]"

    def place(self, argument: Argument, index: str | int) -> str:
        if argument.name == NUMBERS:
            return f"parameters.{self.fields[int(index)]}"
        if argument.name == "constants":
            return f"constants.k[{index}]"
        if argument.shape == ():
            return f"*{argument.name}" if argument.output else argument.name
        return self.element(argument.name, index)

    def choice(self, condition: str, x: str, y: str) -> Text:
        return Text(f"if {condition} {{ {x} }} else {{ {y} }}", 0)

    def constant(self, name: str, text: str) -> str:
        return f"let {name}: {self.real} = {text};"

    def variable(self, name: str, text: str) -> str:
        return f"let mut {name}: {self.real} = {text};"

    def integer(self, name: str, text: str) -> str:
        return f"let {name}: i32 = {text};"

    def counter(self, name: str, text: str) -> str:
        return f"let mut {name}: i32 = {text};"

    def assignment(self, place: str, text: str) -> str:
        return f"{place} = {text};"

    def array(self, name: str, size: int) -> str:
        return f"let mut {name}: [{self.real}; {size}] = [0.0; {size}];"

    def loop(self, name: str, count: int, backward: bool = False) -> str:
        return f"for {name} in {f'(0..{count}_i32).rev()' if backward else f'0..{count}_i32'} {{"

    def repeat(self, condition: str) -> str:
        return f"while {condition} {{"

    def branch(self, condition: str, first: bool) -> str:
        return f"if {condition} {{" if first else f"}} else if {condition} {{"

    def table(self, name: str, values: Sequence[float] | Sequence[int], whole: bool) -> list[str]:
        kind = "i32" if whole else self.real
        texts = [str(x) if whole else self.number(float(x)) for x in values]
        return [f"static {name}: [{kind}; {len(texts)}] = [", *wrapped(texts, self.indent), "];"]

    # -- routines ------------------------------------------------------------------------------------------------------

    def opening(self, routine: Routine) -> list[str]:
        self._given = {x.name for x in (*routine.inputs, *routine.outputs)}
        if NUMBERS in self._given:
            made = f"{self.indent}let mut constants = Constants {{ k: [0.0; {self.constants}] }};"
            return ["pub fn prepare(parameters: &Parameters) -> Constants {", made]
        given = [f"{x.name}: {self.real if x.shape == () else f'&[{self.real}; {x.size}]'}" for x in routine.inputs]
        given += ["constants: &Constants"] if self.constants else []
        given += [f"{x.name}: &mut {self.real if x.shape == () else f'[{self.real}; {x.size}]'}" for x in routine.outputs]
        lines = ["#[inline(never)]"] if routine.hidden else []
        lines += [f"{'' if routine.hidden else 'pub '}fn {routine.name}({', '.join(given)}) {{"]
        return [*lines, f"{self.indent}let k = &constants.k;"] if self.constants else lines

    def closing(self, routine: Routine) -> list[str]:
        if NUMBERS in (x.name for x in routine.inputs):
            return [f"{self.indent}constants", "}"]
        return ["}"]

    def call(self, routine: Routine, inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
        given = [self._passed(x, name) for x, name in zip(routine.inputs, inputs, strict=True)]
        given += ["constants"] if self.constants else []
        given += [name if name in self._given else f"&mut {name}" for name in outputs]
        return [f"{routine.name}({', '.join(given)});"]

    def _passed(self, argument: Argument, name: str) -> str:
        if name in self._given:
            return name
        return f"{name}[0]" if argument.shape == () else f"&{name}"

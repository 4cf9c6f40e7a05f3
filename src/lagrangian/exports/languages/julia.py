"""Julia: functions that fill arrays that they are given, over numbers of any type."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lagrangian.exports.languages.language import Text, counted_from_one, wrapped
from lagrangian.exports.languages.untyped import Untyped
from lagrangian.exports.routine import Argument, Routine, Straight
from lagrangian.kernels.trace.node import NUMBERS

_WORDS = (
    "baremodule begin break catch const continue do else elseif end export false finally for function global if import in isa let"
    " local macro module mutable outer primitive public quote return struct true try type using where while abstract"
    " sin cos tan asin acos atan tanh exp log sqrt floor div mod zeros zero eltype promote_type float map Ref parse split length"
    " im pi Inf NaN number"
)
KEYWORDS = frozenset(_WORDS.split())


class Julia(Untyped):
    """`fields` are the parameters. `tables` are those of the function that was written last, which stand before it."""

    keywords = KEYWORDS
    whole = 2_000  # types are inferred function by function
    close = "end"
    functions: Mapping[str, str] = MappingProxyType({"atan2": "atan"})

    def __init__(self, has_constants: bool, fields: Sequence[str]) -> None:
        self.has_constants, self.fields = has_constants, fields
        self.tables: list[str] = []
        self._routine = ""
        self._single: set[str] = set()

    def number(self, x: float) -> str:
        if math.isnan(x):
            return "NaN"
        if math.isinf(x):
            return "Inf" if x > 0 else "(-Inf)"
        return repr(float(x))

    def element(self, array: str, index: str | int) -> str:
        return f"{array}[{counted_from_one(index)}]"

    def place(self, argument: Argument, index: str | int) -> str:
        if argument.name == NUMBERS:
            return f"p.{self.fields[int(index)]}"
        if argument.shape == ():
            return f"{argument.name}[]" if argument.output else argument.name
        if len(argument.shape) == 1:
            return self.element(argument.name, index)
        wide = argument.shape[1]
        if isinstance(index, int):
            return f"{argument.name}[{index // wide + 1}, {index % wide + 1}]"
        return f"{argument.name}[div({index}, {wide}) + 1, mod({index}, {wide}) + 1]"

    def entry(self, argument: Argument, row: str, column: str) -> str:
        return f"{argument.name}[{counted_from_one(row)}, {counted_from_one(column)}]"

    def choice(self, condition: str, x: str, y: str) -> Text:
        return Text(f"({condition} ? {x} : {y})")

    def array(self, name: str, size: int) -> str:
        return f"{name} = zeros(number, {size})"

    def loop(self, name: str, count: int, backward: bool = False) -> str:
        return f"for {name} in {f'{count - 1}:-1:0' if backward else f'0:{count - 1}'}"

    def repeat(self, condition: str) -> str:
        return f"while {condition}"

    def branch(self, condition: str, first: bool) -> str:
        return f"{'if' if first else 'elseif'} {condition}"

    def table(self, name: str, values: Sequence[float] | Sequence[int], whole: bool) -> list[str]:
        """A text that is read when the module is: a compiler takes long over an array of thousands of numbers."""
        texts = [str(x) if whole else self.number(float(x)) for x in values]
        constant = f"{self._routine}_{name}"
        kind = "Int" if whole else "Float64"
        self.tables += [f'const {constant} = parse.({kind}, split("""', *wrapped(texts, comma=" "), '"""))', ""]
        return [f"{name} = {constant}"]

    # -- routines ------------------------------------------------------------------------------------------------------

    def opening(self, routine: Routine) -> list[str]:
        self._routine, self._single = routine.name, {x.name for x in routine.inputs if x.shape == ()}
        inputs, outputs = ([x.name for x in each] for each in (routine.inputs, routine.outputs))
        if NUMBERS in inputs:
            made = f"{outputs[0]} = zeros(float(typeof(sum(p))), {routine.size})"
            return ["function prepare(p = parameters)", f"{self.indent}{made}"]
        if routine.hidden:
            return [f"function _{routine.name}!({', '.join([*outputs, *inputs, *self._constants('k')])})"]
        given = [*outputs, *inputs, *self._constants("constants = DEFAULT_CONSTANTS")]
        lines = [f"function {routine.name}!({', '.join(given)})", *self._constants(f"{self.indent}k = constants")]
        if not isinstance(routine.body, Straight):
            lines.append(f"{self.indent}number = _number({', '.join([*inputs, *self._constants('constants')])})")
        return lines

    def _constants(self, text: str) -> list[str]:
        return [text] if self.has_constants else []

    def closing(self, routine: Routine) -> list[str]:
        given = "nothing" if routine.hidden else ", ".join(x.name for x in routine.outputs)
        return [f"{self.indent}return {given}", "end"]

    def call(self, routine: Routine, inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
        if routine.hidden:
            return [f"_{routine.name}!({', '.join([*outputs, *inputs, *self._constants('k')])})"]
        pairs = zip(routine.inputs, inputs, strict=True)
        given = [f"{name}[1]" if x.shape == () and name not in self._single else name for x, name in pairs]
        return [f"{routine.name}!({', '.join([*outputs, *given, *self._constants('constants')])})"]

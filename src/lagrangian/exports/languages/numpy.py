"""Python with NumPy: every number of a function may be an array over states.

In a function, an argument is the list of its entries, and each entry is a number or an array with one number for each state.
"""

from __future__ import annotations

import builtins
import json
import keyword
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lagrangian.exports.languages.language import FUNCTIONS, Text, wrapped
from lagrangian.exports.languages.untyped import Untyped
from lagrangian.exports.routine import Argument, Rolled, Routine
from lagrangian.exports.routine import Sequence as Calls
from lagrangian.kernels.trace.node import NUMBERS

KEYWORDS = frozenset((*keyword.kwlist, *dir(builtins), "np", "self"))
_INVERSE = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}


class NumPy(Untyped):
    """`parameters` are the names under which the preparation finds numbers; `about` has the docstrings by routine."""

    keywords = KEYWORDS
    close = None
    declares = False
    longest = 50
    functions: Mapping[str, str] = MappingProxyType({name: f"np.{_INVERSE.get(name, name)}" for name in FUNCTIONS})

    def __init__(self, has_constants: bool, parameters: Sequence[str], about: Mapping[str, list[str]]) -> None:
        self.has_constants, self.parameters, self.about = has_constants, parameters, about
        self._single: set[str] = set()

    def number(self, x: float) -> str:
        if math.isnan(x):
            return "np.nan"
        if math.isinf(x):
            return "np.inf" if x > 0 else "(-np.inf)"
        return repr(float(x))

    def element(self, array: str, index: str | int) -> str:
        return f"{array}[{index}]"

    def place(self, argument: Argument, index: str | int) -> str:
        if argument.name == NUMBERS:
            return f"p[{quoted(self.parameters[int(index)])}]"
        return argument.name if argument.shape == () and not argument.output else self.element(argument.name, index)

    def choice(self, condition: str, x: str, y: str) -> Text:
        return Text(f"np.where({condition}, {x}, {y})")

    def array(self, name: str, size: int) -> str:
        return f"{name} = [0.0] * {size}"

    def loop(self, name: str, count: int, backward: bool = False) -> str:
        return f"for {name} in {f'reversed(range({count}))' if backward else f'range({count})'}:"

    def repeat(self, condition: str) -> str:
        return f"while {condition}:"

    def branch(self, condition: str, first: bool) -> str:
        return f"{'if' if first else 'elif'} {condition}:"

    def table(self, name: str, values: Sequence[float] | Sequence[int], whole: bool) -> list[str]:
        texts = [str(x) if whole else self.number(float(x)) for x in values]
        return [f"{name} = (", *(f"{line.rstrip(',')}," for line in wrapped(texts, self.indent)), ")"]

    # -- routines ------------------------------------------------------------------------------------------------------

    def opening(self, routine: Routine) -> list[str]:
        self._single = {x.name for x in routine.inputs if x.shape == ()}
        inputs, outputs = ([x.name for x in each] for each in (routine.inputs, routine.outputs))
        if routine.hidden:
            return [f"def _{routine.name}({', '.join([*inputs, *self._constants('k'), *outputs])}):"]
        if inputs == [NUMBERS]:
            return [f"def {routine.name}(given=parameters):", *self._inside(routine, "p = _known(given)")]
        given = ", ".join(f'("{x.name}", {x.name}, {None if x.shape == () else x.size})' for x in routine.inputs)
        lines = [f"{', '.join(['shape', *inputs])} = _given({given})", *self._constants("k = constants")]
        if isinstance(routine.body, Rolled) or (isinstance(routine.body, Calls) and not routine.body.steps):
            lines += [self.array(x.name, x.size) for x in routine.outputs]
        arguments = ", ".join([*inputs, *self._constants("constants=DEFAULT_CONSTANTS")])
        return [f"def {routine.name}({arguments}):", *self._inside(routine, *lines)]

    def _inside(self, routine: Routine, *lines: str) -> list[str]:
        return [f"{self.indent}{line}" if line else "" for line in (*self.about[routine.name], *lines)]

    def _constants(self, text: str) -> list[str]:
        return [text] if self.has_constants else []

    def filled(self, name: str, places: Sequence[str], texts: Sequence[str], width: int = 1000) -> list[str]:
        """A list, `width` entries in a row."""
        rows = [texts[k : k + width] for k in range(0, len(texts), width)]
        found = [line.rstrip(",") for row in rows for line in wrapped(row, width=90)]
        if len(found) == 1:
            return [f"{name} = [{found[0]}]"]
        return [f"{name} = [", *(f"{self.indent}{line}," for line in found), "]"]

    def results(self, routine: Routine, texts: Sequence[str]) -> list[str]:
        lines, at = [], 0
        for x in routine.outputs:
            lines += self.filled(x.name, (), texts[at : at + x.size], max(1, x.shape[-1]) if len(x.shape) > 1 else 1000)
            at += x.size
        return lines

    def closing(self, routine: Routine) -> list[str]:
        if routine.hidden:
            return []
        if [x.name for x in routine.inputs] == [NUMBERS]:
            return [f"{self.indent}return np.array({routine.outputs[0].name})"]
        given = ", ".join(f"_array({x.name}, shape, {x.shape})" for x in routine.outputs)
        return [f"{self.indent}return {given}"]

    def call(self, routine: Routine, inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
        if routine.hidden:
            return [f"_{routine.name}({', '.join([*inputs, *self._constants('k'), *outputs])})"]
        pairs = zip(routine.inputs, inputs, strict=True)
        given = [self._passed(x, name) for x, name in pairs] + self._constants("constants")
        called = f"{routine.name}({', '.join(given)})"
        if len(outputs) == 1:
            return [f"{outputs[0]} = _entries({called})"]
        return [f"{', '.join(outputs)} = map(_entries, {called})"]

    def _passed(self, argument: Argument, name: str) -> str:
        if argument.shape == ():
            return name if name in self._single else f"{name}[0]"
        return f"_array({name}, shape, {argument.shape})"


def quoted(text: str) -> str:
    """A text as a literal of Python."""
    return json.dumps(text, ensure_ascii=False)

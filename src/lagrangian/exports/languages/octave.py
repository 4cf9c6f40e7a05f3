"""MATLAB's language, as Octave has it, too: functions of column vectors, which give their results and change nothing.

A part of a long function is given the arrays that it fills, and gives them back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from lagrangian.exports.languages.language import Text, counted_from_one, wrapped
from lagrangian.exports.languages.untyped import Untyped
from lagrangian.exports.routine import Argument, Rolled, Routine
from lagrangian.exports.routine import Sequence as Calls
from lagrangian.kernels.trace.node import NUMBERS

_WORDS = (
    "break case catch classdef continue else elseif end for function global if otherwise parfor persistent return spmd switch try"
    " while"
    # Octave
    " do end_try_catch end_unwind_protect endfor endfunction endif endparfor endswitch endwhile until unwind_protect"
    " unwind_protect_cleanup endclassdef endenumeration endevents endmethods endproperties enumeration events methods properties"
    " __FILE__ __LINE__"
    # functions that the code calls
    " sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt floor mod zeros isempty nargin choose pi i j e Inf NaN eps ans"
    " inf nan"
)
KEYWORDS = frozenset(_WORDS.split())
# characters of a name, of which MATLAB looks at no more
LONGEST = 63

CHOOSE = """\
function z = choose(condition, x, y)
    if condition
        z = x;
    else
        z = y;
    end
end
"""


class Octave(Untyped):
    """`package` is the folder of the functions, `fields` are the parameters, `about` has the help texts by routine."""

    keywords = KEYWORDS
    close = "end"
    stop = ";"
    declares = False

    def __init__(self, package: str, has_constants: bool, fields: Sequence[str], about: Mapping[str, list[str]]) -> None:
        self.package, self.has_constants, self.fields, self.about = package, has_constants, fields, about

    def number(self, x: float) -> str:
        if math.isnan(x):
            return "NaN"
        if math.isinf(x):
            return "Inf" if x > 0 else "(-Inf)"
        return repr(float(x))

    def element(self, array: str, index: str | int) -> str:
        return f"{array}({counted_from_one(index)})"

    def place(self, argument: Argument, index: str | int) -> str:
        if argument.name == NUMBERS:
            return f"p.{self.fields[int(index)]}"
        if argument.shape == ():
            return argument.name
        if len(argument.shape) == 1:
            return self.element(argument.name, index)
        wide = argument.shape[1]
        if isinstance(index, int):
            return f"{argument.name}({index // wide + 1}, {index % wide + 1})"
        return f"{argument.name}(floor(({index})/{wide}) + 1, mod({index}, {wide}) + 1)"

    def entry(self, argument: Argument, row: str, column: str) -> str:
        return f"{argument.name}({counted_from_one(row)}, {counted_from_one(column)})"

    def choice(self, condition: str, x: str, y: str) -> Text:
        return Text(f"choose({condition}, {x}, {y})")

    def array(self, name: str, size: int) -> str:
        return f"{name} = zeros({size}, 1);"

    def loop(self, name: str, count: int, backward: bool = False) -> str:
        return f"for {name} = {f'{count - 1}:-1:0' if backward else f'0:{count - 1}'}"

    def repeat(self, condition: str) -> str:
        return f"while {condition}"

    def branch(self, condition: str, first: bool) -> str:
        return f"{'if' if first else 'elseif'} {condition}"

    def table(self, name: str, values: Sequence[float] | Sequence[int], whole: bool) -> list[str]:
        texts = [str(x) if whole else self.number(float(x)) for x in values]
        lines = wrapped(texts, self.indent, comma="; ")
        return [f"persistent {name}", f"if isempty({name})", *self.column(name, lines), "end"]

    def column(self, name: str, lines: Sequence[str]) -> list[str]:
        """A column of numbers that are part of the code."""
        return [f"{self.indent}{name} = [", *(f"{self.indent}{line}" for line in lines), f"{self.indent}];"]

    # -- routines ------------------------------------------------------------------------------------------------------

    def opening(self, routine: Routine) -> list[str]:
        inputs, outputs = ([x.name for x in each] for each in (routine.inputs, routine.outputs))
        if routine.hidden:
            given = [*inputs, *self._constants("k"), *outputs]
            return [f"function {_listed(outputs)} = {routine.name}({', '.join(given)})"]
        if inputs == [NUMBERS]:
            return [f"function {outputs[0]} = {routine.name}(p)", *self._inside(*self.about[routine.name])]
        given = [*inputs, *self._constants("constants")]
        lines = [f"function {_listed(outputs)} = {routine.name}({', '.join(given)})", *self._inside(*self.about[routine.name])]
        if self.has_constants:
            default = f"{self.indent}k = {self.package}.default_constants();"
            lines += self._inside(f"if nargin < {len(given)}", default, "else", f"{self.indent}k = constants;", "end")
        if isinstance(routine.body, Rolled) or (isinstance(routine.body, Calls) and not routine.body.steps):
            lines += self._inside(*(f"{x.name} = zeros({_size(x)});" for x in routine.outputs))
        return lines

    def _inside(self, *lines: str) -> list[str]:
        return [f"{self.indent}{line}" if line else "" for line in lines]

    def _constants(self, text: str) -> list[str]:
        return [text] if self.has_constants else []

    def filled(self, name: str, places: Sequence[str], texts: Sequence[str], width: int = 1) -> list[str]:
        """A matrix, `width` entries in a row; a column where that is 1."""
        if width == 1:
            found = wrapped(texts, comma="; ")
            return [f"{name} = [{found[0]}];"] if len(found) == 1 else [f"{name} = [", *self._inside(*found), "];"]
        lines = [f"{name} = ["]
        for k in range(0, len(texts), width):
            row = wrapped(texts[k : k + width])
            lines += self._inside(*(f"{line} ..." for line in row[:-1]), f"{row[-1]};")
        return [*lines, "];"]

    def results(self, routine: Routine, texts: Sequence[str]) -> list[str]:
        lines, at = [], 0
        for x in routine.outputs:
            lines += self.filled(x.name, (), texts[at : at + x.size], max(1, x.shape[1]) if len(x.shape) > 1 else 1)
            at += x.size
        return lines

    def closing(self, routine: Routine) -> list[str]:
        return ["end"]

    def call(self, routine: Routine, inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
        if routine.hidden:
            return [f"{_listed(outputs)} = {routine.name}({', '.join([*inputs, *self._constants('k'), *outputs])});"]
        return [f"{_listed(outputs)} = {self.package}.{routine.name}({', '.join([*inputs, *self._constants('k')])});"]


def _listed(outputs: Sequence[str]) -> str:
    return outputs[0] if len(outputs) == 1 else f"[{', '.join(outputs)}]"


def _size(argument: Argument) -> str:
    return ", ".join(map(str, argument.shape if len(argument.shape) > 1 else (argument.size, 1)))

"""Julia: a module without dependencies, and a test with reference values.

Functions fill arrays that they are given, over numbers of any type.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lagrangian.exports import reference_values
from lagrangian.exports.reference_values import TOLERANCE, reference_cases
from lagrangian.exports.source import package_text
from lagrangian.exports.source.identifiers import IdentifierTable, transliterate
from lagrangian.exports.source.language import DynamicLanguage, ExpressionText, one_based_index, wrap_values
from lagrangian.exports.source.package_text import comment_lines, shape_text
from lagrangian.exports.targets.target import ExportedFiles, ExportRequest, ExportTarget
from lagrangian.functions.routine import Package, Routine, RoutineArgument, StraightLineCode
from lagrangian.kernels.trace.node import NUMBERS
from lagrangian.model.mechanism import Mechanism

_KEYWORD_TEXT = (
    "baremodule begin break catch const continue do else elseif end export false finally for function global if import in isa let"
    " local macro module mutable outer primitive public quote return struct true try type using where while abstract"
    " sin cos tan asin acos atan tanh exp log sqrt floor div mod zeros zero eltype promote_type float map Ref parse split length"
    " im pi Inf NaN number"
)
KEYWORDS = frozenset(_KEYWORD_TEXT.split())
RESERVED_FUNCTIONS = (*KEYWORDS, "parameters", "prepare", "DEFAULT_CONSTANTS", "eval", "include")
RESERVED_MODULES = (
    "Base Core Main Any Array Bool Char Complex Dict Float64 Function Int Matrix Module Number Pair Real Ref Set String Symbol"
    " Task Test Tuple Type Union Vector"
)
NUMBER = """\
# the type of numbers that results of some arguments have
_number(values...) = float(promote_type(map(eltype, values)...))
"""
COMPARE = """\
# whether entries at some places, counted row by row, are those that are expected; without places, all are compared
function compare(name, result, places, expected)
    entries = result isa Number ? [result] : ndims(result) == 1 ? result : vec(permutedims(result))
    entries = isempty(places) ? entries : entries[places]
    miss = maximum(abs.(entries .- expected); init = 0.0)
    largest = maximum(abs.(expected); init = 1.0)
    right = length(entries) == length(expected) && miss <= TOLERANCE * largest
    println(rpad(name, 40), right ? " ok" : " WRONG", ", off by ", miss, " of ", largest)
    return right
end
"""


class JuliaTarget(ExportTarget):
    name = "julia"
    about = "a Julia module without dependencies"

    def make(self, mechanism: Mechanism, request: ExportRequest) -> ExportedFiles:
        source_files = JuliaSourceFiles(mechanism, self.package(mechanism, request))
        return ExportedFiles(
            {f"{source_files.name}.jl": source_files.module(), "test.jl": source_files.test()}, notes=source_files.notes
        )


class JuliaSourceFiles(package_text.SourceFiles):
    """The texts of the files for one package; modules are written in capitals: two_r is TwoR."""

    language: JuliaLanguage

    def __init__(self, mechanism: Mechanism, package: Package) -> None:
        plain = transliterate(package.name) or "mechanism"
        name = IdentifierTable((*RESERVED_MODULES.split(), "X")).legal(
            "".join(f"{word[:1].upper()}{word[1:]}" for word in plain.split("_"))
        )
        super().__init__(mechanism, package, name, IdentifierTable(RESERVED_FUNCTIONS), IdentifierTable(KEYWORDS))
        self.language = JuliaLanguage(bool(self.constants), self.fields)

    def module(self) -> str:
        sentences = self.introduction(
            "Functions whose names end in ! fill the arrays that are given first; those of the same name without ! make them.",
            "Numbers may be of any type, such as the dual numbers of ForwardDiff. Six-vectors are angular first.",
        )
        lines = [
            *_docstring([line for text in sentences for line in (*comment_lines(text, ""), "")][:-1]),
            f"module {self.name}",
            "",
        ]
        if self.constants:
            number = self.language.number
            lines += ["# the numbers that may be changed: prepare(merge(parameters, (name = value,)))", "const parameters = ("]
            lines += [f"    {field} = {number(p.value)}, # {package_text.ascii_line(p.name)}" for field, p in self.parameters()]
            lines += [")", "", '"""', "    prepare(p = parameters)", ""]
            lines += ["The constants that the functions read, for some parameters.", '"""']
            lines += [*self.code(self.preparation()), "", "const DEFAULT_CONSTANTS = prepare()", ""]
        lines += [*NUMBER.splitlines(), ""]
        for routine in self.package.routines:
            self.language.tables.clear()
            code = self.code(routine)
            first = next(k for k, line in enumerate(code) if line.startswith(f"function {routine.name}!("))
            lines += [
                *self.language.tables,
                *code[:first],
                *self._docstring_lines(routine),
                *code[first:],
                "",
                *self._allocating_method(routine),
            ]
        return _text([*lines, f"end # module {self.name}"])

    def _docstring_lines(self, routine: Routine) -> list[str]:
        inputs, outputs = ([x.name for x in arguments_of_kind] for arguments_of_kind in (routine.inputs, routine.outputs))
        constants_name = ["constants"] if self.constants else []
        lines = [
            f"    {routine.name}!({', '.join([*outputs, *inputs, *constants_name])})",
            f"    {routine.name}({', '.join([*inputs, *constants_name])})",
            "",
            *comment_lines(routine.about, ""),
            "",
        ]
        for x in (*routine.inputs, *routine.outputs):
            shape = "a number, which is given as a Ref" if x.output and x.shape == () else shape_text(x)
            lines += comment_lines(f"- `{x.name}` ({shape}): {x.about}", "", hanging=2)
        return _docstring([*lines, "", f"Cost: {self.cost(routine)}."])

    def _allocating_method(self, routine: Routine) -> list[str]:
        """The function that makes the arrays of its results."""
        inputs, outputs = ([x.name for x in arguments_of_kind] for arguments_of_kind in (routine.inputs, routine.outputs))
        call_arguments = [*inputs, *(["constants"] if self.constants else [])]
        parameters = [*inputs, *(["constants = DEFAULT_CONSTANTS"] if self.constants else [])]
        allocations = [
            f"    {x.name} = " + (f"zeros(number, {', '.join(map(str, x.shape))})" if x.shape else "Ref(zero(number))")
            for x in routine.outputs
        ]
        return [
            f"function {routine.name}({', '.join(parameters)})",
            f"    number = _number({', '.join(call_arguments)})",
            *allocations,
            f"    {routine.name}!({', '.join([*outputs, *call_arguments])})",
            f"    return {', '.join(x.name if x.shape else f'{x.name}[]' for x in routine.outputs)}",
            "end",
            "",
        ]

    # -- the test ------------------------------------------------------------------------------------------------------

    def test(self) -> str:
        name = self.name
        lines = [
            "# Compares the functions with reference values: prints the error of each, and fails if an error is too large.",
            f'include(joinpath(@__DIR__, "{name}.jl"))',
            "",
            *COMPARE.replace("TOLERANCE", repr(TOLERANCE[64])).splitlines(),
            "",
            "function main()",
            "    right = true",
        ]
        if self.constants:
            lines += self._array_lines("expected", reference_values.evaluate_constants(self.package))
            lines.append(f'    right &= compare("prepare", {name}.prepare(), Int[], expected)')
        for case in reference_cases(self.mechanism, self.package):
            routine = case.routine
            for array, values in case.new_arrays.items():
                lines += self._array_lines(array, values)
            arguments = [f"{case.array_name(x.name)}{'[1]' if x.shape == () else ''}" for x in routine.inputs]
            lines.append(f"    result = {name}.{routine.name}({', '.join(arguments)})")
            for k, expected in enumerate(case.expected):
                result = f"result[{k + 1}]" if len(case.expected) > 1 else "result"
                lines += self._array_lines("expected", expected.values)
                places = "Int[]"
                if not expected.is_complete:
                    places = "places"
                    lines += self._array_lines(places, [p + 1 for p in expected.places])
                lines.append(f'    right &= compare("{routine.name} {expected.output.name}", {result}, {places}, expected)')
        return _text([*lines, '    right || error("some values are off")', "end", "", "main()"])

    def _array_lines(self, name: str, values: list[float] | list[int]) -> list[str]:
        are_integers = bool(values) and isinstance(values[0], int)
        texts = [str(x) if are_integers else self.language.number(x) for x in values]
        kind = "Int" if are_integers else "Float64"
        return [f'    {name} = parse.({kind}, split("""', *wrap_values(texts, "        ", comma=" "), '    """))']


def _docstring(lines: list[str]) -> list[str]:
    return ['"""', *(line.replace("\\", "\\\\").replace("$", "\\$").replace('"""', "'''") for line in lines), '"""']


def _text(lines: list[str]) -> str:
    return "\n".join([*lines, ""])


class JuliaLanguage(DynamicLanguage):
    """Julia. `fields` are the parameters. `tables` are those of the function that was written last, which stand before it."""

    keywords = KEYWORDS
    max_operations = 2_000  # types are inferred function by function
    close = "end"
    functions: Mapping[str, str] = MappingProxyType({"atan2": "atan"})

    def __init__(self, has_constants: bool, fields: Sequence[str]) -> None:
        self.has_constants, self.fields = has_constants, fields
        self.tables: list[str] = []
        self._routine = ""
        self._scalar_inputs: set[str] = set()

    def number(self, x: float) -> str:
        if math.isnan(x):
            return "NaN"
        if math.isinf(x):
            return "Inf" if x > 0 else "(-Inf)"
        return repr(float(x))

    def element(self, array: str, index: str | int) -> str:
        return f"{array}[{one_based_index(index)}]"

    def place(self, argument: RoutineArgument, index: str | int) -> str:
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

    def entry(self, argument: RoutineArgument, row: str, column: str) -> str:
        return f"{argument.name}[{one_based_index(row)}, {one_based_index(column)}]"

    def choice(self, condition: str, x: str, y: str) -> ExpressionText:
        return ExpressionText(f"({condition} ? {x} : {y})")

    def array(self, name: str, size: int) -> str:
        return f"{name} = zeros(number, {size})"

    def loop(self, name: str, count: int, backward: bool = False) -> str:
        return f"for {name} in {f'{count - 1}:-1:0' if backward else f'0:{count - 1}'}"

    def while_loop(self, condition: str) -> str:
        return f"while {condition}"

    def branch(self, condition: str, first: bool) -> str:
        return f"{'if' if first else 'elseif'} {condition}"

    def table(self, name: str, values: Sequence[float] | Sequence[int], integers: bool) -> list[str]:
        """A text that is read when the module is: a compiler takes long over an array of thousands of numbers."""
        texts = [str(x) if integers else self.number(float(x)) for x in values]
        constant = f"{self._routine}_{name}"
        kind = "Int" if integers else "Float64"
        self.tables += [f'const {constant} = parse.({kind}, split("""', *wrap_values(texts, comma=" "), '"""))', ""]
        return [f"{name} = {constant}"]

    # -- routines ------------------------------------------------------------------------------------------------------

    def opening(self, routine: Routine) -> list[str]:
        self._routine, self._scalar_inputs = routine.name, {x.name for x in routine.inputs if x.shape == ()}
        inputs, outputs = ([x.name for x in arguments_of_kind] for arguments_of_kind in (routine.inputs, routine.outputs))
        if NUMBERS in inputs:
            allocation = f"{outputs[0]} = zeros(float(typeof(sum(p))), {routine.size})"
            return ["function prepare(p = parameters)", f"{self.indent}{allocation}"]
        if routine.hidden:
            return [f"function _{routine.name}!({', '.join([*outputs, *inputs, *self._constants('k')])})"]
        parameters = [*outputs, *inputs, *self._constants("constants = DEFAULT_CONSTANTS")]
        lines = [f"function {routine.name}!({', '.join(parameters)})", *self._constants(f"{self.indent}k = constants")]
        if not isinstance(routine.body, StraightLineCode):
            lines.append(f"{self.indent}number = _number({', '.join([*inputs, *self._constants('constants')])})")
        return lines

    def _constants(self, text: str) -> list[str]:
        return [text] if self.has_constants else []

    def closing(self, routine: Routine) -> list[str]:
        results_text = "nothing" if routine.hidden else ", ".join(x.name for x in routine.outputs)
        return [f"{self.indent}return {results_text}", "end"]

    def call(self, routine: Routine, inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
        if routine.hidden:
            return [f"_{routine.name}!({', '.join([*outputs, *inputs, *self._constants('k')])})"]
        pairs = zip(routine.inputs, inputs, strict=True)
        arguments = [f"{name}[1]" if x.shape == () and name not in self._scalar_inputs else name for x, name in pairs]
        return [f"{routine.name}!({', '.join([*outputs, *arguments, *self._constants('constants')])})"]


TARGET = JuliaTarget()

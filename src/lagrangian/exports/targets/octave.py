"""MATLAB and Octave: a package folder with one function a file, and a test script.

Functions take column vectors, give their results and change nothing. A part of a long function is given the arrays that it
fills, and gives them back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from lagrangian.exports import reference_values
from lagrangian.exports.reference_values import TOLERANCE, reference_cases
from lagrangian.exports.source import package_text
from lagrangian.exports.source.identifiers import IdentifierTable, transliterate
from lagrangian.exports.source.language import DynamicLanguage, ExpressionText, one_based_index, wrap_values
from lagrangian.exports.source.package_text import comment_lines
from lagrangian.exports.targets.target import ExportedFiles, ExportRequest, ExportTarget
from lagrangian.functions.routine import CallSequence, LinkLoops, Package, Routine, RoutineArgument
from lagrangian.kernels.trace.node import NUMBERS
from lagrangian.model.mechanism import Mechanism

_KEYWORD_TEXT = (
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
KEYWORDS = frozenset(_KEYWORD_TEXT.split())
RESERVED_FUNCTIONS = (*KEYWORDS, "parameters", "prepare", "default_constants", "Contents")
MAX_NAME_LENGTH = 63  # characters of a name: MATLAB looks at no more
CHOOSE_FUNCTION = """\
function z = choose(condition, x, y)
    if condition
        z = x;
    else
        z = y;
    end
end
"""
COMPARE = """\
function right = compare(name, result, places, expected)
    %COMPARE Whether entries at some places, counted row by row, are those that are expected; without places, all are.
    entries = reshape(result.', [], 1);
    if ~isempty(places)
        entries = entries(places);
    end
    miss = max([0; abs(entries - expected)]);
    largest = max([1; abs(expected)]);
    right = all(isfinite(entries)) && miss <= TOLERANCE*largest;
    if right
        fprintf('%-40s ok, off by %.1e of %.3g\\n', name, miss, largest);
    else
        fprintf('%-40s WRONG, off by %.1e of %.3g\\n', name, miss, largest);
    end
end
"""


class OctaveTarget(ExportTarget):
    name = "octave"
    about = "a package folder of functions for MATLAB and Octave"

    def make(self, mechanism: Mechanism, request: ExportRequest) -> ExportedFiles:
        source_files = OctaveSourceFiles(mechanism, self.package(mechanism, request))
        return ExportedFiles(source_files.files(), notes=source_files.notes)


class OctaveSourceFiles(package_text.SourceFiles):
    """The texts of the files for one package. Some file systems do not tell names apart by case."""

    language: OctaveLanguage

    def __init__(self, mechanism: Mechanism, package: Package) -> None:
        variables = {x.name for routine in package.routines for x in (*routine.inputs, *routine.outputs)} | {"k", "p"}
        modules = IdentifierTable(KEYWORDS | variables, max_length=MAX_NAME_LENGTH - len("_test"))
        name = modules.legal(transliterate(package.name) or "mechanism")
        names = IdentifierTable(RESERVED_FUNCTIONS, ignore_case=True, max_length=MAX_NAME_LENGTH - len("_part00"))
        super().__init__(mechanism, package, name, names, IdentifierTable(KEYWORDS, max_length=MAX_NAME_LENGTH))
        routines = (*self.package.routines, self.preparation())
        self.language = OctaveLanguage(name, bool(self.constants), self.fields, {r.name: self._help_lines(r) for r in routines})

    def files(self) -> dict[str, str]:
        package_files = {"Contents.m": self._contents()}
        if self.constants:
            package_files["parameters.m"] = self._parameters()
            package_files["prepare.m"] = self._function(self.preparation())
            package_files["default_constants.m"] = self._default_constants()
        package_files |= {f"{routine.name}.m": self._function(routine) for routine in self.package.routines}
        return {**{f"+{self.name}/{name}": text for name, text in package_files.items()}, f"{self.name}_test.m": self._test()}

    def _function(self, routine: Routine) -> str:
        """A file; its first function is the one that can be called from outside."""
        lines = self.code(routine)
        first = next(k for k, line in enumerate(lines) if line.startswith("function") and f" {routine.name}(" in line)
        lines = [*lines[first:], *(["", *lines[:first]] if first else [])]
        if any("choose(" in line for line in lines):
            lines += ["", *CHOOSE_FUNCTION.splitlines()]
        return _text(lines)

    # -- sentences -----------------------------------------------------------------------------------------------------

    def _contents(self) -> str:
        sentences = self.introduction(
            f"Put the folder that has +{self.name} on the path, and call {self.name}.{self.package.routines[0].name}(...).",
            "Vectors are columns. Six-vectors are angular first.",
        )
        lines = [line for text in sentences for line in comment_lines(text, "% ", hanging=2)]
        lines += ["%", "% Functions:"]
        for routine in self.package.routines:
            lines += comment_lines(f"{routine.name} - {routine.about}", "%   ", hanging=2)
        if self.constants:
            lines += ["%   parameters - The numbers that may be changed.", "%   prepare - The constants for some parameters."]
        return _text(lines)

    def _help_lines(self, routine: Routine) -> list[str]:
        title, name = routine.name.upper(), self.name
        if routine.name == "prepare":
            return [
                f"%{title} The constants that the functions read, for some parameters.",
                f"%   p = {name}.parameters(); change fields of p; constants = {name}.prepare(p).",
            ]
        outputs = ", ".join(x.name for x in routine.outputs)
        outputs = f"[{outputs}]" if len(routine.outputs) > 1 else outputs
        input_names = ", ".join(x.name for x in routine.inputs)
        lines = [f"%{title} {routine.about}", f"%   {outputs} = {name}.{routine.name}({input_names})"]
        if self.constants:
            lines.append(f"%   {outputs} = {name}.{routine.name}({input_names}, constants), with what {name}.prepare gives")
        for x in (*routine.inputs, *routine.outputs):
            lines += comment_lines(f"{x.name} ({_shape(x)}): {x.about}", "%   ", hanging=2)
        return [*lines, f"%   Cost: {self.cost(routine)}."]

    # -- numbers -------------------------------------------------------------------------------------------------------

    def _parameters(self) -> str:
        lines = ["function p = parameters()", "    %PARAMETERS The numbers that may be changed, with their default values."]
        for field, p in self.parameters():
            lines.append(f"    p.{field} = {self.language.number(p.value)}; % {package_text.ascii_line(p.name)}")
        return _text([*lines, "end"])

    def _default_constants(self) -> str:
        values = wrap_values(
            [self.language.number(x) for x in reference_values.evaluate_constants(self.package)], "    ", comma="; "
        )
        help_line = "    %DEFAULT_CONSTANTS What prepare gives for the default parameters."
        return _text(["function k = default_constants()", help_line, *self.language.column("k", values), "end"])

    # -- the test ------------------------------------------------------------------------------------------------------

    def _test(self) -> str:
        name = self.name
        lines = [
            f"function {name}_test()",
            f"    %{name.upper()}_TEST Compares the functions with reference values; it ends with an error where one is off.",
            "    right = true;",
        ]
        if self.constants:
            lines += [f"    k = {name}.default_constants();"]
            lines += [f"    right = compare('prepare', {name}.prepare({name}.parameters()), [], k) && right;"]
        for case in reference_cases(self.mechanism, self.package):
            routine = case.routine
            for array, values in case.new_arrays.items():
                lines += self._array_lines(array, values)
            arguments = ", ".join(case.array_name(x.name) for x in routine.inputs)
            outputs = ", ".join(x.name for x in routine.outputs)
            lines.append(f"    [{outputs}] = {name}.{routine.name}({arguments});")
            for expected in case.expected:
                lines += self._array_lines("expected", expected.values)
                places = "[]"
                if not expected.is_complete:
                    places = "places"
                    lines += self._array_lines(places, [k + 1 for k in expected.places])
                label = f"'{routine.name} {expected.output.name}'"
                lines.append(f"    right = compare({label}, {expected.output.name}, {places}, expected) && right;")
        lines += ["    if ~right", f"        error('{name}_test: some values are off');", "    end", "end", ""]
        return _text([*lines, *COMPARE.replace("TOLERANCE", repr(TOLERANCE[64])).splitlines()])

    def _array_lines(self, name: str, values: list[float] | list[int]) -> list[str]:
        texts = [str(x) if isinstance(x, int) else self.language.number(x) for x in values]
        return self.language.column(name, wrap_values(texts, "    ", comma="; "))


def _text(lines: list[str]) -> str:
    return "\n".join([*lines, ""])


def _shape(argument: RoutineArgument) -> str:
    return f"{argument.size} x 1" if len(argument.shape) == 1 else package_text.shape_text(argument)


class OctaveLanguage(DynamicLanguage):
    """MATLAB's language. `package` is the folder of the functions, `fields` are the parameters, `about` the help texts."""

    keywords = KEYWORDS
    close = "end"
    statement_end = ";"
    declares_arrays = False

    def __init__(self, package: str, has_constants: bool, fields: Sequence[str], about: Mapping[str, list[str]]) -> None:
        self.package, self.has_constants, self.fields, self.about = package, has_constants, fields, about

    def number(self, x: float) -> str:
        if math.isnan(x):
            return "NaN"
        if math.isinf(x):
            return "Inf" if x > 0 else "(-Inf)"
        return repr(float(x))

    def element(self, array: str, index: str | int) -> str:
        return f"{array}({one_based_index(index)})"

    def place(self, argument: RoutineArgument, index: str | int) -> str:
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

    def entry(self, argument: RoutineArgument, row: str, column: str) -> str:
        return f"{argument.name}({one_based_index(row)}, {one_based_index(column)})"

    def choice(self, condition: str, x: str, y: str) -> ExpressionText:
        return ExpressionText(f"choose({condition}, {x}, {y})")

    def array(self, name: str, size: int) -> str:
        return f"{name} = zeros({size}, 1);"

    def loop(self, name: str, count: int, backward: bool = False) -> str:
        return f"for {name} = {f'{count - 1}:-1:0' if backward else f'0:{count - 1}'}"

    def while_loop(self, condition: str) -> str:
        return f"while {condition}"

    def branch(self, condition: str, first: bool) -> str:
        return f"{'if' if first else 'elseif'} {condition}"

    def table(self, name: str, values: Sequence[float] | Sequence[int], integers: bool) -> list[str]:
        texts = [str(x) if integers else self.number(float(x)) for x in values]
        lines = wrap_values(texts, self.indent, comma="; ")
        return [f"persistent {name}", f"if isempty({name})", *self.column(name, lines), "end"]

    def column(self, name: str, lines: Sequence[str]) -> list[str]:
        """A column of numbers that are part of the code."""
        return [f"{self.indent}{name} = [", *(f"{self.indent}{line}" for line in lines), f"{self.indent}];"]

    # -- routines ------------------------------------------------------------------------------------------------------

    def opening(self, routine: Routine) -> list[str]:
        inputs, outputs = ([x.name for x in arguments_of_kind] for arguments_of_kind in (routine.inputs, routine.outputs))
        if routine.hidden:
            parameters = [*inputs, *self._constants("k"), *outputs]
            return [f"function {_output_list(outputs)} = {routine.name}({', '.join(parameters)})"]
        if inputs == [NUMBERS]:
            return [f"function {outputs[0]} = {routine.name}(p)", *self._indent_lines(*self.about[routine.name])]
        parameters = [*inputs, *self._constants("constants")]
        lines = [
            f"function {_output_list(outputs)} = {routine.name}({', '.join(parameters)})",
            *self._indent_lines(*self.about[routine.name]),
        ]
        if self.has_constants:
            default = f"{self.indent}k = {self.package}.default_constants();"
            lines += self._indent_lines(f"if nargin < {len(parameters)}", default, "else", f"{self.indent}k = constants;", "end")
        if isinstance(routine.body, LinkLoops) or (isinstance(routine.body, CallSequence) and not routine.body.steps):
            lines += self._indent_lines(*(f"{x.name} = zeros({_size(x)});" for x in routine.outputs))
        return lines

    def _indent_lines(self, *lines: str) -> list[str]:
        return [f"{self.indent}{line}" if line else "" for line in lines]

    def _constants(self, text: str) -> list[str]:
        return [text] if self.has_constants else []

    def fill_array(self, name: str, places: Sequence[str], texts: Sequence[str], width: int = 1) -> list[str]:
        """A matrix, `width` entries in a row; a column where that is 1."""
        if width == 1:
            column_lines = wrap_values(texts, comma="; ")
            return (
                [f"{name} = [{column_lines[0]}];"]
                if len(column_lines) == 1
                else [f"{name} = [", *self._indent_lines(*column_lines), "];"]
            )
        lines = [f"{name} = ["]
        for k in range(0, len(texts), width):
            row = wrap_values(texts[k : k + width])
            lines += self._indent_lines(*(f"{line} ..." for line in row[:-1]), f"{row[-1]};")
        return [*lines, "];"]

    def results(self, routine: Routine, texts: Sequence[str]) -> list[str]:
        lines, at = [], 0
        for x in routine.outputs:
            lines += self.fill_array(x.name, (), texts[at : at + x.size], max(1, x.shape[1]) if len(x.shape) > 1 else 1)
            at += x.size
        return lines

    def closing(self, routine: Routine) -> list[str]:
        return ["end"]

    def call(self, routine: Routine, inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
        if routine.hidden:
            return [f"{_output_list(outputs)} = {routine.name}({', '.join([*inputs, *self._constants('k'), *outputs])});"]
        return [f"{_output_list(outputs)} = {self.package}.{routine.name}({', '.join([*inputs, *self._constants('k')])});"]


def _output_list(outputs: Sequence[str]) -> str:
    return outputs[0] if len(outputs) == 1 else f"[{', '.join(outputs)}]"


def _size(argument: RoutineArgument) -> str:
    return ", ".join(map(str, argument.shape if len(argument.shape) > 1 else (argument.size, 1)))


TARGET = OctaveTarget()

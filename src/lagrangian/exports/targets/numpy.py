"""Python with NumPy: one module, whose functions take one state or arrays of states.

In a function, an argument is the list of its entries, and each entry is a number or an array with one number for each state.
"""

from __future__ import annotations

import builtins
import json
import keyword
import math
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lagrangian.exports import reference_values
from lagrangian.exports.reference_values import TOLERANCE, ExpectedEntries, reference_cases
from lagrangian.exports.source import package_text
from lagrangian.exports.source.identifiers import IdentifierTable, transliterate
from lagrangian.exports.source.language import MATH_FUNCTIONS, DynamicLanguage, ExpressionText, wrap_values
from lagrangian.exports.targets.target import ExportedFiles, ExportRequest, ExportTarget
from lagrangian.functions.routine import CallSequence, LinkLoops, Package, Routine, RoutineArgument
from lagrangian.kernels.trace.node import NUMBERS
from lagrangian.model.mechanism import Mechanism

KEYWORDS = frozenset((*keyword.kwlist, *dir(builtins), "np", "self"))
RESERVED_FUNCTIONS = (*KEYWORDS, "parameters", "prepare", "DEFAULT_CONSTANTS")
_INVERSE = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}
HELPERS = '''\
def _entries(x):
    """The entries of the last axis of an array, each an array over the states."""
    return list(np.ascontiguousarray(np.moveaxis(x, -1, 0)))


def _as_entries(*arguments):
    """The leading shape that arguments have together, and the entries of each; a number, which has no size, as it is."""
    shapes, entries = [], []
    for name, x, size in arguments:
        x = np.asarray(x, dtype=float)
        if size is not None and x.shape[-1:] != (size,):
            raise ValueError(f"{name} has the shape {x.shape}; its last axis must have {size} entries")
        shapes.append(x.shape if size is None else x.shape[:-1])
        entries.append(x if size is None else _entries(x))
    return np.broadcast_shapes(*shapes), *entries


def _array(entries, shape, own):
    """Entries that are arrays over the states, or numbers, as one array whose last axes have the shape `own`."""
    result = np.empty((*shape, len(entries)))
    for i, x in enumerate(entries):
        result[..., i] = x
    return result.reshape((*shape, *own))[()]
'''
MERGE_PARAMETERS = '''\
def _all_parameters(values):
    """All parameters: those that are given, and the defaults of the others."""
    unknown = [name for name in values if name not in parameters]
    if unknown:
        raise KeyError(f"there is no parameter {unknown[0]!r}; those that exist are {', '.join(parameters)}")
    return {**parameters, **values}
'''
COMPARE = """\
    right = True

    def compare(name, result, places, expected):
        nonlocal right
        result = np.reshape(result, expected.shape if places is None else (len(expected), -1))
        miss = np.abs((result if places is None else result[:, places]) - expected).max(initial=0.0)
        size = np.abs(expected).max(initial=1.0)
        agrees = bool(miss <= TOLERANCE * size)
        right = right and agrees
        print(f"{name:40} {'ok' if agrees else 'WRONG'}, off by {miss:.1e} of {size:.3g}")
"""

# all functions at several states at once, and at the first of them alone
COMPARE_ALL = """\
    for function, inputs, outputs in cases:
        arguments = [states[name] for name in inputs]
        results, first = function(*arguments), function(*(x[0] for x in arguments))
        if len(outputs) == 1:
            results, first = [results], [first]
        for k, (name, places, expected) in enumerate(outputs):
            expected = np.array(expected)
            compare(f"{function.__name__} {name}", results[k], places, expected)
            compare(f"{function.__name__} {name}, one state", first[k], places, expected[:1])
    return right
"""


class NumPyTarget(ExportTarget):
    name = "numpy"
    about = "a Python module that needs only NumPy"
    file_suffix = ".py"

    def make(self, mechanism: Mechanism, request: ExportRequest) -> ExportedFiles:
        source_files = NumPySourceFiles(mechanism, self.package(mechanism, request))
        return ExportedFiles({f"{source_files.name}.py": source_files.module()}, notes=source_files.notes)


class NumPySourceFiles(package_text.SourceFiles):
    """The text of the module for one package. Parameters keep their names, since these are keys of a dictionary."""

    def __init__(self, mechanism: Mechanism, package: Package) -> None:
        name = IdentifierTable((*KEYWORDS, *sys.stdlib_module_names, "numpy")).legal(transliterate(package.name) or "mechanism")
        super().__init__(mechanism, package, name, IdentifierTable(RESERVED_FUNCTIONS), None)
        routines = (*self.package.routines, self.preparation())
        self.language = NumPyLanguage(bool(self.constants), self.fields, {r.name: self._docstring_lines(r) for r in routines})

    def module(self) -> str:
        sentences = self.introduction(
            "Functions take one state, as arrays (n,), or many, as arrays (..., n) whose leading shapes broadcast.",
            "Six-vectors are angular first.",
        )
        lines = _docstring([line for text in sentences for line in package_text.comment_lines(text, "")], blank_line=True)
        lines += ["", "import numpy as np", ""]
        if self.constants:
            lines += ["# the numbers that may be changed: prepare() takes them", "parameters = {"]
            lines += [f"    {python_literal(p.name)}: {self.language.number(p.value)}," for p in self.package.parameters]
            lines += ["}", "", "", *MERGE_PARAMETERS.splitlines(), "", "", *self.code(self.preparation())]
            lines += ["", "", "DEFAULT_CONSTANTS = prepare()", ""]
        lines += ["", *HELPERS.splitlines()]
        for routine in self.package.routines:
            lines += ["", "", *self.code(routine)]
        return "\n".join([*lines, "", "", *self._check_function(), ""])

    def _docstring_lines(self, routine: Routine) -> list[str]:
        if routine.name == "prepare":
            return _docstring(
                ["The constants that functions read, for parameters by name; those that are not given have their defaults."]
            )
        lines = [*package_text.comment_lines(routine.about, ""), "", "Parameters", "----------"]
        for x in routine.inputs:
            lines += [f"{x.name} : {_shape(x)}", *package_text.comment_lines(_sentence(x.about), "    ")]
        if self.constants:
            lines += ["constants : array", "    What prepare() gives."]
        lines += ["", "Returns", "-------"]
        for x in routine.outputs:
            lines += [f"{x.name} : {_shape(x)}", *package_text.comment_lines(_sentence(x.about), "    ")]
        return _docstring([*lines, "", "Notes", "-----", f"Cost: {self.cost(routine)}."])

    # -- the check -----------------------------------------------------------------------------------------------------

    def _check_function(self) -> list[str]:
        """What `python name.py` runs."""
        states: dict[str, list[list[float]]] = {}
        expected: dict[str, list[list[ExpectedEntries]]] = {}  # by routine: a row for every state
        for case in reference_cases(self.mechanism, self.package):
            for name, x in case.inputs.items():
                if len(states.setdefault(name, [])) == case.state:
                    states[name].append(x)
            expected.setdefault(case.routine.name, []).append(case.expected)
        single = {x.name for routine in self.package.routines for x in routine.inputs if x.shape == ()}
        lines = ["def _check():", '    """Compare with reference values: whether all agree."""', "    states = {"]
        for name, rows in states.items():
            values = [[row[0] for row in rows]] if name in single else rows
            lines += [f'        "{name}": np.array(', *self._rows(values, "            ", name in single), "        ),"]
        lines += [
            "    }",
            "    # functions, what they are given, and of each output its name, the places compared, and the values",
        ]
        lines.append("    cases = [")
        for routine in self.package.routines:
            input_names = ", ".join([f'"{x.name}"' for x in routine.inputs])
            lines.append(f"        ({routine.name}, [{input_names}], [")
            for k, output in enumerate(routine.outputs):
                entries_by_state = [row[k] for row in expected[routine.name]]
                places = None if entries_by_state[0].is_complete else entries_by_state[0].places
                texts = self._rows([entries.values for entries in entries_by_state], "                ")
                lines += [f'            ("{output.name}", {places},', *texts, "            ),"]
            lines.append("        ]),")
        lines += ["    ]", *COMPARE.replace("TOLERANCE", repr(TOLERANCE[64])).splitlines(), ""]
        if self.constants:
            constants = self._rows([reference_values.evaluate_constants(self.package)], "        ")
            lines += ["    constants = np.array(", *constants, "    )"]
            lines.append('    compare("prepare", prepare(parameters), None, constants)')
        lines += [*COMPARE_ALL.splitlines(), "", "", 'if __name__ == "__main__":', "    raise SystemExit(not _check())"]
        return lines

    def _rows(self, rows: list[list[float]], indent: str, flat: bool = False) -> list[str]:
        lines = []
        for row in rows:
            texts = wrap_values([self.language.number(x) for x in row], f"{indent}    ")
            lines += [f"{indent}[{texts[0].strip()}]"] if len(texts) == 1 else [f"{indent}[", *texts, f"{indent}]"]
            lines[-1] += ","
        return lines if flat else [f"{indent}[", *(f"    {line}" for line in lines), f"{indent}]"]


def _shape(argument: RoutineArgument) -> str:
    if argument.shape == ():
        return "number, or array (...)"
    return f"array (..., {', '.join(map(str, argument.shape))})"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _docstring(lines: list[str], blank_line: bool = False) -> list[str]:
    """A docstring of some lines; the first is followed by an empty one."""
    safe = [line.replace("\\", "\\\\").replace('"""', "'''") for line in lines]
    if len(safe) == 1:
        return [f'"""{safe[0]}"""']
    return [f'"""{safe[0]}', *([""] if blank_line else []), *safe[1:], '"""']


class NumPyLanguage(DynamicLanguage):
    """Python with NumPy. `parameters` are the names of the numbers that it prepares from; `about` the docstrings by routine."""

    keywords = KEYWORDS
    close = None
    declares_arrays = False
    max_expression_length = 50
    functions: Mapping[str, str] = MappingProxyType({name: f"np.{_INVERSE.get(name, name)}" for name in MATH_FUNCTIONS})

    def __init__(self, has_constants: bool, parameters: Sequence[str], about: Mapping[str, list[str]]) -> None:
        self.has_constants, self.parameters, self.about = has_constants, parameters, about
        self._scalar_inputs: set[str] = set()

    def number(self, x: float) -> str:
        if math.isnan(x):
            return "np.nan"
        if math.isinf(x):
            return "np.inf" if x > 0 else "(-np.inf)"
        return repr(float(x))

    def element(self, array: str, index: str | int) -> str:
        return f"{array}[{index}]"

    def place(self, argument: RoutineArgument, index: str | int) -> str:
        if argument.name == NUMBERS:
            return f"p[{python_literal(self.parameters[int(index)])}]"
        return argument.name if argument.shape == () and not argument.output else self.element(argument.name, index)

    def choice(self, condition: str, x: str, y: str) -> ExpressionText:
        return ExpressionText(f"np.where({condition}, {x}, {y})")

    def array(self, name: str, size: int) -> str:
        return f"{name} = [0.0] * {size}"

    def loop(self, name: str, count: int, backward: bool = False) -> str:
        return f"for {name} in {f'reversed(range({count}))' if backward else f'range({count})'}:"

    def while_loop(self, condition: str) -> str:
        return f"while {condition}:"

    def branch(self, condition: str, first: bool) -> str:
        return f"{'if' if first else 'elif'} {condition}:"

    def table(self, name: str, values: Sequence[float] | Sequence[int], integers: bool) -> list[str]:
        texts = [str(x) if integers else self.number(float(x)) for x in values]
        return [f"{name} = (", *(f"{line.rstrip(',')}," for line in wrap_values(texts, self.indent)), ")"]

    # -- routines ------------------------------------------------------------------------------------------------------

    def opening(self, routine: Routine) -> list[str]:
        self._scalar_inputs = {x.name for x in routine.inputs if x.shape == ()}
        inputs, outputs = ([x.name for x in arguments_of_kind] for arguments_of_kind in (routine.inputs, routine.outputs))
        if routine.hidden:
            return [f"def _{routine.name}({', '.join([*inputs, *self._constants('k'), *outputs])}):"]
        if inputs == [NUMBERS]:
            return [f"def {routine.name}(values=parameters):", *self._indent_lines(routine, "p = _all_parameters(values)")]
        input_texts = ", ".join(f'("{x.name}", {x.name}, {None if x.shape == () else x.size})' for x in routine.inputs)
        lines = [f"{', '.join(['shape', *inputs])} = _as_entries({input_texts})", *self._constants("k = constants")]
        if isinstance(routine.body, LinkLoops) or (isinstance(routine.body, CallSequence) and not routine.body.steps):
            lines += [self.array(x.name, x.size) for x in routine.outputs]
        arguments = ", ".join([*inputs, *self._constants("constants=DEFAULT_CONSTANTS")])
        return [f"def {routine.name}({arguments}):", *self._indent_lines(routine, *lines)]

    def _indent_lines(self, routine: Routine, *lines: str) -> list[str]:
        return [f"{self.indent}{line}" if line else "" for line in (*self.about[routine.name], *lines)]

    def _constants(self, text: str) -> list[str]:
        return [text] if self.has_constants else []

    def fill_array(self, name: str, places: Sequence[str], texts: Sequence[str], width: int = 1000) -> list[str]:
        """A list, `width` entries in a row."""
        rows = [texts[k : k + width] for k in range(0, len(texts), width)]
        row_lines = [line.rstrip(",") for row in rows for line in wrap_values(row, width=90)]
        if len(row_lines) == 1:
            return [f"{name} = [{row_lines[0]}]"]
        return [f"{name} = [", *(f"{self.indent}{line}," for line in row_lines), "]"]

    def results(self, routine: Routine, texts: Sequence[str]) -> list[str]:
        lines, at = [], 0
        for x in routine.outputs:
            lines += self.fill_array(x.name, (), texts[at : at + x.size], max(1, x.shape[-1]) if len(x.shape) > 1 else 1000)
            at += x.size
        return lines

    def closing(self, routine: Routine) -> list[str]:
        if routine.hidden:
            return []
        if [x.name for x in routine.inputs] == [NUMBERS]:
            return [f"{self.indent}return np.array({routine.outputs[0].name})"]
        results_text = ", ".join(f"_array({x.name}, shape, {x.shape})" for x in routine.outputs)
        return [f"{self.indent}return {results_text}"]

    def call(self, routine: Routine, inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
        if routine.hidden:
            return [f"_{routine.name}({', '.join([*inputs, *self._constants('k'), *outputs])})"]
        pairs = zip(routine.inputs, inputs, strict=True)
        arguments = [self._call_argument(x, name) for x, name in pairs] + self._constants("constants")
        call_text = f"{routine.name}({', '.join(arguments)})"
        if len(outputs) == 1:
            return [f"{outputs[0]} = _entries({call_text})"]
        return [f"{', '.join(outputs)} = map(_entries, {call_text})"]

    def _call_argument(self, argument: RoutineArgument, name: str) -> str:
        if argument.shape == ():
            return name if name in self._scalar_inputs else f"{name}[0]"
        return f"_array({name}, shape, {argument.shape})"


def python_literal(text: str) -> str:
    """A text as a literal of Python."""
    return json.dumps(text, ensure_ascii=False)


TARGET = NumPyTarget()

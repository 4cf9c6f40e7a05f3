"""Rust: a crate without dependencies and without the standard library, and tests with reference values.

The code allocates no memory, and has the mathematical functions of C in one module, `math`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from lagrangian.exports import reference_values
from lagrangian.exports.reference_values import TOLERANCE, ReferenceCase, reference_cases
from lagrangian.exports.source import package_text
from lagrangian.exports.source.identifiers import IdentifierTable, transliterate
from lagrangian.exports.source.language import MATH_FUNCTIONS, ExpressionText, Language, single_precision_literal, wrap_values
from lagrangian.exports.source.package_text import comment_lines, shape_text
from lagrangian.exports.targets.target import ExportedFiles, ExportRequest, ExportTarget, TargetOption
from lagrangian.functions.routine import Package, Routine, RoutineArgument
from lagrangian.kernels.trace.node import NUMBERS
from lagrangian.model.mechanism import Mechanism

_KEYWORD_TEXT = (
    "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref"
    " return self Self static struct super trait true type unsafe use where while"
    " abstract become box do final gen macro override priv try typeof union unsized virtual yield"
    " f32 f64 i32 usize bool str core std alloc math"
)
KEYWORDS = frozenset(_KEYWORD_TEXT.split())
RESERVED_FUNCTIONS = (*KEYWORDS, "prepare", "Parameters", "Constants", "DEFAULT_PARAMETERS", "DEFAULT_CONSTANTS")

# of an array that a test puts on the stack
MAX_STACK_ENTRIES = 10_000
LINT_ATTRIBUTES = "#![allow(non_snake_case, non_upper_case_globals, unused_mut, unused_parens, unused_variables, clippy::all)]"
COMPARE = """\
/// Panics where entries of an array are not those that are expected; without places, all are compared.
fn compare(name: &str, result: &[REAL], places: &[usize], expected: &[REAL]) {
    let mut worst: REAL = 0.0;
    let mut size: REAL = 1.0;
    for (i, &right) in expected.iter().enumerate() {
        let miss = (result[if places.is_empty() { i } else { places[i] }] - right).abs();
        size = size.max(right.abs());
        worst = if miss <= worst || worst.is_nan() { worst } else { miss }; // NaN stays the worst
    }
    println!("{:40} off by {:.1e} of {:.3e}", name, worst, size);
    assert!(worst <= TOLERANCE * size, "{} is off by {:e} of {:e}", name, worst, size);
}
"""


class RustTarget(ExportTarget):
    name = "rust"
    about = "a Rust crate without dependencies and without the standard library"
    options: ClassVar[Mapping[str, TargetOption]] = {"real": TargetOption("the type of numbers", "f64", ("f64", "f32"))}

    def make(self, mechanism: Mechanism, request: ExportRequest) -> ExportedFiles:
        source_files = RustSourceFiles(mechanism, self.package(mechanism, request), self.option(request, "real"))
        files = {
            "Cargo.toml": source_files.manifest(),
            "src/lib.rs": source_files.library(),
            "src/math.rs": source_files.math(),
            "tests/reference.rs": source_files.test(),
        }
        return ExportedFiles(files, notes=source_files.notes)


class RustSourceFiles(package_text.SourceFiles):
    """The texts of the files for one package."""

    language: RustLanguage

    def __init__(self, mechanism: Mechanism, package: Package, real: str) -> None:
        self.real = real
        name = IdentifierTable((*KEYWORDS, "test", "proc_macro")).legal(transliterate(package.name) or "mechanism")
        super().__init__(mechanism, package, name, IdentifierTable(RESERVED_FUNCTIONS), IdentifierTable(KEYWORDS))
        self.language = RustLanguage(real, self.constants, self.fields)

    def manifest(self) -> str:
        return _text(
            [
                "[package]",
                f'name = "{self.name}"',
                'version = "0.1.0"',
                'edition = "2021"',
                'rust-version = "1.56"',
                f'description = "Dynamics of the mechanism {self.name}"',
                "",
                "[dependencies]",
            ]
        )

    def library(self) -> str:
        sentences = self.introduction(
            "Matrices are row by row. Six-vectors are angular first.",
            "No function allocates memory or keeps a state, and every loop has a fixed length.",
        )
        lines = [line for text in sentences for line in (*comment_lines(text, "//! "), "//!")][:-1]
        lines += ["#![no_std]", "#![deny(warnings)]", LINT_ATTRIBUTES, "", "mod math;", "", *self._sizes()]
        if self.constants:
            lines += [*self._parameter_lines(), "/// The constants that the functions read, for some parameters."]
            lines += [*self.code(self.preparation()), ""]
        for routine in self.package.routines:
            code = self.code(routine)
            first = next(k for k, line in enumerate(code) if line.startswith("pub fn"))
            lines += [*code[:first], *self._doc_lines(routine), *code[first:], ""]
        return _text(lines[:-1])

    def _sizes(self) -> list[str]:
        return [
            f"pub const COORDINATES: usize = {len(self.package.coordinates)};",
            f"pub const SPEEDS: usize = {len(self.package.speeds)};",
            "",
        ]

    def _parameter_lines(self) -> list[str]:
        number, real = self.language.number, self.real
        lines = ["/// The numbers that may be changed.", "#[derive(Clone, Copy, Debug, PartialEq)]", "pub struct Parameters {"]
        for field, p in self.parameters():
            lines += [*comment_lines(f"{p.name}, by default {p.value:.6g}", "    /// "), f"    pub {field}: {real},"]
        lines += ["}", "", "pub const DEFAULT_PARAMETERS: Parameters = Parameters {"]
        lines += [f"    {field}: {number(p.value)}," for field, p in self.parameters()]
        lines += [
            "};",
            "",
            "impl Default for Parameters {",
            "    fn default() -> Self {",
            "        DEFAULT_PARAMETERS",
            "    }",
            "}",
            "",
            "/// What the functions need of the parameters: `prepare` it once, after each change of them.",
            "#[derive(Clone, Copy, Debug, PartialEq)]",
            "pub struct Constants {",
            f"    pub k: [{real}; {self.constants}],",
            "}",
            "",
            "pub static DEFAULT_CONSTANTS: Constants = Constants {",
            "    k: [",
            *wrap_values([number(x) for x in reference_values.evaluate_constants(self.package)], "        "),
            "    ],",
            "};",
            "",
        ]
        return lines

    def _doc_lines(self, routine: Routine) -> list[str]:
        lines = [*comment_lines(routine.about, "/// "), "///"]
        for x in (*routine.inputs, *routine.outputs):
            lines += comment_lines(f"- `{x.name}` ({shape_text(x)}): {x.about}", "/// ", hanging=2)
        return [*lines, "///", f"/// Cost: {self.cost(routine)}."]

    def math(self) -> str:
        """The functions of the mathematical library of C, of which those that take one number or two are all there are."""
        real, end = self.real, "f" if self.real == "f32" else ""

        def arguments(name: str) -> str:
            return f"y: {real}, x: {real}" if name == "atan2" else f"x: {real}"

        lines = [
            "//! Functions of the mathematical library of C, which are defined for all numbers, and so are safe.",
            "#![allow(dead_code)]",
            "",
            "mod c {",
            '    #[cfg_attr(unix, link(name = "m"))]',
            '    extern "C" {',
            *(f"        pub fn {name}{end}({arguments(name)}) -> {real};" for name in MATH_FUNCTIONS),
            "    }",
            "}",
        ]
        for name in MATH_FUNCTIONS:
            arguments_text = "y, x" if name == "atan2" else "x"
            lines += ["", "#[inline]", f"pub fn {name}({arguments(name)}) -> {real} {{"]
            lines += [f"    unsafe {{ c::{name}{end}({arguments_text}) }}", "}"]
        return _text(lines)

    # -- tests ---------------------------------------------------------------------------------------------------------

    def test(self) -> str:
        bits = 32 if self.real == "f32" else 64
        lines = [
            "//! Compares the functions with reference values.",
            LINT_ATTRIBUTES,
            "",
            *COMPARE.replace("REAL", self.real).replace("TOLERANCE", repr(TOLERANCE[bits])).splitlines(),
            "",
        ]
        if self.constants:
            name = self.name
            lines += [
                "#[test]",
                "fn prepare() {",
                f"    let constants = {name}::prepare(&{name}::DEFAULT_PARAMETERS);",
                f'    compare("prepare", &constants.k, &[], &{name}::DEFAULT_CONSTANTS.k);',
                "}",
                "",
            ]
        for case in reference_cases(self.mechanism, self.package):
            for array, values in case.new_arrays.items():
                lines += [*self._array_lines("static", array, values), ""]
            lines += [*self._case_function(case), ""]
        return _text(lines[:-1])

    def _case_function(self, case: ReferenceCase) -> list[str]:
        routine, real = case.routine, self.real
        lines = ["#[test]", f"fn {routine.name}_{case.state}() {{"]
        arguments_passed = [
            f"{case.array_name(x.name)}[0]" if x.shape == () else f"&{case.array_name(x.name)}" for x in routine.inputs
        ]
        arguments_passed += [f"&{self.name}::DEFAULT_CONSTANTS"] if self.constants else []
        comparisons = []
        for expected in case.expected:
            x, places = expected.output, "&[]"
            if x.shape == ():
                lines.append(f"    let mut {x.name}: {real} = 0.0;")
            elif x.size > MAX_STACK_ENTRIES:
                boxed_array = f"vec![0.0; {x.size}].into_boxed_slice().try_into().unwrap()"
                lines.append(f"    let mut {x.name}: Box<[{real}; {x.size}]> = {boxed_array};")
            else:
                lines.append(f"    let mut {x.name} = [0.0; {x.size}];")
            comparisons += self._array_lines("let", f"{x.name}_expected", expected.values, "    ")
            if not expected.is_complete:
                places = f"&{x.name}_places"
                comparisons += self._array_lines("let", places[1:], expected.places, "    ")
            slice_text = f"&[{x.name}]" if x.shape == () else f"&{x.name}[..]"
            comparisons.append(f'    compare("{routine.name} {x.name}", {slice_text}, {places}, &{x.name}_expected);')
            arguments_passed.append(f"&mut {x.name}")
        return [*lines, f"    {self.name}::{routine.name}({', '.join(arguments_passed)});", *comparisons, "}"]

    def _array_lines(self, kind: str, name: str, values: list[float] | list[int], indent: str = "") -> list[str]:
        are_integers = bool(values) and isinstance(values[0], int)
        texts = [str(x) if are_integers else self.language.number(x) for x in values]
        opening = f"{indent}{kind} {name}: [{'usize' if are_integers else self.real}; {len(texts)}] = ["
        return [opening, *wrap_values(texts, f"{indent}    "), f"{indent}];"]


def _text(lines: list[str]) -> str:
    return "\n".join([*lines, ""])


class RustLanguage(Language):
    """Rust. `real` is "f64" or "f32"; `fields` are the parameters."""

    keywords = KEYWORDS
    max_operations = 2_000  # every `let` begins a scope within the one before, and too many of them overflow the compiler's stack
    functions: Mapping[str, str] = MappingProxyType({name: f"math::{name}" for name in MATH_FUNCTIONS})

    def __init__(self, real: str, constants: int, fields: Sequence[str]) -> None:
        self.real, self.constants, self.fields = real, constants, fields
        self._parameter_names: set[str] = set()  # what is given to the function that is being written

    def number(self, x: float) -> str:
        if math.isnan(x):
            return f"{self.real}::NAN"
        if math.isinf(x):
            return f"{self.real}::INFINITY" if x > 0 else f"{self.real}::NEG_INFINITY"
        return single_precision_literal(x) if self.real == "f32" else repr(float(x))

    def element(self, array: str, index: str | int) -> str:
        if isinstance(index, int):
            return f"{array}[{index}]"
        return f"{array}[{index if index.isidentifier() else f'({index})'} as usize]"

    def place(self, argument: RoutineArgument, index: str | int) -> str:
        if argument.name == NUMBERS:
            return f"parameters.{self.fields[int(index)]}"
        if argument.name == "constants":
            return f"constants.k[{index}]"
        if argument.shape == ():
            return f"*{argument.name}" if argument.output else argument.name
        return self.element(argument.name, index)

    def choice(self, condition: str, x: str, y: str) -> ExpressionText:
        return ExpressionText(f"if {condition} {{ {x} }} else {{ {y} }}", 0)

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

    def while_loop(self, condition: str) -> str:
        return f"while {condition} {{"

    def branch(self, condition: str, first: bool) -> str:
        return f"if {condition} {{" if first else f"}} else if {condition} {{"

    def table(self, name: str, values: Sequence[float] | Sequence[int], integers: bool) -> list[str]:
        kind = "i32" if integers else self.real
        texts = [str(x) if integers else self.number(float(x)) for x in values]
        return [f"static {name}: [{kind}; {len(texts)}] = [", *wrap_values(texts, self.indent), "];"]

    # -- routines ------------------------------------------------------------------------------------------------------

    def opening(self, routine: Routine) -> list[str]:
        self._parameter_names = {x.name for x in (*routine.inputs, *routine.outputs)}
        if NUMBERS in self._parameter_names:
            allocation = f"{self.indent}let mut constants = Constants {{ k: [0.0; {self.constants}] }};"
            return ["pub fn prepare(parameters: &Parameters) -> Constants {", allocation]
        parameters = [f"{x.name}: {self.real if x.shape == () else f'&[{self.real}; {x.size}]'}" for x in routine.inputs]
        parameters += ["constants: &Constants"] if self.constants else []
        parameters += [f"{x.name}: &mut {self.real if x.shape == () else f'[{self.real}; {x.size}]'}" for x in routine.outputs]
        lines = ["#[inline(never)]"] if routine.hidden else []
        lines += [f"{'' if routine.hidden else 'pub '}fn {routine.name}({', '.join(parameters)}) {{"]
        return [*lines, f"{self.indent}let k = &constants.k;"] if self.constants else lines

    def closing(self, routine: Routine) -> list[str]:
        if NUMBERS in (x.name for x in routine.inputs):
            return [f"{self.indent}constants", "}"]
        return ["}"]

    def call(self, routine: Routine, inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
        arguments = [self._call_argument(x, name) for x, name in zip(routine.inputs, inputs, strict=True)]
        arguments += ["constants"] if self.constants else []
        arguments += [name if name in self._parameter_names else f"&mut {name}" for name in outputs]
        return [f"{routine.name}({', '.join(arguments)});"]

    def _call_argument(self, argument: RoutineArgument, name: str) -> str:
        if name in self._parameter_names:
            return name
        return f"{name}[0]" if argument.shape == () else f"&{name}"


TARGET = RustTarget()

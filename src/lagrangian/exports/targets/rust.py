"""Rust: a crate without dependencies and without the standard library, and tests with reference values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from lagrangian.exports import evaluate
from lagrangian.exports.languages.language import FUNCTIONS, wrapped
from lagrangian.exports.languages.names import Names, spelled
from lagrangian.exports.languages.rust import KEYWORDS, Rust
from lagrangian.exports.routine import Package, Routine
from lagrangian.exports.targets import sources
from lagrangian.exports.targets.cases import TOLERANCE, Case, cases
from lagrangian.exports.targets.sources import comment, shape_of
from lagrangian.exports.targets.target import Option, Product, Target, Wish
from lagrangian.model.mechanism import Mechanism

TAKEN = (*KEYWORDS, "prepare", "Parameters", "Constants", "DEFAULT_PARAMETERS", "DEFAULT_CONSTANTS")
# of an array that a test puts on the stack
LARGE = 10_000
STYLE = "#![allow(non_snake_case, non_upper_case_globals, unused_mut, unused_parens, unused_variables, clippy::all)]"

COMPARE = """\
/// Panics where entries of an array are not those that are expected; without places, all are compared.
fn compare(name: &str, found: &[REAL], places: &[usize], expected: &[REAL]) {
    let mut worst: REAL = 0.0;
    let mut size: REAL = 1.0;
    for (i, &right) in expected.iter().enumerate() {
        let miss = (found[if places.is_empty() { i } else { places[i] }] - right).abs();
        size = size.max(right.abs());
        worst = if miss <= worst || worst.is_nan() { worst } else { miss }; // NaN stays the worst
    }
    println!("{:40} off by {:.1e} of {:.3e}", name, worst, size);
    assert!(worst <= TOLERANCE * size, "{} is off by {:e} of {:e}", name, worst, size);
}
"""


class RustSource(Target):
    name = "rust"
    about = "a Rust crate without dependencies and without the standard library"
    options: ClassVar[Mapping[str, Option]] = {"real": Option("the type of numbers", "f64", ("f64", "f32"))}

    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        made = Sources(mechanism, self.package(mechanism, wish), self.option(wish, "real"))
        files = {
            "Cargo.toml": made.manifest(),
            "src/lib.rs": made.library(),
            "src/math.rs": made.math(),
            "tests/reference.rs": made.test(),
        }
        return Product(files, notes=made.notes)


class Sources(sources.Sources):
    """The texts of the files for one package."""

    language: Rust

    def __init__(self, mechanism: Mechanism, package: Package, real: str) -> None:
        self.real = real
        name = Names((*KEYWORDS, "test", "proc_macro")).legal(spelled(package.name) or "mechanism")
        super().__init__(mechanism, package, name, Names(TAKEN), Names(KEYWORDS))
        self.language = Rust(real, self.constants, self.fields)

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
        told = self.introduction(
            "Matrices are row by row. Six-vectors are angular first.",
            "No function allocates memory or keeps a state, and every loop has a fixed length.",
        )
        lines = [line for text in told for line in (*comment(text, "//! "), "//!")][:-1]
        lines += ["#![no_std]", "#![deny(warnings)]", STYLE, "", "mod math;", "", *self._sizes()]
        if self.constants:
            lines += [*self._numbers(), "/// The constants that the functions read, for some parameters."]
            lines += [*self.code(self.preparation()), ""]
        for routine in self.package.routines:
            code = self.code(routine)
            first = next(k for k, line in enumerate(code) if line.startswith("pub fn"))
            lines += [*code[:first], *self._about(routine), *code[first:], ""]
        return _text(lines[:-1])

    def _sizes(self) -> list[str]:
        return [
            f"pub const COORDINATES: usize = {len(self.package.coordinates)};",
            f"pub const SPEEDS: usize = {len(self.package.speeds)};",
            "",
        ]

    def _numbers(self) -> list[str]:
        number, real = self.language.number, self.real
        lines = ["/// The numbers that may be changed.", "#[derive(Clone, Copy, Debug, PartialEq)]", "pub struct Parameters {"]
        for field, p in self.parameters():
            lines += [*comment(f"{p.name}, by default {p.value:.6g}", "    /// "), f"    pub {field}: {real},"]
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
            *wrapped([number(x) for x in evaluate.constants(self.package)], "        "),
            "    ],",
            "};",
            "",
        ]
        return lines

    def _about(self, routine: Routine) -> list[str]:
        lines = [*comment(routine.about, "/// "), "///"]
        for x in (*routine.inputs, *routine.outputs):
            lines += comment(f"- `{x.name}` ({shape_of(x)}): {x.about}", "/// ", hanging=2)
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
            *(f"        pub fn {name}{end}({arguments(name)}) -> {real};" for name in FUNCTIONS),
            "    }",
            "}",
        ]
        for name in FUNCTIONS:
            given = "y, x" if name == "atan2" else "x"
            lines += ["", "#[inline]", f"pub fn {name}({arguments(name)}) -> {real} {{"]
            lines += [f"    unsafe {{ c::{name}{end}({given}) }}", "}"]
        return _text(lines)

    # -- tests ---------------------------------------------------------------------------------------------------------

    def test(self) -> str:
        bits = 32 if self.real == "f32" else 64
        lines = [
            "//! Compares the functions with reference values.",
            STYLE,
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
        written: set[str] = set()  # arrays of states, which several functions are given
        for case in cases(self.mechanism, self.package):
            for given, values in case.given.items():
                array = f"state{case.state}_{given}"
                if array not in written:
                    lines += [*self._listed("static", array, values), ""]
                    written.add(array)
            lines += [*self._case(case), ""]
        return _text(lines[:-1])

    def _case(self, case: Case) -> list[str]:
        routine, real = case.routine, self.real
        lines = ["#[test]", f"fn {routine.name}_{case.state}() {{"]
        passed = [f"state{case.state}_{x.name}[0]" if x.shape == () else f"&state{case.state}_{x.name}" for x in routine.inputs]
        passed += [f"&{self.name}::DEFAULT_CONSTANTS"] if self.constants else []
        compared = []
        for each in case.expected:
            x, places = each.output, "&[]"
            if x.shape == ():
                lines.append(f"    let mut {x.name}: {real} = 0.0;")
            elif x.size > LARGE:
                boxed = f"vec![0.0; {x.size}].into_boxed_slice().try_into().unwrap()"
                lines.append(f"    let mut {x.name}: Box<[{real}; {x.size}]> = {boxed};")
            else:
                lines.append(f"    let mut {x.name} = [0.0; {x.size}];")
            compared += self._listed("let", f"{x.name}_expected", each.values, "    ")
            if not each.whole:
                places = f"&{x.name}_places"
                compared += self._listed("let", places[1:], each.places, "    ")
            found = f"&[{x.name}]" if x.shape == () else f"&{x.name}[..]"
            compared.append(f'    compare("{routine.name} {x.name}", {found}, {places}, &{x.name}_expected);')
            passed.append(f"&mut {x.name}")
        return [*lines, f"    {self.name}::{routine.name}({', '.join(passed)});", *compared, "}"]

    def _listed(self, kind: str, name: str, values: list[float] | list[int], indent: str = "") -> list[str]:
        whole = bool(values) and isinstance(values[0], int)
        texts = [str(x) if whole else self.language.number(x) for x in values]
        opened = f"{indent}{kind} {name}: [{'usize' if whole else self.real}; {len(texts)}] = ["
        return [opened, *wrapped(texts, f"{indent}    "), f"{indent}];"]


def _text(lines: list[str]) -> str:
    return "\n".join([*lines, ""])


TARGET = RustSource()

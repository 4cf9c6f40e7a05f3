"""C99 source: a header, a source file, a test program with reference values, and a file for CMake."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from lagrangian.exports import evaluate
from lagrangian.exports.languages.c import KEYWORDS, C, wrapped
from lagrangian.exports.languages.names import Names, spelled
from lagrangian.exports.languages.writer import routine_lines
from lagrangian.exports.parameters import Parameter
from lagrangian.exports.routine import Argument, Package, Rolled, Routine, Straight
from lagrangian.exports.samples import inputs, states
from lagrangian.exports.targets.target import Option, Product, Target, Wish
from lagrangian.kernels.trace.node import Trace
from lagrangian.kernels.trace.schedule import schedule
from lagrangian.model.mechanism import Mechanism

STATES = 3  # at which the test program compares
# how far results may be off, as a part of the largest number of an output or of 1
TOLERANCE = {"double": 1e-10, "float": 2e-3}


class CSource(Target):
    name = "c"
    about = "C99 source with a header, a test program and a CMake file; it needs the mathematical library alone"
    options: ClassVar[Mapping[str, Option]] = {"real": Option("the type of numbers", "double", ("double", "float"))}

    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        made = Sources(mechanism, self.package(mechanism, wish), self.option(wish, "real"))
        name = made.prefix
        files = {
            f"{name}.h": made.header(),
            f"{name}.c": made.source(),
            f"{name}_test.c": made.test(),
            "CMakeLists.txt": made.cmake(),
        }
        return Product(files, notes=made.notes)


class Sources:
    """The texts of the files for one package, all of whose names are legal in C."""

    def __init__(self, mechanism: Mechanism, package: Package, real: str) -> None:
        self.mechanism, self.real = mechanism, real
        top = Names(KEYWORDS)
        self.prefix = top.legal(spelled(package.name) or "mechanism")
        functions = Names(("parameters", "constants", "default_parameters", "default_constants", "prepare"))
        legal = {routine.name: functions.legal(routine.name) for routine in package.routines}
        self.package = replace(package, routines=tuple(replace(r, name=legal[r.name]) for r in package.routines))
        fields = Names(KEYWORDS)
        self.fields = [fields.legal(p.name) for p in package.parameters]
        changed = {**functions.changed, **fields.changed}
        if self.prefix != package.name:
            changed[package.name] = self.prefix
        self.changed = {old: new for old, new in changed.items() if old != new}
        self.constants = len(package.preparation.outputs)
        self.language = C(real, self.prefix, bool(self.constants))
        self._code: dict[str, list[str]] = {}
        self._stack: dict[str, int] = {}
        for routine in self.package.routines:
            self._code[routine.name] = routine_lines(self.language, routine, {r.name: r for r in self.package.routines})
            self._stack[routine.name] = self.language.locals

    @property
    def notes(self) -> tuple[str, ...]:
        renamed = [f"{old} is called {new} in the code." for old, new in self.changed.items() if "." not in old]
        return (*self.package.notes, *renamed)

    # -- the header ----------------------------------------------------------------------------------------------------

    def header(self) -> str:
        guard, name = f"{self.prefix.upper()}_H", self.prefix
        lines = [
            "/*",
            *comment(f"Dynamics of the mechanism {self.mechanism.name}, in SI units and radians."),
            *comment("Matrices are row by row. Six-vectors are angular first. Outputs and inputs must be different arrays."),
            *comment("No function allocates memory, keeps a state or loops longer than its arguments say."),
            *(line for note in self.notes for line in comment(note)),
            *self._entries(),
            " */",
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            "",
            *self._sizes(),
        ]
        if self.constants:
            lines += [
                "/* The numbers that may be changed. */",
                "typedef struct {",
                *(f"    {self.real} {field}; /* {told(p.name)}, by default {p.value:.6g} */" for field, p in self._parameters()),
                f"}} {name}_parameters;",
                "",
                "/* What the functions need of them: prepare it once, after each change of the parameters. */",
                f"typedef struct {{\n    {self.real} k[{self.constants}];\n}} {name}_constants;",
                "",
                f"extern const {name}_parameters {name}_default_parameters;",
                f"extern const {name}_constants {name}_default_constants;",
                "",
                f"void {name}_prepare(const {name}_parameters *parameters, {name}_constants *constants);",
                "",
            ]
        for routine in self.package.routines:
            lines += [*self._described(routine), f"{self.language.signature(routine)};", ""]
        lines += ["#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {guard} */", ""]
        return "\n".join(lines)

    def _sizes(self) -> list[str]:
        upper = self.prefix.upper()
        return [
            f"#define {upper}_COORDINATES {len(self.package.coordinates)}",
            f"#define {upper}_SPEEDS {len(self.package.speeds)}",
            "",
        ]

    def _entries(self) -> list[str]:
        """Which coordinates and speeds the entries of arrays are."""
        if len(self.package.coordinates) > 40:
            return []
        found = comment(f"Coordinates q: {', '.join(self.package.coordinates)}.")
        if self.package.speeds != self.package.coordinates:
            found += comment(f"Speeds qd: {', '.join(self.package.speeds)}.")
        return found

    def _parameters(self) -> list[tuple[str, Parameter]]:
        return list(zip(self.fields, self.package.parameters, strict=True))

    def _described(self, routine: Routine) -> list[str]:
        """What a function computes, of what, at what cost."""
        lines = ["/*", *comment(routine.about)]
        for x in (*routine.inputs, *routine.outputs):
            shape = " x ".join(map(str, x.shape)) or "a number"
            lines += comment(f"  {x.name} ({shape}): {x.about}", hanging=4)
        lines += comment(self._cost(routine))
        return [*lines, " */"]

    def _cost(self, routine: Routine) -> str:
        stack = f"at most {_rounded(self._stack[routine.name] + 256)} bytes of stack, without optimisation"
        if isinstance(routine.body, Rolled):
            return f"Cost: loops over {len(routine.body.tree)} links; {stack}."
        count = sum(_operations(trace) for trace in routine.traces())
        calls = " and its calls" if not isinstance(routine.body, Straight) else ""
        return f"Cost: {count} operations{calls}, always the same; {stack}{calls and ', beside those of its calls'}."

    # -- the source ----------------------------------------------------------------------------------------------------

    def source(self) -> str:
        lines = [f'#include "{self.prefix}.h"', "", "#include <math.h>", ""]
        if self.constants:
            lines += [*self._prepare(), ""]
        for routine in self.package.routines:
            lines += [*self._code[routine.name], ""]
        return "\n".join(lines)

    def _prepare(self) -> list[str]:
        name = self.prefix
        values = [self.language.number(p.value) for p in self.package.parameters]
        constants = [self.language.number(x) for x in evaluate.constants(self.package)]
        text = [f"const {name}_parameters {name}_default_parameters = {{", *wrapped(values, "    "), "};", ""]
        text += [f"const {name}_constants {name}_default_constants = {{{{", *wrapped(constants, "    "), "}};", ""]
        fields = self.fields

        class Preparing(C):
            def place(self, argument: Argument, index: str | int) -> str:
                return f"constants->k[{index}]" if argument.output else f"parameters->{fields[int(index)]}"

            def signature(self, routine: Routine) -> str:
                return f"void {name}_prepare(const {name}_parameters *parameters, {name}_constants *constants)"

            def closing(self, routine: Routine) -> list[str]:
                return ["}"]

        trace = self.package.preparation
        routine = Routine(
            "prepare",
            "",
            (Argument("k", (len(fields),), ""),),
            (Argument("constants", (self.constants,), "", output=True),),
            Straight(trace),
        )
        return text + routine_lines(Preparing(self.real, name, False), routine, {})

    # -- the test program ----------------------------------------------------------------------------------------------

    def test(self) -> str:
        """A program that compares with reference values; it ends with 0 where all agree."""
        real, name = self.real, self.prefix
        lines = [
            "/* Compares the functions with reference values: it prints how far each is off, and ends with 0 if all agree. */",
            f'#include "{name}.h"',
            "",
            "#include <math.h>",
            "#include <stdio.h>",
            "",
            "static int failed = 0;",
            "",
            f"static void compare(const char *name, const {real} *found, const {real} *expected, int count)",
            "{",
            "    double worst = 0.0, size = 1.0;",
            "    for (int i = 0; i < count; ++i) {",
            "        const double miss = fabs((double)found[i] - (double)expected[i]);",
            "        size = fmax(size, fabs((double)expected[i]));",
            "        worst = miss <= worst ? worst : miss;",
            "    }",
            f"    const int right = worst <= {TOLERANCE[real]!r} * size;",
            '    printf("%-40s %s, off by %.1e of %.3g\\n", name, right ? "ok" : "WRONG", worst, size);',
            "    failed += !right;",
            "}",
            "",
        ]
        calls = []
        for k, state in enumerate(states(self.mechanism, STATES)):
            for routine in self.package.routines:
                if isinstance(routine.body, Rolled):
                    continue
                given = inputs(routine, state)
                expected = evaluate.evaluated(self.package, routine, given)
                lines += self._case(routine, k, given, expected)
                calls.append(f"    {routine.name}_{k}();")
        prepared = []
        if self.constants:
            prepared = [
                f"    {name}_constants constants;",
                f"    {name}_prepare(&{name}_default_parameters, &constants);",
                f'    compare("prepare", constants.k, {name}_default_constants.k, {self.constants});',
            ]
        lines += ["int main(void)", "{", *prepared, *calls, "    return failed != 0;", "}", ""]
        return "\n".join(lines)

    def _case(self, routine: Routine, k: int, given: dict[str, list[float]], expected: list[float]) -> list[str]:
        language, real, name = self.language, self.real, self.prefix
        lines = [f"static void {routine.name}_{k}(void)", "{"]
        passed = []
        for x in routine.inputs:
            texts = [language.number(v) for v in given[x.name]]
            if x.shape == ():
                lines.append(f"    const {real} {x.name} = {texts[0]};")
            else:
                lines += [f"    const {real} {x.name}[] = {{", *wrapped(texts or ["0"], "        "), "    };"]
            passed.append(x.name)
        passed += [f"&{name}_default_constants"] if self.constants else []
        at = 0
        compared = []
        for x in routine.outputs:
            texts = [language.number(v) for v in expected[at : at + x.size]]
            at += x.size
            lines += [f"    const {real} {x.name}_expected[] = {{", *wrapped(texts or ["0"], "        "), "    };"]
            lines.append(f"    {real} {x.name}[{max(1, x.size)}];")
            compared.append(f'    compare("{routine.name} {x.name}", {x.name}, {x.name}_expected, {x.size});')
            passed.append(x.name)
        return [*lines, f"    {name}_{routine.name}({', '.join(passed)});", *compared, "}", ""]

    def cmake(self) -> str:
        name = self.prefix
        return "\n".join(
            [
                "cmake_minimum_required(VERSION 3.10)",
                f"project({name} C)",
                "",
                "set(CMAKE_C_STANDARD 99)",
                "if(NOT CMAKE_BUILD_TYPE)",
                "  set(CMAKE_BUILD_TYPE Release)",
                "endif()",
                "",
                f"add_library({name} {name}.c)",
                f"target_include_directories({name} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})",
                "if(NOT MSVC)",
                f"  target_link_libraries({name} PUBLIC m)",
                "endif()",
                "",
                "enable_testing()",
                f"add_executable({name}_test {name}_test.c)",
                f"target_link_libraries({name}_test {name})",
                f"add_test(NAME {name}_test COMMAND {name}_test)",
                "",
            ]
        )


def _operations(trace: Trace) -> int:
    """Operations as they are written: additions, multiplications, functions."""
    return sum(name not in ("input", "angle", "output") for name, _, _ in schedule(trace, fused=False).operations)


def _rounded(size: int) -> int:
    return -(-size // 64) * 64


def told(text: str) -> str:
    """A text that cannot end a comment, nor be more than a line of ASCII."""
    plain = text.encode("ascii", "backslashreplace").decode()
    return re.sub(r"[^ -~]", " ", plain).replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").rstrip("\\")


def comment(text: str, hanging: int = 0, width: int = 108) -> list[str]:
    """Lines of a comment."""
    words, lines, line = told(text).split(" "), [], " *"
    for word in words:
        if len(line) + len(word) > width and line.strip(" *"):
            lines.append(line.rstrip())
            line = " *" + " " * hanging
        line += f" {word}"
    return [*lines, line.rstrip()]


TARGET = CSource()

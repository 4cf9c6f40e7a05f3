"""C99 source: a header, a source file, a test program with reference values, and a file for CMake."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from lagrangian.exports import evaluate
from lagrangian.exports.languages.c import KEYWORDS, C
from lagrangian.exports.languages.language import wrapped
from lagrangian.exports.languages.names import Names, spelled
from lagrangian.exports.languages.writer import routine_lines
from lagrangian.exports.routine import Argument, Package, Routine
from lagrangian.exports.routine import Sequence as Calls
from lagrangian.exports.targets import sources
from lagrangian.exports.targets.cases import TOLERANCE, Case, cases
from lagrangian.exports.targets.sources import shape_of
from lagrangian.exports.targets.target import Option, Product, Target, Wish
from lagrangian.model.mechanism import Mechanism

TAKEN = ("parameters", "constants", "default_parameters", "default_constants", "prepare")


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


class Sources(sources.Sources):
    """The texts of the files for one package. All names begin with `prefix`."""

    language: C

    def __init__(self, mechanism: Mechanism, package: Package, real: str) -> None:
        self.real = real
        self.prefix = Names(KEYWORDS).legal(spelled(package.name) or "mechanism")
        super().__init__(mechanism, package, self.prefix, Names(TAKEN), Names(KEYWORDS))
        self.language = C(real, self.prefix, bool(self.constants))
        self._code: dict[str, list[str]] = {}
        self._stack: dict[str, int] = {}
        for routine in self.package.routines:
            self._code[routine.name] = self.code(routine)
            self._stack[routine.name] = self.language.locals

    # -- the header ----------------------------------------------------------------------------------------------------

    def header(self) -> str:
        guard, name = f"{self.prefix.upper()}_H", self.prefix
        told = self.introduction(
            "Matrices are row by row. Six-vectors are angular first. Outputs and inputs must be different arrays.",
            "No function allocates memory, keeps a state or loops longer than its arguments say.",
        )
        lines = [
            "/*",
            *(line for text in told for line in comment(text)),
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
            real = self.real
            lines += [
                "/* The numbers that may be changed. */",
                "typedef struct {",
                *(f"    {real} {field}; /* {safe(p.name)}, by default {p.value:.6g} */" for field, p in self.parameters()),
                f"}} {name}_parameters;",
                "",
                "/* What the functions need of them: prepare it once, after each change of the parameters. */",
                f"typedef struct {{\n    {real} k[{self.constants}];\n}} {name}_constants;",
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

    def _described(self, routine: Routine) -> list[str]:
        """What a function computes, of what, at what cost."""
        lines = ["/*", *comment(routine.about)]
        for x in (*routine.inputs, *routine.outputs):
            lines += comment(f"  {x.name} ({shape_of(x)}): {x.about}", hanging=4)
        stack = f"at most {_rounded(self._stack[routine.name] + 256)} bytes of stack, without optimisation"
        beside = ", beside those of its calls" if isinstance(routine.body, Calls) else ""
        return [*lines, *comment(f"Cost: {self.cost(routine)}; {stack}{beside}."), " */"]

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

        return text + routine_lines(Preparing(self.real, name, False), self.preparation(), {})

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
            "/* Entries of an array at some places, or at the first ones. */",
            f"static void compare(const char *name, const {real} *found, const int *places, const {real} *expected, int count)",
            "{",
            "    double worst = 0.0, size = 1.0;",
            "    for (int i = 0; i < count; ++i) {",
            "        const double miss = fabs((double)found[places ? places[i] : i] - (double)expected[i]);",
            "        size = fmax(size, fabs((double)expected[i]));",
            "        worst = miss <= worst ? worst : miss;",
            "    }",
            f"    const int right = worst <= {TOLERANCE[8 * self.language.bytes]!r} * size;",
            '    printf("%-40s %s, off by %.1e of %.3g\\n", name, right ? "ok" : "WRONG", worst, size);',
            "    failed += !right;",
            "}",
            "",
        ]
        calls: list[str] = []
        written: set[str] = set()  # arrays of states, which several functions are given
        for case in cases(self.mechanism, self.package):
            for given, values in case.given.items():
                array = f"state{case.state}_{given}"
                if array not in written:
                    lines += [*self._listed(f"static const {real}", array, values), ""]
                    written.add(array)
            lines += self._case(case)
            calls.append(f"    {case.routine.name}_{case.state}();")
        prepared = []
        if self.constants:
            prepared = [
                f"    {name}_constants constants;",
                f"    {name}_prepare(&{name}_default_parameters, &constants);",
                f'    compare("prepare", constants.k, 0, {name}_default_constants.k, {self.constants});',
            ]
        lines += ["int main(void)", "{", *prepared, *calls, "    return failed != 0;", "}", ""]
        return "\n".join(lines)

    def _case(self, case: Case) -> list[str]:
        real, routine = self.real, case.routine
        lines = [f"static void {routine.name}_{case.state}(void)", "{"]
        passed = [f"state{case.state}_{x.name}{'[0]' if x.shape == () else ''}" for x in routine.inputs]
        compared = []
        passed += [f"&{self.prefix}_default_constants"] if self.constants else []
        for expected in case.expected:
            x, places = expected.output, "0"
            lines += self._listed(f"const {real}", f"{x.name}_expected", expected.values, "    ")
            if not expected.whole:
                places = f"{x.name}_places"
                lines += self._listed("const int", places, expected.places, "    ")
            # what is large is no matter of the stack
            lines.append(f"    {'static ' if x.size > 10_000 else ''}{real} {x.name}[{max(1, x.size)}];")
            told = f'"{routine.name} {x.name}"'
            compared.append(f"    compare({told}, {x.name}, {places}, {x.name}_expected, {len(expected.values)});")
            passed.append(x.name)
        return [*lines, f"    {self.prefix}_{routine.name}({', '.join(passed)});", *compared, "}", ""]

    def _listed(self, kind: str, name: str, values: list[float] | list[int], indent: str = "") -> list[str]:
        texts = [str(x) if isinstance(x, int) else self.language.number(x) for x in values]
        return [f"{indent}{kind} {name}[] = {{", *wrapped(texts or ["0"], f"{indent}    "), f"{indent}}};"]

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


def _rounded(size: int) -> int:
    return -(-size // 64) * 64


def safe(text: str) -> str:
    """A text that cannot end a comment."""
    return sources.told(text).replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").rstrip("\\")


def comment(text: str, hanging: int = 0) -> list[str]:
    """Lines of a comment."""
    return sources.comment(safe(text), " * ", hanging)


TARGET = CSource()

"""What stands beside exported C: a program that compares it with reference values, and a file for CMake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.exports.languages.language import wrapped
from lagrangian.exports.targets.cases import TOLERANCE, Case, cases

if TYPE_CHECKING:
    from lagrangian.exports.targets.c import Sources

# of an array that is no matter of the stack
LARGE = 10_000


def test_program(made: Sources) -> str:
    """A program that compares with reference values; it ends with 0 where all agree."""
    real, name = made.real, made.prefix
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
        "        worst = miss <= worst || isnan(worst) ? worst : miss; /* NaN stays the worst */",
        "    }",
        f"    const int right = worst <= {TOLERANCE[8 * made.language.bytes]!r} * size;",
        '    printf("%-40s %s, off by %.1e of %.3g\\n", name, right ? "ok" : "WRONG", worst, size);',
        "    failed += !right;",
        "}",
        "",
    ]
    calls: list[str] = []
    written: set[str] = set()  # arrays of states, which several functions are given
    for case in cases(made.mechanism, made.package):
        for given, values in case.given.items():
            array = f"state{case.state}_{given}"
            if array not in written:
                lines += [*_listed(made, f"static const {real}", array, values), ""]
                written.add(array)
        lines += _case(made, case)
        calls.append(f"    {case.routine.name}_{case.state}();")
    prepared = []
    if made.constants:
        prepared = [
            f"    {name}_constants constants;",
            f"    {name}_prepare(&{name}_default_parameters, &constants);",
            f'    compare("prepare", constants.k, 0, {name}_default_constants.k, {made.constants});',
        ]
    lines += ["int main(void)", "{", *prepared, *calls, "    return failed != 0;", "}", ""]
    return "\n".join(lines)


def _case(made: Sources, case: Case) -> list[str]:
    real, routine = made.real, case.routine
    lines = [f"static void {routine.name}_{case.state}(void)", "{"]
    passed = [f"state{case.state}_{x.name}{'[0]' if x.shape == () else ''}" for x in routine.inputs] + made.passed
    compared = []
    for expected in case.expected:
        x, places = expected.output, "0"
        lines += _listed(made, f"const {real}", f"{x.name}_expected", expected.values, "    ")
        if not expected.whole:
            places = f"{x.name}_places"
            lines += _listed(made, "const int", places, expected.places, "    ")
        lines.append(f"    {'static ' if x.size > LARGE else ''}{real} {x.name}[{max(1, x.size)}];")
        said = f'"{routine.name} {x.name}"'
        compared.append(f"    compare({said}, {x.name}, {places}, {x.name}_expected, {len(expected.values)});")
        passed.append(x.name)
    return [*lines, f"    {made.prefix}_{routine.name}({', '.join(passed)});", *compared, "}", ""]


def _listed(made: Sources, kind: str, name: str, values: list[float] | list[int], indent: str = "") -> list[str]:
    texts = [str(x) if isinstance(x, int) else made.language.number(x) for x in values]
    return [f"{indent}{kind} {name}[] = {{", *wrapped(texts or ["0"], f"{indent}    "), f"{indent}}};"]


def cmake(made: Sources) -> str:
    name = made.prefix
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

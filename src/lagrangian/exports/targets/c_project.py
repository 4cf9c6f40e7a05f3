"""What stands beside exported C: a program that compares it with reference values, and a file for CMake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.exports import evaluate
from lagrangian.exports.languages.c import wrapped
from lagrangian.exports.routine import Rolled, Routine
from lagrangian.exports.samples import inputs, states

if TYPE_CHECKING:
    from lagrangian.exports.targets.c import Sources

STATES = 3  # at which the test program compares
# how far results may be off, as a part of the largest number of an output or of 1
TOLERANCE = {"double": 1e-10, "float": 2e-3}


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
    for k, state in enumerate(states(made.mechanism, STATES)):
        for routine in made.package.routines:
            if isinstance(routine.body, Rolled):
                continue
            given = inputs(routine, state)
            expected = evaluate.evaluated(made.package, routine, given)
            lines += _case(made, routine, k, given, expected)
            calls.append(f"    {routine.name}_{k}();")
    prepared = []
    if made.constants:
        prepared = [
            f"    {name}_constants constants;",
            f"    {name}_prepare(&{name}_default_parameters, &constants);",
            f'    compare("prepare", constants.k, {name}_default_constants.k, {made.constants});',
        ]
    lines += ["int main(void)", "{", *prepared, *calls, "    return failed != 0;", "}", ""]
    return "\n".join(lines)


def _case(made: Sources, routine: Routine, k: int, given: dict[str, list[float]], expected: list[float]) -> list[str]:
    language, real, name = made.language, made.real, made.prefix
    lines = [f"static void {routine.name}_{k}(void)", "{"]
    passed = []
    for x in routine.inputs:
        texts = [language.number(v) for v in given[x.name]]
        if x.shape == ():
            lines.append(f"    const {real} {x.name} = {texts[0]};")
        else:
            lines += [f"    const {real} {x.name}[] = {{", *wrapped(texts or ["0"], "        "), "    };"]
        passed.append(x.name)
    passed += made.passed
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

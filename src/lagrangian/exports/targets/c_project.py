"""What stands beside exported C: a program that compares it with reference values, and a file for CMake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.exports.reference_values import TOLERANCE, ReferenceCase, reference_cases
from lagrangian.exports.source.language import wrap_values

if TYPE_CHECKING:
    from lagrangian.exports.targets.c import CSourceFiles

# of an array that is no matter of the stack
MAX_STACK_ENTRIES = 10_000


def test_program(source_files: CSourceFiles) -> str:
    """A program that compares with reference values; it ends with 0 where all agree."""
    real, name = source_files.real, source_files.prefix
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
        f"static void compare(const char *name, const {real} *result, const int *places, const {real} *expected, int count)",
        "{",
        "    double worst = 0.0, size = 1.0;",
        "    for (int i = 0; i < count; ++i) {",
        "        const double miss = fabs((double)result[places ? places[i] : i] - (double)expected[i]);",
        "        size = fmax(size, fabs((double)expected[i]));",
        "        worst = miss <= worst || isnan(worst) ? worst : miss; /* NaN stays the worst */",
        "    }",
        f"    const int right = worst <= {TOLERANCE[8 * source_files.language.bytes]!r} * size;",
        '    printf("%-40s %s, off by %.1e of %.3g\\n", name, right ? "ok" : "WRONG", worst, size);',
        "    failed += !right;",
        "}",
        "",
    ]
    calls: list[str] = []
    for case in reference_cases(source_files.mechanism, source_files.package):
        for array, values in case.new_arrays.items():
            lines += [*_array_lines(source_files, f"static const {real}", array, values), ""]
        lines += _case_function(source_files, case)
        calls.append(f"    {case.routine.name}_{case.state}();")
    prepare_lines = []
    if source_files.constants:
        prepare_lines = [
            f"    {name}_constants constants;",
            f"    {name}_prepare(&{name}_default_parameters, &constants);",
            f'    compare("prepare", constants.k, 0, {name}_default_constants.k, {source_files.constants});',
        ]
    lines += ["int main(void)", "{", *prepare_lines, *calls, "    return failed != 0;", "}", ""]
    return "\n".join(lines)


def _case_function(source_files: CSourceFiles, case: ReferenceCase) -> list[str]:
    real, routine = source_files.real, case.routine
    lines = [f"static void {routine.name}_{case.state}(void)", "{"]
    arguments = [
        f"{case.array_name(x.name)}{'[0]' if x.shape == () else ''}" for x in routine.inputs
    ] + source_files.constants_argument
    comparisons = []
    for expected in case.expected:
        x, places = expected.output, "0"
        lines += _array_lines(source_files, f"const {real}", f"{x.name}_expected", expected.values, "    ")
        if not expected.is_complete:
            places = f"{x.name}_places"
            lines += _array_lines(source_files, "const int", places, expected.places, "    ")
        lines.append(f"    {'static ' if x.size > MAX_STACK_ENTRIES else ''}{real} {x.name}[{max(1, x.size)}];")
        label = f'"{routine.name} {x.name}"'
        comparisons.append(f"    compare({label}, {x.name}, {places}, {x.name}_expected, {len(expected.values)});")
        arguments.append(x.name)
    return [*lines, f"    {source_files.prefix}_{routine.name}({', '.join(arguments)});", *comparisons, "}", ""]


def _array_lines(
    source_files: CSourceFiles, kind: str, name: str, values: list[float] | list[int], indent: str = ""
) -> list[str]:
    texts = [str(x) if isinstance(x, int) else source_files.language.number(x) for x in values]
    return [f"{indent}{kind} {name}[] = {{", *wrap_values(texts or ["0"], f"{indent}    "), f"{indent}}};"]


def cmake(source_files: CSourceFiles) -> str:
    name = source_files.prefix
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

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
from lagrangian.exports.targets.c_project import cmake, test_program
from lagrangian.exports.targets.target import Option, Product, Target, Wish
from lagrangian.kernels.trace.node import Trace
from lagrangian.kernels.trace.schedule import schedule
from lagrangian.model.mechanism import Mechanism


class CSource(Target):
    name = "c"
    about = "C99 source with a header, a test program and a CMake file; it needs the mathematical library alone"
    options: ClassVar[Mapping[str, Option]] = {
        "real": Option("the type of numbers", "double", ("double", "float")),
        "style": Option(
            'how functions are written: "fast", or "closed_form" with the formula above each entry, to be read',
            "fast",
            ("fast", "closed_form"),
        ),
    }

    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        real = self.option(wish, "real")
        if self.option(wish, "style") == "closed_form":
            from lagrangian.exports.closed_form.sources import sources

            made = sources(mechanism, wish, real)
        else:
            made = Sources(mechanism, self.package(mechanism, wish), real)
        name = made.prefix
        files = {
            f"{name}.h": made.header(),
            f"{name}.c": made.source(),
            f"{name}_test.c": test_program(made),
            "CMakeLists.txt": cmake(made),
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
        self.language = self.language_of(real)
        self._code: dict[str, list[str]] = {}
        self._stack: dict[str, int] = {}
        for routine in self.package.routines:
            self._code[routine.name] = self.code(routine)
            self._stack[routine.name] = self.language.locals

    def language_of(self, real: str) -> C:
        return C(real, self.prefix, bool(self.constants))

    def code(self, routine: Routine) -> list[str]:
        """The function of a routine."""
        return routine_lines(self.language, routine, {r.name: r for r in self.package.routines})

    def about(self) -> list[str]:
        """What the header says of the functions, beside what all headers say."""
        return []

    @property
    def passed(self) -> list[str]:
        """What a call is given between inputs and outputs."""
        return [f"&{self.prefix}_default_constants"] if self.constants else []

    @property
    def notes(self) -> tuple[str, ...]:
        renamed = [f"{old} is called {new} in the code." for old, new in self.changed.items() if "." not in old]
        return (*self.package.notes, *renamed)

    # -- the header ----------------------------------------------------------------------------------------------------

    def header(self) -> str:
        guard = f"{self.prefix.upper()}_H"
        lines = [
            "/*",
            *comment(f"Dynamics of the mechanism {self.mechanism.name}, in SI units and radians."),
            *comment("Matrices are row by row. Six-vectors are angular first. Outputs and inputs must be different arrays."),
            *comment("No function allocates memory, keeps a state or loops longer than its arguments say."),
            *(line for words in (*self.about(), *self.notes) for line in comment(words)),
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
        lines += self.declarations()
        for routine in self.package.routines:
            lines += [*self._described(routine), f"{self.language.signature(routine)};", ""]
        lines += ["#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {guard} */", ""]
        return "\n".join(lines)

    def declarations(self) -> list[str]:
        """The types of the parameters and constants, and their usual values."""
        name = self.prefix
        if not self.constants:
            return []
        return [
            *self.struct(),
            "/* What the functions need of them: prepare it once, after each change of the parameters. */",
            f"typedef struct {{\n    {self.real} k[{self.constants}];\n}} {name}_constants;",
            "",
            f"extern const {name}_parameters {name}_default_parameters;",
            f"extern const {name}_constants {name}_default_constants;",
            "",
            f"void {name}_prepare(const {name}_parameters *parameters, {name}_constants *constants);",
            "",
        ]

    def struct(self) -> list[str]:
        """The type of the parameters."""
        return [
            "/* The numbers that may be changed. */",
            "typedef struct {",
            *(f"    {self.real} {field}; /* {_named(field, p)}by default {p.value:.6g} */" for field, p in self._parameters()),
            f"}} {self.prefix}_parameters;",
            "",
        ]

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
        lines += self.definitions()
        for routine in self.package.routines:
            lines += [*self._code[routine.name], ""]
        return "\n".join(lines)

    def definitions(self) -> list[str]:
        """The usual values, and how constants follow from parameters."""
        if not self.constants:
            return []
        name = self.prefix
        constants = [self.language.number(x) for x in evaluate.constants(self.package)]
        usual = [f"const {name}_constants {name}_default_constants = {{{{", *wrapped(constants, "    "), "}};"]
        return [*self.defaults(), *usual, "", *self._prepare(), ""]

    def defaults(self) -> list[str]:
        """The usual values of the parameters."""
        values = [self.language.number(p.value) for p in self.package.parameters]
        return [f"const {self.prefix}_parameters {self.prefix}_default_parameters = {{", *wrapped(values, "    "), "};", ""]

    def _prepare(self) -> list[str]:
        name = self.prefix
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
        return routine_lines(Preparing(self.real, name, False), routine, {})


def _named(field: str, parameter: Parameter) -> str:
    """The name of a parameter, where that of its field is another."""
    return "" if field == parameter.name else f"{told(parameter.name)}, "


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

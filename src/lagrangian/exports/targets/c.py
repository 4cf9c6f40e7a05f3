"""C99 source: a header, a source file, a test program with reference values, and a file for CMake."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from lagrangian.exports import evaluate
from lagrangian.exports.languages.c import HEADERS, KEYWORDS, C
from lagrangian.exports.languages.language import wrapped
from lagrangian.exports.languages.names import Names, spelled
from lagrangian.exports.languages.writer import routine_lines
from lagrangian.exports.parameters import Parameter
from lagrangian.exports.routine import Argument, Package, Routine
from lagrangian.exports.routine import Sequence as Calls
from lagrangian.exports.targets import sources
from lagrangian.exports.targets.c_project import cmake, test_program
from lagrangian.exports.targets.target import Option, Product, Target, Wish
from lagrangian.model.mechanism import Mechanism

TAKEN = ("parameters", "constants", "default_parameters", "default_constants", "prepare")
# targets that CMake has itself, and the mathematical library
TARGETS = (
    *("all", "all_build", "clean", "edit_cache", "help", "install", "package", "package_source", "preinstall"),
    *("rebuild_cache", "run_tests", "test", "zero_check", "m"),
)


class CSource(Target):
    name = "c"
    about = "C99: a header, a source file, a test program and a CMake file"
    options: ClassVar[Mapping[str, Option]] = {
        "real": Option("the type of numbers", "double", ("double", "float")),
        "style": Option(
            'the style of the functions: "fast" to run, or "closed_form" to read, with the formula above each entry',
            "fast",
            ("fast", "closed_form"),
        ),
    }

    def make(self, mechanism: Mechanism, wish: Wish) -> Product:
        real = self.option(wish, "real")
        if self.option(wish, "style") == "closed_form":
            from lagrangian.exports.closed_form.sources import sources as in_closed_form

            made = in_closed_form(mechanism, wish, real)
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


class Sources(sources.Sources):
    """The texts of the files for one package. All names begin with `prefix`."""

    language: C

    def __init__(self, mechanism: Mechanism, package: Package, real: str, prefix: str = "") -> None:
        """`prefix` is wished for; without it, it is the name of the package."""
        self.real = real
        # it names files, too, which may not differ from others by case alone
        names = Names((*KEYWORDS, *HEADERS, *TARGETS), folded=True)
        self.prefix = names.legal(spelled(prefix or package.name) or "mechanism")
        super().__init__(mechanism, package, self.prefix, Names(TAKEN), Names(KEYWORDS))
        self.language = self.language_of(real)
        self._code: dict[str, list[str]] = {}
        self._stack: dict[str, int] = {}
        for routine in self.package.routines:
            self._code[routine.name] = self.code(routine)
            self._stack[routine.name] = self.language.locals

    def language_of(self, real: str) -> C:
        return C(real, self.prefix, bool(self.constants))

    def about(self) -> list[str]:
        """What the header says of the functions, beside what all headers say."""
        return []

    @property
    def passed(self) -> list[str]:
        """What a call is given between inputs and outputs."""
        return [f"&{self.prefix}_default_constants"] if self.constants else []

    # -- the header ----------------------------------------------------------------------------------------------------

    def header(self) -> str:
        guard = f"{self.prefix.upper()}_H"
        said = self.introduction(
            "Matrices are row by row. Six-vectors are angular first. Outputs and inputs must be different arrays.",
            "No function allocates memory or keeps a state, and every loop has a fixed length.",
            *self.about(),
        )
        lines = [
            "/*",
            *(line for text in said for line in comment(text)),
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
            *(f"    {self.real} {field}; /* {_named(field, p)}by default {p.value:.6g} */" for field, p in self.parameters()),
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

    def _described(self, routine: Routine) -> list[str]:
        """What a function computes, of what, at what cost."""
        lines = ["/*", *comment(routine.about)]
        for x in (*routine.inputs, *routine.outputs):
            lines += comment(f"  {x.name} ({sources.shape_of(x)}): {x.about}", hanging=4)
        lines += comment(self._cost(routine))
        return [*lines, " */"]

    def _cost(self, routine: Routine) -> str:
        stack = f"at most {_rounded(self._stack[routine.name] + 256)} bytes of stack, without optimisation"
        beside = ", beside those of its calls" if isinstance(routine.body, Calls) else ""
        return f"Cost: {self.cost(routine)}; {stack}{beside}."

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

        return routine_lines(Preparing(self.real, name, False), self.preparation(), {})


def _named(field: str, parameter: Parameter) -> str:
    """The name of a parameter, where that of its field is another."""
    return "" if field == parameter.name else f"{told(parameter.name)}, "


def _rounded(size: int) -> int:
    return -(-size // 64) * 64


def told(text: str) -> str:
    """A text that cannot end a comment, nor be more than a line of ASCII."""
    return sources.told(text).replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").rstrip("\\")


def comment(text: str, hanging: int = 0, width: int = 108) -> list[str]:
    """Lines of a comment."""
    return sources.comment(told(text), " * ", hanging, width)


TARGET = CSource()

"""C99 source: a header, a source file, a test program with reference values, and a file for CMake.

The code allocates no memory, needs nothing but the mathematical library, and is C++, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

from lagrangian.exports import reference_values
from lagrangian.exports.source import package_text
from lagrangian.exports.source.identifiers import IdentifierTable, transliterate
from lagrangian.exports.source.language import MATH_FUNCTIONS, ExpressionText, Language, single_precision_literal, wrap_values
from lagrangian.exports.source.writer import routine_lines
from lagrangian.exports.targets.c_project import cmake, test_program
from lagrangian.exports.targets.target import ExportedFiles, ExportRequest, ExportTarget, TargetOption
from lagrangian.functions.parameters import Parameter
from lagrangian.functions.routine import CallSequence, Package, Routine, RoutineArgument, StraightLineCode
from lagrangian.model.mechanism import Mechanism

_KEYWORD_TEXT = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict"
    " return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Complex _Imaginary"
    # C++
    " alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t class compl const_cast constexpr decltype delete"
    " dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private"
    " protected public reinterpret_cast static_assert static_cast template this thread_local throw true try typeid typename using"
    " virtual wchar_t xor xor_eq"
    # of the mathematical library, and macros
    " sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 sqrt floor ceil fabs pow fmod y0 y1 yn j0 j1 jn gamma main"
    " errno NAN INFINITY M_PI I linux unix"
)
KEYWORDS = frozenset(_KEYWORD_TEXT.split())

# headers of C99 and C11, and of what these include: one of the same name beside the code would be taken in their place
_HEADER_TEXT = (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool"
    " stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype"
    " alloca Availability corecrt crtdefs endian features newlib sal strings TargetConditionals vcruntime xlocale yvals"
)
HEADERS = frozenset(_HEADER_TEXT.split())
RESERVED_FUNCTIONS = ("parameters", "constants", "default_parameters", "default_constants", "prepare")

# targets that CMake has itself, and the mathematical library
RESERVED_CMAKE_TARGETS = (
    *("all", "all_build", "clean", "edit_cache", "help", "install", "package", "package_source", "preinstall"),
    *("rebuild_cache", "run_tests", "test", "zero_check", "m"),
)
POINTER_BYTES = 8


class CTarget(ExportTarget):
    name = "c"
    about = "C99: a header, a source file, a test program and a CMake file"
    options: ClassVar[Mapping[str, TargetOption]] = {
        "real": TargetOption("the type of numbers", "double", ("double", "float")),
        "style": TargetOption(
            'the style of the functions: "fast" to run, or "closed_form" to read, with the formula above each entry',
            "fast",
            ("fast", "closed_form"),
        ),
    }

    def make(self, mechanism: Mechanism, request: ExportRequest) -> ExportedFiles:
        real = self.option(request, "real")
        if self.option(request, "style") == "closed_form":
            from lagrangian.exports.targets.readable_c import closed_form_source_files

            source_files = closed_form_source_files(mechanism, request, real)
        else:
            source_files = CSourceFiles(mechanism, self.package(mechanism, request), real)
        name = source_files.prefix
        files = {
            f"{name}.h": source_files.header(),
            f"{name}.c": source_files.source(),
            f"{name}_test.c": test_program(source_files),
            "CMakeLists.txt": cmake(source_files),
        }
        return ExportedFiles(files, notes=source_files.notes)


class CSourceFiles(package_text.SourceFiles):
    """The texts of the files for one package. All names begin with `prefix`."""

    language: CLanguage

    def __init__(self, mechanism: Mechanism, package: Package, real: str, prefix: str = "") -> None:
        """`prefix` is wished for; without it, it is the name of the package."""
        self.real = real
        # it names files, too, which may not differ from others by case alone
        names = IdentifierTable((*KEYWORDS, *HEADERS, *RESERVED_CMAKE_TARGETS), ignore_case=True)
        self.prefix = names.legal(transliterate(prefix or package.name) or "mechanism")
        super().__init__(mechanism, package, self.prefix, IdentifierTable(RESERVED_FUNCTIONS), IdentifierTable(KEYWORDS))
        self.language = self.make_language(real)
        self._code: dict[str, list[str]] = {}
        self._stack: dict[str, int] = {}
        for routine in self.package.routines:
            self._code[routine.name] = self.code(routine)
            self._stack[routine.name] = self.language.stack_bytes

    def make_language(self, real: str) -> CLanguage:
        return CLanguage(real, self.prefix, bool(self.constants))

    def header_remarks(self) -> list[str]:
        """The remarks on the functions that the header of this language has beside those of every header."""
        return []

    @property
    def constants_argument(self) -> list[str]:
        """The arguments of a call between its inputs and its outputs."""
        return [f"&{self.prefix}_default_constants"] if self.constants else []

    # -- the header ----------------------------------------------------------------------------------------------------

    def header(self) -> str:
        guard = f"{self.prefix.upper()}_H"
        sentences = self.introduction(
            "Matrices are row by row. Six-vectors are angular first. Outputs and inputs must be different arrays.",
            "No function allocates memory or keeps a state, and every loop has a fixed length.",
            *self.header_remarks(),
        )
        lines = [
            "/*",
            *(line for text in sentences for line in comment_lines(text)),
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
            lines += [*self._function_comment(routine), f"{self.language.signature(routine)};", ""]
        lines += ["#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {guard} */", ""]
        return "\n".join(lines)

    def declarations(self) -> list[str]:
        """The types of the parameters and constants, and their default values."""
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
            *(
                f"    {self.real} {field}; /* {_name_remark(field, p)}by default {p.value:.6g} */"
                for field, p in self.parameters()
            ),
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

    def _function_comment(self, routine: Routine) -> list[str]:
        """The comment of a function: its purpose, its inputs and outputs, and its cost."""
        lines = ["/*", *comment_lines(routine.about)]
        for x in (*routine.inputs, *routine.outputs):
            lines += comment_lines(f"  {x.name} ({package_text.shape_text(x)}): {x.about}", hanging=4)
        lines += comment_lines(self._cost(routine))
        return [*lines, " */"]

    def _cost(self, routine: Routine) -> str:
        stack = f"at most {_round_up(self._stack[routine.name] + 256)} bytes of stack, without optimisation"
        beside = ", beside those of its calls" if isinstance(routine.body, CallSequence) else ""
        return f"Cost: {self.cost(routine)}; {stack}{beside}."

    # -- the source ----------------------------------------------------------------------------------------------------

    def source(self) -> str:
        lines = [f'#include "{self.prefix}.h"', "", "#include <math.h>", ""]
        lines += self.definitions()
        for routine in self.package.routines:
            lines += [*self._code[routine.name], ""]
        return "\n".join(lines)

    def definitions(self) -> list[str]:
        """The default values, and how constants follow from parameters."""
        if not self.constants:
            return []
        name = self.prefix
        constants = [self.language.number(x) for x in reference_values.evaluate_constants(self.package)]
        default_lines = [f"const {name}_constants {name}_default_constants = {{{{", *wrap_values(constants, "    "), "}};"]
        return [*self.defaults(), *default_lines, "", *self._prepare(), ""]

    def defaults(self) -> list[str]:
        """The default values of the parameters."""
        values = [self.language.number(p.value) for p in self.package.parameters]
        return [f"const {self.prefix}_parameters {self.prefix}_default_parameters = {{", *wrap_values(values, "    "), "};", ""]

    def _prepare(self) -> list[str]:
        name = self.prefix
        fields = self.fields

        class PreparationLanguage(CLanguage):
            def place(self, argument: RoutineArgument, index: str | int) -> str:
                return f"constants->k[{index}]" if argument.output else f"parameters->{fields[int(index)]}"

            def signature(self, routine: Routine) -> str:
                return f"void {name}_prepare(const {name}_parameters *parameters, {name}_constants *constants)"

            def closing(self, routine: Routine) -> list[str]:
                return ["}"]

        return routine_lines(PreparationLanguage(self.real, name, False), self.preparation(), {})


def _name_remark(field: str, parameter: Parameter) -> str:
    """The name of a parameter, where that of its field is another."""
    return "" if field == parameter.name else f"{comment_text(parameter.name)}, "


def _round_up(size: int) -> int:
    return -(-size // 64) * 64


class CLanguage(Language):
    """C99. `real` is "double" or "float"; `prefix` begins the names of all functions and types."""

    keywords = KEYWORDS
    model = ("constants", "constants")  # the type, after the prefix, and the name of what functions need of the model

    def __init__(self, real: str, prefix: str, has_constants: bool) -> None:
        self.real, self.prefix, self.has_constants = real, prefix, has_constants
        self.suffix = "f" if real == "float" else ""
        self.functions = {name: f"{name}f" for name in MATH_FUNCTIONS} if real == "float" else {}
        self.stack_bytes = 0  # bytes of what the function that is being written declares, and of the largest of its parts
        self._largest_part = 0
        self._arrays_used: set[str] = set()  # the arrays that the function reads or writes

    @property
    def bytes(self) -> int:
        return 4 if self.real == "float" else 8

    def number(self, x: float) -> str:
        if math.isnan(x):
            return "NAN"
        if math.isinf(x):
            return "INFINITY" if x > 0 else "(-INFINITY)"
        return f"{single_precision_literal(x) if self.real == 'float' else repr(float(x))}{self.suffix}"

    def element(self, array: str, index: str | int) -> str:
        self._arrays_used.add(array)
        return f"{array}[{index}]"

    def place(self, argument: RoutineArgument, index: str | int) -> str:
        if argument.shape == ():
            self._arrays_used.add(argument.name)
            return f"*{argument.name}" if argument.output else argument.name
        return self.element(argument.name, index)

    def choice(self, condition: str, x: str, y: str) -> ExpressionText:
        return ExpressionText(f"({condition} ? {x} : {y})")

    def constant(self, name: str, text: str) -> str:
        self.stack_bytes += self.bytes
        return f"const {self.real} {name} = {text};"

    def variable(self, name: str, text: str) -> str:
        self.stack_bytes += self.bytes
        return f"{self.real} {name} = {text};"

    def integer(self, name: str, text: str) -> str:
        self.stack_bytes += 4
        return f"const int {name} = {text};"

    def counter(self, name: str, text: str) -> str:
        self.stack_bytes += 4
        return f"int {name} = {text};"

    def assignment(self, place: str, text: str) -> str:
        return f"{place} = {text};"

    def array(self, name: str, size: int) -> str:
        self.stack_bytes += size * self.bytes
        return f"{self.real} {name}[{max(1, size)}];"

    def loop(self, name: str, count: int, backward: bool = False) -> str:
        self.stack_bytes += 4
        if backward:
            return f"for (int {name} = {count - 1}; {name} >= 0; --{name}) {{"
        return f"for (int {name} = 0; {name} < {count}; ++{name}) {{"

    def while_loop(self, condition: str) -> str:
        return f"while ({condition}) {{"

    def branch(self, condition: str, first: bool) -> str:
        return f"if ({condition}) {{" if first else f"}} else if ({condition}) {{"

    def table(self, name: str, values: Sequence[float] | Sequence[int], integers: bool) -> list[str]:
        kind = "int" if integers else self.real
        texts = [str(x) if integers else self.number(float(x)) for x in values]
        return [f"static const {kind} {name}[{len(texts)}] = {{", *wrap_values(texts, self.indent), "};"]

    def signature(self, routine: Routine) -> str:
        parameters = [self._declare_parameter(x) for x in routine.inputs]
        if self.has_constants:
            parameters.append(f"const {self.prefix}_{self.model[0]} *{self.model[1]}")
        parameters += [self._declare_parameter(x) for x in routine.outputs]
        static = "static " if routine.hidden else ""
        return f"{static}void {self.prefix}_{routine.name}({', '.join(parameters)})"

    def _declare_parameter(self, argument: RoutineArgument) -> str:
        if argument.shape == ():
            return f"{self.real} {'*' if argument.output else ''}{argument.name}"
        return f"{'' if argument.output else 'const '}{self.real} {argument.name}[{max(1, argument.size)}]"

    def opening(self, routine: Routine) -> list[str]:
        self.stack_bytes, self._scalar_inputs = 0, {x.name for x in routine.inputs if x.shape == ()}
        self._arrays_used = set()
        lines = [self.signature(routine), "{"]
        if self.has_constants and isinstance(routine.body, StraightLineCode):
            self.stack_bytes += POINTER_BYTES
            lines.append(f"{self.indent}const {self.real} *const k = {self.model[1]}->k;")
        return lines

    def closing(self, routine: Routine) -> list[str]:
        if routine.hidden:
            self._largest_part = max(self._largest_part, self.stack_bytes)
        else:
            self.stack_bytes, self._largest_part = self.stack_bytes + self._largest_part, 0
        names = [x.name for x in (*routine.inputs, *routine.outputs)]
        if self.has_constants:
            names.append("k" if isinstance(routine.body, StraightLineCode) else self.model[1])
        # compilers warn of what is not read
        return [*(f"{self.indent}(void){name};" for name in names if name not in self._arrays_used), "}"]

    def call(self, routine: Routine, inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
        arguments = [
            f"{name}[0]" if x.shape == () and name not in self._scalar_inputs else name
            for x, name in zip(routine.inputs, inputs, strict=True)
        ]
        arguments += [self.model[1]] if self.has_constants else []
        self._arrays_used.update(inputs, outputs, arguments)
        return [f"{self.prefix}_{routine.name}({', '.join([*arguments, *outputs])});"]


def comment_text(text: str) -> str:
    """A text that cannot end a comment, nor be more than a line of ASCII."""
    return package_text.ascii_line(text).replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?").rstrip("\\")


def comment_lines(text: str, hanging: int = 0, width: int = 108) -> list[str]:
    """Lines of a comment."""
    return package_text.comment_lines(comment_text(text), " * ", hanging, width)


TARGET = CTarget()

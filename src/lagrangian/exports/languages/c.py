"""C99: no allocation, nothing but the mathematical library; it is C++, too."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lagrangian.exports.languages.language import FUNCTIONS, Language, Text, in_32_bits, wrapped
from lagrangian.exports.routine import Argument, Routine, Straight

_WORDS = (
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
KEYWORDS = frozenset(_WORDS.split())
# of C99 and C11, and of what these include: a header of the same name beside the code would be taken in their place
_HEADERS = (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool"
    " stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype"
    " alloca Availability corecrt crtdefs endian features newlib sal strings TargetConditionals vcruntime xlocale yvals"
)
HEADERS = frozenset(_HEADERS.split())


POINTER = 8  # bytes of an address


class C(Language):
    """`real` is "double" or "float"; `prefix` begins the names of all functions and types."""

    keywords = KEYWORDS
    model = ("constants", "constants")  # the type, after the prefix, and the name of what functions need of the model

    def __init__(self, real: str, prefix: str, has_constants: bool) -> None:
        self.real, self.prefix, self.has_constants = real, prefix, has_constants
        self.suffix = "f" if real == "float" else ""
        self.functions = {name: f"{name}f" for name in FUNCTIONS} if real == "float" else {}
        self.locals = 0  # bytes of what the function that is being written declares, and of the largest of its parts
        self._largest_part = 0
        self._read: set[str] = set()  # the arrays that the function reads or writes

    @property
    def bytes(self) -> int:
        return 4 if self.real == "float" else 8

    def number(self, x: float) -> str:
        if math.isnan(x):
            return "NAN"
        if math.isinf(x):
            return "INFINITY" if x > 0 else "(-INFINITY)"
        return f"{in_32_bits(x) if self.real == 'float' else repr(float(x))}{self.suffix}"

    def element(self, array: str, index: str | int) -> str:
        self._read.add(array)
        return f"{array}[{index}]"

    def place(self, argument: Argument, index: str | int) -> str:
        if argument.shape == ():
            self._read.add(argument.name)
            return f"*{argument.name}" if argument.output else argument.name
        return self.element(argument.name, index)

    def choice(self, condition: str, x: str, y: str) -> Text:
        return Text(f"({condition} ? {x} : {y})")

    def constant(self, name: str, text: str) -> str:
        self.locals += self.bytes
        return f"const {self.real} {name} = {text};"

    def variable(self, name: str, text: str) -> str:
        self.locals += self.bytes
        return f"{self.real} {name} = {text};"

    def integer(self, name: str, text: str) -> str:
        self.locals += 4
        return f"const int {name} = {text};"

    def counter(self, name: str, text: str) -> str:
        self.locals += 4
        return f"int {name} = {text};"

    def assignment(self, place: str, text: str) -> str:
        return f"{place} = {text};"

    def array(self, name: str, size: int) -> str:
        self.locals += size * self.bytes
        return f"{self.real} {name}[{max(1, size)}];"

    def loop(self, name: str, count: int, backward: bool = False) -> str:
        self.locals += 4
        if backward:
            return f"for (int {name} = {count - 1}; {name} >= 0; --{name}) {{"
        return f"for (int {name} = 0; {name} < {count}; ++{name}) {{"

    def repeat(self, condition: str) -> str:
        return f"while ({condition}) {{"

    def branch(self, condition: str, first: bool) -> str:
        return f"if ({condition}) {{" if first else f"}} else if ({condition}) {{"

    def table(self, name: str, values: Sequence[float] | Sequence[int], whole: bool) -> list[str]:
        kind = "int" if whole else self.real
        texts = [str(x) if whole else self.number(float(x)) for x in values]
        return [f"static const {kind} {name}[{len(texts)}] = {{", *wrapped(texts, self.indent), "};"]

    def signature(self, routine: Routine) -> str:
        given = [self._declared(x) for x in routine.inputs]
        if self.has_constants:
            given.append(f"const {self.prefix}_{self.model[0]} *{self.model[1]}")
        given += [self._declared(x) for x in routine.outputs]
        static = "static " if routine.hidden else ""
        return f"{static}void {self.prefix}_{routine.name}({', '.join(given)})"

    def _declared(self, argument: Argument) -> str:
        if argument.shape == ():
            return f"{self.real} {'*' if argument.output else ''}{argument.name}"
        return f"{'' if argument.output else 'const '}{self.real} {argument.name}[{max(1, argument.size)}]"

    def opening(self, routine: Routine) -> list[str]:
        self.locals, self._single = 0, {x.name for x in routine.inputs if x.shape == ()}
        self._read = set()
        found = [self.signature(routine), "{"]
        if self.has_constants and isinstance(routine.body, Straight):
            self.locals += POINTER
            found.append(f"{self.indent}const {self.real} *const k = {self.model[1]}->k;")
        return found

    def closing(self, routine: Routine) -> list[str]:
        if routine.hidden:
            self._largest_part = max(self._largest_part, self.locals)
        else:
            self.locals, self._largest_part = self.locals + self._largest_part, 0
        given = [x.name for x in (*routine.inputs, *routine.outputs)]
        if self.has_constants:
            given.append("k" if isinstance(routine.body, Straight) else self.model[1])
        # compilers warn of what is not read
        return [*(f"{self.indent}(void){name};" for name in given if name not in self._read), "}"]

    def call(self, routine: Routine, inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
        given = [
            f"{name}[0]" if x.shape == () and name not in self._single else name
            for x, name in zip(routine.inputs, inputs, strict=True)
        ]
        given += [self.model[1]] if self.has_constants else []
        self._read.update(inputs, outputs, given)
        return [f"{self.prefix}_{routine.name}({', '.join([*given, *outputs])});"]

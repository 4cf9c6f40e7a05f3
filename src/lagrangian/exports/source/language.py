"""How a language spells expressions, statements, arrays and routines, so that routines can be written in it.

Indices are given from 0, as numbers or as expressions of integers such as `3*i + 2`; a language that counts from 1 adds it in
`element`. Statements are single lines without indentation; a block is opened by a line and closed by `close`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from lagrangian.arguments import check_attribute_names
from lagrangian.functions.routine import Routine, RoutineArgument
from lagrangian.kernels.trace.schedule import MAX_WHOLE_OPERATIONS

# how tightly operators bind
SUM, PRODUCT, SIGN, ATOM = 1, 2, 3, 4

# functions of the mathematical library by C's names, which traces use
MATH_FUNCTIONS = ("sin", "cos", "sqrt", "exp", "log", "tanh", "asin", "acos", "atan", "atan2", "floor")


class Language(ABC):
    """The spelling of expressions, statements and arrays in one language."""

    keywords: frozenset[str]
    indent = "    "
    max_operations = MAX_WHOLE_OPERATIONS  # of straight-line code that is one function; longer code is cut into several
    max_expression_length = 100  # characters of an expression that is written in one line
    functions: Mapping[str, str] = MappingProxyType({})  # those of MATH_FUNCTIONS that have another name

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        check_attribute_names(cls, {"declares": "declares_arrays", "filled": "fill_array"})

    # -- expressions ---------------------------------------------------------------------------------------------------

    def number(self, x: float) -> str:
        """A number, to its last digit."""
        return repr(x)

    @abstractmethod
    def element(self, array: str, index: str | int) -> str:
        """An entry of an array, to read or to assign to."""

    def formula(self, operation: str, operands: Sequence[ExpressionText]) -> ExpressionText:
        """An operation of a trace; arguments of `choose` and `by_sign` are names or numbers."""
        match operation:
            case "add":
                return ExpressionText(f"{operands[0].in_context(SUM)} + {operands[1].in_context(PRODUCT)}", SUM)
            case "sub":
                return ExpressionText(f"{operands[0].in_context(SUM)} - {operands[1].in_context(PRODUCT)}", SUM)
            case "mul":
                return ExpressionText(f"{operands[0].in_context(PRODUCT)}*{operands[1].in_context(SIGN)}", PRODUCT)
            case "div":
                return ExpressionText(f"{operands[0].in_context(PRODUCT)}/{operands[1].in_context(SIGN)}", PRODUCT)
            case "neg":
                return ExpressionText(f"-{operands[0].in_context(ATOM)}", SIGN)
            case "touch":
                return operands[0]
            case "choose":
                a, b, x, y = (g.text for g in operands)
                return self.choice(f"{a} < {b}", x, y)
            case "by_sign":
                x, forth, back = (g.text for g in operands)
                return self.choice(f"{x} > {self.number(0.0)}", forth, self._backward(x, back))
        name = self.functions.get(operation, operation)
        return ExpressionText(f"{name}({', '.join(g.text for g in operands)})")

    def _backward(self, x: str, back: str) -> str:
        return self.choice(f"{x} < {self.number(0.0)}", back, x).text

    @abstractmethod
    def choice(self, condition: str, x: str, y: str) -> ExpressionText:
        """x where the condition holds, else y."""

    # -- statements ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def constant(self, name: str, text: str) -> str:
        """A number with a name, which does not change."""

    @abstractmethod
    def variable(self, name: str, text: str) -> str:
        """A number with a name, which is assigned to again."""

    @abstractmethod
    def integer(self, name: str, text: str) -> str:
        """A whole number with a name, which does not change."""

    @abstractmethod
    def counter(self, name: str, text: str) -> str:
        """A whole number with a name, which is assigned to again."""

    @abstractmethod
    def assignment(self, place: str, text: str) -> str: ...

    @abstractmethod
    def array(self, name: str, size: int) -> str:
        """An array of zeros."""

    @abstractmethod
    def loop(self, name: str, count: int, backward: bool = False) -> str:
        """Open a block that is run for 0, 1, ... count - 1, or backward."""

    @abstractmethod
    def while_loop(self, condition: str) -> str:
        """Open a block that is run as long as a condition holds."""

    @abstractmethod
    def branch(self, condition: str, first: bool) -> str:
        """Open a block that is run if a condition holds; if not `first`, it follows another such block, and is its else."""

    close: str | None = "}"  # the line that ends a block, if there is one
    chained = True  # whether a branch that is not the first takes the place of the line that ends the block before it

    @abstractmethod
    def table(self, name: str, values: Sequence[float] | Sequence[int], integers: bool) -> list[str]:
        """Numbers that are part of the code; whole ones are indices."""

    # -- routines ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def opening(self, routine: Routine) -> list[str]:
        """The lines that open the function of a routine, with arrays for its outputs where the language has none."""

    @abstractmethod
    def closing(self, routine: Routine) -> list[str]:
        """The lines that end the function of a routine, and give its outputs."""

    @abstractmethod
    def call(self, routine: Routine, inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
        """A call of a routine; its inputs and outputs are arrays, of which single numbers are the first entries."""

    declares_arrays = True  # whether arrays of a sequence are there before they are filled

    def fill_array(self, name: str, places: Sequence[str], texts: Sequence[str]) -> list[str]:
        """Assign to all entries of an array of a sequence; the texts are names."""
        return [self.assignment(place, text) for place, text in zip(places, texts, strict=True)]

    def results(self, routine: Routine, texts: Sequence[str]) -> list[str]:
        """Assign to all outputs of a routine at once; the texts are names."""
        places = (self.place(x, k) for x in routine.outputs for k in range(x.size))
        return [self.assignment(place, text) for place, text in zip(places, texts, strict=True)]

    def place(self, argument: RoutineArgument, index: str | int) -> str:
        """An entry of an input or output, as if it were one row."""
        return self.element(argument.name, index)

    def entry(self, argument: RoutineArgument, row: str, column: str) -> str:
        """An entry of a matrix."""
        return self.place(argument, f"({row})*{argument.shape[1]} + {column}")


class DynamicLanguage(Language):
    """A language whose names are not declared: all statements are assignments."""

    statement_end = ""  # what ends a statement

    def assignment(self, place: str, text: str) -> str:
        return f"{place} = {text}{self.statement_end}"

    def constant(self, name: str, text: str) -> str:
        return self.assignment(name, text)

    def variable(self, name: str, text: str) -> str:
        return self.assignment(name, text)

    def integer(self, name: str, text: str) -> str:
        return self.assignment(name, text)

    def counter(self, name: str, text: str) -> str:
        return self.assignment(name, text)


class ExpressionText(NamedTuple):
    """An expression, and how tightly its outermost operator binds."""

    text: str
    precedence: int = ATOM

    def in_context(self, precedence: int) -> str:
        """The text, in parentheses if the operator around it binds more tightly."""
        return self.text if self.precedence >= precedence else f"({self.text})"


def one_based_index(index: str | int) -> str:
    """An index of a language that counts from 1."""
    if isinstance(index, int):
        return str(index + 1)
    leading_terms, plus, last = index.rpartition(" + ")
    return f"{leading_terms} + {int(last) + 1}" if plus and last.isdigit() else f"{index} + 1"


def single_precision_literal(x: float) -> str:
    """A number in as many digits as a number of 32 bits has."""
    text = f"{x:.9g}"
    return text if any(c in text for c in ".en") else f"{text}.0"


def wrap_values(texts: Sequence[str], indent: str = "", width: int = 110, comma: str = ", ") -> list[str]:
    """Values separated by commas, in lines."""
    lines, line = [], ""
    for text in texts:
        if line and len(line) + len(text) > width:
            lines.append(indent + line.rstrip())
            line = ""
        line += text + comma
    return [*lines, indent + line.removesuffix(comma)] if line else lines

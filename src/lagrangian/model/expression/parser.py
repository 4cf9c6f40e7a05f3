"""The grammar of expressions in text: which numbers, names, marks and calls may stand where.

It knows nothing of what an expression is made of: names stand for any values, and a function is told to apply each operation.

    sum     := product (('+' | '-') product)*
    product := power (('*' | '/') power)*
    power   := ('+' | '-') power | atom (('^' | '**') power)?
    atom    := number | name | name '(' sum (',' sum)* ')' | '(' sum ')' | 'piecewise' '(' cases ')'
    cases   := (condition ',' sum ',')+ sum
    condition := sum ('<' | '<=' | '>' | '>=') sum
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lagrangian.errors import DescriptionError, one_of

MAX_LENGTH = 10_000
MAX_DEPTH = 100
COMPARISONS = ("<", "<=", ">", ">=")
MAX_PARTS = 300  # numbers, names and marks: a longer sum would nest too deeply to print

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*(?:\.\w+)*)|(?P<mark>\*\*|[<>]=?|[-+*/^(),]))"
)


@dataclass(frozen=True)
class Grammar:
    """What the text may name, and how its parts are put together: `apply("+", a, b)` is their sum."""

    names: Mapping[str, Any]
    constants: Mapping[str, Any]  # names that are known unless others hide them
    functions: Mapping[str, int | None]  # with the number of their arguments; None of `piecewise`, which has conditions
    apply: Callable[..., Any]

    def read(self, text: str) -> Any:
        """What an expression in text stands for."""
        if len(text) > MAX_LENGTH:
            raise DescriptionError(f"an expression of {len(text)} characters is longer than the {MAX_LENGTH} allowed")
        parser = _Parser(text, self)
        if not parser.tokens:
            raise DescriptionError("an expression is empty; a number or an expression is needed")
        result = parser.sum()
        if parser.position < len(parser.tokens):
            raise parser.error(f"'{parser.peek()}' is not expected there")
        return result


class _Parser:
    def __init__(self, text: str, grammar: Grammar) -> None:
        self.text = text
        self.grammar = grammar
        self.tokens = list(self._tokenise())
        if len(self.tokens) > MAX_PARTS:
            raise self.error(f"it has {len(self.tokens)} parts, more than the {MAX_PARTS} allowed; name parts as parameters")
        self.position = 0
        self.depth = 0

    def _tokenise(self) -> Iterator[tuple[str, str]]:
        text, at = self.text.rstrip(), 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if not match:
                raise self.error(f"'{text[at:].strip()[:12]}' is not understood at column {at + 1}")
            yield str(match.lastgroup), match.group(str(match.lastgroup))
            at = match.end()

    def error(self, message: str, *, grammar: bool = True) -> DescriptionError:
        shown = self.text if len(self.text) <= 60 else self.text[:57] + "..."
        parts = f"numbers, names, + - * / ^, parentheses and the functions {', '.join(self.grammar.functions)}"
        more = f"an expression is {parts}" if grammar else ""
        return DescriptionError(f"in the expression '{shown}': {message}", remedy=more)

    def peek(self) -> str:
        return self.tokens[self.position][1] if self.position < len(self.tokens) else ""

    def take(self) -> tuple[str, str]:
        if self.position >= len(self.tokens):
            raise self.error("it ends too early")
        self.position += 1
        return self.tokens[self.position - 1]

    def expect(self, mark: str) -> None:
        if self.peek() != mark:
            raise self.error(f"'{mark}' is missing")
        self.position += 1

    def sum(self) -> Any:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"it is nested more than {MAX_DEPTH} deep")
        result = self.product()
        while self.peek() in ("+", "-"):
            sign = self.take()[1]
            result = self.grammar.apply(sign, result, self.product())
        self.depth -= 1
        return result

    def product(self) -> Any:
        result = self.power()
        while self.peek() in ("*", "/"):
            sign = self.take()[1]
            result = self.grammar.apply(sign, result, self.power())
        return result

    def power(self) -> Any:
        negative = False
        while self.peek() in ("+", "-"):
            negative ^= self.take()[1] == "-"
        result = self.atom()
        if self.peek() in ("^", "**"):
            self.take()
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise self.error(f"it is nested more than {MAX_DEPTH} deep")
            result = self.grammar.apply("^", result, self.power())
            self.depth -= 1
        if not negative:
            return result
        return -result

    def atom(self) -> Any:
        kind, token = self.take()
        if kind == "number":
            return int(token) if token.isdigit() and len(token) < 16 else float(token)
        if token == "(":
            result = self.sum()
            self.expect(")")
            return result
        if kind == "mark":
            raise self.error(f"'{token}' is not expected there")
        names, constants = self.grammar.names, self.grammar.constants
        if token in names:
            return names[token]
        if self.peek() == "(":
            return self.call(token)
        if token in constants:
            return constants[token]
        raise self.error(one_of("name", token, [*names, *constants]))

    def call(self, function: str) -> Any:
        functions = self.grammar.functions
        if function not in functions:
            raise self.error(one_of("function", function, functions), grammar=False)  # which lists the functions too
        self.expect("(")
        wanted = functions[function]
        if wanted is None:
            return self.cases(function)
        arguments = [self.sum()]
        while self.peek() == ",":
            self.take()
            arguments.append(self.sum())
        self.expect(")")
        if len(arguments) != wanted:
            raise self.error(f"{function} takes {wanted} argument{'s' * (wanted > 1)}, not {len(arguments)}")
        return self.grammar.apply(function, *arguments)

    def cases(self, function: str) -> Any:
        """Values with the conditions under which they hold, the first that does counting, and at last the value otherwise."""
        found: list[tuple[Any, bool, Any]] = []
        while True:
            value = self.sum()
            mark = self.peek()
            if mark not in COMPARISONS:
                break
            self.take()
            other = self.sum()
            # a < b holds where b - a is positive; a <= b where a - b is not
            above, holds = other - value if mark in ("<", ">=") else value - other, mark in ("<", ">")
            self.expect(",")
            found.append((above, holds, self.sum()))
            self.expect(",")
        if not found:
            raise self.error(f"{function} takes conditions with values, and a value otherwise: {function}(t < 5, 1, t < 8, 2, 0)")
        self.expect(")")
        for above, holds, x in reversed(found):
            value = self.grammar.apply(function, above, *((x, value) if holds else (value, x)))
        return value

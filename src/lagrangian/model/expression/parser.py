"""The grammar of expressions in text: which numbers, names, marks and calls may stand where.

It knows nothing of what an expression is made of: names stand for any values, and a function is told to apply each operation.

    sum     := product (('+' | '-') product)*
    product := power (('*' | '/') power)*
    power   := ('+' | '-') power | atom (('^' | '**') power)?
    atom    := number | name | '`' any name '`' | name '(' sum (',' sum)* ')' | '(' sum ')' | 'piecewise' '(' cases ')'
    cases   := (condition ',' sum ',')+ sum
    condition := sum ('<' | '<=' | '>' | '>=') sum

Names that are not letters and digits, as joints of robot files have them, stand between backquotes: `left-hip`.
A grammar with `implicit_products` takes what stands side by side as a product, too, as formulas are printed: `2 m l^2`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from lagrangian.errors import DescriptionError, unknown_name_message

MAX_LENGTH = 10_000
MAX_DEPTH = 100
COMPARISONS = ("<", "<=", ">", ">=")
MAX_TOKENS = 300  # numbers, names and marks: a longer sum would nest too deeply to print

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d]\w*(?:(?:\.|::)\w+)*)"  # `joint.x` is a coordinate of a joint, `arm::joint` a joint of a model
    r"|(?P<quoted>`[^`]+`)"
    r"|(?P<mark>\*\*|[<>]=?|[-+*/^(),]))"
)


_UNITS = ("deg", "rad", "rev", "rpm", "mm", "cm", "m", "ms", "s", "kg", "g")  # that people write behind a number
_PLAIN_NAME = re.compile(r"[^\W\d]\w*(?:\.\w+)*")


def quote_name(name: str) -> str:
    """A name as an expression has it."""
    return name if _PLAIN_NAME.fullmatch(name) else f"`{name}`"


class Token(NamedTuple):
    """A number, a name or a mark, and the column in which it begins, from 1."""

    kind: str
    text: str
    column: int


def parse_number(text: str) -> int | float:
    """A number as an expression has it."""
    return int(text) if text.isdigit() and len(text) < 16 else float(text)


@dataclass(frozen=True)
class Grammar:
    """What the text may name, and how its parts are put together: `apply("+", a, b)` is their sum."""

    names: Mapping[str, Any]
    constants: Mapping[str, Any]  # names that are known unless others hide them
    # with the number of their arguments, or the numbers they may have; None of `piecewise`, which has conditions
    functions: Mapping[str, int | tuple[int, ...] | None]
    apply: Callable[..., Any]
    parse_number: Callable[[str], Any] = parse_number
    translate_token: Callable[[Token], Iterator[Token]] | None = None  # what a token of another spelling stands for
    token: re.Pattern[str] = _TOKEN
    implicit_products: bool = False  # whether what stands side by side is a product
    max_tokens: int = MAX_TOKENS
    column: int = 0  # before which the text begins, if it is a part of a line

    def parse(self, text: str) -> Any:
        """What an expression in text stands for."""
        longest = MAX_LENGTH * self.max_tokens // MAX_TOKENS
        if len(text) > longest:
            raise DescriptionError(f"an expression has {len(text)} characters; at most {longest} are allowed")
        parser = _Parser(text, self)
        if not parser.tokens:
            raise DescriptionError("an expression is empty; write a number or an expression")
        result = parser.sum()
        if parser.position < len(parser.tokens):
            raise parser.error(f"'{parser.peek()}' is not expected here", remedy=parser.unit_remedy())
        return result


class _Parser:
    def __init__(self, text: str, grammar: Grammar) -> None:
        self.text = text
        self.grammar = grammar
        self.position = 0
        self.depth = 0
        self.tokens = list(self._tokenise())
        if len(self.tokens) > grammar.max_tokens:
            allowed = f"and at most {grammar.max_tokens} are allowed; give parts of it names, as parameters"
            raise self.error(f"it has {len(self.tokens)} parts, {allowed}", column=0)

    def _tokenise(self) -> Iterator[Token]:
        text, position, translate = self.text.rstrip(), 0, self.grammar.translate_token
        while position < len(text):
            match = self.grammar.token.match(text, position)
            if not match:
                start = position + len(text[position:]) - len(text[position:].lstrip())
                raise self.error(f"'{text[start : start + 12]}' is not understood", column=start + 1 + self.grammar.column)
            kind = str(match.lastgroup)
            token = Token(kind, match.group(kind), match.start(kind) + 1 + self.grammar.column)
            if translate is None:
                yield token
            else:
                yield from translate(token)
            position = match.end()

    def unit_remedy(self) -> str:
        """What to write in place of a unit behind a number; "" if there is none."""
        number_token, unit = self.tokens[self.position - 1], self.peek()
        if number_token.kind != "number" or unit not in _UNITS:
            return ""
        return (
            f"write {unit}({number_token.text})" if unit == "deg" else "expressions have no units; write the number in SI units"
        )

    def error(self, message: str, *, grammar: bool = True, column: int | None = None, remedy: str = "") -> DescriptionError:
        """The error at a column of the text: the next token's unless another is given, and 0 for none."""
        shortened_text = self.text if len(self.text) <= 60 else self.text[:57] + "..."
        if column is None:
            is_inside = self.position < len(self.tokens)
            column = self.tokens[self.position].column if is_inside else len(self.text.rstrip()) + 1 + self.grammar.column
        place = f" (column {column})" if column else ""
        parts = f"numbers, names, + - * / ^, parentheses and the functions {', '.join(self.grammar.functions)}"
        advice = f"an expression contains {parts}" if grammar else ""
        unquoted_name = self._unquoted_name(column - 1 - self.grammar.column) if column else ""
        if unquoted_name:
            advice = f"write a name with other characters than letters and digits between backquotes: `{unquoted_name}`"
        return DescriptionError(f"in the expression '{shortened_text}': {message}{place}", remedy=remedy or advice)

    def _unquoted_name(self, position: int) -> str:
        """The name that stands there without the backquotes it needs; or ""."""
        special_names = (name for name in self.grammar.names if not _PLAIN_NAME.fullmatch(name))
        candidates = [name for name in special_names if 0 <= self.text.find(name, max(0, position - len(name) + 1)) <= position]
        return max(candidates, key=len, default="")

    def last_column(self) -> int:
        """The column of the token that was taken last."""
        return self.tokens[self.position - 1].column

    def peek(self) -> str:
        return self.tokens[self.position].text if self.position < len(self.tokens) else ""

    def take(self) -> Token:
        if self.position >= len(self.tokens):
            raise self.error("it ends unexpectedly")
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
            sign = self.take().text
            result = self.grammar.apply(sign, result, self.product())
        self.depth -= 1
        return result

    def product(self) -> Any:
        result, divided = self.power(), False
        while self.peek() in ("*", "/") or self.has_implicit_product():
            sign = "*" if self.has_implicit_product() else self.take().text
            if divided and sign == "*" and self.tokens[self.position - 1].text != "*":
                raise self.error("the product beside the divisor is ambiguous; write * or parentheses")
            kind = self.tokens[self.position].kind if self.position < len(self.tokens) else ""
            divided = sign == "/" and kind != "number"
            result = self.grammar.apply(sign, result, self.power())
        return result

    def has_implicit_product(self) -> bool:
        """Whether a factor follows without a mark between."""
        follows = self.position < len(self.tokens) and (self.tokens[self.position].kind != "mark" or self.peek() == "(")
        return self.grammar.implicit_products and follows

    def power(self) -> Any:
        negative = False
        while self.peek() in ("+", "-"):
            negative ^= self.take().text == "-"
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
        kind, token, column = self.take()
        if kind == "number":
            return self.grammar.parse_number(token)
        if token == "(":
            result = self.sum()
            self.expect(")")
            return result
        if kind == "mark":
            raise self.error(f"'{token}' is not expected here", column=column)
        names, constants = self.grammar.names, self.grammar.constants
        if kind == "quoted" and token[1:-1] in names:
            return names[token[1:-1]]
        if token in names:
            return names[token]
        if self.peek() == "(":
            return self.call(token)
        if token in constants:
            return constants[token]
        raise self.error(unknown_name_message("name", token, [*names, *constants]), column=column)

    def call(self, function: str) -> Any:
        functions, column = self.grammar.functions, self.last_column()
        if function not in functions:
            # which lists the functions too
            raise self.error(unknown_name_message("function", function, functions), grammar=False, column=column)
        self.expect("(")
        expected = functions[function]
        if expected is None:
            return self.piecewise_cases(function)
        arguments = [self.sum()]
        while self.peek() == ",":
            self.take()
            arguments.append(self.sum())
        self.expect(")")
        counts = expected if isinstance(expected, tuple) else (expected,)
        if len(arguments) not in counts:
            problem = f"{function} takes {' or '.join(map(str, counts))} argument{'s' * (counts[-1] > 1)}, not {len(arguments)}"
            raise self.error(problem, column=column)
        return self.grammar.apply(function, *arguments)

    def piecewise_cases(self, function: str) -> Any:
        """Values with the conditions under which they hold, the first that does counting, and at last the value otherwise."""
        cases: list[tuple[Any, bool, Any]] = []
        while True:
            value = self.sum()
            mark = self.peek()
            if mark not in COMPARISONS:
                break
            self.take()
            other = self.sum()
            # a < b holds where b - a is positive; a <= b where a - b is not
            difference, is_strict = other - value if mark in ("<", ">=") else value - other, mark in ("<", ">")
            self.expect(",")
            cases.append((difference, is_strict, self.sum()))
            self.expect(",")
        if not cases:
            raise self.error(
                f"{function} takes conditions, each with a value, and a final value: {function}(t < 5, 1, t < 8, 2, 0)"
            )
        self.expect(")")
        for difference, is_strict, x in reversed(cases):
            value = self.grammar.apply(function, difference, *((x, value) if is_strict else (value, x)))
        return value

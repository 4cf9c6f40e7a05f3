"""Texts and SymPy expressions read as formulas, in all the spellings of names in which the package writes them.

A text is taken apart by the grammar of expressions, and a SymPy expression node by node; nothing is ever executed. A coordinate
goes by its own name or by its number, `theta1` or `q1`. Its rates are `qd1`, `dq1`, `q1'`, `q1_dot`, `theta1'` and `qd_theta1`,
with two marks for the second. `s12` is the sine of q1 + q2. Greek letters, indices and dots above are read as what they stand
for, and an underscore before an index may be left out: `m_1` is m1 if nothing else is called so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lagrangian.equations.reading.system import NUMBER_MEANING
from lagrangian.equations.symbols import geometric_names
from lagrangian.equations.texts.evaluation import bounded_number
from lagrangian.equations.texts.node import (
    FormulaNode,
    SymbolReference,
    expression_to_node,
    number_node,
    operation_node,
    reference_node,
)
from lagrangian.equations.writing.notation import GREEK
from lagrangian.errors import ArgumentError, DescriptionError, unknown_name_message
from lagrangian.model.expression import FUNCTIONS, Expression
from lagrangian.model.expression.parser import Grammar, Token

if TYPE_CHECKING:
    from lagrangian.equations.writing.writer import FormulaWriter


MAX_TOKENS = 60_000  # numbers, names and marks in one text
_BINARY_FUNCTIONS = ("atan2", "min", "max", "mod")
_ARGUMENT_COUNTS = {name: 2 if name in _BINARY_FUNCTIONS else 1 for name in (*FUNCTIONS, "sgn") if name != "piecewise"}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d][\w\u0300-\u036f₊₋]*(?:\.\w+)*['’′″]*)"
    r"|(?P<superscript>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?P<mark>\*\*|[-+*/^(),]|[−–·×⋅]))"
)
_PIECES = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[^⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_SUPERSCRIPTS = {c: str(k) for k, c in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_OPERATOR_MARKS = {"−": "-", "–": "-", "·": "*", "×": "*", "⋅": "*"}
_GREEK_WORDS = {letter: word for word, letter in GREEK.items()}
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-")
_DOTS = {"\u0307": "'", "\u0308": "''"}
_KINDS_BY_ORDER = {0: "coordinate", 1: "speed", 2: "acceleration"}
_ANGLE_SUM = re.compile(r"(?:m?\d)+|(?:[_m]\d+)+")
_RENAMED_FUNCTIONS = {"Abs": "abs", "Min": "min", "Max": "max"}
_SUPPORTED_FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "abs", "min", "max", "sign")


def parse_formula(text: str, writer: FormulaWriter, column: int = 0) -> FormulaNode:
    """A text as a node, in the names of the equations whose formulas `writer` writes; it begins after a `column` of its line."""
    if "=" in text:
        raise ArgumentError(
            f"the text {_shorten(text)!r} has an equals sign (column {text.index('=') + 1 + column})",
            remedy="write one side of the equation only",
        )
    grammar_options = {
        "parse_number": bounded_number,
        "translate_token": _translate_token,
        "token": _TOKEN,
        "implicit_products": True,
        "max_tokens": MAX_TOKENS,
        "column": column,
    }
    grammar = Grammar(FormulaNames(writer), {}, _ARGUMENT_COUNTS, _apply_operation, **grammar_options)  # type: ignore[arg-type]
    try:
        node: FormulaNode = grammar.parse(text)
    except DescriptionError as error:
        raise ArgumentError(error.what, remedy=error.remedy) from None
    return node


def _apply_operation(operation: str, *parts: FormulaNode) -> FormulaNode:
    if operation == "deg":
        return FormulaNode(
            "*",
            parts[0],
            reference_node(SymbolReference("symbol", "pi")),
            FormulaNode("inverse", number_node(180)),
        )
    return operation_node("sign" if operation == "sgn" else operation, *parts)


def _translate_token(token: Token) -> Iterator[Token]:
    """A token in plain letters; superscripts, which `\\w` takes as a part of a name, become tokens of their own."""
    match token.kind:
        case "mark":
            yield token._replace(text=_OPERATOR_MARKS.get(token.text, token.text))
        case "superscript":
            yield from _superscript_tokens(token.text, token.column)
        case "name":
            column = token.column
            for piece in _PIECES.findall(token.text):
                yield from (
                    _superscript_tokens(piece, column)
                    if piece[0] in _SUPERSCRIPTS
                    else (Token("name", plain_name(piece), column),)
                )
                column += len(piece)
        case _:
            yield token


def _superscript_tokens(text: str, column: int) -> Iterator[Token]:
    yield Token("mark", "^", column)
    yield Token("number", "".join(_SUPERSCRIPTS[c] for c in text), column)


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def sympy_to_node(x: Any, writer: FormulaWriter) -> FormulaNode:
    """A SymPy expression as a node. Symbols go by their names; functions of t and their derivatives are coordinates and rates."""
    import sympy

    names = FormulaNames(writer)

    def look_up(word: str) -> FormulaNode:
        if word not in names:
            raise ArgumentError(f"in the SymPy expression: {unknown_name_message('name', word, names)}")
        return names[word]

    def convert(x: Any) -> FormulaNode:
        if x.is_Rational:
            return number_node(f"{x.p}/{x.q}")
        if x.is_Float:
            return number_node(str(x))
        if x is sympy.pi:
            return reference_node(SymbolReference("symbol", "pi"))
        if x.is_Symbol:
            return look_up(x.name)
        if x.is_Add or x.is_Mul:
            return FormulaNode("+" if x.is_Add else "*", *map(convert, x.args))
        if x.is_Pow:
            base, exponent = x.args
            return (
                FormulaNode("exp", convert(exponent)) if base is sympy.E else FormulaNode("^", convert(base), convert(exponent))
            )
        if isinstance(x, sympy.Derivative):
            return convert_derivative(x)
        word = type(x).__name__
        word = _RENAMED_FUNCTIONS.get(word, word)
        if isinstance(x, sympy.core.function.AppliedUndef):  # a coordinate as a function of time
            return look_up(word)
        if word not in _SUPPORTED_FUNCTIONS:
            raise ArgumentError(f"in the SymPy expression: {unknown_name_message('function', word, _SUPPORTED_FUNCTIONS)}")
        return FormulaNode(word, *map(convert, x.args))

    def convert_derivative(x: Any) -> FormulaNode:
        orders = [count for variable, count in x.variable_count if str(variable) == "t"]
        if len(orders) != len(x.variable_count) or sum(orders) > 2:
            raise ArgumentError(f"in the SymPy expression: {x} is not a first or second time derivative of a coordinate")
        return look_up(type(x.expr).__name__ + "'" * int(sum(orders)))

    return convert(x)


class FormulaNames(Mapping[str, FormulaNode]):
    """What each name stands for: a mapping in which the parser looks names up."""

    def __init__(self, writer: FormulaWriter) -> None:
        self.system, self.writer = writer.system, writer
        self._coordinate_index = {name: k for k, name in enumerate(self.system.coordinates)}
        self._nodes = self._symbol_nodes()
        self._names_without_underscores: dict[str, list[str]] = {}
        for name in (*self._nodes, *self._coordinate_index):
            self._names_without_underscores.setdefault(_without_underscores(name), []).append(name)

    def _symbol_nodes(self) -> dict[str, FormulaNode]:
        """Parameters and the like by their printed names, including those of the mechanism that are in no equation."""
        scalars, nodes = self.system.scalars, {}
        mechanism = self.system.mechanism
        parameter_names = set(mechanism.parameters) if self.system.symbols == "given" else geometric_names(mechanism)
        for name, x in mechanism.parameters.items():
            if name in parameter_names:
                nodes[name] = expression_to_node(x, self.resolve_symbol)
        for name, value in scalars.parameter_values.items():  # those in angles and functions
            nodes.setdefault(name, reference_node(SymbolReference("symbol", name, value=value)))
        for printed_name, symbol in zip(self.writer.names, scalars.ring.symbols, strict=True):
            if symbol.kind in ("parameter", "inertial", "load", "time") and symbol.meaning != NUMBER_MEANING:
                nodes[printed_name] = reference_node(SymbolReference("symbol", symbol.name, value=symbol.value))
                if symbol.kind == "parameter" and symbol.meaning not in self._coordinate_index:
                    nodes.setdefault(symbol.meaning, nodes[printed_name])
        for k, speed in enumerate(self.writer.speeds):  # in place of rates
            nodes[speed], nodes[f"{speed}'"] = (
                reference_node(SymbolReference("speed", speed, k)),
                reference_node(SymbolReference("acceleration", speed, k)),
            )
        nodes.setdefault("t", reference_node(SymbolReference("symbol", "t")))
        nodes.setdefault("pi", reference_node(SymbolReference("symbol", "pi")))
        return nodes

    def resolve_symbol(self, x: Expression) -> SymbolReference:
        """What a symbol in an expression of the model stands for."""
        if x.value is None:
            return (
                SymbolReference("coordinate", x.name, self._coordinate_index[x.name])
                if x.name in self._coordinate_index
                else SymbolReference("symbol", x.name)
            )
        return SymbolReference("symbol", self.system.scalars.free_name(x.name), value=x.value)

    def __getitem__(self, word: str) -> FormulaNode:
        node = self._find(word)
        if node is None:
            raise KeyError(word)
        return FormulaNode("+", node) if node.operation != "reference" else node  # a sum or product that is listed may grow

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._find(word) is not None

    def __iter__(self) -> Iterator[str]:
        """The names that a message lists where a name is unknown; other spellings are read, too."""
        yield from self._coordinate_index
        yield from (name for name in self._nodes if not name.startswith("load_"))
        yield from (f"qd{k + 1}" for k in range(self.system.n))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _find(self, word: str) -> FormulaNode | None:
        if word in self._nodes:
            return self._nodes[word]
        reference = self._find_state(word) or self._find_sine(word) or self._find_sign(word)
        if reference is not None:
            return reference_node(reference)
        candidates = self._names_without_underscores.get(_without_underscores(word), [])
        return self._find(candidates[0]) if len(candidates) == 1 and candidates[0] != word else None

    def _find_state(self, word: str) -> SymbolReference | None:
        """A coordinate, or its first or second derivative."""
        letters = word.rstrip("'")
        marks = len(word) - len(letters)
        k = self._find_coordinate(letters)
        if self.writer.speeds:
            return SymbolReference("coordinate", word, k) if k is not None and not marks else None
        if k is not None and marks <= 2:
            return SymbolReference(_KINDS_BY_ORDER[marks], word, k)
        if marks:
            return None
        for order in (2, 1):
            d = "d" * order
            for pattern in (rf"q{d}(\d+)", rf"q{d}_(.+)", rf"{d}_?(.+)", rf"(.+?)_?{d}ot"):
                match = re.fullmatch(pattern, word)
                if match is None:
                    continue
                base = f"q{match[1]}" if pattern == rf"q{d}(\d+)" else match[1]
                k = self._find_coordinate(base)
                if k is not None:
                    return SymbolReference(_KINDS_BY_ORDER[order], word, k)
        return None

    def _find_coordinate(self, word: str) -> int | None:
        """The index of a coordinate, by its own name, which comes first, or by its number."""
        if word in self._coordinate_index:
            return self._coordinate_index[word]
        match = re.fullmatch(r"q_?(\d+)", word)
        if match and 1 <= int(match[1]) <= self.system.n:
            return int(match[1]) - 1
        candidates = [
            name for name in self._names_without_underscores.get(_without_underscores(word), []) if name in self._coordinate_index
        ]
        return self._coordinate_index[candidates[0]] if len(candidates) == 1 else None

    def _find_sine(self, word: str) -> SymbolReference | None:
        """The sine or cosine that s12 or c2m3 stands for, by the numbers of the coordinates."""
        for kind, prefix in zip(("sine", "cosine"), self.system.scalars.prefixes, strict=True):
            label = word.removeprefix(prefix)
            if label == word or not _ANGLE_SUM.fullmatch(label):
                continue
            wide = label[0] == "_" or self.system.n > 9
            parts = re.findall(r"[_m]?\d+" if wide else r"m?\d", label)
            multiples = [0] * self.system.n
            for part in parts:
                k = int(part.lstrip("_m")) - 1
                if not 0 <= k < self.system.n:
                    return None
                multiples[k] += -1 if part[0] == "m" else 1
            return SymbolReference(kind, word, angle=tuple((k, e) for k, e in enumerate(multiples) if e))
        return None

    def _find_sign(self, word: str) -> SymbolReference | None:
        match = re.fullmatch(r"sgn(\d+)_*", word)
        if match and 1 <= int(match[1]) <= self.system.n:
            return SymbolReference("sign", word, int(match[1]) - 1)
        return None


def _without_underscores(name: str) -> str:
    return name.replace("_", "")


def plain_name(word: str) -> str:
    """A name without Greek letters, indices below the line and dots above: θ̇₁ is theta1'."""
    letters, marks = "", ""
    for c in unicodedata.normalize("NFD", word.replace("ᴿ", "R")):
        if c in _DOTS:
            marks += _DOTS[c]
        else:
            letters += _GREEK_WORDS.get(c, c)
    letters = letters.translate(_SUBSCRIPTS).replace("’", "'").replace("′", "'").replace("″", "''")
    return letters + marks

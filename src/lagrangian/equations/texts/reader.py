"""Reads a text as a formula. Nothing in it is executed: it is taken apart by the grammar of expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lagrangian.equations.texts import node, size
from lagrangian.equations.texts.names import Names, plain
from lagrangian.equations.texts.node import Node
from lagrangian.errors import ArgumentError, DescriptionError
from lagrangian.model.expression import FUNCTIONS
from lagrangian.model.expression.parser import Grammar, Token

if TYPE_CHECKING:
    from lagrangian.equations.writing.writer import Writer

PARTS = 60_000  # numbers, names and marks in one text
_TWO = ("atan2", "min", "max", "mod")
_ARGUMENTS = {name: 2 if name in _TWO else 1 for name in (*FUNCTIONS, "sgn") if name != "piecewise"}
_HIGH = {c: str(k) for k, c in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_MARKS = {"−": "-", "–": "-", "·": "*", "×": "*", "⋅": "*"}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d][\w\u0300-\u036f₊₋]*(?:\.\w+)*['’′″]*)"
    r"|(?P<high>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?P<mark>\*\*|[-+*/^(),]|[−–·×⋅]))"
)
_PIECES = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[^⁰¹²³⁴⁵⁶⁷⁸⁹]+")


def read(text: str, writer: Writer, column: int = 0) -> Node:
    """What a text says of the equations whose formulas `writer` writes; in its line it begins after a `column`."""
    if "=" in text:
        raise ArgumentError(
            f"the text {_short(text)!r} has an equals sign (column {text.index('=') + 1 + column})",
            remedy="write one side of the equation only",
        )
    spelling = {
        "number": size.number,
        "respelled": _respelled,
        "token": _TOKEN,
        "adjacent": True,
        "parts": PARTS,
        "column": column,
    }
    grammar = Grammar(Names(writer), {}, _ARGUMENTS, _applied, **spelling)  # type: ignore[arg-type]
    try:
        made: Node = grammar.read(text)
    except DescriptionError as error:
        raise ArgumentError(error.what, remedy=error.remedy) from None
    return made


def _applied(operation: str, *parts: Node) -> Node:
    if operation == "deg":
        return Node("*", parts[0], node.thing(node.Thing("symbol", "pi")), Node("inverse", node.number(180)))
    return node.apply("sign" if operation == "sgn" else operation, *parts)


def _respelled(token: Token) -> Iterator[Token]:
    """A token in plain letters; powers above the line, which `\\w` takes as a part of a name, apart."""
    match token.kind:
        case "mark":
            yield token._replace(text=_MARKS.get(token.text, token.text))
        case "high":
            yield from _power(token.text, token.column)
        case "name":
            at = token.column
            for piece in _PIECES.findall(token.text):
                yield from _power(piece, at) if piece[0] in _HIGH else (Token("name", plain(piece), at),)
                at += len(piece)
        case _:
            yield token


def _power(text: str, column: int) -> Iterator[Token]:
    yield Token("mark", "^", column)
    yield Token("number", "".join(_HIGH[c] for c in text), column)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."

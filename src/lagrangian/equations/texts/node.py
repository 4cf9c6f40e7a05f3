"""Formulas that were read, as nodes: numbers, references to what names stand for, and operations on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lagrangian.model.expression import PI, Expression, Scalar, call
from lagrangian.model.expression.linear import exact_decimal


@dataclass(frozen=True)
class SymbolReference:
    """The meaning of a name in a formula.

    `kind` is that of a generator: coordinate, speed, acceleration, sign (of a speed), each with the coordinate's `index`;
    sine or cosine, of the sum of multiples of coordinates `angle`; or symbol: whatever else has the name `name`.
    """

    kind: str
    name: str = ""
    index: int = -1
    angle: tuple[tuple[int, int], ...] = ()
    value: float | None = None  # of a parameter


class FormulaNode:
    """An operation on nodes, a `number` or a `reference`. A sum or a product has as many parts as the text has."""

    __slots__ = ("operation", "parts")

    def __init__(self, operation: str, *parts: Any) -> None:
        self.operation, self.parts = operation, list(parts)

    def __neg__(self) -> FormulaNode:
        return FormulaNode("neg", self)

    def walk(self) -> Iterator[FormulaNode]:
        """This node and all below it."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            if node.operation not in ("number", "reference"):
                stack.extend(node.parts)

    @property
    def references(self) -> set[SymbolReference]:
        """The names that the node depends on."""
        return {node.parts[0] for node in self.walk() if node.operation == "reference"}


def number_node(x: Any) -> FormulaNode:
    return FormulaNode("number", Fraction(x))


def reference_node(x: SymbolReference) -> FormulaNode:
    return FormulaNode("reference", x)


def operation_node(operation: str, *parts: FormulaNode) -> FormulaNode:
    """The node of an operation; sums and products grow instead of nesting, however long the text is."""
    first = parts[0]
    match operation:
        case "+" | "*" if first.operation == operation:
            first.parts.append(parts[1])
            return first
        case "-":
            return operation_node("+", first, FormulaNode("neg", parts[1]))
        case "/":
            return operation_node("*", first, FormulaNode("inverse", parts[1]))
        case "**":
            return FormulaNode("^", *parts)
    return FormulaNode(operation, *parts)


def expression_to_node(x: Scalar, resolve: Callable[[Expression], SymbolReference]) -> FormulaNode:
    """A scalar of the model as a node; `resolve` gives what its symbols stand for."""
    if not isinstance(x, Expression):
        return number_node(exact_decimal(float(x)) if isinstance(x, float) else x)
    if x.operation == "number":
        return number_node(exact_decimal(float(x)))
    if x.operation == "pi":
        return reference_node(SymbolReference("symbol", "pi"))
    if x.operation == "symbol":
        return reference_node(resolve(x))
    return operation_node(x.operation, *(expression_to_node(a, resolve) for a in x.arguments))


def node_to_expression(node: FormulaNode, resolve: Callable[[SymbolReference], Scalar]) -> Scalar:
    """A node as an expression of the model; `resolve` gives the scalar for a reference."""
    if node.operation == "number":
        x: Fraction = node.parts[0]
        return x.numerator if x.denominator == 1 else call("/", x.numerator, x.denominator)
    if node.operation == "reference":
        reference: SymbolReference = node.parts[0]
        return PI if reference.name == "pi" else resolve(reference)
    parts = [node_to_expression(part, resolve) for part in node.parts]
    if node.operation == "inverse":
        return call("/", 1, parts[0])
    if node.operation not in ("+", "*"):
        return call(node.operation, *parts)
    total = parts[0]
    for part in parts[1:]:
        total = total + part if node.operation == "+" else total * part
    return total

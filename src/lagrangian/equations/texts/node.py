"""What a text says, as a tree: numbers, things with names, and operations on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lagrangian.model.expression import PI, Expression, Scalar, call
from lagrangian.model.expression.linear import exact


@dataclass(frozen=True)
class Thing:
    """What a name stands for.

    `kind` is that of a generator: coordinate, speed, acceleration, sign (of a speed), each with the coordinate's `index`;
    sine or cosine, of the sum of multiples of coordinates `angle`; or symbol: whatever else has the name `name`.
    """

    kind: str
    name: str = ""
    index: int = -1
    angle: tuple[tuple[int, int], ...] = ()
    value: float | None = None  # of a parameter


class Node:
    """An operation on nodes, a `number` or a `thing`. Sums and products have as many parts as are written."""

    __slots__ = ("operation", "parts")

    def __init__(self, operation: str, *parts: Any) -> None:
        self.operation, self.parts = operation, list(parts)

    def __neg__(self) -> Node:
        return Node("neg", self)

    def walk(self) -> Iterator[Node]:
        """Itself and all below it."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            if node.operation not in ("number", "thing"):
                stack.extend(node.parts)

    @property
    def things(self) -> set[Thing]:
        """What it depends on."""
        return {node.parts[0] for node in self.walk() if node.operation == "thing"}


def number(x: Any) -> Node:
    return Node("number", Fraction(x))


def thing(x: Thing) -> Node:
    return Node("thing", x)


def apply(operation: str, *parts: Node) -> Node:
    """The node of an operation; sums and products grow instead of nesting, however long the text is."""
    first = parts[0]
    match operation:
        case "+" | "*" if first.operation == operation:
            first.parts.append(parts[1])
            return first
        case "-":
            return apply("+", first, Node("neg", parts[1]))
        case "/":
            return apply("*", first, Node("inverse", parts[1]))
        case "**":
            return Node("^", *parts)
    return Node(operation, *parts)


def of_expression(x: Scalar, named: Callable[[Expression], Thing]) -> Node:
    """A scalar of the model as a node; `named` says what its symbols stand for."""
    if not isinstance(x, Expression):
        return number(exact(float(x)) if isinstance(x, float) else x)
    if x.operation == "number":
        return number(exact(float(x)))
    if x.operation == "pi":
        return thing(Thing("symbol", "pi"))
    if x.operation == "symbol":
        return thing(named(x))
    return apply(x.operation, *(of_expression(a, named) for a in x.arguments))


def expression(node: Node, named: Callable[[Thing], Scalar]) -> Scalar:
    """A node as an expression of the model, as the argument of a function is kept."""
    if node.operation == "number":
        x: Fraction = node.parts[0]
        return x.numerator if x.denominator == 1 else call("/", x.numerator, x.denominator)
    if node.operation == "thing":
        found: Thing = node.parts[0]
        return PI if found.name == "pi" else named(found)
    parts = [expression(part, named) for part in node.parts]
    if node.operation == "inverse":
        return call("/", 1, parts[0])
    if node.operation not in ("+", "*"):
        return call(node.operation, *parts)
    total = parts[0]
    for part in parts[1:]:
        total = total + part if node.operation == "+" else total * part
    return total

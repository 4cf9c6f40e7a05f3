"""Generated Julia run without Julia: what a real parser reads of it is spelled in Python, over arrays that count from 1.

Only what generated code uses is known; anything else is an error. Arrays take numbers of their own type alone, as in Julia, so
that code which would not run on dual numbers there does not run here either.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


class Array:
    """Counts from 1, and refuses places and numbers that it has not."""

    def __init__(self, kind: type, *shape: int) -> None:
        self.kind, self.shape = kind, shape
        self.entries = np.full(shape, kind(0), dtype=object)

    @classmethod
    def of(cls, kind: type, values: Sequence[Any]) -> Array:
        array = cls(kind, len(values))
        array.entries[:] = [kind(x) for x in values]
        return array

    def _at(self, place: int | tuple[int, ...]) -> tuple[int, ...]:
        result = place if isinstance(place, tuple) else (place,)
        if len(result) != len(self.shape) or not all(1 <= i <= n for i, n in zip(result, self.shape, strict=True)):
            raise IndexError(f"{place} of an array of {self.shape}")
        return tuple(i - 1 for i in result)

    def __getitem__(self, place: Any) -> Any:
        return self.entries[self._at(place)]

    def __setitem__(self, place: Any, value: Any) -> None:
        self.entries[self._at(place)] = convert(self.kind, value)


class Ref:
    def __init__(self, value: Any) -> None:
        self.kind, self.value = type(value), value

    def __getitem__(self, place: tuple[()]) -> Any:
        return self.value

    def __setitem__(self, place: tuple[()], value: Any) -> None:
        self.value = convert(self.kind, value)


class Dual:
    """A number and its derivative."""

    def __init__(self, value: Any, slope: float = 0.0) -> None:
        self.value, self.slope = (value.value, value.slope) if isinstance(value, Dual) else (float(value), slope)

    def __add__(self, other: Any) -> Dual:
        other = Dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other: Any) -> Dual:
        other = Dual(other)
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __sub__(self, other: Any) -> Dual:
        return self + -Dual(other)

    def __rsub__(self, other: Any) -> Dual:
        return Dual(other) + -self

    def __truediv__(self, other: Any) -> Dual:
        other = Dual(other)
        return self * Dual(1 / other.value, -other.slope / other.value**2)

    def __rtruediv__(self, other: Any) -> Dual:
        return Dual(other) / self

    def __lt__(self, other: Any) -> bool:
        return self.value < Dual(other).value

    def __gt__(self, other: Any) -> bool:
        return self.value > Dual(other).value

    __radd__, __rmul__ = __add__, __mul__


def convert(kind: type, value: Any) -> Any:
    if kind is not Dual and isinstance(value, Dual):
        raise TypeError("a dual number in an array of plain ones")
    return kind(value)


def _function(name: str) -> Callable[..., Any]:
    plain = getattr(math, name)
    slopes = {"sin": math.cos, "cos": lambda x: -math.sin(x), "sqrt": lambda x: 0.5 / math.sqrt(x), "tanh": None}

    def apply(*arguments: Any) -> Any:
        if not isinstance(arguments[0], Dual):
            return plain(*arguments)
        return Dual(plain(arguments[0].value), arguments[0].slope * slopes[name](arguments[0].value))  # type: ignore[misc]

    return apply


def _kind(x: Any) -> type:
    return x.kind if isinstance(x, Array) else type(x)


def _promoted_type(*kinds: type) -> type:
    return next(kind for kind in (Dual, float, int) if kind in kinds)


BASE: dict[str, Any] = {
    "zeros": Array,
    "Ref": Ref,
    "zero": lambda kind: kind(0),
    "eltype": _kind,
    "typeof": type,
    "promote_type": _promoted_type,
    "float_": lambda kind: float if kind is int else kind,
    "map_": lambda function, values: [function(x) for x in values],
    "sum_": lambda p: sum(vars(p).values()),
    "Float64": float,
    "Int": int,
    "parse_each": lambda kind, texts: Array.of(kind, texts),
    "split": str.split,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "nothing": None,
    "Inf": math.inf,
    "NaN": math.nan,
    "atan": lambda y, x=None: math.atan(y) if x is None else math.atan2(y, x),
    **{name: _function(name) for name in ("sin", "cos", "sqrt", "exp", "log", "tanh", "asin", "acos", "floor")},
}


class Fields:
    """A named tuple."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


def run(text: str) -> dict[str, Any]:
    """What a module defines; names that end in ! end in _inplace here."""
    import tree_sitter
    import tree_sitter_julia

    source = text.encode()
    tree = tree_sitter.Parser(tree_sitter.Language(tree_sitter_julia.language())).parse(source)
    if tree.root_node.has_error:
        raise SyntaxError("the parser of Julia finds an error")
    space = {**BASE, "Fields": Fields}
    exec("\n".join(Translation(source).top(tree.root_node)), space)
    return space


class Translation:
    def __init__(self, source: bytes) -> None:
        self.source = source

    def text(self, node: Any) -> str:
        return self.source[node.start_byte : node.end_byte].decode()

    def top(self, node: Any) -> list[str]:
        lines: list[str] = []
        for child in node.named_children:
            if child.type == "module_definition":
                lines += self.block(child.named_children[1:])
            elif child.type not in ("string_literal", "line_comment"):
                raise SyntaxError(f"{child.type} outside of the module")
        return lines

    def block(self, nodes: Sequence[Any], depth: int = 0) -> list[str]:
        lines = [line for node in nodes for line in self.statement(node, depth)]
        return lines or ["    " * depth + "pass"]

    def statement(self, node: Any, depth: int) -> list[str]:
        pad, parts = "    " * depth, node.named_children
        match node.type:
            case "string_literal" | "line_comment":
                return []
            case "const_statement":
                return self.statement(parts[0], depth)
            case "function_definition":
                call = parts[0].named_children[0]
                return [f"{pad}def {self.expression(call)}:", *self.block(parts[1:], depth + 1)]
            case "assignment" if parts[0].type == "call_expression":
                return [f"{pad}def {self.expression(parts[0])}: return {self.expression(parts[-1])}"]
            case "assignment":
                return [f"{pad}{self.expression(parts[0])} = {self.expression(parts[-1])}"]
            case "return_statement":
                return [f"{pad}return {self.expression(parts[0])}"]
            case "for_statement":
                name, _, values = parts[0].named_children
                head = f"{pad}for {self.text(name)} in {self.range(values)}:"
                return [head, *self.block(parts[1:], depth + 1)]
            case "while_statement":
                return [f"{pad}while {self.expression(parts[0])}:", *self.block(parts[1:], depth + 1)]
            case "if_statement" | "elseif_clause":
                clauses = [x for x in parts[1:] if x.type in ("elseif_clause", "else_clause")]
                own = [x for x in parts[1:] if x not in clauses]
                word = "if" if node.type == "if_statement" else "elif"
                lines = [f"{pad}{word} {self.expression(parts[0])}:", *self.block(own, depth + 1)]
                return lines + [line for x in clauses for line in self.statement(x, depth)]
            case "else_clause":
                return [f"{pad}else:", *self.block(parts, depth + 1)]
            case "call_expression":
                return [f"{pad}{self.expression(node)}"]
        raise SyntaxError(f"statement {node.type}: {self.text(node)[:60]}")

    def range(self, node: Any) -> str:
        """first:last, or first:-1:last."""
        first, last = node.named_children[0], node.named_children[-1]
        if first.type == "range_expression":
            first, step = first.named_children
            assert self.text(step) == "-1"
            return f"range({self.text(first)}, {self.text(last)} - 1, -1)"
        return f"range({self.text(first)}, {self.text(last)} + 1)"

    def expression(self, node: Any) -> str:
        parts = [x for x in node.named_children if x.type != "line_comment"]
        match node.type:
            case "identifier":
                name = self.text(node).replace("!", "_inplace")
                return {"float": "float_", "map": "map_", "sum": "sum_"}.get(name, name)
            case "integer_literal" | "float_literal" | "operator":
                return self.text(node)
            case "string_literal":
                return self.text(node)
            case "binary_expression":
                a, operator, b = parts
                return f"({self.expression(a)} {self.text(operator)} {self.expression(b)})"
            case "unary_expression":
                return f"({self.text(parts[0])}{self.expression(parts[1])})"
            case "parenthesized_expression":
                return f"({self.expression(parts[0])})"
            case "juxtaposition_expression":  # how this parser reads 0.5*(x)
                assert parts[1].type == "call_expression", self.text(node)
                return f"({self.expression(parts[0])} {self.expression(parts[1])})"
            case "ternary_expression":
                condition, x, y = map(self.expression, parts)
                return f"({x} if {condition} else {y})"
            case "index_expression":
                places = ", ".join(map(self.expression, parts[1].named_children))
                return f"{self.expression(parts[0])}[{places or '()'}]"
            case "field_expression":
                return f"{self.expression(parts[0])}.{self.text(parts[1])}"
            case "call_expression":
                return f"{self.expression(parts[0])}{self.expression(parts[1])}"
            case "broadcast_call_expression":
                return f"{self.expression(parts[0])}_each{self.expression(parts[1])}"
            case "argument_list":
                return f"({', '.join(map(self.expression, parts))})"
            case "named_argument" | "named_field":
                return f"{self.text(parts[0])}={self.expression(parts[-1])}"
            case "tuple_expression":
                return f"Fields({', '.join(map(self.expression, parts))})"
            case "open_tuple":
                return ", ".join(map(self.expression, parts))
            case "splat_expression":
                return f"*{self.expression(parts[0])}"
        raise SyntaxError(f"expression {node.type}: {self.text(node)[:60]}")

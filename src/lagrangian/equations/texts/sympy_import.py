"""SymPy expressions read as formulas, node by node: nothing is ever parsed from text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.equations.texts.names import Names
from lagrangian.equations.texts.node import Node, Thing, number, thing
from lagrangian.errors import ArgumentError, one_of

if TYPE_CHECKING:
    from lagrangian.equations.writing.writer import Writer

_FUNCTIONS = {"Abs": "abs", "Min": "min", "Max": "max"}
_KNOWN = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "abs", "min", "max", "sign")


def of_sympy(x: Any, writer: Writer) -> Node:
    """Symbols by their names; functions of t and their derivatives are coordinates and their rates."""
    import sympy

    names = Names(writer)

    def named(word: str) -> Node:
        if word not in names:
            raise ArgumentError(f"in the SymPy expression: {one_of('name', word, names)}")
        return names[word]

    def of(x: Any) -> Node:
        if x.is_Rational:
            return number(f"{x.p}/{x.q}")
        if x.is_Float:
            return number(str(x))
        if x is sympy.pi:
            return thing(Thing("symbol", "pi"))
        if x.is_Symbol:
            return named(x.name)
        if x.is_Add or x.is_Mul:
            return Node("+" if x.is_Add else "*", *map(of, x.args))
        if x.is_Pow:
            base, exponent = x.args
            return Node("exp", of(exponent)) if base is sympy.E else Node("^", of(base), of(exponent))
        if isinstance(x, sympy.Derivative):
            return of_derivative(x)
        word = type(x).__name__
        word = _FUNCTIONS.get(word, word)
        if isinstance(x, sympy.core.function.AppliedUndef):  # a coordinate as a function of time
            return named(word)
        if word not in _KNOWN:
            raise ArgumentError(f"in the SymPy expression: {one_of('function', word, _KNOWN)}")
        return Node(word, *map(of, x.args))

    def of_derivative(x: Any) -> Node:
        orders = [count for variable, count in x.variable_count if str(variable) == "t"]
        if len(orders) != len(x.variable_count) or sum(orders) > 2:
            raise ArgumentError(f"in the SymPy expression: {x} is not a first or second time derivative of a coordinate")
        return named(type(x.expr).__name__ + "'" * int(sum(orders)))

    return of(x)

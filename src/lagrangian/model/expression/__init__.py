"""Scalars of a description: how they are written as text, what they are made of, their derivatives and their functions.

Other packages import expressions from here; derivatives, functions and numbers with units have files of their own.
"""

from lagrangian.model.expression.scalar import (
    FUNCTIONS,
    PI,
    Expression,
    Scalar,
    call,
    cos,
    exact_text,
    free_symbols,
    has_pi,
    keep_symbolic,
    parameter,
    parameters,
    parse,
    sin,
    sqrt,
    substitute,
    symbol,
    walk,
)

__all__ = [
    "FUNCTIONS",
    "PI",
    "Expression",
    "Scalar",
    "call",
    "cos",
    "exact_text",
    "free_symbols",
    "has_pi",
    "keep_symbolic",
    "parameter",
    "parameters",
    "parse",
    "sin",
    "sqrt",
    "substitute",
    "symbol",
    "walk",
]

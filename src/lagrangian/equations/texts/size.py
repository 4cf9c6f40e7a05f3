"""Bounds of what a text may say, so that a short text cannot fill the memory or run without end."""

from __future__ import annotations

import re
from fractions import Fraction
from math import comb, prod
from typing import Any

from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.texts.node import Node
from lagrangian.equations.texts.node import number as node_of
from lagrangian.errors import ArgumentError

DIGITS, EXPONENT = 1000, 1000  # of a number in a text
TERMS = 30_000  # of a product of sums, expanded
BITS = 10_000  # of a coefficient
_NUMBER = re.compile(r"([\d.]+)(?:[eE]([+-]?\d+))?")


def number(text: str) -> Node:
    """A number in a text, as the exact fraction that it is."""
    match = _NUMBER.fullmatch(text)
    digits, exponent = (match[1], match[2] or "0") if match else (text, "0")
    if len(digits) > DIGITS or len(exponent) > 6 or abs(int(exponent)) > EXPONENT:
        shown = text if len(text) <= 20 else text[:17] + "..."
        raise ArgumentError(f"the number {shown} has more than {DIGITS} digits, or an exponent of more than {EXPONENT}")
    return node_of(text)


def product(a: Any, b: Any) -> Any:
    """Of two elements or numbers, unless it would have too many terms."""
    if isinstance(a, Element) and isinstance(b, Element) and min(a.terms, b.terms) > 1 and a.terms * b.terms > 20 * TERMS:
        raise _too_large(f"has {a.terms} times {b.terms} terms")
    made = a * b
    if isinstance(made, Element) and made.terms > TERMS:
        raise _too_large(f"has more than {TERMS} terms")
    return made


def power(x: Element, n: int) -> Element:
    result: Element = x.ring.one
    for _ in range(n):
        result = bounded(x.ring(product(result, x)))
    return result


def bounded(x: Element) -> Element:
    """The element, unless it has a coefficient that is too long."""
    if any(c.height_bits() > BITS for c in x.poly.coeffs()):
        raise _too_large(f"has numbers of more than {BITS} bits")
    return x


def check(node: Node) -> None:
    """Refuse an argument of a function that would have too many terms; it is expanded elsewhere."""
    if _terms(node) > TERMS:
        raise _too_large(f"has a function of more than {TERMS} terms")


def _terms(node: Node) -> int:
    """At most so many terms it has."""
    match node.operation:
        case "number" | "thing":
            return 1
        case "+":
            return sum(map(_terms, node.parts))
        case "*":
            return prod(map(_terms, node.parts))
        case "neg" | "inverse":
            return _terms(node.parts[0])
        case "^":
            base, exponent = node.parts
            n = exponent.parts[0] if exponent.operation == "number" else Fraction(1)
            t, n = min(_terms(base), TERMS + 1), min(int(abs(n)) + 1, 100)
            return comb(t + n - 1, min(n, t - 1)) if t > 1 else 1
    return max(map(_terms, node.parts))  # what it is a function of is expanded, too


def _too_large(what: str) -> ArgumentError:
    return ArgumentError(f"a formula is too large to be expanded: it {what}", remedy="compare smaller parts of it")

"""Formulas as people write them: sums of products of names, kept as a tree that is printed, counted, and evaluated back.

A product carries its rational factor apart from the others, so that signs and fractions are written where they belong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

ONE = Fraction(1)


class _Node:
    """A tree is compared by its parts. Its hash and its operators are found once: formulas of thousands of terms share parts."""

    __slots__ = ("_hash", "_operators")
    _hash: int
    _operators: int

    def _parts(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = hash(self._parts())
            return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return self._parts() == other._parts()


@dataclass(slots=True, eq=False)
class Name(_Node):
    """A symbol, by its plain name."""

    name: str

    def _parts(self) -> tuple[Any, ...]:
        return (self.name,)


@dataclass(slots=True, eq=False)
class Power(_Node):
    base: Tree
    exponent: int

    def _parts(self) -> tuple[Any, ...]:
        return (self.base, self.exponent)


@dataclass(slots=True, eq=False)
class Product(_Node):
    coefficient: Fraction
    factors: tuple[Tree, ...] = ()

    def _parts(self) -> tuple[Any, ...]:
        return (self.coefficient, self.factors)


@dataclass(slots=True, eq=False)
class Sum(_Node):
    terms: tuple[Tree, ...]

    def _parts(self) -> tuple[Any, ...]:
        return self.terms


Tree = Name | Power | Product | Sum
ZERO = Product(Fraction(0))


def number(x: Any) -> Product:
    return Product(Fraction(x))


def power(base: Tree, exponent: int) -> Tree:
    if exponent == 1:
        return base
    if isinstance(base, Product) and base.coefficient == -1 and exponent == 2:
        base = product(base.factors)
    return Power(base, exponent)


def product(factors: Iterable[Tree], coefficient: Fraction = ONE) -> Tree:
    """Products inside are joined, equal factors become powers."""
    flat: list[Tree] = []
    for factor in factors:
        if isinstance(factor, Product):
            coefficient = coefficient * factor.coefficient
            flat.extend(factor.factors)
        else:
            flat.append(factor)
    if coefficient == 0:
        return ZERO
    if len(flat) == 1 and not isinstance(flat[0], Sum):
        return flat[0] if coefficient == 1 else Product(coefficient, (flat[0],))
    powers: dict[Tree, int] = {}
    for factor in flat:
        if isinstance(factor, Sum) and is_negative(factor.terms[0]):  # then all its terms are
            factor, coefficient = negated(factor), -coefficient
        base, exponent = (factor.base, factor.exponent) if isinstance(factor, Power) else (factor, 1)
        powers[base] = powers.get(base, 0) + exponent
    joined = tuple(power(base, exponent) for base, exponent in powers.items())
    if coefficient == 1 and len(joined) == 1:
        return joined[0]
    return Product(coefficient, joined)


def add(terms: Iterable[Tree]) -> Tree:
    """Sums inside are joined; a term that leads with a minus is not put first if another can be."""
    flat: list[Tree] = []
    for term in terms:
        if isinstance(term, Sum):
            flat.extend(term.terms)
        elif not isinstance(term, Product) or term.factors or term.coefficient:
            flat.append(term)
    if not flat:
        return ZERO
    if len(flat) == 1:
        return flat[0]
    first = next((k for k, term in enumerate(flat) if not is_negative(term)), 0)
    flat = [*flat[first:], *flat[:first]]
    return Sum(tuple(flat))


def negated(tree: Tree) -> Tree:
    if isinstance(tree, Sum):
        return add(negated(term) for term in tree.terms)
    return product([tree], -ONE)


def is_negative(tree: Tree) -> bool:
    return isinstance(tree, Product) and tree.coefficient < 0


def operators(tree: Tree) -> int:
    """How many + - * / and powers the formula is written with; a leading minus is not counted."""
    try:
        return tree._operators
    except AttributeError:
        tree._operators = _operators(tree)
        return tree._operators


def _operators(tree: Tree) -> int:
    if isinstance(tree, Name):
        return 0
    if isinstance(tree, Power):
        return 1 + operators(tree.base)
    if isinstance(tree, Sum):
        return len(tree.terms) - 1 + sum(map(operators, tree.terms))
    c = tree.coefficient
    if not tree.factors:
        return int(c.denominator != 1)
    return sum(map(operators, tree.factors)) + len(tree.factors) - 1 + (abs(c.numerator) != 1) + (c.denominator != 1)


def evaluate(tree: Tree, value: Callable[[str], Any]) -> Any:
    """In any arithmetic: floats, ring elements, traced values."""
    if isinstance(tree, Name):
        return value(tree.name)
    if isinstance(tree, Power):
        base = evaluate(tree.base, value)
        result = base
        for _ in range(tree.exponent - 1):
            result = result * base
        return result
    if isinstance(tree, Sum):
        result = evaluate(tree.terms[0], value)
        for term in tree.terms[1:]:
            result = result + evaluate(term, value)
        return result
    c = tree.coefficient
    if not tree.factors:
        return c
    result = evaluate(tree.factors[0], value)
    for factor in tree.factors[1:]:
        result = result * evaluate(factor, value)
    return result if c == 1 else result * c


def names(tree: Tree, found: dict[str, None] | None = None) -> dict[str, None]:
    """The names in it, in the order in which they are met."""
    found = {} if found is None else found
    if isinstance(tree, Name):
        found[tree.name] = None
    elif isinstance(tree, Power):
        names(tree.base, found)
    else:
        for part in tree.terms if isinstance(tree, Sum) else tree.factors:
            names(part, found)
    return found

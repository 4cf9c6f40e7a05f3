"""Formulas as people write them: sums of products of names, kept as a tree that is printed, counted, and evaluated back.

A product carries its rational factor apart from the others, so that signs and fractions are written where they belong. A sparse
polynomial becomes a tree term by term, nested as Horner does with what is common taken out, or as a sum of squares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress
from math import gcd, lcm
from typing import Any

from lagrangian.equations.algebra.ring import as_fraction

ONE = Fraction(1)
Monomial = tuple[tuple[int, int], ...]  # (variable, power), variables ascending
SparsePolynomial = dict[Monomial, Fraction]
IntegerPolynomial = dict[Monomial, int]
_TermList = list[tuple[Monomial, Any]]


class _TreeNode:
    """A part of a tree, compared by its parts; its hash and operators are counted once, as long formulas share parts."""

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
class Name(_TreeNode):
    """A symbol, by its plain name."""

    name: str

    def _parts(self) -> tuple[Any, ...]:
        return (self.name,)


@dataclass(slots=True, eq=False)
class Power(_TreeNode):
    base: Tree
    exponent: int

    def _parts(self) -> tuple[Any, ...]:
        return (self.base, self.exponent)


@dataclass(slots=True, eq=False)
class Product(_TreeNode):
    coefficient: Fraction
    factors: tuple[Tree, ...] = ()

    def _parts(self) -> tuple[Any, ...]:
        return (self.coefficient, self.factors)


@dataclass(slots=True, eq=False)
class Sum(_TreeNode):
    terms: tuple[Tree, ...]

    def _parts(self) -> tuple[Any, ...]:
        return self.terms


Tree = Name | Power | Product | Sum
ZERO = Product(Fraction(0))
UNIT_TREE = Product(ONE)


def constant(x: Any) -> Product:
    return Product(Fraction(x))


def power(base: Tree, exponent: int) -> Tree:
    if exponent == 1:
        return base
    if isinstance(base, Product) and base.coefficient == -1 and exponent == 2:
        base = product(base.factors)
    return Power(base, exponent)


def product(factors: Iterable[Tree], coefficient: Fraction = ONE) -> Tree:
    """The product of trees: products inside are joined, equal factors become powers."""
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
            factor, coefficient = negate(factor), -coefficient
        base, exponent = (factor.base, factor.exponent) if isinstance(factor, Power) else (factor, 1)
        powers[base] = powers.get(base, 0) + exponent
    joined = tuple(power(base, exponent) for base, exponent in powers.items())
    if coefficient == 1 and len(joined) == 1:
        return joined[0]
    return Product(coefficient, joined)


def add(terms: Iterable[Tree]) -> Tree:
    """The sum of trees: sums inside are joined; a term that leads with a minus is not put first if another can be."""
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


def negate(tree: Tree) -> Tree:
    if isinstance(tree, Sum):
        return add(negate(term) for term in tree.terms)
    return product([tree], -ONE)


def is_negative(tree: Tree) -> bool:
    return isinstance(tree, Product) and tree.coefficient < 0


def count_operators(tree: Tree) -> int:
    """The number of + - * / and powers in the written formula; a leading minus is not counted."""
    try:
        return tree._operators
    except AttributeError:
        tree._operators = _count_operators(tree)
        return tree._operators


def _count_operators(tree: Tree) -> int:
    if isinstance(tree, Name):
        return 0
    if isinstance(tree, Power):
        return 1 + count_operators(tree.base)
    if isinstance(tree, Sum):
        return len(tree.terms) - 1 + sum(map(count_operators, tree.terms))
    c = tree.coefficient
    if not tree.factors:
        return int(c.denominator != 1)
    return sum(map(count_operators, tree.factors)) + len(tree.factors) - 1 + (abs(c.numerator) != 1) + (c.denominator != 1)


def evaluate_tree(tree: Tree, value: Callable[[str], Any]) -> Any:
    """The value of a tree in any arithmetic: floats, ring elements, traced values."""
    if isinstance(tree, Name):
        return value(tree.name)
    if isinstance(tree, Power):
        base = evaluate_tree(tree.base, value)
        result = base
        for _ in range(tree.exponent - 1):
            result = result * base
        return result
    if isinstance(tree, Sum):
        result = evaluate_tree(tree.terms[0], value)
        for term in tree.terms[1:]:
            result = result + evaluate_tree(term, value)
        return result
    c = tree.coefficient
    if not tree.factors:
        return c
    result = evaluate_tree(tree.factors[0], value)
    for factor in tree.factors[1:]:
        result = result * evaluate_tree(factor, value)
    return result if c == 1 else result * c


def tree_names(tree: Tree, names: dict[str, None] | None = None) -> dict[str, None]:
    """The names in a tree, in the order in which they first appear."""
    names = {} if names is None else names
    if isinstance(tree, Name):
        names[tree.name] = None
    elif isinstance(tree, Power):
        tree_names(tree.base, names)
    else:
        for part in tree.terms if isinstance(tree, Sum) else tree.factors:
            tree_names(part, names)
    return names


def distribute(tree: Tree) -> Tree:
    """The same tree as a sum of products of names."""
    names: list[str] = []

    def to_polynomial(tree: Tree) -> SparsePolynomial:
        if isinstance(tree, Name):
            if tree.name not in names:
                names.append(tree.name)
            return {((names.index(tree.name), 1),): ONE}
        if isinstance(tree, Sum):
            total: SparsePolynomial = {}
            for term in tree.terms:
                for monomial, c in to_polynomial(term).items():
                    total[monomial] = total.get(monomial, Fraction(0)) + c
            return {m: c for m, c in total.items() if c}
        factors = (
            [to_polynomial(tree.base)] * tree.exponent
            if isinstance(tree, Power)
            else [to_polynomial(factor) for factor in tree.factors]
        )
        product_terms: SparsePolynomial = {(): ONE if isinstance(tree, Power) else tree.coefficient}
        for factor in factors:
            product_terms = _multiply_polynomials(product_terms, factor)
        return product_terms

    return expanded_form(to_polynomial(tree), names)


def as_dict(p: Any) -> SparsePolynomial:
    """A polynomial of flint as a sparse one."""
    every = range(p.context().nvars())
    return {tuple([(k, int(m[k])) for k in compress(every, m)]): as_fraction(c) for m, c in p.terms()}


def term_tree(monomial: Monomial, coefficient: Fraction, names: Sequence[str]) -> Tree:
    """A term as a tree; no name is in it twice, so that nothing has to be joined."""
    if coefficient == 0:
        return ZERO
    factors = tuple([Name(names[k]) if e == 1 else Power(Name(names[k]), e) for k, e in monomial])
    return factors[0] if len(factors) == 1 and coefficient == 1 else Product(coefficient, factors)


def expanded_form(polynomial: SparsePolynomial, names: Sequence[str]) -> Tree:
    """A polynomial as a plain sum of terms."""
    return add(term_tree(m, c, names) for m, c in polynomial.items())


def horner_form(polynomial: SparsePolynomial, names: Sequence[str]) -> Tree:
    """A polynomial nested by greedy Horner: the variable in most terms is taken out of them, again and again."""
    if len(polynomial) < 2:
        return expanded_form(polynomial, names)
    if isinstance(next(iter(polynomial.values())), float):  # to be compiled, not read
        return _Horner(names, 0).horner_form(list(polynomial.items()))
    denominator = lcm(*(c.denominator for c in polynomial.values()))
    return _Horner(names, denominator).horner_form(
        [(m, c.numerator * (denominator // c.denominator)) for m, c in polynomial.items()]
    )


class _Horner:
    """Nests polynomials with whole coefficients, all over one denominator; if that is 0, with floats as they are."""

    def __init__(self, names: Sequence[str], denominator: int) -> None:
        self.names, self.denominator = names, denominator

    def expanded_form(self, terms: _TermList) -> Tree:
        return add(term_tree(m, self._coefficient(c), self.names) for m, c in terms)

    def _coefficient(self, c: Any) -> Any:
        if self.denominator == 1:
            return ONE if c == 1 else Fraction(c)
        return Fraction(c, self.denominator) if self.denominator else c

    def horner_form(self, terms: _TermList) -> Tree:
        if len(terms) < 2:
            return self.expanded_form(terms)
        common = dict(terms[0][0])
        for monomial, _ in terms:
            if not common:
                break
            powers = dict(monomial)
            common = {k: min(e, powers[k]) for k, e in common.items() if k in powers}
        content = self._common_factor(terms)
        if not common and content is None:
            return self._factor_most_common(terms)
        within = self
        if content is not None:
            top = content.numerator * (self.denominator // content.denominator)
            within = self if self.denominator == 1 else _Horner(self.names, 1)
            terms = [(m, c // top) for m, c in terms]
        if not common:
            return product([within._factor_most_common(terms)], content or ONE)
        outer = [power(Name(self.names[k]), e) for k, e in sorted(common.items())]
        return product([*outer, within.horner_form([(_divide_monomial(m, common), c) for m, c in terms])], content or ONE)

    def _factor_most_common(self, terms: _TermList) -> Tree:
        counts: dict[int, int] = {}
        for monomial, _ in terms:
            for k, _ in monomial:
                counts[k] = counts.get(k, 0) + 1
        chosen = max(counts, key=lambda k: (counts[k], -k), default=-1)
        if chosen < 0 or counts[chosen] < 2:
            return self.expanded_form(terms)
        inside, outside = [], []
        for pair in terms:
            for k, _ in pair[0]:
                if k == chosen:
                    inside.append(pair)
                    break
            else:
                outside.append(pair)
        first = self.horner_form(inside)
        return add([first, self.horner_form(outside)]) if outside else first

    def _common_factor(self, terms: _TermList) -> Fraction | None:
        """The rational all coefficients share, if it makes them whole numbers and is worth writing once."""
        denominator = self.denominator
        if not denominator:
            return None
        coefficients = [c for _, c in terms]
        top = gcd(*coefficients)
        negative = max(coefficients) < 0
        if top in (0, denominator):
            return -ONE if negative else None
        alike = all(abs(c) == top for c in coefficients)
        if alike or (top % denominator == 0 and 1 < top // denominator < 1000):
            return Fraction(-top if negative else top, denominator)
        return None


def _divide_monomial(monomial: Monomial, common: dict[int, int]) -> Monomial:
    return tuple([(k, e - common.get(k, 0)) for k, e in monomial if e > common.get(k, 0)])


def _multiply_polynomials(a: SparsePolynomial, b: SparsePolynomial) -> SparsePolynomial:
    product_terms: SparsePolynomial = {}
    for first, c in a.items():
        for second, d in b.items():
            powers = dict(first)
            for k, e in second:
                powers[k] = powers.get(k, 0) + e
            monomial = tuple(sorted(powers.items()))
            product_terms[monomial] = product_terms.get(monomial, Fraction(0)) + c * d
    return {m: c for m, c in product_terms.items() if c}


def sum_of_squares(polynomial: SparsePolynomial, names: Sequence[str]) -> list[Tree]:
    """A polynomial as a sum of squares: x^2 - 2 x y + y^2 is (x - y)^2; empty if it is none, or of single names alone."""
    if any(sum(e for _, e in m) != 2 for m in polynomial):
        return []
    square_terms = {m[0][0]: c for m, c in polynomial.items() if len(m) == 1}
    terms = []
    for monomial, c in polynomial.items():
        if len(monomial) == 2:
            (i, _), (j, _) = monomial
            half = abs(c) / 2
            size = square_terms.get(i, Fraction(0))
            if square_terms.get(j) != size or abs(size) != half:
                return []
            del square_terms[i], square_terms[j]
            second = product([Name(names[j])], Fraction(1 if c * size > 0 else -1))
            terms.append(product([power(add([Name(names[i]), second]), 2)], size))
    if not terms:
        return []
    return [add([*terms, *(product([power(Name(names[k]), 2)], c) for k, c in square_terms.items())])]

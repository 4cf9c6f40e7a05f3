"""A polynomial as a tree: term by term, or nested as Horner does, with what is common taken out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import compress
from math import gcd, lcm
from typing import Any

from lagrangian.equations.algebra.ring import fraction
from lagrangian.equations.writing.tree import ONE, ZERO, Name, Power, Product, Sum, Tree, add, power, product

Monomial = tuple[tuple[int, int], ...]  # (variable, power), variables ascending
Polynomial = dict[Monomial, Fraction]
Whole = dict[Monomial, int]
_Terms = list[tuple[Monomial, Any]]


def as_dict(p: Any) -> Polynomial:
    """A polynomial of flint."""
    every = range(p.context().nvars())
    return {tuple([(k, int(m[k])) for k in compress(every, m)]): fraction(c) for m, c in p.terms()}


def term(monomial: Monomial, coefficient: Fraction, names: Sequence[str]) -> Tree:
    """Names are not in it twice, so that nothing has to be joined."""
    if coefficient == 0:
        return ZERO
    factors = tuple([Name(names[k]) if e == 1 else Power(Name(names[k]), e) for k, e in monomial])
    return factors[0] if len(factors) == 1 and coefficient == 1 else Product(coefficient, factors)


def expanded(polynomial: Polynomial, names: Sequence[str]) -> Tree:
    """A plain sum of terms."""
    return add(term(m, c, names) for m, c in polynomial.items())


def nested(polynomial: Polynomial, names: Sequence[str]) -> Tree:
    """Greedy Horner: the variable in most terms is taken out of them, again and again."""
    if len(polynomial) < 2:
        return expanded(polynomial, names)
    if isinstance(next(iter(polynomial.values())), float):  # to be compiled, not read
        return _Horner(names, 0).nested(list(polynomial.items()))
    bottom = lcm(*(c.denominator for c in polynomial.values()))
    return _Horner(names, bottom).nested([(m, c.numerator * (bottom // c.denominator)) for m, c in polynomial.items()])


class _Horner:
    """Works with whole coefficients, all over one denominator; if that is 0, with floats as they are."""

    def __init__(self, names: Sequence[str], bottom: int) -> None:
        self.names, self.bottom = names, bottom

    def expanded(self, terms: _Terms) -> Tree:
        return add(term(m, self._coefficient(c), self.names) for m, c in terms)

    def _coefficient(self, c: Any) -> Any:
        if self.bottom == 1:
            return ONE if c == 1 else Fraction(c)
        return Fraction(c, self.bottom) if self.bottom else c

    def nested(self, terms: _Terms) -> Tree:
        if len(terms) < 2:
            return self.expanded(terms)
        common = dict(terms[0][0])
        for monomial, _ in terms:
            if not common:
                break
            powers = dict(monomial)
            common = {k: min(e, powers[k]) for k, e in common.items() if k in powers}
        content = self._common_factor(terms)
        if not common and content is None:
            return self._most(terms)
        within = self
        if content is not None:
            top = content.numerator * (self.bottom // content.denominator)
            within = self if self.bottom == 1 else _Horner(self.names, 1)
            terms = [(m, c // top) for m, c in terms]
        if not common:
            return product([within._most(terms)], content or ONE)
        outer = [power(Name(self.names[k]), e) for k, e in sorted(common.items())]
        return product([*outer, within.nested([(_over(m, common), c) for m, c in terms])], content or ONE)

    def _most(self, terms: _Terms) -> Tree:
        counts: dict[int, int] = {}
        for monomial, _ in terms:
            for k, _ in monomial:
                counts[k] = counts.get(k, 0) + 1
        chosen = max(counts, key=lambda k: (counts[k], -k), default=-1)
        if chosen < 0 or counts[chosen] < 2:
            return self.expanded(terms)
        inside, outside = [], []
        for pair in terms:
            for k, _ in pair[0]:
                if k == chosen:
                    inside.append(pair)
                    break
            else:
                outside.append(pair)
        first = self.nested(inside)
        return add([first, self.nested(outside)]) if outside else first

    def _common_factor(self, terms: _Terms) -> Fraction | None:
        """The rational all coefficients share, if it makes them whole numbers and is worth writing once."""
        bottom = self.bottom
        if not bottom:
            return None
        coefficients = [c for _, c in terms]
        top = gcd(*coefficients)
        negative = max(coefficients) < 0
        if top in (0, bottom):
            return -ONE if negative else None
        alike = all(abs(c) == top for c in coefficients)
        if alike or (top % bottom == 0 and 1 < top // bottom < 1000):
            return Fraction(-top if negative else top, bottom)
        return None


def _over(monomial: Monomial, common: dict[int, int]) -> Monomial:
    return tuple([(k, e - common.get(k, 0)) for k, e in monomial if e > common.get(k, 0)])


def multiplied_out(tree: Tree) -> Tree:
    """The same tree as a sum of products of names."""
    names: list[str] = []

    def of(tree: Tree) -> Polynomial:
        if isinstance(tree, Name):
            if tree.name not in names:
                names.append(tree.name)
            return {((names.index(tree.name), 1),): ONE}
        if isinstance(tree, Sum):
            total: Polynomial = {}
            for term in tree.terms:
                for monomial, c in of(term).items():
                    total[monomial] = total.get(monomial, Fraction(0)) + c
            return {m: c for m, c in total.items() if c}
        factors = [of(tree.base)] * tree.exponent if isinstance(tree, Power) else [of(factor) for factor in tree.factors]
        made: Polynomial = {(): ONE if isinstance(tree, Power) else tree.coefficient}
        for factor in factors:
            made = _multiplied(made, factor)
        return made

    return expanded(of(tree), names)


def _multiplied(a: Polynomial, b: Polynomial) -> Polynomial:
    made: Polynomial = {}
    for first, c in a.items():
        for second, d in b.items():
            powers = dict(first)
            for k, e in second:
                powers[k] = powers.get(k, 0) + e
            monomial = tuple(sorted(powers.items()))
            made[monomial] = made.get(monomial, Fraction(0)) + c * d
    return {m: c for m, c in made.items() if c}

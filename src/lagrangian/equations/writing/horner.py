"""A polynomial as a tree: term by term, or nested as Horner does, with what is common taken out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

from lagrangian.equations.writing.tree import ONE, Name, Power, Sum, Tree, add, power, product

Monomial = tuple[tuple[int, int], ...]  # (variable, power), variables ascending
Polynomial = dict[Monomial, Fraction]


def term(monomial: Monomial, coefficient: Fraction, names: Sequence[str]) -> Tree:
    return product([power(Name(names[k]), e) for k, e in monomial], coefficient)


def expanded(polynomial: Polynomial, names: Sequence[str]) -> Tree:
    """A plain sum of terms."""
    return add(term(m, c, names) for m, c in polynomial.items())


def nested(polynomial: Polynomial, names: Sequence[str]) -> Tree:
    """Greedy Horner: the variable in most terms is taken out of them, again and again."""
    if len(polynomial) < 2:
        return expanded(polynomial, names)
    common = dict(next(iter(polynomial)))
    for monomial in polynomial:
        powers = dict(monomial)
        common = {k: min(e, powers[k]) for k, e in common.items() if k in powers}
    content, rest = common_factor(polynomial)
    if common or content != 1:
        inner = {_over(m, common): c for m, c in rest.items()}
        outer = [power(Name(names[k]), e) for k, e in sorted(common.items())]
        return product([*outer, nested(inner, names) if common else _most(inner, names)], content)
    return _most(polynomial, names)


def _most(polynomial: Polynomial, names: Sequence[str]) -> Tree:
    counts: dict[int, int] = {}
    for monomial in polynomial:
        for k, _ in monomial:
            counts[k] = counts.get(k, 0) + 1
    chosen = max(counts, key=lambda k: (counts[k], -k), default=-1)
    if chosen < 0 or counts[chosen] < 2:
        return expanded(polynomial, names)
    inside = {m: c for m, c in polynomial.items() if any(k == chosen for k, _ in m)}
    outside = {m: c for m, c in polynomial.items() if m not in inside}
    first = nested(inside, names)
    return add([first, nested(outside, names)]) if outside else first


def common_factor(polynomial: Polynomial) -> tuple[Fraction, Polynomial]:
    """The rational all coefficients share, if it makes them whole numbers and is worth writing once; else 1."""
    if isinstance(next(iter(polynomial.values())), float):  # to be compiled, not read
        return Fraction(1), polynomial
    top, bottom = 0, 1
    for c in polynomial.values():
        top = gcd(top, c.numerator)
        bottom = bottom * c.denominator // gcd(bottom, c.denominator)
    shared = Fraction(top, bottom)
    if all(c < 0 for c in polynomial.values()):
        shared = -shared
    if shared in (0, 1):
        return Fraction(1), polynomial
    if abs(shared) == 1 or all(abs(c) == abs(shared) for c in polynomial.values()) or (bottom == 1 and 1 < top < 1000):
        return shared, {m: c / shared for m, c in polynomial.items()}
    return Fraction(1), polynomial


def _over(monomial: Monomial, common: dict[int, int]) -> Monomial:
    return tuple((k, e - common.get(k, 0)) for k, e in monomial if e > common.get(k, 0))


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

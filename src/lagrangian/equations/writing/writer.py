"""From an element of the ring to the formula a person would write.

The equations are linear in the inertial parameters. A formula is arranged either by these, `m2 (l1^2 + r2^2 + 2 l1 r2 c2) +
I2`, or by its trigonometric parts, `(m1 r1 + m2 l1) g c1 + m2 r2 g c12`, whichever is shorter; inside, what multiplies a
parameter is a sum of trigonometric parts again. Where it is known as a product of velocities (`structure`), that form
competes too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from lagrangian.equations.algebra.exact import turned
from lagrangian.equations.algebra.numbers import generator_values, value
from lagrangian.equations.algebra.ring import Element, fraction, rational
from lagrangian.equations.reading.system import System
from lagrangian.equations.texts.family import Family
from lagrangian.equations.writing.horner import Monomial, Polynomial, Whole, as_dict, expanded, nested, term
from lagrangian.equations.writing.notation import Notation
from lagrangian.equations.writing.squares import squares
from lagrangian.equations.writing.tree import (
    ONE,
    ZERO,
    Name,
    Power,
    Product,
    Sum,
    Tree,
    add,
    evaluate,
    negated,
    number,
    operators,
    power,
    product,
)
from lagrangian.equations.writing.trigonometry import Trigonometry

Structure = Mapping[int, Tree]  # what multiplies an inertial parameter, by its generator, in a form known from elsewhere

# formulas up to this many operators are left as a textbook has them, even if one operator could be saved
READ = 10
# polynomials up to this many terms are tried as products of sums
FACTORED = 60
# a common factor with a larger denominator comes from decimals, and is not taken out of them
PLAIN = 24
_RANK = {"inertial": 0, "parameter": 2, "sine": 4, "cosine": 4, "coordinate": 4, "speed": 6, "acceleration": 6, "sign": 6}


class Writer:
    """Writes elements of one system's ring."""

    def __init__(self, system: System, groups: Mapping[str, Mapping[str, Any]] | None = None, speeds: Sequence[str] = ()) -> None:
        """`groups` are parameters that stand for several, {name: {parameter: (numerator, denominator)}}, written with an R.

        `speeds` are the names of generalised speeds, if the ring's rates stand for these.
        """
        self.system, self.speeds = system, tuple(speeds)
        taken = {symbol.name for symbol in system.ring.symbols}
        renamed = {name: _free(f"{name}R", taken) for name, parts in (groups or {}).items() if len(parts) > 1}
        self._groups = {renamed[name]: (name, parts) for name, parts in (groups or {}).items() if name in renamed}
        self.trigonometry = Trigonometry(system.scalars)
        symbols = system.ring.symbols
        for k, speed in enumerate(speeds, 1):
            renamed |= {f"qd{k}": speed, f"qdd{k}": f"{speed}'"}
        self.names = [renamed.get(symbol.name, symbol.name) for symbol in symbols]
        self.number = {name: k for k, name in enumerate(self.names)}
        self.notation = Notation(self)
        self._weight = [symbol.kind == "inertial" for symbol in symbols]
        self._values: dict[str, Element] = {}
        self._trees: dict[Element, Tree] = {}  # of what was written: many entries are equal
        self._plains: dict[Any, tuple[Tree, Tree]] = {}  # the short form and the full one of a factor
        self._ranks: dict[str, int] = {}
        self._given_groups = groups
        self.family = Family(self)

    def wider(self, system: System) -> Writer:
        """The writer of the same formulas over a system with more generators."""
        made = Writer(system, self._given_groups, self.speeds)
        made.family = self.family
        return made

    def write(self, x: Element, structure: Structure | None = None) -> Tree:
        if structure:
            return self._written(x, structure)
        found = self._trees.get(x)
        if found is None:
            found = self._trees[x] = self._written(x, {})
        return found

    def _written(self, x: Element, structure: Structure) -> Tree:
        polynomial = sparse(x)
        if len(polynomial) < 2:
            return self._arranged(expanded(polynomial, self.names)) if polynomial else ZERO
        by_angle = self._by_angle(polynomial)
        by_weight = self._by_weight(polynomial, structure, by_angle)
        # of two equally short ones, an entry of M is arranged by masses, one of G by angles
        steady = any(not any(self.trigonometry.handles(k) for k, _ in m) for m in polynomial)
        first, second = (by_weight, by_angle) if steady else (by_angle, by_weight)
        return self._arranged(min((first, second), key=operators))

    # -- arrangements ------------------------------------------------------------------------------------------------

    def _by_weight(self, polynomial: Polynomial, structure: Structure, by_angle: Tree) -> Tree:
        """Arranged by the inertial parameters; those that multiply the same are put together.

        `by_angle` is the same arranged by angles, which is all of it where there are no such parameters.
        """
        parts: dict[int, Polynomial] = {}
        for monomial, c in polynomial.items():
            weight = next((k for k, e in monomial if e == 1 and self._weight[k]), -1)
            rest = tuple([pair for pair in monomial if pair[0] != weight])
            parts.setdefault(weight, {})[rest] = c
        groups: dict[Any, tuple[Polynomial, Fraction, list[tuple[int, Fraction]]]] = {}
        for weight in sorted(parts, key=lambda k: (k < 0, k)):
            content, primitive = normalised(parts[weight])
            # the first of a group stands with the numbers it has, the others in proportion
            first = groups.setdefault(frozenset(primitive.items()), (parts[weight], content, []))
            first[2].append((weight, content / first[1]))
        terms = []
        for polynomial, _, weights in groups.values():
            inner = self._inner(polynomial, by_angle if len(parts) == 1 and -1 in parts else None)
            for weight, content in weights:
                known = structure.get(weight)
                if known is not None:
                    known = product([known], 1 / content)
                    if operators(known) < operators(inner):
                        inner = known
            total = add(number(c) if k < 0 else product([Name(self.names[k])], c) for k, c in weights)
            if inner == number(1):
                terms.append(total)
            elif isinstance(total, Sum):
                terms.append(_times(total, inner))
            else:
                terms.append(product([total, inner]))
        return add(terms)

    def _by_angle(self, polynomial: Polynomial) -> Tree:
        """Arranged by trigonometric parts, what multiplies each put together."""
        whole = self._arranged_by_angle(polynomial, False)
        if all(c.denominator <= PLAIN for c in polynomial.values()):
            return whole
        # terms with the same decimal come from the same length: taken together they may be short
        return min((whole, self._arranged_by_angle(polynomial, True)), key=operators)

    def _arranged_by_angle(self, polynomial: Polynomial, by_number: bool) -> Tree:
        terms = []
        for part, factor in self._parts(polynomial, by_number):
            alone = part == number(1)
            multiplier = self._plain(factor, not alone)
            terms.append(multiplier if alone else _times(multiplier, part))
        return add(terms)

    def _inner(self, polynomial: Polynomial, by_angle: Tree | None = None) -> Tree:
        """What multiplies an inertial parameter."""
        if len(polynomial) == 1:
            ((m, c),) = polynomial.items()
            return term(m, c, self.names)
        plain = self._by_angle(polynomial) if by_angle is None else by_angle
        short = min((self._nested(polynomial), *self._factored(polynomial)), key=operators)
        # what a textbook would leave as it is stays, unless it becomes clearly shorter
        margin = 1 if self.system.symbols == "given" and operators(plain) <= READ else 0
        return short if operators(short) < operators(plain) - margin else plain

    def _parts(self, polynomial: Polynomial, by_number: bool) -> list[tuple[Tree, Polynomial]]:
        """Trigonometric parts in their best forms, with what multiplies them; the constant part first."""
        by_rest: dict[tuple[Monomial, int, int], Polynomial] = {}
        handled = self.trigonometry.handled
        for monomial, c in polynomial.items():
            angle = tuple([pair for pair in monomial if pair[0] in handled])
            rest = tuple([pair for pair in monomial if pair[0] not in handled])
            size = (abs(c.numerator), c.denominator) if by_number else (0, 1)
            by_rest.setdefault((rest, *size), {})[angle] = c
        found: dict[Any, tuple[Polynomial | Whole, Polynomial]] = {}
        primitive: Polynomial | Whole
        for (rest, numerator, _), angles in by_rest.items():
            content, primitive = normalised(angles)
            if numerator:
                into = found.setdefault(frozenset(primitive.items()), (primitive, {}))[1]
                into[rest] = into[rest] + content if rest in into else content
                continue
            if content.denominator > PLAIN:  # decimals stay where they are
                content, primitive = ONE, angles
            found.setdefault(frozenset(primitive.items()), (primitive, {}))[1][rest] = content
        parts = [(self.trigonometry.best(primitive), factor) for primitive, factor in found.values()]
        joined: dict[Tree, Polynomial] = {}
        for part, factor in parts:
            sign = ONE
            if not isinstance(part, (Name, Sum)) and getattr(part, "coefficient", 1) < 0:
                part, sign = negated(part), -ONE
            into = joined.setdefault(part, {})
            for m, c in factor.items():
                c = c if sign is ONE else -c
                into[m] = into[m] + c if m in into else c
        return sorted(joined.items(), key=lambda pair: pair[0] != number(1))

    def _plain(self, polynomial: Polynomial, multiplies: bool) -> Tree:
        """A polynomial without angles, as a factor or as a sum of its own."""
        if len(polynomial) > 1:
            order = sorted(polynomial, key=lambda m: next((k for k, _ in m if self._weight[k]), len(self.names)))
            polynomial = {m: polynomial[m] for m in order}
        if len(polynomial) < 2:
            return expanded(polynomial, self.names)
        key = tuple(polynomial.items())
        if key not in self._plains:
            short = min((self._nested(polynomial), *self._factored(polynomial)), key=operators)
            self._plains[key] = short, expanded(polynomial, self.names)
        short, full = self._plains[key]
        if multiplies:
            return min((short, full), key=operators)
        return short if operators(short) < operators(full) - 1 else full

    def _nested(self, polynomial: Polynomial) -> Tree:
        """In the fewest operators: by Horner's rule, or as a sum of squares."""
        return min((nested(polynomial, self.names), *squares(polynomial, self.names)), key=operators)

    def _factored(self, polynomial: Polynomial) -> list[Tree]:
        """As a product of sums, if it is one: (m2/2 + m3)(q1' + q2')."""
        if not 2 < len(polynomial) <= FACTORED or any(c.denominator > PLAIN for c in polynomial.values()):
            return []
        ring = self.system.ring
        dense = {_dense(m, len(self.names)): rational(c) for m, c in polynomial.items()}
        content, factors = ring.context.from_dict(dense).factor()
        if len(factors) < 2 and all(e == 1 for _, e in factors):
            return []
        made = []
        for f, e in factors:
            part = sparse(Element(ring, f))
            with_angles = any(self.trigonometry.handles(k) for m in part for k, _ in m)
            made.append(power(self._by_angle(part) if with_angles else self._nested(part), int(e)))
        return [product(made, fraction(content))]

    def _arranged(self, tree: Tree) -> Tree:
        """Factors in the order people write them: inertial parameters, other parameters, angles, rates."""
        if isinstance(tree, Name):
            return tree
        if isinstance(tree, Power):
            return Power(self._arranged(tree.base), tree.exponent)
        if isinstance(tree, Sum):
            return Sum(tuple(self._arranged(t) for t in tree.terms))
        return Product(tree.coefficient, tuple(sorted((self._arranged(f) for f in tree.factors), key=self._rank)))

    def _rank(self, tree: Tree) -> int:
        if isinstance(tree, Power):
            return self._rank(tree.base)
        if isinstance(tree, Name):
            found = self._ranks.get(tree.name)
            if found is None:
                found = self._ranks[tree.name] = self._rank_of_name(tree.name)
            return found
        parts = tree.terms if isinstance(tree, Sum) else tree.factors
        ranks = [self._rank(part) for part in parts]
        # a sum of masses stands before the lengths, one of angles or rates after the angles
        rank = min(ranks, default=0) if max(ranks, default=0) <= 3 else max(ranks)
        return rank + isinstance(tree, Sum)

    def _rank_of_name(self, name: str) -> int:
        if name[0].isdigit():
            return -1
        number = self.number.get(name)
        return 4 if number is None else _RANK.get(self.system.ring.symbols[number].kind, 2)

    # -- values ------------------------------------------------------------------------------------------------------

    def values(self, q: Any, qd: Any, qdd: Any, given: Mapping[str, float]) -> dict[str, float]:
        """Of every generator; a regrouped parameter, such as Izz1R, has the value of its group unless it is given itself."""
        groups = {name: x for name, x in given.items() if name in self._groups}
        plain = {name: x for name, x in given.items() if name not in groups}
        found = generator_values(self.system.scalars, q, qd, qdd, plain)
        grouped = {}
        for shown, (base, parts) in self._groups.items():
            total = sum(value(above, found) / value(below, found) * found[name] for name, (above, below) in parts.items())
            grouped[base] = groups.get(shown, total)
        return found | grouped

    # -- reading back ------------------------------------------------------------------------------------------------

    def value(self, name: str) -> Element:
        """The element a name stands for, sums of angles included."""
        found = self._values.get(name)
        if found is None:
            ring, number = self.system.ring, self.number.get(name)
            found = self._angle_sum(name) if number is None else Element(ring, ring.generators[number])
            self._values[name] = found
        return found

    def angle_of(self, name: str) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Whether a name is a sine or a cosine, and of which multiples of the coordinates."""
        return self.trigonometry.named[name]

    def _angle_sum(self, name: str) -> Element:
        kind, angle = self.angle_of(name)
        pair: Any = (1, 0)
        for k, times in angle:
            c, s = self.system.scalars.angles.coordinate_pair(k)
            for _ in range(abs(times)):
                pair = turned(pair, (c, s if times > 0 else -s))
        return self.system.ring(pair[0] if kind == "cosine" else pair[1])

    def read(self, tree: Tree) -> Element:
        """What a formula says, as an element: equal to what it was written from, or the formula is wrong."""
        return self.system.ring(evaluate(tree, self.value))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "R"
    return name


def sparse(x: Element) -> Polynomial:
    """{((generator, power), ...): coefficient}."""
    return as_dict(x.poly)


def normalised(polynomial: Polynomial) -> tuple[Fraction, Whole]:
    """Its content, and the polynomial with whole coefficients without a common factor, the first of them positive."""
    bottom = lcm(*(c.denominator for c in polynomial.values()))
    whole = {m: c.numerator * (bottom // c.denominator) for m, c in polynomial.items()}
    top = gcd(*whole.values())
    if whole[max(whole, key=_descending) if len(whole) > 1 else next(iter(whole))] < 0:
        top = -top
    return Fraction(top, bottom), {m: c // top for m, c in whole.items()}


def _dense(monomial: Monomial, size: int) -> tuple[int, ...]:
    powers = [0] * size
    for k, e in monomial:
        powers[k] = e
    return tuple(powers)


def _descending(monomial: Monomial) -> tuple[tuple[int, int], ...]:
    return tuple((-k, e) for k, e in monomial)


def _times(multiplier: Tree, part: Tree) -> Tree:
    return product([multiplier, part])

"""Writer of formulas: it turns an element of the ring into the formula that a person would write.

The equations are linear in the inertial parameters. A formula is arranged either by these, `m2 (l1^2 + r2^2 + 2 l1 r2 c2) +
I2`, or by its trigonometric parts, `(m1 r1 + m2 l1) g c1 + m2 r2 g c12`, whichever is shorter; inside, what multiplies a
parameter is a sum of trigonometric parts again.

Entries of M come from the velocities: there, what multiplies an inertial parameter is a sum of products of components of the
links' Jacobians (`JacobianTrees`). Multiplied out, `(c4 s5 (a2 c2 + ..) - ...)^2` is long; as the square it came from it is
short, and its parts are shared. So this form competes, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from lagrangian.equations.algebra.numbers import evaluate_element, generator_values
from lagrangian.equations.algebra.ring import RingElement, angle_sum, as_fraction, rational
from lagrangian.equations.derivations.lagrange import JacobianColumns
from lagrangian.equations.reading.link import SymbolicLink
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.equations.texts.family import FormulaFamily
from lagrangian.equations.writing.notation import Notation
from lagrangian.equations.writing.tree import (
    ONE,
    UNIT_TREE,
    ZERO,
    IntegerPolynomial,
    Monomial,
    Name,
    Power,
    Product,
    SparsePolynomial,
    Sum,
    Tree,
    add,
    as_dict,
    constant,
    count_operators,
    evaluate_tree,
    expanded_form,
    horner_form,
    negate,
    power,
    product,
    sum_of_squares,
    term_tree,
)
from lagrangian.equations.writing.trigonometry import Trigonometry

Structure = Mapping[int, Tree]  # what multiplies an inertial parameter, by its generator, in a form known from elsewhere

# formulas up to this many operators are left as a textbook has them, even if one operator could be saved
TEXTBOOK_OPERATORS = 10
# polynomials up to this many terms are tried as products of sums
MAX_FACTORED_TERMS = 60
# a common factor with a larger denominator comes from decimals, and is not taken out of them
MAX_PLAIN_DENOMINATOR = 24
_RANK_OF_KIND = {"inertial": 0, "parameter": 2, "sine": 4, "cosine": 4, "coordinate": 4, "speed": 6, "acceleration": 6, "sign": 6}
_SYMMETRIC_ENTRIES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


class FormulaWriter:
    """Writes elements of one system's ring."""

    def __init__(
        self, system: SymbolicSystem, groups: Mapping[str, Mapping[str, Any]] | None = None, speeds: Sequence[str] = ()
    ) -> None:
        """`groups` are the parameters that stand for several, {name: {parameter: (numerator, denominator)}}; an R marks them.

        `speeds` are the names of generalised speeds, if the ring's rates stand for these.
        """
        self.system, self.speeds = system, tuple(speeds)
        used_names = {symbol.name for symbol in system.ring.symbols}
        renamed = {name: _free_name(f"{name}R", used_names) for name, parts in (groups or {}).items() if len(parts) > 1}
        self._groups = {renamed[name]: (name, parts) for name, parts in (groups or {}).items() if name in renamed}
        self.trigonometry = Trigonometry(system.scalars)
        symbols = system.ring.symbols
        for k, speed in enumerate(speeds, 1):
            renamed |= {f"qd{k}": speed, f"qdd{k}": f"{speed}'"}
        self.names = [renamed.get(symbol.name, symbol.name) for symbol in symbols]
        self.generator_index = {name: k for k, name in enumerate(self.names)}
        self.notation = Notation(self)
        self._is_inertial = [symbol.kind == "inertial" for symbol in symbols]
        self._elements: dict[str, RingElement] = {}
        self._trees: dict[RingElement, Tree] = {}  # of what was written: many entries are equal
        self._plain_forms: dict[Any, tuple[Tree, Tree]] = {}  # the short form and the full one of a factor
        self._ranks: dict[str, int] = {}
        self._combinations = groups
        self.family = FormulaFamily(self)

    def with_system(self, system: SymbolicSystem) -> FormulaWriter:
        """The writer of the same formulas over a system with more generators."""
        writer = FormulaWriter(system, self._combinations, self.speeds)
        writer.family = self.family
        return writer

    def write(self, x: RingElement, structure: Structure | None = None) -> Tree:
        if structure:
            return self._write_uncached(x, structure)
        tree = self._trees.get(x)
        if tree is None:
            tree = self._trees[x] = self._write_uncached(x, {})
        return tree

    def _write_uncached(self, x: RingElement, structure: Structure) -> Tree:
        polynomial = sparse_polynomial(x)
        if len(polynomial) < 2:
            return self._order_factors(expanded_form(polynomial, self.names)) if polynomial else ZERO
        by_angle = self._arrange_by_angle(polynomial)
        by_weight = self._arrange_by_inertia(polynomial, structure, by_angle)
        # of two equally short ones, an entry of M is arranged by masses, one of G by angles
        is_constant = any(not any(self.trigonometry.handles(k) for k, _ in m) for m in polynomial)
        first, second = (by_weight, by_angle) if is_constant else (by_angle, by_weight)
        return self._order_factors(min((first, second), key=count_operators))

    # -- arrangements ------------------------------------------------------------------------------------------------

    def _arrange_by_inertia(self, polynomial: SparsePolynomial, structure: Structure, by_angle: Tree) -> Tree:
        """A polynomial arranged by the inertial parameters; those that multiply the same are put together.

        `by_angle` is the same arranged by angles, which is all of it where there are no such parameters.
        """
        parts: dict[int, SparsePolynomial] = {}
        for monomial, c in polynomial.items():
            inertial = next((k for k, e in monomial if e == 1 and self._is_inertial[k]), -1)
            cofactor = tuple([pair for pair in monomial if pair[0] != inertial])
            parts.setdefault(inertial, {})[cofactor] = c
        groups: dict[Any, tuple[SparsePolynomial, Fraction, list[tuple[int, Fraction]]]] = {}
        for inertial in sorted(parts, key=lambda k: (k < 0, k)):
            content, primitive = primitive_part(parts[inertial])
            # the first of a group stands with the numbers it has, the others in proportion
            first = groups.setdefault(frozenset(primitive.items()), (parts[inertial], content, []))
            first[2].append((inertial, content / first[1]))
        terms = []
        for polynomial, _, inertials in groups.values():
            inner = self._write_multiplier(polynomial, by_angle if len(parts) == 1 and -1 in parts else None)
            for inertial, content in inertials:
                known_form = structure.get(inertial)
                if known_form is not None:
                    known_form = product([known_form], 1 / content)
                    if count_operators(known_form) < count_operators(inner):
                        inner = known_form
            total = add(constant(c) if k < 0 else product([Name(self.names[k])], c) for k, c in inertials)
            if inner == UNIT_TREE:
                terms.append(total)
            else:
                terms.append(product([total, inner]))
        return add(terms)

    def _arrange_by_angle(self, polynomial: SparsePolynomial) -> Tree:
        """A polynomial arranged by trigonometric parts, with all that multiplies each put together."""
        tree = self._arrange_trigonometric_parts(polynomial, False)
        if all(c.denominator <= MAX_PLAIN_DENOMINATOR for c in polynomial.values()):
            return tree
        # terms with the same decimal come from the same length: taken together they may be short
        return min((tree, self._arrange_trigonometric_parts(polynomial, True)), key=count_operators)

    def _arrange_trigonometric_parts(self, polynomial: SparsePolynomial, by_number: bool) -> Tree:
        terms = []
        for part, factor in self._trigonometric_parts(polynomial, by_number):
            alone = part == UNIT_TREE
            multiplier = self._write_plain(factor, not alone)
            terms.append(multiplier if alone else product([multiplier, part]))
        return add(terms)

    def _write_multiplier(self, polynomial: SparsePolynomial, by_angle: Tree | None = None) -> Tree:
        """The tree of what multiplies an inertial parameter."""
        if len(polynomial) == 1:
            ((m, c),) = polynomial.items()
            return term_tree(m, c, self.names)
        plain = self._arrange_by_angle(polynomial) if by_angle is None else by_angle
        short = min((self._shortest_form(polynomial), *self._factored_forms(polynomial)), key=count_operators)
        # what a textbook would leave as it is stays, unless it becomes clearly shorter
        margin = 1 if self.system.symbols == "given" and count_operators(plain) <= TEXTBOOK_OPERATORS else 0
        return short if count_operators(short) < count_operators(plain) - margin else plain

    def _trigonometric_parts(self, polynomial: SparsePolynomial, by_number: bool) -> list[tuple[Tree, SparsePolynomial]]:
        """Trigonometric parts in their best forms, with what multiplies them; the constant part first."""
        by_cofactor: dict[tuple[Monomial, int, int], SparsePolynomial] = {}
        handled = self.trigonometry.handled_generators
        for monomial, c in polynomial.items():
            angle = tuple([pair for pair in monomial if pair[0] in handled])
            cofactor = tuple([pair for pair in monomial if pair[0] not in handled])
            size = (abs(c.numerator), c.denominator) if by_number else (0, 1)
            by_cofactor.setdefault((cofactor, *size), {})[angle] = c
        parts_by_primitive: dict[Any, tuple[SparsePolynomial | IntegerPolynomial, SparsePolynomial]] = {}
        primitive: SparsePolynomial | IntegerPolynomial
        for (cofactor, numerator, _), angles in by_cofactor.items():
            content, primitive = primitive_part(angles)
            if numerator:
                multipliers = parts_by_primitive.setdefault(frozenset(primitive.items()), (primitive, {}))[1]
                multipliers[cofactor] = multipliers[cofactor] + content if cofactor in multipliers else content
                continue
            if content.denominator > MAX_PLAIN_DENOMINATOR:  # decimals stay where they are
                content, primitive = ONE, angles
            parts_by_primitive.setdefault(frozenset(primitive.items()), (primitive, {}))[1][cofactor] = content
        parts = [(self.trigonometry.shortest_form(primitive), factor) for primitive, factor in parts_by_primitive.values()]
        joined: dict[Tree, SparsePolynomial] = {}
        for part, factor in parts:
            sign = ONE
            if not isinstance(part, (Name, Sum)) and getattr(part, "coefficient", 1) < 0:
                part, sign = negate(part), -ONE
            multipliers = joined.setdefault(part, {})
            for m, c in factor.items():
                c = c if sign is ONE else -c
                multipliers[m] = multipliers[m] + c if m in multipliers else c
        return sorted(joined.items(), key=lambda pair: pair[0] != UNIT_TREE)

    def _write_plain(self, polynomial: SparsePolynomial, multiplies: bool) -> Tree:
        """A polynomial without angles, as a factor or as a sum of its own."""
        if len(polynomial) > 1:
            order = sorted(polynomial, key=lambda m: next((k for k, _ in m if self._is_inertial[k]), len(self.names)))
            polynomial = {m: polynomial[m] for m in order}
        if len(polynomial) < 2:
            return expanded_form(polynomial, self.names)
        key = tuple(polynomial.items())
        if key not in self._plain_forms:
            short = min((self._shortest_form(polynomial), *self._factored_forms(polynomial)), key=count_operators)
            self._plain_forms[key] = short, expanded_form(polynomial, self.names)
        short, full = self._plain_forms[key]
        if multiplies:
            return min((short, full), key=count_operators)
        return short if count_operators(short) < count_operators(full) - 1 else full

    def _shortest_form(self, polynomial: SparsePolynomial) -> Tree:
        """The form with the fewest operators: by Horner's rule, or as a sum of squares."""
        return min((horner_form(polynomial, self.names), *sum_of_squares(polynomial, self.names)), key=count_operators)

    def _factored_forms(self, polynomial: SparsePolynomial) -> list[Tree]:
        """The polynomial as a product of sums, if it is one: (m2/2 + m3)(q1' + q2')."""
        if not 2 < len(polynomial) <= MAX_FACTORED_TERMS or any(
            c.denominator > MAX_PLAIN_DENOMINATOR for c in polynomial.values()
        ):
            return []
        ring = self.system.ring
        dense = {_exponent_tuple(m, len(self.names)): rational(c) for m, c in polynomial.items()}
        content, factors = ring.context.from_dict(dense).factor()
        if len(factors) < 2 and all(e == 1 for _, e in factors):
            return []
        factor_trees = []
        for f, e in factors:
            part = sparse_polynomial(RingElement(ring, f))
            with_angles = any(self.trigonometry.handles(k) for m in part for k, _ in m)
            factor_trees.append(power(self._arrange_by_angle(part) if with_angles else self._shortest_form(part), int(e)))
        return [product(factor_trees, as_fraction(content))]

    def _order_factors(self, tree: Tree) -> Tree:
        """A tree with its factors in the order people write them: inertial parameters, other parameters, angles, rates."""
        if isinstance(tree, Name):
            return tree
        if isinstance(tree, Power):
            return Power(self._order_factors(tree.base), tree.exponent)
        if isinstance(tree, Sum):
            return Sum(tuple(self._order_factors(t) for t in tree.terms))
        return Product(tree.coefficient, tuple(sorted((self._order_factors(f) for f in tree.factors), key=self._rank)))

    def _rank(self, tree: Tree) -> int:
        if isinstance(tree, Power):
            return self._rank(tree.base)
        if isinstance(tree, Name):
            name_rank = self._ranks.get(tree.name)
            if name_rank is None:
                name_rank = self._ranks[tree.name] = self._rank_of_name(tree.name)
            return name_rank
        parts = tree.terms if isinstance(tree, Sum) else tree.factors
        ranks = [self._rank(part) for part in parts]
        # a sum of masses stands before the lengths, one of angles or rates after the angles
        rank = min(ranks, default=0) if max(ranks, default=0) <= 3 else max(ranks)
        return rank + isinstance(tree, Sum)

    def _rank_of_name(self, name: str) -> int:
        if name[0].isdigit():
            return -1
        number = self.generator_index.get(name)
        return 4 if number is None else _RANK_OF_KIND.get(self.system.ring.symbols[number].kind, 2)

    # -- values ------------------------------------------------------------------------------------------------------

    def values(self, q: Any, qd: Any, qdd: Any, parameter_values: Mapping[str, float]) -> dict[str, float]:
        """The values of all generators; a group, such as Izz1R, has the value of its parameters unless it is given itself."""
        groups = {name: x for name, x in parameter_values.items() if name in self._groups}
        plain_values = {name: x for name, x in parameter_values.items() if name not in groups}
        values = generator_values(self.system.scalars, q, qd, qdd, plain_values)
        group_values = {}
        for group_name, (base, parts) in self._groups.items():
            total = sum(
                evaluate_element(numerator, values) / evaluate_element(denominator, values) * values[name]
                for name, (numerator, denominator) in parts.items()
            )
            group_values[base] = groups.get(group_name, total)
        return values | group_values

    # -- reading back ------------------------------------------------------------------------------------------------

    def element(self, name: str) -> RingElement:
        """The element a name stands for, sums of angles included."""
        element = self._elements.get(name)
        if element is None:
            ring, number = self.system.ring, self.generator_index.get(name)
            element = self._angle_sum(name) if number is None else RingElement(ring, ring.generators[number])
            self._elements[name] = element
        return element

    def angle_of(self, name: str) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Whether a name is a sine or a cosine, and of which sum of multiples of coordinates."""
        return self.trigonometry.named_angles[name]

    def _angle_sum(self, name: str) -> RingElement:
        kind, angle = self.angle_of(name)
        pair: Any = (1, 0)
        for k, times in angle:
            c, s = self.system.scalars.angles.coordinate_pair(k)
            for _ in range(abs(times)):
                pair = angle_sum(pair, (c, s if times > 0 else -s))
        return self.system.ring(pair[0] if kind == "cosine" else pair[1])

    def to_element(self, tree: Tree) -> RingElement:
        """A tree as an element: equal to the one from which it was written, or the tree is wrong."""
        return self.system.ring(evaluate_tree(tree, self.element))


def _free_name(name: str, used_names: set[str]) -> str:
    while name in used_names:
        name += "R"
    return name


def sparse_polynomial(x: RingElement) -> SparsePolynomial:
    """An element as {((generator, power), ...): coefficient}."""
    return as_dict(x.poly)


def primitive_part(polynomial: SparsePolynomial) -> tuple[Fraction, IntegerPolynomial]:
    """The content, and the polynomial with whole coefficients without a common factor, the first of them positive."""
    denominator = lcm(*(c.denominator for c in polynomial.values()))
    integers = {m: c.numerator * (denominator // c.denominator) for m, c in polynomial.items()}
    common = gcd(*integers.values())
    if integers[max(integers, key=_descending_key) if len(integers) > 1 else next(iter(integers))] < 0:
        common = -common
    return Fraction(common, denominator), {m: c // common for m, c in integers.items()}


def _exponent_tuple(monomial: Monomial, size: int) -> tuple[int, ...]:
    powers = [0] * size
    for k, e in monomial:
        powers[k] = e
    return tuple(powers)


def _descending_key(monomial: Monomial) -> tuple[tuple[int, int], ...]:
    return tuple((-k, e) for k, e in monomial)


class JacobianTrees:
    """The columns of the links' Jacobians as trees, each written once."""

    def __init__(self, writer: FormulaWriter, system: SymbolicSystem, jacobians: list[JacobianColumns]) -> None:
        self.writer, self.system = writer, system
        self.columns = [
            {k: tuple(tuple(self._component(x) for x in vector) for vector in column) for k, column in columns.items()}
            for columns in jacobians
        ]

    def _component(self, x: object) -> Tree:
        element = self.system.ring(x)
        return self.writer.write(element)

    def structure(self, j: int, k: int) -> Structure:
        """What multiplies each inertial parameter of each link in M_jk, by the index of its generator."""
        factors: dict[int, Tree] = {}
        for link, columns in zip(self.system.links, self.columns, strict=True):
            if j in columns and k in columns:
                factors.update(self._link_structure(link, columns[j], columns[k]))
        return factors

    def _link_structure(
        self, link: SymbolicLink, first: tuple[tuple[Tree, ...], ...], second: tuple[tuple[Tree, ...], ...]
    ) -> Structure:
        (wj, vj), (wk, vk) = first, second
        products_by_parameter: list[list[tuple[int, Tree, Tree]]] = [[(1, vj[a], vk[a]) for a in range(3)]]
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            products_by_parameter.append([(1, vj[b], wk[c]), (-1, vj[c], wk[b]), (1, vk[b], wj[c]), (-1, vk[c], wj[b])])
        for a, b in _SYMMETRIC_ENTRIES:
            products_by_parameter.append([(1, wj[a], wk[b])] + ([(1, wj[b], wk[a])] if a != b else []))
        return {
            generator: _sum_of_products(products)
            for products, generator in zip(
                products_by_parameter, map(self._generator_index, link.inertia.inertial_parameters), strict=True
            )
            if generator is not None
        }

    def _generator_index(self, x: object) -> int | None:
        """The index of the generator that an inertial parameter is; None if it is not a single one."""
        if not isinstance(x, RingElement) or len(x.poly) != 1:
            return None
        ((monomial, coefficient),) = x.poly.terms()
        powers = [(k, e) for k, e in enumerate(monomial) if e]
        if coefficient == 1 and len(powers) == 1 and powers[0][1] == 1:
            return powers[0][0]
        return None


def _sum_of_products(products: list[tuple[int, Tree, Tree]]) -> Tree:
    """The sum of products; equal ones are joined, as there are many when both columns are the same."""
    joined: list[tuple[int, Tree, Tree]] = []
    for sign, f, g in products:
        if ZERO in (f, g):
            continue
        for number, (other, f2, g2) in enumerate(joined):
            if (f, g) in ((f2, g2), (g2, f2)):
                joined[number] = (other + sign, f2, g2)
                break
        else:
            joined.append((sign, f, g))
    terms = []
    for times, f, g in joined:
        if times:
            tree = power(f, 2) if f == g else product([f, g])
            terms.append(product([tree], Fraction(times)))
    return add(terms)

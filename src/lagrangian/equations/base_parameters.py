"""Base (minimal) inertial parameters: the fewest combinations of masses, first moments and inertias that the motion depends on.

The equations are linear in the ten inertial parameters of each link, but the motion does not tell all of them apart: some have no
effect (of a first link that turns about the vertical only one inertia does), and some act only together, as the mass of an arm's
tip acts like inertia of the link that carries it. In M and in G each parameter multiplies polynomials in sines, cosines and
coordinates. Seen as columns over lengths and constant angles they are independent or they are not, and elimination says which.
Khalil and Dombre (Modeling, Identification and Control of Robots, 2002, chapter 9) give rules for the result; here it is
computed, for any tree, and `BaseParameters.preserves` shows of an equation that it is unchanged.

Links are taken from the base outward, and of each link first what acts about its joint: parameters further out are grouped with
those nearer to the base, as the textbooks do. Lengths and angles that have names are taken to be general: values that make
more parameters act together (a length of zero) must stand in the description as numbers. Of an angle given as a decimal, sine and
cosine are taken as fractions, of a turn that is exact and within 1e-11 rad of it: groups are then of numbers, too.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import Any

from lagrangian.equations.algebra.matrices import Elimination, Subring, lowest_terms
from lagrangian.equations.algebra.numbers import evaluate_element
from lagrangian.equations.algebra.ring import Polynomial, RationalFunction, Ring, RingElement, as_fraction
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.reading.link import SymbolicLink
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.errors import ArgumentError

WIDTH = 110  # of the table, in characters
ParameterColumn = dict[int, Polynomial]  # what a parameter multiplies in the equations, by row number: polynomials in lengths


@dataclass(frozen=True, repr=False)
class BaseParameters:
    """Base parameters of the links of a mechanism.

    `EquationsOfMotion.base_parameters` returns this object; `print` shows it as a table and `len` is the number of base
    parameters. A base parameter has the name of the inertial parameter that it replaces.

    Attributes
    ----------
    mechanism : str
        The name of the mechanism.
    base : tuple of str
        Names of the base parameters.
    combinations : mapping of str to mapping
        What each base parameter stands for: `{parameter: (numerator, denominator)}`, its own name with (1, 1) first.
    dependent : tuple of str
        Parameters that are grouped with others.
    unidentifiable : tuple of str
        Parameters that are in no equation.
    ring : Ring
        The polynomial ring of the equations.
    decimals : mapping
        Sines and cosines of decimals, and the fractions taken for them.

    Examples
    --------
    >>> import lagrangian as lg
    >>> base = lg.derive("two_r").base_parameters()
    >>> base.base
    ('hx1', 'hy1', 'Izz1', 'hx2', 'hy2', 'Izz2')
    >>> print({name: round(x, 3) for name, x in base.values().items()})
    {'hx1': 22.084, 'hy1': 0.0, 'Izz1': 20.941, 'hx2': 7.262, 'hy2': 0.0, 'Izz2': 5.276}
    """

    mechanism: str
    base: tuple[str, ...]
    combinations: Mapping[str, Mapping[str, RationalFunction]]
    dependent: tuple[str, ...]  # grouped with others
    unidentifiable: tuple[str, ...]  # in no equation
    ring: Ring
    decimals: Mapping[int, Fraction]  # generators that are sines and cosines of decimals

    @property
    def count(self) -> int:
        """Number of base parameters."""
        return len(self.base)

    def __len__(self) -> int:
        return len(self.base)

    def __str__(self) -> str:
        return base_parameter_table(self.mechanism, self.combinations, self.dependent, self.unidentifiable)

    def __repr__(self) -> str:
        return str(self)

    def to_base_parameters(self, x: RingElement) -> RingElement:
        """Write an equation, or a part of one, in base parameters alone.

        Parameters
        ----------
        x : RingElement
            The equation in inertial parameters.

        Returns
        -------
        RingElement
            The equation in base parameters; the names in `base` then stand for their groups, and other parameters are zero.
        """
        self._check(x)
        dropped = (*self.dependent, *self.unidentifiable)
        return self.ring.substitute(x, {self.ring.generator_index[name]: 0 for name in dropped})

    def from_base_parameters(self, x: RingElement) -> RationalFunction:
        """Replace each base parameter by what it stands for.

        Parameters
        ----------
        x : RingElement
            The equation in base parameters.

        Returns
        -------
        numerator, denominator : RingElement
            Numerator and denominator.
        """
        self._check(x)
        degrees = x.poly.degrees()
        groups = {b: group for b, group in self.combinations.items() if degrees[self.ring.generator_index[b]] > 0}
        denominator = self.ring.one.poly
        for group in groups.values():
            for _, share_denominator in group.values():
                denominator = denominator * lowest_terms(share_denominator.poly, denominator)[0]
        denominator_element = RingElement(self.ring, self.ring.reduce(denominator))
        numerator = x * denominator_element
        for b, group in groups.items():
            factor = self.ring.partial_derivative(x, b)
            for name, (share_numerator, share_denominator) in group.items():
                if name != b:
                    times = RingElement(self.ring, self.ring.reduce(denominator / share_denominator.poly)) * share_numerator
                    numerator = numerator + factor * times * self.ring.generator(name)
        return numerator, denominator_element

    def preserves(self, x: RingElement) -> bool:
        """Whether an equation is exactly the same after regrouping and ungrouping.

        Parameters
        ----------
        x : RingElement
            The equation.

        Returns
        -------
        bool
            True if it is the same.
        """
        x = self.ring.substitute(x, self.decimals)
        numerator, denominator = self.from_base_parameters(self.to_base_parameters(x))
        return numerator == x * denominator

    def values(self) -> dict[str, float]:
        """Return the values of the base parameters.

        Returns
        -------
        dict of str to float
            The values; NaN where a name has no value.
        """
        return {
            b: sum(
                evaluate_element(numerator) / evaluate_element(denominator) * evaluate_element(self.ring.generator(name))
                for name, (numerator, denominator) in group.items()
            )
            for b, group in self.combinations.items()
        }

    def _check(self, x: RingElement) -> None:
        if x.ring is not self.ring and list(x.ring.symbols) != list(self.ring.symbols):
            raise ArgumentError(f"base parameters of {self.mechanism!r}: the element belongs to other equations")


def base_parameters(
    system: SymbolicSystem,
    *,
    rotors: bool = False,
    M: Sequence[Sequence[RingElement]] | None = None,
    V: RingElement | None = None,
) -> BaseParameters:
    """The base parameters of a system's tree of links.

    A system with inertias as the mechanism gives them is made again with a name for each parameter. With `rotors`, the rotor
    inertias Ja count too: the first joint's, and others whose axis allows it, join a link's inertia about the joint; each of the
    rest is one more base parameter. Without `rotors` they are taken as known, and the count is that of the links. `M` and `V`, if
    you have them, save their derivation. Loops are left aside: they can group more than the tree does.
    """
    if system.symbols == "given":
        system, M, V = SymbolicSystem(system.mechanism, "inertial"), None, None
    if M is None:
        M = lagrange.mass_matrix(system, lagrange.jacobian_columns(system))
    V = lagrange.gravity_potential(system) if V is None else V
    ring = system.ring
    decimals = _decimal_angle_values(ring)
    entries = [ring.substitute(M[i][j], decimals) for i in range(system.n) for j in range(i, system.n)]
    names = ordered_parameter_names(system, rotors)
    columns, subring = parameter_columns(system, entries, ring.substitute(V, decimals), names)
    elimination = Elimination(subring)
    combinations: dict[str, dict[str, RationalFunction]] = {}
    dependent, unidentifiable = [], []
    for name in names:
        if name not in columns:
            unidentifiable.append(name)
            continue
        relation = elimination.add_column(name, columns[name])
        if relation is None:
            combinations[name] = {name: (ring.one, ring.one)}
            continue
        dependent.append(name)
        shares, denominator = relation
        for b, share in shares.items():
            numerator, share_denominator = lowest_terms(share, denominator)
            combinations[b][name] = (
                RingElement(ring, subring.to_ring(numerator)),
                RingElement(ring, subring.to_ring(share_denominator)),
            )
    order = {name: k for k, name in enumerate(sorted(names, key=ring.generator_index.__getitem__))}
    return BaseParameters(
        system.mechanism.name,
        tuple(sorted(combinations, key=order.__getitem__)),
        {b: combinations[b] for b in sorted(combinations, key=order.__getitem__)},
        tuple(sorted(dependent, key=order.__getitem__)),
        tuple(sorted(unidentifiable, key=order.__getitem__)),
        ring,
        decimals,
    )


def ordered_parameter_names(system: SymbolicSystem, rotors: bool) -> list[str]:
    """The parameters in the order in which base parameters are chosen: links outward, then rotors, which join what is there."""
    elements = [x for link in system.links for x in _link_parameter_order(link)] + [link.rotor for link in system.links if rotors]
    return [system.ring.symbols[x.poly.degrees().index(1)].name for x in elements if isinstance(x, RingElement)]


def _link_parameter_order(link: SymbolicLink) -> list[Any]:
    """A link's parameters in order: for a joint about z first Izz, Ixx, products and first moments across; then hz, Iyy and m.

    Along another axis of its frame (in a standard table it may be y) the letters change places.
    """
    by_letters = dict(
        zip(("m", "x", "y", "z", "xx", "xy", "xz", "yy", "yz", "zz"), link.inertia.inertial_parameters, strict=True)
    )
    angular, linear = link.motion_subspace
    axis = "z"
    for letter, turn, slide in zip("xyz", angular, linear, strict=True):
        if (turn if link.turns else slide) in (1, -1):
            axis = letter
    first, second = (letter for letter in "xyz" if letter != axis)
    products, moments = ["xy", "xz", "yz"], [first, second, axis]
    if link.turns:
        order = [2 * axis, 2 * first, *products, *moments, 2 * second, "m"]
    else:
        order = ["m", *moments, 2 * axis, 2 * first, *products, 2 * second]
    return [by_letters[letters] for letters in order]


def parameter_columns(
    system: SymbolicSystem, entries: Sequence[RingElement], V: RingElement, names: Sequence[str]
) -> tuple[dict[str, ParameterColumn], Subring]:
    """A column for each parameter that has an effect; a row number stands for an entry and a monomial that moves.

    Of V only what moves counts, since G is its derivative.
    """
    ring = system.ring
    used = {k for x in (*entries, V) for k, power in enumerate(x.poly.degrees()) if power > 0}
    subring = Subring(ring, (k for k in used if ring.symbols[k].kind != "inertial"))
    moving = [_is_moving(system, k) for k in subring.generator_indices]
    # in C: the part of a monomial that moves, and the part that stands still; a zero was put behind the monomial
    moving_part = itemgetter(*(row for row, moves in enumerate(moving) if moves), -1, -1)
    still_part = itemgetter(*(-1 if moves else row for row, moves in enumerate(moving)), -1, -1)
    row_numbers: dict[Any, int] = {}
    columns: dict[str, ParameterColumn] = {}
    for entry, x in enumerate((*entries, V)):
        degrees = x.poly.degrees()
        for name in names:
            if degrees[ring.generator_index[name]] <= 0:
                continue
            parts: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
            for monomial, c in subring.from_ring(x.poly.derivative(ring.generator_index[name])).terms():
                padded = (*monomial, 0)
                parts.setdefault(moving_part(padded), {})[still_part(padded)[:-2]] = c
            for moving_monomial, terms in parts.items():
                if entry < len(entries) or any(moving_monomial):
                    row = row_numbers.setdefault((entry, moving_monomial), len(row_numbers))
                    columns.setdefault(name, {})[row] = subring.context.from_dict(terms)
    return columns, subring


def _is_moving(system: SymbolicSystem, k: int) -> bool:
    """Whether a generator changes with a coordinate, or with time."""
    x = RingElement(system.ring, system.ring.generators[k])
    return any(system.ring.derivative(x, coordinate).poly for coordinate in range(system.n + 1))


def _decimal_angle_values(ring: Ring) -> dict[int, Fraction]:
    """Fractions for the sines and cosines of decimals: with t near tan(angle / 2), 2 t and 1 - t^2 over 1 + t^2."""
    values = {}
    for k, symbol in enumerate(ring.symbols):
        if symbol.kind in ("constant_sine", "constant_cosine"):
            try:
                angle = float(symbol.name[len("sin(") : -1])
            except ValueError:  # a name, or a part of pi
                continue
            t = Fraction(math.tan(angle / 2)).limit_denominator(10**6)
            values[k] = (2 * t if symbol.kind == "constant_sine" else 1 - t * t) / (1 + t * t)
    return values


def base_parameter_table(
    mechanism: str,
    combinations: Mapping[str, Mapping[str, tuple[RingElement, RingElement]]],
    dependent: Sequence[str],
    unidentifiable: Sequence[str],
) -> str:
    """A table: groups with their formulas, parameters that stand alone, and those that have no effect."""
    groups = [b for b, group in combinations.items() if len(group) > 1]
    alone = [b for b, group in combinations.items() if len(group) == 1]
    total = len(combinations) + len(dependent) + len(unidentifiable)
    lines = [
        f"Base parameters of {mechanism}: {len(combinations)} of {total} inertial parameters",
        "(m mass, h = m c first moment, I inertia about the origin of the link's frame, J rotor; R marks a group)",
    ]
    if groups:
        width = max(len(b) for b in groups) + 1
        lines += ["", f"{len(groups)} groups"]
        for b in groups:
            lines += _wrap(f"  {b + 'R':<{width}} = {group_formula(combinations[b])}", " " * (width + 5))
    for title, names in (("alone", alone), ("without effect", unidentifiable)):
        if names:
            lines += ["", f"{len(names)} {title}", *_wrap("  " + ", ".join(names), "  ")]
    return "\n".join(lines)


def group_formula(group: Mapping[str, tuple[RingElement, RingElement]]) -> str:
    """A group as a sum of parameters; those with the same factor are put in brackets behind it."""
    shared: dict[str, list[tuple[str, str]]] = {}
    for name, (numerator, denominator) in group.items():
        sign, factor = _factor(numerator, denominator)
        shared.setdefault(factor, []).append((sign, name))
    words = ""
    for factor, names in shared.items():
        if not factor:
            words += "".join(f" {sign} {name}" for sign, name in names)
            continue
        outer = names[0][0]
        inner = [("+" if sign == outer else "-", name) for sign, name in names]
        inside = inner[0][1] + "".join(f" {sign} {name}" for sign, name in inner[1:])
        words += f" {outer} {factor}*" + (f"({inside})" if len(names) > 1 else inside)
    return words.removeprefix(" + ").removeprefix(" ")


def _factor(numerator: RingElement, denominator: RingElement) -> tuple[str, str]:
    """Sign and size of a quotient; the size 1 is not written."""
    sign = "+"
    if numerator.poly.leading_coefficient() < 0:
        sign, numerator = "-", -numerator
    size = polynomial_text(numerator)
    if denominator == 1:
        return sign, "" if size == "1" else f"({size})" if numerator.term_count > 1 else size
    top = f"({size})" if numerator.term_count > 1 else size
    bottom = polynomial_text(denominator)
    return sign, f"{top}/({bottom})" if denominator.term_count > 1 or "*" in bottom else f"{top}/{bottom}"


def polynomial_text(x: RingElement) -> str:
    """The terms of a polynomial; fractions as decimals of six digits."""
    words = ""
    for monomial, c in x.poly.terms():
        exact = as_fraction(c)
        size = abs(exact)
        number = str(size) if size.denominator == 1 else f"{float(size):.6g}"
        names = [x.ring.symbols[k].name + (f"^{power}" if power > 1 else "") for k, power in enumerate(monomial) if power]
        words += f" {'-' if exact < 0 else '+'} " + "*".join(names if names and number == "1" else [number, *names])
    return words.removeprefix(" + ").replace(" - ", "-", 1) if words.startswith(" - ") else words.removeprefix(" + ") or "0"


def _wrap(line: str, indent: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)

"""Base (minimal) inertial parameters: the fewest combinations of masses, first moments and inertias that the motion depends on.

The equations are linear in the ten inertial parameters of each link, but the motion does not tell all of them apart: some have no
effect (of a first link that turns about the vertical only one inertia does), and some act only together, as the mass of an arm's
tip acts like inertia of the link that carries it. In M and in G each parameter multiplies polynomials in sines, cosines and
coordinates. Seen as columns over lengths and constant angles they are independent or they are not, and elimination says which.
Khalil and Dombre (Modeling, Identification and Control of Robots, 2002, chapter 9) give rules for the result; here it is
computed, for any tree, and `BaseParameters.proves` shows of an equation that it is unchanged.

Links are taken from the base outward, and of each link first what acts about its joint: parameters further out are grouped with
those nearer to the base, as the textbooks do. Lengths and angles that have names are taken to be general: values that make
more parameters act together (a length of zero) must stand in the description as numbers. Of an angle given as a decimal, sine and
cosine are taken as fractions, of a turn that is exact and within 1e-11 rad of it: groups are then of numbers, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import Any

from lagrangian.equations.algebra.elimination import Elimination, Subring, reduced
from lagrangian.equations.algebra.numbers import value
from lagrangian.equations.algebra.ring import Element, Polynomial, Ring
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.grouping_text import table
from lagrangian.equations.reading.link import Link
from lagrangian.equations.reading.system import System
from lagrangian.errors import ArgumentError

Ratio = tuple[Element, Element]  # numerator and denominator
Column = dict[int, Polynomial]  # of a parameter: what it multiplies, by number of the place in the equations


@dataclass(frozen=True, repr=False)
class BaseParameters:
    """Base parameters of the links of a mechanism.

    `Equations.base_parameters` returns this object; `print` shows it as a table and `len` is the number of base parameters. A
    base parameter has the name of the inertial parameter that it replaces.

    Attributes
    ----------
    mechanism : str
        The name of the mechanism.
    base : tuple of str
        Names of the base parameters.
    grouping : mapping of str to mapping
        What each base parameter stands for: `{parameter: (numerator, denominator)}`, its own name with (1, 1) first.
    dependent : tuple of str
        Parameters that are grouped with others.
    without_effect : tuple of str
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
    grouping: Mapping[str, Mapping[str, Ratio]]
    dependent: tuple[str, ...]  # grouped with others
    without_effect: tuple[str, ...]  # in no equation
    ring: Ring
    decimals: Mapping[int, Fraction]  # generators that are sines and cosines of decimals

    @property
    def count(self) -> int:
        """Number of base parameters."""
        return len(self.base)

    def __len__(self) -> int:
        return len(self.base)

    def __str__(self) -> str:
        return table(self.mechanism, self.grouping, self.dependent, self.without_effect)

    def __repr__(self) -> str:
        return str(self)

    def regrouped(self, x: Element) -> Element:
        """Write an equation, or a part of one, in base parameters alone.

        Parameters
        ----------
        x : Element
            The equation in inertial parameters.

        Returns
        -------
        Element
            The equation in base parameters; the names in `base` then stand for their groups, and other parameters are zero.
        """
        self._check(x)
        dropped = (*self.dependent, *self.without_effect)
        return self.ring.substitute(x, {self.ring.number[name]: 0 for name in dropped})

    def ungrouped(self, x: Element) -> Ratio:
        """Replace each base parameter by what it stands for.

        Parameters
        ----------
        x : Element
            The equation in base parameters.

        Returns
        -------
        above, below : Element
            Numerator and denominator.
        """
        self._check(x)
        degrees = x.poly.degrees()
        groups = {b: group for b, group in self.grouping.items() if degrees[self.ring.number[b]] > 0}
        denominator = self.ring.one.poly
        for group in groups.values():
            for _, below in group.values():
                denominator = denominator * reduced(below.poly, denominator)[0]
        whole = Element(self.ring, self.ring.reduce(denominator))
        found = x * whole
        for b, group in groups.items():
            factor = self.ring.partial(x, b)
            for name, (above, below) in group.items():
                if name != b:
                    times = Element(self.ring, self.ring.reduce(denominator / below.poly)) * above
                    found = found + factor * times * self.ring.generator(name)
        return found, whole

    def proves(self, x: Element) -> bool:
        """Whether an equation is exactly the same after regrouping and ungrouping.

        Parameters
        ----------
        x : Element
            The equation.

        Returns
        -------
        bool
            True if it is the same.
        """
        x = self.ring.substitute(x, self.decimals)
        above, below = self.ungrouped(self.regrouped(x))
        return above == x * below

    def values(self) -> dict[str, float]:
        """Return the values of the base parameters.

        Returns
        -------
        dict of str to float
            The values; NaN where a name has no value.
        """
        return {
            b: sum(value(above) / value(below) * value(self.ring.generator(name)) for name, (above, below) in group.items())
            for b, group in self.grouping.items()
        }

    def _check(self, x: Element) -> None:
        if x.ring is not self.ring and list(x.ring.symbols) != list(self.ring.symbols):
            raise ArgumentError(f"base parameters of {self.mechanism!r}: the element belongs to other equations")


def base_parameters(
    system: System, *, rotors: bool = False, M: Sequence[Sequence[Element]] | None = None, V: Element | None = None
) -> BaseParameters:
    """Which inertial parameters, and which combinations of them, the equations depend on.

    A system with inertias as the mechanism gives them is taken anew with a name for each parameter. `rotors` counts the rotor
    inertias Ja too: the first joint's, and others whose axis asks for it, join a link's inertia about the joint; each of the rest
    is one more base parameter. Without it they are taken as known, and the count is that of the links. `M` and `V`, if they
    are at hand, save their derivation. Loops are not looked at: they can group more than the tree does.
    """
    if system.symbols == "given":
        system, M, V = System(system.mechanism, "inertial"), None, None
    if M is None:
        M = lagrange.mass_matrix(system, lagrange.columns(system))
    V = lagrange.gravity_potential(system) if V is None else V
    ring = system.ring
    decimals = _decimals(ring)
    entries = [ring.substitute(M[i][j], decimals) for i in range(system.n) for j in range(i, system.n)]
    names = parameters(system, rotors)
    found, part = columns(system, entries, ring.substitute(V, decimals), names)
    elimination = Elimination(part)
    made: dict[str, dict[str, Ratio]] = {}
    dependent, without = [], []
    for name in names:
        if name not in found:
            without.append(name)
            continue
        relation = elimination.take(name, found[name])
        if relation is None:
            made[name] = {name: (ring.one, ring.one)}
            continue
        dependent.append(name)
        shares, denominator = relation
        for b, share in shares.items():
            above, below = reduced(share, denominator)
            made[b][name] = Element(ring, part.outside(above)), Element(ring, part.outside(below))
    place = {name: k for k, name in enumerate(sorted(names, key=ring.number.__getitem__))}
    return BaseParameters(
        system.mechanism.name,
        tuple(sorted(made, key=place.__getitem__)),
        {b: made[b] for b in sorted(made, key=place.__getitem__)},
        tuple(sorted(dependent, key=place.__getitem__)),
        tuple(sorted(without, key=place.__getitem__)),
        ring,
        decimals,
    )


def parameters(system: System, rotors: bool) -> list[str]:
    """Names in the order in which they are kept: links outward, rotors last, so that they join what is there."""
    found = [x for link in system.links for x in _of_link(link)] + [link.rotor for link in system.links if rotors]
    return [system.ring.symbols[x.poly.degrees().index(1)].name for x in found if isinstance(x, Element)]


def _of_link(link: Link) -> list[Any]:
    """Of a link: for a joint about or along z first Izz, Ixx, the products and the first moments across; then hz, Iyy and m.

    Along another axis of its frame (in a standard table it may be y) the letters change places.
    """
    named = dict(zip(("m", "x", "y", "z", "xx", "xy", "xz", "yy", "yz", "zz"), link.inertia.ten, strict=True))
    angular, linear = link.column
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
    return [named[letters] for letters in order]


def columns(system: System, entries: Sequence[Element], V: Element, names: Sequence[str]) -> tuple[dict[str, Column], Subring]:
    """For each parameter that has one, {place: polynomial in lengths}; a place is an entry and a monomial that moves.

    Of V only what moves counts, since G is its derivative.
    """
    ring = system.ring
    used = {k for x in (*entries, V) for k, power in enumerate(x.poly.degrees()) if power > 0}
    part = Subring(ring, (k for k in used if ring.symbols[k].kind != "inertial"))
    moving = [_moves(system, k) for k in part.numbers]
    # by C's loops: what moves of a monomial that a zero was put behind, and what is left of it
    moving_part = itemgetter(*(place for place, moves in enumerate(moving) if moves), -1, -1)
    still_part = itemgetter(*(-1 if moves else place for place, moves in enumerate(moving)), -1, -1)
    numbers: dict[Any, int] = {}
    found: dict[str, Column] = {}
    for entry, x in enumerate((*entries, V)):
        degrees = x.poly.degrees()
        for name in names:
            if degrees[ring.number[name]] <= 0:
                continue
            parts: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
            for monomial, c in part.inside(x.poly.derivative(ring.number[name])).terms():
                ended = (*monomial, 0)
                parts.setdefault(moving_part(ended), {})[still_part(ended)[:-2]] = c
            for trig, terms in parts.items():
                if entry < len(entries) or any(trig):
                    place = numbers.setdefault((entry, trig), len(numbers))
                    found.setdefault(name, {})[place] = part.context.from_dict(terms)
    return found, part


def _moves(system: System, k: int) -> bool:
    """Whether a generator changes with a coordinate, or with time."""
    x = Element(system.ring, system.ring.generators[k])
    return any(system.ring.derivative(x, coordinate).poly for coordinate in range(system.n + 1))


def _decimals(ring: Ring) -> dict[int, Fraction]:
    """Fractions for the sines and cosines of decimals: with t near tan(angle / 2), 2 t and 1 - t^2 over 1 + t^2."""
    found = {}
    for k, symbol in enumerate(ring.symbols):
        if symbol.kind in ("constant_sine", "constant_cosine"):
            try:
                angle = float(symbol.name[len("sin(") : -1])
            except ValueError:  # a name, or a part of pi
                continue
            t = Fraction(math.tan(angle / 2)).limit_denominator(10**6)
            found[k] = (2 * t if symbol.kind == "constant_sine" else 1 - t * t) / (1 + t * t)
    return found

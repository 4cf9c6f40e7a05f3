"""Entries of M as they come from the velocities: what multiplies an inertial parameter is a sum of products of components.

Multiplied out, `(c4 s5 (a2 c2 + ..) - ...)^2` is long; as the square it came from it is short, and its parts are shared.
"""

from __future__ import annotations

from fractions import Fraction

from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.derivations.lagrange import Columns
from lagrangian.equations.reading.link import Link
from lagrangian.equations.reading.system import System
from lagrangian.equations.writing.tree import ZERO, Tree, add, power, product
from lagrangian.equations.writing.writer import Structure, Writer

_PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


class Velocities:
    """The columns of the links' Jacobians, written once."""

    def __init__(self, writer: Writer, system: System, jacobians: list[Columns]) -> None:
        self.writer, self.system = writer, system
        self.columns = [
            {k: tuple(tuple(self._component(x) for x in vector) for vector in column) for k, column in here.items()}
            for here in jacobians
        ]

    def _component(self, x: object) -> Tree:
        element = self.system.ring(x)
        return self.writer.write(element)

    def structure(self, j: int, k: int) -> Structure:
        """For M_jk: what multiplies each inertial symbol of each link."""
        found: dict[int, Tree] = {}
        for link, here in zip(self.system.links, self.columns, strict=True):
            if j in here and k in here:
                found.update(self._of_link(link, here[j], here[k]))
        return found

    def _of_link(self, link: Link, first: tuple[tuple[Tree, ...], ...], second: tuple[tuple[Tree, ...], ...]) -> Structure:
        (wj, vj), (wk, vk) = first, second
        ten: list[list[tuple[int, Tree, Tree]]] = [[(1, vj[a], vk[a]) for a in range(3)]]
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            ten.append([(1, vj[b], wk[c]), (-1, vj[c], wk[b]), (1, vk[b], wj[c]), (-1, vk[c], wj[b])])
        for a, b in _PAIRS:
            ten.append([(1, wj[a], wk[b])] + ([(1, wj[b], wk[a])] if a != b else []))
        return {
            generator: _products(products)
            for products, generator in zip(ten, map(self._symbol, link.inertia.ten), strict=True)
            if generator is not None
        }

    def _symbol(self, x: object) -> int | None:
        """The generator, if an inertial parameter is one symbol."""
        if not isinstance(x, Element) or len(x.poly) != 1:
            return None
        ((monomial, coefficient),) = x.poly.terms()
        powers = [(k, e) for k, e in enumerate(monomial) if e]
        if coefficient == 1 and len(powers) == 1 and powers[0][1] == 1:
            return powers[0][0]
        return None


def _products(products: list[tuple[int, Tree, Tree]]) -> Tree:
    """Their sum; equal ones are joined, as they are when both columns are the same."""
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

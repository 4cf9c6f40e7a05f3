"""Kinetic and potential energy, link by link: K_i = 1/2 m v_C.v_C + 1/2 w.I_C w and P_i = -m g.p_C (G27).

Rotors add 1/2 J q'^2 and springs 1/2 k (q - rest)^2; each has an entry of its own, beside the links that have inertia.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lagrangian.equations import forces
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.reading.link import Inertia, Link
from lagrangian.equations.reading.system import System
from lagrangian.equations.writing.tree import Tree, add, operators, product
from lagrangian.equations.writing.writer import Writer
from lagrangian.model import vector as v

HALF = Fraction(1, 2)
_PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # the entries of a symmetric matrix


def kinetic(system: System, jacobians: Sequence[lagrange.Columns]) -> dict[str, Element]:
    """1/2 q'^T M_i q' of every link with inertia, by its name; and of every rotor."""
    found: dict[str, Element] = {}
    for link, here in zip(system.links, jacobians, strict=True):
        if has_inertia(system, link):
            energy = system.ring.zero
            for j, k, entry in lagrange.link_mass(link, here):
                energy = energy + system.ring(entry) * (HALF if j == k else 1) * (system.speed(j) * system.speed(k))
            found[link.name] = system.ring(energy)
    for link in system.links:
        if system.ring(link.rotor):
            speed = system.speed(link.k)
            found[f"rotor at {link.joint.name}"] = system.ring(link.rotor * HALF * (speed * speed))
    return found


def potential(system: System) -> dict[str, Element]:
    """-m g.p_C of every link with inertia, by its name; and of every spring, and of what carries weight."""
    links = zip(system.links, lagrange.gravity_potentials(system), strict=True)
    found = {link.name: energy for link, energy in links if has_inertia(system, link)}
    found |= {f"spring at {name}": energy for name, energy in forces.joint_springs(system).items()}
    others = forces.point_springs(system) | forces.coordinate_springs(system)
    found |= {f"spring {name}": energy for name, energy in others.items()}
    return found | {f"gravity compensation {name}": energy for name, energy in forces.compensations(system).items()}


def has_inertia(system: System, link: Link) -> bool:
    """Links between the axes of one joint, and hooks and ropes without mass, have none."""
    return any(system.ring(x) for x in link.inertia.ten)


# -- written as they come from the velocities --------------------------------------------------------------------------


def written(writer: Writer, link: Link, here: lagrange.Columns, energy: Element) -> Tree:
    """A link's kinetic energy as 1/2 m v_C^2 + 1/2 w.I_C w, or arranged as any other formula if that is clearly shorter."""
    by_parts, arranged = _by_parts(writer, link, here), writer.write(energy)
    if by_parts is None or 3 * operators(by_parts) > 4 * operators(arranged):
        return arranged
    return by_parts


def _by_parts(writer: Writer, link: Link, here: lagrange.Columns) -> Tree | None:
    """1/2 m v_C^2 + 1/2 w.I_C w; None where the centre is no polynomial (of bodies fixed together)."""
    system = writer.system
    ring, body = system.ring, link.inertia
    c = center(system, body)
    if c is None:
        return None
    w, u = (_velocity(system, here, part) for part in (0, 1))
    terms = [_half(writer, ring(body.mass), _squares(writer, v.add(u, v.cross(w, c))))]
    about_center = [ring(x) for x in v.sym_add(body.I, v.point_inertia(-1 * body.mass, c))]
    moments: dict[Element, list[tuple[int, int]]] = {}  # equal moments of inertia are written once
    for moment, pair in zip(about_center, _PAIRS, strict=True):
        moments.setdefault(moment, []).append(pair)
    rates = [writer.write(ring(x)) for x in w]
    for moment, pairs in moments.items():
        products = [product([rates[a], rates[b]], Fraction(1 if a == b else 2)) for a, b in pairs]
        terms.append(_half(writer, moment, _shorter(writer, products)))
    return add(terms)


def center(system: System, body: Inertia) -> v.Vector | None:
    """The centre of mass, h / m, where that is a polynomial."""
    mass = system.ring(body.mass)
    if not mass:
        return v.ZERO if not any(system.ring(x) for x in body.h) else None
    found = []
    for x in body.h:
        quotient, rest = divmod(system.ring(x).poly, mass.poly)
        if not rest.is_zero():
            return None
        found.append(Element(system.ring, quotient))
    return tuple(found)  # type: ignore[return-value]


def _velocity(system: System, here: lagrange.Columns, part: int) -> v.Vector:
    total = v.ZERO
    for k, column in here.items():
        total = v.add(total, v.scale(system.speed(k), column[part]))
    return total


def _squares(writer: Writer, x: v.Vector) -> Tree:
    return _shorter(writer, [_square(writer.write(writer.system.ring(e))) for e in x])


def _square(tree: Tree) -> Tree:
    return product([tree, tree])


def _shorter(writer: Writer, products: Sequence[Tree]) -> Tree:
    """A sum of products as it stands, or multiplied out and arranged anew."""
    as_it_stands = add(products)
    return min((writer.write(writer.read(as_it_stands)), as_it_stands), key=operators)


def _half(writer: Writer, factor: Element, tree: Tree) -> Tree:
    return product([writer.write(factor), tree], HALF)

"""Kinetic and potential energies, link by link, and the forces of springs, dampers and friction.

A link has K_i = 1/2 m v_C.v_C + 1/2 w.I_C w and P_i = -m g.p_C (Ghosal, lecture 27). Rotors add 1/2 J q'^2 and springs
1/2 k (q - rest)^2; each has an entry of its own, beside the links that have inertia.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from lagrangian.equations.algebra.ring import RingElement, sum_elements
from lagrangian.equations.derivations import lagrange
from lagrangian.equations.kinematics import point_position
from lagrangian.equations.reading.lengths import spring_length
from lagrangian.equations.reading.link import Inertia, SymbolicLink
from lagrangian.equations.reading.system import SymbolicSystem
from lagrangian.equations.symbols import is_present
from lagrangian.equations.writing.tree import Tree, add, count_operators, product
from lagrangian.equations.writing.writer import FormulaWriter
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar

HALF = Fraction(1, 2)
_SYMMETRIC_ENTRIES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # the entries of a symmetric matrix


def kinetic_energies(system: SymbolicSystem, jacobians: Sequence[lagrange.JacobianColumns]) -> dict[str, RingElement]:
    """1/2 q'^T M_i q' of every link with inertia, by its name; and of every rotor."""
    energies: dict[str, RingElement] = {}
    for link, columns in zip(system.links, jacobians, strict=True):
        if has_inertia(system, link):
            energy = system.ring.zero
            for j, k, entry in lagrange.link_mass_terms(link, columns):
                energy = energy + system.ring(entry) * (HALF if j == k else 1) * (system.speed(j) * system.speed(k))
            energies[link.name] = system.ring(energy)
    for link in system.links:
        if system.ring(link.rotor):
            speed = system.speed(link.k)
            energies[f"rotor at {link.joint.name}"] = system.ring(link.rotor * HALF * (speed * speed))
    return energies


def potential_energies(system: SymbolicSystem) -> dict[str, RingElement]:
    """-m g.p_C of every link with inertia, by its name; and the energies of springs and gravity compensations."""
    links = zip(system.links, lagrange.gravity_potentials(system), strict=True)
    energies = {link.name: energy for link, energy in links if has_inertia(system, link)}
    energies |= {f"spring at {name}": energy for name, energy in joint_spring_energies(system).items()}
    spring_energies = point_spring_energies(system) | coordinate_spring_energies(system)
    energies |= {f"spring {name}": energy for name, energy in spring_energies.items()}
    return energies | {f"gravity compensation {name}": energy for name, energy in compensation_energies(system).items()}


def has_inertia(system: SymbolicSystem, link: SymbolicLink) -> bool:
    """Whether a link has inertia; links between the axes of one joint, and hooks and ropes without mass, have none."""
    return any(system.ring(x) for x in link.inertia.inertial_parameters)


def joint_spring_energies(system: SymbolicSystem) -> dict[str, RingElement]:
    """1/2 k (q - rest)^2 of the springs at joints, by the joint's name."""
    read = system.scalars.read
    energies: dict[str, RingElement] = {}
    for link in system.links:
        spring = link.joint.spring
        if is_present(spring.stiffness):
            stretch = link.q - read(spring.rest)
            energies[link.joint.name] = system.ring(read(spring.stiffness) * HALF * (stretch * stretch))
    return energies


def point_spring_energies(system: SymbolicSystem) -> dict[str, RingElement]:
    """1/2 k (length - rest)^2 of the springs between points, by the spring's name."""
    ring, read = system.ring, system.scalars.read
    energies: dict[str, RingElement] = {}
    for spring in system.point_springs:
        if is_present(spring.stiffness):
            stretch = spring_length(system, spring) - read(spring.rest)
            energies[spring.name] = ring(read(spring.stiffness) * HALF * (stretch * stretch))
    return energies


def coordinate_spring_energies(system: SymbolicSystem) -> dict[str, RingElement]:
    """1/2 k (length - rest)^2 of the springs of coordinates, by the spring's name."""
    read = system.scalars.read
    energies: dict[str, RingElement] = {}
    for spring in system.coordinate_springs:
        if is_present(spring.stiffness):
            stretch = read(spring.length) - read(spring.rest)
            energies[spring.name] = system.ring(read(spring.stiffness) * HALF * (stretch * stretch))
    return energies


def compensation_energies(system: SymbolicSystem) -> dict[str, RingElement]:
    """factor m g.p_C of every gravity compensation, by its name."""
    return {name: system.ring(-v.dot(force, p)) for name, _, force, p in compensating_forces(system)}


def compensating_forces(system: SymbolicSystem) -> Iterator[tuple[str, str, v.Vector, v.Vector]]:
    """Yield each gravity compensation's name, its body, the force -factor m g, and the centre where it acts, in the world."""
    for compensation in system.gravity_compensations:
        body = system.mechanism.body(compensation.body)
        weight = system.scalars.read(compensation.factor) * system.scalars.read(body.mass)
        yield (
            compensation.name,
            compensation.body,
            v.scale(-1 * weight, system.gravity),
            point_position(system, compensation.body, body.center),
        )


def joint_spring_potential(system: SymbolicSystem) -> RingElement:
    return system.ring(sum_elements(joint_spring_energies(system).values(), system.ring.zero))


def coordinate_spring_potential(system: SymbolicSystem) -> RingElement:
    return system.ring(sum_elements(coordinate_spring_energies(system).values(), system.ring.zero))


def other_spring_potential(system: SymbolicSystem) -> RingElement:
    """The potential of gravity compensations and of all springs but those at one joint."""
    parts = (point_spring_energies(system), coordinate_spring_energies(system), compensation_energies(system))
    return system.ring(sum_elements((energy for part in parts for energy in part.values()), system.ring.zero))


def friction_forces(system: SymbolicSystem) -> list[RingElement]:
    """All friction: of the joints, and of dampers of coordinates and between points."""
    parts = (joint_friction_forces(system), coordinate_damper_forces(system), point_damper_forces(system))
    return [a + b + c for a, b, c in zip(*parts, strict=True)]


def joint_friction_forces(system: SymbolicSystem) -> list[RingElement]:
    """Viscous and Coulomb friction of the joints."""
    ring, read = system.ring, system.scalars.read
    F: list[Any] = viscous_friction_forces(system)
    for link in system.links:
        coulomb = link.joint.friction
        if is_present(coulomb.coulomb) or is_present(coulomb.coulomb_negative):
            plus, minus = read(coulomb.coulomb), read(coulomb.coulomb_negative)  # type: ignore[arg-type]
            sign = ring.generator(system.scalars.sign_name(link.k + 1))
            # different in the two directions: the mean follows the sign, half the difference its square
            F[link.k] = F[link.k] + (plus + minus) * HALF * sign + (plus - minus) * HALF * (sign * sign)
    return F


def viscous_friction_forces(system: SymbolicSystem) -> list[RingElement]:
    """Viscous friction of the joints."""
    F: list[Any] = [system.ring.zero] * system.n
    for link in system.links:
        F[link.k] = F[link.k] + system.scalars.read(link.joint.friction.viscous) * system.speed(link.k)
    return F


def coordinate_damper_forces(system: SymbolicSystem) -> list[RingElement]:
    """The forces that dampers of coordinates take."""
    read = system.scalars.read
    return _damper_forces(system, ((system.ring(read(spring.length)), spring.damping) for spring in system.coordinate_springs))


def point_damper_forces(system: SymbolicSystem) -> list[RingElement]:
    """The forces that dampers between points take."""
    return _damper_forces(system, ((spring_length(system, spring), spring.damping) for spring in system.point_springs))


def _damper_forces(system: SymbolicSystem, dampers: Iterable[tuple[RingElement, Scalar]]) -> list[RingElement]:
    """c l' dl/dq, summed over dampers that have a length l and a damping c."""
    forces = [system.ring.zero] * system.n
    for length, damping in dampers:
        if is_present(damping):
            slopes = [system.ring.derivative(length, k) for k in range(system.n)]
            rate = sum((slope * system.speed(k) for k, slope in enumerate(slopes)), system.ring.zero)
            forces = [f + system.scalars.read(damping) * (rate * slope) for f, slope in zip(forces, slopes, strict=True)]
    return forces


def kinetic_energy_tree(
    writer: FormulaWriter, link: SymbolicLink, columns: lagrange.JacobianColumns, energy: RingElement
) -> Tree:
    """A link's kinetic energy as 1/2 m v_C^2 + 1/2 w.I_C w, or arranged as any other formula if that is clearly shorter."""
    by_parts, arranged_tree = _tree_by_parts(writer, link, columns), writer.write(energy)
    if by_parts is None or 3 * count_operators(by_parts) > 4 * count_operators(arranged_tree):
        return arranged_tree
    return by_parts


def _tree_by_parts(writer: FormulaWriter, link: SymbolicLink, columns: lagrange.JacobianColumns) -> Tree | None:
    """1/2 m v_C^2 + 1/2 w.I_C w; None where the centre is no polynomial (of bodies fixed together)."""
    system = writer.system
    ring, body = system.ring, link.inertia
    c = mass_centre(system, body)
    if c is None:
        return None
    w, u = (_velocity(system, columns, part) for part in (0, 1))
    terms = [_half_product(writer, ring(body.mass), _sum_of_squares_tree(writer, v.add(u, v.cross(w, c))))]
    about_center = [ring(x) for x in v.sym_add(body.I, v.point_inertia(-1 * body.mass, c))]
    moments: dict[RingElement, list[tuple[int, int]]] = {}  # equal moments of inertia are written once
    for moment, pair in zip(about_center, _SYMMETRIC_ENTRIES, strict=True):
        moments.setdefault(moment, []).append(pair)
    rates = [writer.write(ring(x)) for x in w]
    for moment, pairs in moments.items():
        products = [product([rates[a], rates[b]], Fraction(1 if a == b else 2)) for a, b in pairs]
        terms.append(_half_product(writer, moment, _shorter_tree(writer, products)))
    return add(terms)


def mass_centre(system: SymbolicSystem, body: Inertia) -> v.Vector | None:
    """The centre of mass, h / m, where that is a polynomial."""
    mass = system.ring(body.mass)
    if not mass:
        return v.ZERO if not any(system.ring(x) for x in body.h) else None
    coordinates = []
    for x in body.h:
        quotient, remainder = divmod(system.ring(x).poly, mass.poly)
        if not remainder.is_zero():
            return None
        coordinates.append(RingElement(system.ring, quotient))
    return tuple(coordinates)  # type: ignore[return-value]


def _velocity(system: SymbolicSystem, columns: lagrange.JacobianColumns, part: int) -> v.Vector:
    total = v.ZERO
    for k, column in columns.items():
        total = v.add(total, v.scale(system.speed(k), column[part]))
    return total


def _sum_of_squares_tree(writer: FormulaWriter, x: v.Vector) -> Tree:
    return _shorter_tree(writer, [_square(writer.write(writer.system.ring(e))) for e in x])


def _square(tree: Tree) -> Tree:
    return product([tree, tree])


def _shorter_tree(writer: FormulaWriter, products: Sequence[Tree]) -> Tree:
    """A sum of products as it stands, or multiplied out and arranged anew."""
    as_it_stands = add(products)
    return min((writer.write(writer.to_element(as_it_stands)), as_it_stands), key=count_operators)


def _half_product(writer: FormulaWriter, factor: RingElement, tree: Tree) -> Tree:
    return product([writer.write(factor), tree], HALF)

"""Rolling without slipping, over polynomials: the contact `eta(q) = 0`, and a Pfaffian row for each direction of the plane.

A sphere touches the plane at its centre less radius times normal. A disc touches it at its lowest point, which lies across its
axis: with the normal n and the axis a, the centre is `h = r sqrt(1 - (n.a)^2)` above the plane, and the point in contact is
`-(r^2 / h) (n - (n.a) a)` away from it (Neimark, Fufaev 1972, chapter 1; Bloch 2003, section 1.4). Where the root can be taken,
as it can for the usual angles of a disc, h is a polynomial; otherwise it is a generator of its own, `height(name)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flint.utils.flint_exceptions import DomainError

from lagrangian.cached import cached_property
from lagrangian.equations.algebra.ring import RingElement, Symbol
from lagrangian.equations.kinematics import frame_pose, jacobian
from lagrangian.equations.reading.lengths import LengthDefinition, relate_length
from lagrangian.model import vector as v
from lagrangian.model.constraint import RollingConstraint
from lagrangian.model.frame import Frame
from lagrangian.model.placement import Transform, rotation_z_to

if TYPE_CHECKING:
    from lagrangian.equations.reading.system import SymbolicSystem


class RollingContact:
    """Where a sphere or a disc touches its plane, in the world's axes."""

    def __init__(self, system: SymbolicSystem, rolling: RollingConstraint) -> None:
        self.system, self.rolling = system, rolling
        self.ring, self.radius = system.ring, system.scalars.read(rolling.radius)
        where = f"constraint {rolling.name!r}"
        self._body = Frame(rolling.name, rolling.body, Transform(position=rolling.center))
        self._plane = Frame(rolling.name, rolling.on, Transform(position=rolling.point))
        _, body = frame_pose(system, self._body)
        _, plane = frame_pose(system, self._plane)
        self.center, self.origin = body.p, plane.p
        self.x, self.y, self.normal = v.transpose(v.mat_mat(plane.R, system.rotations.read(rotation_z_to(rolling.normal), where)))
        if rolling.axis is not None:
            self.axis = v.transpose(v.mat_mat(body.R, system.rotations.read(rotation_z_to(rolling.axis), where)))[2]

    @cached_property
    def normal_component(self) -> RingElement:
        """The part of a disc's axis that is along the normal."""
        return self.ring(v.dot(self.normal, self.axis))

    @cached_property
    def height_squared(self) -> RingElement:
        """The square of the height of a disc's centre above the plane."""
        return self.ring(self.radius * self.radius * (1 - self.normal_component * self.normal_component))

    @cached_property
    def lean_cosine(self) -> RingElement | None:
        """The cosine of the lean, sqrt(1 - (n.a)^2), where it is a polynomial."""
        sine = self._matching_sine()
        if sine is not None:
            return sine
        try:
            return RingElement(self.ring, (1 - self.normal_component * self.normal_component).poly.sqrt())
        except DomainError:
            return None

    def _matching_sine(self) -> RingElement | None:
        """The sine of an angle by whose cosine the axis is along the normal, if there is one."""
        scalars = self.system.scalars
        for name, symbol in scalars.symbols.items():
            if (
                symbol.kind == "sine"
                and scalars.cosine_name(name) in self.ring.generator_index
                and name in self.ring.generator_index
            ):
                cosine = self.ring.generator(scalars.cosine_name(name))
                if not self.normal_component - cosine or not self.normal_component + cosine:
                    return self.ring.generator(name)
        return None

    @cached_property
    def upward_direction(self) -> v.Vector:
        """The vector in the direction from a disc's lowest point to its centre; its length is `lean_cosine`, not the radius."""
        return v.sub(self.normal, v.scale(self.normal_component, self.axis))

    @cached_property
    def unit_upward_direction(self) -> v.Vector | None:
        """`upward_direction` divided by its length, where that leaves polynomials."""
        if self.lean_cosine is None:
            return None
        parts = [divmod(self.ring(x).poly, self.lean_cosine.poly) for x in self.upward_direction]
        if any(not remainder.is_zero() for _, remainder in parts):
            return None
        return tuple(RingElement(self.ring, quotient) for quotient, _ in parts)  # type: ignore[return-value]

    @cached_property
    def height(self) -> Any:
        """The height of the centre above the plane."""
        if self.rolling.axis is None:
            return self.radius
        if self.unit_upward_direction is None:
            return self.ring.generator(height_name(self.rolling))
        return self.radius * self.lean_cosine

    @cached_property
    def contact_offset(self) -> v.Vector:
        """The vector from the centre of the sphere or disc to the point of contact, in the world's axes."""
        if self.rolling.axis is None:
            return v.scale(-self.radius, self.normal)
        if self.unit_upward_direction is not None:
            return v.scale(-self.radius, self.unit_upward_direction)
        return v.scale(
            -(self.radius * self.radius * self.ring.generator(inverse_height_name(self.rolling))), self.upward_direction
        )

    @property
    def eta(self) -> RingElement:
        """The distance of the centre from the plane, less the height that it must have."""
        return self.ring(v.dot(self.normal, v.sub(self.center, self.origin)) - self.height)

    def slip_rows(self) -> list[tuple[RingElement, ...]]:
        """The slip of the point of contact along each direction of the plane, for unit rates of every coordinate."""
        body_jacobian, plane_jacobian = jacobian(self.system, self._body), jacobian(self.system, self._plane)
        contact = v.sub(v.add(self.center, self.contact_offset), self.origin)
        columns = []
        for k in range(self.system.n):
            J, K = (tuple(A[row][k] for row in range(6)) for A in (body_jacobian, plane_jacobian))
            velocity = v.add(J[3:], v.cross(J[:3], self.contact_offset))  # type: ignore[arg-type]
            columns.append(v.sub(velocity, v.add(K[3:], v.cross(K[:3], contact))))  # type: ignore[arg-type]
        return [tuple(self.ring(v.dot(direction, column)) for column in columns) for direction in (self.x, self.y)]


def height_name(rolling: RollingConstraint) -> str:
    return f"height({rolling.name})"


def inverse_height_name(rolling: RollingConstraint) -> str:
    return f"1/height({rolling.name})"


def read_rolling_rotations(system: SymbolicSystem) -> None:
    """Read the rotations of rolling bodies and their planes, so that the ring has what they need."""
    for rolling in system.mechanism.constraints:
        if isinstance(rolling, RollingConstraint):
            for axis in (rolling.normal, rolling.axis):
                if axis is not None:
                    system.rotations.read(rotation_z_to(axis), f"constraint {rolling.name!r}")


def declare_heights(system: SymbolicSystem) -> list[RollingContact]:
    """Declare generators for the heights that are no polynomials; return the contacts that have such a height."""
    contacts = [contact for contact in disc_contacts(system) if contact.unit_upward_direction is None]
    for contact in contacts:
        meaning = f"height of the centre of {contact.rolling.body} above its plane"
        system.scalars.declare(Symbol("root", height_name(contact.rolling), meaning=meaning))
        system.scalars.declare(Symbol("inverse", inverse_height_name(contact.rolling), meaning=f"1 / ({meaning})"))
    return contacts


def relate_heights(system: SymbolicSystem) -> None:
    """Relate every height to its square r^2 (1 - (n.a)^2); where the root was taken, a note says which of the two it is."""
    for contact in disc_contacts(system):
        rolling = contact.rolling
        if contact.unit_upward_direction is not None:
            system.scalars.notes.append(
                f"constraint {rolling.name!r}: the centre of body {rolling.body!r} is taken to be on the side of its plane to "
                f"which the normal points"
            )
            continue
        relate_length(system.scalars, LengthDefinition(rolling.name, contact.height_squared, "height"))


def disc_contacts(system: SymbolicSystem) -> list[RollingContact]:
    """The contacts of the discs among the rolling bodies."""
    rolling = [c for c in system.mechanism.constraints if isinstance(c, RollingConstraint)]
    return [RollingContact(system, c) for c in rolling if c.axis is not None]

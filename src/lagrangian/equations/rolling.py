"""Rolling without slipping, over polynomials: the contact `eta(q) = 0`, and a Pfaffian row for each direction of the plane.

A sphere touches the plane at its centre less radius times normal. A disc touches it at its lowest point, which lies across its
axis: with the normal n and the axis a, the centre is `h = r sqrt(1 - (n.a)^2)` above the plane, and the point in contact is
`-(r^2 / h) (n - (n.a) a)` away from it (Neimark, Fufaev 1972, chapter 1; Bloch 2003, section 1.4). Where the root can be taken,
as it can for the usual angles of a disc, h is a polynomial; else it is a generator of its own, `height(name)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flint.utils.flint_exceptions import DomainError

from lagrangian.cached import cached_property
from lagrangian.equations.algebra.ring import Element
from lagrangian.equations.kinematics import frame_pose, jacobian
from lagrangian.equations.reading import heights
from lagrangian.model import vector as v
from lagrangian.model.constraint import Rolling
from lagrangian.model.loop import Frame
from lagrangian.model.placement import Placement, turn_z_to

if TYPE_CHECKING:
    from lagrangian.equations.reading.system import System


class Contact:
    """Where a sphere or a disc touches its plane, in the world's axes."""

    def __init__(self, system: System, rolling: Rolling) -> None:
        self.system, self.rolling = system, rolling
        self.ring, self.radius = system.ring, system.scalars.of(rolling.radius)
        where = f"constraint {rolling.name!r}"
        self._body = Frame(rolling.name, rolling.body, Placement(position=rolling.center))
        self._plane = Frame(rolling.name, rolling.on, Placement(position=rolling.point))
        _, body = frame_pose(system, self._body)
        _, plane = frame_pose(system, self._plane)
        self.center, self.origin = body.p, plane.p
        self.x, self.y, self.normal = v.transpose(v.mat_mat(plane.R, system.rotations.of(turn_z_to(rolling.normal), where)))
        if rolling.axis is not None:
            self.axis = v.transpose(v.mat_mat(body.R, system.rotations.of(turn_z_to(rolling.axis), where)))[2]

    @cached_property
    def along(self) -> Element:
        """The part of a disc's axis that is along the normal."""
        return self.ring(v.dot(self.normal, self.axis))

    @cached_property
    def square(self) -> Element:
        """Of the height of a disc's centre above the plane."""
        return self.ring(self.radius * self.radius * (1 - self.along * self.along))

    @cached_property
    def across(self) -> Element | None:
        """The root of 1 - along^2 where it is a polynomial: the cosine of the lean."""
        partner = self._partner()
        if partner is not None:
            return partner
        try:
            return Element(self.ring, (1 - self.along * self.along).poly.sqrt())
        except DomainError:
            return None

    def _partner(self) -> Element | None:
        """The sine, where the axis is along the normal by a cosine."""
        scalars = self.system.scalars
        for name, symbol in scalars.symbols.items():
            if symbol.kind == "sine" and scalars.cosine_name(name) in self.ring.number and name in self.ring.number:
                cosine = self.ring.generator(scalars.cosine_name(name))
                if not self.along - cosine or not self.along + cosine:
                    return self.ring.generator(name)
        return None

    @cached_property
    def upwards(self) -> v.Vector:
        """From a disc's lowest point to its centre, but for its length, which is `across`."""
        return v.sub(self.normal, v.scale(self.along, self.axis))

    @cached_property
    def divided(self) -> v.Vector | None:
        """`upwards` divided by its length, where that leaves polynomials."""
        if self.across is None:
            return None
        parts = [divmod(self.ring(x).poly, self.across.poly) for x in self.upwards]
        return None if any(not rest.is_zero() for _, rest in parts) else tuple(Element(self.ring, x) for x, _ in parts)  # type: ignore[return-value]

    @cached_property
    def height(self) -> Any:
        """Of the centre above the plane."""
        if self.rolling.axis is None:
            return self.radius
        return self.ring.generator(heights.name(self.rolling)) if self.divided is None else self.radius * self.across

    @cached_property
    def down(self) -> v.Vector:
        """From the centre to the point in contact."""
        if self.rolling.axis is None:
            return v.scale(-self.radius, self.normal)
        if self.divided is not None:
            return v.scale(-self.radius, self.divided)
        return v.scale(-(self.radius * self.radius * self.ring.generator(heights.inverse_name(self.rolling))), self.upwards)

    @property
    def eta(self) -> Element:
        """The distance of the centre from the plane, less what it must be."""
        return self.ring(v.dot(self.normal, v.sub(self.center, self.origin)) - self.height)

    def slip(self) -> list[tuple[Element, ...]]:
        """For each direction of the plane, how fast the point in contact slips along it, for unit rates of every coordinate."""
        own, carried = jacobian(self.system, self._body), jacobian(self.system, self._plane)
        contact = v.sub(v.add(self.center, self.down), self.origin)
        columns = []
        for k in range(self.system.n):
            J, K = (tuple(A[row][k] for row in range(6)) for A in (own, carried))
            moves = v.add(J[3:], v.cross(J[:3], self.down))  # type: ignore[arg-type]
            columns.append(v.sub(moves, v.add(K[3:], v.cross(K[:3], contact))))  # type: ignore[arg-type]
        return [tuple(self.ring(v.dot(direction, column)) for column in columns) for direction in (self.x, self.y)]

"""Heights of rolling discs' centres above their planes: generators whose square is a polynomial, where the root is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.equations.algebra.ring import Symbol
from lagrangian.equations.reading import lengths
from lagrangian.equations.reading.scalars import Length
from lagrangian.model.constraint import Rolling
from lagrangian.model.placement import turn_z_to

if TYPE_CHECKING:
    from lagrangian.equations.reading.system import System
    from lagrangian.equations.rolling import Contact


def name(rolling: Rolling) -> str:
    return f"height({rolling.name})"


def inverse_name(rolling: Rolling) -> str:
    return f"1/height({rolling.name})"


def read(system: System) -> None:
    """The rotations that the rolling bodies and their planes need, so that the ring has them."""
    for rolling in system.mechanism.constraints:
        if isinstance(rolling, Rolling):
            for axis in (rolling.normal, rolling.axis):
                if axis is not None:
                    system.rotations.of(turn_z_to(axis), f"constraint {rolling.name!r}")


def declare(system: System) -> bool:
    """Generators for the heights that are no polynomials; whether there are any."""
    found = [contact for contact in discs(system) if contact.divided is None]
    for contact in found:
        meaning = f"height of the centre of {contact.rolling.body} above its plane"
        system.scalars.declare(Symbol("root", name(contact.rolling), meaning=meaning))
        system.scalars.declare(Symbol("inverse", inverse_name(contact.rolling), meaning=f"1 / ({meaning})"))
    return bool(found)


def relate(system: System) -> None:
    """height^2 = r^2 (1 - (n.a)^2), and the derivatives that follow; a root that was taken is noted."""
    for contact in discs(system):
        rolling = contact.rolling
        if contact.divided is not None:
            system.scalars.notes.append(
                f"constraint {rolling.name!r}: the centre of body {rolling.body!r} is taken to be on the side of its plane to "
                f"which the normal points"
            )
            continue
        lengths.relate_one(system.scalars, Length(rolling.name, contact.square, "height"))


def discs(system: System) -> list[Contact]:
    from lagrangian.equations.rolling import Contact

    rolling = [c for c in system.mechanism.constraints if isinstance(c, Rolling)]
    return [Contact(system, c) for c in rolling if c.axis is not None]

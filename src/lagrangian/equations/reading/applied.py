"""What multipliers depend on besides the state: forces and torques of actuated joints, and the rates of phi(t)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lagrangian.equations.algebra.ring import Element, Symbol
from lagrangian.model.constraint import Holonomic, Pfaffian
from lagrangian.model.expression.derivative import derivative

if TYPE_CHECKING:
    from lagrangian.equations.constraints import Row
    from lagrangian.equations.reading.system import System


def declare(system: System) -> None:
    """Generators for them, in a mechanism with constraints."""
    scalars, mechanism = system.scalars, system.mechanism
    if not mechanism.loops and not mechanism.constraints:
        return
    for joint, _, number in system.order:
        if joint.actuated:
            scalars.declare(Symbol("load", _force_name(system, number), meaning=f"force or torque of joint {joint.name}"))
    for constraint in mechanism.constraints:
        phi = constraint.phi if isinstance(constraint, Pfaffian) else 0
        if isinstance(constraint, Holonomic):
            phi = derivative(constraint.equation, "t")
        rate = derivative(phi, "t")
        if str(rate) != "0":
            scalars.drives[_rate_name(constraint.name)] = rate
            scalars.declare(Symbol("drive", _rate_name(constraint.name), meaning=str(rate)))


def forces(system: System) -> list[Element]:
    """tau, zero along the coordinates of joints that are not actuated."""
    found = [system.ring.zero] * system.n
    for joint, _, number in system.order:
        if joint.actuated:
            found[number - 1] = system.generator(_force_name(system, number))
    return found


def rate(system: System, row: Row) -> Element:
    """phi' of a constraint: a name of its own."""
    name = _rate_name(row.name)
    return system.generator(name) if name in system.ring.number else system.ring.zero


def _force_name(system: System, number: int) -> str:
    name = f"tau{number}"
    while name in system.scalars.reserved:
        name += "_"
    return name


def _rate_name(constraint: str) -> str:
    return f"phi_dot({constraint})"

"""What the formulas of joint types and loop types read of a mechanism over the ring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lagrangian.errors import MechanismError
from lagrangian.model import vector as v
from lagrangian.model.expression import Scalar, free_symbols, substituted, symbol
from lagrangian.model.joint import Joint
from lagrangian.model.joints.joint_type import needs_turns
from lagrangian.model.placement import turn_z_to

if TYPE_CHECKING:
    from lagrangian.equations.reading.system import System


class ExactState:
    """What the formulas of a joint type read of one joint, over the ring."""

    def __init__(self, system: System, joint: Joint, k: int) -> None:
        self.system, self.k = system, k
        self.q, self.qd = (system.ring.generator(f"q{k + 1}"),), (system.speed(k),)
        if joint.kind.turns:
            self.c, self.s = system.scalars.angles.coordinate_pair(k)
        self.kind = joint.kind
        self.own = system.scalars.of(joint.kind.own(joint))

    def __getattr__(self, name: str) -> Any:
        if name in ("c", "s"):
            raise MechanismError(needs_turns(self.kind))
        raise AttributeError(name)

    def function(self, expression: Scalar) -> Any:
        """A function of the joint's coordinate, which takes the place of whatever the expression calls its variable."""
        coordinate = symbol(self.system.coordinates[self.k])
        return self.system.scalars.of(substituted(expression, dict.fromkeys(free_symbols(expression), coordinate)))


class DeclaringFrame:
    """Reads the constants in the equations of a loop, so that the ring has them before the equations are written."""

    origin = v.ZERO

    def __init__(self, system: System, where: str) -> None:
        self.system, self.where = system, where

    def direction(self, axis: v.Vector) -> v.Vector:
        self.system.vector(axis)
        return v.ZERO

    def triad(self, axis: v.Vector) -> tuple[v.Vector, v.Vector, v.Vector]:
        self.system.rotations.of(turn_z_to(axis), self.where)
        return v.ZERO, v.ZERO, v.ZERO

    def number(self, scalar: Scalar) -> Any:
        return self.system.scalars.of(scalar)

    def vanishes(self, x: Any) -> bool:
        return True
